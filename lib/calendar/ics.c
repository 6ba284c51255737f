/* SPDX-License-Identifier: MIT */
#include "calendar/ics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"

#include "base/banned.h"

enum {
	FOLD = 74,		/* bytes of a line, before the next one begins with a blank */
	ZONES = 64,
	DAY_CHARS = 10,		/* of 2027-03-01 */
	YEARS_AHEAD = 10,	/* that a zone is described for */
};

/* A line, folded between characters. */
static void line(struct buf *out, const char *text)
{
	struct str rest = str_of(text);

	while (rest.n > FOLD) {
		const size_t n = utf8_complete((struct str){ rest.p, FOLD });

		buf_addstr(out, (struct str){ rest.p, n ? n : FOLD });
		buf_adds(out, "\r\n ");
		rest = (struct str){ rest.p + (n ? n : FOLD), rest.n - (n ? n : FOLD) };
	}
	buf_addstr(out, rest);
	buf_adds(out, "\r\n");
}

static void text(struct buf *out, const char *name, struct str s, struct arena *a)
{
	char *escaped, *p;

	if (!s.n)
		return;
	escaped = p = arena_alloc(a, 2 * s.n + 1);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\r')
			continue;
		if (s.p[i] == '\n' || strchr("\\;,", s.p[i]))
			*p++ = '\\';
		*p++ = s.p[i] == '\n' ? 'n' : s.p[i];
	}
	*p = 0;
	line(out, arena_printf(a, "%s:%s", name, escaped));
}

/* "20270301" or "20270301T090000". */
static const char *basic(int64_t wall, bool day, struct arena *a)
{
	const int64_t rest = wall - wall_day(wall) * WALL_DAY_S;
	int y, m, d;

	wall_date(wall_day(wall), &y, &m, &d);
	return day ? arena_printf(a, "%04d%02d%02d", y, m, d)
		: arena_printf(a, "%04d%02d%02dT%02d%02d%02d", y, m, d, (int)(rest / 3600),
			       (int)(rest / 60 % 60), (int)(rest % 60));
}

/* NAME;TZID=…:20270301T090000 */
static void time_of(struct buf *out, const char *name, int64_t wall, bool day,
		    struct str zone, struct arena *a)
{
	if (day)
		line(out, arena_printf(a, "%s;VALUE=DATE:%s", name, basic(wall, true, a)));
	else if (str_is(zone, "UTC"))
		line(out, arena_printf(a, "%s:%sZ", name, basic(wall, false, a)));
	else
		line(out, arena_printf(a, "%s;TZID=%.*s:%s", name, STR_ARG(zone),
				       basic(wall, false, a)));
}

/* -- zones ------------------------------------------------------------------------------ */

static const char *offset(int64_t s, struct arena *a)
{
	const int64_t abs = s < 0 ? -s : s;

	return arena_printf(a, "%c%02d%02d", s < 0 ? '-' : '+', (int)(abs / 3600),
			    (int)(abs / 60 % 60));
}

static void period(struct buf *out, int64_t from, int64_t to, int64_t at, struct arena *a)
{
	const char *kind = to > from ? "DAYLIGHT" : "STANDARD";

	line(out, arena_printf(a, "BEGIN:%s", kind));
	line(out, arena_printf(a, "DTSTART:%s", basic(at + from, false, a)));
	line(out, arena_printf(a, "TZOFFSETFROM:%s", offset(from, a)));
	line(out, arena_printf(a, "TZOFFSETTO:%s", offset(to, a)));
	line(out, arena_printf(a, "END:%s", kind));
}

/* Each change of its clocks, by itself: readers that know the zone need none of it. */
static void zone(struct buf *out, struct str name, int64_t first, struct arena *a)
{
	const struct zone *z = zone_read(name, a);
	const int64_t last = clock_now_us() / 1000000 + YEARS_AHEAD * 366 * (int64_t)WALL_DAY_S;
	int64_t now, next;

	if (!z)
		return;
	first = wall_day(first) * WALL_DAY_S - 400 * (int64_t)WALL_DAY_S;
	now = zone_wall(z, first) - first;
	line(out, "BEGIN:VTIMEZONE");
	line(out, arena_printf(a, "TZID:%.*s", STR_ARG(name)));
	period(out, now, now, first, a);
	for (int64_t s = first; s < last; s += WALL_DAY_S, now = next) {
		int64_t low = s, high = s + WALL_DAY_S;

		next = zone_wall(z, high) - high;
		if (next == now)
			continue;
		while (high - low > 1) {
			const int64_t middle = low + (high - low) / 2;

			if (zone_wall(z, middle) - middle == now)
				low = middle;
			else
				high = middle;
		}
		period(out, now, next, high, a);
	}
	line(out, "END:VTIMEZONE");
}

static void zones(struct buf *out, const struct calendar_event *v, size_t n,
		  struct arena *a)
{
	struct str seen[ZONES];
	int64_t first;
	size_t n_seen = 0, k;

	for (size_t i = 0; i < n; i++) {
		if (!v[i].zone.n || str_is(v[i].zone, "UTC") || n_seen == ZONES)
			continue;
		for (k = 0; k < n_seen && !str_eq(seen[k], v[i].zone); k++)
			continue;
		if (k < n_seen || wall_read(v[i].starts, &first) == WALL_NONE)
			continue;
		seen[n_seen++] = v[i].zone;
		/* Rows are by their start: the first one of a zone is its earliest. */
		zone(out, v[i].zone, first, a);
	}
}

/* -- events ----------------------------------------------------------------------------- */

static const struct calendar_event *series_of(const struct calendar_event *v, size_t n,
					      const struct calendar_event *one)
{
	if (uuid_is_nil(&one->series_id))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (uuid_eq(&v[i].id, &one->series_id))
			return &v[i];
	return NULL;
}

static void uid(struct buf *out, const struct calendar_event *v, struct arena *a)
{
	char id[UUID_TEXT_BYTES];

	if (v->uid.n)
		line(out, arena_printf(a, "UID:%.*s", STR_ARG(v->uid)));
	else
		line(out, arena_printf(a, "UID:%s", uuid_format(&v->id, id)));
}

/* Events that are an occurrence of a series, changed alone: by their series and day. */
struct changed {
	const struct calendar_event **v;
	size_t n;
};

static int by_occurrence(const void *a, const void *b)
{
	const struct calendar_event *const *x = a, *const *y = b;
	const int series = memcmp(&(*x)->series_id, &(*y)->series_id, sizeof(struct uuid));

	return series ? series : memcmp((*x)->occurrence.p, (*y)->occurrence.p, DAY_CHARS);
}

static struct changed changed_of(const struct calendar_event *v, size_t n, struct arena *a)
{
	struct changed c = { arena_zalloc(a, n + 1, sizeof(*c.v)), 0 };

	for (size_t i = 0; i < n; i++)
		if (!uuid_is_nil(&v[i].series_id) && v[i].occurrence.n == DAY_CHARS)
			c.v[c.n++] = &v[i];
	if (c.n)
		qsort(c.v, c.n, sizeof(*c.v), by_occurrence);
	return c;
}

/* Whether the day was changed alone, and is not away. */
static bool is_changed(const struct changed *c, const struct calendar_event *series,
		       struct str day)
{
	const struct calendar_event key = { .series_id = series->id, .occurrence = day };
	const struct calendar_event *wanted = &key;

	return c->n && bsearch(&wanted, c->v, c->n, sizeof(*c->v), by_occurrence);
}

static void skipped(struct buf *out, const struct changed *changed,
		    const struct calendar_event *of, const struct calendar_when *w,
		    struct arena *a)
{
	json_t *days = of->skipped.n ? jx_keep(a, jx_try(of->skipped)) : NULL, *day;
	int64_t at;
	size_t i;

	json_array_foreach(days, i, day) {
		if (!json_is_string(day) ||
		    wall_read(str_of(json_string_value(day)), &at) != WALL_DAY ||
		    is_changed(changed, of, str_of(json_string_value(day))))
			continue;
		time_of(out, "EXDATE", at + w->start - wall_day(w->start) * WALL_DAY_S,
			w->whole_days, of->zone, a);
	}
}

static void event(struct buf *out, const struct calendar_event *v, size_t n,
		  const struct changed *changed, const struct calendar_event *one,
		  struct arena *a)
{
	const struct calendar_event *series = series_of(v, n, one);
	struct calendar_when w, of;
	int64_t day;

	if (!calendar_when(one->starts, one->ends, one->zone, a, &w))
		return;
	line(out, "BEGIN:VEVENT");
	uid(out, series ? series : one, a);
	line(out, arena_printf(a, "DTSTAMP:%sZ", basic(one->updated_us / 1000000, false, a)));
	line(out, arena_printf(a, "SEQUENCE:%lld", (long long)one->version));
	time_of(out, "DTSTART", w.start, w.whole_days, one->zone, a);
	time_of(out, "DTEND", w.end, w.whole_days, one->zone, a);
	if (one->rrule.n)
		line(out, arena_printf(a, "RRULE:%.*s", STR_ARG(one->rrule)));
	skipped(out, changed, one, &w, a);
	if (series && wall_read(one->occurrence, &day) == WALL_DAY &&
	    calendar_when(series->starts, series->ends, series->zone, a, &of))
		time_of(out, "RECURRENCE-ID",
			day + of.start - wall_day(of.start) * WALL_DAY_S, of.whole_days,
			series->zone, a);
	text(out, "SUMMARY", one->title, a);
	text(out, "DESCRIPTION", one->description, a);
	text(out, "LOCATION", one->location, a);
	line(out, str_is(one->state_key, "cancelled") ? "STATUS:CANCELLED"
	     : str_is(one->state_key, "tentative") ? "STATUS:TENTATIVE"
	     : "STATUS:CONFIRMED");
	line(out, "END:VEVENT");
}

int ics_write(const struct caller *by, const struct uuid *project, struct str name,
	      struct buf *out, struct err *e)
{
	struct calendar_event *v;
	struct changed changed;
	size_t n;

	if (calendar_all(by, project, &v, &n, e) < 0)
		return -1;
	line(out, "BEGIN:VCALENDAR");
	line(out, "VERSION:2.0");
	line(out, "PRODID:-//Lamplighter//Calendar//EN");
	text(out, "X-WR-CALNAME", name, by->arena);
	zones(out, v, n, by->arena);
	changed = changed_of(v, n, by->arena);
	for (size_t i = 0; i < n; i++)
		event(out, v, n, &changed, &v[i], by->arena);
	line(out, "END:VCALENDAR");
	return 0;
}
