/* SPDX-License-Identifier: MIT */
#include "api/client.h"

#include "api/inline.h"
#include "api/scope.h"
#include "app.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "store/conversation.h"
#include "event/notify.h"

#include "base/banned.h"

static struct str text_of(const json_t *v)
{
	return (struct str){ json_string_value(v), json_string_length(v) };
}

/* What the model thought, which clients that have it in parts send again. */
static bool is_reasoning(struct str type)
{
	return str_is(type, "thinking") || str_is(type, "redacted_thinking") ||
		str_is(type, "reasoning");
}

static int text_beside(struct request *rq, const json_t *content, const char *field,
		       bool files, struct str *out, struct err *e)
{
	struct buf b = BUF_INIT(LIM_ANSWER_BYTES);
	const json_t *part;
	size_t i;

	if (json_is_string(content)) {
		*out = text_of(content);
		return 0;
	}
	if (!json_is_array(content))
		return err_field(e, ERR_INVALID_FIELD, field,
				 "The content of each of %s must be a text or "
				 "a list of parts.", field);
	json_array_foreach((json_t *)content, i, part) {
		struct str type = jx_str(part, "type");

		if (files && (inline_is(part) || is_reasoning(type)))
			continue;
		if (files && str_is(type, "refusal")) {
			buf_addstr(&b, jx_str(part, "refusal"));
			continue;
		}
		if (!str_is(type, "text") && !str_is(type, "input_text") &&
		    !str_is(type, "output_text")) {
			buf_release(&b);
			return err_field(e, ERR_INVALID_FIELD, field,
					 "Only parts of the type text are "
					 "accepted here, not \"%.*s\".",
					 (int)MIN(type.n, 40), type.n ? type.p : "");
		}
		if (!json_is_string(json_object_get(part, "text"))) {
			buf_release(&b);
			return err_field(e, ERR_INVALID_FIELD, field, "The text of a part "
					 "of %s must be a string.", field);
		}
		buf_addstr(&b, jx_str(part, "text"));
	}
	*out = (struct str){ arena_memdup(rq->arena, b.p, b.n), b.n };
	if (!buf_ok(&b))
		err_field(e, ERR_TOO_BIG, field, "The text is too long.");
	buf_release(&b);
	return e->code ? -1 : 0;
}

int client_text(struct request *rq, const json_t *content, const char *field,
		struct str *out, struct err *e)
{
	return text_beside(rq, content, field, false, out, e);
}

int client_message_text(struct request *rq, const json_t *content,
		struct str *out, struct err *e)
{
	return text_beside(rq, content, "messages", true, out, e);
}

int client_last_text(struct request *rq, const json_t *messages,
		     const char *key, struct str *out, struct err *e)
{
	size_t n = json_array_size(messages);
	const json_t *last = n ? json_array_get(messages, n - 1) : NULL;
	const json_t *content = json_object_get(last, key);
	size_t max = (size_t)rq->conf->limits.message_chars;

	if (!str_is(jx_str(last, "role"), "user"))
		return err_field(e, ERR_INVALID_FIELD, "messages",
				 "The last of messages must be a new one with "
				 "the role user.");
	if (!content)
		content = json_object_get(last, "content");
	if (client_message_text(rq, content, out, e) < 0)
		return -1;
	if (!str_trim(*out).n && !inline_has(content))
		return err_field(e, ERR_INVALID_FIELD, "messages",
				 "The last message must not be empty.");
	if (out->n > max && utf8_chars(*out) > max)
		return err_field(e, ERR_INVALID_FIELD, "messages",
				 "A message may have at most %zu characters.",
				 max);
	return 0;
}

int client_name(const json_t *body, const char *key, struct str *out,
		struct err *e)
{
	*out = jx_str(body, key);
	if (!out->n || utf8_chars(*out) > LIM_CLIENT_NAME_CHARS)
		return err_field(e, ERR_INVALID_FIELD, key,
				 "%s must be a text of 1 to %d characters.",
				 key, LIM_CLIENT_NAME_CHARS);
	return 0;
}

/* The id of the row that identifies this caller's thread. */
static struct uuid thread_id(const struct request *rq,
			     const struct workspace *w, const char *kind,
			     struct str name)
{
	struct buf scope = BUF_INIT(1024);
	struct uuid id;

	buf_addf(&scope, "%s/%s/%s", rq->by.who->user_id_text, kind, w->id);
	id = uuid_of_name(buf_str(&scope), name);
	buf_release(&scope);
	return id;
}

static int set_agent(struct request *rq, struct client_thread *t,
		     struct str agent, struct err *e)
{
	const struct agent *a = scope_agent(rq, t->target.workspace, agent, e);

	if (!a)
		return -1;
	if (!policy_may_ask(rq->by.who, str_of(t->target.workspace->id), str_of(a->id)))
		return err_set(e, ERR_NOT_FOUND, "not an agent of the token");
	t->target = target_of(rq->conf, t->target.workspace, a);
	return 0;
}

/* Finds it; 1 = there is none. */
static int find_client(struct request *rq, const struct uuid *id,
		       struct client_thread *t, struct str agent, struct err *e)
{
	struct conversation c;

	if (conversation_get(rq->app->db, &rq->by.owner, id, rq->arena, &c,
			     e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return 1;
	}
	if (!str_is(c.workspace_id, t->target.workspace->id))
		return err_set(e, ERR_NOT_FOUND, "another workspace's thread");
	if (target_conversation(&rq->by, &c, e) < 0)
		return -1;
	t->conversation_id = *id;
	if (conversation_running(&c, clock_now_us()))
		t->running_turn_id = c.running_turn_id;
	return set_agent(rq, t, agent.p ? agent : c.agent_id, e);
}

static int make(struct request *rq, const struct uuid *id,
		struct client_thread *t, struct str agent, struct err *e)
{
	struct conversation_new n = { .id = id };
	struct conversation c;

	if (set_agent(rq, t, agent, e) < 0 ||
	    target_settle(&rq->by, &t->target, rq->arena, e) < 0 ||
	    target_can_chat(&t->target, e) < 0)
		return -1;
	n.workspace_id = str_of(t->target.workspace->id);
	n.agent_id = str_of(t->target.agent->id);
	t->conversation_id = *id;
	if (conversation_create(rq->app->db, &rq->by.owner, &n, &c, e) == 0) {
		notify_conversation(rq->app->notify, &rq->by.owner, id,
				    "created", c.title);
		return 0;
	}
	if (e->code != ERR_CONFLICT)
		return -1;
	err_clear(e);		/* another request of this client created it first */
	if (find_client(rq, id, t, agent, e) == 0)
		return 0;
	return err_set(e, ERR_CONFLICT, "the thread comes and goes");
}

/* 1 = there is none; *id is then the id that it would get. */
static int find_named(struct request *rq, const char *kind, struct str name,
		      struct client_thread *out, struct str *agent,
		      struct uuid *id, struct err *e)
{
	int rc = 1;

	*out = (struct client_thread){
		.target.workspace =
			scope_workspace(rq, route_arg(rq, "workspace"), e),
	};
	if (!out->target.workspace || req_query(rq, "agentId", agent, e) < 0)
		return -1;
	if (agent->p && !slug_valid(*agent))
		return err_set(e, ERR_NOT_FOUND, "no agent's id");
	if (uuid_parse(name, id))
		rc = find_client(rq, id, out, *agent, e);
	if (rc == 1) {
		*id = thread_id(rq, out->target.workspace, kind, name);
		rc = find_client(rq, id, out, *agent, e);
	}
	return rc;
}

/*
 * The conversation that a client calls name: a conversation of the caller with that
 * id, or one that is created for this caller, workspace, kind ("ai-sdk") and name,
 * and found again later. The workspace is the path's; the agent is
 * the query's agentId, else the conversation's, else the default.
 * ERR_NOT_FOUND, and the errors of target_can_chat before anything is made.
 */
static int client_thread(struct request *rq, const char *kind, struct str name,
			 struct client_thread *out, struct err *e)
{
	struct str agent;
	struct uuid id;
	int rc = find_named(rq, kind, name, out, &agent, &id, e);

	return rc == 1 ? make(rq, &id, out, agent, e) : rc;
}

int client_find_thread(struct request *rq, const char *kind, struct str name,
		       struct client_thread *out, struct err *e)
{
	struct str agent;
	struct uuid id;

	return find_named(rq, kind, name, out, &agent, &id, e);
}

void client_target(const struct client_thread *t, struct turn_request *in)
{
	in->target = t->target;
	in->conversation_id = t->conversation_id;
}

/* Sends in to a conversation that is there, or (`makes`) that is new. */
static int try_send(struct request *rq, struct response *rs, const struct uuid *id,
		    bool makes, struct turn_request *in, const struct send_as *as,
		    struct err *e)
{
	in->conversation_id = makes ? (struct uuid){ { 0 } } : *id;
	in->makes = makes ? *id : (struct uuid){ { 0 } };
	return send_stream(rq, rs, in, as, e);
}

static int look_up_and_send(struct request *rq, struct response *rs, const char *kind,
			    struct str name, struct turn_request *in,
			    const struct send_as *as, struct err *e)
{
	struct client_thread t;

	if (client_thread(rq, kind, name, &t, e) < 0)
		return -1;
	client_target(&t, in);
	return try_send(rq, rs, &t.conversation_id, false, in, as, e);
}

/* Whether it is the id of a conversation, by its version: clients make others. */
static bool is_ours(struct str name, struct uuid *id)
{
	return uuid_parse(name, id) && id->b[6] >> 4 >= 7;
}

int client_send(struct request *rq, struct response *rs, const char *kind,
		struct str name, bool first, struct turn_request *in,
		const struct send_as *as, struct err *e)
{
	const struct workspace *w = scope_workspace(rq, route_arg(rq, "workspace"), e);
	struct uuid id;
	bool ours = is_ours(name, &id);
	int rc;

	if (!w || req_query(rq, "agentId", &in->agent_id, e) < 0)
		return -1;
	if (in->agent_id.p && !slug_valid(in->agent_id))
		return look_up_and_send(rq, rs, kind, name, in, as, e);
	in->workspace_id = str_of(w->id);
	if (!ours)
		id = thread_id(rq, w, kind, name);
	for (int i = 0; i < (ours ? 1 : 2); i++) {
		bool makes = !ours && first == (i == 0);

		rc = try_send(rq, rs, &id, makes, in, as, e);
		if (rc == 0 || e->code != (makes ? ERR_CONFLICT : ERR_NOT_FOUND))
			return rc;
		err_clear(e);
	}
	return look_up_and_send(rq, rs, kind, name, in, as, e);
}

/* -- the program ----------------------------------------------------------------- */

/* Printable characters of s as a name, at most LIM_CLIENT_CHARS. */
static struct str name_of(struct request *rq, struct str s)
{
	struct buf b = BUF_INIT(LIM_CLIENT_CHARS + 1);
	struct str out;

	for (size_t i = 0; i < s.n && b.n < LIM_CLIENT_CHARS; i++)
		if (s.p[i] >= ' ' && s.p[i] <= '~')
			buf_addc(&b, s.p[i]);
	out = str_trim(arena_str(rq->arena, buf_str(&b)));
	buf_release(&b);
	return out;
}

/* The product of a User-Agent: "OpenAI" of "OpenAI/JS 7.57.0". */
static struct str product_of(struct str agent)
{
	size_t n = 0;

	while (n < agent.n && agent.p[n] != '/' && agent.p[n] != ' ')
		n++;
	agent.n = n;
	return agent;
}

struct str client_program(struct request *rq, const char *otherwise)
{
	struct str name = name_of(rq, req_header(rq, "X-Title"));

	if (!name.n)
		name = name_of(rq, rq->by.who->token);
	if (!name.n)
		name = name_of(rq, product_of(req_header(rq, "User-Agent")));
	return name.n ? name : str_of(otherwise);
}

/* -- the page ------------------------------------------------------------------- */

struct str client_page(struct request *rq)
{
	struct str base = req_param(rq, "LAMPLIGHTER_BASE");
	struct str host = req_header(rq, "Host");
	const char *origin = rq->conf->server.origin;
	bool tls = str_is(req_param(rq, "HTTPS"), "on") ||
		str_is(req_header(rq, "X-Forwarded-Proto"), "https");

	if (!base.n)
		base = str_of(rq->conf->server.base);
	if (*origin)
		return str_of(arena_printf(rq->arena, "%s%.*s/", origin, STR_ARG(base)));
	return !host.n ? host : str_of(arena_printf(rq->arena, "%s://%.*s%.*s/",
		tls ? "https" : "http", STR_ARG(host), STR_ARG(base)));
}
