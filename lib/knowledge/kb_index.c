/* SPDX-License-Identifier: MIT */
/* Queued documents of knowledge bases become passages of the index. */
#include "knowledge/kb_index.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "knowledge/kb.h"
#include "store/list.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	ERROR_CHARS = 300,
	TRIES = 3,		/* runs that did not come to an end */
};

struct kb_queued {
	struct uuid id;
	int64_t version, audience, tries;
	struct str title, text;
};

static const struct db_field queued_fields[] = {
	{ .column = "id", .type = 'u', .offset = offsetof(struct kb_queued, id) },
	{ .column = "version", .type = 'i',
	  .offset = offsetof(struct kb_queued, version) },
	{ .column = "audience", .type = 'i',
	  .offset = offsetof(struct kb_queued, audience) },
	{ .column = "tries", .type = 'i', .offset = offsetof(struct kb_queued, tries) },
	{ .column = "title", .type = 's', .offset = offsetof(struct kb_queued, title) },
	{ .column = "text", .type = 's', .offset = offsetof(struct kb_queued, text) },
};

struct kb_round {
	const struct uuid *base;
	const struct kb_queued *v;
	size_t n;
};

/* search_how.ready: discards the chunks if the document changed since it was read. */
static int ready(struct db *tx, const struct search_put *doc, void *ctx,
		 struct err *e)
{
	const struct kb_round *k = ctx;
	struct db_result r = { 0 };

	for (size_t i = 0; i < k->n; i++)
		if (uuid_eq(&k->v[i].id, &doc->id) &&
		    db_exec(tx, STMT_KB_DOCUMENT_READY,
			    DB_ARGS(DB_I((int64_t)doc->n), DB_I(doc->bytes), DB_U(&doc->id),
				    DB_I(k->v[i].version)), &r, e))
			return -1;
	return r.affected > 0;
}

struct kb_failing {
	const struct uuid *base;
	const struct kb_queued *d;
	struct str why;
};

static int fail_tx(struct db *tx, void *ctx, struct err *e)
{
	struct kb_failing *k = ctx;
	struct db_result r;

	if (search_base_hold(tx, k->base, e) ||
	    db_exec(tx, STMT_KB_DOCUMENT_FAILED,
		    DB_ARGS(DB_S(utf8_head(k->why, ERROR_CHARS)),
			    DB_U(&k->d->id), DB_I(k->d->version)), &r, e))
		return -1;
	return !r.affected ? 0 : search_drop(tx, k->base, &k->d->id, e) < 0 ? -1 : 0;
}

/* Records why the document cannot be indexed and removes its last version. */
static int give_up(struct db *db, const struct uuid *base,
		   const struct kb_queued *d, const char *why, struct err *e)
{
	struct kb_failing k = { base, d, str_of(why) };

	return db_tx(db, fail_tx, &k, e);
}

/* Whether the document causes the error. */
static bool is_its_own(const struct err *e)
{
	return e->code == ERR_TOO_BIG || e->code == ERR_INVALID_FIELD;
}

static int index_one(struct db *db, const struct kb_round *k, size_t i,
		     struct search_put *put, const struct search_how *how,
		     struct err *e)
{
	struct err why = ERR_INIT;

	if (search_write(db, k->base, put, 1, how, &why) == 0)
		return 0;
	if (is_its_own(&why))
		return give_up(db, k->base, &k->v[i], err_message(&why), e);
	*e = why;
	return -1;
}

/* Indexes a round of documents. */
static int index_round(struct db *db, struct kb_round *k, struct arena *a,
		       struct err *e)
{
	struct search_put *puts = arena_zalloc(a, k->n, sizeof(*puts));
	const struct search_how how = { .ready = ready, .ctx = k };
	size_t *of = arena_zalloc(a, k->n, sizeof(*of)), n = 0;
	struct err why = ERR_INIT;

	for (size_t i = 0; i < k->n; i++) {
		struct search_put *p = &puts[n];
		struct chunk *chunks;

		*p = (struct search_put){
			.id = k->v[i].id, .audience = k->v[i].audience,
			.title = k->v[i].title,
		};
		if (chunk_split(k->v[i].text, a, &chunks, &p->n, &why) < 0 ||
		    !p->n) {
			if (give_up(db, k->base, &k->v[i], why.code
				    ? err_message(&why)
				    : "It contains no text.", e))
				return -1;
			err_clear(&why);
			continue;
		}
		p->chunks = chunks;
		of[n++] = i;
	}
	if (search_write(db, k->base, puts, n, &how, &why) == 0)
		return 0;
	/* One document can make the whole write fail: then each is written alone, to find it. */
	if (!is_its_own(&why)) {
		*e = why;
		return -1;
	}
	for (size_t i = 0; i < n; i++)
		if (index_one(db, k, of[i], &puts[i], &how, e))
			return -1;
	return 0;
}

/* -- documents that end the process ------------------------------------------------- */

/*
 * Takes the documents of the round that no run failed to index before, or else one of the
 * others alone, so that it does not take others with it.
 */
static void take_round(struct kb_round *k, struct kb_queued *v, size_t n)
{
	size_t kept = 0;

	k->v = v;
	k->n = n && v[0].tries ? 1 : n;
	for (size_t i = 0; i < n; i++)
		if (!v[i].tries)
			v[kept++] = v[i];
	if (kept)
		k->n = kept;
}

/* Notes that a run begins with these documents, or ends without a result for them. */
static int note_try(struct db *db, const struct kb_round *k, bool begins, struct err *e)
{
	struct buf b = BUF_INIT(k->n * 40 + 16);
	struct jw w = jw_on(&b);
	int rc;

	jw_arr(&w);
	for (size_t i = 0; i < k->n; i++)
		store_list_id(&w, &k->v[i].id);
	jw_end_arr(&w);
	rc = db_exec(db, STMT_KB_TRIED, DB_ARGS(DB_S(buf_str(&b)), DB_I(begins)), NULL, e);
	buf_release(&b);
	return rc;
}

/* Indexes the round; its documents fail if no run that began with them came to an end. */
static int try_round(struct db *db, struct kb_round *k, struct arena *a, struct err *e)
{
	struct err ignored = ERR_INIT;

	if (k->v[0].tries >= TRIES)
		return give_up(db, k->base, &k->v[0], "The server could not index it: each "
			       "attempt ended before its time.", e);
	if (note_try(db, k, true, e))
		return -1;
	if (index_round(db, k, a, e) == 0)
		return 0;
	/* Not their fault; if this fails, too, the attempt counts. */
	(void)!note_try(db, k, false, &ignored);
	return -1;
}

static int take_tenant(void *ctx, const struct db_val *row, struct err *e)
{
	(void)e;
	*(struct str *)ctx = row[1].s;
	return 0;
}

static int ask_vectors(struct db *db, const struct uuid *by,
		       const struct uuid *base, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct str tenant = { NULL, 0 };
	int rc = db_each(db, STMT_KB_EMBED_ASKED, DB_ARGS(DB_U(base)), &a,
			 take_tenant, &tenant, e);

	if (!rc && tenant.p)
		rc = kb_ask_embed(db, &(struct owner){ tenant, *by }, base, e);
	arena_release(&a);
	return rc;
}

int kb_index(struct db *db, const struct uuid *by, const struct uuid *base,
	     int64_t until_ms, struct err *e)
{
	struct kb_queued *v;
	bool is_private, paused, some = false;
	int rc = 0;

	do {
		struct arena a = ARENA_INIT;
		struct kb_round k = { .base = base };
		bool cut;

		rc = kb_kind(db, base, &is_private, &paused, e);
		if (!rc && !paused)
			rc = db_list_within(db, STMT_KB_QUEUED,
					    DB_ARGS(DB_U(base),
						    DB_I(LIM_INDEXED_AT_ONCE)),
					    LIM_INDEXED_BYTES, &a, queued_fields,
					    sizeof(*v), &v, &k.n, &cut, e);
		if (!rc && !paused)
			take_round(&k, v, k.n);
		if (!rc && (paused || !k.n))
			rc = 1;
		if (!rc)
			rc = try_round(db, &k, &a, e);
		some |= !rc;
		arena_release(&a);
	} while (!rc && clock_mono_ms() < until_ms);
	/* Words can be found now; the vectors are added later. */
	if (rc >= 0 && some && ask_vectors(db, by, base, e))
		return -1;
	if (rc < 0 && e->code == ERR_NOT_FOUND) {	/* the base was deleted */
		err_clear(e);
		return 1;
	}
	if (rc > 0)	/* replaced documents leave rows */
		rc = search_tidy(db, base, true, until_ms, e);
	return rc;
}
