/* SPDX-License-Identifier: MIT */
/*
 * Passages that a turn used, from documents and attachments. Their texts are
 * stored only here and are deleted with the document, its base, the attachment
 * or the conversation; the answer's metadata has their numbers and ids.
 */
#ifndef STORE_SOURCE_H
#define STORE_SOURCE_H

#include "store/shared.h"

struct source {
	int64_t no;			/* within the turn, from 1 */
	struct uuid base_id, document_id;	/* nil: from an attachment */
	struct uuid attachment_id;	/* nil: from a document */
	int64_t chunk;			/* within the base or the attachment */
	int64_t page;			/* 0: no pages */
	double score;
	struct str external_id, url;	/* p == NULL: none */
	struct str title, text;		/* valid UTF-8 */
};

/*
 * Stores n sources for a turn of the owner; existing ones are not changed.
 * Texts are cut at LIM_SOURCE_TEXT_CHARS. Skips passages of documents that were
 * deleted meanwhile, and all if the conversation was. 1 round trip.
 */
int store_source_put(struct db *db, const struct owner *o,
		     const struct uuid *conversation_id,
		     const struct uuid *turn_id, const struct source *v, size_t n,
		     struct err *e) MUST_CHECK;

/*
 * The sources of a turn of the owner, by number; none if there is no such turn.
 * The caller must check that the owner may still see the documents. Text in a.
 */
int store_source_list(struct db *db, const struct owner *o,
		      const struct uuid *turn_id, struct arena *a,
		      struct source **out, size_t *n, struct err *e) MUST_CHECK;

/*
 * The same of an answer of the owner's conversation: those of its turn; those that were
 * copied with it, in a fork. None if there is no such answer.
 */
int store_source_list_of(struct db *db, const struct owner *o,
			 const struct uuid *conversation_id, int64_t seq,
			 struct arena *a, struct source **out, size_t *n,
			 struct err *e) MUST_CHECK;

/*
 * The same of an answer that by may read by a share (shared_get), whoever may see the
 * documents. None if it was revoked since.
 */
int store_source_list_shared(struct db *db, const struct shared_reader *by,
			     const struct shared *s, int64_t seq, struct arena *a,
			     struct source **out, size_t *n, struct err *e) MUST_CHECK;

/* Those of a document that has been deleted, in batches; within the transaction that does it. */
int store_source_forget(struct db *db, const struct uuid *base,
			const struct uuid *document, struct err *e) MUST_CHECK;

#endif
