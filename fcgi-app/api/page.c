/* SPDX-License-Identifier: MIT */
#include "api/page.h"

#include <stdio.h>

#include "base/cursor.h"
#include "base/fields.h"
#include "base/limits.h"

#include "base/banned.h"

struct jw api_page_items(struct response *rs)
{
	struct jw w = resp_json(rs, 200);

	jw_obj(&w);
	jw_key(&w, "items");
	jw_arr(&w);
	return w;
}

void api_page_items_end(struct jw *w, int64_t n)
{
	jw_end_arr(w);
	jw_kint(w, "totalCount", n);
	jw_kstrz(w, "nextCursor", NULL);
	jw_end_obj(w);
}

int api_page_size(struct request *rq, size_t *out, struct err *e)
{
	int64_t n;

	if (req_query_int(rq, "pageSize", LIM_PAGE_DEFAULT, &n, e) < 0)
		return -1;
	if (n < 1)
		return err_field(e, ERR_INVALID_FIELD, "pageSize",
				 "pageSize must be at least 1.");
	*out = (size_t)MIN(n, LIM_PAGE_MAX);
	return 0;
}

int api_page_cursor_text(struct request *rq, struct str *out, struct err *e)
{
	struct err inner = ERR_INIT;

	return req_query(rq, "cursor", out, &inner) == 0 ? 0
		: err_set(e, ERR_INVALID_CURSOR, "%s", inner.text);
}

int api_page_cursor(struct request *rq, json_t **out, struct err *e)
{
	struct str s;

	*out = NULL;
	return api_page_cursor_text(rq, &s, e) < 0 ? -1
		: cursor_read(s, rq->arena, out, e);
}

int api_page_seq(struct request *rq, int64_t *seq, struct err *e)
{
	struct str id;
	json_t *j;

	*seq = 0;
	if (api_page_cursor(rq, &j, e) < 0)
		return -1;
	if (!j)
		return 0;
	id = jx_str(j, "id");
	for (size_t i = 0; i < id.n && *seq >= 0; i++)
		*seq = id.p[i] >= '0' && id.p[i] <= '9' && id.n < 11
			? *seq * 10 + (id.p[i] - '0') : -1;
	if (*seq <= 0)
		return err_set(e, ERR_INVALID_CURSOR, "not a number's");
	return 0;
}

void api_page_write_next_seq(struct jw *w, int64_t seq)
{
	char text[48];
	int n = snprintf(text, sizeof(text), "{\"id\":\"%lld\"}",
			 (long long)seq);

	cursor_write(w, seq ? (struct str){ text, (size_t)n }
			: (struct str){ NULL, 0 });
}
