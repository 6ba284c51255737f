/* SPDX-License-Identifier: MIT */
/*
 * LLM services that programs may use without an agent, for vectors, ranking and
 * transcriptions: those of the block openai.services, each for the groups that it names.
 */
#ifndef DOMAIN_OFFER_H
#define DOMAIN_OFFER_H

#include "auth/caller.h"
#include "llm/service.h"

/*
 * Iterates over the services that by's groups have, in the order of the file, without
 * their keys: returns 1 with the next one in *out (in by's arena), 0 at the end, -1 with
 * database errors. *at starts as 0 and advances. Those that do not exist are left out.
 */
int offer_each(const struct caller *by, size_t *at, const struct llm_service **out,
	       struct err *e) MUST_CHECK;

/*
 * The service with this id, with its key, if by's groups have it; *out is NULL if not,
 * or if there is none. In by's arena, which becomes an arena_secret. ERR_SECRETS;
 * database errors.
 */
int offer_find(const struct caller *by, struct str id, const struct llm_service **out,
	       struct err *e) MUST_CHECK;

/* Checks that the services exist, as stored_service_named. */
int offer_check_conf(const struct caller *by, struct err *e) MUST_CHECK;

#endif
