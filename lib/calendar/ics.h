/* SPDX-License-Identifier: MIT */
/* Calendars as files (iCalendar, RFC 5545), out and in. */
#ifndef CALENDAR_ICS_H
#define CALENDAR_ICS_H

#include "calendar/calendar.h"

/* Appends all events of a project, or (NULL) the user's own. Errors of calendar_all. */
int ics_write(const struct caller *by, const struct uuid *project, struct str name,
	      struct buf *out, struct err *e) MUST_CHECK;

struct ics_report {
	int64_t created, known;	/* known: with a UID that is there, left as it is */
	bool more;		/* there are more than LIM_ICS_EVENTS */
	struct {
		struct str title, why;
	} problems[20];		/* the first ones */
	size_t n_problems;
	int64_t refused;	/* events with one, which were left out */
};

/*
 * Adds the events of a file, which foreign hands wrote: it is read in the confined child.
 * Each event is stored or refused by itself. ERR_TOOL_FAILED, public: it is no calendar;
 * ERR_TOOL_TIMEOUT; those of the first event that nothing but an error of the caller or of
 * the server can refuse.
 */
int ics_read(const struct caller *by, const struct uuid *project, struct str file,
	     struct ics_report *out, struct err *e) MUST_CHECK;

#endif
