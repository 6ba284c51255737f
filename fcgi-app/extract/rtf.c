/* SPDX-License-Identifier: MIT */
/*
 * RTF 1.9.1: its text, without formatting and pictures. Bytes are in the code page of their
 * font, so they are collected until the font changes: a character of East Asian code pages
 * has two. Headers stand where the file has them; footers, footnotes and comments after
 * the text, with a mark where they belong.
 */
#include "extract/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extract/out.h"
#include "extract/symbol.h"

#include "base/banned.h"

enum {
	GROUPS = 256, WORD = 32, TEXT_BYTES = 67108864, CHARSET = 24, FONTS = 4096,
	FONT_NAME = 24, BOXES = 8, FIELD_BYTES = 256, STYLES = 4096, STYLE_NAME = 64,
	BASED = 16,		/* styles that one is based on, in a row */
};

/* What groups with a name of their own are. */
enum what {
	SHOWN, FONT_TABLE, STYLE_TABLE,
	HIDDEN,		/* not part of the text */
	IGNORED,	/* the same, but a group in it may be */
	BOX,		/* a text box */
	HEADER, FOOTER, NOTE, COMMENT,
	INSTRUCTION,	/* of a field */
	FORM_FIELD,
};

static const struct {
	const char *word;
	enum what what;
} groups[] = {
	{ "annotation", COMMENT }, { "atnauthor", HIDDEN }, { "atndate", HIDDEN },
	{ "atnid", HIDDEN }, { "atnref", HIDDEN }, { "atntime", HIDDEN },
	{ "atrfend", HIDDEN }, { "atrfstart", HIDDEN }, { "bkmkend", HIDDEN },
	{ "bkmkstart", HIDDEN }, { "colortbl", HIDDEN }, { "datastore", HIDDEN },
	{ "do", IGNORED }, { "dptxbxtext", BOX }, { "filetbl", HIDDEN },
	{ "fldinst", INSTRUCTION }, { "fonttbl", FONT_TABLE }, { "footer", FOOTER },
	{ "footerf", FOOTER }, { "footerl", FOOTER }, { "footerr", FOOTER },
	{ "footnote", NOTE }, { "formfield", FORM_FIELD }, { "generator", HIDDEN },
	{ "header", HEADER }, { "headerf", HEADER }, { "headerl", HEADER },
	{ "headerr", HEADER }, { "info", HIDDEN }, { "latentstyles", HIDDEN },
	{ "listoverridetable", HIDDEN }, { "listtable", HIDDEN },
	{ "nonshppict", HIDDEN }, { "objalias", HIDDEN }, { "objclass", HIDDEN },
	{ "objdata", HIDDEN }, { "object", IGNORED }, { "objname", HIDDEN },
	{ "objsect", HIDDEN }, { "pict", HIDDEN }, { "pntxta", HIDDEN },
	{ "pntxtb", HIDDEN }, { "result", SHOWN }, { "revtbl", HIDDEN },
	{ "rsidtbl", HIDDEN }, { "rxe", HIDDEN }, { "shprslt", HIDDEN },
	{ "shptxt", BOX }, { "stylesheet", STYLE_TABLE }, { "tc", HIDDEN }, { "tcn", HIDDEN },
	{ "themedata", HIDDEN }, { "txe", HIDDEN }, { "ud", SHOWN }, { "upr", IGNORED },
	{ "xe", HIDDEN }, { "xmlnstbl", HIDDEN },
};

/* Control words that stand for characters. */
static const struct {
	const char *word, *chars;
} characters[] = {
	{ "bullet", "\u2022" }, { "emdash", "\u2014" }, { "emspace", " " },
	{ "endash", "\u2013" }, { "enspace", " " }, { "lbr", "\n" },
	{ "ldblquote", "\u201c" }, { "line", "\n" }, { "lquote", "\u2018" },
	{ "ltrmark", "" }, { "nestcell", "\t" }, { "nestrow", "\n" },
	{ "qmspace", " " }, { "rdblquote", "\u201d" }, { "rquote", "\u2019" },
	{ "rtlmark", "" }, { "softline", "\n" }, { "tab", "\t" },
	{ "zwbo", "\u200b" }, { "zwj", "\u200d" }, { "zwnbo", "" },
	{ "zwnj", "\u200c" },
};

struct group {
	bool skip;		/* its text is not part of the document */
	bool hidden;		/* nor is that of any group in it */
	bool deleted;		/* but still there: a change that was recorded */
	enum what what;
	int uc;			/* fallback characters after \uN, for old readers */
	int font;
};

struct font {
	char charset[CHARSET];	/* "": that of the file */
	char name[FONT_NAME];
};

/* A style of paragraphs. */
struct rtf_style {
	int heading;		/* its level; 0: it is none, -1: not said */
	int based_on;		/* another style, or -1 */
};

/* The paragraph outside of a note or box, and where that one is written. */
struct box {
	size_t depth;		/* of its group */
	struct buf text, row, *to;
	int n_cells;
};

struct rtf {
	struct str s;
	struct buf bytes;	/* in the charset of the font */
	struct buf text;	/* of the paragraph */
	struct buf row;		/* its cells so far */
	struct extract *x;
	char charset[CHARSET];
	struct group group[GROUPS];
	size_t depth;
	int skip_chars;		/* fallback characters that are left */
	unsigned high;		/* first half of a character beyond U+FFFF */
	struct font *fonts;
	int font;		/* that the table describes */
	int default_font;
	struct rtf_style *styles;
	int style;		/* that the table describes; -1: one of something else */
	char style_name[STYLE_NAME];
	int heading;
	bool in_table, row_before;
	int n_cells;
	struct box boxes[BOXES];
	int n_boxes;
	/* where text is written at the moment, NULL: x->out, which is in main then */
	struct buf *to, main, aside, footers, notes;
	int n_notes, n_comments;
	struct buf field;	/* an instruction */
	long form_type, form_value, form_default;
};

static struct group *group(struct rtf *r)
{
	return &r->group[r->depth];
}

static bool is_shown(struct rtf *r)
{
	return !group(r)->skip && !group(r)->hidden && !group(r)->deleted;
}

static const struct font *font(const struct rtf *r)
{
	return &r->fonts[r->group[r->depth].font];
}

/* -- characters --- */

/* The name of a code page. */
static void name_page(char out[CHARSET], long page)
{
	static const struct {
		long page;
		const char *name;
	} others[] = {
		{ 437, "IBM437" }, { 850, "IBM850" }, { 852, "IBM852" },
		{ 855, "IBM855" }, { 862, "IBM862" }, { 865, "IBM865" },
		{ 866, "IBM866" }, { 10000, "MACINTOSH" }, { 10001, "SHIFT_JIS" },
		{ 10002, "BIG5" }, { 10003, "EUC-KR" }, { 10007, "MAC-CYRILLIC" },
		{ 10008, "GB2312" }, { 10029, "MAC-CENTRALEUROPE" }, { 65001, "UTF-8" },
		{ 28591, "ISO-8859-1" }, { 28592, "ISO-8859-2" },
		{ 20866, "KOI8-R" }, { 54936, "GB18030" },
	};

	snprintf(out, CHARSET, "WINDOWS-%ld", page);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (others[i].page == page)
			snprintf(out, CHARSET, "%s", others[i].name);
}

/* The code page of \fcharset; 0: that of the file. */
static long page_of(long fcharset)
{
	static const struct {
		long fcharset, page;
	} pages[] = {
		{ 77, 10000 }, { 78, 10001 }, { 79, 10003 }, { 80, 10008 },
		{ 81, 10002 }, { 88, 10029 }, { 89, 10007 }, { 128, 932 }, { 129, 949 }, { 130, 1361 }, { 134, 936 },
		{ 136, 950 }, { 161, 1253 }, { 162, 1254 }, { 163, 1258 }, { 177, 1255 },
		{ 178, 1256 }, { 186, 1257 }, { 204, 1251 }, { 222, 874 }, { 238, 1250 },
		{ 254, 437 }, { 255, 850 },
	};

	for (size_t i = 0; i < ARRAY_LEN(pages); i++)
		if (pages[i].fcharset == fcharset)
			return pages[i].page;
	return 0;
}

/* Converts the bytes so far. */
static void flush(struct rtf *r)
{
	const struct font *f = font(r);

	if (!r->bytes.n)
		return;
	if (extract_symbol_font(f->name))
		for (size_t i = 0; i < r->bytes.n; i++)
			buf_adds(&r->text, extract_symbol(
				f->name, (unsigned char)r->bytes.p[i]));
	else
		extract_plain_decode(buf_str(&r->bytes), *f->charset ? f->charset
				     : r->charset, &r->text);
	buf_reset(&r->bytes);
}

/* Whether this character is a fallback that is not needed. */
static bool is_fallback(struct rtf *r)
{
	if (r->skip_chars <= 0)
		return false;
	r->skip_chars--;
	return true;
}

static void font_name(struct rtf *r, char c)
{
	struct font *f = &r->fonts[r->font];
	size_t n = strlen(f->name);

	if (c == ';' || n + 1 >= sizeof(f->name) || (!n && c == ' '))
		return;
	f->name[n] = c;
	f->name[n + 1] = '\0';
}

/* The name of a style, which ends with ';', says more than no level. */
static void style_name(struct rtf *r, char c)
{
	size_t n = strlen(r->style_name);

	if (c == ';') {
		if (r->style >= 0 && r->styles[r->style].heading < 0 &&
		    extract_heading_level(r->style_name))
			r->styles[r->style].heading =
				extract_heading_level(r->style_name);
		r->style = 0;
		r->style_name[0] = '\0';
	} else if (n + 1 < sizeof(r->style_name) && (n || c != ' ')) {
		r->style_name[n] = c;
		r->style_name[n + 1] = '\0';
	}
}

/* The level of the heading that a style is; 0: it is none. */
static int style_heading(const struct rtf *r, long style)
{
	for (int i = 0; i < BASED && style >= 0 && style < STYLES; i++) {
		if (r->styles[style].heading >= 0)
			return r->styles[style].heading;
		style = r->styles[style].based_on;
	}
	return 0;
}

static void add_byte(struct rtf *r, char c)
{
	if (is_fallback(r))
		return;
	if (group(r)->what == FONT_TABLE)
		font_name(r, c);
	else if (group(r)->what == STYLE_TABLE)
		style_name(r, c);
	else if (group(r)->what == INSTRUCTION)
		buf_addc(&r->field, c);
	else if (is_shown(r))
		buf_addc(&r->bytes, c);
}

static void add_chars(struct rtf *r, const char *utf8)
{
	if (is_fallback(r) || !is_shown(r))
		return;
	flush(r);
	buf_adds(&r->text, utf8);
}

/* A unit of UTF-16. */
static void add_code(struct rtf *r, long code)
{
	unsigned c = (unsigned)(code < 0 ? code + 65536 : code);
	const struct font *f = font(r);

	if (!is_shown(r))
		return;
	flush(r);
	if (c >= 0xdc00 && c <= 0xdfff && r->high)
		c = 0x10000 + ((r->high - 0xd800) << 10) + (c - 0xdc00);
	r->high = c >= 0xd800 && c <= 0xdbff ? c : 0;
	if (c >= 0xf020 && c <= 0xf0ff)
		buf_adds(&r->text, extract_symbol(extract_symbol_font(f->name)
						  ? f->name : "Symbol", c));
	else
		extract_put_code(&r->text, c);
}

/* -- paragraphs --- */

static void end_row(struct rtf *r)
{
	if (r->n_cells)
		extract_put_row(&r->x->out, buf_str(&r->row), !r->row_before);
	r->row_before = true;
	r->n_cells = 0;
	buf_reset(&r->row);
	buf_reset(&r->text);
}

static void end_cell(struct rtf *r)
{
	struct str s;

	if (!is_shown(r))
		return;
	flush(r);
	s = str_trim(buf_str(&r->text));
	if (r->n_cells++)
		buf_addc(&r->row, OUT_CELL);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != OUT_CELL)
			buf_addc(&r->row, s.p[i]);
	buf_reset(&r->text);
}

static void end_paragraph(struct rtf *r)
{
	if (!is_shown(r))
		return;
	flush(r);
	if (!buf_ok(&r->text) || !buf_ok(&r->row))
		r->x->out.overflow = true;
	if (r->in_table) {
		buf_addc(&r->text, ' ');
		return;
	}
	if (r->n_cells) {
		struct buf text = r->text;

		/* A row without its end. */
		r->text = (struct buf)BUF_INIT(TEXT_BYTES);
		end_row(r);
		r->text = text;
	}
	r->row_before &= !str_trim(buf_str(&r->text)).n;
	if (r->heading)
		extract_put_heading(&r->x->out, r->heading, buf_str(&r->text));
	else
		extract_put_paragraph(&r->x->out, buf_str(&r->text));
	buf_reset(&r->text);
	if (!r->n_boxes) {
		extract_put_ready(&r->x->out, buf_str(&r->aside));
		buf_reset(&r->aside);
	}
}

/* -- notes and boxes --- */

static void write_to(struct rtf *r, struct buf *to)
{
	if (to == r->to)
		return;
	if (r->to)
		*r->to = r->x->out;
	else
		r->main = r->x->out;
	r->x->out = to ? *to : r->main;
	r->to = to;
}

static void begin_box(struct rtf *r, struct buf *to, const char *mark, int number,
		      const char *more)
{
	if (r->n_boxes == BOXES)
		return;
	flush(r);
	if (number)
		buf_addf(&r->text, "[^%s%d]", mark, number);
	r->boxes[r->n_boxes++] = (struct box){
		.depth = r->depth, .text = r->text, .row = r->row, .to = r->to,
		.n_cells = r->n_cells,
	};
	r->text = (struct buf)BUF_INIT(TEXT_BYTES);
	r->row = (struct buf)BUF_INIT(TEXT_BYTES);
	r->in_table = false;
	r->n_cells = 0;
	r->heading = 0;
	if (number)
		buf_addf(&r->text, "[^%s%d]:%s ", mark, number, more);
	write_to(r, to);
}

static void end_box(struct rtf *r)
{
	struct box *b = &r->boxes[r->n_boxes - 1];

	r->in_table = false;
	end_paragraph(r);
	buf_release(&r->text);
	buf_release(&r->row);
	r->n_boxes--;
	write_to(r, b->to);
	r->text = b->text;
	r->row = b->row;
	r->n_cells = b->n_cells;
	r->in_table = r->n_cells > 0;
}

static void begin_group(struct rtf *r, enum what what)
{
	struct group *g = group(r);

	if (what == HIDDEN || what == FONT_TABLE || what == STYLE_TABLE ||
	    what == INSTRUCTION || what == FORM_FIELD) {
		g->hidden = true;
	} else if (what == IGNORED) {
		g->skip = true;
	} else if (!g->hidden) {
		g->skip = false;
		if (what == BOX)
			begin_box(r, &r->aside, "", 0, "");
		else if (what == HEADER)
			begin_box(r, r->to, "", 0, "");
		else if (what == FOOTER)
			begin_box(r, &r->footers, "", 0, "");
		else if (what == NOTE)
			begin_box(r, &r->notes, "", ++r->n_notes, "");
		else if (what == COMMENT)
			begin_box(r, &r->notes, "c", ++r->n_comments, " Comment:");
	}
	g->what = what;
	if (what == INSTRUCTION)
		buf_reset(&r->field);
	if (what == FORM_FIELD)
		r->form_type = r->form_value = r->form_default = 0;
}

/* SYMBOL 183 \f "Symbol": a character that only the instruction has. */
static void end_instruction(struct rtf *r)
{
	struct str s = str_trim(buf_str(&r->field));
	char name[FONT_NAME] = "Symbol";
	const char *p;
	size_t n;

	if (!str_starts(s, STR("SYMBOL ")))
		return;
	p = memmem(s.p, s.n, "\\f ", 3);
	if (p) {
		p += strspn(p + 3, " ") + 3;
		n = strcspn(p + (*p == '"'), *p == '"' ? "\"" : " \\");
		snprintf(name, sizeof(name), "%.*s", (int)n, p + (*p == '"'));
	}
	if (!group(r)->deleted)
		buf_adds(&r->text, extract_symbol(
			name, (unsigned)strtol(s.p + 7, NULL, 0)));
}

static void end_group(struct rtf *r)
{
	enum what what = group(r)->what, outside;

	flush(r);
	r->high = 0;
	r->skip_chars = 0;
	if (r->n_boxes && r->boxes[r->n_boxes - 1].depth == r->depth)
		end_box(r);
	outside = r->depth ? r->group[r->depth - 1].what : SHOWN;
	r->depth -= r->depth > 0;
	if (what == outside)
		return;
	if (what == INSTRUCTION)
		end_instruction(r);
	/* A box to tick; 25: as by default. */
	if (what == FORM_FIELD && r->form_type == 1)
		buf_adds(&r->text, (r->form_value == 25 ? r->form_default
				    : r->form_value) ? "\u2612" : "\u2610");
}

/* -- control words --- */

static void set_font(struct rtf *r, long number)
{
	if (number < 0 || number >= FONTS)
		number = 0;
	if (group(r)->what == FONT_TABLE) {
		r->font = (int)number;
		r->fonts[number] = (struct font){ .name = "" };
		return;
	}
	flush(r);
	group(r)->font = (int)number;
}

static void set_page(struct rtf *r, const char *word, long value)
{
	long page = !strcmp(word, "fcharset") ? page_of(value) : value;

	if (group(r)->what == FONT_TABLE && page)
		name_page(r->fonts[r->font].charset, page);
	else if (!strcmp(word, "ansicpg"))
		name_page(r->charset, value);
}

static bool is_any(const char *word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

/* Returns whether it is one that stands for text. */
static bool structure(struct rtf *r, const char *word)
{
	static const char *const ends[] = { "par", "sect", "page", "column" };

	for (size_t i = 0; i < ARRAY_LEN(characters); i++)
		if (!strcmp(word, characters[i].word)) {
			add_chars(r, characters[i].chars);
			return true;
		}
	if (is_any(word, ends, ARRAY_LEN(ends))) {
		end_paragraph(r);
	} else if (!strcmp(word, "cell")) {
		end_cell(r);
	} else if (!strcmp(word, "row") && is_shown(r)) {
		flush(r);
		end_row(r);
	} else {
		return false;
	}
	return true;
}

/* A control word in the table of styles. */
static void style_property(struct rtf *r, const char *word, long value)
{
	struct rtf_style *s = r->style < 0 ? NULL : &r->styles[r->style];

	if (!strcmp(word, "s"))
		r->style = value >= 0 && value < STYLES ? (int)value : -1;
	else if (!strcmp(word, "cs") || !strcmp(word, "ds") || !strcmp(word, "ts"))
		r->style = -1;
	else if (s && !strcmp(word, "outlinelevel"))
		s->heading = value >= 0 && value < 9 ? (int)MIN(value + 1, 6) : 0;
	else if (s && !strcmp(word, "sbasedon"))
		s->based_on = value != r->style ? (int)MIN(value, STYLES) : -1;
}

static void property(struct rtf *r, const char *word, bool has_value, long value)
{
	struct group *g = group(r);
	bool on = !has_value || value;

	if (g->what == STYLE_TABLE && has_value && strcmp(word, "u") != 0) {
		style_property(r, word, value);
		return;
	}
	if (!strcmp(word, "uc") && has_value) {
		g->uc = (int)MIN(MAX(value, 0), 8);
	} else if (!strcmp(word, "u") && has_value) {
		add_code(r, value);
		r->skip_chars = g->uc;
	} else if (!strcmp(word, "f")) {
		set_font(r, value);
	} else if (!strcmp(word, "deff")) {
		r->default_font = value >= 0 && value < FONTS ? (int)value : 0;
		g->font = r->default_font;
	} else if (!strcmp(word, "plain")) {
		set_font(r, r->default_font);
		g->deleted = false;
	} else if (!strcmp(word, "deleted")) {
		flush(r);
		g->deleted = on;
	} else if (!strcmp(word, "pard")) {
		r->heading = 0;
		r->in_table = false;
	} else if (!strcmp(word, "intbl")) {
		r->in_table = on;
	} else if (!strcmp(word, "s") && has_value && !g->hidden) {
		r->heading = style_heading(r, value);
	} else if (!strcmp(word, "outlinelevel") && has_value && !g->hidden) {
		r->heading = value < 9 ? (int)MIN(MAX(value, 0) + 1, 6) : 0;
	} else if (!strcmp(word, "mac")) {
		name_page(r->charset, 10000);
	} else if (!strcmp(word, "pc") || !strcmp(word, "pca")) {
		name_page(r->charset, word[2] ? 850 : 437);
	} else if (!strcmp(word, "fftype")) {
		r->form_type = value;
	} else if (!strcmp(word, "ffres")) {
		r->form_value = value;
	} else if (!strcmp(word, "ffdefres")) {
		r->form_default = value;
	} else if (has_value) {
		set_page(r, word, value);
	}
}

static void control(struct rtf *r, const char *word, bool has_value, long value)
{
	if (structure(r, word))
		return;
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (!strcmp(word, groups[i].word)) {
			begin_group(r, groups[i].what);
			return;
		}
	property(r, word, has_value, value);
}

/* -- reading --- */

static char take_char(struct rtf *r)
{
	char c = *r->s.p++;

	r->s.n--;
	return c;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A control symbol: one character after the backslash. */
static void read_symbol(struct rtf *r)
{
	char c = take_char(r);

	if (c == '\'' && r->s.n >= 2) {
		int high = hex_digit(take_char(r)), low = hex_digit(take_char(r));

		if (high >= 0 && low >= 0)
			add_byte(r, (char)(high << 4 | low));
	} else if (c == '*') {
		group(r)->skip = true;
	} else if (c == '~') {
		add_byte(r, ' ');
	} else if (c == '_') {
		add_byte(r, '-');
	} else if (c == '\\' || c == '{' || c == '}') {
		add_byte(r, c);
	} else if (c == '\n' || c == '\r') {
		end_paragraph(r);
	} else if (c == '\t') {
		add_chars(r, "\t");
	}
}

/* Reads what follows a backslash. */
static void read_control(struct rtf *r)
{
	char word[WORD + 1];
	long value = 0;
	size_t n = 0;
	bool minus, has_value;

	if (!r->s.n)
		return;
	if (!is_letter(*r->s.p)) {
		read_symbol(r);
		return;
	}
	while (r->s.n && is_letter(*r->s.p)) {
		char c = take_char(r);

		if (n < WORD)
			word[n++] = c;
	}
	word[n] = '\0';
	minus = r->s.n && *r->s.p == '-';
	if (minus)
		(void)take_char(r);
	has_value = r->s.n && *r->s.p >= '0' && *r->s.p <= '9';
	while (r->s.n && *r->s.p >= '0' && *r->s.p <= '9') {
		char c = take_char(r);

		value = MIN(value * 10 + (c - '0'), 100000000);
	}
	if (r->s.n && *r->s.p == ' ')
		(void)take_char(r);
	if (!strcmp(word, "bin") && has_value) {
		size_t skip = MIN((size_t)value, r->s.n);

		r->s = (struct str){ r->s.p + skip, r->s.n - skip };
		return;
	}
	control(r, word, has_value, minus ? -value : value);
}

/* Returns whether there are too many groups in each other. */
static bool read_all(struct rtf *r)
{
	while (r->s.n) {
		char c = take_char(r);

		if (c == '{') {
			if (r->depth + 1 == GROUPS)
				return true;
			flush(r);
			r->skip_chars = 0;
			r->group[r->depth + 1] = r->group[r->depth];
			r->depth++;
		} else if (c == '}') {
			end_group(r);
		} else if (c == '\\') {
			read_control(r);
		} else if (c != '\r' && c != '\n') {
			add_byte(r, c);
		}
	}
	return false;
}

int extract_rtf(struct extract *x)
{
	struct rtf r = {
		.s = buf_str(&x->input), .text = BUF_INIT(TEXT_BYTES), .x = x,
		.bytes = BUF_INIT(TEXT_BYTES), .row = BUF_INIT(TEXT_BYTES),
		.charset = "WINDOWS-1252", .fonts = xcalloc(FONTS, sizeof(*r.fonts)),
		.styles = xcalloc(STYLES, sizeof(*r.styles)),
		.aside = BUF_INIT(TEXT_BYTES), .footers = BUF_INIT(TEXT_BYTES),
		.notes = BUF_INIT(TEXT_BYTES), .field = BUF_INIT(FIELD_BYTES),
	};
	bool deep;

	r.group[0].uc = 1;
	for (size_t i = 0; i < STYLES; i++)
		r.styles[i] = (struct rtf_style){ -1, -1 };
	deep = read_all(&r);
	while (r.n_boxes) {
		r.depth = r.boxes[r.n_boxes - 1].depth;
		end_group(&r);
	}
	r.depth = 0;
	r.group[0].skip = r.group[0].hidden = r.group[0].deleted = r.in_table = false;
	end_paragraph(&r);
	extract_put_ready(&x->out, buf_str(&r.footers));
	extract_put_ready(&x->out, buf_str(&r.notes));
	buf_release(&r.text);
	buf_release(&r.row);
	buf_release(&r.bytes);
	buf_release(&r.aside);
	buf_release(&r.footers);
	buf_release(&r.notes);
	buf_release(&r.field);
	free(r.fonts);
	free(r.styles);
	return deep ? EXTRACT_UNREADABLE : EXTRACT_OK;
}
