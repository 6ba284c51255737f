/* SPDX-License-Identifier: MIT */
#include "calendar/rule.h"

#include <libical/ical.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/library.h"
#include "base/util.h"

#include "base/banned.h"

#define ICAL_FUNCTIONS(X) \
	X(icalrecurrencetype_from_string) \
	X(icalrecur_iterator_new) \
	X(icalrecur_iterator_set_start) \
	X(icalrecur_iterator_next) \
	X(icalrecur_iterator_free)

/* Set by ical_load. */
static struct ical_functions {
#define ICAL_MEMBER(f) __typeof__(f) *f;
	ICAL_FUNCTIONS(ICAL_MEMBER)
#undef ICAL_MEMBER
} ical_now;

/* -- libical --------------------------------------------------------------- */

/*
 * libical, loaded when the first rule of a repeated event is read: it brings ICU, which a
 * plain CGI process that only serves a page should not pay for. Its functions are called
 * through ical_now.
 */

static const struct library_symbol functions[] = {
#define SYMBOL(f) { #f, offsetof(struct ical_functions, f) },
	ICAL_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

/* Its structs are those of the header as long as this number is. */
static const char *const library_names[] = { "libical.so.3" };

static const struct library library = {
	.names = library_names, .n_names = ARRAY_LEN(library_names),
	.symbols = functions, .n_symbols = ARRAY_LEN(functions),
};

static struct libraries libraries = {
	.v = &library, .n = 1, .into = &ical_now,
	.without = "libical cannot be loaded", .lock = PTHREAD_MUTEX_INITIALIZER,
};

/* ERR_INTERNAL if the library or a function is missing. Any thread. */
static int ical_load(struct err *e)
{
	return libraries_load(&libraries, e);
}

/* -- rules -------------------------------------------------------------------- */

enum rule_freq { DAILY = 1, WEEKLY = 2, MONTHLY = 4, YEARLY = 8 };

enum {
	RULE_CPU_MS = 100,	/* for the first two days; usual rules take 1 */
	MOST_IN_LIST = 60,
};

static int wrong(struct err *e, const char *what)
{
	return err_field(e, ERR_INVALID_FIELD, "recurrence", "recurrence: %s", what);
}

/* -- numbers and lists ---------------------------------------------------------------- */

static bool number(struct str s, int64_t least, int64_t most, int64_t *out)
{
	if (s.n && s.p[0] == '+') {
		s.p++;
		s.n--;
	}
	return s.n && s.n <= 6 && s.p[0] != '+' && str_int(s, out) && *out >= least &&
		*out <= most;
}

/* -most to most, without 0. */
static bool numbers(struct str list, int most)
{
	int n = 0;

	do {
		int64_t v;

		if (!number(str_cut(&list, ','), -most, most, &v) || !v ||
		    ++n > MOST_IN_LIST)
			return false;
	} while (list.n);
	return true;
}

static bool is_weekday(struct str s)
{
	static const char names[] = "MO,TU,WE,TH,FR,SA,SU";

	for (const char *p = names; s.n == 2; p += 3) {
		if (!strncmp(p, s.p, 2))
			return true;
		if (!p[2])
			break;
	}
	return false;
}

/* "MO,-1FR". *placed: one has a number. */
static bool weekdays(struct str list, int most, bool *placed)
{
	int n = 0;

	do {
		struct str one = str_cut(&list, ',');
		int64_t v = 1;

		if (one.n < 2 || ++n > MOST_IN_LIST)
			return false;
		if (one.n > 2) {
			const struct str place = { one.p, one.n - 2 };

			*placed = true;
			if (!number(place, -most, most, &v) || !v)
				return false;
			one = (struct str){ one.p + one.n - 2, 2 };
		}
		if (!is_weekday(one))
			return false;
	} while (list.n);
	return true;
}

/* -- reading -------------------------------------------------------------------------- */

enum rule_part {
	PART_FREQ, PART_INTERVAL, PART_COUNT, PART_UNTIL, PART_WKST, PART_BYDAY,
	PART_BYMONTHDAY, PART_BYYEARDAY, PART_BYWEEKNO, PART_BYMONTH, PART_BYSETPOS,
	PART_BYHOUR, PART_BYMINUTE, PART_BYSECOND, RULE_PARTS
};

static const char *const part_names[RULE_PARTS] = {
	"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY", "BYMONTHDAY", "BYYEARDAY",
	"BYWEEKNO", "BYMONTH", "BYSETPOS", "BYHOUR", "BYMINUTE", "BYSECOND",
};

/* Splits the text at ';' and '='; each part may be there once. */
static int split(struct str text, struct str parts[RULE_PARTS], struct err *e)
{
	if (str_starts(text, STR("RRULE:")))
		text = (struct str){ text.p + 6, text.n - 6 };
	while (text.n) {
		struct str value = str_cut(&text, ';');
		const struct str name = str_cut(&value, '=');
		int i = 0;

		if (!name.n && !value.n)	/* a ';' at the end */
			continue;
		while (i < RULE_PARTS && !str_is(name, part_names[i]))
			i++;
		if (i == RULE_PARTS || parts[i].p || !value.n)
			return err_field(e, ERR_INVALID_FIELD, "recurrence",
					 "recurrence: \"%.*s\" is not a part of a rule, is "
					 "there twice, or has no value. A rule is like "
					 "FREQ=WEEKLY;BYDAY=MO,TH.",
					 (int)MIN(name.n, (size_t)20), name.p);
		parts[i] = value;
	}
	return 0;
}

static int read_freq(struct str s, enum rule_freq *out, struct err *e)
{
	static const struct {
		const char *name;
		enum rule_freq freq;
	} rows[] = {
		{ "DAILY", DAILY }, { "WEEKLY", WEEKLY }, { "MONTHLY", MONTHLY },
		{ "YEARLY", YEARLY },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_is(s, rows[i].name)) {
			*out = rows[i].freq;
			return 0;
		}
	return wrong(e, "FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY: an event takes place "
		     "once a day at most.");
}

/* Where RFC 5545 allows each list, and its numbers. */
static int read_lists(const struct str p[RULE_PARTS], enum rule_freq freq, struct err *e)
{
	static const struct {
		enum rule_part part;
		unsigned freqs;
		int most;
		const char *what;
	} rows[] = {
		{ PART_BYMONTHDAY, DAILY | MONTHLY | YEARLY, 31,
		  "BYMONTHDAY has days of the month, 1 to 31 or -1 to -31, and not with "
		  "FREQ=WEEKLY." },
		{ PART_BYYEARDAY, YEARLY, 366,
		  "BYYEARDAY has days of the year, 1 to 366 or -1 to -366, with FREQ=YEARLY." },
		{ PART_BYWEEKNO, YEARLY, 53,
		  "BYWEEKNO has weeks of the year, 1 to 53 or -1 to -53, with FREQ=YEARLY." },
		{ PART_BYMONTH, DAILY | WEEKLY | MONTHLY | YEARLY, 12,
		  "BYMONTH has months, 1 to 12." },
		{ PART_BYSETPOS, MONTHLY | YEARLY, 366,
		  "BYSETPOS has places, 1 to 366 or -1 to -366, with FREQ=MONTHLY or "
		  "FREQ=YEARLY." },
	};
	bool placed = false;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct str list = p[rows[i].part];

		if (list.p && (!(freq & rows[i].freqs) || !numbers(list, rows[i].most) ||
			       (rows[i].part == PART_BYMONTH && memchr(list.p, '-', list.n))))
			return wrong(e, rows[i].what);
	}
	if (p[PART_BYDAY].p &&
	    (!weekdays(p[PART_BYDAY], freq == MONTHLY ? 5 : 53, &placed) ||
	     (placed && (!(freq & (MONTHLY | YEARLY)) || p[PART_BYWEEKNO].p))))
		return wrong(e, "BYDAY has days of the week: MO, TU, WE, TH, FR, SA, SU; with "
			     "FREQ=MONTHLY or FREQ=YEARLY also with a place, such as 1MO or "
			     "-1FR.");
	if (p[PART_BYSETPOS].p && !p[PART_BYDAY].p && !p[PART_BYMONTHDAY].p &&
	    !p[PART_BYYEARDAY].p && !p[PART_BYWEEKNO].p && !p[PART_BYMONTH].p)
		return wrong(e, "BYSETPOS needs another BY part to choose from.");
	return 0;
}

/* Whether a month in the list has one of the days. */
static bool can_match(struct str months, struct str days)
{
	static const int lengths[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int64_t m, d;

	if (!months.p || !days.p)
		return true;
	do {
		struct str rest = days;

		if (!number(str_cut(&months, ','), 1, 12, &m))
			return false;
		do
			if (number(str_cut(&rest, ','), -31, 31, &d) &&
			    (d < 0 ? -d : d) <= lengths[m - 1])
				return true;
		while (rest.n);
	} while (months.n);
	return false;
}

static int read_end(const struct str p[RULE_PARTS], struct rule *r, struct err *e)
{
	if (p[PART_COUNT].p && p[PART_UNTIL].p)
		return wrong(e, "a rule has COUNT or UNTIL, not both.");
	if (p[PART_COUNT].p && !number(p[PART_COUNT], 1, LIM_RRULE_COUNT, &r->count))
		return err_field(e, ERR_INVALID_FIELD, "recurrence", "recurrence: COUNT must "
				 "be 1 to %d.", LIM_RRULE_COUNT);
	if (!p[PART_UNTIL].p)
		return 0;
	r->until_form = wall_read_ical(p[PART_UNTIL], &r->until);
	if (r->until_form == WALL_NONE)
		return wrong(e, "UNTIL must be a day or a time: 20271231 or 20271231T225959Z.");
	if (r->until >= wall_day_of(2200, 1, 1) * WALL_DAY_S)	/* as good as never */
		r->until_form = WALL_NONE;
	return 0;
}

/* BYHOUR and the like: of one value, which says what the start says. */
static int read_clock(const struct str p[RULE_PARTS], struct rule *r, struct err *e)
{
	int64_t h = -1, m = -1, s = 0;

	if ((p[PART_BYHOUR].p && !number(p[PART_BYHOUR], 0, 23, &h)) ||
	    (p[PART_BYMINUTE].p && !number(p[PART_BYMINUTE], 0, 59, &m)) ||
	    (p[PART_BYSECOND].p && !number(p[PART_BYSECOND], 0, 60, &s)))
		return wrong(e, "an event takes place once a day at most: no BYHOUR, BYMINUTE "
			     "or BYSECOND, unless with the time of its start.");
	r->hour = (int)h;
	r->minute = (int)m;
	return 0;
}

int rule_read(struct str text, struct rule *out, struct err *e)
{
	struct str p[RULE_PARTS] = { { NULL, 0 } };
	struct buf b = BUF_INIT(LIM_RRULE_CHARS + 1);
	enum rule_freq freq = DAILY;
	int64_t interval = 1;

	*out = (struct rule){ .hour = -1, .minute = -1 };
	text = str_trim(text);
	if (text.n > LIM_RRULE_CHARS || memchr(text.p ? text.p : "", 0, text.n))
		return wrong(e, "the rule is too long.");
	if (split(text, p, e) < 0)
		return -1;
	if (read_freq(p[PART_FREQ], &freq, e) < 0 || read_lists(p, freq, e) < 0 ||
	    read_end(p, out, e) < 0 || read_clock(p, out, e) < 0)
		return -1;
	if (p[PART_INTERVAL].p && !number(p[PART_INTERVAL], 1, 1000, &interval))
		return wrong(e, "INTERVAL must be 1 to 1000.");
	if (p[PART_WKST].p && !is_weekday(p[PART_WKST]))
		return wrong(e, "WKST must be a day of the week, such as MO.");
	if (!can_match(p[PART_BYMONTH], p[PART_BYMONTHDAY]))
		return wrong(e, "no day matches: these months do not have these days.");
	buf_addf(&b, "FREQ=%.*s", STR_ARG(p[PART_FREQ]));
	if (interval > 1)
		buf_addf(&b, ";INTERVAL=%d", (int)interval);
	for (int i = PART_WKST; i <= PART_BYSETPOS; i++)
		if (p[i].p)
			buf_addf(&b, ";%s=%.*s", part_names[i], STR_ARG(p[i]));
	snprintf(out->text, sizeof(out->text), "%s", b.p);
	buf_release(&b);
	return 0;
}

/* -- writing -------------------------------------------------------------------------- */

struct str rule_text(const struct rule *r, int64_t count, struct arena *a)
{
	const int64_t rest = r->until - wall_day(r->until) * WALL_DAY_S;
	int y, m, d;

	if (count)
		return str_of(arena_printf(a, "%s;COUNT=%lld", r->text, (long long)count));
	if (r->until_form == WALL_NONE)
		return str_of(arena_strdup(a, r->text));
	wall_date(wall_day(r->until), &y, &m, &d);
	if (r->until_form == WALL_DAY)
		return str_of(arena_printf(a, "%s;UNTIL=%04d%02d%02d", r->text, y, m, d));
	return str_of(arena_printf(a, "%s;UNTIL=%04d%02d%02dT%02d%02d00%s", r->text, y, m, d,
				   (int)(rest / 3600), (int)(rest / 60 % 60),
				   r->until_form == WALL_INSTANT ? "Z" : ""));
}

bool rule_is_over(const struct rule *r, int64_t wall, const struct zone *zone)
{
	switch (r->until_form) {
	case WALL_DAY:
		return wall_day(wall) > wall_day(r->until);
	case WALL_CLOCK:
		return wall > r->until;
	case WALL_INSTANT:
		/* Seconds were dropped on both sides. Whole days have no instants. */
		return zone ? zone_when(zone, wall) > r->until
			: wall_day(wall) > wall_day(r->until);
	case WALL_NONE:
		break;
	}
	return false;
}

/* -- days ------------------------------------------------------------------------------ */

static struct icaltimetype date_of(int64_t day)
{
	struct icaltimetype t = { .is_date = 1 };

	wall_date(day, &t.year, &t.month, &t.day);
	return t;
}

int rule_open(const struct rule *r, int64_t start, int64_t from, int64_t last,
	      struct rule_walk *w, struct err *e)
{
	struct icalrecurrencetype rule;

	*w = (struct rule_walk){ .it = NULL, .from = from, .last = last };
	if (ical_load(e) < 0)
		return -1;
	rule = ical_now.icalrecurrencetype_from_string(r->text);
	if (rule.freq == ICAL_NO_RECURRENCE)
		return wrong(e, "this rule cannot be read.");
	rule.until = date_of(last);	/* where a search may end early */
	w->it = ical_now.icalrecur_iterator_new(rule, date_of(start));
	if (!w->it)
		return wrong(e, "no day matches this rule, or its parts do not go together.");
	if (from > start)
		ical_now.icalrecur_iterator_set_start(w->it, date_of(from));
	return 0;
}

bool rule_next(struct rule_walk *w, int64_t *day)
{
	struct icaltimetype t;

	if (!w->it)
		return false;
	do {
		t = ical_now.icalrecur_iterator_next(w->it);
		if (t.year <= 0)	/* the null time */
			return false;
		*day = wall_day_of(t.year, t.month, t.day);
	} while (*day < w->from);
	return *day <= w->last;
}

void rule_close(struct rule_walk *w)
{
	if (w->it)
		ical_now.icalrecur_iterator_free(w->it);
	w->it = NULL;
}

/* -- checking -------------------------------------------------------------------------- */

static int64_t cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The last of COUNT days. */
static int64_t last_of(const struct rule *r, struct rule_walk *w, int64_t first)
{
	int64_t last = first, day;

	for (int64_t n = 1; n < r->count && rule_next(w, &day); n++)
		last = day;
	return last;
}

/* The first day, and what follows; *late: the search took too long. */
static int walk(const struct rule *r, int64_t start, int64_t *first, int64_t *last,
		bool *late, struct err *e)
{
	const int64_t began = cpu_ms();
	struct rule_walk w;
	int64_t day;
	bool any;

	if (rule_open(r, start, start, wall_day_of(2199, 12, 31), &w, e) < 0)
		return -1;
	any = rule_next(&w, first);
	if (any && *first == start && r->count < 2)
		(void)rule_next(&w, &day);
	*late = cpu_ms() - began > RULE_CPU_MS;
	*last = r->until_form != WALL_NONE ? wall_day(r->until) + 1 : INT64_MAX;
	if (any && *first == start && r->count)
		*last = last_of(r, &w, start);
	rule_close(&w);
	return any ? 0 : wrong(e, "no day matches this rule.");
}

int rule_check(const struct rule *r, int64_t start_wall, const struct zone *zone,
	       int64_t *last, struct err *e)
{
	const int64_t start = wall_day(start_wall);
	const int clock = (int)(start_wall - start * WALL_DAY_S);
	char text[WALL_TEXT_BYTES];
	int64_t first = 0;
	bool late;

	if ((r->hour >= 0 && (!zone || r->hour != clock / 3600)) ||
	    (r->minute >= 0 && (!zone || r->minute != clock / 60 % 60)))
		return wrong(e, "BYHOUR and BYMINUTE must be the time of the start.");
	if (rule_is_over(r, start_wall, zone))
		return wrong(e, "UNTIL is before the start.");
	if (walk(r, start, &first, last, &late, e) < 0)
		return -1;
	if (late)
		return wrong(e, "this rule takes too long to be followed: its days are too far "
			     "apart.");
	return first == start ? 0
		: err_field(e, ERR_INVALID_FIELD, "recurrence", "recurrence: the start must be "
			    "a day of the rule; the first one from there on is %s.",
			    wall_text(first * WALL_DAY_S, true, text));
}
