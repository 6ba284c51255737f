/* SPDX-License-Identifier: MIT */
/*
 * For handlers below a knowledge base: the base, and the caller's access to its
 * documents.
 */
#ifndef API_KNOWLEDGE_H
#define API_KNOWLEDGE_H

#include "request.h"
#include "knowledge/kb.h"

/*
 * The base in the path ("parent"), which the caller must see, and the
 * caller's access to its documents: all if they may change the base. In rq's arena.
 * ERR_NOT_FOUND.
 */
int api_knowledge_at(struct request *rq, struct kb_at *at,
		     struct err *e) MUST_CHECK;

/* The same for the base with this id. */
int api_knowledge_of(struct request *rq, const struct uuid *id,
		     struct kb_at *at, struct err *e) MUST_CHECK;

/* The same; ERR_FORBIDDEN, public, if the caller may not change it. */
int api_knowledge_writer(struct request *rq, const char *arg, struct kb_at *at,
			 struct err *e) MUST_CHECK;

/* The same for the base with this id. */
int api_knowledge_writer_of(struct request *rq, const struct uuid *id,
			    struct kb_at *at, struct err *e) MUST_CHECK;

struct source;	/* store/source.h */

/*
 * The passages that the answer messageId (in the query) of the path's conversation
 * used, by number, without those of documents and attachments that the caller does
 * not see, or no longer. ERR_INVALID_FIELD, ERR_NOT_FOUND. In rq's arena.
 */
int api_source_of_message(struct request *rq, struct source **v, size_t *n,
			  struct err *e) MUST_CHECK;

/* The same of a turn of the caller; none if there is no such turn. */
int api_source_of_turn(struct request *rq, const struct uuid *turn,
		       struct source **v, size_t *n, struct err *e) MUST_CHECK;

#endif
