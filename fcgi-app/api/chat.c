/* SPDX-License-Identifier: MIT */
/* Chat by workspace: as a stream, which the page uses, and as a task. */
#include "api/api.h"

#include <stdio.h>

#include "api/send.h"
#include "store/message.h"

#include "base/banned.h"

/* The members; workspaceId if the path does not have it. */
static int read_body(struct request *rq, struct turn_request *in,
		     struct err *e)
{
	const struct field fields[] = {
		SEND_FIELD("workspaceId", FIELD_SLUG, FIELD_NULLABLE,
			   workspace_id),
		SEND_CONTENT(rq, "content"),
		SEND_OPTIONS
		SEND_FIELD("conversationId", FIELD_UUID, FIELD_NULLABLE,
			   conversation_id),
		SEND_FIELD("agentId", FIELD_SLUG, FIELD_NULLABLE, agent_id),
	};
	const size_t skip = route_has_arg(rq, "workspace") ? 1 : 0;

	if (send_read(rq, TURN_SEND, fields + skip, ARRAY_LEN(fields) - skip,
		      in, sizeof(*in), e) < 0)
		return -1;
	if (skip)
		in->workspace_id = route_arg(rq, "workspace");
	return 0;
}

/*
 * POST /chat/{w}/stream?dialect= {content, conversationId?, agentId?,
 * …options}: events (B38 to B45, or in another dialect);
 * docs/dialects.md has their table.
 * Without conversationId a conversation is created; the user-message event
 * names it. Errors before the stream opens:
 * 404 (workspace, agent, conversation, or not that agent's), 409
 * conversation_busy with turnId, 422 llm_*, 503 chat_disabled, 503 overloaded.
 * A repeated Idempotency-Key: the first one's stream, from its start.
 */
int api_chat_stream(struct request *rq, struct response *rs, struct err *e)
{
	struct send_as as = { .style = RECORD_PLAIN };
	struct turn_request in;

	if (send_dialect(rq, &as.dialect, e) < 0 || read_body(rq, &in, e) < 0)
		return -1;
	return send_stream(rq, rs, &in, &as, e);
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
 * POST /tasks {workspaceId?, content, conversationId?, agentId?, …options} (E6): 202
 * {taskId, turnId, conversationId, messageId} at once; the turn, which is the task,
 * runs after the answer was sent. Location is the URL of its events; GET
 * /notifications reports its status. Without workspaceId: the conversation's, or the
 * caller's default workspace (A28). Errors as for POST /chat/{w}/stream, all
 * before the 202. A repeated Idempotency-Key: the first request's ids.
 */
int api_task_submit(struct request *rq, struct response *rs, struct err *e)
{
	struct turn_request in;
	struct turn_run *t;
	int rc;

	if (read_body(rq, &in, e) < 0)
		return -1;
	rc = send_start(rq, &in, &t, e);
	if (rc < 0)
		return -1;
	answer_task(rs, &t->id, &t->conversation_id, t->user.seq);
	if (rc == TURN_STARTED)
		send_later(rq, t);
	return 0;
}
