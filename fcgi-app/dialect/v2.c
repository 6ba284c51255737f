/*
 * The v2 vocabulary (D21 to D25): snake_case names and members, each frame's
 * data with its `type`. An `error` comes before the one `done`, which ends
 * every turn however it went (D22). The events beyond D21 (user_message,
 * text_reset, reasoning_delta, title, warning) are additions; clients ignore
 * names that they do not know.
 *
 * `operation` and `entity_patch` tell of changes to entities: they come from
 * tools that change some, and no event of today's turns is one.
 */
#include "dialect/wire.h"
#include "tool/core/tool.h"

#include "base/banned.h"

/* The frame up to the members behind "type". */
static struct jw frame_open(struct buf *out, const char *name, uint32_t seq)
{
	struct jw w = wire_frame(out, name, seq);

	jw_kstrz(&w, "type", name);
	return w;
}

static void write_session(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = frame_open(out, name, ev->seq);

	(void)st;
	jw_kuuid(&w, "session_id", &ev->run->conversation_id);
	jw_kuuid(&w, "turn_id", &ev->run->id);
	jw_kstrz(&w, "workspace_id", ev->run->in.workspace->id);
	jw_kstrz(&w, "agent_id", ev->run->in.agent->id);
	jw_kbool(&w, "created", ev->run->created_conversation);
	wire_frame_end(&w);
}

static void write_record(struct buf *out, const char *name,
			 const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = frame_open(out, name, ev->seq);

	jw_key(&w, "message");
	wire_message(&w, ev, st);
	wire_frame_end(&w);
}

static void write_context_usage(struct buf *out, const char *name,
				const struct turn_event *ev,
				struct dialect_state *st)
{
	struct jw w = frame_open(out, name, ev->seq);

	(void)st;
	jw_kint(&w, "input_tokens", ev->input_tokens);
	jw_kint(&w, "context_tokens", ev->context_tokens);
	jw_kint(&w, "messages", ev->n_messages);
	wire_frame_end(&w);
}

/*
 * D21: thinking, executing or waiting; that it answers is said by its text. The
 * same once more is no progress and is dropped (D28).
 */
static void write_state(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w;

	if (!ev->text.n || str_is(ev->text, "answering") ||
	    ev->text.p[0] == st->state_told)
		return;
	st->state_told = ev->text.p[0];
	w = frame_open(out, name, ev->seq);
	jw_kstr(&w, "state", ev->text);
	wire_frame_end(&w);
}

/*
 * The one that must be cheap. The number stands behind the data, so that the
 * end of the frame can be taken back: deltas of a kind that wait together for
 * a slow client become one (D28).
 */
static void write_delta(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	bool joins = st->delta_name == name && st->delta_seq + 1 == ev->seq &&
		st->delta_end == out->n && buf_ok(out);

	if (joins) {
		out->n = st->delta_text_end;
		buf_json_more(out, ev->text);
	} else {
		wire_open(out, name, 0);
		buf_add(out, "{\"type\":\"", 9);
		buf_adds(out, name);
		buf_add(out, "\",\"delta\":", 10);
		buf_json(out, ev->text);
	}
	st->delta_text_end = out->n;
	buf_add(out, "}\nid: ", 6);
	buf_addu(out, ev->seq);
	wire_close(out);
	st->delta_name = name;
	st->delta_seq = ev->seq;
	st->delta_end = out->n;
}

static void write_bare(struct buf *out, const char *name,
		       const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = frame_open(out, name, ev->seq);

	(void)st;
	wire_frame_end(&w);
}

static void write_tool_call(struct buf *out, const char *name,
			    const struct turn_event *ev,
			    struct dialect_state *st)
{
	struct jw w = frame_open(out, name, ev->seq);

	(void)st;
	jw_kstr(&w, "call_id", ev->call_id);
	jw_kstr(&w, "tool_name", ev->tool_name);
	jw_key(&w, "args");
	wire_foreign(&w, ev->args.n ? ev->args : STR("{}"));
	wire_frame_end(&w);
}

static void write_tool_result(struct buf *out, const char *name,
			      const struct turn_event *ev,
			      struct dialect_state *st)
{
	struct jw w = frame_open(out, name, ev->seq);

	(void)st;
	jw_kstr(&w, "call_id", ev->call_id);
	jw_kstr(&w, "tool_name", ev->tool_name);
	jw_key(&w, "result");
	wire_result(&w, ev);
	jw_kbool(&w, "is_error", ev->is_error);
	jw_kint(&w, "duration_ms", ev->duration_ms);
	wire_frame_end(&w);
}

static void write_title(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = frame_open(out, name, ev->seq);

	(void)st;
	jw_kuuid(&w, "session_id", &ev->run->conversation_id);
	jw_kstr(&w, "title", ev->text);
	wire_frame_end(&w);
}

static void write_warning(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = frame_open(out, name, ev->seq);

	(void)st;
	jw_kstr(&w, "code", ev->code);
	jw_kstr(&w, "message", ev->text);
	wire_frame_end(&w);
}

static void put_arguments(struct jw *w, const struct turn_wait *wait)
{
	jw_key(w, "args");
	wire_foreign(w, wait->args);
}

static void write_approval(struct buf *out, const char *name,
			   const struct turn_event *ev,
			   struct dialect_state *st)
{
	const struct turn_wait *wait = &ev->waits[0];
	struct jw w = frame_open(out, name, ev->seq);
	char digest[WIRE_DIGEST_CHARS + 1];

	(void)st;
	jw_kuuid(&w, "approval_id", &wait->id);
	jw_kuuid(&w, "turn_id", &wait->turn_id);
	jw_kstr(&w, "call_id", wait->call_id);
	jw_kstr(&w, "tool_name", wait->tool);
	jw_kstrz(&w, "effect", tool_effect_name(wait->effect));
	put_arguments(&w, wait);
	jw_kbool(&w, "editable", wait->flags & WAIT_EDITABLE);
	jw_kbool(&w, "rememberable", wait->flags & WAIT_REMEMBER);
	jw_kstr(&w, "reason", wait->reason);
	jw_key(&w, "origins");
	wire_origins(&w, wait->origins);
	jw_kstrz(&w, "digest", wire_digest(wait, digest));
	jw_ktime(&w, "expires_at", wait->expires_us);
	wire_frame_end(&w);
}

static void write_client_call(struct buf *out, const char *name,
			      const struct turn_event *ev,
			      struct dialect_state *st)
{
	struct jw w = frame_open(out, name, ev->seq);

	(void)st;
	jw_kuuid(&w, "turn_id", &ev->run->id);
	jw_kstr(&w, "call_id", ev->waits[0].call_id);
	jw_kstr(&w, "tool_name", ev->waits[0].tool);
	put_arguments(&w, &ev->waits[0]);
	wire_frame_end(&w);
}

static void write_question(struct buf *out, const char *name,
			   const struct turn_event *ev,
			   struct dialect_state *st)
{
	struct jw w = frame_open(out, name, ev->seq);

	(void)st;
	jw_key(&w, "question");
	wire_wait(&w, &ev->waits[0]);
	wire_frame_end(&w);
}

static void write_action(struct buf *out, const char *name,
			 const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = frame_open(out, name, ev->seq);

	(void)st;
	jw_key(&w, "action");
	wire_object(&w, ev->args);
	wire_frame_end(&w);
}

/* A stream ends with done (D22); the turn has no message yet. */
static void write_waiting(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = frame_open(out, name, ev->seq);

	(void)st;
	jw_kuuid(&w, "session_id", &ev->run->conversation_id);
	jw_kuuid(&w, "turn_id", &ev->run->id);
	jw_kstrz(&w, "finish_reason", "waiting");
	jw_kstrz(&w, "message", NULL);
	jw_key(&w, "waiting_for");
	jw_arr(&w);
	for (size_t i = 0; i < ev->n_waits; i++)
		jw_str(&w, ev->waits[i].call_id);
	jw_end_arr(&w);
	wire_frame_end(&w);
}

static void write_done(struct buf *out, const char *name,
		       const struct turn_event *ev, struct dialect_state *st)
{
	struct wire_answer a;
	struct jw w;

	wire_answer_read(&a, ev->message);
	w = frame_open(out, name, ev->seq);
	jw_kuuid(&w, "session_id", &ev->run->conversation_id);
	jw_kuuid(&w, "turn_id", &ev->run->id);
	jw_kstr(&w, "finish_reason", a.finish_reason);
	jw_key(&w, "message");
	wire_message(&w, ev, st);
	wire_frame_end(&w);
	wire_answer_release(&a);
}

/*
 * Two frames; the number is the second one's, so that who saw the first only
 * gets both again.
 */
static void write_error(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	struct wire_answer a;
	struct jw w;

	wire_answer_read(&a, ev->message);
	w = frame_open(out, name, 0);
	jw_kstr(&w, "code", a.error_code);
	jw_kstr(&w, "message", a.error_message);
	jw_kbool(&w, "retryable", a.retryable);
	wire_frame_end(&w);
	wire_answer_release(&a);
	write_done(out, "done", ev, st);
}

const struct dialect dialect_v2 = {
	.name = "v2",
	.content_type = "text/event-stream",
	.preamble = STR(": ok\n\n"),
	.retries = true,
	.keep_alive = STR(": ka\n\n"),
	.ends_at_wait = true,
	.rows = {
		[TURN_EV_SESSION] = { .name = "session", .write = write_session },
		[TURN_EV_USER_MESSAGE] = { .name = "user_message", .write = write_record },
		[TURN_EV_CONTEXT_USAGE] = { .name = "context_usage", .write = write_context_usage },
		[TURN_EV_STATUS] = { .name = "agent_state", .write = write_state },
		[TURN_EV_TOKEN] = { .name = "text_delta", .write = write_delta },
		[TURN_EV_TOKEN_RESET] = { .name = "text_reset", .write = write_bare },
		[TURN_EV_REASONING] = { .name = "reasoning_delta", .write = write_delta },
		[TURN_EV_TOOL_CALL] = { .name = "tool_call", .write = write_tool_call },
		[TURN_EV_TOOL_RESULT] = { .name = "tool_result", .write = write_tool_result },
		[TURN_EV_TOOL_PROGRESS] = { .left_out = "D24 has no word for tools without entities" },
		[TURN_EV_TITLE] = { .name = "title", .write = write_title },
		[TURN_EV_WARNING] = { .name = "warning", .write = write_warning },
		[TURN_EV_SUGGESTED_ACTION] = { .name = "suggested_action", .write = write_action },
		[TURN_EV_APPROVAL_REQUEST] = { .name = "approval_request", .write = write_approval },
		[TURN_EV_CLIENT_TOOL_CALL] = { .name = "client_tool_call", .write = write_client_call },
		[TURN_EV_CLARIFICATION] = { .name = "clarification", .write = write_question },
		[TURN_EV_WAITING] = { .name = "done", .write = write_waiting },
		[TURN_EV_DONE] = { .name = "done", .write = write_done },
		[TURN_EV_ERROR] = { .name = "error", .write = write_error },
	},
};
