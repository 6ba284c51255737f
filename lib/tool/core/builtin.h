/* SPDX-License-Identifier: MIT */
/* Shared by the files of core and the families; others use tool.h. */
#ifndef TOOL_BUILTIN_H
#define TOOL_BUILTIN_H

#include "tool/core/tool.h"

/*
 * read_result.c: keeps a result that is too long, so that read_result can find it
 * by *id. False if it cannot be kept (logged).
 */
bool read_result_keep(const struct tool_ctx *ctx, const char *tool,
		      struct str text, struct uuid *id);
bool read_result_any(const struct tool *t, const struct tool_ctx *ctx);
int read_result_run(const struct tool *t, const struct tool_ctx *ctx,
		    const json_t *args, struct buf *out, bool *is_json,
		    struct err *e) MUST_CHECK;

/* Whether one of its groups has this name. */
bool tool_in_group(const struct tool *t, struct str group);

/*
 * Whether this turn may use t: pool of its context type, lists of workspace and
 * agent, groups, the caller's permission, tiers, the tool's own advertise.
 */
bool tool_allowed(const struct tool *t, const struct tool_ctx *ctx);

/* Whether there is, or may be, a tool of this name. w MAY be NULL. */
bool tool_exists(const struct conf *conf, const struct workspace *w,
		 struct str name);

#endif
