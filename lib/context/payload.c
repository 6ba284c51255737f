/* SPDX-License-Identifier: MIT */
#include "context/payload.h"

#include "base/limits.h"
#include "base/log.h"
#include "context/context.h"
#include "context/intent.h"
#include "context/setting.h"
#include "tool/core/text.h"
#include "tool/web/web.h"

#include "base/banned.h"

void context_reserve(struct context *cx, size_t n)
{
	cx->messages = arena_room(cx->arena, cx->messages, cx->n_messages, n,
				 &cx->messages_size, sizeof(*cx->messages));
}

struct llm_message *context_add(struct context *cx, enum llm_role role,
				struct str text)
{
	struct llm_message *m;

	context_reserve(cx, 1);
	m = &cx->messages[cx->n_messages++];
	*m = (struct llm_message){ .role = role, .text = text };
	return m;
}

/* The user's message follows the history; the rest are steps of the turn. */
static enum part_id part_of(const struct context *cx, size_t message)
{
	if (message < cx->n_history)
		return PART_HISTORY;
	return message == cx->n_history ? PART_MESSAGE : PART_STEPS;
}

void context_count(struct context *cx)
{
	struct part_share *s = cx->share;

	s[PART_HISTORY].tokens = s[PART_MESSAGE].tokens =
		s[PART_STEPS].tokens = 0;
	for (size_t i = 0; i < cx->n_messages; i++)
		s[part_of(cx, i)].tokens += llm_message_tokens(&cx->messages[i]);
	cx->request.messages = cx->messages;
	cx->request.n_messages = cx->n_messages;
}

int64_t context_tokens(const struct context *cx)
{
	int64_t n = 0;

	for (int i = 0; i < PART__MAX; i++)
		n += cx->share[i].tokens;
	return n;
}

/* -- tools --------------------------------------------------------------------------- */

/*
 * Whether web search is on: the request's toggle, else the setting, or the
 * user's words (C30). A resumed turn keeps its value. A new answer may have
 * another toggle than its message.
 */
static bool wants_web(const struct context *cx)
{
	const struct turn_run *t = cx->run;

	return t->in.options.web > 0 ||
	       (!t->in.options.web &&
		context_setting(t, SETTING_WEB_SEARCH).number) ||
	       web_asked(&cx->tool_ctx.turn.by.conf->web_words,
			 t->in.content.n ? t->in.content : t->user.content);
}

/* The same for the calendar, by the user's words. */
static bool wants_calendar(const struct context *cx)
{
	const struct turn_run *t = cx->run;

	return text_has_words(t->in.content.n ? t->in.content : t->user.content,
			      &cx->tool_ctx.turn.by.conf->calendar_words);
}

/*
 * Whoever chose the address of the service may answer in its place, so that what it calls
 * is what they want.
 */
static void note_service(struct context *cx)
{
	const struct llm_service *s = cx->run->in.target.service;

	if (s->payer == PAYER_WORKSPACE && s->set.url &&
	    !conf_list_has(&cx->run->in.by.conf->trusted.services, str_of(s->url)))
		origins_add(&cx->derived, ORIGIN_SERVICE, str_of(s->name));
}

int context_offer_tools(struct context *cx, struct err *e)
{
	struct part_share *share = &cx->share[PART_TOOLS];
	const struct target *to = &cx->run->in.target;
	bool takes = to->service->capabilities & LLM_CAN_TOOLS;
	struct llm_tool *declared;

	note_service(cx);
	/* B21: without tools it still answers; rules need to know about them. */
	if (!takes && !to->automatic)
		return 0;
	/* Once: an answer to a question counts until the turn ends. */
	if (!cx->outer && !cx->tool_ctx.turn.intent) {
		cx->tool_ctx.turn.web = wants_web(cx);
		cx->tool_ctx.turn.calendar = wants_calendar(cx);
		cx->tool_ctx.turn.intent = intent_of_turn(cx);
	}
	cx->tool_ctx.turn.trial = !cx->outer && cx->run->in.options.try_tool;
	if (tool_set_build(&cx->tool_ctx, &cx->tools, e) < 0)
		return -1;
	if (!takes)
		return 0;
	declared = arena_alloc(cx->arena, (cx->tools.n + 1) * sizeof(*declared));
	for (size_t i = 0; i < cx->tools.n; i++) {
		const struct tool_offer *o = &cx->tools.v[i];

		declared[i] = (struct llm_tool){
			.name = o->tool->name, .description = o->description,
			.schema = o->schema,
		};
		if (o->tool->unaccepted)
			origins_add(&cx->derived, ORIGIN_MCP_OFFER,
				    str_of(o->tool->unaccepted));
	}
	origins_join(&cx->taint, &cx->derived);
	cx->request.tools = declared;
	cx->request.n_tools = cx->tools.n;
	cx->tool_forms = llm_tool_forms(to->service, declared, cx->tools.n,
				       cx->arena);
	share->want = 0;
	for (size_t i = 0; i < cx->tools.n; i++)
		share->want += cx->tool_forms[i].tokens;
	share->tokens = share->want;
	return 0;
}

void context_offer_read_result(struct context *cx)
{
	struct err e = ERR_INIT;

	if (cx->tool_ctx.turn.has_kept)
		return;
	cx->tool_ctx.turn.has_kept = true;
	if (context_offer_tools(cx, &e) < 0)
		log_err("read_result is not offered", &e);
}

/* -- results ------------------------------------------------------------------------- */

/*
 * The result as the model sees it: untrusted text in the envelope (A10); errors
 * are neutralised, because they may quote what the model was told to send. If
 * the user edited the arguments, the ones used follow.
 */
static struct str for_model(struct context *cx, struct str tool,
			    struct str text, bool untrusted, bool is_error,
			    struct str edited)
{
	struct buf b = BUF_INIT(4 * LIM_ANSWER_BYTES);
	struct str s;

	if (!untrusted && !edited.n && !is_error)
		return text;
	if (untrusted)
		untrusted_wrap(&cx->untrusted, tool, text, &b);
	else if (is_error)
		untrusted_clean(&cx->untrusted, text, &b);
	else
		buf_addstr(&b, text);
	if (edited.n)
		buf_addf(&b, "\n[The user changed the arguments before approving "
			 "the call. It was run with: %.*s]", STR_ARG(edited));
	s = arena_str(cx->arena, buf_str(&b));
	buf_release(&b);
	return s;
}

void context_add_result(struct context *cx, const struct llm_tool_call *c,
			struct str text, bool untrusted, bool is_error,
			struct str edited)
{
	struct str shown = for_model(cx, c->name, text, untrusted, is_error,
				     edited);
	struct llm_message *m = context_add(cx, LLM_TOOL, shown);

	m->call_id = c->id;
	m->tool_name = c->name;
	m->is_error = is_error;
}
