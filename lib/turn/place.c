/* SPDX-License-Identifier: MIT */
#include "turn/place.h"

#include "auth/policy.h"
#include "base/log.h"
#include "entity/pack.h"
#include "turn/loop.h"

#include "base/banned.h"

/* Context types that are about one project, and what each asks of the model (C6, D47 to D51). */
static const struct {
	bool of_project;
	const char *scope;
} types[TOOL_POOLS] = {
	[TOOL_POOL_GLOBAL] = { false,
		"The user's projects are at hand. Find out by listing or searching which "
		"one they mean before you read or change it, and read only what you need." },
	[TOOL_POOL_PROJECT] = { true,
		"The user works in one project. Its documents, in their tree, are where "
		"knowledge belongs; tasks, goals and plans are what is done about it. Asked for "
		"an overview, look at documents first; asked what to do, at tasks and plans. "
		"Create and change things only when the user says so. Name things by their "
		"titles, not by their ids." },
	[TOOL_POOL_PROJECT_CREATE] = { false,
		"The user wants a new project. Search for one of that name first. Ask at most "
		"what you cannot do without. Create it in one step, with a context document: "
		"purpose, vision and intent in the user's words, limits and goals that they "
		"named, and nothing that they did not say." },
	[TOOL_POOL_PROJECT_AUDIT] = { true,
		"The user wants this project to be examined: what is missing, late, blocked, "
		"without an owner, or contradictory. Give evidence by title. Change nothing "
		"unless asked." },
	[TOOL_POOL_PROJECT_FORECAST] = { true,
		"The user wants to know how this project will go: from dates, states and risks, "
		"say what is likely, what it depends on, and how sure that is. Change nothing "
		"unless asked." },
	[TOOL_POOL_CALENDAR] = { false,
		"The user asks about dates and events. Look at what takes place before you say "
		"when there is time. Give days and times as the user's clocks show them." },
	[TOOL_POOL_BRAIN_DUMP] = { false,
		"The user thinks aloud. Sort what they say, ask one question at a time, and say "
		"in which project and document each thought would belong. Change nothing unless "
		"asked." },
	[TOOL_POOL_DAILY_BRIEF_UPDATE] = { false,
		"Write the user's brief of the day: short, what is due first." },
	[TOOL_POOL_ONTOLOGY] = { true,
		"The user works on the structure of this project: what there is, how it belongs "
		"together, what its fields mean." },
};

static struct str none(void)
{
	return (struct str){ NULL, 0 };
}

/* Whether this workspace is told of projects without a context type. */
static bool is_on(const struct turn_loop *l)
{
	const struct turn_options *o = &l->run->in.options;

	return l->run->in.target.workspace->projects || o->context_type.n || o->project_id.n;
}

static void set_pool(struct turn_loop *l)
{
	const struct turn_options *o = &l->run->in.options;
	const int pool = o->context_type.n ? tool_pool_of(o->context_type)
		: o->project_id.n ? TOOL_POOL_PROJECT : TOOL_POOL_GLOBAL;

	l->tool_ctx.turn.pool = pool < 0 ? TOOL_POOL_GLOBAL : (enum tool_pool)pool;
}

/* Reads the pack of valid ids; what is wrong with them is told by l->place.there. */
static int read(struct turn_loop *l, const struct uuid *project, const struct uuid *focus,
		struct err *e)
{
	struct caller by = l->tool_ctx.turn.by;
	struct entity_pack pack;

	by.arena = l->arena;
	by.db = l->run->deps->db;
	if (!policy_may(by.who, PERM_PROJECTS_READ))
		return 0;
	if (entity_pack(&by, project, focus, &pack, e) < 0)
		return -1;
	l->place.text = pack.text;
	l->place.there = pack.there;
	l->place.own = pack.own;
	return 0;
}

static int wrong(const char *key, const char *what, struct err *e)
{
	return err_field(e, ERR_INVALID_FIELD, key, "%s", what);
}

/* The id in an option; *out is NULL without one. */
static int id_of(struct str text, const char *key, struct uuid *id, struct uuid **out,
		 struct err *e)
{
	*out = text.n ? id : NULL;
	return !text.n || uuid_parse(text, id) ? 0
		: err_field(e, ERR_INVALID_FIELD, key, "%s must be an id.", key);
}

int context_place_new(struct turn_run *t, struct err *e)
{
	const struct turn_options *o = &t->in.options;
	struct turn_loop *l = t->loop;
	struct uuid ids[2], *project, *focus;

	if (!is_on(l))
		return o->focus_id.n ? wrong("focusId", "focusId needs a projectId.", e) : 0;
	if (o->context_type.n && tool_pool_of(o->context_type) < 0)
		return wrong("contextType", "There is no such context type.", e);
	if (id_of(o->project_id, "projectId", &ids[0], &project, e) < 0 ||
	    id_of(o->focus_id, "focusId", &ids[1], &focus, e) < 0)
		return -1;
	set_pool(l);
	if (focus && !project)
		return wrong("focusId", "focusId needs a projectId.", e);
	if (!project && types[l->tool_ctx.turn.pool].of_project)
		return wrong("projectId", "This context type is about a project: give its "
			     "projectId.", e);
	if (read(l, project, focus, e) < 0)
		return -1;
	if (project && !l->place.there)
		return focus ? wrong("focusId", "There is no such project with this in it "
				     "that the user sees.", e)
			: wrong("projectId", "There is no such project that the user sees.",
				e);
	l->place.looked_up = true;
	return 0;
}

void context_place(struct turn_loop *l)
{
	const struct turn_options *o = &l->run->in.options;
	struct uuid ids[2], *project, *focus;
	struct err e = ERR_INIT;

	if (l->nested || l->place.looked_up || !is_on(l))
		return;
	l->place.looked_up = true;
	set_pool(l);
	if (id_of(o->project_id, "projectId", &ids[0], &project, &e) < 0 ||
	    id_of(o->focus_id, "focusId", &ids[1], &focus, &e) < 0 ||
	    read(l, project, project ? focus : NULL, &e) < 0)
		log_err("where the user is, which is left out", &e);
}

struct str place_scope(const struct turn_loop *l)
{
	return l->nested || !is_on(l) ? none() : str_of(types[l->tool_ctx.turn.pool].scope);
}
