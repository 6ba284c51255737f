/* SPDX-License-Identifier: MIT */
/* What a user does to a plan that runs or waits, beside its turn (docs/plans.md). */
#include "api/api.h"
#include "app.h"
#include "auth/policy.h"
#include "base/fields.h"
#include "plan/rows.h"
#include "route.h"

#include "base/banned.h"

struct skip_body {
	struct str step_id;
};

/*
 * POST /plans/{plan}/skip {stepId}: 200 {planId, turnId, stepId, status, turnStatus}; status is
 * skipped, or stopping of one that runs. What the step waits for is dropped; a turn that waits
 * for nothing else goes on when it is continued. 403 for API tokens without the permission by
 * name; 404 for another's plan or an unknown step; 409 conflict if the plan or step has ended.
 */
int api_plan_skip(struct request *rq, struct response *rs, struct err *e)
{
	static const struct field fields[] = {
		{ .key = "stepId", .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
		  .offset = offsetof(struct skip_body, step_id) },
	};
	struct skip_body in;
	struct plan_row p;
	struct turn t;
	struct jw w;
	int stops;

	if (!policy_may_decide(rq->by.who))
		return err_set(e, ERR_FORBIDDEN, "an API token without %s",
			       permission_rows[PERM_APPROVALS_DECIDE].name);
	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &in, sizeof(in), e) < 0)
		return -1;
	stops = agentplan_skip(rq->app->db, &rq->by.owner, route_arg_uuid(rq, "plan"),
			       in.step_id, rq->arena, &p, e);
	if (stops < 0 ||
	    store_turn_get(rq->app->db, &rq->by.owner, &p.turn_id, rq->arena, &t, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kuuid(&w, "planId", &p.id);
	jw_kuuid(&w, "turnId", &p.turn_id);
	jw_kstr(&w, "stepId", in.step_id);
	jw_kstrz(&w, "status", stops ? "stopping" : "skipped");
	jw_kstrz(&w, "turnStatus", store_turn_status_name((enum turn_status)t.status));
	jw_end_obj(&w);
	return 0;
}
