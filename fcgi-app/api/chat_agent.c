/* SPDX-License-Identifier: MIT */
/* The entry point of design D (C1, D21): a session, a context, the v2 vocabulary. */
#include "api/api.h"

#include "api/send.h"

#include "base/banned.h"

struct agent_body {
	struct turn_request in;		/* must be first; its conversation is the session */
	struct uuid conversation_id;
};

/* sessionId and conversationId are two names for the same id. */
static int session_of(struct agent_body *b, struct err *e)
{
	struct uuid *session = &b->in.conversation_id;

	if (uuid_is_nil(session))
		*session = b->conversation_id;
	else if (!uuid_is_nil(&b->conversation_id) &&
		 !uuid_eq(session, &b->conversation_id))
		return err_field(e, ERR_INVALID_FIELD, "conversationId",
				 "sessionId and conversationId name different "
				 "conversations.");
	return 0;
}

/*
 * POST /agent/stream {message, sessionId? (or conversationId), workspaceId?,
 * agentId?, …options}: events in the v2 vocabulary,
 * docs/dialects.md.
 * Without a session one is made; the session event names it. Without a
 * workspace: the session's, else the caller's first. Errors, and a repeated Idempotency-Key, as
 * POST /chat/{w}/stream.
 */
int api_agent_stream(struct request *rq, struct response *rs, struct err *e)
{
	const struct field fields[] = {
		SEND_CONTENT(rq, "message"),
		SEND_FIELD("sessionId", FIELD_UUID, FIELD_NULLABLE,
			   conversation_id),
		{ .key = "conversationId", .type = FIELD_UUID,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct agent_body, conversation_id) },
		SEND_FIELD("workspaceId", FIELD_SLUG, FIELD_NULLABLE,
			   workspace_id),
		SEND_FIELD("agentId", FIELD_SLUG, FIELD_NULLABLE, agent_id),
		SEND_OPTIONS
	};
	const struct send_as as = { .dialect = DIALECT_V2 };
	struct agent_body b;

	if (send_read(rq, TURN_SEND, fields, ARRAY_LEN(fields), &b, sizeof(b),
		      e) < 0 ||
	    session_of(&b, e) < 0)
		return -1;
	return send_stream(rq, rs, &b.in, &as, e);
}
