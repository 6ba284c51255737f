/* SPDX-License-Identifier: MIT */
/* See office_walk.h. */
#include "extract/office_walk.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/util.h"
#include "extract/out.h"
#include "extract/tags.h"

#include "base/banned.h"

enum { XML_OPTIONS = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING };

/* The state of a paragraph while the text in it is written. */
struct office_box {
	struct office_box *outside;
	struct buf text, row, *to;
	int heading, cells, n_cells, blank, times, row_times;
	bool item, first_row, in_text, paragraph;
	size_t label;
};

void office_walk_release(struct office_walk *w)
{
	while (w->box)
		office_box(w, false, NULL);
	for (size_t i = 0; i < w->n_links; i++) {
		free(w->links[i].id);
		free(w->links[i].path);
		free(w->links[i].type);
	}
	free(w->links);
	buf_release(&w->aside);
	buf_release(&w->notes);
	buf_release(&w->text);
	buf_release(&w->row);
}

/* -- XML --- */

const char *office_name(const struct office_xml *x)
{
	return (const char *)xmlTextReaderConstLocalName(x->r);
}

/* relation: only an attribute of the namespace of relations. */
static const char *copy_attribute(const struct office_xml *x, const char *name,
				  bool relation, char *out, size_t size_bytes)
{
	bool found = false;

	*out = '\0';
	while (xmlTextReaderMoveToNextAttribute(x->r) == 1 && !found) {
		const char *v = (const char *)xmlTextReaderConstValue(x->r);
		const char *space = (const char *)xmlTextReaderConstNamespaceUri(x->r);

		found = office_is(office_name(x), name) &&
			(!relation || (space && strstr(space, "/relationships")));
		if (found && v)
			snprintf(out, size_bytes, "%s", v);
	}
	xmlTextReaderMoveToElement(x->r);
	return out;
}

const char *office_attribute(const struct office_xml *x, const char *name, char *out,
			     size_t size_bytes)
{
	return copy_attribute(x, name, false, out, size_bytes);
}

const char *office_link_id(const struct office_xml *x, char *out, size_t size_bytes)
{
	return copy_attribute(x, "id", true, out, size_bytes);
}

int64_t office_number(const struct office_xml *x, const char *name, int64_t other)
{
	char v[24];
	int64_t n;

	return str_int(str_of(office_attribute(x, name, v, sizeof(v))), &n) ? n : other;
}

int office_times(const struct office_xml *x, const char *name)
{
	return (int)MIN(MAX(office_number(x, name, 1), 1), OFFICE_COLUMNS);
}

bool office_on(const struct office_xml *x)
{
	char v[8];

	office_attribute(x, "val", v, sizeof(v));
	return !office_is(v, "0") && !office_is(v, "false") && !office_is(v, "off");
}

int office_each(struct office_walk *w, struct str part, office_element *element,
		office_text *text)
{
	struct office_xml x;
	int rc;

	if (!part.p || part.n > INT_MAX || !tags_are_small(part, false))
		return EXTRACT_UNREADABLE;
	x.r = xmlReaderForMemory(part.p, (int)part.n, NULL, NULL, XML_OPTIONS);
	if (!x.r)
		return EXTRACT_UNREADABLE;
	while ((rc = xmlTextReaderRead(x.r)) == 1 && buf_ok(&w->x->out)) {
		int type = xmlTextReaderNodeType(x.r);
		const char *s;

		if (type == XML_READER_TYPE_ELEMENT) {
			bool empty = xmlTextReaderIsEmptyElement(x.r) == 1;

			element(w, &x, true);
			if (empty)
				element(w, &x, false);
		} else if (type == XML_READER_TYPE_END_ELEMENT) {
			element(w, &x, false);
		} else if (type == XML_READER_TYPE_TEXT ||
			   type == XML_READER_TYPE_CDATA ||
			   type == XML_READER_TYPE_SIGNIFICANT_WHITESPACE) {
			s = (const char *)xmlTextReaderConstValue(x.r);
			if (s)
				text(w, s);
		}
	}
	xmlFreeTextReader(x.r);
	return rc < 0 ? EXTRACT_UNREADABLE : EXTRACT_OK;
}

/* -- links --- */

/* Resolves target, a path relative to the part base or absolute, to out. */
static void resolve(const char *base, const char *target, char *out)
{
	const char *folder = strrchr(base, '/');
	size_t n = *target == '/' || !folder ? 0 : (size_t)(folder - base);

	memcpy(out, base, n);
	while (*target && *target != '#') {
		size_t len = strcspn(target, "/#");

		if (len == 2 && !memcmp(target, "..", 2)) {
			while (n && out[--n] != '/')
				continue;
		} else if (len && !(len == 1 && *target == '.')) {
			if (n + len + 2 > OFFICE_PATH_BYTES)
				break;
			if (n)
				out[n++] = '/';
			memcpy(out + n, target, len);
			n += len;
		}
		target += len + (target[len] == '/');
	}
	out[n] = '\0';
	office_decode_name(out);
}

void office_add_link(struct office_walk *w, const char *id, const char *type,
		     const char *target)
{
	char path[OFFICE_PATH_BYTES];
	const char *last = strrchr(type, '/');

	if (w->n_links >= LIM_EXTRACT_ENTRIES || strlen(w->base) >= sizeof(path))
		return;
	if (w->n_links % 256 == 0)
		w->links = xrealloc(w->links, (w->n_links + 256) * sizeof(*w->links));
	resolve(w->base, target, path);
	w->links[w->n_links++] = (struct office_link){
		xstrdup(id), xstrdup(path), xstrdup(last ? last + 1 : type),
	};
}

static void relation(struct office_walk *w, const struct office_xml *x, bool open)
{
	char id[128], type[256], mode[16], target[OFFICE_PATH_BYTES];

	if (open && office_is(office_name(x), "Relationship") &&
	    !office_is(office_attribute(x, "TargetMode", mode, sizeof(mode)), "External"))
		office_add_link(w, office_attribute(x, "Id", id, sizeof(id)),
				office_attribute(x, "Type", type, sizeof(type)),
				office_attribute(x, "Target", target, sizeof(target)));
}

static void no_text(struct office_walk *w, const char *s)
{
	(void)w;
	(void)s;
}

void office_read_links(struct office_walk *w)
{
	const char *file = strrchr(w->base, '/');
	char name[OFFICE_PATH_BYTES];

	file = file ? file + 1 : w->base;
	snprintf(name, sizeof(name), "%.*s_rels/%s.rels", (int)(file - w->base),
		 w->base, file);
	/* Without relations, parts are found by their usual names. */
	(void)!office_each(w, office_part(w->parts, name), relation, no_text);
}

const char *office_linked(const struct office_walk *w, const char *id)
{
	for (size_t i = 0; i < w->n_links; i++)
		if (office_is(w->links[i].id, id))
			return w->links[i].path;
	return NULL;
}

const char *office_linked_type(const struct office_walk *w, const char *type)
{
	for (size_t i = 0; i < w->n_links; i++)
		if (office_is(w->links[i].type, type))
			return w->links[i].path;
	return NULL;
}

/* -- writing --- */

void office_add_text(struct office_walk *w, const char *s)
{
	if (w->in_text && !w->skip)
		buf_adds(&w->text, s);
}

void office_add_utf8(struct office_walk *w, const char *utf8)
{
	buf_adds(&w->text, utf8);
}

void office_add_char(struct office_walk *w, char c)
{
	buf_addc(&w->text, c);
}

/* The code of "_x000D_" at p, of n bytes; -1: it is none. */
static int escaped(const char *p, size_t n)
{
	return n > 6 && p[0] == '_' && p[1] == 'x' && p[6] == '_' ? hex4(p + 2) : -1;
}

void office_unescape(struct office_walk *w, size_t from)
{
	struct buf *b = &w->text;
	size_t to = from;

	for (size_t i = from; i < b->n; i++) {
		int code = escaped(b->p + i, b->n - i), low;

		if (code < 0) {
			b->p[to++] = b->p[i];
			continue;
		}
		i += 6;
		low = code >= 0xd800 && code <= 0xdbff
			? escaped(b->p + i + 1, b->n - i - 1) : -1;
		if (low >= 0xdc00 && low <= 0xdfff) {
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
			i += 7;
		}
		/* It is shorter than the escape. */
		if (code > 0 && (code < 0xd800 || code > 0xdfff)) {
			struct buf c = BUF_INIT(8);

			extract_put_code(&c, (unsigned)code);
			memcpy(b->p + to, c.p, c.n);
			to += c.n;
			buf_release(&c);
		}
	}
	if (to < b->n) {
		b->n = to;
		b->p[to] = '\0';
	}
}

void office_add_label(struct office_walk *w, struct str label)
{
	buf_addstr(&w->text, label);
	buf_addc(&w->text, ' ');
	w->label = w->text.n;
}

/* Writes to `to` from now on; NULL: to x->out. */
static void write_to(struct office_walk *w, struct buf *to)
{
	if (to == w->to)
		return;
	if (w->to)
		*w->to = w->x->out;
	else
		w->main = w->x->out;
	w->x->out = to ? *to : w->main;
	w->to = to;
}

static void begin_box(struct office_walk *w, struct buf *to)
{
	struct office_box *box = xmalloc(sizeof(*box));

	*box = (struct office_box){
		.outside = w->box, .text = w->text, .row = w->row, .to = w->to,
		.heading = w->heading, .cells = w->cells, .n_cells = w->n_cells,
		.blank = w->blank, .times = w->times, .row_times = w->row_times,
		.item = w->item, .first_row = w->first_row, .in_text = w->in_text,
		.label = w->label, .paragraph = w->paragraph,
	};
	w->box = box;
	w->text = (struct buf)BUF_INIT(OFFICE_TEXT_BYTES);
	w->row = (struct buf)BUF_INIT(OFFICE_TEXT_BYTES);
	w->heading = w->cells = w->n_cells = w->blank = 0;
	w->times = w->row_times = 1;
	w->item = w->in_text = w->paragraph = false;
	w->first_row = true;
	w->label = 0;
	write_to(w, to);
}

static void end_box(struct office_walk *w)
{
	struct office_box *box = w->box;

	w->cells = 0;
	office_end_paragraph(w);
	write_to(w, box->to);
	buf_release(&w->text);
	buf_release(&w->row);
	w->box = box->outside;
	w->text = box->text;
	w->row = box->row;
	w->heading = box->heading;
	w->cells = box->cells;
	w->n_cells = box->n_cells;
	w->blank = box->blank;
	w->times = box->times;
	w->row_times = box->row_times;
	w->item = box->item;
	w->first_row = box->first_row;
	w->in_text = box->in_text;
	w->label = box->label;
	w->paragraph = box->paragraph;
	free(box);
}

void office_box(struct office_walk *w, bool open, struct buf *to)
{
	if (open && w->boxes++ < OFFICE_BOXES)
		begin_box(w, to);
	else if (!open && --w->boxes < OFFICE_BOXES)
		end_box(w);
}

/* Appends what was written to another place. */
static void put_ready(struct office_walk *w, struct buf *ready)
{
	if (!buf_ok(ready))
		w->x->out.overflow = true;
	extract_put_ready(&w->x->out, buf_str(ready));
	buf_reset(ready);
}

void office_end_notes(struct office_walk *w)
{
	while (w->box)
		office_box(w, false, NULL);
	put_ready(w, &w->aside);
	put_ready(w, &w->notes);
}

/* The paragraph, without a number that has no text. */
static struct str paragraph_text(const struct office_walk *w)
{
	struct str s = buf_str(&w->text);

	if (!str_trim((struct str){ s.p + w->label, s.n - w->label }).n)
		s.n = 0;
	return s;
}

void office_end_paragraph(struct office_walk *w)
{
	struct str s = paragraph_text(w);

	/* Text that does not fit is not left out silently. */
	if (!buf_ok(&w->text))
		w->x->out.overflow = true;
	if (w->cells) {
		office_add_char(w, ' ');
		w->heading = 0;
		w->item = false;
		w->label = 0;
		return;
	}
	if (w->heading)
		extract_put_heading(&w->x->out, w->heading, s);
	else if (w->item)
		extract_put_item(&w->x->out, w->label ? "" : "- ", s);
	else
		extract_put_paragraph(&w->x->out, s);
	buf_reset(&w->text);
	w->heading = 0;
	w->item = false;
	w->label = 0;
	if (!w->box && w->aside.n)
		put_ready(w, &w->aside);
}

void office_begin_row(struct office_walk *w)
{
	buf_reset(&w->row);
	buf_reset(&w->text);
	w->n_cells = w->blank = 0;
	w->times = w->row_times = 1;
}

static void put_cell(struct office_walk *w, struct str s)
{
	if (w->n_cells == OFFICE_COLUMNS) {
		w->x->out.overflow = true;
		return;
	}
	if (w->n_cells++)
		buf_addc(&w->row, OUT_CELL);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != OUT_CELL)
			buf_addc(&w->row, s.p[i]);
}

void office_end_cell(struct office_walk *w)
{
	struct str s = str_trim(buf_str(&w->text));

	if (s.n) {
		while (w->blank > 0) {
			put_cell(w, STR(""));
			w->blank--;
		}
		w->times = MIN(w->times, OFFICE_REPEATED);
		while (w->times-- > 0)
			put_cell(w, s);
	} else {
		w->blank = MIN(w->blank + w->times, OFFICE_REPEATED);
	}
	w->times = 1;
	buf_reset(&w->text);
}

void office_end_row(struct office_walk *w)
{
	if (!buf_ok(&w->row) || !buf_ok(&w->text))
		w->x->out.overflow = true;
	w->row_times = MIN(w->row_times, OFFICE_REPEATED);
	while (w->n_cells && w->row_times-- > 0) {
		extract_put_row(&w->x->out, buf_str(&w->row), w->first_row);
		w->first_row = false;
	}
	office_begin_row(w);
}

void office_table(struct office_walk *w, bool open)
{
	if (open && w->cells++ == 0) {
		office_end_paragraph(w);
		w->first_row = true;
		office_begin_row(w);
	} else if (!open && w->cells > 0 && --w->cells == 0) {
		buf_reset(&w->text);
		w->label = 0;
		if (!w->box && w->aside.n)
			put_ready(w, &w->aside);
	}
}
