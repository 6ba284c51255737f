/* RTF 1.9.1: only its text, without formatting, pictures and field instructions. */
#include "extract/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extract/out.h"

#include "base/banned.h"

enum { GROUPS = 256, WORD = 32, TEXT_BYTES = 67108864 };

struct rtf {
	struct str s;
	struct buf text;	/* of the paragraph */
	struct extract *x;
	char charset[24];
	struct { bool skip; int uc; } group[GROUPS];
	size_t depth;
	int skip_chars;		/* fallback characters after \uN, for old readers */
};

/* Groups whose text is not part of the document. */
static const char *const hidden[] = {
	"fonttbl", "colortbl", "stylesheet", "info", "pict", "object",
	"header", "footer", "fldinst", "themedata", "datastore", "listtable",
	"listoverridetable", "generator", "xmlnstbl", "latentstyles",
};

static void add_byte(struct rtf *r, char c)
{
	struct buf out = BUF_INIT(16);

	if (r->skip_chars > 0) {
		r->skip_chars--;
		return;
	}
	if (r->group[r->depth].skip)
		return;
	if ((unsigned char)c < 0x80)
		buf_addc(&r->text, c);
	else
		extract_plain_convert((struct str){ &c, 1 }, r->charset, &out);
	buf_addstr(&r->text, buf_str(&out));
	buf_release(&out);
}

static void add_code(struct rtf *r, long code)
{
	char utf8[4];
	unsigned c = (unsigned)(code < 0 ? code + 65536 : code);
	size_t n = 0;

	if (r->group[r->depth].skip || c == 0 || c > 0xffff ||
	    (c >= 0xd800 && c < 0xe000))
		return;
	if (c >= 0x800)
		utf8[n++] = (char)(0xe0 | c >> 12);
	if (c >= 0x80)
		utf8[n++] = (char)(c >= 0x800 ? 0x80 | (c >> 6 & 0x3f)
				   : 0xc0 | c >> 6);
	utf8[n++] = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
	buf_add(&r->text, utf8, n);
}

static void end_paragraph(struct rtf *r)
{
	if (r->group[r->depth].skip)
		return;
	extract_put_paragraph(&r->x->out, buf_str(&r->text));
	buf_reset(&r->text);
}

static void control(struct rtf *r, const char *word, bool has_value, long value)
{
	if (!strcmp(word, "par") || !strcmp(word, "sect") ||
	    !strcmp(word, "row"))
		end_paragraph(r);
	else if (!strcmp(word, "line"))
		add_byte(r, '\n');
	else if (!strcmp(word, "tab") || !strcmp(word, "cell"))
		add_byte(r, '\t');
	else if (!strcmp(word, "uc") && has_value)
		r->group[r->depth].uc = (int)MIN(MAX(value, 0), 8);
	else if (!strcmp(word, "ansicpg") && has_value)
		snprintf(r->charset, sizeof(r->charset), "WINDOWS-%ld", value);
	else if (!strcmp(word, "u") && has_value) {
		add_code(r, value);
		r->skip_chars = r->group[r->depth].uc;
	}
	for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
		if (!strcmp(word, hidden[i]))
			r->group[r->depth].skip = true;
}

static char take(struct rtf *r)
{
	char c = *r->s.p++;

	r->s.n--;
	return c;
}

/* Reads what follows a backslash. */
static void read_control(struct rtf *r)
{
	char word[WORD + 1];
	long value = 0;
	size_t n = 0;
	bool minus, has_value;
	char c;

	if (!r->s.n)
		return;
	c = *r->s.p;
	if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z')) {
		(void)take(r);
		if (c == '\'' && r->s.n >= 2) {
			int high = hex_digit(take(r)), low = hex_digit(take(r));

			if (high >= 0 && low >= 0)
				add_byte(r, (char)(high << 4 | low));
		} else if (c == '*') {
			r->group[r->depth].skip = true;
		} else if (c == '~') {
			add_byte(r, ' ');
		} else if (c == '\\' || c == '{' || c == '}') {
			add_byte(r, c);
		} else if (c == '\n' || c == '\r') {
			end_paragraph(r);
		}
		return;
	}
	while (r->s.n && ((*r->s.p >= 'a' && *r->s.p <= 'z') ||
			  (*r->s.p >= 'A' && *r->s.p <= 'Z'))) {
		c = take(r);
		if (n < WORD)
			word[n++] = c;
	}
	word[n] = '\0';
	minus = r->s.n && *r->s.p == '-';
	if (minus)
		(void)take(r);
	has_value = r->s.n && *r->s.p >= '0' && *r->s.p <= '9';
	while (r->s.n && *r->s.p >= '0' && *r->s.p <= '9') {
		c = take(r);
		value = MIN(value * 10 + (c - '0'), 100000000);
	}
	if (r->s.n && *r->s.p == ' ')
		(void)take(r);
	if (!strcmp(word, "bin") && has_value) {
		size_t skip = MIN((size_t)value, r->s.n);

		r->s = (struct str){ r->s.p + skip, r->s.n - skip };
		return;
	}
	control(r, word, has_value, minus ? -value : value);
}

int extract_rtf(struct extract *x)
{
	struct rtf r = {
		.s = buf_str(&x->input), .text = BUF_INIT(TEXT_BYTES), .x = x,
		.charset = "WINDOWS-1252",
	};
	bool deep = false;

	r.group[0].uc = 1;
	while (r.s.n && !deep) {
		char c = take(&r);

		if (c == '{') {
			deep = r.depth + 1 == GROUPS;
			if (!deep) {
				r.group[r.depth + 1] = r.group[r.depth];
				r.depth++;
			}
		} else if (c == '}') {
			r.depth -= r.depth > 0;
			r.skip_chars = 0;
		} else if (c == '\\') {
			read_control(&r);
		} else if (c != '\r' && c != '\n') {
			add_byte(&r, c);
		}
	}
	r.depth = 0;
	end_paragraph(&r);
	buf_release(&r.text);
	return deep ? EXTRACT_UNREADABLE : EXTRACT_OK;
}
