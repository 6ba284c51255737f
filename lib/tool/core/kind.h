/* SPDX-License-Identifier: MIT */
/*
 * Kinds of tools that YAML declares (`tools:`). A kind is a file kind_NAME.c
 * with its functions and, at its end, its row, which its family lists
 * (family.h); its options are next to it (docs/add-a-tool.md).
 */
#ifndef TOOL_KIND_H
#define TOOL_KIND_H

#include "tool/core/tool.h"

/* The rows that there are for one turn; grows. All zero but arena: none. */
struct tool_rows {
	struct tool *v;		/* allocated with xrealloc: most are not kept */
	size_t n, size;
	struct arena *arena;	/* what they point to is in it */
};

/* Appends a copy of t. */
void tool_rows_add(struct tool_rows *rows, const struct tool *t);
void tool_rows_release(struct tool_rows *rows);

struct tool_kind {
	const char *name;		/* `kind:` */
	/*
	 * offsetof(struct conf_tool, …) of the pointer to the map with the
	 * name of the kind, which is then required; 0 = the kind has none.
	 */
	size_t section;
	/*
	 * MAY be NULL. Checks the declaration, except for what all tools have
	 * in common. w: NULL for the main file. Fails with err_field and
	 * ERR_CONFIG: field is the key below the tool ("http.url", or ""), the
	 * message its fault. Does no I/O; any thread.
	 */
	int (*check)(const struct conf *conf, const struct workspace *w,
		     const struct conf_tool *c, struct err *e);
	/*
	 * The part of its tools that the kind determines: visibility,
	 * timeout_ms, advertise, describe, run, dry_run, external; and schema,
	 * if the kind defines the arguments itself. The rest comes from the
	 * declaration, which is `data` of the tool.
	 */
	struct tool row;
	/*
	 * MAY be NULL: one declaration is one tool. Else adds the tools of c,
	 * which are based on base, to rows. Runs once per turn, so it must be
	 * fast and do no I/O. On an error, the turn has no tools of c, and the
	 * error is logged.
	 */
	int (*add)(const struct tool_ctx *ctx, const struct conf_tool *c,
		   const struct tool *base, struct tool_rows *rows,
		   struct err *e);
	/* MUST with add: whether c makes a tool of this name. Any thread. */
	bool (*makes)(const struct conf_tool *c, struct str name);
	/* MAY be NULL. The agent that c declares, with its own tools; in a. */
	const struct agent *(*agent)(struct arena *a, const struct conf_tool *c);
};

/*
 * The LLM service that the tool of an agent names or finds by capability
 * (llm_check_can); NULL if it has neither (then that of the turn
 * is used), or if there is none. Borrowed from c.
 */
const struct llm_service *
tool_agent_service(const struct conf *c, const struct conf_tool_agent *a);

/* Adds the tools of one declaration. */
void tool_kind_add(const struct tool_ctx *ctx, const struct conf_tool *c,
		   struct tool_rows *rows);

/* The tools that the main file and the workspace declare. */
void tool_kind_rows(const struct tool_ctx *ctx, struct tool_rows *rows);

/* Whether the main file or w (may be NULL) declares a tool of this name. */
bool tool_kind_makes(const struct conf *conf, const struct workspace *w,
		     struct str name);

/* Whether a tool that is declared is of the group. */
bool tool_kind_group(const struct conf *conf, const struct workspace *w,
		     struct str group);

/* Checks all declarations. ERR_CONFIG with "FILE:LINE: tools.NAME…: ". */
int tool_kind_check(const struct conf *conf, struct err *e) MUST_CHECK;

#endif
