#include "extract/out.h"

#include <string.h>

#include "base/banned.h"

void extract_put_char(struct buf *b, char c)
{
	if (c == '!' && b->n && b->p[b->n - 1] == '<')
		buf_addc(b, ' ');
	buf_addc(b, c);
}

void extract_put_text(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
			continue;
		extract_put_char(b, (char)c);
	}
}

static void separate(struct buf *b)
{
	if (b->n && b->p[b->n - 1] != '\n')
		buf_addc(b, '\n');
	if (b->n > 1 && b->p[b->n - 2] != '\n')
		buf_addc(b, '\n');
}

/* Writes text as one line, because a line end would end a Markdown block. */
static void one_line(struct buf *b, struct str s)
{
	struct buf line = BUF_INIT(s.n + 1);

	for (size_t i = 0; i < s.n; i++)
		buf_addc(&line, s.p[i] == '\n' || s.p[i] == '\r' ? ' ' : s.p[i]);
	extract_put_text(b, str_trim(buf_str(&line)));
	buf_release(&line);
}

void extract_put_paragraph(struct buf *b, struct str text)
{
	text = str_trim(text);
	if (!text.n)
		return;
	separate(b);
	extract_put_text(b, text);
	buf_addc(b, '\n');
}

void extract_put_heading(struct buf *b, int level, struct str text)
{
	text = str_trim(text);
	if (!text.n)
		return;
	separate(b);
	buf_addf(b, "%.*s ", MAX(MIN(level, 6), 1), "######");
	one_line(b, text);
	buf_addc(b, '\n');
}

void extract_put_item(struct buf *b, struct str text)
{
	text = str_trim(text);
	if (!text.n)
		return;
	if (b->n && b->p[b->n - 1] != '\n')
		buf_addc(b, '\n');
	buf_adds(b, "- ");
	one_line(b, text);
	buf_addc(b, '\n');
}

void extract_put_page(struct buf *b, int64_t number)
{
	separate(b);
	buf_addf(b, "<!-- page %lld -->\n\n", (long long)number);
}

void extract_put_row(struct buf *b, struct str cells, bool first)
{
	size_t n = 0;

	if (first)
		separate(b);
	buf_addc(b, '|');
	while (cells.p) {
		struct str rest = cells, cell = str_cut(&rest, OUT_CELL);
		struct buf bar = BUF_INIT(2 * cell.n + 2);

		for (size_t i = 0; i < cell.n; i++) {
			if (cell.p[i] == '|')
				buf_addc(&bar, '\\');
			buf_addc(&bar, cell.p[i]);
		}
		buf_addc(b, ' ');
		one_line(b, buf_str(&bar));
		buf_adds(b, " |");
		buf_release(&bar);
		n++;
		cells = rest;
	}
	buf_addc(b, '\n');
	if (!first)
		return;
	buf_addc(b, '|');
	while (n--)
		buf_adds(b, " --- |");
	buf_addc(b, '\n');
}
