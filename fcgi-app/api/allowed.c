/* SPDX-License-Identifier: MIT */
/*
 * Tools that the user has allowed for the rest of a conversation
 * (docs/approvals.md). They are allowed with an approval; here, callers who may
 * decide about approvals list and revoke them.
 */
#include "api/api.h"

#include "api/approval.h"
#include "api/page.h"
#include "api/scope.h"
#include "app.h"
#include "auth/policy.h"
#include "store/wait.h"

#include "base/banned.h"

/*
 * GET /conversations/{c}/allowed-tools: 200 {items: [{tool, approvalId,
 * createdAt}], totalCount, nextCursor: null}, by name. 404.
 */
int api_allowed_list(struct request *rq, struct response *rs, struct err *e)
{
	struct wait_allowed *rows;
	struct conversation c;
	struct jw w;
	size_t n;

	if (api_conversation_of_path(rq, &c, e) < 0 ||
	    wait_allowed_list(rq->app->db, &rq->by.owner, &c.id, rq->arena,
			      &rows, &n, e) < 0)
		return -1;
	w = api_page_items(rs);
	for (size_t i = 0; i < n; i++) {
		jw_obj(&w);
		jw_kstr(&w, "tool", rows[i].tool);
		jw_kuuid(&w, "approvalId", &rows[i].wait_id);
		jw_ktime(&w, "createdAt", rows[i].created_us);
		jw_end_obj(&w);
	}
	api_page_items_end(&w, (int64_t)n);
	return 0;
}

int allowed_revoke(struct request *rq, struct str tool, struct err *e)
{
	struct conversation c;
	bool was;

	if (!policy_may_decide(rq->by.who))
		return err_set(e, ERR_FORBIDDEN, "an API token without %s",
			       permission_rows[PERM_APPROVALS_DECIDE].name);
	if (api_conversation_of_path(rq, &c, e) < 0 ||
	    wait_revoke(rq->app->db, &rq->by.owner, &c.id, tool, &was, e) < 0)
		return -1;
	return was ? 0 : err_set(e, ERR_NOT_FOUND, "it was not allowed");
}

/*
 * DELETE /conversations/{c}/allowed-tools/{tool}: 204; the next call of the tool
 * asks again, also in a turn that is running. 403 for API tokens without the
 * permission by name; 404.
 */
int api_allowed_revoke(struct request *rq, struct response *rs, struct err *e)
{
	if (allowed_revoke(rq, route_arg(rq, "tool"), e) < 0)
		return -1;
	resp_empty(rs, 204);
	return 0;
}
