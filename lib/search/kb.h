/*
 * Documents of knowledge bases: what they say and who sees them, as rows, and how
 * they come into the index. Writing one only queues it; the job knowledge-index
 * cuts and indexes it, in place of what it said before, which is found until then.
 */
#ifndef SEARCH_KB_H
#define SEARCH_KB_H

#include "resource/owner.h"
#include "search/find.h"

enum kb_status { KB_QUEUED, KB_READY, KB_FAILED };

struct kb_document {
	struct uuid id, base_id;
	struct str external_id;	/* none: p == NULL */
	struct str title, url;	/* url: none: p == NULL */
	struct str groups;	/* JSON array, sorted; "[]": all who see the base */
	int64_t audience;	/* its number in the base */
	int64_t status;		/* enum kb_status */
	struct str error;	/* why it failed; none: p == NULL */
	struct str embed_error;	/* why it has no vectors; none: p == NULL */
	int64_t bytes, chunks, version;
	int64_t created_us, updated_us;
	/* its file; nil, p == NULL and 0: it was written as text */
	struct uuid attachment_id;
	struct str file_name;
	struct str media_type;	/* p == NULL: not read yet */
	int64_t file_size, pages;
};

/* Whose documents of a base a call is about. Borrowed. */
struct kb_at {
	struct str tenant_id;
	struct uuid user_id;	/* who writes */
	struct uuid base;
	bool all;		/* they see all of them */
	const struct str *groups;
	size_t n_groups;
	/* kb_write: what all documents may have together */
	int64_t most_documents, most_mb;
};

/*
 * Stores d with its text, or with the file attachment_id (file_name, file_size), an
 * attachment of kb_files whose text the job takes, and asks for the job. A document of
 * d->external_id that there is gets the new title, url, groups and text, and keeps its
 * id; else d->id is the new one's, and if that is taken (the same request under the
 * same key) nothing changes. *d is the document as it is then; *made: it is new.
 * Groups that differ from those before take it out of the index until the job has run.
 * ERR_NOT_FOUND: there is no such base; ERR_TOO_BIG, public: too many sets of groups,
 * or more text than most_mb MiB; ERR_CONFLICT, public: most_documents are there. What
 * replaces a longer text is always let in. Text in a.
 */
int kb_write(struct db *db, const struct kb_at *at, struct kb_document *d,
	     struct str text, struct arena *a, bool *made,
	     struct err *e) MUST_CHECK;

/* ERR_NOT_FOUND, also when the caller may not see it. Text in a. */
int kb_get(struct db *db, const struct kb_at *at, const struct uuid *id,
	   struct arena *a, struct kb_document *out, struct err *e) MUST_CHECK;

/* The same with its text, as it was written last; it may be queued. */
int kb_read(struct db *db, const struct kb_at *at, const struct uuid *id,
	    struct arena *a, struct kb_document *out, struct str *text,
	    struct err *e) MUST_CHECK;

/*
 * Newest first, behind *after (id and created_us; NULL: from the first); at most
 * size of those that the caller sees. status: only these, or -1. *more: there are
 * others. Text in a.
 */
int kb_list(struct db *db, const struct kb_at *at, int status,
	    const struct kb_document *after, size_t size, struct arena *a,
	    struct kb_document **out, size_t *n, bool *more,
	    struct err *e) MUST_CHECK;

/*
 * Those of n ids that are in one of these bases and that the caller sees there,
 * ordered for kb_among: one statement. An id or a base may be named twice. All
 * bases are of one tenant. Text in a.
 */
int kb_of_ids(struct db *db, const struct kb_at *at, size_t n_at,
	      const struct uuid *ids, size_t n, struct arena *a,
	      struct kb_document **out, size_t *n_out, struct err *e) MUST_CHECK;

/* The document of that id among n that kb_of_ids gave; NULL: none. */
struct kb_document *kb_among(struct kb_document *v, size_t n,
			     const struct uuid *id);

/* With all that it has in the index; the rest of that goes with a job. */
int kb_delete(struct db *db, const struct kb_at *at, const struct uuid *id,
	      struct err *e) MUST_CHECK;

/* How many documents of the base are in each status, and their passages. */
int kb_progress(struct db *db, const struct uuid *base, int64_t counts[3],
		int64_t *chunks, struct err *e) MUST_CHECK;

/* Asks for the job that indexes what is queued. In a transaction or not. */
int kb_ask_index(struct db *db, struct str tenant_id, const struct uuid *base,
		 struct err *e) MUST_CHECK;

/* Asks for the job that gives passages their vectors. The same. */
int kb_ask_embed(struct db *db, struct str tenant_id, const struct uuid *base,
		 struct err *e) MUST_CHECK;

/* Takes the base with all its documents out, within the transaction of its end. */
int kb_doom(struct db *tx, struct str tenant_id, const struct uuid *base,
	    struct err *e) MUST_CHECK;

/*
 * Notes in the base's row that a share of it is made or taken back, in the
 * transaction that does it. ERR_NOT_FOUND: there is no such base.
 */
int kb_shared(struct db *tx, struct str tenant_id, const struct uuid *base,
	      struct err *e) MUST_CHECK;

/*
 * Whose attachments the files of a base are: nobody's who can sign in, so that only
 * the routes of its documents lead there.
 */
struct owner kb_files(struct str tenant_id, const struct uuid *base);

/* What a file turned out to be. */
struct kb_file_facts {
	struct str media_type;
	int64_t pages;		/* 0: none */
	struct str text;	/* p == NULL: none … */
	struct str problem;	/* … and why, a sentence */
};

/* Some documents behind `after` (an id) whose files must still be read. Text in a. */
int kb_unread(struct db *db, const struct uuid *base, const struct uuid *after,
	      struct arena *a, struct kb_document **out, size_t *n,
	      struct err *e) MUST_CHECK;

/*
 * Notes it, unless the document was written again since d was read: it is queued with
 * that text then, or has failed with that problem; also when its base has not enough
 * of most_mb MiB left.
 */
int kb_file_read(struct db *db, const struct uuid *base, const struct kb_document *d,
	    const struct kb_file_facts *r, int64_t most_mb, struct err *e) MUST_CHECK;

/* Whether the base is of one user, and paused. *paused also when it has gone. */
int kb_kind(struct db *db, const struct uuid *base, bool *is_private,
	    bool *paused, struct err *e) MUST_CHECK;

/* Whose base it is, for what reading its documents costs; nil: it has gone. */
int kb_owner(struct db *db, const struct uuid *base, struct uuid *user_id,
	     struct err *e) MUST_CHECK;

/*
 * Queues a document that has failed, or asks for the vectors of one whose text the
 * service refused. ERR_NOT_FOUND; ERR_CONFLICT, public.
 */
int kb_retry(struct db *db, const struct kb_at *at, const struct uuid *id,
	     struct err *e) MUST_CHECK;

/*
 * Leaves the files of a base that has gone to the sweep: 1, or 0 at until_ms
 * (monotonic); -1.
 */
int kb_leave_files(struct db *db, struct str tenant_id, const struct uuid *base,
		   int64_t until_ms, struct err *e) MUST_CHECK;

/*
 * Indexes what is queued, until until_ms (monotonic), unless the base is paused. 1:
 * nothing is queued any more; 0; -1. A document that cannot be indexed gets the
 * status KB_FAILED with a sentence. May run in several places, and again.
 */
int kb_index(struct db *db, const struct uuid *base, int64_t until_ms,
	     struct err *e) MUST_CHECK;

#endif
