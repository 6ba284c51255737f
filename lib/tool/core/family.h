/*
 * Families of tools, a folder of lib/tool each: what one has stands in its own
 * rows.c, and family.def names them all. Everything else in core walks these
 * rows. docs/add-a-tool.md says how one gets another tool or kind.
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
	 * For tools that come from elsewhere; MAY be NULL, all three. Adds
	 * those that this turn may have; whether there could be one of this
	 * name; whether this is a group of some. Any thread.
	 */
	void (*add)(const struct tool_ctx *ctx, struct tool_rows *rows);
	bool (*makes)(const struct conf *conf, struct str name);
	bool (*has_group)(const struct conf *conf, struct str group);
	/* MAY be NULL. What a workspace says, as tool_check_conf. */
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

/* Kind number i of them all, built-in tool number i; NULL past the last. */
const struct tool_kind *tool_kind_at(size_t i);
const struct tool *tool_builtin_at(size_t i);

/* The kind of this name, or NULL. */
const struct tool_kind *tool_kind_of(const char *name);

/* The built-in tool of this name, in any case of letters; or NULL. */
const struct tool *tool_builtin(const char *name);

/*
 * text, a JSON Schema that lives as long as the program, parsed: once, and
 * shared by all threads, which only read it. NULL: no arguments. What cannot be
 * parsed is a bug; a test tries all there are.
 */
const json_t *tool_schema(const char *text);

#endif
