/* SPDX-License-Identifier: MIT */
/*
 * The client side of the Model Context Protocol, both
 * eras of it: sessions opened by `initialize` (2025-03-26 to 2025-11-25) and
 * requests that stand alone (2026-07-28); over Streamable HTTP and stdio.
 *
 *   kind_mcp.c    tools of the servers as struct tool, and their calls
 *   mcp_list.c    tools/list: names, pins, what changed; cached
 *   mcp_result.c  what a call gave, as text for the model
 *   mcp_hub.c     the servers of this process, each as a credential sees it
 *   mcp_peer.c    one of those: its era, its session, requests and retries
 *   mcp_http.c    one exchange over HTTP        mcp_stdio.c  a child process
 *   mcp_wire.c    messages: building them, telling them apart
 *
 * Everything that a server says is untrusted: names are cleaned, descriptions
 * and schemas are used only as an admin accepted them, hints can make a tool
 * stricter but never laxer, results go into the envelope. Requests of a server
 * (sampling, elicitation, roots) are refused; ping is answered.
 */
#ifndef TOOL_MCP_H
#define TOOL_MCP_H

#include <stdatomic.h>

#include "store/mcp_pin.h"
#include "tool/core/kind.h"

struct mcp_peer;
struct mcp_hub;

/* The servers that this process talks to. Any thread. */
struct mcp_hub *mcp_hub_new(struct http_pool *http);

/* Ends sessions and children. No call may be running. */
void mcp_hub_free(struct mcp_hub *hub);

/*
 * The server as this caller sees it: with separate sessions and lists if the
 * server gets a user token. Return it with mcp_peer_put. ctx: conf, who.
 */
struct mcp_peer *mcp_peer_get(struct mcp_hub *hub, const struct tool_ctx *ctx,
			      const struct conf_mcp *s);
void mcp_peer_put(struct mcp_peer *p);

/*
 * The header with the user token for s, in a; NULL if s gets none. ERR_CONFIG if
 * the key is not valid.
 */
int mcp_credential(const struct conf_mcp *s, const struct tool_ctx *ctx,
		   struct arena *a, const char **out, struct err *e) MUST_CHECK;

/* One request and its outcome. Zero what is not needed. */
struct mcp_call {
	const struct conf_mcp *server;
	const char *method;
	json_t *params;			/* object; the caller's; gets requestState */
	struct str name;		/* for Mcp-Name: params.name */
	const char *credential;		/* header with the caller's token, or NULL */
	const char *const *headers;	/* "Mcp-Param-X: …" */
	size_t n_headers;
	int timeout_ms;			/* of silence; progress is none */
	bool repeatable;		/* a second run does no harm (P-G5) */
	struct http_abort *abort;	/* NULL = cannot be cancelled */
	/*
	 * Called with the server's progress: any text of the server. MUST NOT
	 * block; any thread. MAY be NULL.
	 */
	void (*progress)(void *ctx, struct str text);
	void *ctx;
	/* The outcome: one of them, owned. */
	json_t *result, *error;
};

/* Time limit of one call with progress: timeout_ms times this. */
enum { MCP_LONGEST = 5 };

/*
 * Makes the call, opening the server if needed; blocks. 0: c->result or c->error
 * (a JSON-RPC error object) is set. -1 with ERR_TOOL_FAILED, ERR_TOOL_TIMEOUT,
 * ERR_CANCELLED, whose public text names the server, and says so if the outcome is
 * unknown.
 */
int mcp_request(struct mcp_peer *p, struct mcp_call *c,
		struct err *e) MUST_CHECK;
void mcp_call_release(struct mcp_call *c);

/* A header's value: unchanged if allowed, else =?base64?…?= (8.2). */
void mcp_header_value(struct buf *out, struct str value);

/* -- mcp_list.c ------------------------------------------------------------ */

enum mcp_state { MCP_ACCEPTED, MCP_NEW, MCP_CHANGED, MCP_REFUSED };

#define MCP_HASH_BYTES 32

struct mcp_param {		/* an argument that goes into a header too */
	const char *header;	/* "Mcp-Param-Region" */
	const char *const *path;	/* names of properties, from the root */
	size_t depth;
};

struct mcp_tool {
	const char *remote;		/* as the server calls it */
	const char *name;		/* as the model does: SERVER_TOOL */
	const char *description;	/* cleaned */
	const char *title;		/* for people, cleaned; NULL = none */
	json_t *schema;			/* what schema_check knows of it */
	const char *definition;		/* canonical JSON of what is pinned */
	unsigned char hash[MCP_HASH_BYTES];	/* of that */
	enum mcp_state state;
	const char *refused;		/* MCP_REFUSED: why */
	bool read_only, idempotent, destructive;	/* hints, as given */
	struct mcp_param *params;
	size_t n_params;
};

struct mcp_list {
	struct arena arena;
	const struct mcp_tool *tools;	/* sorted by name */
	size_t n;
	atomic_int users;
	struct mcp_list *base;	/* has the texts; NULL: this has them */
};

/*
 * The tools that the server offers and the configuration allows, each with its
 * state. The list is requested again when the server's TTL is over, a list_changed
 * came, or a few seconds after another process may have accepted something. While
 * one thread requests it, the others get the old list. A server that failed is not
 * contacted again for a while. ctx needs conf, env, abort. The list is shared;
 * return it with mcp_list_put.
 */
struct mcp_list *mcp_list_get(struct mcp_peer *p, const struct conf_mcp *s,
			      const struct tool_ctx *ctx,
			      struct err *e) MUST_CHECK;
void mcp_list_put(void *list);		/* struct mcp_list; for arena_defer */

/* What accepting t stores; borrows from it. */
struct mcp_pin mcp_pin_of(const struct mcp_tool *t);

/* -- mcp_result.c ---------------------------------------------------------- */

/*
 * Appends the result of an answered call as text or JSON. 1 if the server reports
 * a failure, else 0.
 */
int mcp_result_write(const struct mcp_call *c, struct buf *out, bool *is_json);

/* -- kind_mcp.c ------------------------------------------------------------ */

/*
 * Adds the tools of all servers that this turn may have, as rows in ctx->arena.
 * A server that cannot be reached is left out and logged.
 */
void mcp_rows(const struct tool_ctx *ctx, struct tool_rows *out);

/* The effect of calls of t, from the admin's settings and t's hints. */
enum tool_effect mcp_effect(const struct conf_mcp *s, const struct mcp_tool *t);

/* Whether a server could have a tool, or is a group, of this name. */
bool mcp_makes(const struct conf *conf, struct str name);
bool mcp_group(const struct conf *conf, struct str group);

#endif
