/* SPDX-License-Identifier: MIT */
#include "tool/text/given.h"

#include "base/uuid.h"
#include "store/tool_output.h"
#include "tool/core/env.h"

#include "base/banned.h"

int given_text(const struct tool_ctx *ctx, const json_t *args,
	       struct str *out, struct err *e)
{
	struct str text = jx_str(args, "text"), result = jx_str(args, "result");
	const struct caller *by = &ctx->turn.by;
	struct tool_output kept;
	struct err cause = ERR_INIT;
	struct uuid id;

	if (!text.p == !result.p)
		return err_public(e, ERR_TOOL_ARGS, "Give either text or "
				  "result.");
	*out = text;
	if (text.p)
		return 0;
	if (!uuid_parse(result, &id) ||
	    store_tool_output_get(by->db, &by->owner, &id, ctx->arena, &kept,
				  &cause) < 0)
		return err_public(e, ERR_TOOL_ARGS, "There is no kept result "
				  "with this id.");
	*out = kept.content;
	return 0;
}
