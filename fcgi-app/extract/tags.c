/* SPDX-License-Identifier: MIT */
/* See tags.h. */
#include "extract/tags.h"

#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/util.h"

#include "base/banned.h"

/* What is left of the text. */
struct rest {
	const char *p, *end;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
		(c & 0x80);
}

/* Elements whose content has no tags. */
static bool is_raw(struct str name)
{
	static const char *const names[] = { "script", "style" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strlen(names[i]) == name.n &&
		    !strncasecmp(names[i], name.p, name.n))
			return true;
	return false;
}

static bool begins(const struct rest *r, struct str with)
{
	return (size_t)(r->end - r->p) >= with.n && !memcmp(r->p, with.p, with.n);
}

static void skip_blanks(struct rest *r)
{
	while (r->p < r->end && is_blank(*r->p))
		r->p++;
}

/* Behind the next `what`, or to the end. */
static void skip_past(struct rest *r, struct str what)
{
	const char *at = memmem(r->p, (size_t)(r->end - r->p), what.p, what.n);

	r->p = at ? at + what.n : r->end;
}

/* To a blank or the end of the tag, or also to =. */
static void skip_word(struct rest *r, bool name)
{
	while (r->p < r->end && !is_blank(*r->p) && *r->p != '>' &&
	       !(name && (*r->p == '=' || *r->p == '/')))
		r->p++;
}

static void skip_value(struct rest *r)
{
	skip_blanks(r);
	if (r->p < r->end && (*r->p == '"' || *r->p == '\'')) {
		const char quote[] = { *r->p++, '\0' };

		skip_past(r, str_of(quote));
	} else {
		skip_word(r, false);
	}
}

static void skip_attribute(struct rest *r)
{
	if (!is_letter(*r->p)) {	/* to the parser of HTML, it is none */
		skip_word(r, false);
		return;
	}
	skip_word(r, true);
	skip_blanks(r);
	if (r->p < r->end && *r->p == '=') {
		r->p++;
		skip_value(r);
	}
}

/* r is behind the < of a tag. */
static bool is_small(struct rest *r, bool html)
{
	struct str name = { r->p, 0 };
	int n = 0;

	skip_word(r, true);
	name.n = (size_t)(r->p - name.p);
	for (;;) {
		while (r->p < r->end && (is_blank(*r->p) || *r->p == '/'))
			r->p++;
		if (r->p == r->end || *r->p == '>')
			break;
		if (++n > LIM_EXTRACT_ATTRIBUTES)
			return false;
		skip_attribute(r);
	}
	if (html && is_raw(name))
		skip_past(r, STR("</"));
	return true;
}

bool tags_are_small(struct str s, bool html)
{
	struct rest r = { s.p, s.p + s.n };

	for (;;) {
		skip_past(&r, STR("<"));
		if (r.p == r.end)
			return true;
		if (begins(&r, STR("!--")))
			skip_past(&r, STR("-->"));
		else if (begins(&r, STR("![CDATA[")))
			skip_past(&r, STR("]]>"));
		else if (is_letter(*r.p) && !is_small(&r, html))
			return false;
	}
}
