/* Between registry.c and dispatch.c; others use tool.h. */
#ifndef TOOL_BUILTIN_H
#define TOOL_BUILTIN_H

#include "tool/tool.h"

/* The table of built-in tools; returns how many. */
size_t tool_builtin(const struct tool **out);

/* Agent's list, caller's permission, and the tool's own advertise. */
bool tool_allowed(const struct tool *t, const struct tool_ctx *ctx);

#endif
