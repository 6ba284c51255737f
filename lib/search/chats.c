/* SPDX-License-Identifier: MIT */
#include "search/chats.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "search/find.h"
#include "search/index.h"
#include "store/conversation.h"
#include "store/job.h"
#include "store/list.h"
#include "store/message.h"
#include "store/stmt.h"

#include "base/banned.h"

/* -- searching ------------------------------------------------------------- */

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

enum {
	ROUND_BYTES = 4194304,	/* limit of texts in memory, plus one page */
	MESSAGE_CHUNKS = 256,	/* indexed chunks of one message */
};

struct chats_due_row {
	struct uuid id;
	int64_t version;
	int64_t indexed;	/* as in the row; -1 becomes 0 after clear() */
	struct str title;
	/* of this round */
	int64_t next;		/* the new value of `indexed` */
	bool complete;		/* all messages are read */
};

static const struct db_field due_fields[] = {
#define F(m, t, sql) FIELD_OF(struct chats_due_row, m, t)
	CHATS_DUE_FIELDS(F, COMMA)
#undef F
};

/* -- requesting jobs ---------------------------------------------------------- */

int chats_want(struct db *db, const struct owner *o, struct err *e)
{
	return store_job_ask_for(db, STR("conversation-index"), o, &o->user_id, e);
}

static const struct db_field owner_fields[] = {
	FIELD_OF(struct owner, tenant_id, s),
	FIELD_OF(struct owner, user_id, u),
};

/* The next 100 owners of conversations to be indexed, after *last. */
static int owners(struct db *db, const struct owner *last, struct arena *a,
		  struct owner **v, size_t *n, struct err *e)
{
	return db_list(db, STMT_CHATS_OWNERS,
		       DB_ARGS(DB_S(last->tenant_id), DB_S(last->tenant_id),
			       DB_U(&last->user_id)), a, owner_fields,
		       sizeof(**v), 0, v, n, e);
}

int chats_due(struct db *db, struct arena *a, struct err *e)
{
	struct owner first = { .tenant_id = STR("") }, *v;
	size_t n;

	return owners(db, &first, a, &v, &n, e) ? -1 : n > 0;
}

/* 50 of those that are due and were not changed since until_us. */
static int list_due(struct db *db, const struct owner *o, int64_t until_us,
		    struct arena *a, struct chats_due_row **v, size_t *n,
		    struct err *e)
{
	return db_list(db, STMT_CHATS_DUE,
		       DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id),
			       DB_I(until_us)), a, due_fields, sizeof(**v), 0,
		       v, n, e);
}

int chats_owner_due(struct db *db, const struct owner *o, struct arena *a,
		    struct err *e)
{
	struct chats_due_row *v;
	size_t n;

	return list_due(db, o, INT64_MAX, a, &v, &n, e) ? -1 : n > 0;
}

int chats_want_all(struct db *db, int64_t until_ms, struct err *e)
{
	struct owner last = { .tenant_id = STR("") }, *v;
	struct arena a = ARENA_INIT;
	size_t n = 1;
	int rc = 0;

	while (!rc && n && clock_mono_ms() < until_ms) {
		rc = owners(db, &last, &a, &v, &n, e);
		for (size_t i = 0; !rc && i < n; i++)
			rc = chats_want(db, &v[i], e);
		if (!rc && n)
			last = v[n - 1];
	}
	arena_release(&a);
	return rc ? -1 : !n;
}

/* -- indexing --------------------------------------------------------------- */

struct chats_round {
	const struct owner *o;
	struct chats_due_row *v;
	size_t n;
};

struct clearing {
	const struct owner *o;
	const struct uuid *id;
};

static int clear_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct clearing *c = ctx;

	if (search_drop(tx, &c->o->user_id, c->id, e) < 0)
		return -1;
	return db_exec(tx, STMT_CHATS_CLEAR,
		       DB_ARGS(DB_U(c->id), DB_S(c->o->tenant_id),
			       DB_U(&c->o->user_id)), NULL, e);
}

/* Removes conversations from the index that have more changes than new messages. */
static int clear(struct db *db, const struct chats_round *r, struct err *e)
{
	for (size_t i = 0; i < r->n; i++) {
		struct clearing c = { r->o, &r->v[i].id };

		if (r->v[i].indexed >= 0)
			continue;
		if (db_tx(db, clear_tx, &c, e))
			return -1;
		r->v[i].indexed = 0;
	}
	return 0;
}

/* Whether the message is the user's or an answer to the user. */
static bool is_dialogue(const struct message *m)
{
	return (m->role == ROLE_USER && m->kind == KIND_MESSAGE) ||
	       m->kind == KIND_ANSWER;
}

static void add_chunks(struct search_put *p, struct chunk *to,
		       const struct chunk *v, size_t n, int64_t seq)
{
	for (size_t i = 0; i < n; i++) {
		to[p->n] = v[i];
		/*
		 * The index does not know messages: of their chunks the page says which one
		 * it is.
		 */
		to[p->n++].page = (int)seq;
	}
}

/* Reads the next chunks of a conversation: whole messages, as many as fit in a batch. */
static int read_chunks(struct db *db, const struct owner *o, struct chats_due_row *d,
		       struct arena *a, struct search_put *p, size_t *bytes,
		       struct err *e)
{
	struct chunk *to = arena_zalloc(a, SEARCH_SLICE, sizeof(*to)), *v;
	struct message_page page;
	size_t i, n;

	*p = (struct search_put){ .id = d->id, .title = STR(""), .chunks = to };
	d->next = MAX(d->indexed, 1);
	if (!d->indexed && d->title.n)
		add_chunks(p, to, &(struct chunk){ .text = d->title }, 1, 0);
	if (message_list_dialogue(db, o, &d->id, OLDEST_FIRST, d->next - 1,
			      LIM_PAGE_MAX, a, &page, e))
		return -1;
	for (i = 0; i < page.n; i++) {
		const struct message *m = &page.items[i];
		struct err why = ERR_INIT;

		n = 0;
		*bytes += m->content.n;
		if (is_dialogue(m) && chunk_split(m->content, a, &v, &n, &why))
			n = 0;		/* too long to be indexed */
		n = MIN(n, (size_t)MESSAGE_CHUNKS);
		if (p->n + n > SEARCH_SLICE)
			break;
		add_chunks(p, to, v, n, m->seq);
		d->next = m->seq + 1;
	}
	d->complete = i == page.n && !page.more;
	return 0;
}

static int reach(struct db *db, const struct owner *o, const struct chats_due_row *d,
		 struct db_result *r, struct err *e)
{
	return db_exec(db, STMT_CHATS_REACHED,
		       DB_ARGS(DB_I(d->next), DB_U(&d->id), DB_S(o->tenant_id),
			       DB_U(&o->user_id), DB_I(d->indexed)), r, e);
}

/* search_how.ready: discards the chunks if the conversation changed since it was read. */
static int ready(struct db *tx, const struct search_put *doc, void *ctx,
		 struct err *e)
{
	const struct chats_round *r = ctx;
	struct db_result done = { 0 };

	if (db_exec(tx, STMT_SEARCH_AUDIENCE_PUT, DB_ARGS(DB_U(&r->o->user_id)),
		    NULL, e))
		return -1;
	for (size_t i = 0; i < r->n; i++)
		if (uuid_eq(&r->v[i].id, &doc->id) &&
		    reach(tx, r->o, &r->v[i], &done, e))
			return -1;
	return done.affected > 0;
}

/* Whether the conversation's chunks can be found now, or it had none. */
static bool went_in(const struct search_put *puts, size_t n, const struct uuid *id)
{
	for (size_t i = 0; i < n; i++)
		if (uuid_eq(&puts[i].id, id))
			return puts[i].found;
	return true;
}

static int index_round(struct db *db, struct chats_round *r, struct arena *a,
		       struct err *e)
{
	const struct search_how how = { .append = true, .ready = ready, .ctx = r };
	struct search_put *puts = arena_zalloc(a, r->n, sizeof(*puts));
	size_t n = 0, bytes = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct chats_due_row *d = &r->v[i];

		if (bytes > ROUND_BYTES) {	/* the others in the next round */
			r->n = i;
			break;
		}
		if (read_chunks(db, r->o, d, a, &puts[n], &bytes, e)) {
			if (e->code != ERR_NOT_FOUND)
				return -1;
			err_clear(e);		/* deleted meanwhile */
			d->complete = false;
			continue;
		}
		if (puts[n].n)
			n++;
		else if (!d->complete && reach(db, r->o, d, NULL, e))
			return -1;
	}
	if (search_write(db, &r->o->user_id, puts, n, &how, e)) {
		/*
		 * A full index is no reason to try again: its conversations are done
		 * without their new chunks.
		 */
		if (e->code != ERR_TOO_BIG)
			return -1;
		log_err("conversations that the index has no room for", e);
		err_clear(e);
		for (size_t i = 0; i < n; i++)
			puts[i].found = true;
	}
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].complete && went_in(puts, n, &r->v[i].id) &&
		    db_exec(db, STMT_CHATS_DONE,
			    DB_ARGS(DB_U(&r->v[i].id), DB_S(r->o->tenant_id),
				    DB_U(&r->o->user_id),
				    DB_I(r->v[i].version)), NULL, e))
			return -1;
	return 0;
}

int chats_index(struct db *db, const struct owner *o, int64_t until_ms,
		struct err *e)
{
	/*
	 * Later messages are left to the next run, which would otherwise interfere
	 * with each turn as it ends.
	 */
	int64_t now_us = clock_now_us();
	int rc = db_exec(db, STMT_CHATS_BASE_PUT,
			 DB_ARGS(DB_U(&o->user_id), DB_S(o->tenant_id)), NULL, e);
	while (!rc && clock_mono_ms() < until_ms) {
		const int64_t began_us = clock_mono_us();
		struct arena a = ARENA_INIT;
		struct chats_round r = { .o = o };

		rc = list_due(db, o, now_us, &a, &r.v, &r.n, e);
		if (!rc && !r.n)
			rc = 1;
		if (!rc)
			rc = clear(db, &r, e);
		if (!rc)
			rc = index_round(db, &r, &a, e);
		arena_release(&a);
		if (!rc)
			clock_give_way(began_us);
	}
	if (rc > 0)	/* removed documents leave rows */
		rc = search_tidy(db, &o->user_id, false, until_ms, e);
	return rc;
}

/* -- forgetting ------------------------------------------------------------- */

struct left {
	struct uuid base;
	struct str tenant_id;
};

static const struct db_field left_fields[] = {
	FIELD_OF(struct left, base, u),
	FIELD_OF(struct left, tenant_id, s),
};

struct forgetting {
	const struct left *from;
	const struct uuid *id;
};

static int forget_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct forgetting *f = ctx;
	/* The user's index has the user's id. */
	const struct owner by = { f->from->tenant_id, f->from->base };

	if (search_drop(tx, &f->from->base, f->id, e) < 0)
		return -1;
	return store_job_ask_for(tx, STR("search-tidy"), &by, &f->from->base, e);
}

int chats_forget(struct db *db, const struct uuid *conversation_id,
		 struct err *e)
{
	struct arena a = ARENA_INIT;
	struct left *v;
	size_t n;
	int rc = db_list(db, STMT_CHATS_LEFT, DB_ARGS(DB_U(conversation_id)), &a,
			 left_fields, sizeof(*v), 0, &v, &n, e);

	for (size_t i = 0; !rc && i < n; i++)
		rc = db_tx(db, forget_tx,
			   &(struct forgetting){ &v[i], conversation_id }, e);
	arena_release(&a);
	return rc;
}
