/* SPDX-License-Identifier: MIT */
/* See office_list.h. Ids are numbers within limits, so looking one up takes one step. */
#include "extract/office_list.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "base/util.h"
#include "extract/out.h"

#include "base/banned.h"

enum {
	STYLES = 16384,
	ID_BYTES = 96,
	BASED = 16,		/* styles that one is based on, in a row */
	NUMS = 32768,		/* ids of numberings and of their definitions */
	TEXT_BYTES = 64,
	FORMAT_BYTES = 32,
	COUNT_MAX = 32767,
};

struct style {
	char id[ID_BYTES], name[ID_BYTES], based_on[ID_BYTES];
	int outline;			/* LIST_NONE: not said; 9: it is no heading */
	struct list_place place;
	bool of_paragraphs;
};

/* A level of a list. */
struct level {
	char text[TEXT_BYTES];		/* "%1.%2", "%1)", "§ %1" */
	char format[FORMAT_BYTES];	/* "decimal", "lowerLetter", "bullet" */
	char style[ID_BYTES];		/* paragraphs of this style are on it */
	int64_t start, restart;		/* restart: level that resets it; LIST_NONE: any */
	bool legal;			/* all numbers in digits */
};

/* A definition, whose counters all numberings share that use it. */
struct definition {
	struct level level[LIST_LEVELS];
	int64_t count[LIST_LEVELS];
	bool counted[LIST_LEVELS];
	char link[ID_BYTES];		/* style that has the definition; or "" */
};

struct num {
	int64_t definition;
	int64_t start[LIST_LEVELS];	/* LIST_NONE: as the definition says */
	struct level *own[LIST_LEVELS];	/* NULL: those of the definition */
};

struct office_list {
	struct style *styles;
	size_t n_styles;
	struct definition *definitions[NUMS];
	struct num *nums[NUMS];
	/* what is read at the moment */
	struct style *style;
	struct definition *definition;
	struct num *num;
	struct level *level;
	int64_t at;			/* index of level */
};

/* -- styles --- */

static void begin_style(struct office_list *l, const struct office_xml *x)
{
	char type[16];
	struct style *s;

	l->style = NULL;
	if (l->n_styles >= STYLES)
		return;
	if (l->n_styles % 64 == 0)
		l->styles = xrealloc(l->styles, (l->n_styles + 64) * sizeof(*l->styles));
	s = &l->styles[l->n_styles++];
	*s = (struct style){
		.outline = LIST_NONE, .place = { LIST_NONE, LIST_NONE },
	};
	office_attribute(x, "styleId", s->id, sizeof(s->id));
	s->of_paragraphs = office_is(office_attribute(x, "type", type, sizeof(type)),
				     "paragraph");
	l->style = s;
}

static void style(struct office_walk *w, const struct office_xml *x, bool open)
{
	struct office_list *l = w->list;
	const char *name = office_name(x);
	struct style *s;

	if (office_is(name, "style")) {
		if (open)
			begin_style(l, x);
		else
			l->style = NULL;
	}
	s = l->style;
	if (!open || !s)
		return;
	if (office_is(name, "name"))
		office_attribute(x, "val", s->name, sizeof(s->name));
	else if (office_is(name, "basedOn"))
		office_attribute(x, "val", s->based_on, sizeof(s->based_on));
	else if (office_is(name, "outlineLvl"))
		s->outline = (int)MIN(MAX(office_number(x, "val", 9), 0), 9);
	else if (office_is(name, "numId"))
		s->place.num = office_number(x, "val", LIST_NONE);
	else if (office_is(name, "ilvl"))
		s->place.level = office_number(x, "val", LIST_NONE);
}

static int by_id(const void *a, const void *b)
{
	const struct style *x = a, *y = b;

	return strcmp(x->id, y->id);
}

static const struct style *style_by_id(const struct office_list *l, const char *id)
{
	struct style key;

	if (!*id || !l->n_styles)
		return NULL;
	snprintf(key.id, sizeof(key.id), "%s", id);
	return bsearch(&key, l->styles, l->n_styles, sizeof(key), by_id);
}

int office_list_style(const struct office_list *l, const char *id,
		      struct list_place *place)
{
	const struct style *s = l ? style_by_id(l, id) : NULL;
	int level = s ? 0 : extract_heading_level(id);
	bool known = !s;

	*place = (struct list_place){ LIST_NONE, LIST_NONE };
	for (int i = 0; s && i < BASED; i++) {
		if (place->num == LIST_NONE)
			place->num = s->place.num;
		if (place->level == LIST_NONE)
			place->level = s->place.level;
		if (!known && s->outline != LIST_NONE) {
			level = s->outline < 9 ? MIN(s->outline + 1, 6) : 0;
			known = true;
		}
		if (!known && extract_heading_level(s->name)) {
			level = extract_heading_level(s->name);
			known = true;
		}
		s = style_by_id(l, s->based_on);
	}
	return level;
}

/* -- numberings --- */

static struct definition *definition_new(void)
{
	struct definition *d = xcalloc(1, sizeof(*d));

	for (int i = 0; i < LIST_LEVELS; i++)
		d->level[i] = (struct level){
			.start = 1, .restart = LIST_NONE, .format = "decimal",
		};
	return d;
}

static bool in_range(int64_t id)
{
	return id >= 0 && id < NUMS;
}

static void begin_definition(struct office_list *l, const struct office_xml *x)
{
	int64_t id = office_number(x, "abstractNumId", LIST_NONE);

	l->definition = NULL;
	if (!in_range(id))
		return;
	if (!l->definitions[id])
		l->definitions[id] = definition_new();
	l->definition = l->definitions[id];
}

static void begin_num(struct office_list *l, const struct office_xml *x)
{
	int64_t id = office_number(x, "numId", LIST_NONE);

	l->num = NULL;
	if (!in_range(id))
		return;
	if (!l->nums[id])
		l->nums[id] = xcalloc(1, sizeof(*l->nums[id]));
	l->num = l->nums[id];
	l->num->definition = LIST_NONE;
	for (int i = 0; i < LIST_LEVELS; i++)
		l->num->start[i] = LIST_NONE;
}

static void begin_level(struct office_list *l, const struct office_xml *x)
{
	int64_t at = office_number(x, "ilvl", LIST_NONE);

	l->level = NULL;
	if (at < 0 || at >= LIST_LEVELS)
		return;
	if (l->num) {
		if (!l->num->own[at])
			l->num->own[at] = xmalloc(sizeof(struct level));
		l->level = l->num->own[at];
		*l->level = (struct level){
			.start = 1, .restart = LIST_NONE, .format = "decimal",
		};
	} else if (l->definition) {
		l->level = &l->definition->level[at];
	}
}

static void level(const struct office_xml *x, struct level *v)
{
	const char *name = office_name(x);

	if (office_is(name, "start"))
		v->start = office_number(x, "val", 1);
	else if (office_is(name, "numFmt"))
		office_attribute(x, "val", v->format, sizeof(v->format));
	else if (office_is(name, "lvlText"))
		office_attribute(x, "val", v->text, sizeof(v->text));
	else if (office_is(name, "lvlRestart"))
		v->restart = office_number(x, "val", LIST_NONE);
	else if (office_is(name, "pStyle"))
		office_attribute(x, "val", v->style, sizeof(v->style));
	else if (office_is(name, "isLgl"))
		v->legal = office_on(x);
}

static void numbering(struct office_walk *w, const struct office_xml *x, bool open)
{
	struct office_list *l = w->list;
	const char *name = office_name(x);

	if (office_is(name, "abstractNum")) {
		l->definition = NULL;
		if (open)
			begin_definition(l, x);
	} else if (office_is(name, "num")) {
		l->num = NULL;
		if (open)
			begin_num(l, x);
	} else if (office_is(name, "lvl")) {
		l->level = NULL;
		if (open)
			begin_level(l, x);
	} else if (!open) {
		return;
	} else if (l->level) {
		level(x, l->level);
	} else if (l->definition && office_is(name, "numStyleLink")) {
		office_attribute(x, "val", l->definition->link,
				 sizeof(l->definition->link));
	} else if (l->num && office_is(name, "abstractNumId")) {
		l->num->definition = office_number(x, "val", LIST_NONE);
	} else if (l->num && office_is(name, "lvlOverride")) {
		l->at = office_number(x, "ilvl", LIST_NONE);
	} else if (l->num && office_is(name, "startOverride") && l->at >= 0 &&
		   l->at < LIST_LEVELS) {
		l->num->start[l->at] = office_number(x, "val", 1);
	}
}

/* -- numbers --- */

static void put_roman(struct buf *b, int64_t n, bool upper)
{
	static const struct {
		int value;
		const char *small, *large;
	} digits[] = {
		{ 1000, "m", "M" }, { 900, "cm", "CM" }, { 500, "d", "D" },
		{ 400, "cd", "CD" }, { 100, "c", "C" }, { 90, "xc", "XC" },
		{ 50, "l", "L" }, { 40, "xl", "XL" }, { 10, "x", "X" },
		{ 9, "ix", "IX" }, { 5, "v", "V" }, { 4, "iv", "IV" }, { 1, "i", "I" },
	};

	for (size_t i = 0; i < ARRAY_LEN(digits); i++)
		for (; n >= digits[i].value; n -= digits[i].value)
			buf_adds(b, upper ? digits[i].large : digits[i].small);
}

/* a, b, ... z, aa, bb. */
static void put_letters(struct buf *b, int64_t n, char first)
{
	for (int64_t i = 0; n > 0 && i <= (n - 1) / 26; i++)
		buf_addc(b, (char)(first + (n - 1) % 26));
}

/* As a number in Chinese and Japanese, up to 99. */
static void put_ideographs(struct buf *b, int64_t n)
{
	static const char *const digits[] = {
		"", "\u4e00", "\u4e8c", "\u4e09", "\u56db", "\u4e94", "\u516d", "\u4e03",
		"\u516b", "\u4e5d",
	};

	if (n > 99) {
		buf_addu(b, (uint64_t)n);
		return;
	}
	buf_adds(b, n >= 20 ? digits[n / 10] : "");
	buf_adds(b, n >= 10 ? "\u5341" : "");
	buf_adds(b, digits[n % 10]);
}

/* Letters of an alphabet, in its order; after the last, each of them twice. */
static void put_alphabet(struct buf *b, int64_t n, const char *alphabet)
{
	const struct str s = str_of(alphabet);
	const int64_t count = (int64_t)utf8_chars(s);
	const struct str before = utf8_head(s, (size_t)((n - 1) % count));
	const struct str letter = utf8_head(
		(struct str){ s.p + before.n, s.n - before.n }, 1);

	for (int64_t i = 0; i <= (n - 1) / count; i++)
		buf_addstr(b, letter);
}

/* Digits of another script, whose zero is this code point. */
static void put_digits(struct buf *b, int64_t n, unsigned zero)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)n);
	for (const char *p = text; *p; p++)
		extract_put_code(b, zero + (unsigned)(*p - '0'));
}

/* As letters of Hebrew: 15 and 16 without the name of God. */
static void put_hebrew(struct buf *b, int64_t n)
{
	static const char *const digits[3][10] = {
		{ "", "\u05d0", "\u05d1", "\u05d2", "\u05d3", "\u05d4", "\u05d5",
		  "\u05d6", "\u05d7", "\u05d8" },
		{ "", "\u05d9", "\u05db", "\u05dc", "\u05de", "\u05e0", "\u05e1",
		  "\u05e2", "\u05e4", "\u05e6" },
		{ "", "\u05e7", "\u05e8", "\u05e9", "\u05ea" },
	};
	const int64_t rest = n % 100;

	if (n > 499) {
		buf_addu(b, (uint64_t)n);
		return;
	}
	buf_adds(b, digits[2][n / 100]);
	if (rest == 15 || rest == 16) {
		buf_adds(b, "\u05d8");
		buf_adds(b, digits[0][rest - 9]);
	} else {
		buf_adds(b, digits[1][rest / 10]);
		buf_adds(b, digits[0][rest % 10]);
	}
}

/* Formats by letters, by digits, and by signs of their own, which are few. */
static const struct {
	const char *format, *alphabet;
} alphabets[] = {
	{ "russianLower", "\u0430\u0431\u0432\u0433\u0434\u0435\u0436\u0437\u0438\u043a"
	  "\u043b\u043c\u043d\u043e\u043f\u0440\u0441\u0442\u0443\u0444\u0445\u0446\u0447"
	  "\u0448\u0449\u044b\u044d\u044e\u044f" },
	{ "russianUpper", "\u0410\u0411\u0412\u0413\u0414\u0415\u0416\u0417\u0418\u041a"
	  "\u041b\u041c\u041d\u041e\u041f\u0420\u0421\u0422\u0423\u0424\u0425\u0426\u0427"
	  "\u0428\u0429\u042b\u042d\u042e\u042f" },
	{ "hebrew2", "\u05d0\u05d1\u05d2\u05d3\u05d4\u05d5\u05d6\u05d7\u05d8\u05d9\u05db"
	  "\u05dc\u05de\u05e0\u05e1\u05e2\u05e4\u05e6\u05e7\u05e8\u05e9\u05ea" },
	{ "arabicAlpha", "\u0623\u0628\u062a\u062b\u062c\u062d\u062e\u062f\u0630\u0631"
	  "\u0632\u0633\u0634\u0635\u0636\u0637\u0638\u0639\u063a\u0641\u0642\u0643\u0644"
	  "\u0645\u0646\u0647\u0648\u064a" },
	{ "arabicAbjad", "\u0623\u0628\u062c\u062f\u0647\u0648\u0632\u062d\u0637\u064a"
	  "\u0643\u0644\u0645\u0646\u0633\u0639\u0641\u0635\u0642\u0631\u0634\u062a\u062b"
	  "\u062e\u0630\u0636\u0638\u063a" },
	{ "ganada", "\uac00\ub098\ub2e4\ub77c\ub9c8\ubc14\uc0ac\uc544\uc790\ucc28\uce74"
	  "\ud0c0\ud30c\ud558" },
	{ "chosung", "\u3131\u3134\u3137\u3139\u3141\u3142\u3145\u3147\u3148\u314a\u314b"
	  "\u314c\u314d\u314e" },
	{ "aiueo", "\u30a2\u30a4\u30a6\u30a8\u30aa\u30ab\u30ad\u30af\u30b1\u30b3" },
	{ "aiueoFullWidth",
	  "\u30a2\u30a4\u30a6\u30a8\u30aa\u30ab\u30ad\u30af\u30b1\u30b3" },
	{ "iroha", "\u30a4\u30ed\u30cf\u30cb\u30db\u30d8\u30c8\u30c1\u30ea\u30cc" },
	{ "irohaFullWidth",
	  "\u30a4\u30ed\u30cf\u30cb\u30db\u30d8\u30c8\u30c1\u30ea\u30cc" },
	{ "ideographTraditional",
	  "\u7532\u4e59\u4e19\u4e01\u620a\u5df1\u5e9a\u8f9b\u58ec\u7678" },
	{ "ideographZodiac", "\u5b50\u4e11\u5bc5\u536f\u8fb0\u5df3\u5348\u672a\u7533\u9149"
	  "\u620c\u4ea5" },
	{ "thaiLetters", "\u0e01\u0e02\u0e04\u0e07\u0e08\u0e09\u0e0a\u0e0b\u0e0c\u0e0d" },
	{ "chicago", "*\u2020\u2021\u00a7" },
};

static const struct {
	const char *format;
	unsigned zero;
} scripts[] = {
	{ "decimalFullWidth", 0xff10 }, { "decimalFullWidth2", 0xff10 },
	{ "hindiNumbers", 0x966 }, { "thaiNumbers", 0xe50 },
};

static const struct {
	const char *format;
	unsigned one;
	int64_t most;
} signs[] = {
	{ "decimalEnclosedCircle", 0x2460, 20 },
	{ "decimalEnclosedCircleChinese", 0x2460, 20 },
	{ "decimalEnclosedParen", 0x2474, 20 },
	{ "decimalEnclosedFullstop", 0x2488, 20 },
};

/* As letters or signs that are not Latin. Returns whether there are such. */
static bool put_foreign(struct buf *b, int64_t n, const char *format)
{
	static const char *const ideographs[] = {
		"chineseCounting", "chineseCountingThousand", "ideographDigital",
		"japaneseCounting", "koreanCounting", "koreanDigital2",
		"taiwaneseCounting", "taiwaneseCountingThousand",
	};

	for (size_t i = 0; i < ARRAY_LEN(ideographs); i++)
		if (office_is(format, ideographs[i])) {
			put_ideographs(b, n);
			return true;
		}
	for (size_t i = 0; n && i < ARRAY_LEN(alphabets); i++)
		if (office_is(format, alphabets[i].format)) {
			put_alphabet(b, n, alphabets[i].alphabet);
			return true;
		}
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++)
		if (office_is(format, scripts[i].format)) {
			put_digits(b, n, scripts[i].zero);
			return true;
		}
	for (size_t i = 0; n && i < ARRAY_LEN(signs); i++)
		if (office_is(format, signs[i].format) && n <= signs[i].most) {
			extract_put_code(b, signs[i].one + (unsigned)n - 1);
			return true;
		}
	if (!office_is(format, "hebrew1"))
		return false;
	put_hebrew(b, n);
	return true;
}

/* A number as its format shows it (section 17.18.59); unknown ones in digits. */
static void put_number(struct buf *b, int64_t n, const char *format)
{
	n = MIN(MAX(n, 0), COUNT_MAX);
	if (put_foreign(b, n, format))
		return;
	if (office_is(format, "lowerRoman") || office_is(format, "upperRoman"))
		put_roman(b, n, *format == 'u');
	else if (office_is(format, "lowerLetter"))
		put_letters(b, n, 'a');
	else if (office_is(format, "upperLetter"))
		put_letters(b, n, 'A');
	else if (office_is(format, "decimalZero"))
		buf_addf(b, "%02lld", (long long)n);
	else if (office_is(format, "numberInDash"))
		buf_addf(b, "- %lld -", (long long)n);
	else if (office_is(format, "ordinal"))
		buf_addf(b, "%lld%s", (long long)n, n / 10 % 10 == 1 ? "th" :
			 n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" :
			 n % 10 == 3 ? "rd" : "th");
	else if (!office_is(format, "none"))
		buf_addu(b, (uint64_t)n);
}

static const struct level *level_of(const struct num *n, const struct definition *d,
				    int64_t at)
{
	return n->own[at] ? n->own[at] : &d->level[at];
}

static int64_t start_of(const struct num *n, const struct definition *d, int64_t at)
{
	return n->start[at] != LIST_NONE ? n->start[at] : level_of(n, d, at)->start;
}

/* The definition of a numbering, also by way of a style. */
static struct definition *definition_of(const struct office_list *l, const struct num *n)
{
	struct definition *d = in_range(n->definition) ?
		l->definitions[n->definition] : NULL;
	struct list_place place;
	const struct num *other;

	if (!d || !*d->link)
		return d;
	(void)office_list_style(l, d->link, &place);
	other = in_range(place.num) ? l->nums[place.num] : NULL;
	return other && in_range(other->definition) && l->definitions[other->definition]
		? l->definitions[other->definition] : d;
}

static void count(struct num *n, struct definition *d, int64_t at)
{
	if (n->start[at] != LIST_NONE) {
		/* It starts the list again once. */
		d->count[at] = n->start[at];
		n->start[at] = LIST_NONE;
	} else {
		d->count[at] = d->counted[at] ? d->count[at] + 1 : start_of(n, d, at);
	}
	d->counted[at] = true;
	for (int64_t i = at + 1; i < LIST_LEVELS; i++) {
		int64_t restart = level_of(n, d, i)->restart;

		if (restart == LIST_NONE || at < restart)
			d->counted[i] = false;
	}
}

static void put_label(struct buf *b, const struct num *n, const struct definition *d,
		      int64_t at)
{
	const struct level *v = level_of(n, d, at);

	for (const char *p = v->text; *p; p++) {
		int64_t i = *p == '%' ? p[1] - '1' : LIST_NONE;

		if (i < 0 || i >= LIST_LEVELS) {
			buf_addc(b, *p);
			continue;
		}
		put_number(b, i <= at && d->counted[i] ? d->count[i] : start_of(n, d, i),
			   v->legal ? "decimal" : level_of(n, d, i)->format);
		p++;
	}
}

bool office_list_count(struct office_list *l, struct list_place place, const char *style,
		       struct buf *label)
{
	struct num *n = l && in_range(place.num) ? l->nums[place.num] : NULL;
	struct definition *d = n ? definition_of(l, n) : NULL;
	int64_t at = place.level;

	if (!d)
		return place.num > 0;
	for (int64_t i = 0; at == LIST_NONE && *style && i < LIST_LEVELS; i++)
		if (office_is(level_of(n, d, i)->style, style))
			at = i;
	at = MIN(MAX(at, 0), LIST_LEVELS - 1);
	count(n, d, at);
	if (!office_is(level_of(n, d, at)->format, "bullet"))
		put_label(label, n, d, at);
	return place.num > 0;
}

/* -- reading both parts --- */

static void no_text(struct office_walk *w, const char *s)
{
	(void)w;
	(void)s;
}

static void read_part(struct office_walk *w, const char *type, office_element *element)
{
	const char *name = office_linked_type(w, type);
	char usual[64];

	snprintf(usual, sizeof(usual), "word/%s.xml", type);
	(void)!office_each(w, office_part(w->parts, name ? name : usual), element,
			   no_text);
}

void office_list_read(struct office_walk *w)
{
	struct office_list *l = xcalloc(1, sizeof(*l));

	w->list = l;
	read_part(w, "styles", style);
	if (l->n_styles)
		qsort(l->styles, l->n_styles, sizeof(*l->styles), by_id);
	read_part(w, "numbering", numbering);
}

void office_list_free(struct office_list *l)
{
	for (int i = 0; l && i < NUMS; i++) {
		for (int k = 0; l->nums[i] && k < LIST_LEVELS; k++)
			free(l->nums[i]->own[k]);
		free(l->nums[i]);
		free(l->definitions[i]);
	}
	free(l ? l->styles : NULL);
	free(l);
}
