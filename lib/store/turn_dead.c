/* SPDX-License-Identifier: MIT */
/*
 * A turn whose lease has expired is dead: whoever finds it closes it as
 * interrupted, stores the text so far as its answer, and an estimated usage
 * record. There is only one such record, because its id is the turn's.
 */
#include "store/turn.h"

#include "base/clock.h"
#include "base/limits.h"
#include "metric/metric.h"
#include "store/stmt.h"
#include "store/thread.h"
#include "store/wait.h"

#include "base/banned.h"

enum { BYTES_PER_TOKEN = 4 };	/* estimate */

static const struct db_field events_fields[] = {
#define F(m, t, sql) FIELD_OF(struct turn_events, m, t)
	TURN_EVENTS_FIELDS(F, COMMA)
#undef F
};

struct collecting {
	struct event_summary *sum;
	turn_text_fn *fn;
	struct arena *rows;
};

static int collect(void *ctx, const struct db_val *row, struct err *e)
{
	struct collecting *c = ctx;
	struct turn_events r;

	(void)e;
	db_map(events_fields, ARRAY_LEN(events_fields), row, &r);
	journal_open(c->rows, &r);
	if (c->fn)
		c->fn(c->sum, r.seq, r.data);
	else	/* mostly text */
		c->sum->output_bytes += (int64_t)r.data.n;
	c->sum->last_seq = MAX(c->sum->last_seq, r.seq + r.n - 1);
	/* All events of a long turn may exceed the limit of an arena. */
	arena_reset(c->rows);
	return 0;
}

struct counted {
	int64_t after_seq, context_bytes;
};

static int take_counted(void *ctx, const struct db_val *row, struct err *e)
{
	struct counted *c = ctx;

	(void)e;
	*c = (struct counted){ row[0].i, row[1].i };
	return 0;
}

/*
 * A rough estimate: each call was sent the thread, and a call without any
 * answer yet counts as well. The usage before a wait has its own record.
 */
int store_turn_estimate(struct db *tx, const struct owner *o,
			const struct uuid *conversation_id, const struct locked *l,
			turn_text_fn *fn, struct event_summary *sum, struct err *e)
{
	int64_t now_us = clock_now_us(), calls;
	struct counted counted = { .after_seq = 0 };
	struct ranges newest;
	struct arena a = ARENA_INIT;
	struct collecting c = { .sum = sum, .fn = fn, .rows = &a };
	int rc;

	rc = gap_ranges(tx, conversation_id, 0, NEWEST_FIRST, GAP_TOP, &newest,
			e);
	if (!rc)
		rc = db_each(tx, STMT_USAGE_COUNTED,
			     DB_ARGS(DB_U(&l->turn_id), DB_U(conversation_id),
				     RANGE_ARGS(&newest)), &a, take_counted,
			     &counted, e);
	sum->after_seq = counted.after_seq;
	if (!rc)
		rc = db_each(tx, STMT_TURN_EVENT_DATA,
			     DB_ARGS(DB_U(&l->turn_id), DB_U(&l->turn_id),
				     DB_U(&l->turn_id)), &a, collect, &c, e);
	arena_release(&a);
	if (rc)
		return -1;
	calls = sum->calls + !sum->speaking;
	return db_exec(tx, STMT_USAGE_ESTIMATE,
		       DB_ARGS(DB_I(MIN(calls * (counted.context_bytes /
						 BYTES_PER_TOKEN + 1),
					UINT32_MAX)),
			       DB_I(MIN(sum->output_bytes / BYTES_PER_TOKEN,
					UINT32_MAX)),
			       DB_I(calls), DB_I(now_us), DB_I(now_us),
			       DB_U(&l->turn_id), DB_U(conversation_id),
			       DB_S(o->tenant_id), DB_U(&o->user_id)), NULL, e);
}

/* Closes the turn of a conversation locked by l: stores its text and frees it. */
static int close_dead(struct db *tx, const struct owner *o,
		      const struct uuid *conversation_id,
		      const struct locked *l, turn_text_fn *fn, struct err *e)
{
	struct event_summary sum = { .text = BUF_INIT(LIM_ANSWER_BYTES) };
	int64_t now_us = clock_now_us();
	struct message m = {
		.seq = l->last_seq + 1,
		.role = ROLE_ASSISTANT,
		.turn_id = l->turn_id,
		.created_us = now_us,
		.meta = STR("{\"finish_reason\":\"interrupted\","
			    "\"context_document_ids\":[]}"),
		.kind = KIND_ANSWER, .finish_reason = STR("interrupted"),
		.variant_index = l->variant_index,
		.variant_count = l->variant_count,
	};
	/* Else the turn has ended, and only the conversation still names it. */
	bool dead = l->status == TURN_RUNNING;
	int rc = -1;

	if (dead && store_turn_estimate(tx, o, conversation_id, l, fn, &sum, e))
		goto out;
	m.content = buf_str(&sum.text);
	if (dead && (message_insert(tx, conversation_id, &m, e) ||
		     journal_detach(tx, &l->turn_id, e)))
		goto out;
	if (dead && db_exec(tx, STMT_TURN_END,
			    DB_ARGS(DB_I(TURN_INTERRUPTED), DB_I(m.seq),
				    DB_I(now_us), DB_S_IF((struct str){ 0 }),
				    DB_S_IF((struct str){ 0 }),
				    DB_I(TURN_SEQ_GAP),
				    DB_I(sum.last_seq + TURN_SEQ_GAP),
				    DB_U(&l->turn_id)), NULL, e))
		goto out;
	rc = db_exec(tx, STMT_CONVERSATION_FREE,
		     DB_ARGS(DB_I(dead), DB_I(now_us), DB_U(conversation_id),
			     DB_S(o->tenant_id), DB_U(&o->user_id),
			     DB_U(&l->turn_id)), NULL, e);
out:
	buf_release(&sum.text);
	return rc;
}

/* Whether other processes may close the turn that holds the conversation. */
static bool is_dead(const struct locked *l, int64_t now_us)
{
	if (l->status == TURN_WAITING)
		return false;
	return l->status != TURN_RUNNING || l->lease_until_us < now_us;
}

int store_turn_evict(struct db *tx, const struct owner *o,
		     const struct uuid *conversation_id, const struct locked *l,
		     turn_text_fn *fn, struct turn_evicted *out, struct err *e)
{
	if (uuid_is_nil(&l->turn_id))
		return 0;
	if (is_dead(l, clock_now_us())) {
		if (db_exec(tx, STMT_PLAN_STOP,
			    DB_ARGS(DB_I(clock_now_us()), DB_U(&l->turn_id)), NULL, e) ||
		    close_dead(tx, o, conversation_id, l, fn, e))
			return -1;
		/* The lock may be left over from a turn that has ended. */
		if (l->status == TURN_RUNNING)
			*out = (struct turn_evicted){ l->turn_id,
						      TURN_INTERRUPTED };
		return 0;
	}
	if (l->status == TURN_WAITING) {
		if (wait_close(tx, o, conversation_id, l, e))
			return -1;
		*out = (struct turn_evicted){ l->turn_id, TURN_CANCELLED };
		return 0;
	}
	uuid_format(&l->turn_id, e->id);
	return err_set(e, ERR_BUSY, "a turn is running");
}

/*
 * A turn with an open plan is not over: it waits, for nobody, and goes on in whichever
 * process is asked to (docs/plans.md). Its steps record their usage themselves. Not if its
 * user had stopped it. 1 if it does; 0; -1.
 */
static int put_to_sleep(struct db *tx, const struct owner *o, const struct turn *t,
			struct err *e)
{
	int64_t last_seq = 0;
	bool open;

	if (t->cancel_requested)
		return db_exec(tx, STMT_PLAN_STOP,
			       DB_ARGS(DB_I(clock_now_us()), DB_U(&t->id)), NULL, e) ? -1 : 0;
	if (store_turn_cut(tx, o, &t->id, store_turn_later_us(), &open, e))
		return -1;
	if (!open)
		return 0;
	if (store_turn_events_last(tx, &t->id, &last_seq, e) ||
	    journal_detach(tx, &t->id, e) ||
	    db_exec(tx, STMT_TURN_PAUSE,
		    DB_ARGS(DB_I(clock_now_us() + TURN_SLEEP_US),
			    DB_I(last_seq + TURN_SEQ_GAP), DB_U(&t->id),
			    DB_I(t->resumes)), NULL, e))
		return -1;
	return 1;
}

struct recovering {
	const struct owner *o;
	const struct uuid *turn_id;
	turn_text_fn *fn;
	bool closed;
};

static int recover_tx(struct db *tx, void *ctx, struct err *e)
{
	struct recovering *k = ctx;
	struct arena a = ARENA_INIT;
	struct locked l;
	struct turn t;
	int rc = store_turn_get(tx, k->o, k->turn_id, &a, &t, e);
	bool slept = false;

	k->closed = false;
	if (!rc && t.status == TURN_RUNNING &&
	    t.lease_until_us < clock_now_us()) {
		rc = conversation_lock(tx, k->o, &t.conversation_id, &a, &l, e);
		if (!rc && uuid_eq(&l.turn_id, k->turn_id) &&
		    is_dead(&l, clock_now_us())) {
			rc = put_to_sleep(tx, k->o, &t, e);
			if (!rc)
				rc = close_dead(tx, k->o, &t.conversation_id, &l,
					k->fn, e);
			else
				rc = MIN(rc, 0), slept = true;
			k->closed = !rc && !slept;
		}
	}
	arena_release(&a);
	return rc;
}

int store_turn_recover(struct db *db, const struct owner *o,
		       const struct uuid *turn_id, turn_text_fn *text_of_events,
		       bool *closed, struct err *e)
{
	struct recovering k = { .o = o, .turn_id = turn_id,
				.fn = text_of_events };
	int rc = db_tx(db, recover_tx, &k, e);

	*closed = !rc && k.closed;
	if (*closed)
		metric_add(METRIC_TURNS, store_turn_status_name(TURN_INTERRUPTED),
			   NULL, 1);
	return rc;
}

int store_turn_dead_list(struct db *db, size_t max, struct arena *a,
			 struct turn_dead **out, size_t *n, struct err *e)
{
	static const struct db_field fields[] = {
#define F(m, t, sql) FIELD_OF(struct turn_dead, m, t)
		TURN_DEAD_FIELDS(F, COMMA)
#undef F
	};

	return db_list(db, STMT_TURN_DEAD,
		       DB_ARGS(DB_I(clock_now_us() - store_turn_lease_us()),
			       DB_I((int64_t)max)), a,
		       fields, sizeof(**out), 0, out, n, e);
}
