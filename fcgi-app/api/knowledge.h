/* What handlers below a knowledge base need: the base, and what the caller sees. */
#ifndef API_KNOWLEDGE_H
#define API_KNOWLEDGE_H

#include "api/resource.h"
#include "search/kb.h"

extern const struct resource_odd api_knowledge_odd;

/*
 * The base that the path names ("parent" or "id"), which the caller sees, and what
 * of its documents they see: all where they may change it. In rq's arena.
 * ERR_NOT_FOUND.
 */
int api_knowledge_at(struct request *rq, const char *arg, struct kb_at *at,
		     struct err *e) MUST_CHECK;

/* The same of the base of this id. */
int api_knowledge_of(struct request *rq, const struct uuid *id,
		     struct kb_at *at, struct err *e) MUST_CHECK;

/* The same; ERR_FORBIDDEN, public, when they may not change it. */
int api_knowledge_writer(struct request *rq, const char *arg, struct kb_at *at,
			 struct err *e) MUST_CHECK;

struct source;	/* store/source.h */

/*
 * The passages that the answer used that the query names (messageId), of the path's
 * conversation, by their number; without those of documents and attachments that the
 * caller does not see (any more). ERR_INVALID_FIELD, ERR_NOT_FOUND. In rq's arena.
 */
int api_source_of_message(struct request *rq, struct source **v, size_t *n,
			  struct err *e) MUST_CHECK;

/* The same of a turn of the caller; none if there is no such turn. */
int api_source_of_turn(struct request *rq, const struct uuid *turn,
		       struct source **v, size_t *n, struct err *e) MUST_CHECK;

#endif
