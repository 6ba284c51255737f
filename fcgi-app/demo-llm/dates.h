/* SPDX-License-Identifier: MIT */
/*
 * dates.h - phrases about time ("last month", "since 2026-01-01", "in March")
 * as ranges of days. The days are UTC's.
 */
#ifndef DEMO_DATES_H
#define DEMO_DATES_H

#include "demo-llm/words.h"

struct range {
	char from[16], to[16];	/* from <= day < to; "" is open */
	const char *text;	/* as the question said it */
};

/*
 * Reads a phrase that starts at word i. Returns the number of words it has, 0
 * when there is none.
 */
size_t date_phrase(const struct words *w, size_t i, struct range *r);

/* Writes today as YYYY-MM-DD. */
void date_today(char out[16]);

#endif
