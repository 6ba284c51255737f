#include "llm/toolname.h"

#include <stdio.h>

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

struct str toolname_back(struct str wire, const struct llm_tool *tools,
			 size_t n_tools)
{
	char out[TOOLNAME_BYTES];

	for (size_t i = 0; i < n_tools; i++)
		if (str_eq(toolname_wire(str_of(tools[i].name), out), wire))
			return str_of(tools[i].name);
	return wire;
}
