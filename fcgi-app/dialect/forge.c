/* SPDX-License-Identifier: MIT */
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

struct forge {
	bool running;		/* the last status that is not only progress */
};

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
	struct forge *f = st->own;

	(void)name;
	/* A wait that was over before it was told is none to this client. */
	if (!f->running)
		put_status(out, ev, ev->seq, "Running");
	f->running = true;
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

/* Numbered, unlike the status before it, so that clients can continue after it. */
static void write_waiting(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	struct forge *f = st->own;

	(void)name;
	f->running = false;
	put_status(out, ev, ev->seq, "Waiting");
}

/* [task, conversation, its fields …] */
static void write_any(struct buf *out, const char *name,
		      const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = case_open(out, name, ev->seq, ev->run);

	wire_elements(&w, ev, st);
	case_close(&w);
}

/* [task, conversation, Message] */
static void write_complete(struct buf *out, const char *name,
			   const struct turn_event *ev,
			   struct dialect_state *st)
{
	struct wire_answer a;

	wire_answer_read(&a, ev->message);
	/* Without a number: whoever has only this one must still get the answer behind it. */
	put_status(out, ev, 0, str_is(a.finish_reason, "cancelled")
		   ? "Cancelled" : wire_cut_short(&a) ? "Interrupted"
		   : "Completed");
	wire_answer_release(&a);
	write_any(out, name, ev, st);
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
	.id = DIALECT_FORGE,
	.name = "forge",
	WIRE_SSE,
	.retries = true,
	.own_bytes = sizeof(struct forge),
	.any = write_any,
	.own = {
		[TURN_EV_SESSION] = write_started,
		[TURN_EV_STATUS] = write_status,
		[TURN_EV_WAITING] = write_waiting,
		[TURN_EV_DONE] = write_complete,
		[TURN_EV_ERROR] = write_error,
	},
};
