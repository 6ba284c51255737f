/* Between registry.c and dispatch.c; others use tool.h. */
#ifndef TOOL_BUILTIN_H
#define TOOL_BUILTIN_H

#include "tool/core/tool.h"

/* The table of built-in tools; returns how many. */
size_t tool_builtin(const struct tool **out);

/*
 * read_result.c: keeps a result that is too long, so that read_result finds it
 * by *id. False when it cannot be kept (logged).
 */
bool read_result_keep(const struct tool_ctx *ctx, const char *tool,
		      struct str text, struct uuid *id);
bool read_result_any(const struct tool *t, const struct tool_ctx *ctx);
int read_result_run(const struct tool *t, const struct tool_ctx *ctx,
		    const json_t *args, struct buf *out, bool *is_json,
		    struct err *e) MUST_CHECK;

/* suggest_action (suggest.c). */
bool suggest_any(const struct tool *t, const struct tool_ctx *ctx);
int suggest_describe(const struct tool *t, const struct tool_ctx *ctx,
		     struct tool_offer *o, struct err *e);
int suggest_run(const struct tool *t, const struct tool_ctx *ctx,
		const json_t *args, struct buf *out, bool *is_json,
		struct err *e);

/* Agent's list, groups, caller's permission, and the tool's own advertise. */
bool tool_allowed(const struct tool *t, const struct tool_ctx *ctx);

#endif
