/* SPDX-License-Identifier: MIT */
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

static void write_any(struct buf *out, const char *name,
		      const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = jw_on(out);

	wire_open(out, name, ev->seq);
	wire_value(&w, ev, st);
	wire_close(out);
}

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

/* Its members in the order that clients already know. */
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

const struct dialect dialect_native = {
	.id = DIALECT_NATIVE,
	.name = "native",
	WIRE_SSE,
	.retries = true,
	.any = write_any,
	.own = {
		[TURN_EV_TOKEN] = write_delta,
		[TURN_EV_REASONING] = write_delta,
		[TURN_EV_TOOL_CALL] = write_tool_call,
		[TURN_EV_TOOL_RESULT] = write_tool_result,
	},
};
