#include "search/find.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "search/finding.h"
#include "search/list.h"
#include "search/tokens.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	FUSED_RANKS = 100,	/* of each list that is fused */
	PHRASE_CANDIDATES = 500,
	SPARE = 20,		/* more than asked: some may go meanwhile */
};

/* -- what the caller sees ------------------------------------------------------- */

static bool is_member(const struct search *s, struct str groups)
{
	struct err e = ERR_INIT;
	json_t *list = jx_load(groups, &e), *name;
	bool found = false;
	size_t i;

	json_array_foreach(list, i, name)
		for (size_t k = 0; !found && k < s->ask->n_groups; k++)
			found = str_eq(s->ask->groups[k],
				       (struct str){ json_string_value(name),
						     json_string_length(name) });
	json_decref(list);
	return found;
}

static int note_audience(void *ctx, const struct db_val *row, struct err *e)
{
	struct search *s = ctx;
	int64_t no = row[0].i;

	(void)e;
	if (no < 0 || no > LIM_AUDIENCES ||
	    (no && !s->ask->all && !is_member(s, row[1].s)))
		return 0;
	s->sees[no] = true;
	s->stats.chunks += row[2].i;
	s->stats.words += row[3].i;
	return 0;
}

int search_audiences(struct db *db, const struct uuid *base,
		     const struct search_ask *ask, struct arena *a,
		     struct str *out, struct err *e)
{
	struct search *s = arena_zalloc(a, 1, sizeof(*s));
	struct buf b = BUF_INIT((LIM_AUDIENCES + 1) * 8);

	s->ask = ask;
	if (db_each(db, STMT_SEARCH_AUDIENCES, DB_ARGS(DB_U(base)), a,
		    note_audience, s, e))
		return -1;
	for (int no = 0; no <= LIM_AUDIENCES; no++)
		if (s->sees[no])
			buf_addf(&b, b.n ? ",%d" : "%d", no);
	*out = arena_str(a, buf_str(&b));
	buf_release(&b);
	return 0;
}

static int note_hidden(void *ctx, const struct db_val *row, struct err *e)
{
	struct search *s = ctx;

	(void)e;
	s->hidden = arena_room(s->a, s->hidden, s->n_hidden, 1, &s->hidden_room,
			       sizeof(*s->hidden));
	s->hidden[s->n_hidden++] = (struct search_range){ row[0].i, row[1].i };
	return 0;
}

static int note_wanted(void *ctx, const struct db_val *row, struct err *e)
{
	struct search *s = ctx;

	(void)e;
	s->wanted = arena_room(s->a, s->wanted, s->n_wanted, 1, &s->wanted_room,
			       sizeof(*s->wanted));
	s->wanted[s->n_wanted++] = (struct search_range){ row[0].i, row[1].i };
	return 0;
}

static int by_first(const void *a, const void *b)
{
	const struct search_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

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

static int look_around(struct search *s, struct err *e)
{
	struct buf list = BUF_INIT((size_t)LIM_SEARCH_DOCUMENTS * 64);
	struct jw w = jw_on(&list);
	int rc;

	if (search_base_get(s->db, s->base, s->a, &s->info, e) ||
	    db_each(s->db, STMT_SEARCH_AUDIENCES, DB_ARGS(DB_U(s->base)), s->a,
		    note_audience, s, e) ||
	    db_each(s->db, STMT_SEARCH_DOCUMENT_HIDDEN, DB_ARGS(DB_U(s->base)),
		    s->a, note_hidden, s, e))
		return -1;
	if (s->n_hidden)
		qsort(s->hidden, s->n_hidden, sizeof(*s->hidden), by_first);
	if (!s->ask->n_documents)
		return 0;
	jw_arr(&w);
	for (size_t i = 0; i < MIN(s->ask->n_documents,
				   (size_t)LIM_SEARCH_DOCUMENTS); i++)
		search_list_id(&w, &s->ask->documents[i]);
	jw_end_arr(&w);
	rc = db_each(s->db, STMT_SEARCH_DOCUMENT_RANGES,
		     DB_ARGS(DB_S(buf_str(&list)), DB_U(s->base)), s->a,
		     note_wanted, s, e);
	buf_release(&list);
	if (s->n_wanted)
		qsort(s->wanted, s->n_wanted, sizeof(*s->wanted), by_first);
	return rc;
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

/* -- words ------------------------------------------------------------------------ */

static void note_term(struct search *s, int64_t term)
{
	size_t i;

	for (i = 0; i < s->n_terms && s->terms[i].term != term; i++)
		;
	if (i == s->n_terms) {
		if (i == ARRAY_LEN(s->terms))
			return;
		s->terms[s->n_terms++] = (struct term){ .term = term };
	}
	s->terms[i].list.times++;
}

static void note_phrase(struct search *s, struct str text)
{
	struct phrase *p = &s->phrases[s->n_phrases];
	size_t n;
	const struct word *v;

	if (s->n_phrases == ARRAY_LEN(s->phrases))
		return;
	v = tokens_split(s->words, text, true, &n);
	p->n = 0;
	for (size_t i = 0; i < n && p->n < ARRAY_LEN(p->terms); i++)
		if (!v[i].extra)
			p->terms[p->n++] = v[i].term;
	s->n_phrases += p->n > 0;
}

/* The terms of the question, and what stands in it between quotes. */
static void read_question(struct search *s)
{
	struct str text = utf8_head(s->ask->text, LIM_QUESTION_CHARS), rest = text;
	const struct word *v;
	size_t n;

	while (rest.n) {
		struct str before = str_cut(&rest, '"'), phrase;

		(void)before;
		if (!rest.p || !memchr(rest.p, '"', rest.n))
			break;
		phrase = str_cut(&rest, '"');
		note_phrase(s, phrase);
	}
	v = tokens_split(s->words, text, true, &n);
	for (size_t i = 0; i < n; i++)
		note_term(s, v[i].term);
}

static int note_posts(void *ctx, const struct db_val *row, struct err *e)
{
	struct search *s = ctx;
	struct term *t = NULL;
	struct post v[2 * POST_BLOCK];
	int n;

	if (!finding_sees(s, row[1].i))
		return 0;
	for (size_t i = 0; !t && i < s->n_terms; i++)
		if (s->terms[i].term == row[0].i)
			t = &s->terms[i];
	n = post_read(row[4].s, (uint32_t)row[2].i, v);
	if (n < 0 || !t)
		return err_set(e, ERR_INTERNAL, "a block of postings is damaged");
	t->v = arena_room(s->a, t->v, t->n, (size_t)n, &t->room, sizeof(*t->v));
	for (int i = 0; i < n; i++) {
		if (!finding_visible(s, v[i].chunk))
			continue;
		t->list.seen++;
		if (finding_wanted(s, v[i].chunk))
			t->v[t->n++] = v[i];
	}
	return arena_check(s->a, e);
}

static int by_chunk(const void *a, const void *b)
{
	const struct post *x = a, *y = b;

	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

static int read_posts(struct search *s, struct err *e)
{
	struct buf list = BUF_INIT(LIM_QUESTION_WORDS * 24 + 16);
	struct jw w = jw_on(&list);
	int rc;

	jw_arr(&w);
	for (size_t i = 0; i < s->n_terms; i++)
		jw_int(&w, s->terms[i].term);
	jw_end_arr(&w);
	rc = db_each(s->db, STMT_SEARCH_POST_FIND,
		     DB_ARGS(DB_S(buf_str(&list)), DB_U(s->base)), s->a,
		     note_posts, s, e);
	buf_release(&list);
	for (size_t i = 0; !rc && i < s->n_terms; i++) {
		struct term *t = &s->terms[i];
		bool sorted = true;

		for (size_t k = 1; sorted && k < t->n; k++)
			sorted = t->v[k - 1].chunk < t->v[k].chunk;
		if (!sorted)	/* audiences are read one after the other */
			qsort(t->v, t->n, sizeof(*t->v), by_chunk);
		t->list.v = t->v;
		t->list.n = t->n;
	}
	return rc;
}

static const struct term *term_of(const struct search *s, int64_t term)
{
	for (size_t i = 0; i < s->n_terms; i++)
		if (s->terms[i].term == term)
			return &s->terms[i];
	return NULL;
}

/* The terms of all phrases, once each; false: no chunk has one of them. */
static bool phrase_terms(const struct search *s, const struct term **must,
			 size_t *n)
{
	*n = 0;
	for (size_t p = 0; p < s->n_phrases; p++)
		for (size_t q = 0; q < s->phrases[p].n; q++) {
			const struct term *t = term_of(s, s->phrases[p].terms[q]);
			size_t i = 0;

			if (!t || !t->n)
				return false;
			while (i < *n && must[i] != t)
				i++;
			if (i == *n)
				must[(*n)++] = t;
		}
	return true;
}

/* Leaves only chunks that have all words of all phrases in every list. */
static void keep_whole(struct search *s)
{
	const struct term *must[LIM_QUESTION_WORDS];
	size_t at[LIM_QUESTION_WORDS] = { 0 }, n_must, n = 0;
	bool any = phrase_terms(s, must, &n_must);
	uint32_t *whole = any ? arena_alloc(s->a, (must[0]->n + 1) *
					    sizeof(*whole)) : NULL;

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
	for (size_t i = 0; i < s->n_terms; i++) {
		struct term *t = &s->terms[i];
		struct post *v = arena_alloc(s->a, (MIN(t->n, n) + 1) * sizeof(*v));
		size_t kept = 0;

		for (size_t k = 0, w = 0; k < t->n && w < n; k++) {
			while (w < n && whole[w] < t->v[k].chunk)
				w++;
			if (w < n && whole[w] == t->v[k].chunk)
				v[kept++] = t->v[k];
		}
		t->list.v = v;
		t->list.n = kept;
	}
}

/* -- what passages say ------------------------------------------------------------- */

struct found_chunks {
	struct search *s;
	struct search_found *v;
	size_t n;
};

static int note_found(void *ctx, const struct db_val *row, struct err *e)
{
	struct found_chunks *r = ctx;
	struct search_found *f = &r->v[r->n++];

	(void)e;
	*f = (struct search_found){
		.chunk = (uint32_t)row[0].i, .page = (int)row[2].i,
		.at = row[3].i, .heading = row[4].s, .text = row[5].s,
	};
	memcpy(f->document_id.b, row[1].s.p, 16);
	return 0;
}

struct str finding_list(struct arena *a, const struct rank_hit *v, size_t n)
{
	struct buf list = BUF_INIT(n * 12 + 16);
	struct jw w = jw_on(&list);
	struct str out;

	jw_arr(&w);
	for (size_t i = 0; i < n; i++)
		jw_int(&w, v[i].chunk);
	jw_end_arr(&w);
	out = arena_str(a, buf_str(&list));
	buf_release(&list);
	return out;
}

/* The passages of hits, in their order; those that are gone are left out. */
static int read_found(struct search *s, const struct rank_hit *hits, size_t n,
		      struct search_found **out, size_t *n_out, struct err *e)
{
	struct found_chunks r = {
		.s = s, .v = arena_zalloc(s->a, n + 1, sizeof(*r.v)),
	};
	struct search_found *v = arena_zalloc(s->a, n + 1, sizeof(*v));

	*out = v;
	*n_out = 0;
	if (!n)
		return 0;
	if (db_each(s->db, STMT_SEARCH_CHUNK_GET,
		    DB_ARGS(DB_S(finding_list(s->a, hits, n)), DB_U(s->base)),
		    s->a, note_found, &r, e))
		return -1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < r.n; k++)
			if (r.v[k].chunk == hits[i].chunk) {
				v[*n_out] = r.v[k];
				v[(*n_out)++].score = (double)hits[i].score;
				break;
			}
	return 0;
}

static bool says(const struct word *v, size_t n, const struct phrase *p)
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

static bool says_all(struct search *s, const struct search_found *f)
{
	for (size_t p = 0; p < s->n_phrases; p++) {
		size_t n;
		const struct word *v = tokens_split(s->words, f->text, false, &n);
		bool said = says(v, n, &s->phrases[p]);

		if (!said) {
			v = tokens_split(s->words, f->heading, false, &n);
			said = says(v, n, &s->phrases[p]);
		}
		if (!said)
			return false;
	}
	return true;
}

/* Of hits that have the words of the phrases, those that have the phrases. */
static int keep_phrases(struct search *s, struct rank_hit *hits, size_t *n,
			size_t max, struct err *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < *n && kept < max; i += LIM_FOUND) {
		struct search_found *f;
		size_t n_found;

		if (read_found(s, hits + i, MIN(*n - i, (size_t)LIM_FOUND), &f,
			       &n_found, e) || arena_check(s->a, e))
			return -1;
		for (size_t k = 0; k < n_found; k++)
			if (says_all(s, &f[k]))
				hits[kept++] = (struct rank_hit){
					f[k].chunk, (float)f[k].score };
	}
	*n = kept;
	return 0;
}

static int find_words(struct search *s, size_t max, struct rank_hit **hits,
		      size_t *n, struct err *e)
{
	struct rank_list lists[LIM_QUESTION_WORDS];
	int rc;

	*n = 0;
	s->words = tokens_open(s->info.language, e);
	if (!s->words)
		return -1;
	read_question(s);
	rc = read_posts(s, e);
	if (!rc && s->n_phrases)
		keep_whole(s);
	for (size_t i = 0; i < s->n_terms; i++)
		lists[i] = s->terms[i].list;
	if (!rc)
		*hits = rank_best(lists, s->n_terms, &s->stats, s->n_phrases
				  ? MAX(max, (size_t)PHRASE_CANDIDATES) : max,
				  s->a, n);
	if (!rc && s->n_phrases)
		rc = keep_phrases(s, *hits, n, max, e);
	tokens_close(s->words);
	s->words = NULL;
	return rc;
}

/*
 * Whether the base has vectors to compare the question's with. The caller got that
 * from a service, and meanwhile the base may have got another model.
 */
static bool is_comparable(const struct search *s)
{
	const struct search_ask *ask = s->ask;
	bool same = s->info.dimension == ask->dimension &&
		str_eq(s->info.model, ask->model);

	if (ask->mode == SEARCH_WORDS || !ask->vector || s->info.vectors <= 0)
		return false;
	if (!same && ask->unused)
		*ask->unused = true;
	return same;
}

/* -- both --------------------------------------------------------------------------- */

int search_find(struct db *db, const struct uuid *base,
		const struct search_ask *ask, struct arena *a,
		struct search_found **out, size_t *n, struct err *e)
{
	struct search *s = arena_zalloc(a, 1, sizeof(*s));
	struct rank_hit *words = NULL, *vectors = NULL, *hits;
	size_t n_words = 0, n_vectors = 0, n_hits;
	size_t most = MAX((size_t)FUSED_RANKS, ask->max + SPARE);
	bool near;

	*s = (struct search){ .db = db, .base = base, .ask = ask, .a = a };
	*out = NULL;
	*n = 0;
	if (ask->unused)
		*ask->unused = false;
	if (look_around(s, e)) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return 0;
	}
	near = is_comparable(s);
	if (ask->mode != SEARCH_VECTORS || !near)
		if (find_words(s, most, &words, &n_words, e))
			return -1;
	if (near && finding_near(s, most, &vectors, &n_vectors, e))
		return -1;
	hits = words;
	n_hits = n_words;
	if (near && ask->mode == SEARCH_VECTORS) {
		hits = vectors;
		n_hits = n_vectors;
	} else if (near) {
		hits = rank_fuse(words, n_words, vectors, n_vectors, a, &n_hits);
	}
	if (read_found(s, hits, MIN(n_hits, ask->max + SPARE), out, n, e))
		return -1;
	*n = MIN(*n, ask->max);
	return 0;
}
