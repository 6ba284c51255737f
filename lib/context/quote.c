/* SPDX-License-Identifier: MIT */
#include "context/quote.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/unicode.h"
#include "base/utf8.h"

#include "base/banned.h"

enum {
	QUOTE_BYTES = 2000,	/* longer texts are not quotations */
	QUOTE_WEIGHT = 8,	/* minimum: 2 per word, 1 per character of a
				   script without spaces */
	QUOTE_PARTS = 8,	/* around ellipses */
};

/* -- reading the answer ----------------------------------------------------------- */

static bool is_word(unsigned char c)
{
	return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t run_of(struct str s, size_t i, char c)
{
	size_t n = 0;

	while (i + n < s.n && s.p[i + n] == c)
		n++;
	return n;
}

/* A run of equal marks, which may begin or end code. */
struct mark_run {
	size_t at, n;
	const struct mark_run *longer;	/* the next one that is at least as long */
	const struct mark_run *closes;	/* the run that ends code that begins here; or NULL */
};

struct mark_runs {
	struct mark_run *v;
	size_t n, room;
};

static void find_runs(struct str s, struct arena *a, struct mark_runs *out)
{
	for (size_t i = 0, n; i < s.n; i += n ? n : 1) {
		n = s.p[i] == '`' || s.p[i] == '~' ? run_of(s, i, s.p[i]) : 0;
		if (!n)
			continue;
		out->v = arena_room(a, out->v, out->n, 1, &out->room,
				    sizeof(*out->v));
		out->v[out->n++] = (struct mark_run){ .at = i, .n = n };
	}
}

/*
 * Iterates backwards: shorter runs that are skipped here are never visited again, so
 * each run is visited twice at most.
 */
static void close_runs(struct str s, const struct mark_runs *runs, size_t *steps)
{
	const struct mark_run *next[2] = { NULL, NULL }, *same[3] = { NULL };

	for (size_t i = runs->n; i-- > 0;) {
		struct mark_run *r = &runs->v[i];
		const struct mark_run **of = &next[s.p[r->at] == '~'], *l = *of;

		for (; l && l->n < r->n; l = l->longer)
			++*steps;
		r->longer = l;
		*of = r;
		if (r->n >= ARRAY_LEN(same)) {
			r->closes = l;
		} else if (s.p[r->at] == '`') {
			r->closes = same[r->n];
			same[r->n] = r;
		}
	}
}

/* The text with code replaced by spaces. In a. */
static struct str without_code(struct str s, struct arena *a, size_t *steps)
{
	char *p = arena_memdup(a, s.p, s.n);
	struct mark_runs runs = { .n = 0 };
	size_t past = 0;

	find_runs(s, a, &runs);
	close_runs(s, &runs, steps);
	for (size_t i = 0; i < runs.n; i++) {
		const struct mark_run *r = &runs.v[i];
		bool begins = r->at == 0 || s.p[r->at - 1] == '\n';

		if (r->at < past || (s.p[r->at] == '~' && (!begins || r->n < 3)))
			continue;
		if (r->closes)
			past = r->closes->at + r->closes->n;
		else if (r->n >= 3 && begins)
			past = s.n;	/* an unclosed block */
		else
			continue;
		memset(p + r->at, ' ', past - r->at);
	}
	return (struct str){ p, s.n };
}

/* The numbers in one pair of brackets. */
struct numbers {
	int v[QUOTE_MARKED], n;
};

/* Reads the citation at i and returns its end; i if there is none. */
static size_t citation(struct str s, size_t i, struct numbers *out)
{
	size_t k = i + 1;

	out->n = 0;
	if (s.p[i] != '[')
		return i;
	if (k < s.n && s.p[k] == '^')
		k++;
	for (;;) {
		int v = 0, digits = 0;

		for (; k < s.n && is_digit(s.p[k]) && digits < 4; k++, digits++)
			v = v * 10 + (s.p[k] - '0');
		if (!digits || v > QUOTE_NUMBER_MAX || out->n == QUOTE_MARKED)
			return i;
		out->v[out->n++] = v;
		if (k < s.n && s.p[k] == ']')
			break;
		if (k == s.n || (s.p[k] != ',' && s.p[k] != ';'))
			return i;
		k++;
		while (k < s.n && s.p[k] == ' ')
			k++;
	}
	k++;
	if (k < s.n && (s.p[k] == '(' || (s.p[k] == ':' && (i == 0 ||
						s.p[i - 1] == '\n'))))
		return i;	/* a link or a link definition */
	return k;
}

static void find_places(struct str s, struct arena *a, struct quote_place **out,
			size_t *n)
{
	struct numbers found;
	size_t room = 0, next;

	*out = NULL;
	*n = 0;
	for (size_t i = 0; i < s.n; i = next > i ? next : i + 1) {
		next = citation(s, i, &found);
		for (int j = 0; next > i && j < found.n; j++) {
			*out = arena_room(a, *out, *n, 1, &room, sizeof(**out));
			(*out)[(*n)++] = (struct quote_place){
				.at = i, .n = next - i, .number = found.v[j],
			};
		}
	}
}

size_t quote_places(struct str text, struct arena *a, struct quote_place **out)
{
	size_t n = 0, steps = 0;

	*out = NULL;
	if (text.n)
		find_places(without_code(text, a, &steps), a, out, &n);
	return n;
}

/* Opening marks of quotations, and the marks that may close them. */
static const struct {
	struct str open, close[2];
} marks[] = {
	{ STR("\""), { STR("\""), { NULL, 0 } } },
	{ STR("“"), { STR("”"), { NULL, 0 } } },
	{ STR("„"), { STR("“"), STR("”") } },
	{ STR("”"), { STR("”"), { NULL, 0 } } },
	{ STR("«"), { STR("»"), { NULL, 0 } } },
	{ STR("»"), { STR("«"), STR("»") } },
	{ STR("‹"), { STR("›"), { NULL, 0 } } },
	{ STR("›"), { STR("‹"), { NULL, 0 } } },
	{ STR("「"), { STR("」"), { NULL, 0 } } },
	{ STR("『"), { STR("』"), { NULL, 0 } } },
	{ STR("‘"), { STR("’"), { NULL, 0 } } },
	{ STR("‚"), { STR("‘"), STR("’") } },
	{ STR("'"), { STR("'"), { NULL, 0 } } },
};

static bool at(struct str s, size_t i, struct str what)
{
	return what.n && s.n - i >= what.n && !memcmp(s.p + i, what.p, what.n);
}

/* Whether mark is at i and closes; an apostrophe within a word does not. */
static bool closes(struct str s, size_t i, struct str mark)
{
	size_t next = i + mark.n;

	return at(s, i, mark) &&
	       !((str_eq(mark, STR("’")) || str_eq(mark, STR("'"))) &&
		 next < s.n && is_word((unsigned char)s.p[next]));
}

/*
 * Result of the last look-ahead for a kind of mark: nothing closes it before stop. This
 * prevents that each of many marks scans the same text again.
 */
struct ahead {
	size_t stop, past;	/* past: end of the closing mark at stop; 0: none */
	bool light;		/* the text before it is too short for a quotation */
};

/* Looks for the mark that closes m, beginning at h->stop; the quotation begins at from. */
static void look_ahead(struct str s, size_t m, size_t from, struct ahead *h,
		       size_t *steps)
{
	size_t k = h->stop;

	h->past = 0;
	h->light = false;
	for (; k < s.n && k - from <= QUOTE_BYTES && !h->past; k++) {
		++*steps;
		h->stop = k;
		/* A mark that no paragraph closes is a stray one, not a quotation of several. */
		if (s.p[k] == '\n' && k + 1 < s.n && s.p[k + 1] == '\n')
			return;
		for (size_t c = 0; c < ARRAY_LEN(marks[m].close); c++)
			if (k > from && closes(s, k, marks[m].close[c]))
				h->past = k + marks[m].close[c].n;
	}
	if (!h->past)
		h->stop = k;
}

/* Finds the kind of the mark at i and the beginning of its text; false: not a mark. */
static bool opens(struct str s, size_t i, size_t *m, size_t *from)
{
	for (*m = 0; *m < ARRAY_LEN(marks); ++*m)
		if (at(s, i, marks[*m].open))
			break;
	if (*m == ARRAY_LEN(marks))
		return false;
	*from = i + marks[*m].open.n;
	if (*from >= s.n || s.p[*from] == '\n')
		return false;
	return marks[*m].open.n > 1 ||
	       (!(i && is_word((unsigned char)s.p[i - 1])) && s.p[*from] != ' ');
}

/* Scripts without spaces: lead bytes of U+3040 to U+9FFF and from U+AC00. */
static bool is_dense(unsigned char c)
{
	return c >= 0xe3 && c <= 0xed && c != 0xea;
}

static size_t weight(struct str s)
{
	size_t n = 0;
	bool within = false;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		bool word = is_word(c) || c == '\'';

		if (is_dense(c))
			n++;
		else if (word && !within && (c & 0xc0) != 0x80)
			n += 2;
		within = word && !is_dense(c);
	}
	return n;
}

/* The quotation that begins at i; n == 0: none. */
static struct str quotation(struct str s, size_t i, struct ahead *kinds,
			    size_t *past, size_t *steps)
{
	struct str q = { NULL, 0 };
	struct ahead *h;
	size_t m, from;

	if (!opens(s, i, &m, &from))
		return q;
	h = &kinds[m];
	if (h->stop <= from)
		*h = (struct ahead){ .stop = from };
	if (!h->past)
		look_ahead(s, m, from, h, steps);
	if (!h->past || h->light)
		return q;
	q = (struct str){ s.p + from, h->stop - from };
	h->light = weight(q) < QUOTE_WEIGHT;
	*past = h->past;
	return h->light ? (struct str){ NULL, 0 } : q;
}

void quote_find(struct str text, struct arena *a, struct quote_marks *out)
{
	struct str s, q;
	struct ahead kinds[ARRAY_LEN(marks)] = { { .stop = 0 } };
	struct quote_place *cites;
	size_t past, n;

	*out = (struct quote_marks){ .n = 0 };
	s = without_code(text, a, &out->steps);
	find_places(s, a, &cites, &n);
	for (size_t i = 0; i < n; i++)
		out->cited[cites[i].number] = true;
	for (size_t i = 0; i < s.n && out->n < QUOTE_MARKED;) {
		q = quotation(s, i, kinds, &past, &out->steps);
		if (q.n)
			out->v[out->n++] = (struct str){
				text.p + (q.p - s.p), q.n };
		i = q.n ? past : i + 1;
	}
}

/* -- comparing ---------------------------------------------------------------------- */

/* Appends the letters and digits of s, case-folded, and nothing else. */
static void fold(struct str s, bool citations, struct buf *out)
{
	struct buf plain = BUF_INIT(s.n + 1);
	struct numbers ignored;
	uint8_t *folded;
	size_t n;

	for (size_t i = 0; i < s.n;) {
		size_t past = citations ? citation(s, i, &ignored) : i;

		if (past > i) {
			i = past;
		} else if (s.p[i] == '\\' && i + 1 < s.n) {
			i += 2;		/* escapes of JSON or Markdown */
		} else {
			buf_addc(&plain, s.p[i]);
			i++;
		}
	}
	/*
	 * Compatibility forms, too: models copy ligatures and full-width letters as plain
	 * ones.
	 */
	folded = unicode_now.u8_casefold((const uint8_t *)plain.p, plain.n, NULL,
					 unicode_now.uninorm_nfkc, NULL, &n);
	for (size_t i = 0; folded && i < n;) {
		ucs4_t c;
		int len = unicode_now.u8_mbtouc(&c, folded + i, n - i);

		if (unicode_now.uc_is_general_category_withtable(
			    c, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_N |
			    UC_CATEGORY_MASK_M))
			buf_add(out, (const char *)folded + i, (size_t)len);
		i += (size_t)len;
	}
	free(folded);
	buf_release(&plain);
}

/* Splits s at ellipses. */
static size_t split(struct str s, struct str *parts)
{
	static const struct str gaps[] = { STR("…"), STR("...") };
	size_t n = 0, from = 0;

	for (size_t i = 0; i < s.n && n < QUOTE_PARTS - 1; i++)
		for (size_t g = 0; g < ARRAY_LEN(gaps); g++)
			if (at(s, i, gaps[g])) {
				parts[n++] = (struct str){ s.p + from, i - from };
				from = i + gaps[g].n;
				i = from - 1;
				break;
			}
	parts[n++] = (struct str){ s.p + from, s.n - from };
	return n;
}

static bool stands_in(const struct buf *parts, size_t n, struct str text)
{
	for (size_t i = 0; i < n; i++) {
		const char *found;

		if (!parts[i].n)
			continue;
		found = text.n < parts[i].n ? NULL
			: memmem(text.p, text.n, parts[i].p, parts[i].n);
		if (!found)
			return false;
		text.n -= (size_t)(found - text.p) + parts[i].n;
		text.p = found + parts[i].n;
	}
	return true;
}

static bool stands_in_any(struct str quote, const struct buf *texts, size_t n)
{
	struct str raw[QUOTE_PARTS];
	struct buf parts[QUOTE_PARTS];
	size_t n_parts = split(quote, raw);
	bool found = false;

	for (size_t i = 0; i < n_parts; i++) {
		parts[i] = (struct buf)BUF_INIT(8 * raw[i].n + 64);
		fold(raw[i], true, &parts[i]);
	}
	for (size_t i = 0; i < n && !found; i++)
		found = stands_in(parts, n_parts, buf_str(&texts[i]));
	for (size_t i = 0; i < n_parts; i++)
		buf_release(&parts[i]);
	return found;
}

void quote_check(struct quote_marks *m, const struct str *texts, size_t n)
{
	struct err e = ERR_INIT;
	struct arena a = ARENA_INIT;
	struct buf *folded = arena_zalloc(&a, n + 1, sizeof(*folded));
	size_t kept = 0;

	/* Without the library nothing can be checked. */
	if (!m->n || unicode_load(&e) < 0) {
		m->n = 0;
		arena_release(&a);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		folded[i] = (struct buf)BUF_INIT(8 * texts[i].n + 64);
		fold(texts[i], false, &folded[i]);
	}
	for (size_t i = 0; i < m->n; i++)
		if (!stands_in_any(m->v[i], folded, n))
			m->v[kept++] = m->v[i];
	m->n = kept;
	for (size_t i = 0; i < n; i++)
		buf_release(&folded[i]);
	arena_release(&a);
}
