/* SPDX-License-Identifier: MIT */
#include "context/place.h"

#include "auth/policy.h"
#include "base/log.h"
#include "entity/pack.h"
#include "event/relay.h"
#include "context/context.h"

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
		"Give each change its mode: act if the user's own words ask for it, inform if "
		"they only ask or tell, clarify if it is not clear. Name things by their "
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
static bool is_on(const struct context *cx)
{
	const struct turn_options *o = &cx->run->in.options;

	return cx->run->in.target.workspace->projects || o->context_type.n || o->project_id.n;
}

static enum tool_pool pool_of(const struct turn_options *o)
{
	const int pool = o->context_type.n ? tool_pool_of(o->context_type)
		: o->project_id.n ? TOOL_POOL_PROJECT : TOOL_POOL_GLOBAL;

	return pool < 0 ? TOOL_POOL_GLOBAL : (enum tool_pool)pool;
}

const char *place_type_name(const struct turn_options *o)
{
	return tool_pool_name(pool_of(o));
}

const char *place_scope_name(const struct turn_options *o)
{
	return !types[pool_of(o)].of_project ? "global" : o->focus_id.n ? "entity"
		: "project";
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

/* Checks c as far as that takes no database. */
static int read_ids(const struct conversation_context *c, struct uuid ids[2],
		    struct uuid **project, struct uuid **focus, struct err *e)
{
	const int pool = c->context_type.n ? tool_pool_of(c->context_type)
		: TOOL_POOL_GLOBAL;

	if (pool < 0)
		return wrong("contextType", "There is no such context type.", e);
	if (id_of(c->project_id, "projectId", &ids[0], project, e) < 0 ||
	    id_of(c->focus_id, "focusId", &ids[1], focus, e) < 0)
		return -1;
	if (*focus && !*project)
		return wrong("focusId", "focusId needs a projectId.", e);
	if (!*project && types[pool].of_project)
		return wrong("projectId", "This context type is about a project: give its "
			     "projectId.", e);
	return 0;
}

static int not_there(const struct uuid *focus, struct err *e)
{
	return focus ? wrong("focusId", "There is no such project with this in it that the "
			     "user sees.", e)
		: wrong("projectId", "There is no such project that the user sees.", e);
}

/* Of what the caller may not see, nothing is there. */
static int read(const struct caller *by, struct entity_packs *packs,
		const struct uuid *project, const struct uuid *focus,
		struct entity_pack *out, struct err *e)
{
	*out = (struct entity_pack){ .there = !project };
	return policy_may(by->who, PERM_PROJECTS_READ)
		? entity_pack(by, packs, project, focus, out, e) : 0;
}

bool place_of_project(struct str context_type)
{
	const int pool = tool_pool_of(context_type);

	return pool >= 0 && types[pool].of_project;
}

/* all: what is told of no project is read, too. */
static int look_at(const struct caller *by, struct entity_packs *packs,
		   const struct conversation_context *c, bool all, struct err *e)
{
	struct entity_pack pack = { .there = true };
	struct uuid ids[2], *project, *focus;

	if (read_ids(c, ids, &project, &focus, e) < 0 ||
	    ((project || all) && read(by, packs, project, focus, &pack, e) < 0))
		return -1;
	return pack.there ? 0 : not_there(focus, e);
}

int place_check(const struct caller *by, const struct conversation_context *c,
		struct err *e)
{
	return look_at(by, NULL, c, false, e);
}

int place_warm(const struct caller *by, struct entity_packs *packs,
	       const struct conversation_context *c, struct err *e)
{
	return look_at(by, packs, c, true, e);
}

static struct conversation_context requested_place(const struct turn_options *o)
{
	return (struct conversation_context){ o->context_type, o->project_id, o->focus_id };
}

/* Reads the pack; of a project that is not there, as if none were said. */
static int look_up(struct context *cx, const struct uuid *project,
		   const struct uuid *focus, struct err *e)
{
	struct caller by = cx->tool_ctx.turn.by;
	struct entity_pack pack;

	cx->place.looked_up = true;
	cx->tool_ctx.turn.pool = pool_of(&cx->run->in.options);
	by.arena = cx->arena;
	by.db = cx->run->deps->db;
	if (read(&by, cx->run->deps->packs, project, focus, &pack, e) < 0)
		return -1;
	cx->place.text = pack.text;
	cx->place.there = pack.there;
	cx->place.own = pack.own;
	cx->place.focus_kind = pack.focus_kind;
	return 0;
}

int context_place_new(struct turn_run *t, struct err *e)
{
	const struct conversation_context c = requested_place(&t->in.options);
	struct uuid ids[2], *project, *focus;

	if (read_ids(&c, ids, &project, &focus, e) < 0)
		return -1;
	if (!project)
		return 0;
	if (look_up(t->context, project, focus, e) < 0)
		return -1;
	if (!t->context->place.there)
		return not_there(focus, e);
	return !t->in.focus_type.n || str_eq(t->in.focus_type, t->context->place.focus_kind)
		? 0 : wrong("entity_type", "What entity_id names is of another type.", e);
}

/* The conversation's project, or (focus) what is in it, is out of reach. */
static void tell_gone(struct context *cx, bool focus)
{
	if (!focus)
		cx->tool_ctx.turn.pool = TOOL_POOL_GLOBAL;
	if (!cx->relay->sink)
		return;
	relay_warn(cx->relay, "place_gone", focus
		? "What this conversation is about was deleted, or you can no longer see "
		  "it. The answer is given without it."
		: "The project of this conversation was deleted, or you can no longer see "
		  "it. The answer is given without it.");
}

void context_place(struct context *cx)
{
	const struct conversation_context c = requested_place(&cx->run->in.options);
	struct uuid ids[2], *project, *focus;
	struct err e = ERR_INIT;
	bool gone;
	int rc;

	if (cx->outer || cx->place.looked_up || !is_on(cx))
		return;
	cx->place.looked_up = true;
	rc = read_ids(&c, ids, &project, &focus, &e);
	if (rc == 0)
		rc = look_up(cx, project, focus, &e);
	gone = rc == 0 && project && !cx->place.there;
	if (gone && focus)	/* maybe that alone */
		rc = look_up(cx, project, NULL, &e);
	if (rc < 0)
		log_err("where the user is, which is left out", &e);
	else if (gone)
		tell_gone(cx, cx->place.there);
}

struct str place_scope(const struct context *cx)
{
	return cx->outer || !is_on(cx) ? none() : str_of(types[cx->tool_ctx.turn.pool].scope);
}
