/* SPDX-License-Identifier: MIT */
/*
 * The tools over projects that are more than a verb on one resource: search, links, the
 * tree, what fields mean, and changes that belong together. The others are rows TOOL of
 * resource.def.
 */
#ifndef TOOL_ONTO_H
#define TOOL_ONTO_H

#include "entity/entity.h"
#include "entity/tree.h"
#include "tool/core/tool.h"

/* The data of these tools. */
struct onto_tool {
	const char *action;	/* of the operation (D24) */
	const char *kind;	/* whose it is; NULL: that of what the argument names */
	const char *argument;	/* the id of that, or if named the words for it */
	bool named;
	unsigned kinds;		/* onto_search: a bit each; 0: entity_types says which */
};

/*
 * For `operation` of struct tool: of these tools, and of those that are a verb on a
 * resource, with arguments by the keys of its body. Reads at most one row.
 */
bool onto_compound(const struct tool *t, const struct tool_ctx *ctx, const json_t *args,
		   struct tool_operation *out);
bool onto_operation(const struct tool_ctx *ctx, enum resource_id of,
		    enum resource_verb verb, const json_t *args,
		    struct tool_operation *out);

/* For `run` of struct tool. */
typedef int onto_run_fn(const struct tool *t, const struct tool_ctx *ctx,
			const json_t *args, struct buf *out, bool *is_json,
			struct err *e);

onto_run_fn onto_field_info;
onto_run_fn onto_search;
onto_run_fn onto_relationships, onto_linked, onto_graph;
onto_run_fn onto_task_documents;
onto_run_fn onto_tree, onto_path, onto_move;
onto_run_fn onto_task_document, onto_reorganize, onto_project;
onto_run_fn onto_overview, onto_guide;
onto_run_fn onto_events, onto_event, onto_event_create, onto_event_update,
	onto_event_delete;
onto_run_fn onto_calendar, onto_calendar_set;

/* The caller, with the arena of the call. */
static inline struct caller onto_by(const struct tool_ctx *ctx)
{
	struct caller by = ctx->turn.by;

	by.arena = ctx->arena;
	return by;
}

/*
 * The id in an argument, which is required: ERR_TOOL_ARGS, public, if it is none, naming
 * the argument and the tool that gives such ids.
 */
int onto_id(const json_t *args, const char *key, struct uuid *out,
	    struct err *e) MUST_CHECK;

/* The one of this kind (ENTITY_PROJECT included) that the caller sees; public errors. */
int onto_find(const struct caller *by, const struct uuid *id,
	      enum entity_kind kind, struct entity_brief **out,
	      struct err *e) MUST_CHECK;

/*
 * resource_call.expect with a const int64_t: the version that the model has read, as
 * records show it. ERR_PRECONDITION with a text for the model.
 */
int onto_expect_version(void *ctx, const struct resource_row *now, struct err *e);

#endif
