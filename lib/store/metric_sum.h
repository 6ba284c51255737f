/*
 * The sums of what all processes have counted (metric/metric.h). Each adds its
 * own about once a minute, when it is asked for metrics, and when it ends: a
 * process that is killed loses at most that minute. So the numbers are the
 * installation's, whichever process of whichever web server tells them.
 */
#ifndef STORE_METRIC_SUM_H
#define STORE_METRIC_SUM_H

#include "metric/metric.h"
#include "store/store.h"

/*
 * Adds what was counted here since the last call, in one transaction; nothing
 * is asked of the database if that is nothing. process: its own id, for gauges.
 * An unknown outcome counts as done: better lost than counted twice. Any thread.
 */
int store_metric_sum_flush(struct db *db, const struct uuid *process,
			   struct err *e) MUST_CHECK;

/* As store_metric_sum_flush; this process has nothing open any more. */
int store_metric_sum_leave(struct db *db, const struct uuid *process,
			   struct err *e) MUST_CHECK;

/*
 * The sums into *out, which was zero. Gauges: of processes that wrote theirs in
 * the last three minutes.
 */
int store_metric_sum_read(struct db *db, struct metric_sums *out,
			  struct err *e) MUST_CHECK;

#endif
