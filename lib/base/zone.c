/* SPDX-License-Identifier: MIT */
/*
 * Time zones by name. The C library has one zone for the whole process, and
 * requests of people in different zones run at the same time, so the database is
 * read here: a file of some kilobytes, which the kernel keeps in memory.
 */
#include "base/zone.h"

#include <ctype.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/util.h"

#include "base/banned.h"

enum {
	FILE_BYTES = 65536,	/* the largest of the database has 4 KiB */
	HEAD_BYTES = 44,
	DAY_S = 86400,
};

struct file {
	size_t n;
	unsigned char bytes[FILE_BYTES];
};

/* -- rules: "CET-1CEST,M3.5.0,M10.5.0/3" ------------------------------------- */

/* When daylight saving time begins or ends. */
struct zone_change {
	char form;		/* 'M'onth, week and day; 'J'ulian; 'D'ay */
	int month, week, day;
	int64_t time_s;
};

static bool number(const char **p, int most, int *out)
{
	int n = 0;

	if (!isdigit((unsigned char)**p))
		return false;
	for (; isdigit((unsigned char)**p) && n <= most; (*p)++)
		n = n * 10 + **p - '0';
	*out = n;
	return n <= most;
}

/* [+-]hh[:mm[:ss]] in seconds. */
static bool duration(const char **p, int64_t *out)
{
	int64_t sign = **p == '-' ? -1 : 1;
	int h, m = 0, s = 0;

	if (**p == '-' || **p == '+')
		(*p)++;
	if (!number(p, 167, &h))
		return false;
	if (**p == ':' && (++*p, !number(p, 59, &m)))
		return false;
	if (**p == ':' && (++*p, !number(p, 59, &s)))
		return false;
	*out = sign * (h * 3600 + m * 60 + s);
	return true;
}

static bool skip_name(const char **p)
{
	const char *start = *p;

	if (**p == '<') {
		*p = strchr(*p, '>');
		return *p && (++*p, true);
	}
	while (isalpha((unsigned char)**p))
		(*p)++;
	return *p > start;
}

static bool read_change(const char **p, struct zone_change *c)
{
	*c = (struct zone_change){ .form = 'D', .time_s = 7200 };
	if (*(*p)++ != ',')
		return false;
	if (**p == 'M') {
		c->form = *(*p)++;
		if (!number(p, 12, &c->month) || *(*p)++ != '.' ||
		    !number(p, 5, &c->week) || *(*p)++ != '.' ||
		    !number(p, 6, &c->day) || c->month < 1 || c->week < 1)
			return false;
	} else {
		if (**p == 'J')
			c->form = *(*p)++;
		if (!number(p, 365, &c->day))
			return false;
	}
	return **p != '/' || (++*p, duration(p, &c->time_s));
}

static bool is_leap(int64_t y)
{
	return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
}

/* Days from 1970 to the first of January. */
static int64_t days_to(int64_t y)
{
	y--;
	return y * 365 + y / 4 - y / 100 + y / 400 - 719162;
}

/* Local seconds since 1970 at which c happens in year y. */
static int64_t when(const struct zone_change *c, int64_t y)
{
	static const int to_month[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243,
		273, 304, 334, 365 };
	int64_t day = days_to(y);
	int64_t first, last;

	if (c->form == 'J')
		day += c->day - 1 + (is_leap(y) && c->day > 59);
	else if (c->form == 'D')
		day += c->day;
	if (c->form != 'M')
		return day * DAY_S + c->time_s;
	first = day + to_month[c->month - 1] + (is_leap(y) && c->month > 2);
	last = day + to_month[c->month] + (is_leap(y) && c->month > 1) - 1;
	/* 1970 began on a Thursday. */
	day = first + (c->day - (first + 4) % 7 + 7) % 7 + 7 * (c->week - 1);
	while (day > last)
		day -= 7;
	return day * DAY_S + c->time_s;
}

/* The offset from UTC that a rule gives at s, in seconds. */
static bool by_rule(const char *p, int64_t s, int64_t *offset)
{
	struct zone_change start, end;
	int64_t west, west_dst, from, until;
	struct tm tm;
	time_t local;
	bool dst;

	if (!skip_name(&p) || !duration(&p, &west))
		return false;
	*offset = -west;
	if (!*p)
		return true;
	west_dst = west - 3600;
	if (!skip_name(&p) || (*p != ',' && !duration(&p, &west_dst)) ||
	    !read_change(&p, &start) || !read_change(&p, &end))
		return false;
	local = (time_t)(s - west);
	if (!gmtime_r(&local, &tm))
		return false;
	from = when(&start, tm.tm_year + 1900) + west;
	until = when(&end, tm.tm_year + 1900) + west_dst;
	dst = from < until ? s >= from && s < until : s >= from || s < until;
	*offset = dst ? -west_dst : -west;
	return true;
}

/* -- the file --------------------------------------------------------------- */

static int64_t big_endian(const unsigned char *p, int n)
{
	uint64_t v = p[0] & 0x80 ? UINT64_MAX : 0;

	for (int i = 0; i < n; i++)
		v = v << 8 | p[i];
	return (int64_t)v;
}

/* The numbers of a head that say how long its block is. */
struct counts {
	int64_t utc, standard, leaps, times, types, chars;
};

static bool read_head(const struct file *f, size_t at, struct counts *c)
{
	int64_t *const to[] = { &c->utc, &c->standard, &c->leaps, &c->times,
		&c->types, &c->chars };

	if (f->n < at + HEAD_BYTES || memcmp(f->bytes + at, "TZif", 4) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(to); i++) {
		*to[i] = big_endian(f->bytes + at + 20 + 4 * i, 4);
		if (*to[i] < 0 || *to[i] > FILE_BYTES)
			return false;
	}
	return c->types > 0;
}

/* The length of the block, whose times have so many bytes. */
static size_t block_bytes(const struct counts *c, int64_t time_bytes)
{
	return (size_t)(c->times * (time_bytes + 1) + c->types * 6 + c->chars +
			c->leaps * (time_bytes + 4) + c->standard + c->utc);
}

static bool offset_at(const struct file *f, int64_t s, int64_t *offset)
{
	const unsigned char *times, *kinds, *types;
	const char *rule, *end;
	struct counts c;
	int64_t i, kind = 0;
	size_t at = 0;

	if (!read_head(f, at, &c) || f->bytes[4] < '2')
		return false;
	at += HEAD_BYTES + block_bytes(&c, 4);	/* version 1: 32-bit times */
	if (!read_head(f, at, &c))
		return false;
	at += HEAD_BYTES;
	if (f->n < at + block_bytes(&c, 8))
		return false;
	times = f->bytes + at;
	kinds = times + 8 * c.times;
	types = kinds + c.times;
	rule = (const char *)f->bytes + at + block_bytes(&c, 8);
	for (i = c.times; i > 0 && big_endian(times + 8 * (i - 1), 8) > s; i--)
		continue;
	end = (const char *)f->bytes + f->n;
	if (i == c.times && rule + 2 < end && rule[0] == '\n' && rule[1] != '\n') {
		char text[100];
		const char *stop = memchr(rule + 1, '\n', (size_t)(end - rule - 1));

		if (!stop || stop - rule > (ptrdiff_t)sizeof(text))
			return false;
		memcpy(text, rule + 1, (size_t)(stop - rule - 1));
		text[stop - rule - 1] = '\0';
		return by_rule(text, s, offset);
	}
	if (i > 0)
		kind = kinds[i - 1];
	if (kind >= c.types)
		return false;
	*offset = big_endian(types + 6 * kind, 4);
	return true;
}

/* A name cannot leave the directory of the database. */
static bool is_name(struct str s)
{
	if (!s.n || s.n >= ZONE_NAME_BYTES || s.p[0] == '/')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!isalnum((unsigned char)s.p[i]) && !strchr("_+-/", s.p[i]))
			return false;
	return true;
}

static bool read_file(struct str name, struct file *f)
{
	const char *dir = getenv("TZDIR");
	char path[512];
	ssize_t n;
	int fd;

	if (!is_name(name) ||
	    snprintf(path, sizeof(path), "%s/%.*s",
		     dir && *dir ? dir : "/usr/share/zoneinfo",
		     STR_ARG(name)) >= (int)sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;
	n = read(fd, f->bytes, sizeof(f->bytes));
	close(fd);
	f->n = n > 0 ? (size_t)n : 0;
	return n > 0;
}

bool zone_time(struct str name, int64_t us, struct tm *out)
{
	int64_t s = us / 1000000, offset = 0;
	time_t t = (time_t)s;
	struct file *f;
	bool ok;

	if (!name.n)
		return localtime_r(&t, out) != NULL;
	f = xmalloc(sizeof(*f));
	ok = read_file(name, f) && offset_at(f, s, &offset);
	free(f);
	t = (time_t)(s + (ok ? offset : 0));
	return gmtime_r(&t, out) != NULL && ok;
}

bool zone_known(struct str name)
{
	struct tm tm;

	return name.n && zone_time(name, 0, &tm);
}

/* -- many times in one zone -------------------------------------------------- */

struct zone {
	struct file file;
};

const struct zone *zone_read(struct str name, struct arena *a)
{
	struct file *f = xmalloc(sizeof(*f));
	struct zone *z = NULL;
	int64_t offset;

	if (read_file(name, f) && offset_at(f, 0, &offset)) {
		/* Most files have two of the 64 KiB. */
		z = arena_alloc(a, offsetof(struct zone, file.bytes) + f->n);
		memcpy(z->file.bytes, f->bytes, f->n);
		z->file.n = f->n;
	}
	free(f);
	return z;
}

static int64_t offset_of(const struct zone *z, int64_t s)
{
	int64_t offset = 0;

	return z && offset_at(&z->file, s, &offset) ? offset : 0;
}

int64_t zone_wall(const struct zone *z, int64_t s)
{
	return s + offset_of(z, s);
}

int64_t zone_when(const struct zone *z, int64_t wall)
{
	/* No zone changes twice within two days by more than a few hours. */
	const int64_t before = offset_of(z, wall - DAY_S);
	const int64_t after = offset_of(z, wall + DAY_S);

	if (zone_wall(z, wall - before) == wall || before == after)
		return wall - before;
	return zone_wall(z, wall - after) == wall ? wall - after : wall - before;
}
