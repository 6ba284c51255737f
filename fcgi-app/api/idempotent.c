#include "api/idempotent.h"

#include <stdatomic.h>

#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "base/limits.h"
#include "store/message.h"
#include "turn/follow.h"

#include "base/banned.h"

#define HEADER "Idempotency-Key"

enum { LOOK_MS = 1000 };	/* how often a wait looks whether to end */

int idempotent_id(const struct request *rq, const char *kind, struct uuid *id,
		  struct err *e)
{
	struct str key = req_header(rq, HEADER);
	struct buf scope = BUF_INIT(256);

	*id = (struct uuid){ { 0 } };
	if (!key.p)
		return 0;
	for (size_t i = 0; i < key.n; i++)
		if (key.p[i] <= ' ' || key.p[i] == 0x7f)
			key.n = 0;
	if (key.n == 0 || key.n > LIM_KEY_BYTES)
		return err_field(e, ERR_INVALID_FIELD, HEADER, HEADER " must "
				 "have 1 to %d visible ASCII characters.",
				 LIM_KEY_BYTES);
	buf_addf(&scope, "%s/key/%s", rq->who.user_id_text, kind);
	*id = uuid_of_name(buf_str(&scope), key);
	buf_release(&scope);
	return 1;
}

int idempotent_differs(struct err *e)
{
	return err_field(e, ERR_INVALID_FIELD, HEADER,
			 "This " HEADER " was used for another request.");
}

int idempotent_conversation(struct request *rq, const struct uuid *id,
			    struct conversation *out, struct err *e)
{
	struct owner owner = scope_owner(rq);

	if (conversation_get(rq->app->db, &owner, id, rq->arena, out, e) == 0)
		return 1;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}

static int check_same(struct request *rq, const struct turn *t,
		      const struct idempotent_turn *same, struct err *e)
{
	struct owner owner = scope_owner(rq);
	struct message user;

	if (same->conversation && !uuid_eq(same->conversation,
					   &t->conversation_id))
		return idempotent_differs(e);
	if (!same->content.p)
		return 0;
	if (message_get(rq->app->db, &owner, &t->conversation_id, t->user_seq,
			rq->arena, &user, e) < 0)
		return -1;
	return str_eq(user.content, same->content) ? 0 : idempotent_differs(e);
}

int idempotent_find(struct request *rq, const struct idempotent_turn *same,
		    struct turn *out, struct err *e)
{
	struct owner owner = scope_owner(rq);
	struct uuid id;
	int rc = idempotent_id(rq, "turn", &id, e);

	if (rc <= 0)
		return rc;
	if (turn_get(rq->app->db, &owner, &id, rq->arena, out, e) == 0)
		return check_same(rq, out, same, e) < 0 ? -1 : 1;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	rq->turn_id = id;
	return 0;
}

int idempotent_stream(struct request *rq, struct response *rs,
		      const struct idempotent_turn *same,
		      enum dialect_id dialect, enum record_style style,
		      struct err *e)
{
	struct turn t;
	int rc = idempotent_find(rq, same, &t, e);

	if (rc <= 0)
		return rc;
	return send_events(rq, rs, &t.id, 0, dialect, style, e) < 0 ? -1 : 1;
}

static int patience(void *ctx)
{
	struct request *rq = ctx;

	return atomic_load(&rq->app->stopping) ? 0 : LOOK_MS;
}

struct waiting_sink {
	struct sink sink;	/* first: a sink is cast back */
	struct turn_run *run;
};

/* Only what the turn waits for, if it does, is kept. */
static void keep_waits(struct sink *s, const struct turn_event *ev)
{
	struct turn_run *run = ((struct waiting_sink *)s)->run;

	if (ev->type != TURN_EV_WAITING)
		return;
	run->waits = ev->waits;
	run->n_waits = ev->n_waits;
}

int idempotent_wait(struct request *rq, struct response *rs,
		    const struct idempotent_turn *same, enum record_style style,
		    struct err *e)
{
	struct turn_follow f = {
		.deps = &rq->app->deps, .conf = rq->conf, .who = &rq->who,
		.arena = rq->arena, .patience = patience, .ctx = rq,
		.ends_at_wait = true,
	};
	struct waiting_sink s = {
		.sink = { .emit = keep_waits }, .run = &f.run,
	};
	struct owner owner = scope_owner(rq);
	struct turn t;
	int rc = idempotent_find(rq, same, &t, e);

	if (rc <= 0)
		return rc;
	f.turn_id = t.id;
	if (turn_follow_open(&f, e) < 0 || turn_follow_run(&f, &s.sink, e) < 0)
		return -1;
	if (!f.done) {
		uuid_format(&f.turn_id, e->id);
		return err_set(e, ERR_BUSY, "stopped in front of the answer");
	}
	/* The answer was told, so it is loaded. */
	if (message_get(rq->app->db, &owner, &f.turn.conversation_id,
			f.turn.user_seq, rq->arena, &f.run.user, e) < 0)
		return -1;
	send_both(rs, &f.run, (enum turn_status)f.turn.status, style);
	return 1;
}
