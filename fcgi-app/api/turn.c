/* Turns as resources: their state, and how to stop one. */
#include "api/api.h"

#include "api/idempotent.h"
#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "fields.h"
#include "store/conversation.h"
#include "dialect/wire.h"
#include "store/turn.h"
#include "store/wait.h"
#include "turn/follow.h"
#include "turn/live.h"
#include "turn/notify.h"

#include "base/banned.h"

static int write_waits(struct request *rq, struct jw *w, const struct turn *t,
		       struct err *e)
{
	struct owner owner = scope_owner(rq);
	struct turn_wait *rows;
	size_t n;

	if (turn_wait_list(rq->app->db, &owner, &t->id, rq->arena, &rows, &n,
			   e) < 0)
		return -1;
	jw_key(w, "waitingFor");
	jw_arr(w);
	for (size_t i = 0; i < n; i++)
		if (!rows[i].used_us)
			wire_wait(w, &rows[i]);
	jw_end_arr(w);
	return 0;
}

/*
 * GET /turns/{t}: 200 {turnId, conversationId, status, startedAt, endedAt,
 * error?: {code, message}, waitingFor?: […]}. status: running, waiting, done, error, cancelled,
 * interrupted. A turn whose process died is closed first.
 */
int api_turn_get(struct request *rq, struct response *rs, struct err *e)
{
	struct owner owner = scope_owner(rq);
	struct turn t;
	struct jw w;

	if (turn_now(&rq->app->deps, &owner, route_arg_uuid(rq, "turn"),
		     rq->arena, &t, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kuuid(&w, "turnId", &t.id);
	jw_kuuid(&w, "conversationId", &t.conversation_id);
	jw_kstrz(&w, "status", turn_status_name((enum turn_status)t.status));
	jw_ktime(&w, "startedAt", t.started_us);
	if (t.ended_us)
		jw_ktime(&w, "endedAt", t.ended_us);
	else
		jw_kstrz(&w, "endedAt", NULL);
	if (t.error_code.n) {
		jw_key(&w, "error");
		jw_obj(&w);
		jw_kstr(&w, "code", t.error_code);
		jw_kstr(&w, "message", t.error_text.p ? t.error_text : STR(""));
		jw_end_obj(&w);
	}
	if (t.status == TURN_WAITING && write_waits(rq, &w, &t, e) < 0)
		return -1;
	jw_end_obj(&w);
	return 0;
}

int turn_stop(struct request *rq, const struct uuid *id, struct turn *t,
	      struct err *e)
{
	struct owner owner = scope_owner(rq);
	bool closed = false;

	if (turn_now(&rq->app->deps, &owner, id, rq->arena, t, e) < 0 ||
	    turn_cancel(rq->app->db, &owner, id, rq->arena, t, e) < 0)
		return -1;
	if (t->status == TURN_RUNNING)
		turn_live_cancel(rq->app->live, id);
	/* One that waits has no process to stop it. */
	if (t->status == TURN_WAITING &&
	    (turn_abandon(rq->app->db, &owner, id, &closed, e) < 0 ||
	     turn_get(rq->app->db, &owner, id, rq->arena, t, e) < 0))
		return -1;
	if (closed)
		notify_turn(rq->app->notify, &owner, id, &t->conversation_id,
			    (enum turn_status)t->status);
	return 0;
}

/*
 * POST /turns/{t}/cancel: 202 {turnId, status}. The wish is stored, so that it
 * reaches whichever process runs the turn; one that runs here stops at once,
 * one whose process died is closed.
 * Asking again, or too late, is fine: status says what became of it.
 */
int api_turn_cancel(struct request *rq, struct response *rs, struct err *e)
{
	struct turn t;
	struct jw w;

	if (turn_stop(rq, route_arg_uuid(rq, "turn"), &t, e) < 0)
		return -1;
	w = resp_json(rs, 202);
	jw_obj(&w);
	jw_kuuid(&w, "turnId", &t.id);
	jw_kstrz(&w, "status", turn_status_name((enum turn_status)t.status));
	jw_end_obj(&w);
	return 0;
}

/*
 * POST /turns/{t}/continue?dialect= {client?, webSearch?}, or no body: goes on
 * where a turn was cut short (interrupted, cancelled, error), as a new turn of
 * the same user message, and streams it.
 * What the old one stored stays: the model sees its steps and its text so far,
 * and the new answer is what comes behind (metadata.continues names it). The web
 * is asked as it was there, unless webSearch says otherwise. 404; 409 conflict
 * when it was not cut short or the thread has gone on, 409 conversation_busy with
 * turnId; 422 llm_*, 503 as for a message. A repeated Idempotency-Key: the first
 * one's stream, from its start.
 */
int api_turn_continue(struct request *rq, struct response *rs, struct err *e)
{
	static const struct field fields[] = {
		SEND_MORE_FIELDS(0),
	};
	struct owner owner = scope_owner(rq);
	const struct conf_workspace *ws;
	const struct conf_agent *agent;
	struct send_as as = { .dialect = DIALECT_NATIVE };
	struct idempotent_turn same;
	struct conversation c;
	struct send_more more;
	struct turn_run *run;
	struct turn t;
	int rc;

	if (send_dialect(rq, &as.dialect, e) < 0 ||
	    fields_read(fields, ARRAY_LEN(fields), rq->body, &more,
			sizeof(more), e) < 0 ||
	    turn_now(&rq->app->deps, &owner, route_arg_uuid(rq, "turn"),
		     rq->arena, &t, e) < 0)
		return -1;
	same = (struct idempotent_turn){
		.conversation = &t.conversation_id, .user_seq = t.user_seq,
	};
	rc = idempotent_stream(rq, rs, &same, &as, e);
	if (rc)
		return MIN(rc, 0);
	if (conversation_get(rq->app->db, &owner, &t.conversation_id, rq->arena,
			     &c, e) < 0)
		return -1;
	ws = scope_workspace(rq, c.workspace_id, e);
	agent = ws ? scope_agent(ws, c.agent_id, e) : NULL;
	run = agent ? send_open_again(rq, ws, agent, &t, &more, e) : NULL;
	if (!run)
		return -1;
	send_stream(rs, run, &as);
	return 0;
}
