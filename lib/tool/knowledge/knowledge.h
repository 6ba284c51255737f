/* The tools over knowledge bases, for their rows. */
#ifndef TOOL_KNOWLEDGE_H
#define TOOL_KNOWLEDGE_H

#include "tool/core/tool.h"

/* As `advertise` and `run` of struct tool. */
bool knowledge_search_may(const struct tool *t, const struct tool_ctx *ctx);
int knowledge_search_run(const struct tool *t, const struct tool_ctx *ctx,
			 const json_t *args, struct buf *out, bool *is_json,
			 struct err *e) MUST_CHECK;

#endif
