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

/*
 * Whether an agent that names no tools has t (B21): it has all that read, and one of
 * a file also those that change something. A tool that must be listed has to be in
 * the list of the workspace, which includes t.
 */
bool tool_unnamed(const struct tool *t, const struct workspace *w, const struct agent *a);

/* The strictest policy; for a tool that changes nothing, only its own counts. */
enum tool_confirm tool_policy(const struct tool *t, const struct tool_ctx *ctx);

/* Whether there is, or may be, a tool of this name. w MAY be NULL. */
bool tool_exists(const struct conf *conf, const struct workspace *w,
		 struct str name);

#endif
