/*
 * What the model is sent: prompt layers, tool declarations, the newest part of
 * the thread within its budget, the user's message, and later the steps of
 * this turn.
 *
 * History is cut in units: a user message, an answer, or a step with all its
 * tool rows. So it never starts with a tool row, and every call is answered:
 * where the stored thread lacks an answer, one that says so is put in (B15).
 */
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "db/db.h"
#include "prompt/layers.h"
#include "tool/web.h"
#include "turn/loop.h"

#include "base/banned.h"

enum {
	ROWS_PER_MESSAGE = 3,	/* rows read for one message of history */
	SPARE_ROWS = 10,	/* rows of steps that the first read allows for */
	OWN_MESSAGES = 6,	/* of a turn that calls a tool or two */
	MESSAGE_TOKENS = 4,	/* what a message costs beside its text */
};

static const char go_on[] =
	"[Your answer above was cut off. Go on exactly where it stops, without "
	"repeating any of it and without a remark about this.]";

static const char unanswered[] =
	"{\"error\":{\"code\":\"interrupted\",\"message\":\"This call was not "
	"answered: the turn ended before.\"}}";

/* Room for n messages more, since what is outgrown stays in the arena. */
static void reserve(struct turn_loop *l, size_t n)
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

static struct llm_message *add(struct turn_loop *l, enum llm_role role,
			       struct str text)
{
	struct llm_message *m;

	reserve(l, 1);
	m = &l->messages[l->n_messages++];
	*m = (struct llm_message){ .role = role, .text = text };
	return m;
}

static int64_t message_cost(const struct llm_message *m)
{
	int64_t n = MESSAGE_TOKENS + llm_estimate_tokens(m->text) +
		(int64_t)m->n_images * LLM_IMAGE_TOKENS;

	for (size_t i = 0; i < m->n_calls; i++)
		n += MESSAGE_TOKENS + llm_estimate_tokens(m->calls[i].name) +
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

bool turn_wants_web(struct str meta)
{
	static const char said[] = "\"webSearch\":true";

	return meta.n && memmem(meta.p, meta.n, said, sizeof(said) - 1);
}

/*
 * The toggle, or the user's words (C30); of a turn that goes on, the same. An
 * answer that is made again may have another toggle than its message.
 */
static bool wants_web(const struct turn_loop *l)
{
	const struct turn_run *t = l->run;
	struct str meta = t->user.meta.n ? t->user.meta : t->in.meta;
	int said = l->tool_ctx.web_said;

	if (!said)
		said = turn_wants_web(meta);
	return said > 0 ||
	       web_asked(t->in.content.n ? t->in.content : t->user.content);
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

/*
 * The model has just been told of a result that read_result reads: then that
 * is offered too. Not before, so that most turns have a tool less.
 */
static void told_of_kept(struct turn_loop *l)
{
	struct err e = ERR_INIT;

	if (l->tool_ctx.has_kept)
		return;
	l->tool_ctx.has_kept = true;
	if (offer_tools(l, &e) < 0)
		log_err("read_result is not offered", &e);
}

static bool tells_of_kept(struct str text)
{
	static const char mark[] = "; read_result {\"result\":\"";

	return text.n && memmem(text.p, text.n, mark, sizeof(mark) - 1);
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

/* -- history ---------------------------------------------------------------- */

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

static void add_result(struct turn_loop *l, const struct llm_tool_call *c,
		       struct str text, bool is_error)
{
	struct llm_message *m = add(l, LLM_TOOL, text);

	m->call_id = c->id;
	m->tool_name = c->name;
	m->is_error = is_error;
}

/*
 * A stored step: the assistant row at *at and the tool rows behind it, in the
 * order of the calls. Moves *at to the last of its rows.
 */
static void add_stored_step(struct turn_loop *l, const struct message *rows,
			    const struct meta_row *meta, size_t n, size_t *at)
{
	const struct meta_row *step = &meta[*at];
	size_t first = *at + 1, end = first;
	struct llm_message *m;

	while (end < n && rows[end].role == ROLE_TOOL)
		end++;
	m = add(l, LLM_ASSISTANT, rows[*at].content);
	m->calls = step->calls;
	m->n_calls = step->n_calls;
	m->replay = step->replay;
	for (size_t i = 0; i < step->n_calls; i++) {
		const struct llm_tool_call *c = &step->calls[i];
		size_t k = first;

		while (k < end && !str_eq(meta[k].call_id, c->id))
			k++;
		if (k < end && tells_of_kept(rows[k].content))
			told_of_kept(l);
		if (k == end)
			add_result(l, c, STR(unanswered), true);
		else
			add_result(l, c, for_model(l, c->name, rows[k].content,
						   meta[k].untrusted,
						   meta[k].is_error,
						   meta[k].edited),
				   meta[k].is_error);
	}
	*at = end - 1;
}

/*
 * What the client gave in front of a user message (turn_input.meta). A system
 * message of a client is text like any other: what governs the agent is
 * declared by the deployment (E12).
 */
static void add_given(struct turn_loop *l, struct str meta)
{
	static const char key[] = "\"given\"";
	struct err ignored = ERR_INIT;
	const json_t *given, *m;
	json_t *j = NULL;
	size_t i;

	if (meta.n && memmem(meta.p, meta.n, key, sizeof(key) - 1))
		j = jx_keep(l->arena, jx_load_lenient(meta, &ignored));
	if (!j)
		return;
	given = jx_arr(j, "given");
	json_array_foreach((json_t *)given, i, m)
		if (jx_str(m, "content").n)
			add(l, str_is(jx_str(m, "role"), "assistant")
			    ? LLM_ASSISTANT : LLM_USER, jx_str(m, "content"));
}

/* One row (with a step's tool rows) as messages; nothing for what says nothing. */
static void add_unit(struct turn_loop *l, const struct message *rows,
		     const struct meta_row *meta, size_t n, size_t *at)
{
	const struct message *r = &rows[*at];

	switch (r->role) {
	case ROLE_USER:
		add_given(l, r->meta);
		add(l, LLM_USER, r->content);
		break;
	case ROLE_SYSTEM:
		add(l, LLM_USER, r->content);
		break;
	case ROLE_ASSISTANT:
		if (meta[*at].step && meta[*at].n_calls)
			add_stored_step(l, rows, meta, n, at);
		else if (r->content.n && !(meta[*at].failed &&
			 str_eq(r->content, meta[*at].error_message)))
			add(l, LLM_ASSISTANT, r->content);
		break;
	default:	/* a tool row without its step */
		break;
	}
}

/* Whether a unit may come first: what it answers would be missing. */
static bool may_start(const struct message *r)
{
	return r->role != ROLE_TOOL;
}

/*
 * The first row that is kept: going back from the newest, as many messages
 * (user messages and answers) and tokens as fit; then on to a user message if
 * there is one.
 */
static size_t first_row(const struct turn_loop *l, const struct message *rows,
			const struct meta_row *meta, size_t n, int64_t budget)
{
	const struct conf_workspace *w = l->run->in.workspace;
	size_t first = n, at = n, user;
	int messages = 0;

	while (at > 0) {
		const struct message *r = &rows[--at];

		budget -= MESSAGE_TOKENS + llm_estimate_tokens(r->content);
		if (meta[at].step || r->role == ROLE_USER)
			budget -= llm_estimate_tokens(r->meta);
		if (!meta[at].step && r->role != ROLE_TOOL)
			messages++;
		if (budget < 0 || messages > w->history_messages)
			break;
		if (may_start(r))
			first = at;
	}
	for (user = first; user < n && rows[user].role != ROLE_USER; user++)
		continue;
	return user < n ? user : first;
}

/* Tokens that history may have: its own cap, and what the model has left. */
static int64_t history_budget(const struct turn_loop *l)
{
	const struct conf_llm *s = l->run->service;
	int64_t budget = l->run->in.workspace->history_tokens;
	int64_t left = s->context_tokens - s->max_output_tokens -
		l->fixed_tokens - llm_estimate_tokens(l->run->in.content) -
		MESSAGE_TOKENS;

	return s->context_tokens > 0 ? MIN(budget, MAX(left, 0)) : budget;
}

/* Rows of history that a turn of w looks at, at most; 0 = it wants none. */
static size_t history_rows(const struct conf_workspace *w)
{
	size_t want = (size_t)MAX(w->history_messages, 0) * ROWS_PER_MESSAGE;

	return MIN(want, LIM_PAGE_MAX);
}

/* Enough where few of the answers took steps. */
size_t context_first_rows(const struct conf_workspace *w)
{
	return MIN((size_t)MAX(w->history_messages, 0) + SPARE_ROWS,
		   history_rows(w));
}

/* The last row that is history: before our message, or the old turn's answer. */
static int64_t history_end(const struct turn_run *t)
{
	return t->resumed_seq ? t->resumed_seq : t->user.seq - 1;
}

/* Whether the rows hold more messages than w wants, so older ones are idle. */
static bool is_enough(const struct message_page *p, const struct meta_row *meta,
		      const struct conf_workspace *w)
{
	int messages = 0;

	for (size_t i = 0; i < p->n; i++)
		messages += p->items[i].role != ROLE_TOOL && !meta[i].step;
	return messages > w->history_messages;
}

/* n_rows 0: the page that came with the begin. */
static int read_page(struct turn_loop *l, size_t n_rows,
		     struct message_page *page, struct meta_row **meta,
		     struct err *e)
{
	struct turn_run *t = l->run;

	if (n_rows == 0)
		*page = t->history;
	else if (message_history(t->deps->db, &l->owner, &t->conversation_id,
				 history_end(t), n_rows, l->arena, page, e) < 0)
		return -1;
	*meta = arena_alloc(l->arena, (page->n + 1) * sizeof(**meta));
	for (size_t i = 0; i < page->n; i++)
		meta_read(l->arena, t->service, &page->items[i], &(*meta)[i]);
	return 0;
}

static int add_history(struct turn_loop *l, struct err *e)
{
	struct turn_run *t = l->run;
	const struct conf_workspace *w = t->in.workspace;
	size_t want = history_rows(w);
	struct message_page page;
	struct meta_row *meta;
	size_t first = t->history.n ? 0 : context_first_rows(w);

	/* A continuation needs what it goes on from, whatever history may have. */
	if (t->resumed_seq)
		first = want = LIM_PAGE_MAX;
	if (t->created_conversation || history_end(t) < 1 || want == 0)
		return 0;
	if (read_page(l, first, &page, &meta, e) < 0)
		return -1;
	if (page.more && page.n < want && !is_enough(&page, meta, w) &&
	    read_page(l, want, &page, &meta, e) < 0)
		return -1;
	reserve(l, page.n + OWN_MESSAGES);
	for (size_t i = first_row(l, page.items, meta, page.n,
				  history_budget(l)); i < page.n; i++)
		add_unit(l, page.items, meta, page.n, &i);
	return 0;
}

/*
 * The old turn's message, steps and text so far stand at the end of the
 * history: they are not part of what may be left out, and where it was cut off
 * in mid-text the model is told to go on.
 */
static void add_resumption(struct turn_loop *l)
{
	size_t at = l->n_messages;

	while (at > 0 && l->messages[at - 1].role != LLM_USER)
		at--;
	if (at == 0)	/* it was too far back */
		add(l, LLM_USER, l->run->in.content);
	l->n_history = at ? at - 1 : 0;
	if (at && l->messages[l->n_messages - 1].role == LLM_ASSISTANT)
		add(l, LLM_USER, STR(go_on));
}

/* What the user says, or what an agent within a call is told. */
static void add_input(struct turn_loop *l)
{
	struct llm_message *m = add(l, LLM_USER, l->run->in.content);

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
	if (add_history(l, e) < 0)
		return -1;
	reserve(l, OWN_MESSAGES);
	add_given(l, l->run->in.meta);
	l->n_history = l->n_messages;
	if (l->run->resumed_seq)
		add_resumption(l);
	else
		add_input(l);
	if (l->run->woken && context_add_own(l, e) < 0)
		return -1;
	count_messages(l);
	return 0;
}

/* -- of a turn that goes on ------------------------------------------------- */

struct own_rows {
	struct message *rows;
	struct meta_row *meta;
	size_t n, size, last;	/* last: its last step */
	bool has_step;
};

static void own_add(struct turn_loop *l, struct own_rows *o,
		    const struct message_page *page)
{
	size_t need = o->n + page->n;

	if (need > o->size) {
		size_t size = MAX(need, o->size * 2 + 32);
		struct message *rows = arena_zalloc(l->arena, size, sizeof(*rows));
		struct meta_row *meta = arena_zalloc(l->arena, size, sizeof(*meta));

		if (o->n) {
			memcpy(rows, o->rows, o->n * sizeof(*rows));
			memcpy(meta, o->meta, o->n * sizeof(*meta));
		}
		o->rows = rows;
		o->meta = meta;
		o->size = size;
	}
	for (size_t i = 0; i < page->n; i++, o->n++) {
		const struct message *m = &page->items[i];

		o->rows[o->n] = *m;
		meta_read(l->arena, l->run->service, m, &o->meta[o->n]);
		if (!uuid_eq(&m->turn_id, &l->run->id) || !o->meta[o->n].step)
			continue;
		o->last = o->n;
		o->has_step = true;
		l->iterations++;
	}
}

/* The stored step as the current one; what has no row has no result yet. */
static void own_step(struct turn_loop *l, const struct own_rows *o)
{
	const struct meta_row *meta = &o->meta[o->last];
	struct turn_step *s = &l->step;

	buf_addstr(&s->text, o->rows[o->last].content);
	s->replay = (json_t *)meta->replay;
	s->stored = true;
	s->n_calls = s->calls_size = meta->n_calls;
	s->calls = arena_zalloc(l->arena, s->n_calls, sizeof(*s->calls));
	for (size_t i = 0; i < s->n_calls; i++) {
		struct turn_call *c = &s->calls[i];

		c->id = meta->calls[i].id;
		c->name = meta->calls[i].name;
		c->args = meta->calls[i].args;
		c->opaque = (json_t *)meta->calls[i].opaque;
		for (size_t k = o->last + 1; k < o->n; k++) {
			if (!str_eq(o->meta[k].call_id, c->id))
				continue;
			c->result.text = o->rows[k].content;
			c->result.is_error = o->meta[k].is_error;
			c->untrusted = o->meta[k].untrusted;
			c->edited = o->meta[k].edited;
			c->stored = true;
		}
	}
}

/* What it has called counts as called. */
static void note_calls(struct turn_loop *l, const struct meta_row *meta)
{
	for (size_t k = 0; meta && k < meta->n_calls; k++)
		calls_note(l, &(struct turn_call){
			.name = meta->calls[k].name,
			.args = meta->calls[k].args,
		});
}

int context_add_own(struct turn_loop *l, struct err *e)
{
	struct turn_run *t = l->run;
	struct own_rows o = { .n = 0 };
	struct message_page page;
	int64_t after = t->user.seq;

	do {
		if (message_list(t->deps->db, &l->owner, &t->conversation_id,
				 OLDEST_FIRST, after, LIM_PAGE_MAX, l->arena,
				 &page, e) < 0)
			return -1;
		own_add(l, &o, &page);
		after = page.next_seq;
	} while (page.more);
	if (!o.has_step)
		return err_set(e, ERR_CONFLICT, "a turn that waits for nothing");
	for (size_t i = 0, first = 1; i <= o.last; i++) {
		bool own = uuid_eq(&o.rows[i].turn_id, &t->id);

		/* It went on where another turn was cut short. */
		if (own && first &&
		    l->messages[l->n_messages - 1].role == LLM_ASSISTANT)
			add(l, LLM_USER, STR(go_on));
		first &= !own;
		if (i == o.last)
			break;
		note_calls(l, own ? &o.meta[i] : NULL);
		add_unit(l, o.rows, o.meta, o.n, &i);
	}
	own_step(l, &o);
	note_calls(l, &o.meta[o.last]);
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
	m = add(l, LLM_ASSISTANT, arena_str(l->arena, buf_str(&s->text)));
	m->calls = calls;
	m->n_calls = s->n_calls;
	m->replay = s->replay;
	for (size_t i = 0; i < s->n_calls; i++) {
		const struct turn_call *c = &s->calls[i];

		add_result(l, &calls[i], for_model(l, c->name, c->result.text,
						   c->untrusted,
						   c->result.is_error,
						   c->edited),
			   c->result.is_error);
		if (tells_of_kept(c->result.text))
			told_of_kept(l);
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
