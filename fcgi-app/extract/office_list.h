/* SPDX-License-Identifier: MIT */
/*
 * Styles and numbers of paragraphs of DOCX (ECMA-376 part 1, sections 17.7 and 17.9):
 * whether a style is a heading, and what stands before a paragraph: "1.2.3", "a)", "§ 4".
 */
#ifndef EXTRACT_OFFICE_LIST_H
#define EXTRACT_OFFICE_LIST_H

#include "extract/office_walk.h"

struct office_list;

enum { LIST_LEVELS = 9, LIST_NONE = -1 };

/* What a paragraph has, or its style. */
struct list_place {
	int64_t num;		/* id of its numbering; 0 none, LIST_NONE not said */
	int64_t level;		/* 0 to 8; LIST_NONE not said */
};

/*
 * Reads the parts "styles" and "numbering" that w->base has links to, to w->list (new; the
 * caller frees it).
 */
void office_list_read(struct office_walk *w);
void office_list_free(struct office_list *l);

/*
 * The level of the heading that the style with this id is, by its outline level, else by
 * its name or those of the styles that it is based on: Word stores the names of its own
 * styles in English, but ids in the user's language. 0: it is none. *place: what the style
 * says of numbers.
 */
int office_list_style(const struct office_list *l, const char *id,
		      struct list_place *place);

/*
 * Counts a paragraph, and appends its number to label; nothing for one with a bullet or
 * without a number. Returns whether it is in a list. style: its id, or "".
 */
bool office_list_count(struct office_list *l, struct list_place place, const char *style,
		       struct buf *label);

#endif
