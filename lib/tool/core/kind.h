/*
 * Kinds of tools that YAML declares (`tools:`). A kind is a file kind_NAME.c
 * with its functions and, at its end, its row, which its family lists
 * (family.h); its options stand beside it (docs/add-a-tool.md).
 */
#ifndef TOOL_KIND_H
#define TOOL_KIND_H

#include "tool/core/tool.h"

/* Rows of one turn, in the arena; grows. */
struct tool_rows {
	struct tool *v;
	size_t n, size;
	struct arena *arena;
};

/* Appends a copy of t. */
void tool_rows_add(struct tool_rows *rows, const struct tool *t);

struct tool_kind {
	const char *name;		/* `kind:` */
	/*
	 * offsetof(struct conf_tool, …) of the pointer to the map named like
	 * the kind, which then is required; 0 = the kind has none.
	 */
	size_t section;
	/*
	 * MAY be NULL. Whether the declaration makes sense; what every tool
	 * has was checked. w: NULL for the main file. Fails with err_field and
	 * ERR_CONFIG: field is the key below the tool ("http.url", or ""), the
	 * message what is wrong with it. Asks nobody; any thread.
	 */
	int (*check)(const struct conf *conf, const struct workspace *w,
		     const struct conf_tool *c, struct err *e);
	/*
	 * What the kind says about its tools: visibility, timeout_ms,
	 * advertise, describe, run, dry_run, external; and schema, where the
	 * arguments are the kind's own, whatever the declaration says. The
	 * rest comes from the declaration, which is `data` of the tool.
	 */
	struct tool row;
	/*
	 * MAY be NULL: one declaration is one tool. Else adds the tools of c,
	 * which differ from base in what they like, to rows. Runs once a turn
	 * for everybody: quick, and asks nobody. An error leaves the tools of
	 * c out of the turn and is logged.
	 */
	int (*add)(const struct tool_ctx *ctx, const struct conf_tool *c,
		   const struct tool *base, struct tool_rows *rows,
		   struct err *e);
	/* MUST with add: whether c makes a tool of this name. Any thread. */
	bool (*makes)(const struct conf_tool *c, struct str name);
	/* MAY be NULL. The agent that c is, which has tools of its own; in a. */
	const struct agent *(*agent)(struct arena *a, const struct conf_tool *c);
};

/*
 * The LLM service that an agent's tool names or finds by capability (one with
 * vision passes llm_check_vision); NULL when it says neither (then the turn's),
 * or there is none. Borrowed from c.
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
