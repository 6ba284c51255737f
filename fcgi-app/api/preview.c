/* SPDX-License-Identifier: MIT */
/* What a message would send to the model, without sending it (context/preview.h). */
#include "context/preview.h"

#include "api/api.h"
#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "auth/policy.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "domain/stored.h"
#include "store/conversation.h"

#include "base/banned.h"

struct preview_body {
	struct turn_request in;		/* must be first: send_read */
	struct str system_prompt;	/* replaces the agent's; or NULL */
};

/* Finds the agent, which may depend on the conversation. */
static int find_agent(struct request *rq, struct turn_request *in,
		      struct err *e)
{
	struct conversation c;

	if (uuid_is_nil(&in->conversation_id))
		return 0;
	if (conversation_get(rq->app->db, &rq->by.owner, &in->conversation_id,
			     rq->arena, &c, e) < 0 ||
	    target_conversation(&rq->by, &c, e) < 0)
		return -1;
	if (!in->agent_id.p)
		in->agent_id = c.agent_id;
	return 0;
}

/* Changes the agent as in its editor: nothing is stored, and only the caller sees it. */
static int change_agent(struct request *rq, struct preview_body *b,
			struct err *e)
{
	struct agent *a;

	if (!b->system_prompt.p)
		return 0;
	if (!policy_may(rq->by.who, PERM_AGENTS_WRITE))
		return err_set(e, ERR_FORBIDDEN, "a preview with another prompt");
	a = arena_new(rq->arena, struct agent);
	*a = *b->in.target.agent;
	a->system_prompt = arena_str(rq->arena, b->system_prompt).p;
	a->set.system_prompt = str_trim(b->system_prompt).n > 0;
	b->in.target.agent = a;
	return 0;
}

/* The agent, or one that is not stored. */
static int find_target(struct request *rq, struct turn_request *in, struct err *e)
{
	const struct workspace *w;
	const struct agent *a;

	in->workspace_id = route_arg(rq, "workspace");
	if (!in->options.draft)
		return find_agent(rq, in, e) < 0 ? -1
			: target_find(&rq->by, in->workspace_id, in->agent_id, &in->target,
				      e);
	if (agent_draft(&rq->by, in->workspace_id, in->options.draft, &w, &a, e) < 0)
		return -1;
	in->target = target_of(rq->conf, w, a);
	return 0;
}

static int answer(struct request *rq, struct response *rs,
		  struct preview_body *b, struct err *e)
{
	struct turn_request *in = &b->in;
	struct context_preview p;
	struct jw w;

	if (find_target(rq, in, e) < 0 ||
	    change_agent(rq, b, e) < 0 ||
	    context_preview(&rq->app->deps, in, rq->arena, &p, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	context_preview_write(&p, PREVIEW_FOR_CALLER, &w);
	return 0;
}

static int read_query(struct request *rq, struct turn_request *in,
		      struct err *e)
{
	const size_t max = (size_t)rq->conf->limits.message_chars;
	struct str id;

	if (req_query(rq, "content", &in->content, e) < 0 ||
	    req_query(rq, "conversationId", &id, e) < 0)
		return -1;
	if (utf8_chars(in->content) > max)
		return err_field(e, ERR_INVALID_FIELD, "content", "content may "
				 "have at most %zu characters.", max);
	if (id.n && !uuid_parse(id, &in->conversation_id))
		return err_field(e, ERR_INVALID_FIELD, "conversationId",
				 "conversationId must be a UUID.");
	return 0;
}

/*
 * GET /workspaces/{w}/agents/{a}/preview?content=&conversationId=
 * 200 Preview: the next turn of the conversation, which must be the agent's, or the
 * first turn of a new one. Nothing is stored and no model is called. 404; the
 * errors of starting a turn: 422 llm_*, 503 chat_disabled.
 */
int api_preview_get(struct request *rq, struct response *rs, struct err *e)
{
	struct preview_body b = { .in = send_request(rq, TURN_SEND) };

	if (read_query(rq, &b.in, e) < 0)
		return -1;
	if (!b.in.content.p)
		b.in.content = STR("");
	b.in.agent_id = route_arg(rq, "agent");
	return answer(rq, rs, &b, e);
}

/*
 * POST /workspaces/{w}/preview {content?, agentId?, conversationId?, systemPrompt?,
 * …options}: the same. Without agentId the conversation's agent, else the default
 * one. systemPrompt, which requires AIChat.Agents.Write, replaces the agent's: 403
 * without it.
 */
int api_preview(struct request *rq, struct response *rs, struct err *e)
{
	const struct field fields[] = {
		{ .key = "content", .type = FIELD_TEXT, .flags = FIELD_NULLABLE,
		  .max_chars = (size_t)rq->conf->limits.message_chars,
		  .offset = offsetof(struct preview_body, in.content) },
		SEND_OPTIONS
		SEND_FIELD("conversationId", FIELD_UUID, FIELD_NULLABLE,
			   conversation_id),
		SEND_FIELD("agentId", FIELD_SLUG, FIELD_NULLABLE, agent_id),
		{ .key = "systemPrompt", .type = FIELD_TEXT,
		  .flags = FIELD_NULLABLE, .max_chars = LIM_PROMPT_CHARS,
		  .offset = offsetof(struct preview_body, system_prompt) },
	};
	struct preview_body b;

	if (send_read(rq, TURN_SEND, fields, ARRAY_LEN(fields), &b, sizeof(b),
		      e) < 0)
		return -1;
	if (!b.in.content.p)
		b.in.content = STR("");
	return answer(rq, rs, &b, e);
}
