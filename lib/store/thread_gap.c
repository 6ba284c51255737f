/* SPDX-License-Identifier: MIT */
#include "store/thread_gap.h"

#include "base/util.h"
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

static int put(struct db *tx, const struct uuid *id, int64_t head_seq,
	       int64_t from, int64_t to, struct err *e)
{
	if (from > to)
		return 0;
	return db_exec(tx, STMT_GAP_PUT, DB_ARGS(DB_U(id), DB_I(head_seq),
						 DB_I(from), DB_I(to)),
		       NULL, e);
}

static int move(struct db *tx, const struct uuid *id, int64_t head_seq,
		int64_t to_head_seq, int64_t behind_seq, struct err *e)
{
	return db_exec(tx, STMT_GAP_MOVE,
		       DB_ARGS(DB_I(to_head_seq), DB_U(id), DB_I(head_seq),
			       DB_I(behind_seq)), NULL, e);
}

static int cut(struct db *tx, const struct uuid *id, int64_t behind_seq,
	       struct err *e)
{
	return db_exec(tx, STMT_GAP_CUT, DB_ARGS(DB_U(id), DB_I(0),
						 DB_I(behind_seq)), NULL, e);
}

/* Makes the gap that ends with `from` end with `to`. */
static int move_end(struct db *tx, const struct uuid *id, int64_t head_seq,
		    int64_t from, int64_t to, struct db_result *r,
		    struct err *e)
{
	return db_exec(tx, STMT_GAP_END, DB_ARGS(DB_I(to), DB_U(id),
						 DB_I(head_seq), DB_I(from)),
		       r, e);
}

int gap_supersede(struct db *tx, const struct uuid *conversation_id,
		  int64_t after_seq, int64_t head_seq, int64_t last_seq,
		  struct err *e)
{
	const struct uuid *id = conversation_id;
	struct db_result r;

	/* A turn that stored nothing left a gap at the end. */
	if (move(tx, id, 0, head_seq, head_seq, e) ||
	    move_end(tx, id, head_seq, last_seq, UINT32_MAX, &r, e) ||
	    (!r.affected &&
	     put(tx, id, head_seq, last_seq + 1, UINT32_MAX, e)) ||
	    cut(tx, id, after_seq, e))
		return -1;
	return put(tx, id, 0, after_seq + 1, last_seq, e);
}

int gap_restore(struct db *tx, const struct uuid *conversation_id,
		int64_t after_seq, int64_t head_seq, int64_t last_seq,
		struct err *e)
{
	const struct uuid *id = conversation_id;

	if (cut(tx, id, after_seq, e) ||
	    put(tx, id, 0, after_seq + 1, head_seq - 1, e) ||
	    move(tx, id, head_seq, 0, 0, e) ||
	    cut(tx, id, last_seq, e))
		return -1;
	return move_end(tx, id, 0, UINT32_MAX, last_seq, NULL, e);
}

int gap_sum(struct db *db, const struct uuid *conversation_id, int64_t *n,
	    struct err *e)
{
	return db_int(db, STMT_GAP_SUM, DB_ARGS(DB_U(conversation_id)), n, e) < 0
		? -1 : 0;
}
