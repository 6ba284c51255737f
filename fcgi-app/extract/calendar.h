/* SPDX-License-Identifier: MIT */
/* Calendar files, for lib/calendar/ics_read.c. */
#ifndef EXTRACT_CALENDAR_H
#define EXTRACT_CALENDAR_H

#include "extract/extract.h"

/*
 * Writes a line "EVENT" for each event, at most LIM_ICS_EVENTS ("MORE": there are more),
 * followed by a line "NAME zone value" for each of its properties that are known there,
 * and "ZONE id location" for each time zone, with tabs between the words. Values are as in
 * the file, with its escapes, but on one line. EXTRACT_UNREADABLE: it is no calendar.
 */
int extract_calendar_prepare(struct extract *x) MUST_CHECK;
int extract_calendar_read(struct extract *x) MUST_CHECK;

#endif
