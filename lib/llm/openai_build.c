/* SPDX-License-Identifier: MIT */
/*
 * OpenAI chat completions, writing. Only what is configured is sent (P-E2, P-E8):
 * strict servers refuse members that they do not know.
 */
#include "llm/openai.h"

#include "llm/build.h"

#include "base/banned.h"

/* The same for the opaque members of a call. */
static const json_t *build_call_members(struct build *b,
					const struct llm_tool_call *c)
{
	if (!c->opaque || !build_same_origin(b, c->opaque) ||
	    !build_may(b, REPAIR_STRIP))
		return NULL;
	return jx_obj(c->opaque, "members");
}

static void call(struct build *b, const struct llm_tool_call *c)
{
	struct jw *w = &b->w;

	jw_obj(w);
	jw_kstr(w, "id", build_call_id(b, c->id));
	jw_kstrz(w, "type", "function");
	jw_key(w, "function");
	jw_obj(w);
	jw_kstr(w, "name", build_tool_name(b, c->name));
	jw_kstr(w, "arguments", build_args_text(b, c->args));
	jw_end_obj(w);
	build_members(b, build_call_members(b, c));
	jw_end_obj(w);
}

/* The content as parts: images, then the text. */
static void parts(struct build *b, const struct build_item *it)
{
	struct jw *w = &b->w;

	jw_arr(w);
	for (size_t i = 0; i < it->n_images; i++) {
		jw_obj(w);
		jw_kstrz(w, "type", "image_url");
		jw_key(w, "image_url");
		jw_obj(w);
		jw_kstr(w, "url", it->images[i].data_url);
		jw_end_obj(w);
		jw_end_obj(w);
	}
	if (it->text.n) {
		jw_obj(w);
		jw_kstrz(w, "type", "text");
		jw_kstr(w, "text", it->text);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void message(struct build *b, const struct build_item *it)
{
	static const char *const roles[] = {
		[LLM_SYSTEM] = "system", [LLM_USER] = "user",
		[LLM_ASSISTANT] = "assistant", [LLM_TOOL] = "tool",
	};
	size_t n_calls = it->n_calls;
	struct jw *w = &b->w;

	jw_obj(w);
	jw_kstrz(w, "role", roles[it->role]);
	if (it->role == LLM_TOOL)
		jw_kstr(w, "tool_call_id", build_call_id(b, it->call_id));
	jw_key(w, "content");
	if (n_calls && !it->text.n)
		jw_null(w);
	else if (it->n_images)
		parts(b, it);
	else
		jw_str(w, build_text(it->text));
	if (n_calls) {
		jw_key(w, "tool_calls");
		jw_arr(w);
		for (size_t i = 0; i < n_calls; i++)
			call(b, &it->msg->calls[i]);
		jw_end_arr(w);
	}
	if (it->role == LLM_ASSISTANT) {
		const json_t *o = build_replay(b, it);

		build_members(b, o);
		/* DeepSeek wants it of all answers, whoever gave them. */
		if (!build_may(b, REPAIR_REASONING) &&
		    !json_object_get(o, "reasoning_content"))
			jw_kstr(w, "reasoning_content", STR(""));
	}
	jw_end_obj(w);
}

static void messages(struct build *b)
{
	struct jw *w = &b->w;

	jw_key(w, "messages");
	jw_arr(w);
	if (b->system.n) {
		jw_obj(w);
		jw_kstrz(w, "role", b->q.system_role == SYSROLE_DEVELOPER
			 ? "developer" : "system");
		jw_kstr(w, "content", b->system);
		jw_end_obj(w);
	}
	for (size_t i = 0; i < b->n_items; i++)
		message(b, &b->items[i]);
	jw_end_arr(w);
}

/* The tools that the request wants to be called. */
static void choice(struct build *b)
{
	const struct llm_params *v = build_params(b);
	struct jw *w = &b->w;

	if (v->tool_choice == LLM_CHOICE_AUTO || !b->q.supports_tool_choice ||
	    !build_key(b, "tool_choice"))
		return;
	if (v->tool_choice == LLM_CHOICE_ANY) {
		jw_str(w, STR("required"));
		return;
	}
	jw_obj(w);
	jw_kstrz(w, "type", "function");
	jw_key(w, "function");
	jw_obj(w);
	jw_kstr(w, "name", build_tool_name(b, v->tool));
	jw_end_obj(w);
	jw_end_obj(w);
}

static void tools(struct build *b)
{
	const struct llm_params *v = build_params(b);
	int parallel = b->q.parallel_tool_calls;
	struct jw *w = &b->w;

	if (!b->n_tools)
		return;
	if (build_key(b, "tools")) {
		jw_arr(w);
		for (size_t i = 0; i < b->n_tools; i++)
			build_function_tool(b, &b->tools[i]);
		jw_end_arr(w);
	}
	if (b->r->no_tool_calls && build_key(b, "tool_choice"))
		jw_str(w, STR("none"));
	else if (!b->r->no_tool_calls)
		choice(b);
	if (v->parallel_tools)
		parallel = v->parallel_tools > 0 ? PARALLEL_ON : PARALLEL_OFF;
	if (parallel != PARALLEL_UNSET &&
	    build_may(b, REPAIR_PARALLEL) && build_key(b, "parallel_tool_calls"))
		jw_bool(w, parallel == PARALLEL_ON);
}

/* P-E1: the name that this server accepts, or the other one after a 400. */
static void max_tokens(struct build *b)
{
	bool completion = b->q.max_tokens_field == MAXTOK_COMPLETION;
	int n = build_max_tokens(b);
	const char *key;

	if (n <= 0)
		return;
	if (!build_may(b, REPAIR_MAX_TOKENS))
		completion = !completion;
	key = completion ? "max_completion_tokens" : "max_tokens";
	if (build_key(b, key))
		jw_int(&b->w, n);
}

static void response_format(struct build *b)
{
	const json_t *schema = b->r->output_schema;
	struct jw *w = &b->w;

	if (!schema || b->q.output_format == OUTPUT_PROMPT ||
	    !build_key(b, "response_format"))
		return;
	jw_obj(w);
	if (b->q.output_format == OUTPUT_OBJECT) {
		jw_kstrz(w, "type", "json_object");
	} else {
		jw_kstrz(w, "type", "json_schema");
		jw_key(w, "json_schema");
		jw_obj(w);
		jw_kstrz(w, "name", "output");
		jw_key(w, "schema");
		jw_json(w, schema);
		if (b->q.strict_schema && llm_schema_is_strict(schema))
			jw_kbool(w, "strict", true);
		jw_end_obj(w);
	}
	jw_end_obj(w);
}

static void stream(struct build *b)
{
	struct jw *w = &b->w;

	if (build_key(b, "stream"))
		jw_bool(w, b->r->stream);
	if (!b->r->stream || !b->q.include_usage ||
	    !build_may(b, REPAIR_STREAM_OPTIONS) ||
	    !build_key(b, "stream_options"))
		return;
	jw_obj(w);
	jw_kbool(w, "include_usage", true);
	if (b->q.hide_obfuscation)
		jw_kbool(w, "include_obfuscation", false);
	jw_end_obj(w);
}

int openai_build(struct build *b, struct err *e)
{
	struct str effort = build_effort(b);

	(void)e;
	jw_obj(&b->w);
	if (build_key(b, "model"))
		jw_str(&b->w, build_text(str_of(b->r->service->model)));
	messages(b);
	tools(b);
	stream(b);
	max_tokens(b);
	build_sampling(b);
	build_stop(b, "stop");
	if (effort.n && build_key(b, "reasoning_effort"))
		jw_str(&b->w, effort);
	response_format(b);
	build_extra(b, NULL);
	jw_end_obj(&b->w);
	return 0;
}
