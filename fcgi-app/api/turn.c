/* Turns as resources: their state, and how to stop one. */
#include "api/api.h"

#include "api/scope.h"
#include "app.h"
#include "base/clock.h"
#include "store/turn.h"
#include "turn/live.h"

#include "base/banned.h"

/*
 * GET /turns/{t}: 200 {turnId, conversationId, status, startedAt, endedAt,
 * error?: {code, message}}. status: running, waiting, done, error, cancelled,
 * interrupted. A turn whose process died is closed first.
 */
int api_turn_get(struct request *rq, struct response *rs, struct err *e)
{
	const struct uuid *id = route_arg_uuid(rq, "turn");
	struct owner owner = scope_owner(rq);
	struct db *db = rq->app->db;
	struct turn t;
	bool closed;
	struct jw w;

	if (turn_get(db, &owner, id, rq->arena, &t, e) < 0)
		return -1;
	if (t.status == TURN_RUNNING && t.lease_until_us < clock_now_us() &&
	    (turn_recover(db, &owner, id, turn_text_of_events, &closed,
			  e) < 0 ||
	     turn_get(db, &owner, id, rq->arena, &t, e) < 0))
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
	jw_end_obj(&w);
	return 0;
}

/*
 * POST /turns/{t}/cancel: 202 {turnId, status}. The wish is stored, so that it
 * reaches whichever process runs the turn; one that runs here stops at once.
 * Asking again, or too late, is fine: status says what became of it.
 */
int api_turn_cancel(struct request *rq, struct response *rs, struct err *e)
{
	const struct uuid *id = route_arg_uuid(rq, "turn");
	struct owner owner = scope_owner(rq);
	struct turn t;
	struct jw w;

	if (turn_cancel(rq->app->db, &owner, id, rq->arena, &t, e) < 0)
		return -1;
	if (t.status == TURN_RUNNING)
		turn_live_cancel(rq->app->live, id);
	w = resp_json(rs, 202);
	jw_obj(&w);
	jw_kuuid(&w, "turnId", &t.id);
	jw_kstrz(&w, "status", turn_status_name((enum turn_status)t.status));
	jw_end_obj(&w);
	return 0;
}
