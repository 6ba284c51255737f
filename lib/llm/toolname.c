/* SPDX-License-Identifier: MIT */
#include "llm/toolname.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/banned.h"

static bool fits(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		(c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* FNV-1a; names come from the admin, collisions are not attacks. */
static uint32_t hash(struct str s)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 16777619u;
	return h;
}

struct str toolname_wire(struct str name, char *out)
{
	size_t n = MIN(name.n, (size_t)TOOLNAME_BYTES - 1);
	bool ok = name.n && name.n < TOOLNAME_BYTES;

	for (size_t i = 0; i < n; i++) {
		ok &= fits(name.p[i]);
		out[i] = fits(name.p[i]) ? name.p[i] : '_';
	}
	if (!ok) {
		n = MIN(n, (size_t)TOOLNAME_BYTES - 10);
		snprintf(out + n, 10, "_%08x", hash(name));
		n += 9;
	}
	out[n] = '\0';
	return (struct str){ out, n };
}

/* What templates keep of a name: its last part with a letter, up to a control token. */
static struct str last_part(struct str s)
{
	const char *token = s.n ? memmem(s.p, s.n, "<|", 2) : NULL;
	size_t at, end;
	bool letter = false;

	if (token)
		s.n = (size_t)(token - s.p);
	for (at = end = s.n; at && !letter;) {
		for (end = at; at && (fits(s.p[at - 1]) || s.p[at - 1] == ' '); at--)
			letter |= isalpha((unsigned char)s.p[at - 1]) != 0;
		at -= !letter && at;
	}
	return (struct str){ s.p + at, end - at };
}

/* Equal but for case and for everything that is not a letter or digit. */
static bool alike(struct str a, struct str b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < a.n && !isalnum((unsigned char)a.p[i]))
			i++;
		while (k < b.n && !isalnum((unsigned char)b.p[k]))
			k++;
		if (i == a.n || k == b.n)
			return i == a.n && k == b.n;
		if (tolower((unsigned char)a.p[i++]) !=
		    tolower((unsigned char)b.p[k++]))
			return false;
	}
}

/*
 * The recipient in a header of gpt-oss: "… to=functions.NAME<|constrain|>json"; empty if s
 * names none, or two. Behind <|message|> is text.
 */
static struct str recipient(struct str s)
{
	const struct str none = { s.p, 0 }, functions = STR("functions.");
	const char *text = s.n ? memmem(s.p, s.n, "<|message|>", 11) : NULL;
	const char *to;
	size_t n = 0;

	if (text)
		s.n = (size_t)(text - s.p);
	to = s.n ? memmem(s.p, s.n, "to=", 3) : NULL;
	if (!to || (to != s.p && fits(to[-1])))
		return none;
	s = (struct str){ to + 3, (size_t)(s.p + s.n - to) - 3 };
	if (s.n && memmem(s.p, s.n, "to=", 3))
		return none;
	if (str_starts(s, functions))
		s = (struct str){ s.p + functions.n, s.n - functions.n };
	while (n < s.n && s.p[n] != ' ' && s.p[n] != '<')
		n++;
	return (struct str){ s.p, n };
}

struct str toolname_back(struct str wire, const struct llm_tool *tools,
			 size_t n_tools)
{
	struct str part = last_part(wire), to = recipient(wire), name, sent;
	const char *found = NULL;
	char out[TOOLNAME_BYTES];

	for (size_t i = 0; i < n_tools; i++)
		if (str_eq(toolname_wire(str_of(tools[i].name), out), wire))
			return str_of(tools[i].name);
	for (size_t i = 0; i < n_tools; i++) {
		name = str_of(tools[i].name);
		sent = toolname_wire(name, out);
		if (!alike(wire, name) && !alike(part, name) &&
		    !alike(part, sent) && !alike(part, last_part(name)) &&
		    (!to.n || (!alike(to, name) && !alike(to, sent))))
			continue;
		if (found)		/* it could be either */
			return wire;
		found = name.p;
	}
	return found ? str_of(found) : wire;
}
