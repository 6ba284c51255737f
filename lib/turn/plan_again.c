/* SPDX-License-Identifier: MIT */
/*
 * A turn that was asked to run an earlier plan again begins with the call that does: it is
 * the user's wish and needs no model that understands it.
 */
#include "base/json.h"
#include "plan/rows.h"
#include "turn/loop.h"
#include "turn/plan.h"

#include "base/banned.h"

bool turn_plan_again(struct turn_loop *l)
{
	const struct turn_options *o = &l->run->in.options;
	json_t *args = jx_keep(l->arena, json_object());
	struct turn_step *s = &l->step;
	struct plan_row old = { .goal = STR("") };
	char turn[UUID_TEXT_BYTES];
	struct err ignored = ERR_INIT;
	struct uuid id;

	/* Of this turn only, not of one that continues it. */
	if (!o->plan_again.n || l->within.parent || l->run->continues_seq)
		return false;
	if (!uuid_parse(o->plan_again, &id) ||
	    agentplan_get(l->run->deps->db, &l->owner, &id, l->arena, &old, &ignored) <= 0)
		old.goal = STR("?");
	json_object_set_new(args, "goal", jx_string(old.goal));
	json_object_set_new(args, "again", jx_string(o->plan_again));
	if (json_array_size(o->plan_steps))
		json_object_set(args, "steps", o->plan_steps);
	s->calls = arena_zalloc(l->arena, 1, sizeof(*s->calls));
	s->n_calls = s->calls_size = 1;
	s->calls[0] = (struct turn_call){
		/* Providers want other ids in each turn, of 40 characters at most. */
		.id = str_of(arena_printf(l->arena, "again_%s",
					  uuid_format(&l->run->id, turn) + 12)),
		.name = STR("plan"), .args = str_of(jx_text(l->arena, args)),
	};
	return true;
}
