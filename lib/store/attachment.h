/*
 * Files that users have uploaded (docs/files.md). An attachment is a name for a
 * stored file, whose content lies in pieces; users have each content once, however
 * many attachments name it. A conversation whose messages have an attachment uses
 * it. What no conversation uses any more is deleted by attachment_sweep; every
 * change that may free a file moves stored_file.uses, so that two of them are a
 * conflict on any node.
 */
#ifndef STORE_ATTACHMENT_H
#define STORE_ATTACHMENT_H

#include "store/store.h"

struct attachment {
	struct uuid id, file_id;
	struct str name;	/* for show; one line */
	struct str media_type;	/* p == NULL: not ready */
	struct str problem;	/* a sentence; p == NULL: none */
	int64_t size;		/* bytes that have arrived */
	int64_t pages, text_chars;	/* 0: none */
	int64_t unread;		/* page, from 1, whose image was not read; 0: none */
	int64_t ready;		/* all of it has arrived */
};

/*
 * A new one without content, which expires at expires_us unless it is used.
 * ERR_DB_DUPLICATE when the id is taken, perhaps by this very call.
 */
int attachment_create(struct db *db, const struct owner *o,
		      const struct uuid *id, struct str name,
		      int64_t expires_us, struct err *e) MUST_CHECK;

/* ERR_NOT_FOUND, also for somebody else's. Text in a. */
int attachment_get(struct db *db, const struct owner *o,
		   const struct uuid *id, struct arena *a,
		   struct attachment *out, struct err *e) MUST_CHECK;

/*
 * The newest one of that name among those that messages of the conversation have.
 * ERR_NOT_FOUND. Text in a.
 */
int attachment_named(struct db *db, const struct owner *o,
		     const struct uuid *conversation_id, struct str name,
		     struct arena *a, struct attachment *out,
		     struct err *e) MUST_CHECK;

/* Its text (p == NULL: none), in a. ERR_NOT_FOUND. */
int attachment_text(struct db *db, const struct owner *o,
		    const struct uuid *id, struct arena *a, struct str *out,
		    struct err *e) MUST_CHECK;

/* What the user has: bytes of all files, and attachments, counted up to LIM_ATTACHMENTS. */
int attachment_taken(struct db *db, const struct owner *o, int64_t *bytes,
		     int64_t *n, struct err *e) MUST_CHECK;

/*
 * Appends a piece (1 to LIM_FILE_PIECE_BYTES) behind the first `start` bytes.
 * ERR_CONFLICT when so many are not there, or it is ready.
 */
int attachment_add(struct db *db, const struct owner *o,
		   const struct attachment *t, int64_t start, struct str data,
		   struct err *e) MUST_CHECK;

/*
 * The part of a file from byte `from` on that one piece has; empty behind the end.
 * In a. Who calls has checked whose file it is.
 */
int attachment_piece(struct db *db, const struct uuid *file_id, int64_t from,
		     struct arena *a, struct str *out, struct err *e) MUST_CHECK;

#define ATTACHMENT_HASH_BYTES 32

/* What was found out about a complete file. */
struct attachment_facts {
	unsigned char hash[ATTACHMENT_HASH_BYTES];
	struct str media_type;
	struct str problem;	/* p == NULL: none */
	struct str text;	/* p == NULL: none */
	int64_t pages, text_chars;	/* 0: none */
	int64_t unread;		/* as struct attachment has it */
};

/* 1 when the user has this content already, and t names that now; 0 when not, -1. */
int attachment_adopt(struct db *db, const struct owner *o,
		     const struct attachment *t,
		     const unsigned char hash[ATTACHMENT_HASH_BYTES],
		     struct err *e) MUST_CHECK;

/*
 * Makes t ready, with t->size bytes. ERR_CONFLICT when it has grown since;
 * ERR_DB_DUPLICATE when the same content came meanwhile: attachment_adopt.
 */
int attachment_ready(struct db *db, const struct owner *o,
		     const struct attachment *t,
		     const struct attachment_facts *f,
		     struct err *e) MUST_CHECK;

/*
 * Notes what images of t's file say, for all who have it: f's text, problem and
 * unread; unless others have done so since t was read.
 */
int attachment_scanned(struct db *db, const struct attachment *t,
		       const struct attachment_facts *f,
		       struct err *e) MUST_CHECK;

/* Notes that messages of the conversation have it. Once more is no error. */
int attachment_use(struct db *db, const struct owner *o,
		   const struct uuid *conversation_id, const struct uuid *id,
		   struct err *e) MUST_CHECK;

/* A fork uses what its source does. Within the transaction that makes it. */
int attachment_fork(struct db *tx, const struct uuid *from,
		    const struct uuid *to, struct err *e) MUST_CHECK;

/* Deletes it, also where messages have it. ERR_NOT_FOUND. */
int attachment_delete(struct db *db, const struct owner *o,
		      const struct uuid *id, struct err *e) MUST_CHECK;

/* Whether there is something to delete: 1, 0, -1. Two short reads. */
int attachment_sweep_due(struct db *db, struct arena *a,
			 struct err *e) MUST_CHECK;

/*
 * Deletes what expired or lost its last conversation, and the contents that
 * nobody has, until until_ms (monotonic). 1 when nothing is left; 0, -1.
 */
int attachment_sweep(struct db *db, int64_t until_ms, struct err *e) MUST_CHECK;

#endif
