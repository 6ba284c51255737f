/*
 * The forge vocabulary (E3) in the union format (E7): an event is a case with
 * its fields in order.
 *
 *   event: AIMessageDelta
 *   id: 7
 *   data: {"Case":"AIMessageDelta","Fields":[taskId, conversationId, "text"]}
 *
 * The first two fields of every case are the task (our turn) and the
 * conversation, by which a client routes it (E6). The union is closed: a
 * client's decoder knows the six cases and fails on another, so what has no
 * case is left out; AIMessageComplete carries the whole answer as stored.
 */
#include "dialect/wire.h"

#include "base/banned.h"

static struct jw case_open(struct buf *out, const char *name, uint32_t seq,
			   const struct turn_run *run)
{
	struct jw w = wire_frame(out, name, seq);

	jw_kstrz(&w, "Case", name);
	jw_key(&w, "Fields");
	jw_arr(&w);
	jw_uuid(&w, &run->id);
	jw_uuid(&w, &run->conversation_id);
	return w;
}

static void case_close(struct jw *w)
{
	jw_end_arr(w);
	wire_frame_end(w);
}

static void put_status(struct buf *out, const struct turn_event *ev,
		       uint32_t seq, const char *status)
{
	struct jw w = case_open(out, "AITaskStatusChanged", seq, ev->run);

	jw_str(&w, str_of(status));
	case_close(&w);
}

static void write_started(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	(void)name;
	(void)st;
	put_status(out, ev, ev->seq, "Running");
}

static void write_status(struct buf *out, const char *name,
			 const struct turn_event *ev, struct dialect_state *st)
{
	static const struct {
		const char *ours, *theirs;
	} names[] = {
		{ "thinking", "Thinking" }, { "executing", "Executing" },
		{ "answering", "Answering" }, { "waiting", "Waiting" },
	};

	(void)name;
	(void)st;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_is(ev->text, names[i].ours))
			put_status(out, ev, ev->seq, names[i].theirs);
}

/* Numbered, unlike the status before it, so that it can be gone on from. */
static void write_waiting(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	(void)name;
	(void)st;
	put_status(out, ev, ev->seq, "Waiting");
}

static void write_delta(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = case_open(out, name, ev->seq, ev->run);

	(void)st;
	jw_str(&w, ev->text);
	case_close(&w);
}

/* [task, conversation, callId, toolName, args] */
static void write_tool_call(struct buf *out, const char *name,
			    const struct turn_event *ev,
			    struct dialect_state *st)
{
	struct jw w = case_open(out, name, ev->seq, ev->run);

	(void)st;
	jw_str(&w, ev->call_id);
	jw_str(&w, ev->tool_name);
	wire_foreign(&w, ev->args.n ? ev->args : STR("{}"));
	case_close(&w);
}

/* [task, conversation, callId, toolName, result, isError, durationMs] */
static void write_tool_result(struct buf *out, const char *name,
			      const struct turn_event *ev,
			      struct dialect_state *st)
{
	struct jw w = case_open(out, name, ev->seq, ev->run);

	(void)st;
	jw_str(&w, ev->call_id);
	jw_str(&w, ev->tool_name);
	wire_result(&w, ev);
	jw_bool(&w, ev->is_error);
	jw_int(&w, ev->duration_ms);
	case_close(&w);
}

/* [task, conversation, Message] */
static void write_complete(struct buf *out, const char *name,
			   const struct turn_event *ev,
			   struct dialect_state *st)
{
	struct wire_answer a;
	struct jw w;

	wire_answer_read(&a, ev->message);
	put_status(out, ev, 0, str_is(a.finish_reason, "cancelled")
		   ? "Cancelled" : wire_cut_short(&a) ? "Interrupted"
		   : "Completed");
	wire_answer_release(&a);
	w = case_open(out, name, ev->seq, ev->run);
	wire_message(&w, ev, st);
	case_close(&w);
}

/* [task, conversation, code, message] */
static void write_error(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	struct wire_answer a;
	struct jw w;

	(void)st;
	put_status(out, ev, 0, "Failed");
	wire_answer_read(&a, ev->message);
	w = case_open(out, name, ev->seq, ev->run);
	jw_str(&w, a.error_code);
	jw_str(&w, a.error_message);
	case_close(&w);
	wire_answer_release(&a);
}

const struct dialect dialect_forge = {
	.name = "forge",
	.content_type = "text/event-stream",
	.preamble = STR(": ok\n\n"),
	.retries = true,
	.keep_alive = STR(": ka\n\n"),
	.rows = {
		[TURN_EV_SESSION] = { .name = "AITaskStatusChanged", .write = write_started },
		[TURN_EV_USER_MESSAGE] = { .left_out = "no case of E3; the sender has it" },
		[TURN_EV_CONTEXT_USAGE] = { .left_out = "no case of E3" },
		[TURN_EV_STATUS] = { .name = "AITaskStatusChanged", .write = write_status },
		[TURN_EV_TOKEN] = { .name = "AIMessageDelta", .write = write_delta },
		[TURN_EV_TOKEN_RESET] = { .left_out = "no case of E3; AIMessageComplete has the answer alone" },
		[TURN_EV_REASONING] = { .left_out = "no case of E3; it is not part of the message" },
		[TURN_EV_TOOL_CALL] = { .name = "AIToolCallStarted", .write = write_tool_call },
		[TURN_EV_TOOL_RESULT] = { .name = "AIToolCallCompleted", .write = write_tool_result },
		[TURN_EV_TOOL_PROGRESS] = { .left_out = "no case of E3" },
		[TURN_EV_TITLE] = { .left_out = "no case of E3; the conversation has it" },
		[TURN_EV_WARNING] = { .left_out = "no case of E3" },
		[TURN_EV_SUGGESTED_ACTION] = { .left_out = "no case of E3; the result of the tool has it" },
		[TURN_EV_APPROVAL_REQUEST] = { .left_out = "no case of E3; the status is Waiting, GET /approvals says for what" },
		[TURN_EV_CLIENT_TOOL_CALL] = { .left_out = "no case of E3; the call is AIToolCallStarted, the status Waiting" },
		[TURN_EV_CLARIFICATION] = { .left_out = "no case of E3; the call is AIToolCallStarted, the status Waiting" },
		[TURN_EV_WAITING] = { .name = "AITaskStatusChanged", .write = write_waiting },
		[TURN_EV_DONE] = { .name = "AIMessageComplete", .write = write_complete },
		[TURN_EV_ERROR] = { .name = "AIStreamError", .write = write_error },
	},
};
