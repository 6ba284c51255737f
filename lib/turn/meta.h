/* SPDX-License-Identifier: MIT */
/* Writes the metadata of a turn's rows; context/meta.h reads it. */
#ifndef TURN_META_H
#define TURN_META_H

#include <stdbool.h>

#include "base/json.h"
#include "base/str.h"

struct arena;
struct err;
struct turn_call;
struct turn_loop;

/*
 * Metadata as JSON text in the arena. unstored: p == NULL if the answer is about
 * to be stored; otherwise the sealed end that stores it later, or empty.
 */
struct str meta_step(struct turn_loop *l);
struct str meta_tool(struct turn_loop *l, const struct turn_call *c);
struct str meta_answer(struct turn_loop *l, const char *finish_reason,
		       const struct err *why, struct str unstored);

#endif
