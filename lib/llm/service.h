/* SPDX-License-Identifier: MIT */
/* LLM services (conf/service.h): what is made of them for calls. */
#ifndef LLM_SERVICE_H
#define LLM_SERVICE_H

#include "conf/conf.h"

/* "config", "api". */
const char *domain_source_name(enum domain_source s);

/*
 * A service of which only this is known, for reading a recorded stream and for
 * tests; nothing else is set. Strings and quirks are borrowed.
 */
struct llm_service llm_service_bare(const char *provider, const char *model,
				    json_t *quirks);

/* s with timeouts of at most ms > 0 for an answer and for its first byte. */
struct llm_service llm_service_within(const struct llm_service *s, int ms);

/* s for calls for which nobody waits: no retries and no paid thinking. */
struct llm_service llm_service_aside(const struct llm_service *s);

#endif
