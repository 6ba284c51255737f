/* SPDX-License-Identifier: MIT */
#include "store/wait.h"

#include <sodium.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "store/attempt.h"
#include "store/stmt.h"

#include "base/banned.h"

static const struct db_field fields[] = {
#define F(m, t, sql) FIELD_OF(struct turn_wait, m, t)
	TURN_WAIT_FIELDS(F, COMMA)
#undef F
};

const char *wait_status_name(enum wait_status s)
{
	static const char *const names[] = {
		[WAIT_OPEN] = "open", [WAIT_APPROVED] = "approved",
		[WAIT_DENIED] = "denied", [WAIT_EXPIRED] = "expired",
		[WAIT_SUPERSEDED] = "superseded", [WAIT_ANSWERED] = "answered",
	};

	if (s < WAIT_OPEN || s > WAIT_ANSWERED)
		BUG("a wait of no status");
	return names[s];
}

const char *wait_kind_name(enum wait_kind k)
{
	return k == WAIT_APPROVAL ? "approval"
		: k == WAIT_CLIENT ? "client-tool" : "clarification";
}

/* Each part is preceded by its length, so that text cannot move between parts. */
static void hash_part(crypto_generichash_state *st, struct str s)
{
	uint64_t n = s.n;

	crypto_generichash_update(st, (const unsigned char *)&n, sizeof(n));
	crypto_generichash_update(st, (const unsigned char *)s.p, s.n);
}

void wait_digest(const struct uuid *turn_id, struct str call_id,
		 struct str tool, struct str args,
		 unsigned char out[WAIT_DIGEST_BYTES])
{
	crypto_generichash_state st;

	crypto_generichash_init(&st, NULL, 0, WAIT_DIGEST_BYTES);
	crypto_generichash_update(&st, turn_id->b, sizeof(turn_id->b));
	hash_part(&st, call_id);
	hash_part(&st, tool);
	hash_part(&st, args);
	crypto_generichash_final(&st, out, WAIT_DIGEST_BYTES);
}

int store_turn_wait_list(struct db *db, const struct owner *o,
			 const struct uuid *turn_id, struct arena *a,
			 struct turn_wait **out, size_t *n, struct err *e)
{
	return db_list(db, STMT_TURN_WAIT_LIST,
		       DB_ARGS(DB_U(turn_id), DB_S(o->tenant_id),
			       DB_U(&o->user_id)), a, fields, sizeof(**out), 0,
		       out, n, e);
}

int store_turn_wait_open(struct db *db, const struct owner *o, size_t max,
			 struct arena *a, struct turn_wait **out, size_t *n,
			 struct err *e)
{
	bool cut;

	return db_list_within(db, STMT_TURN_WAIT_OPEN,
			      DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id),
				      DB_I(clock_now_us()), DB_I((int64_t)max)),
			      LIM_PAGE_BYTES, a, fields, sizeof(**out), out, n,
			      &cut, e);
}

int wait_allowed_list(struct db *db, const struct owner *o,
		      const struct uuid *conversation_id, struct arena *a,
		      struct wait_allowed **out, size_t *n, struct err *e)
{
	static const struct db_field columns[] = {
#define F(m, t, sql) FIELD_OF(struct wait_allowed, m, t)
		ALLOWED_FIELDS(F, COMMA)
#undef F
	};

	return db_list(db, STMT_CONVERSATION_ALLOWED,
		       DB_ARGS(DB_U(conversation_id), DB_S(o->tenant_id),
			       DB_U(&o->user_id)), a, columns, sizeof(**out),
		       0, out, n, e);
}

int wait_revoke(struct db *db, const struct owner *o,
		const struct uuid *conversation_id, struct str tool, bool *was,
		struct err *e)
{
	struct db_result r = { .affected = 0 };

	if (db_exec(db, STMT_CONVERSATION_REVOKE,
		    DB_ARGS(DB_U(conversation_id), DB_S(o->tenant_id),
			    DB_U(&o->user_id), DB_S(tool)), &r, e))
		return -1;
	*was = r.affected > 0;
	return 0;
}

static int not_waiting(struct err *e)
{
	return err_public(e, ERR_CONFLICT,
			  "This turn is no longer waiting for that.");
}

void store_turn_wait_copy(struct turn_wait *to, const struct turn_wait *w, struct arena *a)
{
	*to = *w;
	to->call_id = arena_str(a, w->call_id);
	to->tool = arena_str(a, w->tool);
	to->reason = arena_str(a, w->reason);
	to->origins = w->origins.p ? arena_str(a, w->origins) : w->origins;
	to->args = arena_str(a, w->args);
	to->digest = arena_str(a, w->digest);
	to->edited = w->edited.p ? arena_str(a, w->edited) : w->edited;
	to->result = w->result.p ? arena_str(a, w->result) : w->result;
	to->decided_via = arena_str(a, w->decided_via);
}

/* -- pausing ------------------------------------------------------------------ */

struct pausing {
	const struct owner *o;
	struct turn_pause *p;
};

/* The conversation is locked, so that no other row gets their positions. */
static int insert_waits(struct db *tx, const struct owner *o, const struct turn_ask *p,
			int64_t now_us, struct arena *a, struct err *e)
{
	struct db_val *rows = arena_zalloc(a, p->n_waits * 18, sizeof(*rows));
	struct db_val *v = rows;
	int64_t last = 0;

	if (db_int(tx, STMT_TURN_WAIT_LAST, DB_ARGS(DB_U(&p->turn_id)), &last, e) < 0)
		return -1;
	for (size_t i = 0; i < p->n_waits; i++) {
		struct turn_wait *w = &p->waits[i];

		w->turn_id = p->turn_id;
		w->conversation_id = p->conversation_id;
		w->position = last + (int64_t)i + 1;
		w->status = WAIT_OPEN;
		w->created_us = now_us;
		*v++ = DB_U(&w->turn_id);
		*v++ = DB_I(w->position);
		*v++ = DB_U(&w->id);
		*v++ = DB_U(&w->conversation_id);
		*v++ = DB_S(o->tenant_id);
		*v++ = DB_U(&o->user_id);
		*v++ = DB_I(w->kind);
		*v++ = DB_I(w->status);
		*v++ = DB_S(w->call_id);
		*v++ = DB_S(w->tool);
		*v++ = DB_I(w->effect);
		*v++ = DB_I(w->flags);
		*v++ = DB_S(w->reason.p ? w->reason : STR(""));
		*v++ = DB_S_IF(w->origins);
		*v++ = DB_S(w->args);
		*v++ = DB_B(w->digest);
		*v++ = DB_I(w->created_us);
		*v++ = DB_I(w->expires_us);
	}
	return db_exec_rows(tx, STMT_TURN_WAIT_INSERT, rows, p->n_waits, NULL,
			    e);
}

/* Sets the turn waiting, and stores the events so far. May be repeated. */
static int set_waiting(struct db *tx, const struct turn_pause *p,
		       struct err *e)
{
	struct db_result r;

	if (journal_detach(tx, &p->turn_id, e) ||
	    db_exec(tx, STMT_TURN_PAUSE,
		    DB_ARGS(DB_I(p->until_us), DB_I(p->last_event_seq),
			    DB_U(&p->turn_id), DB_I(p->resumes)), &r, e))
		return -1;
	return r.affected ? store_turn_events_insert(tx, p->events, p->n_events,
						     p->attempt_us, e) : not_waiting(e);
}

static const struct turn_wait *row_of(const struct turn_wait *rows, size_t n,
				      const struct uuid *id)
{
	for (size_t i = 0; i < n; i++)
		if (uuid_eq(&rows[i].id, id))
			return &rows[i];
	return NULL;
}

/*
 * Only this run can have set the turn waiting, so it has done so if the turn
 * waits, was resumed, or was given up. If the turn runs, its waits tell whether
 * they were stored, with news; without new waits a second try stores nothing
 * twice.
 */
static int paused_before(struct db *tx, void *ctx, struct arena *a,
			 struct err *e)
{
	struct pausing *k = ctx;
	struct turn_pause *p = k->p;
	struct turn_wait *rows;
	struct locked l;
	struct turn t;
	size_t n;

	p->news = p->over = false;
	/* Lock in the common order: conversation, then turn. */
	if (conversation_lock(tx, k->o, &p->conversation_id, a, &l, e) ||
	    store_turn_get(tx, k->o, &p->turn_id, a, &t, e))
		return -1;
	p->over = t.resumes != p->resumes || t.status == TURN_CANCELLED;
	if (p->over)
		return 1;
	if (t.status == TURN_WAITING)
		return set_waiting(tx, p, e) ? -1 : 1;
	if (t.status != TURN_RUNNING || !p->n_waits)
		return 0;
	if (store_turn_wait_list(tx, k->o, &p->turn_id, a, &rows, &n, e))
		return -1;
	p->news = row_of(rows, n, &p->waits[0].id) != NULL;
	return p->news;
}

static int pause_run(struct db *tx, void *ctx, struct arena *a, struct err *e)
{
	struct pausing *k = ctx;
	struct turn_pause *p = k->p;
	const struct turn_ask ask = {
		.turn_id = p->turn_id, .conversation_id = p->conversation_id,
		.waits = p->waits, .n_waits = p->n_waits,
	};
	int64_t news = 0;
	struct locked l;
	bool open;

	p->news = p->over = false;
	if (conversation_lock(tx, k->o, &p->conversation_id, a, &l, e))
		return -1;
	if (!uuid_eq(&l.turn_id, &p->turn_id) || l.status != TURN_RUNNING)
		return not_waiting(e);
	if ((p->n_rows && store_turn_append(tx, k->o, &p->conversation_id,
					    &p->turn_id, 0, p->rows, p->n_rows,
					    e)) ||
	    (p->n_waits && insert_waits(tx, k->o, &ask, p->attempt_us, a, e)) ||
	    db_int(tx, STMT_TURN_WAIT_NEWS, DB_ARGS(DB_U(&p->turn_id)), &news, e) < 0)
		return -1;
	/* Decisions about what was asked early (store_turn_ask): the run goes on with them. */
	p->news = news > 0;
	if (p->news)
		return 0;
	return (p->usage && usage_insert(tx, k->o, p->usage, e)) ||
		(p->cut && store_turn_cut(tx, k->o, &p->turn_id, store_turn_later_us(),
					   &open, e)) ? -1
		: set_waiting(tx, p, e);
}

int store_turn_pause(struct db *db, const struct owner *o, struct turn_pause *p,
		     struct err *e)
{
	static const struct attempt_fns pause = { paused_before, pause_run };
	struct pausing k = { .o = o, .p = p };

	return attempt_tx(db, &pause, &p->attempt_us, &k, NULL, e);
}

struct wait_asking {
	const struct owner *o;
	struct turn_ask *p;
	int64_t now_us;
};

static int asked_before(struct db *tx, void *ctx, struct arena *a, struct err *e)
{
	struct wait_asking *k = ctx;
	struct turn_wait *rows;
	size_t n;

	if (store_turn_wait_list(tx, k->o, &k->p->turn_id, a, &rows, &n, e))
		return -1;
	return row_of(rows, n, &k->p->waits[0].id) != NULL;
}

static int ask_run(struct db *tx, void *ctx, struct arena *a, struct err *e)
{
	struct wait_asking *k = ctx;
	struct turn_ask *p = k->p;
	struct db_result r;
	struct locked l;

	if (conversation_lock(tx, k->o, &p->conversation_id, a, &l, e) ||
	    db_exec(tx, STMT_TURN_ASK, DB_ARGS(DB_U(&p->turn_id), DB_I(p->resumes)), &r, e))
		return -1;
	if (!r.affected || !uuid_eq(&l.turn_id, &p->turn_id))
		return not_waiting(e);
	return insert_waits(tx, k->o, p, k->now_us, a, e);
}

int store_turn_ask(struct db *db, const struct owner *o, struct turn_ask *p, struct err *e)
{
	static const struct attempt_fns ask = { asked_before, ask_run };
	struct wait_asking k = { .o = o, .p = p };

	return attempt_tx(db, &ask, &k.now_us, &k, NULL, e);
}

/* -- applying ----------------------------------------------------------------- */

struct taking {
	const struct owner *o;
	const struct uuid *turn_id;
	struct arena *a;
	int64_t now_us;
	struct turn_wait *rows;
	size_t n;
};

static int take_tx(struct db *tx, void *ctx, struct err *e)
{
	struct taking *k = ctx;
	size_t kept = 0;

	/* A retry finds none left to mark, and reads those of the first try. */
	if (db_exec(tx, STMT_TURN_WAIT_TAKE,
		    DB_ARGS(DB_I(k->now_us), DB_U(k->turn_id),
			    DB_I(k->now_us)), NULL, e) ||
	    store_turn_wait_list(tx, k->o, k->turn_id, k->a, &k->rows, &k->n, e))
		return -1;
	for (size_t i = 0; i < k->n; i++)
		if (k->rows[i].used_us == k->now_us)
			k->rows[kept++] = k->rows[i];
	k->n = kept;
	return 0;
}

int store_turn_wait_take(struct db *db, const struct owner *o,
			 const struct uuid *turn_id, struct arena *a,
			 struct turn_wait **out, size_t *n, struct err *e)
{
	struct taking k = { .o = o, .turn_id = turn_id, .a = a,
			    .now_us = clock_now_us() };

	if (db_tx(db, take_tx, &k, e))
		return -1;
	*out = k.rows;
	*n = k.n;
	return 0;
}

/* -- deciding ------------------------------------------------------------------- */

struct resuming {
	const struct owner *o;
	struct turn_resume *w;
	int64_t now_us;
};

/* Why a row could not be decided; 0: an earlier try of this call has decided it. */
static int why_not(struct db *tx, struct resuming *k, struct arena *a,
		   const struct turn_decision *d, struct err *e)
{
	const struct turn_wait *row;
	struct turn_wait *rows;
	size_t n;

	if (store_turn_wait_list(tx, k->o, &k->w->turn_id, a, &rows, &n, e))
		return -1;
	row = row_of(rows, n, &d->id);
	if (!row || row->kind != (int64_t)d->kind)
		return err_set(e, ERR_NOT_FOUND, "nothing of this id waits");
	if (db_tx_unknown(tx) && row->decided_us == k->now_us)
		return 0;
	if (row->status != WAIT_OPEN)
		return err_public(e, ERR_CONFLICT,
				  "This was already decided: it is %s.",
				  wait_status_name((enum wait_status)row->status));
	if (d->digest.p && !str_eq(d->digest, row->digest))
		return err_public(e, ERR_CONFLICT, "These are not the "
				  "arguments of the approval.");
	return err_set(e, ERR_EXPIRED, "decided too late");
}

static int decide(struct db *tx, struct resuming *k, struct arena *a,
		  const struct turn_decision *d, struct err *e)
{
	struct db_result r;

	if (db_exec(tx, STMT_TURN_WAIT_DECIDE,
		    DB_ARGS(DB_I(d->status), DB_S_IF(d->edited),
			    DB_S_IF(d->result), DB_I(d->is_error),
			    DB_I(k->now_us), DB_I(k->w->turn.last_event_seq),
			    DB_U(&k->o->user_id), DB_S(k->w->via), DB_U(&d->id),
			    DB_U(&k->w->turn_id), DB_I(d->kind),
			    ((struct db_val){ .type = 'b', .null = !d->digest.p,
					      .s = d->digest }),
			    ((struct db_val){ .type = 'b', .null = !d->digest.p,
					      .s = d->digest }),
			    DB_I(d->status), DB_I(k->now_us)), &r, e))
		return -1;
	return r.affected ? 0 : why_not(tx, k, a, d, e);
}

static int remember(struct db *tx, struct resuming *k,
		    const struct uuid *conversation_id, struct arena *a,
		    struct err *e)
{
	struct turn_wait *rows;
	size_t n;

	for (size_t i = 0; i < k->w->n; i++) {
		const struct turn_decision *d = &k->w->decisions[i];
		const struct turn_wait *row;

		if (!d->remember)
			continue;
		if (store_turn_wait_list(tx, k->o, &k->w->turn_id, a, &rows, &n, e))
			return -1;
		row = row_of(rows, n, &d->id);
		if (!row || !(row->flags & WAIT_REMEMBER))
			return err_field(e, ERR_INVALID_FIELD, "remember",
					 "This tool needs approval each time.");
		if (db_exec(tx, STMT_CONVERSATION_ALLOW,
			    DB_ARGS(DB_U(conversation_id), DB_S(row->tool),
				    DB_U(&row->id), DB_I(k->now_us)), NULL, e))
			return -1;
	}
	return 0;
}

/* Returns the outputs and the lease of the earlier try. */
static int resumed_before(struct db *tx, void *ctx, struct arena *a,
			  struct err *e)
{
	struct resuming *k = ctx;
	struct turn t;

	if (store_turn_get(tx, k->o, &k->w->turn_id, a, &t, e))
		return -1;
	return t.status == TURN_RUNNING &&
		/*
		 * Only the try that took the turn has made a lease that ends at this
		 * microsecond.
		 */
		t.lease_until_us == k->now_us + store_turn_lease_us();
}

static int resume_run(struct db *tx, void *ctx, struct arena *a, struct err *e)
{
	struct resuming *k = ctx;
	struct turn_resume *w = k->w;
	struct db_result r;
	struct locked l;

	/* For its conversation; then again, under the lock (turn.c has their order). */
	if (store_turn_get(tx, k->o, &w->turn_id, a, &w->turn, e) ||
	    conversation_lock(tx, k->o, &w->turn.conversation_id, a, &l, e) ||
	    store_turn_get(tx, k->o, &w->turn_id, a, &w->turn, e))
		return -1;
	w->last_seq = l.last_seq;
	w->turn_number = l.turns;
	w->variant_index = l.variant_index;
	w->variant_count = l.variant_count;
	w->resumed = w->turn.status == TURN_WAITING;
	/* The row of a running turn does not have the number of its last event. */
	if (w->turn.status == TURN_RUNNING &&
	    store_turn_events_last(tx, &w->turn_id, &w->turn.last_event_seq, e))
		return -1;
	for (size_t i = 0; i < w->n; i++)
		if (decide(tx, k, a, &w->decisions[i], e))
			return -1;
	if (!uuid_eq(&l.turn_id, &w->turn_id) ||
	    (w->turn.status != TURN_WAITING &&
	     w->turn.status != TURN_RUNNING))
		return not_waiting(e);
	if (remember(tx, k, &w->turn.conversation_id, a, e) ||
	    db_exec(tx, STMT_TURN_RESUME,
		    DB_ARGS(DB_I(k->now_us + store_turn_lease_us()),
			    DB_U(&w->turn_id)), &r, e))
		return -1;
	return r.affected ? 0 : not_waiting(e);
}

int store_turn_resume(struct db *db, const struct owner *o, struct turn_resume *w,
	      struct err *e)
{
	static const struct attempt_fns resume = { resumed_before, resume_run };
	struct resuming k = { .o = o, .w = w };
	int rc = attempt_tx(db, &resume, &k.now_us, &k, NULL, e);

	w->turn.error_code = w->turn.error_text = w->turn.client =
		(struct str){ NULL, 0 };
	return rc;
}

/* -- closing --------------------------------------------------------------------- */

/* The result that the model gets for a call that was never run. */
static struct str closing_result(const struct turn_wait *w, int64_t now_us)
{
	if (w->expires_us <= now_us)
		return STR("{\"error\":{\"code\":\"tool_not_approved\","
			   "\"message\":\"Nobody answered in time; the call "
			   "was not run.\"}}");
	return STR("{\"error\":{\"code\":\"tool_not_approved\",\"message\":\"Not "
		   "approved: the user continued without answering this; the "
		   "call was not run.\"}}");
}

static int close_call(struct db *tx, const struct uuid *conversation_id,
		      const struct turn_wait *w, int64_t seq, int64_t now_us,
		      struct err *e)
{
	struct buf b = BUF_INIT(1048576);
	struct jw j = jw_on(&b);
	struct message m = {
		.seq = seq, .role = ROLE_TOOL, .turn_id = w->turn_id,
		.created_us = now_us, .content = closing_result(w, now_us),
		.kind = KIND_RESULT,
	};
	int rc;

	jw_obj(&j);
	jw_kstr(&j, "callId", w->call_id);
	jw_kstr(&j, "toolName", w->tool);
	jw_kbool(&j, "isError", true);
	jw_kint(&j, "durationMs", 0);
	if (w->expires_us > now_us)
		jw_kbool(&j, "superseded", true);
	jw_end_obj(&j);
	m.meta = buf_str(&b);
	rc = message_insert(tx, conversation_id, &m, e);
	buf_release(&b);
	return rc;
}

int wait_close(struct db *tx, const struct owner *o,
	       const struct uuid *conversation_id, const struct locked *l, struct err *e)
{
	int64_t now_us = clock_now_us(), n_rows = 0;
	struct arena a = ARENA_INIT;
	struct str none = { NULL, 0 };
	struct turn_wait *rows;
	size_t n;
	int rc = store_turn_wait_list(tx, o, &l->turn_id, &a, &rows, &n, e);

	for (size_t i = 0; !rc && i < n; i++)
		if (!rows[i].used_us && !(rows[i].flags & WAIT_INNER))
			rc = close_call(tx, conversation_id, &rows[i],
					l->last_seq + ++n_rows, now_us, e);
	arena_release(&a);
	if (rc ||
	    db_exec(tx, STMT_PLAN_STOP, DB_ARGS(DB_I(now_us), DB_U(&l->turn_id)), NULL, e) ||
	    db_exec(tx, STMT_TURN_WAIT_CLOSE,
		    DB_ARGS(DB_I(now_us), DB_I(WAIT_SUPERSEDED), DB_I(now_us),
			    DB_I(now_us), DB_U(&l->turn_id)), NULL, e) ||
	    db_exec(tx, STMT_TURN_END,
		    DB_ARGS(DB_I(TURN_CANCELLED), DB_I_IF(false, 0),
			    DB_I(now_us), DB_S_IF(none), DB_S_IF(none),
			    DB_I(1), DB_I(0), DB_U(&l->turn_id)), NULL, e))
		return -1;
	if (l->variant_count > 1 &&	/* there will be no answer to carry the
					   number */
	    thread_number(tx, conversation_id, l->user_seq, l->variant_index,
			  l->variant_count, e))
		return -1;
	return db_exec(tx, STMT_CONVERSATION_FREE,
		       DB_ARGS(DB_I(n_rows), DB_I(now_us),
			       DB_U(conversation_id), DB_S(o->tenant_id),
			       DB_U(&o->user_id), DB_U(&l->turn_id)), NULL, e);
}

struct abandoning {
	const struct owner *o;
	const struct uuid *turn_id;
	bool closed;
};

static int abandon_tx(struct db *tx, void *ctx, struct err *e)
{
	struct abandoning *k = ctx;
	struct arena a = ARENA_INIT;
	struct locked l;
	struct turn t;
	int rc = store_turn_get(tx, k->o, k->turn_id, &a, &t, e);

	if (!rc)
		rc = conversation_lock(tx, k->o, &t.conversation_id, &a, &l, e);
	if (!rc && uuid_eq(&l.turn_id, k->turn_id) &&
	    l.status == TURN_WAITING) {
		rc = wait_close(tx, k->o, &t.conversation_id, &l, e);
		k->closed = !rc;
	}
	arena_release(&a);
	return rc;
}

int store_turn_abandon(struct db *db, const struct owner *o,
		       const struct uuid *turn_id, bool *closed, struct err *e)
{
	struct abandoning k = { .o = o, .turn_id = turn_id };
	int rc = db_tx(db, abandon_tx, &k, e);

	*closed = k.closed;
	return rc;
}
