/* SPDX-License-Identifier: MIT */
/* The search in projects. */
#include "entity/entity.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "search/find.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	SNIPPET_CHARS = 200,
	CATCH_UP_MS = 300,	/* spent on what is not in the index yet */
	AGAIN_MS = 10,		/* while another writer has it */
};

static const struct db_field id_fields[] = {
	{ .column = "id", .type = 'u' },
};

/* The projects to search: one, or those that the caller sees. */
static int projects_of(const struct caller *by, const struct entity_ask *ask,
		       struct uuid **out, size_t *n, struct err *e)
{
	const struct resource_at at = resource_for(by);
	struct resource_row row;

	if (!ask->project)
		return db_list(by->db, STMT_ENTITY_PROJECTS,
			       DB_ARGS(DB_S(resource_ids_json(at.readers, at.n_readers,
							      by->arena)),
				       DB_S(by->owner.tenant_id),
				       DB_I(LIM_SEARCH_PROJECTS)),
			       by->arena, id_fields, sizeof(**out), 0, out, n, e);
	*out = arena_new(by->arena, struct uuid);
	**out = *ask->project;
	*n = 1;
	return resource_visible(by, &resources[RESOURCE_PROJECT], ask->project, &row, e);
}

/* Indexes what waits in some of the bases. Returns how many had something, or -1. */
static int index_some(const struct caller *by, struct str bases, int64_t until_ms,
		      struct err *e)
{
	struct uuid *v;
	size_t n;

	if (db_list(by->db, STMT_ENTITY_WAITING, DB_ARGS(DB_S(bases)), by->arena,
		    id_fields, sizeof(*v), 0, &v, &n, e))
		return -1;
	for (size_t i = 0; i < n && clock_mono_ms() < until_ms; i++) {
		if (entity_index(by->db, &v[i], until_ms, e) >= 0)
			continue;
		if (e->code != ERR_CONFLICT)
			return -1;
		err_clear(e);		/* the job is at it */
		nanosleep(&(struct timespec){ .tv_nsec = AGAIN_MS * 1000000L }, NULL);
	}
	return (int)n;
}

/* What was changed since the job has run. What fails here is found later. */
static void catch_up(const struct caller *by, struct str bases)
{
	const int64_t until_ms = clock_mono_ms() + CATCH_UP_MS;
	struct err e = ERR_INIT;
	int n = 1;

	while (n > 0 && clock_mono_ms() < until_ms)
		n = index_some(by, bases, until_ms, &e);
	if (n < 0)
		log_err("what is in projects and indexed later", &e);
}

/* -- words that begin so ------------------------------------------------------------ */

/* The last text that begins with this one. */
static struct str last_of(struct str s, struct arena *a)
{
	return str_of(arena_printf(a, "%.*s\xf4\x8f\xbf\xbf", STR_ARG(s)));
}

int entity_starting(const struct caller *by, const struct entity_ask *ask,
		    struct entity_found **out, size_t *n, struct err *e)
{
	const struct resource_at at = resource_for(by);
	const struct str none = { NULL, 0 };
	const struct db_val kinds = DB_S_IF(ask->kinds
		? entity_kind_names(ask->kinds, by->arena) : none);
	const struct db_val type = DB_S_IF(ask->type_key), state = DB_S_IF(ask->state_key);
	const struct db_val project = DB_U_IF(ask->project);
	struct entity_words words;
	struct str w[4] = { STR(""), STR(""), STR(""), STR("") }, head;
	struct entity_brief *found;
	struct uuid *ids;
	size_t n_ids, n_found;

	*n = 0;
	entity_words_of(ask->query, &words);
	for (size_t i = 0; i < words.n && i < ARRAY_LEN(w); i++)
		w[i] = str_of(words.v[i]);
	head = utf8_head(w[0], 2);
	if (utf8_chars(head) < 2)
		return 0;
	if (projects_of(by, ask, &ids, &n_ids, e) < 0)
		return -1;
	catch_up(by, resource_ids_json(ids, n_ids, by->arena));
	if (db_list(by->db, STMT_ENTITY_STARTING, DB_ARGS(
		    DB_S(resource_ids_json(at.readers, at.n_readers, by->arena)),
		    DB_S(by->owner.tenant_id), DB_S(head), DB_S(w[0]),
		    DB_S(last_of(w[0], by->arena)), project, project, kinds, kinds, type, type,
		    state, state, DB_S(w[1]), DB_S(w[1]), DB_S(last_of(w[1], by->arena)),
		    DB_S(w[2]), DB_S(w[2]), DB_S(last_of(w[2], by->arena)), DB_S(w[3]),
		    DB_S(w[3]), DB_S(last_of(w[3], by->arena)), DB_I((int64_t)ask->max)),
		    by->arena, id_fields, sizeof(*ids), 0, &ids, &n_ids, e) ||
	    entity_of_ids(by, ids, n_ids, &found, &n_found, e) < 0)
		return -1;
	*out = arena_zalloc(by->arena, n_ids + 1, sizeof(**out));
	for (size_t i = 0; i < n_ids; i++) {
		const struct entity_brief *b = entity_among(found, n_found, &ids[i]);

		if (b)	/* else it was deleted meanwhile */
			(*out)[(*n)++].of = *b;
	}
	return 0;
}

struct entity_range {
	struct uuid base;
	struct search_range of;
};

static const struct db_field range_fields[] = {
	{ .column = "base", .type = 'u', .offset = offsetof(struct entity_range, base) },
	{ .column = "first", .type = 'i', .offset = offsetof(struct entity_range, of.first) },
	{ .column = "n", .type = 'i', .offset = offsetof(struct entity_range, of.n) },
};

static bool is_limited(const struct entity_ask *ask)
{
	return ask->kinds || ask->type_key.p || ask->state_key.p;
}

/* The place of a base among them; n: none of them, for which there is room, too. */
static size_t index_of(const struct search_in *in, size_t n, const struct uuid *base)
{
	size_t i = 0;

	while (i < n && !uuid_eq(in[i].base, base))
		i++;
	return i;
}

/* Limits the question to each base to what passes the filters. */
static int limit(const struct caller *by, const struct entity_ask *ask, struct str bases,
		 struct search_in *in, struct search_ask *asks, size_t n, struct err *e)
{
	const struct str none = { NULL, 0 };
	const struct db_val kinds = DB_S_IF(ask->kinds
		? entity_kind_names(ask->kinds, by->arena) : none);
	const struct db_val type = DB_S_IF(ask->type_key);
	const struct db_val state = DB_S_IF(ask->state_key);
	struct search_ask *ask_of = NULL;
	struct search_range *all;
	struct entity_range *v;
	size_t n_ranges;

	if (db_list(by->db, STMT_ENTITY_RANGES,
		    DB_ARGS(DB_S(bases), kinds, kinds, type, type, state, state),
		    by->arena, range_fields, sizeof(*v), 0, &v, &n_ranges, e))
		return -1;
	all = arena_zalloc(by->arena, n_ranges + 1, sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		asks[i].limited = true;
		asks[i].ranges = all;
	}
	/* They come base by base, each base's in order. */
	for (size_t k = 0; k < n_ranges; k++) {
		all[k] = v[k].of;
		if (!k || !uuid_eq(&v[k].base, &v[k - 1].base))
			ask_of = asks + index_of(in, n, &v[k].base);
		if (!ask_of->n_ranges++)
			ask_of->ranges = &all[k];
	}
	return 0;
}

static int by_score(const void *a, const void *b)
{
	const struct search_found *x = a, *y = b;

	return (x->score < y->score) - (x->score > y->score);
}

/* The best passage of each row, best first. */
static size_t merge(const struct search_in *in, size_t n, struct arena *a,
		    struct search_found **out)
{
	size_t room = 0, all = 0, kept = 0;
	struct search_found *v;

	for (size_t i = 0; i < n; i++)
		room += in[i].n;
	*out = v = arena_zalloc(a, room + 1, sizeof(*v));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < in[i].n; k++)
			v[all++] = in[i].v[k];
	qsort(v, all, sizeof(*v), by_score);
	for (size_t i = 0; i < all; i++) {
		size_t k = 0;

		while (k < kept && !uuid_eq(&v[k].document_id, &v[i].document_id))
			k++;
		if (k == kept)
			v[kept++] = v[i];
	}
	return kept;
}

static int show(const struct caller *by, const struct entity_ask *ask,
		const struct search_found *v, size_t n, struct entity_found **out,
		size_t *n_out, struct err *e)
{
	struct uuid *ids = arena_zalloc(by->arena, n + 1, sizeof(*ids));
	struct tokens *words = tokens_open(STR("none"), e);
	struct entity_brief *briefs;
	size_t n_briefs;
	int rc = words ? 0 : -1;

	for (size_t i = 0; i < n; i++)
		ids[i] = v[i].document_id;
	if (!rc)
		rc = entity_of_ids(by, ids, n, &briefs, &n_briefs, e);
	*out = arena_zalloc(by->arena, n + 1, sizeof(**out));
	*n_out = 0;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct entity_brief *b = entity_among(briefs, n_briefs, &ids[i]);
		struct entity_found *f = &(*out)[*n_out];

		if (!b)		/* deleted meanwhile */
			continue;
		*f = (struct entity_found){ .of = *b, .score = v[i].score };
		snippet_make(words, ask->query, v[i].text, SNIPPET_CHARS, by->arena,
			     &f->snippet);
		++*n_out;
	}
	tokens_close(words);
	return rc;
}

int entity_search(const struct caller *by, const struct entity_ask *ask,
		  struct entity_found **out, size_t *n, struct err *e)
{
	struct search_found *v;
	struct search_in *in;
	struct search_ask *asks;
	struct uuid *projects;
	struct str bases;
	size_t n_in, found;

	if (projects_of(by, ask, &projects, &n_in, e) < 0)
		return -1;
	bases = resource_ids_json(projects, n_in, by->arena);
	catch_up(by, bases);
	in = arena_zalloc(by->arena, n_in + 1, sizeof(*in));
	asks = arena_zalloc(by->arena, n_in + 1, sizeof(*asks));
	for (size_t i = 0; i < n_in; i++) {
		asks[i] = (struct search_ask){
			.mode = SEARCH_WORDS, .text = ask->query, .all = true,
			.max = LIM_FOUND,
		};
		in[i] = (struct search_in){ .base = &projects[i], .ask = &asks[i] };
	}
	if ((is_limited(ask) && limit(by, ask, bases, in, asks, n_in, e) < 0) ||
	    search_find_all(by->db, in, n_in, by->arena, e) < 0)
		return -1;
	found = MIN(merge(in, n_in, by->arena, &v), ask->max);
	return show(by, ask, v, found, out, n, e);
}
