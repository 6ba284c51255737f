/*
 * LLM services in rows: those of a tenant (RESOURCE_LLM_SERVICE) and those of
 * users with keys of their own (RESOURCE_PROVIDER_INSTANCE). Nothing of them is
 * kept between two calls, so a change or a deletion counts at once, on all nodes.
 * Their addresses are guarded (llm/service.h).
 */
#ifndef AGENT_STORED_SERVICE_H
#define AGENT_STORED_SERVICE_H

#include "agent/caller.h"
#include "llm/service.h"
#include "resource/resource.h"

/*
 * The service that a row of r is, without its key: set.api_key says whether it
 * has one. In a, texts borrowed from row.
 */
struct llm_service stored_service_of(const struct conf *c,
				     const struct resource *r,
				     const struct resource_row *row,
				     struct arena *a);

/*
 * Opens the row's key for the service, in a, which is an arena_secret then;
 * nothing where it has none. ERR_SECRETS.
 */
int stored_service_open(const struct conf *c, struct str tenant_id,
			const struct resource *r,
			const struct resource_row *row, struct arena *a,
			struct llm_service *s, struct err *e) MUST_CHECK;

/*
 * The service of the tenant with this llmServiceId, with its key; *out is NULL
 * where there is none. One read by a unique key. In a. ERR_SECRETS; errors of
 * the database.
 */
int stored_service_find(const struct caller *by, struct str id, struct arena *a,
			const struct llm_service **out,
			struct err *e) MUST_CHECK;

/*
 * The same for a turn: with the services that it names as fallbacks (others), each
 * of a row by a read of its own.
 */
int stored_service_turn(const struct caller *by, struct str id, struct arena *a,
			const struct llm_service **out,
			struct err *e) MUST_CHECK;

/*
 * Whether the caller's account is one person's: an anonymous one is not, unless
 * byok.anonymous says so.
 */
bool stored_service_may_own(const struct caller *by);

/*
 * The caller's active provider instance, as stored_service_find. Whether byok.mode
 * allows it is not asked here. One read by the user's key.
 */
int stored_service_own(const struct caller *by, struct arena *a,
		       const struct llm_service **out, struct err *e) MUST_CHECK;

/*
 * Whether there is a service with this id, of the files or a row. Errors of the
 * database.
 */
int stored_service_exists(const struct caller *by, struct str id, bool *there,
			  struct err *e) MUST_CHECK;

/*
 * In the transaction that stores a row which names the service in this field
 * (id.p NULL: none). ERR_INVALID_FIELD where it was deleted meanwhile.
 */
int stored_service_bind(const struct caller *by, struct db *tx, struct str id,
			const char *field, struct err *e) MUST_CHECK;

/*
 * In the transaction that deletes the row of a service, before: ERR_CONFLICT with
 * a public text where a row of a BINDS names it.
 */
int stored_service_unused(const struct caller *by, struct db *tx,
			  const struct uuid *id, struct err *e) MUST_CHECK;

/*
 * What a JSON array names of LLM_CAN_*: 0, with *wrong the first name that there
 * is not, or "" where it is no array of texts. NULL: the default.
 */
unsigned stored_capabilities(const json_t *names, const char **wrong);

#endif
