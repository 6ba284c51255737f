/* SPDX-License-Identifier: MIT */
#include "search/find.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "search/finding.h"
#include "store/list.h"
#include "store/stmt.h"

#include "base/banned.h"

enum { FUSED_RANKS = 100 };	/* of each list that is fused */

/* -- access ---------------------------------------------------------------------- */

/* A row of SEARCH_LOOK: one per base and audience, hidden document or block. */
struct look {
	int64_t place;		/* of the base, from 1 */
	struct search_base base;
	int64_t no;		/* HIDDEN: chunks is the document's first, words
				   how many it has; BLOCK: so of the block */
	struct str groups;	/* p == NULL: the base has no audiences */
	int64_t chunks, words;
	int64_t term, audience;	/* of a block, and its data */
	struct str data;
};
enum { HIDDEN = -1, BLOCK = -2 };

static const struct db_field look_fields[] = {
	{ .column = "i", .type = 'i', .offset = offsetof(struct look, place) },
#define F(m, t, sql) FIELD_OF(struct look, base.m, t)
	SEARCH_BASE_FIELDS(F, COMMA),
#undef F
	{ .column = "no", .type = 'i', .offset = offsetof(struct look, no) },
	{ .column = "groups", .type = 's', .offset = offsetof(struct look, groups) },
	{ .column = "chunks", .type = 'i', .offset = offsetof(struct look, chunks) },
	{ .column = "words", .type = 'i', .offset = offsetof(struct look, words) },
	{ .column = "term", .type = 'i', .offset = offsetof(struct look, term) },
	{ .column = "audience", .type = 'i', .offset = offsetof(struct look, audience) },
	{ .column = "data", .type = 'b', .offset = offsetof(struct look, data) },
};

bool search_is_for(struct str groups, const struct str *v, size_t n)
{
	json_auto_t *list = str_is(groups, "[]") ? NULL : jx_try(groups);
	bool found = str_is(groups, "[]");
	json_t *name;
	size_t i;

	json_array_foreach(list, i, name)
		for (size_t k = 0; !found && k < n; k++)
			found = str_eq(v[k], (struct str){
				json_string_value(name),
				json_string_length(name) });
	return found;
}

static bool is_for(const struct search_ask *ask, int64_t no, struct str groups)
{
	return no >= 0 && no <= LIM_AUDIENCES &&
	       (ask->all || search_is_for(groups, ask->groups, ask->n_groups));
}

struct audience_list {
	const struct search_ask *ask;
	struct buf list;
};

static int note_audience(void *ctx, const struct db_val *row, struct err *e)
{
	struct audience_list *s = ctx;

	(void)e;
	if (is_for(s->ask, row[0].i, row[1].s))
		buf_addf(&s->list, s->list.n ? ",%d" : "%d", (int)row[0].i);
	return 0;
}

int search_audiences(struct db *db, const struct uuid *base,
		     const struct search_ask *ask, struct arena *a,
		     struct str *out, struct err *e)
{
	struct audience_list s = { ask, BUF_INIT((LIM_AUDIENCES + 1) * 8) };
	int rc = db_each(db, STMT_SEARCH_AUDIENCES, DB_ARGS(DB_U(base)), a,
			 note_audience, &s, e);

	*out = arena_str(a, buf_str(&s.list));
	buf_release(&s.list);
	return rc;
}

static void note_hidden(struct searches *f, const struct look *row)
{
	struct search *s = &f->v[row->place - 1];

	s->hidden = arena_room(f->a, s->hidden, s->n_hidden, 1, &s->hidden_room,
			       sizeof(*s->hidden));
	s->hidden[s->n_hidden++] = (struct search_range){ row->chunks, row->words };
}

static void note_base(struct searches *f, const struct look *row)
{
	struct search *s = &f->v[row->place - 1];

	if (!s->there) {
		s->there = true;
		s->info = row->base;	/* whose texts are the row's */
		s->info.language = arena_str(f->a, row->base.language);
		if (row->base.model.p)
			s->info.model = arena_str(f->a, row->base.model);
		if (row->base.embed_error.p)
			s->info.embed_error = arena_str(f->a, row->base.embed_error);
	}
	if (!row->groups.p || !is_for(s->ask, row->no, row->groups))
		return;
	s->sees[row->no] = true;
	s->stats.chunks += row->chunks;
	s->stats.words += row->words;
}

static int by_first(const void *a, const void *b)
{
	const struct search_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static void order_hidden(struct searches *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].n_hidden)
			qsort(f->v[i].hidden, f->v[i].n_hidden,
			      sizeof(*f->v[i].hidden), by_first);
}

static int take_look(void *ctx, const struct db_val *v, struct err *e)
{
	struct posts_read *r = ctx;
	struct searches *f = r->f;
	struct look row = { .no = 0 };

	db_map(look_fields, ARRAY_LEN(look_fields), v, &row);
	if (row.no == BLOCK) {
		if (!r->now)
			order_hidden(f);
		return finding_block(r, &f->v[row.place - 1], row.term,
				     row.audience, row.chunks, row.data, e);
	}
	if (r->now)	/* blocks were read without knowing who sees them */
		return err_set(e, ERR_INTERNAL, "the order of a search's rows");
	if (row.no == HIDDEN)
		note_hidden(f, &row);
	else
		note_base(f, &row);
	arena_reset(&r->row);
	return 0;
}

/* Reads what the bases are, and the postings of those whose language is known. */
static int look(struct searches *f, struct err *e)
{
	struct posts_read r = { .f = f };
	struct str list, terms;
	int rc;

	if (!f->n)
		return 0;
	list = finding_bases(f);
	if (finding_guess_terms(f, &terms, e))
		return -1;
	rc = db_each(f->db, STMT_SEARCH_LOOK,
		     DB_ARGS(DB_S(list), DB_S(list), DB_S(terms)), &r.row,
		     take_look, &r, e);
	if (!rc && !r.now)
		order_hidden(f);
	finding_end_blocks(&r, !rc);
	return rc ? rc : arena_check(f->a, e);
}

static int note_wanted(void *ctx, const struct db_val *row, struct err *e)
{
	struct searches *f = ctx;
	struct search *s = &f->v[row[0].i - 1];

	(void)e;
	s->wanted = arena_room(f->a, s->wanted, s->n_wanted, 1, &s->wanted_room,
			       sizeof(*s->wanted));
	s->wanted[s->n_wanted++] = (struct search_range){ row[1].i, row[2].i };
	return 0;
}

static void write_documents(struct jw *w, const struct search *s)
{
	for (size_t i = 0; i < MIN(s->ask->n_documents,
				   (size_t)LIM_SEARCH_DOCUMENTS); i++)
		store_list_id(w, &s->ask->documents[i]);
}

/* Reads which chunks the filters by document include. */
static int look_filters(struct searches *f, struct err *e)
{
	bool limited = false;

	for (size_t i = 0; i < f->n; i++)
		limited |= f->v[i].ask->n_documents > 0;
	if (limited && db_each(f->db, STMT_SEARCH_DOCUMENT_RANGES,
			       DB_ARGS(DB_S(finding_lists(f, write_documents))),
			       f->a, note_wanted, f, e))
		return -1;
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].n_wanted)
			qsort(f->v[i].wanted, f->v[i].n_wanted,
			      sizeof(*f->v[i].wanted), by_first);
	return arena_check(f->a, e);
}

/* -- both --------------------------------------------------------------------------- */

/*
 * Whether the base has vectors of the query's model and dimension. The base may have
 * got another model while the caller was waiting for the query's vector.
 */
static bool is_comparable(struct search *s)
{
	const struct search_ask *ask = s->ask;
	bool same = s->info.dimension == ask->dimension &&
		str_eq(s->info.model, ask->model);

	if (!s->there || ask->mode == SEARCH_WORDS || !ask->vector ||
	    s->info.vectors <= 0)
		return false;
	s->in->unused = !same;
	return same;
}

/* Selects the hits to return and stores them in s->list. */
static void choose(struct search *s, struct arena *a)
{
	s->list = s->words;
	if (s->near && s->ask->mode == SEARCH_VECTORS)
		s->list = s->vectors;
	else if (s->near)
		s->list.v = rank_fuse(s->words.v, s->words.n, s->vectors.v,
				      s->vectors.n, a, &s->list.n);
	s->list.n = MIN(s->list.n, s->ask->max + SEARCH_SPARE);
}

static int find(struct searches *f, struct err *e)
{
	if (look_filters(f, e))
		return -1;
	for (size_t i = 0; i < f->n; i++)
		f->v[i].near = is_comparable(&f->v[i]);
	if (finding_words(f, e) || finding_near(f, f->max, e))
		return -1;
	for (size_t i = 0; i < f->n; i++)
		choose(&f->v[i], f->a);
	return 0;
}

/* Returns the hits as passages without texts. */
static void give_hits(const struct search *s, struct arena *a)
{
	struct search_in *in = s->in;

	in->n = s->list.n;
	in->v = arena_zalloc(a, in->n + 1, sizeof(*in->v));
	for (size_t i = 0; i < in->n; i++) {
		in->v[i].chunk = s->list.v[i].chunk;
		in->v[i].score = (double)s->list.v[i].score;
		in->v[i].sure = (double)s->list.v[i].sure;
	}
}

static struct searches *searches_new(struct db *db, struct search_in *in, size_t n,
				     struct arena *a)
{
	struct searches *f = arena_new(a, struct searches);

	*f = (struct searches){
		.db = db, .a = a, .n = n, .max = FUSED_RANKS,
		.v = arena_zalloc(a, n + 1, sizeof(*f->v)),
	};
	for (size_t i = 0; i < n; i++) {
		f->v[i].in = &in[i];
		f->v[i].ask = in[i].ask;
		f->v[i].reads = true;
		f->max = MAX(f->max, in[i].ask->max + SEARCH_SPARE);
	}
	return f;
}

int search_look(struct db *db, struct search_in *in, size_t n,
		struct arena *a, struct search_looked *out, struct err *e)
{
	*out = (struct search_looked){
		.bases = arena_zalloc(a, n + 1, sizeof(*out->bases)),
		.of = searches_new(db, in, n, a),
	};
	if (look(out->of, e))
		return -1;
	for (size_t i = 0; i < n; i++)
		out->bases[i] = out->of->v[i].info;
	return 0;
}

void search_looked_end(struct search_looked *k)
{
	if (k->of)
		finding_end_words(k->of);
	*k = (struct search_looked){ .bases = NULL };
}

int search_rank_all(struct db *db, struct search_in *in, size_t n,
		    const struct search_looked *looked, struct arena *a,
		    struct err *e)
{
	struct searches *f = looked ? looked->of : searches_new(db, in, n, a);
	int rc;

	for (size_t i = 0; i < n; i++) {
		in[i].v = NULL;
		in[i].n = 0;
		in[i].unused = false;
	}
	rc = (!looked && look(f, e)) || find(f, e) ? -1 : 0;
	finding_end_words(f);
	for (size_t i = 0; !rc && i < n; i++)
		give_hits(&f->v[i], a);
	return rc ? rc : arena_check(a, e);
}

int search_find_all(struct db *db, struct search_in *in, size_t n,
		    struct arena *a, struct err *e)
{
	struct search_pick *v;
	size_t all = 0, n_v = 0;

	if (search_rank_all(db, in, n, NULL, a, e))
		return -1;
	for (size_t i = 0; i < n; i++)
		all += in[i].n;
	v = arena_zalloc(a, all + 1, sizeof(*v));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < in[i].n; k++)
			v[n_v++] = (struct search_pick){ in[i].base, &in[i].v[k] };
	if (search_read(db, v, n_v, a, e))
		return -1;
	for (size_t i = 0; i < n; i++) {
		size_t kept = 0;

		for (size_t k = 0; k < in[i].n && kept < in[i].ask->max; k++)
			if (search_is_there(&in[i].v[k]))
				in[i].v[kept++] = in[i].v[k];
		in[i].n = kept;
	}
	return 0;
}

int search_find(struct db *db, const struct uuid *base,
		const struct search_ask *ask, struct arena *a,
		struct search_found **out, size_t *n, struct err *e)
{
	struct search_in in = { .base = base, .ask = ask };
	int rc = search_find_all(db, &in, 1, a, e);

	*out = in.v;
	*n = in.n;
	return rc;
}
