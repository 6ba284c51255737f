/* SPDX-License-Identifier: MIT */
/*
 * Documents of knowledge bases: their rows (text, groups, status) and their way into
 * the index. Writing a document only queues it; the job knowledge-index splits and
 * indexes it. Until then the last version is found.
 */
#ifndef KNOWLEDGE_KB_H
#define KNOWLEDGE_KB_H

#include "auth/owner.h"
#include "search/find.h"

enum kb_status { KB_QUEUED, KB_READY, KB_FAILED };

struct kb_document {
	struct uuid id, base_id;
	struct uuid user_id;	/* who wrote it last */
	struct str external_id;	/* p == NULL: none */
	struct str title, url;	/* url p == NULL: none */
	struct str groups;	/* JSON array, sorted; "[]": all who see the base */
	int64_t audience;	/* number of these groups in the base */
	int64_t status;		/* enum kb_status */
	struct str error;	/* why it failed; p == NULL: it did not */
	struct str embed_error;	/* why it has no vectors; p == NULL: no error */
	int64_t bytes, chunks, version;
	int64_t created_us, updated_us;
	/* its file; nil, p == NULL and 0 if it was written as text */
	struct uuid attachment_id;
	struct str file_name;
	struct str media_type;	/* p == NULL: not read yet */
	int64_t file_size, pages;
	int64_t unread_page;	/* from 1: images from here on are being read; 0: none */
};

/* A base and the caller's access to its documents; everything is borrowed. */
struct kb_at {
	struct str tenant_id;
	struct uuid user_id;	/* of the caller */
	struct uuid base;
	bool all;		/* the caller sees all documents */
	bool is_tenants;	/* what is in it is not counted for who writes it */
	const struct str *groups;
	size_t n_groups;
	/* kb_write: limits of the base */
	int64_t most_documents, most_mb;
};

/*
 * Stores d with its text, or with the file attachment_id (file_name, file_size), an
 * attachment of kb_files from which the job extracts the text, and requests the job.
 * An existing document with d->external_id gets the new title, url, groups and text and
 * keeps its id. Else a document with d->id is created; if it exists already (a repeated
 * request with the same key), nothing changes. *d is set to the stored document, *made
 * to whether it is new. If the groups change, the document is not found until the job
 * has run. Text in a.
 * ERR_NOT_FOUND if there is no such base; ERR_TOO_BIG, public, for too many sets of
 * groups or more than most_mb MiB of text; ERR_CONFLICT, public, if there are
 * most_documents. A text that is not longer than the one it replaces is always accepted.
 */
int kb_write(struct db *db, const struct kb_at *at, struct kb_document *d,
	     struct str text, struct arena *a, bool *is_new,
	     struct err *e) MUST_CHECK;

/* Reads a document; text in a. ERR_NOT_FOUND, also if the caller may not see it. */
int kb_get(struct db *db, const struct kb_at *at, const struct uuid *id,
	   struct arena *a, struct kb_document *out, struct err *e) MUST_CHECK;

/* The same with the text as last written, which may not be indexed yet. */
int kb_read(struct db *db, const struct kb_at *at, const struct uuid *id,
	    struct arena *a, struct kb_document *out, struct str *text,
	    struct err *e) MUST_CHECK;

/*
 * Lists documents that the caller sees, newest first, at most size. after: the last
 * one of the page before (id and created_us; NULL: first page). status: enum kb_status,
 * or -1 for all. *more: there are further ones. Text in a.
 */
int kb_list(struct db *db, const struct kb_at *at, int status,
	    const struct kb_document *after, size_t size, struct arena *a,
	    struct kb_document **out, size_t *n, bool *more,
	    struct err *e) MUST_CHECK;

/*
 * Reads those of n ids that are in one of these bases and visible to the caller
 * there, sorted for kb_among, with one statement. Ids and bases may be repeated.
 * All bases are of one tenant. Text in a.
 */
int kb_of_ids(struct db *db, const struct kb_at *at, size_t n_at,
	      const struct uuid *ids, size_t n, struct arena *a,
	      struct kb_document **out, size_t *n_out, struct err *e) MUST_CHECK;

/* The document with that id among the n that kb_of_ids returned; NULL: none. */
struct kb_document *kb_among(struct kb_document *v, size_t n,
			     const struct uuid *id);

/*
 * Completes n passages (search_read), and reads their documents with the same statement.
 * at[i]: who asks, in the base of pick[i]; all are of one tenant. out[i]: the document of
 * pick[i]; NULL: it is gone, or the caller may not see it. In a.
 */
int kb_passages(struct db *db, const struct kb_at *at, struct search_pick *pick,
		size_t n, struct arena *a, const struct kb_document **out,
		struct err *e) MUST_CHECK;

/* Deletes the document and its index entries, whose rows a job deletes later. */
int kb_delete(struct db *db, const struct kb_at *at, const struct uuid *id,
	      struct err *e) MUST_CHECK;

/* Counts the documents of the base by status (enum kb_status), and their chunks. */
int kb_progress(struct db *db, const struct uuid *base, int64_t counts[3],
		int64_t *chunks, struct err *e) MUST_CHECK;

/* The same for the job that adds vectors to passages. */
int kb_ask_embed(struct db *db, const struct owner *by, const struct uuid *base,
		 struct err *e) MUST_CHECK;

/* Deletes all documents of the base, in the transaction that deletes the base. */
int kb_hide(struct db *tx, const struct owner *by, const struct uuid *base,
	    struct err *e) MUST_CHECK;

/*
 * The owner of the base's files: not a user who can sign in, so the files can only be
 * reached through the routes of documents.
 */
struct owner kb_files(struct str tenant_id, const struct uuid *base);

/* The result of reading a file. */
struct kb_file_facts {
	struct str media_type;
	int64_t pages;		/* 0: none */
	struct str text;	/* p == NULL: none */
	struct str problem;	/* why there is none, a sentence */
};

/* Reads documents after the id `after` whose files must still be read. Text in a. */
int kb_unread(struct db *db, const struct uuid *base, const struct uuid *after,
	      struct arena *a, struct kb_document **out, size_t *n,
	      struct err *e) MUST_CHECK;

/*
 * Stores the result of reading d's file, unless the document was replaced since d was
 * read. The document is queued with the text, or fails with the problem or because the
 * base would exceed most_mb MiB.
 */
int kb_file_read(struct db *db, const struct uuid *base, const struct kb_document *d,
	    const struct kb_file_facts *r, int64_t most_mb, struct err *e) MUST_CHECK;

/* Whether the base is private to one user, and whether it is paused or was deleted. */
int kb_kind(struct db *db, const struct uuid *base, bool *is_private,
	    bool *paused, struct err *e) MUST_CHECK;

/*
 * The owner of the base, to whom the usage of reading its documents is charged; nil if
 * the base was deleted.
 */
int kb_owner(struct db *db, const struct uuid *base, struct uuid *user_id,
	     struct err *e) MUST_CHECK;

/*
 * Queues a failed document, or requests vectors for one whose text the service refused.
 * ERR_NOT_FOUND; ERR_CONFLICT, public, if there is nothing to retry.
 */
int kb_retry(struct db *db, const struct kb_at *at, const struct uuid *id,
	     struct err *e) MUST_CHECK;

/*
 * Marks the files of a deleted base for deletion by the sweep. Returns 1 if done, 0 if
 * until_ms (monotonic) was reached first, -1 on error.
 */
int kb_leave_files(struct db *db, struct str tenant_id, const struct uuid *base,
		   int64_t until_ms, struct err *e) MUST_CHECK;

#endif
