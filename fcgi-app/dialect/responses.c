/* SPDX-License-Identifier: MIT */
/*
 * The events of a response, in the order of the real ones: each item of its output is
 * added, filled and done before the next one; sequence_number rises by one. Calls of the
 * client's tools come whole, because they were checked. The agent's own calls are not
 * shown. The last event has all of it.
 */
#include "dialect/responses.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "dialect/openai.h"
#include "dialect/wire.h"

#include "base/banned.h"

/* -- its parts ------------------------------------------------------------------ */

static json_t *id_of(const char *prefix, const struct uuid *turn, int64_t n)
{
	char text[96], hex[UUID_HEX_BYTES];

	if (n >= 0)
		snprintf(text, sizeof(text), "%.16s%s%d", prefix, uuid_hex(turn, hex),
			 (int)MIN(n, 9999));
	else
		snprintf(text, sizeof(text), "%.16s%s", prefix, uuid_hex(turn, hex));
	return json_string(text);
}

static json_t *usage_of(const json_t *ours)
{
	struct buf b = BUF_INIT(4096);
	struct jw w = jw_on(&b);
	json_t *theirs, *usage;

	dialect_openai_usage(&w, ours);
	theirs = jx_try(buf_str(&b));
	buf_release(&b);
	usage = json_pack("{s:O, s:O, s:O, s:O, s:O}",
		"input_tokens", json_object_get(theirs, "prompt_tokens"),
		"input_tokens_details", json_object_get(theirs, "prompt_tokens_details"),
		"output_tokens", json_object_get(theirs, "completion_tokens"),
		"output_tokens_details",
		json_object_get(theirs, "completion_tokens_details"),
		"total_tokens", json_object_get(theirs, "total_tokens"));
	json_decref(theirs);
	return usage;
}

static json_t *text_part(struct str text)
{
	return json_pack("{s:s, s:o, s:[], s:[]}", "type", "output_text", "text",
			 jx_string(text), "annotations", "logprobs");
}

static json_t *message_item(const struct uuid *turn, int64_t n, struct str text)
{
	return json_pack("{s:s, s:o, s:s, s:s, s:[o]}", "type", "message", "id",
			 id_of("msg_", turn, n), "status", "completed", "role", "assistant",
			 "content", text_part(text));
}

static json_t *reasoning_item(const struct uuid *turn, int64_t n, struct str text)
{
	return json_pack("{s:s, s:o, s:[{s:s, s:o}]}", "type", "reasoning", "id",
			 id_of("rs_", turn, n), "summary", "type", "summary_text",
			 "text", jx_string(text));
}

static json_t *call_item(const struct uuid *turn, const struct turn_wait *w,
			 bool begun)
{
	char id[OPENAI_CALL_BYTES];

	return json_pack("{s:s, s:o, s:s, s:o, s:o, s:s}", "type", "function_call", "id",
			 id_of("fc_", turn, w->position), "call_id",
			 dialect_openai_call_id(id, w), "name", jx_string(w->tool),
			 "arguments", begun ? json_string("") : jx_string(w->args),
			 "status", begun ? "in_progress" : "completed");
}

/* The response itself; takes output. */
static json_t *response(const struct responses *r, const struct turn_run *run,
			const char *status, json_t *output)
{
	json_t *o = json_copy(r->echo);

	json_object_set_new(o, "id", id_of(RESPONSES_ID, &run->id, -1));
	json_object_set_new(o, "created_at", json_integer(
		(json_int_t)(run->user.created_us / 1000000)));
	json_object_set_new(o, "status", json_string(status));
	json_object_set_new(o, "output", output ? output : json_array());
	return o;
}

/* How it ended: completed, incomplete or failed, and why. */
static void set_end(json_t *o, const struct message *answer)
{
	struct wire_answer a;
	const char *how;

	wire_answer_read(&a, answer);
	how = dialect_openai_finish_reason(a.finish_reason);
	if (a.error_code.n) {
		json_object_set_new(o, "status", json_string("failed"));
		json_object_set_new(o, "error", json_pack("{s:o, s:o}", "code",
			jx_string(a.error_code), "message", jx_string(
			a.error_message.n ? a.error_message
			: STR("The answer could not be made."))));
	} else if (strcmp(how, "stop") != 0) {
		json_object_set_new(o, "status", json_string("incomplete"));
		json_object_set_new(o, "incomplete_details", json_pack("{s:s}", "reason",
			!strcmp(how, "length") ? "max_output_tokens"
			: "content_filter"));
	} else {
		json_object_set_new(o, "status", json_string("completed"));
	}
	json_object_set_new(o, "usage", usage_of(a.usage));
	wire_answer_release(&a);
}

json_t *responses_whole(const struct responses *r, const struct turn_run *run,
			const struct message *answer, struct str text,
			const struct turn_wait *waits, size_t n_waits)
{
	json_t *output = json_array(), *o;
	json_auto_t *meta = jx_try(answer->meta);
	struct str reasoning = jx_str(meta, "reasoning");

	if (reasoning.n)
		json_array_append_new(output, reasoning_item(&run->id, 0, reasoning));
	if (text.n)
		json_array_append_new(output, message_item(
			&run->id, (int64_t)json_array_size(output), text));
	for (size_t i = 0; i < n_waits; i++)
		if (waits[i].kind == WAIT_CLIENT)
			json_array_append_new(output, call_item(&run->id, &waits[i],
								false));
	o = response(r, run, "completed", output);
	set_end(o, answer);
	return o;
}

/* -- the stream ------------------------------------------------------------------ */

/* One event; takes o. */
static void put_event(struct buf *out, struct responses *r, const char *type, json_t *o)
{
	if (r->sequence >= r->skip) {
		json_object_set_new(o, "type", json_string(type));
		json_object_set_new(o, "sequence_number", json_integer(r->sequence));
		buf_addf(out, "event: %s\ndata: ", type);
		jx_dump(out, o);
		wire_close(out);
	}
	r->sequence++;
	json_decref(o);
}

static int64_t index_of(const struct responses *r)
{
	return (int64_t)json_array_size(r->output);
}

static json_t *at_item(const struct responses *r, const char *prefix,
		       const struct uuid *turn, const char *part)
{
	json_t *o = json_pack("{s:o, s:I, s:i}", "item_id", id_of(prefix, turn, index_of(r)),
			      "output_index", (json_int_t)index_of(r), part, 0);

	return o;
}

static void add_item(struct buf *out, struct responses *r, json_t *item)
{
	put_event(out, r, "response.output_item.added", json_pack("{s:I, s:o}", "output_index",
		(json_int_t)index_of(r), "item", item));
}

static void end_item(struct buf *out, struct responses *r, json_t *item)
{
	put_event(out, r, "response.output_item.done", json_pack("{s:I, s:O}", "output_index",
		(json_int_t)index_of(r), "item", item));
	json_array_append_new(r->output, item);
}

static void open_message(struct buf *out, struct responses *r, const struct uuid *turn)
{
	json_t *o;

	add_item(out, r, json_pack("{s:s, s:o, s:s, s:s, s:[]}", "type", "message", "id",
		id_of("msg_", turn, index_of(r)), "status", "in_progress", "role",
		"assistant", "content"));
	o = at_item(r, "msg_", turn, "content_index");
	json_object_set_new(o, "part", text_part(STR("")));
	put_event(out, r, "response.content_part.added", o);
}

static void open_reasoning(struct buf *out, struct responses *r, const struct uuid *turn)
{
	json_t *o;

	add_item(out, r, json_pack("{s:s, s:o, s:[]}", "type", "reasoning", "id",
		id_of("rs_", turn, index_of(r)), "summary"));
	o = at_item(r, "rs_", turn, "summary_index");
	json_object_set_new(o, "part", json_pack("{s:s, s:s}", "type", "summary_text",
						 "text", ""));
	put_event(out, r, "response.reasoning_summary_part.added", o);
}

static void close_message(struct buf *out, struct responses *r, const struct uuid *turn)
{
	struct str text = buf_str(&r->text);
	json_t *o = at_item(r, "msg_", turn, "content_index");

	json_object_set_new(o, "text", jx_string(text));
	json_object_set_new(o, "logprobs", json_array());
	put_event(out, r, "response.output_text.done", o);
	o = at_item(r, "msg_", turn, "content_index");
	json_object_set_new(o, "part", text_part(text));
	put_event(out, r, "response.content_part.done", o);
	end_item(out, r, message_item(turn, index_of(r), text));
}

static void close_reasoning(struct buf *out, struct responses *r, const struct uuid *turn)
{
	struct str text = buf_str(&r->text);
	json_t *o = at_item(r, "rs_", turn, "summary_index");

	json_object_set_new(o, "text", jx_string(text));
	put_event(out, r, "response.reasoning_summary_text.done", o);
	o = at_item(r, "rs_", turn, "summary_index");
	json_object_set_new(o, "part", json_pack("{s:s, s:o}", "type", "summary_text",
						 "text", jx_string(text)));
	put_event(out, r, "response.reasoning_summary_part.done", o);
	end_item(out, r, reasoning_item(turn, index_of(r), text));
}

/* Ends the open item, and begins one of this kind; the same kind goes on. */
static void turn_to(struct buf *out, struct responses *r, const struct uuid *turn,
		    enum responses_item kind)
{
	if (r->open == (int)kind)
		return;
	if (r->open == RESPONSES_MESSAGE)
		close_message(out, r, turn);
	else if (r->open == RESPONSES_REASONING)
		close_reasoning(out, r, turn);
	buf_reset(&r->text);
	r->open = kind;
	if (kind == RESPONSES_MESSAGE)
		open_message(out, r, turn);
	else if (kind == RESPONSES_REASONING)
		open_reasoning(out, r, turn);
}

/* The one that must be cheap. */
static void put_delta(struct buf *out, const struct openai_asked *asked,
		      const struct uuid *turn, enum responses_item kind, struct str text)
{
	struct responses *r = asked->responses;
	bool says = kind == RESPONSES_MESSAGE;
	char hex[UUID_HEX_BYTES];

	turn_to(out, r, turn, kind);
	buf_addstr(&r->text, text);
	if (says && asked->streamed)
		buf_addstr(asked->streamed, text);
	if (r->sequence++ < r->skip)
		return;
	buf_addf(out, "event: response.%s.delta\ndata: {\"type\":\"response.%s.delta\","
		 "\"item_id\":\"%s", says ? "output_text" : "reasoning_summary_text",
		 says ? "output_text" : "reasoning_summary_text", says ? "msg_" : "rs_");
	buf_add(out, uuid_hex(turn, hex), UUID_HEX_BYTES - 1);
	buf_addf(out, "%d\",\"output_index\":%d,\"%s\":0,\"delta\":",
		 (int)index_of(r), (int)index_of(r),
		 says ? "content_index" : "summary_index");
	buf_json(out, text);
	buf_addf(out, "%s,\"sequence_number\":%lld}", says ? ",\"logprobs\":[]" : "",
		 (long long)r->sequence - 1);
	wire_close(out);
}

static void put_call(struct buf *out, struct responses *r, const struct turn_run *run,
		     const struct turn_wait *w)
{
	json_t *id = id_of("fc_", &run->id, w->position);

	add_item(out, r, call_item(&run->id, w, true));
	put_event(out, r, "response.function_call_arguments.delta", json_pack(
		"{s:O, s:I, s:o}", "item_id", id, "output_index",
		(json_int_t)index_of(r), "delta", jx_string(w->args)));
	put_event(out, r, "response.function_call_arguments.done", json_pack(
		"{s:O, s:I, s:o, s:o}", "item_id", id, "output_index",
		(json_int_t)index_of(r), "name", jx_string(w->tool), "arguments",
		jx_string(w->args)));
	json_decref(id);
	end_item(out, r, call_item(&run->id, w, false));
}

/* Both have the response as it is now, with all tools of the client: written once. */
static void begin_response(struct buf *out, struct responses *r, const struct turn_run *run)
{
	static const char *const events[] = {
		"response.created", "response.in_progress",
	};
	struct buf text = BUF_INIT(out->cap);
	json_t *begun;

	r->output = json_array();
	r->text = (struct buf)BUF_INIT(2 * LIM_ANSWER_BYTES);
	begun = response(r, run, "in_progress", NULL);
	jx_dump(&text, begun);
	json_decref(begun);
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		if (r->sequence++ < r->skip)
			continue;
		buf_addf(out, "event: %s\ndata: {\"response\":", events[i]);
		buf_addstr(out, buf_str(&text));
		buf_addf(out, ",\"type\":\"%s\",\"sequence_number\":%lld}", events[i],
			 (long long)r->sequence - 1);
		wire_close(out);
	}
	buf_release(&text);
}

void responses_release(struct responses *r)
{
	json_decref(r->output);
	r->output = NULL;
	buf_release(&r->text);
}

static void end(struct buf *out, struct responses *r, const struct turn_run *run,
		const struct message *answer)
{
	static const struct {
		const char *status, *event;
	} ends[] = {
		{ "completed", "response.completed" },
		{ "incomplete", "response.incomplete" },
		{ "failed", "response.failed" },
	};
	json_t *o = response(r, run, "completed", r->output);
	size_t i = 0;

	r->output = NULL;	/* o has it */
	set_end(o, answer);
	while (i + 1 < ARRAY_LEN(ends) && !str_is(jx_str(o, "status"), ends[i].status))
		i++;
	r->sequence = MAX(r->sequence, r->skip);
	put_event(out, r, ends[i].event, json_pack("{s:o}", "response", o));
	responses_release(r);
}

static void put_waiting(struct buf *out, const struct turn_event *ev,
			const struct openai_asked *asked)
{
	static const struct message nothing = { .role = ROLE_ASSISTANT };
	struct responses *r = asked->responses;
	struct arena a = ARENA_INIT;
	struct str text = dialect_openai_waiting(&a, ev->waits, ev->n_waits, asked->page,
						 &ev->run->conversation_id);

	if (text.n && r->open == RESPONSES_MESSAGE)
		put_delta(out, asked, &ev->run->id, RESPONSES_MESSAGE, STR("\n\n"));
	if (text.n)
		put_delta(out, asked, &ev->run->id, RESPONSES_MESSAGE, text);
	arena_release(&a);
	turn_to(out, r, &ev->run->id, RESPONSES_NONE);
	for (size_t i = 0; i < ev->n_waits; i++)
		if (ev->waits[i].kind == WAIT_CLIENT)
			put_call(out, r, ev->run, &ev->waits[i]);
	end(out, r, ev->run, ev->message ? ev->message : &nothing);
}

void responses_write(struct buf *out, const struct turn_event *ev,
		     const struct openai_asked *asked, struct str unsent)
{
	struct responses *r = asked->responses;
	const struct uuid *turn = &ev->run->id;

	if (!r->output && ev->type != TURN_EV_SESSION)
		begin_response(out, r, ev->run);
	switch (ev->type) {
	case TURN_EV_SESSION:
		if (!r->output)
			begin_response(out, r, ev->run);
		break;
	case TURN_EV_TOKEN:
		if (!asked->typed)
			put_delta(out, asked, turn, RESPONSES_MESSAGE, ev->text);
		break;
	case TURN_EV_TOKEN_RESET:
		if (!asked->typed && r->open == RESPONSES_MESSAGE)
			put_delta(out, asked, turn, RESPONSES_MESSAGE, STR("\n\n"));
		break;
	case TURN_EV_REASONING:
		put_delta(out, asked, turn, RESPONSES_REASONING, ev->text);
		break;
	case TURN_EV_WAITING:
		put_waiting(out, ev, asked);
		break;
	case TURN_EV_DONE:
	case TURN_EV_ERROR:
		if (ev->type == TURN_EV_DONE && unsent.n)
			put_delta(out, asked, turn, RESPONSES_MESSAGE, unsent);
		turn_to(out, r, turn, RESPONSES_NONE);
		end(out, r, ev->run, ev->message);
		break;
	default:
		break;
	}
}
