/* See office_walk.h. */
#include "extract/office_walk.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/util.h"
#include "extract/out.h"

#include "base/banned.h"

enum { XML_OPTIONS = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING };

void office_walk_release(struct office_walk *w)
{
	for (size_t i = 0; i < w->n_links; i++) {
		free(w->links[i].id);
		free(w->links[i].path);
	}
	free(w->links);
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

int office_times(const struct office_xml *x, const char *name)
{
	char v[16];
	int64_t n;

	if (!str_int(str_of(office_attribute(x, name, v, sizeof(v))), &n))
		return 1;
	return (int)MIN(MAX(n, 1), OFFICE_COLUMNS);
}

int office_each(struct office_walk *w, struct str part, office_element *element,
		office_text *text)
{
	struct office_xml x;
	int rc;

	if (!part.p || part.n > INT_MAX)
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
}

void office_add_link(struct office_walk *w, const char *id, const char *target)
{
	char path[OFFICE_PATH_BYTES];

	if (w->n_links >= LIM_EXTRACT_ENTRIES || strlen(w->base) >= sizeof(path))
		return;
	if (w->n_links % 256 == 0)
		w->links = xrealloc(w->links, (w->n_links + 256) * sizeof(*w->links));
	resolve(w->base, target, path);
	w->links[w->n_links++] = (struct office_link){ xstrdup(id), xstrdup(path) };
}

static void relation(struct office_walk *w, const struct office_xml *x, bool open)
{
	char id[128], target[OFFICE_PATH_BYTES];

	if (open && office_is(office_name(x), "Relationship"))
		office_add_link(w, office_attribute(x, "Id", id, sizeof(id)),
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

/* -- writing --- */

void office_add_text(struct office_walk *w, const char *s)
{
	if (w->in_text && !w->skip)
		buf_add(&w->text, s, MIN(strlen(s), w->text.cap - w->text.n));
}

void office_add_char(struct office_walk *w, char c)
{
	if (w->text.n < w->text.cap)
		buf_addc(&w->text, c);
}

void office_end_paragraph(struct office_walk *w)
{
	struct str s = buf_str(&w->text);

	if (w->cells) {
		office_add_char(w, ' ');
		return;
	}
	if (w->heading)
		extract_put_heading(&w->x->out, w->heading, s);
	else if (w->item)
		extract_put_item(&w->x->out, s);
	else
		extract_put_paragraph(&w->x->out, s);
	buf_reset(&w->text);
	w->heading = 0;
	w->item = false;
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
	if (w->n_cells == OFFICE_COLUMNS)
		return;
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
		while (w->times-- > 0)
			put_cell(w, s);
	} else {
		w->blank = MIN(w->blank + w->times, OFFICE_COLUMNS);
	}
	w->times = 1;
	buf_reset(&w->text);
}

void office_end_row(struct office_walk *w)
{
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
	}
}
