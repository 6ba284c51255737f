/* SPDX-License-Identifier: MIT */
#include "calendar/wall.h"

#include <stdio.h>
#include <string.h>

#include "base/banned.h"

enum {
	FIRST_YEAR = 1970, LAST_YEAR = 2199,
	ERA_DAYS = 146097,	/* 400 years */
};

int64_t wall_day(int64_t s)
{
	return (s - (s % WALL_DAY_S + WALL_DAY_S) % WALL_DAY_S) / WALL_DAY_S;
}

/* Years begin in March, so that the leap day is the last one. */
int64_t wall_day_of(int y, int m, int d)
{
	const int64_t years = (int64_t)y - (m <= 2);
	const int64_t era = (years >= 0 ? years : years - 399) / 400;
	const int64_t of_era = years - era * 400;
	const int64_t of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;

	return era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

void wall_date(int64_t day, int *y, int *m, int *d)
{
	const int64_t z = day + 719468;
	const int64_t era = (z >= 0 ? z : z - ERA_DAYS + 1) / ERA_DAYS;
	const int64_t doe = z - era * ERA_DAYS;
	const int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	const int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	const int64_t mp = (5 * doy + 2) / 153;

	*d = (int)(doy - (153 * mp + 2) / 5 + 1);
	*m = (int)(mp < 10 ? mp + 3 : mp - 9);
	*y = (int)(yoe + era * 400 + (*m <= 2));
}

/* Takes n digits, and what must follow them (0: anything). */
static bool digits(struct str *s, size_t n, char after, int *out)
{
	const size_t all = n + (after != 0);

	*out = 0;
	if (s->n < all)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (s->p[i] < '0' || s->p[i] > '9')
			return false;
		*out = *out * 10 + s->p[i] - '0';
	}
	if (after && s->p[n] != after)
		return false;
	s->p += all;
	s->n -= all;
	return true;
}

static bool is_day(int y, int m, int d)
{
	int y2, m2, d2;

	wall_date(wall_day_of(y, m, d), &y2, &m2, &d2);
	return m >= 1 && m <= 12 && y == y2 && m == m2 && d == d2;
}

static bool is_clock(int h, int min)
{
	return h < 24 && min < 60;
}

static enum wall_form within(enum wall_form form, const int64_t *s)
{
	int y, m, d;

	wall_date(wall_day(*s), &y, &m, &d);
	return y >= FIRST_YEAR && y <= LAST_YEAR ? form : WALL_NONE;
}

/* "Z", "+01:00", or nothing. */
static enum wall_form read_offset(struct str s, int64_t *at)
{
	const int sign = s.n && s.p[0] == '-' ? -1 : 1;
	int h, min;

	if (!s.n)
		return within(WALL_CLOCK, at);
	if (str_is(s, "Z"))
		return within(WALL_INSTANT, at);
	if (s.p[0] != '+' && s.p[0] != '-')
		return WALL_NONE;
	s.p++;
	s.n--;
	if (!digits(&s, 2, ':', &h) || !digits(&s, 2, 0, &min) || s.n || !is_clock(h, min))
		return WALL_NONE;
	*at -= sign * (h * 3600 + min * 60);
	return within(WALL_INSTANT, at);
}

enum wall_form wall_read(struct str s, int64_t *out)
{
	int y, m, d, h, min, sec;

	if (!digits(&s, 4, '-', &y) || !digits(&s, 2, '-', &m) || !digits(&s, 2, 0, &d) ||
	    !is_day(y, m, d))
		return WALL_NONE;
	*out = wall_day_of(y, m, d) * WALL_DAY_S;
	if (!s.n)
		return within(WALL_DAY, out);
	if (s.p[0] != 'T' && s.p[0] != 't' && s.p[0] != ' ')
		return WALL_NONE;
	s.p++;
	s.n--;
	if (!digits(&s, 2, ':', &h) || !digits(&s, 2, 0, &min) || !is_clock(h, min))
		return WALL_NONE;
	*out += h * 3600 + min * 60;
	if (s.n && s.p[0] == ':') {
		s.p++;
		s.n--;
		if (!digits(&s, 2, 0, &sec) || sec > 60)
			return WALL_NONE;
		while (s.n && (s.p[0] == '.' || (s.p[0] >= '0' && s.p[0] <= '9'))) {
			s.p++;
			s.n--;
		}
	}
	return read_offset(s, out);
}

enum wall_form wall_read_ical(struct str s, int64_t *out)
{
	int y, m, d, h, min, sec;

	if (!digits(&s, 4, 0, &y) || !digits(&s, 2, 0, &m) || !digits(&s, 2, 0, &d) || !y ||
	    !is_day(y, m, d))
		return WALL_NONE;
	*out = wall_day_of(y, m, d) * WALL_DAY_S;
	if (!s.n)
		return WALL_DAY;
	if (s.p[0] != 'T')
		return WALL_NONE;
	s.p++;
	s.n--;
	if (!digits(&s, 2, 0, &h) || !digits(&s, 2, 0, &min) || !digits(&s, 2, 0, &sec) ||
	    !is_clock(h, min) || sec > 60)
		return WALL_NONE;
	*out += h * 3600 + min * 60;
	return !s.n ? WALL_CLOCK : str_is(s, "Z") ? WALL_INSTANT : WALL_NONE;
}

const char *wall_text(int64_t s, bool day, char out[WALL_TEXT_BYTES])
{
	const int64_t number = wall_day(s);
	const int rest = (int)(s - number * WALL_DAY_S);
	char text[40];
	int y, m, d;

	wall_date(number, &y, &m, &d);
	if (day)
		snprintf(text, sizeof(text), "%04d-%02d-%02d", y, m, d);
	else
		snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d", y, m, d, rest / 3600,
			 rest / 60 % 60);
	snprintf(out, WALL_TEXT_BYTES, "%.16s", text);
	return out;
}

struct str wall_str(int64_t s, bool day, struct arena *a)
{
	char text[WALL_TEXT_BYTES];

	return arena_str(a, str_of(wall_text(s, day, text)));
}
