/* SPDX-License-Identifier: MIT */
/* What calls of tools over projects do, for the user who follows (D24, D25). */
#include "tool/entity/onto.h"

#include "resource/change.h"

#include "base/banned.h"

/* Finds the name of what has this id, and its kind, if that is not known. */
static void name(const struct tool_ctx *ctx, struct str id, struct tool_operation *out)
{
	const struct caller by = onto_by(ctx);
	struct err ignored = ERR_INIT;
	struct entity_brief *found;
	size_t n;

	if (!uuid_parse(id, &out->id) ||
	    entity_of_ids(&by, &out->id, 1, &found, &n, &ignored) < 0 || !n) {
		/* It does not exist for this user: what they sent is shown to nobody. */
		out->id = (struct uuid){ { 0 } };
		return;
	}
	out->name = found->title;
	if (!out->entity_type)
		out->entity_type = entity_kinds[entity_kind_of(found->kind)].name;
}

/* The member of args that comes first among these. */
static struct str first_of(const json_t *args, const char *const *keys)
{
	struct str s = { "", 0 };

	for (; *keys && !s.n; keys++)
		s = jx_str(args, *keys);
	return s.p ? s : STR("");
}

bool onto_operation(const struct tool_ctx *ctx, enum resource_id of,
		    enum resource_verb verb, const json_t *args,
		    struct tool_operation *out)
{
	static const char *const actions[] = {
		[VERB_LIST] = "list", [VERB_GET] = "read", [VERB_CREATE] = "create",
		[VERB_PATCH] = "update", [VERB_DELETE] = "delete",
	};
	static const char *const titles[] = { "title", "name", NULL };
	const char *kind = resource_kind(&resources[of]);

	*out = (struct tool_operation){
		.action = actions[verb], .entity_type = kind, .name = STR(""),
	};
	if (!kind || !ctx->turn.by.db)
		return false;
	if (entity_kind_of(str_of(kind)) < 0) {
		/* A link changes the project; D24 has no word for links. */
		out->action = actions[VERB_PATCH];
		out->entity_type = entity_kinds[ENTITY_PROJECT].name;
		name(ctx, jx_str(args, "projectId"), out);
	} else if (verb == VERB_CREATE) {
		out->name = first_of(args, titles);
	} else if (verb == VERB_LIST) {
		/* In the project of that name; the id is of none of what is listed. */
		name(ctx, jx_str(args, "projectId"), out);
		out->id = (struct uuid){ { 0 } };
	} else {
		name(ctx, jx_str(args, "id"), out);
	}
	return true;
}

bool onto_compound(const struct tool *t, const struct tool_ctx *ctx, const json_t *args,
		   struct tool_operation *out)
{
	const struct onto_tool *row = t->data;

	*out = (struct tool_operation){
		.action = row->action, .name = STR(""), .entity_type = row->kind,
	};
	if (!ctx->turn.by.db)
		return false;
	if (row->named)
		out->name = jx_str(args, row->argument);
	else
		name(ctx, jx_str(args, row->argument), out);
	if (str_is(str_of(out->action), "list"))
		out->id = (struct uuid){ { 0 } };
	return out->entity_type != NULL;
}
