/*
 * Tools that look through a text (find_pii, analyse_log): the text is an
 * argument, or a long result that was kept, so that it need not go through the
 * model.
 */
#ifndef TOOL_GIVEN_H
#define TOOL_GIVEN_H

#include "tool/core/tool.h"

/* Schema of the two arguments, to stand in "properties". */
#define GIVEN_PROPERTIES \
	"\"text\":{\"type\":\"string\",\"description\":\"The text\"}," \
	"\"result\":{\"type\":\"string\",\"description\":\"Instead of text: " \
	"id of a long result that was cut\"}"

/* Either of them, in ctx->arena or borrowed from args. ERR_TOOL_ARGS. */
int given_text(const struct tool_ctx *ctx, const json_t *args,
	       struct str *out, struct err *e) MUST_CHECK;

/* Only where an agent lists the tool, or its group: few need it (A68). */
bool given_chosen(const struct tool *t, const struct tool_ctx *ctx);

/* The tools' rows (registry.c has the table). */
int find_pii_run(const struct tool *t, const struct tool_ctx *ctx,
		 const json_t *args, struct buf *out, bool *is_json,
		 struct err *e) MUST_CHECK;
int analyse_log_run(const struct tool *t, const struct tool_ctx *ctx,
		    const json_t *args, struct buf *out, bool *is_json,
		    struct err *e) MUST_CHECK;

#endif
