/* SPDX-License-Identifier: MIT */
/* What is special about events as resources, and about calendars of projects. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/util.h"
#include "calendar/calendar.h"
#include "calendar/rule.h"
#include "resource/change.h"
#include "store/stmt.h"

#include "base/banned.h"

/* Both resources have these fields in the same places. */
#define AT(column) COLUMN(CALENDAR_EVENT, column)
_Static_assert(AT(uid) == COLUMN(PROJECT_EVENT, uid) &&
	       AT(starts) == COLUMN(PROJECT_EVENT, starts), "events differ");

enum { HOUR_S = 3600 };

static int field(struct err *e, const char *key, const char *what)
{
	return err_field(e, ERR_INVALID_FIELD, key, "%s %s", key, what);
}

/* -- checking --------------------------------------------------------------------------- */

struct event_check {
	const struct caller *by;
	struct resource_change *k;
	bool days;			/* whole ones */
	struct str zone_name;
	const struct zone *zone;
	int64_t start, end;		/* end: of whole days, the last one */
};

static void set(struct resource_change *k, size_t column, struct db_val v)
{
	k->row.v[column] = v;
	k->row.given[column] = true;
}

static void unset(struct resource_change *k, size_t column)
{
	k->row.v[column].null = true;
	k->row.given[column] = true;
}

static int read_zone(struct event_check *c, struct err *e)
{
	struct resource_change *k = c->k;
	const bool project = !k->row.v[AT(kind)].null &&
		str_is(resource_text(&k->row, AT(kind)), "project");

	c->zone_name = resource_text(&k->row, AT(zone));
	if (c->days)
		return 0;
	if (!c->zone_name.n &&
	    calendar_zone(c->by, project ? &k->at.holder : NULL, &c->zone_name, e) < 0)
		return -1;
	c->zone = zone_read(c->zone_name, c->by->arena);
	return c->zone ? 0 : field(e, "timeZone", "must be the name of a time zone, such as "
				   "Europe/Berlin.");
}

/* A time that is given, on the clocks of the zone. */
static int read_time(const struct event_check *c, struct str text, const char *key,
		     int64_t *out, struct err *e)
{
	const enum wall_form form = wall_read(text, out);

	if (form == WALL_NONE)
		return field(e, key, "must be a time, such as 2027-03-01T09:00, or a day, such "
			     "as 2027-03-01, from 1970 to 2199.");
	if ((form == WALL_DAY) != c->days)
		return field(e, key, "must have the form of the start: both are days, or both "
			     "are times.");
	if (form == WALL_INSTANT)
		*out = zone_wall(c->zone, *out);
	return 0;
}

/* How long it was, if its start is moved and its end is not; else the default. */
static int64_t default_end(const struct event_check *c)
{
	const struct resource_row *now = c->k->now;
	int64_t start, end;

	if (now) {
		const enum wall_form form = wall_read(resource_text(now, AT(starts)), &start);

		if ((form == WALL_DAY) == c->days &&
		    wall_read(resource_text(now, AT(ends)), &end) == form)
			return c->start + end - start;
	}
	return c->days ? c->start : c->start + HOUR_S;
}

static int read_times(struct event_check *c, struct err *e)
{
	struct resource_change *k = c->k;
	const struct str starts = resource_text(&k->row, AT(starts));
	const struct str ends = resource_text(&k->row, AT(ends));
	int64_t ignored;
	const bool moved = k->now && k->row.given[AT(starts)] && !k->row.given[AT(ends)];

	c->days = wall_read(starts, &ignored) == WALL_DAY;
	if (read_zone(c, e) < 0 || read_time(c, starts, "start", &c->start, e) < 0)
		return -1;
	if (!ends.n || moved)
		c->end = default_end(c);
	else if (read_time(c, ends, "end", &c->end, e) < 0)
		return -1;
	if (c->end < c->start)
		return field(e, "end", "must not be before the start.");
	if (c->end - c->start > (int64_t)LIM_EVENT_DAYS * WALL_DAY_S)
		return field(e, "end", "must be within a year of the start.");
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The days that are skipped: sorted, each once. None without a rule. */
static int read_skipped(struct event_check *c, bool repeated, struct err *e)
{
	struct resource_change *k = c->k;
	struct str text = resource_text(&k->row, AT(skipped));
	struct arena *a = c->by->arena;
	json_t *all = text.n ? jx_keep(a, jx_load(text, e)) : NULL, *sorted;
	const size_t n = json_array_size(all);
	const char **v = arena_zalloc(a, n + 1, sizeof(*v));
	int64_t ignored;

	if (text.n && !all)
		return -1;
	for (size_t i = 0; i < n; i++) {
		v[i] = json_string_value(json_array_get(all, i));
		if (!v[i] || wall_read(str_of(v[i]), &ignored) != WALL_DAY)
			return field(e, "skipped", "must have days, such as 2027-03-01.");
	}
	if (!n || !repeated) {
		unset(k, AT(skipped));
		return 0;
	}
	qsort(v, n, sizeof(*v), by_text);
	sorted = jx_keep(a, json_array());
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(v[i], v[i - 1]) != 0)
			json_array_append_new(sorted, json_string(v[i]));
	set(k, AT(skipped), DB_S(str_of(jx_text(a, sorted))));
	return 0;
}

static int64_t us_of(const struct event_check *c, int64_t wall)
{
	return (c->days ? wall : zone_when(c->zone, wall)) * 1000000;
}

/* Until when it recurs: an upper bound with UNTIL, the end of the last one with COUNT. */
static int read_rule(struct event_check *c, int64_t end_wall, int64_t *until_us,
		     struct err *e)
{
	struct resource_change *k = c->k;
	const struct str text = resource_text(&k->row, AT(rrule));
	struct arena *a = c->by->arena;
	struct rule r;
	int64_t last;

	*until_us = us_of(c, end_wall);
	if (!text.n)
		return 0;
	if (!k->row.v[AT(series_id)].null)
		return field(e, "recurrence", "must be null: this is one occurrence of an event "
			     "that is repeated.");
	if (rule_read(text, &r, e) < 0 ||
	    rule_check(&r, c->start, c->days ? NULL : c->zone, &last, e) < 0)
		return -1;
	set(k, AT(rrule), DB_S(rule_text(&r, r.count, a)));
	*until_us = last == INT64_MAX ? INT64_MAX
		: us_of(c, last * WALL_DAY_S + end_wall - wall_day(c->start) * WALL_DAY_S);
	return 0;
}

static bool concerns_time(const struct resource_change *k)
{
	return !k->now || k->row.given[AT(starts)] || k->row.given[AT(ends)] ||
		k->row.given[AT(zone)] || k->row.given[AT(rrule)] ||
		k->row.given[AT(skipped)];
}

static int check_event(const struct caller *by, const struct resource *r,
		       struct resource_change *k, struct err *e)
{
	struct event_check c = { .by = by, .k = k };
	int64_t end, until_us;

	(void)r;
	if (!concerns_time(k))
		return 0;
	if (read_times(&c, e) < 0)
		return -1;
	end = c.end + (c.days ? WALL_DAY_S : 0);
	if (read_rule(&c, end, &until_us, e) < 0 ||
	    read_skipped(&c, !k->row.v[AT(rrule)].null, e) < 0)
		return -1;
	set(k, AT(starts), DB_S(wall_str(c.start, c.days, by->arena)));
	set(k, AT(ends), DB_S(wall_str(c.end, c.days, by->arena)));
	if (c.days)
		unset(k, AT(zone));
	else
		set(k, AT(zone), DB_S(c.zone_name));
	set(k, AT(starts_us), DB_I(us_of(&c, c.start)));
	set(k, AT(ends_us), DB_I(us_of(&c, end)));
	set(k, AT(recurs_until), DB_I(until_us));
	return 0;
}

/* -- what is deleted, and made again -------------------------------------------------------- */

/* Of a member of a series that was changed alone. */
#define ALONE(m, t) FIELD_OF(struct calendar_event, m, t)
static const struct db_field alone_fields[] = {
	ALONE(id, u), ALONE(title, s), ALONE(description, s), ALONE(location, s),
	ALONE(starts, s), ALONE(ends, s), ALONE(zone, s), ALONE(type_key, s),
	ALONE(state_key, s), ALONE(occurrence, s),
};

/* The body that makes it again, and its day. */
static void write_alone(struct jw *w, const struct calendar_event *v)
{
	jw_obj(w);
	jw_kuuid(w, "id", &v->id);
	jw_kstr(w, "occurrence", v->occurrence);
	jw_key(w, "body");
	jw_obj(w);
	jw_kstr_given(w, "title", v->title);
	jw_kstr_given(w, "description", v->description);
	jw_kstr_given(w, "location", v->location);
	jw_kstr_given(w, "start", v->starts);
	jw_kstr_given(w, "end", v->ends);
	jw_kstr_given(w, "timeZone", v->zone);
	jw_kstr_given(w, "typeKey", v->type_key);
	jw_kstr_given(w, "stateKey", v->state_key);
	jw_end_obj(w);
	jw_end_obj(w);
}

/* What an undo makes again with it, and the series that it belongs to. */
static int keep_with(const struct caller *by, struct resource_change *k, struct err *e)
{
	struct buf b = BUF_INIT(16 * LIM_CONTENT_CHARS);
	const struct db_val *series = &k->now->v[AT(series_id)];
	struct jw w = jw_on(&b);
	struct calendar_event *v;
	size_t n;

	if (db_list(by->db, STMT_EVENTS_SERIES_OF,
		    DB_ARGS(DB_U(&k->now->id), DB_S(by->owner.tenant_id)), by->arena,
		    alone_fields, sizeof(*v), 0, &v, &n, e))
		return -1;
	if (!n && series->null)
		return 0;
	jw_obj(&w);
	if (!series->null) {
		jw_kuuid(&w, "seriesId", (const struct uuid *)(const void *)series->s.p);
		jw_kstr(&w, "occurrence", resource_text(k->now, AT(occurrence)));
	}
	jw_key(&w, "alone");
	jw_arr(&w);
	for (size_t i = 0; i < n; i++)
		write_alone(&w, &v[i]);
	jw_end_arr(&w);
	jw_end_obj(&w);
	k->with = arena_str(by->arena, buf_str(&b));
	if (!buf_ok(&b))
		k->with.n = 0;
	buf_release(&b);
	return 0;
}

/* What was changed alone goes with the event. */
static int delete_event(const struct caller *by, const struct resource *r,
			struct resource_change *k, struct err *e)
{
	const struct uuid *id = k->now ? &k->now->id : &k->row.id;

	if (resource_kind(r) && k->now && keep_with(by, k, e) < 0)
		return -1;
	return db_exec(by->db, STMT_EVENTS_SERIES_GONE,
		       DB_ARGS(DB_U(id), DB_S(by->owner.tenant_id)), NULL, e);
}

/* *there: whether the event is in the project, and the caller sees it. */
static int find_again(const struct caller *by, const struct resource_again *k,
		      const struct uuid *id, bool *there, struct err *e)
{
	struct resource_answer *out = arena_new(by->arena, struct resource_answer);
	char text[UUID_TEXT_BYTES], project[UUID_TEXT_BYTES];
	const struct resource_call c = {
		.r = k->r, .verb = VERB_GET, .id = str_of(uuid_format(id, text)),
		.parent = str_of(uuid_format(k->top, project)),
	};

	*there = resource_call(by, &c, out, e) == 0;
	if (*there || e->code != ERR_NOT_FOUND)
		return *there ? 0 : -1;
	err_clear(e);
	return 0;
}

/* Of a series: as the occurrence of that day, if it is still there, else by itself. */
static int make(const struct caller *by, const struct resource_again *k,
		const struct uuid *id, const json_t *body, const struct uuid *series,
		struct str day, struct err *e)
{
	struct resource_answer *out = arena_new(by->arena, struct resource_answer);
	char project[UUID_TEXT_BYTES];
	struct resource_row draft;
	const struct resource_call c = {
		.r = k->r, .verb = VERB_CREATE, .key = id, .draft = &draft,
		.parent = str_of(uuid_format(k->top, project)),
	};
	bool there = false;

	if ((series && find_again(by, k, series, &there, e) < 0) ||
	    resource_draft(by->conf, k->r, VERB_CREATE, body, by->arena, &draft, e) < 0)
		return -1;
	draft.holder = *k->top;
	if (there) {
		draft.v[AT(series_id)] = DB_U(series);
		draft.v[AT(occurrence)] = DB_S(day);
	}
	return resource_call(by, &c, out, e);
}

/* An event of a project, and what was changed alone of those that it was repeated as. */
static int again(const struct caller *by, const struct resource_again *k, struct err *e)
{
	struct uuid *series = arena_new(by->arena, struct uuid);
	const bool of = uuid_parse(jx_str(k->with, "seriesId"), series);
	const json_t *one;
	bool there;
	size_t i;

	if (find_again(by, k, k->id, &there, e) < 0)
		return -1;
	if (there)
		return err_public(e, ERR_CONFLICT, "It is there again already.");
	if (make(by, k, k->id, k->body, of ? series : NULL, jx_str(k->with, "occurrence"),
		 e) < 0)
		return -1;
	json_array_foreach(json_object_get(k->with, "alone"), i, one) {
		struct uuid *id = arena_new(by->arena, struct uuid);

		if (uuid_parse(jx_str(one, "id"), id) &&
		    make(by, k, id, json_object_get(one, "body"), k->id,
			 jx_str(one, "occurrence"), e) < 0)
			return -1;
	}
	return 0;
}

static void write(struct jw *w, const struct caller *by, const struct resource_change *k,
		  const struct resource_item *item)
{
	(void)by;
	(void)k;
	if (str_is(resource_text(item->row, AT(kind)), "project"))
		jw_kuuid(w, "projectId", &item->row->holder);
}

const struct resource_hooks event_hooks = {
	.check = check_event, .gone = delete_event, .again = again, .write = write,
};

/* -- calendars of projects ---------------------------------------------------------------- */

static int check_calendar(const struct caller *by, const struct resource *r,
			  struct resource_change *k, struct err *e)
{
	const size_t seen = COLUMN(PROJECT_CALENDAR, visibility);
	const struct resource *project = &resources[RESOURCE_PROJECT];
	const struct str zone = resource_text(&k->row, COLUMN(PROJECT_CALENDAR, zone));
	const struct str colour = resource_text(&k->row, COLUMN(PROJECT_CALENDAR, colour));
	const bool hides = k->now ? k->row.given[seen]
		: !str_is(resource_text(&k->row, seen), "viewer");
	struct resource_row of;
	enum resource_role role;

	(void)r;
	if (zone.n && !zone_known(zone))
		return field(e, "timeZone", "must be the name of a time zone, such as "
			     "Europe/Berlin.");
	if (colour.n && !str_is_colour(colour))
		return field(e, "colour", "must be a colour, such as #3366cc.");
	if (!hides)
		return 0;
	if (resource_visible(by, project, &k->at.holder, &of, e) < 0)
		return -1;
	if (resource_may_hold(by, project, &k->at, &of.holder))
		return 0;
	if (resource_roles(by, project, &k->at, &of.id, 1, &role, e) < 0)
		return -1;
	return role == ROLE_OWNER ? 0 : err_public(
		e, ERR_FORBIDDEN, "Only an owner of the project says who sees its calendar.");
}

const struct resource_hooks project_calendar_hooks = { .check = check_calendar };
