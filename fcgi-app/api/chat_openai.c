/* SPDX-License-Identifier: MIT */
/*
 * The OpenAI-compatible server: an agent is a model (docs/openai-server.md).
 *
 * The format is stateless: a request contains the whole conversation. It runs as a
 * turn in the conversation that it continues, or a new one (openai_thread.c): the last
 * message is the user's; the earlier ones that the conversation does not have are
 * stored in its metadata and sent to the model before it, so the owner can read
 * everything that the model was sent (E12). Tools run here, with the identity of
 * the token.
 */
#include "api/api.h"

#include <math.h>
#include <string.h>

#include "domain/stored.h"
#include "api/client.h"
#include "api/knowledge.h"
#include "api/openai.h"
#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/log.h"
#include "dialect/openai.h"
#include "dialect/wire.h"
#include "context/generation.h"

#include "base/banned.h"

/* -- GET /models ------------------------------------------------------------ */

static void write_model(struct jw *w, const struct workspace *ws,
			const struct agent *a)
{
	struct buf id = BUF_INIT(512);

	buf_addf(&id, "%s%s%s", ws->id, a ? "/" : "", a ? a->id : "");
	oai_model(w, buf_str(&id), a && a->row ? a->row->created_us
		  : ws->row ? ws->row->created_us : 0);
	buf_release(&id);
}

static bool can_chat(struct request *rq, const struct workspace *w,
		     const struct agent *a)
{
	const struct target t = {
		.workspace = w, .agent = a, .service = target_service(&rq->by, w, a),
	};
	struct err e = ERR_INIT;

	return policy_may_ask(rq->by.who, str_of(w->id), str_of(a->id)) &&
	       target_can_chat(&t, &e) == 0;
}

/*
 * GET {base}/openai/v1/models: 200 {object: "list", data: [{id, object,
 * created, owned_by}]}: for each workspace that the caller sees "workspace",
 * its default agent, and "workspace/agent" for each; those that can chat. Then the
 * services that the admin offers, for vectors and ranking. created is 0 for those of
 * files.
 */
int api_openai_models(struct request *rq, struct response *rs, struct err *e)
{
	struct stored_choice *all;
	struct jw w;
	size_t n;

	if (stored_choices(&rq->by, &all, &n, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kstrz(&w, "object", "list");
	jw_key(&w, "data");
	jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		const struct workspace *ws = all[i].workspace;

		if (can_chat(rq, ws, workspace_default_agent(ws)))
			write_model(&w, ws, NULL);
		for (size_t k = 0; k < all[i].n_agents; k++)
			if (can_chat(rq, ws, all[i].agents[k]))
				write_model(&w, ws, all[i].agents[k]);
	}
	if (oai_service_list(rq, &w, e) < 0)
		return -1;
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}

/* "workspace/agent" or "workspace"; id as in the request. */
static int find_model(struct request *rq, struct str id, struct str workspace,
		      struct str agent, struct target *out, struct err *e)
{
	struct err inner = ERR_INIT;

	if (slug_valid(workspace) && (!agent.p || slug_valid(agent)) &&
	    target_find(&rq->by, workspace, agent, out, &inner) == 0)
		return 0;
	return err_field(e, ERR_NOT_FOUND, "model", "There is no model "
			 "\"%.*s\"; models are agents, named workspace/agent.",
			 (int)MIN(id.n, 100), id.p);
}

/* "a%2Fb" in one segment is "a" and "b". */
static struct str cut_slash(struct str *rest)
{
	struct str whole = *rest, name = str_cut(rest, '%');

	if (rest->n > 2 && rest->p[0] == '2' && (rest->p[1] | 32) == 'f') {
		rest->p += 2;
		rest->n -= 2;
		return name;
	}
	*rest = (struct str){ NULL, 0 };
	return whole;
}

/*
 * GET {base}/openai/v1/models/{id}: 200 with one item of the list. 404
 * model_not_found if the list has no item with that id.
 */
int api_openai_model(struct request *rq, struct response *rs, struct err *e)
{
	struct str id = route_arg(rq, "workspace"), agent = id, workspace;
	struct err ignored = ERR_INIT, none = ERR_INIT;
	struct target t;
	struct jw out;
	int rc;

	workspace = cut_slash(&agent);
	if (!agent.p)
		agent = route_has_arg(rq, "agent") ? route_arg(rq, "agent")
			: (struct str){ NULL, 0 };
	if (find_model(rq, id, workspace, agent, &t, &none) < 0) {
		rc = oai_service_one(rq, rs, id, e);
		if (rc == 0)
			*e = none;
		return rc > 0 ? 0 : -1;
	}
	t.service = target_service(&rq->by, t.workspace, t.agent);
	if (target_can_chat(&t, &ignored) < 0)
		return err_field(e, ERR_NOT_FOUND, "model", "The model \"%.*s\" "
				 "cannot chat.", (int)MIN(id.n, 100), id.p);
	out = resp_json(rs, 200);
	write_model(&out, t.workspace, agent.p ? t.agent : NULL);
	return 0;
}

/* -- the request ------------------------------------------------------------ */

static int read_model(struct request *rq, struct openai_ask *ask,
		      struct err *e)
{
	struct str agent, workspace;

	if (client_name(rq->body, "model", &ask->model, e) < 0)
		return -1;
	agent = ask->model;
	workspace = str_cut(&agent, '/');
	if (find_model(rq, ask->model, workspace, agent, &ask->in.target,
		       e) < 0)
		return -1;
	ask->in.workspace_id = str_of(ask->in.target.workspace->id);
	ask->in.agent_id = str_of(ask->in.target.agent->id);
	return 0;
}

/* Parameters that require another kind of answer. */
static int check_parameters(const json_t *body, struct err *e)
{
	static const struct {
		const char *key, *why;
	} refused[] = {
		{ "functions", "Declare them as tools." },
		{ "logprobs", "Log probabilities are not available." },
		{ "audio", "Only text answers are supported." },
	};
	const json_t *n = json_object_get(body, "n"), *mode, *v;
	size_t i;

	for (i = 0; i < ARRAY_LEN(refused); i++)
		if (!oai_idle(json_object_get(body, refused[i].key)))
			return err_field(e, ERR_INVALID_FIELD, refused[i].key,
					 "%s", refused[i].why);
	if (n && !json_is_null(n) && json_number_value(n) != 1)
		return err_field(e, ERR_INVALID_FIELD, "n",
				 "Only one choice per request is supported.");
	mode = jx_arr(body, "modalities");
	json_array_foreach((json_t *)mode, i, v)
		if (!json_is_string(v) || strcmp(json_string_value(v), "text"))
			return err_field(e, ERR_INVALID_FIELD, "modalities",
					 "Only text answers are supported.");
	return 0;
}

/* The parameters of the option `generation`. */
static const struct {
	const char *theirs, *ours;
	unsigned takes;		/* LLM_TAKES_*: not of every service */
	bool whole;		/* an integer, which some programs write as 9.0 */
} generation_params[] = {
	{ "max_tokens", "maxTokens", 0, true },
	{ "max_completion_tokens", "maxTokens", 0, true },
	{ "temperature", "temperature", 0, false },
	{ "top_p", "topP", 0, false },
	{ "seed", "seed", LLM_TAKES_SEED, true },
	{ "presence_penalty", "presencePenalty", LLM_TAKES_PENALTIES, false },
	{ "frequency_penalty", "frequencyPenalty", LLM_TAKES_PENALTIES, false },
	{ "reasoning_effort", "reasoningEffort", 0, false },
};

/* 9.0 is 9. New. */
static json_t *integer_of(json_t *v)
{
	const double most = 9007199254740992.0;	/* beyond, not all are there */
	double x = json_is_real(v) ? json_real_value(v) : 0.5;

	return x == floor(x) && fabs(x) <= most ? json_integer((json_int_t)x)
		: json_incref(v);
}

/* A text, or a list of texts; empty ones stop nothing. */
static json_t *read_stop(json_t *v)
{
	json_t *list = json_array(), *one;
	size_t i;

	if (json_is_string(v) && json_string_length(v))
		json_array_append(list, v);
	json_array_foreach(v, i, one)
		if (!json_is_string(one) || json_string_length(one))
			json_array_append(list, one);
	if (v && !json_is_null(v) && !json_is_string(v) && !json_is_array(v))
		json_array_append(list, v);
	return list;
}

/* {type: text, json_object or json_schema}: the schema, or NULL. */
static int read_format(const json_t *body, json_t *generation, struct err *e)
{
	const json_t *format = json_object_get(body, "response_format");
	json_t *schema = jx_obj(jx_obj(format, "json_schema"), "schema");
	struct str type = jx_str(format, "type");

	if (!format || json_is_null(format) || str_is(type, "text"))
		return 0;
	if (str_is(type, "json_object"))
		json_object_set_new(generation, "schema",
				    json_pack("{s:s}", "type", "object"));
	else if (str_is(type, "json_schema") && schema)
		json_object_set(generation, "schema", schema);
	else
		return err_field(e, ERR_INVALID_FIELD, "response_format",
				 "response_format must be {type: text}, {type: "
				 "json_object} or {type: json_schema, "
				 "json_schema: {name, schema}}.");
	return 0;
}

static int read_generation(struct request *rq, struct openai_ask *ask,
			   struct err *e)
{
	json_t *o = ask->generation;
	json_t *stop = read_stop(json_object_get(rq->body, "stop"));
	struct generation g;

	for (size_t i = 0; i < ARRAY_LEN(generation_params); i++) {
		json_t *v = json_object_get(rq->body, generation_params[i].theirs);

		if (v && !json_is_null(v))
			json_object_set_new(o, generation_params[i].ours, generation_params[i].whole
					    ? integer_of(v) : json_incref(v));
	}
	if (json_array_size(stop))
		json_object_set(o, "stop", stop);
	json_decref(stop);
	if (read_format(rq->body, o, e) < 0)
		return -1;
	if (generation_read(o, true, &g, e) < 0) {
		/* Two names of one member. */
		if (!strcmp(e->field, "max_completion_tokens") &&
		    oai_idle(json_object_get(rq->body, e->field))) {
			err_clear(e);
			err_field(e, ERR_INVALID_FIELD, "max_tokens",
				  "max_tokens must be a positive integer.");
		}
		return -1;
	}
	if (json_object_size(o))
		ask->in.options.generation = o;
	return 0;
}

/* -- what is ignored --------------------------------------------------------- */

static bool is_known(const char *key)
{
	static const char *const known[] = {
		"model", "messages", "stream", "stream_options", "n", "stop",
		"response_format", "tools", "tool_choice", "parallel_tool_calls",
		"modalities", "web_search_options",
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (!strcmp(key, known[i]))
			return true;
	for (size_t i = 0; i < ARRAY_LEN(generation_params); i++)
		if (!strcmp(key, generation_params[i].theirs))
			return true;
	return false;
}

/* Members that nothing here reads, and that ask for something. */
static void note_ignored(const json_t *body, struct openai_ask *ask)
{
	const char *key;
	const json_t *v;

	json_object_foreach((json_t *)body, key, v)
		if (!is_known(key) && !oai_idle(v))
			oai_ignored(&ask->ignored, "", str_of(key));
}

/* Adds the client's tools that the turn does not have to X-Ignored-Parameters. */
static void oai_tools_ignored(struct openai_ask *ask, const struct turn_run *t)
{
	const json_t *tools = jx_arr(ask->in.options.client, "tools"), *one;
	const struct tool_turn *turn = turn_tools(t);
	size_t i, k;

	json_array_foreach((json_t *)tools, i, one) {
		struct str name = jx_str(one, "name");

		for (k = 0; turn && k < turn->n_more; k++)
			if (str_is(name, turn->more[k].name))
				break;
		if (turn && k == turn->n_more)
			oai_ignored(&ask->ignored, "tools.", name);
	}
}

/* The header, once the service is known. */
static void write_ignored(struct response *rs, const struct turn_run *t,
			  void *ctx)
{
	struct openai_ask *ask = ctx;
	unsigned takes = llm_takes(t->in.target.service);

	for (size_t i = 0; i < ARRAY_LEN(generation_params); i++)
		if (generation_params[i].takes & ~takes &&
		    json_object_get(ask->generation, generation_params[i].ours))
			oai_ignored(&ask->ignored, "", str_of(generation_params[i].theirs));
	oai_tools_ignored(ask, t);
	if (ask->ignored.n && buf_ok(&ask->ignored))
		resp_header(rs, "X-Ignored-Parameters", ask->ignored.p);
	inline_tell(rs, &ask->files);
}

/* A call that the model made in an earlier answer, here or elsewhere. */
static int write_call(struct request *rq, struct jw *w, const json_t *call,
		      struct err *e)
{
	const json_t *f = jx_obj(call, "function");
	const json_t *opened = jx_obj(f, "arguments");	/* not as a text */

	if (!jx_str(call, "id").n || !jx_str(f, "name").n)
		return err_field(e, ERR_INVALID_FIELD, "messages", "One of tool_calls "
				 "must be {id, type: function, function: {name, "
				 "arguments}}.");
	jw_obj(w);
	jw_kstr(w, "id", jx_str(call, "id"));
	jw_kstr(w, "name", jx_str(f, "name"));
	jw_kstr(w, "arguments", opened ? str_of(jx_text(rq->arena, opened))
		: jx_str(f, "arguments"));
	jw_end_obj(w);
	return 0;
}

/* One message before the last, for the metadata. */
static int write_given(struct request *rq, struct jw *w, const json_t *m,
		       struct err *e)
{
	static const struct {
		const char *theirs, *ours;
	} roles[] = {
		{ "user", "user" }, { "assistant", "assistant" },
		{ "system", "system" }, { "developer", "system" },
		{ "tool", "tool" },
	};
	const json_t *calls = json_object_get(m, "tool_calls"), *call;
	struct str role = jx_str(m, "role"), text;
	size_t i = 0, k;
	int rc = 0;

	while (i < ARRAY_LEN(roles) && !str_is(role, roles[i].theirs))
		i++;
	if (i == ARRAY_LEN(roles))
		return err_field(e, ERR_INVALID_FIELD, "messages", "Messages have the "
				 "roles system, developer, user, assistant and tool.");
	if (str_is(role, "tool") && !jx_str(m, "tool_call_id").n)
		return err_field(e, ERR_INVALID_FIELD, "messages", "A message of the "
				 "role tool needs its tool_call_id.");
	if (oai_text(rq, m, &text, e) < 0)
		return -1;
	jw_obj(w);
	jw_kstrz(w, "role", roles[i].ours);
	jw_kstr(w, "content", text);
	if (str_is(role, "tool"))
		jw_kstr(w, "toolCallId", jx_str(m, "tool_call_id"));
	if (str_is(role, "assistant") && json_array_size(calls)) {
		jw_key(w, "toolCalls");
		jw_arr(w);
		json_array_foreach((json_t *)calls, k, call)
			if (rc == 0)
				rc = write_call(rq, w, call, e);
		jw_end_arr(w);
	}
	jw_end_obj(w);
	return rc;
}

/*
 * What the turn is asked. Most often the last message, which is not one of those given
 * then. An answer is continued where it stops; results of calls that no turn waits for
 * (of another model, or too late) are answered as they are.
 */
static int read_last(struct request *rq, struct openai_ask *ask, const json_t *messages,
		     size_t *n_given, struct err *e)
{
	size_t n = json_array_size(messages);
	struct str role = jx_str(n ? json_array_get(messages, n - 1) : NULL, "role");

	*n_given = n;
	if (str_is(role, "tool"))
		ask->in.content = STR("[Go on with these results.]");
	else if (n > 1 && str_is(role, "assistant"))
		ask->in.content = STR("[Continue your answer above exactly where it "
				      "stops, without repeating any of it and without "
				      "a remark about this.]");
	else if (client_last_text(rq, messages, "content", &ask->in.content, e) < 0)
		return -1;
	else
		--*n_given;
	return 0;
}

/*
 * The metadata of the new message: those of the first n that its conversation does not
 * have yet. System messages are part of it where they have changed.
 */
static int write_meta(struct request *rq, struct openai_ask *ask, struct err *e)
{
	const struct openai_thread *t = &ask->thread;
	const json_t *messages = jx_arr(rq->body, "messages"), *m;
	bool is_known = t->how != OAI_NEW &&
		uuid_eq(&t->found.instructions, &t->instructions);
	struct buf b = BUF_INIT(LIM_OPENAI_GIVEN_BYTES);
	struct jw w = jw_on(&b);
	bool open = false;
	int rc = 0;

	if (ask->in.verb == TURN_RESUME)
		return 0;
	jw_obj(&w);
	jw_kstrz(&w, "client", "openai");
	for (size_t i = 0; i < ask->n_given && rc == 0; i++) {
		m = json_array_get(messages, i);
		if (oai_is_system(m) ? is_known : i < t->known)
			continue;
		if (!open) {
			jw_key(&w, "given");
			jw_arr(&w);
			open = true;
		}
		rc = write_given(rq, &w, m, e);
	}
	if (open)
		jw_end_arr(&w);
	jw_end_obj(&w);
	ask->in.meta = (struct str){ arena_memdup(rq->arena, b.p, b.n), b.n };
	if (rc == 0 && !buf_ok(&b))
		rc = err_field(e, ERR_TOO_BIG, "messages",
			       "There are too many messages.");
	buf_release(&b);
	return rc;
}

/*
 * The files of the messages that its conversation does not have, the newest first:
 * there may be more than one message may have.
 */
static int take_files(struct request *rq, struct openai_ask *ask, struct err *e)
{
	const json_t *messages = jx_arr(rq->body, "messages"), *m;

	if (ask->in.verb == TURN_RESUME || ask->thread.how == OAI_AGAIN)
		return 0;
	while (ask->files_from > ask->thread.known) {
		m = json_array_get(messages, --ask->files_from);
		if (str_is(jx_str(m, "role"), "user") &&
		    inline_take(rq, json_object_get(m, "content"), &ask->files, e) < 0)
			return -1;
	}
	return 0;
}

/*
 * Instructions behind the last message, as programs repeat them there, come before it,
 * and before the calls that its results are of. Alone they are the question.
 */
static void order(json_t *messages)
{
	size_t n = json_array_size(messages), end = n, to;

	while (end && oai_is_system(json_array_get(messages, end - 1)))
		end--;
	if (n && !end)
		json_object_set_new(json_array_get(messages, n - 1), "role",
				    json_string("user"));
	to = end ? end - 1 : 0;
	while (to && str_is(jx_str(json_array_get(messages, to), "role"), "tool"))
		to--;
	for (size_t i = end; end && i < n; i++) {
		json_t *m = json_incref(json_array_get(messages, i));

		json_array_remove(messages, i);
		json_array_insert_new(messages, to++, m);
	}
}

static int read_messages(struct request *rq, struct openai_ask *ask,
			 struct err *e)
{
	int rc;

	order(jx_arr(rq->body, "messages"));
	rc = oai_tools_resume(rq, ask, e);

	if (rc < 0 || oai_thread_read(rq, ask, e) < 0)
		return -1;
	if (rc > 0)
		return 0;
	if (read_last(rq, ask, jx_arr(rq->body, "messages"), &ask->n_given, e) < 0)
		return -1;
	ask->thread.content = ask->in.content;
	return oai_thread_find(rq, ask, ask->n_given, e);
}

/* Absent and null are false. */
static int read_flag(const json_t *o, const char *key, const char *field,
		     bool *out, struct err *e)
{
	const json_t *v = json_object_get(o, key);

	*out = json_is_true(v);
	return !v || json_is_null(v) || json_is_boolean(v) ? 0
		: err_field(e, ERR_INVALID_FIELD, field,
			    "%s must be true or false.", field);
}

static int read_stream(const json_t *body, struct openai_ask *ask,
		       struct err *e)
{
	const json_t *options = json_object_get(body, "stream_options");

	if (read_flag(body, "stream", "stream", &ask->stream, e) < 0)
		return -1;
	if (options && !json_is_null(options) && !json_is_object(options))
		return err_field(e, ERR_INVALID_FIELD, "stream_options",
				 "stream_options must be an object.");
	return read_flag(options, "include_usage",
			 "stream_options.include_usage", &ask->want_usage, e);
}

static int read_parameters(struct request *rq, struct openai_ask *ask, struct err *e)
{
	*ask = (struct openai_ask){
		.rq = rq, .in = send_request(rq, TURN_SEND),
		.ignored = BUF_INIT(4096), .streamed = BUF_INIT(2 * LIM_ANSWER_BYTES),
		.generation = jx_keep(rq->arena, json_object()),
	};
	if (!json_is_object(rq->body))
		return err_public(e, ERR_INVALID_JSON,
				  "The body must be a JSON object.");
	if (read_stream(rq->body, ask, e) < 0 ||
	    read_model(rq, ask, e) < 0 ||
	    check_parameters(rq->body, e) < 0 ||
	    oai_tools_read(rq, ask, e) < 0 || read_generation(rq, ask, e) < 0)
		return -1;
	note_ignored(rq->body, ask);
	return 0;
}

/* -- the answer ------------------------------------------------------------- */

/* A failed turn becomes an HTTP error with the status of its code. */
static int fail(const struct turn_run *t, struct err *e)
{
	struct wire_answer a;
	enum err_code code;

	wire_answer_read(&a, &t->answer);
	code = dialect_openai_err_code(a.error_code);
	err_public(e, code, "%.*s", STR_ARG(a.error_message));
	wire_answer_release(&a);
	return -1;
}

/* The answer is worth more than its sources, so that it comes without them. */
static size_t sources_of(struct request *rq, const struct turn_run *t,
			 const struct wire_answer *a, struct source **v)
{
	struct err why = ERR_INIT;
	size_t n = 0;

	if (json_array_size(jx_arr(a->meta, "sources")) &&
	    api_source_of_turn(rq, &t->id, v, &n, &why)) {
		log_err("sources of an answer", &why);
		return 0;
	}
	return n;
}

/* The content; p == NULL for calls without a text. */
static struct str text_of(struct request *rq, const struct turn_run *t)
{
	if (t->n_waits)
		return dialect_openai_waiting(rq->arena, t->waits, t->n_waits,
					      client_page(rq), &t->conversation_id);
	return t->answer.content.p ? t->answer.content : STR("");
}

static int answer_whole(struct request *rq, struct response *rs, const struct turn_run *t,
			enum turn_status status, const struct openai_ask *ask,
			struct err *e)
{
	struct source *v = NULL;
	bool calls = dialect_openai_calls(t->waits, t->n_waits);
	struct wire_answer a;
	struct jw w;
	size_t n;

	if (status == TURN_ERROR)
		return fail(t, e);
	if (ask->responses) {
		w = resp_json(rs, 200);
		jw_json(&w, jx_keep(rq->arena, responses_whole(
			ask->responses, t, &t->answer, text_of(rq, t), t->waits,
			t->n_waits)));
		return 0;
	}
	wire_answer_read(&a, &t->answer);
	n = sources_of(rq, t, &a, &v);
	w = resp_json(rs, 200);
	jw_obj(&w);
	dialect_openai_head(&w, "chat.completion", ask->model, t);
	jw_key(&w, "choices");
	jw_arr(&w);
	jw_obj(&w);
	jw_kint(&w, "index", 0);
	jw_key(&w, "message");
	jw_obj(&w);
	jw_kstrz(&w, "role", "assistant");
	jw_kstr(&w, "content", text_of(rq, t));
	jw_kstrz(&w, "refusal", NULL);
	if (calls) {
		jw_key(&w, "tool_calls");
		jw_arr(&w);
		for (size_t i = 0, k = 0; i < t->n_waits; i++)
			if (t->waits[i].kind == WAIT_CLIENT)
				dialect_openai_call(&w, &t->waits[i], k++, false);
		jw_end_arr(&w);
	}
	if (jx_str(a.meta, "reasoning").n)
		jw_kstr(&w, "reasoning_content", jx_str(a.meta, "reasoning"));
	dialect_openai_annotations(&w, t->answer.content, 0, v, n, true);
	jw_end_obj(&w);
	jw_kstrz(&w, "logprobs", NULL);
	jw_kstrz(&w, "finish_reason", calls ? "tool_calls"
		 : dialect_openai_finish_reason(a.finish_reason));
	jw_end_obj(&w);
	jw_end_arr(&w);
	jw_key(&w, "usage");
	dialect_openai_usage(&w, a.usage);
	jw_end_obj(&w);
	wire_answer_release(&a);
	return 0;
}

/* What the client is told, or can fetch: its next request knows the thread. */
static void tell_whole(struct request *rq, const struct openai_ask *ask,
		       const struct turn_run *t, enum turn_status status)
{
	if (status == TURN_WAITING)
		oai_thread_note(rq, ask, t, 0, text_of(rq, t));
	else if (t->answer.seq)
		oai_thread_note(rq, ask, t, t->answer.seq, text_of(rq, t));
}

static int send_and_wait(struct request *rq, struct response *rs,
			 struct openai_ask *ask, struct err *e)
{
	enum turn_status status;
	struct turn_run *t;

	if (send_whole(rq, &ask->in, &t, &status, e) < 0)
		return -1;
	write_ignored(rs, t, ask);
	tell_whole(rq, ask, t, status);
	return answer_whole(rq, rs, t, status, ask, e);
}

/* A response that is made after it was answered; in the request's arena. */
struct openai_later {
	struct openai_ask ask;
	struct turn_run *run;
	void (*after)(struct request *rq);	/* of run */
};

static void run_later(struct request *rq)
{
	struct openai_later *l = rq->after_ctx;

	tell_whole(rq, &l->ask, l->run, turn_run(l->run, NULL));
	rq->after_ctx = l->run;
	l->after(rq);
}

static int send_and_leave(struct request *rq, struct response *rs,
			  struct openai_ask *ask, struct err *e)
{
	struct openai_later *l = arena_new(rq->arena, struct openai_later);
	const struct message nothing = { .role = ROLE_ASSISTANT };
	int rc = send_start(rq, &ask->in, &l->run, e);
	struct jw w;
	json_t *o;

	if (rc < 0)
		return -1;
	write_ignored(rs, l->run, ask);
	o = jx_keep(rq->arena, responses_whole(ask->responses, l->run, &nothing, STR(""),
					       NULL, 0));
	json_object_set_new(o, "status", json_string("in_progress"));
	w = resp_json(rs, 200);
	jw_json(&w, o);
	if (rc != TURN_STARTED)
		return 0;
	l->ask = *ask;
	/* oai_answer releases them, before this runs. */
	l->ask.ignored = l->ask.streamed = (struct buf)BUF_INIT(0);
	l->after = rq->after;
	rq->after = run_later;
	rq->after_ctx = l;
	return 0;
}

/* The stream is complete: its next request knows the thread. */
static void on_sent(const struct turn_event *ev, void *ctx)
{
	const struct openai_ask *ask = ctx;

	if (buf_ok(&ask->streamed) && (ev->type == TURN_EV_WAITING ||
				       ev->type == TURN_EV_DONE))
		oai_thread_note(ask->rq, ask, ev->run, ev->type == TURN_EV_DONE
				? ev->message->seq : 0, buf_str(&ask->streamed));
}

/* Answers a question that a user interface asks for itself. */
static int answer_helper(struct request *rq, struct response *rs,
			 const struct openai_ask *ask, struct err *e)
{
	struct openai_lone a = {
		.id = uuid_new(), .created_us = clock_now_us(), .model = ask->model,
	};
	struct prompt_reply *r;

	if (oai_helper_ask(rq, ask, &r, e) < 0)
		return -1;
	a.text = r->text;
	a.spent = &r->spent;
	a.finish_reason = dialect_openai_finish_reason(str_of(llm_stop_name(r->stop)));
	if (ask->ignored.n && buf_ok(&ask->ignored))
		resp_header(rs, "X-Ignored-Parameters", ask->ignored.p);
	if (!ask->stream) {
		dialect_openai_lone(resp_json(rs, 200).b, &a);
		return 0;
	}
	resp_open_stream(rs, dialect_openai.content_type, dialect_openai.preamble);
	dialect_openai_lone_stream(resp_stream(rs), &a, ask->want_usage);
	resp_flush(rs);
	return 0;
}

/* Whether, after a turn could not be started, there is another way: then that is set. */
static bool oai_thread_other(struct openai_ask *ask, const struct err *e)
{
	struct openai_thread *t = &ask->thread;

	if (ask->in.verb == TURN_RESUME || t->how == OAI_NEW ||
	    (e->code != ERR_BUSY && e->code != ERR_CONFLICT &&
	     e->code != ERR_NOT_FOUND))
		return false;
	if (t->linked && t->how == OAI_FORK)
		return false;
	t->how = t->how == OAI_FORK ? OAI_NEW : OAI_FORK;
	if (t->how == OAI_NEW)
		t->known = 0;
	return true;
}

/* Starts the turn in its conversation or, if that does not do, in another one. */
static int send(struct request *rq, struct response *rs, struct openai_ask *ask,
		const struct send_as *as, struct err *e)
{
	int rc;

	ask->files_from = json_array_size(jx_arr(rq->body, "messages"));
	for (;;) {
		if (oai_thread_use(rq, ask, e) < 0 || write_meta(rq, ask, e) < 0 ||
		    take_files(rq, ask, e) < 0)
			return -1;
		/* Those of the try before. */
		ask->in.options.attachments = NULL;
		if (ask->in.content.p && inline_use(rq, &ask->files, &ask->in, e) < 0)
			return -1;
		rc = ask->stream ? send_stream(rq, rs, &ask->in, as, e)
			: ask->background ? send_and_leave(rq, rs, ask, e)
			: send_and_wait(rq, rs, ask, e);
		if (rc == 0 || !oai_thread_other(ask, e))
			return rc;
		err_clear(e);
	}
}

/*
 * Makes the request follow a response of the caller, with the same model.
 * ERR_NOT_FOUND (previous_response_id).
 */
static int oai_thread_follow(struct request *rq, struct openai_ask *ask, struct str previous,
			     struct err *e)
{
	struct openai_thread *th = &ask->thread;
	struct conversation c;
	struct turn t;

	if (oai_thread_turn(rq, previous, "previous_response_id", &t, &c, e) < 0)
		return -1;
	if (!str_eq(c.workspace_id, ask->in.workspace_id) ||
	    !str_eq(c.agent_id, ask->in.agent_id))
		return err_field(e, ERR_NOT_FOUND, "previous_response_id", "That response is "
				 "of another model.");
	th->linked = true;
	th->found = (struct prefix){
		.conversation_id = c.id, .user_seq = t.user_seq,
		.answer_seq = t.answer_seq, .last_seq = c.last_seq,
		.superseded = c.superseded,
	};
	return 0;
}

int oai_answer(struct request *rq, struct response *rs, struct responses *r,
	       struct str previous, struct err *e)
{
	struct openai_asked asked;
	struct openai_ask ask;
	struct send_as as = {
		.dialect = DIALECT_OPENAI, .asked = &asked,
		.no_end = r != NULL,
		.begun = write_ignored, .written = on_sent,
		.ctx = &ask,
	};
	int rc = read_parameters(rq, &ask, e);
	bool helper = rc == 0 && !r && oai_helper_is(rq);

	ask.responses = r;
	ask.background = r && json_is_true(json_object_get(r->echo, "background"));
	as.stops_with_client = !ask.background;
	if (rc == 0 && previous.n)
		rc = oai_thread_follow(rq, &ask, previous, e);
	if (rc == 0 && !helper)
		rc = read_messages(rq, &ask, e);

	asked = (struct openai_asked){
		.model = ask.model, .want_usage = ask.want_usage,
		.typed = json_object_get(ask.generation, "schema"),
		.page = client_page(rq), .streamed = &ask.streamed, .responses = r,
		.write = r ? responses_write : NULL,
	};
	if (rc == 0)
		rc = helper ? answer_helper(rq, rs, &ask, e)
			: send(rq, rs, &ask, &as, e);
	/* A client that left was not sent the end. */
	if (r)
		responses_release(r);
	buf_release(&ask.ignored);
	buf_release(&ask.streamed);
	return rc;
}

/*
 * POST {base}/openai/v1/chat/completions {model, messages, stream?,
 * stream_options?, …}: 200 chat.completion, or with stream chunks and [DONE].
 * Errors {error: {message, type, param, code}}: 400 for unsupported requests, 404
 * model_not_found, and those of the turn, before the stream as a status and within
 * it as a chunk. If the client leaves, the turn is stopped, because nobody could
 * fetch the answer, except with an Idempotency-Key.
 */
int api_openai_chat(struct request *rq, struct response *rs, struct err *e)
{
	return oai_answer(rq, rs, NULL, (struct str){ NULL, 0 }, e);
}
