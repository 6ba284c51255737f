/* SPDX-License-Identifier: MIT */
/* EPUB 3. */
#include "extract/office_walk.h"

#include <stdio.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/util.h"
#include "base/utf8.h"
#include "extract/out.h"

#include "base/banned.h"

static void no_text(struct office_walk *w, const char *s)
{
	(void)w;
	(void)s;
}

static void chapter(struct office_walk *w, struct str part)
{
	if (w->x->pages >= LIM_EXTRACT_PAGES)
		w->x->out.overflow = true;
	if (!part.p || w->x->pages >= LIM_EXTRACT_PAGES)
		return;
	extract_put_page(&w->x->out, ++w->x->pages);
	extract_file_inner(w->x, part, NULL, "text/html",
			   w->x->depth + 1);
}

/* Decodes %20 in place. */
static void unquote(char *s)
{
	char *to = s;

	for (; *s; s++) {
		int high = *s == '%' ? hex_digit(s[1]) : -1;
		int low = high >= 0 ? hex_digit(s[2]) : -1;

		*to++ = low > 0 || (low == 0 && high) ? (char)(high << 4 | low) : *s;
		s += low > 0 || (low == 0 && high) ? 2 : 0;
	}
	*to = '\0';
}

/* The list of files, then the order of the chapters. */
static void package(struct office_walk *w, const struct office_xml *x, bool open)
{
	const char *name = office_name(x);
	char id[128], path[OFFICE_PATH_BYTES];
	const char *linked;

	if (open && office_is(name, "item")) {
		office_attribute(x, "id", id, sizeof(id));
		office_attribute(x, "href", path, sizeof(path));
		unquote(path);
		office_add_link(w, id, "", path);
	} else if (open && office_is(name, "itemref")) {
		linked = office_linked(w, office_attribute(x, "idref", id, sizeof(id)));
		if (linked)
			chapter(w, office_part(w->parts, linked));
	}
}

static void container(struct office_walk *w, const struct office_xml *x, bool open)
{
	char path[OFFICE_PATH_BYTES];

	if (!open || !office_is(office_name(x), "rootfile") || w->n_links)
		return;
	w->base = office_attribute(x, "full-path", path, sizeof(path));
	(void)!office_each(w, office_part(w->parts, path), package, no_text);
	w->base = "";
}

int office_read_epub(struct office_walk *w)
{
	struct str keys = office_part(w->parts, "META-INF/encryption.xml");
	bool listed;

	/* Fonts are only obscured, by other algorithms. */
	if (keys.p && memmem(keys.p, keys.n, "xmlenc#aes", 10))
		return EXTRACT_ENCRYPTED;
	(void)!office_each(w, office_part(w->parts, "META-INF/container.xml"), container,
			   no_text);
	listed = w->x->pages > 0;
	/* Without a list, in the order of the archive. */
	for (size_t i = 0; !listed && i < w->parts->n; i++) {
		const char *name = w->parts->v[i].name;

		if (strstr(name, "html") || strstr(name, ".htm"))
			chapter(w, buf_str(&w->parts->v[i].data));
	}
	return w->x->pages ? EXTRACT_OK : EXTRACT_UNREADABLE;
}
