/* Documents that are files, and the quota of documents. See kb.h. */
#include "search/kb.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "search/embed.h"
#include "search/kb_room.h"
#include "store/job.h"
#include "store/stmt.h"

#include "base/banned.h"

enum { FILES_AT_ONCE = 4, LEFT_AT_ONCE = 1000 };

static const struct db_field document_fields[] = {
#define F(m, t, sql) FIELD_OF(struct kb_document, m, t)
	KB_DOCUMENT_FIELDS(F, COMMA)
#undef F
};

/* -- room ------------------------------------------------------------------------- */

struct kb_taken {
	int64_t documents, bytes;
};

static const struct db_field taken_fields[] = {
	{ .column = "documents", .type = 'i',
	  .offset = offsetof(struct kb_taken, documents) },
	{ .column = "document_bytes", .type = 'i',
	  .offset = offsetof(struct kb_taken, bytes) },
};

int kb_room_take(struct db *tx, const struct uuid *base, const struct kb_room *r,
		 struct err *e)
{
	struct arena a = ARENA_INIT;
	struct kb_taken t;
	int rc = db_get(tx, STMT_KB_TAKEN, DB_ARGS(DB_U(base)), &a, taken_fields,
			&t, e);

	arena_release(&a);
	if (rc <= 0)
		return rc < 0 ? -1 : err_set(e, ERR_NOT_FOUND,
					     "no such knowledge base");
	if (r->documents > 0 && t.documents >= r->most_documents)
		return err_public(e, ERR_CONFLICT, "This knowledge base has %lld "
				  "documents already. Delete some of them first.",
				  (long long)r->most_documents);
	if (r->bytes > 0 && t.bytes + r->bytes > r->most_mb * INT64_C(1048576))
		return err_public(e, ERR_TOO_BIG, "The documents of this knowledge "
				  "base would have more than %lld MiB. Delete some "
				  "of them first.", (long long)r->most_mb);
	return db_exec(tx, STMT_KB_TAKE,
		       DB_ARGS(DB_I(r->documents), DB_I(r->bytes), DB_U(base)),
		       NULL, e);
}

/* -- reading files ------------------------------------------------------------------ */

struct owner kb_files(struct str tenant_id, const struct uuid *base)
{
	return (struct owner){ .tenant_id = tenant_id, .user_id = *base };
}

int kb_unread(struct db *db, const struct uuid *base, const struct uuid *after,
	      struct arena *a, struct kb_document **out, size_t *n, struct err *e)
{
	return db_list(db, STMT_KB_UNREAD,
		       DB_ARGS(DB_U(base), DB_U(after), DB_I(FILES_AT_ONCE)), a,
		       document_fields, sizeof(**out), 0, out, n, e);
}

struct kb_reading {
	const struct uuid *base;
	const struct kb_document *d;
	const struct kb_file_facts *r;
	struct str problem;
	int64_t most_mb;
};

static int put_read(struct db *tx, const struct kb_reading *k, bool *changed,
		    struct err *e)
{
	struct str text = k->problem.p ? STR("") : k->r->text;
	struct db_result r;

	if (db_exec(tx, STMT_KB_DOCUMENT_KNOWN,
		    DB_ARGS(DB_S_IF(k->r->media_type),
			    DB_I_IF(k->r->pages, k->r->pages),
			    DB_S_IF(k->problem), DB_I((int64_t)text.n),
			    DB_U(&k->d->id), DB_I(k->d->version)), &r, e))
		return -1;
	*changed = r.affected > 0;
	if (!*changed)
		return 0;
	if (k->problem.p)	/* the last version must not be found */
		return search_drop(tx, k->base, &k->d->id, e) < 0 ? -1 : 0;
	return db_exec(tx, STMT_KB_TEXT_PUT,
		       DB_ARGS(DB_U(&k->d->id), DB_U(k->base), DB_S(text)), NULL,
		       e);
}

static int read_tx(struct db *tx, void *ctx, struct err *e)
{
	struct kb_reading *k = ctx;
	bool changed;

	if (search_base_hold(tx, k->base, e) || put_read(tx, k, &changed, e))
		return -1;
	if (!changed)
		return 0;
	return kb_room_take(tx, k->base, &(struct kb_room){
		.bytes = (k->problem.p ? 0 : (int64_t)k->r->text.n) - k->d->bytes,
		.most_mb = k->most_mb,
	}, e);
}

int kb_file_read(struct db *db, const struct uuid *base, const struct kb_document *d,
	    const struct kb_file_facts *r, int64_t most_mb, struct err *e)
{
	struct kb_reading k = {
		.base = base, .d = d, .r = r, .most_mb = most_mb,
		.problem = r->text.p ? (struct str){ NULL, 0 } : r->problem.p
			? r->problem : STR("It contains no text."),
	};
	struct err why = ERR_INIT;
	char problem[sizeof(why.public)];

	if (db_tx(db, read_tx, &k, &why) == 0)
		return 0;
	if (why.code != ERR_TOO_BIG) {
		*e = why;
		return -1;
	}
	snprintf(problem, sizeof(problem), "%s", err_message(&why));
	k.problem = str_of(problem);
	return db_tx(db, read_tx, &k, e);
}

struct kb_look {
	int64_t yes;
};

/* The single number that a statement about the base returns. */
static int look(struct db *db, enum stmt stmt, const struct uuid *base,
		int64_t dflt, bool *out, struct err *e)
{
	static const struct db_field fields[] = {
		{ .column = "yes", .type = 'i',
		  .offset = offsetof(struct kb_look, yes) },
	};
	struct kb_look found = { dflt };
	struct arena a = ARENA_INIT;
	int rc = db_get(db, stmt, DB_ARGS(DB_U(base)), &a, fields, &found, e);

	arena_release(&a);
	*out = rc > 0 ? found.yes != 0 : dflt != 0;
	return rc < 0 ? -1 : 0;
}

int kb_kind(struct db *db, const struct uuid *base, bool *is_private,
	    bool *paused, struct err *e)
{
	return look(db, STMT_KB_PRIVATE, base, 0, is_private, e) ||
		look(db, STMT_KB_PAUSED, base, 1, paused, e) ? -1 : 0;
}

static int take_user(void *ctx, const struct db_val *row, struct err *e)
{
	(void)e;
	memcpy(((struct uuid *)ctx)->b, row[0].s.p, sizeof(struct uuid));
	return 0;
}

int kb_owner(struct db *db, const struct uuid *base, struct uuid *user_id,
	     struct err *e)
{
	struct arena a = ARENA_INIT;
	int rc;

	*user_id = (struct uuid){ .b = { 0 } };
	rc = db_each(db, STMT_KB_EMBED_ASKED, DB_ARGS(DB_U(base)), &a, take_user,
		     user_id, e);
	arena_release(&a);
	return rc;
}

/*
 * -- retrying
 * -------------------------------------------------------------------------
 */

/* Returns 1, 0 if the service has not refused it, or -1. */
static int retry_vectors(struct db *db, const struct kb_at *at,
			 const struct uuid *id, struct err *e)
{
	struct db_result r;

	if (db_exec(db, STMT_KB_EMBED_RETRY,
		    DB_ARGS(DB_U(id), DB_U(&at->base)), &r, e))
		return -1;
	if (!r.affected)
		return 0;
	return search_embed_retry(db, &at->base, id, e) ||
		kb_ask_embed(db, at->tenant_id, &at->base, e) ? -1 : 1;
}

int kb_retry(struct db *db, const struct kb_at *at, const struct uuid *id,
	     struct err *e)
{
	struct arena a = ARENA_INIT;
	struct kb_document d;
	struct db_result r;
	int rc = kb_get(db, at, id, &a, &d, e);

	arena_release(&a);
	if (rc || db_exec(db, STMT_KB_DOCUMENT_RETRY,
			  DB_ARGS(DB_I(clock_now_us()), DB_U(id),
				  DB_U(&at->base)), &r, e))
		return -1;
	if (!r.affected) {
		rc = retry_vectors(db, at, id, e);
		return rc < 0 ? -1 : rc ? 0
			: err_public(e, ERR_CONFLICT, "Only a document that has "
				     "failed, or whose text the embedding service "
				     "refused, can be tried again.");
	}
	return kb_ask_index(db, at->tenant_id, &at->base, e);
}

int kb_leave_files(struct db *db, struct str tenant_id, const struct uuid *base,
		   int64_t until_ms, struct err *e)
{
	const struct owner files = kb_files(tenant_id, base);
	struct db_result r;

	do {
		if (db_exec(db, STMT_KB_FILES_LEFT,
			    DB_ARGS(DB_S(files.tenant_id), DB_U(&files.user_id),
				    DB_I(LEFT_AT_ONCE)), &r, e))
			return -1;
	} while (r.affected && clock_mono_ms() < until_ms);
	return !r.affected;
}
