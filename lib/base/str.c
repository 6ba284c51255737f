/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"

#include "base/banned.h"

#define DISTANCE_BYTES 64

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static char *lower(struct str s)
{
	char *p = xmalloc(s.n + 1);

	for (size_t i = 0; i < s.n; i++)
		p[i] = (char)(s.p[i] >= 'A' && s.p[i] <= 'Z' ? s.p[i] | 32 : s.p[i]);
	return p;
}

bool str_holds_any_case(struct str s, struct str what)
{
	char *in, *p;
	bool found;

	if (s.n < what.n || !what.n)
		return !what.n;
	in = lower(s);
	p = lower(what);
	found = memmem(in, s.n, p, what.n);	/* linear, unlike a comparison at each byte */
	free(in);
	free(p);
	return found;
}

int str_distance(struct str a, struct str b)
{
	int row[3][DISTANCE_BYTES + 1];
	int n = (int)MIN(a.n, DISTANCE_BYTES), m = (int)MIN(b.n, DISTANCE_BYTES);
	int *before = row[0], *last = row[1], *now = row[2], *t;

	for (int j = 0; j <= m; j++)
		last[j] = j;
	for (int i = 1; i <= n; i++) {
		now[0] = i;
		for (int j = 1; j <= m; j++) {
			int best = last[j - 1] + !same(a.p[i - 1], b.p[j - 1]);

			best = MIN(best, last[j] + 1);
			best = MIN(best, now[j - 1] + 1);
			if (i > 1 && j > 1 && same(a.p[i - 1], b.p[j - 2]) &&
			    same(a.p[i - 2], b.p[j - 1]))
				best = MIN(best, before[j - 2] + 1);
			now[j] = best;
		}
		t = before;
		before = last;
		last = now;
		now = t;
	}
	return last[m];
}

const char *str_nearest(struct str wrong, const void *rows, size_t n,
			size_t size_bytes, int max_edits)
{
	const char *found = NULL;
	int best = max_edits + 1;

	for (size_t i = 0; i < n; i++) {
		const char *const *name =
			(const void *)((const char *)rows + i * size_bytes);
		int d = str_distance(wrong, str_of(*name));

		if (d < best) {
			best = d;
			found = *name;
		}
	}
	return found;
}

bool str_int(struct str s, int64_t *v)
{
	bool minus = s.n && s.p[0] == '-';
	size_t i = minus || (s.n && s.p[0] == '+');
	int64_t n = 0;

	if (i == s.n)
		return false;
	for (; i < s.n; i++) {
		int digit = s.p[i] - '0';

		if (digit < 0 || digit > 9 ||
		    __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, minus ? -digit : digit, &n))
			return false;
	}
	*v = n;
	return true;
}

bool str_real(struct str s, double *v)
{
	char text[64], *end;
	double d;

	if (!s.n || s.n >= sizeof(text))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!strchr("0123456789+-.eE", s.p[i]) || !s.p[i])
			return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	d = strtod(text, &end);
	if (end != text + s.n || !isfinite(d))
		return false;
	*v = d;
	return true;
}

struct str str_of_real(double v, char out[STR_REAL_BYTES])
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(out, STR_REAL_BYTES, "%.*g", digits, v);
		if (strtod(out, NULL) == v)
			break;
	}
	return str_of(out);
}

bool str_is_line(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
			return false;
	return true;
}

bool str_is_colour(struct str s)
{
	if (s.n != 7 || s.p[0] != '#')
		return false;
	for (size_t i = 1; i < s.n; i++)
		if (hex_digit(s.p[i]) < 0)
			return false;
	return true;
}
