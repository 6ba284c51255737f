/* SPDX-License-Identifier: MIT */
/* What can be mentioned with @. */
#include "tool/mention/mention.h"

#include "api/api.h"
#include "api/page.h"
#include "api/scope.h"
#include "app.h"
#include "base/fields.h"
#include "base/limits.h"

#include "base/banned.h"

/* The workspace of the query, or the caller's first one. */
static const struct workspace *asked_workspace(struct request *rq,
					       struct err *e)
{
	const struct workspace *w;
	struct str id;
	size_t at = 0;

	if (req_query(rq, "workspaceId", &id, e) < 0)
		return NULL;
	if (id.n)
		return scope_workspace(rq, id, e);
	w = catalog_each(&rq->by, &at);
	if (!w)
		err_set(e, ERR_NOT_FOUND, "no workspace for the caller");
	return w;
}

/*
 * GET /mentions?q=&workspaceId=&dataset=&pageSize=
 * 200 {items: [Mention], more}: what the caller may mention and whose name, key or
 * label begins with q, some of each kind; dataset: only rows of that one. No
 * cursor: users type more to find an item. Sources that cannot be queried are left
 * out. 404 for a workspace that the caller does not see.
 */
int api_mention_list(struct request *rq, struct response *rs, struct err *e)
{
	const struct workspace *ws = asked_workspace(rq, e);
	struct tool_ctx ctx = {
		.turn = {
			.by = rq->by, .env = rq->app->deps.tools, .workspace = ws,
		},
		.arena = rq->arena,
	};
	struct mention_ask ask = { .ctx = &ctx, .db = rq->app->db };
	struct mention_list found;
	size_t size;
	struct jw w;

	if (!ws || req_query_text(rq, "q", LIM_MENTION_TYPED_CHARS, &ask.q,
				  e) < 0 ||
	    req_query(rq, "dataset", &ask.dataset, e) < 0 ||
	    api_page_size(rq, &size, e) < 0)
		return -1;
	ask.q = str_trim(ask.q);
	mention_find(&ask, MIN(size, LIM_MENTION_FOUND), &found);
	w = api_page_items(rs);
	for (size_t i = 0; i < found.n; i++)
		mention_write(&w, &found.v[i]);
	jw_end_arr(&w);
	jw_kbool(&w, "more", found.more);
	jw_end_obj(&w);
	return 0;
}
