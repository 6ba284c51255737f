/* SPDX-License-Identifier: MIT */
/*
 * Ollama's own chat: one JSON object per line, whole
 * tool calls with arguments as objects, counters in the last line.
 */
#include "llm/build.h"
#include "llm/decoder.h"

#include "base/banned.h"

/* -- reading -------------------------------------------------------------- */

static void usage(struct llm_decoder *d, const json_t *j)
{
	int64_t in = dec_count(j, "prompt_eval_count", -1);
	int64_t out = dec_count(j, "eval_count", -1);

	if (in >= 0) {
		d->usage.input = in;
		d->usage.cache_read = d->usage.cache_write = 0;
	}
	if (out >= 0) {
		d->usage.output = out;
		d->output_final = true;
	}
}

static void event(struct llm_decoder *d, struct str name, json_t *j)
{
	const json_t *m = jx_obj(j, "message");
	size_t i;
	json_t *tc;

	(void)name;
	dec_model(d, jx_str(j, "model"));
	dec_reasoning(d, jx_str(m, "thinking"));
	dec_text(d, jx_str(m, "content"));
	if (json_array_size(json_object_get(m, "images")))
		dec_image(d);
	json_array_foreach(jx_arr(m, "tool_calls"), i, tc) {
		const json_t *fn = jx_obj(tc, "function");
		struct dec_call *c = dec_call_new(d, CALL_NO_KEY,
						  jx_str(tc, "id"),
						  jx_str(fn, "name"));

		if (!c)
			return;
		dec_call_args_json(d, c, json_object_get(fn, "arguments"));
	}
	if (!jx_bool(j, "done", false))
		return;
	d->finished = true;
	d->stop = str_is(jx_str(j, "done_reason"), "length")
		? LLM_STOP_MAX_TOKENS : LLM_STOP_END;
	usage(d, j);
	dec_end(d);
}

static void whole(struct llm_decoder *d, json_t *j)
{
	if (!jx_obj(j, "message")) {
		dec_fail(d, ERR_UPSTREAM_PROTOCOL, "not a chat answer");
		return;
	}
	event(d, STR(""), j);
	d->finished = true;
}

/* created_at differs in each line: templates would never match. */
static json_t *slot(json_t *j, int *n)
{
	(void)j;
	*n = 0;
	return NULL;
}

static void finish(struct llm_decoder *d)
{
	json_t *members;

	if (d->q.reasoning_replay == REPLAY_NONE || !d->reasoning.n)
		return;
	members = json_object();
	json_object_set_new(members, "thinking",
			    jx_string(buf_str(&d->reasoning)));
	d->replay = dec_origin(d);
	json_object_set_new(d->replay, "members", members);
}

/* Writes call arguments as an object; {} if they are not one. */
static void build_args_object(struct build *b, struct str args)
{
	jw_raw(&b->w, build_args_text(b, args));
}

/* -- writing -------------------------------------------------------------- */

static void call(struct build *b, const struct llm_tool_call *c)
{
	struct jw *w = &b->w;

	jw_obj(w);
	jw_kstr(w, "id", build_call_id(b, c->id));
	jw_key(w, "function");
	jw_obj(w);
	jw_kstr(w, "name", build_tool_name(b, c->name));
	jw_key(w, "arguments");
	build_args_object(b, c->args);
	jw_end_obj(w);
	jw_end_obj(w);
}

/* Base64 alone: neither a type nor the beginning of a data URL. */
static void images(struct build *b, const struct build_item *it)
{
	struct jw *w = &b->w;

	if (!it->n_images)
		return;
	jw_key(w, "images");
	jw_arr(w);
	for (size_t i = 0; i < it->n_images; i++)
		jw_str(w, it->images[i].base64);
	jw_end_arr(w);
}

static void message(struct build *b, const struct build_item *it)
{
	static const char *const roles[] = {
		[LLM_SYSTEM] = "system", [LLM_USER] = "user",
		[LLM_ASSISTANT] = "assistant", [LLM_TOOL] = "tool",
	};
	const struct llm_message *m = it->msg;
	struct jw *w = &b->w;

	jw_obj(w);
	jw_kstrz(w, "role", roles[it->role]);
	jw_kstr(w, "content", build_text(it->text));
	images(b, it);
	if (it->role == LLM_TOOL) {
		jw_kstr(w, "tool_name", build_tool_name(b, it->tool_name));
		jw_kstr(w, "tool_call_id", build_call_id(b, it->call_id));
	}
	if (it->n_calls) {
		jw_key(w, "tool_calls");
		jw_arr(w);
		for (size_t i = 0; i < it->n_calls; i++)
			call(b, &m->calls[i]);
		jw_end_arr(w);
	}
	if (it->role == LLM_ASSISTANT)
		build_members(b, build_replay(b, it));
	jw_end_obj(w);
}

static void options(struct build *b)
{
	const struct llm_service *s = b->r->service;
	const json_t *extra = jx_obj(s->extra_body, "options");
	int max = build_max_tokens(b);
	struct jw *w = &b->w;
	const char *key;
	json_t *v;

	jw_key(w, "options");
	jw_obj(w);
	if (s->context_tokens > 0 && !json_object_get(extra, "num_ctx"))
		jw_kint(w, "num_ctx", s->context_tokens);	/* P-E4 */
	if (max > 0 && !json_object_get(extra, "num_predict"))
		jw_kint(w, "num_predict", max);
	build_sampling(b);
	build_stop(b, "stop");
	json_object_foreach((json_t *)extra, key, v) {
		jw_key(w, key);
		jw_json(w, v);
	}
	jw_end_obj(w);
}

static void think(struct build *b)
{
	struct str effort = build_effort(b);

	if (!effort.n)
		return;
	jw_key(&b->w, "think");
	if (str_is(effort, "none"))
		jw_bool(&b->w, false);
	else if (str_is(effort, "on"))
		jw_bool(&b->w, true);
	else
		jw_str(&b->w, effort);
}

static int ollama_build(struct build *b, struct err *e)
{
	const struct llm_request *r = b->r;
	struct jw *w = &b->w;

	(void)e;
	jw_obj(w);
	jw_kstrz(w, "model", r->service->model);
	if (build_key(b, "stream"))
		jw_bool(w, r->stream);
	jw_key(w, "messages");
	jw_arr(w);
	if (b->system.n)
		message(b, &(struct build_item){
			.role = LLM_SYSTEM, .text = b->system });
	for (size_t i = 0; i < b->n_items; i++)
		message(b, &b->items[i]);
	jw_end_arr(w);
	if (b->n_tools && !r->no_tool_calls) {
		jw_key(w, "tools");
		jw_arr(w);
		for (size_t i = 0; i < b->n_tools; i++)
			build_function_tool(b, &b->tools[i]);
		jw_end_arr(w);
	}
	if (r->output_schema && b->q.output_format != OUTPUT_PROMPT &&
	    build_key(b, "format"))
		jw_json(w, r->output_schema);
	think(b);
	options(b);
	build_extra(b, "options");
	jw_end_obj(w);
	return 0;
}

const struct llm_dialect llm_dialect_ollama = {
	.name = "ollama",
	.takes = LLM_TAKES_SEED | LLM_TAKES_PENALTIES,
	.text_key = "content",
	.apart = LLM_CAN_EMBED,
	.build = ollama_build,
	.event = event,
	.whole = whole,
	.usage = usage,
	.slot = slot,
	.finish = finish,
};
