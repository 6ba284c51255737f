/* SPDX-License-Identifier: MIT */
/*
 * Pages of lists of resources: rows of the configuration are among or before stored
 * rows.
 */
#include "api/resource.h"

#include "app.h"
#include "base/limits.h"

#include "base/banned.h"

/*
 * The row after which a page begins, from the cursor {"c":created_us,"id":"…"} or
 * {"k":"sort_key","id":"…"}. NULL: the first page.
 */
static int read_place(struct request *rq, const struct resource *r,
		      struct resource_row *row,
		      const struct resource_row **after, struct err *e)
{
	bool named = r->order == ORDER_NAME;
	json_t *j;

	*after = NULL;
	if (api_page_cursor(rq, &j, e) < 0)
		return -1;
	if (!j)
		return 0;
	*row = (struct resource_row){
		.created_us = jx_int(j, "c", -1), .sort_key = jx_str(j, "k"),
	};
	if ((named ? !row->sort_key.n : row->created_us < 0) ||
	    !uuid_parse(jx_str(j, "id"), &row->id))
		return err_set(e, ERR_INVALID_CURSOR, "not a resource's");
	*after = row;
	return 0;
}

static void write_place(struct jw *w, const struct resource *r,
			const struct resource_row *last)
{
	struct buf next = BUF_INIT(LIM_CURSOR_BYTES);
	struct jw j = jw_on(&next);

	jw_obj(&j);
	if (last && r->order == ORDER_NAME)
		jw_kstr(&j, "k", last->sort_key);
	else if (last)
		jw_kint(&j, "c", last->created_us);
	if (last)
		jw_kuuid(&j, "id", &last->id);
	jw_end_obj(&j);
	api_page_write_next(w, last ? buf_str(&next) : (struct str){ NULL, 0 });
	buf_release(&next);
}

/* Inserts rows of the configuration at their positions among the stored rows. */
static void merge(const struct resource *r, const struct resource_want *want,
		  const struct resource_row *files, size_t n_files,
		  struct arena *a, struct resource_page *p)
{
	struct resource_row *out = arena_zalloc(a, want->size + 1, sizeof(*out));
	size_t n = 0, i = 0, k = 0;

	for (;;) {
		while (k < n_files && !resource_wanted(r, &files[k], want))
			k++;
		/* There may be more rows after those that were read. */
		if (n == want->size || (i == p->n && (p->more || k == n_files)))
			break;
		if (i == p->n || (k < n_files && resource_compare(
					  &files[k], &p->rows[i]) < 0))
			out[n++] = files[k++];
		else
			out[n++] = p->rows[i++];
	}
	p->more |= i < p->n || k < n_files;
	p->rows = out;
	p->n = n;
}

/* The category in the query; NULL: any. */
static int read_under(struct request *rq, const struct resource *r,
		      const struct uuid **under, struct err *e)
{
	struct uuid *id = arena_new(rq->arena, struct uuid);
	struct str s;

	*under = NULL;
	if (!resource_is_filed(r))
		return 0;
	if (req_query(rq, "category", &s, e) < 0)
		return -1;
	if (s.n && !uuid_parse(s, id))
		return err_field(e, ERR_INVALID_FIELD, "category",
				 "category must be a UUID.");
	if (s.n)
		*under = id;
	return 0;
}

int api_resource_page(struct request *rq, const struct resource *r,
		      const struct resource_at *at, struct resource_page *p,
		      struct err *e)
{
	struct resource_want want = { .after = NULL };
	struct resource_row *files = NULL, *place = arena_new(rq->arena,
							      struct resource_row);
	struct str q = { NULL, 0 };
	size_t n_files;

	if (api_page_size(rq, &want.size, e) < 0 ||
	    read_place(rq, r, place, &want.after, e) < 0 ||
	    read_under(rq, r, &want.under, e) < 0 ||
	    (r->order == ORDER_NAME && req_query(rq, "q", &q, e) < 0))
		return -1;
	if (q.n)
		want.prefix = resource_fold(rq->arena, q);
	if (resource_list(rq->app->db, r, at, &want, rq->arena, &p->rows, &p->n,
			  &p->more, e) < 0)
		return -1;
	n_files = api_resource_files(rq, r, &files);
	merge(r, &want, files, n_files, rq->arena, p);
	p->first = !want.after;
	p->prefix = want.prefix;
	p->under = want.under;
	p->n_files = 0;
	want.after = NULL;
	for (size_t i = 0; i < n_files; i++)
		p->n_files += resource_wanted(r, &files[i], &want);
	return 0;
}

void api_resource_page_end(struct jw *w, const struct resource *r,
			   const struct resource_page *p)
{
	write_place(w, r, p->more && p->n ? &p->rows[p->n - 1] : NULL);
}

/* -- files and rows ----------------------------------------------------------- */

int api_resource_both_begin(struct request *rq, const struct resource *r,
			    struct resource_both *b, struct err *e)
{
	struct resource_row *place = arena_new(rq->arena, struct resource_row);
	struct err inner = ERR_INIT;

	*b = (struct resource_both){ .after = NULL };
	/*
	 * The position of a stored row has more members than the id of a row of the
	 * configuration.
	 */
	if (read_place(rq, r, place, &b->after, &inner) < 0 || !b->after)
		return api_page_walk_begin(rq, &b->files, e);
	b->behind = true;
	return api_page_size(rq, &b->files.size, e);
}

bool api_resource_both_takes(struct resource_both *b, struct str id)
{
	if (!b->behind)
		return api_page_walk_takes(&b->files, id);
	b->files.n_seen++;
	return false;
}

int api_resource_both_rows(struct request *rq, const struct resource *r,
			   const struct resource_at *at, struct resource_both *b,
			   struct err *e)
{
	const struct resource_want want = {
		.after = b->after, .size = b->files.size - b->files.n_taken,
	};

	b->total = 0;
	if (!b->files.more &&
	    resource_list(rq->app->db, r, at, &want, rq->arena, &b->rows, &b->n,
			  &b->more, e) < 0)
		return -1;
	/* A page with all of them needs no count. */
	if (b->files.more || b->more || b->after) {
		if (resource_total(rq->app->db, r, at, (struct str){ NULL, 0 },
				   NULL, &b->total, e) < 0)
			return -1;
	} else {
		b->total = (int64_t)b->n;
	}
	b->total += (int64_t)b->files.n_seen;
	return 0;
}

void api_resource_both_end(struct jw *w, const struct resource *r,
			   const struct resource_both *b)
{
	jw_end_arr(w);
	jw_key(w, "totalCount");
	if (b->total > LIM_COUNTED)
		jw_null(w);
	else
		jw_int(w, b->total);
	if (b->files.more || (b->more && !b->n))
		api_page_walk_next(w, &b->files);
	else
		write_place(w, r, b->more ? &b->rows[b->n - 1] : NULL);
	jw_end_obj(w);
}
