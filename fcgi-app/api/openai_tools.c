/* SPDX-License-Identifier: MIT */
/*
 * Tools of the client of an OpenAI request. They are those of a program (tool/client/
 * page.c): the model sees them beside the agent's own, a call of one ends the answer
 * as the turn waits, and the request that has the results resumes it. The ids of calls
 * that clients see have the turn (dialect/openai.h), so that no other state is needed.
 */
#include "api/openai.h"

#include <string.h>

#include "api/approval.h"
#include "app.h"
#include "base/limits.h"
#include "dialect/openai.h"
#include "store/conversation.h"
#include "tool/core/tool.h"

#include "base/banned.h"

/* -- what the request declares ------------------------------------------------ */

/* {type: "web_search"}, or one of its versions: "web_search_preview". */
static bool is_web_tool(const json_t *tool)
{
	static const char name[] = "web_search";
	struct str type = jx_str(tool, "type");

	return type.n >= sizeof(name) - 1 &&
		!memcmp(type.p, name, sizeof(name) - 1);
}

static bool has_tool(const json_t *tools, struct str name)
{
	const json_t *t;
	size_t i;

	json_array_foreach((json_t *)tools, i, t)
		if (str_eq(jx_str(t, "name"), name))
			return true;
	return false;
}

static int unsupported(const json_t *tool, struct err *e)
{
	struct str type = jx_str(tool, "type");

	return err_field(e, ERR_INVALID_FIELD, "tools", "Tools of the type \"%.40s\" are "
			 "not supported; function and web_search are.",
			 type.n ? type.p : "");
}

/*
 * Other kinds of tools that the client would run itself. Beside functions they are left
 * out: the model has less to call. What a server would have to run (file_search, …) is
 * refused.
 */
static bool is_left_out(struct openai_ask *ask, const json_t *tool)
{
	static const char *const types[] = {
		"namespace", "custom", "local_shell", "shell", "apply_patch",
		"tool_search", "computer_use_preview", "computer",
	};
	struct str type = jx_str(tool, "type"), name = jx_str(tool, "name");

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (str_is(type, types[i])) {
			oai_ignored(&ask->ignored, "tools.", name.n ? name : type);
			return true;
		}
	return false;
}

/*
 * {type: function, function: {name, description?, parameters?, strict?}}, or as the
 * Responses API has it, without the object inside; some leave the type out.
 */
static int add_function(const json_t *tool, json_t *tools, struct err *e)
{
	const json_t *inner = jx_obj(tool, "function"), *f = inner ? inner : tool;
	const json_t *parameters = json_object_get(f, "parameters");
	struct str name = jx_str(f, "name");
	json_t *ours;

	if (!str_is(jx_str(tool, "type"), "function") &&
	    (!inner || json_object_get(tool, "type")))
		return unsupported(tool, e);
	if (parameters && !json_is_null(parameters) && !json_is_object(parameters))
		return err_field(e, ERR_INVALID_FIELD, "tools", "parameters of a "
				 "tool must be a JSON Schema.");
	if (!name.n)
		return err_field(e, ERR_INVALID_FIELD, "tools", "Each tool needs a "
				 "name.");
	if (has_tool(tools, name))
		return err_field(e, ERR_INVALID_FIELD, "tools", "There are two tools "
				 "with the name %.64s.", name.p);
	ours = json_pack("{s:O?, s:O?}", "name", json_object_get(f, "name"),
			 "description", json_object_get(f, "description"));
	if (json_object_size(parameters))
		json_object_set_new(ours, "parameters", schema_relaxed(parameters,
								    name.p));
	json_array_append_new(tools, ours);
	return 0;
}

/* Whether the workspace takes tools of clients. */
static int allows(const struct openai_ask *ask, struct err *e)
{
	if (ask->in.target.workspace->client_tools == CLIENT_TOOLS_ALLOW)
		return 0;
	return err_field(e, ERR_INVALID_FIELD, "tools", "The tools of this model are set on "
			 "the server. Its workspace does not take tools of clients "
			 "(client_tools: allow).");
}

/*
 * Whether the user wants web search: web_search_options, even if empty, or a tool
 * of that type. Location and context size are ignored. (API reference of chat
 * completions and of the web search tool.)
 */
static int read_list(struct request *rq, struct openai_ask *ask, json_t *ours,
		     struct err *e)
{
	const json_t *options = json_object_get(rq->body, "web_search_options");
	const json_t *tools = json_object_get(rq->body, "tools"), *t, *out = NULL;
	const char *key = "web_search_options";
	size_t i;

	if (options && !json_is_null(options) && !json_is_object(options))
		return err_field(e, ERR_INVALID_FIELD, key,
				 "web_search_options must be an object.");
	ask->in.options.web = json_is_object(options);
	if (!oai_idle(tools) && !json_is_array(tools))
		return err_field(e, ERR_INVALID_FIELD, "tools",
				 "tools must be a list.");
	json_array_foreach((json_t *)tools, i, t) {
		if (is_web_tool(t)) {
			ask->in.options.web = 1;
			key = "tools";
		} else if (is_left_out(ask, t)) {
			out = t;
		} else if (add_function(t, ours, e) < 0) {
			return -1;
		}
	}
	if (out && !json_array_size(ours))
		return unsupported(out, e);
	if (ask->in.options.web &&
	    !tool_web_offered(&rq->by, ask->in.target.workspace, ask->in.target.agent)) {
		/* A coding agent always has it in its list. */
		if (json_array_size(ours) && !json_is_object(options)) {
			ask->in.options.web = 0;
			oai_ignored(&ask->ignored, "tools.", STR("web_search"));
			return allows(ask, e);
		}
		return err_field(e, ERR_INVALID_FIELD, key,
				 "This model has no web search.");
	}
	return json_array_size(ours) ? allows(ask, e) : 0;
}

/* {type: allowed_tools, allowed_tools: {mode, tools}}: leaves only those; the mode. */
static json_t *keep_allowed(const json_t *choice, json_t *ours)
{
	const json_t *allowed = jx_obj(choice, "allowed_tools"), *t;
	json_t *names = json_array();
	size_t i;

	json_array_foreach(jx_arr(allowed, "tools"), i, t)
		json_array_append_new(names, json_pack("{s:O?}", "name",
			json_object_get(jx_obj(t, "function"), "name")));
	for (i = json_array_size(ours); i-- > 0;)
		if (!has_tool(names, jx_str(json_array_get(ours, i), "name")))
			json_array_remove(ours, i);
	json_decref(names);
	return json_object_get(allowed, "mode");
}

static int read_choice(struct request *rq, struct openai_ask *ask, json_t *ours,
		       struct err *e)
{
	json_t *v = json_object_get(rq->body, "tool_choice");
	struct str name = jx_str(jx_obj(v, "function"), "name");

	if (!name.n)
		name = jx_str(v, "name");
	if (str_is(jx_str(v, "type"), "allowed_tools"))
		v = keep_allowed(v, ours);
	if (!v || json_is_null(v) || (json_is_string(v) &&
	    !strcmp(json_string_value(v), "auto")))
		return 0;
	if (json_is_object(v) && !has_tool(ours, name))
		return err_field(e, ERR_INVALID_FIELD, "tool_choice", "tool_choice must "
				 "be none, auto, required, or one of tools: {type: "
				 "function, function: {name}}.");
	if (json_is_object(v))
		json_object_set_new(ask->generation, "toolChoice", json_pack(
			"{s:o}", "name", jx_string(name)));
	else
		json_object_set(ask->generation, "toolChoice", v);
	return 0;
}

int oai_tools_read(struct request *rq, struct openai_ask *ask, struct err *e)
{
	const json_t *parallel = json_object_get(rq->body, "parallel_tool_calls");
	json_t *ours = jx_keep(rq->arena, json_array());
	json_t *checked;

	if (read_list(rq, ask, ours, e) < 0 || read_choice(rq, ask, ours, e) < 0)
		return -1;
	if (parallel && !json_is_null(parallel) && !json_is_boolean(parallel))
		return err_field(e, ERR_INVALID_FIELD, "parallel_tool_calls",
				 "parallel_tool_calls must be true or false.");
	if (json_is_false(parallel))
		json_object_set_new(ask->generation, "parallelToolCalls", json_false());
	if (!json_array_size(ours))
		return 0;
	ask->in.options.client = jx_keep(rq->arena, json_pack("{s:s, s:O}", "mode",
		"program", "tools", ours));
	return tool_page_read(ask->in.options.client, &checked, e);
}

/* -- the results --------------------------------------------------------------- */

/* The turn that the last call's id has, if it waits for a client of this model. */
static int find_turn(struct request *rq, const struct openai_ask *ask, struct str id,
		     struct turn *t, struct err *e)
{
	struct conversation c;
	struct uuid turn;
	int64_t position;

	if (!dialect_openai_call_parse(id, &turn, &position))
		return 0;
	if (store_turn_get(rq->app->db, &rq->by.owner, &turn, rq->arena, t, e) < 0 ||
	    conversation_get(rq->app->db, &rq->by.owner, &t->conversation_id, rq->arena,
			     &c, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return 0;
	}
	return t->status == TURN_WAITING &&
		str_eq(c.workspace_id, ask->in.workspace_id) &&
		str_eq(c.agent_id, ask->in.agent_id);
}

/* The open row of a call of the client; NULL: there is none. */
static const struct turn_wait *row_of(const struct answers *a, struct str id)
{
	struct uuid turn;
	int64_t position;

	if (!dialect_openai_call_parse(id, &turn, &position) ||
	    !uuid_eq(&turn, &a->turn.id))
		return NULL;
	for (size_t i = 0; i < a->n_rows; i++)
		if (a->rows[i].position == position &&
		    a->rows[i].kind == WAIT_CLIENT && !a->rows[i].used_us)
			return &a->rows[i];
	return NULL;
}

/* Every call that the client was given needs a result, as OpenAI has it. */
static int check_all(const struct answers *a, struct err *e)
{
	for (size_t i = 0; i < a->n_rows; i++) {
		const struct turn_wait *w = &a->rows[i];
		char id[OPENAI_CALL_BYTES];
		size_t k = 0;

		while (k < a->n && !uuid_eq(&a->v[k].id, &w->id))
			k++;
		if (k == a->n && w->kind == WAIT_CLIENT && w->status == WAIT_OPEN)
			return err_field(e, ERR_INVALID_FIELD, "messages", "The call "
					 "%s of an assistant message has no message "
					 "of the role tool with its result.",
					 dialect_openai_call_id(id, w));
	}
	return 0;
}

int oai_tools_resume(struct request *rq, struct openai_ask *ask, struct err *e)
{
	const json_t *messages = jx_arr(rq->body, "messages"), *m;
	size_t n = json_array_size(messages);
	struct turn *t = arena_new(rq->arena, struct turn);
	struct answers a = { .n = 0 };
	int rc;

	m = n ? json_array_get(messages, n - 1) : NULL;
	rc = find_turn(rq, ask, jx_str(m, "tool_call_id"), t, e);
	if (rc <= 0)
		return rc;
	if (answers_of(rq, t, &a, e) < 0)
		return -1;
	while (n-- > 0 && str_is(jx_str(json_array_get(messages, n), "role"), "tool")) {
		const struct turn_wait *row;
		struct str text;

		m = json_array_get(messages, n);
		row = row_of(&a, jx_str(m, "tool_call_id"));
		if (!row)
			return err_field(e, ERR_INVALID_FIELD, "messages", "No call "
					 "with the tool_call_id %.64s waits.",
					 jx_str(m, "tool_call_id").n
					 ? jx_str(m, "tool_call_id").p : "\"\"");
		if (oai_text(rq, m, &text, e) < 0 ||
		    answers_text(&a, row, "messages", text, e) < 0)
			return -1;
	}
	if (check_all(&a, e) < 0)
		return -1;
	ask->in.verb = TURN_RESUME;
	ask->in.of = t;
	ask->in.conversation_id = t->conversation_id;
	ask->in.decisions = a.v;
	ask->in.n_decisions = a.n;
	ask->in.options_anew = true;
	return 1;
}
