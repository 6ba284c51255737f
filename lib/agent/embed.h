/*
 * Which service makes the vectors of a knowledge base, and what it is asked: for
 * passages in a job, for a question while somebody waits.
 */
#ifndef AGENT_EMBED_H
#define AGENT_EMBED_H

#include "agent/caller.h"
#include "llm/retrieval.h"
#include "search/index.h"

/*
 * The service of this id, of the files or a row, that has the capability (LLM_CAN_…);
 * id.p NULL: the one of knowledge.embedding_service. *out NULL: there is none. Of by,
 * conf, db and the tenant are used. In a, as stored_service_find.
 */
int embed_service(const struct caller *by, struct str id, unsigned can,
		  struct arena *a, const struct llm_service **out,
		  struct err *e) MUST_CHECK;

/*
 * Gives passages of the base their vectors, until until_ms (monotonic): 1: all that
 * can have one have it, or the base is paused or has no service; 0: there is more to
 * do; -1. If its service has another model than the vectors, those go first. What
 * fails is noted in the base; a text that the service refuses, with its document.
 */
int embed_base(struct db *db, const struct conf *conf, const struct llm_call *io,
	       const struct uuid *base, int64_t until_ms,
	       struct err *e) MUST_CHECK;

/*
 * The vector of a question, of length 1, in a; *dimension of it. The service has
 * knowledge.question_ms for it. Its usage is recorded for by.
 */
int embed_question(const struct caller *by, const struct llm_call *io,
		   const struct llm_service *s, struct str text, struct arena *a,
		   float **out, int *dimension, struct err *e) MUST_CHECK;

/* Records what a call with s has cost; a failure is only logged. */
void embed_record(struct db *db, const struct owner *o, int kind,
		  const struct llm_service *s, const struct llm_usage *u,
		  int64_t began_ms, bool worked);

#endif
