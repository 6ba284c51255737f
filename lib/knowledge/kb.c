/* SPDX-License-Identifier: MIT */
#include "knowledge/kb.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "domain/sharing.h"
#include "domain/stored_service.h"
#include "domain/target.h"
#include "search/embed.h"
#include "search/finding.h"
#include "store/job.h"
#include "store/list.h"
#include "store/stmt.h"

#include "base/banned.h"

enum { FILES_AT_ONCE = 4, LEFT_AT_ONCE = 1000 };

static const struct db_field document_fields[] = {
#define F(m, t, sql) FIELD_OF(struct kb_document, m, t)
	KB_DOCUMENT_FIELDS(F, COMMA)
#undef F
};

/* -- room ------------------------------------------------------------------------- */

struct kb_room {
	int64_t documents, bytes;	/* added; negative: removed */
	int64_t most_documents, most_mb;
};

struct kb_taken {
	int64_t documents, bytes;
};

static const struct db_field taken_fields[] = {
	{ .column = "documents", .type = 'i',
	  .offset = offsetof(struct kb_taken, documents) },
	{ .column = "document_bytes", .type = 'i',
	  .offset = offsetof(struct kb_taken, bytes) },
};

/*
 * Adds r to the totals of the base. A change that does not increase them is always
 * accepted. Inside a transaction that has locked the base. ERR_NOT_FOUND; ERR_CONFLICT
 * (documents) and ERR_TOO_BIG (bytes), public.
 */
static int kb_room_take(struct db *tx, const struct uuid *base,
			const struct kb_room *r, struct err *e)
{
	struct kb_taken t;
	int rc = db_get(tx, STMT_KB_TAKEN, DB_ARGS(DB_U(base)), NULL, taken_fields,
			&t, e);

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

/* -- jobs ------------------------------------------------------------------------- */

/*
 * Requests the job that indexes queued documents, for the person who asks. Inside or
 * outside a transaction.
 */
static int kb_ask_index(struct db *db, const struct owner *by, const struct uuid *base,
			struct err *e)
{
	return store_job_ask_for(db, STR("knowledge-index"), by, base, e);
}

int kb_ask_embed(struct db *db, const struct owner *by, const struct uuid *base,
		 struct err *e)
{
	return store_job_ask_for(db, STR("knowledge-embed"), by, base, e);
}

int kb_hide(struct db *tx, const struct owner *by, const struct uuid *base,
	    struct err *e)
{
	if (search_base_hide(tx, base, e))
		return -1;
	return store_job_ask_for(tx, STR("knowledge-purge"), by, base, e);
}

/* Who writes. */
static struct owner writer(const struct kb_at *at)
{
	return (struct owner){ at->tenant_id, at->user_id };
}

static int ask_tidy(struct db *tx, const struct kb_at *at, struct err *e)
{
	const struct owner by = writer(at);

	return store_job_ask_for(tx, STR("search-tidy"), &by, &at->base, e);
}

static int ask_index(struct db *db, const struct kb_at *at, struct err *e)
{
	const struct owner by = writer(at);

	return kb_ask_index(db, &by, &at->base, e);
}

/*
 * Increments the base's counter of changes to its shares, in the transaction that
 * creates or revokes a share. ERR_NOT_FOUND if there is no such base.
 */
static int kb_shared(struct db *tx, const struct owner *by, const struct uuid *base,
		     struct err *e)
{
	struct db_result r;

	if (db_exec(tx, STMT_KB_SHARED, DB_ARGS(DB_U(base), DB_S(by->tenant_id)),
		    &r, e))
		return -1;
	return r.affected ? 0 : err_set(e, ERR_NOT_FOUND, "no such knowledge base");
}

/* -- reading -------------------------------------------------------------------- */

/* The numbers of the caller's audiences: "0,3,7". */
static int audiences(struct db *db, const struct kb_at *at, struct arena *a,
		     struct str *out, struct err *e)
{
	const struct search_ask who = {
		.all = at->all, .groups = at->groups, .n_groups = at->n_groups,
	};

	*out = STR("");
	return at->all ? 0 : search_audiences(db, &at->base, &who, a, out, e);
}

int kb_get(struct db *db, const struct kb_at *at, const struct uuid *id,
	   struct arena *a, struct kb_document *out, struct err *e)
{
	struct str seen;
	int rc = audiences(db, at, a, &seen, e);

	if (!rc)
		rc = db_get(db, STMT_KB_DOCUMENT_GET,
			    DB_ARGS(DB_U(id), DB_S(at->tenant_id),
				    DB_U(&at->base), DB_I(at->all), DB_S(seen)),
			    a, document_fields, out, e);
	if (rc < 0)
		return -1;
	return rc ? 0 : err_set(e, ERR_NOT_FOUND, "no such document");
}

struct kb_whole {
	struct kb_document d;
	struct str text;
};

static const struct db_field whole_fields[] = {
#define F(m, t, sql) FIELD_OF(struct kb_whole, d.m, t)
	KB_DOCUMENT_FIELDS(F, COMMA),
#undef F
	{ .column = "text", .type = 's', .offset = offsetof(struct kb_whole, text) },
};

int kb_read(struct db *db, const struct kb_at *at, const struct uuid *id,
	    struct arena *a, struct kb_document *out, struct str *text,
	    struct err *e)
{
	struct kb_whole w;
	struct str seen;
	int rc = audiences(db, at, a, &seen, e);

	if (!rc)
		rc = db_get(db, STMT_KB_TEXT_READ,
			    DB_ARGS(DB_U(id), DB_S(at->tenant_id),
				    DB_U(&at->base), DB_I(at->all), DB_S(seen)),
			    a, whole_fields, &w, e);
	if (rc < 0)
		return -1;
	if (!rc)
		return err_set(e, ERR_NOT_FOUND, "no such document");
	*out = w.d;
	*text = w.text;
	return 0;
}

int kb_list(struct db *db, const struct kb_at *at, int status,
	    const struct kb_document *after, size_t size, struct arena *a,
	    struct kb_document **out, size_t *n, bool *more, struct err *e)
{
	static const struct uuid none;
	int64_t from_us = after ? after->created_us : INT64_MAX;
	struct str seen;

	if (audiences(db, at, a, &seen, e) ||
	    db_list(db, STMT_KB_DOCUMENT_LIST,
		    DB_ARGS(DB_U(&at->base), DB_S(at->tenant_id), DB_I(from_us),
			    DB_I(from_us), DB_U(after ? &after->id : &none),
			    DB_I(status), DB_I(status), DB_I(at->all),
			    DB_S(seen), DB_I((int64_t)size + 1)),
		    a, document_fields, sizeof(**out), 0, out, n, e))
		return -1;
	*more = *n > size;
	*n = MIN(*n, size);
	return 0;
}

static int by_base(const void *a, const void *b)
{
	const struct kb_at *x = a, *y = b;

	return memcmp(x->base.b, y->base.b, sizeof(x->base.b));
}

static int by_id(const void *a, const void *b)
{
	const struct kb_document *x = a, *y = b;

	return memcmp(x->id.b, y->id.b, sizeof(x->id.b));
}

static bool is_for(const struct kb_at *at, const struct kb_document *d)
{
	return at->all || search_is_for(d->groups, at->groups, at->n_groups);
}

/* at is by base. */
static bool is_seen(const struct kb_at *at, size_t n, const struct kb_document *d)
{
	const struct kb_at key = { .base = d->base_id };
	const struct kb_at *its = bsearch(&key, at, n, sizeof(*at), by_base);

	return its && is_for(its, d);
}

struct kb_document *kb_among(struct kb_document *v, size_t n,
			     const struct uuid *id)
{
	const struct kb_document key = { .id = *id };

	return n ? bsearch(&key, v, n, sizeof(*v), by_id) : NULL;
}

int kb_of_ids(struct db *db, const struct kb_at *at, size_t n_at,
	      const struct uuid *ids, size_t n, struct arena *a,
	      struct kb_document **out, size_t *n_out, struct err *e)
{
	struct buf list = BUF_INIT(n * 40 + 16);
	struct jw w = jw_on(&list);
	struct kb_at *sorted;
	size_t all = 0;
	int rc;

	*n_out = 0;
	if (!n_at || !n)
		return 0;
	jw_arr(&w);
	for (size_t i = 0; i < n; i++)
		store_list_id(&w, &ids[i]);
	jw_end_arr(&w);
	rc = db_list(db, STMT_KB_DOCUMENT_OF_IDS,
		     DB_ARGS(DB_S(buf_str(&list)), DB_S(at->tenant_id)), a,
		     document_fields, sizeof(**out), 0, out, &all, e);
	buf_release(&list);
	if (rc)
		return -1;
	sorted = (struct kb_at *)(void *)arena_memdup(a, (const char *)at,
						      n_at * sizeof(*at));
	qsort(sorted, n_at, sizeof(*sorted), by_base);
	for (size_t i = 0; i < all; i++)
		if (is_seen(sorted, n_at, &(*out)[i]))
			(*out)[(*n_out)++] = (*out)[i];
	if (*n_out)
		qsort(*out, *n_out, sizeof(**out), by_id);
	return 0;
}

struct passages_read {
	const struct kb_at *at;
	struct search_pick *pick;
	const struct kb_document **out;
	struct arena *a;
};

static int note_passage(void *ctx, const struct db_val *row, struct err *e)
{
	enum { FIRST = 7 };	/* the document's first column */
	struct passages_read *k = ctx;
	const size_t i = (size_t)row[0].i - 1;
	struct kb_document *d = arena_new(k->a, struct kb_document);

	(void)e;
	db_map(document_fields, ARRAY_LEN(document_fields), row + FIRST, d);
	if (!is_for(&k->at[i], d))
		return 0;
	finding_found(k->pick[i].found, row);
	k->out[i] = d;
	return 0;
}

int kb_passages(struct db *db, const struct kb_at *at, struct search_pick *pick,
		size_t n, struct arena *a, const struct kb_document **out,
		struct err *e)
{
	struct passages_read k = { .at = at, .pick = pick, .out = out, .a = a };

	for (size_t i = 0; i < n; i++)
		out[i] = NULL;
	if (!n)
		return 0;
	return db_each(db, STMT_KB_PASSAGE_FIND,
		       DB_ARGS(DB_S(finding_picks(pick, n, a)),
			       DB_S(at->tenant_id)), a, note_passage, &k, e)
		? -1 : arena_check(a, e);
}

static int note_count(void *ctx, const struct db_val *row, struct err *e)
{
	int64_t *counts = ctx;

	(void)e;
	if (row[0].i >= KB_QUEUED && row[0].i <= KB_FAILED)
		counts[row[0].i] = row[1].i;
	return 0;
}

static int note_chunks(void *ctx, const struct db_val *row, struct err *e)
{
	(void)e;
	*(int64_t *)ctx += row[2].i;
	return 0;
}

int kb_progress(struct db *db, const struct uuid *base, int64_t counts[3],
		int64_t *chunks, struct err *e)
{
	struct arena a = ARENA_INIT;
	int rc;

	memset(counts, 0, 3 * sizeof(*counts));
	rc = db_each(db, STMT_KB_DOCUMENT_COUNTS, DB_ARGS(DB_U(base)), &a,
		     note_count, counts, e);
	*chunks = 0;
	if (!rc)
		rc = db_each(db, STMT_SEARCH_AUDIENCES, DB_ARGS(DB_U(base)), &a,
			     note_chunks, chunks, e);
	arena_release(&a);
	return rc;
}

/* -- writing ----------------------------------------------------------------------- */

struct kb_writing {
	const struct kb_at *at;
	const struct kb_document *request;	/* the request, for each try */
	struct kb_document *d;
	struct str text;
	struct arena *a;
	bool is_new;
};

/* The existing document with d's external_id. Returns 1, 0 or -1. */
static int find_old(struct db *tx, const struct kb_writing *k,
		    struct kb_document *old, struct err *e)
{
	int rc = 0;

	if (k->d->external_id.p)
		rc = db_get(tx, STMT_KB_DOCUMENT_OF_NAME,
			    DB_ARGS(DB_U(&k->at->base), DB_S(k->d->external_id)),
			    k->a, document_fields, old, e);
	return rc;
}

/* Updates the quota: k's document replaces old (NULL: none). The base is locked. */
static int take_room(struct db *tx, const struct kb_writing *k,
		     const struct kb_document *old, struct err *e)
{
	return kb_room_take(tx, &k->at->base, &(struct kb_room){
		.documents = !old,
		.bytes = (int64_t)k->text.n - (old ? old->bytes : 0),
		.most_documents = k->at->most_documents,
		.most_mb = k->at->most_mb,
	}, e);
}

static bool has_file(const struct kb_document *d)
{
	return !uuid_is_nil(&d->attachment_id);
}

static int ask_sweep(struct db *tx, struct err *e)
{
	return store_job_ask(tx, &(struct job){
		.kind = STR("attachment-sweep"), .subject = STR("all"),
		.tenant_id = STR(""), .due_us = clock_now_us(),
	}, e);
}

/* Marks the document's file, if any, for deletion by the sweep. */
static int leave_file(struct db *tx, struct str tenant_id,
		      const struct uuid *base, const struct uuid *id,
		      struct err *e)
{
	if (uuid_is_nil(id))
		return 0;
	return db_exec(tx, STMT_KB_FILE_LEFT,
		       DB_ARGS(DB_S(tenant_id), DB_U(base), DB_U(id)), NULL, e) ||
		ask_sweep(tx, e) ? -1 : 0;
}

static int replace(struct db *tx, struct kb_writing *k,
		   const struct kb_document *old, struct err *e)
{
	const struct kb_document *d = k->d;

	/* Those who may no longer see it must not find its passages until the job has run. */
	if (old->audience != d->audience &&
	    search_drop(tx, &k->at->base, &old->id, e) < 0)
		return -1;
	if (old->audience != d->audience &&
	    ask_tidy(tx, k->at, e))
		return -1;
	if (leave_file(tx, k->at->tenant_id, &k->at->base, &old->attachment_id, e))
		return -1;
	return db_exec(tx, STMT_KB_DOCUMENT_UPDATE,
		       DB_ARGS(DB_U(&k->at->user_id), DB_I(clock_now_us()),
			       DB_S(d->title), DB_S_IF(d->url), DB_S(d->groups),
			       DB_I(d->audience), DB_I((int64_t)k->text.n),
			       DB_U_IF(&d->attachment_id), DB_S_IF(d->file_name),
			       DB_I_IF(has_file(d), d->file_size),
			       DB_I(has_file(d)), DB_U(&old->id)), NULL, e);
}

static int insert(struct db *tx, struct kb_writing *k, struct err *e)
{
	const struct kb_document *d = k->d;
	int64_t now_us = clock_now_us();

	return db_exec(tx, STMT_KB_DOCUMENT_INSERT,
		       DB_ARGS(DB_U(&d->id), DB_S(k->at->tenant_id),
			       DB_U(&k->at->base), DB_U(&k->at->user_id),
			       DB_I(now_us), DB_I(now_us), DB_S_IF(d->external_id),
			       DB_S(d->title), DB_S_IF(d->url), DB_S(d->groups),
			       DB_I(d->audience), DB_I((int64_t)k->text.n),
			       DB_U_IF(&d->attachment_id), DB_S_IF(d->file_name),
			       DB_I_IF(has_file(d), d->file_size),
			       DB_I(has_file(d))), NULL, e);
}

/* Stores the text, or links the file that contains it. */
static int put_content(struct db *tx, const struct kb_writing *k,
		       const struct uuid *id, struct err *e)
{
	const struct owner files = kb_files(k->at->tenant_id, &k->at->base);

	if (!has_file(k->d))
		return db_exec(tx, STMT_KB_TEXT_PUT,
			       DB_ARGS(DB_U(id), DB_U(&k->at->base),
				       DB_S(k->text)), NULL, e);
	return db_exec(tx, STMT_KB_TEXT_DELETE, DB_ARGS(DB_U(id)), NULL, e) ||
		db_exec(tx, STMT_ATTACHMENT_KEEP,
			DB_ARGS(DB_U(&k->d->attachment_id),
				DB_S(files.tenant_id), DB_U(&files.user_id)),
			NULL, e) ? -1 : 0;
}

static int read_back(struct db *tx, const struct kb_writing *k,
		     const struct uuid *id, struct kb_document *out,
		     struct err *e)
{
	return db_get(tx, STMT_KB_DOCUMENT_GET,
		      DB_ARGS(DB_U(id), DB_S(k->at->tenant_id),
			      DB_U(&k->at->base), DB_I(1), DB_S(STR(""))), k->a,
		      document_fields, out, e);
}

static int write_tx(struct db *tx, void *ctx, struct err *e)
{
	struct kb_writing *k = ctx;
	struct kb_document old;
	struct uuid id = k->request->id;
	int found;

	*k->d = *k->request;
	/* This locks the base, so that nobody else writes the same external_id. */
	if (search_audience(tx, &k->at->base, k->d->groups, &k->d->audience, e))
		return -1;
	found = read_back(tx, k, &id, &old, e);
	if (found > 0) {	/* a repeated request */
		*k->d = old;
		k->is_new = true;
		return 0;
	}
	if (found == 0)
		found = find_old(tx, k, &old, e);
	if (found < 0)
		return -1;
	k->is_new = !found;
	if (found)
		id = old.id;
	if (take_room(tx, k, found ? &old : NULL, e))
		return -1;
	if (found ? replace(tx, k, &old, e) : insert(tx, k, e))
		return -1;
	if (put_content(tx, k, &id, e) ||
	    ask_index(tx, k->at, e))
		return -1;
	return read_back(tx, k, &id, k->d, e) > 0 ? 0
		: err_set(e, ERR_INTERNAL, "a document that was just written");
}

int kb_write(struct db *db, const struct kb_at *at, struct kb_document *d,
	     struct str text, struct arena *a, bool *is_new, struct err *e)
{
	struct kb_document wanted = *d;
	struct kb_writing k = {
		.at = at, .request = d, .d = &wanted, .text = text, .a = a,
	};

	if (db_tx(db, write_tx, &k, e))
		return -1;
	*d = wanted;
	*is_new = k.is_new;
	return 0;
}

/* -- deleting ----------------------------------------------------------------------- */

struct kb_deleting {
	const struct kb_at *at;
	const struct uuid *id;
	bool found;
};

/* The size of the document that k deletes. */
struct kb_size {
	int64_t bytes;
	struct uuid attachment_id;	/* nil: none */
};

/* Returns 1, 0 if there is no such document, or -1. */
static int size_of(struct db *tx, const struct kb_deleting *k,
		   struct kb_size *size, struct err *e)
{
	static const struct db_field fields[] = {
		{ .column = "bytes", .type = 'i',
		  .offset = offsetof(struct kb_size, bytes) },
		{ .column = "attachment_id", .type = 'u',
		  .offset = offsetof(struct kb_size, attachment_id) },
	};

	return db_get(tx, STMT_KB_DOCUMENT_SIZE,
		      DB_ARGS(DB_U(k->id), DB_S(k->at->tenant_id),
			      DB_U(&k->at->base)), NULL, fields, size, e);
}

static int delete_tx(struct db *tx, void *ctx, struct err *e)
{
	struct kb_deleting *k = ctx;
	struct kb_size size;
	int rc;

	/*
	 * Before its size is read: this locks the base, whose totals are those of its
	 * documents.
	 */
	if (search_drop(tx, &k->at->base, k->id, e) < 0)
		return -1;
	rc = size_of(tx, k, &size, e);
	if (rc <= 0)
		return rc;
	k->found = true;
	/* In the same transaction, so that no reference to a missing document remains. */
	if (store_source_forget(tx, &k->at->base, k->id, e) ||
	    db_exec(tx, STMT_KB_DOCUMENT_DELETE, DB_ARGS(DB_U(k->id)), NULL, e) ||
	    db_exec(tx, STMT_KB_TEXT_DELETE, DB_ARGS(DB_U(k->id)), NULL, e) ||
	    leave_file(tx, k->at->tenant_id, &k->at->base, &size.attachment_id,
		       e) ||
	    kb_room_take(tx, &k->at->base, &(struct kb_room){
		.documents = -1, .bytes = -size.bytes }, e))
		return -1;
	return ask_tidy(tx, k->at, e);
}

int kb_delete(struct db *db, const struct kb_at *at, const struct uuid *id,
	      struct err *e)
{
	struct kb_deleting k = { at, id, false };

	if (db_tx(db, delete_tx, &k, e))
		return -1;
	return k.found ? 0 : err_set(e, ERR_NOT_FOUND, "no such document");
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
	/* There is no room for its text: it fails, which takes none, and says why. */
	if (why.code != ERR_TOO_BIG) {
		*e = why;
		return -1;
	}
	snprintf(problem, sizeof(problem), "%s", err_message(&why));
	k.problem = str_of(problem);
	return db_tx(db, read_tx, &k, e);
}

/* The single number that a statement about the base returns. */
static int get_flag(struct db *db, enum stmt stmt, const struct uuid *base,
		    int64_t dflt, bool *out, struct err *e)
{
	int64_t found = dflt;
	int rc = db_int(db, stmt, DB_ARGS(DB_U(base)), &found, e);

	*out = found != 0;
	return rc < 0 ? -1 : 0;
}

int kb_kind(struct db *db, const struct uuid *base, bool *is_private,
	    bool *paused, struct err *e)
{
	/* One that is gone is as if paused, so that no job works on it. */
	return get_flag(db, STMT_KB_PRIVATE, base, 0, is_private, e) ||
		get_flag(db, STMT_KB_PAUSED, base, 1, paused, e) ? -1 : 0;
}

int kb_owner(struct db *db, const struct uuid *base, struct uuid *user_id,
	     struct err *e)
{
	*user_id = (struct uuid){ .b = { 0 } };
	return db_id(db, STMT_KB_OWNER, DB_ARGS(DB_U(base)), user_id, e) < 0 ? -1 : 0;
}

/* -- retrying ---------------------------------------------------------------- */

/* Returns 1, 0 if the service has not refused it, or -1. */
static int retry_vectors(struct db *db, const struct kb_at *at,
			 const struct uuid *id, struct err *e)
{
	const struct owner by = writer(at);
	struct db_result r;

	if (db_exec(db, STMT_KB_EMBED_RETRY,
		    DB_ARGS(DB_U(id), DB_U(&at->base)), &r, e))
		return -1;
	if (!r.affected)
		return 0;
	return search_embed_retry(db, &at->base, id, e) ||
		kb_ask_embed(db, &by, &at->base, e) ? -1 : 1;
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
	return ask_index(db, at, e);
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

/* -- bases as a resource --------------------------------------------------- */

/*
 * Knowledge bases as a resource, with the same access rules as prompts (sharing.h);
 * each has an index (lib/search), which is created and deleted with it.
 */

/* Its workspace; NULL: none, or none that the caller sees. */
static int find_workspace(const struct caller *by, struct str id,
			  const struct workspace **w, struct err *e)
{
	const struct agent *a;

	*w = NULL;
	if (!id.p || target_scope(by, id, (struct str){ NULL, 0 }, w, &a, e) == 0)
		return 0;
	*w = NULL;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}

static int prepare_base(const struct caller *by, const struct resource *r,
			struct resource_change *k, struct err *e)
{
	struct db_val *language = &k->row.v[COLUMN(KNOWLEDGE_BASE, language)];
	struct str id = resource_text(&k->row, COLUMN(KNOWLEDGE_BASE, workspace_id));
	const struct workspace *w;

	if (language->null)
		*language = DB_S(STR("none"));
	if (find_workspace(by, id, &w, e) < 0)
		return -1;
	if (id.p && !w)
		return err_field(e, ERR_INVALID_FIELD, "workspaceId",
				 "workspaceId must be one of your workspaces.");
	return sharing_prepare(by, r, k, (struct sharing_columns){
		COLUMN(KNOWLEDGE_BASE, tier), COLUMN(KNOWLEDGE_BASE, team),
	}, e);
}

static int check_base(const struct caller *by, const struct resource *r,
		      struct resource_change *k, struct err *e)
{
	const struct workspace *w = NULL;

	if (k->row.given[COLUMN(KNOWLEDGE_BASE, embedding_service_id)] &&
	    find_workspace(by, resource_text(&k->row, COLUMN(KNOWLEDGE_BASE, workspace_id)),
			   &w, e) < 0)
		return -1;
	return stored_bindings_check(by, w, r, &k->row, e);
}

static int store_base(const struct caller *by, const struct resource *r,
		      struct resource_change *k, struct err *e)
{
	const struct resource_row *row = &k->row;

	if (stored_bindings_keep(by, by->db, r, row, e) < 0)
		return -1;
	if (!row->version)
		return search_base_make(by->db, &row->id, by->owner.tenant_id,
					resource_text(row, COLUMN(KNOWLEDGE_BASE, language)), e);
	/* It may have been paused, or may have another service now. */
	k->job_due = true;
	if (search_embed_retry(by->db, &row->id, NULL, e) ||
	    kb_ask_index(by->db, &by->owner, &row->id, e))
		return -1;
	return kb_ask_embed(by->db, &by->owner, &row->id, e);
}

static int delete_base(const struct caller *by, const struct resource *r,
		       struct resource_change *k, struct err *e)
{
	(void)r;
	k->job_due = true;
	return kb_hide(by->db, &by->owner, &k->row.id, e);
}

static int most(const struct resource_row *row)
{
	return str_is(resource_text(row, COLUMN(KNOWLEDGE_BASE, tier)), "private")
		? LIM_PRIVATE_BASES : LIM_KNOWLEDGE_BASES;
}

const struct resource_hooks knowledge_base_hooks = {
	.most = most, .of_own = PERM_KNOWLEDGE_WRITE,
	.of_group = PERM_KNOWLEDGE_SHARE, .of_tenant = PERM_KNOWLEDGE_MANAGE,
	.prepare = prepare_base, .check = check_base, .store = store_base, .gone = delete_base,
};

static int add_share(const struct caller *by, const struct resource *r,
		     struct resource_change *k, struct err *e)
{
	return sharing_store(by, r, k, kb_shared, e);
}

static int end_share(const struct caller *by, const struct resource *r,
		     struct resource_change *k, struct err *e)
{
	return sharing_gone(by, r, k, kb_shared, e);
}

const struct resource_hooks knowledge_base_share_hooks = {
	.check = sharing_check, .store = add_share, .gone = end_share,
};
