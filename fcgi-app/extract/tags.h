/* SPDX-License-Identifier: MIT */
/*
 * libxml2 compares each attribute of a tag with all before it: a megabyte of them in one
 * tag takes it minutes. So what it is going to read is looked at first.
 */
#ifndef EXTRACT_TAGS_H
#define EXTRACT_TAGS_H

#include <stdbool.h>

#include "base/str.h"

/* Whether no tag of the HTML or XML has more than LIM_EXTRACT_ATTRIBUTES. Linear. */
bool tags_are_small(struct str s, bool html);

#endif
