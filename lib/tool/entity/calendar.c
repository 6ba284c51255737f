/* SPDX-License-Identifier: MIT */
/* Calendars of the user and of projects (C-T20 to C-T24, C-T57, C-T58). */
#include "base/clock.h"
#include "base/limits.h"
#include "calendar/calendar.h"
#include "hold/stored.h"
#include "resource/form.h"
#include "tool/entity/onto.h"

#include "base/banned.h"

enum {
	DAYS = 30,		/* of a list that names no end */
	LIMIT = 50,
};

/* -- list_calendar_events -------------------------------------------------------------- */

static int read_end(const json_t *args, const char *key, const struct zone *zone, bool to,
		    int64_t dflt_us, int64_t *us, struct err *e)
{
	const struct str s = jx_str(args, key);

	*us = dflt_us;
	return !s.n || calendar_end(s, zone, to, us) ? 0
		: err_public(e, ERR_TOOL_ARGS, "%s must be a day, such as 2027-03-01, or a "
			     "time.", key);
}

static int read_range(const struct caller *by, const json_t *args, struct calendar_ask *ask,
		      struct err *e)
{
	const struct zone *zone;
	int64_t today;

	ask->zone = jx_str(args, "time_zone");
	if (!ask->zone.n && calendar_zone(by, ask->project, &ask->zone, e) < 0)
		return -1;
	zone = zone_read(ask->zone, by->arena);
	if (!zone)
		return err_public(e, ERR_TOOL_ARGS, "time_zone must be the name of a time zone, "
				  "such as Europe/Berlin.");
	today = wall_day(zone_wall(zone, clock_now_us() / 1000000)) * WALL_DAY_S;
	if (read_end(args, "from", zone, false, zone_when(zone, today) * 1000000,
		     &ask->from_us, e) < 0 ||
	    read_end(args, "to", zone, true, ask->from_us + DAYS * WALL_DAY_S * 1000000LL,
		     &ask->to_us, e) < 0)
		return -1;
	if (ask->to_us <= ask->from_us ||
	    ask->to_us - ask->from_us > (LIM_CALENDAR_DAYS + 1) * WALL_DAY_S * 1000000LL)
		return err_public(e, ERR_TOOL_ARGS, "to must be after from, by at most %d days.",
				  LIM_CALENDAR_DAYS);
	return 0;
}

static bool read_project(const json_t *args, struct uuid *id, const struct uuid **out,
			 struct err *e)
{
	*out = NULL;
	if (!jx_str(args, "project_id").n)
		return true;
	*out = id;
	return onto_id(args, "project_id", id, e) == 0;
}

int onto_events(const struct tool *t, const struct tool_ctx *ctx, const json_t *args,
		struct buf *out, bool *is_json, struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct calendar_ask ask = { .words = jx_str(args, "query") };
	const size_t limit = (size_t)jx_int(args, "limit", LIMIT);
	struct calendar_occurrence *v;
	struct jw w = jw_on(out);
	struct uuid id;
	bool more;
	size_t n;

	(void)t;
	if (!read_project(args, &id, &ask.project, e))
		return -1;
	ask.own = ask.projects = !ask.project;
	if (read_range(&by, args, &ask, e) < 0 ||
	    calendar_between(&by, &ask, &v, &n, &more, e) < 0)
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "events");
	jw_arr(&w);
	for (size_t i = 0; i < n && i < limit; i++) {
		jw_obj(&w);
		calendar_write(&w, &v[i]);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_kstr(&w, "timeZone", ask.zone);
	jw_kbool(&w, "more", more || n > limit);
	jw_end_obj(&w);
	return 0;
}

/* -- one event ---------------------------------------------------------------------------- */

/* The resource that the event is of: the user's own, or a project's. */
static int find_event(const struct caller *by, const struct uuid *id, const struct resource **r,
		      struct resource_answer *out, struct err *e)
{
	static const enum resource_id both[] = {
		RESOURCE_CALENDAR_EVENT, RESOURCE_PROJECT_EVENT,
	};
	char text[UUID_TEXT_BYTES];
	struct resource_call c = { .verb = VERB_GET };

	c.id = str_of(uuid_format(id, text));
	for (size_t i = 0; i < ARRAY_LEN(both); i++) {
		*r = c.r = &resources[both[i]];
		if (resource_call(by, &c, out, e) == 0)
			return 0;
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
	}
	return err_public(e, ERR_NOT_FOUND, "There is no event with this id that the user "
			  "sees.");
}

int onto_event(const struct tool *t, const struct tool_ctx *ctx, const json_t *args,
	       struct buf *out, bool *is_json, struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct resource_answer *answer = arena_new(ctx->arena, struct resource_answer);
	const struct resource *r;
	struct jw w = jw_on(out);
	struct uuid id;

	(void)t;
	if (onto_id(args, "event_id", &id, e) < 0 || find_event(&by, &id, &r, answer, e) < 0)
		return -1;
	*is_json = true;
	resource_answer_write(&w, &by, r, answer);
	return 0;
}

/* The event as it is now, and what else takes place at that time. */
static int write_event(const struct caller *by, const struct resource *r,
		       const struct resource_answer *answer, struct buf *out,
		       struct err *e)
{
	struct jw w = jw_on(out);

	jw_obj(&w);
	resource_record(&w, by, r, &answer->done, &answer->items[0]);
	jw_key(&w, "conflicts");
	if (calendar_conflicts(by, answer->items[0].row, &w, e) < 0)
		return -1;
	jw_end_obj(&w);
	return 0;
}

/* The arguments that are fields of an event. */
static json_t *body_of(const json_t *args, struct arena *a)
{
	static const char *const others[] = {
		"project_id", "event_id", "version", "occurrence", "scope",
	};
	json_t *some = jx_keep(a, json_copy((json_t *)args));

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		json_object_del(some, others[i]);
	return resource_of_arguments(&resources[RESOURCE_CALENDAR_EVENT], some, a);
}

static int has_room(const struct caller *by, struct err *e)
{
	return hold_check(by->db, by->conf, &by->owner, e);
}

int onto_event_create(const struct tool *t, const struct tool_ctx *ctx, const json_t *args,
		      struct buf *out, bool *is_json, struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct resource_answer *answer = arena_new(ctx->arena, struct resource_answer);
	struct resource_call c = { .r = &resources[RESOURCE_CALENDAR_EVENT],
				   .verb = VERB_CREATE, .body = body_of(args, ctx->arena),
				   .parent = jx_str(args, "project_id") };

	(void)t;
	if (c.parent.n)
		c.r = &resources[RESOURCE_PROJECT_EVENT];
	if (has_room(&by, e) < 0 || resource_call(&by, &c, answer, e) < 0)
		return -1;
	hold_refresh(by.db, by.conf, &by.owner);
	*is_json = true;
	return write_event(&by, c.r, answer, out, e);
}

static int read_scope(const json_t *args, struct calendar_change *c, struct err *e)
{
	const struct str scope = jx_str(args, "scope");

	c->day = jx_str(args, "occurrence");
	c->scope = str_is(scope, "all") ? CALENDAR_ALL
		: str_is(scope, "following") ? CALENDAR_FOLLOWING
		: scope.n || c->day.n ? CALENDAR_THIS : CALENDAR_ALL;
	return c->scope == CALENDAR_ALL || c->day.n ? 0
		: err_public(e, ERR_TOOL_ARGS, "occurrence must be the day of the occurrence, "
			     "as list_calendar_events has it.");
}

static int change(const struct tool_ctx *ctx, const json_t *args, const json_t *body,
		  struct buf *out, bool *is_json, struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct resource_answer *answer = arena_new(ctx->arena, struct resource_answer);
	int64_t version = jx_int(args, "version", 0);
	struct calendar_change c = {
		.id = jx_str(args, "event_id"), .body = body, .expect = onto_expect_version,
		.ctx = &version,
	};
	struct uuid id;

	if (onto_id(args, "event_id", &id, e) < 0 || read_scope(args, &c, e) < 0 ||
	    find_event(&by, &id, &c.r, answer, e) < 0 || (body && has_room(&by, e) < 0) ||
	    calendar_change(&by, &c, answer, e) < 0)
		return -1;
	hold_refresh(by.db, by.conf, &by.owner);
	*is_json = true;
	if (body)
		return write_event(&by, c.r, answer, out, e);
	buf_adds(out, "{\"deleted\":true}");
	return 0;
}

int onto_event_update(const struct tool *t, const struct tool_ctx *ctx, const json_t *args,
		      struct buf *out, bool *is_json, struct err *e)
{
	(void)t;
	return change(ctx, args, body_of(args, ctx->arena), out, is_json, e);
}

int onto_event_delete(const struct tool *t, const struct tool_ctx *ctx, const json_t *args,
		      struct buf *out, bool *is_json, struct err *e)
{
	(void)t;
	return change(ctx, args, NULL, out, is_json, e);
}

/* -- calendars of projects ------------------------------------------------------------------ */

/* The calendar's row; answer->n is 0 if nobody has set it up. */
static int read_calendar(const struct caller *by, const json_t *args,
			 struct resource_answer *answer, struct entity_brief **project,
			 struct err *e)
{
	const struct resource_call c = {
		.r = &resources[RESOURCE_PROJECT_CALENDAR], .verb = VERB_LIST,
		.parent = jx_str(args, "project_id"),
	};
	struct uuid id;

	if (onto_id(args, "project_id", &id, e) < 0 ||
	    onto_find(by, &id, ENTITY_PROJECT, project, e) < 0)
		return -1;
	return resource_call(by, &c, answer, e);
}

static struct str text_at(const struct resource_row *row, size_t column)
{
	return row ? resource_text(row, column) : (struct str){ NULL, 0 };
}

/* As it is, with what holds where nothing is set. */
static int write_calendar(const struct caller *by, const struct resource_row *row,
			  const struct entity_brief *project, struct buf *out,
			  struct err *e)
{
	const struct str name = text_at(row, COLUMN(PROJECT_CALENDAR, name));
	const struct str colour = text_at(row, COLUMN(PROJECT_CALENDAR, colour));
	const struct str seen = text_at(row, COLUMN(PROJECT_CALENDAR, visibility));
	struct jw w = jw_on(out);
	struct str zone;

	if (calendar_zone(by, &project->id, &zone, e) < 0)
		return -1;
	jw_obj(&w);
	jw_kuuid(&w, "projectId", &project->id);
	jw_kstr(&w, "name", name.n ? name : project->title);
	if (colour.n)
		jw_kstr(&w, "colour", colour);
	jw_kstr(&w, "timeZone", zone);
	jw_kstr(&w, "visibility", seen.n ? seen : STR("viewer"));
	jw_end_obj(&w);
	return 0;
}

int onto_calendar(const struct tool *t, const struct tool_ctx *ctx, const json_t *args,
		  struct buf *out, bool *is_json, struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct resource_answer *answer = arena_new(ctx->arena, struct resource_answer);
	struct entity_brief *project;

	(void)t;
	if (read_calendar(&by, args, answer, &project, e) < 0)
		return -1;
	*is_json = true;
	return write_calendar(&by, answer->n ? answer->items[0].row : NULL, project, out, e);
}

int onto_calendar_set(const struct tool *t, const struct tool_ctx *ctx, const json_t *args,
		      struct buf *out, bool *is_json, struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct resource_answer *answer = arena_new(ctx->arena, struct resource_answer);
	struct resource_answer *stored = arena_new(ctx->arena, struct resource_answer);
	struct resource_call c = {
		.r = &resources[RESOURCE_PROJECT_CALENDAR], .verb = VERB_CREATE,
		.parent = jx_str(args, "project_id"), .body = body_of(args, ctx->arena),
	};
	struct entity_brief *project;
	char id[UUID_TEXT_BYTES];

	(void)t;
	if (read_calendar(&by, args, answer, &project, e) < 0)
		return -1;
	if (answer->n) {
		c.verb = VERB_PATCH;
		c.id = str_of(uuid_format(&answer->items[0].row->id, id));
	}
	if (resource_call(&by, &c, stored, e) < 0)
		return -1;
	*is_json = true;
	return write_calendar(&by, stored->items[0].row, project, out, e);
}
