/* SPDX-License-Identifier: MIT */
/*
 * What the model is sent: the parts of the system prompt, tool declarations,
 * thread (history.c), user message, and later the steps of this turn.
 * prompt/part.h says how many tokens each may have.
 */
#include "context/context.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/trace.h"
#include "prompt/builtin.h"
#include "tool/core/text.h"
#include "tool/web/web.h"
#include "context/attach.h"
#include "context/choose.h"
#include "context/cite.h"
#include "context/chosen.h"
#include "context/history.h"
#include "context/intent.h"
#include "context/knowledge.h"
#include "turn/loop.h"
#include "context/recall.h"
#include "context/remember.h"
#include "context/mention.h"
#include "context/place.h"
#include "context/setting.h"
#include "context/whose.h"

#include "base/banned.h"

enum { LARGE_TOKENS = 2000 };	/* of a request that may be too long */

void context_reserve(struct turn_loop *l, size_t n)
{
	l->messages = arena_room(l->arena, l->messages, l->n_messages, n,
				 &l->messages_size, sizeof(*l->messages));
}

struct llm_message *context_add(struct turn_loop *l, enum llm_role role,
				struct str text)
{
	struct llm_message *m;

	context_reserve(l, 1);
	m = &l->messages[l->n_messages++];
	*m = (struct llm_message){ .role = role, .text = text };
	return m;
}

/* The user's message follows the history; the rest are steps of the turn. */
static enum part_id part_of(const struct turn_loop *l, size_t message)
{
	if (message < l->n_history)
		return PART_HISTORY;
	return message == l->n_history ? PART_MESSAGE : PART_STEPS;
}

void context_count(struct turn_loop *l)
{
	struct part_share *s = l->share;

	s[PART_HISTORY].tokens = s[PART_MESSAGE].tokens =
		s[PART_STEPS].tokens = 0;
	for (size_t i = 0; i < l->n_messages; i++)
		s[part_of(l, i)].tokens += llm_message_tokens(&l->messages[i]);
	l->request.messages = l->messages;
	l->request.n_messages = l->n_messages;
}

int64_t context_tokens(const struct turn_loop *l)
{
	int64_t n = 0;

	for (int i = 0; i < PART__MAX; i++)
		n += l->share[i].tokens;
	return n;
}

/* -- prompt and tools ------------------------------------------------------- */

/*
 * Whether web search is on: the request's toggle, else the setting, or the
 * user's words (C30). A resumed turn keeps its value. A new answer may have
 * another toggle than its message.
 */
static bool wants_web(const struct turn_loop *l)
{
	const struct turn_run *t = l->run;

	return t->in.options.web > 0 ||
	       (!t->in.options.web &&
		turn_setting(t, SETTING_WEB_SEARCH).number) ||
	       web_asked(&l->tool_ctx.turn.by.conf->web_words,
			 t->in.content.n ? t->in.content : t->user.content);
}

/* The same for the calendar, by the user's words. */
static bool wants_calendar(const struct turn_loop *l)
{
	const struct turn_run *t = l->run;

	return text_has_words(t->in.content.n ? t->in.content : t->user.content,
			      &l->tool_ctx.turn.by.conf->calendar_words);
}

/*
 * Whoever chose the address of the service may answer in its place, so that what it calls
 * is what they want.
 */
static void note_service(struct turn_loop *l)
{
	const struct llm_service *s = l->run->in.target.service;

	if (s->payer == PAYER_WORKSPACE && s->set.url &&
	    !conf_list_has(&l->run->in.by.conf->trusted.services, str_of(s->url)))
		origins_add(&l->derived, ORIGIN_SERVICE, str_of(s->name));
}

/* Declares the tools; again when a call has changed the offer. */
static int offer_tools(struct turn_loop *l, struct err *e)
{
	struct part_share *share = &l->share[PART_TOOLS];
	const struct target *to = &l->run->in.target;
	bool takes = to->service->capabilities & LLM_CAN_TOOLS;
	struct llm_tool *declared;

	note_service(l);
	/* B21: without tools it still answers; rules need to know about them. */
	if (!takes && !to->automatic)
		return 0;
	/* Once: an answer to a question counts until the turn ends. */
	if (!l->nested && !l->tool_ctx.turn.said) {
		l->tool_ctx.turn.web = wants_web(l);
		l->tool_ctx.turn.calendar = wants_calendar(l);
		l->tool_ctx.turn.said = intent_of_turn(l);
	}
	if (tool_set_build(&l->tool_ctx, &l->tools, e) < 0)
		return -1;
	if (!takes)
		return 0;
	declared = arena_alloc(l->arena, (l->tools.n + 1) * sizeof(*declared));
	for (size_t i = 0; i < l->tools.n; i++) {
		const struct tool_offer *o = &l->tools.v[i];

		declared[i] = (struct llm_tool){
			.name = o->tool->name, .description = o->description,
			.schema = o->schema,
		};
		if (o->tool->unaccepted)
			origins_add(&l->derived, ORIGIN_MCP_OFFER,
				    str_of(o->tool->unaccepted));
	}
	origins_join(&l->taint, &l->derived);
	l->request.tools = declared;
	l->request.n_tools = l->tools.n;
	l->tool_forms = llm_tool_forms(to->service, declared, l->tools.n,
				       l->arena);
	share->want = 0;
	for (size_t i = 0; i < l->tools.n; i++)
		share->want += l->tool_forms[i].tokens;
	share->tokens = share->want;
	return 0;
}

void context_told_of_kept(struct turn_loop *l)
{
	struct err e = ERR_INIT;

	if (l->tool_ctx.turn.has_kept)
		return;
	l->tool_ctx.turn.has_kept = true;
	if (offer_tools(l, &e) < 0)
		log_err("read_result is not offered", &e);
}

/* Token limit of the request. */
static int64_t window(const struct llm_service *s)
{
	return s->context_tokens > 0
		? s->context_tokens - s->max_output_tokens : INT64_MAX / 2;
}

/* Tokens of the user's message and of the client's messages before it. */
static int64_t input_tokens(const struct turn_loop *l)
{
	return llm_message_tokens(&l->input) + llm_estimate_tokens(l->run->in.meta);
}

/* The tools as the model is told of them, one after the other. */
static struct str tool_texts(struct turn_loop *l)
{
	struct buf b = BUF_INIT(16 * 1024 * 1024);
	struct str out;

	for (size_t i = 0; i < l->request.n_tools; i++) {
		const struct llm_tool *t = &l->request.tools[i];

		buf_addf(&b, "%s\n%s\n", t->name, t->description);
		buf_addstr(&b, l->tool_forms[i].text);
		buf_addc(&b, '\n');
	}
	out = arena_str(l->arena, buf_str(&b));
	buf_release(&b);
	return out;
}

static struct str schema_text(struct turn_loop *l)
{
	return str_of(arena_printf(l->arena, "%s\n%s", prompt_typed_answer.text,
				   jx_text(l->arena, l->request.output_schema)));
}

/* A typed answer is asked for as in prompt/ask.h. */
static void add_schema(struct turn_loop *l)
{
	const struct prompt_text *typed = &prompt_typed_answer;

	if (l->request.output_schema)
		prompt_add(&l->blocks, l->arena, "schema", typed->name,
			   typed->version, schema_text(l));
}

/* Composes the system prompt and the history's share of the window. */
static int compose_prompt(struct turn_loop *l, struct err *e)
{
	const struct turn_request *in = &l->run->in;
	const struct part_input p = {
		.who = in->by.who, .teams = in->by.said,
		.module = l->nested ? NULL : chosen_module(l->run),
		.shown = l->nested ? NULL : in->options.shown,
		.conf = in->by.conf, .workspace = in->target.workspace,
		.agent = in->target.agent, .envelope = &l->untrusted,
		.said = l->nested ? NULL : in->by.said,
		.tools = l->tools.n > 0, .mentions = l->mentions.text,
		.knowledge = l->knowledge.text, .scope = place_scope(l),
		.place = l->place.text, .place_is_own = l->place.own,
		.memory = l->memory.text, .state = l->memory.state,
		.memory_is_own = !l->memory.from.n,
		.memory_version = (int)l->memory.m.number,
		.recalled = l->recalled.text, .recalled_own = l->recalled.own,
		.user_name = in->by.who->name,
		.now_us = clock_now_us(), .zone = turn_zone(l->run),
		.arena = l->arena, .from = &l->derived,
	};
	struct buf b = BUF_INIT(65536);
	struct jw w = jw_on(&b);
	struct prompt_stamp tools;
	const int64_t typed = l->request.output_schema
		? llm_estimate_tokens(schema_text(l)) : 0;

	l->share[PART_MESSAGE].want = input_tokens(l);
	l->share[PART_HISTORY].want =
		turn_setting(l->run, SETTING_HISTORY_TOKENS).number;
	if (part_compose(&p, window(l->run->in.target.service) - typed, l->share,
			 &l->blocks, e) < 0)
		return -1;
	add_schema(l);
	l->squeezed = l->share[PART_HISTORY].tokens <
		l->share[PART_HISTORY].want;
	for (int i = 0; i < PART__MAX; i++)
		if (part_rows[i].kind == PART_IS_DATA && l->share[i].tokens)
			origins_add(&l->derived, ORIGIN_CONTEXT,
				    str_of(part_rows[i].layer));
	if (l->share[PART_MEMORY].tokens || l->share[PART_STATE].tokens)
		origins_join(&l->derived, &l->memory.from);
	if (l->share[PART_RECALLED].tokens)
		origins_join(&l->derived, &l->recalled.from);
	whose_of_message(l);
	origins_join(&l->taint, &l->derived);
	l->request.system = l->blocks.text;
	l->request.n_system = l->blocks.n;
	tools = prompt_stamp_of(part_rows[PART_TOOLS].layer, "tools",
				TOOL_TEXTS_VERSION, tool_texts(l));
	prompt_stamps(&l->blocks, l->nested ? NULL : chosen_stamp(l->run),
		      l->request.n_tools ? &tools : NULL, &w);
	l->stamps = arena_str(l->arena, buf_str(&b));
	buf_release(&b);
	return 0;
}

/* -- results -------------------------------------------------------------- */

/*
 * The result as the model sees it: untrusted text in the envelope (A10); errors
 * are neutralised, because they may quote what the model was told to send. If
 * the user edited the arguments, the ones used follow.
 */
static struct str for_model(struct turn_loop *l, struct str tool,
			    struct str text, bool untrusted, bool is_error,
			    struct str edited)
{
	struct buf b = BUF_INIT(4 * LIM_ANSWER_BYTES);
	struct str s;

	if (!untrusted && !edited.n && !is_error)
		return text;
	if (untrusted)
		untrusted_wrap(&l->untrusted, tool, text, &b);
	else if (is_error)
		untrusted_clean(&l->untrusted, text, &b);
	else
		buf_addstr(&b, text);
	if (edited.n)
		buf_addf(&b, "\n[The user changed the arguments before approving "
			 "the call. It was run with: %.*s]", STR_ARG(edited));
	s = arena_str(l->arena, buf_str(&b));
	buf_release(&b);
	return s;
}

void context_add_result(struct turn_loop *l, const struct llm_tool_call *c,
			struct str text, bool untrusted, bool is_error,
			struct str edited)
{
	struct str shown = for_model(l, c->name, text, untrusted, is_error,
				     edited);
	struct llm_message *m = context_add(l, LLM_TOOL, shown);

	m->call_id = c->id;
	m->tool_name = c->name;
	m->is_error = is_error;
}

/* -- before the turn -------------------------------------------------------- */

/* The user's message, or a nested agent's task. */
static void read_input(struct turn_loop *l)
{
	l->input = (struct llm_message){
		.role = LLM_USER, .text = l->run->in.content,
	};
	if (l->task) {
		l->input.images = l->task->images;
		l->input.n_images = l->task->n_images;
	}
	if (!l->run->continues_seq)
		attach_add(l, l->run->in.options.attachments, &l->input);
}

static void add_input(struct turn_loop *l)
{
	*context_add(l, LLM_USER, l->input.text) = l->input;
}

static int build(struct turn_loop *l, struct err *e)
{
	struct history_own *own = NULL;

	l->request = (struct llm_request){
		.service = l->run->in.target.service, .stream = true,
	};
	if (!l->nested)
		generation_set(&l->generation, l->run, &l->request);
	untrusted_init(&l->untrusted);
	context_mentions(l);
	context_place(l);
	context_knowledge(l);
	context_memory(l);
	context_recall(l);
	if (offer_tools(l, e) < 0)
		return -1;
	/* The steps are always sent; the history gets the rest of the window. */
	if (l->run->resumed) {
		own = history_read_own(l, e);
		if (!own)
			return -1;
	}
	read_input(l);
	if (compose_prompt(l, e) < 0)
		return -1;
	attach_limit(l, window(l->request.service) - context_tokens(l));
	if (history_add(l, e) < 0)
		return -1;
	context_reserve(l, CONTEXT_OWN_MESSAGES);
	history_add_given(l, l->run->in.meta);
	l->n_history = l->n_messages;
	if (l->run->continues_seq)
		history_continue(l);
	else
		add_input(l);
	if (own)
		history_add_own(l, own);
	context_count(l);
	return 0;
}

/* Resets what context_build has built; taint: its value before that. */
static void forget(struct turn_loop *l, const struct origins *taint)
{
	l->n_messages = l->n_history = 0;
	memset(l->share, 0, sizeof(l->share));
	l->taint = *taint;
	l->derived.n = l->told.n = 0;
	l->iterations = 0;
	l->seen = NULL;
	l->stuck.n = 0;
	l->attach_ready = false;
	l->n_attach_images = 0;
	buf_reset(&l->step.text);
}

int context_build(struct turn_loop *l, struct err *e)
{
	const struct origins taint = l->taint;
	int64_t had;
	TRACE_SPAN(TRACE_CONTEXT, NULL);

	choose_before(l);
	cite_load(l);
	had = window(l->run->in.target.service);
	if (build(l, e) < 0)
		return -1;
	if (!choose_after(l))
		return 0;
	/* The history gets the additional room, and a model that sees the images. */
	if (l->has_images || (l->squeezed && l->share[PART_HISTORY].cut &&
			      window(l->run->in.target.service) > had)) {
		forget(l, &taint);
		return build(l, e);
	}
	context_serve(l);
	return 0;
}

/* -- during the turn -------------------------------------------------------- */

void context_add_step(struct turn_loop *l)
{
	const struct turn_step *s = &l->step;
	struct llm_tool_call *calls = arena_zalloc(l->arena, s->n_calls + 1,
						   sizeof(*calls));
	struct llm_message *m;

	for (size_t i = 0; i < s->n_calls; i++)
		calls[i] = (struct llm_tool_call){
			.id = s->calls[i].id, .name = s->calls[i].name,
			.args = s->calls[i].bad_args ? STR("{}")
						     : s->calls[i].args,
			.opaque = s->calls[i].opaque,
		};
	m = context_add(l, LLM_ASSISTANT, arena_str(l->arena, buf_str(&s->text)));
	m->calls = calls;
	m->n_calls = s->n_calls;
	m->replay = s->replay;
	for (size_t i = 0; i < s->n_calls; i++) {
		const struct turn_call *c = &s->calls[i];

		context_add_result(l, &calls[i], c->result.text, c->untrusted,
				   c->result.is_error, c->edited);
		if (c->result.kept)
			context_told_of_kept(l);
	}
	context_count(l);
}

/* Removes n messages of the history from number at on. */
static void drop_history(struct turn_loop *l, size_t at, size_t n)
{
	memmove(l->messages + at, l->messages + at + n,
		(l->n_messages - at - n) * sizeof(*l->messages));
	l->n_messages -= n;
	l->n_history -= n;
	l->share[PART_HISTORY].cut = true;
}

bool context_shorten(struct turn_loop *l)
{
	size_t drop = (l->n_history + 1) / 2;

	if (l->n_history == 0)
		return false;
	/* Cut at a user message only: a call must keep its results. */
	while (drop < l->n_history && l->messages[drop].role != LLM_USER)
		drop++;
	drop_history(l, 0, drop);
	context_count(l);
	return true;
}

bool context_shorten_much(struct turn_loop *l)
{
	int64_t most = l->share[PART_HISTORY].tokens / 4;
	bool cut = false;

	if (context_tokens(l) < LARGE_TOKENS)
		return false;
	while (l->share[PART_HISTORY].tokens > most && context_shorten(l))
		cut = true;
	return cut;
}

bool context_drop_unanswered(struct turn_loop *l)
{
	bool cut = false;
	size_t end;

	for (size_t i = 0; i < l->n_history; i = end) {
		for (end = i + 1; end < l->n_history &&
		     l->messages[end].role != LLM_USER; end++)
			continue;
		if (l->messages[end - 1].role == LLM_ASSISTANT &&
		    !l->messages[end - 1].n_calls)
			continue;
		drop_history(l, i, end - i);
		cut = true;
		end = i;
	}
	if (cut)
		context_count(l);
	return cut;
}

void context_serve(struct turn_loop *l)
{
	struct err e = ERR_INIT;

	l->request.service = l->run->in.target.service;
	l->request.n_tools = 0;
	l->share[PART_TOOLS].tokens = 0;
	if (offer_tools(l, &e) < 0)
		log_err("no tools for a service that takes over", &e);
	while (context_tokens(l) > window(l->run->in.target.service) &&
	       context_shorten(l))
		;
}

void context_last_call(struct turn_loop *l)
{
	struct llm_message *last = &l->messages[l->n_messages - 1];

	l->request.no_tool_calls = true;
	if (last->role != LLM_TOOL)
		return;
	last->text = str_of(arena_printf(l->arena,
		"%.*s\n\n[No more tool calls are possible in this turn. Answer "
		"now with what you have, and say what is missing.]",
		STR_ARG(last->text)));
}
