/* SPDX-License-Identifier: MIT */
/*
 * The accepted definitions of tools of MCP servers: a tool whose definition
 * differs from the pinned one is not offered. Data of a tenant, not of a user.
 */
#ifndef STORE_MCP_PIN_H
#define STORE_MCP_PIN_H

#include "store/store.h"

struct mcp_pin {
	struct str tool;	/* the server's name for it, at most 128
				   characters */
	struct str hash;	/* 32 bytes */
	struct str definition;	/* canonical JSON */
	int64_t accepted_us;
};

/* All pins of a server, by tool; in a. Any thread. */
int store_mcp_pin_list(struct db *db, struct str tenant_id, struct str server,
		       struct arena *a, struct mcp_pin **out, size_t *n,
		       struct err *e) MUST_CHECK;

/* As store_mcp_pin_list, without the definitions, which may be many megabytes. */
int store_mcp_pin_hashes(struct db *db, struct str tenant_id, struct str server,
			 struct arena *a, struct mcp_pin **out, size_t *n,
			 struct err *e) MUST_CHECK;

/* Accepts a definition, replacing the pinned one. Ignores pin->accepted_us. */
int store_mcp_pin_set(struct db *db, struct str tenant_id, struct str server,
		      const struct mcp_pin *pin, struct err *e) MUST_CHECK;

/* Accepts a definition unless one is pinned; the first of several calls wins. */
int store_mcp_pin_first(struct db *db, struct str tenant_id, struct str server,
			const struct mcp_pin *pin, struct err *e) MUST_CHECK;

#endif
