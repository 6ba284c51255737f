/*
 * AG-UI 1.0: one `data: {event}` per frame, LF only, no [DONE] and no null for
 * what is optional (protocols.md 9.2, F2).
 *
 * A client checks the order: RUN_STARTED first, everything that was opened is
 * closed before RUN_FINISHED, nothing follows RUN_FINISHED or RUN_ERROR. What
 * has no event of its own is CUSTOM. A text and the tool calls behind it are
 * one assistant message: parentMessageId names it.
 *
 * Source: ag-ui docs/concepts/events.mdx, @ag-ui/core 1.0.0.
 */
#include "dialect/wire.h"

#include <stdio.h>

#include "base/banned.h"

#define ID_BYTES (UUID_TEXT_BYTES + 12)

/* "{turn}-{part}": the id of the message that is open. */
static const char *part_id(const struct turn_event *ev,
			   const struct dialect_state *st, char *out)
{
	uuid_format(&ev->run->id, out);
	snprintf(out + UUID_TEXT_BYTES - 1, ID_BYTES - UUID_TEXT_BYTES + 1,
		 "-%u", st->part);
	return out;
}

static void put_edge(struct buf *out, const char *type, const char *role,
		     const struct turn_event *ev,
		     const struct dialect_state *st)
{
	struct jw w = wire_typed(out, type);
	char id[ID_BYTES];

	jw_kstrz(&w, "messageId", part_id(ev, st, id));
	if (role)
		jw_kstrz(&w, "role", role);
	wire_frame_end(&w);
}

static void close_parts(struct buf *out, const struct turn_event *ev,
			struct dialect_state *st)
{
	if (st->text_open)
		put_edge(out, "TEXT_MESSAGE_END", NULL, ev, st);
	if (st->reasoning_open) {
		put_edge(out, "REASONING_MESSAGE_END", NULL, ev, st);
		put_edge(out, "REASONING_END", NULL, ev, st);
		st->has_parent = false;
	}
	st->text_open = st->reasoning_open = false;
}

/* The client's own ids where it gave some; else ours. */
static void put_run(struct jw *w, const struct turn_event *ev,
		    const struct dialect_state *st)
{
	if (st->thread_id.n)
		jw_kstr(w, "threadId", st->thread_id);
	else
		jw_kuuid(w, "threadId", &ev->run->conversation_id);
	if (st->run_id.n)
		jw_kstr(w, "runId", st->run_id);
	else
		jw_kuuid(w, "runId", &ev->run->id);
}

/* CUSTOM up to the members of its value. */
static struct jw custom_open(struct buf *out, const char *name)
{
	struct jw w = wire_typed(out, "CUSTOM");

	jw_kstrz(&w, "name", name);
	jw_key(&w, "value");
	jw_obj(&w);
	return w;
}

static void custom_close(struct jw *w)
{
	jw_end_obj(w);
	wire_frame_end(w);
}

static void write_started(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w;

	/* Ids of messages differ from those of the run that waited. */
	st->part = MAX(st->part, ev->seq - 1);
	if (st->begun)		/* one run: the turn went on */
		return;
	st->begun = true;
	w = wire_typed(out, name);
	put_run(&w, ev, st);
	wire_frame_end(&w);
	w = custom_open(out, "session");
	jw_kuuid(&w, "conversationId", &ev->run->conversation_id);
	jw_kuuid(&w, "turnId", &ev->run->id);
	jw_kstrz(&w, "workspaceId", ev->run->in.workspace->id);
	jw_kstrz(&w, "agentId", ev->run->in.agent->id);
	custom_close(&w);
}

static void write_context_usage(struct buf *out, const char *name,
				const struct turn_event *ev,
				struct dialect_state *st)
{
	struct jw w;

	/* A new call of the model: what it says is a new message. */
	close_parts(out, ev, st);
	st->has_parent = false;
	w = custom_open(out, name);
	jw_kint(&w, "inputTokens", ev->input_tokens);
	jw_kint(&w, "contextTokens", ev->context_tokens);
	jw_kint(&w, "messages", ev->n_messages);
	custom_close(&w);
}

static void write_status(struct buf *out, const char *name,
			 const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = custom_open(out, name);

	(void)st;
	jw_kstr(&w, "status", ev->text);
	custom_close(&w);
}

/* The one that must be cheap. An empty delta is refused by clients. */
static void put_delta(struct buf *out, const char *type, struct str text,
		      const struct turn_event *ev,
		      const struct dialect_state *st)
{
	char id[ID_BYTES];

	buf_add(out, "data: {\"type\":\"", 15);
	buf_adds(out, type);
	buf_add(out, "\",\"messageId\":\"", 15);
	buf_adds(out, part_id(ev, st, id));
	buf_add(out, "\",\"delta\":", 10);
	buf_json(out, text);
	buf_addc(out, '}');
	wire_close(out);
}

static void put_text(struct buf *out, struct str text,
		     const struct turn_event *ev, struct dialect_state *st)
{
	if (!text.n)
		return;
	if (!st->text_open) {
		close_parts(out, ev, st);
		st->part++;
		put_edge(out, "TEXT_MESSAGE_START", "assistant", ev, st);
		st->text_open = st->has_parent = true;
	}
	put_delta(out, "TEXT_MESSAGE_CONTENT", text, ev, st);
}

static void write_text(struct buf *out, const char *name,
		       const struct turn_event *ev, struct dialect_state *st)
{
	(void)name;
	put_text(out, ev->text, ev, st);
}

static void write_reasoning(struct buf *out, const char *name,
			    const struct turn_event *ev,
			    struct dialect_state *st)
{
	if (!ev->text.n)
		return;
	if (!st->reasoning_open) {
		close_parts(out, ev, st);
		st->part++;
		put_edge(out, "REASONING_START", NULL, ev, st);
		put_edge(out, "REASONING_MESSAGE_START", "reasoning", ev, st);
		st->reasoning_open = true;
	}
	put_delta(out, name, ev->text, ev, st);
}

static void write_tool_call(struct buf *out, const char *name,
			    const struct turn_event *ev,
			    struct dialect_state *st)
{
	struct buf args = BUF_INIT(out->cap);
	struct jw w = jw_on(&args);
	char id[ID_BYTES];

	close_parts(out, ev, st);
	if (!st->has_parent)
		st->part++;
	st->has_parent = true;
	wire_foreign(&w, ev->args.n ? ev->args : STR("{}"));

	w = wire_typed(out, name);
	jw_kstr(&w, "toolCallId", ev->call_id);
	jw_kstr(&w, "toolCallName", ev->tool_name);
	jw_kstrz(&w, "parentMessageId", part_id(ev, st, id));
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
	struct jw w = wire_typed(out, name);
	char id[ID_BYTES];

	st->part++;
	jw_kstrz(&w, "messageId", part_id(ev, st, id));
	jw_kstr(&w, "toolCallId", ev->call_id);
	jw_kstr(&w, "content", ev->result.p ? ev->result : STR(""));
	jw_kstrz(&w, "role", "tool");
	wire_frame_end(&w);
}

static void write_title(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = custom_open(out, name);

	(void)st;
	jw_kuuid(&w, "conversationId", &ev->run->conversation_id);
	jw_kstr(&w, "title", ev->text);
	custom_close(&w);
}

static void write_tool_progress(struct buf *out, const char *name,
				const struct turn_event *ev,
				struct dialect_state *st)
{
	struct jw w = custom_open(out, name);

	(void)st;
	wire_tool_progress(&w, ev);
	custom_close(&w);
}

static void write_warning(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = custom_open(out, name);

	(void)st;
	jw_kstr(&w, "code", ev->code);
	jw_kstr(&w, "message", ev->text);
	custom_close(&w);
}

static void write_action(struct buf *out, const char *name,
			 const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = wire_typed(out, "CUSTOM");

	(void)st;
	jw_kstrz(&w, "name", name);
	jw_key(&w, "value");
	wire_object(&w, ev->args);
	wire_frame_end(&w);
}

static void write_wait(struct buf *out, const char *name,
		       const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w;

	close_parts(out, ev, st);
	w = wire_typed(out, "CUSTOM");
	jw_kstrz(&w, "name", name);
	jw_key(&w, "value");
	wire_wait(&w, &ev->waits[0]);
	wire_frame_end(&w);
}

/* What the next run must bring: resume for these, messages for the tools'. */
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
	size_t n_interrupts = 0;
	struct jw w;

	close_parts(out, ev, st);
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
	char id[MESSAGE_ID_BYTES];
	struct wire_answer a;
	struct jw w;

	put_text(out, wire_unsaid(ev, st), ev, st);
	close_parts(out, ev, st);
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
	struct wire_answer a;
	struct jw w;

	close_parts(out, ev, st);
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
	.name = "ag-ui",
	.content_type = "text/event-stream",
	.preamble = STR(": ok\n\n"),
	.keep_alive = STR(": ka\n\n"),
	.ends_at_wait = true,
	.rows = {
		[TURN_EV_SESSION] = { .name = "RUN_STARTED", .write = write_started },
		[TURN_EV_USER_MESSAGE] = { .left_out = "the client has made it" },
		[TURN_EV_CONTEXT_USAGE] = { .name = "context_usage", .write = write_context_usage },
		[TURN_EV_STATUS] = { .name = "status", .write = write_status },
		[TURN_EV_TOKEN] = { .name = "TEXT_MESSAGE_CONTENT", .write = write_text },
		[TURN_EV_TOKEN_RESET] = { .left_out = "narration is the message of its tool calls" },
		[TURN_EV_REASONING] = { .name = "REASONING_MESSAGE_CONTENT", .write = write_reasoning },
		[TURN_EV_TOOL_CALL] = { .name = "TOOL_CALL_START", .write = write_tool_call },
		[TURN_EV_TOOL_RESULT] = { .name = "TOOL_CALL_RESULT", .write = write_tool_result },
		[TURN_EV_TOOL_PROGRESS] = { .name = "tool-progress", .write = write_tool_progress },
		[TURN_EV_TITLE] = { .name = "title", .write = write_title },
		[TURN_EV_WARNING] = { .name = "warning", .write = write_warning },
		[TURN_EV_SUGGESTED_ACTION] = { .name = "suggested_action", .write = write_action },
		[TURN_EV_APPROVAL_REQUEST] = { .name = "approval_request", .write = write_wait },
		[TURN_EV_CLIENT_TOOL_CALL] = { .left_out = "a tool call without a result is the client's" },
		[TURN_EV_CLARIFICATION] = { .name = "clarification", .write = write_wait },
		[TURN_EV_WAITING] = { .name = "RUN_FINISHED", .write = write_waiting },
		[TURN_EV_DONE] = { .name = "RUN_FINISHED", .write = write_finished },
		[TURN_EV_ERROR] = { .name = "RUN_ERROR", .write = write_error },
	},
};
