/* SPDX-License-Identifier: MIT */
/* Turns as resources: their state, and how to stop one. */
#include "api/api.h"

#include <sodium.h>

#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "dialect/wire.h"
#include "store/turn.h"
#include "store/wait.h"
#include "turn/follow.h"
#include "event/live.h"
#include "event/notify.h"
#include "turn/unstored.h"

#include "base/banned.h"

/* Of a turn that runs only if a step of its plan waits. */
static int write_waits(struct request *rq, struct jw *w, const struct turn *t,
		       struct err *e)
{
	const bool waits = t->status == TURN_WAITING;
	struct turn_wait *rows;
	size_t n, open = 0;

	if (store_turn_wait_list(rq->app->db, &rq->by.owner, &t->id, rq->arena, &rows,
				 &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (waits ? !rows[i].used_us : rows[i].status == WAIT_OPEN)
			rows[open++] = rows[i];
	if (!waits && !open)
		return 0;
	jw_key(w, "waitingFor");
	jw_arr(w);
	for (size_t i = 0; i < open; i++)
		wire_wait(w, &rows[i]);
	jw_end_arr(w);
	return 0;
}

/*
 * GET /turns/{t}: 200 {turnId, conversationId, status, startedAt, endedAt,
 * error?: {code, message}, waitingFor?: […]}. status: running, waiting, done, error, cancelled,
 * interrupted. waitingFor also while it runs, if a step of a plan waits. A turn whose process
 * died is closed first.
 */
int api_turn_get(struct request *rq, struct response *rs, struct err *e)
{
	struct turn t;
	struct jw w;

	if (turn_now(&rq->app->deps, &rq->by.owner, route_arg_uuid(rq, "turn"),
		     rq->arena, &t, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kuuid(&w, "turnId", &t.id);
	jw_kuuid(&w, "conversationId", &t.conversation_id);
	jw_kstrz(&w, "status", store_turn_status_name((enum turn_status)t.status));
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
	if ((t.status == TURN_WAITING || t.status == TURN_RUNNING) &&
	    write_waits(rq, &w, &t, e) < 0)
		return -1;
	jw_end_obj(&w);
	return 0;
}

int api_turn_stop(struct request *rq, const struct uuid *id, struct turn *t,
		  struct err *e)
{
	bool closed = false;

	if (turn_now(&rq->app->deps, &rq->by.owner, id, rq->arena, t, e) < 0 ||
	    store_turn_cancel(rq->app->db, &rq->by.owner, id, rq->arena, t, e) < 0)
		return -1;
	if (t->status == TURN_RUNNING)
		event_live_cancel(rq->app->live, id);
	/* A waiting turn has no process to stop it. */
	if (t->status == TURN_WAITING &&
	    (store_turn_abandon(rq->app->db, &rq->by.owner, id, &closed, e) < 0 ||
	     store_turn_get(rq->app->db, &rq->by.owner, id, rq->arena, t, e) < 0))
		return -1;
	if (closed)
		notify_turn(rq->app->notify, &rq->by.owner, id,
			    &t->conversation_id, (enum turn_status)t->status);
	return 0;
}

/*
 * POST /turns/{t}/cancel: 202 {turnId, status}. The request is stored, so that it
 * reaches the process that runs the turn; a turn that runs here stops at once, and
 * one whose process died is closed. Repeated and late requests are no error: status
 * has the result.
 */
int api_turn_cancel(struct request *rq, struct response *rs, struct err *e)
{
	struct turn t;
	struct jw w;

	if (api_turn_stop(rq, route_arg_uuid(rq, "turn"), &t, e) < 0)
		return -1;
	w = resp_json(rs, 202);
	jw_obj(&w);
	jw_kuuid(&w, "turnId", &t.id);
	jw_kstrz(&w, "status", store_turn_status_name((enum turn_status)t.status));
	jw_end_obj(&w);
	return 0;
}

static int open_unstored(struct request *rq, const struct uuid *id,
			 struct str text, struct turn_unstored *out,
			 struct err *e)
{
	struct app *app = rq->app;
	unsigned char key[KEY_BYTES];
	int rc = key_cached(&app->unstored_key, app->db, key, e);

	if (rc == 0)
		rc = unstored_open(rq->arena, key, &rq->by.owner, id, text, out,
				   e);
	sodium_memzero(key, sizeof(key));
	return rc;
}

/*
 * POST /turns/{t}/store {unstored}: stores the end of a turn that could not be
 * stored because the database was unavailable. unstored comes from the metadata of
 * its error event (turn/unstored.h); nothing else is accepted, so a client cannot
 * forge answers of a model. The answer, with steps that were not stored either, gets
 * its place in the thread; if the turn was closed as interrupted in the meantime, it
 * replaces the text so far. It is stored once; a repetition gives the same answer.
 * 200 {turnId, conversationId, status, messageId}; 404; 409 conversation_busy with
 * turnId while another turn runs, 409 conflict if the turn has a different end or
 * newer messages have taken its place; 422.
 */
int api_turn_store(struct request *rq, struct response *rs, struct err *e)
{
	struct body {
		struct str unstored;
	} body;
	static const struct field fields[] = {
		{ .key = "unstored", .type = FIELD_TEXT,
		  .flags = FIELD_REQUIRED,
		  .offset = offsetof(struct body, unstored) },
	};
	struct app *app = rq->app;
	char id[MESSAGE_ID_BYTES];
	struct turn_unstored u;
	struct turn_end *end = &u.end;
	struct turn t;
	struct jw w;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &body,
			sizeof(body), e) < 0 ||
	    store_turn_get(app->db, &rq->by.owner, route_arg_uuid(rq, "turn"),
			   rq->arena, &t, e) < 0 ||
	    open_unstored(rq, &t.id, body.unstored, &u, e) < 0 ||
	    store_turn_end_late(app->db, &rq->by.owner, end, u.steps, u.n_steps,
				e) < 0)
		return -1;
	notify_turn(app->notify, &rq->by.owner, &t.id, &end->conversation_id,
		    end->status);
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kuuid(&w, "turnId", &t.id);
	jw_kuuid(&w, "conversationId", &end->conversation_id);
	jw_kstrz(&w, "status", store_turn_status_name(end->status));
	jw_kstrz(&w, "messageId", message_id(&end->conversation_id,
					     end->answer->seq, id));
	jw_end_obj(&w);
	return 0;
}

/*
 * POST /turns/{t}/continue?dialect= {…options}, or no body: continues a turn that
 * was cut short (interrupted, cancelled, error) as a new turn of the same user
 * message, and streams it. The rows of the old turn stay: the model sees its steps
 * and its text so far, and the new answer continues that (metadata.continues is its
 * id). webSearch: default as in the old turn. 404; 409 conflict if it was not cut
 * short or the thread has newer messages, 409 conversation_busy with turnId; 422
 * llm_*, 503 as for a message. A repeated Idempotency-Key: the first one's stream,
 * from its start.
 */
int api_turn_continue(struct request *rq, struct response *rs, struct err *e)
{
	static const struct field fields[] = {
		SEND_OPTIONS
	};
	struct send_as as = { .dialect = DIALECT_NATIVE };
	struct turn_request in;
	struct turn t;

	if (send_dialect(rq, &as.dialect, e) < 0 ||
	    send_read(rq, TURN_CONTINUE, fields, ARRAY_LEN(fields), &in,
		      sizeof(in), e) < 0 ||
	    send_continue(rq, &t, &in, e) < 0)
		return -1;
	return send_stream(rq, rs, &in, &as, e);
}
