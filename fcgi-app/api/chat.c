/* Chat by workspace: as a stream, which the page uses, and as a task. */
#include "api/api.h"

#include <stdio.h>

#include "api/idempotent.h"
#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "fields.h"
#include "store/conversation.h"

#include "base/banned.h"

struct chat_body {
	struct str workspace_id, content, agent_id;
	struct uuid conversation_id;
	struct send_more more;
};

static struct turn_run *open_with(struct request *rq,
				  const struct conf_workspace *ws,
				  const struct conf_agent *agent,
				  const struct chat_body *b, struct err *e)
{
	return send_open(rq, ws, agent, uuid_is_nil(&b->conversation_id)
			 ? NULL : &b->conversation_id, b->content, &b->more, e);
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

/* The members; workspaceId where the path does not say it. */
static int read_body(struct request *rq, struct chat_body *b, struct err *e)
{
	const struct field fields[] = {
		{ .key = "workspaceId", .type = FIELD_SLUG,
		  .flags = FIELD_REQUIRED,
		  .offset = offsetof(struct chat_body, workspace_id) },
		{ .key = "content", .type = FIELD_TEXT,
		  .flags = FIELD_REQUIRED | FIELD_FILLED,
		  .max_chars = (size_t)rq->conf->limits.message_chars,
		  .offset = offsetof(struct chat_body, content) },
		SEND_MORE_FIELDS(offsetof(struct chat_body, more)),
		{ .key = "conversationId", .type = FIELD_UUID,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct chat_body, conversation_id) },
		{ .key = "agentId", .type = FIELD_SLUG, .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct chat_body, agent_id) },
	};
	const size_t skip = route_has_arg(rq, "workspace") ? 1 : 0;

	if (fields_read(fields + skip, ARRAY_LEN(fields) - skip, rq->body, b,
			sizeof(*b), e) < 0)
		return -1;
	if (skip)
		b->workspace_id = route_arg(rq, "workspace");
	return 0;
}

/* What another request with the same Idempotency-Key must have. */
static struct idempotent_turn same_as(struct request *rq,
				      const struct chat_body *b)
{
	return (struct idempotent_turn){
		.content = b->content, .meta = send_meta(rq, &b->more),
		.conversation = uuid_is_nil(&b->conversation_id)
			? NULL : &b->conversation_id,
		.workspace_id = b->workspace_id, .agent_id = b->agent_id,
	};
}

/*
 * POST /chat/{w}/stream?dialect= {content, conversationId?, agentId?,
 * client?, webSearch?}: events (B38 to B45, or in another dialect);
 * docs/dialects.md has their table.
 * Without conversationId a conversation is created; the user-message event
 * names it. Errors before the stream opens:
 * 404 (workspace, agent, conversation, or not that agent's), 409
 * conversation_busy with turnId, 422 llm_*, 503 chat_disabled, 503 overloaded.
 * A repeated Idempotency-Key: the first one's stream, from its start.
 */
int api_chat_stream(struct request *rq, struct response *rs, struct err *e)
{
	struct send_as as = { .state = { .style = RECORD_PLAIN } };
	const struct conf_workspace *ws;
	struct idempotent_turn same;
	struct chat_body b;
	struct turn_run *t;
	int rc;

	if (send_dialect(rq, &as.dialect, e) < 0 || read_body(rq, &b, e) < 0)
		return -1;
	same = same_as(rq, &b);
	rc = idempotent_stream(rq, rs, &same, &as, e);
	if (rc)
		return MIN(rc, 0);
	ws = scope_workspace(rq, b.workspace_id, e);
	t = ws ? open_turn(rq, ws, &b, e) : NULL;
	if (!t)
		return -1;
	send_stream(rs, t, &as);
	return 0;
}

static void answer_task(struct response *rs, const struct uuid *turn,
			const struct uuid *conversation, int64_t user_seq)
{
	char id[UUID_TEXT_BYTES], message[MESSAGE_ID_BYTES], where[64];
	struct jw w = resp_json(rs, 202);

	jw_obj(&w);
	jw_kuuid(&w, "taskId", turn);
	jw_kuuid(&w, "turnId", turn);
	jw_kuuid(&w, "conversationId", conversation);
	jw_kstrz(&w, "messageId", message_id(conversation, user_seq, message));
	jw_end_obj(&w);
	snprintf(where, sizeof(where), "turns/%s/events", uuid_format(turn, id));
	resp_header(rs, "Location", where);
}

/*
 * POST /tasks {workspaceId, content, conversationId?, agentId?, client?,
 * webSearch?} (E6): 202 {taskId, turnId, conversationId, messageId} at once; the turn, which is the
 * task, runs on when the answer is out. Its events are those of the turn
 * (Location leads to them), its status is one of GET /notifications. Errors as
 * POST /chat/{w}/stream, all of them before the 202. A repeated
 * Idempotency-Key: the first one's ids.
 */
int api_task_submit(struct request *rq, struct response *rs, struct err *e)
{
	const struct conf_workspace *ws;
	struct idempotent_turn same;
	struct chat_body b;
	struct turn_run *t;
	struct turn before;
	int rc;

	if (read_body(rq, &b, e) < 0)
		return -1;
	same = same_as(rq, &b);
	rc = idempotent_find(rq, &same, &before, e);
	if (rc > 0)
		answer_task(rs, &before.id, &before.conversation_id,
			    before.user_seq);
	if (rc)
		return MIN(rc, 0);
	ws = scope_workspace(rq, b.workspace_id, e);
	t = ws ? open_turn(rq, ws, &b, e) : NULL;
	if (!t)
		return -1;
	answer_task(rs, &t->id, &t->conversation_id, t->user.seq);
	send_later(rq, t);
	return 0;
}
