/* SPDX-License-Identifier: MIT */
#include "search/find.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "search/finding.h"
#include "store/list.h"
#include "store/stmt.h"

#include "base/banned.h"

/* -- words ----------------------------------------------------------------- */

/* Search by words: the terms of a query, their postings, and phrases. */

enum {
	PHRASE_CANDIDATES = 500,	/* per base */
	PHRASE_CANDIDATES_ALL = 50000,	/* of all bases together, if possible */
	READ_TOGETHER = 500,		/* texts in memory at the same time */
};

/* -- questions ---------------------------------------------------------------------- */

static size_t term_at(const struct question *q, int64_t term)
{
	size_t i = 0;

	while (i < q->n_terms && q->terms[i].term != term)
		i++;
	return i;
}

static void note_term(struct question *q, int64_t term, struct str word)
{
	size_t i = term_at(q, term);

	if (i == ARRAY_LEN(q->terms))
		return;
	if (i == q->n_terms) {
		q->terms[i].term = term;
		q->terms[i].common = sure_is_common(word);
		q->n_terms++;
	}
	q->terms[i].times++;
}

static void note_phrase(struct question *q, struct str text)
{
	struct phrase *p = &q->phrases[q->n_phrases];
	size_t n;
	const struct word *v;

	if (q->n_phrases == ARRAY_LEN(q->phrases))
		return;
	v = tokens_split(q->words, text, true, &n);
	p->n = 0;
	for (size_t i = 0; i < n && p->n < ARRAY_LEN(p->terms); i++)
		if (!v[i].extra)
			p->terms[p->n++] = v[i].term;
	q->n_phrases += p->n > 0;
}

/* Analyses the query: its terms and the phrases in double quotes. */
static void read_question(struct question *q)
{
	struct str text = utf8_head(q->text, LIM_QUESTION_CHARS), rest = text;
	const struct word *v;
	size_t n;

	while (rest.n) {
		struct str before = str_cut(&rest, '"'), phrase;

		(void)before;
		if (!rest.p || !memchr(rest.p, '"', rest.n))
			break;
		phrase = str_cut(&rest, '"');
		note_phrase(q, phrase);
	}
	v = tokens_split(q->words, text, true, &n);
	for (size_t i = 0; i < n; i++)
		note_term(q, v[i].term, (struct str){ text.p + v[i].at, v[i].n });
}

/* The query analysed for bases of this language; NULL with e set on error. */
static struct question *question_of(struct searches *f, struct str language,
				    struct str text, struct err *e)
{
	struct question *q = f->questions;

	while (q && !(str_eq(q->language, language) && q->text.p == text.p &&
		      q->text.n == text.n))
		q = q->next;
	if (q)
		return q;
	q = arena_new(f->a, struct question);
	q->language = language;
	q->text = text;
	q->words = tokens_open(language, e);
	if (!q->words)
		return NULL;
	q->next = f->questions;
	f->questions = q;
	read_question(q);
	return q;
}

static void finding_end_words(struct searches *f)
{
	for (struct question *q = f->questions; q; q = q->next)
		tokens_close(q->words);
	f->questions = NULL;
}

/* -- postings ----------------------------------------------------------------------- */

static int by_chunk(const void *a, const void *b)
{
	const struct post *x = a, *y = b;

	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

/* Sorts the postings by chunk; they are read audience by audience. */
static void order_posts(struct search *s)
{
	for (size_t i = 0; i < s->question->n_terms; i++) {
		struct term *t = &s->terms[i];
		bool sorted = true;

		for (size_t k = 1; sorted && k < t->n; k++)
			sorted = t->v[k - 1].chunk < t->v[k].chunk;
		if (!sorted)
			qsort(t->v, t->n, sizeof(*t->v), by_chunk);
		t->list.v = t->v;
		t->list.n = t->n;
		t->list.times = s->question->terms[i].times;
		t->list.common = s->question->terms[i].common || t->left;
	}
}

static void free_terms(struct search *s)
{
	for (size_t i = 0; s && s->terms && i < s->question->n_terms; i++)
		free(s->terms[i].v);
	if (s)
		s->terms = NULL;
}

static size_t max_posts(const struct search *s)
{
	return s->ask->max_posts ? s->ask->max_posts : LIM_QUESTION_POSTS;
}

/*
 * Chooses, when all are counted, the words whose postings fit into memory
 * together, the rarest first; at least one. The others say least.
 */
static void select_words(struct search *s, struct arena *a)
{
	const size_t n_terms = s->question->n_terms;
	size_t n = 0;

	s->selected = arena_zalloc(a, n_terms, sizeof(*s->selected));
	for (;;) {
		size_t least = n_terms;

		for (size_t i = 0; i < n_terms; i++)
			if (!s->selected[i] && (least == n_terms ||
			    s->terms[i].list.n < s->terms[least].list.n))
				least = i;
		if (least == n_terms ||
		    (n && n + s->terms[least].list.n > max_posts(s)))
			return;
		s->selected[least] = true;
		n += s->terms[least].list.n;
	}
}

static void write_terms(struct jw *w, const struct search *s)
{
	const struct question *q = s->question;

	for (size_t i = 0, k; q && !s->ranked && i < q->n_terms; i++) {
		if (s->selected && !s->selected[i])
			continue;
		/* Once, although several may share it. */
		for (k = 0; k < i && !((!s->selected || s->selected[k]) &&
				       post_key(q->terms[k].term) ==
				       post_key(q->terms[i].term)); k++)
			;
		if (k == i)
			jw_int(w, post_key(q->terms[i].term));
	}
}

/* -- phrases ------------------------------------------------------------------------ */

/*
 * The distinct terms of all phrases whose postings are in memory; false if a
 * term is in no chunk.
 */
static bool phrase_terms(const struct search *s, const struct term **must,
			 size_t *n)
{
	*n = 0;
	for (size_t p = 0; p < s->question->n_phrases; p++)
		for (size_t k = 0; k < s->question->phrases[p].n; k++) {
			size_t at = term_at(s->question,
					    s->question->phrases[p].terms[k]);
			const struct term *t = &s->terms[at];
			size_t i = 0;

			if (at == s->question->n_terms || !(t->n || t->left))
				return false;
			while (i < *n && must[i] != t)
				i++;
			if (i == *n && t->n)
				must[(*n)++] = t;
		}
	return true;
}

/* Removes chunks from all lists that lack a word of a phrase. */
static void keep_whole(struct search *s, struct arena *a)
{
	const struct term *must[LIM_QUESTION_WORDS];
	size_t at[LIM_QUESTION_WORDS] = { 0 }, n_must, n = 0;
	bool any = phrase_terms(s, must, &n_must);
	uint32_t *whole;

	if (any && !n_must)
		return;
	whole = any ? arena_alloc(a, (must[0]->n + 1) * sizeof(*whole)) : NULL;
	for (size_t k = 0; any && k < must[0]->n; k++) {
		uint32_t chunk = must[0]->v[k].chunk;
		bool all = true;

		for (size_t i = 1; all && i < n_must; i++) {
			while (at[i] < must[i]->n &&
			       must[i]->v[at[i]].chunk < chunk)
				at[i]++;
			all = at[i] < must[i]->n &&
				must[i]->v[at[i]].chunk == chunk;
		}
		if (all)
			whole[n++] = chunk;
	}
	for (size_t i = 0; i < s->question->n_terms; i++) {
		struct term *t = &s->terms[i];
		size_t kept = 0;

		for (size_t k = 0, w = 0; k < t->n && w < n; k++) {
			while (w < n && whole[w] < t->v[k].chunk)
				w++;
			if (w < n && whole[w] == t->v[k].chunk)
				t->v[kept++] = t->v[k];
		}
		t->list.n = kept;
	}
}

static bool has_phrase(const struct word *v, size_t n, const struct phrase *p)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = 0, at = i;

		if (v[i].extra)
			continue;
		while (k < p->n && at < n) {
			if (v[at].extra) {
				at++;
				continue;
			}
			if (v[at].term != p->terms[k])
				break;
			at++;
			k++;
		}
		if (k == p->n)
			return true;
	}
	return false;
}

static bool has_phrases(const struct question *q, const struct search_found *f)
{
	for (size_t p = 0; p < q->n_phrases; p++) {
		size_t n;
		const struct word *v = tokens_split(q->words, f->text, false, &n);
		bool found = has_phrase(v, n, &q->phrases[p]);

		if (!found) {
			v = tokens_split(q->words, f->heading, false, &n);
			found = has_phrase(v, n, &q->phrases[p]);
		}
		if (!found)
			return false;
	}
	return true;
}

/* Ranks the hits of the base whose postings were read, in r's f->a. */
static void rank(struct posts_read *r)
{
	struct search *s = r->now;
	const struct question *q = s->question;
	struct rank_list lists[LIM_QUESTION_WORDS];
	size_t many = MIN((size_t)PHRASE_CANDIDATES,
			  PHRASE_CANDIDATES_ALL / r->f->n);

	order_posts(s);
	if (q->n_phrases)
		keep_whole(s, &r->posts);
	for (size_t i = 0; i < q->n_terms; i++)
		lists[i] = s->terms[i].list;
	s->words.v = rank_best(lists, q->n_terms, &s->stats, q->n_phrases
			       ? MAX(r->f->max, many) : r->f->max, r->f->a,
			       &s->words.n);
	rank_sure(s->words.v, s->words.n, lists, q->n_terms, &s->stats);
}

/* The base before s is complete: keeps only its best hits in memory. */
static void next_base(struct posts_read *r, struct search *s)
{
	if (r->now) {
		if (r->over)
			select_words(r->now, r->f->a);
		else
			rank(r);
		r->again |= r->over;
		r->now->ranked = !r->over;
		free_terms(r->now);
		arena_reset(&r->posts);
	}
	r->now = s;
	r->n = 0;
	r->over = false;
	if (s)
		s->terms = arena_zalloc(&r->posts, s->question->n_terms + 1,
					sizeof(*s->terms));
	for (size_t i = 0; s && s->selected && i < s->question->n_terms; i++)
		s->terms[i].left = !s->selected[i];
}

static void make_room(struct term *t, size_t n)
{
	if (t->n + n <= t->room)
		return;
	t->room = MAX(t->n + n, 2 * t->room);
	t->v = xrealloc(t->v, t->room * sizeof(*t->v));
}

/* Takes those of n postings that are the term's. */
static void take_posts(struct posts_read *r, struct term *t, uint32_t tail,
		       const struct posting *v, size_t n)
{
	struct search *s = r->now;
	const size_t most = max_posts(s);

	make_room(t, n);
	for (size_t k = 0; k < n; k++) {
		if (v[k].tail != tail || !finding_visible(s, v[k].at.chunk))
			continue;
		t->list.seen++;
		if (!finding_wanted(s, v[k].at.chunk))
			continue;
		t->list.n++;
		if (r->n == most)
			r->over = !s->selected;
		else
			t->v[t->n++] = v[k].at;
		r->n += r->n < most;
	}
}

static int finding_block(struct posts_read *r, struct search *s, int64_t key,
			 int64_t audience, int64_t first, struct str data, struct err *e)
{
	const struct question *q = s->question;
	struct posting v[2 * POST_BLOCK];
	bool any = false;
	int n;

	if (s != r->now)
		next_base(r, s);
	n = !finding_sees(s, audience) ? 0
		: post_read(data, key, (uint32_t)first, v);
	arena_reset(&r->row);
	for (size_t i = 0; n >= 0 && i < q->n_terms; i++) {
		if (post_key(q->terms[i].term) != key)
			continue;
		any = true;
		if (!s->terms[i].left)
			take_posts(r, &s->terms[i], post_tail(q->terms[i].term), v,
				   (size_t)n);
	}
	return any ? 0 : err_set(e, ERR_INTERNAL, "a block of postings is damaged");
}

static int note_posts(void *ctx, const struct db_val *row, struct err *e)
{
	struct posts_read *r = ctx;

	return finding_block(r, &r->f->v[row[0].i - 1], row[1].i, row[2].i,
			     row[3].i, row[5].s, e);
}

static void end_posts(struct posts_read *r)
{
	free_terms(r->now);
	arena_release(&r->row);
	arena_release(&r->posts);
}

/* Finds the best hits of each base; the postings are sorted by base. */
static int rank_posts(struct searches *f, struct err *e)
{
	struct posts_read r = { .f = f, .again = true };
	int rc = 0;

	/* A second time only for bases whose postings did not fit. */
	for (int i = 0; !rc && r.again && i < 2; i++) {
		r.again = false;
		rc = db_each(f->db, STMT_SEARCH_POST_FIND,
			     DB_ARGS(DB_S(finding_lists(f, write_terms))),
			     &r.row, note_posts, &r, e);
		if (!rc)
			next_base(&r, NULL);
	}
	end_posts(&r);
	return rc;
}

/* Whether the postings may be read before the base is known. */
static bool may_guess(const struct search *s)
{
	return s->in->language.p && s->ask->mode != SEARCH_VECTORS &&
	       !s->ask->n_documents;
}

/*
 * Analyses the question for the bases whose language the caller knows, and returns the
 * list of its terms for SEARCH_LOOK, in f->a.
 */
static int finding_guess_terms(struct searches *f, struct str *terms, struct err *e)
{
	for (size_t i = 0; i < f->n; i++) {
		struct search *s = &f->v[i];

		if (!may_guess(s))
			continue;
		s->question = question_of(f, s->in->language, s->ask->text, e);
		if (!s->question)
			return -1;
	}
	*terms = finding_lists(f, write_terms);
	return 0;
}

/* ok: all blocks of the guessed terms were read. */
static void finding_end_blocks(struct posts_read *r, bool ok)
{
	if (ok)
		next_base(r, NULL);
	for (size_t i = 0; ok && i < r->f->n; i++) {
		struct search *s = &r->f->v[i];

		if (s->question && !str_eq(s->question->language,
					   s->info.language)) {
			s->question = NULL;
			s->words = (struct search_hits){ .n = 0 };
			s->selected = NULL;
			s->ranked = false;
		} else if (s->question && !s->selected) {
			s->ranked = true;	/* also if no word is there */
		}
	}
	end_posts(r);
}

/* -- phrases in texts --------------------------------------------------------------- */

/* Hits whose texts are read with one statement. */
struct saying {
	struct searches *f;
	size_t *kept;		/* hits of each base that have the phrases */
	size_t n;
	size_t of[READ_TOGETHER];	/* index of the base */
	struct search_found found[READ_TOGETHER];
	struct search_pick v[READ_TOGETHER];
};

static int keep_saying(struct saying *k, struct err *e)
{
	const struct arena_mark texts = arena_mark(k->f->a);

	if (search_read(k->f->db, k->v, k->n, k->f->a, e))
		return -1;
	for (size_t i = 0; i < k->n; i++) {
		const struct search_found *hit = &k->found[i];
		struct search *s = &k->f->v[k->of[i]];

		if (search_is_there(hit) && has_phrases(s->question, hit))
			s->words.v[k->kept[k->of[i]]++] = (struct rank_hit){
				hit->chunk, (float)hit->score,
				(float)hit->sure };
	}
	arena_rewind(k->f->a, texts);
	k->n = 0;
	return 0;
}

static int add_saying(struct saying *k, size_t of, struct rank_hit hit,
		      struct err *e)
{
	if (k->n == READ_TOGETHER && keep_saying(k, e))
		return -1;
	k->of[k->n] = of;
	k->found[k->n] = (struct search_found){ .chunk = hit.chunk,
						.score = (double)hit.score,
						.sure = (double)hit.sure };
	k->v[k->n] = (struct search_pick){ k->f->v[of].in->base,
					   &k->found[k->n] };
	k->n++;
	return 0;
}

/* Keeps the hits that contain the phrases, not only their words. */
static int keep_phrases(struct searches *f, struct err *e)
{
	struct saying *k = arena_new(f->a, struct saying);
	bool any = true;

	k->f = f;
	k->kept = arena_zalloc(f->a, f->n, sizeof(*k->kept));
	for (size_t from = 0; any; from += LIM_FOUND) {
		any = false;
		for (size_t i = 0; i < f->n; i++) {
			const struct search *s = &f->v[i];

			if (!s->question || !s->question->n_phrases ||
			    k->kept[i] >= f->max)
				continue;
			for (size_t h = from; h < MIN(s->words.n,
						      from + LIM_FOUND); h++) {
				any = true;
				if (add_saying(k, i, s->words.v[h], e))
					return -1;
			}
		}
		if (keep_saying(k, e))
			return -1;
	}
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].question && f->v[i].question->n_phrases)
			f->v[i].words.n = k->kept[i];
	return 0;
}

/*
 * Finds the best passages of each base by words, at most max each, into s->words, unless
 * they were found with SEARCH_LOOK. Phrases are checked in any case.
 */
static int finding_words(struct searches *f, struct err *e)
{
	bool any = false;

	for (size_t i = 0; i < f->n; i++) {
		struct search *s = &f->v[i];

		if (!s->there || (s->near && s->ask->mode == SEARCH_VECTORS))
			continue;
		if (!s->question)
			s->question = question_of(f, s->info.language,
						  s->ask->text, e);
		if (!s->question)
			return -1;
		any |= !s->ranked;
	}
	if (any && rank_posts(f, e))
		return -1;
	return keep_phrases(f, e);
}

/* -- the search --------------------------------------------------------------- */

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
static int read_bases(struct searches *f, struct err *e)
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
static void select_terms(struct search *s, struct arena *a)
{
	s->list = s->words;
	if (s->near && s->ask->mode == SEARCH_VECTORS)
		s->list = s->vectors;
	else if (s->near)
		s->list.v = rank_fuse(s->words.v, s->words.n, s->vectors.v,
				      s->vectors.n, a, &s->list.n);
	s->list.n = MIN(s->list.n, s->ask->max + SEARCH_SPARE);
}

static int find_passages(struct searches *f, struct err *e)
{
	if (look_filters(f, e))
		return -1;
	for (size_t i = 0; i < f->n; i++)
		f->v[i].near = is_comparable(&f->v[i]);
	if (finding_words(f, e) || finding_near(f, f->max, e))
		return -1;
	for (size_t i = 0; i < f->n; i++)
		select_terms(&f->v[i], f->a);
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
	if (read_bases(out->of, e))
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
	rc = (!looked && read_bases(f, e)) || find_passages(f, e) ? -1 : 0;
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
