/* SPDX-License-Identifier: MIT */
/*
 * A request of an MCP client: mcp.c has the protocol, mcp_tools.c the tools with their
 * approvals, mcp_resources.c resources and prompts. docs/mcp-server.md.
 */
#ifndef API_MCP_H
#define API_MCP_H

#include "domain/target.h"
#include "base/json.h"
#include "route.h"
#include "tool/core/tool.h"

enum {			/* errors of JSON-RPC and of MCP */
	MCP_INVALID_REQUEST = -32600, MCP_NO_METHOD = -32601,
	MCP_INVALID_PARAMS = -32602, MCP_INTERNAL = -32603,
	MCP_NO_RESOURCE = -32002,	/* until 2025-11-25 */
	MCP_HEADER_MISMATCH = -32020, MCP_MISSING_CAPABILITY = -32021,
	MCP_UNSUPPORTED_VERSION = -32022,
};

#define MCP_META "io.modelcontextprotocol/"

struct rpc_ask {
	struct request *rq;
	bool modern;		/* 2026-07-28: every request says all */
	const json_t *id, *params, *meta;	/* may be NULL */
	struct str method;
	struct str program;		/* its name */
	struct target target;
	struct tool_ctx ctx;
	struct origins taint;		/* of what the client's model has read: anything */
	struct tool_set set;
	bool incomplete;	/* the result says so: resultType is in it */
	int code;		/* of the error; 0: by the error's own */
	const json_t *data;	/* of the error; or NULL. Borrowed */
};

/*
 * Write the members of a result, without those that all have. ERR_INVALID_FIELD and
 * others; a->code may say which error of the protocol that is.
 */
typedef int rpc_method(struct rpc_ask *a, struct jw *w, struct err *e);

rpc_method rpc_tools_list, rpc_tools_call;
rpc_method rpc_resources_list, rpc_resources_templates, rpc_resources_read;
rpc_method rpc_prompts_list, rpc_prompts_get, rpc_complete;

/* Fails with ERR_INVALID_FIELD and that code of the protocol. */
int rpc_fail(struct rpc_ask *a, int code, struct err *e, const char *format, ...)
	PRINTF_LIKE(4, 5);

/* Writes a text as a block of content. */
void rpc_write_text(struct jw *w, struct str text);

/* Writes ttlMs and cacheScope, which the answers of 2026-07-28 that may be kept have. */
void rpc_write_cache(const struct rpc_ask *a, struct jw *w);

#endif
