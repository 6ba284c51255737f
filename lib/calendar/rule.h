/* SPDX-License-Identifier: MIT */
/*
 * How an event is repeated: an RRULE (RFC 5545, 3.3.10), at most once a day. It is read
 * and checked here, part by part; the days come from libical. What it costs is bounded
 * (struct rule_walk).
 */
#ifndef CALENDAR_RULE_H
#define CALENDAR_RULE_H

#include "base/err.h"
#include "base/limits.h"
#include "base/zone.h"
#include "calendar/wall.h"

struct rule {
	/* FREQ, INTERVAL, WKST and BY…, checked, for libical */
	char text[LIM_RRULE_CHARS + 1];
	int64_t count;		/* 0: none */
	enum wall_form until_form;	/* WALL_NONE: none */
	int64_t until;		/* as its form says, at most the year 2199 */
	int hour, minute;	/* BYHOUR and BYMINUTE, which must be those of the
				   start; -1: none */
};

/*
 * Reads the text, with or without "RRULE:". ERR_INVALID_FIELD, naming `recurrence`, says
 * what is wrong: no day can match, more often than daily, too many.
 */
int rule_read(struct str text, struct rule *out, struct err *e) MUST_CHECK;

/* The rule as text, with its own end and this COUNT (0: none). In a. */
struct str rule_text(const struct rule *r, int64_t count, struct arena *a);

/* Whether UNTIL is before an occurrence that begins then. zone: NULL: whole days. */
bool rule_is_over(const struct rule *r, int64_t wall, const struct zone *zone);

/* The days of a rule, one after the other; not those before `from`, nor after `last`. */
struct rule_walk {
	void *it;		/* NULL: none */
	int64_t from, last;
};

/*
 * start: the day of the event; from: at least that. COUNT and UNTIL are not looked at.
 * What is opened must be closed. ERR_INVALID_FIELD if libical refuses it. libical may
 * search until the year 2582 for a day that does not come, for half a second at most.
 */
int rule_open(const struct rule *r, int64_t start, int64_t from, int64_t last,
	      struct rule_walk *w, struct err *e) MUST_CHECK;
bool rule_next(struct rule_walk *w, int64_t *day);
void rule_close(struct rule_walk *w);

/*
 * Checks that the start is the first day of the rule, and sets *last to the day of its
 * last one, INT64_MAX if it has no end. ERR_INVALID_FIELD naming the first day instead.
 */
int rule_check(const struct rule *r, int64_t start_wall, const struct zone *zone,
	       int64_t *last, struct err *e) MUST_CHECK;

#endif
