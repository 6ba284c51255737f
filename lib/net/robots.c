/* SPDX-License-Identifier: MIT */
#include "net/robots.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/util.h"

#include "base/banned.h"

#define AGENT "lamplighter"

/*
 * Matches the path against a pattern with * and, at its end, $. The text between
 * two * is searched from the end of the previous match: its first occurrence is as
 * good as any later one, so nothing is tried twice, and the search is linear.
 */
static bool fits(struct str pattern, struct str path)
{
	bool whole = pattern.n && pattern.p[pattern.n - 1] == '$';
	bool first = true;

	pattern.n -= whole;
	for (;;) {
		const char *star = memchr(pattern.p, '*', pattern.n);
		size_t n = star ? (size_t)(star - pattern.p) : pattern.n;
		const char *at = path.p;

		if (n > path.n)
			return false;
		if (!star && whole)
			at = first && n < path.n ? NULL : path.p + path.n - n;
		else if (!first && n)
			at = memmem(path.p, path.n, pattern.p, n);
		if (!at || memcmp(at, pattern.p, n) != 0)
			return false;
		if (!star)
			return true;
		at += n;
		path = (struct str){ at, (size_t)(path.p + path.n - at) };
		pattern.p += n + 1;
		pattern.n -= n + 1;
		first = false;
	}
}

/*
 * Normalises as RFC 9309 section 2.2.2 requires: characters that need no encoding
 * are decoded, all others beyond ASCII are encoded, in upper case. *, $ and / are
 * unchanged.
 */
static struct str normal(struct str s, struct buf *out)
{
	buf_reset(out);
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		int high = i + 2 < s.n && c == '%' ? hex_digit(s.p[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(s.p[i + 2]) : -1;

		if (low >= 0) {
			c = (unsigned char)(16 * high + low);
			i += 2;
			if (!isalnum(c) && !memchr("-._~", c, 4)) {
				buf_addf(out, "%%%02X", c);
				continue;
			}
		}
		if (c > 0x7e || c <= ' ')
			buf_addf(out, "%%%02X", c);
		else
			buf_addc(out, (char)c);
	}
	return buf_str(out);
}

struct rules {
	bool found;		/* there is a group for this agent */
	size_t allow, disallow;	/* length of the longest matching rule, + 1 */
	int64_t delay_ms;
	struct buf pattern;
};

static bool is_key(struct str key, const char *name)
{
	return key.n == strlen(name) && !strncasecmp(key.p, name, key.n);
}

/* In ms, from seconds such as "0.5"; 0 if it is not a number. */
static int64_t delay_of(struct str s)
{
	int64_t ms = 0, unit = 1000;
	bool part = false;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '.' && !part) {
			part = true;
			continue;
		}
		if (s.p[i] < '0' || s.p[i] > '9')
			return 0;
		if (part)
			unit /= 10;
		ms = part ? ms + (s.p[i] - '0') * unit
			: MIN(10 * ms + (s.p[i] - '0') * 1000, INT32_MAX);
	}
	return MIN(ms, INT32_MAX);
}

static void take_rule(struct rules *r, struct str key, struct str value,
		      struct str path)
{
	bool allow = is_key(key, "allow");
	size_t *longest = allow ? &r->allow : &r->disallow;

	if (is_key(key, "crawl-delay"))
		r->delay_ms = delay_of(value);
	/* An empty Disallow allows everything. */
	if ((!allow && !is_key(key, "disallow")) || !value.n)
		return;
	value = normal(value, &r->pattern);
	if (fits(value, path) && value.n + 1 > *longest)
		*longest = value.n + 1;
}

static struct str next_line(struct str *rest)
{
	struct str line = *rest;
	size_t n = 0;

	while (n < line.n && line.p[n] != '\n' && line.p[n] != '\r')
		n++;
	*rest = (struct str){ line.p + n + (n < line.n), line.n - n -
			      (n < line.n) };
	line.n = n;
	return line;
}

/* Reads the groups for agent; several with the same name count as one. */
static void read_rules(struct rules *r, struct str robots, const char *agent,
		       struct str path)
{
	bool ours = false, naming = false;

	if (str_starts(robots, STR("\xef\xbb\xbf")))
		robots = (struct str){ robots.p + 3, robots.n - 3 };
	while (robots.n) {
		struct str line = next_line(&robots), value, key;

		line = str_trim(str_cut(&line, '#'));
		value = line;
		key = str_trim(str_cut(&value, ':'));
		value = str_trim(value);
		if (is_key(key, "user-agent")) {
			if (!naming)
				ours = false;
			naming = true;
			ours |= is_key(value, agent);
			r->found |= ours;
		} else if (key.n) {
			naming = false;
			if (ours)
				take_rule(r, key, value, path);
		}
	}
}

static struct rules rules_for(struct str robots, struct str path)
{
	struct buf b = BUF_INIT(3 * path.n + 1);
	struct rules r = { .pattern = BUF_INIT(3 * robots.n + 1) };

	path = normal(path, &b);
	read_rules(&r, robots, AGENT, path);
	if (!r.found)
		read_rules(&r, robots, "*", path);
	buf_release(&r.pattern);
	buf_release(&b);
	return r;
}

bool robots_allow(struct str robots, struct str path)
{
	struct rules r = rules_for(robots, path);

	/* Of rules of one length, the one that allows counts (RFC 9309, 2.2.2). */
	return r.allow >= r.disallow;
}

int64_t robots_delay_ms(struct str robots)
{
	return rules_for(robots, STR("/")).delay_ms;
}

struct str robots_path(const char *url)
{
	const char *host = strstr(url, "://");
	const char *path = host ? strpbrk(host + 3, "/?#") : NULL;
	struct str s = str_of(path && *path == '/' ? path : "/");

	return str_cut(&s, '#');
}

bool robots_noindex(struct str value)
{
	bool ours = true;

	while (value.n) {
		struct str directive = str_trim(str_cut(&value, ',')), name;
		struct str rest = directive;

		/*
		 * "agent: …" applies up to the next agent; dates and sizes are not
		 * agents.
		 */
		name = str_trim(str_cut(&rest, ':'));
		if (rest.p && !is_key(name, "unavailable_after") &&
		    !str_starts(name, STR("max-"))) {
			ours = is_key(name, AGENT) || is_key(name, "*");
			directive = str_trim(rest);
		}
		if (ours && (is_key(directive, "noindex") || is_key(directive, "none")))
			return true;
	}
	return false;
}
