/*
 * The table of built-in tools, and which of them a turn is offered: agent's
 * list ∩ caller's permissions ∩ what the tool itself says (advertise). Another
 * tool is another row here and a file of its own (docs/add-a-tool.md).
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "auth/policy.h"
#include "base/limits.h"
#include "base/log.h"
#include "tool/builtin.h"
#include "tool/dataset.h"
#include "tool/text.h"

#include "base/banned.h"

/* Sorted by name: the order in which the model sees them (E12). */
static const struct tool tools[] = {
	{
		.name = "list_datasets",
		.description = "Lists the datasets that query_data can read, "
			"with their columns, types and known values.",
		.group = "data",
		.schema = "{\"type\":\"object\",\"properties\":{}}",
		.effect = TOOL_READ,
		.timeout_ms = 5000,
		.advertise = dataset_any,
		.run = list_datasets_run,
	},
	{
		.name = "query_data",
		.description =
			"Reads rows from a dataset with a structured query. "
			"To count, sum or compare, use aggregates (with "
			"group_by) instead of reading rows: \"how many\" is "
			"{\"aggregates\":[{\"fn\":\"count\"}]}. Filters are "
			"ANDed. On datetime columns a bare date means the "
			"whole day. The result says truncated:true when there "
			"are more rows than it has, and totalCount tells how "
			"many. Only rows that the user may see are returned.",
		.group = "data",
		.schema = "{\"type\":\"object\",\"properties\":{}}",
		.effect = TOOL_READ,
		.untrusted = true,
		.timeout_ms = 60000,	/* each dataset has its own, less */
		.advertise = dataset_any,
		.describe = query_data_describe,
		.run = query_data_run,
	},
};

/* Schemas of the rows that do not describe themselves; parsed once. */
static json_t *schemas[ARRAY_LEN(tools)];
static pthread_once_t schemas_once = PTHREAD_ONCE_INIT;

static void schemas_parse(void)
{
	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		struct err e = ERR_INIT;

		schemas[i] = jx_load(str_of(tools[i].schema), &e);
		if (!schemas[i])
			BUG(tools[i].name);
	}
}

size_t tool_builtin(const struct tool **out)
{
	*out = tools;
	return ARRAY_LEN(tools);
}

size_t tool_result_cap(const struct tool *t, const struct tool_ctx *ctx)
{
	int configured = ctx->conf->limits.tool_result_bytes;
	size_t cap = configured > 0 ? (size_t)configured : LIM_TOOL_RESULT;

	if (t->result_cap_bytes > 0)
		cap = MIN(cap, (size_t)t->result_cap_bytes);
	return MAX(cap, 1024);
}

bool tool_allowed(const struct tool *t, const struct tool_ctx *ctx)
{
	if (ctx->agent && ctx->agent->tools.n &&
	    !conf_list_has(&ctx->agent->tools, str_of(t->name)))
		return false;
	if (!policy_may_use_tool(ctx->who, t->name))
		return false;
	return !t->advertise || t->advertise(t, ctx);
}

int tool_set_build(const struct tool_ctx *ctx, struct tool_set *out,
		   struct err *e)
{
	struct tool_offer *v = arena_zalloc(ctx->arena, ARRAY_LEN(tools),
					    sizeof(*v));

	(void)e;
	pthread_once(&schemas_once, schemas_parse);
	*out = (struct tool_set){ .v = v };
	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		const struct tool *t = &tools[i];
		struct tool_offer *o = &v[out->n];
		struct err local = ERR_INIT;

		if (!tool_allowed(t, ctx))
			continue;
		*o = (struct tool_offer){
			t, t->description, schemas[i], strlen(t->schema),
			t->timeout_ms,
		};
		if (t->describe && t->describe(t, ctx, o, &local) < 0) {
			log_err("tool left out of this turn", &local);
			continue;
		}
		out->n++;
	}
	return 0;
}

const struct tool_offer *tool_set_find(const struct tool_set *set,
				       struct str name)
{
	for (size_t i = 0; i < set->n; i++)
		if (str_is(name, set->v[i].tool->name))
			return &set->v[i];
	return NULL;
}

static bool is_tool(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		if (strcmp(tools[i].name, name) == 0)
			return true;
	return false;
}

static int check_agent(const struct conf_workspace *w,
		       const struct conf_agent *a, struct err *e)
{
	const char *names[ARRAY_LEN(tools)];
	struct buf hint = BUF_INIT(4096);
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		names[i] = tools[i].name;
	for (size_t i = 0; rc == 0 && i < a->tools.n; i++) {
		/* `tools: none` is an agent without tools */
		if (is_tool(a->tools.v[i]) || !strcmp(a->tools.v[i], "none"))
			continue;
		text_names(&hint, "Tools", str_of(a->tools.v[i]), names,
			   ARRAY_LEN(names));
		rc = err_public(e, ERR_CONFIG, "%s: agent %.60s: there is no "
				"tool %.64s. %.100s", w->file ? w->file : w->id,
				a->id, a->tools.v[i], hint.p);
	}
	buf_release(&hint);
	return rc;
}

int tool_check_conf(const struct conf *conf, struct err *e)
{
	for (size_t i = 0; i < conf->n_workspaces; i++) {
		const struct conf_workspace *w = &conf->workspaces[i];

		for (size_t k = 0; k < w->n_agents; k++)
			if (check_agent(w, &w->agents[k], e) < 0)
				return -1;
		for (size_t k = 0; k < w->n_datasets; k++)
			if (dataset_check(conf, &w->datasets[k], e) < 0)
				return -1;
	}
	return 0;
}

void tool_print_list(struct buf *out)
{
	static const char *const effects[] = { "read", "write", "destructive" };

	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		buf_addf(out, "%-16s %-12s %-8s AI.Chat.UseTool.%s\n",
			 tools[i].name, effects[tools[i].effect],
			 tools[i].group, tools[i].name);
}
