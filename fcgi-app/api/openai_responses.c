/* SPDX-License-Identifier: MIT */
/*
 * The Responses API: its requests as those of chat completions, which say the same in
 * other words, so that everything else is one and the same. docs/openai-server.md.
 */
#include "api/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/openai.h"
#include "dialect/responses.h"

#include "base/banned.h"

enum { REFERENCE_HEX = 32 };

/* -- input ----------------------------------------------------------------------- */

/* Adds a call to the last message, if that is an answer, else to a new one. Takes args. */
static void add_call(json_t *messages, const json_t *item, json_t *name, json_t *args)
{
	size_t n = json_array_size(messages);
	json_t *last = n ? json_array_get(messages, n - 1) : NULL, *calls;

	if (!str_is(jx_str(last, "role"), "assistant")) {
		last = json_pack("{s:s, s:n}", "role", "assistant", "content");
		json_array_append_new(messages, last);
	}
	calls = json_object_get(last, "tool_calls");
	if (!calls) {
		calls = json_array();
		json_object_set_new(last, "tool_calls", calls);
	}
	json_array_append_new(calls, json_pack("{s:s, s:O?, s:{s:o?, s:o?}}", "type",
		"function", "id", json_object_get(item, "call_id"), "function", "name",
		name, "arguments", args));
}

/*
 * Calls of other kinds and their results, which clients have of other models and send
 * along when their user changes the model: they are history, as functions. false: none.
 */
static bool add_other_call(json_t *messages, const json_t *item)
{
	static const struct {
		const char *type, *result, *name, *args;
	} kinds[] = {
		{ "custom_tool_call", "custom_tool_call_output", NULL, "input" },
		{ "local_shell_call", "local_shell_call_output", "local_shell", "action" },
		{ "shell_call", "shell_call_output", "shell", "action" },
		{ "apply_patch_call", "apply_patch_call_output", "apply_patch",
		  "operation" },
	};
	struct str type = jx_str(item, "type");
	const json_t *output = json_object_get(item, "output");
	size_t i = 0;

	while (i < ARRAY_LEN(kinds) && !str_is(type, kinds[i].type) &&
	       !str_is(type, kinds[i].result))
		i++;
	if (i == ARRAY_LEN(kinds) || !jx_str(item, "call_id").n)
		return false;
	if (str_is(type, kinds[i].type)) {
		json_t *name = kinds[i].name ? json_string(kinds[i].name)
			: json_incref(json_object_get(item, "name"));

		add_call(messages, item, name, json_pack("{s:O?}", kinds[i].args,
			 json_object_get(item, kinds[i].args)));
		return true;
	}
	if (json_is_string(output) || (json_is_array(output) && !kinds[i].name)) {
		json_array_append_new(messages, json_pack("{s:s, s:O, s:O}", "role",
			"tool", "tool_call_id", json_object_get(item, "call_id"),
			"content", output));
	} else {
		char *text = json_dumps(output, JSON_COMPACT | JSON_ENCODE_ANY);

		json_array_append_new(messages, json_pack("{s:s, s:O, s:s}", "role",
			"tool", "tool_call_id", json_object_get(item, "call_id"),
			"content", text ? text : ""));
		free(text);
	}
	return true;
}

/* What other servers did for their models; it is left out, and named in *ignored. */
static bool is_of_server(struct str type)
{
	static const char *const types[] = {
		"web_search_call", "file_search_call", "code_interpreter_call",
		"image_generation_call", "mcp_list_tools", "mcp_call",
		"mcp_approval_request", "mcp_approval_response", "compaction",
		"tool_search_call", "tool_search_output", "computer_call",
		"computer_call_output",
	};

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (str_is(type, types[i]))
			return true;
	return false;
}

static int add_item(json_t *messages, json_t *item, json_t *ignored, struct err *e)
{
	struct str type = jx_str(item, "type");

	if (json_is_object(item) && jx_str(item, "role").n &&
	    (!type.n || str_is(type, "message"))) {
		json_array_append_new(messages, json_pack("{s:O, s:O?}", "role",
			json_object_get(item, "role"), "content",
			json_object_get(item, "content")));
		return 0;
	}
	if (str_is(type, "function_call")) {
		add_call(messages, item, json_incref(json_object_get(item, "name")),
			 json_incref(json_object_get(item, "arguments")));
		return 0;
	}
	if (str_is(type, "function_call_output")) {
		json_array_append_new(messages, json_pack("{s:s, s:O?, s:O?}", "role",
			"tool", "tool_call_id", json_object_get(item, "call_id"),
			"content", json_object_get(item, "output")));
		return 0;
	}
	if (str_is(type, "reasoning"))
		return 0;	/* the model has its own, with the stored answer */
	if (add_other_call(messages, item))
		return 0;
	if (is_of_server(type)) {
		json_object_set_new(ignored, type.p, json_true());
		return 0;
	}
	return err_field(e, ERR_INVALID_FIELD, "input", "Items of the type \"%.40s\" are "
			 "not supported here.", type.n ? type.p : "");
}

/*
 * The turn of an item that a client names instead of repeating it ({type:
 * item_reference, id}): the digits in its id, in hexadecimal. p == NULL: it is none.
 */
static struct str referenced(const json_t *item)
{
	struct str type = jx_str(item, "type"), id = jx_str(item, "id");

	if (!str_is(type, "item_reference") && (type.n || jx_str(item, "role").n))
		return (struct str){ NULL, 0 };
	(void)str_cut(&id, '_');
	return id.n >= REFERENCE_HEX ? (struct str){ id.p, REFERENCE_HEX }
		: (struct str){ NULL, 0 };
}

/*
 * Where input goes on behind what the client only refers to, and *turn, whose response
 * that is; 0: it refers to nothing. Results of calls may stand between the references.
 */
static size_t behind_references(const json_t *input, struct str *turn)
{
	size_t n = json_array_size(input), last = n, at;

	*turn = (struct str){ NULL, 0 };
	while (last > 0 && !turn->p)
		*turn = referenced(json_array_get(input, --last));
	if (!turn->p)
		return 0;
	for (at = last + 1; at < n; at++)
		if (!str_is(jx_str(json_array_get(input, at), "type"),
			    "function_call_output"))
			return last + 1;
	for (at = 0; !str_eq(referenced(json_array_get(input, at)), *turn); at++)
		;
	return at;
}

/* Items from `from` on, and before it system messages; references are left out. */
static int add_items(json_t *messages, json_t *input, size_t from, json_t *ignored,
		     struct err *e)
{
	json_t *item;
	size_t i;

	json_array_foreach(input, i, item) {
		if (i < from ? !oai_is_system(item) : from && referenced(item).p)
			continue;
		if (add_item(messages, item, ignored, e) < 0)
			return -1;
	}
	return 0;
}

/* *turn: the turn of the response that the input follows, if it refers to one. */
static int read_input(const json_t *body, json_t *messages, struct str *turn,
		      json_t *ignored, struct err *e)
{
	json_t *input = json_object_get(body, "input");
	struct str instructions = jx_str(body, "instructions");

	if (instructions.n)
		json_array_append_new(messages, json_pack("{s:s, s:o}", "role", "system",
			"content", jx_string(instructions)));
	if (json_is_string(input)) {
		json_array_append_new(messages, json_pack("{s:s, s:O}", "role", "user",
							  "content", input));
		return 0;
	}
	if (!json_array_size(input))
		return err_field(e, ERR_INVALID_FIELD, "input", "input must be a text or a "
				 "list of items.");
	return add_items(messages, input, behind_references(input, turn), ignored, e);
}

/* -- parameters ------------------------------------------------------------------ */

/* {type: function, name, …} as {type: function, function: {name, …}}. */
static json_t *nested(const json_t *flat)
{
	json_t *f;

	if (!str_is(jx_str(flat, "type"), "function") || jx_obj(flat, "function"))
		return json_deep_copy(flat);
	f = json_deep_copy(flat);
	json_object_del(f, "type");
	return json_pack("{s:s, s:o}", "type", "function", "function", f);
}

static json_t *nested_list(const json_t *list)
{
	json_t *out = json_array();
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)list, i, one)
		json_array_append_new(out, nested(one));
	return out;
}

static json_t *choice_of(json_t *choice)
{
	if (str_is(jx_str(choice, "type"), "allowed_tools"))
		return json_pack("{s:s, s:{s:O?, s:o}}", "type", "allowed_tools",
				 "allowed_tools", "mode", json_object_get(choice, "mode"),
				 "tools", nested_list(jx_arr(choice, "tools")));
	return json_is_object(choice) ? nested(choice) : json_incref(choice);
}

static json_t *format_of(json_t *format)
{
	if (!str_is(jx_str(format, "type"), "json_schema"))
		return json_incref(format);
	return json_pack("{s:s, s:{s:O?, s:O?, s:O?}}", "type", "json_schema",
			 "json_schema", "name", json_object_get(format, "name"), "schema",
			 json_object_get(format, "schema"), "strict",
			 json_object_get(format, "strict"));
}

/* What would be an answer of another kind. */
static int check_body(const json_t *body, struct err *e)
{
	static const struct {
		const char *key, *why;
	} refused[] = {
		{ "conversation", "Use previous_response_id." },
		{ "prompt", "Stored prompts belong to the agent." },
		{ "messages", "A response has input, and no messages." },
	};
	const json_t *background = json_object_get(body, "background");

	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		if (!oai_idle(json_object_get(body, refused[i].key)))
			return err_field(e, ERR_INVALID_FIELD, refused[i].key, "%s",
					 refused[i].why);
	if (!oai_idle(background) && !json_is_true(background))
		return err_field(e, ERR_INVALID_FIELD, "background",
				 "background must be true or false.");
	return 0;
}

/* The request as one of chat completions; members that stay keep their names. */
static int convert(struct request *rq, struct str *turn, struct err *e)
{
	static const struct {
		const char *theirs, *ours;
	} same[] = {
		{ "model", "model" }, { "stream", "stream" },
		{ "temperature", "temperature" }, { "top_p", "top_p" },
		{ "max_output_tokens", "max_completion_tokens" },
		{ "parallel_tool_calls", "parallel_tool_calls" },
	};
	static const char *const read[] = {
		"input", "instructions", "tools", "tool_choice", "text", "reasoning",
		"previous_response_id", "include", "stream_options", "background",
		/* This is how it is: */
		"store", "truncation",
	};
	json_t *body = jx_keep(rq->arena, json_object()), *v;
	json_t *messages = jx_keep(rq->arena, json_array());
	json_t *effort = json_object_get(jx_obj(rq->body, "reasoning"), "effort");
	json_t *format = json_object_get(jx_obj(rq->body, "text"), "format");
	const char *key;

	if (!json_is_object(rq->body))
		return err_public(e, ERR_INVALID_JSON, "The body must be a JSON object.");
	/* Members that nothing reads are named as ignored, and so are kinds of items. */
	if (check_body(rq->body, e) < 0 || read_input(rq->body, messages, turn, body, e) < 0)
		return -1;
	json_object_foreach(rq->body, key, v)
		json_object_set(body, key, v);
	for (size_t i = 0; i < ARRAY_LEN(read); i++)
		json_object_del(body, read[i]);
	for (size_t i = 0; i < ARRAY_LEN(same); i++) {
		v = json_object_get(rq->body, same[i].theirs);
		json_object_del(body, same[i].theirs);
		if (v)
			json_object_set(body, same[i].ours, v);
	}
	json_object_set(body, "messages", messages);
	if (!oai_idle(json_object_get(rq->body, "tools")))
		json_object_set_new(body, "tools", json_is_array(json_object_get(
			rq->body, "tools")) ? nested_list(jx_arr(rq->body, "tools"))
			: json_string(""));
	v = json_object_get(rq->body, "tool_choice");
	if (v)
		json_object_set_new(body, "tool_choice", choice_of(v));
	if (effort)
		json_object_set(body, "reasoning_effort", effort);
	if (format)
		json_object_set_new(body, "response_format", format_of(format));
	rq->body = body;
	return 0;
}

json_t *oai_response_echo(struct request *rq)
{
	static const char *const keys[] = {
		"instructions", "max_output_tokens", "model", "previous_response_id",
		"temperature", "top_p", "metadata", "user", "tool_choice", "tools", "text",
		"parallel_tool_calls", "store", "truncation", "reasoning", "background",
	};
	json_t *o = jx_keep(rq->arena, json_pack("{s:n, s:s, s:i, s:s, s:n, s:n, s:n, s:n,"
		"s:s, s:[], s:n, s:b, s:b, s:n, s:n, s:{s:{s:s}}, s:s, s:[], s:s, s:n,"
		"s:n, s:{}, s:{s:n, s:n}, s:b}",
		"id", "object", "response", "created_at", 0, "status", "in_progress",
		"error", "incomplete_details", "instructions", "max_output_tokens",
		"model", "", "output", "previous_response_id", "parallel_tool_calls", 1,
		"store", 1, "temperature", "top_p", "text", "format", "type", "text",
		"tool_choice", "auto", "tools", "truncation", "disabled", "usage", "user",
		"metadata", "reasoning", "effort", "summary", "background", 0));
	json_t *v;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		v = json_object_get(rq->body, keys[i]);
		if (v && !json_is_null(v))
			json_object_set(o, keys[i], v);
	}
	return o;
}

/* -- the routes ------------------------------------------------------------------- */

/* The field of an error in the words of this API. */
static void name_field(struct err *e)
{
	static const struct {
		const char *chat, *here;
	} names[] = {
		{ "messages", "input" }, { "response_format", "text.format" },
		{ "max_completion_tokens", "max_output_tokens" },
		{ "reasoning_effort", "reasoning.effort" },
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(e->field, names[i].chat)) {
			snprintf(e->field, sizeof(e->field), "%s", names[i].here);
			return;
		}
}

/*
 * POST {base}/openai/v1/responses {model, input, instructions?, previous_response_id?,
 * background?, …}: 200 a response, or with stream its events. With background it runs on
 * when its client leaves and, without stream, is answered before it is made. Errors, and
 * a client that leaves, as for chat completions.
 */
int api_openai_responses(struct request *rq, struct response *rs, struct err *e)
{
	struct responses r = { .echo = NULL };
	struct str previous = jx_str(rq->body, "previous_response_id");
	struct str turn = { NULL, 0 };
	bool refers;
	int rc;

	r.echo = oai_response_echo(rq);
	rc = convert(rq, &turn, e);
	refers = rc == 0 && turn.p && !previous.n;
	if (refers)
		previous = str_of(arena_printf(rq->arena, RESPONSES_ID "%.*s",
					       STR_ARG(turn)));
	if (rc == 0 && oai_answer(rq, rs, &r, previous, e) == 0)
		return 0;
	if (refers && !strcmp(e->field, "previous_response_id"))
		snprintf(e->field, sizeof(e->field), "input");
	name_field(e);
	return -1;
}
