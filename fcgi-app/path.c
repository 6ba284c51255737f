/* SPDX-License-Identifier: MIT */
#include "path.h"

#include "base/limits.h"
#include "base/utf8.h"

#include "base/banned.h"

/* Removes the next decoded byte of *s and returns it; -1 at the end. */
static int next_byte(struct str *s)
{
	int c, hi, lo;

	if (!s->n)
		return -1;
	c = (unsigned char)s->p[0];
	if (c == '%' && s->n >= 3) {
		hi = hex_digit(s->p[1]);
		lo = hex_digit(s->p[2]);
		if (hi >= 0 && lo >= 0) {
			s->p += 3;
			s->n -= 3;
			return hi << 4 | lo;
		}
	}
	s->p++;
	s->n--;
	return c;
}

/*
 * Removes base from the beginning of *path, comparing decoded bytes: a base may
 * have blanks or letters that browsers encode but admins do not.
 */
static bool strip_base(struct str *path, struct str base)
{
	struct str rest = *path;

	while (base.n) {
		int want = next_byte(&base);

		if (next_byte(&rest) != want)
			return false;
	}
	if (rest.n && rest.p[0] != '/')
		return false;
	*path = rest;
	return true;
}

static bool plain_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '~' ||
	       c == '-' || c == '/';
}

/* "%2F", as some clients write a slash within a name. */
static bool is_slash(struct str s)
{
	return s.n >= 3 && s.p[0] == '%' && s.p[1] == '2' &&
	       (s.p[2] == 'F' || s.p[2] == 'f');
}

/* Only plain characters and escaped slashes, no empty segments and no dot segments. */
static bool plain_path(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		size_t left = s.n - i - 1;

		if (is_slash((struct str){ s.p + i, left + 1 })) {
			i += 2;
			continue;
		}
		if (!plain_char(s.p[i]))
			return false;
		if (s.p[i] != '/')
			continue;
		if (left && s.p[i + 1] == '/')
			return false;
		if (left && s.p[i + 1] == '.' &&
		    (left == 1 || s.p[i + 2] == '/' ||
		     (s.p[i + 2] == '.' && (left == 2 || s.p[i + 3] == '/'))))
			return false;
	}
	return true;
}

/* Only names of models may contain an escaped slash. */
static bool has_escapes(enum mount m, const char *begin, struct str path)
{
	return memchr(begin, '%', (size_t)(path.p - begin)) ||
	       (m != MOUNT_OPENAI && memchr(path.p, '%', path.n));
}

/* "http://host/path" → "/path"; a path stays as it is. */
static struct str strip_authority(struct str uri)
{
	const char *slash;
	size_t skip;

	if (str_starts(uri, STR("http://")))
		skip = 7;
	else if (str_starts(uri, STR("https://")))
		skip = 8;
	else
		return uri;
	uri.p += skip;
	uri.n -= skip;
	slash = memchr(uri.p, '/', uri.n);
	if (!slash)
		return STR("/");
	uri.n -= (size_t)(slash - uri.p);
	uri.p = slash;
	return uri;
}

const char *const mount_roots[MOUNT__MAX] = {
	[MOUNT_API] = "/api/v1", [MOUNT_OPENAI] = "/openai/v1",
	[MOUNT_PLAIN] = "/plain",
};

/* The mount with whose root p begins, by whole segments; MOUNT__MAX: none. */
static enum mount at_root(struct str p)
{
	int m = 0;

	for (; m < MOUNT__MAX; m++) {
		struct str root = str_of(mount_roots[m]);

		if (str_starts(p, root) &&
		    (p.n == root.n || p.p[root.n] == '/'))
			break;
	}
	return (enum mount)m;
}

int path_split(struct str uri, const char *base, struct uri_parts *out,
	       struct err *e)
{
	struct str rest = strip_authority(uri), path = str_cut(&rest, '?');
	struct str at = str_of(base);
	const char *begin;
	enum mount m;

	if (uri.n > LIM_URI_BYTES)
		return err_set(e, ERR_TOO_BIG, "request target of %zu bytes",
			       uri.n);
	while (at.n && at.p[at.n - 1] == '/')
		at.n--;
	if (!path.n || path.p[0] != '/')
		return err_set(e, ERR_NOT_FOUND, "not a path");
	if (base && *base) {
		if (!strip_base(&path, at) || !plain_path(path))
			return err_set(e, ERR_NOT_FOUND, "outside the base");
		begin = path.p;
		m = at_root(path);
	} else {
		if (!plain_path(path))
			return err_set(e, ERR_NOT_FOUND, "not a plain path");
		begin = path.p;
		m = at_root(path);
		while (m == MOUNT__MAX && path.n) {
			const char *q = memchr(path.p + 1, '/', path.n - 1);

			if (!q)
				break;
			path.n -= (size_t)(q - path.p);
			path.p = q;
			m = at_root(path);
		}
	}
	/* Programs are often given the base URL without its end, and show their user this. */
	if (m == MOUNT__MAX && base && *base && str_starts(path, STR("/openai/")))
		return err_public(e, ERR_NOT_FOUND, "There is no such path. The base URL for "
				  "OpenAI clients ends with /openai/v1.");
	if (m == MOUNT__MAX || has_escapes(m, begin, path))
		return err_set(e, ERR_NOT_FOUND, "no root of ours in it");
	path.p += strlen(mount_roots[m]);
	path.n -= strlen(mount_roots[m]);
	*out = (struct uri_parts){ .mount = m, .path = path, .query = rest };
	return 0;
}

int path_decode(struct arena *a, struct str s, bool plus, struct str *out,
		struct err *e)
{
	char *p = arena_alloc(a, s.n + 1);
	size_t n = 0;

	while (s.n) {
		bool escape = s.p[0] == '%', blank = plus && s.p[0] == '+';
		size_t before = s.n;
		int c = next_byte(&s);

		if ((escape && before - s.n != 3) || c == 0)
			return err_public(e, ERR_BAD_REQUEST,
					  "The query or form has a broken %% escape.");
		p[n++] = blank ? ' ' : (char)c;
	}
	p[n] = '\0';
	*out = (struct str){ p, n };
	if (!utf8_valid(*out))
		return err_public(e, ERR_INVALID_UTF8,
				  "The query or form is not valid UTF-8.");
	return 0;
}
