#include "search/chunk.h"

#include "base/limits.h"
#include "base/utf8.h"

#include "base/banned.h"

enum {
	CHARS = 1600,		/* per chunk: about 400 tokens of 4 characters */
	TABLE_CHARS = 4800,	/* longest table that is not split */
	LEVELS = 6,
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
	struct err *e;
};

static int put(struct cutting *c, struct str text, size_t at, int page)
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
		rc = put(c, (struct str){ c->text.p + c->from, c->to - c->from },
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
	return c->empty_heading ? put(c, text, c->heading_at, c->page) : 0;
}

/* Level of a heading and its text; 0: the line is not a heading. */
static size_t heading_level(struct str line, struct str *text)
{
	size_t level = 0;

	while (level < line.n && line.p[level] == '#')
		level++;
	if (!level || level > LEVELS || level == line.n || line.p[level] != ' ')
		return 0;
	*text = str_trim((struct str){ line.p + level, line.n - level });
	*text = utf8_head(*text, LIM_HEADING_CHARS);
	return text->n ? level : 0;
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

	if (c->chars && c->chars + chars > CHARS && flush(c))
		return -1;
	while (chars > CHARS) {
		struct str s = { c->text.p + from, to - from };
		size_t cut = cut_at(s);

		if (put(c, (struct str){ s.p, cut }, from, c->page))
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

static struct str line_at(struct str text, size_t i)
{
	const char *end = memchr(text.p + i, '\n', text.n - i);

	return (struct str){ text.p + i,
			     end ? (size_t)(end - text.p) - i + 1 : text.n - i };
}

static bool is_row(struct str line)
{
	while (line.n && (line.p[0] == ' ' || line.p[0] == '\t'))
		line.p++, line.n--;
	return line.n && line.p[0] == '|';
}

/* Whether the line separates the head of a table from its rows. */
static bool is_rule(struct str line)
{
	line = str_trim(line);
	for (size_t i = 0; i < line.n; i++)
		if (!strchr("|-: \t", line.p[i]))
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
			rc = put(c, text, at, c->page);
		at += some.n;
		rows.p += some.n;
		rows.n -= some.n;
	}
	buf_release(&b);
	return rc;
}

/* Splits a table that is too long; a short head is repeated in each chunk. */
static int cut_table(struct cutting *c, size_t from, size_t to, size_t head_n)
{
	struct str head = { c->text.p + from, head_n };
	size_t at = from + head_n;

	if (utf8_chars(head) >= CHARS / 2) {
		head.n = 0;
		at = from;
	}
	while (at < to) {
		size_t start = at, chars = 0;

		while (at < to && (at == start || chars < CHARS)) {
			struct str line = line_at(c->text, at);

			line.n = MIN(line.n, to - at);
			chars += utf8_chars(line);
			at += line.n;
		}
		if (put_rows(c, head, (struct str){ c->text.p + start, at - start },
			     start))
			return -1;
	}
	return 0;
}

static int add_table(struct cutting *c, size_t from, size_t to)
{
	size_t chars = utf8_chars((struct str){ c->text.p + from, to - from });
	struct str first = line_at(c->text, from);
	struct str rule = { NULL, 0 };

	if (chars <= CHARS)
		return add_block(c, from, to);
	if (flush(c))
		return -1;
	if (chars <= TABLE_CHARS)
		return put(c, (struct str){ c->text.p + from, to - from }, from,
			   c->page);
	if (from + first.n < to)
		rule = line_at(c->text, from + first.n);
	return cut_table(c, from, to, is_rule(rule) ? first.n + rule.n : 0);
}

int chunk_page_mark(struct str line)
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

/* The end of the table, or of the paragraph, that begins at i. */
static size_t block_end(struct str text, size_t i, bool table)
{
	struct str said;

	while (i < text.n) {
		struct str line = line_at(text, i);

		if (!str_trim(line).n || memchr(line.p, '\f', line.n) ||
		    is_row(line) != table || heading_level(line, &said) ||
		    chunk_page_mark(line))
			break;
		i += line.n;
	}
	return i;
}

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
	size_t i = 0;

	if (text.n && memchr(text.p, '\f', text.n))
		return true;
	while (i < text.n) {
		struct str line = line_at(text, i);

		if (chunk_page_mark(line))
			return true;
		i += line.n;
	}
	return false;
}

int chunk_split(struct str text, struct arena *a, struct chunk **out, size_t *n,
		struct err *e)
{
	struct cutting c = {
		.text = text, .a = a, .page = 1, .e = e,
		.paged = has_pages(text),
	};
	size_t i = 0;
	int rc = 0;

	while (!rc && i < text.n) {
		struct str line = line_at(text, i), said;
		const char *feed = memchr(line.p, '\f', line.n);
		size_t level, end;
		int page;

		if (feed) {	/* add the text before and after it separately */
			size_t before = (size_t)(feed - line.p);

			if (before)
				rc = add_block(&c, i, i + before);
			if (!rc)
				rc = new_page(&c, c.page + 1, false);
			i += before + 1;
			continue;
		}
		page = chunk_page_mark(line);
		if (page) {
			rc = new_page(&c, page, true);
			i += line.n;
			continue;
		}
		level = heading_level(line, &said);
		if (level) {
			rc = new_heading(&c, level, said, i);
			i += line.n;
			continue;
		}
		if (!str_trim(line).n) {
			i += line.n;
			continue;
		}
		end = MAX(block_end(text, i, is_row(line)), i + line.n);
		rc = is_row(line) ? add_table(&c, i, end) : add_block(&c, i, end);
		i = end;
	}
	if (!rc)
		rc = end_heading(&c);
	*out = c.v;
	*n = c.n;
	return rc;
}
