/* SPDX-License-Identifier: MIT */
/* Shared by the files of lib/tool/agent. */
#ifndef TOOL_AGENT_H
#define TOOL_AGENT_H

#include "tool/agent/option.h"
#include "tool/core/kind.h"

extern const struct tool_kind kind_agent, kind_image_text;

/*
 * ready.c: tools that need no declaration, unless the configuration switches them
 * off or declares others in their place. As in struct tool_family.
 */
void ready_add(const struct tool_ctx *ctx, struct tool_rows *rows);
bool ready_makes(const struct conf *conf, struct str name);
bool ready_has_group(const struct conf *conf, struct str group);
const char *ready_name_at(const struct conf *conf, size_t i);

/* plan.c: as in struct tool. */
bool ready_plan_advertise(const struct tool *t, const struct tool_ctx *ctx);
int ready_plan_run(const struct tool *t, const struct tool_ctx *ctx, const json_t *args,
		  struct buf *out, bool *is_json, struct err *e) MUST_CHECK;

#endif
