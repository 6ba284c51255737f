/* Between registry.c and dispatch.c; others use tool.h. */
#ifndef TOOL_BUILTIN_H
#define TOOL_BUILTIN_H

#include "tool/tool.h"

/* The table of built-in tools; returns how many. */
size_t tool_builtin(const struct tool **out);

/*
 * Whether schema can be that of a tool: of the subset, and an object. ERR_CONFIG
 * with the field "parameters…".
 */
int tool_parameters_check(const json_t *schema, struct err *e) MUST_CHECK;

/* Agent's list, groups, caller's permission, and the tool's own advertise. */
bool tool_allowed(const struct tool *t, const struct tool_ctx *ctx);

#endif
