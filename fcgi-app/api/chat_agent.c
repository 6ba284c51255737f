/* The entry of design D (C1, D21): a session, a context, the v2 vocabulary. */
#include "api/api.h"

#include "api/idempotent.h"
#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "fields.h"
#include "store/conversation.h"

#include "base/banned.h"

struct agent_body {
	struct str message, workspace_id, agent_id, context_type;
	struct uuid session_id, conversation_id;
	struct send_more more;
};

/* The ten of C23; only what needs no entities can be had now. */
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

/* sessionId and conversationId are two names of one thing. */
static int session_of(struct agent_body *b, struct err *e)
{
	if (uuid_is_nil(&b->session_id))
		b->session_id = b->conversation_id;
	else if (!uuid_is_nil(&b->conversation_id) &&
		 !uuid_eq(&b->session_id, &b->conversation_id))
		return err_field(e, ERR_INVALID_FIELD, "conversationId",
				 "sessionId and conversationId name different "
				 "conversations.");
	return 0;
}

/* Fills in what the body left open: from the session, or the defaults. */
static int complete_body(struct request *rq, struct agent_body *b,
			 struct err *e)
{
	struct owner owner = scope_owner(rq);
	struct conversation c;

	if (!uuid_is_nil(&b->session_id) &&
	    (!b->workspace_id.p || !b->agent_id.p)) {
		if (conversation_get(rq->app->db, &owner, &b->session_id,
				     rq->arena, &c, e) < 0)
			return -1;
		if (!b->workspace_id.p)
			b->workspace_id = c.workspace_id;
		if (!b->agent_id.p)
			b->agent_id = c.agent_id;
	}
	for (size_t i = 0; i < rq->conf->n_workspaces && !b->workspace_id.p; i++)
		if (scope_sees(rq, &rq->conf->workspaces[i]))
			b->workspace_id = str_of(rq->conf->workspaces[i].id);
	if (!b->workspace_id.p)
		return err_set(e, ERR_NOT_FOUND, "no workspace for the caller");
	return 0;
}

/*
 * POST /agent/stream {message, sessionId? (or conversationId), workspaceId?,
 * agentId?, contextType?, client?, webSearch?}: events in the v2 vocabulary,
 * docs/dialects.md.
 * Without a session one is made; the session event names it. Without a
 * workspace: the session's, else the caller's first. contextType: global or
 * general; the others need entities. Errors, and a repeated Idempotency-Key, as
 * POST /chat/{w}/stream.
 */
int api_agent_stream(struct request *rq, struct response *rs, struct err *e)
{
	const struct field fields[] = {
		{ .key = "message", .type = FIELD_TEXT,
		  .flags = FIELD_REQUIRED | FIELD_FILLED,
		  .max_chars = (size_t)rq->conf->limits.message_chars,
		  .offset = offsetof(struct agent_body, message) },
		{ .key = "sessionId", .type = FIELD_UUID,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct agent_body, session_id) },
		{ .key = "conversationId", .type = FIELD_UUID,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct agent_body, conversation_id) },
		{ .key = "workspaceId", .type = FIELD_SLUG,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct agent_body, workspace_id) },
		{ .key = "agentId", .type = FIELD_SLUG, .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct agent_body, agent_id) },
		{ .key = "contextType", .type = FIELD_TEXT,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct agent_body, context_type) },
		SEND_MORE_FIELDS(offsetof(struct agent_body, more)),
	};
	const struct send_as as = { .dialect = DIALECT_V2 };
	const struct conf_workspace *ws;
	const struct conf_agent *agent;
	struct agent_body b;
	struct idempotent_turn same;
	struct turn_run *t;
	int rc;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &b, sizeof(b),
			e) < 0 ||
	    check_context(b.context_type, e) < 0 || session_of(&b, e) < 0)
		return -1;
	same = (struct idempotent_turn){
		.content = b.message, .meta = send_meta(rq, &b.more),
		.conversation = uuid_is_nil(&b.session_id) ? NULL
			: &b.session_id,
		.workspace_id = b.workspace_id, .agent_id = b.agent_id,
	};
	rc = idempotent_stream(rq, rs, &same, &as, e);
	if (rc)
		return MIN(rc, 0);
	if (complete_body(rq, &b, e) < 0)
		return -1;
	ws = scope_workspace(rq, b.workspace_id, e);
	agent = ws ? scope_agent(ws, b.agent_id, e) : NULL;
	if (!agent)
		return -1;
	t = send_open(rq, ws, agent, uuid_is_nil(&b.session_id)
		      ? NULL : &b.session_id, b.message, &b.more, e);
	if (!t)
		return -1;
	send_stream(rs, t, &as);
	return 0;
}
