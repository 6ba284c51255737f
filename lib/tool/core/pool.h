/* SPDX-License-Identifier: MIT */
/*
 * Pools: the tools of each context type (A68, C23, C24), before lists and
 * permissions narrow them. Rows in pool.def.
 */
#ifndef TOOL_POOL_H
#define TOOL_POOL_H

#include <stdbool.h>

#include "base/str.h"

struct tool;

enum tool_pool {
#define POOL(type, name, groups, more) TOOL_POOL_##type,
#include "tool/core/pool.def"
	TOOL_POOLS
};

/* Whether words, by blanks, have this one. */
bool tool_has_word(const char *words, struct str name);

/*
 * The pool of the context type of this name, as in requests: "project_create" ("general":
 * GLOBAL); -1: there is none.
 */
int tool_pool_of(struct str name);

/* Whether the context type gives t to the conversations of workspaces with projects. */
bool tool_pool_gives(enum tool_pool pool, const struct tool *t);

/* Whether the user's wish for the calendar adds the tool, in any of them. */
bool tool_pool_requested(const struct tool *t);

/* Whether t is in a group of the context type that the design gives it (C24). */
bool tool_pool_maps(enum tool_pool pool, const struct tool *t);

/* The name of a context type. */
const char *tool_pool_name(enum tool_pool pool);

/* Whether the context type has t at all. Any thread. */
bool tool_pool_has(enum tool_pool pool, const struct tool *t);

#endif
