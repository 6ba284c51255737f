/* SPDX-License-Identifier: MIT */
/*
 * Sums of the counters of all processes (metric/metric.h). Each process adds
 * its own about once a minute, when metrics are requested, and when it ends; a
 * killed process loses at most that minute. So the numbers describe the
 * installation, whichever process of whichever web server reports them.
 */
#ifndef STORE_METRIC_SUM_H
#define STORE_METRIC_SUM_H

#include "metric/metric.h"
#include "store/store.h"

/*
 * Adds what was counted since the last call, in one transaction; no round trip
 * if that is nothing. process: its id, for gauges. An unknown outcome counts as
 * done: losing counts is better than counting twice. Any thread.
 */
int store_metric_sum_flush(struct db *db, const struct uuid *process,
			   struct err *e) MUST_CHECK;

/* As store_metric_sum_flush, for a process that ends: clears its gauges. */
int store_metric_sum_leave(struct db *db, const struct uuid *process,
			   struct err *e) MUST_CHECK;

/*
 * As store_metric_sum_flush, with a round trip even if nothing was counted: whether
 * rows can be written. For /ready.
 */
int store_metric_sum_try(struct db *db, const struct uuid *process,
			 struct err *e) MUST_CHECK;

/*
 * Reads the sums into *out, which must be zero. Gauges: of processes that wrote
 * theirs in the last three minutes.
 */
int store_metric_sum_read(struct db *db, struct metric_sums *out,
			  struct err *e) MUST_CHECK;

#endif
