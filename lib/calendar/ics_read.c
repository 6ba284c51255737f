/* SPDX-License-Identifier: MIT */
/* The lines of the child (fcgi-app/extract/calendar.h) as events. */
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/util.h"
#include "base/utf8.h"
#include "calendar/ics.h"
#include "calendar/rule.h"
#include "file/extract.h"
#include "store/stmt.h"

#include "base/banned.h"

enum { READ_MS = 15000, STORE_MS = 20000 };

/* A property of an event, with its zone. */
struct ics_value {
	struct str zone, text;
};

/* A line of EXDATE: values that are separated by commas. */
struct ics_skip {
	struct ics_value v;
	struct ics_skip *next;
};

struct ics_event {
	struct ics_value start, end, recurrence;
	struct str uid, title, description, location, status, duration, rule;
	struct ics_skip *skipped;
	bool more_dates;		/* RDATE */
	struct uuid event_id;		/* nil: not */
	struct str zone;		/* that it was given */
};

struct ics_file {
	const struct caller *by;
	const struct uuid *project;
	const struct resource *r;
	struct str zone;		/* of the calendar */
	struct { struct str id, location; } zones[64];
	size_t n_zones;
	struct ics_event *v;
	size_t n;
	struct str *uids;		/* that are there */
	size_t n_uids;
	struct ics_report *out;
};

/* -- the lines --------------------------------------------------------------------------- */

static struct str *member_of(struct ics_event *v, struct str name)
{
	return str_is(name, "UID") ? &v->uid : str_is(name, "SUMMARY") ? &v->title
		: str_is(name, "DESCRIPTION") ? &v->description
		: str_is(name, "LOCATION") ? &v->location
		: str_is(name, "STATUS") ? &v->status
		: str_is(name, "DURATION") ? &v->duration
		: str_is(name, "RRULE") ? &v->rule : NULL;
}

static void read_property(struct ics_file *f, struct str name, struct str zone, struct str value)
{
	struct ics_event *v = f->n ? &f->v[f->n - 1] : NULL;
	struct ics_skip *skip;
	struct str *member;

	if (str_is(name, "ZONE") && f->n_zones < ARRAY_LEN(f->zones)) {
		f->zones[f->n_zones].id = zone;
		f->zones[f->n_zones++].location = value;
	}
	if (!v)
		return;
	member = member_of(v, name);
	if (member)
		*member = value;
	else if (str_is(name, "DTSTART"))
		v->start = (struct ics_value){ zone, value };
	else if (str_is(name, "DTEND"))
		v->end = (struct ics_value){ zone, value };
	else if (str_is(name, "RECURRENCE-ID"))
		v->recurrence = (struct ics_value){ zone, value };
	else if (str_is(name, "RDATE"))
		v->more_dates = true;
	else if (str_is(name, "EXDATE")) {
		skip = arena_new(f->by->arena, struct ics_skip);
		*skip = (struct ics_skip){ { zone, value }, v->skipped };
		v->skipped = skip;
	}
}

static void read_lines(struct ics_file *f, struct str text)
{
	f->v = arena_zalloc(f->by->arena, LIM_ICS_EVENTS + 1, sizeof(*f->v));
	while (text.n) {
		struct str line = str_cut(&text, '\n'), name, zone;

		if (str_is(line, "EVENT") && f->n < LIM_ICS_EVENTS) {
			f->n++;
			continue;
		}
		f->out->more |= str_is(line, "MORE");
		name = str_cut(&line, '\t');
		zone = str_cut(&line, '\t');
		read_property(f, name, zone, line);
	}
}

/* -- values ------------------------------------------------------------------------------- */

/* Zones by the names that Windows gives them, and mails of it. */
static const struct {
	const char *name, *zone;
} windows[] = {
	{ "W. Europe Standard Time", "Europe/Berlin" },
	{ "Central Europe Standard Time", "Europe/Budapest" },
	{ "Central European Standard Time", "Europe/Warsaw" },
	{ "Romance Standard Time", "Europe/Paris" },
	{ "GMT Standard Time", "Europe/London" },
	{ "E. Europe Standard Time", "Europe/Chisinau" },
	{ "FLE Standard Time", "Europe/Kiev" },
	{ "GTB Standard Time", "Europe/Bucharest" },
	{ "Turkey Standard Time", "Europe/Istanbul" },
	{ "Eastern Standard Time", "America/New_York" },
	{ "Central Standard Time", "America/Chicago" },
	{ "Mountain Standard Time", "America/Denver" },
	{ "Pacific Standard Time", "America/Los_Angeles" },
	{ "India Standard Time", "Asia/Kolkata" },
	{ "China Standard Time", "Asia/Shanghai" },
	{ "Tokyo Standard Time", "Asia/Tokyo" },
	{ "AUS Eastern Standard Time", "Australia/Sydney" },
};

/* The zone of this name in the file; of a time without one, that of the calendar. */
static struct str zone_of(const struct ics_file *f, struct str name)
{
	if (!name.n)
		return f->zone;
	if (zone_known(name))
		return name;
	for (size_t i = 0; i < f->n_zones; i++)
		if (str_eq(f->zones[i].id, name) && zone_known(f->zones[i].location))
			return f->zones[i].location;
	for (size_t i = 0; i < ARRAY_LEN(windows); i++)
		if (str_is(name, windows[i].name))
			return str_of(windows[i].zone);
	/* "/freeassociation.sourceforge.net/Europe/Berlin": the end of it. */
	for (size_t i = 1; i < name.n; i++)
		if (name.p[i - 1] == '/' &&
		    zone_known((struct str){ name.p + i, name.n - i }))
			return (struct str){ name.p + i, name.n - i };
	return f->zone;
}

/* On the clocks of the zone. */
static enum wall_form wall_of(const struct ics_file *f, struct ics_value v, struct str zone,
			      int64_t *out)
{
	enum wall_form form = wall_read_ical(v.text, out);

	if (form == WALL_INSTANT) {
		*out = zone_wall(zone_read(zone, f->by->arena), *out);
		return WALL_CLOCK;
	}
	if (form == WALL_CLOCK && v.zone.n && !str_eq(zone_of(f, v.zone), zone))
		*out = zone_wall(zone_read(zone, f->by->arena),
				 zone_when(zone_read(zone_of(f, v.zone), f->by->arena), *out));
	return form;
}

/* Text without its escapes, at most that long. p == NULL: nothing. */
static struct str plain(struct str s, size_t chars, bool one_line, struct arena *a)
{
	char *out = arena_alloc(a, s.n + 1), *p = out;
	struct str text;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '\\' && i + 1 < s.n) {
			c = s.p[++i];
			if (c == 'n' || c == 'N')
				c = one_line ? ' ' : '\n';
		}
		*p++ = c;
	}
	text = str_trim(utf8_head(str_trim((struct str){ out, (size_t)(p - out) }), chars));
	return text.n ? text : (struct str){ NULL, 0 };
}

/* P1D, PT1H30M, P1W in seconds; -1: none. */
static int64_t duration_of(struct str s)
{
	int64_t sum = 0, n = 0;
	bool any = false;

	if (s.n && s.p[0] == '+')
		s = (struct str){ s.p + 1, s.n - 1 };
	if (!s.n || s.p[0] != 'P')
		return -1;
	for (size_t i = 1; i < s.n; i++) {
		const char c = s.p[i];

		if (c >= '0' && c <= '9') {
			n = MIN(n * 10 + c - '0', (int64_t)100000000);
			continue;
		}
		if (c == 'T')
			continue;
		sum += n * (c == 'W' ? 7 * WALL_DAY_S : c == 'D' ? WALL_DAY_S
			    : c == 'H' ? 3600 : c == 'M' ? 60 : c == 'S' ? 1 : 0);
		any = true;
		n = 0;
	}
	return any ? sum : -1;
}

/* -- bodies ------------------------------------------------------------------------------- */

static void put_text(json_t *body, const char *key, struct str s)
{
	if (s.p)
		json_object_set_new(body, key, jx_string(s));
}

static void add_day(json_t *days, int64_t wall)
{
	char text[WALL_TEXT_BYTES];

	json_array_append_new(days, json_string(wall_text(wall, true, text)));
}

/* What is away, and what is changed alone by another event of the file. */
static void put_skipped(const struct ics_file *f, const struct ics_event *v, json_t *body)
{
	json_t *days = jx_keep(f->by->arena, json_array());
	int64_t wall;

	for (const struct ics_skip *s = v->skipped; s; s = s->next) {
		struct ics_value one = s->v;
		struct str rest = one.text;

		while (rest.n && json_array_size(days) < LIM_EVENT_SKIPPED) {
			one.text = str_cut(&rest, ',');
			if (wall_of(f, one, v->zone, &wall) != WALL_NONE)
				add_day(days, wall);
		}
	}
	for (size_t i = 0; i < f->n && json_array_size(days) < LIM_EVENT_SKIPPED; i++)
		if (f->v[i].recurrence.text.n && str_eq(f->v[i].uid, v->uid) &&
		    wall_of(f, f->v[i].recurrence, v->zone, &wall) != WALL_NONE)
			add_day(days, wall);
	if (json_array_size(days))
		json_object_set(body, "skipped", days);
}

static void put_end(const struct ics_file *f, const struct ics_event *v, bool day,
		    int64_t start, json_t *body)
{
	struct arena *a = f->by->arena;
	int64_t end = start + (day ? WALL_DAY_S : 0), lasts = duration_of(v->duration);

	if (v->end.text.n && wall_of(f, v->end, v->zone, &end) == WALL_NONE)
		return;
	if (!v->end.text.n && lasts >= 0)
		end = start + lasts;
	if (day)	/* the file's end is the day after */
		end = MAX(end - WALL_DAY_S, start);
	json_object_set_new(body, "end", jx_string(wall_str(MAX(end, start), day, a)));
}

/* A start that is no day of the rule is moved to the first one (RFC 5545: undefined). */
static void fit_start(const struct ics_event *v, int64_t *start)
{
	int64_t day = wall_day(*start), first;
	struct err ignored = ERR_INIT;
	struct rule_walk w;
	struct rule r;

	if (!v->rule.n || rule_read(v->rule, &r, &ignored) < 0)
		return;
	/* Birthdays of the last centuries: from 1970 on. */
	if (rule_open(&r, day, r.count ? day : MAX(day, (int64_t)0), day + 36525, &w,
		      &ignored) == 0 && rule_next(&w, &first))
		*start += (first - day) * WALL_DAY_S;
	rule_close(&w);
}

static json_t *body_of(const struct ics_file *f, struct ics_event *v)
{
	json_t *body = jx_keep(f->by->arena, json_object());
	struct arena *a = f->by->arena;
	enum wall_form form;
	int64_t start, was;

	v->zone = zone_of(f, v->start.zone);
	if (!v->start.zone.n && v->start.text.n && v->start.text.p[v->start.text.n - 1] == 'Z' &&
	    v->rule.n)
		v->zone = STR("UTC");	/* it is repeated in UTC */
	form = wall_of(f, v->start, v->zone, &start);
	if (form == WALL_NONE)
		return NULL;
	was = start;
	fit_start(v, &start);
	put_text(body, "title", plain(v->title.n ? v->title : STR("(no title)"), 200, true, a));
	put_text(body, "description", plain(v->description, LIM_ENTITY_CHARS, false, a));
	put_text(body, "location", plain(v->location, 200, true, a));
	json_object_set_new(body, "start", jx_string(wall_str(start, form == WALL_DAY, a)));
	if (form != WALL_DAY)
		put_text(body, "timeZone", v->zone);
	if (start == was)
		put_end(f, v, form == WALL_DAY, start, body);
	if (v->rule.n && !v->recurrence.text.n) {
		put_text(body, "recurrence", v->rule);
		put_skipped(f, v, body);
	}
	json_object_set_new(body, "stateKey", json_string(
		str_is(v->status, "CANCELLED") ? "cancelled"
		: str_is(v->status, "TENTATIVE") ? "tentative" : "confirmed"));
	return body;
}

/* -- storing ------------------------------------------------------------------------------- */

static void note_left_out(struct ics_file *f, const struct ics_event *v, const char *why)
{
	struct ics_report *out = f->out;

	if (out->n_problems == ARRAY_LEN(out->problems))
		return;
	out->problems[out->n_problems].title = plain(v->title, 200, true, f->by->arena);
	out->problems[out->n_problems++].why = str_of(arena_strdup(f->by->arena, why));
}

static void refuse(struct ics_file *f, const struct ics_event *v, const char *why)
{
	f->out->refused++;
	note_left_out(f, v, why);
}

static bool is_known(const struct ics_file *f, struct str uid)
{
	for (size_t i = 0; uid.n && i < f->n_uids; i++)
		if (str_eq(f->uids[i], uid))
			return true;
	return false;
}

static const struct ics_event *series_of(const struct ics_file *f, const struct ics_event *v)
{
	for (size_t i = 0; i < f->n; i++)
		if (v->uid.n && str_eq(f->v[i].uid, v->uid) && !f->v[i].recurrence.text.n)
			return &f->v[i];
	return NULL;
}

/* Makes it one occurrence of an event that was stored. */
static void put_series(const struct ics_file *f, const struct ics_event *v,
		       struct resource_row *draft)
{
	const struct ics_event *series = series_of(f, v);
	struct uuid *id = arena_new(f->by->arena, struct uuid);
	int64_t wall;

	if (!series || uuid_is_nil(&series->event_id) ||
	    wall_of(f, v->recurrence, series->zone, &wall) == WALL_NONE)
		return;
	*id = series->event_id;
	draft->v[COLUMN(CALENDAR_EVENT, series_id)] = DB_U(id);
	draft->v[COLUMN(CALENDAR_EVENT, occurrence)] =
		DB_S(wall_str(wall_day(wall) * WALL_DAY_S, true, f->by->arena));
}

static int make(struct ics_file *f, struct ics_event *v, const json_t *body, struct err *e)
{
	struct resource_answer *out = arena_new(f->by->arena, struct resource_answer);
	struct resource_row *draft = arena_new(f->by->arena, struct resource_row);
	char parent[UUID_TEXT_BYTES];
	struct resource_call c = { .r = f->r, .verb = VERB_CREATE, .draft = draft };

	if (resource_draft(f->by->conf, f->r, VERB_CREATE, body, f->by->arena, draft, e) < 0)
		return -1;
	if (v->recurrence.text.n)
		put_series(f, v, draft);
	else if (v->uid.n && v->uid.n <= 255)
		draft->v[COLUMN(CALENDAR_EVENT, uid)] = DB_S(v->uid);
	if (f->project)
		c.parent = str_of(uuid_format(f->project, parent));
	if (resource_call(f->by, &c, out, e) < 0)
		return -1;
	v->event_id = out->items[0].row->id;
	f->out->created++;
	return 0;
}

static int store_event(struct ics_file *f, struct ics_event *v, struct err *e)
{
	const json_t *body;

	if (is_known(f, v->uid)) {
		f->out->known++;
		return 0;
	}
	body = body_of(f, v);
	if (!body) {
		refuse(f, v, "It has no start that can be read.");
		return 0;
	}
	if (v->more_dates)
		note_left_out(f, v, "Its further dates (RDATE) were left out.");
	if (make(f, v, body, e) == 0)
		return 0;
	if (e->code != ERR_INVALID_FIELD && e->code != ERR_UNKNOWN_FIELD)
		return -1;
	refuse(f, v, err_message(e));
	err_clear(e);
	return 0;
}

static int take_uid(void *ctx, const struct db_val *row, struct err *e)
{
	struct ics_file *f = ctx;

	(void)e;
	if (f->n_uids < LIM_EVENTS && !row[0].null)
		f->uids[f->n_uids++] = arena_str(f->by->arena, row[0].s);
	return 0;
}

static int read_uids(struct ics_file *f, struct err *e)
{
	const struct uuid *of = f->project ? f->project : &f->by->owner.user_id;

	f->uids = arena_zalloc(f->by->arena, LIM_EVENTS + 1, sizeof(*f->uids));
	return db_each(f->by->db, f->project ? STMT_EVENT_UIDS_IN : STMT_EVENT_UIDS_OWN,
		       DB_ARGS(DB_S(f->by->owner.tenant_id), DB_U(of)), f->by->arena,
		       take_uid, f, e);
}

/* Series come before what is changed of them. */
static int store_all(struct ics_file *f, struct err *e)
{
	const int64_t until_ms = clock_mono_ms() + STORE_MS;

	for (int changed = 0; changed < 2; changed++)
		for (size_t i = 0; i < f->n; i++) {
			if ((f->v[i].recurrence.text.n > 0) != changed)
				continue;
			if (clock_mono_ms() > until_ms)
				f->out->more = true;
			else if (store_event(f, &f->v[i], e) < 0)
				return -1;
		}
	return 0;
}

int ics_read(const struct caller *by, const struct uuid *project, struct str file,
	     struct ics_report *out, struct err *e)
{
	const struct extract_want want = {
		.what = "The calendar file", .type = "calendar", .charset = "utf-8",
		.until_ms = clock_mono_ms() + READ_MS,
	};
	struct buf text = BUF_INIT(3 * LIM_ICS_BYTES);
	struct ics_file f = {
		.by = by, .project = project, .out = out,
		.r = &resources[RESOURCE_CALENDAR_EVENT],
	};
	int rc;

	if (project)
		f.r = &resources[RESOURCE_PROJECT_EVENT];

	*out = (struct ics_report){ .created = 0 };
	rc = file_extract_text(&want, file, &text, e);
	if (rc == 0)
		rc = calendar_zone(by, project, &f.zone, e);
	if (rc == 0)
		rc = read_uids(&f, e);
	if (rc == 0) {
		read_lines(&f, arena_str(by->arena, buf_str(&text)));
		rc = store_all(&f, e);
	}
	buf_release(&text);
	return rc;
}
