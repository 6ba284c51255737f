/* SPDX-License-Identifier: MIT */
/*
 * What this process has counted (metric.def), for GET /metrics.
 *
 * Counting is one atomic addition, from any thread and any module, so the
 * counters, like the log, are not part of struct app. They hold what was
 * counted since they were last taken: the sums of all processes are in the
 * database (store/metric_sum.h), because any process may answer a request for
 * metrics.
 */
#ifndef METRIC_METRIC_H
#define METRIC_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define METRIC_CELLS      128	/* of one metric: all pairs of its labels' values */
#define METRIC_CELL_BYTES 128	/* of a cell's name, with NUL */

enum metric {
#define METRIC(id, name, type, unit, a, b, help) METRIC_##id,
#include "metric/metric.def"
	METRIC__MAX
};

struct metric_sums {
	int64_t v[METRIC__MAX][METRIC_CELLS];
};

/*
 * Counts n more (of a gauge: or less). a, b: values of its labels, in their
 * order; NULL where it has none. Any thread.
 */
void metric_add(enum metric m, const char *a, const char *b, int64_t n);

/* Counts a time of a HISTOGRAM. Any thread. */
void metric_observe(enum metric m, int64_t ms);

/*
 * Adds to *out what was counted since the last call, and the values of gauges;
 * true if there is anything. What could not be stored is put back. Any thread.
 */
bool metric_take(struct metric_sums *out);
void metric_put_back(const struct metric_sums *s);

/* Whether it is a gauge, whose value is this process's; its name. */
bool metric_is_gauge(enum metric m);
const char *metric_name(enum metric m);

/*
 * The name of cell i, such as route="chat",status="2xx"; false: there is no
 * such cell, nor any behind it.
 */
bool metric_cell(enum metric m, size_t i, char text[METRIC_CELL_BYTES]);

/* The value of a cell by names; NULL when there is none (any more). */
int64_t *metric_find(struct metric_sums *s, struct str name, struct str cell);

/*
 * Prints sums as OpenMetrics text 1.0.0, or (open false) as Prometheus text
 * 0.0.4: they differ in the names of counters, units and the end.
 */
void metric_print(const struct metric_sums *s, bool open, struct buf *out);

/* Name, type, labels, help: a line each, `list metrics`; a table of docs. */
void metric_print_list(struct buf *out);
void metric_print_table(struct buf *out);

#endif
