/* SPDX-License-Identifier: MIT */
/* See finding.h: what the steps of a search share. */
#include "search/finding.h"

#include <string.h>

#include "store/list.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	LIST_BYTES = 1 << 16,	/* of one base in a list for a statement */
	PICK_BYTES = 64,	/* of a passage */
};

/* -- lists for statements ----------------------------------------------------------- */

struct str finding_bases(const struct searches *f)
{
	struct buf b = BUF_INIT(f->n * 40 + 16);
	struct jw w = jw_on(&b);
	struct str out;

	jw_arr(&w);
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].reads)
			store_list_id(&w, f->v[i].in->base);
		else
			jw_null(&w);
	jw_end_arr(&w);
	out = arena_str(f->a, buf_str(&b));
	buf_release(&b);
	return out;
}

struct str finding_lists(const struct searches *f,
			 void (*items)(struct jw *w, const struct search *s))
{
	struct buf b = BUF_INIT(f->n * LIST_BYTES);
	struct jw w = jw_on(&b);
	struct str out;

	jw_arr(&w);
	for (size_t i = 0; i < f->n; i++) {
		jw_obj(&w);
		jw_key(&w, "b");
		store_list_id(&w, f->v[i].in->base);
		jw_key(&w, "x");
		jw_arr(&w);
		items(&w, &f->v[i]);
		jw_end_arr(&w);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	out = arena_str(f->a, buf_str(&b));
	buf_release(&b);
	return out;
}

void finding_chunks(struct jw *w, const struct search *s)
{
	for (size_t i = 0; i < s->list.n; i++)
		jw_int(w, s->list.v[i].chunk);
}

/* -- what is seen ------------------------------------------------------------------- */

static bool is_in(const struct search_range *v, size_t n, int64_t chunk)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (v[mid].first + v[mid].n <= chunk)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && v[low].first <= chunk;
}

bool finding_visible(const struct search *s, int64_t chunk)
{
	return !s->n_hidden || !is_in(s->hidden, s->n_hidden, chunk);
}

bool finding_wanted(const struct search *s, int64_t chunk)
{
	return (!s->ask->n_documents || is_in(s->wanted, s->n_wanted, chunk)) &&
	       (!s->ask->limited ||
		is_in(s->ask->ranges, s->ask->n_ranges, chunk));
}

bool finding_sees(const struct search *s, int64_t audience)
{
	return audience >= 0 && audience <= LIM_AUDIENCES && s->sees[audience];
}

/* -- texts of passages -------------------------------------------------------------- */

void finding_found(struct search_found *to, const struct db_val *row)
{
	memcpy(to->document_id.b, row[2].s.p, 16);
	to->page = (int)row[3].i;
	to->at = row[4].i;
	to->heading = row[5].s;
	to->text = row[6].s;
}

struct str finding_picks(const struct search_pick *v, size_t n, struct arena *a)
{
	struct buf b = BUF_INIT(n * PICK_BYTES + 16);
	struct jw w = jw_on(&b);
	struct str out;

	jw_arr(&w);
	for (size_t i = 0; i < n; i++) {	/* so that each row tells its passage */
		jw_obj(&w);
		jw_key(&w, "b");
		store_list_id(&w, v[i].base);
		jw_key(&w, "x");
		jw_arr(&w);
		jw_int(&w, v[i].found->chunk);
		jw_end_arr(&w);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	out = arena_str(a, buf_str(&b));
	buf_release(&b);
	return out;
}

static int note_found(void *ctx, const struct db_val *row, struct err *e)
{
	const struct search_pick *v = ctx;

	(void)e;
	finding_found(v[row[0].i - 1].found, row);
	return 0;
}

int search_read(struct db *db, struct search_pick *v, size_t n, struct arena *a,
		struct err *e)
{
	if (!n)
		return 0;
	return db_each(db, STMT_SEARCH_CHUNK_FIND,
		       DB_ARGS(DB_S(finding_picks(v, n, a))), a, note_found, v, e)
		? -1 : arena_check(a, e);
}
