/* SPDX-License-Identifier: MIT */
#include "store/metric_sum.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "store/stmt.h"

#include "base/banned.h"

#define GAUGE_US INT64_C(180000000)	/* written each minute */

struct summing {
	const struct uuid *process;
	struct db_val *counters, *gauges;	/* parameters of their
						   statements */
	size_t n_counters, n_gauges;
	bool asked;		/* all statements were sent; only the COMMIT may
				   be missing */
};

/*
 * Whether this process may have stored gauges, which are deleted when all are
 * zero.
 */
static atomic_bool has_gauges;

/*
 * All processes write rows in the same order, so that they wait for each other
 * instead of deadlocking.
 */
static void make_rows(struct summing *f, const struct metric_sums *s,
		      struct arena *a)
{
	const size_t max = (size_t)METRIC__MAX * METRIC_CELLS;
	struct db_val *c = arena_alloc(a, max * 3 * sizeof(*c)), *g = c;
	int64_t now_us = clock_now_us();
	char cell[METRIC_CELL_BYTES];

	f->counters = c;
	g = f->gauges = arena_alloc(a, max * 5 * sizeof(*g));
	for (int m = 0; m < METRIC__MAX; m++)
		for (size_t i = 0; metric_cell(m, i, cell); i++) {
			struct str name = str_of(metric_name(m)), text;

			if (!s->v[m][i])
				continue;
			text = arena_str(a, str_of(cell));
			if (metric_is_gauge(m)) {
				*g++ = DB_U(f->process);
				*g++ = DB_S(name);
				*g++ = DB_S(text);
				*g++ = DB_I(s->v[m][i]);
				*g++ = DB_I(now_us);
				f->n_gauges++;
			} else {
				*c++ = DB_S(name);
				*c++ = DB_S(text);
				*c++ = DB_I(s->v[m][i]);
				f->n_counters++;
			}
		}
}

static int flush_tx(struct db *tx, void *ctx, struct err *e)
{
	struct summing *f = ctx;

	if (db_tx_unknown(tx))
		return 0;
	f->asked = false;
	if (db_exec_rows(tx, STMT_METRIC_ADD, f->counters, f->n_counters, NULL,
			 e) ||
	    db_exec(tx, STMT_METRIC_GAUGE_DROP, DB_ARGS(DB_U(f->process)), NULL,
		    e))
		return -1;
	f->asked = db_exec_rows(tx, STMT_METRIC_GAUGE_PUT, f->gauges,
				f->n_gauges, NULL, e) == 0;
	return f->asked ? 0 : -1;
}

enum when { IF_COUNTED, LEAVING, ALWAYS };

static int flush(struct db *db, const struct uuid *process, enum when when,
		 struct err *e)
{
	struct metric_sums *sums = xcalloc(1, sizeof(*sums));
	struct summing f = { .process = process };
	struct arena a = ARENA_INIT;
	int rc = 0;

	if (metric_take(sums) || atomic_load(&has_gauges) || when == ALWAYS) {
		make_rows(&f, sums, &a);
		if (when == LEAVING)
			f.n_gauges = 0;
		if (f.n_gauges)
			atomic_store(&has_gauges, true);
		rc = db_tx(db, flush_tx, &f, e);
		if (!rc && !f.n_gauges)
			atomic_store(&has_gauges, false);
	}
	/* The sums may be stored: losing counts is better than counting twice. */
	if (rc && !f.asked)
		metric_put_back(sums);
	arena_release(&a);
	free(sums);
	return rc;
}

int store_metric_sum_flush(struct db *db, const struct uuid *process, struct err *e)
{
	return flush(db, process, IF_COUNTED, e);
}

int store_metric_sum_leave(struct db *db, const struct uuid *process, struct err *e)
{
	return flush(db, process, LEAVING, e);
}

int store_metric_sum_try(struct db *db, const struct uuid *process, struct err *e)
{
	return flush(db, process, ALWAYS, e);
}

static int take_row(void *ctx, const struct db_val *row, struct err *e)
{
	int64_t *v = metric_find(ctx, row[0].s, row[1].s);

	(void)e;
	/* else the row is another version's */
	if (v)
		*v += row[2].i;
	return 0;
}

int store_metric_sum_read(struct db *db, struct metric_sums *out, struct err *e)
{
	struct arena a = ARENA_INIT;
	int rc = db_each(db, STMT_METRIC_SUMS,
			 DB_ARGS(DB_I(clock_now_us() - GAUGE_US)), &a, take_row,
			 out, e);

	arena_release(&a);
	return rc;
}
