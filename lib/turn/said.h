/* SPDX-License-Identifier: MIT */
/* The origin of a text. */
#ifndef TURN_SAID_H
#define TURN_SAID_H

#include <stdbool.h>

#include "base/str.h"

struct turn_loop;

/*
 * Whether the user said text, or a tool returned it before the model wrote it
 * (said.c). For a nested loop its parents' messages count, too.
 */
bool said_by_others(const struct turn_loop *l, struct str text);

#endif
