/* SPDX-License-Identifier: MIT */
/*
 * The v2 vocabulary (D21 to D25): snake_case names and members, each frame's
 * data with its `type`. An `error` comes before the one `done`, which ends
 * every turn however it went (D22). The events beyond D21 (user_message,
 * text_reset, reasoning_delta, title, warning) are additions; clients ignore
 * names that they do not know.
 */
#include "dialect/wire.h"
#include "tool/core/tool.h"

#include "base/banned.h"

struct v2_state {
	char state;		/* the first letter of the last agent_state */
	const char *delta;	/* name of the last delta … */
	uint32_t delta_seq;
	size_t delta_text_end, delta_end;	/* … and where its JSON string
						   and its frame end, unsent */
};

/* The frame up to the members behind "type". */
static struct jw frame_open(struct buf *out, const char *name, uint32_t seq)
{
	struct jw w = wire_frame(out, name, seq);

	jw_kstrz(&w, "type", name);
	return w;
}

static void write_any(struct buf *out, const char *name,
		      const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = frame_open(out, name, ev->seq);

	wire_snake_members(&w, ev, st);
	wire_frame_end(&w);
}

/*
 * D21: thinking, executing or waiting; answering is shown by text_delta. A repeated
 * state is dropped (D28).
 */
static void write_state(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	struct v2_state *v = st->own;
	struct jw w;

	if (!ev->text.n || str_is(ev->text, "answering") ||
	    ev->text.p[0] == v->state)
		return;
	v->state = ev->text.p[0];
	w = frame_open(out, name, ev->seq);
	jw_kstr(&w, "state", ev->text);
	wire_frame_end(&w);
}

/* The deltas as further members of agent_state (D21, D43). */
static void write_deltas(struct buf *out, const char *name,
			 const struct turn_event *ev, struct dialect_state *st)
{
	struct v2_state *v = st->own;
	struct jw w = frame_open(out, name, ev->seq);

	v->state = 'e';
	jw_kstrz(&w, "state", "executing");
	if (ev->code.n)
		jw_kstr(&w, "mode", ev->code);
	jw_key(&w, "agent_state_updates");
	wire_foreign(&w, ev->args);
	wire_frame_end(&w);
}

/*
 * The hot path. The number comes after the data, so that the end of the frame can
 * be removed: adjacent deltas of a kind that wait for a slow client become one
 * (D28).
 */
static void write_delta(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	struct v2_state *v = st->own;
	bool joins = v->delta == name && v->delta_seq + 1 == ev->seq &&
		v->delta_end == out->n && buf_ok(out);

	if (joins) {
		out->n = v->delta_text_end;
		buf_json_more(out, ev->text);
	} else {
		wire_open(out, name, 0);
		buf_add(out, "{\"type\":\"", 9);
		buf_adds(out, name);
		buf_add(out, "\",\"delta\":", 10);
		buf_json(out, ev->text);
	}
	v->delta_text_end = out->n;
	buf_add(out, "}\nid: ", 6);
	buf_addu(out, ev->seq);
	wire_close(out);
	v->delta = name;
	v->delta_seq = ev->seq;
	v->delta_end = out->n;
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
 * Two frames; only the second has the number, so a client that got only the first
 * one gets both again.
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
	.id = DIALECT_V2,
	.name = "v2",
	WIRE_SSE,
	.retries = true,
	.ends_at_wait = true,
	.own_bytes = sizeof(struct v2_state),
	.any = write_any,
	.own = {
		[TURN_EV_STATUS] = write_state,
		[TURN_EV_AGENT_STATE] = write_deltas,
		[TURN_EV_TOKEN] = write_delta,
		[TURN_EV_REASONING] = write_delta,
		[TURN_EV_APPROVAL_REQUEST] = write_approval,
		[TURN_EV_CLIENT_TOOL_CALL] = write_client_call,
		[TURN_EV_WAITING] = write_waiting,
		[TURN_EV_DONE] = write_done,
		[TURN_EV_ERROR] = write_error,
	},
};
