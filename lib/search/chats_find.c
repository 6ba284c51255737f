/* SPDX-License-Identifier: MIT */
#include "search/chats.h"

#include "base/limits.h"
#include "search/find.h"
#include "store/list.h"
#include "store/stmt.h"

#include "base/banned.h"

enum { SNIPPET_CHARS = 200 };

static const struct db_field found_fields[] = {
#define F(m, t, sql) FIELD_OF(struct chats_found, m, t)
	CHATS_FOUND_FIELDS(F, COMMA)
#undef F
};

static const struct db_field range_fields[] = {
	FIELD_OF(struct search_range, first, i),
	FIELD_OF(struct search_range, n, i),
};

/* Limits the search to the chunks of conversations that pass the filters. */
static int limit(struct db *db, const struct owner *o, const struct chats_ask *ask,
		 struct arena *a, struct search_ask *s, struct err *e)
{
	struct search_range *v;

	s->limited = ask->workspace_id.p || ask->agent_id.p || ask->from_us > 0 ||
		ask->to_us < INT64_MAX;
	if (!s->limited)
		return 0;
	if (db_list(db, STMT_CHATS_RANGES,
		    DB_ARGS(DB_U(&o->user_id), DB_S(o->tenant_id),
			    DB_U(&o->user_id), DB_I(ask->from_us),
			    DB_I(ask->to_us), DB_S_IF(ask->workspace_id),
			    DB_S_IF(ask->workspace_id), DB_S_IF(ask->agent_id),
			    DB_S_IF(ask->agent_id)), a, range_fields, sizeof(*v),
		    0, &v, &s->n_ranges, e))
		return -1;
	s->ranges = v;
	return 0;
}

/*
 * Keeps the first hit of each conversation, which is its best one; returns their
 * number. Messages are preferred to titles, which are shown in any case.
 */
static size_t best_of_each(struct search_found *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < kept && !uuid_eq(&v[k].document_id, &v[i].document_id))
			k++;
		if (k == kept) {
			v[kept++] = v[i];
		} else if (!v[k].page && v[i].page) {
			v[i].score = v[k].score;
			v[k] = v[i];
		}
	}
	return kept;
}

/* Reads their rows, in the order of v; skips conversations that were deleted. */
static int read_rows(struct db *db, const struct owner *o,
		     const struct search_found *v, size_t n, struct arena *a,
		     struct chats_found *out, const struct search_found **of,
		     size_t *n_out, struct err *e)
{
	struct buf list = BUF_INIT(n * 40 + 16);
	struct jw w = jw_on(&list);
	struct chats_found *rows;
	size_t n_rows;
	int rc;

	jw_arr(&w);
	for (size_t i = 0; i < n; i++)
		store_list_id(&w, &v[i].document_id);
	jw_end_arr(&w);
	rc = db_list(db, STMT_CHATS_OF_IDS,
		     DB_ARGS(DB_S(buf_str(&list)), DB_S(o->tenant_id),
			     DB_U(&o->user_id)), a, found_fields, sizeof(*rows),
		     0, &rows, &n_rows, e);
	buf_release(&list);
	*n_out = 0;
	for (size_t i = 0; !rc && i < n; i++)
		for (size_t k = 0; k < n_rows; k++)
			if (uuid_eq(&rows[k].id, &v[i].document_id)) {
				of[*n_out] = &v[i];
				out[(*n_out)++] = rows[k];
				break;
			}
	return rc;
}

int chats_find(struct db *db, const struct owner *o, const struct chats_ask *ask,
	       struct arena *a, struct chats_found **out, size_t *n,
	       struct err *e)
{
	struct search_ask s = {
		.mode = SEARCH_WORDS, .text = ask->query, .all = true,
		.max = LIM_CHATS_PASSAGES,
	};
	const struct search_found *of[LIM_CHATS_PASSAGES];
	struct search_found *v;
	struct tokens *words;
	size_t n_found;

	*n = 0;
	*out = arena_zalloc(a, LIM_CHATS_PASSAGES + 1, sizeof(**out));
	if (limit(db, o, ask, a, &s, e) ||
	    search_find(db, &o->user_id, &s, a, &v, &n_found, e))
		return -1;
	n_found = MIN(best_of_each(v, n_found), ask->max);
	if (!n_found)
		return 0;
	words = tokens_open(STR("none"), e);
	if (!words || read_rows(db, o, v, n_found, a, *out, of, n, e)) {
		tokens_close(words);
		return -1;
	}
	for (size_t i = 0; i < *n; i++) {
		struct chats_found *f = &(*out)[i];

		f->seq = of[i]->page;
		f->score = of[i]->score;
		f->passage = of[i]->text;
		snippet_make(words, ask->query, of[i]->text, SNIPPET_CHARS, a,
			     &f->snippet);
	}
	tokens_close(words);
	return 0;
}
