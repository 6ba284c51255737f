/* SPDX-License-Identifier: MIT */
/* Views of bytes that someone else owns; not NUL-terminated unless said. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
	const char *p;	/* may be NULL when n is 0 */
	size_t n;	/* bytes */
};

#define STR(lit) ((struct str){ (lit), sizeof(lit) - 1 })
#define STR_ARG(s) (int)(s).n, (s).p	/* for "%.*s" */

/* View of a C string; NULL gives the empty view. */
static inline struct str str_of(const char *s)
{
	return (struct str){ s, s ? strlen(s) : 0 };
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_is(struct str a, const char *b)
{
	return str_eq(a, str_of(b));
}

/* Compares bytes, as binary collations do: < 0, 0 or > 0. */
static inline int str_compare(struct str a, struct str b)
{
	const size_t n = a.n < b.n ? a.n : b.n;
	const int d = n ? memcmp(a.p, b.p, n) : 0;

	return d ? d : (a.n > b.n) - (a.n < b.n);
}

static inline bool str_starts(struct str a, struct str prefix)
{
	return a.n >= prefix.n &&
	       (prefix.n == 0 || memcmp(a.p, prefix.p, prefix.n) == 0);
}

/* Value of a hexadecimal digit, or -1. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Value of the four hexadecimal digits at p, or -1. */
static inline int hex4(const char *p)
{
	int v = 0;

	for (int i = 0; i < 4; i++) {
		int d = hex_digit(p[i]);

		if (d < 0)
			return -1;
		v = v << 4 | d;
	}
	return v;
}

/* Without blanks, tabs and line ends at both ends. */
static inline struct str str_trim(struct str s)
{
	while (s.n && strchr(" \t\r\n", s.p[0]) && s.p[0])
		s.p++, s.n--;
	while (s.n && s.p[s.n - 1] && strchr(" \t\r\n", s.p[s.n - 1]))
		s.n--;
	return s;
}

/*
 * Cuts the text before the first sep off *rest and returns it; *rest is what
 * follows sep, or empty with p == NULL when there was no sep.
 */
static inline struct str str_cut(struct str *rest, char sep)
{
	struct str s = *rest;
	const char *q = s.n ? memchr(s.p, sep, s.n) : NULL;

	if (!q) {
		*rest = (struct str){ NULL, 0 };
		return s;
	}
	rest->p = q + 1;
	rest->n = s.n - (size_t)(q + 1 - s.p);
	s.n = (size_t)(q - s.p);
	return s;
}

/* Whether s contains what, in any case of ASCII letters. Linear in both. */
bool str_holds_any_case(struct str s, struct str what);

/* Whether s is a colour, #rrggbb in either case. */
bool str_is_colour(struct str s);

/* Whether s has no control characters. */
bool str_is_line(struct str s);

/*
 * Edits (insert, delete, change, swap of neighbours) between a and b in any case,
 * for "did you mean". The first 64 bytes of each count.
 */
int str_distance(struct str a, struct str b);

/*
 * Of n rows of size_bytes, whose first member is their name (const char *), the
 * name nearest to the wrong one: the first of those with the fewest edits, and
 * at most max_edits. NULL when there is none; else borrowed from the row.
 */
const char *str_nearest(struct str wrong, const void *rows, size_t n,
			size_t size_bytes, int max_edits);

/* For printf: what str_nearest found, which may be NULL. */
#define STR_MEANT "%s%s%s"
#define STR_MEANT_ARG(near) (near) ? " Did you mean \"" : "", \
	(near) ? (near) : "", (near) ? "\"?" : ""

/*
 * Reads a decimal number, signed or not, that s is from end to end; false when
 * it is none, or a whole one that int64_t does not hold, or one that is not
 * finite. No blanks, no other base, no words. *v stays when it is false.
 */
bool str_int(struct str s, int64_t *v);
bool str_real(struct str s, double *v);

/* The shortest decimal that str_real reads as v, which is finite: 0.7, 1. In out. */
enum { STR_REAL_BYTES = 32 };
struct str str_of_real(double v, char out[STR_REAL_BYTES]);

#endif
