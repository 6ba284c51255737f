/* SPDX-License-Identifier: MIT */
#include "html.h"

#include <ctype.h>
#include <md4c.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"

#include "base/banned.h"

#define GROWTH      8		/* limit of markup, times its source … */
#define SLACK_BYTES 65536	/* … plus this */
#define MOST_STEPS  32000000	/* of the parser: some ten milliseconds */

/* -- text ------------------------------------------------------------------- */

static const char *entity_of(unsigned char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&#39;";
	case '\t': case '\n': return NULL;
	default: return c < 0x20 || c == 0x7f ? "\xef\xbf\xbd" : NULL;
	}
}

static void escape(struct buf *b, struct str s, const char *line_end)
{
	size_t from = 0;

	for (size_t i = 0; i < s.n; i++) {
		const char *other = s.p[i] == '\n' ? line_end
			: entity_of((unsigned char)s.p[i]);

		if (s.p[i] == '\r' && i + 1 < s.n && s.p[i + 1] == '\n')
			other = "";
		if (!other)
			continue;
		buf_add(b, s.p + from, i - from);
		buf_adds(b, other);
		from = i + 1;
	}
	buf_add(b, s.p + from, s.n - from);
}

void html_text(struct buf *b, struct str s)
{
	escape(b, s, NULL);
}

void html_lines(struct buf *b, struct str s)
{
	escape(b, s, "<br>");
}

/* -- Markdown: md4c parses, these callbacks write ------------------------------ */

/*
 * md4c does not always enter and leave spans in pairs (0.4.8, an empty link with
 * emphasis in its URL), so open elements are tracked here.
 */
struct markdown {
	struct buf *b;
	struct {
		MD_SPANTYPE type;
		const char *tag;	/* that was written, or NULL */
	} open[64];
	size_t n_open;
};

static const char *const block_tags[] = {
	[MD_BLOCK_QUOTE] = "blockquote", [MD_BLOCK_UL] = "ul",
	[MD_BLOCK_LI] = "li", [MD_BLOCK_P] = "p", [MD_BLOCK_TABLE] = "table",
	[MD_BLOCK_THEAD] = "thead", [MD_BLOCK_TBODY] = "tbody",
	[MD_BLOCK_TR] = "tr", [MD_BLOCK_TH] = "th", [MD_BLOCK_TD] = "td",
};

static const char *const span_tags[] = {
	[MD_SPAN_EM] = "em", [MD_SPAN_STRONG] = "strong",
	[MD_SPAN_CODE] = "code", [MD_SPAN_DEL] = "del",
};

static int status(const struct markdown *m)
{
	return buf_ok(m->b) ? 0 : -1;
}

static void put_tag(struct buf *b, const char *before, const char *tag)
{
	buf_adds(b, before);
	buf_adds(b, tag);
	buf_addc(b, '>');
}

/* Two levels below, because the page and its messages have headings. */
static char heading(const void *detail)
{
	unsigned level = ((const MD_BLOCK_H_DETAIL *)detail)->level + 2;

	return (char)('0' + MIN(level, 6));
}

/* Closes the innermost n spans. */
static void close_spans(struct markdown *m, size_t n)
{
	while (n--) {
		m->n_open--;
		if (m->open[m->n_open].type == MD_SPAN_IMG)
			buf_addc(m->b, ']');
		if (m->open[m->n_open].tag)
			put_tag(m->b, "</", m->open[m->n_open].tag);
	}
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *ctx)
{
	struct markdown *m = ctx;
	struct buf *b = m->b;

	switch (type) {
	case MD_BLOCK_HR:
		buf_adds(b, "<hr>\n");
		break;
	case MD_BLOCK_H:
		buf_addf(b, "<h%c>", heading(detail));
		break;
	case MD_BLOCK_CODE:
		buf_adds(b, "<pre><code>");
		break;
	case MD_BLOCK_OL:
		buf_addf(b, "<ol start=\"%u\">\n",
			 ((const MD_BLOCK_OL_DETAIL *)detail)->start);
		break;
	default:
		if (type < ARRAY_LEN(block_tags) && block_tags[type])
			put_tag(b, "<", block_tags[type]);
	}
	return status(m);
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *ctx)
{
	struct markdown *m = ctx;
	struct buf *b = m->b;

	close_spans(m, m->n_open);
	switch (type) {
	case MD_BLOCK_H:
		buf_addf(b, "</h%c>\n", heading(detail));
		break;
	case MD_BLOCK_CODE:
		buf_adds(b, "</code></pre>\n");
		break;
	case MD_BLOCK_OL:
		buf_adds(b, "</ol>\n");
		break;
	default:
		if (type < ARRAY_LEN(block_tags) && block_tags[type]) {
			put_tag(b, "</", block_tags[type]);
			buf_addc(b, '\n');
		}
	}
	return status(m);
}

/*
 * Whether a link may be followed. Entities in it are not decoded, so a link that
 * needs them is refused: "java&#115;cript:" has no known scheme.
 */
static bool may_link(const MD_ATTRIBUTE *href)
{
	static const char *const kinds[] = { "http://", "https://", "mailto:" };

	for (size_t i = 0; href->size <= LIM_HREF_BYTES && i < ARRAY_LEN(kinds); i++)
		if (href->size > strlen(kinds[i]) &&
		    !strncasecmp(href->text, kinds[i], strlen(kinds[i])))
			return true;
	return false;
}

/* Entities in Markdown have the same form as in HTML: keep them. */
static void put_attribute(struct buf *b, const MD_ATTRIBUTE *a)
{
	for (size_t i = 0; a->substr_offsets[i] < a->size; i++) {
		struct str part = { a->text + a->substr_offsets[i],
			a->substr_offsets[i + 1] - a->substr_offsets[i] };

		if (a->substr_types[i] == MD_TEXT_ENTITY)
			buf_addstr(b, part);
		else
			html_text(b, part);
	}
}

/* Returns the tag that was written, or NULL. A link within a link is not written. */
static const char *open_link(struct markdown *m, const MD_ATTRIBUTE *href)
{
	for (size_t i = 0; i < m->n_open; i++)
		if (m->open[i].type == MD_SPAN_A || m->open[i].type == MD_SPAN_IMG)
			return NULL;
	if (!may_link(href))
		return NULL;
	buf_adds(m->b, "<a rel=\"nofollow noreferrer\" href=\"");
	put_attribute(m->b, href);
	buf_adds(m->b, "\">");
	return "a";
}

static int enter_span(MD_SPANTYPE type, void *detail, void *ctx)
{
	struct markdown *m = ctx;
	const char *tag = type < ARRAY_LEN(span_tags) ? span_tags[type] : NULL;

	if (m->n_open == ARRAY_LEN(m->open))
		return status(m);
	if (type == MD_SPAN_A)
		tag = open_link(m, &((const MD_SPAN_A_DETAIL *)detail)->href);
	else if (type == MD_SPAN_IMG)
		tag = open_link(m, &((const MD_SPAN_IMG_DETAIL *)detail)->src);
	else if (tag)
		put_tag(m->b, "<", tag);
	if (type == MD_SPAN_IMG)
		buf_adds(m->b, "[image: ");
	m->open[m->n_open].type = type;
	m->open[m->n_open++].tag = tag;
	return status(m);
}

static int leave_span(MD_SPANTYPE type, void *detail, void *ctx)
{
	struct markdown *m = ctx;

	(void)detail;
	for (size_t i = m->n_open; i-- > 0;)
		if (m->open[i].type == type) {
			close_spans(m, m->n_open - i);
			break;
		}
	return status(m);
}

static int put_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size,
		    void *ctx)
{
	struct markdown *m = ctx;

	switch (type) {
	case MD_TEXT_BR:
	case MD_TEXT_SOFTBR:	/* what a model puts on a line is on a line */
		buf_adds(m->b, "<br>\n");
		break;
	case MD_TEXT_NULLCHAR:
		buf_adds(m->b, "\xef\xbf\xbd");
		break;
	case MD_TEXT_ENTITY:
		buf_add(m->b, text, size);
		break;
	default:
		html_text(m->b, (struct str){ text, size });
	}
	return status(m);
}

/*
 * How many list items and quotes the line s, which begins at *i, opens; moves *i to the
 * next line.
 */
static size_t opened_by(struct str s, size_t *i)
{
	const char *end = memchr(s.p + *i, '\n', s.n - *i);
	size_t to = end ? (size_t)(end - s.p) : s.n, at = *i, n = 0;

	while (at < to) {
		size_t from = at;

		while (at < to && isdigit((unsigned char)s.p[at]))
			at++;
		if (at == to)
			break;
		if (s.p[at] && strchr(at > from ? ".)" : ">-+*", s.p[at]))
			n++;
		else if (at > from || (s.p[at] != ' ' && s.p[at] != '\t'))
			break;
		at++;
	}
	*i = to + 1;
	return n;
}

/*
 * Whether md4c (0.4.8) takes too long: it compares each line with the items and quotes
 * that are open, and each link with the lines of its paragraph.
 */
static bool is_slow(struct str s)
{
	size_t links = 0, lines = 0, open = 0;

	for (size_t i = 0; i < s.n; i++)
		links += s.p[i] == '[';
	for (size_t i = 0; i < s.n; lines++) {
		size_t n = opened_by(s, &i);

		open = MAX(open, n);
	}
	return lines * (links + open) > MOST_STEPS;
}

void html_markdown(struct buf *b, struct str s)
{
	static const MD_PARSER parser = {
		.flags = MD_FLAG_NOHTML | MD_FLAG_TABLES |
			MD_FLAG_STRIKETHROUGH | MD_FLAG_PERMISSIVEURLAUTOLINKS,
		.enter_block = enter_block, .leave_block = leave_block,
		.enter_span = enter_span, .leave_span = leave_span,
		.text = put_text,
	};
	/* A few bytes can describe a table with very many cells. */
	struct buf markup = BUF_INIT(GROWTH * MIN(s.n, LIM_MARKDOWN_BYTES) +
				     SLACK_BYTES);
	struct markdown m = { .b = &markup };
	/* With a NUL behind it: md4c looks at the byte there, and reads on from a ). */
	struct buf whole = BUF_INIT(LIM_MARKDOWN_BYTES);

	buf_addstr(&whole, s);
	if (buf_ok(&whole) && !is_slow(s) &&
	    md_parse(whole.p, (MD_SIZE)whole.n, &parser, &m) == 0 &&
	    buf_ok(&markup)) {
		buf_addstr(b, buf_str(&markup));
	} else {
		buf_adds(b, "<p class=\"text\">");
		html_lines(b, s);
		buf_adds(b, "</p>\n");
	}
	buf_release(&markup);
	buf_release(&whole);
}
