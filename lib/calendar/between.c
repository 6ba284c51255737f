/* SPDX-License-Identifier: MIT */
/* What takes place between two times: rows of events, and their occurrences. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "base/util.h"
#include "calendar/calendar.h"
#include "calendar/rule.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	CPU_MS = 1500,		/* for the occurrences of one answer */
	KEPT = 4 * LIM_OCCURRENCES,	/* before the later ones are dropped */
	CONFLICTS = 20,
	CONFLICT_OCCURRENCES = 100,	/* of the event that are looked at */
	CONFLICT_DAYS = 366,
};

static const struct db_field event_fields[] = {
#define F(m, t, sql) FIELD_OF(struct calendar_event, m, t)
	EVENT_ROW_FIELDS(F, COMMA)
#undef F
};

/* -- occurrences of one event ------------------------------------------------------------ */

struct skipped {
	int64_t *days;
	size_t n;
};

static struct skipped skipped_of(const struct calendar_event *v, struct arena *a)
{
	json_t *all = v->skipped.n ? jx_keep(a, jx_try(v->skipped)) : NULL, *day;
	struct skipped s = { arena_zalloc(a, json_array_size(all) + 1, sizeof(*s.days)), 0 };
	int64_t wall;
	size_t i;

	json_array_foreach(all, i, day)
		if (json_is_string(day) &&
		    wall_read(str_of(json_string_value(day)), &wall) == WALL_DAY)
			s.days[s.n++] = wall_day(wall);
	return s;
}

static bool is_skipped(const struct skipped *s, int64_t day)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->days[i] == day)
			return true;
	return false;
}

static int open_days(const struct calendar_event *v, const struct calendar_when *w,
		     int64_t from, int64_t last, struct rule *r, struct rule_walk *walk,
		     struct err *e)
{
	*walk = (struct rule_walk){ .it = NULL };	/* closed in any case */
	return rule_read(v->rrule, r, e) < 0 ? -1
		: rule_open(r, wall_day(w->start), from, last, walk, e);
}

static int64_t us_at(const struct calendar_when *w, int64_t wall)
{
	return (w->whole_days ? wall : zone_when(w->zone, wall)) * 1000000;
}

/* Whether the rule has not ended before an occurrence that begins then. */
static bool is_within(const struct calendar_event *v, const struct rule *r,
		      const struct calendar_when *w, int64_t start)
{
	return !rule_is_over(r, start, w->whole_days ? NULL : w->zone) &&
		(!r->count || us_at(w, start + w->end - w->start) <= v->recurs_until);
}

int calendar_has_day(const struct calendar_event *v, int64_t day, bool *out,
		     struct err *e)
{
	struct arena a = ARENA_INIT;
	const struct skipped skipped = skipped_of(v, &a);
	struct calendar_when w;
	struct rule_walk walk;
	struct rule r;
	int64_t found = 0;
	int rc = 0;

	*out = false;
	if (calendar_when(v->starts, v->ends, v->zone, &a, &w) &&
	    !is_skipped(&skipped, day)) {
		const int64_t start = w.start + (day - wall_day(w.start)) * WALL_DAY_S;

		if (!v->rrule.n) {
			*out = day == wall_day(w.start);
		} else {
			rc = open_days(v, &w, day, day, &r, &walk, e);
			*out = rc == 0 && rule_next(&walk, &found) && found == day &&
				is_within(v, &r, &w, start);
			rule_close(&walk);
		}
	}
	arena_release(&a);
	return rc;
}

int calendar_days_before(const struct calendar_event *v, int64_t day, int64_t *out,
			 struct err *e)
{
	struct arena a = ARENA_INIT;
	struct calendar_when w;
	struct rule_walk walk;
	struct rule r;
	int64_t found;
	int rc = 0;

	*out = 0;
	if (calendar_when(v->starts, v->ends, v->zone, &a, &w) && v->rrule.n) {
		rc = open_days(v, &w, wall_day(w.start), day - 1, &r, &walk, e);
		while (rc == 0 && *out < LIM_RRULE_COUNT && rule_next(&walk, &found))
			++*out;
		rule_close(&walk);
	}
	arena_release(&a);
	return rc;
}

/* -- collecting -------------------------------------------------------------------------- */

struct occurrences {
	struct arena *a;
	const struct zone *reader;	/* of whole days; NULL: UTC */
	int64_t from_us, to_us;
	struct calendar_occurrence *v;
	size_t n, room, most;
	bool more;
	int64_t until_ms;		/* of this thread's processor time */
	struct {			/* of the zone that was read last */
		struct str name;
		const struct zone *zone;
	} last;
};

static int64_t cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int by_start(const void *a, const void *b)
{
	const struct calendar_occurrence *x = a, *y = b;

	if (x->start_us != y->start_us)
		return x->start_us < y->start_us ? -1 : 1;
	if (x->whole_days != y->whole_days)
		return x->whole_days ? -1 : 1;
	return memcmp(&x->of->id, &y->of->id, sizeof(x->of->id));
}

/* Sorts, and drops what is beyond the answer: nothing later is looked for any more. */
static void cut(struct occurrences *c)
{
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), by_start);
	if (c->n <= c->most)
		return;
	c->n = c->most;
	c->more = true;
	c->to_us = MIN(c->to_us, c->v[c->n - 1].start_us + 1);
}

static void add_occurrence(struct occurrences *c, const struct calendar_event *v,
			   const struct calendar_when *w, int64_t start)
{
	struct calendar_occurrence o = {
		.of = v, .zone = w->zone, .start = start,
		.end = start + w->end - w->start, .whole_days = w->whole_days,
	};
	const struct zone *z = w->whole_days ? c->reader : w->zone;

	o.start_us = zone_when(z, o.start) * 1000000;
	o.end_us = MAX(zone_when(z, o.end) * 1000000, o.start_us);
	if (o.start_us >= c->to_us || o.end_us < c->from_us ||
	    (o.end_us == c->from_us && o.end_us > o.start_us))
		return;
	if (c->n == c->room)
		cut(c);
	c->v[c->n++] = o;
}

static bool read_when(struct occurrences *c, const struct calendar_event *v,
		      struct calendar_when *w)
{
	/* Most events are in one zone. */
	if (v->zone.n && str_eq(v->zone, c->last.name)) {
		w->whole_days = false;
		w->zone = c->last.zone;
		return wall_read(v->starts, &w->start) == WALL_CLOCK &&
			wall_read(v->ends, &w->end) == WALL_CLOCK;
	}
	if (!calendar_when(v->starts, v->ends, v->zone, c->a, w))
		return false;
	if (w->zone) {
		c->last.name = v->zone;
		c->last.zone = w->zone;
	}
	return true;
}

/* Rules that were stored can be read; an error is that of the library. */
static int collect(struct occurrences *c, const struct calendar_event *v, struct err *e)
{
	struct skipped skipped;
	struct calendar_when w;
	struct rule_walk walk;
	struct rule r;
	int64_t day, clock;
	int rc;

	if (!read_when(c, v, &w))
		return 0;	/* its zone is gone from the system */
	if (!v->rrule.n) {
		add_occurrence(c, v, &w, w.start);
		return 0;
	}
	if (cpu_ms() > c->until_ms) {
		c->more = true;
		return 0;
	}
	clock = w.start - wall_day(w.start) * WALL_DAY_S;
	skipped = skipped_of(v, c->a);
	/* Zones are within a day of UTC. */
	rc = open_days(v, &w, wall_day(c->from_us / 1000000 - (w.end - w.start)) - 1,
		       wall_day(c->to_us / 1000000) + 1, &r, &walk, e);
	while (rc == 0 && rule_next(&walk, &day)) {
		if (!is_within(v, &r, &w, day * WALL_DAY_S + clock))
			break;
		if (!is_skipped(&skipped, day))
			add_occurrence(c, v, &w, day * WALL_DAY_S + clock);
	}
	rule_close(&walk);
	if (rc < 0 && e->code == ERR_INVALID_FIELD) {
		err_clear(e);	/* one that another version of libical took */
		return 0;
	}
	return rc;
}

/* -- rows -------------------------------------------------------------------------------- */

struct event_rows {
	struct calendar_event *v;
	size_t n;
};

static struct str readers_of(const struct caller *by)
{
	const struct resource_at at = resource_for(by);

	return resource_ids_json(at.readers, at.n_readers, by->arena);
}

static int read_rows(const struct caller *by, unsigned stmt, const struct db_val *args,
		     struct event_rows *out, struct err *e)
{
	return db_list(by->db, stmt, args, by->arena, event_fields, sizeof(*out->v), 0,
		       &out->v, &out->n, e);
}

/* With a day to spare at both ends, for whole days in the reader's zone. */
static int read_events(const struct caller *by, const struct calendar_ask *ask,
		       struct event_rows out[2], struct err *e)
{
	const struct db_val from = DB_I(ask->from_us - WALL_DAY_S * 1000000LL);
	const struct db_val to = DB_I(ask->to_us + WALL_DAY_S * 1000000LL);
	const struct db_val most = DB_I(LIM_EVENTS);
	const struct db_val tenant = DB_S(by->owner.tenant_id);
	struct resource_row row;

	out[0] = out[1] = (struct event_rows){ NULL, 0 };
	if (ask->project)
		return resource_visible(by, &resources[RESOURCE_PROJECT], ask->project,
					&row, e) < 0 ? -1
			: read_rows(by, STMT_EVENTS_OF_PROJECT,
				    DB_ARGS(tenant, DB_U(ask->project), from, to,
					    DB_S(readers_of(by)), most), &out[0], e);
	if (ask->own && read_rows(by, STMT_EVENTS_OWN,
				  DB_ARGS(tenant, DB_U(&by->owner.user_id), from, to, most),
				  &out[0], e) < 0)
		return -1;
	return ask->projects
		? read_rows(by, STMT_EVENTS_OF_PROJECTS,
			    DB_ARGS(DB_S(readers_of(by)), tenant, from, to, most), &out[1],
			    e) : 0;
}

static bool has_words(const struct calendar_event *v, struct str words)
{
	return !words.n || str_holds_any_case(v->title, words) ||
		str_holds_any_case(v->location, words) ||
		str_holds_any_case(v->description, words);
}

int calendar_between(const struct caller *by, const struct calendar_ask *ask,
		     struct calendar_occurrence **out, size_t *n, bool *more,
		     struct err *e)
{
	struct occurrences c = {
		.a = by->arena, .reader = zone_read(ask->zone, by->arena),
		.from_us = ask->from_us, .to_us = ask->to_us, .room = KEPT,
		.most = LIM_OCCURRENCES, .until_ms = cpu_ms() + CPU_MS,
	};
	struct event_rows rows[2];

	if (read_events(by, ask, rows, e) < 0)
		return -1;
	c.v = arena_zalloc(by->arena, c.room + 1, sizeof(*c.v));
	for (size_t k = 0; k < 2; k++) {
		c.more |= rows[k].n >= LIM_EVENTS;
		for (size_t i = 0; i < rows[k].n; i++)
			if (has_words(&rows[k].v[i], ask->words) &&
			    collect(&c, &rows[k].v[i], e) < 0)
				return -1;
	}
	cut(&c);
	*out = c.v;
	*n = c.n;
	*more = c.more;
	return 0;
}

int calendar_all(const struct caller *by, const struct uuid *project,
		 struct calendar_event **out, size_t *n, struct err *e)
{
	const struct calendar_ask ask = {
		.from_us = 0, .to_us = INT64_MAX / 2, .project = project, .own = !project,
	};
	struct event_rows rows[2];

	if (read_events(by, &ask, rows, e) < 0)
		return -1;
	*out = rows[0].v;
	*n = rows[0].n;
	return 0;
}

/* -- writing ------------------------------------------------------------------------------ */

void calendar_write(struct jw *w, const struct calendar_occurrence *o)
{
	const struct calendar_event *v = o->of;
	const int64_t last = o->whole_days ? o->end - WALL_DAY_S : o->end;
	char text[WALL_TEXT_BYTES];

	jw_kuuid(w, "eventId", &v->id);
	jw_kstr(w, "title", v->title);
	jw_kstrz(w, "start", wall_text(o->start, o->whole_days, text));
	jw_kstrz(w, "end", wall_text(last, o->whole_days, text));
	jw_kstr_given(w, "timeZone", v->zone);
	jw_kbool(w, "wholeDays", o->whole_days);
	jw_ktime(w, "startsAt", o->start_us);
	jw_ktime(w, "endsAt", o->end_us);
	jw_kstr_given(w, "location", v->location);
	jw_kstr_given(w, "recurrence", v->rrule);
	if (v->rrule.n)
		jw_kstrz(w, "occurrence", wall_text(o->start, true, text));
	jw_kstr(w, "typeKey", v->type_key);
	jw_kstr(w, "stateKey", v->state_key);
	if (!uuid_is_nil(&v->project_id)) {
		jw_kuuid(w, "projectId", &v->project_id);
		jw_kstr_given(w, "project", v->project);
	}
	if (!uuid_is_nil(&v->series_id))
		jw_kuuid(w, "seriesId", &v->series_id);
	jw_kint(w, "version", v->version + 1);
}

/* -- conflicts ------------------------------------------------------------------------------ */

static struct calendar_event event_of(const struct resource_row *row)
{
	const struct str text[] = {
		resource_text(row, COLUMN(CALENDAR_EVENT, starts)),
		resource_text(row, COLUMN(CALENDAR_EVENT, ends)),
		resource_text(row, COLUMN(CALENDAR_EVENT, zone)),
		resource_text(row, COLUMN(CALENDAR_EVENT, rrule)),
		resource_text(row, COLUMN(CALENDAR_EVENT, skipped)),
	};

	return (struct calendar_event){
		.id = row->id, .starts = text[0], .ends = text[1], .zone = text[2],
		.rrule = text[3], .skipped = text[4],
		.recurs_until = row->v[COLUMN(CALENDAR_EVENT, recurs_until)].i,
	};
}

static bool takes_time(const struct calendar_occurrence *o)
{
	return !o->whole_days && !str_is(o->of->state_key, "cancelled") &&
		o->end_us > o->start_us;
}

static bool is_at_once(const struct calendar_occurrence *x,
		       const struct calendar_occurrence *own, size_t n_own)
{
	for (size_t i = 0; i < n_own; i++)
		if (x->start_us < own[i].end_us && x->end_us > own[i].start_us)
			return true;
	return false;
}

static void write_conflicts(struct jw *w, const struct calendar_occurrence *own,
			    size_t n_own, const struct calendar_occurrence *v, size_t n)
{
	size_t found = 0;

	jw_arr(w);
	for (size_t k = 0; n_own && k < n && found < CONFLICTS; k++) {
		if (uuid_eq(&v[k].of->id, &own->of->id) || !takes_time(&v[k]) ||
		    !is_at_once(&v[k], own, n_own))
			continue;
		found++;
		jw_obj(w);
		calendar_write(w, &v[k]);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

int calendar_conflicts(const struct caller *by, const struct resource_row *row,
		       struct jw *w, struct err *e)
{
	const struct calendar_event v = event_of(row);
	const int64_t first = row->v[COLUMN(CALENDAR_EVENT, starts_us)].i;
	struct occurrences c = {
		.a = by->arena, .from_us = first,
		.to_us = first + CONFLICT_DAYS * WALL_DAY_S * 1000000LL,
		.room = CONFLICT_DAYS + 2, .most = CONFLICT_OCCURRENCES,
		.until_ms = cpu_ms() + CPU_MS,
	};
	struct calendar_ask ask = { .from_us = first, .own = true, .projects = true };
	struct calendar_occurrence *others = NULL;
	size_t n = 0;
	bool more;

	c.v = arena_zalloc(by->arena, c.room + 1, sizeof(*c.v));
	if (collect(&c, &v, e) < 0)
		return -1;
	cut(&c);
	if (c.n && (c.v[0].whole_days ||
		    str_is(resource_text(row, COLUMN(CALENDAR_EVENT, state_key)),
			   "cancelled")))
		c.n = 0;
	if (c.n) {
		ask.to_us = c.v[c.n - 1].end_us;
		if (calendar_between(by, &ask, &others, &n, &more, e) < 0)
			return -1;
	}
	write_conflicts(w, c.v, c.n, others, n);
	return 0;
}
