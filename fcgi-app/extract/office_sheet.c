/* SPDX-License-Identifier: MIT */
/*
 * XLSX (ECMA-376): the values of cells, dates and times in ISO 8601. A cell has only a
 * number for those; that it is a date is in the styles.
 */
#include "extract/office_walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/util.h"
#include "extract/out.h"

#include "base/banned.h"

enum {
	STYLES = 65536,
	OWN_FORMATS = 4096,
	DAY_S = 86400,
	END_OF_DAYS = 2958466,		/* 31 December 9999 is the day before */
};

enum format { AS_NUMBER = 0, AS_DATE = 1, AS_TIME = 2, AS_DURATION = 4 };

struct own_format {
	char id[16];
	unsigned char format;
};

struct book {
	struct str *shared;	/* strings that cells refer to by number */
	size_t n_shared;
	struct own_format *own;
	size_t n_own;
	unsigned char *styles;	/* enum format, by the number of the style */
	size_t n_styles;
	bool in_cells;		/* within the styles of cells */
	bool from_1904;		/* day 0, instead of 1899-12-30 */
	char kind[16];		/* type of the current cell */
	char at[16];		/* its place: "B12" */
	int format;		/* enum format of the current cell */
	int column;		/* that the next cell has unless it says another */
	struct buf formula;	/* of the current cell */
	bool in_formula;
};

static struct book book;

/* -- formats --- */

/* Whether a format code shows a date or a time (section 18.8.31). */
static int format_of(const char *code)
{
	int f = AS_NUMBER;
	bool month = false;

	for (const char *p = code; *p && *p != ';'; p++) {
		if (*p == '"') {
			p = strchr(p + 1, '"');
		} else if (*p == '\\' || *p == '_' || *p == '*') {
			p += p[1] != '\0';
		} else if (*p == '[') {
			if (p[1] && strchr("hHmMsS", p[1]) &&
			    (p[2] == ']' || (p[2] == p[1] && p[3] == ']')))
				return AS_DURATION;
			p = strchr(p, ']');
		} else if (strchr("yYdD", *p)) {
			f |= AS_DATE;
		} else if (strchr("hHsS", *p)) {
			f |= AS_TIME;
		} else if (*p == 'm' || *p == 'M') {
			month = true;
		} else if (strncmp(p, "General", 7) == 0) {
			return AS_NUMBER;
		}
		if (!p)
			break;
	}
	return f || !month ? f : AS_DATE;
}

/* Formats that have a number only, by the reserved ones of section 18.8.30. */
static int builtin_format(int64_t id)
{
	if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id == 36 ||
	    (id >= 50 && id <= 54) || (id >= 57 && id <= 58))
		return AS_DATE;
	if (id == 22)
		return AS_DATE | AS_TIME;
	if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id == 45 || id == 47 ||
	    id == 55 || id == 56)
		return AS_TIME;
	return id == 46 ? AS_DURATION : AS_NUMBER;
}

static int format_by_id(const char *id)
{
	int64_t n;

	for (size_t i = 0; i < book.n_own; i++)
		if (office_is(book.own[i].id, id))
			return book.own[i].format;
	return str_int(str_of(id), &n) ? builtin_format(n) : AS_NUMBER;
}

static void style(struct office_walk *w, const struct office_xml *x, bool open)
{
	const char *name = office_name(x);
	char id[16], code[256];

	(void)w;
	if (office_is(name, "cellXfs")) {
		book.in_cells = open;
	} else if (!open) {
		return;
	} else if (office_is(name, "numFmt") && book.n_own < OWN_FORMATS) {
		struct own_format *own = &book.own[book.n_own++];

		office_attribute(x, "numFmtId", own->id, sizeof(own->id));
		own->format = (unsigned char)format_of(office_attribute(
			x, "formatCode", code, sizeof(code)));
	} else if (office_is(name, "xf") && book.in_cells && book.n_styles < STYLES) {
		book.styles[book.n_styles++] = (unsigned char)format_by_id(
			office_attribute(x, "numFmtId", id, sizeof(id)));
	}
}

/* -- values --- */

/* Civil date from days since 1970-01-01, as in base/clock.c. */
static void put_date(struct buf *b, int64_t days)
{
	int64_t z = days + 719468, era = z / 146097, of_era = z % 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t day = of_era - (365 * year + year / 4 - year / 100);
	int64_t m = (5 * day + 2) / 153, month = m < 10 ? m + 3 : m - 9;

	buf_addf(b, "%04lld-%02lld-%02lld",
		 (long long)(year + era * 400 + (month <= 2)), (long long)month,
		 (long long)(day - (153 * m + 2) / 5 + 1));
}

static void put_time(struct buf *b, int64_t s)
{
	buf_addf(b, "%02lld:%02lld", (long long)(s / 3600), (long long)(s / 60 % 60));
	if (s % 60)
		buf_addf(b, ":%02lld", (long long)(s % 60));
}

/* A number of days, as its format shows it. */
static void put_days(struct buf *b, double v, int format)
{
	int64_t s = (int64_t)llround(v * DAY_S), day = s / DAY_S;

	if (format == AS_DURATION) {
		put_time(b, s);
		return;
	}
	/* Numbers below 1 have a time only. */
	if (!(format & AS_TIME) || day || !s) {
		if (format & AS_DATE)
			/* Lotus 1-2-3 counted a 29 February 1900. */
			put_date(b, day + (book.from_1904 ? -24107 :
					   day < 60 ? -25568 : -25569));
		if (!(format & AS_TIME))
			return;
		if (format & AS_DATE)
			buf_addc(b, ' ');
	}
	put_time(b, s % DAY_S);
}

/* Numbers are stored with more digits than are exact: 1.1000000000000001. */
static void read_number(struct buf *text)
{
	char v[64], *end;
	double n;

	if (text->n >= sizeof(v))
		return;
	memcpy(v, text->p, text->n);
	v[text->n] = '\0';
	n = strtod(v, &end);
	if (end == v || *end || !isfinite(n))
		return;
	if (book.format && n >= 0 && n < END_OF_DAYS) {
		buf_reset(text);
		put_days(text, n, book.format);
	} else if (text->n > 16 && memchr(v, '.', text->n)) {
		buf_reset(text);
		buf_addf(text, "%.15g", n);
	}
}

/* Replaces what is stored by what a reader sees. */
static void read_value(struct office_walk *w)
{
	struct str s = str_trim(buf_str(&w->text));
	int64_t at;

	/* A formula that no program has calculated yet. */
	if (!s.n && book.formula.n) {
		office_add_char(w, '=');
		buf_addstr(&w->text, buf_str(&book.formula));
		return;
	}

	if (office_is(book.kind, "s")) {
		if (!str_int(s, &at) || at < 0 || (size_t)at >= book.n_shared)
			at = -1;
		buf_reset(&w->text);
		if (at >= 0)
			buf_addstr(&w->text, book.shared[at]);
	} else if (office_is(book.kind, "b")) {
		bool yes = str_is(s, "1");

		buf_reset(&w->text);
		buf_adds(&w->text, yes ? "TRUE" : "FALSE");
	} else if (s.n && (!*book.kind || office_is(book.kind, "n"))) {
		read_number(&w->text);
	} else {
		office_unescape(w, 0);
	}
}

static void shared(struct office_walk *w, const struct office_xml *x, bool open)
{
	const char *name = office_name(x);
	char *copy;

	if (office_is(name, "t"))
		w->in_text = open;
	if (office_is(name, "rPh"))	/* how to pronounce it */
		w->skip += open ? 1 : -1;
	if (!office_is(name, "si") || open)
		return;
	if (book.n_shared % 1024 == 0)
		book.shared = xrealloc(book.shared, (book.n_shared + 1024) *
				       sizeof(*book.shared));
	office_unescape(w, 0);
	copy = xmalloc(w->text.n + 1);
	memcpy(copy, w->text.n ? w->text.p : "", w->text.n);
	book.shared[book.n_shared++] = (struct str){ copy, w->text.n };
	buf_reset(&w->text);
}

/* -- sheets --- */

/* The column of "BC12", counted from 0. */
static int column_of(const char *ref)
{
	int n = 0;

	for (; *ref >= 'A' && *ref <= 'Z' && n < OFFICE_COLUMNS * 26; ref++)
		n = n * 26 + (*ref - 'A' + 1);
	return n - 1;
}

static void begin_cell(struct office_walk *w, const struct office_xml *x)
{
	char v[16];
	int at = column_of(office_attribute(x, "r", book.at, sizeof(book.at)));
	int64_t number;

	office_attribute(x, "t", book.kind, sizeof(book.kind));
	book.format = str_int(str_of(office_attribute(x, "s", v, sizeof(v))), &number) &&
		number >= 0 && (size_t)number < book.n_styles ? book.styles[number]
		: AS_NUMBER;
	buf_reset(&w->text);
	buf_reset(&book.formula);
	/* Cells that are not stored. */
	if (at > book.column) {
		w->blank = MIN(w->blank + at - book.column, OFFICE_REPEATED);
		book.column = at;
	}
	book.column++;
}

static void cell_text(struct office_walk *w, const char *s)
{
	if (book.in_formula)
		buf_adds(&book.formula, s);
	else
		office_add_text(w, s);
}

static void sheet(struct office_walk *w, const struct office_xml *x, bool open)
{
	const char *name = office_name(x);

	if (office_is(name, "v") || office_is(name, "t")) {
		w->in_text = open;
	} else if (office_is(name, "f")) {
		book.in_formula = open;
	} else if (office_is(name, "rPh")) {
		w->skip += open ? 1 : -1;
	} else if (office_is(name, "row")) {
		book.column = 0;
		if (open)
			office_begin_row(w);
		else
			office_end_row(w);
	} else if (office_is(name, "c")) {
		if (open) {
			begin_cell(w, x);
		} else {
			read_value(w);
			office_end_cell(w);
		}
	}
}

/* -- text beside the cells --- */

static void comment(struct office_walk *w, const struct office_xml *x, bool open)
{
	const char *name = office_name(x);
	char label[32], ref[16];

	if (office_is(name, "comment") || office_is(name, "threadedComment")) {
		if (open) {
			snprintf(label, sizeof(label), "Comment, %s:",
				 office_attribute(x, "ref", ref, sizeof(ref)));
			office_add_label(w, str_of(label));
		} else {
			office_unescape(w, w->label);
			office_end_paragraph(w);
		}
	} else if (office_is(name, "t") ||
		   (office_is(name, "text") && !office_is(w->base, "comments"))) {
		w->in_text = open;
	}
}

/* New programs store a comment twice; the old form says so in the user's language. */
static void read_comments(struct office_walk *s)
{
	const char *threads = office_linked_type(s, "threadedComment");
	const char *old = office_linked_type(s, "comments");

	s->base = threads ? "threads" : "comments";
	if (threads || old)
		(void)!office_each(s, office_part(s->parts, threads ? threads : old),
				   comment, office_add_text);
	office_end_paragraph(s);
}

static void read_sheet(struct office_walk *w, const char *name)
{
	struct office_walk s = OFFICE_WALK(w->x, w->parts);
	const char *drawing;

	s.base = name;
	office_read_links(&s);
	if (office_each(&s, office_part(w->parts, name), sheet, cell_text) != EXTRACT_OK)
		w->failed = EXTRACT_UNREADABLE;
	drawing = office_linked_type(&s, "drawing");
	if (drawing)
		(void)!office_each(&s, office_part(w->parts, drawing), office_ooxml,
				   office_ooxml_text);
	office_end_paragraph(&s);
	read_comments(&s);
	office_end_notes(&s);
	office_walk_release(&s);
}

static void workbook(struct office_walk *w, const struct office_xml *x, bool open)
{
	char title[128], file[64], id[128];
	const char *path, *name = office_name(x);

	if (open && office_is(name, "workbookPr"))
		book.from_1904 = office_attribute(x, "date1904", id, sizeof(id))[0] == '1' ||
			*id == 't';
	if (!open || !office_is(name, "sheet"))
		return;
	if (w->x->pages >= LIM_EXTRACT_PAGES) {
		w->x->out.overflow = true;
		return;
	}
	path = office_linked(w, office_link_id(x, id, sizeof(id)));
	snprintf(file, sizeof(file), "xl/worksheets/sheet%lld.xml",
		 (long long)++w->x->pages);
	if (!path || !office_part(w->parts, path).p)
		path = file;
	extract_put_page(&w->x->out, w->x->pages);
	extract_put_heading(&w->x->out, 2, str_of(office_attribute(
		x, "name", title, sizeof(title))));
	read_sheet(w, path);
}

static void release(void)
{
	for (size_t i = 0; i < book.n_shared; i++)
		free((char *)book.shared[i].p);
	free(book.shared);
	free(book.own);
	free(book.styles);
	buf_release(&book.formula);
	book = (struct book){ .n_shared = 0 };
}

int office_read_xlsx(struct office_walk *w)
{
	const char *styles = office_linked_type(w, "styles");
	const char *strings = office_linked_type(w, "sharedStrings");
	struct str texts = office_part(w->parts, strings ? strings
				       : "xl/sharedStrings.xml");
	int rc = EXTRACT_OK;

	book = (struct book){
		.own = xcalloc(OWN_FORMATS, sizeof(*book.own)),
		.styles = xcalloc(STYLES, 1),
		.formula = BUF_INIT(OFFICE_TEXT_BYTES),
	};
	/* Without styles, dates are numbers. */
	(void)!office_each(w, office_part(w->parts, styles ? styles : "xl/styles.xml"),
			   style, office_add_text);
	if (texts.p)
		rc = office_each(w, texts, shared, office_add_text);
	if (rc == EXTRACT_OK)
		rc = office_each(w, office_part(w->parts, w->base), workbook,
				 office_add_text);
	if (rc == EXTRACT_OK)
		rc = w->failed;
	release();
	return rc;
}
