/* SPDX-License-Identifier: MIT */
/* Calendar files: RFC 5545, 3.1: lines, their parameters, and components. See calendar.h. */
#include "extract/calendar.h"

#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/util.h"

#include "base/banned.h"

enum {
	LINE_BYTES = 65536,	/* longer ones are cut */
	DEPTH = 8,
};

struct calendar_file {
	struct extract *x;
	struct buf line;
	int depth;
	bool event, zone;	/* within one, not in an alarm of it */
	int events;
	struct buf id, location;	/* of the zone */
};

int extract_calendar_prepare(struct extract *x)
{
	(void)x;
	return EXTRACT_OK;
}

static bool is(struct str s, const char *name)
{
	return s.n == strlen(name) && !strncasecmp(s.p, name, s.n);
}

/* On one line, without control characters. */
static void put_text(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= ' ' && s.p[i] != 0x7f)
			buf_addc(b, s.p[i]);
		else if (s.p[i] == '\t')
			buf_addc(b, ' ');
}

/* Ends s at the separator that is not within quotes; returns what follows it. */
static struct str cut_outside(struct str *s, const char *separators, char *which)
{
	struct str rest = { s->p + s->n, 0 };
	bool quoted = false;

	*which = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (s->p[i] == '"')
			quoted = !quoted;
		if (quoted || !strchr(separators, s->p[i]) || !s->p[i])
			continue;
		*which = s->p[i];
		rest = (struct str){ s->p + i + 1, s->n - i - 1 };
		s->n = i;
		break;
	}
	return rest;
}

static struct str unquoted(struct str s)
{
	return s.n > 1 && s.p[0] == '"' && s.p[s.n - 1] == '"'
		? (struct str){ s.p + 1, s.n - 2 } : s;
}

static void begin(struct calendar_file *f, struct str what)
{
	f->depth++;
	f->event = f->depth == 2 && is(what, "VEVENT");
	f->zone = f->depth == 2 && is(what, "VTIMEZONE");
	if (f->zone) {
		buf_reset(&f->id);
		buf_reset(&f->location);
	}
	if (f->event && f->events++ < LIM_ICS_EVENTS)
		buf_adds(&f->x->out, "EVENT\n");
}

static void end(struct calendar_file *f, struct str what)
{
	if (f->depth == 2 && is(what, "VTIMEZONE"))
		buf_addf(&f->x->out, "ZONE\t%s\t%s\n", f->id.n ? f->id.p : "",
			 f->location.n ? f->location.p : "");
	if (f->depth)
		f->depth--;
	/* Behind an alarm the event goes on: END of depth 3 leads back to it. */
	f->event = f->depth == 2 && is(what, "VALARM");
	f->zone = f->depth == 2 && (is(what, "STANDARD") || is(what, "DAYLIGHT"));
}

/* NAME, the zone, and the value, as it is. */
static void property(struct calendar_file *f, struct str name, struct str zone,
		     struct str value)
{
	static const char *const known[] = {
		"UID", "SUMMARY", "DESCRIPTION", "LOCATION", "STATUS", "DTSTART", "DTEND",
		"DURATION", "RRULE", "EXDATE", "RDATE", "RECURRENCE-ID",
	};
	struct buf *out = &f->x->out;

	if (f->zone && is(name, "TZID"))
		put_text(&f->id, value);
	if (f->zone && is(name, "X-LIC-LOCATION"))
		put_text(&f->location, value);
	if (!f->event || f->events > LIM_ICS_EVENTS)
		return;
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (!is(name, known[i]))
			continue;
		buf_addf(out, "%s\t", known[i]);
		put_text(out, zone);
		buf_addc(out, '\t');
		put_text(out, value);
		buf_addc(out, '\n');
	}
}

static void read_line(struct calendar_file *f)
{
	struct str head = buf_str(&f->line), value, zone = { "", 0 };
	char which;

	value = cut_outside(&head, ":", &which);
	if (which != ':')
		return;
	for (struct str param = cut_outside(&head, ";", &which); which; ) {
		struct str next = cut_outside(&param, ";", &which), text;
		char equal;

		text = cut_outside(&param, "=", &equal);
		if (is(param, "TZID"))
			zone = unquoted(text);
		param = next;
	}
	if (is(head, "BEGIN") && f->depth < DEPTH)
		begin(f, str_trim(value));
	else if (is(head, "END"))
		end(f, str_trim(value));
	else
		property(f, head, zone, value);
}

int extract_calendar_read(struct extract *x)
{
	struct calendar_file f = {
		.x = x, .line = BUF_INIT(LINE_BYTES), .id = BUF_INIT(LINE_BYTES),
		.location = BUF_INIT(LINE_BYTES),
	};
	struct str rest = buf_str(&x->input);
	bool any = false;

	if (str_starts(rest, STR("\xef\xbb\xbf")))
		rest = (struct str){ rest.p + 3, rest.n - 3 };
	while (rest.n) {
		struct str line = str_cut(&rest, '\n');

		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		if (!any && !str_trim(line).n)
			continue;
		if (!any && !is(str_trim(line), "BEGIN:VCALENDAR"))
			break;
		any = true;
		buf_addstr(&f.line, line);
		/* A line that begins with a blank continues this one. */
		while (rest.n && (rest.p[0] == ' ' || rest.p[0] == '\t')) {
			line = str_cut(&rest, '\n');
			if (line.n && line.p[line.n - 1] == '\r')
				line.n--;
			buf_add(&f.line, line.p + 1, line.n ? line.n - 1 : 0);
		}
		if (buf_ok(&f.line))
			read_line(&f);
		buf_reset(&f.line);
	}
	if (f.events > LIM_ICS_EVENTS)
		buf_adds(&x->out, "MORE\n");
	buf_release(&f.line);
	buf_release(&f.id);
	buf_release(&f.location);
	return any ? EXTRACT_OK : EXTRACT_UNREADABLE;
}
