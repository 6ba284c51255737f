/* SPDX-License-Identifier: MIT */
/* What there is in lib/tool/entity. */
#include "tool/core/family.h"
#include "tool/entity/onto.h"
#include "tool/schemas.h"

#include "base/banned.h"

static bool may_read(const struct tool *t, const struct tool_ctx *ctx)
{
	(void)t;
	return ctx->turn.by.db && policy_may(ctx->turn.by.who, PERM_PROJECTS_READ);
}

static bool may_write(const struct tool *t, const struct tool_ctx *ctx)
{
	return may_read(t, ctx) && policy_may(ctx->turn.by.who, PERM_PROJECTS_WRITE);
}

/* What a call is for who follows it: of what has the id in an argument, or is named so. */
#define DOES(...) .operation = onto_compound, \
	.data = &(const struct onto_tool){ __VA_ARGS__ }
#define OF(id) .argument = id
#define NAMED(key) .argument = key, .named = true
#define ONLY(kind) .kinds = 1u << ENTITY_##kind

#define READ .effect = TOOL_READ, .untrusted = true, .timeout_ms = 10000, \
	.listed_only = true, .advertise = may_read
#define WRITE .effect = TOOL_WRITE, .confirm = TOOL_CONFIRM_TAINTED, \
	.untrusted = true, .timeout_ms = 15000, .listed_only = true, \
	.advertise = may_write
/* Our own words. */
#define HELP .effect = TOOL_READ, .timeout_ms = 1000, .listed_only = true

static const struct tool tools[] = {
	{
		.name = "create_calendar_event",
		.description = "Adds an event to the user's calendar, or to that of a "
			"project. The result says what else is at that time.",
		.group = "global project",
		.schema = SCHEMA_create_calendar_event,
		WRITE, .run = onto_event_create,
	},
	{
		.name = "create_onto_project",
		.description =
			"Creates a project with what is in it, in one step: its "
			"context document (purpose, vision and intent in the "
			"user's own words, limits, goals they named), and things "
			"that they named, with links between them by ref. Search "
			"for a project of that name first.",
		.group = "project_create",
		.schema = SCHEMA_create_onto_project,
		WRITE, .run = onto_project,
		DOES("create", "project", NAMED("name")),
	},
	{
		.name = "create_task_document",
		.description = "Adds a document to the project of a task, linked "
			"with that task.",
		.group = "project",
		.schema = SCHEMA_create_task_document,
		WRITE, .run = onto_task_document,
		DOES("create", "document", NAMED("title")),
	},
	{
		.name = "delete_calendar_event",
		.description = "Deletes an event of a calendar, or occurrences of it.",
		.group = "global project",
		.schema = SCHEMA_delete_calendar_event,
		.effect = TOOL_DESTRUCTIVE, .confirm = TOOL_CONFIRM_ALWAYS,
		.timeout_ms = 15000, .listed_only = true, .advertise = may_write,
		.run = onto_event_delete,
	},
	{
		.name = "get_calendar_event_details",
		.description = "Shows an event of a calendar.",
		.group = "global project",
		.schema = SCHEMA_get_calendar_event_details,
		READ, .run = onto_event,
	},
	{
		.name = "get_document_path",
		.description = "Tells where a document is in the tree of its "
			"project: the titles from the top down to it.",
		.group = "project",
		.schema = SCHEMA_get_document_path,
		READ, .run = onto_path,
		DOES("read", "document", OF("document_id")),
	},
	{
		.name = "get_document_tree",
		.description = "Shows the tree of a project's documents: titles, "
			"descriptions, lengths, no contents. The map of what is "
			"known in a project.",
		.group = "project",
		.schema = SCHEMA_get_document_tree,
		READ, .run = onto_tree,
		DOES("list", "document", OF("project_id")),
	},
	{
		.name = "get_entity_relationships",
		.description = "Lists the links of something in a project, with "
			"their kinds and directions.",
		.group = "base",
		.schema = SCHEMA_get_entity_relationships,
		READ, .run = onto_relationships,
		DOES("read", NULL, OF("entity_id")),
	},
	{
		.name = "get_field_info",
		.description = "Explains the fields of projects and of what is in "
			"them: meaning, values, an example.",
		.group = "base",
		.schema = SCHEMA_get_field_info,
		HELP, .run = onto_field_info,
	},
	{
		.name = "get_lamplighter_overview",
		.description = "Tells what this program can do for its users. For "
			"questions about the program itself.",
		.group = "base",
		HELP, .run = onto_overview,
	},
	{
		.name = "get_lamplighter_usage_guide",
		.description = "Tells how people use this program, step by step.",
		.group = "base",
		HELP, .run = onto_guide,
	},
	{
		.name = "get_linked_entities",
		.description = "Shows what something in a project is linked with, "
			"by kind.",
		.group = "base",
		.schema = SCHEMA_get_linked_entities,
		READ, .run = onto_linked,
		DOES("read", NULL, OF("entity_id")),
	},
	{
		.name = "get_onto_project_graph",
		.description = "Shows all that is in a project, by kind, with ids, "
			"titles and states, and the links between them.",
		.group = "project",
		.schema = SCHEMA_get_onto_project_graph,
		READ, .run = onto_graph,
		DOES("read", "project", OF("project_id")),
	},
	{
		.name = "get_project_calendar",
		.description = "Shows the name, colour and time zone of a project's "
			"calendar, and who sees it.",
		.group = "project",
		.schema = SCHEMA_get_project_calendar,
		READ, .run = onto_calendar,
	},
	{
		.name = "list_calendar_events",
		.description = "Lists what takes place between two days, in the user's "
			"calendar and those of their projects, or in one project's.",
		.group = "global project",
		.schema = SCHEMA_list_calendar_events,
		READ, .run = onto_events,
	},
	{
		.name = "list_task_documents",
		.description = "Lists the documents that are linked with a task.",
		.group = "project",
		.schema = SCHEMA_list_task_documents,
		READ, .run = onto_task_documents,
		DOES("list", "document", OF("task_id")),
	},
	{
		.name = "move_document_in_tree",
		.description = "Moves a document in the tree of its project.",
		.group = "project",
		.schema = SCHEMA_move_document_in_tree,
		WRITE, .run = onto_move,
		DOES("update", "document", OF("document_id")),
	},
	{
		.name = "reorganize_onto_project_graph",
		.description = "Adds and removes several links in a project at once: "
			"all of them, or none if one cannot be.",
		.group = "project",
		.schema = SCHEMA_reorganize_onto_project_graph,
		WRITE, .run = onto_reorganize,
		DOES("update", "project", OF("project_id")),
	},
	{
		.name = "search_onto_documents",
		.description = "Searches documents of projects by their words.",
		.group = "global project",
		.schema = SCHEMA_search_onto_documents,
		READ, .run = onto_search,
		DOES("search", "document", NAMED("query"), ONLY(DOCUMENT)),
	},
	{
		.name = "search_onto_projects",
		.description = "Searches projects by the words of their names and "
			"descriptions.",
		.group = "global project",
		.schema = SCHEMA_search_onto_projects,
		READ, .run = onto_search,
		DOES("search", "project", NAMED("query"), ONLY(PROJECT)),
	},
	{
		.name = "search_onto_tasks",
		.description = "Searches tasks by their words.",
		.group = "global project",
		.schema = SCHEMA_search_onto_tasks,
		READ, .run = onto_search,
		DOES("search", "task", NAMED("query"), ONLY(TASK)),
	},
	{
		.name = "search_ontology",
		.description = "Searches projects and all that is in them by words: "
			"titles, descriptions, contents.",
		.group = "global project",
		.schema = SCHEMA_search_ontology,
		READ, .run = onto_search,
		DOES("search", "project", NAMED("query")),
	},
	{
		.name = "set_project_calendar",
		.description = "Sets the name, colour and time zone of a project's "
			"calendar, and who sees it.",
		.group = "project",
		.schema = SCHEMA_set_project_calendar,
		WRITE, .run = onto_calendar_set,
	},
	{
		.name = "update_calendar_event",
		.description = "Changes an event of a calendar, or occurrences of it. "
			"Give only what changes.",
		.group = "global project",
		.schema = SCHEMA_update_calendar_event,
		WRITE, .run = onto_event_update,
	},
};

const struct tool_family tool_family_entity = {
	.tools = tools, .n_tools = ARRAY_LEN(tools),
};
