/* SPDX-License-Identifier: MIT */
/*
 * libical, loaded when the first rule of a repeated event is read: it brings ICU, which a
 * plain CGI process that only serves a page should not pay for. lib/calendar includes
 * this file instead of its header and calls its functions through ical_now.
 */
#ifndef CALENDAR_ICAL_H
#define CALENDAR_ICAL_H

#include <libical/ical.h>

#include "base/err.h"

#define ICAL_FUNCTIONS(X) \
	X(icalrecurrencetype_from_string) \
	X(icalrecur_iterator_new) \
	X(icalrecur_iterator_set_start) \
	X(icalrecur_iterator_next) \
	X(icalrecur_iterator_free)

/* Set by ical_load. */
extern struct ical_functions {
#define ICAL_MEMBER(f) __typeof__(f) *f;
	ICAL_FUNCTIONS(ICAL_MEMBER)
#undef ICAL_MEMBER
} ical_now;

/* ERR_INTERNAL if the library or a function is missing. Any thread. */
int ical_load(struct err *e) MUST_CHECK;

#endif
