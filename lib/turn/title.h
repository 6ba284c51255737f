/* Titles that a model gives. */
#ifndef TURN_TITLE_H
#define TURN_TITLE_H

#include "base/arena.h"
#include "base/str.h"

/*
 * What a model made of being asked for a title, as one: one line, without quotes
 * and markdown. In a. p == NULL: nothing was left.
 */
struct str title_clean(struct arena *a, struct str s);

#endif
