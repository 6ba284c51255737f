/* SPDX-License-Identifier: MIT */
#include "search/tokens.h"

#include <stdlib.h>

#include "base/fold.h"
#include "base/limits.h"
#include "base/unicode.h"
#include "search/post.h"

#include "base/banned.h"

enum {
	KNOWN = 4096,		/* size of the cache of words, a power of 2 */
	ROOM = 512,
	RARE_DIGITS = 7,	/* of a number that is rare */
	RARE_WORD = 8,		/* bytes of a word with digits in it, as of hashes */
	RARE_CODE = 12,		/* bytes of a code with digits in it */
	CATEGORIES = UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_N | UC_CATEGORY_MASK_M,
};

/* Classes of characters. */
enum kind {
	GAP,		/* ends a word */
	JOIN,		/* ends a word, but not a code */
	LETTER,
	DIGIT,
	APOSTROPHE,
	NOTHING,	/* ignored */
	PAIRED,		/* of a script that is indexed as pairs */
};

struct known {
	uint64_t key;
	int64_t term, other;	/* other: the term without accents; or 0 */
};

struct tokens {
	struct sb_stemmer *stemmer;	/* NULL: none */
	struct word *v;
	size_t n, room;
	struct buf folded, plain;	/* of the current word */
	struct known known[KNOWN];
};

struct tokens *tokens_open(struct str language, struct err *e)
{
	struct tokens *w;
	char code[8] = "";

	if (unicode_load(e))
		return NULL;
	w = xcalloc(1, sizeof(*w));
	w->folded = (struct buf)BUF_INIT(16 * LIM_WORD_BYTES);
	w->plain = (struct buf)BUF_INIT(16 * LIM_WORD_BYTES);
	if (language.n < sizeof(code) && !str_is(language, "none"))
		memcpy(code, language.p, language.n);
	if (*code)
		w->stemmer = unicode_now.sb_stemmer_new(code, "UTF_8");
	return w;
}

void tokens_close(struct tokens *w)
{
	if (!w)
		return;
	if (w->stemmer)
		unicode_now.sb_stemmer_delete(w->stemmer);
	buf_release(&w->folded);
	buf_release(&w->plain);
	free(w->v);
	free(w);
}

/* -- terms ------------------------------------------------------------------- */

/* FNV-1a with the finaliser of MurmurHash3, which mixes the bits. */
static uint64_t hash(struct str s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * UINT64_C(0x100000001b3);
	h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
	h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ h >> 33;
}

static int64_t term_of(struct str s)
{
	return MAX((int64_t)(hash(s) >> 1), POST_SHARED);
}

static bool is_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

/* Whether the word, or code of at least `least` bytes, is a long number or an id. */
static bool is_rare(struct str s, size_t least)
{
	size_t digits = 0, marks = 0;

	for (size_t i = 0; i < s.n; i++) {
		digits += s.p[i] >= '0' && s.p[i] <= '9';
		marks += s.p[i] == '.' || s.p[i] == ',';
	}
	return is_ascii(s) && (digits + marks == s.n ? digits >= RARE_DIGITS
						     : digits && s.n >= least);
}

static void add(struct tokens *w, int64_t term, size_t at, size_t n, bool extra)
{
	if (w->n == w->room) {
		w->room = w->room ? 2 * w->room : ROOM;
		w->v = xrealloc(w->v, w->room * sizeof(*w->v));
	}
	w->v[w->n++] = (struct word){ term, (uint32_t)at, (uint32_t)n, extra };
}

/* The result is valid until the next call of the stemmer. */
static struct str stem(struct tokens *w, struct str s)
{
	const sb_symbol *p;

	if (!w->stemmer)
		return s;
	p = unicode_now.sb_stemmer_stem(w->stemmer, (const sb_symbol *)s.p,
					(int)s.n);
	if (!p)
		return s;
	return (struct str){ (const char *)p,
			     (size_t)unicode_now.sb_stemmer_length(w->stemmer) };
}

static void drop_nothing(struct buf *b)
{
	size_t kept = 0;

	for (size_t i = 0, len; i < b->n; i += len) {
		ucs4_t c;

		len = (size_t)unicode_now.u8_mbtouc(&c, (uint8_t *)b->p + i,
						    b->n - i);
		if (utf8_is_nothing(c))
			continue;
		memmove(b->p + kept, b->p + i, len);
		kept += len;
	}
	b->n = kept;
}

/* Normalises compatibility forms and folds case; keeps accents. */
static void fold_case(struct tokens *w, struct str s)
{
	size_t n = w->folded.cap;

	buf_reset(&w->folded);
	if (is_ascii(s)) {
		for (size_t i = 0; i < s.n; i++)
			buf_addc(&w->folded, (char)(s.p[i] >= 'A' && s.p[i] <= 'Z'
						    ? s.p[i] | 32 : s.p[i]));
		return;
	}
	if (!buf_reserve(&w->folded, n - 1) ||
	    !unicode_now.u8_casefold((const uint8_t *)s.p, s.n, NULL,
				     unicode_now.uninorm_nfkc,
				     (uint8_t *)w->folded.p, &n))
		return;
	if (n <= w->folded.cap)
		w->folded.n = n;
	drop_nothing(&w->folded);
}

/* s without accents, in w->plain. */
static struct str fold_accents(struct tokens *w, struct str s)
{
	uint8_t space[16 * LIM_WORD_BYTES], *p;
	size_t n = sizeof(space);
	uint32_t base = 0;

	if (is_ascii(s))
		return s;
	buf_reset(&w->plain);
	p = unicode_now.u8_normalize(unicode_now.uninorm_nfkd,
				     (const uint8_t *)s.p, s.n, space, &n);
	for (size_t i = 0; p && i < n; ) {
		ucs4_t c;
		int len = unicode_now.u8_mbtouc(&c, p + i, n - i);
		const char *plain = utf8_stroke(c);

		if (plain)
			buf_adds(&w->plain, plain);
		else if (!utf8_is_accent(c, base))
			buf_add(&w->plain, p + i, (size_t)len);
		if (c < 0x0300 || c > 0x036f)
			base = c;
		i += (size_t)len;
	}
	if (p != space)
		free(p);
	return buf_str(&w->plain);
}

static void add_word(struct tokens *w, struct str text, size_t at, size_t n,
		     bool asking)
{
	struct str raw = { text.p + at, MIN(n, (size_t)LIM_WORD_BYTES) };
	uint64_t key = hash(raw);
	struct known *k = &w->known[key % KNOWN];

	if (k->key != key) {
		struct str s;

		k->key = key;
		k->other = 0;
		fold_case(w, raw);
		s = buf_str(&w->folded);
		k->term = is_rare(s, RARE_WORD) ? -term_of(s)
			: term_of(fold_accents(w, stem(w, s)));
		if (!is_ascii(s)) {
			k->other = term_of(stem(w, fold_accents(w, s)));
			if (k->other == k->term)
				k->other = 0;
		}
	}
	add(w, k->term, at, n, false);
	if (k->other && !asking)
		add(w, k->other, at, n, true);
}

/* Adds a code as a whole: not stemmed, without case and accents. */
static void add_whole(struct tokens *w, struct str text, size_t at, size_t n)
{
	struct str raw = { text.p + at, MIN(n, (size_t)LIM_WORD_BYTES) };

	int64_t term;

	fold_case(w, raw);
	term = term_of(fold_accents(w, buf_str(&w->folded)));
	add(w, is_rare(raw, RARE_CODE) ? -term : term, at, n, true);
}

/* -- characters --------------------------------------------------------------- */

static bool is_paired(uint32_t c)
{
	static const struct {
		uint32_t from, to;
	} ranges[] = {
		{ 0x0e00, 0x0eff }, { 0x1000, 0x109f }, { 0x1100, 0x11ff },
		{ 0x1780, 0x17ff }, { 0x3005, 0x3007 }, { 0x3040, 0x30ff },
		{ 0x3130, 0x318f }, { 0x31f0, 0x31ff }, { 0x3400, 0x4dbf },
		{ 0x4e00, 0x9fff }, { 0xac00, 0xd7af }, { 0xf900, 0xfaff },
		{ 0xff66, 0xff9f }, { 0x20000, 0x3ffff },
	};

	for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
		if (c >= ranges[i].from && c <= ranges[i].to)
			return true;
	return false;
}

static enum kind kind_of_ascii(unsigned char c)
{
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
		return LETTER;
	if (c >= '0' && c <= '9')
		return DIGIT;
	if (c == '\'')
		return APOSTROPHE;
	return c && strchr("-_./:@+#,", c) ? JOIN : GAP;
}

/* The class of the character at i, and its length in bytes. */
static enum kind kind_at(struct str text, size_t i, size_t *len)
{
	ucs4_t c;

	if ((unsigned char)text.p[i] < 0x80) {
		*len = 1;
		return kind_of_ascii((unsigned char)text.p[i]);
	}
	*len = (size_t)unicode_now.u8_mbtouc(&c, (const uint8_t *)text.p + i,
					     text.n - i);
	if (c == 0x2019)
		return APOSTROPHE;
	if (utf8_is_nothing(c))
		return NOTHING;
	if (c == 0x2010 || c == 0x2011)
		return JOIN;
	if (!unicode_now.uc_is_general_category_withtable(c, CATEGORIES))
		return GAP;
	return is_paired(c) ? PAIRED : LETTER;
}

/* -- splitting ------------------------------------------------------------------ */

/* The current word, and the code that it may be a part of. */
struct at {
	size_t word, word_end;	/* word_end == word: none */
	size_t code, code_end;
	bool code_digit, code_join, code_mark;
	size_t pair;		/* the previous character, if of a paired script */
	bool paired;
};

/*
 * Whether it is a clitic next to an apostrophe, which is not indexed: 's, 'll, l',
 * d', …
 */
static bool is_clipped(struct str text, const struct at *s, bool next)
{
	struct str word = { text.p + s->word, s->word_end - s->word };
	bool before = s->word > 0 && (text.p[s->word - 1] == '\'' ||
		      (s->word > 2 && !memcmp(text.p + s->word - 3,
					      "\xe2\x80\x99", 3)));

	if (word.n == 1 && (before || next) && word.p[0] > '9')
		return true;
	return before && (str_is(word, "ll") || str_is(word, "re") ||
			  str_is(word, "ve"));
}

static void end_word(struct tokens *w, struct str text, struct at *s,
		     bool apostrophe, bool asking)
{
	/* After the beginning of a code, only adjacent characters belong to it. */
	if (s->word_end > s->word && !is_clipped(text, s, apostrophe))
		add_word(w, text, s->word, s->word_end - s->word, asking);
	s->word = s->word_end = 0;
}

static void end_code(struct tokens *w, struct str text, struct at *s)
{
	if (s->code_end > s->code && (s->code_join || s->code_mark) &&
	    (s->code_digit || s->code_mark))
		add_whole(w, text, s->code, s->code_end - s->code);
	s->code = s->code_end = 0;
	s->code_digit = s->code_join = s->code_mark = false;
}

static void end_all(struct tokens *w, struct str text, struct at *s, bool asking)
{
	end_word(w, text, s, false, asking);
	end_code(w, text, s);
	s->paired = false;
}

static bool is_digit(struct str text, size_t i)
{
	return i < text.n && text.p[i] >= '0' && text.p[i] <= '9';
}

/* '.', ':' and similar characters are part of a number if they are within it. */
static void join(struct tokens *w, struct str text, size_t i, struct at *s,
		 bool asking)
{
	char c = text.p[i];
	bool glued = s->code_end == i && s->code_end > s->code;

	if ((c == '.' || c == ',') && i > 0 && is_digit(text, i - 1) &&
	    s->word_end == i && is_digit(text, i + 1)) {
		s->word_end = s->code_end = i + 1;
		return;
	}
	end_word(w, text, s, false, asking);
	s->paired = false;
	if (c == ',' || !glued) {
		end_code(w, text, s);
		return;
	}
	if (c == '+' || c == '#') {	/* C++, C# */
		s->code_mark = true;
		s->code_end = i + 1;
	} else if (kind_of_ascii((unsigned char)c) == JOIN && i + 1 < text.n &&
		   (kind_of_ascii((unsigned char)text.p[i + 1]) == LETTER ||
		    is_digit(text, i + 1))) {
		s->code_mark |= c == '_' || c == '@';
		s->code_join = true;
		s->code_end = i + 1;
	} else {
		end_code(w, text, s);
	}
}

static void letter(size_t i, size_t len, bool digit, struct at *s)
{
	if (s->word_end == s->word)
		s->word = i;
	s->word_end = i + len;
	if (s->code_end == s->code)
		s->code = i;
	s->code_end = i + len;
	s->code_digit |= digit;
}

static void pair(struct tokens *w, struct str text, size_t i, size_t len,
		 struct at *s, bool asking)
{
	bool follows = s->paired, alone;
	size_t before = s->pair, next;

	end_word(w, text, s, false, asking);
	end_code(w, text, s);
	if (follows)
		add_word(w, text, before, i + len - before, asking);
	/* A single character is a word; documents also get each character of several. */
	alone = !follows && (i + len == text.n ||
			     kind_at(text, i + len, &next) != PAIRED);
	if (alone || !asking) {
		add_word(w, text, i, len, true);
		w->v[w->n - 1].extra = !alone;
	}
	s->pair = i;
	s->paired = true;
}

const struct word *tokens_split(struct tokens *w, struct str text, bool asking,
				size_t *n)
{
	struct at s = { .word = 0 };
	size_t len;

	w->n = 0;
	for (size_t i = 0; i < text.n; i += len)
		switch (kind_at(text, i, &len)) {
		case GAP:
			end_all(w, text, &s, asking);
			break;
		case JOIN:
			if (len == 1) {
				join(w, text, i, &s, asking);
				break;
			}
			end_all(w, text, &s, asking);
			break;
		case APOSTROPHE:
			end_word(w, text, &s, true, asking);
			end_code(w, text, &s);
			s.paired = false;
			break;
		case LETTER:
			s.paired = false;
			letter(i, len, false, &s);
			break;
		case DIGIT:
			s.paired = false;
			letter(i, len, true, &s);
			break;
		case PAIRED:
			pair(w, text, i, len, &s, asking);
			break;
		case NOTHING:
			if (s.word_end == i && s.word_end > s.word)
				s.word_end = s.code_end = i + len;
			break;
		}
	end_all(w, text, &s, asking);
	*n = w->n;
	return w->v;
}
