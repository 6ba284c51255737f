/* SPDX-License-Identifier: MIT */
/*
 * Changes of one occurrence of an event, or of that and all that follow: several calls of
 * the resource engine in one transaction. One that is changed alone becomes an event of
 * its own, and its day is skipped in the series; with those that follow, the series ends
 * the day before, and another one begins.
 */
#include <libical/ical.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/library.h"
#include "base/limits.h"
#include "base/util.h"
#include "calendar/calendar.h"
#include "calendar/rule.h"
#include "store/stmt.h"

#include "base/banned.h"

/* The rule as it is stored, with another end: *until (NULL: none) instead of COUNT and
   UNTIL. In a. */
static struct str rule_until(const struct rule *r, const int64_t *until_day, struct arena *a)
{
	int y, m, d;

	if (!until_day)
		return str_of(arena_strdup(a, r->text));
	wall_date(*until_day, &y, &m, &d);
	return str_of(arena_printf(a, "%s;UNTIL=%04d%02d%02d", r->text, y, m, d));
}

#define AT(column) COLUMN(CALENDAR_EVENT, column)

/* A change within its transaction, which may be repeated. */
struct changing {
	const struct caller *by;
	const struct calendar_change *c;
	struct resource_answer *out;
	int64_t day;
};

static int call_verb(const struct changing *g, enum resource_verb verb, const char *id,
		     const json_t *body, const struct resource_row *draft,
		     struct resource_answer *out, struct err *e)
{
	char *parent = arena_alloc(g->by->arena, UUID_TEXT_BYTES);
	const struct resource_call c = {
		.r = g->c->r, .verb = verb, .id = str_of(id ? id : ""), .body = body,
		.parent = draft && g->c->r->owner == OWNER_BELOW
			? str_of(uuid_format(&draft->holder, parent)) : g->c->parent,
		.draft = draft,
	};

	return resource_call(g->by, &c, out, e);
}

/* The series, as the caller sees it and has read it. */
static int find_series(const struct changing *g, struct resource_row *row, struct err *e)
{
	struct resource_answer *out = arena_new(g->by->arena, struct resource_answer);
	const struct resource_call c = {
		.r = g->c->r, .verb = VERB_GET, .id = g->c->id, .parent = g->c->parent,
	};

	if (resource_call(g->by, &c, out, e) < 0 ||
	    (g->c->expect && g->c->expect(g->c->ctx, out->items[0].row, e) < 0))
		return -1;
	*row = *out->items[0].row;
	return 0;
}

static struct calendar_event event_of(const struct resource_row *row)
{
	return (struct calendar_event){
		.id = row->id, .starts = resource_text(row, AT(starts)),
		.ends = resource_text(row, AT(ends)), .zone = resource_text(row, AT(zone)),
		.rrule = resource_text(row, AT(rrule)),
		.skipped = resource_text(row, AT(skipped)),
		.recurs_until = row->v[AT(recurs_until)].i,
	};
}

/* A change of the series itself; its row in *row is then the new one. */
static int patch(const struct changing *g, struct resource_row *row, json_t *body,
		 struct err *e)
{
	struct resource_answer *out = arena_new(g->by->arena, struct resource_answer);
	char id[UUID_TEXT_BYTES];

	if (call_verb(g, VERB_PATCH, uuid_format(&row->id, id), body, NULL, out, e) < 0)
		return -1;
	*row = *out->items[0].row;
	return 0;
}

static int skip_day(const struct changing *g, struct resource_row *row, struct err *e)
{
	struct arena *a = g->by->arena;
	const struct str text = resource_text(row, AT(skipped));
	json_t *days = jx_keep(a, text.n ? jx_load(text, e) : json_array());
	json_t *body = jx_keep(a, json_object());

	if (!days)
		return -1;
	if (json_array_size(days) >= LIM_EVENT_SKIPPED)
		return err_public(e, ERR_CONFLICT, "Too many occurrences of this event were "
				  "changed or deleted alone. Change those that follow.");
	json_array_append_new(days, jx_string(g->c->day));
	json_object_set(body, "skipped", days);
	return patch(g, row, body, e);
}

static const char *const edited[] = {
	"title", "description", "location", "start", "end", "timeZone", "recurrence",
	"typeKey", "stateKey",
};

static size_t column_of(const struct resource *r, const char *key)
{
	size_t i = 0;

	while (i + 1 < r->n_fields && strcmp(r->fields[i].key, key) != 0)
		i++;
	return i;
}

/* Moved to the start, it is as long as before: w. */
static void move_end(json_t *body, struct str start, const struct calendar_when *w,
		     struct arena *a)
{
	int64_t at;
	const enum wall_form form = wall_read(start, &at);
	struct str end;

	json_object_del(body, "end");
	if (form == WALL_NONE || (form == WALL_DAY) != w->whole_days)
		return;
	end = wall_str(at + w->end - w->start - (w->whole_days ? WALL_DAY_S : 0),
		       w->whole_days, a);
	if (form == WALL_INSTANT)
		end = str_of(arena_printf(a, "%.*sZ", STR_ARG(end)));
	json_object_set_new(body, "end", jx_string(end));
}

/* The body of a new event: what the occurrence is, with the change. */
static json_t *body_of(const struct changing *g, const struct resource_row *row,
		       bool repeated, struct err *e)
{
	struct arena *a = g->by->arena;
	const struct calendar_event v = event_of(row);
	json_t *body = jx_keep(a, json_object()), *value;
	struct calendar_when w;
	const char *key;
	int64_t start;

	for (size_t i = 0; i < sizeof(edited) / sizeof(*edited); i++) {
		const struct str text = resource_text(row, column_of(g->c->r, edited[i]));

		if (text.p)
			json_object_set_new(body, edited[i], jx_string(text));
	}
	if (!calendar_when(v.starts, v.ends, v.zone, a, &w))
		return err_set(e, ERR_INTERNAL, "an event without its times"), NULL;
	start = w.start + (g->day - wall_day(w.start)) * WALL_DAY_S;
	json_object_set_new(body, "start", jx_string(wall_str(start, w.whole_days, a)));
	json_object_set_new(body, "end", jx_string(wall_str(
		start + w.end - w.start - (w.whole_days ? WALL_DAY_S : 0), w.whole_days, a)));
	if (!repeated)
		json_object_del(body, "recurrence");
	if (json_object_get(g->c->body, "start") && !json_object_get(g->c->body, "end"))
		move_end(body, jx_str(g->c->body, "start"), &w, a);
	json_object_foreach((json_t *)g->c->body, key, value) {
		if (json_is_null(value))
			json_object_del(body, key);
		else
			json_object_set(body, key, value);
	}
	return body;
}

/* Stores a new event beside the series. */
static int make(const struct changing *g, json_t *body, const struct resource_row *series,
		struct err *e)
{
	const struct resource *r = g->c->r;
	struct resource_row draft;

	if (resource_draft(g->by->conf, r, VERB_CREATE, body, g->by->arena, &draft, e) < 0)
		return -1;
	draft.holder = series->holder;
	if (g->c->scope == CALENDAR_THIS) {
		struct uuid *id = arena_new(g->by->arena, struct uuid);

		*id = series->id;
		draft.v[AT(series_id)] = DB_U(id);
		draft.v[AT(occurrence)] = DB_S(g->c->day);
	}
	return call_verb(g, VERB_CREATE, NULL, NULL, &draft, g->out, e);
}

/* -- that one --------------------------------------------------------------------------- */

static int change_this(struct changing *g, struct resource_row *row, struct err *e)
{
	json_t *body = g->c->body ? body_of(g, row, false, e) : NULL;

	if (g->c->body && !body)
		return -1;
	if (g->c->body && json_object_get(g->c->body, "recurrence"))
		return err_field(e, ERR_INVALID_FIELD, "recurrence", "recurrence: one "
				 "occurrence has none; change all, or those that follow.");
	if (skip_day(g, row, e) < 0)
		return -1;
	return body ? make(g, body, row, e) : 0;
}

/* -- that and those that follow ------------------------------------------------------------ */

static int end_series(const struct changing *g, struct resource_row *row,
		      const struct rule *r, struct err *e)
{
	const int64_t before = g->day - 1;
	json_t *body = jx_keep(g->by->arena, json_object());

	json_object_set_new(body, "recurrence",
			    jx_string(rule_until(r, &before, g->by->arena)));
	return patch(g, row, body, e);
}

/* COUNT is shared between both. */
static int rest_of(const struct changing *g, const struct calendar_event *v,
		   const struct rule *r, struct str *out, struct err *e)
{
	int64_t before = 0;

	if (r->count && calendar_days_before(v, g->day, &before, e) < 0)
		return -1;
	*out = rule_text(r, r->count ? r->count - before : 0, g->by->arena);
	return 0;
}

/* The days that are skipped after the split. */
static json_t *skipped_from(const struct changing *g, struct str text, struct err *e)
{
	json_t *all = text.n ? jx_keep(g->by->arena, jx_load(text, e)) : NULL, *day;
	json_t *out = jx_keep(g->by->arena, json_array());
	size_t i;

	json_array_foreach(all, i, day)
		if (strncmp(json_string_value(day), g->c->day.p, g->c->day.n) >= 0)
			json_array_append(out, day);
	return out;
}

static int change_following(struct changing *g, struct resource_row *row, struct err *e)
{
	const struct calendar_event v = event_of(row);
	const struct db_val id = DB_U(&row->id), tenant = DB_S(g->by->owner.tenant_id);
	json_t *body = g->c->body ? body_of(g, row, true, e) : NULL, *skipped;
	struct str rest;
	struct rule r;

	if ((g->c->body && !body) || rule_read(v.rrule, &r, e) < 0 ||
	    rest_of(g, &v, &r, &rest, e) < 0)
		return -1;
	skipped = skipped_from(g, v.skipped, e);
	if (end_series(g, row, &r, e) < 0)
		return -1;
	if (!body)
		return db_exec(g->by->db, STMT_EVENTS_SERIES_CUT,
			       DB_ARGS(id, tenant, DB_S(g->c->day)), NULL, e);
	if (!json_object_get(g->c->body, "recurrence"))
		json_object_set_new(body, "recurrence", jx_string(rest));
	if (json_array_size(skipped))
		json_object_set(body, "skipped", skipped);
	if (make(g, body, row, e) < 0)
		return -1;
	return db_exec(g->by->db, STMT_EVENTS_SERIES_SPLIT,
		       DB_ARGS(DB_U(&g->out->items[0].row->id), id, tenant,
			       DB_S(g->c->day)), NULL, e);
}

/* -- the change --------------------------------------------------------------------------- */

static int in_tx(struct db *tx, void *ctx, struct err *e)
{
	struct changing g = *(struct changing *)ctx;
	struct caller by = *g.by;
	struct resource_row row;
	struct calendar_event v;
	bool there;

	by.db = tx;
	g.by = &by;
	if (find_series(&g, &row, e) < 0)
		return -1;
	v = event_of(&row);
	if (calendar_has_day(&v, g.day, &there, e) < 0)
		return -1;
	if (!there || !v.rrule.n)
		return err_public(e, ERR_NOT_FOUND, "The event does not take place on %.*s, or "
				  "is not repeated.", STR_ARG(g.c->day));
	return g.c->scope == CALENDAR_THIS ? change_this(&g, &row, e)
		: change_following(&g, &row, e);
}

/* From the first one on: all of it. */
static int is_first(const struct changing *g, bool *out, struct err *e)
{
	struct resource_row row;
	int64_t start;

	if (find_series(g, &row, e) < 0)
		return -1;
	*out = wall_read(resource_text(&row, AT(starts)), &start) != WALL_NONE &&
		wall_day(start) == g->day;
	return 0;
}

static int change_all(const struct changing *g, struct err *e)
{
	const struct resource_call c = {
		.r = g->c->r, .verb = g->c->body ? VERB_PATCH : VERB_DELETE,
		.id = g->c->id, .parent = g->c->parent, .body = g->c->body,
		.expect = g->c->expect, .ctx = g->c->ctx,
	};

	return resource_call(g->by, &c, g->out, e);
}

int calendar_change(const struct caller *by, const struct calendar_change *c,
		    struct resource_answer *out, struct err *e)
{
	struct changing g = { .by = by, .c = c, .out = out };
	struct resource_row body;
	bool first = false;
	int64_t start;

	if (c->scope == CALENDAR_ALL)
		return change_all(&g, e);
	if (c->body &&
	    resource_draft(by->conf, c->r, VERB_PATCH, c->body, by->arena, &body, e) < 0)
		return -1;
	if (wall_read(c->day, &start) != WALL_DAY)
		return err_field(e, ERR_INVALID_FIELD, "occurrence", "occurrence must be the day "
				 "of an occurrence, such as 2027-03-01.");
	g.day = wall_day(start);
	if (c->scope == CALENDAR_FOLLOWING && is_first(&g, &first, e) < 0)
		return -1;
	return first ? change_all(&g, e) : db_tx(by->db, in_tx, &g, e);
}
