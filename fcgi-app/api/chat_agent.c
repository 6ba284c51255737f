/* SPDX-License-Identifier: MIT */
/* The entry point of design D (C1, D21): a session, a context, the v2 vocabulary. */
#include "api/api.h"

#include "api/send.h"

#include "base/banned.h"

struct agent_body {
	struct turn_request in;		/* must be first; its conversation is the session */
	struct str context_type;
	struct uuid conversation_id;
};

/* The ten context types of C23; only those that need no entities are supported yet. */
static const struct {
	const char *name;
	bool built;
} contexts[] = {
	{ "global", true }, { "general", true }, { "project", false },
	{ "project_create", false }, { "project_audit", false },
	{ "project_forecast", false }, { "calendar", false },
	{ "brain_dump", false }, { "daily_brief_update", false },
	{ "ontology", false },
};

static int check_context(struct str name, struct err *e)
{
	if (!name.p)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(contexts); i++)
		if (str_is(name, contexts[i].name))
			return contexts[i].built ? 0
				: err_field(e, ERR_INVALID_FIELD, "contextType",
					    "The context %s is not available "
					    "in this deployment; global is.",
					    contexts[i].name);
	return err_field(e, ERR_INVALID_FIELD, "contextType",
			 "There is no such context type.");
}

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
 * agentId?, contextType?, …options}: events in the v2 vocabulary,
 * docs/dialects.md.
 * Without a session one is made; the session event names it. Without a
 * workspace: the session's, else the caller's first. contextType: global or
 * general; the others need entities. Errors, and a repeated Idempotency-Key, as
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
		{ .key = "contextType", .type = FIELD_TEXT,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct agent_body, context_type) },
		SEND_OPTIONS
	};
	const struct send_as as = { .dialect = DIALECT_V2 };
	struct agent_body b;

	if (send_read(rq, TURN_SEND, fields, ARRAY_LEN(fields), &b, sizeof(b),
		      e) < 0 ||
	    check_context(b.context_type, e) < 0 || session_of(&b, e) < 0)
		return -1;
	return send_stream(rq, rs, &b.in, &as, e);
}
