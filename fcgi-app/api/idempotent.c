#include "api/idempotent.h"

#include <stdatomic.h>

#include "api/scope.h"
#include "app.h"
#include "form.h"
#include "base/limits.h"
#include "store/message.h"
#include "store/wait.h"
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

static int check_agent(struct request *rq, const struct turn *t,
		       const struct idempotent_turn *same, struct err *e)
{
	struct owner owner = scope_owner(rq);
	struct conversation c;

	if (!same->workspace_id.p && !same->agent_id.p)
		return 0;
	if (conversation_get(rq->app->db, &owner, &t->conversation_id,
			     rq->arena, &c, e) < 0)
		return -1;
	if ((same->workspace_id.p &&
	     !str_eq(same->workspace_id, c.workspace_id)) ||
	    (same->agent_id.p && !str_eq(same->agent_id, c.agent_id)))
		return idempotent_differs(e);
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
	if (same->user_seq && same->user_seq != t->user_seq)
		return idempotent_differs(e);
	if (check_agent(rq, t, same, e) < 0)
		return -1;
	if (!same->content.p)
		return 0;
	if (message_get(rq->app->db, &owner, &t->conversation_id, t->user_seq,
			rq->arena, &user, e) < 0)
		return -1;
	return str_eq(user.content, same->content) &&
		str_eq(user.meta, same->meta) ? 0 : idempotent_differs(e);
}

/* 1 and the turn of that id; 0: the one that is opened here gets it. */
static int find(struct request *rq, const struct uuid *id, struct turn *out,
		struct err *e)
{
	struct owner owner = scope_owner(rq);

	if (turn_get(rq->app->db, &owner, id, rq->arena, out, e) == 0)
		return 1;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	rq->turn_id = *id;
	return 0;
}

int idempotent_find(struct request *rq, const struct idempotent_turn *same,
		    struct turn *out, struct err *e)
{
	struct uuid id;
	int rc = idempotent_id(rq, "turn", &id, e);

	if (rc > 0)
		rc = find(rq, &id, out, e);
	return rc > 0 && check_same(rq, out, same, e) < 0 ? -1 : rc;
}

int idempotent_form(struct request *rq, struct turn *out, struct err *e)
{
	struct buf scope = BUF_INIT(64 + LIM_URI_BYTES);
	struct uuid id;
	struct str sofar = { (const char *)id.b, sizeof(id.b) };

	if (!form_field(rq, FORM_TOKEN_FIELD).n)
		return 0;
	buf_addf(&scope, "%s/form", rq->who.user_id_text);
	id = uuid_of_name(buf_str(&scope), rq->path);
	buf_release(&scope);
	for (size_t i = 0; i < rq->n_form; i++) {
		id = uuid_of_name(sofar, rq->form[i].name);
		id = uuid_of_name(sofar, rq->form[i].value);
	}
	return find(rq, &id, out, e);
}

int idempotent_stream(struct request *rq, struct response *rs,
		      const struct idempotent_turn *same,
		      const struct send_as *as, struct err *e)
{
	struct turn t;
	int rc = idempotent_find(rq, same, &t, e);

	if (rc <= 0)
		return rc;
	return send_events(rq, rs, &t.id, 0, as, e) < 0 ? -1 : 1;
}

/* -- an answer that is not streamed ------------------------------------------ */

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
	run->answer = (struct message){
		.role = ROLE_ASSISTANT, .turn_id = run->id,
		.content = turn_waiting_text(run->arena, ev->waits,
					     ev->n_waits),
	};
}

int idempotent_end(struct request *rq, const struct idempotent_turn *same,
		   struct turn_run *run, enum turn_status *status,
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
	*run = f.run;
	*status = (enum turn_status)f.turn.status;
	return 1;
}

/* -- decisions ----------------------------------------------------------------- */

static bool decided_so(const struct turn_decision *d,
		       const struct turn_wait *row)
{
	return uuid_eq(&d->id, &row->id) &&
		(int64_t)d->kind == row->kind &&
		(int64_t)d->status == row->status &&
		(int64_t)d->is_error == row->is_error &&
		(!d->digest.p || str_eq(d->digest, row->digest)) &&
		str_eq(d->edited, row->edited) && str_eq(d->result, row->result);
}

/* *after: where the answer to them began. */
static bool all_decided_so(const struct turn_decision *v, size_t n,
			   const struct turn_wait *rows, size_t n_rows,
			   int64_t *after)
{
	size_t n_same = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n_rows; k++)
			if (decided_so(&v[i], &rows[k])) {
				*after = rows[k].decided_seq;
				n_same++;
			}
	return n_same == n;
}

bool idempotent_decided(struct request *rq, const struct uuid *turn,
			const struct turn_decision *v, size_t n, int64_t *after,
			struct err *e)
{
	struct owner owner = scope_owner(rq);
	struct err why = ERR_INIT;
	struct turn_wait *rows;
	struct uuid key;
	size_t n_rows;
	bool same = false;

	if (e->code != ERR_CONFLICT || !(rq->form || req_header(rq, HEADER).p))
		return false;
	if (idempotent_id(rq, "decision", &key, &why) < 0)
		*e = why;
	else if (turn_wait_list(rq->app->db, &owner, turn, rq->arena, &rows,
				&n_rows, &why) == 0)
		same = all_decided_so(v, n, rows, n_rows, after);
	if (same)
		err_clear(e);
	return same;
}
