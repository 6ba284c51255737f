/*
 * What the model is sent: prompt layers, tool declarations, the thread
 * (history.c), the user's message, and later the steps of this turn.
 */
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "prompt/layers.h"
#include "tool/web/web.h"
#include "turn/loop.h"

#include "base/banned.h"

void context_reserve(struct turn_loop *l, size_t n)
{
	size_t size = MAX(l->messages_size * 2, l->n_messages + n);
	struct llm_message *bigger;

	if (l->n_messages + n <= l->messages_size)
		return;
	bigger = arena_alloc(l->arena, size * sizeof(*bigger));
	if (l->n_messages)
		memcpy(bigger, l->messages, l->n_messages * sizeof(*bigger));
	l->messages = bigger;
	l->messages_size = size;
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

static int64_t message_cost(const struct llm_message *m)
{
	int64_t n = CONTEXT_MESSAGE_TOKENS + llm_estimate_tokens(m->text) +
		(int64_t)m->n_images * LLM_IMAGE_TOKENS;

	for (size_t i = 0; i < m->n_calls; i++)
		n += CONTEXT_MESSAGE_TOKENS +
		     llm_estimate_tokens(m->calls[i].name) +
		     llm_estimate_tokens(m->calls[i].args);
	return n;
}

static void count_messages(struct turn_loop *l)
{
	l->message_tokens = 0;
	for (size_t i = 0; i < l->n_messages; i++)
		l->message_tokens += message_cost(&l->messages[i]);
	l->request.messages = l->messages;
	l->request.n_messages = l->n_messages;
}

int64_t context_tokens(const struct turn_loop *l)
{
	return l->fixed_tokens + l->message_tokens;
}

/* -- prompt and tools ------------------------------------------------------- */

static int64_t offer_tokens(const struct tool_offer *o)
{
	return llm_estimate_tokens(str_of(o->description)) +
	       (int64_t)o->schema_bytes / 4;
}

/*
 * The toggle, or the user's words (C30); of a turn that goes on, the same. An
 * answer that is made again may have another toggle than its message.
 */
static bool wants_web(const struct turn_loop *l)
{
	const struct turn_run *t = l->run;
	int said = l->tool_ctx.web_said;

	if (!said)
		said = t->user.web || t->in.web;
	return said > 0 ||
	       web_asked(&l->tool_ctx.conf->web_words,
			 t->in.content.n ? t->in.content : t->user.content);
}

/* What is offered now; again when a call has changed what that is. */
static int offer_tools(struct turn_loop *l, struct err *e)
{
	struct llm_tool *declared;

	if (!(l->run->service->capabilities & LLM_CAN_TOOLS))
		return 0;	/* B21: it answers without */
	if (!l->nested)
		l->tool_ctx.web = wants_web(l);
	for (size_t i = 0; i < l->tools.n; i++)
		l->fixed_tokens -= offer_tokens(&l->tools.v[i]);
	if (tool_set_build(&l->tool_ctx, &l->tools, e) < 0)
		return -1;
	declared = arena_alloc(l->arena, (l->tools.n + 1) * sizeof(*declared));
	for (size_t i = 0; i < l->tools.n; i++) {
		const struct tool_offer *o = &l->tools.v[i];

		declared[i] = (struct llm_tool){
			.name = o->tool->name, .description = o->description,
			.schema = o->schema,
		};
		l->fixed_tokens += offer_tokens(o);
	}
	l->request.tools = declared;
	l->request.n_tools = l->tools.n;
	return 0;
}

void context_told_of_kept(struct turn_loop *l)
{
	struct err e = ERR_INIT;

	if (l->tool_ctx.has_kept)
		return;
	l->tool_ctx.has_kept = true;
	if (offer_tools(l, &e) < 0)
		log_err("read_result is not offered", &e);
}

static void compose_prompt(struct turn_loop *l)
{
	const struct turn_input *in = &l->run->in;
	struct prompt_input p = {
		.conf = in->conf, .workspace = in->workspace,
		.agent = in->agent, .tools = l->tools.n > 0,
		.user_name = in->who->name, .now_us = clock_now_us(),
	};
	struct prompt_layers *layers = arena_new(l->arena, struct prompt_layers);
	struct buf b = BUF_INIT(65536);
	struct jw w = jw_on(&b);

	prompt_compose(&p, l->arena, layers);
	for (size_t i = 0; i < layers->n; i++) {
		l->request.system[i] = layers->block[i];
		l->fixed_tokens += llm_estimate_tokens(layers->block[i]);
	}
	l->request.n_system = layers->n;
	prompt_stamps(layers, &w);
	l->stamps = arena_str(l->arena, buf_str(&b));
	buf_release(&b);
}

/* -- results -------------------------------------------------------------- */

/*
 * The result as the model sees it: others' text in its envelope (A10), an error
 * of ours neutralised, since it may quote what the model was made to send, and
 * behind it, where the user has changed the arguments, what was run.
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

/* What the user says, or what an agent within a call is told. */
static void add_input(struct turn_loop *l)
{
	struct llm_message *m = context_add(l, LLM_USER, l->run->in.content);

	if (l->task) {
		m->images = l->task->images;
		m->n_images = l->task->n_images;
	}
}

int context_build(struct turn_loop *l, struct err *e)
{
	l->request = (struct llm_request){
		.service = l->run->service, .stream = true,
	};
	untrusted_init(&l->untrusted);
	if (offer_tools(l, e) < 0)
		return -1;
	compose_prompt(l);
	if (history_add(l, e) < 0)
		return -1;
	context_reserve(l, CONTEXT_OWN_MESSAGES);
	history_add_given(l, l->run->in.meta);
	l->n_history = l->n_messages;
	if (l->run->resumed_seq)
		history_resume(l);
	else
		add_input(l);
	if (l->run->woken && history_add_own(l, e) < 0)
		return -1;
	count_messages(l);
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
	count_messages(l);
}

bool context_shorten(struct turn_loop *l)
{
	size_t drop = (l->n_history + 1) / 2;

	if (l->n_history == 0)
		return false;
	/* Never between a call and its results: on to the next user message. */
	while (drop < l->n_history && l->messages[drop].role != LLM_USER)
		drop++;
	memmove(l->messages, l->messages + drop,
		(l->n_messages - drop) * sizeof(*l->messages));
	l->n_messages -= drop;
	l->n_history -= drop;
	count_messages(l);
	return true;
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
