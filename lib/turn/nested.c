/* SPDX-License-Identifier: MIT */
/*
 * An agent as a tool (A19, A20, E41): the turn's loop once more, within one of
 * its calls, with a prompt, tools and a budget of its own. It starts without
 * history, stores nothing but its usage, cannot ask anybody, and shows what it
 * does as notes of the call. Its tools are bound to the same caller.
 */

#include "turn/nested.h"

#include <math.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "tool/agent/option.h"
#include "tool/core/kind.h"
#include "tool/core/passage.h"
#include "turn/ask.h"
#include "context/context.h"
#include "turn/loop.h"
#include "turn/plan_stop.h"
#include "turn/trail.h"

#include "base/banned.h"

enum { TIMEOUT_MS = 300000 };

struct nested {
	struct sink sink;		/* must be first: a sink pointer is cast
					   to this struct */
	const struct tool_ctx *call;
	struct turn_run run;
	struct llm_service service;
	bool automatic;			/* rules choose the service */
	struct turn_loop *loop;
};

/* -- progress --------------------------------------------------------------- */

static enum tool_note_status status_of(struct str s)
{
	if (str_is(s, "start"))
		return NOTE_START;
	if (str_is(s, "progress"))
		return NOTE_PROGRESS;
	return str_is(s, "success") ? NOTE_SUCCESS : NOTE_ERROR;
}

static void on_emit(struct sink *s, const struct turn_event *ev)
{
	struct nested *n = (struct nested *)s;
	struct tool_note note = { .tool = ev->tool_name };
	struct tool_operation operation;

	switch (ev->type) {
	case TURN_EV_OPERATION:
		/* Names of it are constants (tool/core/tool.h). */
		operation = (struct tool_operation){
			.action = ev->code.p, .entity_type = ev->entity_type.p,
			.name = ev->text, .status = ev->status.p,
		};
		if (ev->entity_id.n)
			uuid_parse(ev->entity_id, &operation.id);
		note.operation = &operation;
		break;
	case TURN_EV_AGENT_STATE:
		note.delta = ev->args;
		note.mode = ev->code.n ? n->loop->log.mode : TOOL_MODE_NONE;
		break;
	case TURN_EV_TOOL_CALL:
		note.status = NOTE_START;
		break;
	case TURN_EV_TOOL_RESULT:
		note.status = ev->is_error ? NOTE_ERROR : NOTE_SUCCESS;
		break;
	case TURN_EV_TOOL_PROGRESS:
		note.status = status_of(ev->code);
		note.text = ev->text;
		break;
	default:
		return;
	}
	tool_note(n->call, &note);
}

/* -- setting up ------------------------------------------------------------- */

/*
 * Whether the caller's own service takes the place of the one that the tool
 * names.
 */
static bool own_answers(const struct turn_loop *parent,
			const struct conf_tool *tool)
{
	const struct target *t = &parent->run->in.target;
	struct err ignored = ERR_INIT;

	return t->own && llm_check_can(t->service, tool->agent->capability,
				       &ignored) == 0;
}

static int timeout_ms(const struct conf_tool *tool)
{
	return tool->timeout_ms ? tool->timeout_ms : TIMEOUT_MS;
}

static int select_service(struct nested *n, const struct turn_loop *parent,
			  const struct conf_tool *tool, struct err *e)
{
	const struct llm_service *s =
		tool_agent_service(parent->run->in.by.conf, tool->agent);

	/* The turn's rules do not apply to a service that the tool names. */
	n->automatic = !s && parent->run->in.target.automatic;
	if (!s || own_answers(parent, tool))
		s = parent->run->in.target.service;
	if (llm_check_service(s, e) < 0)
		return -1;
	n->service = llm_service_within(s, timeout_ms(tool));
	return 0;
}

/* A step of a plan may do what its turn may, and ask the user. */
static void set_up_step(struct turn_loop *l, const struct tool_turn *turn,
			struct trail *trail)
{
	struct tool_turn *to = &l->context.tool_ctx.turn;

	l->within.trail = trail;
	l->within.stop = trail->stop;
	l->abort = to->abort = trail->stop->abort;
	/* They are told as notes: the steps of a plan run at the same time. */
	to->by.changes = NULL;
	to->plan = true;
	to->pool = turn->pool;
	to->calendar = turn->calendar;
	to->intent = turn->intent;
	to->more = turn->more;
	to->n_more = turn->n_more;
	to->page = turn->page;
	to->n_page = turn->n_page;
	to->conversation_id = turn->conversation_id;
}

static void set_up(struct nested *n, const struct turn_loop *parent,
		   const struct tool_task *task)
{
	const struct conf_tool *tool = task->tool;
	struct arena *a = n->call->arena;
	struct turn_loop *l;

	n->run = (struct turn_run){
		.deps = parent->run->deps, .in = parent->run->in,
		.id = parent->run->id,
		.conversation_id = parent->run->conversation_id,
		/*
		 * As of a new conversation: it reads no history, and no approval of this
		 * one counts.
		 */
		.created_conversation = true, .arena = a,
	};
	n->run.in.target.service = &n->service;
	n->run.in.target.automatic = n->automatic;
	n->run.in.target.agent = agent_of_tool(a, tool);
	n->run.in.content = task->input;
	n->run.in.meta = (struct str){ NULL, 0 };
	n->loop = l = loop_new(&n->run, a);
	n->run.loop = l;
	l->context.outer = &parent->context;
	l->within.parent = parent;
	l->within.stop = parent->within.stop;
	/*
	 * It cites into its turn's list, so that numbers are the turn's; its own is not
	 * needed.
	 */
	context_release(&l->context);
	l->context.tool_ctx.passages = l->context.cites.all = parent->context.cites.all;
	l->context.task = task;
	origins_join(&l->context.taint, n->call->taint);
	l->relay.sink = &n->sink;
	/* Its events are notes of the call: the turn's log has no place for them. */
	l->relay.live = NULL;
	l->abort = parent->abort;
	l->begun.turn_number = parent->begun.turn_number;
	l->within.max_calls = tool->agent->max_calls;
	l->within.max_tokens = tool->agent->max_tokens;
	l->context.until_ms = l->begun.started_ms + timeout_ms(tool);
	l->context.tool_ctx.turn.abort = parent->abort;
	l->context.tool_ctx.turn.by.changes = n->call->turn.by.changes;
	l->context.tool_ctx.turn.depth = n->call->turn.depth + 1;
	l->context.tool_ctx.turn.web = n->call->turn.web;
}

/* -- the end ---------------------------------------------------------------- */

static void record_usage(const struct nested *n, bool ok)
{
	const struct turn_loop *l = n->loop;
	struct usage u = loop_usage(n->loop, ok ? "stop" : "error");
	struct err e = ERR_INIT;

	if (!l->served.model_calls)
		return;
	if (usage_insert(n->run.deps->db, &l->owner, &u, &e) < 0)
		log_err("usage of an agent", &e);
}

static int write_answer(const struct conf_tool *tool, struct str text, int rc,
			const struct err *why, struct buf *out, struct err *e)
{
	text = str_trim(text);
	/* Not a failure of the tool: the turn itself ends with it. */
	if (rc < 0 && why->code == ERR_CANCELLED) {
		*e = *why;
		return -1;
	}
	if (rc < 0)
		return err_public(e, why->code == ERR_UPSTREAM_TIMEOUT
				  ? ERR_TOOL_TIMEOUT : ERR_TOOL_FAILED,
				  "The agent \"%s\" failed: %.160s", tool->name,
				  err_message(why));
	if (!text.n)
		return err_public(e, ERR_TOOL_FAILED, "The agent \"%s\" gave no "
				  "answer.", tool->name);
	buf_addstr(out, text);
	return 0;
}

/* A single model call instead of the loop. */
static int ask_once(const struct nested *n, const struct turn_loop *parent,
		    const struct tool_task *task, struct buf *out,
		    struct err *e)
{
	const struct turn_deps *deps = parent->run->deps;
	const struct prompt_ask q = {
		.service = &n->service, .kind = USAGE_AGENT,
		.layer = "tool", .prompt = task->prompt, .guardrails = true,
		.input = task->input, .images = task->images,
		.n_images = task->n_images, .max_bytes = LIM_ANSWER_BYTES,
		.stream = true, .abort = parent->abort,
	};
	struct prompt_reply reply;
	struct err why = ERR_INIT;
	int rc = turn_ask(deps, NULL, &q, n->call->arena, &reply, &why);

	if (rc == 0 && task->whole && (reply.stop == LLM_STOP_MAX_TOKENS ||
				       reply.stop == LLM_STOP_CONTEXT))
		rc = err_public(&why, ERR_UPSTREAM_PROTOCOL, "The answer was cut "
				"off at the model's output limit.");
	turn_usage_place(&reply.usage, parent);
	reply.usage.agent_id = str_of(task->tool->name);
	prompt_ask_record(deps->db, &parent->owner, &reply);
	return write_answer(task->tool, reply.text, rc, &why, out, e);
}

static int run_nested(struct turn_loop *parent, const struct tool_ctx *call,
		      const struct tool_task *task, struct buf *out,
		      bool *untrusted, struct origins *from, struct err *e)
{
	const struct conf_tool *tool = task->tool;
	struct nested *n = arena_new(call->arena, struct nested);
	struct err why = ERR_INIT;
	int rc;

	*n = (struct nested){ .sink = { .emit = on_emit }, .call = call };
	if (select_service(n, parent, tool, &why) < 0)
		return err_public(e, ERR_TOOL_FAILED, "The agent \"%s\" has no "
				  "language model: %.120s", tool->name,
				  err_message(&why));
	if (task->prompt) {
		/*
		 * Its answer is made from the input, which the turn wrote with what it has
		 * read.
		 */
		*untrusted |= call->taint && call->taint->n > 0;
		origins_join(from, call->taint);
		return ask_once(n, parent, task, out, e);
	}
	set_up(n, parent, task);
	rc = context_build(&n->loop->context, &n->loop->step, &why);
	if (rc == 0)
		rc = loop_converse(n->loop, &why);
	record_usage(n, rc == 0);
	*untrusted |= n->loop->context.taint.n > 0;
	origins_join(from, &n->loop->context.taint);
	rc = write_answer(tool, buf_str(&n->loop->step.text), rc, &why, out, e);
	if (rc == 0 && n->loop->served.capped)
		buf_adds(out, "\n\n[This agent came to the end of its budget "
			 "before it was done.]");
	loop_drop(n->loop);
	return rc;
}

int nested_agent(const struct tool_ctx *call, const struct tool_task *task,
		 struct buf *out, struct err *e)
{
	const struct call_run *r = call->host_ctx;

	return run_nested(r->loop, call, task, out, &r->call->untrusted, &r->call->from, e);
}

int nested_step(struct turn_loop *parent, const struct tool_ctx *call,
		const struct tool_task *task, struct trail *trail,
		const struct origins *given, struct buf *out, struct nested_end *end,
		struct err *e)
{
	struct nested *n = arena_new(call->arena, struct nested);
	struct err why = ERR_INIT;
	struct turn_loop *l;
	int rc;

	*n = (struct nested){ .sink = { .emit = on_emit }, .call = call };
	*end = (struct nested_end){ .cost = NAN };
	if (select_service(n, parent, task->tool, &why) < 0)
		return err_public(e, ERR_TOOL_FAILED, "The step has no language model: "
				  "%.120s", err_message(&why));
	set_up(n, parent, task);
	l = n->loop;
	origins_join(&l->context.taint, given);
	set_up_step(l, &call->turn, trail);
	rc = context_build(&l->context, &l->step, &why);
	if (rc == 0)
		rc = loop_converse(l, &why);
	record_usage(n, rc == 0);
	end->tokens = llm_usage_tokens(&l->served.usage);
	end->cost = llm_usage_cost(l->run->in.target.service, &l->served.usage);
	end->from = l->context.taint;
	if (rc == 0 && l->waits.waiting) {
		end->waits = l->waits.v;
		end->n_waits = l->waits.n;
	} else {
		rc = write_answer(task->tool, buf_str(&l->step.text), rc, &why, out, e);
	}
	loop_drop(l);
	return rc;
}

int turn_agent(const struct turn_deps *deps, const struct turn_request *in,
	       const struct tool_ctx *call, const struct tool_task *task,
	       struct buf *out, struct err *e)
{
	struct turn_run t = { .deps = deps, .in = *in, .arena = call->arena };
	struct llm_message asked = { .role = LLM_USER, .text = task->input };
	struct origins from = { .n = 0 };
	bool untrusted = false;
	struct turn_loop *l;
	int rc;

	if (target_settle(&t.in.by, &t.in.target, call->arena, e) < 0 ||
	    target_can_chat(&t.in.target, e) < 0)
		return -1;
	t.loop = l = loop_new(&t, call->arena);
	l->abort = call->turn.abort;
	/* The person who typed the arguments counts as their source (text_origin.c). */
	l->context.messages = &asked;
	l->context.n_messages = 1;
	rc = run_nested(l, call, task, out, &untrusted, &from, e);
	loop_drop(l);
	return rc;
}
