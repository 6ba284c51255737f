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
#include "dialect/dialect.h"

#include "base/json.h"
#include "turn/turn.h"

#include "base/banned.h"

static void frame_open(struct buf *out, const char *name,
		       const struct turn_event *ev)
{
	buf_add(out, "event: ", 7);
	buf_adds(out, name);
	if (ev->seq) {
		buf_add(out, "\nid: ", 5);
		buf_addu(out, ev->seq);
	}
	buf_add(out, "\ndata: ", 7);
}

static void frame_close(struct buf *out)
{
	buf_add(out, "\n\n", 2);
}

/*
 * JSON text that a model or a tool wrote: one line of it (a line end between
 * its tokens would end the frame's data), or, if it is no JSON after all, as a
 * string, so that the frame is always readable.
 */
static void write_foreign(struct jw *w, struct str text)
{
	json_t *j = json_loadb(text.p, text.n, JSON_DECODE_ANY, NULL);
	size_t start = w->b->n;

	if (!j) {
		j = jx_string(text);
		jw_json(w, j);
		json_decref(j);
		return;
	}
	json_decref(j);
	jw_raw(w, text);
	for (size_t i = start; i < w->b->n; i++)
		if (w->b->p[i] == '\n' || w->b->p[i] == '\r')
			w->b->p[i] = ' ';
}

/* {"delta":"…"}: the one that must be cheap. */
static void write_delta(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	(void)st;
	frame_open(out, name, ev);
	buf_add(out, "{\"delta\":", 9);
	buf_json(out, ev->text);
	buf_addc(out, '}');
	frame_close(out);
}

static void write_nothing(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	(void)st;
	frame_open(out, name, ev);
	buf_add(out, "{}", 2);
	frame_close(out);
}

static void write_message(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	struct message_scope scope = {
		.workspace_id = str_of(ev->run->in.workspace->id),
		.agent_id = str_of(ev->run->in.agent->id),
		.conversation_id = ev->run->conversation_id,
		.style = st->style,
	};
	struct jw w = jw_on(out);

	frame_open(out, name, ev);
	message_write(&w, &scope, ev->message);
	frame_close(out);
}

static void write_context_usage(struct buf *out, const char *name,
				const struct turn_event *ev,
				struct dialect_state *st)
{
	struct jw w = jw_on(out);

	(void)st;
	frame_open(out, name, ev);
	jw_obj(&w);
	jw_kint(&w, "inputTokens", ev->input_tokens);
	jw_kint(&w, "contextTokens", ev->context_tokens);
	jw_kint(&w, "messages", ev->n_messages);
	jw_end_obj(&w);
	frame_close(out);
}

static void write_status(struct buf *out, const char *name,
			 const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = jw_on(out);

	(void)st;
	frame_open(out, name, ev);
	jw_obj(&w);
	jw_kstr(&w, "status", ev->text);
	jw_end_obj(&w);
	frame_close(out);
}

static void write_tool_call(struct buf *out, const char *name,
			    const struct turn_event *ev,
			    struct dialect_state *st)
{
	struct jw w = jw_on(out);

	(void)st;
	frame_open(out, name, ev);
	jw_obj(&w);
	jw_kstr(&w, "toolName", ev->tool_name);
	jw_key(&w, "args");
	write_foreign(&w, ev->args.n ? ev->args : STR("{}"));
	jw_kstr(&w, "callId", ev->call_id);
	jw_end_obj(&w);
	frame_close(out);
}

static void write_tool_result(struct buf *out, const char *name,
			      const struct turn_event *ev,
			      struct dialect_state *st)
{
	struct jw w = jw_on(out);

	(void)st;
	frame_open(out, name, ev);
	jw_obj(&w);
	jw_kstr(&w, "toolName", ev->tool_name);
	jw_kstr(&w, "callId", ev->call_id);
	jw_key(&w, "result");
	if (ev->result_json && ev->result.n)
		write_foreign(&w, ev->result);
	else
		jw_str(&w, ev->result);
	jw_kbool(&w, "isError", ev->is_error);
	jw_kint(&w, "durationMs", ev->duration_ms);
	jw_end_obj(&w);
	frame_close(out);
}

static void write_title(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = jw_on(out);

	(void)st;
	frame_open(out, name, ev);
	jw_obj(&w);
	jw_kuuid(&w, "conversationId", &ev->run->conversation_id);
	jw_kstr(&w, "title", ev->text);
	jw_end_obj(&w);
	frame_close(out);
}

static void write_warning(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = jw_on(out);

	(void)st;
	frame_open(out, name, ev);
	jw_obj(&w);
	jw_kstr(&w, "code", ev->code);
	jw_kstr(&w, "message", ev->text);
	jw_end_obj(&w);
	frame_close(out);
}

const struct dialect dialect_native = {
	.name = "native",
	.content_type = "text/event-stream",
	.preamble = STR(": ok\nretry: 2000\n\n"),
	.keep_alive = STR(": ka\n\n"),
	.rows = {
		[TURN_EV_SESSION] = { .name = NULL },
		[TURN_EV_USER_MESSAGE] = { "user-message", write_message },
		[TURN_EV_CONTEXT_USAGE] = { "context-usage", write_context_usage },
		[TURN_EV_STATUS] = { "status", write_status },
		[TURN_EV_TOKEN] = { "token", write_delta },
		[TURN_EV_TOKEN_RESET] = { "token-reset", write_nothing },
		[TURN_EV_REASONING] = { "reasoning", write_delta },
		[TURN_EV_TOOL_CALL] = { "tool-call", write_tool_call },
		[TURN_EV_TOOL_RESULT] = { "tool-result", write_tool_result },
		[TURN_EV_TITLE] = { "title", write_title },
		[TURN_EV_WARNING] = { "warning", write_warning },
		[TURN_EV_DONE] = { "done", write_message },
		[TURN_EV_ERROR] = { "error", write_message },
	},
};
