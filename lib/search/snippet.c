/* SPDX-License-Identifier: MIT */
#include "search/snippet.h"

#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "base/util.h"

#include "base/banned.h"

enum {
	HITS = 256,		/* matches considered per text */
	BEFORE = 40,		/* characters before the first match */
};

struct snippet_hit {
	size_t at, n;		/* bytes */
	size_t term;		/* index of the query's term */
};

struct search_terms {
	int64_t v[LIM_QUESTION_WORDS];
	size_t n;
};

static void read_query(struct tokens *w, struct str query,
		       struct search_terms *t)
{
	size_t n;
	const struct word *v = tokens_split(
		w, utf8_head(query, LIM_QUESTION_CHARS), true, &n);

	t->n = 0;
	for (size_t i = 0; i < n && t->n < ARRAY_LEN(t->v); i++)
		t->v[t->n++] = v[i].term;
}

/* Finds the words of the text that are in the query, each position once. */
static size_t find_hits(struct tokens *w, const struct search_terms *t,
			struct str text, struct snippet_hit *hits)
{
	size_t n_words, n = 0;
	const struct word *v = tokens_split(w, text, false, &n_words);

	for (size_t i = 0; i < n_words && n < HITS; i++) {
		size_t k = 0;

		if (n && v[i].at < hits[n - 1].at + hits[n - 1].n)
			continue;
		while (k < t->n && t->v[k] != v[i].term)
			k++;
		if (k < t->n)
			hits[n++] = (struct snippet_hit){ v[i].at, v[i].n, k };
	}
	return n;
}

/* The number of distinct words in the bytes from the first hit on. */
static size_t variety(const struct snippet_hit *hits, size_t n, size_t bytes)
{
	uint64_t seen = 0;
	size_t many = 0;

	for (size_t i = 0; i < n &&
	     hits[i].at + hits[i].n <= hits[0].at + bytes; i++) {
		uint64_t bit = UINT64_C(1) << (hits[i].term % 64);

		many += !(seen & bit);
		seen |= bit;
	}
	return many;
}

/* Goes back `chars` characters from `at`, to the beginning of a word if possible. */
static size_t back(struct str s, size_t at, size_t chars)
{
	size_t blank = at, from = at;

	while (from > 0 && chars) {
		from--;
		if (((unsigned char)s.p[from] & 0xc0) == 0x80)
			continue;
		chars--;
		if ((unsigned char)s.p[from] <= ' ')
			blank = from + 1;
	}
	return from == 0 ? 0 : blank < at ? blank : from;
}

/* The number of characters in the first n bytes. */
static size_t count(const char *p, size_t n)
{
	return utf8_chars((struct str){ p, n });
}

void snippet_make(struct tokens *w, struct str query, struct str text,
		  size_t chars, struct arena *a, struct snippet *out)
{
	struct search_terms terms;
	struct snippet_hit hits[HITS];
	size_t n, best = 0, most = 0, from = 0;
	struct str part;
	const struct str cut = STR("…");
	size_t lead, tail;
	char *p;

	read_query(w, query, &terms);
	n = find_hits(w, &terms, text, hits);
	for (size_t i = 0; i < n; i++) {
		size_t many = variety(&hits[i], n - i, chars - BEFORE);

		if (many > most) {
			most = many;
			best = i;
		}
	}
	if (n)
		from = back(text, hits[best].at, BEFORE);
	part = utf8_head((struct str){ text.p + from, text.n - from }, chars);
	lead = from ? cut.n : 0;
	tail = from + part.n < text.n ? cut.n : 0;
	p = arena_alloc(a, lead + part.n + tail + 1);
	memcpy(p, cut.p, lead);
	for (size_t i = 0; i < part.n; i++)	/* make it one line; also replaces NUL */
		p[lead + i] = (unsigned char)part.p[i] < ' ' ||
			part.p[i] == 0x7f ? ' ' : part.p[i];
	memcpy(p + lead + part.n, cut.p, tail);
	p[lead + part.n + tail] = '\0';
	out->text = (struct str){ p, lead + part.n + tail };
	out->marks = arena_zalloc(a, n + 1, sizeof(*out->marks));
	out->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (hits[i].at < from ||
		    hits[i].at + hits[i].n > from + part.n)
			continue;
		out->marks[out->n++] = (struct snippet_mark){
			count(p, lead + hits[i].at - from),
			count(text.p + hits[i].at, hits[i].n) };
	}
}

void snippet_write(struct jw *w, const struct snippet *s)
{
	jw_obj(w);
	jw_kstr(w, "text", s->text);
	jw_key(w, "marks");
	jw_arr(w);
	for (size_t i = 0; i < s->n; i++) {
		jw_obj(w);
		jw_kint(w, "start", (int64_t)s->marks[i].start);
		jw_kint(w, "length", (int64_t)s->marks[i].length);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}
