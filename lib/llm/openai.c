/* SPDX-License-Identifier: MIT */
/*
 * OpenAI chat completions, reading: the chunk of a stream and the whole
 * document. The fields are those that some server
 * of the family really sends; null and absent are the same everywhere (P-B10),
 * `choices` may be empty or missing (P-C1), roles are ignored (P-C6).
 */
#include "llm/openai.h"

#include "llm/decoder.h"

#include "base/banned.h"

static struct str text_of(const json_t *v)
{
	return (struct str){ json_string_value(v), json_string_length(v) };
}

static bool is_null(const json_t *v)
{
	return !v || json_is_null(v);
}

/* -- usage (P-D1, P-D3, P-D4, P-D6) ----------------------------------------------- */

static void take_usage(struct llm_decoder *d, const json_t *u)
{
	const json_t *in = jx_obj(u, "prompt_tokens_details");
	const json_t *out = jx_obj(u, "completion_tokens_details");
	const json_t *cost = json_object_get(u, "cost");
	int64_t prompt = dec_count(u, "prompt_tokens", -1);
	int64_t completion = dec_count(u, "completion_tokens", -1);
	int64_t total = dec_count(u, "total_tokens", -1);
	int64_t read = dec_count(in, "cached_tokens",
				 dec_count(u, "prompt_cache_hit_tokens", 0));
	int64_t write = dec_count(in, "cache_write_tokens", 0);
	int64_t sent;

	if (prompt < 0 && completion < 0)
		return;
	d->usage.cache_read = read;
	d->usage.cache_write = write;
	d->usage.input = dec_uncached(prompt, read + write);
	sent = d->usage.input + read + write;
	if (d->q.usage_output_rule == USAGE_TOTAL && prompt >= 0)
		completion = MAX(completion, total - sent);
	d->usage.output = completion;
	d->usage.reasoning = dec_count(out, "reasoning_tokens",
				       dec_count(u, "reasoning_tokens", -1));
	/* They are a part, unless there are more: gateways before Gemini and Grok. */
	if (d->usage.reasoning > completion && completion >= 0 &&
	    (total < 0 || total - sent >= completion + d->usage.reasoning))
		d->usage.output = completion + d->usage.reasoning;
	if (json_is_object(cost))	/* Perplexity */
		cost = json_object_get(cost, "total_cost");
	if (json_is_number(cost))
		d->usage.cost = json_number_value(cost);
	d->output_final = true;
}

static void usage(struct llm_decoder *d, const json_t *j)
{
	const json_t *u = jx_obj(j, "usage");

	if (!u)
		u = jx_obj(jx_obj(j, "x_groq"), "usage");
	if (u)
		take_usage(d, u);
}

/* -- text and reasoning (P-C2, P-C4) ------------------------------------------ */

static bool is_image(const json_t *part)
{
	return json_object_get(part, "image_url") ||
		str_is(jx_str(part, "type"), "image") ||
		str_is(jx_str(part, "type"), "output_image");
}

/* Content parts: text, and Mistral's thinking with parts of its own. */
static void parts(struct llm_decoder *d, const json_t *list, bool reasoning)
{
	size_t i;
	json_t *part;

	json_array_foreach(list, i, part) {
		const json_t *inner = json_object_get(part, "thinking");
		struct str text = json_is_string(part) ? text_of(part)
			: jx_str(part, "text");

		if (json_is_array(inner))
			parts(d, inner, true);
		else if (json_is_string(inner))
			dec_reasoning(d, text_of(inner));
		else if (is_image(part))
			dec_image(d);
		else if (str_is(jx_str(part, "type"), "refusal"))
			dec_refusal(d, jx_str(part, "refusal"));
		else if (reasoning)
			dec_reasoning(d, text);
		else
			dec_text(d, text);
	}
}

/*
 * Takes reasoning from the first field that has some, because some servers send
 * it in two.
 */
static void reasoning(struct llm_decoder *d, const json_t *delta)
{
	for (int i = 0; i < QUIRK_FIELDS && d->q.reasoning_in[i]; i++) {
		const json_t *v = json_object_get(delta, d->q.reasoning_in[i]);
		size_t k;
		json_t *part;

		if (json_is_string(v) && json_string_length(v)) {
			dec_reasoning(d, text_of(v));
			return;
		}
		if (!json_array_size(v))
			continue;
		json_array_foreach(v, k, part) {
			dec_reasoning(d, jx_str(part, "text"));
			dec_reasoning(d, jx_str(part, "summary"));
		}
		return;
	}
}

/* -- members to replay (P-B11, P-B13) ----------------------------------------- */

/* Appends b to the string member key of a, making it if needed. */
static void grow(json_t *a, const char *key, struct str b)
{
	struct buf t = BUF_INIT(8 << 20);

	buf_addstr(&t, jx_str(a, key));
	buf_addstr(&t, b);
	json_object_set_new(a, key, jx_string(buf_str(&t)));
	buf_release(&t);
}

/*
 * reasoning_details come in pieces: those of one type and index are one entry
 * whose text grows; signatures and ids are taken as they come.
 */
static void merge_details(json_t *all, const json_t *pieces)
{
	static const char *const grown[] = { "text", "summary", "data" };
	size_t i;
	json_t *piece;

	json_array_foreach(pieces, i, piece) {
		json_t *last = json_array_get(all, json_array_size(all) - 1);
		const char *key;
		json_t *v;

		if (!json_is_object(piece))
			continue;
		if (!last || !json_equal(json_object_get(last, "type"),
					 json_object_get(piece, "type")) ||
		    !json_equal(json_object_get(last, "index"),
				json_object_get(piece, "index")) ||
		    (jx_str(last, "id").n && jx_str(piece, "id").n &&
		     !str_eq(jx_str(last, "id"), jx_str(piece, "id")))) {
			json_array_append_new(all, json_deep_copy(piece));
			continue;
		}
		json_object_foreach(piece, key, v) {
			bool grows = false;

			for (size_t k = 0; k < ARRAY_LEN(grown); k++)
				grows |= strcmp(key, grown[k]) == 0;
			if (grows && json_is_string(v))
				grow(last, key, text_of(v));
			else if (!json_is_null(v))
				json_object_set(last, key, v);
		}
	}
}

static json_t **opaque_of(json_t **o)
{
	if (!*o)
		*o = json_object();
	return o;
}

static void message_opaque(struct llm_decoder *d, const json_t *delta)
{
	static const char *const kept[] = {
		"extra_content", "thought_signature", "reasoning_signature",
		"reasoning_opaque",
	};
	json_t *details = jx_arr(delta, "reasoning_details");

	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		json_t *v = json_object_get(delta, kept[i]);

		if (!is_null(v))
			json_object_set_new(*opaque_of(&d->opaque), kept[i],
					    dec_keep(d, v));
	}
	if (json_array_size(details)) {
		json_t *all = jx_arr(*opaque_of(&d->opaque),
				     "reasoning_details");

		if (!all) {
			all = json_array();
			json_object_set_new(d->opaque, "reasoning_details",
					    all);
		}
		details = dec_keep(d, details);
		merge_details(all, details);
		json_decref(details);
	}
}

/* Unknown members of a call; they come back verbatim with it. */
static void call_opaque(const struct llm_decoder *d, struct dec_call *c,
			json_t *tc)
{
	json_t *clean = dec_keep(d, tc);
	static const char *const known[] = {
		"index", "id", "type", "function", "custom",
	};
	const char *key;
	json_t *v;

	json_object_foreach(clean, key, v) {
		bool skip = json_is_null(v);

		for (size_t i = 0; i < ARRAY_LEN(known); i++)
			skip |= strcmp(key, known[i]) == 0;
		if (!skip)
			json_object_set(*opaque_of(&c->opaque), key, v);
	}
	json_decref(clean);
}

/* -- tool calls ----------------------------------------------------------- */

static void tool_calls(struct llm_decoder *d, const json_t *list, bool whole)
{
	size_t i;
	json_t *tc;

	json_array_foreach(list, i, tc) {
		const json_t *fn = jx_obj(tc, "function");
		int key = (int)jx_int(tc, "index", CALL_NO_KEY);
		struct str id = jx_str(tc, "id"), name = jx_str(fn, "name");
		struct dec_call *c = whole ? dec_call_new(d, key, id, name)
			: dec_call(d, key, id, name);

		if (!c)
			return;
		dec_call_args_json(d, c, json_object_get(fn, "arguments"));
		call_opaque(d, c, tc);
	}
}

/* No member that message() would read. */
static bool says_nothing(const json_t *v)
{
	return is_null(v) || (json_is_string(v) && !json_string_length(v)) ||
		(json_is_array(v) && !json_array_size(v));
}

/*
 * The form that preceded tool_calls: one call, without id. Some servers send it
 * empty in each delta.
 */
static void function_call(struct llm_decoder *d, const json_t *fc)
{
	struct dec_call *c;

	if (!fc || (says_nothing(json_object_get(fc, "name")) &&
		    says_nothing(json_object_get(fc, "arguments"))))
		return;
	c = dec_call(d, -2, (struct str){ NULL, 0 }, jx_str(fc, "name"));
	if (c)
		dec_call_args_json(d, c, json_object_get(fc, "arguments"));
}

/* -- choices -------------------------------------------------------------- */

static const struct {
	const char *wire;
	enum llm_stop stop;
} reasons[] = {
	{ "stop", LLM_STOP_END },
	{ "length", LLM_STOP_MAX_TOKENS },
	{ "max_tokens", LLM_STOP_MAX_TOKENS },
	{ "model_length", LLM_STOP_CONTEXT },
	{ "tool_calls", LLM_STOP_TOOL_USE },
	{ "function_call", LLM_STOP_TOOL_USE },
	{ "content_filter", LLM_STOP_FILTER },
	{ "refusal", LLM_STOP_REFUSAL },
};

static void finish_reason(struct llm_decoder *d, const json_t *v)
{
	struct str s = text_of(v);
	enum llm_stop stop = LLM_STOP_END;

	if (!s.n)
		return;
	if (str_is(s, "error")) {
		dec_fail(d, ERR_UPSTREAM, "finish_reason is \"error\"");
		return;
	}
	/* Gemini: the model wrote a call that nobody can read. */
	if (memmem(s.p, s.n, "MALFORMED", 9) || memmem(s.p, s.n, "malformed", 9)) {
		dec_fail(d, ERR_UPSTREAM, "a malformed tool call");
		return;
	}
	if (str_is(s, "insufficient_system_resource")) {	/* DeepSeek */
		dec_fail(d, ERR_UPSTREAM_OVERLOAD, "out of resources");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (str_is(s, reasons[i].wire))
			stop = reasons[i].stop;
	d->stop = stop;
	d->finished = true;
}

/* A delta, or the message of a whole document: the same members. */
static void message(struct llm_decoder *d, const json_t *m, bool whole)
{
	const json_t *content = json_object_get(m, "content");

	reasoning(d, m);
	if (json_is_string(content))
		dec_text(d, text_of(content));
	else if (json_is_array(content))
		parts(d, content, false);
	if (json_array_size(json_object_get(m, "images")))	/* OpenRouter */
		dec_image(d);
	dec_refusal(d, jx_str(m, "refusal"));
	tool_calls(d, jx_arr(m, "tool_calls"), whole);
	function_call(d, jx_obj(m, "function_call"));
	message_opaque(d, m);
}

static json_t *first_choice(const json_t *j)
{
	size_t i;
	json_t *c;

	json_array_foreach(jx_arr(j, "choices"), i, c)
		if (json_is_object(c) && jx_int(c, "index", 0) == 0)
			return c;
	return NULL;
}

/* P-B9: delta, then finish_reason, then usage of the same chunk. */
static void event(struct llm_decoder *d, struct str name, json_t *j)
{
	const json_t *choice = first_choice(j);

	(void)name;
	dec_model(d, jx_str(j, "model"));
	if (choice) {
		d->has_choice |= jx_obj(choice, "delta") != NULL;
		d->has_reason |= json_object_get(choice,
						 "finish_reason") != NULL;
		message(d, jx_obj(choice, "delta"), false);
		finish_reason(d, json_object_get(choice, "finish_reason"));
	}
	d->usage_alone |= !choice && jx_obj(j, "usage");
	usage(d, j);
}

/*
 * Gateways without finish_reason end with usage and this mark: those that do not have
 * the field (Snowflake Cortex), and those that leave it null but send usage in a chunk
 * of its own, which no interrupted stream has. Else the end is missing (P-A1, P-A5).
 */
static void done(struct llm_decoder *d)
{
	if (d->has_choice && d->output_final && (!d->has_reason || d->usage_alone))
		d->finished = true;
}

static void whole(struct llm_decoder *d, json_t *j)
{
	const json_t *choice = first_choice(j);
	const json_t *m = jx_obj(choice, "message");
	bool filtered = str_is(jx_str(choice, "finish_reason"),
			       "content_filter");

	if (!m && !filtered) {	/* Azure leaves out what it filtered (P-C5) */
		if (jx_str(j, "message").n || json_object_get(j, "detail"))
			dec_fail_json(d, j);
		else
			dec_fail(d, ERR_UPSTREAM_PROTOCOL,
				 "not a chat completion");
		return;
	}
	dec_model(d, jx_str(j, "model"));
	usage(d, j);
	message(d, m, true);
	d->finished = true;	/* a whole document was not cut */
	finish_reason(d, json_object_get(choice, "finish_reason"));
}

/* -- the template --------------------------------------------------------- */

static json_t *slot(json_t *j, int *n)
{
	json_t *choices = jx_arr(j, "choices"), *choice, *delta, *v;
	const char *key;

	*n = 0;
	if (json_array_size(choices) != 1 ||
	    !is_null(json_object_get(j, "usage")) ||
	    json_object_get(j, "x_groq") || json_object_get(j, "error") ||
	    str_is(jx_str(j, "object"), "error"))
		return NULL;
	choice = json_array_get(choices, 0);
	delta = jx_obj(choice, "delta");
	if (jx_int(choice, "index", 0) != 0 ||
	    !is_null(json_object_get(choice, "finish_reason")) ||
	    !json_is_string(json_object_get(delta, "content")))
		return NULL;
	json_object_foreach(delta, key, v)
		if (strcmp(key, "content") != 0 && strcmp(key, "role") != 0 &&
		    !says_nothing(v))
			return NULL;
	return delta;
}

static void plain(struct llm_decoder *d, int n, struct str text)
{
	(void)n;
	dec_text(d, text);
}

static void finish(struct llm_decoder *d)
{
	if (d->q.reasoning_replay != REPLAY_NONE && d->reasoning.n &&
	    d->q.reasoning_in[0])
		json_object_set_new(*opaque_of(&d->opaque),
				    d->q.reasoning_in[0],
				    jx_string(buf_str(&d->reasoning)));
	if (!d->opaque)
		return;
	d->replay = dec_origin(d);
	json_object_set(d->replay, "members", d->opaque);
}

const struct llm_dialect llm_dialect_openai = {
	.name = "openai",
	.text_key = "content",
	.takes = LLM_TAKES_SEED | LLM_TAKES_PENALTIES | LLM_TAKES_CHOICE |
		LLM_TAKES_OBJECT | LLM_TAKES_TYPED_TOOLS,
	.apart = LLM_CAN_EMBED | LLM_CAN_RERANK | LLM_CAN_TRANSCRIBE,
	.build = openai_build,
	.event = event,
	.whole = whole,
	.usage = usage,
	.slot = slot,
	.plain = plain,
	.done = done,
	.finish = finish,
};
