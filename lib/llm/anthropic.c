/* SPDX-License-Identifier: MIT */
/*
 * Anthropic Messages, reading. The content blocks are
 * kept as they came while the stream runs: an assistant turn with thinking must
 * be sent back unchanged and in order, and so must one that paused. Unknown
 * blocks and events are kept as they are.
 */
#include "llm/openai.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "llm/decoder.h"
#include "llm/repair.h"

#include "base/banned.h"

#define MESSAGE_ID_CHARS 60	/* compared of a message's id */

struct dec_block {
	int index;		/* as the server counts */
	json_t *json;		/* content_block as it started */
	struct buf text;	/* text, thinking, or input of foreign tools */
	struct dec_carry carry;	/* of text */
	struct buf signature;
	int call;		/* number of the tool call, or -1 */
};

static struct dec_block *find_block(struct llm_decoder *d, int index)
{
	for (int i = d->n_blocks - 1; i >= 0; i--)
		if (d->blocks[i].index == index)
			return &d->blocks[i];
	return NULL;
}

static struct str type_of(const json_t *j)
{
	return jx_str(j, "type");
}

/* P-D2: fields overwrite, they never add; null changes nothing. */
static void take_usage(struct llm_decoder *d, const json_t *u)
{
	const json_t *details = jx_obj(u, "output_tokens_details");

	if (!u)
		return;
	d->usage.input = dec_count(u, "input_tokens", d->usage.input);
	d->usage.cache_read = dec_count(u, "cache_read_input_tokens",
					MAX(d->usage.cache_read, 0));
	d->usage.cache_write = dec_count(u, "cache_creation_input_tokens",
					 MAX(d->usage.cache_write, 0));
	d->usage.output = dec_count(u, "output_tokens", d->usage.output);
	d->usage.reasoning = dec_count(details, "thinking_tokens",
				       d->usage.reasoning);
}

static void usage(struct llm_decoder *d, const json_t *j)
{
	take_usage(d, jx_obj(j, "usage"));
}

static const struct {
	const char *wire;
	enum llm_stop stop;
} reasons[] = {
	{ "end_turn", LLM_STOP_END },
	{ "max_tokens", LLM_STOP_MAX_TOKENS },
	{ "stop_sequence", LLM_STOP_SEQUENCE },
	{ "tool_use", LLM_STOP_TOOL_USE },
	{ "pause_turn", LLM_STOP_PAUSE },
	{ "refusal", LLM_STOP_REFUSAL },
	{ "model_context_window_exceeded", LLM_STOP_CONTEXT },
};

static void stop_reason(struct llm_decoder *d, const json_t *o)
{
	struct str s = jx_str(o, "stop_reason");

	if (!s.n)
		return;
	d->stop = LLM_STOP_END;
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (str_is(s, reasons[i].wire))
			d->stop = reasons[i].stop;
	if (d->stop == LLM_STOP_REFUSAL)	/* P-C5: may have no block at all */
		dec_refusal(d, jx_str(jx_obj(o, "stop_details"),
				      "explanation"));
}

/*
 * A gateway that lost its server may start again in the same stream. Everything
 * before, including calls, would then count twice, so it is an error; a
 * repetition of the same start is not. False: ignore this start.
 */
static bool first_start(struct llm_decoder *d, struct str id)
{
	if (!d->started) {
		d->started = true;
		buf_addstr(&d->message_id, utf8_head(id, MESSAGE_ID_CHARS));
		return true;
	}
	if (!str_eq(utf8_head(id, MESSAGE_ID_CHARS), buf_str(&d->message_id)) ||
	    (!id.n && d->n_blocks))
		dec_fail(d, ERR_UPSTREAM_PROTOCOL,
			 "a second message began in the stream");
	return false;
}

/* A block as it starts: text in it already counts as a delta. */
static struct dec_block *block_start(struct llm_decoder *d, int index,
				     json_t *block)
{
	struct dec_block *b;

	if (d->n_blocks == LIM_STREAM_BLOCKS) {
		dec_fail(d, ERR_TOO_BIG, "too many content blocks");
		return NULL;
	}
	d->blocks = xrealloc(d->blocks, ((size_t)d->n_blocks + 1) * sizeof(*b));
	b = &d->blocks[d->n_blocks++];
	*b = (struct dec_block){
		.index = index, .json = dec_keep(d, block), .call = -1,
		.text = BUF_INIT(LIM_ANSWER_BYTES),
		.signature = BUF_INIT(LIM_ANSWER_BYTES),
	};
	if (str_is(type_of(block), "tool_use")) {
		if (!dec_call_new(d, index, jx_str(block, "id"),
				  jx_str(block, "name")))
			return NULL;
		b->call = d->n_calls - 1;
	}
	return b;
}

static void block_text(struct llm_decoder *d, struct dec_block *b,
		       struct str text)
{
	dec_add(d, &b->text, &b->carry, text);
	dec_text(d, text);
}

static void block_thinking(struct llm_decoder *d, struct dec_block *b,
			   struct str text)
{
	dec_add(d, &b->text, &b->carry, text);
	dec_reasoning(d, text);
}

/*
 * The content that a block has when it starts; in a whole document, all of it.
 * block is the document's own: b->json may be a clean copy.
 */
static void block_content(struct llm_decoder *d, struct dec_block *b,
			  const json_t *block)
{
	const json_t *input = jx_obj(block, "input");

	if (str_is(type_of(block), "text"))
		block_text(d, b, jx_str(block, "text"));
	else if (str_is(type_of(block), "thinking"))
		block_thinking(d, b, jx_str(block, "thinking"));
	/* A stream starts with {}, which is not the beginning of the arguments. */
	if (b->call >= 0 && input && json_object_size(input))
		dec_call_args_json(d, &d->calls[b->call], input);
}

static void block_delta(struct llm_decoder *d, int index, const json_t *delta)
{
	struct dec_block *b = find_block(d, index);
	struct str type = type_of(delta);

	if (!b || !delta) {
		d->n_lost += delta && !str_is(type, "signature_delta");
	} else if (str_is(type, "text_delta")) {
		block_text(d, b, jx_str(delta, "text"));
	} else if (str_is(type, "thinking_delta")) {
		block_thinking(d, b, jx_str(delta, "thinking"));
	} else if (str_is(type, "signature_delta")) {
		buf_reset(&b->signature);
		dec_whole(d, &b->signature, jx_str(delta, "signature"));
	} else if (str_is(type, "input_json_delta")) {
		struct str part = jx_str(delta, "partial_json");

		if (b->call >= 0)
			dec_call_args(d, &d->calls[b->call], part);
		else
			dec_add(d, &b->text, &b->carry, part);
	} else if (str_is(type, "citations_delta")) {
		json_t *list = jx_arr(b->json, "citations");

		if (!list) {
			list = json_array();
			json_object_set_new(b->json, "citations", list);
		}
		json_array_append_new(list, dec_keep(d,
				json_object_get(delta, "citation")));
	}
}

static void event(struct llm_decoder *d, struct str name, json_t *j)
{
	struct str type = type_of(j);
	const json_t *message = jx_obj(j, "message");
	int index = (int)jx_int(j, "index", 0);

	if (!type.n)
		type = name;
	if (str_is(type, "content_block_delta")) {
		block_delta(d, index, jx_obj(j, "delta"));
	} else if (str_is(type, "content_block_start")) {
		json_t *block = jx_obj(j, "content_block");
		struct dec_block *b = block
			? block_start(d, index, block) : NULL;

		if (b)
			block_content(d, b, block);
	} else if (str_is(type, "message_start")) {
		if (!first_start(d, jx_str(message, "id")))
			return;
		dec_model(d, jx_str(message, "model"));
		take_usage(d, jx_obj(message, "usage"));
	} else if (str_is(type, "message_delta")) {
		take_usage(d, jx_obj(j, "usage"));
		d->output_final = true;
		stop_reason(d, jx_obj(j, "delta"));
	} else if (str_is(type, "message_stop")) {
		d->finished = true;
		dec_end(d);
	}
}

static void whole(struct llm_decoder *d, json_t *j)
{
	size_t i;
	json_t *block;

	if (!jx_arr(j, "content")) {
		if (jx_str(j, "message").n || json_object_get(j, "detail"))
			dec_fail_json(d, j);
		else
			dec_fail(d, ERR_UPSTREAM_PROTOCOL, "not a message");
		return;
	}
	dec_model(d, jx_str(j, "model"));
	take_usage(d, jx_obj(j, "usage"));
	d->output_final = true;
	json_array_foreach(jx_arr(j, "content"), i, block) {
		struct dec_block *b = json_is_object(block)
			? block_start(d, (int)i, block) : NULL;

		if (b)
			block_content(d, b, block);
	}
	stop_reason(d, j);
	d->finished = true;
}

static json_t *slot(json_t *j, int *n)
{
	json_t *delta = jx_obj(j, "delta");

	*n = (int)jx_int(j, "index", 0);
	if (!str_is(type_of(j), "content_block_delta") ||
	    !str_is(type_of(delta), "text_delta") ||
	    json_object_get(j, "error") ||
	    !json_is_string(json_object_get(delta, "text")))
		return NULL;
	return delta;
}

static void plain(struct llm_decoder *d, int n, struct str text)
{
	struct dec_block *b = find_block(d, n);

	if (b)
		block_text(d, b, text);
	else
		d->n_lost++;
}

/* A block as it is to be sent back; new reference. */
static json_t *block_json(struct llm_decoder *d, struct dec_block *b)
{
	json_t *o = json_copy(b->json);
	struct str type = type_of(b->json);

	repair_flush(&b->text, &b->carry);
	if (str_is(type, "text")) {
		json_object_set_new(o, "text", jx_string(buf_str(&b->text)));
	} else if (str_is(type, "thinking")) {
		json_object_set_new(o, "thinking",
				    jx_string(buf_str(&b->text)));
		if (b->signature.n)
			json_object_set_new(o, "signature",
					    jx_string(buf_str(&b->signature)));
	} else if (b->call >= 0 || b->text.n) {
		struct buf *args = b->call >= 0 ? &d->calls[b->call].args
			: &b->text;
		struct err e = ERR_INIT;
		json_t *input = jx_load_lenient(buf_str(args), &e);

		if (!json_is_object(input)) {
			json_decref(input);
			input = json_object();
		}
		json_object_set_new(o, "input", input);
		if (b->call >= 0)
			json_object_set_new(o, "id", jx_string(
				buf_str(&d->calls[b->call].id)));
	}
	return o;
}

/* Nothing to replay when text and calls say it all. */
static void finish(struct llm_decoder *d)
{
	bool needed = d->stop == LLM_STOP_PAUSE;
	json_t *content;

	for (int i = 0; i < d->n_blocks; i++) {
		struct str type = type_of(d->blocks[i].json);

		needed |= !str_is(type, "text") && !str_is(type, "tool_use");
	}
	if (!needed)
		return;
	content = json_array();
	for (int i = 0; i < d->n_blocks; i++) {
		struct dec_block *b = &d->blocks[i];

		/* An empty text block is refused when it comes back (P-C5). */
		if (!str_is(type_of(b->json), "text") || b->text.n)
			json_array_append_new(content, block_json(d, b));
	}
	d->replay = dec_origin(d);
	json_object_set_new(d->replay, "content", content);
}

static void release(struct llm_decoder *d)
{
	for (int i = 0; i < d->n_blocks; i++) {
		json_decref(d->blocks[i].json);
		buf_release(&d->blocks[i].text);
		buf_release(&d->blocks[i].signature);
	}
	free(d->blocks);
}

const struct llm_dialect llm_dialect_anthropic = {
	.name = "anthropic",
	.text_key = "text",
	.takes = LLM_TAKES_CHOICE | LLM_TAKES_TYPED_TOOLS,
	.build = anthropic_build,
	.event = event,
	.whole = whole,
	.usage = usage,
	.slot = slot,
	.plain = plain,
	.finish = finish,
	.release = release,
};
