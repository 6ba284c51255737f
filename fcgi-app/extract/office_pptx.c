/* SPDX-License-Identifier: MIT */
/*
 * PPTX (ECMA-376): slides in the order of the presentation, each with its notes and
 * comments.
 */
#include "extract/office_walk.h"

#include <stdio.h>

#include "base/limits.h"
#include "base/util.h"
#include "extract/out.h"

#include "base/banned.h"

static void read_notes(struct office_walk *w, struct str part)
{
	size_t before = w->x->out.n, after;

	extract_put_paragraph(&w->x->out, STR("Notes:"));
	after = w->x->out.n;
	(void)!office_each(w, part, office_ooxml, office_ooxml_text);
	office_end_paragraph(w);
	if (w->x->out.n == after && buf_ok(&w->x->out)) {
		w->x->out.n = before;
		w->x->out.p[before] = '\0';
	}
}

/* Comments of old programs have p:text, those of new ones paragraphs. */
static void comment(struct office_walk *w, const struct office_xml *x, bool open)
{
	const char *name = office_name(x);

	if (open && (office_is(name, "cm") || office_is(name, "reply")))
		office_add_label(w, STR("Comment:"));
	if (office_is(name, "text"))
		w->in_text = open;
	else if (office_is(name, "cm") && !open)
		office_end_paragraph(w);
	else
		office_ooxml(w, x, open);
}

static void read_slide(struct office_walk *w, const char *name)
{
	struct str part = office_part(w->parts, name);
	struct office_walk own = OFFICE_WALK(w->x, w->parts);

	if (w->x->pages >= LIM_EXTRACT_PAGES)
		w->x->out.overflow = true;
	if (w->failed || !part.p || w->x->pages >= LIM_EXTRACT_PAGES)
		return;
	own.base = name;
	office_read_links(&own);
	extract_put_page(&w->x->out, ++w->x->pages);
	w->failed = office_each(&own, part, office_ooxml, office_ooxml_text);
	office_end_notes(&own);
	for (size_t i = 0; i < own.n_links; i++) {
		const struct office_link *l = &own.links[i];
		struct str linked = office_part(w->parts, l->path);

		if (linked.p && office_is(l->type, "notesSlide"))
			read_notes(&own, linked);
		if (linked.p && office_is(l->type, "comments"))
			(void)!office_each(&own, linked, comment,
					   office_ooxml_text);
	}
	office_walk_release(&own);
}

static void slide_list(struct office_walk *w, const struct office_xml *x, bool open)
{
	char id[128];
	const char *path;

	if (!open || !office_is(office_name(x), "sldId"))
		return;
	path = office_linked(w, office_link_id(x, id, sizeof(id)));
	if (path)
		read_slide(w, path);
}

int office_read_pptx(struct office_walk *w)
{
	int rc = office_each(w, office_part(w->parts, w->base), slide_list,
			     office_add_text);

	/* Without such a list, by their numbers. */
	for (int i = 1; i <= LIM_EXTRACT_PAGES && !w->failed && w->x->pages == i - 1;
	     i++) {
		char name[64];

		snprintf(name, sizeof(name), "ppt/slides/slide%d.xml", i);
		read_slide(w, name);
	}
	if (rc == EXTRACT_OK)
		rc = w->failed;
	return rc == EXTRACT_OK && !w->x->pages ? EXTRACT_UNREADABLE : rc;
}
