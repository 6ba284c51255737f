/* SPDX-License-Identifier: MIT */
/* Requests to the providers of LLM services. */
#ifndef API_SERVICE_H
#define API_SERVICE_H

#include "llm/service.h"
#include "request.h"
#include "response.h"

/* Answers with the models of the service's provider. Errors as for a turn. */
int api_service_answer_models(struct request *rq, struct response *rs,
			      const struct llm_service *s,
			      struct err *e) MUST_CHECK;

/*
 * The model in the body of a test, if it is not the service's own; else NULL. In
 * rq's arena.
 */
int api_service_other_model(struct request *rq, const char **model,
			    struct err *e) MUST_CHECK;

/*
 * Answers with the result of testing the service; workspace: for which its usage is
 * recorded, or "".
 */
void api_service_answer_test(struct request *rq, struct response *rs,
			     const struct llm_service *s,
			     const char *workspace);

#endif
