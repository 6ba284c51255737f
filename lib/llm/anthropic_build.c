/* SPDX-License-Identifier: MIT */
/*
 * Anthropic Messages, writing. Messages are made as a
 * tree: neighbours of one role become one message, tool results come first in
 * it, and the result gets the cache marks.
 */
#include "llm/openai.h"

#include "llm/build.h"

#include "base/banned.h"

#define THINKING_MIN_TOKENS 1024

static void add_block(json_t *messages, const char *role, json_t *block)
{
	size_t n = json_array_size(messages);
	json_t *last = json_array_get(messages, n - 1);

	if (!n || !str_is(jx_str(last, "role"), role)) {
		last = json_pack("{s:s, s:[]}", "role", role, "content");
		json_array_append_new(messages, last);
	}
	json_array_append_new(jx_arr(last, "content"), block);
}

static void add_text(json_t *messages, const char *role, struct str text)
{
	if (str_trim(text).n)	/* one without words is refused (P-C5) */
		add_block(messages, role, json_pack("{s:s, s:o}", "type",
			  "text", "text", jx_string(text)));
}

/* Images come before the text, as its documentation recommends. */
static void add_user(json_t *messages, const struct build_item *it)
{
	for (size_t i = 0; i < it->n_images; i++) {
		const struct llm_image *m = &it->images[i];

		add_block(messages, "user", json_pack("{s:s, s:{s:s, s:s, s:o}}",
			"type", "image", "source", "type", "base64",
			"media_type", m->media_type,
			"data", jx_string(m->base64)));
	}
	add_text(messages, "user", it->text);
}

static json_t *parsed_args(struct build *b, struct str args)
{
	struct err ignored = ERR_INIT;

	return jx_load_lenient(build_args_text(b, args), &ignored);
}

/* Whether the blocks that the model gave can be sent back as they are. */
static json_t *verbatim(struct build *b, const struct build_item *it)
{
	const json_t *o = it->msg ? it->msg->replay : NULL;

	if (!o || it->n_calls != it->msg->n_calls ||
	    b->q.reasoning_replay == REPLAY_NONE || !build_same_origin(b, o) ||
	    !build_may(b, REPAIR_STRIP))
		return NULL;
	return jx_arr(o, "content");
}

/*
 * A copy of such a block; NULL: a call that the message does not have, since the turn has
 * left it out. A call's id is written as that of its result.
 */
static json_t *verbatim_block(struct build *b, const struct build_item *it, json_t *block)
{
	const struct str id = jx_str(block, "id");
	json_t *copy;

	if (!str_is(jx_str(block, "type"), "tool_use"))
		return json_deep_copy(block);
	for (size_t i = 0; i < it->n_calls; i++)
		if (str_eq(it->msg->calls[i].id, id)) {
			copy = json_deep_copy(block);
			json_object_set_new(copy, "id", jx_string(build_call_id(b, id)));
			return copy;
		}
	return NULL;
}

static void add_assistant(struct build *b, json_t *messages,
			  const struct build_item *it)
{
	json_t *content = verbatim(b, it), *block, *copy;
	size_t i;

	if (content) {
		json_array_foreach(content, i, block) {
			copy = verbatim_block(b, it, block);
			if (copy)
				add_block(messages, "assistant", copy);
		}
		return;
	}
	add_text(messages, "assistant", it->text);
	for (i = 0; i < it->n_calls; i++) {
		const struct llm_tool_call *c = &it->msg->calls[i];

		add_block(messages, "assistant", json_pack(
			"{s:s, s:o, s:o, s:o}", "type", "tool_use",
			"id", jx_string(build_call_id(b, c->id)),
			"name", jx_string(build_tool_name(b, c->name)),
			"input", parsed_args(b, c->args)));
	}
}

static void add_result(struct build *b, json_t *messages,
		       const struct build_item *it)
{
	json_t *block = json_pack("{s:s, s:o, s:o}", "type", "tool_result",
		"tool_use_id", jx_string(build_call_id(b, it->call_id)),
		"content", jx_string(str_trim(it->text).n ? it->text
				     : STR("(empty)")));

	if (it->is_error)
		json_object_set_new(block, "is_error", json_true());
	add_block(messages, "user", block);
}

static json_t *messages(struct build *b)
{
	json_t *list = json_array();

	for (size_t i = 0; i < b->n_items; i++) {
		const struct build_item *it = &b->items[i];

		if (it->role == LLM_ASSISTANT)
			add_assistant(b, list, it);
		else if (it->role == LLM_TOOL)
			add_result(b, list, it);
		else
			add_user(list, it);
	}
	return list;
}

static json_t *ephemeral(void)
{
	return json_pack("{s:s}", "type", "ephemeral");
}

/*
 * E30: a mark on the last block of the second-to-last message; it moves along
 * with a tool loop, so each request finds the prefix of the one before.
 */
static void mark_messages(struct build *b, json_t *list)
{
	size_t n = json_array_size(list);
	json_t *content, *block;

	if (!b->r->service->prompt_cache || n < 2)
		return;
	content = jx_arr(json_array_get(list, n - 2), "content");
	block = json_array_get(content, json_array_size(content) - 1);
	/* Such blocks may have no mark: they must come back as they were. */
	if (!str_is(jx_str(block, "type"), "thinking") &&
	    !str_is(jx_str(block, "type"), "redacted_thinking"))
		json_object_set_new(block, "cache_control", ephemeral());
}

static json_t *system_block(struct str text)
{
	return json_pack("{s:s, s:o}", "type", "text", "text", jx_string(text));
}

/* The blocks stay separate, so that the stable ones in front can be cached. */
static json_t *system_blocks(struct build *b)
{
	const struct llm_request *r = b->r;
	json_t *list = json_array();

	if (r->output_schema && b->q.output_format != OUTPUT_SCHEMA) {
		json_array_append_new(list, system_block(b->system));
	} else {
		for (size_t i = 0; b->system.n && i < r->n_system; i++)
			if (r->system[i].n)
				json_array_append_new(list, system_block(
					r->system[i]));
	}
	if (r->service->prompt_cache && json_array_size(list))
		json_object_set_new(json_array_get(list,
				    json_array_size(list) - 1),
				    "cache_control", ephemeral());
	return list;
}

/* Names of tools in the history: they must be declared to be mentioned. */
static json_t *history_tools(struct build *b)
{
	json_t *list = json_array();

	for (size_t i = 0; i < b->n_items; i++) {
		struct str name = b->items[i].tool_name;
		bool known = !name.n;
		size_t k;
		json_t *t;

		if (b->items[i].role != LLM_TOOL)
			continue;
		name = build_tool_name(b, name);
		json_array_foreach(list, k, t)
			known |= str_eq(jx_str(t, "name"), name);
		if (!known)
			json_array_append_new(list, json_pack(
				"{s:o, s:{s:s}}", "name", jx_string(name),
				"input_schema", "type", "object"));
	}
	return list;
}

static json_t *tools(struct build *b, bool *forbid)
{
	json_t *list;

	*forbid = b->r->no_tool_calls;
	if (!b->n_tools) {
		*forbid = true;
		return history_tools(b);
	}
	list = json_array();
	for (size_t i = 0; i < b->n_tools; i++)
		json_array_append_new(list, json_pack("{s:o, s:s, s:O}",
			"name", jx_string(b->tools[i].wire_name),
			"description", b->tools[i].description,
			"input_schema", b->tools[i].schema->normal));
	if (b->r->service->prompt_cache)
		json_object_set_new(json_array_get(list, b->n_tools - 1),
				    "cache_control", ephemeral());
	return list;
}

/*
 * Thinking is refused when the turn in progress has calls without their
 * thinking blocks (a conversation that moved here from another model).
 */
static int thinking_budget(struct build *b)
{
	const struct llm_service *s = b->r->service;
	int n = s->set.thinking_budget_tokens ? s->thinking_budget_tokens : 0;

	/* With thinking, no call may be forced. */
	if (n <= 0 || !build_may(b, REPAIR_EFFORT) ||
	    build_params(b)->tool_choice != LLM_CHOICE_AUTO ||
	    str_is(build_params(b)->reasoning_effort, "none"))
		return 0;
	for (size_t i = 0; i < b->n_items; i++) {
		const struct build_item *it = &b->items[i];

		if (it->role == LLM_ASSISTANT && it->in_loop &&
		    it->n_calls && !verbatim(b, it))
			return 0;
	}
	return MAX(n, THINKING_MIN_TOKENS);
}

static void output_config(struct build *b)
{
	bool schema = b->r->output_schema &&
		b->q.output_format == OUTPUT_SCHEMA;
	struct str effort = build_effort(b);
	struct jw *w = &b->w;

	/* "none" and "minimal" are OpenAI's. */
	if (str_is(effort, "none"))
		effort.n = 0;
	else if (str_is(effort, "minimal"))
		effort = STR("low");
	if (!schema && !effort.n)
		return;
	if (!build_key(b, "output_config"))
		return;
	jw_obj(w);
	if (effort.n)
		jw_kstr(w, "effort", effort);
	if (schema) {
		jw_key(w, "format");
		jw_obj(w);
		jw_kstrz(w, "type", "json_schema");
		jw_key(w, "schema");
		jw_json(w, b->r->output_schema);
		jw_end_obj(w);
	}
	jw_end_obj(w);
}

static void tool_choice(struct build *b, bool forbid)
{
	const struct llm_params *v = build_params(b);
	bool forced = !forbid && v->tool_choice != LLM_CHOICE_AUTO;
	bool alone = !forbid && v->parallel_tools < 0;
	struct jw *w = &b->w;

	if ((!forbid && !forced && !alone) || !build_key(b, "tool_choice"))
		return;
	jw_obj(w);
	jw_kstrz(w, "type", forbid ? "none" : !forced ? "auto"
		 : v->tool_choice == LLM_CHOICE_ANY ? "any" : "tool");
	if (forced && v->tool_choice == LLM_CHOICE_NAMED)
		jw_kstr(w, "name", build_tool_name(b, v->tool));
	if (alone)
		jw_kbool(w, "disable_parallel_tool_use", true);
	jw_end_obj(w);
}

static void key_json(struct build *b, const char *key, json_t *j)
{
	if (json_array_size(j) && build_key(b, key))
		jw_json(&b->w, j);
	json_decref(j);
}

int anthropic_build(struct build *b, struct err *e)
{
	const struct llm_service *s = b->r->service;
	int budget = thinking_budget(b), max = build_max_tokens(b);
	struct jw *w = &b->w;
	json_t *list, *tool_list;
	bool forbid;

	(void)e;
	max = max > 0 ? max : 4096;	/* required */
	/* The thinking counts to the output, and must be less than all of it. */
	if (max <= budget)
		max = budget + 4096;
	jw_obj(w);
	if (build_key(b, "model"))
		jw_str(w, build_text(str_of(s->model)));
	if (build_key(b, "max_tokens"))
		jw_int(w, max);
	if (build_key(b, "stream"))
		jw_bool(w, b->r->stream);
	tool_list = tools(b, &forbid);
	if (json_array_size(tool_list))
		tool_choice(b, forbid);
	key_json(b, "tools", tool_list);
	key_json(b, "system", system_blocks(b));
	list = messages(b);
	mark_messages(b, list);
	key_json(b, "messages", list);
	if (budget && build_key(b, "thinking")) {
		jw_obj(w);
		jw_kstrz(w, "type", "enabled");
		jw_kint(w, "budget_tokens", budget);
		jw_end_obj(w);
	}
	build_sampling(b);
	build_stop(b, "stop_sequences");
	output_config(b);
	build_extra(b, NULL);
	jw_end_obj(w);
	return 0;
}
