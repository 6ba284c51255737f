/* SPDX-License-Identifier: MIT */
/*
 * OpenAI Responses, reading only: bodies that people
 * have recorded can be decoded; requests are made by chat completions. Events
 * name themselves in `type`; a call has two ids, of which call_id is the one
 * that results refer to; there is no [DONE].
 */
#include "llm/decoder.h"

#include "base/banned.h"

static struct str type_of(const json_t *j)
{
	return jx_str(j, "type");
}

static void usage(struct llm_decoder *d, const json_t *response)
{
	const json_t *u = jx_obj(response, "usage");
	int64_t in = dec_count(u, "input_tokens", -1);

	if (in < 0)
		return;
	d->usage.cache_read = dec_count(jx_obj(u, "input_tokens_details"),
					"cached_tokens", 0);
	d->usage.cache_write = 0;
	d->usage.input = dec_uncached(in, d->usage.cache_read);
	d->usage.output = dec_count(u, "output_tokens", -1);
	d->usage.reasoning = dec_count(jx_obj(u, "output_tokens_details"),
				       "reasoning_tokens", -1);
	d->output_final = true;
}

static int key_of(const json_t *j)
{
	return (int)jx_int(j, "output_index", 0);
}

static const struct str none = { "", 0 };

/* One output item of a whole document. */
static void item(struct llm_decoder *d, int key, const json_t *it)
{
	size_t i;
	json_t *part;

	if (str_is(type_of(it), "function_call")) {
		struct dec_call *c = dec_call_new(d, key, jx_str(it, "call_id"),
						  jx_str(it, "name"));

		if (c)
			dec_call_args_json(d, c, json_object_get(it,
					   "arguments"));
		return;
	}
	if (str_is(type_of(it), "image_generation_call"))
		dec_image(d);
	json_array_foreach(jx_arr(it, "summary"), i, part)
		dec_reasoning(d, jx_str(part, "text"));
	json_array_foreach(jx_arr(it, "content"), i, part) {
		if (str_is(type_of(part), "output_text"))
			dec_text(d, jx_str(part, "text"));
		dec_refusal(d, jx_str(part, "refusal"));
	}
}

static void end(struct llm_decoder *d, const json_t *response)
{
	struct str why = jx_str(jx_obj(response, "incomplete_details"),
				"reason");

	dec_model(d, jx_str(response, "model"));
	usage(d, response);
	d->finished = true;
	d->stop = LLM_STOP_END;
	if (str_is(why, "max_output_tokens"))
		d->stop = LLM_STOP_MAX_TOKENS;
	else if (str_is(why, "content_filter"))
		d->stop = LLM_STOP_FILTER;
}

static void event(struct llm_decoder *d, struct str name, json_t *j)
{
	const json_t *response = jx_obj(j, "response");
	struct str type = type_of(j).n ? type_of(j) : name;
	struct str delta = jx_str(j, "delta");

	if (str_is(type, "response.output_text.delta")) {
		dec_text(d, delta);
	} else if (str_is(type, "response.refusal.delta")) {
		dec_refusal(d, delta);
	} else if (str_is(type, "response.reasoning_summary_text.delta") ||
		   str_is(type, "response.reasoning_text.delta")) {
		dec_reasoning(d, delta);
	} else if (str_is(type, "response.output_item.added")) {
		const json_t *it = jx_obj(j, "item");

		if (str_is(type_of(it), "function_call"))
			dec_call_new(d, key_of(j), jx_str(it, "call_id"),
				     jx_str(it, "name"));
		else if (str_is(type_of(it), "image_generation_call"))
			dec_image(d);
	} else if (str_is(type, "response.function_call_arguments.delta")) {
		struct dec_call *c = dec_call(d, key_of(j), none, none);

		if (c)
			dec_call_args(d, c, delta);
	} else if (str_is(type, "response.created")) {
		dec_model(d, jx_str(response, "model"));
	} else if (str_is(type, "response.failed")) {
		usage(d, response);
		dec_fail_json(d, j);
	} else if (str_is(type, "response.completed") ||
		   str_is(type, "response.incomplete")) {
		end(d, response);
		dec_end(d);
	}
}

static void whole(struct llm_decoder *d, json_t *j)
{
	size_t i;
	json_t *it;

	if (!jx_arr(j, "output")) {
		dec_fail(d, ERR_UPSTREAM_PROTOCOL, "not a response");
		return;
	}
	json_array_foreach(jx_arr(j, "output"), i, it)
		item(d, (int)i, it);
	end(d, j);
}

/* sequence_number differs in each event: templates would never match. */
static json_t *slot(json_t *j, int *n)
{
	(void)j;
	*n = 0;
	return NULL;
}

const struct llm_dialect llm_dialect_responses = {
	.name = "openai_responses",
	.text_key = "delta",
	.event = event,
	.whole = whole,
	.slot = slot,
};
