/* SPDX-License-Identifier: MIT */
#include "search/lines.h"

#include <strings.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "base/util.h"

#include "base/banned.h"

enum {
	LEVELS = 6,
	INDENT = 3,		/* blanks before a heading; more are code */
	FENCE = 3, RULE = 3,	/* shortest ones; "-- " begins the signature of a mail */
};

int line_page_mark(struct str line)
{
	const struct str before = STR("<!-- page ");
	struct str number;
	int64_t page;

	line = str_trim(line);
	if (!str_starts(line, before))
		return 0;
	line.p += before.n;
	line.n -= before.n;
	number = str_cut(&line, ' ');
	return str_is(line, "-->") && str_int(number, &page) && page > 0 &&
	       page <= LIM_PAGE_MARK ? (int)page : 0;
}

static size_t run_of(struct str s, char c)
{
	size_t n = 0;

	while (n < s.n && s.p[n] == c)
		n++;
	return n;
}

static struct str behind(struct str s, size_t n)
{
	return (struct str){ s.p + n, s.n - n };
}

/* -- text that is shown as it is ----------------------------------------------------- */

static const struct {
	const char *begin, *end;
} shown[] = {
	{ "<!--", "-->" }, { "<pre", "</pre>" }, { "<script", "</script>" },
	{ "<style", "</style>" }, { "<textarea", "</textarea>" },
};

/* Whether s contains `what`, whose first character is no letter, in any case. */
static bool holds(struct str s, const char *what)
{
	const size_t n = strlen(what);

	while (s.n >= n) {
		const char *at = memchr(s.p, *what, s.n - n + 1);

		if (!at)
			return false;
		if (strncasecmp(at, what, n) == 0)
			return true;
		s = behind(s, (size_t)(at - s.p) + 1);
	}
	return false;
}

static bool begins_html(struct lines *l, struct str line)
{
	for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
		const size_t n = strlen(shown[i].begin);

		if (line.n < n || strncasecmp(line.p, shown[i].begin, n) != 0)
			continue;
		if (i && line.n > n && !strchr(" \t>", line.p[n]))
			continue;	/* <preface> */
		if (!holds(behind(line, n), shown[i].end))
			l->html = shown[i].end;
		return true;
	}
	return false;
}

static bool begins_fence(struct lines *l, struct str line)
{
	const char c = line.p[0];
	const size_t n = c == '`' || c == '~' ? run_of(line, c) : 0;

	if (n < FENCE || (c == '`' && memchr(line.p + n, '`', line.n - n)))
		return false;
	l->fence = c;
	l->fence_n = n;
	return true;
}

/* Whether the line, without blanks around it, is within such text; it may end it. */
static bool is_within(struct lines *l, struct str line)
{
	if (l->fence) {
		const size_t n = run_of(line, l->fence);

		if (n >= l->fence_n && n == line.n)
			l->fence = 0;
		return true;
	}
	if (l->html) {
		if (holds(line, l->html))
			l->html = NULL;
		return true;
	}
	if (l->front) {
		if (line.n == RULE && (run_of(line, l->front) == RULE ||
				       str_is(line, "...")))
			l->front = 0;
		return true;
	}
	return false;
}

/* Whether such text begins with the line, which has no blanks around it. */
static bool begins_raw(struct lines *l, size_t at, struct str line)
{
	if (at == 0 && (str_is(line, "---") || str_is(line, "+++"))) {
		l->front = line.p[0];
		return true;
	}
	return begins_fence(l, line) || begins_html(l, line);
}

static void end_raw(struct lines *l)
{
	l->fence = l->front = 0;
	l->html = NULL;
}

/* -- headings ------------------------------------------------------------------------ */

/* Level of a heading and its words; 0: the line is none. A line that is too long is text. */
static size_t heading(struct str line, struct str *out)
{
	const size_t level = run_of(line, '#');
	struct str s;
	size_t end;

	if (!level || level > LEVELS || level == line.n ||
	    (line.p[level] != ' ' && line.p[level] != '\t'))
		return 0;
	s = str_trim(behind(line, level));
	for (end = s.n; end && s.p[end - 1] == '#'; end--)
		continue;
	if (end && end < s.n && (s.p[end - 1] == ' ' || s.p[end - 1] == '\t'))
		s = str_trim((struct str){ s.p, end });
	*out = s;
	return s.n && utf8_chars(s) <= LIM_HEADING_CHARS ? level : 0;
}

/* The level of the heading that the line would underline; 0: it is no rule. */
static size_t rule(struct str line)
{
	const char c = line.p[0];

	if ((c != '=' && c != '-') || line.n < RULE || run_of(line, c) != line.n)
		return 0;
	return c == '=' ? 1 : 2;
}

static void classify(struct lines *l, struct text_line *x)
{
	const struct str line = str_trim(x->text);
	const size_t blanks = run_of(x->text, ' ');

	x->page = line_page_mark(line);
	if (x->page) {		/* nothing continues on the next page */
		end_raw(l);
		x->kind = LINE_PAGE;
		return;
	}
	if (!line.n) {
		l->front = 0;
		x->kind = LINE_BLANK;
		return;
	}
	x->kind = LINE_TEXT;
	x->raw = is_within(l, line) || begins_raw(l, x->at, line);
	if (x->raw)
		return;
	if (line.p[0] == '|')
		x->kind = LINE_ROW;
	if (blanks > INDENT || x->text.p[blanks] == '\t')
		return;
	x->level = heading(line, &x->heading);
	if (x->level) {
		x->kind = LINE_HEADING;
		return;
	}
	x->level = rule(line);
	if (x->level)
		x->kind = LINE_RULE;
}

bool lines_next(struct lines *l, struct text_line *out)
{
	const struct str rest = behind(l->text, l->at);
	const char *p;

	*out = (struct text_line){ .kind = LINE_FEED, .at = l->at };
	if (!rest.n)
		return false;
	if (l->at >= l->end) {
		p = memchr(rest.p, '\n', rest.n);
		l->end = p ? (size_t)(p - l->text.p) + 1 : l->text.n;
	}
	p = memchr(rest.p, '\f', l->end - l->at);
	out->text = (struct str){ rest.p, p == rest.p ? 1
		: p ? (size_t)(p - rest.p) : l->end - l->at };
	l->at += out->text.n;
	if (p == rest.p)
		end_raw(l);
	else
		classify(l, out);
	return true;
}
