/* SPDX-License-Identifier: MIT */
/*
 * UI message stream v1 of the Vercel AI SDK: one `data: {part}` per frame and
 * `data: [DONE]` behind the last.
 *
 * Clients validate strictly (P-F1): only types that versions 5,
 * 6 and 7 all know are written, and never null for an optional string. Text
 * and reasoning are parts with an id that are opened and closed; all are
 * closed before finish-step (P-F4). Our tools are not known to the client when
 * it is built, so they are `dynamic`. Events without a part of their own become
 * transient data parts, which the client shows and does not keep.
 *
 * Narration before tools stays: parts of versions 5 and 6 cannot be removed, and it
 * precedes its tool call, where it belongs.
 *
 * Source: vercel/ai, ui-message-chunks.ts of 5.0.277, 6.0.322, 7.0.173.
 */
#include "dialect/ai_sdk.h"

#include <stdio.h>

#include "dialect/wire.h"

#include "base/banned.h"

struct sdk_state {
	bool begun;			/* the client's message was opened */
	bool text_open, reasoning_open;
	uint32_t part;			/* number of the open part */
	bool step_open, step_called;	/* and it called a tool, */
	bool step_answered;		/* which answered */
	bool step_inner;		/* it has the calls of steps of a plan */
};

/* Parts of version 6 and later, if the client declared such a version. */
static bool knows_approvals(const struct dialect_state *st)
{
	const struct ai_sdk_asked *asked = st->asked;

	return asked && asked->version >= 6;
}

static void put_bare(struct buf *out, const char *type)
{
	struct jw w = wire_typed(out, type);

	wire_frame_end(&w);
}

/* {"type", "id"}: the number of the open part. */
static void put_edge(struct buf *out, const char *type,
		     const struct sdk_state *k)
{
	struct jw w = wire_typed(out, type);
	char id[16];

	snprintf(id, sizeof(id), "%u", k->part);
	jw_kstrz(&w, "id", id);
	wire_frame_end(&w);
}

static void close_parts(struct buf *out, struct sdk_state *k)
{
	if (k->text_open)
		put_edge(out, "text-end", k);
	if (k->reasoning_open)
		put_edge(out, "reasoning-end", k);
	k->text_open = k->reasoning_open = false;
}

static void write_start(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	struct sdk_state *k = st->own;
	struct jw w;

	/* Parts have other ids than those before the wait. */
	k->part = MAX(k->part, ev->seq - 1);
	if (k->begun)		/* one message: the turn resumed */
		return;
	k->begun = true;
	w = wire_typed(out, name);
	jw_kuuid(&w, "messageId", &ev->run->id);
	jw_key(&w, "messageMetadata");
	wire_session(&w, ev->run);
	wire_frame_end(&w);
}

/* A data part; they are not stored by the client. */
static void write_any(struct buf *out, const char *name,
		      const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = wire_typed(out, name);

	jw_kbool(&w, "transient", true);
	jw_key(&w, "data");
	wire_value(&w, ev, st);
	wire_frame_end(&w);
}

/*
 * A step is the output of one model call, with the results of its tools. The next
 * step begins before a model call or, if those are not reported (in a replayed
 * stream), with the first output after tool results.
 */
static void be_in_step(struct buf *out, struct sdk_state *k, bool another)
{
	if (k->step_open && another) {
		close_parts(out, k);
		put_bare(out, "finish-step");
		k->step_open = false;
	}
	if (k->step_open)
		return;
	put_bare(out, "start-step");
	k->step_open = true;
	k->step_called = k->step_answered = k->step_inner = false;
}

static void write_context_usage(struct buf *out, const char *name,
				const struct turn_event *ev,
				struct dialect_state *st)
{
	struct sdk_state *k = st->own;

	be_in_step(out, k, k->step_called);
	write_any(out, name, ev, st);
}

/* The one that must be cheap. */
static void put_delta(struct buf *out, const char *type, struct str text,
		      const struct sdk_state *k)
{
	buf_add(out, "data: {\"type\":\"", 15);
	buf_adds(out, type);
	buf_add(out, "\",\"id\":\"", 8);
	buf_addu(out, k->part);
	buf_add(out, "\",\"delta\":", 10);
	buf_json(out, text);
	buf_addc(out, '}');
	wire_close(out);
}

static void put_text(struct buf *out, struct str text,
		     struct sdk_state *k)
{
	if (!k->text_open) {
		be_in_step(out, k, k->step_called);
		close_parts(out, k);
		k->part++;
		put_edge(out, "text-start", k);
		k->text_open = true;
	}
	put_delta(out, "text-delta", text, k);
}

static void write_text(struct buf *out, const char *name,
		       const struct turn_event *ev, struct dialect_state *st)
{
	struct sdk_state *k = st->own;
	(void)name;
	put_text(out, ev->text, k);
}

static void write_reasoning(struct buf *out, const char *name,
			    const struct turn_event *ev,
			    struct dialect_state *st)
{
	struct sdk_state *k = st->own;
	if (!k->reasoning_open) {
		be_in_step(out, k, k->step_called);
		close_parts(out, k);
		k->part++;
		put_edge(out, "reasoning-start", k);
		k->reasoning_open = true;
	}
	put_delta(out, name, ev->text, k);
}

static struct jw tool_open(struct buf *out, const char *type,
			   const struct turn_event *ev)
{
	struct jw w = wire_typed(out, type);

	jw_kstr(&w, "toolCallId", ev->call_id);
	jw_kbool(&w, "dynamic", true);
	return w;
}

static void write_tool_call(struct buf *out, const char *name,
			    const struct turn_event *ev,
			    struct dialect_state *st)
{
	struct sdk_state *k = st->own;
	struct jw w;

	be_in_step(out, k, k->step_answered);
	close_parts(out, k);
	k->step_called = true;
	w = tool_open(out, "tool-input-start", ev);
	jw_kstr(&w, "toolName", ev->tool_name);
	wire_frame_end(&w);
	w = tool_open(out, name, ev);
	jw_kstr(&w, "toolName", ev->tool_name);
	jw_key(&w, "input");
	wire_foreign(&w, ev->args.n ? ev->args : STR("{}"));
	wire_frame_end(&w);
}

/* The message of {"error": {code, message}}, else the whole text. */
static void put_error_text(struct jw *w, const struct turn_event *ev)
{
	struct err ignored = ERR_INIT;
	json_t *j = ev->result_json ? jx_load_lenient(ev->result, &ignored)
		: NULL;
	struct str s = jx_str(jx_obj(j, "error"), "message");

	if (!s.n)
		s = ev->result.p ? ev->result : STR("");
	jw_kstr(w, "errorText", s);
	json_decref(j);
}

static bool was_denied(const struct turn_event *ev)
{
	struct err ignored = ERR_INIT;
	json_t *j = ev->result_json ? jx_load_lenient(ev->result, &ignored)
		: NULL;
	bool denied = str_is(jx_str(jx_obj(j, "error"), "code"),
			     err_rows[ERR_TOOL_NOT_APPROVED].code);

	json_decref(j);
	return denied;
}

static void write_tool_result(struct buf *out, const char *name,
			      const struct turn_event *ev,
			      struct dialect_state *st)
{
	struct sdk_state *k = st->own;
	struct jw w;

	k->step_answered = true;
	if (ev->is_error && knows_approvals(st) && was_denied(ev)) {
		w = wire_typed(out, "tool-output-denied");
		jw_kstr(&w, "toolCallId", ev->call_id);
	} else if (ev->is_error) {
		w = tool_open(out, "tool-output-error", ev);
		put_error_text(&w, ev);
	} else {
		w = tool_open(out, name, ev);
		jw_key(&w, "output");
		wire_result(&w, ev);
	}
	wire_frame_end(&w);
}

/* Our value in the client's list: versions 6 and 7 throw for any other. */
static const char *finish_reason(struct str ours)
{
	static const struct {
		const char *ours, *theirs;
	} rows[] = {
		{ "stop", "stop" }, { "length", "length" },
		{ "refusal", "content-filter" },
		{ "content_filter", "content-filter" }, { "error", "error" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_is(ours, rows[i].ours))
			return rows[i].theirs;
	return "other";
}

/* Closes everything, then sends the data of the stored answer. */
static void put_finish(struct buf *out, const struct turn_event *ev,
		       const struct wire_answer *a, struct dialect_state *st)
{
	char id[MESSAGE_ID_BYTES];
	struct jw w = wire_typed(out, "finish");

	(void)st;
	jw_kstrz(&w, "finishReason", finish_reason(a->finish_reason));
	jw_key(&w, "messageMetadata");
	jw_obj(&w);
	if (ev->message->seq)
		jw_kstrz(&w, "storedId", message_id(&ev->run->conversation_id,
						    ev->message->seq, id));
	jw_kstr(&w, "finishReason", a->finish_reason);
	if (a->model.n)
		jw_kstr(&w, "model", a->model);
	if (a->usage) {
		jw_key(&w, "usage");
		jw_json(&w, a->usage);
	}
	jw_end_obj(&w);
	wire_frame_end(&w);
}

static void write_action(struct buf *out, const char *name,
			 const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = wire_typed(out, name);

	(void)st;
	jw_key(&w, "data");
	wire_object(&w, ev->args);
	wire_frame_end(&w);
}

/* Only http and https addresses are there (tool/core/passage.h). */
static void write_source(struct buf *out, const char *name,
			 const struct turn_event *ev, struct dialect_state *st)
{
	json_auto_t *s = jx_try(ev->args);
	struct str url = jx_str(s, "url"), title = jx_str(s, "title");
	struct jw w = wire_typed(out, url.n ? "source-url" : name);
	char id[16];

	(void)st;
	snprintf(id, sizeof(id), "source-%d", (int)jx_int(s, "number", 0));
	jw_kstrz(&w, "sourceId", id);
	if (url.n)
		jw_kstr(&w, "url", url);
	else
		jw_kstrz(&w, "mediaType", "text/plain");
	jw_kstr(&w, "title", title.n ? title : STR("?"));
	jw_key(&w, "providerMetadata");
	jw_obj(&w);
	jw_key(&w, "lamplighter");
	jw_json(&w, s);
	jw_end_obj(&w);
	wire_frame_end(&w);
}

/*
 * The call of a step of a plan: the client, which has no such call, refuses parts that are
 * about it. It has a step of its own, since clients answer once all calls of the last step
 * have an output or a decision, and that of the plan has neither.
 */
static void put_inner_call(struct buf *out, const struct turn_event *ev,
			   struct dialect_state *st)
{
	struct sdk_state *k = st->own;
	const struct turn_wait *wait = &ev->waits[0];
	const struct turn_event call = {
		.run = ev->run, .call_id = wait->call_id, .tool_name = wait->tool,
		.args = wait->args,
	};

	if (!(wait->flags & WAIT_INNER))
		return;
	be_in_step(out, k, !k->step_inner);
	write_tool_call(out, "tool-input-available", &call, st);
	k->step_inner = true;
}

/*
 * From version 6 on, there is a part for it. For older ones it is a data part that
 * is kept with the message; another one with the same id replaces it.
 */
static void write_approval(struct buf *out, const char *name,
			   const struct turn_event *ev,
			   struct dialect_state *st)
{
	struct sdk_state *k = st->own;
	const struct turn_wait *wait = &ev->waits[0];
	char id[UUID_TEXT_BYTES];
	struct jw w;

	close_parts(out, k);
	put_inner_call(out, ev, st);
	if (knows_approvals(st)) {
		w = wire_typed(out, "tool-approval-request");
		jw_kuuid(&w, "approvalId", &wait->id);
		jw_kstr(&w, "toolCallId", wait->call_id);
		wire_frame_end(&w);
	}
	w = wire_typed(out, name);
	jw_kstrz(&w, "id", uuid_format(&wait->id, id));
	jw_key(&w, "data");
	wire_wait(&w, wait);
	wire_frame_end(&w);
}

static void write_question(struct buf *out, const char *name,
			   const struct turn_event *ev,
			   struct dialect_state *st)
{
	struct sdk_state *k = st->own;
	struct jw w;

	close_parts(out, k);
	put_inner_call(out, ev, st);
	w = wire_typed(out, name);
	jw_kstr(&w, "id", ev->call_id);
	jw_key(&w, "data");
	wire_wait(&w, &ev->waits[0]);
	wire_frame_end(&w);
}

/* Any other call without an output is one for the client already. */
static void write_client_call(struct buf *out, const char *name,
			      const struct turn_event *ev, struct dialect_state *st)
{
	(void)name;
	close_parts(out, st->own);
	put_inner_call(out, ev, st);
}

/*
 * The message stays open: the client sends it back with the decisions, and the turn
 * resumes with the same id. Calls without an output are for the client.
 */
static void write_waiting(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	struct sdk_state *k = st->own;
	struct jw w;

	close_parts(out, k);
	if (k->step_open)
		put_bare(out, "finish-step");
	k->step_open = false;
	w = wire_typed(out, name);
	jw_kstrz(&w, "finishReason", "tool-calls");
	jw_key(&w, "messageMetadata");
	jw_obj(&w);
	jw_kstrz(&w, "finishReason", "waiting");
	jw_kuuid(&w, "turnId", &ev->run->id);
	jw_end_obj(&w);
	wire_frame_end(&w);
}

static void write_end(struct buf *out, const char *name,
		      const struct turn_event *ev, struct dialect_state *st)
{
	struct sdk_state *k = st->own;
	struct str unsent = wire_unsent(ev, st);
	struct wire_answer a;
	struct jw w;

	(void)name;
	wire_answer_read(&a, ev->message);
	if (ev->type == TURN_EV_DONE && unsent.n)
		put_text(out, unsent, k);
	close_parts(out, k);
	if (k->step_open)
		put_bare(out, "finish-step");
	k->step_open = false;
	if (ev->type == TURN_EV_ERROR) {
		w = wire_typed(out, "error");
		jw_kstr(&w, "errorText", a.error_message.n ? a.error_message
			: STR("The answer could not be made."));
		wire_frame_end(&w);
	} else if (wire_cut_short(&a)) {
		put_bare(out, "abort");
	}
	put_finish(out, ev, &a, st);
	wire_answer_release(&a);
}

const struct dialect dialect_ai_sdk = {
	.id = DIALECT_AI_SDK,
	.name = "ai-sdk",
	WIRE_SSE,
	.header = "X-Vercel-AI-UI-Message-Stream", .value = "v1",
	.end = STR("data: [DONE]\n\n"),
	.ends_at_wait = true,
	.own_bytes = sizeof(struct sdk_state),
	.any = write_any,
	.own = {
		[TURN_EV_SESSION] = write_start,
		[TURN_EV_CONTEXT_USAGE] = write_context_usage,
		[TURN_EV_TOKEN] = write_text,
		[TURN_EV_REASONING] = write_reasoning,
		[TURN_EV_TOOL_CALL] = write_tool_call,
		[TURN_EV_TOOL_RESULT] = write_tool_result,
		[TURN_EV_SOURCE] = write_source,
		[TURN_EV_SUGGESTED_ACTION] = write_action,
		[TURN_EV_APPROVAL_REQUEST] = write_approval,
		[TURN_EV_CLIENT_TOOL_CALL] = write_client_call,
		[TURN_EV_CLARIFICATION] = write_question,
		[TURN_EV_WAITING] = write_waiting,
		[TURN_EV_DONE] = write_end,
		[TURN_EV_ERROR] = write_end,
	},
};
