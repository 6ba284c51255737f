/* SPDX-License-Identifier: MIT */
/*
 * Whether the user is asked before a call runs (A42, D57): the strictest policy
 * of the tool, the workspace and the tenant. The model cannot influence it.
 */
#include "agent/setting.h"
#include "tool/core/tool.h"

#include "base/banned.h"

static bool is_allowed(const struct tool *t, const struct tool_ctx *ctx)
{
	for (size_t i = 0; i < ctx->turn.n_allowed; i++)
		if (str_is(ctx->turn.allowed[i], t->name))
			return true;
	return false;
}

/* The strictest policy; for a tool that changes nothing, only its own counts. */
static enum tool_confirm policy_of(const struct tool *t,
				   const struct tool_ctx *ctx)
{
	if (t->effect == TOOL_READ)
		return t->confirm;
	return (enum tool_confirm)setting_get(SETTING_CONFIRM,
		&(struct setting_scope){
			.conf = ctx->turn.by.conf,
			.workspace = ctx->turn.workspace,
			.said = ctx->turn.by.said,
			.tool = { true, (int64_t)t->confirm } }).number;
}

bool tool_asks(const struct tool *t, const struct tool_ctx *ctx,
	       struct tool_question *q)
{
	enum tool_confirm policy = policy_of(t, ctx);
	bool tainted = ctx->taint && ctx->taint->n;
	/* With the policy always, an earlier permission does not count. */
	bool may_remember = policy != TOOL_CONFIRM_ALWAYS &&
		(t->remember == TOOL_REMEMBER_YES ||
		 (t->remember == TOOL_REMEMBER_BY_POLICY &&
		  t->effect != TOOL_DESTRUCTIVE));

	if (policy == TOOL_CONFIRM_NEVER ||
	    (policy == TOOL_CONFIRM_TAINTED && !tainted) ||
	    (may_remember && is_allowed(t, ctx)))
		return false;
	if (q)
		*q = (struct tool_question){
			.reason = policy == TOOL_CONFIRM_ALWAYS ? "policy"
				: "tainted",
			.may_remember = may_remember,
		};
	return true;
}
