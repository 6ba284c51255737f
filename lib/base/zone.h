/* SPDX-License-Identifier: MIT */
/* The date and the time of day in a time zone, whichever the process itself has. */
#ifndef BASE_ZONE_H
#define BASE_ZONE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/str.h"

enum { ZONE_NAME_BYTES = 64 };	/* of a name that is looked up, with its NUL */

/*
 * Sets *out to the wall clock in the zone `name` at us, microseconds since 1970. A
 * name is one of the system's time zone database ("Europe/Berlin"), which is read
 * from TZDIR or /usr/share/zoneinfo; empty is the zone of the process. False for
 * another name, or if there is no such database: *out is then in UTC. Any thread.
 * Sources: RFC 9636 (TZif), POSIX.1-2024 section 8.3 (TZ).
 */
bool zone_time(struct str name, int64_t us, struct tm *out);

/* Whether zone_time knows this name. */
bool zone_known(struct str name);

/* -- many times in one zone -------------------------------------------------- */

struct arena;
struct zone;

/* The zone of this name, read once. In a. NULL: there is none. */
const struct zone *zone_read(struct str name, struct arena *a);

/*
 * What the clocks of the zone show at s, as if they were UTC; seconds since 1970, also
 * before it. NULL is UTC.
 */
int64_t zone_wall(const struct zone *z, int64_t s);

/*
 * When the clocks of the zone show that: the first time of two; a time that they skip
 * is read by the offset before, as if they were not put forward (RFC 5545, 3.3.5).
 */
int64_t zone_when(const struct zone *z, int64_t wall);

#endif
