/* SPDX-License-Identifier: MIT */
/*
 * The input of tools that search a text (find_pii, analyse_log): an argument,
 * or a long result that was kept, so that it need not pass through the model.
 */
#ifndef TOOL_GIVEN_H
#define TOOL_GIVEN_H

#include "tool/core/tool.h"

/* Either of them, in ctx->arena or borrowed from args. ERR_TOOL_ARGS. */
int given_text(const struct tool_ctx *ctx, const json_t *args,
	       struct str *out, struct err *e) MUST_CHECK;

/* The tools (rows.c). */
int find_pii_run(const struct tool *t, const struct tool_ctx *ctx,
		 const json_t *args, struct buf *out, bool *is_json,
		 struct err *e) MUST_CHECK;
int analyse_log_run(const struct tool *t, const struct tool_ctx *ctx,
		    const json_t *args, struct buf *out, bool *is_json,
		    struct err *e) MUST_CHECK;

#endif
