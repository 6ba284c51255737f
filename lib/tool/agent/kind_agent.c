/* SPDX-License-Identifier: MIT */
/*
 * A model with a prompt of its own as a tool (A17, A19, A20, A22): one call of
 * it, or a loop with tools. The turn runs the loop (struct tool_host); from here
 * it looks like any other tool.
 */
#include <stddef.h>

#include "llm/llm.h"
#include "tool/agent/agent.h"

#include "base/banned.h"

enum { TIMEOUT_MS = 300000 };

static const struct llm_service *by_capability(const struct conf *c,
					       unsigned want)
{
	const struct catalog *all = catalog_of(c);

	for (size_t i = 0; i < all->n_services; i++) {
		struct err ignored = ERR_INIT;

		if (llm_check_can(&all->services[i], want, &ignored) == 0)
			return &all->services[i];
	}
	return NULL;
}

const struct llm_service *
tool_agent_service(const struct conf *c, const struct conf_tool_agent *a)
{
	if (*a->llm_service)
		return catalog_service(c, str_of(a->llm_service));
	return a->capability ? by_capability(c, a->capability) : NULL;
}

/*
 * Offered up to a certain depth; if it requires its own model, only if there is
 * one (A21).
 */
static bool advertise(const struct tool *t, const struct tool_ctx *ctx)
{
	const struct conf_tool *c = t->data;

	return ctx->turn.depth < TOOL_DEPTH &&
	       (!c->agent->capability ||
		tool_agent_service(ctx->turn.by.conf, c->agent));
}

static int run_agent(const struct tool *t, const struct tool_ctx *ctx,
		     const json_t *args, struct buf *out, bool *is_json,
		     struct err *e)
{
	const struct tool_task task = {
		.tool = t->data, .input = str_of(jx_text(ctx->arena, args)),
	};

	if (!ctx->host)
		return err_public(e, ERR_TOOL_FAILED, "The tool \"%s\" works "
				  "only in a conversation.", t->name);
	*is_json = false;
	return ctx->host->agent(ctx, &task, out, e);
}

/* What the model would get, as far as it is known before its first answer. */
static int dry_run(const struct tool *t, const struct tool_ctx *ctx,
		   const json_t *args, struct buf *out, struct err *e)
{
	const struct conf_tool_agent *a =
		((const struct conf_tool *)t->data)->agent;
	const struct llm_service *s = tool_agent_service(ctx->turn.by.conf, a);

	(void)e;
	buf_addf(out, "llm_service: %s\ntools:", s ? s->id : "the agent's");
	for (size_t i = 0; i < a->tools.n; i++)
		buf_addf(out, " %s", a->tools.v[i]);
	buf_addf(out, "%s\nprompt: %s\ninput: ",
		 a->tools.n ? "" : " none, a single call", a->prompt);
	jx_dump(out, args);
	buf_addc(out, '\n');
	return 0;
}

static int check_agent_tool(const struct conf *conf, const struct workspace *w,
			    const struct conf_tool *c, struct err *e)
{
	const char *id = c->agent->llm_service;
	const struct llm_service *s = catalog_service(conf, str_of(id));
	const char *near = catalog_service_near(conf, str_of(id));
	struct err fault = ERR_INIT;

	(void)w;
	if (*id && !s)
		return err_field(e, ERR_CONFIG, "agent.llm_service",
				 "there is no LLM service \"%.60s\"." STR_MEANT,
				 id, STR_MEANT_ARG(near));
	if (*id && c->agent->capability)
		return err_field(e, ERR_CONFIG, "agent.capability",
				 "either llm_service or capability, not both");
	if (s && llm_check_can(s, LLM_CAN_CHAT, &fault) < 0)
		return err_field(e, ERR_CONFIG, "agent.llm_service", "%s",
				 err_message(&fault));
	return 0;
}

const struct tool_kind kind_agent = {
	.name = "agent",
	.section = offsetof(struct conf_tool, agent),
	.check = check_agent_tool,
	.agent = agent_of_tool,
	.row = {
		.timeout_ms = TIMEOUT_MS, .advertise = advertise, .run = run_agent,
		.dry_run = dry_run,
	},
};
