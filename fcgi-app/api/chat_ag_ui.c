/* Runs for AG-UI clients: HttpAgent, and what stands upon it. */
#include "api/api.h"

#include "api/client.h"
#include "api/send.h"

#include "base/banned.h"

/*
 * POST /ag-ui/{w}?agentId= RunAgentInput {threadId, runId, messages, …}:
 * AG-UI events, docs/dialects.md. The thread is the caller's conversation of
 * that id, or one that is kept under it. Of messages only the last one's text
 * is taken. tools (the client's own), context, state and forwardedProps are not
 * read; resume is refused, as no run is ever interrupted. Errors as
 * POST /chat/{w}/stream.
 */
int api_ag_ui(struct request *rq, struct response *rs, struct err *e)
{
	struct send_as as = { .dialect = DIALECT_AG_UI };
	struct client_thread thread;
	struct turn_run *t;
	struct str text;

	if (client_name(rq->body, "threadId", &as.state.thread_id, e) < 0 ||
	    client_name(rq->body, "runId", &as.state.run_id, e) < 0)
		return -1;
	if (json_array_size(jx_arr(rq->body, "resume")))
		return err_field(e, ERR_INVALID_FIELD, "resume",
				 "No run of this thread waits to be resumed.");
	if (client_last_text(rq, jx_arr(rq->body, "messages"), "content",
			     &text, e) < 0 ||
	    client_thread(rq, "ag-ui", as.state.thread_id, &thread, e) < 0)
		return -1;
	t = send_open(rq, thread.workspace, thread.agent,
		      &thread.conversation_id, text, e);
	if (!t)
		return -1;
	send_stream(rs, t, &as);
	return 0;
}
