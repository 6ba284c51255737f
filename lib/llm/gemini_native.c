/* SPDX-License-Identifier: MIT */
/*
 * Gemini's own streamGenerateContent, reading only: bodies that people have
 * recorded can be decoded; requests go to the OpenAI-compatible address. Each
 * payload is a whole response with some parts; calls come whole, without ids,
 * and may carry a thought signature.
 */
#include "llm/decoder.h"

#include "base/banned.h"

static void usage(struct llm_decoder *d, const json_t *j)
{
	const json_t *u = jx_obj(j, "usageMetadata");
	int64_t prompt = dec_count(u, "promptTokenCount", -1);
	int64_t thoughts = dec_count(u, "thoughtsTokenCount", 0);

	if (prompt < 0)
		return;
	d->usage.cache_read = dec_count(u, "cachedContentTokenCount",
					0);
	d->usage.cache_write = 0;
	d->usage.input = dec_uncached(prompt, d->usage.cache_read);
	/* P-D4: thinking is not among the candidates' tokens. */
	d->usage.output = dec_count(u, "candidatesTokenCount", 0) + thoughts;
	d->usage.reasoning = thoughts;
	d->output_final = true;
}

static void part(struct llm_decoder *d, json_t *p)
{
	const json_t *fn = jx_obj(p, "functionCall");
	json_t *signature = json_object_get(p, "thoughtSignature");
	struct dec_call *c;

	if (jx_obj(p, "inlineData")) {
		dec_image(d);
		return;
	}
	if (!fn) {
		if (jx_bool(p, "thought", false))
			dec_reasoning(d, jx_str(p, "text"));
		else
			dec_text(d, jx_str(p, "text"));
		return;
	}
	c = dec_call_new(d, CALL_NO_KEY, jx_str(fn, "id"), jx_str(fn, "name"));
	if (!c)
		return;
	dec_call_args_json(d, c, json_object_get(fn, "args"));
	if (json_is_string(signature))
		c->opaque = json_pack("{s:o}", "thoughtSignature",
				      dec_keep(d, signature));
}

static void finish_reason(struct llm_decoder *d, struct str s)
{
	if (!s.n)
		return;
	if (str_starts(s, STR("MALFORMED")) || str_is(s, "UNEXPECTED_TOOL_CALL")) {
		dec_fail(d, ERR_UPSTREAM, "a malformed tool call");
		return;
	}
	d->finished = true;
	if (str_is(s, "MAX_TOKENS"))
		d->stop = LLM_STOP_MAX_TOKENS;
	else if (str_is(s, "SAFETY") || str_is(s, "RECITATION") ||
		 str_is(s, "PROHIBITED_CONTENT") || str_is(s, "BLOCKLIST"))
		d->stop = LLM_STOP_FILTER;
	else
		d->stop = LLM_STOP_END;
}

static void event(struct llm_decoder *d, struct str name, json_t *j)
{
	const json_t *candidate = json_array_get(jx_arr(j, "candidates"), 0);
	size_t i;
	json_t *p;

	(void)name;
	dec_model(d, jx_str(j, "modelVersion"));
	json_array_foreach(jx_arr(jx_obj(candidate, "content"), "parts"), i, p)
		part(d, p);
	finish_reason(d, jx_str(candidate, "finishReason"));
	if (jx_str(jx_obj(j, "promptFeedback"), "blockReason").n) {
		d->finished = true;
		d->stop = LLM_STOP_FILTER;
	}
	usage(d, j);
}

static void whole(struct llm_decoder *d, json_t *j)
{
	if (!jx_arr(j, "candidates") && !jx_obj(j, "promptFeedback"))
		dec_fail(d, ERR_UPSTREAM_PROTOCOL, "not a Gemini answer");
	else
		event(d, STR(""), j);
}

static json_t *slot(json_t *j, int *n)
{
	(void)j;
	*n = 0;
	return NULL;
}

const struct llm_dialect llm_dialect_gemini = {
	.name = "gemini_native",
	.text_key = "text",
	.event = event,
	.whole = whole,
	.usage = usage,
	.slot = slot,
};
