/* SPDX-License-Identifier: MIT */
/*
 * The table of resources as text, without the handlers, so that the command can
 * print it without linking them.
 */
#include "route.h"

#include "auth/policy.h"

#include "base/banned.h"

struct listed {
	const char *root, *method, *pattern, *flags, *summary;
	int permission;
};

/* Our own routes are shown without their root, as in docs/openapi.yaml. */
#define ROOT_API    ""
#define ROOT_OPENAI "/openai/v1"
#define ROOT_PLAIN  "/plain"

static const struct listed listed[] = {
#define ROUTE_AT(mnt, m, pat, fn, fl, perm, qry, cap, text) \
	{ .root = ROOT_##mnt, .method = #m, .pattern = pat, .flags = #fl, .permission = PERM_##perm, \
	  .summary = text },
#include "routes.def"
#undef ROUTE_AT
};

/* "/turns/{turnId:uuid}" as "/turns/{turnId}". */
static void print_pattern(struct buf *out, const char *p)
{
	for (; *p; p++) {
		if (*p == ':')
			while (p[1] && p[1] != '}')
				p++;
		else
			buf_addc(out, *p);
	}
}

/* "AUTH | JSON" as "auth,json"; "0" as "-". */
static void print_flags(struct buf *out, const char *p)
{
	if (p[0] == '0')
		buf_addc(out, '-');
	else
		for (; *p; p++)
			if (*p == '|')
				buf_addc(out, ',');
			else if (*p != ' ')
				buf_addc(out, (char)(*p | 32));
}

void route_print(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(listed); i++) {
		const struct listed *l = &listed[i];

		buf_addf(out, "%-6s %s", l->method, l->root);
		print_pattern(out, l->pattern);
		buf_addc(out, ' ');
		print_flags(out, l->flags);
		buf_addf(out, " %s  %s\n", l->permission == PERM_NONE ? "-"
			 : permission_rows[l->permission].name, l->summary);
	}
}
