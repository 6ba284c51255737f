/*
 * What tools share in a process: connections to foreign databases and what is
 * known of their columns, other servers, and what describe made. Any thread.
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
 * The columns of a table as a dataset with none declared has them, copied to
 * a. Kept for DATASET_COLUMNS_TTL_MS; a database that is down is not asked
 * again for DATASET_COLUMNS_RETRY_MS, and columns once known go on serving.
 */
enum { DATASET_COLUMNS_TTL_MS = 60000, DATASET_COLUMNS_RETRY_MS = 5000 };
int tool_env_columns(struct tool_env *env, const struct conf_db *c,
		     const char *table, struct arena *a,
		     struct conf_column **out, size_t *n,
		     struct err *e) MUST_CHECK;

/*
 * A small cache of what describe made, by a key that says for whom. The value
 * is shared by threads that only read it, never its reference count: that is
 * ours, under the lock.
 */
struct tool_shared {
	const json_t *value;
	struct tool_env *env;
	int users;
};

/* One more user of the value, or NULL. Give it back: tool_env_put. */
struct tool_shared *tool_env_take(struct tool_env *env, const char *key);

/* Takes the value and keeps it for a while; the caller is its user too. */
struct tool_shared *tool_env_keep(struct tool_env *env, const char *key,
				  json_t *value, int ttl_ms);
void tool_env_put(void *shared);	/* struct tool_shared */

#endif
