/* SPDX-License-Identifier: MIT */
/*
 * The tools of the MCP server: those that run on the server, of a turn of the agent, and
 * ask_agent, which is a turn. A call goes through lib/tool as in a turn. What the
 * client's model has read is not known, so each call counts as tainted: a tool that
 * changes something needs an approval, unless its policy is never.
 *
 * An approval is given by the user of a client that can ask (elicitation, 2026-07-28)
 * and whose token may decide. What they are asked is signed, with the arguments, and
 * comes back with the answer; a record of its id makes that it counts once.
 */
#include "api/mcp.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "domain/stored.h"
#include "api/client.h"
#include "api/send.h"
#include "app.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "dialect/openai.h"
#include "dialect/wire.h"
#include "places.h"
#include "store/usage.h"

#include "base/banned.h"

#define ASK_AGENT "ask_agent"

enum {
	APPROVAL_S = 600,
	SHOWN_BYTES = 4000,	/* of the arguments, to who approves */
};

/* -- the list ----------------------------------------------------------------------- */

static int build(struct rpc_ask *a, const char *only, struct err *e)
{
	int rc;

	a->ctx.turn.only = only;
	rc = tool_set_build(&a->ctx, &a->set, e);
	a->ctx.turn.only = NULL;	/* an agent in a call has its own */
	return rc;
}

/* Those that a program can call: they run here, and say something to a model. */
static bool is_callable(const struct tool *t)
{
	return t->visibility == TOOL_SERVER && !t->suggests && !t->reads_kept;
}

/* Whether the query's groups, separated by commas, have one of the tool's. */
static bool is_asked(const struct tool *t, struct str groups)
{
	bool any = groups.n == 0;

	while (groups.n && !any) {
		struct str one = str_trim(str_cut(&groups, ','));

		any = one.n && t->group && tool_has_word(t->group, one);
	}
	return any;
}

static void write_hints(struct jw *w, const char *title, enum tool_effect effect,
			bool open)
{
	jw_key(w, "annotations");
	jw_obj(w);
	if (title)
		jw_kstrz(w, "title", title);
	jw_kbool(w, "readOnlyHint", effect == TOOL_READ);
	if (effect != TOOL_READ)
		jw_kbool(w, "destructiveHint", effect == TOOL_DESTRUCTIVE);
	jw_kbool(w, "openWorldHint", open);
	jw_end_obj(w);
}

static void write_tool(struct jw *w, const struct tool_offer *o)
{
	const struct tool *t = o->tool;

	jw_obj(w);
	jw_kstrz(w, "name", t->name);
	if (t->title)
		jw_kstrz(w, "title", t->title);
	jw_kstrz(w, "description", o->description);
	jw_key(w, "inputSchema");
	if (str_is(jx_str(o->schema, "type"), "object"))
		jw_json(w, o->schema);
	else
		jw_raw(w, STR("{\"type\":\"object\"}"));
	write_hints(w, t->title, t->effect, t->untrusted);
	if (t->group && *t->group) {
		jw_key(w, "_meta");
		jw_obj(w);
		jw_kstrz(w, "lamplighter/group", t->group);
		jw_end_obj(w);
	}
	jw_end_obj(w);
}

/* The agents of the workspace, for the caller. */
static int agents_of(struct rpc_ask *a, struct stored_choice *out, struct err *e)
{
	return stored_choice_of(&a->rq->by, a->target.workspace, out, e);
}

static void write_text_type(struct jw *w, const char *key, const char *what)
{
	jw_key(w, key);
	jw_obj(w);
	jw_kstrz(w, "type", "string");
	jw_kstrz(w, "description", what);
}

static void write_ask_schema(struct jw *w, const struct stored_choice *all)
{
	jw_key(w, "inputSchema");
	jw_obj(w);
	jw_kstrz(w, "type", "object");
	jw_key(w, "properties");
	jw_obj(w);
	write_text_type(w, "message", "What to ask");
	jw_end_obj(w);
	write_text_type(w, "conversationId", "Of an earlier answer, to go on with it");
	jw_end_obj(w);
	write_text_type(w, "agent", "The default agent if it is left out");
	jw_key(w, "enum");
	jw_arr(w);
	for (size_t i = 0; i < all->n_agents; i++)
		jw_str(w, str_of(all->agents[i]->id));
	jw_end_arr(w);
	jw_end_obj(w);
	jw_end_obj(w);
	jw_key(w, "required");
	jw_arr(w);
	jw_str(w, STR("message"));
	jw_end_arr(w);
	jw_kbool(w, "additionalProperties", false);
	jw_end_obj(w);
}

/* A line for each agent in the description, and its id in the schema. */
static int write_ask_agent(struct rpc_ask *a, struct jw *w, struct err *e)
{
	struct buf text = BUF_INIT(65536);
	struct stored_choice all;

	if (agents_of(a, &all, e) < 0)
		return -1;
	buf_adds(&text, "Asks an agent of this site, which has its own instructions, "
		 "knowledge and tools, and returns its answer. The conversation is kept; "
		 "with conversationId it goes on. Agents:");
	for (size_t i = 0; i < all.n_agents; i++) {
		const struct agent *g = all.agents[i];

		buf_addf(&text, "\n- %s: %s%s%s", g->id, g->name,
			 g->description && *g->description ? ": " : "",
			 g->description ? g->description : "");
	}
	jw_obj(w);
	jw_kstrz(w, "name", ASK_AGENT);
	jw_kstrz(w, "title", "Ask an agent");
	jw_kstr(w, "description", buf_str(&text));
	write_ask_schema(w, &all);
	write_hints(w, "Ask an agent", TOOL_WRITE, true);
	jw_end_obj(w);
	buf_release(&text);
	return 0;
}

/* Whether ask_agent is there: a tool of that name, of the installation, counts more. */
static bool has_ask_agent(const struct rpc_ask *a)
{
	return policy_may(a->rq->by.who, PERM_CHAT_SEND) &&
	       !tool_set_find(&a->set, STR(ASK_AGENT));
}

int rpc_tools_list(struct rpc_ask *a, struct jw *w, struct err *e)
{
	struct str groups;
	int rc = 0;

	if (req_query(a->rq, "group", &groups, e) < 0 || build(a, NULL, e) < 0)
		return -1;
	jw_key(w, "tools");
	jw_arr(w);
	for (size_t i = 0; i < a->set.n; i++)
		if (is_callable(a->set.v[i].tool) && is_asked(a->set.v[i].tool, groups))
			write_tool(w, &a->set.v[i]);
	if (!groups.n && has_ask_agent(a))
		rc = write_ask_agent(a, w, e);
	jw_end_arr(w);
	rpc_write_cache(a, w);
	return rc;
}

/* -- results --------------------------------------------------------------------------- */

void rpc_write_text(struct jw *w, struct str text)
{
	jw_obj(w);
	jw_kstrz(w, "type", "text");
	jw_kstr(w, "text", text);
	jw_end_obj(w);
}

static int write_result(struct jw *w, struct str text, struct str more, bool is_error)
{
	jw_key(w, "content");
	jw_arr(w);
	rpc_write_text(w, text);
	if (more.n)
		rpc_write_text(w, more);
	jw_end_arr(w);
	jw_kbool(w, "isError", is_error);
	return 0;
}

static int write_refusal(struct rpc_ask *a, struct jw *w, enum err_code code,
			 const char *text)
{
	struct tool_result r;

	tool_refuse(a->rq->arena, code, text, &r);
	return write_result(w, r.text, (struct str){ NULL, 0 }, true);
}

/* The record of a call, or (once) of an approval, which fails with ERR_DB_DUPLICATE. */
static int record_call(struct rpc_ask *a, const struct uuid *id, struct str tool,
		       const struct tool_result *r, struct err *e)
{
	struct usage u = usage_init(USAGE_TOOL);
	struct buf b = BUF_INIT(4096);
	struct jw w = jw_on(&b);
	int rc;

	jw_arr(&w);
	jw_obj(&w);
	jw_kstr(&w, "name", tool);
	if (r) {
		jw_kint(&w, "ms", r->duration_ms);
		jw_kbool(&w, "ok", !r->is_error);
	} else {
		jw_kbool(&w, "approved", true);
	}
	jw_end_obj(&w);
	jw_end_arr(&w);
	u.workspace_id = str_of(a->target.workspace->id);
	u.agent_id = str_of(a->target.agent->id);
	u.provider = STR("");
	u.model = a->program;
	u.finish_reason = STR("");
	u.tools = buf_str(&b);
	u.duration_ms = r ? r->duration_ms : 0;
	if (id)
		u.id = *id;
	rc = usage_insert_once(a->rq->app->db, &a->rq->by.owner, &u, e);
	buf_release(&b);
	return rc;
}

/* -- approvals ------------------------------------------------------------------------ */

/* What the client brings back: when, and for which question it was signed. */
struct signed_question {
	unsigned char created_us[8];
	struct uuid id;
	unsigned char mac[crypto_auth_BYTES];
};

#define VARIANT sodium_base64_VARIANT_URLSAFE_NO_PADDING
#define STATE_BYTES sodium_base64_ENCODED_LEN(sizeof(struct signed_question), VARIANT)

/* The MAC of the time, the id, who asks, where, the tool and its arguments. */
static int sign(struct rpc_ask *a, const char *tool, struct str args,
		struct signed_question *q, struct err *e)
{
	const struct str parts[] = {
		a->rq->by.who->tenant, str_of(a->rq->by.who->user_id_text),
		str_of(a->target.workspace->id), str_of(a->target.agent->id),
		str_of(tool), args,
	};
	struct buf text = BUF_INIT(2 * LIM_TOOL_ARGS_BYTES + 4096);
	unsigned char key[KEY_BYTES];
	int rc = 0;

	if (key_cached(&a->rq->app->mcp_key, a->rq->app->db, key, e) < 0)
		return -1;
	buf_add(&text, q->created_us, sizeof(q->created_us));
	buf_add(&text, q->id.b, sizeof(q->id.b));
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		buf_addstr(&text, parts[i]);
		buf_addc(&text, '\0');
	}
	if (!buf_ok(&text))
		rc = err_set(e, ERR_TOO_BIG, "arguments of an approval");
	else
		crypto_auth(q->mac, (const unsigned char *)text.p, text.n, key);
	sodium_memzero(key, sizeof(key));
	buf_release(&text);
	return rc;
}

static struct str canonical(struct rpc_ask *a, const json_t *args)
{
	struct buf b = BUF_INIT(2 * LIM_TOOL_ARGS_BYTES);
	struct str s;

	jx_dump_sorted(&b, args);
	s = arena_str(a->rq->arena, buf_str(&b));
	buf_release(&b);
	return s;
}

/* Whether the client says that it can ask its user by a form. */
static bool can_ask(const struct rpc_ask *a)
{
	const json_t *can = jx_obj(jx_obj(a->meta, MCP_META "clientCapabilities"),
				   "elicitation");

	return can && (!json_object_size(can) || json_object_get(can, "form"));
}

static int write_question(struct rpc_ask *a, struct jw *w, const struct tool *t,
			  struct str args, const struct tool_question *q, struct err *e)
{
	int64_t now_us = clock_now_us();
	struct signed_question s = { .id = uuid_new() };
	struct str shown = utf8_head(args, SHOWN_BYTES);
	struct buf b = BUF_INIT(8 * SHOWN_BYTES);
	char state[STATE_BYTES];

	for (size_t i = 0; i < sizeof(s.created_us); i++)
		s.created_us[i] = (unsigned char)(now_us >> (56 - 8 * i));
	if (sign(a, t->name, args, &s, e) < 0)
		return -1;
	sodium_bin2base64(state, sizeof(state), (unsigned char *)&s, sizeof(s), VARIANT);
	buf_addf(&b, "%s (%s) wants to run with: %.*s%s\n%s", t->title ? t->title : t->name,
		 t->name, STR_ARG(shown), shown.n < args.n ? " …" : "",
		 strcmp(q->reason, "policy") == 0 ? "This tool is always asked about."
		 : "What the program has read may contain text of others.");
	a->incomplete = true;
	jw_kstrz(w, "resultType", "input_required");
	jw_kstrz(w, "requestState", state);
	jw_key(w, "inputRequests");
	jw_obj(w);
	jw_key(w, "approval");
	jw_obj(w);
	jw_kstrz(w, "method", "elicitation/create");
	jw_key(w, "params");
	jw_obj(w);
	jw_kstrz(w, "mode", "form");
	jw_kstr(w, "message", buf_str(&b));
	jw_key(w, "requestedSchema");
	jw_raw(w, STR("{\"type\":\"object\",\"required\":[\"approve\"],\"properties\":{"
		      "\"approve\":{\"type\":\"boolean\",\"title\":\"Run it\"}}}"));
	jw_end_obj(w);
	jw_end_obj(w);
	jw_end_obj(w);
	buf_release(&b);
	return 0;
}

/* Whether the client brings back what was signed for this call; -1: it is something else. */
static int read_state(struct rpc_ask *a, const char *tool, struct str args,
		      struct signed_question *given, struct err *e)
{
	struct str state = jx_str(a->params, "requestState");
	struct signed_question right;
	size_t n = 0;

	if (!json_object_get(a->params, "requestState"))
		return 0;
	if (sodium_base642bin((unsigned char *)given, sizeof(*given), state.p, state.n,
			      NULL, &n, NULL, VARIANT) == 0 && n == sizeof(*given)) {
		right = *given;
		if (sign(a, tool, args, &right, e) < 0)
			return -1;
		if (!sodium_memcmp(given->mac, right.mac, sizeof(given->mac)))
			return 1;
	}
	return rpc_fail(a, MCP_INVALID_PARAMS, e, "requestState is not what was given for "
			"this call.");
}

enum { APPROVAL_NONE, APPROVAL_NO, APPROVAL_YES };

/* What the user of the client says of this call, which counts once; -1: e. */
static int read_approval(struct rpc_ask *a, const char *tool, struct str args,
			 struct err *e)
{
	const json_t *answers = json_object_get(a->params, "inputResponses");
	const json_t *reply = jx_obj(answers, "approval");
	int64_t created_us = 0, now_us = clock_now_us();
	struct signed_question given;
	int rc;

	if (answers && !json_is_object(answers))
		return rpc_fail(a, MCP_INVALID_PARAMS, e, "inputResponses must be an "
				"object.");
	rc = read_state(a, tool, args, &given, e);
	if (rc <= 0 || !reply)
		return rc < 0 ? -1 : APPROVAL_NONE;
	for (size_t i = 0; i < sizeof(given.created_us); i++)
		created_us = (int64_t)((uint64_t)created_us << 8 | given.created_us[i]);
	if (now_us - created_us > APPROVAL_S * 1000000LL ||
	    !str_is(jx_str(reply, "action"), "accept") ||
	    !jx_bool(jx_obj(reply, "content"), "approve", false))
		return APPROVAL_NO;
	if (record_call(a, &given.id, str_of(tool), NULL, e) == 0)
		return APPROVAL_YES;
	if (e->code != ERR_DB_DUPLICATE)
		return -1;
	err_clear(e);	/* it was used */
	return APPROVAL_NO;
}

/*
 * For a call that asks: 1 if it may run, 0 if the result says why not, or asks. An
 * answer to something else is asked for again.
 */
static int settle(struct rpc_ask *a, struct jw *w, const struct tool *t,
		  struct str args, const struct tool_question *q, struct err *e)
{
	if (!a->modern)
		return write_refusal(a, w, ERR_TOOL_NOT_APPROVED, "This call needs the "
			"user's approval, and this client cannot ask for it.");
	if (!policy_may_decide(a->rq->by.who))
		return write_refusal(a, w, ERR_TOOL_NOT_APPROVED, "This call needs the "
			"user's approval, which the token of this client may not give.");
	if (!can_ask(a)) {
		a->data = jx_keep(a->rq->arena, json_pack(
			"{s:{s:{s:{}}}}", "requiredCapabilities", "elicitation", "form"));
		return rpc_fail(a, MCP_MISSING_CAPABILITY, e, "This call needs the user's "
				"approval: the client must declare elicitation.");
	}
	switch (read_approval(a, t->name, args, e)) {
	case APPROVAL_NONE:
		return write_question(a, w, t, args, q, e);
	case APPROVAL_NO:
		return write_refusal(a, w, ERR_TOOL_NOT_APPROVED, "The user has not "
			"approved this call, or the approval was used or is too old.");
	case APPROVAL_YES:
		return 1;
	default:
		return -1;
	}
}

/* -- calls ---------------------------------------------------------------------------- */

static int run_tool(struct rpc_ask *a, struct jw *w, struct str name, struct str args)
{
	struct origins from = { .n = 0 };
	struct tool_result r;
	struct err ignored = ERR_INIT;

	a->ctx.from = &from;
	tool_call(&a->set, &a->ctx, name, args, &r);
	if (record_call(a, NULL, name, &r, &ignored) < 0)
		log_err("usage not recorded", &ignored);
	return write_result(w, r.text, (struct str){ NULL, 0 }, r.is_error);
}

static int call_tool(struct rpc_ask *a, struct jw *w, struct str name, const json_t *args,
		     struct err *e)
{
	struct str text = args ? str_of(jx_text(a->rq->arena, args)) : STR("{}");
	const struct tool_offer *o;
	struct tool_question q;
	struct err why = ERR_INIT;
	json_t *read;
	int rc = 1;

	/* What cannot be prepared is refused by the call. */
	if (tool_prepare(&a->set, &a->ctx, name, text, &o, &read, &why) == 0 &&
	    tool_asks(o->tool, &a->ctx, read, &q)) {
		rc = settle(a, w, o->tool, canonical(a, read), &q, e);
		a->ctx.approved = rc == 1;
	}
	return rc == 1 ? run_tool(a, w, name, text) : rc;
}

/* -- ask_agent -------------------------------------------------------------------------- */

/* The answer, or what the turn waits for and where that is answered. */
static int write_answer(struct rpc_ask *a, struct jw *w, const struct turn_run *t,
			enum turn_status status)
{
	struct arena *arena = a->rq->arena;
	char id[UUID_TEXT_BYTES];
	struct str more = str_of(arena_printf(arena, "conversationId: %s",
					      uuid_format(&t->conversation_id, id)));
	struct wire_answer parts;

	if (status == TURN_WAITING)
		return write_result(w, dialect_openai_waiting(
			arena, t->waits, t->n_waits, client_page(a->rq),
			&t->conversation_id), more, false);
	if (status == TURN_ERROR) {
		wire_answer_read(&parts, &t->answer);
		write_result(w, parts.error_message.n ? parts.error_message
			     : STR("The answer could not be made."), more, true);
		wire_answer_release(&parts);
		return 0;
	}
	return write_result(w, t->answer.content.p ? t->answer.content : STR(""), more,
			    false);
}

static int ask_agent(struct rpc_ask *a, struct jw *w, const json_t *args, struct err *e)
{
	struct request *rq = a->rq;
	struct turn_request in = send_request(rq, TURN_SEND);
	struct str agent = jx_str(args, "agent"), c = jx_str(args, "conversationId");
	struct err why = ERR_INIT;
	enum turn_status status;
	struct turn_run *t;

	in.content = jx_str(args, "message");
	if (!str_trim(in.content).n)
		return write_refusal(a, w, ERR_TOOL_ARGS, "message must be a text.");
	if (c.n && !uuid_parse(c, &in.conversation_id))
		return write_refusal(a, w, ERR_TOOL_ARGS, "There is no such conversation.");
	if (!c.n) {
		in.workspace_id = str_of(a->target.workspace->id);
		in.agent_id = agent.n ? agent : str_of(a->target.agent->id);
		in.program = a->program;
	}
	if (send_whole(rq, &in, &t, &status, &why) == 0)
		return write_answer(a, w, t, status);
	if (err_row(&why)->http_status >= 429) {
		*e = why;
		return -1;
	}
	return write_refusal(a, w, why.code, err_message(&why));
}

int rpc_tools_call(struct rpc_ask *a, struct jw *w, struct err *e)
{
	struct str name = jx_str(a->params, "name");
	const json_t *args = json_object_get(a->params, "arguments");
	const struct tool_offer *o;

	if (args && !json_is_object(args))
		return rpc_fail(a, MCP_INVALID_PARAMS, e, "arguments must be an object.");
	if (!name.n || name.n > 64)
		return rpc_fail(a, MCP_INVALID_PARAMS, e, "There is no such tool.");
	if (a->rq->brief)
		return places_refuse(e);
	if (build(a, arena_str(a->rq->arena, name).p, e) < 0)
		return -1;
	o = tool_set_find(&a->set, name);
	if (!o && str_is(name, ASK_AGENT) && has_ask_agent(a))
		return ask_agent(a, w, args, e);
	if (!o || !is_callable(o->tool))
		return rpc_fail(a, MCP_INVALID_PARAMS, e, "There is no tool \"%.*s\".",
				(int)MIN(name.n, 64), name.p);
	return call_tool(a, w, name, args, e);
}
