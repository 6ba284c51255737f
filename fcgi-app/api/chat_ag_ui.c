/* SPDX-License-Identifier: MIT */
/* Runs for AG-UI clients: HttpAgent, and what is based on it. */
#include "api/api.h"

#include "api/approval.h"
#include "api/client.h"
#include "api/inline.h"
#include "app.h"
#include "base/limits.h"
#include "base/log.h"
#include "context/remember.h"
#include "dialect/ag_ui.h"
#include "prompt/shown.h"
#include "memory/memory.h"
#include "memory/state.h"
#include "tool/core/tool.h"

#include "base/banned.h"

/* The front end is the page; uses those of its tools that can be declared. */
static json_t *page_of(struct request *rq)
{
	const json_t *tools = jx_arr(rq->body, "tools"), *t;
	json_t *page = jx_keep(rq->arena, json_pack("{s:s,s:[]}", "mode",
						    "page", "tools"));
	json_t *good = json_object_get(page, "tools");
	size_t i;

	json_array_foreach((json_t *)tools, i, t) {
		json_t *one = jx_keep(rq->arena, json_pack(
			"{s:s,s:[O]}", "mode", "page", "tools", t));
		struct err ignored = ERR_INIT;
		json_t *list;

		if (json_array_size(good) < LIM_PAGE_TOOLS &&
		/* One by one: an unsupported tool must not take the others with it. */
		    tool_page_read(one, &list, &ignored) == 0)
			json_array_append(good, (json_t *)t);
	}
	return page;
}

static const json_t *last_message(const struct request *rq)
{
	const json_t *messages = jx_arr(rq->body, "messages");
	size_t n = json_array_size(messages);

	return n ? json_array_get(messages, n - 1) : NULL;
}

static bool ends_in_results(const struct request *rq)
{
	return str_is(jx_str(last_message(rq), "role"), "tool");
}

/* {interruptId, status, payload} of resume. */
static int add_resume(struct request *rq, struct answers *a, const json_t *r,
		      struct err *e)
{
	const struct turn_wait *row = answers_id(a, jx_str(r, "interruptId"));
	const json_t *payload = json_object_get(r, "payload");
	bool resolved = str_is(jx_str(r, "status"), "resolved");

	if (!row)
		return err_field(e, ERR_INVALID_FIELD, "resume",
				 "The thread has no such interrupt.");
	if (row->kind == WAIT_APPROVAL)
		return answers_decide(rq, a, row, resolved &&
				      jx_bool(payload, "approved", false),
				      jx_obj(payload, "arguments"), e);
	return answers_result(rq, a, row, resolved ? payload : NULL,
			      STR("The user did not answer."), e);
}

/* A message {role: tool, toolCallId, content, error?}: JSON, or a text. */
static int add_result(struct request *rq, struct answers *a, const json_t *m,
		      struct err *e)
{
	const struct turn_wait *row = answers_call(a, jx_str(m, "toolCallId"));
	struct str text, error = jx_str(m, "error");
	json_t *result;

	if (!row || row->kind == WAIT_APPROVAL)
		return 0;	/* of an earlier run */
	if (client_text(rq, json_object_get(m, "content"), "messages", &text,
			e) < 0)
		return -1;
	result = jx_try(text);
	jx_keep(rq->arena, result ? result : (result = jx_string(text)));
	return answers_result(rq, a, row, error.n ? NULL : result, error, e);
}

struct ag_ui_ask {
	struct request *rq;
	struct ag_ui_asked asked;
};

/*
 * The state that is shared with the client: what it sends, which is passed back as it
 * is, and what is known of the conversation (known; NULL: it is read). A client whose
 * state is no object has none.
 */
static int share_state(struct ag_ui_ask *ask, const struct uuid *conversation,
		       const struct memory *known, struct err *e)
{
	struct request *rq = ask->rq;
	const json_t *state = json_object_get(rq->body, "state");
	struct memory m;

	if (state && !json_is_object(state) && !json_is_null(state))
		return 0;
	if (!known && memory_get(rq->app->db, &rq->by.owner, conversation, INT64_MAX,
				 rq->arena, &m, e) < 0)
		return -1;
	ask->asked.state = state;
	ask->asked.agent_state = state_read(rq->arena, known ? known->state : m.state);
	return 0;
}

/* Once the turn has begun, which reads the same. */
static void share_begun(struct response *rs, const struct turn_run *t, void *ctx)
{
	struct err e = ERR_INIT;

	(void)rs;
	if (share_state(ctx, &t->conversation_id, context_memory_of(t), &e) < 0)
		log_err("the state of a conversation", &e);
}

static void share_followed(const struct turn_run *t, void *ctx)
{
	struct err e = ERR_INIT;

	if (share_state(ctx, &t->conversation_id, NULL, &e) < 0)
		log_err("the state of a conversation", &e);
}

static int resume(struct request *rq, struct response *rs, struct ag_ui_ask *ask,
		  const struct send_as *as, struct err *e)
{
	const json_t *messages = jx_arr(rq->body, "messages"), *m;
	const json_t *list = jx_arr(rq->body, "resume");
	size_t i, n = json_array_size(messages);
	struct answers a;

	if (answers_open(rq, "ag-ui", ask->asked.thread_id,
			 json_array_size(list) ? "resume" : "messages", &a,
			 e) < 0 ||
	    share_state(ask, &a.turn.conversation_id, NULL, e) < 0)
		return -1;
	json_array_foreach((json_t *)list, i, m)
		if (add_resume(rq, &a, m, e) < 0)
			return -1;
	while (n-- > 0) {
		m = json_array_get(messages, n);
		if (!str_is(jx_str(m, "role"), "tool"))
			break;
		if (add_result(rq, &a, m, e) < 0)
			return -1;
	}
	return answers_send(rq, rs, &a, as, e);
}

/*
 * POST /ag-ui/{w}?agentId= RunAgentInput {threadId, runId, messages, …}:
 * AG-UI events, docs/dialects.md. The thread is the caller's conversation with
 * that id, or one that was created for it. Only the text and files of the last message are
 * used or, if the thread waits, resume and the tool messages at the end, with which
 * its turn is resumed as this run. tools are those of the client's page, if the
 * workspace allows them (unsupported ones are left out). The options are read from
 * forwardedProps, pageContext also from context; state comes back with the agent state. Errors, and
 * a repeated Idempotency-Key, as POST /chat/{w}/stream and /turns/{t}/approvals.
 */
int api_ag_ui(struct request *rq, struct response *rs, struct err *e)
{
	struct ag_ui_ask ask = { .rq = rq };
	struct ag_ui_asked *asked = &ask.asked;
	struct send_as as = {
		.dialect = DIALECT_AG_UI, .asked = asked, .ends_running = true,
	};
	struct turn_request in = send_request(rq, TURN_SEND);
	struct inline_files files = { .ids = NULL };

	if (client_name(rq->body, "threadId", &asked->thread_id, e) < 0 ||
	    client_name(rq->body, "runId", &asked->run_id, e) < 0)
		return -1;
	if (json_array_size(jx_arr(rq->body, "resume")) || ends_in_results(rq))
		return resume(rq, rs, &ask, &as, e);
	if (client_last_text(rq, jx_arr(rq->body, "messages"), "content",
			     &in.content, e) < 0 ||
	    shown_check(jx_arr(rq->body, "context"), "context", e) < 0 ||
	    send_read_options(jx_obj(rq->body, "forwardedProps"), &in.options,
			      e) < 0 ||
	    inline_take(rq, json_object_get(last_message(rq), "content"), &files,
			e) < 0 ||
	    inline_use(rq, &files, &in, e) < 0)
		return -1;
	in.options.client = page_of(rq);
	if (!in.options.shown)
		in.options.shown = jx_arr(rq->body, "context");
	inline_tell(rs, &files);
	as.begun = share_begun;
	as.followed = share_followed;
	as.ctx = &ask;
	return client_send(rq, rs, "ag-ui", asked->thread_id,
			   json_array_size(jx_arr(rq->body, "messages")) == 1, &in, &as, e);
}
