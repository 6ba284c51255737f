/* SPDX-License-Identifier: MIT */
#include "api/page.h"

#include <sodium.h>
#include <stdio.h>

#include "base/limits.h"
#include "fields.h"

#include "base/banned.h"

#define VARIANT sodium_base64_VARIANT_URLSAFE_NO_PADDING

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

int api_page_cursor(struct request *rq, json_t **out, struct err *e)
{
	unsigned char text[LIM_CURSOR_BYTES];
	struct err inner = ERR_INIT;
	struct str s;
	size_t n = 0;
	json_t *j;

	*out = NULL;
	if (req_query(rq, "cursor", &s, &inner) < 0)
		return err_set(e, ERR_INVALID_CURSOR, "%s", inner.text);
	if (!s.n)
		return 0;
	if (sodium_base642bin(text, sizeof(text), s.p, s.n, NULL, &n, NULL,
			      VARIANT) != 0)
		return err_set(e, ERR_INVALID_CURSOR, "not base64url");
	j = jx_keep(rq->arena,
		    jx_load((struct str){ (char *)text, n }, &inner));
	if (!json_is_object(j))
		return err_set(e, ERR_INVALID_CURSOR, "not an object");
	*out = j;
	return 0;
}

void api_page_write_next(struct jw *w, struct str json)
{
	char text[sodium_base64_ENCODED_LEN(LIM_CURSOR_BYTES, VARIANT)];

	if (json.n > LIM_CURSOR_BYTES)
		BUG("a cursor beyond its cap");
	if (json.p)
		sodium_bin2base64(text, sizeof(text),
				  (const unsigned char *)json.p, json.n,
				  VARIANT);
	jw_kstrz(w, "nextCursor", json.p ? text : NULL);
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

	api_page_write_next(w, seq ? (struct str){ text, (size_t)n }
			: (struct str){ NULL, 0 });
}

int api_page_walk_begin(struct request *rq, struct page_walk *p, struct err *e)
{
	json_t *cursor;

	*p = (struct page_walk){ .size = 0 };
	if (api_page_size(rq, &p->size, e) < 0 || api_page_cursor(rq, &cursor, e) < 0)
		return -1;
	if (cursor) {
		p->after = jx_str(cursor, "id");
		if (!slug_valid(p->after))
			return err_set(e, ERR_INVALID_CURSOR, "no id in it");
	}
	return 0;
}

bool api_page_walk_takes(struct page_walk *p, struct str id)
{
	p->n_seen++;
	if (p->after.p) {
		if (str_eq(p->after, id))
			p->after.p = NULL;
		return false;
	}
	if (p->n_taken == p->size) {
		p->more = true;
		return false;
	}
	p->n_taken++;
	p->last = id;
	return true;
}

void api_page_walk_next(struct jw *w, const struct page_walk *p)
{
	char cursor[LIM_SLUG_BYTES + 16];
	int n = snprintf(cursor, sizeof(cursor), "{\"id\":\"%.*s\"}",
			 STR_ARG(p->last));

	api_page_write_next(w, (struct str){ cursor, (size_t)n });
}

void api_page_walk_end(struct jw *w, const struct page_walk *p)
{
	jw_end_arr(w);
	jw_kint(w, "totalCount", (int64_t)p->n_seen);
	if (p->more)
		api_page_walk_next(w, p);
	else
		api_page_write_next(w, (struct str){ NULL, 0 });
	jw_end_obj(w);
}
