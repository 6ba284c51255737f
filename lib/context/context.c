/* SPDX-License-Identifier: MIT */
/*
 * What the model is sent: the parts of the system prompt, tool declarations,
 * thread (history.c), user message, and later the steps of this turn.
 * prompt/part.h says how many tokens each may have.
 */
#include "context/context.h"
#include "context/payload.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/trace.h"
#include "db/db.h"
#include "prompt/builtin.h"
#include "tool/core/passage.h"
#include "tool/core/text.h"
#include "tool/web/web.h"
#include "context/attach.h"
#include "context/routing.h"
#include "context/cite.h"
#include "context/prompt_use.h"
#include "context/history.h"
#include "context/intent.h"
#include "context/knowledge.h"
#include "context/recall.h"
#include "context/remember.h"
#include "context/mention.h"
#include "context/place.h"
#include "context/setting.h"
#include "context/whose.h"

#include "base/banned.h"

enum { LARGE_TOKENS = 2000 };	/* of a request that may be too long */

void context_init(struct context *cx, struct turn_run *t, struct arena *a,
		  struct relay *r)
{
	*cx = (struct context){
		.run = t, .arena = a, .relay = r,
		.tool_ctx = {
			.turn = {
				.by = t->in.by, .env = t->deps->tools,
				.workspace = t->in.target.workspace,
				.agent = t->in.target.agent,
			},
			.arena = a,
		},
	};
	cx->tool_ctx.passages = cx->cites.all = passages_new();
	t->context = cx;
}

void context_release(struct context *cx)
{
	passages_free(cx->cites.all);
	cx->cites.all = NULL;
}

/* Token limit of the request. */
static int64_t window(const struct llm_service *s)
{
	return s->context_tokens > 0
		? s->context_tokens - s->max_output_tokens : INT64_MAX / 2;
}

/* Tokens of the user's message and of the client's messages before it. */
static int64_t input_tokens(const struct context *cx)
{
	return llm_message_tokens(&cx->input) + llm_estimate_tokens(cx->run->in.meta);
}

/* The tools as the model is told of them, one after the other. */
static struct str tool_texts(struct context *cx)
{
	struct buf b = BUF_INIT(16 * 1024 * 1024);
	struct str out;

	for (size_t i = 0; i < cx->request.n_tools; i++) {
		const struct llm_tool *t = &cx->request.tools[i];

		buf_addf(&b, "%s\n%s\n", t->name, t->description);
		buf_addstr(&b, cx->tool_forms[i].text);
		buf_addc(&b, '\n');
	}
	out = arena_str(cx->arena, buf_str(&b));
	buf_release(&b);
	return out;
}

static struct str schema_text(struct context *cx)
{
	return str_of(arena_printf(cx->arena, "%s\n%s", prompt_typed_answer.text,
				   jx_text(cx->arena, cx->request.output_schema)));
}

/* A typed answer is asked for as in prompt/ask.h. */
static void add_schema(struct context *cx)
{
	const struct prompt_text *typed = &prompt_typed_answer;

	if (cx->request.output_schema)
		prompt_add(&cx->blocks, cx->arena, "schema", typed->name,
			   typed->version, schema_text(cx));
}

/* Composes the system prompt and the history's share of the window. */
static int compose_prompt(struct context *cx, struct err *e)
{
	const struct turn_request *in = &cx->run->in;
	const struct part_input p = {
		.who = in->by.who, .teams = in->by.settings,
		.module = cx->outer ? NULL : context_module(cx->run),
		.shown = cx->outer ? NULL : in->options.shown,
		.conf = in->by.conf, .workspace = in->target.workspace,
		.agent = in->target.agent, .envelope = &cx->untrusted,
		.values = cx->outer ? NULL : in->by.settings,
		.tools = cx->tools.n > 0, .mentions = cx->mentions.text,
		.knowledge = cx->knowledge.text, .scope = place_scope(cx),
		.place = cx->place.text, .place_is_own = cx->place.own,
		.memory = cx->memory.text, .state = cx->memory.state,
		.memory_is_own = !cx->memory.from.n,
		.memory_version = (int)cx->memory.m.number,
		.recalled = cx->recalled.text, .recalled_own = cx->recalled.own,
		.user_name = in->by.who->name,
		.now_us = clock_now_us(), .zone = context_zone(cx->run),
		.arena = cx->arena, .from = &cx->derived,
	};
	struct buf b = BUF_INIT(65536);
	struct jw w = jw_on(&b);
	struct prompt_stamp tools;
	const int64_t typed = cx->request.output_schema
		? llm_estimate_tokens(schema_text(cx)) : 0;

	cx->share[PART_MESSAGE].want = input_tokens(cx);
	cx->share[PART_HISTORY].want =
		context_setting(cx->run, SETTING_HISTORY_TOKENS).number;
	if (part_compose(&p, window(cx->run->in.target.service) - typed, cx->share,
			 &cx->blocks, e) < 0)
		return -1;
	add_schema(cx);
	/* Then a service with a larger window would get more history (routing_after). */
	cx->squeezed = cx->share[PART_HISTORY].tokens <
		cx->share[PART_HISTORY].want;
	for (int i = 0; i < PART__MAX; i++)
		if (part_rows[i].kind == PART_IS_DATA && cx->share[i].tokens)
			origins_add(&cx->derived, ORIGIN_CONTEXT,
				    str_of(part_rows[i].layer));
	if (cx->share[PART_MEMORY].tokens || cx->share[PART_STATE].tokens)
		origins_join(&cx->derived, &cx->memory.from);
	if (cx->share[PART_RECALLED].tokens)
		origins_join(&cx->derived, &cx->recalled.from);
	whose_of_message(cx);
	origins_join(&cx->taint, &cx->derived);
	cx->request.system = cx->blocks.text;
	cx->request.n_system = cx->blocks.n;
	tools = prompt_stamp_of(part_rows[PART_TOOLS].layer, "tools",
				TOOL_TEXTS_VERSION, tool_texts(cx));
	prompt_stamps(&cx->blocks, cx->outer ? NULL : context_prompt_stamp(cx->run),
		      cx->request.n_tools ? &tools : NULL, &w);
	cx->stamps = arena_str(cx->arena, buf_str(&b));
	buf_release(&b);
	return 0;
}

/* -- before the turn -------------------------------------------------------- */

/* The user's message, or a nested agent's task. */
static void read_input(struct context *cx)
{
	cx->input = (struct llm_message){
		.role = LLM_USER, .text = cx->run->in.content,
	};
	if (cx->task) {
		cx->input.images = cx->task->images;
		cx->input.n_images = cx->task->n_images;
	}
	/* The message that is continued is in the history, with its files. */
	if (!cx->run->continues_seq)
		attach_add(cx, cx->run->in.options.attachments, &cx->input);
}

static void add_input(struct context *cx)
{
	*context_add(cx, LLM_USER, cx->input.text) = cx->input;
}

static int build(struct context *cx, struct turn_step *step, struct err *e)
{
	cx->own = NULL;
	cx->request = (struct llm_request){
		.service = cx->run->in.target.service, .stream = true,
	};
	if (!cx->outer)
		generation_set(&cx->generation, cx->run, &cx->request);
	untrusted_init(&cx->untrusted);
	context_mentions(cx);
	/* None of it is what the begin of the turn commits meanwhile. */
	db_early_beside(true);
	context_place(cx);
	context_knowledge(cx);
	context_memory(cx);
	context_recall(cx);
	db_early_beside(false);
	if (context_offer_tools(cx, e) < 0)
		return -1;
	/* The steps are always sent; the history gets the rest of the window. */
	if (cx->run->resumed) {
		cx->own = history_read_own(cx, e);
		if (!cx->own)
			return -1;
	}
	read_input(cx);
	if (compose_prompt(cx, e) < 0)
		return -1;
	/*
	 * What the history may still attach is bounded by what the rest has left of the
	 * window.
	 */
	attach_limit(cx, window(cx->request.service) - context_tokens(cx));
	if (history_add(cx, e) < 0)
		return -1;
	context_reserve(cx, CONTEXT_OWN_MESSAGES);
	history_add_given(cx, cx->run->in.meta);
	/* What is before can be cut when the request is too long, the user's message never. */
	cx->n_history = cx->n_messages;
	if (cx->run->continues_seq)
		history_continue(cx);
	else
		add_input(cx);
	if (cx->own)
		history_add_own(cx, step);
	context_count(cx);
	return 0;
}

/* Resets what context_build has built; taint: its value before that. */
static void forget(struct context *cx, struct turn_step *step, const struct origins *taint)
{
	cx->n_messages = cx->n_history = 0;
	memset(cx->share, 0, sizeof(cx->share));
	cx->taint = *taint;
	cx->derived.n = cx->announced.n = 0;
	cx->n_own_steps = 0;
	cx->attached.ready = false;
	cx->attached.n_images = 0;
	buf_reset(&step->text);
}

int context_build(struct context *cx, struct turn_step *step, struct err *e)
{
	const struct origins taint = cx->taint;
	int64_t had;
	TRACE_SPAN(TRACE_CONTEXT, NULL);

	routing_before(cx);
	cite_load(cx);
	had = window(cx->run->in.target.service);
	if (build(cx, step, e) < 0)
		return -1;
	if (!routing_after(cx))
		return 0;
	/* The history gets the additional room, and a model that sees the images. */
	if (cx->attached.has_images || (cx->squeezed && cx->share[PART_HISTORY].cut &&
			      window(cx->run->in.target.service) > had)) {
		forget(cx, step, &taint);
		return build(cx, step, e);
	}
	context_serve(cx);
	return 0;
}

/* -- during the turn -------------------------------------------------------- */

void context_add_step(struct context *cx, const struct turn_step *s)
{
	struct llm_tool_call *calls = arena_zalloc(cx->arena, s->n_calls + 1,
						   sizeof(*calls));
	struct llm_message *m;

	for (size_t i = 0; i < s->n_calls; i++)
		calls[i] = (struct llm_tool_call){
			.id = s->calls[i].id, .name = s->calls[i].name,
			/*
			 * Providers refuse a request whose calls have arguments that are
			 * not JSON.
			 */
			.args = s->calls[i].bad_args ? STR("{}")
						     : s->calls[i].args,
			.opaque = s->calls[i].opaque,
		};
	m = context_add(cx, LLM_ASSISTANT, arena_str(cx->arena, buf_str(&s->text)));
	m->calls = calls;
	m->n_calls = s->n_calls;
	m->replay = s->replay;
	for (size_t i = 0; i < s->n_calls; i++) {
		const struct turn_call *c = &s->calls[i];

		context_add_result(cx, &calls[i], c->result.text, c->untrusted,
				   c->result.is_error, c->edited);
		if (c->result.kept)
			context_offer_read_result(cx);
	}
	context_count(cx);
}

/* Removes n messages of the history from number at on. */
static void drop_history(struct context *cx, size_t at, size_t n)
{
	memmove(cx->messages + at, cx->messages + at + n,
		(cx->n_messages - at - n) * sizeof(*cx->messages));
	cx->n_messages -= n;
	cx->n_history -= n;
	cx->share[PART_HISTORY].cut = true;
}

bool context_shorten(struct context *cx)
{
	/*
	 * Half each time: how much too long it is, servers do not say in a way that can be
	 * read.
	 */
	size_t drop = (cx->n_history + 1) / 2;

	if (cx->n_history == 0)
		return false;
	/* Cut at a user message only: a call must keep its results. */
	while (drop < cx->n_history && cx->messages[drop].role != LLM_USER)
		drop++;
	drop_history(cx, 0, drop);
	context_count(cx);
	return true;
}

bool context_shorten_much(struct context *cx)
{
	int64_t most = cx->share[PART_HISTORY].tokens / 4;
	bool cut = false;

	if (context_tokens(cx) < LARGE_TOKENS)
		return false;
	while (cx->share[PART_HISTORY].tokens > most && context_shorten(cx))
		cut = true;
	return cut;
}

bool context_drop_unanswered(struct context *cx)
{
	bool cut = false;
	size_t end;

	for (size_t i = 0; i < cx->n_history; i = end) {
		for (end = i + 1; end < cx->n_history &&
		     cx->messages[end].role != LLM_USER; end++)
			continue;
		if (cx->messages[end - 1].role == LLM_ASSISTANT &&
		    !cx->messages[end - 1].n_calls)
			continue;
		drop_history(cx, i, end - i);
		cut = true;
		end = i;
	}
	if (cut)
		context_count(cx);
	return cut;
}

void context_serve(struct context *cx)
{
	struct err e = ERR_INIT;

	cx->request.service = cx->run->in.target.service;
	cx->request.n_tools = 0;
	cx->share[PART_TOOLS].tokens = 0;
	if (context_offer_tools(cx, &e) < 0)
		log_err("no tools for a service that takes over", &e);
	while (context_tokens(cx) > window(cx->run->in.target.service) &&
	       context_shorten(cx))
		;
}

void context_last_call(struct context *cx)
{
	struct llm_message *last = &cx->messages[cx->n_messages - 1];

	cx->request.no_tool_calls = true;
	if (last->role != LLM_TOOL)
		return;
	last->text = str_of(arena_printf(cx->arena,
		"%.*s\n\n[No more tool calls are possible in this turn. Answer "
		"now with what you have, and say what is missing.]",
		STR_ARG(last->text)));
}
