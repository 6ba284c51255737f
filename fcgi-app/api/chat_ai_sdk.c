/* Chat for clients of the Vercel AI SDK: useChat with DefaultChatTransport. */
#include "api/api.h"

#include "api/client.h"
#include "api/send.h"

#include "base/banned.h"

/*
 * Only a new message is taken. What changes the thread (regenerate, an edited
 * message) is refused, since the client would show another thread than the
 * stored one.
 */
static int check_trigger(const json_t *body, struct err *e)
{
	struct str trigger = jx_str(body, "trigger");
	const json_t *edited = json_object_get(body, "messageId");

	if (str_is(trigger, "regenerate-message"))
		return err_field(e, ERR_INVALID_FIELD, "trigger",
				 "Answers cannot be regenerated here yet; send "
				 "a new message.");
	if (trigger.p && !str_is(trigger, "submit-message"))
		return err_field(e, ERR_INVALID_FIELD, "trigger",
				 "trigger must be submit-message.");
	if (edited && !json_is_null(edited))
		return err_field(e, ERR_INVALID_FIELD, "messageId",
				 "Messages cannot be edited here yet; send a "
				 "new one.");
	return 0;
}

/*
 * POST /ai-sdk/{w}?agentId= {id, messages, trigger?, messageId?}: the UI
 * message stream v1, docs/dialects.md. id is the client's chat id: the caller's
 * conversation of that id, or one that is kept under it. Of messages only the
 * last one's text is taken. Other members are not read. Errors as
 * POST /chat/{w}/stream.
 */
int api_ai_sdk(struct request *rq, struct response *rs, struct err *e)
{
	const struct send_as as = { .dialect = DIALECT_AI_SDK };
	struct client_thread thread;
	struct str chat, text;
	struct turn_run *t;

	if (client_name(rq->body, "id", &chat, e) < 0 ||
	    check_trigger(rq->body, e) < 0 ||
	    client_last_text(rq, jx_arr(rq->body, "messages"), "parts", &text,
			     e) < 0 ||
	    client_thread(rq, "ai-sdk", chat, &thread, e) < 0)
		return -1;
	t = send_open(rq, thread.workspace, thread.agent,
		      &thread.conversation_id, text, e);
	if (!t)
		return -1;
	send_stream(rs, t, &as);
	return 0;
}

/*
 * GET /ai-sdk/{w}/{chat}/stream: the answer that is being written in a chat,
 * all of it from its start and then as it grows (the transport's
 * reconnectToStream; there is no Last-Event-ID). 204 when nothing is, or there
 * is no such chat. 404 for a workspace that the caller does not see. The path
 * takes names of letters, digits and ._~- only, as generateId makes them.
 */
int api_ai_sdk_resume(struct request *rq, struct response *rs, struct err *e)
{
	struct client_thread thread;
	int rc = client_find_thread(rq, "ai-sdk", route_arg(rq, "chat"),
				    &thread, e);

	if (rc < 0)
		return -1;
	if (rc == 0 && !uuid_is_nil(&thread.running_turn_id))
		return send_events(rq, rs, &thread.running_turn_id, 0,
				   DIALECT_AI_SDK, e);
	resp_empty(rs, 204);
	return 0;
}
