/* SPDX-License-Identifier: MIT */
/*
 * LLM services in rows: those of a tenant (RESOURCE_LLM_SERVICE), those of a
 * workspace (RESOURCE_WORKSPACE_SERVICE) and those of users with their own keys
 * (RESOURCE_PROVIDER_INSTANCE). Nothing is cached between calls, so a change or
 * deletion applies at once on all nodes. Addresses are guarded (llm/service.h).
 *
 * A look-up takes `within`, the id of the workspace that asks; p == NULL, or the id of
 * one in a file: none. The services of other workspaces do not exist for it.
 */
#ifndef DOMAIN_STORED_SERVICE_H
#define DOMAIN_STORED_SERVICE_H

#include "domain/agent.h"
#include "auth/caller.h"
#include "llm/service.h"
#include "resource/resource.h"

/* The column of this name of a row of r, a PROVIDER_INSTANCE, or an LLM_SERVICE, whose
 * first columns a WORKSPACE_SERVICE has. */
#define SERVICE_COLUMN(r, column) ((r)->owner == OWNER_USER \
	? COLUMN(PROVIDER_INSTANCE, column) : COLUMN(LLM_SERVICE, column))

/*
 * Converts a row of r to a service without its key; set.api_key says whether
 * there is one. In a; texts are borrowed from row.
 */
struct llm_service stored_service_of(const struct conf *c,
				     const struct resource *r,
				     const struct resource_row *row,
				     struct arena *a);

/*
 * Opens the row's key, if it has one, for the service; in a, which becomes an
 * arena_secret. ERR_SECRETS.
 */
int stored_service_open(const struct conf *c, struct str tenant_id,
			const struct resource *r,
			const struct resource_row *row, struct arena *a,
			struct llm_service *s, struct err *e) MUST_CHECK;

/*
 * The service with this id: of the files, or the row of the tenant or of the workspace
 * and its key, which is one read by unique keys; *out is NULL if there is none.
 * by->db NULL: of the files only. In a. ERR_SECRETS; database errors.
 */
int service_find(const struct caller *by, struct str within, struct str id,
		 struct arena *a, const struct llm_service **out,
		 struct err *e) MUST_CHECK;

/*
 * Checks that the service that key of the main file names exists; with by->db NULL, in
 * the files. ERR_CONFIG, "FILE:LINE: …" with the nearest id of the files; ERR_SECRETS;
 * database errors.
 */
int stored_service_named(const struct caller *by, const char *key, const char *id,
			 struct err *e) MUST_CHECK;

/* The workspace for look-ups: none for one of a file, which has no services. */
struct str stored_service_within(const struct workspace *w);

/*
 * The rows of w's own services, at most LIM_WORKSPACE_SERVICES; in by's arena.
 * Database errors.
 */
int stored_services_of(const struct caller *by, const struct workspace *w,
		       struct resource_row **out, size_t *n,
		       struct err *e) MUST_CHECK;

/*
 * Whether the caller's account belongs to one person: not an anonymous one,
 * unless byok.anonymous allows it.
 */
bool stored_service_may_own(const struct caller *by);

/*
 * Whether the caller may store and try provider instances, by byok.mode and
 * identity. ERR_FORBIDDEN. (service.c)
 */
int stored_instance_check(const struct caller *by, struct err *e) MUST_CHECK;

/* The caller's provider instances. */
struct own_instances {
	bool known;		/* they were read; else the rest is not set */
	struct resource_row *v;
	size_t n;
};

/*
 * Reads them into a, by the user's key: one statement; none for who may not have
 * any. Does not check byok.mode. Database errors.
 */
int stored_instances(const struct caller *by, struct arena *a,
		     struct own_instances *out, struct err *e) MUST_CHECK;

/*
 * The one of them for this agent of this workspace, by their ids; of several, the
 * one changed last; else the active one; like service_find.
 */
int stored_instance_of(const struct caller *by, const struct own_instances *own,
		       struct str workspace, struct str agent, struct arena *a,
		       const struct llm_service **out, struct err *e) MUST_CHECK;

/* Both. */
int stored_service_own(const struct caller *by, struct str workspace,
		       struct str agent, struct arena *a,
		       const struct llm_service **out, struct err *e) MUST_CHECK;

/*
 * The service with this id, in a file or a row, without its key; *out is NULL if
 * there is none. In by's arena. Database errors.
 */
int stored_service_look(const struct caller *by, struct str within,
			struct str id,
			const struct llm_service **out,
			struct err *e) MUST_CHECK;

/* llm_check_can, as ERR_INVALID_FIELD of this field. */
int stored_service_suits(const struct llm_service *s, unsigned can,
			 const char *field, struct err *e) MUST_CHECK;

/*
 * Checks the services that the given columns of a row name (BINDS): they exist, by
 * may know of them, and they can do what they are bound for. w: the row's workspace,
 * or NULL; its own services are known to those who manage it. "auto": w or the
 * installation has rules. ERR_INVALID_FIELD; database errors.
 */
int stored_bindings_check(const struct caller *by, const struct workspace *w,
			  const struct resource *r,
			  const struct resource_row *row,
			  struct err *e) MUST_CHECK;

/*
 * Part of the transaction that stores such a row. ERR_INVALID_FIELD if a service
 * was deleted meanwhile, or can no longer do it.
 */
int stored_bindings_keep(const struct caller *by, struct db *tx,
			 const struct resource *r,
			 const struct resource_row *row,
			 struct err *e) MUST_CHECK;

/*
 * Part of the transaction that changes a service, a row of r: ERR_CONFLICT with a
 * public text if a row of a BINDS needs what it can no longer do.
 */
int stored_service_still(const struct caller *by, struct db *tx,
			 const struct resource *r,
			 const struct resource_row *row,
			 struct err *e) MUST_CHECK;

/*
 * Part of the transaction that deletes a service, a row of r, called first:
 * ERR_CONFLICT with a public text if a row of a BINDS names it.
 */
int stored_service_unused(const struct caller *by, struct db *tx,
			  const struct resource *r, const struct resource_at *at,
			  const struct uuid *id, struct err *e) MUST_CHECK;

/*
 * Parses a JSON array of capability names to LLM_CAN_* bits. Returns 0 on
 * failure, with *wrong the first unknown name, or "" if it is not an array of
 * texts. NULL: the default.
 */
unsigned stored_capabilities(const json_t *names, const char **wrong);

#endif
