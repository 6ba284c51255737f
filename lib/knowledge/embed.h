/* SPDX-License-Identifier: MIT */
/*
 * Calls embedding services: for passages of a knowledge base in a job, and for
 * a question while a user waits.
 */
#ifndef KNOWLEDGE_EMBED_H
#define KNOWLEDGE_EMBED_H

#include "auth/caller.h"
#include "llm/retrieval.h"
#include "search/index.h"

/*
 * The service with this id, from a file or a row, if it has the capability `can`
 * (LLM_CAN_…); id.p == NULL: the one of knowledge.embedding_service. *out is NULL if
 * there is none. Uses by's conf, db and tenant. within and a: as service_find.
 * ERR_SECRETS; database errors.
 */
int embed_service(const struct caller *by, struct str within, struct str id,
		  unsigned can, struct arena *a, const struct llm_service **out,
		  struct err *e) MUST_CHECK;

/*
 * Checks that the service of knowledge.embedding_service exists; with by->db NULL, in the
 * files. ERR_CONFIG, "FILE:LINE: …" with the nearest id of the files; ERR_SECRETS;
 * database errors.
 */
int embed_check_conf(const struct caller *by, struct err *e) MUST_CHECK;

/*
 * Makes vectors for the base's passages until until_ms (monotonic). Vectors of
 * another model are deleted first. Returns 1 if all passages that can have a
 * vector have one, or the base is paused or has no service; 0 if there is more
 * to do; -1. Errors are recorded at the base, or at the document if the service
 * refuses its text.
 */
int embed_base(struct db *db, const struct conf *conf, const struct llm_call *io,
	       const struct uuid *base, int64_t until_ms,
	       struct err *e) MUST_CHECK;

/*
 * Makes the vector of a question, normalized to length 1, in a; *dimension is
 * set. The time limit is knowledge.question_ms. Usage is recorded for by.
 * Errors as llm_embed; ERR_SECRETS; database errors.
 */
int embed_question(const struct caller *by, const struct llm_call *io,
		   const struct llm_service *s, struct str text, struct arena *a,
		   float **out, int *dimension, struct err *e) MUST_CHECK;

/* Records the usage of a call with s; a failure is only logged. */
void embed_record(struct db *db, const struct owner *o, int kind,
		  const struct llm_service *s, const struct llm_usage *u,
		  int64_t began_ms, bool worked);

#endif
