/* SPDX-License-Identifier: MIT */
/*
 * What the tools of a process share: connections to other databases, their known
 * columns, MCP servers, and descriptions of tools. Any thread.
 */
#ifndef TOOL_ENV_H
#define TOOL_ENV_H

#include "tool/core/tool.h"

struct db;

/* What the process shares. Borrowed. */
struct mcp_hub;
struct http_pool *tool_env_http(struct tool_env *env);
struct mcp_hub *tool_env_mcp(struct tool_env *env);

/*
 * The read-only pool of this database; give it back with tool_env_done. A pool
 * is made on first use, and again when its settings change.
 */
struct db *tool_env_pool(struct tool_env *env, const struct conf_db *c,
			 struct err *e) MUST_CHECK;
void tool_env_done(struct tool_env *env, struct db *pool);

/*
 * The columns of a table, for a dataset that declares none, copied to a. They are
 * kept for DATASET_COLUMNS_TTL_MS; if a database is down, it is not queried again
 * for DATASET_COLUMNS_RETRY_MS, and known columns remain in use.
 */
enum { DATASET_COLUMNS_TTL_MS = 60000, DATASET_COLUMNS_RETRY_MS = 5000 };
int tool_env_columns(struct tool_env *env, const struct conf_db *c,
		     const char *table, struct arena *a,
		     struct conf_column **out, size_t *n,
		     struct err *e) MUST_CHECK;

/*
 * A small cache of descriptions; the key includes for whom they are. Threads share
 * a value and only read it. They must not touch its reference count, which changes
 * only under our lock.
 */
struct tool_shared {
	const json_t *value;
	struct tool_env *env;
	int users;
};

/* The value with one more user, or NULL. Return it with tool_env_put. */
struct tool_shared *tool_env_take(struct tool_env *env, const char *key);

/* Takes the value and keeps it for a while; the caller counts as a user. */
struct tool_shared *tool_env_keep(struct tool_env *env, const char *key,
				  json_t *value, int ttl_ms);
void tool_env_put(void *shared);	/* struct tool_shared */

#endif
