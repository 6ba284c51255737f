/* SPDX-License-Identifier: MIT */
/* Titles by a model. */
#ifndef TURN_TITLE_H
#define TURN_TITLE_H

#include "base/arena.h"
#include "base/str.h"

/*
 * Makes a title of a model's answer: one line, without quotes and markdown. In
 * a. p == NULL if nothing is left.
 */
struct str title_clean(struct arena *a, struct str s);

#endif
