/* Chat by workspace: the route that the page uses. */
#include "api/api.h"

#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "fields.h"
#include "store/conversation.h"

#include "base/banned.h"

struct chat_body {
	struct str content, agent_id;
	struct uuid conversation_id;
	json_t *client;
};

static struct turn_run *open_with(struct request *rq,
				  const struct conf_workspace *ws,
				  const struct conf_agent *agent,
				  const struct chat_body *b, struct err *e)
{
	return send_open_page(rq, ws, agent, uuid_is_nil(&b->conversation_id)
			      ? NULL : &b->conversation_id, b->content,
			      b->client, e);
}

/* Whether another agent might be asked instead. */
static bool is_the_agents(const struct err *e)
{
	return e->code == ERR_NOT_FOUND || e->code == ERR_CHAT_DISABLED ||
		e->code == ERR_LLM_UNSUPPORTED ||
		e->code == ERR_LLM_NO_CREDENTIAL;
}

/*
 * The agent that is to answer is the one named; else the conversation's own,
 * where one is named; else the workspace's default. Most conversations are the
 * default agent's, and turn_open finds out whether this one is: so it is only
 * looked at when it is not.
 */
static struct turn_run *open_turn(struct request *rq,
				  const struct conf_workspace *ws,
				  const struct chat_body *b, struct err *e)
{
	const struct conf_agent *first = scope_agent(ws, b->agent_id, e), *own;
	struct owner owner = scope_owner(rq);
	struct err why = ERR_INIT;
	struct conversation c;
	struct turn_run *t;

	if (!first)
		return NULL;
	if (b->agent_id.p || uuid_is_nil(&b->conversation_id))
		return open_with(rq, ws, first, b, e);
	t = open_with(rq, ws, first, b, &why);
	if (t || !is_the_agents(&why)) {
		*e = why;
		return t;
	}
	if (conversation_get(rq->app->db, &owner, &b->conversation_id,
			     rq->arena, &c, e) < 0)
		return NULL;
	own = scope_agent(ws, c.agent_id, e);
	if (own == first)
		*e = why;
	return own && own != first ? open_with(rq, ws, own, b, e) : NULL;
}

/*
 * POST /chat/{w}/stream?dialect= {content, conversationId?, agentId?, client?}: events
 * (B38 to B45, or in another dialect); docs/dialects.md has their table.
 * Without conversationId a conversation is created; the user-message event
 * names it. Errors before the stream opens:
 * 404 (workspace, agent, conversation, or not that agent's), 409
 * conversation_busy with turnId, 422 llm_*, 503 chat_disabled, 503 overloaded.
 */
int api_chat_stream(struct request *rq, struct response *rs, struct err *e)
{
	const struct field fields[] = {
		{ .key = "content", .type = FIELD_TEXT,
		  .flags = FIELD_REQUIRED | FIELD_FILLED,
		  .max_chars = (size_t)rq->conf->limits.message_chars,
		  .offset = offsetof(struct chat_body, content) },
		{ .key = "client", .type = FIELD_OBJECT,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct chat_body, client) },
		{ .key = "conversationId", .type = FIELD_UUID,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct chat_body, conversation_id) },
		{ .key = "agentId", .type = FIELD_SLUG, .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct chat_body, agent_id) },
	};
	struct send_as as = { .state = { .style = RECORD_PLAIN } };
	const struct conf_workspace *ws;
	struct chat_body b;
	struct turn_run *t;

	if (send_dialect(rq, &as.dialect, e) < 0 ||
	    fields_read(fields, ARRAY_LEN(fields), rq->body, &b, sizeof(b),
			e) < 0)
		return -1;
	ws = scope_workspace(rq, route_arg(rq, "workspace"), e);
	t = ws ? open_turn(rq, ws, &b, e) : NULL;
	if (!t)
		return -1;
	send_stream(rs, t, &as);
	return 0;
}
