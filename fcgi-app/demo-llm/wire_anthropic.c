/* SPDX-License-Identifier: MIT */
/*
 * wire_anthropic.c - POST /v1/messages.
 *
 * The full event sequence with ping; thinking blocks end in a signature that
 * is made from their text, and a replayed block whose signature does not fit
 * its text is refused, as the real service refuses it: so a test notices when
 * a caller alters what must go back verbatim.
 */
#include "demo-llm/image.h"
#include "demo-llm/reply.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/banned.h"

#define SIGNATURE_BYTES 72
#define CACHE_MARKS_MAX 4

/* The signature of a thinking text, given as JSON string content. */
static void sign(const char *esc, size_t n, char *out)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	size_t i;

	for (i = 0; i < n; i++)
		h = (h ^ (unsigned char)esc[i]) * UINT64_C(0x100000001b3);
	snprintf(out, SIGNATURE_BYTES, "ErUBCkYIDemo%016" PRIx64 "%016" PRIx64
		 "==", h, h * UINT64_C(0x9e3779b97f4a7c15));
}

static int check_thinking(const json_t *block, size_t i, struct refusal *w)
{
	struct str text = jx_str(block, "thinking");
	char want[SIGNATURE_BYTES];
	struct out o = {0};

	out_json(&o, text.p ? text.p : "", text.n);
	sign(out_str(&o), out_size(&o), want);
	out_release(&o);
	if (str_is(jx_str(block, "signature"), want))
		return 0;
	return refuse(w, 400, "messages", "messages.%zu: Invalid `signature` "
		      "in `thinking` block", i);
}

static int read_images(struct ask *a, struct msg *m, const json_t *content,
		       struct refusal *w)
{
	json_t *b;
	size_t i;

	json_array_foreach(content, i, b) {
		const json_t *source = json_object_get(b, "source");
		struct str type = jx_str(source, "media_type");

		if (!str_is(jx_str(b, "type"), "image"))
			continue;
		if (!str_is(jx_str(source, "type"), "base64") || !type.n)
			return refuse(w, 400, "messages", "The stand-in fetches "
				"nothing: source must be of type base64, with "
				"a media_type.");
		if (image_add(a, m, type.p, jx_str(source, "data").p, w))
			return -1;
	}
	return 0;
}

static int read_user(struct ask *a, const json_t *content, size_t i,
		     struct refusal *w)
{
	bool results = false, other = false;
	json_t *b;
	size_t k;

	if (!json_is_array(content)) {
		ask_add(a, ROLE_USER, ask_content(a, content));
		return 0;
	}
	json_array_foreach(content, k, b) {
		struct msg *m;

		if (!str_is(jx_str(b, "type"), "tool_result")) {
			if (str_is(jx_str(b, "type"), "text") &&
			    !jx_str(b, "text").n)
				return refuse(w, 400, "messages", "messages."
					"%zu: text content blocks must be "
					"non-empty", i);
			other = true;
			continue;
		}
		if (other)
			return refuse(w, 400, "messages", "messages.%zu: "
				"`tool_result` blocks must come first", i);
		m = ask_add(a, ROLE_TOOL,
			    ask_content(a, json_object_get(b, "content")));
		m->call_id = jx_str(b, "tool_use_id").p;
		m->is_error = jx_bool(b, "is_error", false);
		results = true;
	}
	/* Text beside tool results is not a new question. */
	if (!other)
		return 0;
	return read_images(a, ask_add(a, results ? ROLE_SYSTEM : ROLE_USER,
				      ask_content(a, content)), content, w);
}

static int read_assistant(struct ask *a, const json_t *content, size_t i,
			  struct refusal *w)
{
	struct msg *m = ask_add(a, ROLE_ASSISTANT, ask_content(a, content));
	json_t *b;
	size_t k;

	if (!*m->text && !json_array_size(content))
		return refuse(w, 400, "messages", "messages.%zu: all messages "
			      "must have non-empty content", i);
	json_array_foreach(content, k, b) {
		struct str type = jx_str(b, "type");

		if (str_is(type, "thinking") && check_thinking(b, i, w))
			return -1;
		if (str_is(type, "text") && !jx_str(b, "text").n)
			return refuse(w, 400, "messages", "messages.%zu: text "
				"content blocks must be non-empty", i);
		if (str_is(type, "tool_use"))
			ask_add_call(a, m, jx_str(b, "id").p,
				     jx_str(b, "name").p,
				     json_incref(json_object_get(b, "input")));
	}
	return 0;
}

/* cache_control marks anywhere in v. */
static size_t cache_marks(const json_t *v)
{
	size_t i, n = 0;
	const char *key;
	json_t *m;

	json_array_foreach(v, i, m)
		n += cache_marks(m);
	if (json_is_object(v)) {
		n += json_is_object(json_object_get(v, "cache_control"));
		json_object_foreach((json_t *)v, key, m)
			if (!strcmp(key, "content"))
				n += cache_marks(m);
	}
	return n;
}

static int check_request(struct ask *a, struct refusal *w)
{
	const json_t *r = a->root;

	if (!json_is_array(json_object_get(r, "messages")))
		return refuse(w, 400, "messages", "messages: Field required");
	if (!json_is_integer(json_object_get(r, "max_tokens")))
		return refuse(w, 400, "max_tokens",
			      "max_tokens: Field required");
	if (cache_marks(json_object_get(r, "tools")) +
	    cache_marks(json_object_get(r, "system")) +
	    cache_marks(json_object_get(r, "messages")) +
	    json_is_object(json_object_get(r, "cache_control")) >
	    CACHE_MARKS_MAX)
		return refuse(w, 400, "cache_control", "A maximum of 4 blocks "
			      "with cache_control may be provided.");
	return 0;
}

static int anthropic_read(struct ask *a, struct refusal *w)
{
	const json_t *format = json_object_get(
		json_object_get(a->root, "output_config"), "format");
	const char *system;
	json_t *v;
	size_t i;

	if (check_request(a, w))
		return -1;
	system = ask_content(a, json_object_get(a->root, "system"));
	if (*system)
		ask_add(a, ROLE_SYSTEM, system);
	json_array_foreach(json_object_get(a->root, "messages"), i, v) {
		const json_t *content = json_object_get(v, "content");
		struct str role = jx_str(v, "role");
		int rc = -1;

		if (str_is(role, "user"))
			rc = read_user(a, content, i, w);
		else if (str_is(role, "assistant"))
			rc = read_assistant(a, content, i, w);
		else
			refuse(w, 400, "messages", "messages.%zu.role: Input "
			       "should be 'user' or 'assistant'", i);
		if (rc)
			return -1;
	}
	json_array_foreach(json_object_get(a->root, "tools"), i, v) {
		if (!jx_str(v, "name").n)
			return refuse(w, 400, "tools",
				      "tools.%zu.name: Field required", i);
		ask_add_tool(a, jx_str(v, "name").p,
			     jx_str(v, "description").p,
			     json_object_get(v, "input_schema"));
	}
	a->stream = jx_bool(a->root, "stream", false);
	a->max_tokens = (long)jx_int(a->root, "max_tokens", 0);
	a->schema = json_object_get(format, "schema");
	return ask_finish(a, true, w);
}

static void event(struct out *o, const char *name)
{
	out_printf(o, "event: %s\ndata: {\"type\":\"%s\"", name, name);
}

static void put_input_usage(const struct counts *c, struct out *o)
{
	out_printf(o, "\"input_tokens\":%" PRIu64 ",\"cache_creation_input_"
		   "tokens\":%" PRIu64 ",\"cache_read_input_tokens\":%" PRIu64,
		   c->input, c->cache_write, c->cached);
}

static void message_head(struct reply *r, struct out *o)
{
	out_printf(o, "{\"id\":\"msg_%s\",\"type\":\"message\",\"role\":"
		   "\"assistant\",\"model\":", r->id);
	out_quoted(o, r->ask.model);
}

static void anthropic_begin(struct reply *r, struct out *o)
{
	struct counts c = counts_of(r);

	event(o, "message_start");
	out_puts(o, ",\"message\":");
	message_head(r, o);
	out_puts(o, ",\"content\":[],\"stop_reason\":null,"
		 "\"stop_sequence\":null,\"usage\":{");
	put_input_usage(&c, o);
	out_puts(o, ",\"output_tokens\":1,\"service_tier\":\"standard\"}}}"
		 "\n\n");
	if (!r->plan.n)
		out_puts(o, "event: ping\ndata: {\"type\": \"ping\"}\n\n");
}

static void block_head(struct reply *r, const struct piece *p, struct out *o)
{
	switch (p->kind) {
	case PIECE_REASONING:
		out_puts(o, "{\"type\":\"thinking\",\"thinking\":\"\","
			 "\"signature\":\"\"}");
		break;
	case PIECE_TEXT:
		out_puts(o, "{\"type\":\"text\",\"text\":\"\"}");
		break;
	case PIECE_CALL:
		out_puts(o, "{\"type\":\"tool_use\",\"id\":");
		out_quoted(o, p->id ? p->id
				    : mint_id(&r->arena, "toolu_01", 22));
		out_puts(o, ",\"name\":");
		out_quoted(o, p->name);
		out_puts(o, ",\"input\":{}}");
		break;
	}
}

static void delta(struct reply *r, struct out *o, const char *type,
		  const char *member)
{
	event(o, "content_block_delta");
	out_printf(o, ",\"index\":%u,\"delta\":{\"type\":\"%s\",\"%s\":\"",
		   r->block, type, member);
}

static void anthropic_open(struct reply *r, const struct piece *p,
			   struct out *o)
{
	event(o, "content_block_start");
	out_printf(o, ",\"index\":%u,\"content_block\":", r->block);
	block_head(r, p, o);
	out_puts(o, "}\n\n");
	if (!r->block)
		out_puts(o, "event: ping\ndata: {\"type\": \"ping\"}\n\n");
	if (p->kind == PIECE_REASONING) {
		delta(r, &r->pre, "thinking_delta", "thinking");
	} else if (p->kind == PIECE_TEXT) {
		delta(r, &r->pre, "text_delta", "text");
	} else {
		delta(r, o, "input_json_delta", "partial_json");
		out_puts(o, "\"}}\n\n");
		delta(r, &r->pre, "input_json_delta", "partial_json");
	}
	out_puts(&r->post, "\"}}\n\n");
}

static void anthropic_close(struct reply *r, const struct piece *p,
			    struct out *o)
{
	if (p->kind == PIECE_REASONING) {
		char sig[SIGNATURE_BYTES];

		sign(p->esc, p->esc_len, sig);
		delta(r, o, "signature_delta", "signature");
		out_printf(o, "%s\"}}\n\n", sig);
	}
	event(o, "content_block_stop");
	out_printf(o, ",\"index\":%u}\n\n", r->block++);
}

static const char *stop_reason(const struct reply *r)
{
	static const char *const row[][2] = {
		{"stop", "end_turn"}, {"length", "max_tokens"},
		{"tool_calls", "tool_use"}, {"content_filter", "refusal"},
	};
	const char *f = r->plan.finish;
	size_t i;

	if (!f)
		return plan_has_calls(&r->plan) ? "tool_use" : "end_turn";
	for (i = 0; i < ARRAY_LEN(row); i++)
		if (!strcmp(row[i][0], f))
			return row[i][1];
	return f;
}

static void anthropic_end(struct reply *r, struct out *o)
{
	struct counts c = counts_of(r);

	event(o, "message_delta");
	out_puts(o, ",\"delta\":{\"stop_reason\":");
	out_quoted(o, stop_reason(r));
	out_puts(o, ",\"stop_sequence\":null}");
	if (c.verbatim) {
		out_puts(o, ",\"usage\":");
		out_dump(o, c.verbatim);
	} else if (!c.none) {
		out_printf(o, ",\"usage\":{\"output_tokens\":%" PRIu64 "}",
			   c.output);
	}
	out_puts(o, "}\n\n");
	if (!r->plan.no_done)
		out_puts(o, "event: message_stop\ndata: "
			 "{\"type\":\"message_stop\"}\n\n");
}

static const char *error_type(int status)
{
	static const struct { int status; const char *type; } row[] = {
		{400, "invalid_request_error"}, {401, "authentication_error"},
		{402, "billing_error"}, {403, "permission_error"},
		{404, "not_found_error"}, {409, "conflict_error"},
		{413, "request_too_large"}, {429, "rate_limit_error"},
		{504, "timeout_error"}, {529, "overloaded_error"},
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(row); i++)
		if (row[i].status == status)
			return row[i].type;
	return status < 500 ? "invalid_request_error" : "api_error";
}

static void anthropic_error(int status, const char *param, const char *text,
			    struct out *o)
{
	(void)param;
	out_printf(o, "{\"type\":\"error\",\"error\":{\"type\":\"%s\","
		   "\"message\":", error_type(status));
	out_quoted(o, text);
	out_puts(o, "},\"request_id\":\"req_demo\"}");
}

static void anthropic_fail(struct reply *r, const struct fault *f,
			   struct out *o)
{
	(void)r;
	out_puts(o, "event: error\ndata: ");
	if (json_is_object(f->body) || json_is_array(f->body))
		out_dump(o, f->body);
	else
		anthropic_error(f->status, "", demo_fault_text(f), o);
	out_puts(o, "\n\n");
}

static void whole_block(struct reply *r, const struct piece *p, struct out *o)
{
	char sig[SIGNATURE_BYTES];

	switch (p->kind) {
	case PIECE_REASONING:
		sign(p->esc, p->esc_len, sig);
		out_puts(o, "{\"type\":\"thinking\",\"thinking\":\"");
		piece_text(p, o);
		out_printf(o, "\",\"signature\":\"%s\"}", sig);
		break;
	case PIECE_TEXT:
		out_puts(o, "{\"type\":\"text\",\"text\":\"");
		piece_text(p, o);
		out_puts(o, "\"}");
		break;
	case PIECE_CALL:
		out_puts(o, "{\"type\":\"tool_use\",\"id\":");
		out_quoted(o, p->id ? p->id
				    : mint_id(&r->arena, "toolu_01", 22));
		out_puts(o, ",\"name\":");
		out_quoted(o, p->name);
		out_puts(o, ",\"input\":");
		out_dump(o, p->args);
		out_puts(o, "}");
		break;
	}
}

static void anthropic_whole(struct reply *r, struct out *o)
{
	struct counts c = counts_of(r);
	size_t i;

	message_head(r, o);
	out_puts(o, ",\"content\":[");
	for (i = 0; i < r->plan.n; i++) {
		out_puts(o, i ? "," : "");
		whole_block(r, &r->plan.piece[i], o);
	}
	out_puts(o, "],\"stop_reason\":");
	out_quoted(o, stop_reason(r));
	out_puts(o, ",\"stop_sequence\":null");
	if (c.verbatim) {
		out_puts(o, ",\"usage\":");
		out_dump(o, c.verbatim);
	} else if (!c.none) {
		out_puts(o, ",\"usage\":{");
		put_input_usage(&c, o);
		out_printf(o, ",\"output_tokens\":%" PRIu64 "}", c.output);
	}
	out_puts(o, "}");
}

static void anthropic_models(struct out *o)
{
	out_puts(o, "{\"data\":[{\"type\":\"model\",\"id\":\"" DEMO_MODEL
		 "\",\"display_name\":\"Lamplighter demo\",\"created_at\":"
		 "\"2025-12-01T00:00:00Z\"}],\"has_more\":false,"
		 "\"first_id\":\"" DEMO_MODEL "\",\"last_id\":\"" DEMO_MODEL
		 "\"}");
}

const struct wire demo_wire_anthropic = {
	.name = "anthropic",
	.stream_type = "text/event-stream; charset=utf-8",
	.garbage = "event: content_block_delta\ndata: {\"type\":\"content_bl"
		   "\n\n",
	.read = anthropic_read,
	.begin = anthropic_begin,
	.open = anthropic_open,
	.close = anthropic_close,
	.end = anthropic_end,
	.fail = anthropic_fail,
	.whole = anthropic_whole,
	.error = anthropic_error,
	.models = anthropic_models,
};
