/* SPDX-License-Identifier: MIT */
/* Arguments of a server's tools that go into headers as well (MCP 8.2). */
#include "tool/mcp/mcp_peer.h"

#include <string.h>
#include <strings.h>

#include "base/banned.h"

enum {
	PARAM_DEPTH = 8,
	PARAMS = 24,		/* of one tool */
};

struct params {
	struct arena *a;
	struct mcp_tool *tool;
	const char *path[PARAM_DEPTH];
	const char *bad;
};

static bool is_token(const char *s)
{
	size_t n = strlen(s);

	return n > 0 && n <= 64 &&
		strspn(s, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
			  "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == n;
}

static bool is_plain_type(const json_t *schema)
{
	struct str type = jx_str(schema, "type");

	return str_is(type, "string") || str_is(type, "integer") ||
		str_is(type, "boolean");
}

static void add_param(struct params *p, const json_t *schema,
		      const json_t *name, size_t depth)
{
	struct mcp_tool *t = p->tool;
	struct mcp_param *v;
	const char **path;

	if (t->n_params == PARAMS) {
		p->bad = "it has too many x-mcp-header";
		return;
	}
	if (!json_is_string(name) || !is_token(json_string_value(name)) ||
	    depth == 0 || !is_plain_type(schema)) {
		p->bad = "its x-mcp-header is not valid";
		return;
	}
	v = arena_alloc(p->a, (t->n_params + 1) * sizeof(*v));
	path = arena_alloc(p->a, depth * sizeof(*path));
	memcpy(path, p->path, depth * sizeof(*path));
	if (t->n_params)
		memcpy(v, t->params, t->n_params * sizeof(*v));
	v[t->n_params] = (struct mcp_param){
		.header = arena_printf(p->a, "Mcp-Param-%s",
				       json_string_value(name)),
		.path = path, .depth = depth,
	};
	for (size_t i = 0; i < t->n_params; i++)
		if (!strcasecmp(v[i].header, v[t->n_params].header))
			p->bad = "it has the same x-mcp-header twice";
	t->params = v;
	t->n_params++;
}

/* chain: reached from the root by properties only. */
static void find_params(struct params *p, const json_t *j, size_t depth,
			bool chain)
{
	const json_t *name = json_object_get(j, "x-mcp-header");
	const char *key, *prop;
	json_t *sub, *child;
	size_t i;

	if (name && chain)
		add_param(p, j, name, depth);
	else if (name)
		p->bad = "its x-mcp-header is in the wrong place";
	json_object_foreach((json_t *)j, key, sub) {
		if (chain && depth < PARAM_DEPTH && !strcmp(key, "properties")) {
			json_object_foreach(sub, prop, child) {
				p->path[depth] = arena_strdup(p->a, prop);
				find_params(p, child, depth + 1, true);
			}
		} else {
			find_params(p, sub, depth, false);
		}
	}
	json_array_foreach((json_t *)j, i, sub)
		find_params(p, sub, depth, false);
}

const char *mcp_find_params(struct arena *a, const json_t *schema,
			    struct mcp_tool *t)
{
	struct params p = { .a = a, .tool = t };

	find_params(&p, schema, 0, true);
	return p.bad;
}
