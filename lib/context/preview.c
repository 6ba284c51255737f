/* SPDX-License-Identifier: MIT */

#include "context/preview.h"
#include "context/payload.h"

#include <stdio.h>
#include <string.h>

#include "domain/stored.h"
#include "auth/policy.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "prompt/shown.h"
#include "store/conversation.h"
#include "context/attach.h"
#include "context/prompt_use.h"
#include "context/context.h"
#include "context/setting.h"

#include "base/banned.h"

/* The message would be the next one of the conversation, if there is one. */
static int find_place(struct turn_run *t, struct err *e)
{
	struct conversation c;

	if (t->created_conversation)
		return 0;
	if (conversation_get(t->deps->db, &t->in.by.owner, &t->conversation_id,
			     t->arena, &c, e) < 0)
		return -1;
	if (!str_is(c.workspace_id, t->in.target.workspace->id) ||
	    !str_is(c.agent_id, t->in.target.agent->id))
		return err_set(e, ERR_NOT_FOUND, "a conversation of another agent");
	t->user.seq = c.last_seq + 1;
	t->user.options = options_kept(t->arena, &t->in.options);
	if (!message_has_place(&t->user.options))
		message_place_take(&t->user.options, &c.context);
	options_recall(t->arena, &t->in.options, &t->user.options);
	return 0;
}

static int build(struct context *cx, struct context_preview *out,
		 struct err *e)
{
	struct turn_step none = { .text = BUF_INIT(1) };
	struct llm_wire wire;

	if (find_place(cx->run, e) < 0 || context_build(cx, &none, e) < 0 ||
	    llm_build(&cx->request, cx->arena, &wire, e) < 0)
		return -1;
	*out = (struct context_preview){
		.by = cx->run->in.by, .workspace = cx->run->in.target.workspace,
		.agent = cx->run->in.target.agent, .rule = cx->rule,
		.own = cx->run->in.target.own,
		.conversation_id = cx->run->in.conversation_id,
		.service = cx->run->in.target.service, .blocks = cx->blocks,
		.tools = cx->request.tools, .forms = cx->tool_forms,
		.n_tools = cx->request.n_tools, .n_messages = cx->n_messages,
		.tokens = context_tokens(cx),
		.body = arena_str(cx->arena, buf_str(&wire.body)),
	};
	memcpy(out->share, cx->share, sizeof(out->share));
	buf_release(&wire.body);
	return 0;
}

/*
 * Applies the user's settings. A new conversation needs nothing else from the
 * database, so if it is down the preview goes without, with a log entry.
 */
static int check_target(struct turn_run *t, struct err *e)
{
	struct err why = ERR_INIT;

	if (context_settings_read(t, &why) < 0)
		log_err("a preview without the user's settings", &why);
	return target_can_chat(&t->in.target, e);
}

int context_preview(const struct turn_deps *deps, const struct turn_request *in,
		    struct arena *a, struct context_preview *out,
		    struct err *e)
{
	struct turn_run *t = arena_new(a, struct turn_run);
	/* Without a sink nothing is told, no service is called and nothing is stored. */
	struct relay nobody = { .run = t };
	struct str client;
	int rc;

	*t = (struct turn_run){
		.deps = deps, .in = *in, .arena = a,
		.conversation_id = in->conversation_id,
		.created_conversation = uuid_is_nil(&in->conversation_id),
	};
	if (attach_read(t, e) < 0)
		return -1;
	t->in.meta = options_meta(a, in->meta, &t->in.options);
	if (context_prompt_find(t, e) < 0 || context_module_find(t, e) < 0 ||
	    shown_check(in->options.shown, "pageContext", e) < 0 ||
	    options_text(&in->options, true, a, &client, e) < 0 ||
	    target_settle(&t->in.by, &t->in.target, a, e) < 0 ||
	    check_target(t, e) < 0)
		return -1;
	context_init(arena_new(a, struct context), t, a, &nobody);
	t->context->tool_ctx.turn.conversation_id = &t->conversation_id;
	options_tools(client, a, &t->context->tool_ctx);
	rc = build(t->context, out, e);
	context_release(t->context);
	return rc;
}

/* -- as JSON ------------------------------------------------------------------- */

/*
 * Whether the caller may read the text of a layer. Texts of admins are
 * protected; prompts of agents are not secret, as their records show them.
 */
static bool may_read(const struct context_preview *p, int part,
		     const struct prompt_stamp *stamp)
{
	if (policy_may(p->by.who, PERM_PROMPTS_INSPECT))
		return true;
	switch (part) {
	case PART_PLATFORM:
	case PART_TEAM:
	case PART_MODULE:
		return false;
	case PART_WORKSPACE:
		return p->workspace->row && stored_manages(&p->by, p->workspace);
	case PART_AGENT:	/* chat.system_prompt is the installation's */
		return strcmp(stamp->name, "chat") != 0;
	default:
		return true;
	}
}

static void write_text(const struct context_preview *p,
		       enum context_preview_for who, int part, size_t block,
		       struct jw *w)
{
	const struct prompt_stamp *stamp = &p->blocks.stamp[block];
	struct str text = p->blocks.text[block], head = text;

	jw_kstrz(w, "name", stamp->name);
	jw_kint(w, "version", stamp->version);
	if (who == PREVIEW_FOR_CALLER && !may_read(p, part, stamp)) {
		jw_kstrz(w, "hash", NULL);
		jw_kstrz(w, "text", NULL);
		return;
	}
	if (who == PREVIEW_FOR_CALLER)
		head = utf8_head(text, LIM_PREVIEW_CHARS);
	jw_kstrz(w, "hash", stamp->hash);
	jw_kstr(w, "text", head);
	if (head.n < text.n)
		jw_kbool(w, "textCut", true);
}

/* Describes a part: its numbers and, for a prompt block, the block. */
static void write_part(const struct context_preview *p,
		       enum context_preview_for who, int i, struct jw *w)
{
	const struct part_share *s = &p->share[i];

	jw_obj(w);
	jw_kstrz(w, "part", part_rows[i].layer);
	jw_kint(w, "tokens", s->tokens);
	jw_kbool(w, "cut", s->cut);
	for (size_t k = 0; part_rows[i].fill && k < p->blocks.n; k++)
		if (strcmp(p->blocks.stamp[k].layer, part_rows[i].layer) == 0)
			write_text(p, who, i, k, w);
	jw_end_obj(w);
}

static void write_tool(const struct context_preview *p, size_t i, struct jw *w)
{
	jw_obj(w);
	jw_kstrz(w, "name", p->tools[i].name);
	jw_kstrz(w, "description", p->tools[i].description);
	jw_key(w, "schema");
	jw_json(w, p->forms[i].schema);
	jw_kint(w, "tokens", p->forms[i].tokens);
	jw_end_obj(w);
}

/* Writes an amount of money with enough digits to show a single token. */
static void write_money(struct jw *w, const char *key, double per_million,
			int64_t tokens)
{
	char text[64];

	snprintf(text, sizeof(text), "%.6f",
		 per_million * (double)tokens / 1e6);
	jw_key(w, key);
	jw_raw(w, str_of(text));
}

/* Cost of the first call; the maximum answer gives an upper limit only. */
static void write_cost(const struct context_preview *p, struct jw *w)
{
	const struct llm_service *s = p->service;

	jw_key(w, "cost");
	if (!s->set.price) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	jw_kstrz(w, "currency", p->by.conf->currency);
	write_money(w, "input", s->input_price, p->tokens);
	write_money(w, "outputMax", s->output_price, s->max_output_tokens);
	jw_end_obj(w);
}

static void write_head(const struct context_preview *p, struct jw *w)
{
	const struct llm_service *s = p->service;

	jw_kstrz(w, "workspaceId", p->workspace->id);
	jw_kstrz(w, "agentId", p->agent->id);
	jw_kuuid_if(w, "conversationId", &p->conversation_id);
	jw_kstrz(w, "serviceId", p->own ? NULL : s->id);
	jw_kbool(w, "ownService", p->own);
	jw_kstrz(w, "rule", p->rule);
	jw_kstrz(w, "provider", s->provider);
	jw_kstrz(w, "model", s->model);
	jw_kint(w, "inputTokens", p->tokens);
	jw_kint(w, "contextTokens", s->context_tokens);
	jw_kint(w, "maxOutputTokens", s->max_output_tokens);
	jw_kint(w, "messages", (int64_t)p->n_messages);
	write_cost(p, w);
}

void context_preview_write(const struct context_preview *p,
			   enum context_preview_for who, struct jw *w)
{
	jw_obj(w);
	write_head(p, w);
	jw_key(w, "parts");
	jw_arr(w);
	for (int i = 0; i < PART__MAX; i++)
		if (p->share[i].tokens || p->share[i].cut)
			write_part(p, who, i, w);
	jw_end_arr(w);
	jw_key(w, "tools");
	jw_arr(w);
	for (size_t i = 0; i < p->n_tools; i++)
		write_tool(p, i, w);
	jw_end_arr(w);
	if (who == PREVIEW_FOR_ADMIN) {
		jw_key(w, "request");
		jw_raw(w, p->body);
	}
	jw_end_obj(w);
}
