/* SPDX-License-Identifier: MIT */
/* Chat for clients of the Vercel AI SDK: useChat with DefaultChatTransport. */
#include "api/api.h"

#include <string.h>

#include "api/approval.h"
#include "api/client.h"
#include "api/inline.h"
#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "dialect/ai_sdk.h"
#include "path.h"
#include "store/message.h"
#include "store/turn.h"

#include "base/banned.h"

/* What useChat requests. */
struct ask {
	struct str chat;
	struct turn_request in;
	struct inline_files files;
	bool regenerate;
	const json_t *answered;		/* parts of an answer that waits, with
					   what the client decided; or NULL */
};

/* Stores the client's id of a message, to find it later; not if it is too long. */
static void name_message(struct request *rq, struct str id,
			 struct turn_request *in)
{
	struct buf b = BUF_INIT(8 * LIM_CLIENT_NAME_CHARS + 256);
	struct jw w = jw_on(&b);

	if (id.n && utf8_chars(id) <= LIM_CLIENT_NAME_CHARS) {
		jw_obj(&w);
		jw_kstrz(&w, "client", "ai-sdk");
		jw_kstr(&w, "clientMessageId", id);
		jw_end_obj(&w);
		in->meta = arena_str(rq->arena, buf_str(&b));
		in->client_id = id;
	}
	buf_release(&b);
}

static int read_ask(struct request *rq, struct ask *ask, struct err *e)
{
	const json_t *messages = jx_arr(rq->body, "messages");
	size_t n = json_array_size(messages);
	struct str trigger = jx_str(rq->body, "trigger");

	*ask = (struct ask){
		.regenerate = str_is(trigger, "regenerate-message"),
		.in = send_request(rq, TURN_SEND),
	};
	ask->in.message = jx_str(rq->body, "messageId");
	if (client_name(rq->body, "id", &ask->chat, e) < 0 ||
	    send_read_options(rq->body, &ask->in.options, e) < 0)
		return -1;
	if (trigger.p && !ask->regenerate && !str_is(trigger, "submit-message"))
		return err_field(e, ERR_INVALID_FIELD, "trigger",
				 "trigger must be submit-message or "
				 "regenerate-message.");
	if (ask->regenerate)
		return 0;
	if (str_is(jx_str(json_array_get(messages, n - 1), "role"),
		   "assistant")) {
		ask->answered = jx_arr(json_array_get(messages, n - 1),
				       "parts");
		if (ask->answered)
			return 0;
	}
	if (client_last_text(rq, messages, "parts", &ask->in.content, e) < 0)
		return -1;
	name_message(rq, jx_str(json_array_get(messages, n - 1), "id"),
		     &ask->in);
	return inline_take(rq, jx_arr(json_array_get(messages, n - 1), "parts"),
			   &ask->files, e) < 0 ||
	       inline_use(rq, &ask->files, &ask->in, e) < 0 ? -1 : 0;
}

/* Edits, or answers again, in the chat, which must exist. */
static int replace(struct request *rq, struct response *rs, struct ask *ask,
		   const struct send_as *as, struct err *e)
{
	struct client_thread th;
	int rc = client_find_thread(rq, "ai-sdk", ask->chat, &th, e);

	if (rc == 1)
		return err_set(e, ERR_NOT_FOUND, "no such chat");
	if (rc < 0)
		return -1;
	ask->in.verb = TURN_REPLACE;
	client_target(&th, &ask->in);
	return send_stream(rq, rs, &ask->in, as, e);
}

/*
 * Whether a tool part decides about this wait. It must have the id of our request,
 * because call ids come from the model, and messages from the client (F8).
 */
static bool decides(const json_t *part, const struct turn_wait *row)
{
	struct uuid id;

	return str_is(jx_str(part, "state"), "approval-responded") &&
		uuid_parse(jx_str(jx_obj(part, "approval"), "id"), &id) &&
		uuid_eq(&id, &row->id);
}

/* A tool part of the answer: the client's result or decision, if any. */
static int add_part(struct request *rq, struct answers *a, const json_t *part,
		    struct err *e)
{
	const struct turn_wait *row = answers_call(a, jx_str(part, "toolCallId"));
	struct str state = jx_str(part, "state");
	const json_t *approval = jx_obj(part, "approval");
	static const json_t *const none;

	if (!row)
		return 0;
	if (row->kind == WAIT_APPROVAL)
		return decides(part, row)
			? answers_decide(rq, a, row, jx_bool(approval,
				"approved", false), NULL, e) : 0;
	if (str_is(state, "output-available") && json_object_get(part, "output"))
		return answers_result(rq, a, row,
				      json_object_get(part, "output"),
				      STR(""), e);
	if (str_is(state, "output-error"))
		return answers_result(rq, a, row, none,
				      jx_str(part, "errorText"), e);
	return 0;
}

static int answer_parts(struct request *rq, struct response *rs,
			const struct ask *ask, const struct send_as *as,
			struct err *e)
{
	struct answers a;
	const json_t *part;
	size_t i;

	if (answers_open(rq, "ai-sdk", ask->chat, "messages", &a, e) < 0)
		return -1;
	json_array_foreach((json_t *)ask->answered, i, part)
		if (add_part(rq, &a, part, e) < 0)
			return -1;
	return answers_send(rq, rs, &a, as, e);
}

/* The client's major version; 0: it did not say. */
static int read_version(struct request *rq, struct ai_sdk_asked *out, struct err *e)
{
	int64_t sdk;

	if (req_query_int(rq, "sdk", 0, &sdk, e) < 0)
		return -1;
	*out = (struct ai_sdk_asked){ .version = (int)MIN(MAX(sdk, 0), 1000) };
	return 0;
}

/*
 * POST /ai-sdk/{w}?agentId=&sdk= {id, messages, trigger?, messageId?}: the UI
 * message stream v1, docs/dialects.md. id is the client's chat id: the caller's
 * conversation with that id, or one that was created for it. Only the text, the files
 * and the id of the last message are used. With messageId, that user message is edited;
 * trigger regenerate-message regenerates, as POST /conversations/{c}/edit and
 * …/regenerate. If the last message is the answer that waits, with approvals and
 * outputs of the client in its tool parts, the turn is resumed in the same message;
 * an approval applies to the request with its id.
 * The options, errors and a repeated Idempotency-Key: as POST /chat/{w}/stream.
 * sdk: the client's major version; from 6 on, approvals are separate parts. Other
 * members are ignored.
 */
int api_ai_sdk(struct request *rq, struct response *rs, struct err *e)
{
	struct ai_sdk_asked asked;
	struct send_as as = {
		.dialect = DIALECT_AI_SDK, .asked = &asked, .ends_running = true,
	};
	struct ask ask;

	if (read_version(rq, &asked, e) < 0 || read_ask(rq, &ask, e) < 0)
		return -1;
	if (ask.answered)
		return answer_parts(rq, rs, &ask, &as, e);
	inline_tell(rs, &ask.files);
	return ask.regenerate || ask.in.message.n ? replace(rq, rs, &ask, &as, e)
		: client_send(rq, rs, "ai-sdk", ask.chat,
			      json_array_size(jx_arr(rq->body, "messages")) == 1,
			      &ask.in, &as, e);
}

static int resume(struct request *rq, struct response *rs, struct str chat,
		  struct err *e)
{
	struct ai_sdk_asked asked;
	const struct send_as as = {
		.dialect = DIALECT_AI_SDK, .asked = &asked, .ends_running = true,
	};
	struct client_thread thread;
	int rc;

	if (read_version(rq, &asked, e) < 0)
		return -1;
	rc = client_find_thread(rq, "ai-sdk", chat, &thread, e);
	if (rc < 0)
		return -1;
	if (rc == 0 && !uuid_is_nil(&thread.running_turn_id))
		return send_events(rq, rs, &thread.running_turn_id, 0,
				   &as, e);
	resp_empty(rs, 204);
	return 0;
}

/*
 * GET /ai-sdk/{w}/{chat}/stream?agentId=&sdk=: the running answer of a chat from its start (the
 * transport's reconnectToStream; there is no Last-Event-ID). 204 if none is
 * running, or there is no such chat. 404 for a workspace that the caller cannot
 * see. The path accepts only names of letters, digits and ._~-, as generateId makes
 * them.
 */
int api_ai_sdk_resume(struct request *rq, struct response *rs, struct err *e)
{
	return resume(rq, rs, route_arg(rq, "chat"), e);
}

/*
 * GET /ai-sdk/{w}?agentId=A/{chat}/stream: the same. The transport appends the chat and
 * "/stream" to its address, behind the query if that has one. 404 for another query.
 */
int api_ai_sdk_resume_query(struct request *rq, struct response *rs, struct err *e)
{
	const struct str end = STR("/stream");
	struct str q = rq->raw_query, chat;
	size_t at;

	if (q.n <= end.n ||
	    memcmp(q.p + q.n - end.n, end.p, end.n) != 0)
		return err_set(e, ERR_NOT_FOUND, "no chat in the query");
	q.n -= end.n;
	for (at = q.n; at && q.p[at - 1] != '/';)
		at--;
	if (!at || at == q.n)
		return err_set(e, ERR_NOT_FOUND, "no chat in the query");
	if (path_decode(rq->arena, (struct str){ q.p + at, q.n - at }, false, &chat, e) < 0)
		return -1;
	rq->raw_query.n = at - 1;
	if (req_query_names(rq, "agentId sdk", e) < 0)
		return -1;
	return resume(rq, rs, chat, e);
}
