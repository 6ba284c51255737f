/* Who said something first. */
#ifndef TURN_SAID_H
#define TURN_SAID_H

#include <stdbool.h>

#include "base/str.h"

struct turn_loop;

/*
 * Whether text stands in what the user said, or in the result of a tool and not
 * in what the model had said before (said.c). Of a nested loop, its parents'
 * messages count too.
 */
bool said_by_others(const struct turn_loop *l, struct str text);

#endif
