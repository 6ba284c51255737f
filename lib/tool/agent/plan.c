/* SPDX-License-Identifier: MIT */
/*
 * The tool `plan` (D52 to D58, A22): the turn makes and carries out the plan (struct
 * tool_host); from here it looks like any other tool.
 */
#include "tool/agent/agent.h"

#include "base/banned.h"

bool ready_plan_advertise(const struct tool *t, const struct tool_ctx *ctx)
{
	(void)t;
	return !ctx->turn.depth;	/* no plans of plans */
}

int ready_plan_run(const struct tool *t, const struct tool_ctx *ctx, const json_t *args,
		  struct buf *out, bool *is_json, struct err *e)
{
	*is_json = true;
	if (!ctx->host || !ctx->host->plan)
		return err_public(e, ERR_TOOL_FAILED, "A plan works only in a "
				  "conversation.");
	return ctx->host->plan(ctx, t, args, out, e);
}
