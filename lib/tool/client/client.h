/* SPDX-License-Identifier: MIT */
/* Shared by the files of lib/tool/client. */
#ifndef TOOL_CLIENT_H
#define TOOL_CLIENT_H

#include "tool/core/kind.h"

extern const struct tool_kind kind_client;

/* suggest_action (suggest.c). */
bool suggest_any(const struct tool *t, const struct tool_ctx *ctx);
int suggest_describe(const struct tool *t, const struct tool_ctx *ctx,
		     struct tool_offer *o, struct err *e);
int suggest_run(const struct tool *t, const struct tool_ctx *ctx,
		const json_t *args, struct buf *out, bool *is_json,
		struct err *e);

#endif
