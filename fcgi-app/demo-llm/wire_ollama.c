/* SPDX-License-Identifier: MIT */
/*
 * wire_ollama.c - POST /api/chat, Ollama's native format: one JSON object per
 * line, tool calls whole and with arguments as objects, done_reason "stop"
 * also after calls. Like the real one it does not check whether calls are
 * answered.
 */
#include "demo-llm/image.h"
#include "demo-llm/reply.h"

#include "base/clock.h"

#include <inttypes.h>
#include <string.h>

#include "base/banned.h"

static void read_calls(struct ask *a, struct msg *m, const json_t *list)
{
	json_t *call;
	size_t i;

	json_array_foreach(list, i, call) {
		const json_t *f = json_object_get(call, "function");

		ask_add_call(a, m, jx_str(call, "id").p, jx_str(f, "name").p,
			     json_incref(json_object_get(f, "arguments")));
	}
}

static int read_message(struct ask *a, const json_t *v, size_t i,
			struct refusal *w)
{
	static const struct { const char *name; enum role role; } row[] = {
		{"system", ROLE_SYSTEM}, {"user", ROLE_USER},
		{"assistant", ROLE_ASSISTANT}, {"tool", ROLE_TOOL},
	};
	const char *text = json_string_value(json_object_get(v, "content"));
	struct str role = jx_str(v, "role");
	struct msg *m;
	json_t *image;
	size_t k;

	if (json_object_get(v, "content") && !text &&
	    !json_is_null(json_object_get(v, "content")))
		return refuse(w, 400, "messages", "json: cannot unmarshal "
			"messages.content of message %zu into a string", i);
	for (k = 0; k < ARRAY_LEN(row); k++)
		if (str_is(role, row[k].name))
			break;
	if (k == ARRAY_LEN(row))
		return refuse(w, 400, "messages",
			      "invalid role in message %zu", i);
	m = ask_add(a, row[k].role, text);
	json_array_foreach(json_object_get(v, "images"), k, image)
		if (image_add(a, m, NULL, json_string_value(image), w))
			return -1;
	if (m->role == ROLE_ASSISTANT)
		read_calls(a, m, json_object_get(v, "tool_calls"));
	if (m->role == ROLE_TOOL) {
		m->tool_name = jx_str(v, "tool_name").p;
		m->call_id = jx_str(v, "tool_call_id").p;
	}
	return 0;
}

/* Old callers name neither tool nor call: then results follow call order. */
static void name_results(struct ask *a)
{
	const json_t *calls = NULL;
	size_t i, k = 0;

	for (i = 0; i < a->n; i++) {
		struct msg *m = &a->msgs[i];

		if (m->role == ROLE_ASSISTANT) {
			calls = m->calls;
			k = 0;
		} else if (m->role == ROLE_TOOL) {
			if (!m->tool_name)
				m->tool_name = jx_str(json_array_get(calls, k),
						      "name").p;
			k++;
		}
	}
}

static int ollama_read(struct ask *a, struct refusal *w)
{
	json_t *list = json_object_get(a->root, "messages");
	json_t *format = json_object_get(a->root, "format");
	json_t *v;
	size_t i;

	if (!json_is_array(list))
		return refuse(w, 400, "messages", "messages is required");
	json_array_foreach(list, i, v)
		if (read_message(a, v, i, w))
			return -1;
	name_results(a);
	json_array_foreach(json_object_get(a->root, "tools"), i, v) {
		json_t *f = json_object_get(v, "function");

		if (!jx_str(f, "name").n)
			return refuse(w, 400, "tools",
				      "tool %zu has no function name", i);
		ask_add_tool(a, jx_str(f, "name").p,
			     jx_str(f, "description").p,
			     json_object_get(f, "parameters"));
	}
	a->stream = jx_bool(a->root, "stream", true);
	a->max_tokens = (long)jx_int(json_object_get(a->root, "options"),
				     "num_predict", 0);
	if (a->max_tokens < 0)
		a->max_tokens = 0;
	a->schema = json_is_object(format) ? format : NULL;
	a->json_object = json_is_string(format) &&
			 !strcmp(json_string_value(format), "json");
	return ask_finish(a, false, w);
}

static void line_head(struct reply *r, struct out *o)
{
	char iso[CLOCK_ISO_BYTES];

	out_puts(o, "{\"model\":");
	out_quoted(o, r->ask.model);
	out_printf(o, ",\"created_at\":\"%s\",\"message\":"
		   "{\"role\":\"assistant\",\"content\":\"",
		   clock_iso(clock_now_us(), iso));
}

static void ollama_begin(struct reply *r, struct out *o)
{
	(void)r, (void)o;
}

static void put_call(struct reply *r, const struct piece *p, struct out *o)
{
	out_puts(o, "{\"id\":");
	out_quoted(o, p->id ? p->id : mint_id(&r->arena, "call_", 8));
	out_printf(o, ",\"function\":{\"index\":%zu,\"name\":", p->nth);
	out_quoted(o, p->name);
	out_puts(o, ",\"arguments\":");
	out_dump(o, p->args);
	out_puts(o, "}}");
}

static void ollama_open(struct reply *r, const struct piece *p, struct out *o)
{
	switch (p->kind) {
	case PIECE_REASONING:
		line_head(r, &r->pre);
		out_puts(&r->pre, "\",\"thinking\":\"");
		out_puts(&r->post, "\"},\"done\":false}\n");
		break;
	case PIECE_TEXT:
		line_head(r, &r->pre);
		out_puts(&r->post, "\"},\"done\":false}\n");
		break;
	case PIECE_CALL:
		line_head(r, o);
		out_puts(o, "\",\"tool_calls\":[");
		put_call(r, p, o);
		out_puts(o, "]},\"done\":false}\n");
		break;
	}
}

static void ollama_close(struct reply *r, const struct piece *p,
			 struct out *o)
{
	(void)r, (void)p, (void)o;
}

/* Everything behind the message of the last line. */
static void put_done(struct reply *r, struct out *o)
{
	struct counts c = counts_of(r);
	const char *finish = r->plan.finish;
	const char *key;
	json_t *v;

	if (!finish || !strcmp(finish, "tool_calls"))
		finish = "stop";
	out_puts(o, "},\"done_reason\":");
	out_quoted(o, finish);
	out_puts(o, ",\"done\":true");
	if (c.verbatim) {
		json_object_foreach((json_t *)c.verbatim, key, v) {
			out_puts(o, ",");
			out_quoted(o, key);
			out_puts(o, ":");
			out_dump(o, v);
		}
	} else if (!c.none) {
		out_printf(o, ",\"total_duration\":%" PRIu64
			   ",\"load_duration\":1000000,\"prompt_eval_count\":%"
			   PRIu64 ",\"prompt_eval_duration\":1000000,"
			   "\"eval_count\":%" PRIu64 ",\"eval_duration\":%"
			   PRIu64, 2000000 + c.output * 1000, c.input,
			   c.output, c.output * 1000);
	}
	out_puts(o, "}");
}

static void ollama_end(struct reply *r, struct out *o)
{
	if (r->plan.no_done)
		return;
	line_head(r, o);
	out_puts(o, "\"");
	put_done(r, o);
	out_puts(o, "\n");
}

static void ollama_error(int status, const char *param, const char *text,
			 struct out *o)
{
	(void)status, (void)param;
	out_puts(o, "{\"error\":");
	out_quoted(o, text);
	out_puts(o, "}");
}

static void ollama_fail(struct reply *r, const struct fault *f, struct out *o)
{
	(void)r;
	if (json_is_object(f->body) || json_is_array(f->body))
		out_dump(o, f->body);
	else
		ollama_error(f->status, "", demo_fault_text(f), o);
	out_puts(o, "\n");
}

static void ollama_whole(struct reply *r, struct out *o)
{
	const char *sep = ",\"tool_calls\":[";
	bool thinking = false;
	size_t i;

	line_head(r, o);
	for (i = 0; i < r->plan.n; i++)
		if (r->plan.piece[i].kind == PIECE_TEXT)
			piece_text(&r->plan.piece[i], o);
	out_puts(o, "\"");
	for (i = 0; i < r->plan.n; i++) {
		if (r->plan.piece[i].kind != PIECE_REASONING)
			continue;
		out_puts(o, thinking ? "" : ",\"thinking\":\"");
		piece_text(&r->plan.piece[i], o);
		thinking = true;
	}
	out_puts(o, thinking ? "\"" : "");
	for (i = 0; i < r->plan.n; i++) {
		if (r->plan.piece[i].kind != PIECE_CALL)
			continue;
		out_puts(o, sep);
		put_call(r, &r->plan.piece[i], o);
		sep = ",";
	}
	out_puts(o, sep[1] ? "" : "]");
	put_done(r, o);
}

static void ollama_models(struct out *o)
{
	out_puts(o, "{\"models\":[{\"name\":\"" DEMO_MODEL "\",\"model\":\""
		 DEMO_MODEL "\",\"modified_at\":\"2025-12-01T00:00:00Z\","
		 "\"size\":0,\"digest\":\"demo\",\"details\":{\"format\":"
		 "\"rules\",\"family\":\"demo\",\"families\":[\"demo\"],"
		 "\"parameter_size\":\"0\",\"quantization_level\":\"none\"}}"
		 "]}");
}

const struct wire demo_wire_ollama = {
	.name = "ollama",
	.stream_type = "application/x-ndjson",
	.garbage = "{\"model\":\"broken\",\"mess\n",
	.read = ollama_read,
	.begin = ollama_begin,
	.open = ollama_open,
	.close = ollama_close,
	.end = ollama_end,
	.fail = ollama_fail,
	.whole = ollama_whole,
	.error = ollama_error,
	.models = ollama_models,
};
