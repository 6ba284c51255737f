/* SPDX-License-Identifier: MIT */
/* Deleting rows of the journal that nobody needs any more. */
#include "store/journal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	PRUNE_PROCESSES = 64,	/* per call */
	PRUNE_ROWS = 256,	/* examined, and deleted, at a time */
};

/* -- pruning ---------------------------------------------------------------------- */

struct found {
	struct uuid v[PRUNE_PROCESSES];
	size_t n;
};

static int take_process(void *ctx, const struct db_val *row, struct err *e)
{
	struct found *found = ctx;

	(void)e;
	memcpy(found->v[found->n++].b, row[0].s.p, 16);
	return 0;
}

struct prune {
	struct db *db;
	turn_text_fn *fn;
	struct uuid process;
	struct arena rows, *a;
	struct uuid *turns;	/* in the rows */
	size_t n_turns, turns_size;
	size_t n_rows;
	int64_t before;		/* rows below this number are deleted */
	int64_t until_ms;
};

static int take_turns(void *ctx, const struct db_val *row, struct err *e)
{
	struct prune *p = ctx;
	struct str turns = row[1].s;

	(void)e;
	p->before = row[0].i + 1;
	p->n_rows++;
	p->turns = arena_room(p->a, p->turns, p->n_turns,
			      turns.n / JOURNAL_ENTRY_BYTES + 1, &p->turns_size,
			      sizeof(*p->turns));
	for (size_t i = 0; i + JOURNAL_ENTRY_BYTES <= turns.n; i += JOURNAL_ENTRY_BYTES)
		memcpy(p->turns[p->n_turns++].b, turns.p + i, 16);
	arena_reset(&p->rows);
	return 0;
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct uuid));
}

/* Removes duplicates: a turn is in many rows. */
static void each_once(struct prune *p)
{
	size_t n = 0;

	if (p->n_turns)
		qsort(p->turns, p->n_turns, sizeof(*p->turns), compare);
	for (size_t i = 0; i < p->n_turns; i++)
		if (n == 0 || !uuid_eq(&p->turns[n - 1], &p->turns[i]))
			p->turns[n++] = p->turns[i];
	p->n_turns = n;
}

struct open_turn {
	struct str tenant_id;
	struct uuid id, user_id;
	int64_t from;
};

static const struct db_field running_fields[] = {
	FIELD_OF(struct open_turn, id, u),
	FIELD_OF(struct open_turn, tenant_id, s),
	FIELD_OF(struct open_turn, user_id, u),
	FIELD_OF(struct open_turn, from, i),
};

/*
 * Closes the dead turns while there is time; keeps the rows that the others
 * need.
 */
static int look_at_running(struct prune *p, const struct uuid *ids, size_t n,
			   struct err *e)
{
	struct db_val v[1 + IDS_MAX];
	struct open_turn *rows;
	bool closed;
	size_t n_rows;

	v[0] = DB_U(&p->process);
	for (size_t i = 0; i < IDS_MAX; i++)
		v[1 + i] = DB_U(&ids[MIN(i, n - 1)]);
	if (db_list(p->db, STMT_JOURNAL_RUNNING, v, p->a, running_fields,
		    sizeof(*rows), 0, &rows, &n_rows, e))
		return -1;
	for (size_t i = 0; i < n_rows; i++) {
		struct owner o = { rows[i].tenant_id, rows[i].user_id };

		closed = false;
		if (clock_mono_ms() < p->until_ms &&
		    store_turn_recover(p->db, &o, &rows[i].id, p->fn, &closed, e)) {
			if (e->code != ERR_NOT_FOUND)
				return -1;
			err_clear(e);	/* its conversation is being deleted */
			continue;
		}
		/* A turn that runs needs its rows: those from its first one on stay. */
		if (!closed)
			p->before = MIN(p->before, rows[i].from);
	}
	return 0;
}

/* Prunes the oldest rows of a process. *more: there may be others after them. */
static int prune_some(struct prune *p, bool *more, struct err *e)
{
	struct db_result r = { .affected = 0 };

	p->turns = NULL;
	p->n_turns = p->turns_size = p->n_rows = 0;
	p->before = 0;
	if (db_each(p->db, STMT_JOURNAL_TURNS,
		    DB_ARGS(DB_U(&p->process),
			    DB_I(clock_now_us() - JOURNAL_KEEP_US),
			    DB_I(PRUNE_ROWS)), &p->rows, take_turns, p, e))
		return -1;
	each_once(p);
	for (size_t i = 0; i < p->n_turns; i += IDS_MAX)
		if (look_at_running(p, p->turns + i,
				    MIN(p->n_turns - i, IDS_MAX), e))
			return -1;
	if (p->before && db_exec(p->db, STMT_JOURNAL_DELETE,
				 DB_ARGS(DB_U(&p->process), DB_I(p->before),
					 DB_I(PRUNE_ROWS)), &r, e))
		return -1;
	*more = r.affected == PRUNE_ROWS;
	return 0;
}

int journal_prune(struct db *db, turn_text_fn *text_of_events,
		  int64_t until_ms, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct found found = { .n = 0 };
	struct prune p = { .db = db, .fn = text_of_events, .a = &a,
			   .rows = ARENA_INIT, .until_ms = until_ms };
	int rc;

	rc = db_each(db, STMT_JOURNAL_OLD,
		     DB_ARGS(DB_I(clock_now_us() - JOURNAL_KEEP_US),
			     DB_I(PRUNE_PROCESSES)), &a, take_process, &found,
		     e);
	for (size_t i = 0; !rc && i < found.n; i++) {
		bool more = true;

		p.process = found.v[i];
		while (!rc && more && clock_mono_ms() < until_ms) {
			arena_reset(&a);
			rc = prune_some(&p, &more, e);
		}
	}
	arena_release(&p.rows);
	arena_release(&a);
	return rc;
}
