/* Chat by workspace: the route that the page uses. */
#include "api/api.h"

#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "fields.h"
#include "store/message.h"

#include "base/banned.h"

struct chat_body {
	struct str content, agent_id;
	struct uuid conversation_id;
};

/*
 * The agent that is to answer: the one named; else the conversation's own,
 * where one is named; else the workspace's default. *history is what was read
 * on the way, or NULL.
 */
static const struct conf_agent *choose_agent(struct request *rq,
					     const struct conf_workspace *ws,
					     const struct chat_body *b,
					     const struct message_page **history,
					     struct err *e)
{
	struct owner owner = scope_owner(rq);
	struct message_page *page;

	*history = NULL;
	if (b->agent_id.p || uuid_is_nil(&b->conversation_id))
		return scope_agent(ws, b->agent_id, e);
	page = arena_new(rq->arena, struct message_page);
	if (turn_read_history(rq->app->db, &owner, &b->conversation_id, ws,
			      rq->arena, page, e) < 0)
		return NULL;
	*history = page;
	return scope_agent(ws, page->agent_id, e);
}

/*
 * POST /chat/{w}/stream?dialect= {content, conversationId?, agentId?}: events
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
		{ .key = "conversationId", .type = FIELD_UUID,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct chat_body, conversation_id) },
		{ .key = "agentId", .type = FIELD_SLUG, .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct chat_body, agent_id) },
	};
	struct send_as as = { .state = { .style = RECORD_PLAIN } };
	const struct conf_workspace *ws;
	const struct message_page *history = NULL;
	const struct conf_agent *agent;
	struct chat_body b;
	struct turn_run *t;

	if (send_dialect(rq, &as.dialect, e) < 0 ||
	    fields_read(fields, ARRAY_LEN(fields), rq->body, &b, sizeof(b),
			e) < 0)
		return -1;
	ws = scope_workspace(rq, route_arg(rq, "workspace"), e);
	agent = ws ? choose_agent(rq, ws, &b, &history, e) : NULL;
	if (!agent)
		return -1;
	t = send_open(rq, ws, agent, uuid_is_nil(&b.conversation_id)
		      ? NULL : &b.conversation_id, b.content, history, e);
	if (!t)
		return -1;
	send_stream(rs, t, &as);
	return 0;
}
