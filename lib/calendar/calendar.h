/* SPDX-License-Identifier: MIT */
/*
 * Calendars: a user's events and those of projects, two resources over one table
 * (resource.def). An event has the time of the clocks in its zone, or whole days; one that
 * is repeated has a rule and takes place once a day at most, so that an occurrence of it is
 * named by its day. An occurrence that was changed alone is an event of its own, and its
 * day is skipped in the series.
 *
 * Functions that use the database may block and return its errors; memory is by's arena.
 */
#ifndef CALENDAR_CALENDAR_H
#define CALENDAR_CALENDAR_H

#include "base/zone.h"
#include "calendar/wall.h"
#include "resource/call.h"

/* A row of the table, as much of it as occurrences need. */
struct calendar_event {
	struct uuid id, project_id, series_id;	/* nil: none */
	struct str project;		/* its name; p == NULL: the user's own */
	struct str title, description, location;
	struct str starts, ends, zone, rrule, skipped, type_key, state_key;
	struct str occurrence, uid;	/* p == NULL: none */
	int64_t recurs_until, version, created_us, updated_us;
};

struct calendar_occurrence {
	const struct calendar_event *of;
	const struct zone *zone;	/* NULL: whole days */
	int64_t start, end;		/* wall (wall.h); of whole days the end is
					   the midnight after the last */
	int64_t start_us, end_us;	/* of whole days: of the reader's zone */
	bool whole_days;
};

/* Which calendars, and when. */
struct calendar_ask {
	int64_t from_us, to_us;		/* at most LIM_CALENDAR_DAYS apart */
	struct str zone;		/* of the reader, for whole days; empty: UTC */
	const struct uuid *project;	/* only of this one; NULL: all that follows */
	bool own, projects;		/* the user's own; of all projects they see */
	struct str words;		/* in title, description or place; empty: all */
};

/*
 * What takes place between two times, by its start, at most LIM_OCCURRENCES; *more: there
 * is more, or finding it took too long. ERR_NOT_FOUND for a project that the caller does
 * not see.
 */
int calendar_between(const struct caller *by, const struct calendar_ask *ask,
		     struct calendar_occurrence **out, size_t *n, bool *more,
		     struct err *e) MUST_CHECK;

/* All events of a calendar, for a file: of a project, or (NULL) the user's own. */
int calendar_all(const struct caller *by, const struct uuid *project,
		 struct calendar_event **out, size_t *n, struct err *e) MUST_CHECK;

/* Members of an open object: what takes place when and where, and of which event. */
void calendar_write(struct jw *w, const struct calendar_occurrence *o);

/*
 * What else takes place at the same time as occurrences of an event within a year, that
 * the caller sees: an array of at most 20. Whole days and what is cancelled are nowhere.
 */
int calendar_conflicts(const struct caller *by, const struct resource_row *row,
		       struct jw *w, struct err *e) MUST_CHECK;

/* -- occurrences of one event ---------------------------------------------------------- */

/* The times of an event in numbers. */
struct calendar_when {
	bool whole_days;
	const struct zone *zone;	/* NULL: whole days */
	int64_t start, end;		/* as in an occurrence */
};

/* Reads stored texts; false: they are none. In a. */
bool calendar_when(struct str starts, struct str ends, struct str zone, struct arena *a,
		   struct calendar_when *out);

/*
 * One end of a range, a day or a time as wall_read takes it, on the clocks of the zone if
 * it names no offset: us since 1970 UTC. A day begins at its midnight; as the last one
 * (to) it is within. False: it is none.
 */
bool calendar_end(struct str text, const struct zone *zone, bool to, int64_t *us);

/* Whether the event takes place on the day (wall_day), if nothing else was changed. */
int calendar_has_day(const struct calendar_event *v, int64_t day, bool *out,
		     struct err *e) MUST_CHECK;

/* The number of days of the event's rule before this one. */
int calendar_days_before(const struct calendar_event *v, int64_t day, int64_t *out,
			 struct err *e) MUST_CHECK;

/* -- one occurrence, and those that follow ----------------------------------------------- */

enum calendar_scope { CALENDAR_ALL, CALENDAR_THIS, CALENDAR_FOLLOWING };

/*
 * Changes (body: as of a PATCH) or deletes (NULL) an event of the resource: all of it, one
 * occurrence, or that and those that follow. day: of the occurrence; empty for all. In one
 * transaction. expect: as of resource_call, of the event that is named. Errors: those of
 * resource_call; ERR_NOT_FOUND if the event does not take place on that day.
 */
struct calendar_change {
	const struct resource *r;
	struct str parent, id;		/* parent: of PROJECT_EVENT; empty: any */
	enum calendar_scope scope;
	struct str day;
	const json_t *body;
	int (*expect)(void *ctx, const struct resource_row *now, struct err *e);
	void *ctx;
};
int calendar_change(const struct caller *by, const struct calendar_change *c,
		    struct resource_answer *out, struct err *e) MUST_CHECK;

/* The zone that events of this calendar have if they name none; never empty. */
int calendar_zone(const struct caller *by, const struct uuid *project, struct str *out,
		  struct err *e) MUST_CHECK;

#endif
