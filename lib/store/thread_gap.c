/* SPDX-License-Identifier: MIT */
/*
 * Which messages a thread has: its gaps, and the nearest message of a kind next to a number.
 */
#include "store/thread.h"

#include "base/limits.h"
#include "store/stmt.h"

#include "base/banned.h"

/* GAPS_MAX gaps separate RANGES_MAX ranges. */
enum { GAPS_MAX = RANGES_MAX - 1 };

struct gap_reading {
	struct ranges *out;
	enum store_order order;
	int64_t at;		/* the first number not examined yet */
	int n;			/* number of gaps */
};

static void add(struct ranges *r, int64_t from, int64_t to)
{
	if (from <= to)
		r->v[r->n++] = (struct range){ .from = from, .to = to };
}

static int take_gap(void *ctx, const struct db_val *row, struct err *e)
{
	struct gap_reading *k = ctx;
	int64_t from = row[0].i, to = row[1].i;

	(void)e;
	k->n++;
	if (k->order == NEWEST_FIRST) {
		add(k->out, to + 1, k->at);
		k->at = from - 1;
	} else {
		add(k->out, k->at, from - 1);
		k->at = to + 1;
	}
	return 0;
}

int gap_ranges(struct db *db, const struct uuid *conversation_id,
	       int64_t head_seq, enum store_order order, int64_t seq,
	       struct ranges *out, struct err *e)
{
	bool down = order == NEWEST_FIRST;
	struct gap_reading k = { .out = out, .order = order,
			     .at = down ? seq - 1 : seq + 1 };
	int rc;

	*out = (struct ranges){ .n = 0 };
	rc = db_each(db, down ? STMT_GAP_BELOW : STMT_GAP_ABOVE,
		     DB_ARGS(DB_U(conversation_id), DB_I(head_seq), DB_I(seq),
			     DB_I(GAPS_MAX)), NULL, take_gap, &k, e);
	out->more = k.n == GAPS_MAX;
	out->next_seq = down ? k.at + 1 : k.at - 1;
	if (!out->more)
		add(out, down ? 1 : k.at, down ? k.at : GAP_TOP);
	return rc;
}

int64_t gap_clip(struct ranges *r, int64_t max_n)
{
	int64_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct range *v = &r->v[i];

		if (v->to - v->from + 1 >= max_n - n) {
			v->from = MAX(v->from, v->to - (max_n - n) + 1);
			n += v->to - v->from + 1;
			r->more |= v->from > 1;
			r->next_seq = v->from;
			for (size_t k = i + 1; k < r->n; k++)
				r->v[k] = (struct range){ .from = 0 };
			r->n = i + 1;
			return n;
		}
		n += v->to - v->from + 1;
	}
	return n;
}

int gap_sum(struct db *db, const struct uuid *conversation_id, int64_t *n,
	    struct err *e)
{
	return db_int(db, STMT_GAP_SUM, DB_ARGS(DB_U(conversation_id)), n, e) < 0
		? -1 : 0;
}

/* -- spots ------------------------------------------------------------------ */

/* -- changes ---------------------------------------------------------------- */

static const struct db_field spot_fields[] = {
#define F(m, t, sql) FIELD_OF(struct spot, m, t)
	SPOT_FIELDS(F, COMMA)
#undef F
};

int thread_find(struct db *db, enum stmt stmt, const struct uuid *id,
		     int64_t seq, struct spot *out, struct err *e)
{
	bool down = stmt == STMT_MESSAGE_SPOT_BEFORE ||
		stmt == STMT_MESSAGE_SPOT_USER;
	struct ranges r;
	int n = 0;

	*out = (struct spot){ .seq = 0 };
	do {
		if (gap_ranges(db, id, 0, down ? NEWEST_FIRST : OLDEST_FIRST,
			       seq, &r, e))
			return -1;
		for (size_t i = 0; !n && i < r.n; i++)
			n = db_get(db, stmt,
				   DB_ARGS(DB_U(id), DB_I(r.v[i].from),
					   DB_I(r.v[i].to)),
				   NULL, spot_fields, out, e);
		seq = r.next_seq;
	} while (!n && r.more);
	return n;
}

int thread_spot(struct db *db, const struct uuid *id, int64_t seq,
		struct spot *out, struct err *e)
{
	int n = db_get(db, STMT_MESSAGE_SPOT, DB_ARGS(DB_U(id), DB_I(seq)), NULL,
		       spot_fields, out, e);

	if (n < 0)
		return -1;
	if (n == 0)
		return err_set(e, ERR_NOT_FOUND, "no such message");
	if (out->superseded)
		return err_public(e, ERR_CONFLICT, "This message is not in the "
				  "thread any more.");
	return 0;
}

int thread_last(struct db *tx, const struct uuid *conversation_id,
		int64_t *seq, struct err *e)
{
	struct spot s;
	int n = thread_find(tx, STMT_MESSAGE_SPOT_BEFORE, conversation_id,
			  GAP_TOP, &s, e);

	*seq = s.seq;
	return MIN(n, 0);
}

int thread_after(struct db *db, const struct uuid *id, int64_t user_seq,
		 int64_t answer_seq, int64_t *last, struct err *e)
{
	struct spot s;
	int n;

	if (thread_spot(db, id, answer_seq ? answer_seq : user_seq, &s, e))
		return -1;
	n = thread_find(db, STMT_MESSAGE_SPOT_USER, id, GAP_TOP, &s, e);
	*last = s.seq;
	if (n <= 0 || s.seq <= user_seq)
		return MIN(n, 0);
	n = thread_find(db, STMT_MESSAGE_SPOT_USER, id, s.seq, &s, e);
	return n < 0 ? -1 : s.seq <= user_seq ? 1 : 2;
}

int thread_number(struct db *tx, const struct uuid *conversation_id,
		  int64_t after_seq, int64_t index, int64_t count,
		  struct err *e)
{
	struct spot head, shown;
	int n = thread_find(tx, STMT_MESSAGE_SPOT_AFTER, conversation_id,
			  after_seq, &head, e);

	if (n <= 0)
		return n;
	if (thread_find(tx, STMT_MESSAGE_SPOT_SHOWN, conversation_id,
		      head.seq - 1, &shown, e) < 0)
		return -1;
	return db_exec(tx, STMT_MESSAGE_NUMBER,
		       DB_ARGS(DB_I(index), DB_I(count), DB_U(conversation_id),
			       DB_I(shown.role == ROLE_ASSISTANT ? shown.seq
								: head.seq)),
		       NULL, e);
}
