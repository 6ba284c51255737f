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
		      &thread.conversation_id, text, NULL, e);
	if (!t)
		return -1;
	send_stream(rs, t, &as);
	return 0;
}
