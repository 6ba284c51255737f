/* SPDX-License-Identifier: MIT */
/*
 * The stored thread as messages for the model: its newest part within the
 * budget, and the previous steps of a resumed turn.
 *
 * History is cut between units: a user message, an answer, or a step with all
 * its tool rows. So it never starts with a tool row, and every call has a
 * result: where the stored thread lacks one, a message that says so is inserted
 * (P-B15).
 */
#include "context/history.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "base/utf8.h"
#include "context/attach.h"
#include "context/context.h"
#include "context/intent.h"
#include "context/payload.h"
#include "context/remember.h"
#include "context/setting.h"
#include "llm/llm.h"
#include "store/message.h"

#include "base/banned.h"

struct arena;

struct llm_service;

struct llm_tool_call;

struct message;

struct meta_row {
	bool step, failed;		/* failed: finish_reason "error" */
	struct llm_tool_call *calls;	/* step; arena */
	size_t n_calls;
	const json_t *replay;		/* only if it comes from the current
					   service */
	struct str call_id, tool_name;	/* tool row */
	struct str edited;		/* arguments as the user changed them */
	bool is_error, untrusted;
	const json_t *origins;		/* origins of its text */
	struct str error_message;	/* of a failed answer */
};

/* -- metadata -------------------------------------------------------------- */

/* Metadata of stored rows, as far as the context needs it; turn/meta.h writes it. */

static bool same_origin(const json_t *meta, const struct llm_service *s)
{
	const json_t *origin = jx_obj(meta, "origin");

	return str_is(jx_str(origin, "provider"), s->provider) &&
	       str_is(jx_str(origin, "model"), s->model);
}

static void read_calls(struct arena *a, const json_t *meta, bool ours,
		       struct meta_row *out)
{
	const json_t *list = jx_arr(meta, "toolCalls"), *c;
	size_t i;

	out->calls = arena_zalloc(a, json_array_size(list) + 1,
				  sizeof(*out->calls));
	json_array_foreach((json_t *)list, i, c) {
		const json_t *args = json_object_get(c, "args");
		struct llm_tool_call *call = &out->calls[out->n_calls];

		call->id = jx_str(c, "callId");
		call->name = jx_str(c, "toolName");
		if (call->id.n == 0 || call->name.n == 0)
			continue;
		/* Providers refuse arguments that are not a JSON object. */
		call->args = json_is_object(args) ? str_of(jx_text(a, args))
						  : STR("{}");
		call->opaque = ours ? json_object_get(c, "opaque") : NULL;
		out->n_calls++;
	}
}

/*
 * An answer that succeeded needs nothing of its metadata but its origins, which
 * whose_write puts first: skip parsing. Origins of a message are those of the prompt
 * that it was made from, or come first, too: somebody else's words (api/shared.c).
 */
static bool is_plain(const struct message *m)
{
	if (m->meta.n == 0 || m->role == ROLE_SYSTEM)
		return true;
	if (str_starts(m->meta, STR("{\"origins\":")))
		return false;
	if (m->role == ROLE_USER)
		return !m->options.prompt_id.p;
	return m->kind == KIND_ANSWER && !str_is(m->finish_reason, "error");
}

/* Rows of versions without the column have their kind in the metadata. */
static void read_kind(const struct message *m, const json_t *meta,
		      struct meta_row *out)
{
	struct str how = m->kind ? m->finish_reason
				 : jx_str(meta, "finish_reason");

	out->step = m->kind ? m->kind == KIND_STEP
			    : m->role == ROLE_ASSISTANT &&
			      jx_bool(meta, "step", false);
	out->failed = str_is(how, "error");
}

static void history_meta(struct arena *a, const struct llm_service *service,
			 const struct message *m, struct meta_row *out)
{
	struct err ignored = ERR_INIT;
	json_t *meta;
	bool ours;

	*out = (struct meta_row){ .step = false };
	if (is_plain(m))
		return;
	meta = jx_keep(a, jx_load_lenient(m->meta, &ignored));
	if (!meta)
		return;
	out->call_id = jx_str(meta, "callId");
	out->tool_name = jx_str(meta, "toolName");
	out->is_error = jx_bool(meta, "isError", false);
	out->untrusted = jx_bool(meta, "untrusted", false);
	out->origins = jx_arr(meta, "origins");
	if (jx_obj(meta, "editedArgs"))
		out->edited = str_of(jx_text(a, jx_obj(meta, "editedArgs")));
	read_kind(m, meta, out);
	out->error_message = jx_str(jx_obj(meta, "error"), "message");
	if (!out->step)
		return;
	ours = same_origin(meta, service);
	read_calls(a, meta, ours, out);
	if (ours)
		out->replay = json_object_get(meta, "replay");
}

/* -- history ------------------------------------------------------------------ */

enum {
	ROWS_PER_MESSAGE = 3,	/* rows read per message of history */
	SPARE_ROWS = 10,	/* rows of steps that the first read allows for */
	ENVELOPE_TOKENS = 32,	/* around untrusted text (prompt/untrusted.h) */
};

static const char continue_prompt[] =
	"[Your answer above was cut off. Continue exactly where it stops, without "
	"repeating any of it and without a remark about this.]";

static const char unanswered[] =
	"{\"error\":{\"code\":\"interrupted\",\"message\":\"This call was not "
	"answered: the turn ended before.\"}}";

/*
 * Adds the origins of a stored row, but only if it is sent: of a result, whose text
 * it is; of the others, what they were derived from.
 */
static void taint(struct context *cx, const struct meta_row *row)
{
	if (row->origins && !row->call_id.n)
		origins_read(&cx->announced, row->origins);
	if (row->origins)
		origins_read(&cx->taint, row->origins);
	else if (row->untrusted)	/* stored by a version without origins */
		origins_add(&cx->taint, ORIGIN_TOOL_RESULT, row->tool_name);
}

/*
 * Adds a stored step: the assistant row at *at and the tool rows after it, in
 * the order of the calls. Moves *at to the last of its rows.
 */
static void add_stored_step(struct context *cx, const struct message *rows,
			    const struct meta_row *meta, size_t n, size_t *at)
{
	const struct meta_row *step = &meta[*at];
	size_t first = *at + 1, end = first;
	struct llm_message *m;

	while (end < n && rows[end].role == ROLE_TOOL)
		end++;
	m = context_add(cx, LLM_ASSISTANT, rows[*at].content);
	m->calls = step->calls;
	m->n_calls = step->n_calls;
	m->replay = step->replay;
	for (size_t i = 0; i < step->n_calls; i++) {
		const struct llm_tool_call *c = &step->calls[i];
		size_t k = first;

		while (k < end && !str_eq(meta[k].call_id, c->id))
			k++;
		if (k == end) {
			context_add_result(cx, c, STR(unanswered), false, true,
					   (struct str){ 0 });
			continue;
		}
		taint(cx, &meta[k]);
		context_add_result(cx, c, rows[k].content, meta[k].untrusted,
				   meta[k].is_error, meta[k].edited);
		if (rows[k].kept)
			context_offer_read_result(cx);
	}
	*at = end - 1;
}

static const char not_given[] =
	"{\"error\":{\"code\":\"interrupted\",\"message\":\"The client has no "
	"result of this call.\"}}";

/* The message after number at with the result of a call; before the next answer. */
static const json_t *given_result(const json_t *given, size_t at, struct str id)
{
	for (size_t i = at + 1; i < json_array_size(given); i++) {
		const json_t *m = json_array_get(given, i);

		if (!str_is(jx_str(m, "role"), "tool"))
			break;
		if (str_eq(jx_str(m, "toolCallId"), id))
			return m;
	}
	return NULL;
}

/* An answer of the client's history that called its tools, and their results. */
static void add_given_step(struct context *cx, const json_t *given, size_t at)
{
	const json_t *m = json_array_get(given, at), *list = jx_arr(m, "toolCalls"), *c;
	size_t n = MIN(json_array_size(list), LIM_TOOL_CALLS), i;
	struct llm_tool_call *calls = arena_zalloc(cx->arena, n + 1, sizeof(*calls));
	struct llm_message *step;

	json_array_foreach((json_t *)list, i, c)
		if (i < n)
			calls[i] = (struct llm_tool_call){
				.id = jx_str(c, "id"), .name = jx_str(c, "name"),
				.args = json_is_object(jx_keep(cx->arena, jx_try(
					jx_str(c, "arguments")))) ? jx_str(c, "arguments")
					: STR("{}"),
			};
	step = context_add(cx, LLM_ASSISTANT, jx_str(m, "content"));
	step->calls = calls;
	step->n_calls = n;
	for (i = 0; i < n; i++) {
		const json_t *result = given_result(given, at, calls[i].id);

		context_add_result(cx, &calls[i], result ? jx_str(result, "content")
				   : STR(not_given), result != NULL, !result,
				   (struct str){ NULL, 0 });
	}
}

void history_add_given(struct context *cx, struct str meta)
{
	struct err ignored = ERR_INIT;
	const json_t *given, *m;
	size_t i;

	if (!meta.n)
		return;
	given = jx_arr(jx_keep(cx->arena, jx_load_lenient(meta, &ignored)),
		       "given");
	/* Not everything is the user's own text */
	if (json_array_size(given))
		origins_add(&cx->taint, ORIGIN_CLIENT_MESSAGES, STR(""));
	json_array_foreach((json_t *)given, i, m)
		if (json_array_size(jx_arr(m, "toolCalls")))
			add_given_step(cx, given, i);
		else if (jx_str(m, "content").n && !str_is(jx_str(m, "role"), "tool"))
			context_add(cx, str_is(jx_str(m, "role"), "assistant")
			    ? LLM_ASSISTANT : LLM_USER, jx_str(m, "content"));
}

/* One row (with a step's tool rows) as messages; none for an empty row. */
static void add_unit(struct context *cx, const struct message *rows,
		     const struct meta_row *meta, size_t n, size_t *at)
{
	const struct message *r = &rows[*at];
	struct llm_message *m;

	switch (r->role) {
	case ROLE_USER:
		history_add_given(cx, r->meta);
		taint(cx, &meta[*at]);
		m = context_add(cx, LLM_USER, r->content);
		if (cx->attached.rows && cx->attached.rows[*at].text.n)
			*m = cx->attached.rows[*at];
		break;
	case ROLE_SYSTEM:
		context_add(cx, LLM_USER, r->content);
		break;
	case ROLE_ASSISTANT:
		taint(cx, &meta[*at]);
		if (meta[*at].step && meta[*at].n_calls)
			add_stored_step(cx, rows, meta, n, at);
		else if (r->content.n && !(meta[*at].failed &&
			 str_eq(r->content, meta[*at].error_message)))
			context_add(cx, LLM_ASSISTANT, r->content);
		break;
	default:	/* a tool row without its step */
		break;
	}
}

/* Tokens of a row as a message, with the client's messages before it. */
static int64_t row_tokens(const struct message *r, const struct meta_row *meta)
{
	const struct llm_message m = {
		.text = r->content, .calls = meta->calls,
		.n_calls = meta->n_calls,
	};
	int64_t n = llm_message_tokens(&m);

	if (r->role == ROLE_USER)
		n += llm_estimate_tokens(r->meta);
	return meta->untrusted ? n + ENVELOPE_TOKENS : n;
}

/* How many messages of history the model may see. */
static int64_t most_messages(const struct turn_run *t)
{
	return MAX(context_setting(t, SETTING_HISTORY_MESSAGES).number,
		   t->in.history_messages);
}

/*
 * The first row that is kept: from the newest back, as many messages (user
 * messages and answers) and tokens as fit; then forward to a user message if
 * there is one.
 */
static size_t first_row(const struct context *cx, const struct message *rows,
			const struct meta_row *meta, size_t n, int64_t budget)
{
	const int64_t most = most_messages(cx->run);
	size_t first = n, at = n, user;
	int messages = 0;

	while (at > 0) {
		const struct message *r = &rows[--at];

		budget -= row_tokens(r, &meta[at]);
		if (!meta[at].step && r->role != ROLE_TOOL)
			messages++;
		if (budget < 0 || messages > most)
			break;
		/* A tool row alone would answer a call that is missing. */
		if (r->role != ROLE_TOOL)
			first = at;
	}
	for (user = first; user < n && rows[user].role != ROLE_USER; user++)
		continue;
	return user < n ? user : first;
}

/* Maximum number of rows to read for that much history; 0 = none wanted. */
static size_t history_rows(int64_t messages)
{
	size_t want = (size_t)MAX(messages, 0) * ROWS_PER_MESSAGE;

	return MIN(want, messages > LIM_PAGE_MAX ? LIM_HISTORY_ROWS : LIM_PAGE_MAX);
}

/* Enough if few of the answers have steps. */
size_t history_first_rows(int64_t messages)
{
	return MIN((size_t)MAX(messages, 0) + SPARE_ROWS,
		   history_rows(messages));
}

/* The last row of the history: before the turn's message or the old answer. */
static int64_t history_end(const struct turn_run *t)
{
	return t->continues_seq ? t->continues_seq : t->user.seq - 1;
}

/* Whether the rows have more messages than wanted, so that no more are needed. */
static bool is_enough(const struct message_page *p, const struct meta_row *meta,
		      int64_t wanted)
{
	int messages = 0;

	for (size_t i = 0; i < p->n; i++)
		messages += p->items[i].role != ROLE_TOOL && !meta[i].step;
	return messages > wanted;
}

/* n_rows 0: the page that was read with the begin. */
static int read_page(struct context *cx, size_t n_rows,
		     struct message_page *page, struct meta_row **meta,
		     struct err *e)
{
	struct turn_run *t = cx->run;

	if (n_rows == 0)
		*page = t->history;
	else if (message_history(t->deps->db, &t->in.by.owner, &t->conversation_id,
				 history_end(t), n_rows, cx->arena, page, e) < 0)
		return -1;
	*meta = arena_alloc(cx->arena, (page->n + 1) * sizeof(**meta));
	for (size_t i = 0; i < page->n; i++)
		history_meta(cx->arena, t->in.target.service, &page->items[i],
			  &(*meta)[i]);
	return 0;
}

/* Attachments of the rows, newest first: those matter more. */
static void attach_rows(struct context *cx, const struct message *rows,
			size_t first, size_t n)
{
	struct llm_message *v = NULL;

	for (size_t i = n; i-- > first;) {
		if (rows[i].role != ROLE_USER || !rows[i].options.attachments.p)
			continue;
		if (!v)
			v = arena_zalloc(cx->arena, n, sizeof(*v));
		v[i] = (struct llm_message){ .role = LLM_USER,
					     .text = rows[i].content };
		attach_add_stored(cx, rows[i].options.attachments, &v[i]);
	}
	cx->attached.rows = v;
}

/* The rows after the summary: it stands for those before. */
static void after_summary(struct context *cx, struct message_page *p,
			  struct meta_row **meta)
{
	size_t n = 0;

	while (n < p->n && p->items[n].seq <= cx->memory.m.upto_seq)
		n++;
	if (n)
		p->more = p->cut = false;
	p->items += n;
	p->n -= n;
	*meta += n;
	cx->memory.messages = cx->memory.chars = 0;
	for (size_t i = 0; i < p->n; i++) {
		cx->memory.messages += p->items[i].role != ROLE_TOOL && !(*meta)[i].step;
		cx->memory.chars += (int64_t)utf8_chars(p->items[i].content);
	}
}

/*
 * Adds the messages of the user that the summary keeps whole (D17), at most half of the
 * history's tokens, which are fewer for the rest then.
 */
static void add_kept(struct context *cx, int64_t *budget)
{
	const struct turn_run *t = cx->run;
	int64_t kept[MEMORY_KEPT], left = *budget / 2;
	size_t n = memory_kept(&cx->memory.m, kept);

	for (size_t i = 0; i < n; i++) {
		struct message m;
		struct meta_row meta;
		struct err e = ERR_INIT;
		int64_t tokens;

		if (message_get(t->deps->db, &t->in.by.owner, &t->conversation_id, kept[i],
				cx->arena, &m, &e) < 0) {
			if (e.code != ERR_NOT_FOUND)
				log_err("a message that is kept", &e);
			continue;
		}
		if (m.role != ROLE_USER)
			continue;
		history_meta(cx->arena, t->in.target.service, &m, &meta);
		tokens = row_tokens(&m, &meta);
		if (tokens > left)
			continue;
		left -= tokens;
		*budget -= tokens;
		attach_rows(cx, &m, 0, 1);
		add_unit(cx, &m, &meta, 1, &(size_t){ 0 });
		cx->attached.rows = NULL;
	}
}

int history_add(struct context *cx, struct err *e)
{
	struct turn_run *t = cx->run;
	const int64_t messages = most_messages(t);
	size_t want = history_rows(messages);
	struct message_page page;
	struct meta_row *meta;
	size_t first = t->history.n ? 0 : history_first_rows(messages);
	int64_t budget = cx->share[PART_HISTORY].tokens;

	/*
	 * A continuation needs the turn it continues, whatever the history's
	 * limit.
	 */
	if (t->continues_seq)
		first = want = LIM_PAGE_MAX;
	if (t->created_conversation || history_end(t) < 1 || want == 0)
		return 0;
	if (read_page(cx, first, &page, &meta, e) < 0)
		return -1;
	/*
	 * The first read was small: few answers have steps. Only where it did not reach,
	 * read all.
	 */
	if (page.more && !page.cut && page.n < want &&
	    page.items[0].seq > cx->memory.m.upto_seq + 1 &&
	    !is_enough(&page, meta, messages) &&
	    read_page(cx, want, &page, &meta, e) < 0)
		return -1;
	after_summary(cx, &page, &meta);
	context_reserve(cx, page.n + MEMORY_KEPT + CONTEXT_OWN_MESSAGES);
	add_kept(cx, &budget);
	first = first_row(cx, page.items, meta, page.n, budget);
	cx->share[PART_HISTORY].cut = first > 0 || page.more;
	attach_rows(cx, page.items, first, page.n);
	/* They were said in the first message, which the cut has left out. */
	if (cx->share[PART_HISTORY].cut && t->in.instructions.n)
		context_add(cx, LLM_USER, t->in.instructions);
	for (size_t i = first; i < page.n; i++)
		add_unit(cx, page.items, meta, page.n, &i);
	cx->attached.rows = NULL;
	return 0;
}

void history_continue(struct context *cx)
{
	size_t at = cx->n_messages;

	while (at > 0 && cx->messages[at - 1].role != LLM_USER)
		at--;
	if (at == 0)	/* it was too far back */
		context_add(cx, LLM_USER, cx->run->in.content);
	/* The message that is continued, and the answer so far, are never cut. */
	cx->n_history = at ? at - 1 : 0;
	if (at && cx->messages[cx->n_messages - 1].role == LLM_ASSISTANT)
		context_add(cx, LLM_USER, STR(continue_prompt));
}

/* -- of a resumed turn ------------------------------------------------------ */

struct history_own {
	struct message *rows;
	struct meta_row *meta;
	size_t n, size, last;	/* last: the last step */
	bool has_step;
};

static void own_take(struct context *cx, struct history_own *o,
		     const struct message_page *page)
{
	size_t room = o->size;

	o->rows = arena_room(cx->arena, o->rows, o->n, page->n, &room,
			     sizeof(*o->rows));
	o->meta = arena_room(cx->arena, o->meta, o->n, page->n, &o->size,
			     sizeof(*o->meta));
	for (size_t i = 0; i < page->n; i++, o->n++) {
		const struct message *m = &page->items[i];

		o->rows[o->n] = *m;
		/*
		 * The words with which the user answered a question count as those of the
		 * message.
		 */
		if (m->kind == KIND_REPLY && uuid_eq(&m->turn_id, &cx->run->id))
			intent_hear(cx, m->content);
		history_meta(cx->arena, cx->run->in.target.service, m,
			  &o->meta[o->n]);
		/* The window's share is composed before they are added as messages. */
		cx->share[PART_STEPS].want += row_tokens(m, &o->meta[o->n]);
		if (!uuid_eq(&m->turn_id, &cx->run->id) || !o->meta[o->n].step)
			continue;
		o->last = o->n;
		o->has_step = true;
		cx->n_own_steps++;
	}
}

/* The stored step as the current one; a call without a row has no result. */
static void own_step(struct context *cx, struct turn_step *s)
{
	const struct history_own *o = cx->own;
	const struct meta_row *meta = &o->meta[o->last];

	taint(cx, meta);
	buf_addstr(&s->text, o->rows[o->last].content);
	s->replay = (json_t *)meta->replay;
	s->stored = true;
	s->n_calls = s->calls_size = meta->n_calls;
	s->calls = arena_zalloc(cx->arena, s->n_calls, sizeof(*s->calls));
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
			c->result.kept = o->rows[k].kept;
			c->untrusted = o->meta[k].untrusted;
			c->edited = o->meta[k].edited;
			c->stored = true;
			taint(cx, &o->meta[k]);
		}
	}
}

struct history_own *history_read_own(struct context *cx, struct err *e)
{
	struct turn_run *t = cx->run;
	struct history_own *o = arena_new(cx->arena, struct history_own);
	struct message_page page;
	int64_t after = t->user.seq;

	do {
		if (message_list(t->deps->db, &t->in.by.owner, &t->conversation_id,
				 OLDEST_FIRST, after, LIM_PAGE_MAX, cx->arena,
				 &page, e) < 0)
			return NULL;
		own_take(cx, o, &page);
		after = page.next_seq;
	} while (page.more);
	if (o->has_step)
		return o;
	err_set(e, ERR_CONFLICT, "a turn that waits for nothing");
	return NULL;
}

void history_add_own(struct context *cx, struct turn_step *step)
{
	const struct history_own *o = cx->own;

	for (size_t i = 0, first = 1; i <= o->last; i++) {
		bool own = uuid_eq(&o->rows[i].turn_id, &cx->run->id);

		/* It continued a turn that was cut short. */
		if (own && first &&
		    cx->messages[cx->n_messages - 1].role == LLM_ASSISTANT)
			context_add(cx, LLM_USER, STR(continue_prompt));
		first &= !own;
		if (i == o->last)
			break;
		add_unit(cx, o->rows, o->meta, o->n, &i);
	}
	own_step(cx, step);
}

const struct llm_tool_call *history_own_calls(const struct context *cx, size_t *at, size_t *n)
{
	const struct history_own *o = cx->own;

	for (; o && *at <= o->last; ++*at) {
		const struct meta_row *meta = &o->meta[*at];

		if (!meta->n_calls || (*at < o->last &&
				       !uuid_eq(&o->rows[*at].turn_id, &cx->run->id)))
			continue;
		++*at;
		*n = meta->n_calls;
		return meta->calls;
	}
	return NULL;
}
