/* SPDX-License-Identifier: MIT */
/*
 * Changing a part of a Markdown text: a section is a heading (# to ######, not within a
 * fenced block) with all below it, up to the next heading of its level or above.
 */
#ifndef RESOURCE_SECTION_H
#define RESOURCE_SECTION_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/*
 * Appends text to out with its first section of that heading (its words, in any case,
 * with or without #) replaced by body. A body that does not begin with a heading stands
 * below the old one; an empty one removes the section. False, with out unchanged, if
 * there is no such section. Takes time like the length of text.
 */
bool section_replace(struct buf *out, struct str text, struct str heading,
		     struct str body);

/* Appends the first headings of the text, "A", "B", …, for a message; at most max_bytes. */
void section_names(struct buf *out, struct str text, size_t max_bytes);

/* Appends text and more to out, with an empty line between them. */
void section_append(struct buf *out, struct str text, struct str more);

#endif
