/* SPDX-License-Identifier: MIT */
/*
 * Before the stream: every turn starts with turn_start's table of steps. They
 * decide everything that can be answered with a plain HTTP error, and store the
 * user message.
 */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/limits.h"
#include "base/trace.h"
#include "base/utf8.h"
#include "db/db.h"
#include "domain/choice.h"
#include "domain/stored.h"
#include "hold/stored.h"
#include "prompt/shown.h"
#include "store/thread.h"
#include "context/attach.h"
#include "context/routing.h"
#include "context/prompt_use.h"
#include "turn/commit.h"
#include "context/history.h"
#include "turn/loop.h"
#include "context/mention.h"
#include "event/notify.h"
#include "context/place.h"
#include "turn/calls.h"
#include "context/setting.h"
#include "event/texts.h"
#include "context/whose.h"

#include "base/banned.h"

static struct str title_of(const struct turn_run *t, struct arena *a)
{
	struct str s = turn_first_title(a, t->in.content);

	return s.n ? s : (struct str){ NULL, 0 };
}

/* -- the steps ------------------------------------------------------------- */

/* The state of a start. */
struct start {
	struct turn_run *run;	/* its request is in run->in, completed step by
				   step */
	struct str client;	/* turn.client */
	struct str meta;	/* of the message, as requested */
	bool guessed;		/* the agent is the default, not looked up */
	bool lent;		/* another agent than the conversation's answers */
	struct str own;		/* lent: id of the conversation's, if it is made */
};

/* So long a conversation with a draft may be left behind. */
enum { DRAFT_S = 3600 };

/* Returns 0 for the next step; 1 + enum turn_started to end; -1. */
typedef int start_step(struct start *s, struct err *e);

#define STARTED(how) (1 + (how))

/* Whether t's conversation belongs to the named workspace and agent. */
static int check_agent(struct start *s, const struct turn *t, struct err *e)
{
	const struct turn_request *in = &s->run->in;
	struct conversation c;

	if (in->verb != TURN_SEND || (!in->workspace_id.p && !in->agent_id.p))
		return 0;
	if (conversation_get(s->run->deps->db, &in->by.owner,
			     &t->conversation_id, s->run->arena, &c, e) < 0)
		return -1;
	if ((in->workspace_id.p && !str_eq(in->workspace_id, c.workspace_id)) ||
	    (in->agent_id.p && !str_eq(in->agent_id, c.agent_id)))
		return err_key_differs(e);
	return 0;
}

/* Whether this request would have started t. */
static int check_same(struct start *s, const struct turn *t, struct err *e)
{
	const struct turn_request *in = &s->run->in;
	struct message user;
	struct str meta;

	if (!uuid_is_nil(&in->conversation_id) &&
	    !uuid_eq(&in->conversation_id, &t->conversation_id))
		return err_key_differs(e);
	if (in->verb == TURN_CONTINUE && in->of->user_seq != t->user_seq)
		return err_key_differs(e);
	if (check_agent(s, t, e) < 0)
		return -1;
	if (!in->content.p)
		return 0;
	if (message_get(s->run->deps->db, &in->by.owner, &t->conversation_id,
			t->user_seq, s->run->arena, &user, e) < 0)
		return -1;
	meta = options_meta(s->run->arena, s->meta, &in->options);
	return str_eq(user.content, in->content) &&
		options_same(s->run->arena, user.meta, meta) ? 0 : err_key_differs(e);
}

/* Finds the turn that was started with the request's key. */
static int find_before(struct start *s, struct err *e)
{
	struct turn_run *r = s->run;
	struct turn t;

	if (r->in.verb == TURN_RESUME || uuid_is_nil(&r->in.id))
		return 0;
	if (store_turn_get(r->deps->db, &r->in.by.owner, &r->in.id, r->arena, &t,
			   e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return 0;
	}
	/* A form's key is made from all its fields, so an equal key is an equal request. */
	if (r->in.key != TURN_KEY_FORM && check_same(s, &t, e) < 0)
		return -1;
	r->id = t.id;
	r->conversation_id = t.conversation_id;
	r->user.seq = t.user_seq;
	return STARTED(TURN_REPEATED);
}

/* Finds the message that a client names in the current thread. */
static int find_message(struct start *s, struct err *e)
{
	struct turn_request *in = &s->run->in;
	struct db *db = s->run->deps->db;
	struct uuid id;
	struct turn t;

	if (in->verb != TURN_REPLACE || !in->message.n)
		return 0;
	if (message_id_parse(in->message, &id, &in->seq) &&
	    uuid_eq(&id, &in->conversation_id))
		return 0;
	if (uuid_parse(in->message, &id)) {
		if (store_turn_get(db, &in->by.owner, &id, s->run->arena, &t,
				   e) == 0 &&
		    uuid_eq(&t.conversation_id, &in->conversation_id)) {
			in->seq = t.user_seq;
			return 0;
		}
		if (e->code != ERR_NONE && e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
	}
	if (message_find(db, &in->by.owner, &in->conversation_id, in->message,
			 &in->seq, e) < 0)
		return -1;
	return in->seq ? 0 : err_field(e, ERR_INVALID_FIELD, "messageId",
				       "The stored thread has no such message.");
}

/* Attachments are kept with the message as they are at its start. */
static int read_attachments(struct start *s, struct err *e)
{
	struct turn_run *t = s->run;

	if (attach_read(t, e) < 0)
		return -1;
	if (t->in.content.p)
		t->in.meta = options_meta(t->arena, s->meta, &t->in.options);
	return 0;
}

/* The default workspace: the setting's, else the first one. */
static int find_default(struct turn_request *in, struct err *e)
{
	const struct workspace *w;
	const struct agent *a;

	if (setting_read_for(&in->by, e) < 0 ||
	    choice_default(&in->by, &w, &a, e) < 0)
		return -1;
	if (!w)
		return err_set(e, ERR_NOT_FOUND, "no workspace for the caller");
	return target_find(&in->by, str_of(w->id),
			   in->agent_id.p ? in->agent_id : str_of(a->id),
			   &in->target, e);
}

static int find_named(struct turn_request *in, struct err *e)
{
	return in->workspace_id.p
		? target_find(&in->by, in->workspace_id, in->agent_id,
			      &in->target, e)
		: find_default(in, e);
}

/* Takes what is not named from the conversation. */
static int find_conversations_agent(struct start *s, struct err *e)
{
	struct turn_request *in = &s->run->in;
	struct conversation c;

	if (conversation_get(s->run->deps->db, &in->by.owner,
			     &in->conversation_id, s->run->arena, &c, e) < 0)
		return -1;
	if (!in->workspace_id.p)
		in->workspace_id = c.workspace_id;
	if (!in->agent_id.p)
		in->agent_id = c.agent_id;
	if (find_named(in, e) == 0)
		return 0;
	/* Only of the conversation's own agent is it known that it was there once. */
	if (e->code != ERR_NOT_FOUND || !str_eq(in->agent_id, c.agent_id))
		return -1;
	err_clear(e);
	return err_public(e, ERR_NOT_FOUND, "The agent of this conversation, "
			  "%.64s, was deleted, or you can no longer use it. "
			  "The messages stay; to continue, start a new "
			  "conversation.",
			  arena_str(s->run->arena, in->agent_id).p);
}

/* Deletes what the user tried long ago here, and no page has deleted. */
static void drop_drafts(const struct start *s, struct str workspace_id)
{
	const struct turn_request *in = &s->run->in;

	conversation_delete_some(s->run->deps->db, &in->by.owner, &(struct conversation_of){
		.workspace_id = workspace_id, .agent_id = STR(DRAFT_AGENT),
		.user = &in->by.owner.user_id,
		.before_us = clock_now_us() - INT64_C(1000000) * DRAFT_S,
	});
}

/* A call of a draft's tool that the user tries: {name, arguments}. */
static int check_trial(const struct turn_request *in, struct err *e)
{
	const json_t *t = in->options.try_tool;
	const json_t *args = json_object_get(t, "arguments");
	struct str name = jx_str(t, "name");

	if (!t)
		return 0;
	if (in->verb == TURN_CONTINUE)
		return err_field(e, ERR_INVALID_FIELD, "tryTool", "A call that is tried "
				 "cannot be continued. Try it again.");
	if (!name.n || name.n > LIM_NAME_BYTES)
		return err_field(e, ERR_INVALID_FIELD, "tryTool", "tryTool needs the name "
				 "of a tool.");
	if (args && !json_is_null(args) && !json_is_object(args))
		return err_field(e, ERR_INVALID_FIELD, "tryTool", "arguments must be an "
				 "object.");
	return json_object_size(t) == (size_t)(args ? 2 : 1) ? 0
		: err_field(e, ERR_INVALID_FIELD, "tryTool", "tryTool may have name and "
			    "arguments.");
}

/*
 * An agent that is not stored. Only new messages have one, and what goes on with them:
 * their conversation is of such an agent, and of no other.
 */
static int find_draft(struct start *s, struct err *e)
{
	struct turn_request *in = &s->run->in;
	const struct workspace *w;
	const struct agent *a;
	struct conversation c;

	if (check_trial(in, e) < 0)
		return -1;
	if (in->verb == TURN_REPLACE)
		return err_field(e, ERR_INVALID_FIELD, "draftAgent", "An answer cannot be "
				 "replaced by that of a draft. Send a message.");
	if (!in->workspace_id.p && uuid_is_nil(&in->conversation_id))
		return err_field(e, ERR_INVALID_FIELD, "draftAgent",
				 "draftAgent needs a workspace.");
	if (!in->workspace_id.p) {
		if (conversation_get(s->run->deps->db, &in->by.owner,
				     &in->conversation_id, s->run->arena, &c, e) < 0)
			return -1;
		in->workspace_id = c.workspace_id;
	}
	if (agent_draft(&in->by, in->workspace_id, in->options.draft, &w, &a, e) < 0)
		return -1;
	in->target = target_of(in->by.conf, w, a);
	in->program = STR(DRAFT_AGENT);	/* no title, no memories of the user */
	if (uuid_is_nil(&in->conversation_id))
		drop_drafts(s, str_of(w->id));
	return 0;
}

static int find_own(struct start *s, struct err *e)
{
	struct turn_request *in = &s->run->in;

	if (uuid_is_nil(&in->conversation_id))
		return find_named(in, e);
	if (!in->workspace_id.p)
		return find_conversations_agent(s, e);
	s->guessed = !in->agent_id.p;
	return find_named(in, e);
}

/* Another agent of the workspace, which answers this time. */
static int lend(struct start *s, struct err *e)
{
	struct turn_request *in = &s->run->in;
	const struct target own = in->target;

	if (str_is(in->options.answer_agent, own.agent->id))
		return 0;
	if (target_find(&in->by, str_of(own.workspace->id), in->options.answer_agent,
			&in->target, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return err_field(e, ERR_INVALID_FIELD, "answerAgentId", "There is no agent "
				 "\"%.64s\" in this workspace.",
				 arena_str(s->run->arena, in->options.answer_agent).p);
	}
	s->own = str_of(own.agent->id);
	s->lent = true;
	s->guessed = false;
	return 0;
}

/*
 * Most conversations have the default agent, and store_turn_begin checks it. So
 * if only the agent is not named, the conversation is read only if that fails.
 * What goes on with a turn has the agent of that turn.
 */
static int find_target(struct start *s, struct err *e)
{
	struct turn_request *in = &s->run->in;
	struct turn_options was = { .web = 0 };

	if (in->target.agent)
		return 0;
	if (in->of) {
		options_fill(in->of->client, s->run->arena, &was);
		in->options.answer_agent = was.answer_agent;
		in->options.draft = was.draft;
		in->options.try_tool = was.try_tool;
	}
	if (in->options.draft)
		return find_draft(s, e);
	if (in->options.try_tool)
		return err_field(e, ERR_INVALID_FIELD, "tryTool",
				 "tryTool needs a draftAgent.");
	if (find_own(s, e) < 0)
		return -1;
	return in->options.answer_agent.p ? lend(s, e) : 0;
}

/* An answer that the user was asked about is stored in any case. */
static int check_stored(struct start *s, struct err *e)
{
	const struct turn_request *in = &s->run->in;

	return in->verb == TURN_RESUME ? 0
		: hold_check(s->run->deps->db, in->by.conf, &in->by.owner, e);
}

/* The options that are kept with the message. */
static int check_options(struct start *s, struct err *e)
{
	struct turn_request *in = &s->run->in;

	if (in->verb == TURN_RESUME && !in->options_anew) {
		s->client = in->of->client;
		options_fill(s->client, s->run->arena, &in->options);
		return 0;
	}
	if (in->verb == TURN_RESUME)
		return options_text(&in->options, false, s->run->arena,
					 &s->client, e);
	if (in->of)
		options_fill(in->of->client, s->run->arena, &in->options);
	/* What an older turn was made from may have been deleted. */
	if (!in->of && (context_prompt_find(s->run, e) < 0 ||
			context_module_find(s->run, e) < 0 ||
			shown_check(in->options.shown, "pageContext", e) < 0))
		return -1;
	return options_text(&in->options, in->content.p != NULL,
				 s->run->arena, &s->client, e);
}

/*
 * Finds the LLM service. One that the settings choose is found when they arrive
 * with the begin of the turn, unless no other is usable.
 */
static int find_service(struct start *s, struct err *e)
{
	struct turn_run *t = s->run;

	if (target_settle(&t->in.by, &t->in.target, t->arena, e) < 0 ||
	    (t->in.verb != TURN_SEND && context_settings_read(t, e) < 0))
		return -1;
	if (target_can_chat(&t->in.target, e) == 0)
		return 0;
	if (t->in.verb != TURN_SEND || t->in.target.workspace->set.llm_service ||
	    t->in.target.agent->set.llm_service)
		return -1;
	err_clear(e);
	if (context_settings_read(t, e) < 0)
		return -1;
	return target_can_chat(&t->in.target, e);
}

static int prepare_turn(struct start *s, struct err *e)
{
	struct turn_run *t = s->run;

	t->id = t->in.verb == TURN_RESUME ? t->in.of->id
		: uuid_is_nil(&t->in.id) ? uuid_new() : t->in.id;
	t->conversation_id = t->in.conversation_id;
	t->created_conversation = uuid_is_nil(&t->conversation_id);
	if (t->created_conversation)
		t->conversation_id = uuid_is_nil(&t->in.makes) ? uuid_new()
			: t->in.makes;
	if (loop_open(t, e) < 0)
		return -1;
	routing_before(&t->loop->context);
	options_tools(s->client, t->arena, &t->loop->context.tool_ctx);
	return 0;
}

/*
 * Looks up the mentions of a message not stored yet, where its user is, and whose words
 * it has.
 */
static int look_up(struct start *s, struct err *e)
{
	struct turn_run *t = s->run;
	bool edits = t->in.verb == TURN_REPLACE && t->in.content.p && t->in.seq;
	struct message old;

	if (t->in.content.p && (context_mention_new(t, s->meta, e) < 0 ||
				context_place_new(t, e) < 0))
		return -1;
	/* Without it, begin_replace refuses. */
	if (edits && message_get(t->deps->db, &t->in.by.owner, &t->in.conversation_id,
				 t->in.seq, t->arena, &old, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		edits = false;
	}
	whose_mark_message(t, edits ? &old : NULL);
	return 0;
}

static struct str provider_of(const struct turn_run *t)
{
	return str_of(t->in.target.service->provider);
}

static struct str model_of(const struct turn_run *t)
{
	return utf8_head(str_of(t->in.target.service->model), LIM_MODEL_CHARS);
}

static int begin_send(struct start *s, struct err *e)
{
	struct turn_run *t = s->run;
	struct turn_begin b = {
		.turn_id = t->id, .conversation_id = t->conversation_id,
		.create = t->created_conversation,
		.workspace_id = str_of(t->in.target.workspace->id),
		.agent_id = !s->lent ? str_of(t->in.target.agent->id)
			: t->created_conversation ? s->own : (struct str){ NULL, 0 },
		.title = title_of(t, t->arena), .program = t->in.program,
		.content = t->in.content, .meta = t->in.meta,
		.client_id = t->in.client_id,
		.options = options_kept(t->arena, &t->in.options),
		.client = s->client,
		.provider = provider_of(t), .model = model_of(t),
		.payer = t->in.target.service->payer,
		.text_of_events = event_texts,
		.n_history = t->created_conversation ? 0
			: history_first_rows(MAX(t->in.history_messages,
				t->in.target.workspace->history_messages)),
		.arena = t->arena,
		.commit = t->in.runs_at_once ? &t->loop->begun.early : NULL,
	};
	struct setting_values *asked;
	int rc;

	/* In the same statement, so that settings cost no round trip (context/setting.c). */
	context_settings_ask(t, &b, &asked);
	rc = store_turn_begin(t->deps->db, &t->loop->owner, &b, e);
	/*
	 * Also if the begin failed: the dead turn that stood in its way is closed in any
	 * case.
	 */
	notify_evicted(t->deps->notify, &t->loop->owner, &t->conversation_id,
		       &b.evicted);
	if (rc < 0)
		return -1;
	t->user = b.user;
	options_recall(t->arena, &t->in.options, &b.user.options);
	t->loop->rows.last_seq = b.user.seq;
	t->history = b.history;
	t->loop->begun.turn_number = b.turn_number;
	t->loop->begun.titled = b.titled;
	t->loop->begun.opens = b.turn_number == 1;
	t->loop->begun.title = b.title;
	loop_begun(t);
	/* The turn has begun: a failure is emitted as its end. */
	if (context_settings_take(t, &b, asked, &t->loop->err) < 0)
		log_err("settings of a turn", &t->loop->err);
	return STARTED(TURN_STARTED);
}

static int begin_continue(struct start *s, struct err *e)
{
	struct turn_run *t = s->run;
	struct turn_continue c = {
		.turn_id = t->id, .of = t->in.of->id, .client = s->client,
		.provider = provider_of(t), .model = model_of(t),
		.payer = t->in.target.service->payer,
	};

	if (store_turn_continue(t->deps->db, &t->loop->owner, &c, e) < 0)
		return -1;
	t->continues_seq = c.last_seq;
	t->continues = t->in.of->id;
	t->loop->begun.turn_number = c.turn_number;
	loop_begun_stored(t, c.user_seq);
	return STARTED(TURN_STARTED);
}

static int begin_replace(struct start *s, struct err *e)
{
	struct turn_run *t = s->run;
	bool edit = t->in.content.p != NULL;
	struct turn_replace r = {
		.turn_id = t->id, .conversation_id = t->conversation_id,
		.seq = t->in.seq, .edit = edit,
		.content = t->in.content, .client = s->client,
		.provider = provider_of(t), .model = model_of(t),
		.payer = t->in.target.service->payer,
		.text_of_events = event_texts,
	};

	if (edit) {
		r.meta = t->in.meta;
		r.client_id = t->in.client_id;
		r.options = options_kept(t->arena, &t->in.options);
		r.title = title_of(t, t->arena);
	}
	if (thread_replace(t->deps->db, &t->loop->owner, &r, e) < 0)
		return -1;
	notify_evicted(t->deps->notify, &t->loop->owner, &t->conversation_id,
		       &r.evicted);
	t->loop->begun.turn_number = r.turn_number;
	t->loop->begun.opens = t->loop->begun.titled = r.titled;
	t->loop->begun.title = r.title;
	t->variant_index = r.variant_index;
	t->variant_count = r.variant_count;
	loop_begun_stored(t, r.user.seq);
	t->in.meta = t->user.meta;
	return STARTED(TURN_STARTED);
}

/* -- decisions about calls that wait ----------------------------------------- */

/*
 * Edited arguments must fit the tool as it is offered now, and are kept in
 * canonical form. Tools are described as for the turn itself.
 */
static int check_edited(struct turn_run *t, struct turn_decision *d,
			const struct turn_wait *w, struct err *e)
{
	struct tool_ctx *ctx = &t->loop->context.tool_ctx;
	const struct tool_offer *offer;
	struct err wrong = ERR_INIT;
	struct tool_set set;
	json_t *j;

	if (!(w->flags & WAIT_EDITABLE))
		return err_field(e, ERR_INVALID_FIELD, "arguments",
				 "The arguments of this call cannot be "
				 "changed.");
	if (tool_set_build(ctx, &set, e) < 0)
		return -1;
	if (tool_prepare(&set, ctx, w->tool, d->edited, &offer, &j, &wrong) < 0)
		return err_field(e, ERR_INVALID_FIELD, "arguments", "%s",
				 err_message(&wrong));
	d->edited = calls_canonical(t->loop, &(struct turn_call){
		.args = d->edited });
	return 0;
}

/* Checks decisions with arguments against the calls that they are about. */
static int check_decisions(struct turn_run *t, struct turn_decision *d,
			   size_t n, struct err *e)
{
	struct turn_wait *rows;
	size_t n_rows;

	if (store_turn_wait_list(t->deps->db, &t->loop->owner, &t->id, t->arena,
				 &rows, &n_rows, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; d[i].edited.p && k < n_rows; k++)
			if (uuid_eq(&rows[k].id, &d[i].id) &&
			    check_edited(t, &d[i], &rows[k], e) < 0)
				return -1;
	return 0;
}

/* Logs the decisions; the log's lines have the user (log_bind). */
static void log_decisions(const struct turn_run *t,
			  const struct turn_decision *d, size_t n)
{
	char turn[UUID_TEXT_BYTES], id[UUID_TEXT_BYTES];

	uuid_format(&t->id, turn);
	for (size_t i = 0; i < n; i++)
		log_info("a waiting call was decided", "turn", turn, "wait",
			 uuid_format(&d[i].id, id), "kind",
			 wait_kind_name(d[i].kind), "as",
			 wait_status_name(d[i].status), "edited",
			 d[i].edited.p ? "yes" : NULL, "remember",
			 d[i].remember ? "yes" : NULL);
}

static bool decided_so(const struct turn_decision *d,
		       const struct turn_wait *row)
{
	return uuid_eq(&d->id, &row->id) &&
		(int64_t)d->kind == row->kind &&
		(int64_t)d->status == row->status &&
		(int64_t)d->is_error == row->is_error &&
		(!d->digest.p || str_eq(d->digest, row->digest)) &&
		str_eq(d->edited, row->edited) && str_eq(d->result, row->result);
}

/*
 * Whether a possibly repeated request, which e (ERR_CONFLICT) refuses, only
 * repeats an earlier decision. Then clears e: the caller follows the turn as
 * the first request did.
 */
static bool decided_before(struct turn_run *t, struct err *e)
{
	const struct turn_request *in = &t->in;
	struct err ignored = ERR_INIT;
	struct turn_wait *rows;
	size_t n_rows, n_same = 0;

	if (e->code != ERR_CONFLICT || in->key == TURN_KEY_NONE ||
	    store_turn_wait_list(t->deps->db, &t->loop->owner, &t->id, t->arena,
				 &rows, &n_rows, &ignored) < 0)
		return false;
	for (size_t i = 0; i < in->n_decisions; i++)
		for (size_t k = 0; k < n_rows; k++)
			if (decided_so(&in->decisions[i], &rows[k])) {
				t->follow_seq = rows[k].decided_seq;
				n_same++;
			}
	if (n_same != in->n_decisions)
		return false;
	err_clear(e);
	return true;
}

/* Stores the decisions and takes the turn, unless another process runs it. */
static int begin_resume(struct start *s, struct err *e)
{
	struct turn_run *t = s->run;
	struct turn_decision *d = t->in.decisions;
	struct turn_resume r = {
		.turn_id = t->id, .decisions = d, .n = t->in.n_decisions,
		.via = str_of(identity_kind_name(t->in.by.who->kind)),
	};

	t->resumed = true;
	t->follow_seq = t->in.of->last_event_seq;
	if (check_decisions(t, d, r.n, e) < 0 ||
	    store_turn_resume(t->deps->db, &t->loop->owner, &r, e) < 0)
		return decided_before(t, e) ? STARTED(TURN_REPEATED) : -1;
	log_decisions(t, d, r.n);
	if (!r.resumed) {
		t->follow_seq = r.turn.last_event_seq;
		return STARTED(TURN_ELSEWHERE);
	}
	t->loop->relay.seq = (uint32_t)r.turn.last_event_seq;
	t->loop->begun.turn_number = r.turn_number;
	t->variant_index = r.variant_index;
	t->variant_count = r.variant_count;
	t->resumes = r.turn.resumes + 1;
	loop_begun_stored(t, r.turn.user_seq);
	if (t->loop->relay.entry.log)
		event_log_start(t->loop->relay.entry.log, t->loop->relay.seq,
			       t->resumes);
	/* A model may still improve the title. */
	t->loop->begun.opens = t->loop->begun.titled = r.turn_number == 1;
	t->in.meta = t->user.meta;
	return STARTED(TURN_STARTED);
}

/* -- the steps, in order ---------------------------------------------------- */

static int begin_turn(struct start *s, struct err *e)
{
	static start_step *const verbs[] = {
		[TURN_SEND] = begin_send, [TURN_CONTINUE] = begin_continue,
		[TURN_REPLACE] = begin_replace, [TURN_RESUME] = begin_resume,
	};

	return verbs[s->run->in.verb](s, e);
}

/*
 * The steps of every start, in this order. The process's own limits
 * (threads.max_turns, the share of one user) are gates of the route, before the
 * body is read. Only the storing transaction can tell whether the conversation
 * is free.
 */
static start_step *const steps[] = {
	find_before,	/* a turn was started with the key: that one, or 422 for
			   another request */
	find_message,	/* the message to replace: 422 */
	read_attachments,	/* ready, and the caller's: 422 */
	find_target,	/* workspace and agent, visible to the caller: 404 */
	check_options,	/* the rules of turn_options.def: 422, 413 */
	find_service,	/* an LLM service that can chat: 503, 422 */
	check_stored,	/* what the user stores: 413 */
	prepare_turn,
	look_up,	/* mentions, the project: 422 */
	begin_turn,		/* not busy: 409; stores the message */
};
enum { AFTER_TARGET = 4 };

static int go(struct start *s, size_t from, struct err *e)
{
	int rc = 0;

	for (size_t i = from; i < ARRAY_LEN(steps) && rc == 0; i++)
		rc = steps[i](s, e);
	return rc;
}

/* Whether e may not apply to another agent. */
static bool is_the_agents(const struct err *e)
{
	return e->code == ERR_NOT_FOUND || e->code == ERR_CHAT_DISABLED ||
		e->code == ERR_LLM_UNSUPPORTED ||
		e->code == ERR_LLM_NO_CREDENTIAL;
}

/* The default agent failed with `why`: tries the conversation's own. */
static int try_own_agent(struct start *s, const struct err *why, struct err *e)
{
	const struct agent *first = s->run->in.target.agent;

	if (find_conversations_agent(s, e) < 0)
		return -1;
	if (!str_is(str_of(first->id), s->run->in.target.agent->id))
		return go(s, AFTER_TARGET, e);
	*e = *why;
	return -1;
}

/* Whether e may mean that the same form was sent a moment ago. */
static bool is_taken(const struct err *e)
{
	return e->code == ERR_BUSY || e->code == ERR_CONFLICT ||
		e->code == ERR_DB_DUPLICATE;
}

int turn_start(struct turn_run *t, const struct turn_deps *deps,
	       const struct turn_request *in, struct arena *a, struct err *e)
{
	struct start s = { .run = t, .meta = in->meta };
	struct err why = ERR_INIT, ignored = ERR_INIT;
	TRACE_SPAN(TRACE_START, NULL);
	int rc;

	*t = (struct turn_run){ .deps = deps, .in = *in, .arena = a };
	hold_line_enter(deps->begins, &in->by.owner.user_id, &t->place);
	rc = go(&s, 0, &why);
	if (rc < 0 && s.guessed && is_the_agents(&why))
		rc = try_own_agent(&s, &why, e);
	else if (rc < 0)
		*e = why;
	/* A browser sends a form twice at a double click; the second finds the first at work. */
	if (rc < 0 && in->key == TURN_KEY_FORM && is_taken(e) &&
	    find_before(&s, &ignored) > 0) {
		err_clear(e);
		rc = STARTED(TURN_REPEATED);
	}
	if (rc != STARTED(TURN_STARTED) || !commit_pending(t->loop))
		hold_line_leave(&t->place);
	/* Needed by the start only; may be in the caller's memory. */
	t->in.of = NULL;
	t->in.decisions = NULL;
	return rc < 0 ? -1 : rc - 1;
}

const struct tool_turn *turn_tools(const struct turn_run *t)
{
	return t->context ? &t->context->tool_ctx.turn : NULL;
}
