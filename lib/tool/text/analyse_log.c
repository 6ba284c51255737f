/* SPDX-License-Identifier: MIT */
/*
 * analyse_log: what a log is about (A66). One pass: lines by severity and by
 * HTTP status, first and last time, and lines that differ only in numbers,
 * addresses and quoted texts counted as one pattern. Deterministic; its memory
 * does not grow with the log.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "tool/text/given.h"

#include "base/banned.h"

enum {
	PATTERNS = 2000,	/* told apart; all others are one */
	SHOWN = 20,
	PATTERN_BYTES = 240,
	EXAMPLE_CHARS = 300,
	SLOTS = 4096,		/* more than PATTERNS; a power of two */
};

enum severity { SEV_FATAL, SEV_ERROR, SEV_WARN, SEV_INFO, SEV_DEBUG, SEV_NONE };

static const char *const severities[] = {
	"fatal", "error", "warning", "info", "debug", "other",
};

struct line_pattern {
	char text[PATTERN_BYTES + 1];
	struct str example;
	size_t first, last, count;	/* lines, from 1 */
	enum severity severity;
};

struct analysis {
	struct line_pattern *v;
	size_t n, lines, others;	/* others: of no pattern */
	uint16_t slots[SLOTS];		/* index + 1 */
	size_t by_severity[SEV_NONE + 1], by_status[6];
	struct str first_time, last_time;
};

/* -- one line --------------------------------------------------------------- */

static bool word_at(struct str line, size_t i, const char *word)
{
	size_t n = strlen(word);

	return line.n - i >= n && !strncasecmp(line.p + i, word, n) &&
	       (i + n == line.n || !isalpha((unsigned char)line.p[i + n]));
}

/* The first word that names a severity, near the start of the line. */
static enum severity severity_of(struct str line)
{
	static const struct {
		const char *word;
		enum severity is;
	} words[] = {
		{ "fatal", SEV_FATAL }, { "emerg", SEV_FATAL },
		{ "alert", SEV_FATAL }, { "crit", SEV_FATAL },
		{ "critical", SEV_FATAL }, { "panic", SEV_FATAL },
		{ "error", SEV_ERROR }, { "err", SEV_ERROR },
		{ "severe", SEV_ERROR }, { "exception", SEV_ERROR },
		{ "failed", SEV_ERROR }, { "failure", SEV_ERROR },
		{ "warning", SEV_WARN }, { "warn", SEV_WARN },
		{ "notice", SEV_INFO }, { "info", SEV_INFO },
		{ "debug", SEV_DEBUG }, { "trace", SEV_DEBUG },
	};

	for (size_t i = 0; i < line.n && i < 200; i++) {
		if (i && isalpha((unsigned char)line.p[i - 1]))
			continue;
		for (size_t k = 0; k < ARRAY_LEN(words); k++)
			if (word_at(line, i, words[k].word))
				return words[k].is;
	}
	return SEV_NONE;
}

/* Access logs: the three digits behind the quoted request. 0 = none. */
static int status_of(struct str line)
{
	const char *q = line.n ? memmem(line.p, line.n, "\" ", 2) : NULL;
	size_t left = q ? line.n - (size_t)(q - line.p) : 0;

	if (left < 6 || q[2] < '1' || q[2] > '5' ||
	    !isdigit((unsigned char)q[3]) || !isdigit((unsigned char)q[4]) ||
	    q[5] != ' ')
		return 0;
	return q[2] - '0';
}

/* D is a digit, A a letter, anything else itself. */
static bool shaped(struct str s, const char *shape)
{
	for (size_t i = 0; shape[i]; i++) {
		unsigned char c = i < s.n ? (unsigned char)s.p[i] : 0;

		if (shape[i] == 'D' ? !isdigit(c) :
		    shape[i] == 'A' ? !isalpha(c) : c != (unsigned char)shape[i])
			return false;
	}
	return true;
}

/* The time at the start of a line, or near it. */
static struct str time_of(struct str line)
{
	static const char *const shapes[] = {
		"DDDD-DD-DDTDD:DD:DD", "DDDD-DD-DD DD:DD:DD",
		"DD/AAA/DDDD:DD:DD:DD", "AAA DD DD:DD:DD", "AAA  D DD:DD:DD",
		"DDDD/DD/DD DD:DD:DD",
	};

	for (size_t i = 0; i < line.n && i < 120; i++) {
		struct str rest = { line.p + i, line.n - i };

		for (size_t k = 0; k < ARRAY_LEN(shapes); k++)
			if (shaped(rest, shapes[k]))
				return (struct str){ rest.p, strlen(shapes[k]) };
	}
	return (struct str){ NULL, 0 };
}

/* -- patterns --------------------------------------------------------------- */

static bool has_digit(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (isdigit((unsigned char)s.p[i]))
			return true;
	return false;
}

/* The end of a quoted text that begins at i, or i. */
static size_t quoted(struct str line, size_t i)
{
	const char *end = memchr(line.p + i + 1, line.p[i], line.n - i - 1);

	return end ? (size_t)(end - line.p) + 1 : i;
}

/* The line with its variable parts replaced by "#". */
static void to_pattern(struct str line, char *out)
{
	size_t i = 0, n = 0;

	while (i < line.n && n + 2 < PATTERN_BYTES) {
		size_t end = i;

		if (line.p[i] == '"' || line.p[i] == '\'')
			end = quoted(line, i);
		if (end > i) {
			memcpy(out + n, "\"#\"", MIN(3, PATTERN_BYTES - n));
			n += MIN(3, PATTERN_BYTES - n);
			i = end;
			continue;
		}
		while (end < line.n && (isalnum((unsigned char)line.p[end]) ||
					(line.p[end] && strchr("_-.:/", line.p[end]))))
			end++;
		if (end > i && has_digit((struct str){ line.p + i, end - i })) {
			out[n++] = '#';
			i = end;
		} else if (end > i) {
			size_t take = MIN(end - i, PATTERN_BYTES - n);

			memcpy(out + n, line.p + i, take);
			n += take;
			i = end;
		} else {
			out[n++] = line.p[i++];
		}
	}
	out[utf8_complete((struct str){ out, n })] = '\0';
}

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

/* The pattern of this text, created if there is room; NULL if there is none. */
static struct line_pattern *pattern_of(struct analysis *a, const char *text)
{
	uint32_t at = hash(text) & (SLOTS - 1);
	struct line_pattern *p;

	for (; a->slots[at]; at = (at + 1) & (SLOTS - 1))
		if (!strcmp(a->v[a->slots[at] - 1].text, text))
			return &a->v[a->slots[at] - 1];
	if (a->n == PATTERNS)
		return NULL;
	p = &a->v[a->n++];
	a->slots[at] = (uint16_t)a->n;
	*p = (struct line_pattern){ .first = 0 };
	memcpy(p->text, text, strlen(text) + 1);
	return p;
}

static void take_line(struct analysis *a, struct str line)
{
	char text[PATTERN_BYTES + 1];
	struct str time = time_of(line);
	enum severity severity = severity_of(line);
	int status = status_of(line);
	struct line_pattern *p;

	a->lines++;
	if (!str_trim(line).n)
		return;
	if (time.n && !a->first_time.n)
		a->first_time = time;
	if (time.n)
		a->last_time = time;
	if (status)
		a->by_status[status]++;
	a->by_severity[severity]++;
	to_pattern(line, text);
	p = pattern_of(a, text);
	if (!p) {
		a->others++;
		return;
	}
	if (!p->count++) {
		p->first = a->lines;
		p->example = line;
		p->severity = severity;
	}
	p->last = a->lines;
}

/* -- the result ------------------------------------------------------------- */

/* Severe ones first, then frequent ones, then by their first line. */
static int by_weight(const void *x, const void *y)
{
	const struct line_pattern *a = x, *b = y;
	enum severity sa = MIN(a->severity, SEV_INFO);
	enum severity sb = MIN(b->severity, SEV_INFO);

	if (sa != sb)
		return sa < sb ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->first < b->first ? -1 : 1;
}

static void write_patterns(struct jw *w, struct analysis *a)
{
	if (a->n)
		qsort(a->v, a->n, sizeof(*a->v), by_weight);
	jw_key(w, "patterns");
	jw_arr(w);
	for (size_t i = 0; i < a->n && i < SHOWN; i++) {
		const struct line_pattern *p = &a->v[i];

		jw_obj(w);
		jw_kint(w, "count", (int64_t)p->count);
		jw_kstrz(w, "severity", severities[p->severity]);
		jw_kstrz(w, "pattern", p->text);
		jw_kint(w, "firstLine", (int64_t)p->first);
		jw_kint(w, "lastLine", (int64_t)p->last);
		jw_kstr(w, "example", utf8_head(p->example, EXAMPLE_CHARS));
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_kint(w, "morePatterns", (int64_t)(a->n > SHOWN ? a->n - SHOWN : 0));
	jw_kint(w, "linesNotGrouped", (int64_t)a->others);
}

static void write_counts(struct jw *w, const struct analysis *a)
{
	static const char *const classes[] = {
		"", "1xx", "2xx", "3xx", "4xx", "5xx",
	};

	jw_key(w, "severities");
	jw_obj(w);
	for (int i = 0; i <= SEV_NONE; i++)
		if (a->by_severity[i])
			jw_kint(w, severities[i], (int64_t)a->by_severity[i]);
	jw_end_obj(w);
	jw_key(w, "httpStatuses");
	jw_obj(w);
	for (int i = 1; i <= 5; i++)
		if (a->by_status[i])
			jw_kint(w, classes[i], (int64_t)a->by_status[i]);
	jw_end_obj(w);
}

int analyse_log_run(const struct tool *t, const struct tool_ctx *ctx,
		    const json_t *args, struct buf *out, bool *is_json,
		    struct err *e)
{
	struct analysis *a = arena_new(ctx->arena, struct analysis);
	struct jw w = jw_on(out);
	struct str rest;

	(void)t;
	if (given_text(ctx, args, &rest, e) < 0)
		return -1;
	a->v = arena_zalloc(ctx->arena, PATTERNS, sizeof(*a->v));
	while (rest.n)
		take_line(a, str_cut(&rest, '\n'));
	*is_json = true;
	jw_obj(&w);
	jw_kint(&w, "lines", (int64_t)a->lines);
	if (a->first_time.n) {
		jw_kstr(&w, "firstTime", a->first_time);
		jw_kstr(&w, "lastTime", a->last_time);
	}
	write_counts(&w, a);
	write_patterns(&w, a);
	jw_end_obj(&w);
	return 0;
}
