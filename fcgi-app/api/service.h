/* LLM services in rows, and what is asked of any service over the API. */
#ifndef API_SERVICE_H
#define API_SERVICE_H

#include "api/resource.h"
#include "llm/service.h"

extern const struct resource_odd api_service_odd, api_provider_odd;

/* Whether the caller may store provider instances: byok.mode, and who they are. */
bool api_provider_may_store(const struct request *rq);

/* Answers with the models that the service's provider has. Errors as for a turn. */
int api_service_answer_models(struct request *rq, struct response *rs,
			      const struct llm_service *s,
			      struct err *e) MUST_CHECK;

/*
 * The body of a trial of a saved service: another model of its provider, or NULL.
 * In rq's arena.
 */
int api_service_other_model(struct request *rq, const char **model,
			    struct err *e) MUST_CHECK;

/*
 * Answers with how a trial of the service went; workspace: that its usage is
 * recorded for, or "".
 */
void api_service_answer_test(struct request *rq, struct response *rs,
			     const struct llm_service *s,
			     const char *workspace);

#endif
