/* SPDX-License-Identifier: MIT */
/*
 * Families of tools, each a folder of lib/tool: the rows.c of a family lists its
 * tools and kinds, and family.def lists the families. The rest of core iterates
 * over these rows. docs/add-a-tool.md shows how to add a tool or kind.
 */
#ifndef TOOL_FAMILY_H
#define TOOL_FAMILY_H

#include "tool/core/kind.h"

struct tool_family {
	const struct tool *tools;	/* built-in ones */
	size_t n_tools;
	const struct tool_kind *const *kinds;	/* of `tools:` in YAML */
	size_t n_kinds;
	/*
	 * For tools from other sources; each MAY be NULL. Adds the tools that
	 * this turn may use; whether a tool could have this name; whether this
	 * is the name of a group of them. Any thread.
	 */
	void (*add)(const struct tool_ctx *ctx, struct tool_rows *rows);
	bool (*makes)(const struct conf *conf, struct str name);
	bool (*has_group)(const struct conf *conf, struct str group);
	/*
	 * Number i of the names that are known without a server, for hints;
	 * NULL past the last. MAY be NULL.
	 */
	const char *(*name_at)(const struct conf *conf, size_t i);
	/* MAY be NULL. Checks a workspace, as tool_check_conf. */
	int (*check)(const struct conf *conf, const struct workspace *w,
		     struct err *e);
};

enum {
#define FAMILY(name) TOOL_FAMILY_##name,
#include "tool/core/family.def"
#undef FAMILY
	TOOL_FAMILIES
};

#define FAMILY(name) extern const struct tool_family tool_family_##name;
#include "tool/core/family.def"
#undef FAMILY

extern const struct tool_family *const tool_families[TOOL_FAMILIES];

/* Kind number i of all, built-in tool number i of all; NULL past the last. */
const struct tool_kind *tool_kind_at(size_t i);
const struct tool *tool_builtin_at(size_t i);

/* The kind of this name, or NULL. */
const struct tool_kind *tool_kind_of(const char *name);

/* The family that a tool is of, by name; "other": none of them. */
const char *tool_family_name(const struct tool *t);

/* The built-in tool of this name, in any case of letters; or NULL. */
const struct tool *tool_builtin(const char *name);

/*
 * Parses text, a JSON Schema that lives as long as the program. It is parsed once
 * and shared by all threads, which only read it. NULL: no arguments. A text that
 * cannot be parsed is a bug; a test checks all of them.
 */
const json_t *tool_schema(const char *text);

#endif
