/* SPDX-License-Identifier: MIT */
#include "tool/core/pool.h"

#include <string.h>

#include "tool/core/tool.h"

#include "base/banned.h"

static const char *const pools[TOOL_POOLS] = {
#define POOL(type, name, groups, more) [TOOL_POOL_##type] = groups more,
#include "tool/core/pool.def"
};

static const char *const mapped[TOOL_POOLS] = {
#define POOL(type, name, groups, more) [TOOL_POOL_##type] = groups,
#include "tool/core/pool.def"
};

static const char *const ours[] = {
#define GROUP(name) name,
#include "tool/core/pool.def"
};

bool tool_has_word(const char *words, struct str name)
{
	size_t n;

	for (const char *p = words; *p; p += n + (p[n] == ' ')) {
		n = strcspn(p, " ");
		if (str_eq((struct str){ p, n }, name))
			return true;
	}
	return false;
}

/* CONTEXT: by the names that its rows have for types. */
static const char *const names[TOOL_POOLS] = {
#define POOL(type, name, groups, more) [TOOL_POOL_##type] = name,
#include "tool/core/pool.def"
};

static const char *const types[TOOL_POOLS] = {
#define POOL(type, name, groups, more) [TOOL_POOL_##type] = #type,
#include "tool/core/pool.def"
};

static const struct {
	const char *tool, *types;
} given[] = {
#define CONTEXT(tool, types) { tool, types },
#include "tool/core/pool.def"
};

int tool_pool_of(struct str name)
{
	if (str_is(name, "general"))
		return TOOL_POOL_GLOBAL;
	for (int i = 0; i < TOOL_POOLS; i++)
		if (str_is(name, names[i]))
			return i;
	return -1;
}

bool tool_pool_gives(enum tool_pool pool, const struct tool *t)
{
	for (size_t i = 0; i < ARRAY_LEN(given); i++)
		if (strcmp(given[i].tool, t->name) == 0)
			return !t->kind &&
				tool_has_word(given[i].types, str_of(types[pool]));
	return false;
}

bool tool_pool_requested(const struct tool *t)
{
	static const char *const requested[] = {
#define REQUESTED(tool) tool,
#include "tool/core/pool.def"
	};

	for (size_t i = 0; i < ARRAY_LEN(requested); i++)
		if (strcmp(requested[i], t->name) == 0)
			return !t->kind;
	return false;
}

const char *tool_pool_name(enum tool_pool pool)
{
	return names[pool];
}

bool tool_pool_maps(enum tool_pool pool, const struct tool *t)
{
	struct str rest = str_of(t->group);

	while (rest.n)
		if (tool_has_word(mapped[pool], str_cut(&rest, ' ')))
			return true;
	return false;
}

bool tool_pool_has(enum tool_pool pool, const struct tool *t)
{
	const char *groups = t->group ? t->group : "";
	bool ungrouped = true;

	for (size_t i = 0; i < ARRAY_LEN(ours); i++) {
		if (!tool_has_word(groups, str_of(ours[i])))
			continue;
		if (tool_has_word(pools[pool], str_of(ours[i])))
			return true;
		ungrouped = false;
	}
	return (ungrouped || t->kind) &&
		tool_has_word(pools[pool], STR("declared"));
}
