/* SPDX-License-Identifier: MIT */
/*
 * Times as clocks and calendars show them, "2027-03-01T09:00", and days, "2027-03-01": as
 * numbers they are seconds since 1970 as if they were UTC ("wall"), of a day its midnight.
 */
#ifndef CALENDAR_WALL_H
#define CALENDAR_WALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum {
	WALL_DAY_S = 86400,
	WALL_TEXT_BYTES = 17,	/* of the longer form, with its NUL */
};

enum wall_form {
	WALL_NONE,	/* not a time from 1970 to 2199 */
	WALL_DAY,
	WALL_CLOCK,
	WALL_INSTANT,	/* with an offset or Z: *s is seconds since 1970 UTC */
};

/* Reads one of the forms of RFC 3339, also without seconds or an offset; seconds are
   dropped. */
enum wall_form wall_read(struct str text, int64_t *s);

/* The same of RFC 5545: 20270301, 20270301T090000, 20270301T080000Z. From year 1 on. */
enum wall_form wall_read_ical(struct str text, int64_t *s);

/* Writes it as text, a day or a time, and returns out. */
const char *wall_text(int64_t s, bool day, char out[WALL_TEXT_BYTES]);

/* The same as a view in a. */
struct str wall_str(int64_t s, bool day, struct arena *a);

/* The number of the day, also before 1970. */
int64_t wall_day(int64_t s);

/* Year, month and day of a day's number; and the number of a day. */
void wall_date(int64_t day, int *y, int *m, int *d);
int64_t wall_day_of(int y, int m, int d);

#endif
