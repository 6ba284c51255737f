/* SPDX-License-Identifier: MIT */
/*
 * AG-UI 1.0: one `data: {event}` per frame, LF only, no [DONE] and no null for
 * what is optional (P-F2).
 *
 * A client checks the order: RUN_STARTED first, everything that was opened is
 * closed before RUN_FINISHED, nothing follows RUN_FINISHED or RUN_ERROR. What
 * has no event of its own is CUSTOM. A text and the tool calls behind it are
 * one assistant message: parentMessageId names it.
 *
 * Source: ag-ui docs/concepts/events.mdx, @ag-ui/core 1.0.0.
 */
#include "dialect/ag_ui.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "dialect/wire.h"
#include "memory/state.h"

#include "base/banned.h"

struct ag_ui_state {
	bool begun;			/* the client's run was opened */
	bool text_open, reasoning_open;
	uint32_t part;			/* number of the open message */
	bool has_parent;		/* this step's message has an id */
};

#define ID_BYTES (UUID_TEXT_BYTES + 12)

/* "{turn}-{part}": the id of the message that is open. */
static const char *part_id(const struct turn_event *ev,
			   const struct ag_ui_state *k, char *out)
{
	uuid_format(&ev->run->id, out);
	snprintf(out + UUID_TEXT_BYTES - 1, ID_BYTES - UUID_TEXT_BYTES + 1,
		 "-%u", k->part);
	return out;
}

static void put_edge(struct buf *out, const char *type, const char *role,
		     const struct turn_event *ev,
		     const struct ag_ui_state *k)
{
	struct jw w = wire_typed(out, type);
	char id[ID_BYTES];

	jw_kstrz(&w, "messageId", part_id(ev, k, id));
	if (role)
		jw_kstrz(&w, "role", role);
	wire_frame_end(&w);
}

static void close_parts(struct buf *out, const struct turn_event *ev,
			struct ag_ui_state *k)
{
	if (k->text_open)
		put_edge(out, "TEXT_MESSAGE_END", NULL, ev, k);
	if (k->reasoning_open) {
		put_edge(out, "REASONING_MESSAGE_END", NULL, ev, k);
		put_edge(out, "REASONING_END", NULL, ev, k);
		k->has_parent = false;
	}
	k->text_open = k->reasoning_open = false;
}

/* The client's own ids where it gave some; else ours. */
static void put_run(struct jw *w, const struct turn_event *ev,
		    const struct dialect_state *st)
{
	const struct ag_ui_asked *asked = st->asked;

	if (asked && asked->thread_id.n)
		jw_kstr(w, "threadId", asked->thread_id);
	else
		jw_kuuid(w, "threadId", &ev->run->conversation_id);
	if (asked && asked->run_id.n)
		jw_kstr(w, "runId", asked->run_id);
	else
		jw_kuuid(w, "runId", &ev->run->id);
}

/* CUSTOM up to its value. */
static struct jw custom_open(struct buf *out, const char *name)
{
	struct jw w = wire_typed(out, "CUSTOM");

	jw_kstrz(&w, "name", name);
	jw_key(&w, "value");
	return w;
}

static void write_any(struct buf *out, const char *name,
		      const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = custom_open(out, name);

	wire_value(&w, ev, st);
	wire_frame_end(&w);
}

/* What the client shares and what is known of the conversation, as one state. */
static void put_snapshot(struct buf *out, const struct ag_ui_asked *asked)
{
	struct jw w = wire_typed(out, "STATE_SNAPSHOT");
	const char *key;
	json_t *v;

	jw_key(&w, "snapshot");
	jw_obj(&w);
	json_object_foreach((json_t *)asked->state, key, v) {
		if (!strcmp(key, AG_UI_STATE))
			continue;
		jw_key(&w, key);
		jw_json(&w, v);
	}
	jw_key(&w, AG_UI_STATE);
	state_write(&w, asked->agent_state, NULL);
	jw_end_obj(&w);
	wire_frame_end(&w);
}

/* If it grew, the whole agent state, which has a cap: clients need not know the merging. */
static void write_state(struct buf *out, const char *name, const struct turn_event *ev,
			struct dialect_state *st)
{
	const struct ag_ui_asked *asked = st->asked;
	struct err ignored = ERR_INIT;
	json_t *updates = jx_load_lenient(ev->args, &ignored);
	struct jw w;

	write_any(out, name, ev, st);
	if (asked && asked->agent_state && json_object_size(updates)) {
		(void)state_apply(asked->agent_state, NULL, updates, STATE_BY_USER,
				  (struct str){ NULL, 0 }, clock_now_us());
		w = wire_typed(out, "STATE_DELTA");
		jw_key(&w, "delta");
		jw_arr(&w);
		jw_obj(&w);
		jw_kstrz(&w, "op", "add");
		jw_kstrz(&w, "path", "/" AG_UI_STATE);
		jw_key(&w, "value");
		state_write(&w, asked->agent_state, NULL);
		jw_end_obj(&w);
		jw_end_arr(&w);
		wire_frame_end(&w);
	}
	json_decref(updates);
}

static void write_started(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	const struct ag_ui_asked *asked = st->asked;
	struct ag_ui_state *k = st->own;
	struct jw w;

	/* Ids of messages differ from those of the run that waited. */
	k->part = MAX(k->part, ev->seq - 1);
	if (k->begun)		/* one run: the turn resumed */
		return;
	k->begun = true;
	w = wire_typed(out, name);
	put_run(&w, ev, st);
	wire_frame_end(&w);
	w = custom_open(out, "session");
	wire_session(&w, ev->run);
	wire_frame_end(&w);
	if (asked && asked->agent_state)
		put_snapshot(out, asked);
}

/* A new model call: its text is a new message. */
static void write_context_usage(struct buf *out, const char *name,
				const struct turn_event *ev,
				struct dialect_state *st)
{
	struct ag_ui_state *k = st->own;

	close_parts(out, ev, k);
	k->has_parent = false;
	write_any(out, name, ev, st);
}

/* The hot path. Clients refuse an empty delta. */
static void put_delta(struct buf *out, const char *type, struct str text,
		      const struct turn_event *ev,
		      const struct ag_ui_state *k)
{
	char id[ID_BYTES];

	buf_add(out, "data: {\"type\":\"", 15);
	buf_adds(out, type);
	buf_add(out, "\",\"messageId\":\"", 15);
	buf_adds(out, part_id(ev, k, id));
	buf_add(out, "\",\"delta\":", 10);
	buf_json(out, text);
	buf_addc(out, '}');
	wire_close(out);
}

static void put_text(struct buf *out, struct str text,
		     const struct turn_event *ev, struct ag_ui_state *k)
{
	if (!text.n)
		return;
	if (!k->text_open) {
		close_parts(out, ev, k);
		k->part++;
		put_edge(out, "TEXT_MESSAGE_START", "assistant", ev, k);
		k->text_open = k->has_parent = true;
	}
	put_delta(out, "TEXT_MESSAGE_CONTENT", text, ev, k);
}

static void write_text(struct buf *out, const char *name,
		       const struct turn_event *ev, struct dialect_state *st)
{
	struct ag_ui_state *k = st->own;
	(void)name;
	put_text(out, ev->text, ev, k);
}

static void write_reasoning(struct buf *out, const char *name,
			    const struct turn_event *ev,
			    struct dialect_state *st)
{
	struct ag_ui_state *k = st->own;
	if (!ev->text.n)
		return;
	if (!k->reasoning_open) {
		close_parts(out, ev, k);
		k->part++;
		put_edge(out, "REASONING_START", NULL, ev, k);
		put_edge(out, "REASONING_MESSAGE_START", "reasoning", ev, k);
		k->reasoning_open = true;
	}
	put_delta(out, name, ev->text, ev, k);
}

static void write_tool_call(struct buf *out, const char *name,
			    const struct turn_event *ev,
			    struct dialect_state *st)
{
	struct ag_ui_state *k = st->own;
	struct buf args = BUF_INIT(out->cap);
	struct jw w = jw_on(&args);
	char id[ID_BYTES];

	close_parts(out, ev, k);
	if (!k->has_parent)
		k->part++;
	k->has_parent = true;
	wire_foreign(&w, ev->args.n ? ev->args : STR("{}"));

	w = wire_typed(out, name);
	jw_kstr(&w, "toolCallId", ev->call_id);
	jw_kstr(&w, "toolCallName", ev->tool_name);
	jw_kstrz(&w, "parentMessageId", part_id(ev, k, id));
	wire_frame_end(&w);
	w = wire_typed(out, "TOOL_CALL_ARGS");
	jw_kstr(&w, "toolCallId", ev->call_id);
	jw_kstr(&w, "delta", buf_str(&args));
	wire_frame_end(&w);
	w = wire_typed(out, "TOOL_CALL_END");
	jw_kstr(&w, "toolCallId", ev->call_id);
	wire_frame_end(&w);
	buf_release(&args);
}

static void write_tool_result(struct buf *out, const char *name,
			      const struct turn_event *ev,
			      struct dialect_state *st)
{
	struct ag_ui_state *k = st->own;
	struct jw w = wire_typed(out, name);
	char id[ID_BYTES];

	k->part++;
	jw_kstrz(&w, "messageId", part_id(ev, k, id));
	jw_kstr(&w, "toolCallId", ev->call_id);
	jw_kstr(&w, "content", ev->result.p ? ev->result : STR(""));
	jw_kstrz(&w, "role", "tool");
	wire_frame_end(&w);
}

/*
 * A call of the page: any other call without a result is one already. That of a step of a
 * plan is not in the client's thread.
 */
static void write_client_call(struct buf *out, const char *name,
			      const struct turn_event *ev, struct dialect_state *st)
{
	struct turn_event call = *ev;

	call.args = ev->waits[0].args;
	if (ev->waits[0].flags & WAIT_INNER)
		write_tool_call(out, name, &call, st);
}

static void write_wait(struct buf *out, const char *name,
		       const struct turn_event *ev, struct dialect_state *st)
{
	close_parts(out, ev, st->own);
	write_client_call(out, "TOOL_CALL_START", ev, st);
	write_any(out, name, ev, st);
}

/* What the next run must contain: resume for these, messages for page tools. */
static void put_interrupt(struct jw *w, const struct turn_wait *wait)
{
	bool approval = wait->kind == WAIT_APPROVAL;

	jw_obj(w);
	jw_kuuid(w, "id", &wait->id);
	jw_kstrz(w, "reason", approval ? "approval" : "clarification");
	jw_kstr(w, "toolCallId", wait->call_id);
	jw_key(w, "responseSchema");
	jw_raw(w, approval
	       ? STR("{\"type\":\"object\",\"properties\":{\"approved\":"
		     "{\"type\":\"boolean\"},\"arguments\":{\"type\":"
		     "\"object\"}},\"required\":[\"approved\"]}")
	       : STR("{\"type\":\"object\",\"properties\":{\"choice\":"
		     "{\"type\":\"string\"},\"answer\":{\"type\":"
		     "\"string\"}}}"));
	jw_ktime(w, "expiresAt", wait->expires_us);
	jw_end_obj(w);
}

static void write_waiting(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	struct ag_ui_state *k = st->own;
	size_t n_interrupts = 0;
	struct jw w;

	close_parts(out, ev, k);
	for (size_t i = 0; i < ev->n_waits; i++)
		n_interrupts += ev->waits[i].kind != WAIT_CLIENT;
	w = wire_typed(out, name);
	put_run(&w, ev, st);
	jw_key(&w, "outcome");
	jw_obj(&w);
	jw_kstrz(&w, "type", n_interrupts ? "interrupt" : "success");
	jw_key(&w, n_interrupts ? "interrupts" : "pendingToolCallIds");
	jw_arr(&w);
	for (size_t i = 0; i < ev->n_waits; i++)
		if (!n_interrupts)
			jw_str(&w, ev->waits[i].call_id);
		else if (ev->waits[i].kind != WAIT_CLIENT)
			put_interrupt(&w, &ev->waits[i]);
	jw_end_arr(&w);
	jw_end_obj(&w);
	wire_frame_end(&w);
}

/* A turn that was stopped is finished too; `result` says how. */
static void write_finished(struct buf *out, const char *name,
			   const struct turn_event *ev,
			   struct dialect_state *st)
{
	struct ag_ui_state *k = st->own;
	char id[MESSAGE_ID_BYTES];
	struct wire_answer a;
	struct jw w;

	put_text(out, wire_unsent(ev, st), ev, k);
	close_parts(out, ev, k);
	wire_answer_read(&a, ev->message);
	w = wire_typed(out, name);
	put_run(&w, ev, st);
	jw_key(&w, "result");
	jw_obj(&w);
	jw_kstr(&w, "finishReason", a.finish_reason);
	if (ev->message->seq)
		jw_kstrz(&w, "messageId", message_id(&ev->run->conversation_id,
						     ev->message->seq, id));
	jw_end_obj(&w);
	wire_frame_end(&w);
	wire_answer_release(&a);
}

static void write_error(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	struct ag_ui_state *k = st->own;
	struct wire_answer a;
	struct jw w;

	close_parts(out, ev, k);
	wire_answer_read(&a, ev->message);
	w = wire_typed(out, name);
	jw_kstr(&w, "message", a.error_message.n ? a.error_message
		: STR("The answer could not be made."));
	if (a.error_code.n)
		jw_kstr(&w, "code", a.error_code);
	wire_frame_end(&w);
	wire_answer_release(&a);
}

const struct dialect dialect_ag_ui = {
	.id = DIALECT_AG_UI,
	.name = "ag-ui",
	WIRE_SSE,
	.ends_at_wait = true,
	.own_bytes = sizeof(struct ag_ui_state),
	.any = write_any, .any_is = "CUSTOM ",
	.own = {
		[TURN_EV_SESSION] = write_started,
		[TURN_EV_CONTEXT_USAGE] = write_context_usage,
		[TURN_EV_TOKEN] = write_text,
		[TURN_EV_REASONING] = write_reasoning,
		[TURN_EV_TOOL_CALL] = write_tool_call,
		[TURN_EV_TOOL_RESULT] = write_tool_result,
		[TURN_EV_AGENT_STATE] = write_state,
		[TURN_EV_APPROVAL_REQUEST] = write_wait,
		[TURN_EV_CLIENT_TOOL_CALL] = write_client_call,
		[TURN_EV_CLARIFICATION] = write_wait,
		[TURN_EV_WAITING] = write_waiting,
		[TURN_EV_DONE] = write_finished,
		[TURN_EV_ERROR] = write_error,
	},
};
