/* SPDX-License-Identifier: MIT */
/* Metrics for Prometheus and compatible programs (E37). */
#include "api/api.h"

#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "store/metric_sum.h"

#include "base/banned.h"

#define OPENMETRICS "application/openmetrics-text"

/*
 * GET /metrics: 200, the totals of all processes (docs/metrics.md) as OpenMetrics
 * text if Accept names it, else as Prometheus text. This process adds its own
 * counters first; those of others are added about once a minute.
 */
int api_metrics(struct request *rq, struct response *rs, struct err *e)
{
	struct str accept = req_param(rq, "HTTP_ACCEPT");
	bool open = accept.n && memmem(accept.p, accept.n, OPENMETRICS,
				       sizeof(OPENMETRICS) - 1);
	struct metric_sums *sums = xcalloc(1, sizeof(*sums));
	int rc = store_metric_sum_flush(rq->app->db, &rq->app->process, e);

	if (!rc)
		rc = store_metric_sum_read(rq->app->db, sums, e);
	if (!rc)
		metric_print(sums, open, resp_text(rs, 200, open
			? OPENMETRICS "; version=1.0.0; charset=utf-8"
			: "text/plain; version=0.0.4; charset=utf-8"));
	free(sums);
	return rc;
}
