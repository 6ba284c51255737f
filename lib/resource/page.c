/* SPDX-License-Identifier: MIT */
/* Pages of lists: rows of files are among or before stored rows. */
#include "resource/props.h"
#include "resource/rows.h"
#include "resource/sift.h"

#include "base/clock.h"
#include "base/cursor.h"
#include "base/fields.h"
#include "base/limits.h"

#include "base/banned.h"

/* Where a page begins. */
struct page_start {
	struct resource_row row;
	const struct resource_row *after;	/* a stored row, or of ORDER NAME any;
						   NULL: at the first */
	struct str file;	/* NAMED: the name of one of a file; p == NULL: none */
	struct db_val member;	/* resource_want.member */
	int rank;		/* of a search without another order */
};

/* The order of a cursor, as the query has it: "due", "-due", "-props.effort". In a. */
static const char *order_name(const struct resource_limits *l, struct arena *a)
{
	return arena_printf(a, "%s%s%s", l->down ? "-" : "", l->by ? "" : PROPS_PREFIX,
			    l->by ? l->by->key : l->by_member->name);
}

/* The type of the values of the order. */
static enum resource_type order_type(const struct resource_limits *l)
{
	return l->by ? l->by->type : l->by_member->type == PARAM_DATE ? TYPE_DATE : TYPE_REAL;
}

/* {"o":"-due","v":value,"id":"…"}: the value and the id of the last row. */
static int read_sorted(const struct caller *by, const struct resource_limits *l,
		       const json_t *j, struct page_start *b, struct err *e)
{
	const json_t *v = json_object_get(j, "v");
	struct db_val value = {
		.type = resource_types[order_type(l)].letter, .null = json_is_null(v),
	};
	bool fits = value.null;

	if (json_is_integer(v) && value.type == 'i') {
		value.i = json_integer_value(v);
		fits = true;
	} else if (json_is_number(v) && value.type == 'd') {
		value.d = json_number_value(v);
		fits = true;
	} else if (json_is_string(v) && value.type == 's') {
		value.s = jx_str(j, "v");
		fits = clock_is_date(value.s.p);
	}
	if (!fits || (value.null && l->by && l->by->common) ||
	    !str_is(jx_str(j, "o"), order_name(l, by->arena)) ||
	    !uuid_parse(jx_str(j, "id"), &b->row.id))
		return err_set(e, ERR_INVALID_CURSOR, "not of this order");
	if (l->by)
		resource_sorting_set(l->by, value, &b->row);
	b->member = value;
	b->after = &b->row;
	return 0;
}

/*
 * A cursor is {"c":created_us,"id":"…"} or {"k":"sort_key","id":"…"}, of a search with
 * its rank, "q"; for NAMED ones of a file {"id":"name"}.
 */
static int read_beginning(const struct caller *by, const struct resource_call *c,
			  const struct resource_want *want, struct page_start *b,
			  struct err *e)
{
	const struct resource_limits *limits = want->limits;
	const struct resource *r = c->r;
	bool by_name = r->order == ORDER_NAME;
	json_t *j;

	*b = (struct page_start){ .after = NULL };
	if (cursor_read(c->query.cursor, by->arena, &j, e) < 0)
		return -1;
	if (!j)
		return 0;
	if (limits->by || limits->by_member)
		return read_sorted(by, limits, j, b, e);
	b->rank = (int)jx_int(j, "q", -1);
	if ((b->rank >= 0) != (want->words != NULL) || b->rank >= RESOURCE_RANKS)
		return err_set(e, ERR_INVALID_CURSOR, "not of this search");
	b->row.created_us = jx_int(j, "c", -1);
	b->row.sort_key = jx_str(j, "k");
	if ((by_name ? b->row.sort_key.n > 0 : b->row.created_us >= 0) &&
	    uuid_parse(jx_str(j, "id"), &b->row.id))
		b->after = &b->row;
	else if (r->named && slug_valid(jx_str(j, "id")))
		b->file = jx_str(j, "id");
	else
		return err_set(e, ERR_INVALID_CURSOR, "not a resource's");
	return 0;
}

static struct str next_text(const struct caller *by, const struct buf *b)
{
	return arena_str(by->arena, buf_str(b));
}

static void put_value(struct jw *j, enum resource_type type, const struct db_val *v)
{
	/* Times stay numbers: no digit of them is lost. */
	const struct resource_field f = { .type = type == TYPE_TIME ? TYPE_INT : type };

	jw_key(j, "v");
	resource_write_value(j, &f, v);
}

/* The cursor of what follows this row, in the order of the resource or of a field. */
static struct str after_row(const struct caller *by, const struct resource *r,
			    const struct resource_limits *limits,
			    const struct resource_row *last)
{
	struct buf next = BUF_INIT(LIM_CURSOR_BYTES);
	struct jw j = jw_on(&next);
	struct str out;

	jw_obj(&j);
	if (limits->by) {
		const struct db_val v = resource_sorting_value(limits->by, last);

		jw_kstrz(&j, "o", order_name(limits, by->arena));
		put_value(&j, order_type(limits), &v);
	} else if (r->order == ORDER_NAME)
		jw_kstr(&j, "k", last->sort_key);
	else
		jw_kint(&j, "c", last->created_us);
	jw_kuuid(&j, "id", &last->id);
	jw_end_obj(&j);
	out = next_text(by, &next);
	buf_release(&next);
	return out;
}

/* The same of what is searched or sifted. */
static struct str after_place(const struct caller *by, const struct resource *r,
			      const struct resource_want *want,
			      const struct sift_place *last)
{
	const struct resource_limits *limits = want->limits;
	struct buf next = BUF_INIT(LIM_CURSOR_BYTES);
	struct jw j = jw_on(&next);
	struct str out;

	jw_obj(&j);
	if (limits->by || limits->by_member) {
		jw_kstrz(&j, "o", order_name(limits, by->arena));
		put_value(&j, order_type(limits), &last->value);
	} else {
		if (want->words)
			jw_kint(&j, "q", last->rank);
		if (r->order == ORDER_NAME)
			jw_kstr(&j, "k", last->value.s);
		else
			jw_kint(&j, "c", last->value.i);
	}
	jw_kuuid(&j, "id", &last->id);
	jw_end_obj(&j);
	out = next_text(by, &next);
	buf_release(&next);
	return out;
}

static struct str after_file(const struct caller *by, struct str name)
{
	struct buf next = BUF_INIT(LIM_CURSOR_BYTES);
	struct jw j = jw_on(&next);
	struct str out;

	jw_obj(&j);
	jw_kstr(&j, "id", name);
	jw_end_obj(&j);
	out = next_text(by, &next);
	buf_release(&next);
	return out;
}

/* The category of the query; NULL: any. */
static int read_under(const struct caller *by, const struct resource_call *c,
		      const struct uuid **under, struct err *e)
{
	struct str s = c->query.category;
	struct uuid *id = arena_new(by->arena, struct uuid);

	*under = NULL;
	if (!s.n || !resource_is_filed(c->r))
		return 0;
	if (!uuid_parse(s, id))
		return err_field(e, ERR_INVALID_FIELD, "category",
				 "category must be a UUID.");
	*under = id;
	return 0;
}

static struct resource_item *room_for(const struct caller *by, size_t n)
{
	return arena_zalloc(by->arena, n + 1, sizeof(struct resource_item));
}

/* Stored rows of a page. */
struct page_rows {
	struct resource_row *v;
	size_t n;
	bool more;
};

static int read_rows(const struct caller *by, const struct resource *r,
		     const struct resource_change *k,
		     const struct resource_want *want, struct page_rows *rows,
		     struct err *e)
{
	return resource_list(by->db, r, &k->at, want, by->arena, &rows->v,
			     &rows->n, &rows->more, e);
}

/* -- files among the rows ------------------------------------------------------- */

/* Inserts rows of files at their places among the stored rows. */
static void merge(const struct resource *r, const struct resource_want *want,
		  const struct resource_row *files, size_t n_files,
		  const struct page_rows *rows, struct resource_answer *out)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (k < n_files && !resource_wanted(r, &files[k], want))
			k++;
		/* There may be more rows after those that were read. */
		if (out->n == want->size ||
		    (i == rows->n && (rows->more || k == n_files)))
			break;
		if (i == rows->n || (k < n_files && resource_compare(
					     &files[k], &rows->v[i]) < 0))
			out->items[out->n++].row = &files[k++];
		else
			out->items[out->n++].row = &rows->v[i++];
	}
	out->more = rows->more || i < rows->n || k < n_files;
}

/* The number of stored rows in the list; all: they are the n of the page. */
static int count(const struct caller *by, const struct resource_call *c,
		 const struct resource_want *want, bool all, size_t n,
		 struct resource_answer *out, struct err *e)
{
	out->total = (int64_t)n;
	return all || c->query.uncounted ? 0
		: resource_total(by->db, c->r, &out->done.at, want, &out->total,
				 e);
}

static size_t files_of(const struct caller *by, const struct resource *r,
		       const struct resource_row **files)
{
	const struct resource_hooks *h = resource_hooks_at(r, 0);

	return h && h->files ? h->files(by, files) : 0;
}

static int merged(const struct caller *by, const struct resource_call *c,
		  const struct page_start *b, struct resource_want *want,
		  struct resource_answer *out, struct err *e)
{
	const struct resource_row *files = NULL;
	struct page_rows rows = { .n = 0 };
	size_t n_files, n_wanted = 0;
	bool all;

	if (read_rows(by, c->r, &out->done, want, &rows, e) < 0)
		return -1;
	n_files = files_of(by, c->r, &files);
	merge(c->r, want, files, n_files, &rows, out);
	if (out->more && out->n)
		out->next = after_row(by, c->r, want->limits,
				      out->items[out->n - 1].row);
	want->after = NULL;
	for (size_t i = 0; i < n_files; i++)
		n_wanted += resource_wanted(c->r, &files[i], want);
	all = !b->after && !out->more;
	if (count(by, c, want, all, out->n, out, e) < 0)
		return -1;
	out->total += all ? 0 : (int64_t)n_wanted;
	return 0;
}

/* -- files before the rows ------------------------------------------------------ */

/* Those of the page; *n: how many there are. True: there are more. */
static bool take_files(const struct caller *by, const struct resource_call *c,
		       const struct page_start *b, size_t size,
		       struct resource_answer *out, size_t *n, struct str *last)
{
	const struct resource_hooks *h = resource_hooks_at(c->r, 0);
	struct str before = b->file, name;
	const void *object;
	bool more = false;
	size_t at = 0;

	for (*n = 0; (object = h->file(by, &out->done, &at, &name)) != NULL; ++*n) {
		if (b->after)
			continue;	/* the page is behind them */
		if (before.p) {
			if (str_eq(before, name))
				before.p = NULL;
		} else if (out->n == size) {
			more = true;
		} else {
			out->items[out->n++].object = object;
			*last = name;
		}
	}
	return more;
}

static int take_rows(const struct caller *by, const struct resource_call *c,
		     const struct page_rows *rows, struct resource_answer *out,
		     struct err *e)
{
	const struct resource_hooks *h = resource_hooks_at(c->r, 0);
	const void **objects = arena_zalloc(by->arena, rows->n + 1, sizeof(*objects));

	if (h->objects && h->objects(by, rows->v, rows->n, objects, e) < 0)
		return -1;
	for (size_t i = 0; i < rows->n; i++)
		if (!h->has || h->has(by, &out->done, &rows->v[i]))
			out->items[out->n++] = (struct resource_item){
				.row = &rows->v[i], .object = objects[i],
			};
	return 0;
}

static int named(const struct caller *by, const struct resource_call *c,
		 const struct page_start *b, struct resource_want *want,
		 struct resource_answer *out, struct err *e)
{
	struct page_rows rows = { .n = 0 };
	struct str last = { NULL, 0 };
	size_t n_files, n_before;
	bool more = take_files(by, c, b, want->size, out, &n_files, &last);

	n_before = out->n;
	want->size -= n_before;
	if (!more && read_rows(by, c->r, &out->done, want, &rows, e) < 0)
		return -1;
	if (take_rows(by, c, &rows, out, e) < 0)
		return -1;
	out->more = more || rows.more;
	/* Files filled the page, and of the rows only that there are some is known. */
	if (more || (rows.more && !rows.n))
		out->next = after_file(by, last);
	else if (rows.more)
		out->next = after_row(by, c->r, want->limits,
				      &rows.v[rows.n - 1]);
	if (count(by, c, want, !out->more && !b->after, out->n - n_before, out,
		  e) < 0)
		return -1;
	out->total += (int64_t)n_files;
	return 0;
}

/* -- searched, or by members of props ------------------------------------------------ */

/* An id for what has none: of the n-th of a file, which no stored row has. */
static struct uuid id_of_file(size_t n)
{
	struct uuid id = { { 0 } };

	for (size_t i = 0; i < 4; i++)
		id.b[sizeof(id.b) - 1 - i] = (unsigned char)(n >> 8 * i);
	return id;
}

/* What the search looks in of something of a file: its record, as the caller sees it. */
static json_t *record_of(const struct caller *by, const struct resource_hooks *h,
			 const struct resource_change *k,
			 const struct resource_item *item)
{
	struct buf b = BUF_INIT(LIM_LONG_BODY_BYTES);
	struct jw w = jw_on(&b);
	json_t *j;

	jw_obj(&w);
	h->record(&w, by, k, item);
	jw_end_obj(&w);
	j = buf_ok(&b) ? jx_try(buf_str(&b)) : NULL;
	buf_release(&b);
	return j;
}

static size_t files_named(const struct caller *by, const struct resource_call *c,
			  struct resource_answer *out, struct sift_file **files)
{
	const struct resource_hooks *h = resource_hooks_at(c->r, 0);
	size_t at = 0, n = 0, room = 0;
	const void *object;
	struct str name;

	while ((object = h->file(by, &out->done, &at, &name)) != NULL) {
		struct sift_file one = {
			.item = { .object = object }, .id = id_of_file(n),
			.sort_key = resource_fold(by->arena, name),
		};
		json_t *record = record_of(by, h, &out->done, &one.item);

		one.folded = resource_folded_of(c->r, record, by->arena);
		json_decref(record);
		*files = arena_room(by->arena, *files, n, 1, &room, sizeof(**files));
		(*files)[n++] = one;
	}
	return n;
}

/* What files have among the rows. */
static size_t files_to_search(const struct caller *by, const struct resource_call *c,
			      const struct resource_want *want,
			      struct resource_answer *out, struct sift_file **files)
{
	const struct resource_row *rows = NULL;
	size_t n_rows, n = 0;

	*files = NULL;
	if (c->r->named)
		return files_named(by, c, out, files);
	n_rows = files_of(by, c->r, &rows);
	*files = arena_zalloc(by->arena, n_rows + 1, sizeof(**files));
	for (size_t i = 0; i < n_rows; i++)
		if (!want->under || resource_is_under(c->r, &rows[i], want->under))
			(*files)[n++] = (struct sift_file){
				.item = { .row = &rows[i] }, .id = rows[i].id,
				.sort_key = rows[i].sort_key,
				.folded = resource_folded(c->r, &rows[i], by->arena),
			};
	return n;
}

/* Takes a page; of NAMED ones with their objects, without those that are not to be seen. */
static int take_page(const struct caller *by, const struct resource_call *c,
		     const struct sift_page *page, struct resource_answer *out,
		     struct err *e)
{
	const struct resource_hooks *h = resource_hooks_at(c->r, 0);
	const void **objects = arena_zalloc(by->arena, page->n_rows + 1, sizeof(*objects));

	if (c->r->named && h->objects &&
	    h->objects(by, page->rows, page->n_rows, objects, e) < 0)
		return -1;
	for (size_t i = 0; i < page->n; i++) {
		struct resource_item item = page->items[i];

		if (c->r->named && item.row) {
			if (h->has && !h->has(by, &out->done, item.row))
				continue;
			item.object = objects[item.row - page->rows];
		}
		out->items[out->n++] = item;
	}
	return 0;
}

static int sifted(const struct caller *by, const struct resource_call *c,
		  const struct resource_want *want, struct resource_answer *out,
		  struct err *e)
{
	struct sift_page page;
	struct sift_file *files = NULL;
	const size_t n_files = want->words ? files_to_search(by, c, want, out, &files) : 0;

	if (sift_list(by->db, c->r, &out->done.at, want, files, n_files, by->arena, &page,
		      e) < 0 ||
	    take_page(by, c, &page, out, e) < 0)
		return -1;
	out->total = page.total;
	out->more = page.more;
	if (page.more && page.n)
		out->next = after_place(by, c->r, want, &page.places[page.n - 1]);
	return 0;
}

/* What is looked for; *words NULL: nothing. */
static int read_words(const struct caller *by, const struct resource_call *c,
		      const struct resource_words **words, struct err *e)
{
	struct resource_words *w = arena_new(by->arena, struct resource_words);

	*words = NULL;
	if (!resource_is_searched(c->r))
		return 0;
	if (resource_words(c->query.q, by->arena, w, e) < 0)
		return -1;
	if (w->n)
		*words = w;
	return 0;
}

int resource_page(const struct caller *by, const struct resource_call *c,
		  struct resource_answer *out, struct err *e)
{
	size_t size = c->query.size ? MIN(c->query.size, LIM_PAGE_MAX)
		: LIM_PAGE_DEFAULT;
	struct resource_limits limits;
	struct resource_want want = { .size = size, .limits = &limits };
	struct page_start b;

	if (resource_limits(by->conf, c->r, c->query.params, by->arena, &limits, e) < 0 ||
	    read_words(by, c, &want.words, e) < 0 ||
	    read_under(by, c, &want.under, e) < 0 ||
	    read_beginning(by, c, &want, &b, e) < 0)
		return -1;
	want.after = b.after;
	want.member = b.member;
	want.rank = b.rank;
	out->items = room_for(by, size);
	if (want.words || resource_is_sifted(&limits))
		return sifted(by, c, &want, out, e);
	return c->r->named ? named(by, c, &b, &want, out, e)
		: merged(by, c, &b, &want, out, e);
}
