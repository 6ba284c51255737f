/* SPDX-License-Identifier: MIT */
/* The entry point of design D (C1, D21): a session, a context, the v2 vocabulary. */
#include "api/api.h"

#include "app.h"
#include "api/idempotent.h"
#include "api/send.h"
#include "base/limits.h"
#include "entity/entity.h"
#include "context/place.h"

#include "base/banned.h"

struct agent_body {
	struct turn_request in;		/* must be first; its conversation is the session */
	struct str session;		/* as the client calls it */
	struct uuid conversation_id;
	json_t *focus;
};

/* 1: the session is there; its id, or the one that it gets. */
static int find_session(struct request *rq, struct str name, struct uuid *id,
			struct err *e)
{
	struct conversation c;
	struct buf scope = BUF_INIT(256);
	int rc = 0;

	if (uuid_parse(name, id))
		rc = idempotent_conversation(rq, id, &c, e);
	if (rc)
		return rc;
	buf_addf(&scope, "%s/session", rq->by.who->user_id_text);
	*id = uuid_of_name(buf_str(&scope), name);
	buf_release(&scope);
	return idempotent_conversation(rq, id, &c, e);
}

/*
 * A session is a conversation's id, or a name of the client's own, under which one is made
 * and found again (C1). conversationId is another name of one that is there.
 */
static int session_of(struct request *rq, struct agent_body *b, struct err *e)
{
	struct uuid id;
	int rc;

	b->in.conversation_id = b->conversation_id;
	if (!b->session.p)
		return 0;
	rc = find_session(rq, b->session, &id, e);
	if (rc < 0)
		return -1;
	if (!uuid_is_nil(&b->conversation_id) && !uuid_eq(&id, &b->conversation_id))
		return err_field(e, ERR_INVALID_FIELD, "conversationId",
				 "sessionId and conversationId name different "
				 "conversations.");
	if (rc)
		b->in.conversation_id = id;
	else
		/* Made from the name: the next request with it finds this conversation. */
		b->in.makes = id;
	return 0;
}

/* focus: {entity_type, entity_id}. */
static int focus_of(struct agent_body *b, struct err *e)
{
	struct focus {
		struct str type, id;
	} f;
	static const struct field fields[] = {
		{ .key = "entity_type", .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
		  .offset = offsetof(struct focus, type) },
		{ .key = "entity_id", .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
		  .offset = offsetof(struct focus, id) },
	};
	const struct turn_options *o = &b->in.options;

	if (!b->focus)
		return 0;
	if (fields_read(fields, ARRAY_LEN(fields), b->focus, &f, sizeof(f), e) < 0)
		return -1;
	if (entity_kind_of(f.type) < 0 || entity_kind_of(f.type) == ENTITY_PROJECT)
		return err_field(e, ERR_INVALID_FIELD, "entity_type",
				 "entity_type must be one of: %s.",
				 "document, task, goal, plan, milestone, risk, requirement");
	if (o->focus_id.p && !str_eq(o->focus_id, f.id))
		return err_field(e, ERR_INVALID_FIELD, "focusId",
				 "focus and focusId name different things.");
	b->in.options.focus_id = f.id;
	b->in.focus_type = f.type;
	return 0;
}

#define OPTION_AS(key_, member_, max_) \
	{ .key = key_, .type = FIELD_TEXT, .flags = FIELD_NULLABLE, .max_chars = max_, \
	  .offset = offsetof(struct turn_request, options.member_) }
#define SESSION_AS(key_) \
	{ .key = key_, .type = FIELD_TEXT, .flags = FIELD_NULLABLE | FIELD_FILLED, \
	  .max_chars = LIM_CLIENT_NAME_CHARS, .offset = offsetof(struct agent_body, session) }

/* An error names the field in the client's way of writing them. */
static int name_as_sent(const struct request *rq, struct err *e)
{
	static const char *const names[][2] = {
		{ "contextType", "context_type" }, { "projectId", "project_id" },
		{ "focusId", "entity_id" },
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (json_object_get(rq->body, names[i][0]))
			return -1;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(e->field, names[i][0]))
			snprintf(e->field, sizeof(e->field), "%s", names[i][1]);
	return -1;
}

/*
 * POST /agent/stream {message, session_id?, context_type?, project_id?, focus?:
 * {entity_type, entity_id}, stream_run_id?, workspace_id?, agent_id?, conversationId?,
 * …options}: events in the v2 vocabulary, docs/dialects.md. sessionId, workspaceId and
 * agentId are names, too.
 * Without a session, or with one that there is none of, one is made; the session event
 * names it. stream_run_id is what Idempotency-Key is, where that header is missing.
 * Without a workspace: the session's, else the caller's first. Errors, and a repeated key,
 * as POST /chat/{w}/stream.
 */
int api_agent_stream(struct request *rq, struct response *rs, struct err *e)
{
	const struct field fields[] = {
		SEND_CONTENT(rq, "message"),
		SESSION_AS("session_id"),
		SESSION_AS("sessionId"),
		{ .key = "conversationId", .type = FIELD_UUID,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct agent_body, conversation_id) },
		SEND_FIELD("workspace_id", FIELD_SLUG, FIELD_NULLABLE,
			   workspace_id),
		SEND_FIELD("workspaceId", FIELD_SLUG, FIELD_NULLABLE,
			   workspace_id),
		SEND_FIELD("agent_id", FIELD_SLUG, FIELD_NULLABLE, agent_id),
		SEND_FIELD("agentId", FIELD_SLUG, FIELD_NULLABLE, agent_id),
		SEND_FIELD("stream_run_id", FIELD_TEXT, FIELD_NULLABLE, run_name),
		OPTION_AS("context_type", context_type, 32),
		OPTION_AS("project_id", project_id, UUID_TEXT_BYTES - 1),
		{ .key = "focus", .type = FIELD_OBJECT, .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct agent_body, focus) },
		SEND_OPTIONS
	};
	const struct send_as as = { .dialect = DIALECT_V2 };
	struct agent_body b;

	if (send_read(rq, TURN_SEND, fields, ARRAY_LEN(fields), &b, sizeof(b),
		      e) < 0 ||
	    session_of(rq, &b, e) < 0 || focus_of(&b, e) < 0)
		return -1;
	return send_stream(rq, rs, &b.in, &as, e) < 0 ? name_as_sent(rq, e) : 0;
}

/*
 * POST /agent/prewarm {context_type?, project_id?, focus?: {entity_type, entity_id}}: 204,
 * what a message from there will need of the database is in memory. contextType,
 * projectId and focusId are names, too. 422 for what POST /agent/stream refuses.
 */
int api_agent_prewarm(struct request *rq, struct response *rs, struct err *e)
{
	const struct field fields[] = {
		OPTION_AS("context_type", context_type, 32),
		OPTION_AS("contextType", context_type, 32),
		OPTION_AS("project_id", project_id, UUID_TEXT_BYTES - 1),
		OPTION_AS("projectId", project_id, UUID_TEXT_BYTES - 1),
		OPTION_AS("focusId", focus_id, UUID_TEXT_BYTES - 1),
		{ .key = "focus", .type = FIELD_OBJECT, .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct agent_body, focus) },
	};
	const struct turn_options *o;
	struct agent_body b;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &b, sizeof(b), e) < 0 ||
	    focus_of(&b, e) < 0)
		return -1;
	o = &b.in.options;
	if (place_warm(&rq->by, rq->app->packs, &(struct conversation_context){
		o->context_type, o->project_id, o->focus_id }, e) < 0)
		return name_as_sent(rq, e);
	resp_empty(rs, 204);
	return 0;
}
