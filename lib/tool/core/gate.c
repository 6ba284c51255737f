/* SPDX-License-Identifier: MIT */
/*
 * Whether a turn may use a tool: pool of its context type ∩ the workspace's list ∩ the
 * agent's list ∩ the tool's groups ∩ the caller's permissions ∩ tiers ∩ the tool's own
 * decision (advertise); what the context type gives need not be in the agent's list. And
 * whether the user is asked before a call runs (A42, D57): the strictest policy of the
 * tool, the workspace and the tenant; and for changes in projects what the user wants (C31, D10),
 * which the model declares, and by which it can only make a call be asked about. Of a call
 * that the user tries, each change is asked about, also where the policy is never.
 */
#include <string.h>

#include "setting/setting.h"
#include "auth/policy.h"
#include "tool/core/builtin.h"
#include "tool/core/text.h"

#include "base/banned.h"

/* -- asking ------------------------------------------------------------------------- */

static bool is_allowed(const struct tool *t, const struct tool_ctx *ctx)
{
	for (size_t i = 0; i < ctx->turn.n_allowed; i++)
		if (str_is(ctx->turn.allowed[i], t->name))
			return true;
	return false;
}

enum tool_confirm tool_policy(const struct tool *t, const struct tool_ctx *ctx)
{
	if (t->effect == TOOL_READ)
		return t->confirm;
	return (enum tool_confirm)setting_get(SETTING_CONFIRM,
		&(struct setting_scope){
			.conf = ctx->turn.by.conf,
			.workspace = ctx->turn.workspace,
			.values = ctx->turn.by.settings,
			.tool = { true, (int64_t)t->confirm } }).number;
}

bool tool_declares(const struct tool *t)
{
	return t->effect == TOOL_WRITE && !t->kind && t->group &&
		(tool_has_word(t->group, STR("project")) ||
		 tool_has_word(t->group, STR("project_create")) ||
		 tool_has_word(t->group, STR("entity_more")));
}

static const char *const modes[] = {
	[TOOL_MODE_NONE] = "", [TOOL_MODE_CLARIFY] = "clarify",
	[TOOL_MODE_INFORM] = "inform", [TOOL_MODE_ACT] = "act",
};

const char *tool_mode_name(enum tool_mode m)
{
	return modes[m];
}

enum tool_mode tool_mode_of(const struct tool *t, const struct tool_ctx *ctx,
			    const json_t *args)
{
	const struct str declared = jx_str(args, TOOL_MODE_KEY);

	if (!ctx->turn.intent || !tool_declares(t))
		return TOOL_MODE_NONE;
	/* Without act: the model cannot do more than the user wants. */
	for (int m = TOOL_MODE_CLARIFY; m < TOOL_MODE_ACT; m++)
		if (str_is(declared, modes[m]))
			return (enum tool_mode)m;
	return ctx->turn.intent;
}

bool tool_asks(const struct tool *t, const struct tool_ctx *ctx, const json_t *args,
	       struct tool_question *q)
{
	const enum tool_mode mode = tool_mode_of(t, ctx, args);
	enum tool_confirm policy = ctx->turn.trial && t->effect != TOOL_READ
		? TOOL_CONFIRM_ALWAYS : tool_policy(t, ctx);
	bool tainted = ctx->taint && ctx->taint->n;
	bool held = mode && mode != TOOL_MODE_ACT;
	/* With the policy always, an earlier permission does not count. */
	bool may_remember = policy != TOOL_CONFIRM_ALWAYS &&
		(t->remember == TOOL_REMEMBER_YES ||
		 (t->remember == TOOL_REMEMBER_BY_POLICY &&
		  t->effect != TOOL_DESTRUCTIVE));
	bool by_policy = policy == TOOL_CONFIRM_ALWAYS ||
		(policy == TOOL_CONFIRM_TAINTED && tainted);

	if ((!by_policy && !held) || (may_remember && is_allowed(t, ctx)))
		return false;
	if (q)
		*q = (struct tool_question){
			.reason = policy == TOOL_CONFIRM_ALWAYS ? "policy"
				: by_policy ? "tainted" : "intent",
			.may_remember = may_remember,
		};
	return true;
}

/* -- use ---------------------------------------------------------------------------- */

bool tool_in_group(const struct tool *t, struct str group)
{
	return t->group && tool_has_word(t->group, group);
}

/*
 * Whether a list of names and "group:NAME" includes t. Every list except "none"
 * includes read_result, which only returns results of the others.
 */
static bool is_listed(const struct conf_list *l, const struct tool *t)
{
	if (conf_list_has(l, str_of(t->name)))
		return true;
	if (t->reads_kept)
		return !conf_list_has(l, STR("none"));
	for (size_t i = 0; i < l->n; i++)
		if (strncmp(l->v[i], "group:", 6) == 0 &&
		    tool_in_group(t, str_of(l->v[i] + 6)))
			return true;
	return false;
}

/* Within an agent, the user cannot be asked, and there is no page. */
static bool within_agents(const struct tool *t, const struct tool_ctx *ctx)
{
	static const struct origins anybody = { .n = 1 };
	struct tool_ctx strict = *ctx;

	/* As if it had read others' text: what an agent will read is not known yet. */
	strict.taint = &anybody;
	strict.turn.n_allowed = 0;
	return t->visibility == TOOL_SERVER && !t->suggests &&
	       !tool_asks(t, &strict, NULL, NULL);
}

bool tool_unnamed(const struct tool *t, const struct workspace *w, const struct agent *a)
{
	if (t->effect != TOOL_READ)
		return !t->listed_only && (!a || a->source == SOURCE_CONFIG);
	return !t->listed_only || (w && w->set.allow_tools);
}

bool tool_allowed(const struct tool *t, const struct tool_ctx *ctx)
{
	const struct workspace *w = ctx->turn.workspace;
	const struct agent *a = ctx->turn.agent;

	/*
	 * Not to agents within agents, which have what they list, nor to those with none. A
	 * step of a plan has what it lists of that.
	 */
	const bool given = w && w->projects &&
		(!ctx->turn.depth || (ctx->turn.plan && a && is_listed(&a->tools, t))) &&
		(tool_pool_gives(ctx->turn.pool, t) ||
		 (ctx->turn.calendar && tool_pool_requested(t))) &&
		!(a && conf_list_has(&a->tools, STR("none")));

	if (!given && !tool_pool_has(ctx->turn.pool, t))
		return false;
	if (w && w->set.allow_tools && !is_listed(&w->allow_tools, t))
		return false;
	if (!given && (a && a->set.tools ? !is_listed(&a->tools, t)
		       : !tool_unnamed(t, w, a)))
		return false;
	if (t->external && !ctx->turn.web)
		return false;
	if (t->groups && !policy_in_groups(ctx->turn.by.who, t->groups))
		return false;
	if (ctx->turn.depth && !ctx->turn.plan && !within_agents(t, ctx))
		return false;
	if (ctx->turn.by.who && ctx->turn.by.who->read_only && t->effect != TOOL_READ)
		return false;
	if (!policy_may_use_tool(ctx->turn.by.who, t->name))
		return false;
	return !t->advertise || t->advertise(t, ctx);
}
