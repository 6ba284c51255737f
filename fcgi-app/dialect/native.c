/*
 * The native vocabulary: B38 to B45 with kebab-case names for all the rest.
 *
 *   event: NAME
 *   id: N          the event's number within its turn
 *   data: {…}      one line of JSON
 *
 * SESSION is not shown: user-message carries both ids. docs/api.md lists the
 * members.
 */
#include "dialect/wire.h"

#include "base/banned.h"

/* {"delta":"…"}: the one that must be cheap. */
static void write_delta(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	(void)st;
	wire_open(out, name, ev->seq);
	buf_add(out, "{\"delta\":", 9);
	buf_json(out, ev->text);
	buf_addc(out, '}');
	wire_close(out);
}

static void write_nothing(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	(void)st;
	wire_open(out, name, ev->seq);
	buf_add(out, "{}", 2);
	wire_close(out);
}

static void write_message(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = jw_on(out);

	wire_open(out, name, ev->seq);
	wire_message(&w, ev, st);
	wire_close(out);
}

static void write_context_usage(struct buf *out, const char *name,
				const struct turn_event *ev,
				struct dialect_state *st)
{
	struct jw w = wire_frame(out, name, ev->seq);

	(void)st;
	jw_kint(&w, "inputTokens", ev->input_tokens);
	jw_kint(&w, "contextTokens", ev->context_tokens);
	jw_kint(&w, "messages", ev->n_messages);
	wire_frame_end(&w);
}

static void write_status(struct buf *out, const char *name,
			 const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = wire_frame(out, name, ev->seq);

	(void)st;
	jw_kstr(&w, "status", ev->text);
	wire_frame_end(&w);
}

static void write_tool_call(struct buf *out, const char *name,
			    const struct turn_event *ev,
			    struct dialect_state *st)
{
	struct jw w = wire_frame(out, name, ev->seq);

	(void)st;
	jw_kstr(&w, "toolName", ev->tool_name);
	if (ev->text.n)
		jw_kstr(&w, "title", ev->text);
	jw_key(&w, "args");
	wire_foreign(&w, ev->args.n ? ev->args : STR("{}"));
	jw_kstr(&w, "callId", ev->call_id);
	wire_frame_end(&w);
}

static void write_tool_result(struct buf *out, const char *name,
			      const struct turn_event *ev,
			      struct dialect_state *st)
{
	struct jw w = wire_frame(out, name, ev->seq);

	(void)st;
	jw_kstr(&w, "toolName", ev->tool_name);
	jw_kstr(&w, "callId", ev->call_id);
	jw_key(&w, "result");
	wire_result(&w, ev);
	jw_kbool(&w, "isError", ev->is_error);
	jw_kint(&w, "durationMs", ev->duration_ms);
	wire_frame_end(&w);
}

static void write_tool_progress(struct buf *out, const char *name,
				const struct turn_event *ev,
				struct dialect_state *st)
{
	struct jw w = wire_frame(out, name, ev->seq);

	(void)st;
	wire_tool_progress(&w, ev);
	wire_frame_end(&w);
}

static void write_title(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = wire_frame(out, name, ev->seq);

	(void)st;
	jw_kuuid(&w, "conversationId", &ev->run->conversation_id);
	jw_kstr(&w, "title", ev->text);
	wire_frame_end(&w);
}

static void write_warning(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = wire_frame(out, name, ev->seq);

	(void)st;
	jw_kstr(&w, "code", ev->code);
	jw_kstr(&w, "message", ev->text);
	wire_frame_end(&w);
}

/* {"type", …}: approval-request, client-tool-call, clarification. */
static void write_wait(struct buf *out, const char *name,
		       const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = jw_on(out);

	(void)st;
	wire_open(out, name, ev->seq);
	wire_wait(&w, &ev->waits[0]);
	wire_close(out);
}

static void write_waiting(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = wire_frame(out, name, ev->seq);

	(void)st;
	jw_kuuid(&w, "turnId", &ev->run->id);
	jw_kuuid(&w, "conversationId", &ev->run->conversation_id);
	jw_key(&w, "for");
	jw_arr(&w);
	for (size_t i = 0; i < ev->n_waits; i++)
		wire_wait(&w, &ev->waits[i]);
	jw_end_arr(&w);
	wire_frame_end(&w);
}

/* The action as the tool made it: {"type","label","url",…}. */
static void write_action(struct buf *out, const char *name,
			 const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = jw_on(out);

	(void)st;
	wire_open(out, name, ev->seq);
	wire_object(&w, ev->args);
	wire_close(out);
}

const struct dialect dialect_native = {
	.name = "native",
	.content_type = "text/event-stream",
	.preamble = STR(": ok\n\n"),
	.retries = true,
	.keep_alive = STR(": ka\n\n"),
	.rows = {
		[TURN_EV_SESSION] = { .left_out = "user-message has both ids" },
		[TURN_EV_USER_MESSAGE] = { .name = "user-message", .write = write_message },
		[TURN_EV_CONTEXT_USAGE] = { .name = "context-usage", .write = write_context_usage },
		[TURN_EV_STATUS] = { .name = "status", .write = write_status },
		[TURN_EV_TOKEN] = { .name = "token", .write = write_delta },
		[TURN_EV_TOKEN_RESET] = { .name = "token-reset", .write = write_nothing },
		[TURN_EV_REASONING] = { .name = "reasoning", .write = write_delta },
		[TURN_EV_TOOL_CALL] = { .name = "tool-call", .write = write_tool_call },
		[TURN_EV_TOOL_RESULT] = { .name = "tool-result", .write = write_tool_result },
		[TURN_EV_TOOL_PROGRESS] = { .name = "tool-progress", .write = write_tool_progress },
		[TURN_EV_TITLE] = { .name = "title", .write = write_title },
		[TURN_EV_WARNING] = { .name = "warning", .write = write_warning },
		[TURN_EV_SUGGESTED_ACTION] = { .name = "suggested-action", .write = write_action },
		[TURN_EV_APPROVAL_REQUEST] = { .name = "approval-request", .write = write_wait },
		[TURN_EV_CLIENT_TOOL_CALL] = { .name = "client-tool-call", .write = write_wait },
		[TURN_EV_CLARIFICATION] = { .name = "clarification", .write = write_wait },
		[TURN_EV_WAITING] = { .name = "waiting", .write = write_waiting },
		[TURN_EV_DONE] = { .name = "done", .write = write_message },
		[TURN_EV_ERROR] = { .name = "error", .write = write_message },
	},
};
