/* SPDX-License-Identifier: MIT */
/*
 * Values of form fields that the text of a page lacks. Poppler's text has what the
 * appearance of a field shows: not the letters that its font has not, and not a box that
 * is ticked by lines. The value itself stands in the field (ISO 32000-1, 12.7.3). Only by
 * poppler-glib: the C++ interface has no forms.
 */
#include "extract/file.h"

#include <poppler.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "extract/out.h"
#include "extract/pdf_page.h"

#include "base/banned.h"

/* Comparisons of fields with words, in a file; what is not compared is not shown. */
enum { STEPS = 20000000, TOUCH = 2 /* points */ };

struct pdf_fields {
	PopplerDocument *doc;
	int64_t steps;		/* that remain */
};

/* A page with its fields. */
struct form_page {
	struct pdf_fields *all;
	const struct pdf_page *page;
	double width, height;		/* as it is looked at */
	GList *annotations;
};

struct pdf_fields *extract_fields_open(struct str pdf)
{
	GBytes *bytes = g_bytes_new_static(pdf.p, pdf.n);
	PopplerDocument *doc = poppler_document_new_from_bytes(bytes, NULL, NULL);
	struct pdf_fields *fields = NULL;

	g_bytes_unref(bytes);
	if (doc) {
		fields = g_new0(struct pdf_fields, 1);
		fields->doc = doc;
		fields->steps = STEPS;
	}
	return fields;
}

void extract_fields_close(struct pdf_fields *fields)
{
	if (fields)
		g_object_unref(fields->doc);
	g_free(fields);
}

static int by_code(const void *a, const void *b)
{
	const gunichar x = *(const gunichar *)a, y = *(const gunichar *)b;

	return (x > y) - (x < y);
}

/* The characters of text without blanks, sorted; new. */
static gunichar *sorted(struct str s, size_t *n)
{
	gunichar *codes = g_new(gunichar, s.n + 1);

	*n = 0;
	for (size_t i = 0; i < s.n;) {
		const int len = utf8_sequence((struct str){ s.p + i, s.n - i });
		gunichar c = len > 0 ? g_utf8_get_char(s.p + i) : ' ';

		if (!g_unichar_isspace(c) && g_unichar_isprint(c))
			codes[(*n)++] = c;
		i += (size_t)MAX(len, 1);
	}
	qsort(codes, *n, sizeof(*codes), by_code);
	return codes;
}

/*
 * Whether shown has all characters of the value. Their order is not compared: words from
 * right to left have theirs as they are painted.
 */
static bool has_all(struct str shown, struct str value)
{
	size_t have, wanted, at = 0, found = 0;
	gunichar *of_shown = sorted(shown, &have), *of_value = sorted(value, &wanted);

	for (; found < wanted && at < have; at++)
		found += of_shown[at] == of_value[found];
	g_free(of_shown);
	g_free(of_value);
	return found == wanted;
}

/* The place of a field on the page as it is looked at, from the upper left corner. */
static PopplerRectangle place_of(const struct form_page *f, const PopplerRectangle *r)
{
	const double w = f->width, h = f->height;

	switch (f->page->turns) {
	case 1: return (PopplerRectangle){ r->y1, r->x1, r->y2, r->x2 };
	case 2: return (PopplerRectangle){ w - r->x2, r->y1, w - r->x1, r->y2 };
	case 3: return (PopplerRectangle){ w - r->y2, h - r->x2, w - r->y1, h - r->x1 };
	default: return (PopplerRectangle){ r->x1, h - r->y2, r->x2, h - r->y1 };
	}
}

/* The words within a field. */
static void shown_in(struct form_page *f, const PopplerRectangle *area, struct buf *out)
{
	const PopplerRectangle at = place_of(f, area);

	for (size_t i = 0; i < f->page->n_words && f->all->steps > 0; i++) {
		const struct pdf_word *w = &f->page->words[i];
		const double middle = (w->top + w->bottom) / 2;

		f->all->steps--;
		if (middle >= at.y1 - TOUCH && middle <= at.y2 + TOUCH &&
		    w->right >= at.x1 - TOUCH && w->left <= at.x2 + TOUCH)
			buf_add(out, f->page->said + w->at, w->n);
	}
}

static bool is_hidden(struct form_page *f, const PopplerRectangle *r)
{
	const int flags = POPPLER_ANNOT_FLAG_HIDDEN | POPPLER_ANNOT_FLAG_NO_VIEW;

	for (GList *l = f->annotations; l && f->all->steps > 0; l = l->next) {
		const PopplerAnnotMapping *m = l->data;

		f->all->steps--;
		if (m->area.x1 == r->x1 && m->area.y1 == r->y1 && m->area.x2 == r->x2 &&
		    m->area.y2 == r->y2 && poppler_annot_get_flags(m->annot) & flags)
			return true;
	}
	return false;
}

static void add_owned(struct buf *b, char *text)
{
	if (text)
		buf_adds(b, text);
	g_free(text);
}

static void add_chosen(PopplerFormField *field, struct buf *out)
{
	const int n = poppler_form_field_choice_get_n_items(field);

	for (int i = 0; i < n; i++) {
		if (!poppler_form_field_choice_is_item_selected(field, i))
			continue;
		if (out->n)
			buf_adds(out, ", ");
		add_owned(out, poppler_form_field_choice_get_item(field, i));
	}
	if (!out->n && poppler_form_field_choice_is_editable(field))
		add_owned(out, poppler_form_field_choice_get_text(field));
}

/* The value of a field, if it is one to be seen; *box: it is ticked, and has no letters. */
static void value_of(PopplerFormField *field, struct buf *out, bool *box)
{
	*box = false;
	switch (poppler_form_field_get_field_type(field)) {
	case POPPLER_FORM_FIELD_TEXT:
		if (!poppler_form_field_text_is_password(field))
			add_owned(out, poppler_form_field_text_get_text(field));
		break;
	case POPPLER_FORM_FIELD_CHOICE:
		add_chosen(field, out);
		break;
	case POPPLER_FORM_FIELD_BUTTON:
		*box = poppler_form_field_button_get_button_type(field) ==
			POPPLER_FORM_BUTTON_CHECK &&
			poppler_form_field_button_get_state(field);
		break;
	default:
		break;
	}
}

/* What people see as the name of a field, or its own. */
static void add_name(PopplerFormField *field, struct buf *out)
{
	add_owned(out, poppler_form_field_get_alternate_ui_name(field));
	if (!str_trim(buf_str(out)).n)
		add_owned(out, poppler_form_field_get_partial_name(field));
}

static bool put_field(struct extract *x, struct form_page *f, const PopplerFormFieldMapping *m)
{
	struct buf value = BUF_INIT(LIM_EXTRACT_OUTPUT_BYTES);
	struct buf shown = BUF_INIT(LIM_EXTRACT_OUTPUT_BYTES);
	struct buf line = BUF_INIT(LIM_EXTRACT_OUTPUT_BYTES);
	bool box, lacks = false;

	value_of(m->field, &value, &box);
	if ((box || str_trim(buf_str(&value)).n) && !is_hidden(f, &m->area)) {
		shown_in(f, &m->area, &shown);
		lacks = box ? !str_trim(buf_str(&shown)).n
			: !has_all(buf_str(&shown), buf_str(&value));
	}
	if (lacks) {
		add_name(m->field, &line);
		buf_adds(&line, line.n ? ": " : "");
		buf_addstr(&line, box ? STR("[x]") : buf_str(&value));
		extract_put_item(&x->out, "- ", buf_str(&line));
	}
	buf_release(&value);
	buf_release(&shown);
	buf_release(&line);
	return lacks;
}

bool extract_fields_put(struct extract *x, struct pdf_fields *fields, int number,
			const struct pdf_page *page)
{
	PopplerPage *of = fields ? poppler_document_get_page(fields->doc, number) : NULL;
	struct form_page f = { .all = fields, .page = page };
	GList *list = of ? poppler_page_get_form_field_mapping(of) : NULL;
	bool any = false;

	if (list) {
		poppler_page_get_size(of, &f.width, &f.height);
		f.annotations = poppler_page_get_annot_mapping(of);
	}
	/* The list begins with the last one. */
	for (GList *l = g_list_last(list); l && buf_ok(&x->out); l = l->prev)
		any |= put_field(x, &f, l->data);
	poppler_page_free_form_field_mapping(list);
	poppler_page_free_annot_mapping(f.annotations);
	if (of)
		g_object_unref(of);
	return any;
}
