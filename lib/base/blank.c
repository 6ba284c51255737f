/* SPDX-License-Identifier: MIT */
#include "base/blank.h"

#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"

#include "base/banned.h"

static const char *const type_names[] = {
	[BLANK_TEXT] = "text", [BLANK_CHOICE] = "choice",
	[BLANK_DATE] = "date", [BLANK_RECORD] = "record",
};

struct parsing {
	struct str text;
	struct arena *a;
	struct blank *v;
	size_t n;
	const char *at;		/* of the blank that is being read: its {{ */
	struct err *e;
};

/* "body, line 2, column 5: " and what is wrong. */
static int broken(const struct parsing *p, const char *what)
{
	const char *line = p->text.p;
	int number = 1;

	for (const char *q = p->text.p; q < p->at; q++)
		if (*q == '\n') {
			number++;
			line = q + 1;
		}
	return err_field(p->e, ERR_INVALID_FIELD, "body",
			 "body, line %d, column %zu: %s", number,
			 utf8_chars((struct str){ line, (size_t)(p->at - line) })
			 + 1, what);
}

static const char *find_mark(struct str in, const char *what)
{
	return in.n ? memmem(in.p, in.n, what, strlen(what)) : NULL;
}

static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
			return false;
	return s.n && utf8_chars(s) <= LIM_BLANK_CHARS;
}

static bool is_dataset(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!(c == '_' || (c >= 'a' && c <= 'z') ||
		      (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')))
			return false;
	}
	return s.n && s.n <= LIM_SLUG_BYTES;
}

static int read_choices(struct parsing *p, struct str rest, struct blank *b)
{
	struct str *v = arena_zalloc(p->a, LIM_BLANK_CHOICES, sizeof(*v));

	while (rest.p) {
		struct str one = str_trim(str_cut(&rest, '|'));

		if (!is_name(one))
			return broken(p, "each choice must have 1 to "
				      STRINGIFY(LIM_BLANK_CHARS) " characters.");
		if (b->n_choices == LIM_BLANK_CHOICES)
			return broken(p, "there may be at most "
				      STRINGIFY(LIM_BLANK_CHOICES) " choices.");
		v[b->n_choices++] = one;
	}
	b->choices = v;
	return b->n_choices ? 0 : broken(p, "a choice needs its choices: "
					 "{{Tone: choice: friendly | formal}}.");
}

static int read_type(struct parsing *p, struct str rest, struct blank *b)
{
	struct str type = str_trim(str_cut(&rest, ':'));
	size_t i = 0;

	while (i < ARRAY_LEN(type_names) && !str_is(type, type_names[i]))
		i++;
	if (i == ARRAY_LEN(type_names))
		return broken(p, "the type of a blank is text, choice, date or "
			      "record.");
	b->type = (enum blank_type)i;
	if (b->type == BLANK_CHOICE)
		return read_choices(p, rest, b);
	if (b->type == BLANK_RECORD) {
		b->dataset = str_trim(rest);
		return is_dataset(b->dataset) ? 0
			: broken(p, "a record needs its dataset: "
				 "{{Ticket: record: tickets}}.");
	}
	return rest.p ? broken(p, "nothing may follow text or date.") : 0;
}

static bool same(const struct blank *x, const struct blank *y)
{
	if (x->type != y->type || !str_eq(x->dataset, y->dataset) ||
	    x->n_choices != y->n_choices)
		return false;
	for (size_t i = 0; i < x->n_choices; i++)
		if (!str_eq(x->choices[i], y->choices[i]))
			return false;
	return true;
}

/* Parses the text between the braces. */
static int read_blank(struct parsing *p, struct str inner)
{
	struct blank b = { .type = BLANK_TEXT };
	struct str rest = inner;
	bool typed;

	b.name = str_trim(str_cut(&rest, ':'));
	typed = rest.p != NULL;
	if (!is_name(b.name) || find_mark(inner, "{"))
		return broken(p, "a blank must have a name of 1 to "
			      STRINGIFY(LIM_BLANK_CHARS) " characters on one line, "
			      "such as {{Customer}}.");
	if (typed && read_type(p, rest, &b) < 0)
		return -1;
	for (size_t i = 0; i < p->n; i++)
		if (str_eq(p->v[i].name, b.name))
			return !typed || same(&p->v[i], &b) ? 0
				: broken(p, "this blank has another type "
					 "further up.");
	if (p->n == LIM_BLANKS)
		return broken(p, "there may be at most " STRINGIFY(LIM_BLANKS)
			      " blanks.");
	p->v[p->n++] = b;
	return 0;
}

int blank_parse(struct str text, struct arena *a,
		struct blank **out, size_t *n, struct err *e)
{
	struct parsing p = {
		.text = text, .a = a, .e = e,
		.v = arena_zalloc(a, LIM_BLANKS, sizeof(*p.v)),
	};
	struct str rest = text;
	const char *end;

	while ((p.at = find_mark(rest, "{{")) != NULL) {
		rest = (struct str){ p.at + 2, (size_t)(text.p + text.n -
							(p.at + 2)) };
		if (p.at > text.p && p.at[-1] == '\\')
			continue;
		end = find_mark(rest, "}}");
		if (!end)
			return broken(&p, "this blank has no end: }} is missing.");
		if (read_blank(&p, (struct str){ rest.p,
						 (size_t)(end - rest.p) }) < 0)
			return -1;
		rest = (struct str){ end + 2,
				     (size_t)(text.p + text.n - (end + 2)) };
	}
	*out = p.v;
	*n = p.n;
	return 0;
}

/* The number of the blank with this text between its braces, or n. */
static size_t number_of(struct str inner, const struct blank *v, size_t n)
{
	struct str name = str_trim(str_cut(&inner, ':'));
	size_t i = 0;

	while (i < n && !str_eq(v[i].name, name))
		i++;
	return i;
}

/* The end of the blank whose text begins with rest: no blank has a brace in it. */
static const char *end_of(struct str rest)
{
	const char *brace = rest.n ? memchr(rest.p, '{', rest.n) : NULL;

	return find_mark((struct str){ rest.p, brace ? (size_t)(brace - rest.p) : rest.n },
			 "}}");
}

void blank_fill(struct str text, const struct blank *v,
		const struct str *values, size_t n, struct buf *out)
{
	const char *last = text.p + text.n, *at, *end;
	struct str rest = text;

	while ((at = find_mark(rest, "{{")) != NULL) {
		bool plain = at > rest.p && at[-1] == '\\';
		size_t i;

		buf_add(out, rest.p, (size_t)(at - rest.p) - plain);
		rest = (struct str){ at + 2, (size_t)(last - (at + 2)) };
		end = plain ? NULL : end_of(rest);
		i = end ? number_of((struct str){ rest.p, (size_t)(end - rest.p) },
				    v, n) : n;
		if (i == n) {
			buf_adds(out, "{{");
			continue;
		}
		buf_addstr(out, values[i]);
		rest = (struct str){ end + 2, (size_t)(last - (end + 2)) };
	}
	buf_addstr(out, rest);
}

enum { BRACES = 1, HOLE = 2 };	/* no characters of a text */

/* Appends s without spaces; {{ becomes BRACES and, of a body, a blank HOLE. */
static void squeeze(struct str s, bool is_body, struct buf *out)
{
	const char *last = s.p + s.n, *end;

	for (const char *p = s.p; p < last; p++) {
		if (strchr(" \t\r\n", *p) && *p)
			continue;
		if (last - p < 2 || p[0] != '{' || p[1] != '{') {
			buf_addc(out, *p);
			continue;
		}
		end = NULL;
		if (is_body && p > s.p && p[-1] == '\\')
			out->n--;
		else if (is_body)
			end = end_of((struct str){ p + 2, (size_t)(last - p) - 2 });
		buf_addc(out, end ? HOLE : BRACES);
		p = end ? end + 1 : p + 1;
	}
}

bool blank_filled(struct str text, struct str body)
{
	struct buf t = BUF_INIT(text.n), b = BUF_INIT(body.n);
	struct str in, rest, piece;
	bool ok;

	squeeze(text, false, &t);
	squeeze(body, true, &b);
	in = buf_str(&t);
	rest = buf_str(&b);
	piece = str_cut(&rest, HOLE);
	ok = str_starts(in, piece) && (rest.p || in.n == piece.n);
	in = (struct str){ in.p + piece.n, ok ? in.n - piece.n : 0 };
	while (ok && rest.p) {
		const char *at;

		piece = str_cut(&rest, HOLE);
		if (!rest.p) {	/* the last one ends the text */
			ok = in.n >= piece.n && (!piece.n || !memcmp(
				in.p + in.n - piece.n, piece.p, piece.n));
			break;
		}
		at = piece.n && in.n ? memmem(in.p, in.n, piece.p, piece.n) : in.p;
		ok = at && in.n >= piece.n;
		if (ok)
			in = (struct str){ at + piece.n, (size_t)(in.p + in.n - at)
				- piece.n };
	}
	buf_release(&t);
	buf_release(&b);
	return ok;
}

void blank_write(struct jw *w, const struct blank *v, size_t n)
{
	jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		jw_obj(w);
		jw_kstr(w, "name", v[i].name);
		jw_kstrz(w, "type", type_names[v[i].type]);
		jw_key(w, "choices");
		jw_arr(w);
		for (size_t k = 0; k < v[i].n_choices; k++)
			jw_str(w, v[i].choices[k]);
		jw_end_arr(w);
		jw_kstr(w, "dataset", v[i].dataset);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}
