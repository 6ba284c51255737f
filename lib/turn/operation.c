/* SPDX-License-Identifier: MIT */
#include "turn/operation.h"

#include "turn/loop.h"
#include "turn/trail.h"

#include "base/banned.h"

static struct str id_text(const struct uuid *id, struct arena *a)
{
	return uuid_is_nil(id) ? (struct str){ NULL, 0 }
		: str_of(uuid_format(id, arena_alloc(a, UUID_TEXT_BYTES)));
}

void operation_tell(struct turn_loop *l, const struct tool_operation *o)
{
	struct turn_event ev = {
		.type = TURN_EV_OPERATION, .code = str_of(o->action),
		.entity_type = str_of(o->entity_type), .text = o->name,
		.status = str_of(o->status), .entity_id = id_text(&o->id, l->arena),
	};

	relay_emit(&l->relay, &ev);
}

void operation_start(struct turn_loop *l, struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);
	struct tool_ctx ctx = l->context.tool_ctx;
	struct tool_operation *doing;
	struct err ignored = ERR_INIT;
	json_t *args;

	if (!o || !o->tool->operation)
		return;
	ctx.arena = l->arena;
	/* A call that cannot run does nothing to anything. */
	if (tool_prepare(&l->context.tools, &ctx, c->name, c->edited.n ? c->edited : c->args, &o,
			 &args, &ignored) < 0)
		return;
	doing = arena_new(l->arena, struct tool_operation);
	if (!o->tool->operation(o->tool, &ctx, args, doing))
		return;
	c->operation = doing;
	doing->status = "start";
	operation_tell(l, doing);
}

static void tell_change(struct turn_loop *l, const struct turn_call *of,
			const struct resource_changed *c)
{
	struct turn_event ev = {
		.type = TURN_EV_ENTITY_PATCH, .call_id = of->id, .code = c->verb,
		.entity_type = str_of(c->kind), .version = c->number,
		.entity_id = id_text(&c->row_id, l->arena),
		.project_id = id_text(&c->top_id, l->arena),
		.change_id = id_text(&c->id, l->arena), .args = c->patch,
	};

	relay_emit(&l->relay, &ev);
}

/* The first one of that kind that the call changed; NULL: none. */
static const struct resource_changed *first_of_kind(const struct turn_call *c, const char *kind)
{
	const struct resource_changed *m = c->changes.first;

	while (m && !str_is(str_of(m->kind), kind))
		m = m->next;
	return m;
}

void operation_changes(struct turn_loop *l, struct turn_call *c,
		       const struct resource_changes *done)
{
	const struct resource_changed *before = c->changes.last, *one;

	resource_changes_copy(&c->changes, done, l->arena);
	for (one = before ? before->next : c->changes.first; one; one = one->next)
		tell_change(l, c, one);
}

void operation_end(struct turn_loop *l, struct turn_call *c,
		   const struct resource_changes *done)
{
	const struct resource_changed *one;

	operation_changes(l, c, done);
	if (l->within.trail && done->first)
		tool_note(l->within.trail->call, &(struct tool_note){ .changes = done });
	else if (l->context.tool_ctx.turn.by.changes)
		resource_changes_copy(l->context.tool_ctx.turn.by.changes, done, l->arena);
	if (!c->operation)
		return;
	/* What is new has its id since it was made. */
	one = first_of_kind(c, c->operation->entity_type);
	if (one && uuid_is_nil(&c->operation->id))
		c->operation->id = one->row_id;
	c->operation->status = c->result.is_error ? "error" : "success";
	operation_tell(l, c->operation);
}
