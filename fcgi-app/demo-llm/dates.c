/* SPDX-License-Identifier: MIT */
/*
 * dates.c - phrases about time.
 */
#include "demo-llm/dates.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

#define DAY_US INT64_C(86400000000)

struct day {
	int y, m, d;
};

/* Days since 1970-01-01 of a date of the proleptic Gregorian calendar. */
static long number_of(struct day a)
{
	long y = a.m > 2 ? a.y : a.y - 1;
	long era = (y >= 0 ? y : y - 399) / 400;
	long yoe = y - era * 400;
	long doy = (153 * (a.m + (a.m > 2 ? -3 : 9)) + 2) / 5 + a.d - 1;

	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

static struct day day_of(long n)
{
	long z = n + 719468;
	long era = (z >= 0 ? z : z - 146096) / 146097;
	long doe = z - era * 146097;
	long yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	long doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	long mp = (5 * doy + 2) / 153;
	int m = (int)(mp < 10 ? mp + 3 : mp - 9);

	return (struct day){(int)(yoe + era * 400 + (m <= 2)), m,
			    (int)(doy - (153 * mp + 2) / 5 + 1)};
}

static struct day add_months(struct day a, int n)
{
	int k = a.y * 12 + a.m - 1 + n;

	return (struct day){k / 12, k % 12 + 1, 1};
}

static void put(char *out, struct day a)
{
	snprintf(out, 16, "%04d-%02d-%02d", a.y % 10000, a.m % 100,
		 a.d % 100);
}

static void set(struct range *r, struct day from, struct day to)
{
	put(r->from, from);
	put(r->to, to);
}

static int month_at(const struct words *w, size_t i)
{
	static const char *const name[] = {"january", "february", "march",
		"april", "may", "june", "july", "august", "september",
		"october", "november", "december"};
	size_t k;

	if (i >= w->n || (!w->w[i].cap && !strcmp(w->w[i].low, "may")))
		return 0;
	for (k = 0; k < 12; k++)
		if (!strcmp(w->w[i].low, name[k]) ||
		    (strlen(w->w[i].low) == 3 &&
		     !strncmp(w->w[i].low, name[k], 3)))
			return (int)k + 1;
	return 0;
}

static int year_at(const struct words *w, size_t i)
{
	long y = i < w->n && w->w[i].number && strlen(w->w[i].low) == 4
		 ? strtol(w->w[i].low, NULL, 10) : 0;

	return y >= 1900 && y <= 2100 ? (int)y : 0;
}

/* A day, month or year at i as [from, to); the words it has. */
static size_t date_at(const struct words *w, size_t i, struct day today,
		      struct day *from, struct day *to)
{
	int y, m, d;
	char tail;

	if (i >= w->n)
		return 0;
	if (strlen(w->w[i].low) == 10 &&
	    sscanf(w->w[i].low, "%4d-%2d-%2d%c", &y, &m, &d, &tail) == 3 &&
	    y >= 1900 && m >= 1 && m <= 12 && d >= 1 && d <= 31) {
		*from = (struct day){y, m, d};
		*to = day_of(number_of(*from) + 1);
		return 1;
	}
	m = month_at(w, i);
	if (m) {
		y = year_at(w, i + 1);
		*from = (struct day){y ? y : m > today.m ? today.y - 1
							 : today.y, m, 1};
		*to = add_months(*from, 1);
		return y ? 2 : 1;
	}
	y = year_at(w, i);
	if (!y)
		return 0;
	*from = (struct day){y, 1, 1};
	*to = (struct day){y + 1, 1, 1};
	return 1;
}

/* "week", "month", ... moved by n units from the one of today. */
static bool unit_range(const char *unit, int n, struct day today,
		       struct range *r)
{
	long t = number_of(today);
	long monday = t - (t + 3) % 7;

	if (!strcmp(unit, "day"))
		set(r, day_of(t + n), day_of(t + n + 1));
	else if (!strcmp(unit, "week"))
		set(r, day_of(monday + 7 * n), day_of(monday + 7 * n + 7));
	else if (!strcmp(unit, "month"))
		set(r, add_months(today, n), add_months(today, n + 1));
	else if (!strcmp(unit, "quarter"))
		set(r, add_months(today, 3 * n - (today.m - 1) % 3),
		    add_months(today, 3 * n + 3 - (today.m - 1) % 3));
	else if (!strcmp(unit, "year"))
		set(r, (struct day){today.y + n, 1, 1},
		    (struct day){today.y + n + 1, 1, 1});
	else
		return false;
	return true;
}

/* "last 7 days": up to and with today. */
static bool span_range(const char *unit, long n, struct day today,
		       struct range *r)
{
	long t = number_of(today);
	long days = !strcmp(unit, "day") ? n : !strcmp(unit, "week") ? n * 7
		  : !strcmp(unit, "month") ? n * 30
		  : !strcmp(unit, "year") ? n * 365 : 0;

	if (!days || days > 200000)
		return false;
	set(r, day_of(t - days + 1), day_of(t + 1));
	return true;
}

static size_t relative(const struct words *w, size_t i, struct day today,
		       struct range *r)
{
	bool last = word_in(w, i, "last past previous");
	long n;

	if (word_in(w, i, "today"))
		return unit_range("day", 0, today, r);
	if (word_in(w, i, "yesterday"))
		return unit_range("day", -1, today, r);
	if (word_in(w, i, "tomorrow"))
		return unit_range("day", 1, today, r);
	if (i + 1 >= w->n)
		return 0;
	if (word_in(w, i, "this current") &&
	    unit_range(w->w[i + 1].low, 0, today, r))
		return 2;
	if (last && unit_range(w->w[i + 1].low, -1, today, r))
		return 2;
	if (word_in(w, i, "next") && unit_range(w->w[i + 1].low, 1, today, r))
		return 2;
	n = word_count(w, i + 1);
	if (last && n > 0 && i + 2 < w->n &&
	    span_range(w->w[i + 2].one, n, today, r))
		return 3;
	return 0;
}

/* "older than 30 days" */
static size_t age(const struct words *w, size_t i, struct day today,
		  struct range *r)
{
	bool older = word_in(w, i, "older");
	long n = word_count(w, i + 2);

	if ((!older && !word_in(w, i, "newer younger")) ||
	    !word_in(w, i + 1, "than") || n < 0 || i + 3 >= w->n ||
	    !span_range(w->w[i + 3].one, n + 1, today, r))
		return 0;
	if (older)
		memcpy(r->to, r->from, sizeof(r->to));
	(older ? r->from : r->to)[0] = '\0';
	r->text = words_text(w, i, 4);
	return 4;
}

size_t date_phrase(const struct words *w, size_t i, struct range *r)
{
	struct day today = day_of((long)(clock_now_us() / DAY_US));
	struct day from, to;
	size_t n, lead = 0;

	*r = (struct range){.text = ""};
	n = age(w, i, today, r);
	if (n)
		return n;
	if (word_in(w, i, "in on during of from since after before until "
		    "the within"))
		lead = 1;
	if (lead && word_in(w, i + 1, "the"))
		lead = 2;
	n = relative(w, i + lead, today, r);
	if (!n) {
		n = date_at(w, i + lead, today, &from, &to);
		/* A bare year may be any number. */
		if (!n || (!lead && n == 1 && year_at(w, i)))
			return 0;
		set(r, from, to);
	}
	if (word_in(w, i, "since from"))
		r->to[0] = '\0';
	if (word_in(w, i, "after")) {
		memcpy(r->from, r->to, sizeof(r->from));
		r->to[0] = '\0';
	}
	if (word_in(w, i, "before until")) {
		memcpy(r->to, r->from, sizeof(r->to));
		r->from[0] = '\0';
	}
	r->text = words_text(w, i, lead + n);
	return lead + n;
}

void date_today(char out[16])
{
	put(out, day_of((long)(clock_now_us() / DAY_US)));
}
