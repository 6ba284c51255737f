/* SPDX-License-Identifier: MIT */
#include "search/chunk.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "search/lines.h"
#include "search/records.h"

#include "base/banned.h"

enum {
	CHARS = 1600,		/* per chunk: about 400 tokens of 4 characters */
	TABLE_CHARS = 4800,	/* longest table that is not split */
	LEVELS = 6,
	HEADING_BYTES = 4 * LIM_HEADING_CHARS,
	LONGEST_MS = 10000,	/* 8 MiB take 0.1 s */
	LINES_TOGETHER = 1024,	/* between two looks at the clock */
};

/* A paragraph or a table that is being read: [from, to), with its last line. */
struct passage {
	size_t from, to, last;
	bool table;
	bool raw;		/* code or the like is in it */
};

struct cutting {
	struct str text;
	struct arena *a;
	struct chunk *v;
	size_t n, room;
	struct str heads[LEVELS];
	struct str heading;	/* heads, joined */
	size_t headings_bytes;	/* of all of these so far */
	bool empty_heading;	/* no text after the last heading yet */
	size_t heading_at;
	bool paged;
	int page;
	/* the current chunk: [from, to), and its length in characters */
	size_t from, to, chars;
	int from_page;
	struct passage block;
	int64_t until_ms;
	struct err *e;
};

static int add_text(struct cutting *c, struct str text, size_t at, int page)
{
	if (!str_trim(text).n)
		return 0;
	if (c->n == LIM_CHUNKS)
		return err_public(c->e, ERR_TOO_BIG, "The text is too long: it "
				  "has more than %d passages.", LIM_CHUNKS);
	c->v = arena_room(c->a, c->v, c->n, 1, &c->room, sizeof(*c->v));
	while (text.n && strchr(" \t\r\n\f", text.p[0]))
		text.p++, text.n--, at++;
	while (text.n && strchr(" \t\r\n\f", text.p[text.n - 1]))
		text.n--;
	c->v[c->n++] = (struct chunk){
		.heading = c->heading, .text = text,
		.page = c->paged ? page : 0, .at = at,
	};
	c->empty_heading = false;
	return arena_check(c->a, c->e);
}

static int flush(struct cutting *c)
{
	int rc = 0;

	if (c->to > c->from)
		rc = add_text(c, (struct str){ c->text.p + c->from, c->to - c->from },
			      c->from, c->from_page);
	c->from = c->to = c->chars = 0;
	return rc;
}

/* Ends a section; a heading without text becomes a chunk. */
static int end_heading(struct cutting *c)
{
	struct str text = { NULL, 0 };

	if (flush(c))
		return -1;
	for (size_t i = LEVELS; !text.n && i-- > 0; )
		text = c->heads[i];
	return c->empty_heading ? add_text(c, text, c->heading_at, c->page) : 0;
}

/*
 * The path of the last heading, of at most LIM_HEADINGS_CHARS. Once all paths together
 * are longer than the text, as only a text of nothing but headings has them, a path is
 * the heading alone: an index does not grow faster than its text.
 */
static struct str join_heads(struct cutting *c, size_t level)
{
	struct buf b = BUF_INIT(LEVELS * (LIM_HEADING_CHARS * 4 + 3));
	size_t from = level - 1, chars = utf8_chars(c->heads[from]);
	struct str path;

	while (from && c->headings_bytes <= c->text.n) {
		chars += utf8_chars(c->heads[from - 1]) + 3;
		if (chars > LIM_HEADINGS_CHARS)
			break;
		from--;
	}
	for (size_t i = from; i < level; i++) {
		if (!c->heads[i].n)
			continue;
		if (b.n)
			buf_adds(&b, " > ");
		buf_addstr(&b, c->heads[i]);
	}
	path = arena_str(c->a, buf_str(&b));
	buf_release(&b);
	c->headings_bytes += path.n;
	return path;
}

static int new_heading(struct cutting *c, size_t level, struct str text,
		       size_t at)
{
	/* A heading followed by a subheading is part of the subheading's path. */
	if (c->empty_heading && level > 1 && c->heads[level - 2].n &&
	    !c->heads[level - 1].n)
		c->empty_heading = false;
	if (end_heading(c))
		return -1;
	c->heads[level - 1] = text;
	for (size_t i = level; i < LEVELS; i++)
		c->heads[i] = (struct str){ NULL, 0 };
	c->heading = join_heads(c, level);
	c->empty_heading = true;
	c->heading_at = at;
	return 0;
}

/*
 * The byte offset at which to cut s, after at most CHARS characters: after a sentence,
 * else after a word, else anywhere.
 */
static size_t cut_at(struct str s)
{
	size_t most = utf8_head(s, CHARS).n;

	if (most == s.n)
		return most;
	for (size_t i = most; i > most / 2; i--)
		if (strchr(" \n\t", s.p[i - 1]) && i > 1 &&
		    strchr(".!?;:", s.p[i - 2]))
			return i;
	for (size_t i = most; i > most / 2; i--)
		if (strchr(" \n\t", s.p[i - 1]) ||
		    (i > 2 && !memcmp(s.p + i - 3, "\xe3\x80\x82", 3)))
			return i;
	return most;
}

/* Adds [from, to), a paragraph or a line, to the current chunk. */
static int add_block(struct cutting *c, size_t from, size_t to)
{
	size_t chars = utf8_chars((struct str){ c->text.p + from, to - from });

	/* What is between two paragraphs, such as empty pages, is part of the chunk. */
	if (c->chars && (c->chars + chars > CHARS || from - c->to > CHARS) && flush(c))
		return -1;
	while (chars > CHARS) {
		struct str s = { c->text.p + from, to - from };
		size_t cut = cut_at(s);

		if (add_text(c, (struct str){ s.p, cut }, from, c->page))
			return -1;
		from += cut;
		chars -= utf8_chars((struct str){ s.p, cut });
	}
	if (from == to)
		return 0;
	if (!c->chars) {
		c->from = from;
		c->from_page = c->page;
	}
	c->to = to;
	c->chars += chars;
	return 0;
}

/* -- tables --------------------------------------------------------------------------- */

static struct str slice(const struct cutting *c, size_t from, size_t to)
{
	return (struct str){ c->text.p + from, to - from };
}

/* The end of the line that begins at byte i. */
static size_t line_end(struct str s, size_t i)
{
	const char *p = memchr(s.p + i, '\n', s.n - i);

	return p ? (size_t)(p - s.p) + 1 : s.n;
}

/* Whether the line separates the head of a table from its rows. */
static bool is_table_rule(struct str line)
{
	line = str_trim(line);
	for (size_t i = 0; i < line.n; i++)
		if (!line.p[i] || !strchr("|-: \t", line.p[i]))
			return false;
	return line.n > 2;
}

/* Adds rows of a table, split if they are too long, each piece with the head first. */
static int put_rows(struct cutting *c, struct str head, struct str rows, size_t at)
{
	struct str text, some;
	struct buf b = BUF_INIT(16 * TABLE_CHARS + head.n);
	int rc = 0;

	while (!rc && rows.n) {
		some = utf8_head(rows, TABLE_CHARS);
		text = some;
		if (head.n) {
			buf_reset(&b);
			buf_addstr(&b, head);
			buf_addstr(&b, some);
			text = arena_str(c->a, buf_str(&b));
		}
		if (str_trim(some).n)
			rc = add_text(c, text, at, c->page);
		at += some.n;
		rows.p += some.n;
		rows.n -= some.n;
	}
	buf_release(&b);
	return rc;
}

/*
 * Adds the rows of a table from byte `at` of s on, which begins at byte `from` of the text,
 * as many together as fit; records: how they end; NULL: with their line. A head that is
 * not too long is repeated in each chunk.
 */
static int cut_table(struct cutting *c, size_t from, struct str s, struct str head,
		     size_t at, struct records *records)
{
	if (utf8_chars(head) > CHARS) {
		at -= head.n;
		head.n = 0;
	}
	while (at < s.n) {
		size_t start = at, chars = 0;

		while (at < s.n && chars < CHARS) {
			const size_t end = records ? records_end(records, at)
				: line_end(s, at);
			const size_t n = utf8_chars((struct str){ s.p + at,
								  end - at });

			if (chars && chars + n > TABLE_CHARS)
				break;
			chars += n;
			at = end;
		}
		if (put_rows(c, head, (struct str){ s.p + start, at - start },
			     from + start))
			return -1;
	}
	return 0;
}

static int add_table(struct cutting *c, size_t from, size_t to)
{
	const struct str s = slice(c, from, to);
	const size_t chars = utf8_chars(s);
	size_t head, rule;

	if (chars <= CHARS)
		return add_block(c, from, to);
	if (flush(c))
		return -1;
	if (chars <= TABLE_CHARS)
		return add_text(c, s, from, c->page);
	head = line_end(s, 0);
	rule = line_end(s, head);
	if (!is_table_rule((struct str){ s.p + head, rule - head }))
		rule = 0;
	return cut_table(c, from, s, (struct str){ s.p, rule }, rule, NULL);
}

static int add_records(struct cutting *c, size_t from, struct records *r)
{
	struct str head = { r->text.p + r->head_at, r->head_n };

	if (flush(c))
		return -1;
	return utf8_chars(r->text) <= TABLE_CHARS ? add_text(c, r->text, from, c->page)
		: cut_table(c, from, r->text, head, r->at, r);
}

/* -- paragraphs ----------------------------------------------------------------------- */

static int end_block(struct cutting *c)
{
	const struct passage b = c->block;
	const struct str s = slice(c, b.from, b.to);
	struct records r;

	c->block = (struct passage){ .from = 0 };
	if (!s.n)
		return 0;
	if (b.table)
		return add_table(c, b.from, b.to);
	if (!b.raw && s.n > CHARS && utf8_chars(s) > CHARS && records_detect(s, &r))
		return add_records(c, b.from, &r);
	return add_block(c, b.from, b.to);
}

static int add_line(struct cutting *c, const struct text_line *x)
{
	struct passage *b = &c->block;
	const bool table = x->kind == LINE_ROW;

	if (b->to > b->from && b->table != table && end_block(c))
		return -1;
	if (b->to == b->from)
		*b = (struct passage){ .from = x->at, .table = table };
	b->last = x->at;
	b->to = x->at + x->text.n;
	b->raw |= x->raw;
	return 0;
}

/* Whether a line above a rule may belong to a heading: no item of a list, no code. */
static bool may_head(struct str s)
{
	size_t i = 0;

	if (strchr("\t>", s.p[0]) || (s.n > 3 && !memcmp(s.p, "    ", 4)))
		return false;
	while (i < s.n && s.p[i] == ' ')
		i++;
	if (i + 1 < s.n && strchr("-*+", s.p[i]) && s.p[i] && s.p[i + 1] == ' ')
		return false;
	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	return !(i && i + 1 < s.n && (s.p[i] == '.' || s.p[i] == ')') &&
		 s.p[i - 1] >= '0' && s.p[i - 1] <= '9' && s.p[i + 1] == ' ');
}

/* [from, to) on one line, as a heading; empty: it is none. In c->a. */
static struct str underlined(struct cutting *c, size_t from, size_t to)
{
	struct str s = slice(c, from, to);
	char *p;

	if (!s.n || s.n > HEADING_BYTES || !may_head(s) ||
	    utf8_chars(str_trim(s)) > LIM_HEADING_CHARS)
		return (struct str){ NULL, 0 };
	s = str_trim(s);
	p = arena_memdup(c->a, s.p, s.n);
	for (size_t i = 0; i < s.n; i++)
		if (p[i] == '\n' || p[i] == '\r')
			p[i] = ' ';
	return (struct str){ p, s.n };
}

/* A rule makes the paragraph above it a heading, or only its last line if it is long. */
static int add_rule(struct cutting *c, const struct text_line *x)
{
	struct passage b = c->block;
	struct str heading = { NULL, 0 };

	if (!b.table && !b.raw) {
		heading = underlined(c, b.from, b.to);
		if (!heading.n)
			heading = underlined(c, b.last, b.to);
		else
			b.last = b.from;
	}
	if (!heading.n)
		return add_line(c, x) ? -1 : end_block(c);
	c->block.to = b.last;	/* what remains above it */
	return end_block(c) ? -1 : new_heading(c, x->level, heading, b.last);
}

/* -- pages ---------------------------------------------------------------------------- */

/*
 * A chunk of some length ends with its page. At a page mark every chunk ends, because
 * sources are opened at the page of the chunk.
 */
static int new_page(struct cutting *c, int page, bool marked)
{
	c->page = page;
	return marked || c->chars > CHARS / 4 ? flush(c) : 0;
}

static bool has_pages(struct str text)
{
	struct lines lines = { .text = text };
	struct text_line x;

	while (lines_next(&lines, &x))
		if (x.kind == LINE_FEED || x.kind == LINE_PAGE)
			return true;
	return false;
}

static int take_line(struct cutting *c, const struct text_line *x, size_t i)
{
	if (i % LINES_TOGETHER == 0 && clock_mono_ms() > c->until_ms)
		return err_public(c->e, ERR_TOO_BIG, "The text takes too long to be cut "
				  "into passages.");
	switch (x->kind) {
	case LINE_TEXT:
	case LINE_ROW:
		return add_line(c, x);
	case LINE_RULE:
		return add_rule(c, x);
	case LINE_BLANK:
		return end_block(c);
	case LINE_HEADING:
		return end_block(c) ? -1 : new_heading(c, x->level, x->heading, x->at);
	case LINE_FEED:
		return end_block(c) ? -1 : new_page(c, c->page + 1, false);
	case LINE_PAGE:
		return end_block(c) ? -1 : new_page(c, x->page, true);
	}
	return 0;
}

int chunk_split(struct str text, struct arena *a, struct chunk **out, size_t *n,
		struct err *e)
{
	struct cutting c = {
		.text = text, .a = a, .page = 1, .e = e,
		.paged = has_pages(text), .until_ms = clock_mono_ms() + LONGEST_MS,
	};
	struct lines lines = { .text = text };
	struct records r;
	struct text_line x;
	int rc = 0;

	if (!c.paged && records_detect(text, &r))
		rc = add_records(&c, 0, &r);
	else
		for (size_t i = 1; !rc && lines_next(&lines, &x); i++)
			rc = take_line(&c, &x, i);
	if (!rc)
		rc = end_block(&c) ? -1 : end_heading(&c);
	*out = c.v;
	*n = c.n;
	return rc;
}
