/*
 * Whether the user is asked before a call runs (A42, D57): the strictest of
 * what the tool, the workspace and the tenant say. The model has no part in it.
 */
#include "tool/core/tool.h"

#include "base/banned.h"

static bool is_allowed(const struct tool *t, const struct tool_ctx *ctx)
{
	for (size_t i = 0; i < ctx->n_allowed; i++)
		if (str_is(ctx->allowed[i], t->name))
			return true;
	return false;
}

/* What workspace and tenant ask for at least, of tools that change something. */
static enum tool_confirm least(const struct tool *t, const struct tool_ctx *ctx)
{
	enum tool_confirm tenant = ctx->conf->confirm;
	enum tool_confirm workspace = ctx->workspace
		? ctx->workspace->confirm : TOOL_CONFIRM_NEVER;

	return t->effect == TOOL_READ ? TOOL_CONFIRM_NEVER
		: MAX(tenant, workspace);
}

bool tool_asks(const struct tool *t, const struct tool_ctx *ctx,
	       struct tool_question *q)
{
	enum tool_confirm floor = least(t, ctx), policy = MAX(t->confirm, floor);
	bool tainted = ctx->taint && ctx->taint->n;
	/* What is to be asked about always is: nobody's "yes" holds for later. */
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
