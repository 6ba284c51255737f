/* SPDX-License-Identifier: MIT */
/*
 * The index of what is in projects: a base for each project, with its id. A change
 * queues the row in its transaction (entity_due) and asks for the job; who searches
 * before it has run does its work.
 */
#include "entity/entity.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "search/index.h"
#include "store/job.h"
#include "store/stmt.h"

#include "base/banned.h"

/* -- the queue --------------------------------------------------------------------- */

/* In the transaction of a change or a deletion. */
static int queue(const struct caller *by, const struct resource *r,
		 struct resource_change *k, struct err *e)
{
	const struct resource_row *row = k->now ? k->now : &k->row;
	const struct uuid *project = r->owner == OWNER_SHARED ? &row->id : &row->holder;

	k->job_due = true;
	if (db_exec(by->db, STMT_ENTITY_QUEUE,
		    DB_ARGS(DB_U(project), DB_U(&row->id),
			    DB_S(by->owner.tenant_id)),
		    NULL, e))
		return -1;
	return store_job_ask_for(by->db, STR("entity-index"), &by->owner, project, e);
}

const struct resource_hooks entity_index_hooks = { .store = queue, .gone = queue };

/* -- the job ----------------------------------------------------------------------- */

struct entity_due {
	struct uuid id;
	int64_t changes;
	struct str title;	/* p == NULL: it is deleted */
	struct str description, more, props, content;
};

static const struct db_field due_fields[] = {
#define F(m, t, sql) FIELD_OF(struct entity_due, m, t)
	ENTITY_DUE_FIELDS(F, COMMA)
#undef F
};

struct entity_round {
	const struct uuid *project;
	const struct entity_due *v;
	size_t n;
};

/* The words of its title, for pickers; of what is deleted none. */
static int put_words(struct db *tx, const struct uuid *project, const struct entity_due *d,
		     struct err *e)
{
	struct buf b = BUF_INIT(65536);
	struct jw w = jw_on(&b);
	struct entity_words words;
	int rc;

	entity_words_of(d->title, &words);
	jw_arr(&w);
	for (size_t i = 0; i < words.n; i++)
		jw_str(&w, str_of(words.v[i]));
	jw_end_arr(&w);
	rc = db_exec(tx, STMT_ENTITY_WORDS_CUT, DB_ARGS(DB_U(project), DB_U(&d->id)), NULL, e);
	if (rc == 0 && words.n)
		rc = db_exec(tx, STMT_ENTITY_WORDS_PUT, DB_ARGS(DB_U(project),
			     DB_S(buf_str(&b)), DB_U(&d->id)), NULL, e);
	buf_release(&b);
	return rc;
}

/* It is in the index, or no more in it: with the words of its title it is not due any more. */
static int done(struct db *tx, const struct uuid *project, const struct entity_due *d,
		struct db_result *r, struct err *e)
{
	return put_words(tx, project, d, e) < 0 ? -1
		: db_exec(tx, STMT_ENTITY_DONE,
			  DB_ARGS(DB_U(project), DB_U(&d->id), DB_I(d->changes)), r, e);
}

/* search_how.ready: discards what was changed since it was read. */
static int ready(struct db *tx, const struct search_put *doc, void *ctx, struct err *e)
{
	const struct entity_round *k = ctx;
	struct db_result r = { 0 };

	if (db_exec(tx, STMT_SEARCH_AUDIENCE_PUT, DB_ARGS(DB_U(k->project)), NULL, e))
		return -1;
	for (size_t i = 0; i < k->n; i++)
		if (uuid_eq(&k->v[i].id, &doc->id) &&
		    done(tx, k->project, &k->v[i], &r, e))
			return -1;
	return r.affected > 0;
}

struct dropping {
	const struct uuid *project;
	const struct entity_due *d;
};

static int drop_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct dropping *c = ctx;

	return search_drop(tx, c->project, &c->d->id, e) < 0 ? -1
		: done(tx, c->project, c->d, NULL, e);
}

/* The row has no text, none that the index has room for, or is deleted. */
static int drop(struct db *db, const struct entity_round *k, const struct entity_due *d,
		struct err *e)
{
	return db_tx(db, drop_tx, &(struct dropping){ k->project, d }, e);
}

static void add_texts(struct buf *b, const json_t *v)
{
	const json_t *one;
	const char *key;
	size_t i;

	if (json_is_string(v))
		buf_addf(b, "%s\n", json_string_value(v));
	json_object_foreach((json_t *)v, key, one)
		add_texts(b, one);
	json_array_foreach(v, i, one)
		add_texts(b, one);
}

/* What people wrote and chose in fields that the installation has declared. */
static struct str texts_in(struct str props, struct arena *a)
{
	json_t *all = props.n ? jx_try(props) : NULL;
	struct buf b = BUF_INIT(2 * LIM_PROPS_BYTES);
	struct str out;

	add_texts(&b, all);
	out = arena_str(a, str_trim(buf_str(&b)));
	buf_release(&b);
	json_decref(all);
	return out;
}

/* All texts of a row, as one document under its title. */
static struct str text_of(const struct entity_due *d, struct arena *a)
{
	const struct str parts[] = { d->description, d->more, texts_in(d->props, a), d->content };
	struct str all = { NULL, 0 };

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (parts[i].n && !all.n)
			all = parts[i];
		else if (parts[i].n)
			all = str_of(arena_printf(a, "%.*s\n\n%.*s", STR_ARG(all),
						  STR_ARG(parts[i])));
	return all.n ? all : d->title;
}

static int index_one(struct db *db, struct entity_round *k, const struct entity_due *d,
		     struct arena *a, struct err *e)
{
	const struct search_how how = { .ready = ready, .ctx = k };
	struct search_put put = { .id = d->id, .title = d->title };
	struct err why = ERR_INIT;
	struct chunk *chunks;

	if (!d->title.p)
		return drop(db, k, d, e);
	if (chunk_split(text_of(d, a), a, &chunks, &put.n, &why) == 0 && put.n) {
		/* A phrase is looked for in texts and headings. */
		chunks[0].heading = str_of(arena_printf(a, "%.*s\n%.*s", STR_ARG(d->title),
							STR_ARG(chunks[0].heading)));
		put.chunks = chunks;
		if (search_write(db, k->project, &put, 1, &how, &why) == 0)
			return 0;
	}
	if (why.code && why.code != ERR_TOO_BIG) {
		*e = why;
		return -1;
	}
	if (why.code)
		log_err("what is in a project and the index has no room for", &why);
	return drop(db, k, d, e);
}

/* 1; 0: there is no such project; -1. */
static int exists(struct db *db, const struct uuid *project, struct err *e)
{
	int64_t one;

	return db_int(db, STMT_ENTITY_IS_PROJECT, DB_ARGS(DB_U(project)), &one, e);
}

static int hide_tx(struct db *tx, void *ctx, struct err *e)
{
	return search_base_hide(tx, ctx, e);
}

/* The index of a project that is deleted. */
static int purge(struct db *db, const struct uuid *project, int64_t until_ms,
		 struct err *e)
{
	struct uuid id = *project;
	struct db_result r = { .affected = 1 };

	while (r.affected && clock_mono_ms() < until_ms)
		if (db_exec(db, STMT_ENTITY_DUE_DELETE, DB_ARGS(DB_U(&id)), &r, e))
			return -1;
	r.affected = 1;
	while (r.affected && clock_mono_ms() < until_ms)
		if (db_exec(db, STMT_ENTITY_WORDS_DELETE, DB_ARGS(DB_U(&id)), &r, e))
			return -1;
	if (r.affected)
		return 0;
	return db_tx(db, hide_tx, &id, e) ? -1
		: search_base_purge(db, &id, until_ms, e);
}

int entity_index(struct db *db, const struct uuid *project, int64_t until_ms,
		 struct err *e)
{
	int rc = exists(db, project, e);

	if (rc < 0)
		return -1;
	if (!rc)
		return purge(db, project, until_ms, e);
	rc = db_exec(db, STMT_ENTITY_BASE_PUT, DB_ARGS(DB_U(project)), NULL, e);
	while (!rc && clock_mono_ms() < until_ms) {
		struct arena a = ARENA_INIT;
		struct entity_round k = { .project = project };
		struct entity_due *v;
		bool cut;

		rc = db_list_within(db, STMT_ENTITY_DUE, DB_ARGS(DB_U(project)),
				    LIM_INDEXED_BYTES, &a, due_fields, sizeof(*v),
				    &v, &k.n, &cut, e);
		k.v = v;
		if (!rc && !k.n)
			rc = 1;
		for (size_t i = 0; !rc && i < k.n; i++)
			rc = index_one(db, &k, &v[i], &a, e);
		arena_release(&a);
	}
	if (rc > 0)	/* what was replaced leaves rows */
		rc = search_tidy(db, project, true, until_ms, e);
	return rc;
}
