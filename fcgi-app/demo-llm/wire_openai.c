/* SPDX-License-Identifier: MIT */
/*
 * wire_openai.c - POST /v1/chat/completions.
 *
 * Chunks have the members of recorded ones, in their order. Counted input
 * includes cached tokens, as OpenAI counts. Reasoning goes out as
 * `reasoning_content`, the name most compatible servers use.
 */
#include "demo-llm/image.h"
#include "demo-llm/reply.h"

#include <string.h>

#include "base/banned.h"

static int read_images(struct ask *a, struct msg *m, const json_t *content,
		       struct refusal *w)
{
	json_t *part;
	size_t i;

	json_array_foreach(content, i, part) {
		const json_t *url = json_object_get(part, "image_url");

		if (str_is(jx_str(part, "type"), "image_url") &&
		    image_add_url(a, m, jx_str(url, "url").p, w))
			return -1;
	}
	return 0;
}

static int read_message(struct ask *a, const json_t *v, size_t i,
			struct refusal *w)
{
	struct str role = jx_str(v, "role");
	struct msg *m;
	json_t *call;
	size_t k;

	if (str_is(role, "user")) {
		const json_t *content = json_object_get(v, "content");

		m = ask_add(a, ROLE_USER, ask_content(a, content));
		return read_images(a, m, content, w);
	}
	if (str_is(role, "system") || str_is(role, "developer")) {
		ask_add(a, ROLE_SYSTEM, ask_content(a, json_object_get(v, "content")));
		return 0;
	}
	if (str_is(role, "tool")) {
		m = ask_add(a, ROLE_TOOL, ask_content(a, json_object_get(v, "content")));
		m->call_id = jx_str(v, "tool_call_id").p;
		if (!m->call_id)
			return refuse(w, 400, "messages", "Missing parameter "
				"'messages[%zu].tool_call_id'.", i);
		return 0;
	}
	if (!str_is(role, "assistant"))
		return refuse(w, 400, "messages", "Invalid value for "
			      "'messages[%zu].role'.", i);
	m = ask_add(a, ROLE_ASSISTANT, ask_content(a, json_object_get(v, "content")));
	json_array_foreach(json_object_get(v, "tool_calls"), k, call) {
		const json_t *f = json_object_get(call, "function");
		struct str args = jx_str(f, "arguments");
		json_t *j = jx_try(args);

		if (!jx_str(call, "id").n || !jx_str(f, "name").n) {
			json_decref(j);
			return refuse(w, 400, "messages", "Invalid 'messages"
				"[%zu].tool_calls[%zu]': id and function.name "
				"are required.", i, k);
		}
		ask_add_call(a, m, jx_str(call, "id").p, jx_str(f, "name").p,
			     j ? j : json_string(args.p ? args.p : ""));
	}
	return 0;
}

static int openai_read(struct ask *a, struct refusal *w)
{
	const json_t *format = json_object_get(a->root, "response_format");
	json_t *list = json_object_get(a->root, "messages");
	json_t *v;
	size_t i;

	if (!json_is_array(list))
		return refuse(w, 400, "messages",
			      "Missing required parameter: 'messages'.");
	json_array_foreach(list, i, v)
		if (read_message(a, v, i, w))
			return -1;
	json_array_foreach(json_object_get(a->root, "tools"), i, v) {
		json_t *f = json_object_get(v, "function");

		if (!jx_str(f, "name").n)
			return refuse(w, 400, "tools", "Missing required "
				"parameter: 'tools[%zu].function.name'.", i);
		ask_add_tool(a, jx_str(f, "name").p,
			     jx_str(f, "description").p,
			     json_object_get(f, "parameters"));
	}
	a->stream = jx_bool(a->root, "stream", false);
	a->usage_chunk = jx_bool(json_object_get(a->root, "stream_options"),
				 "include_usage", false);
	a->max_tokens = (long)jx_int(a->root, "max_completion_tokens",
				     jx_int(a->root, "max_tokens", 0));
	a->schema = json_object_get(json_object_get(format, "json_schema"),
				    "schema");
	a->json_object = str_is(jx_str(format, "type"), "json_object");
	return ask_finish(a, true, w);
}

static void chunk_open(struct reply *r, struct out *o)
{
	out_printf(o, "data: {\"id\":\"chatcmpl-%s\",\"object\":"
		   "\"chat.completion.chunk\",\"created\":%lld,\"model\":",
		   r->id, (long long)r->created_s);
	out_quoted(o, r->ask.model);
	out_puts(o, ",\"system_fingerprint\":\"fp_demo\",\"choices\":");
}

static void chunk_close(struct reply *r, struct out *o)
{
	out_puts(o, r->ask.usage_chunk ? ",\"usage\":null}\n\n" : "}\n\n");
}

/* What stands behind the delta of a chunk that does not finish. */
static void choice_close(struct reply *r, struct out *o)
{
	out_puts(o, "},\"logprobs\":null,\"finish_reason\":null}]");
	chunk_close(r, o);
}

static void delta(struct reply *r, struct out *o)
{
	chunk_open(r, o);
	out_puts(o, "[{\"index\":0,\"delta\":{");
}

static const char *finish_reason(const struct reply *r)
{
	if (r->plan.finish)
		return r->plan.finish;
	return plan_has_calls(&r->plan) ? "tool_calls" : "stop";
}

static void openai_begin(struct reply *r, struct out *o)
{
	bool calls_only = r->plan.n && r->plan.piece[0].kind == PIECE_CALL;

	delta(r, o);
	out_puts(o, "\"role\":\"assistant\",\"content\":");
	out_puts(o, calls_only ? "null" : "\"\"");
	out_puts(o, ",\"refusal\":null");
	choice_close(r, o);
}

static void call_open(struct reply *r, const struct piece *p, struct out *o)
{
	delta(r, o);
	out_printf(o, "\"tool_calls\":[{\"index\":%zu,\"id\":", p->nth);
	out_quoted(o, p->id ? p->id : mint_id(&r->arena, "call_", 24));
	out_puts(o, ",\"type\":\"function\",\"function\":{\"name\":");
	out_quoted(o, p->name);
	out_puts(o, ",\"arguments\":\"\"}}]");
	choice_close(r, o);
}

static void openai_open(struct reply *r, const struct piece *p, struct out *o)
{
	delta(r, &r->pre);
	switch (p->kind) {
	case PIECE_REASONING:
		out_puts(&r->pre, "\"reasoning_content\":\"");
		out_puts(&r->post, "\"");
		break;
	case PIECE_TEXT:
		out_puts(&r->pre, "\"content\":\"");
		out_puts(&r->post, "\"");
		break;
	case PIECE_CALL:
		call_open(r, p, o);
		out_printf(&r->pre, "\"tool_calls\":[{\"index\":%zu,"
			   "\"function\":{\"arguments\":\"", p->nth);
		out_puts(&r->post, "\"}}]");
		break;
	}
	choice_close(r, &r->post);
}

static void openai_close(struct reply *r, const struct piece *p,
			 struct out *o)
{
	(void)r, (void)p, (void)o;
}

static void put_usage(const struct counts *c, struct out *o)
{
	if (c->verbatim) {
		out_dump(o, c->verbatim);
		return;
	}
	out_printf(o, "{\"prompt_tokens\":%llu,\"completion_tokens\":%llu,"
		   "\"total_tokens\":%llu,\"prompt_tokens_details\":"
		   "{\"cached_tokens\":%llu,\"audio_tokens\":0},"
		   "\"completion_tokens_details\":{\"reasoning_tokens\":%llu,"
		   "\"audio_tokens\":0,\"accepted_prediction_tokens\":0,"
		   "\"rejected_prediction_tokens\":0}}",
		   (unsigned long long)c->input,
		   (unsigned long long)c->output,
		   (unsigned long long)(c->input + c->output),
		   (unsigned long long)c->cached,
		   (unsigned long long)c->reasoning);
}

static void openai_end(struct reply *r, struct out *o)
{
	struct counts c = counts_of(r);

	delta(r, o);
	out_puts(o, "},\"logprobs\":null,\"finish_reason\":");
	out_quoted(o, finish_reason(r));
	out_puts(o, "}]");
	chunk_close(r, o);
	if (r->ask.usage_chunk && !c.none) {
		chunk_open(r, o);
		out_puts(o, "[],\"usage\":");
		put_usage(&c, o);
		out_puts(o, "}\n\n");
	}
	if (!r->plan.no_done)
		out_puts(o, "data: [DONE]\n\n");
}

static void openai_error(int status, const char *param, const char *text,
			 struct out *o)
{
	static const struct { int status; const char *type, *code; } row[] = {
		{401, "invalid_request_error", "\"invalid_api_key\""},
		{404, "invalid_request_error", "\"model_not_found\""},
		{429, "requests", "\"rate_limit_exceeded\""},
		{503, "server_error", "\"server_is_overloaded\""},
	};
	const char *type = status < 500 ? "invalid_request_error"
					: "server_error";
	const char *code = "null";
	size_t i;

	for (i = 0; i < ARRAY_LEN(row); i++)
		if (row[i].status == status) {
			type = row[i].type;
			code = row[i].code;
		}
	out_puts(o, "{\"error\":{\"message\":");
	out_quoted(o, text);
	out_printf(o, ",\"type\":\"%s\",\"param\":", type);
	if (*param)
		out_quoted(o, param);
	else
		out_puts(o, "null");
	out_printf(o, ",\"code\":%s}}", code);
}

static void openai_fail(struct reply *r, const struct fault *f, struct out *o)
{
	(void)r;
	out_puts(o, "data: ");
	if (json_is_object(f->body) || json_is_array(f->body))
		out_dump(o, f->body);
	else
		openai_error(f->status, "", demo_fault_text(f), o);
	out_puts(o, "\n\n");
}

static void whole_text(const struct plan *p, enum piece_kind kind,
		       const char *key, struct out *o)
{
	bool any = false;
	size_t i;

	for (i = 0; i < p->n; i++)
		any |= p->piece[i].kind == kind;
	if (!any && kind == PIECE_REASONING)
		return;
	out_printf(o, ",\"%s\":", key);
	if (!any && p->n) {
		out_puts(o, "null");
		return;
	}
	out_puts(o, "\"");
	for (i = 0; i < p->n; i++)
		if (p->piece[i].kind == kind)
			piece_text(&p->piece[i], o);
	out_puts(o, "\"");
}

static void openai_whole(struct reply *r, struct out *o)
{
	struct counts c = counts_of(r);
	const char *sep = ",\"tool_calls\":[";
	size_t i;

	out_printf(o, "{\"id\":\"chatcmpl-%s\",\"object\":\"chat.completion\","
		   "\"created\":%lld,\"model\":", r->id,
		   (long long)r->created_s);
	out_quoted(o, r->ask.model);
	out_puts(o, ",\"choices\":[{\"index\":0,\"message\":"
		 "{\"role\":\"assistant\"");
	whole_text(&r->plan, PIECE_TEXT, "content", o);
	whole_text(&r->plan, PIECE_REASONING, "reasoning_content", o);
	out_puts(o, ",\"refusal\":null");
	for (i = 0; i < r->plan.n; i++) {
		const struct piece *p = &r->plan.piece[i];

		if (p->kind != PIECE_CALL)
			continue;
		out_printf(o, "%s{\"id\":", sep);
		out_quoted(o, p->id ? p->id : mint_id(&r->arena, "call_", 24));
		out_puts(o, ",\"type\":\"function\",\"function\":{\"name\":");
		out_quoted(o, p->name);
		out_puts(o, ",\"arguments\":\"");
		piece_text(p, o);
		out_puts(o, "\"}}");
		sep = ",";
	}
	out_puts(o, *sep == ',' && !sep[1] ? "]}" : "}");
	out_puts(o, ",\"logprobs\":null,\"finish_reason\":");
	out_quoted(o, finish_reason(r));
	out_puts(o, "}]");
	if (!c.none) {
		out_puts(o, ",\"usage\":");
		put_usage(&c, o);
	}
	out_puts(o, ",\"system_fingerprint\":\"fp_demo\"}");
}

static void openai_models(struct out *o)
{
	out_puts(o, "{\"object\":\"list\",\"data\":[{\"id\":\"" DEMO_MODEL
		 "\",\"object\":\"model\",\"created\":1764547200,"
		 "\"owned_by\":\"lamplighter\"}]}");
}

const struct wire demo_wire_openai = {
	.name = "openai",
	.stream_type = "text/event-stream; charset=utf-8",
	.garbage = "data: {\"id\":\"chatcmpl-broken\",\"choices\":[{\"del\n\n",
	.read = openai_read,
	.begin = openai_begin,
	.open = openai_open,
	.close = openai_close,
	.end = openai_end,
	.fail = openai_fail,
	.whole = openai_whole,
	.error = openai_error,
	.models = openai_models,
};
