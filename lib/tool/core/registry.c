/*
 * The table of built-in tools, and what a turn is offered of them and of the
 * declared ones (kind.c): agent's list ∩ the tool's groups ∩ caller's
 * permissions ∩ what the tool itself says (advertise). Another built-in tool
 * is another row here and a file of its own (docs/add-a-tool.md).
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "auth/policy.h"
#include "base/limits.h"
#include "base/log.h"
#include "tool/core/builtin.h"
#include "tool/data/dataset.h"
#include "tool/core/given.h"
#include "tool/core/kind.h"
#include "tool/mcp/mcp.h"
#include "tool/core/text.h"

#include "base/banned.h"

/* For agents that say which tools they have: not every one is to ask. */
static bool is_chosen(const struct tool *t, const struct tool_ctx *ctx)
{
	(void)t;
	return ctx->agent && ctx->agent->tools.n > 0;
}

/* Sorted by name: the order in which the model sees them (E12). */
static const struct tool tools[] = {
	{
		.name = "analyse_log",
		.description =
			"Tells what a log is about: lines by severity and HTTP "
			"status, the time they span, and the lines that differ "
			"only in numbers and names as patterns with counts, "
			"the severe ones first. Use it instead of reading a "
			"long log.",
		.group = "text",
		.schema = "{\"type\":\"object\",\"properties\":{"
			GIVEN_PROPERTIES "},\"additionalProperties\":false}",
		.effect = TOOL_READ,
		.untrusted = true,
		.timeout_ms = 10000,
		.advertise = given_chosen,
		.run = analyse_log_run,
	},
	{
		.name = "ask_user",
		.description =
			"Asks the user one question with two to six options "
			"and waits for the answer. Use it when the request "
			"can be read in ways that lead to different work and "
			"nothing here tells which is meant. Do not use it to "
			"have a call confirmed: that is asked by the system "
			"itself, where it must be.",
		.group = "dialog",
		.schema = "{\"type\":\"object\",\"properties\":{"
			"\"question\":{\"type\":\"string\",\"minLength\":1,"
			"\"maxLength\":1000},"
			"\"options\":{\"type\":\"array\",\"minItems\":2,"
			"\"maxItems\":6,\"items\":{\"type\":\"string\","
			"\"minLength\":1,\"maxLength\":200}},"
			"\"allow_other\":{\"type\":\"boolean\",\"description\":"
			"\"Whether the user may answer in own words; default "
			"true\"}},\"required\":[\"question\",\"options\"],"
			"\"additionalProperties\":false}",
		.effect = TOOL_READ,
		.visibility = TOOL_USER,
		.advertise = is_chosen,
	},
	{
		.name = "describe_dataset",
		.description = "Describes one dataset that query_data can read: "
			"its columns with types, meaning and known values, and "
			"a few rows of it as a sample.",
		.group = "data",
		.schema = "{\"type\":\"object\",\"properties\":{\"dataset\":"
			"{\"type\":\"string\",\"description\":\"Its name\"}},"
			"\"required\":[\"dataset\"],"
			"\"additionalProperties\":false}",
		.effect = TOOL_READ,
		.untrusted = true,
		.timeout_ms = 5000,
		.advertise = dataset_any,
		.run = describe_dataset_run,
	},
	{
		.name = "find_pii",
		.description =
			"Finds personal data and secrets in a text by their "
			"form: e-mail addresses, phone numbers, IBANs, card "
			"and social security numbers, IP addresses, keys and "
			"passwords. Says where they are, with masked values. "
			"It does not find names.",
		.group = "text",
		.schema = "{\"type\":\"object\",\"properties\":{"
			GIVEN_PROPERTIES ",\"kinds\":{\"type\":\"array\","
			"\"items\":{\"enum\":[\"email\",\"phone\",\"iban\","
			"\"card\",\"ssn\",\"ip\",\"key\",\"password\"]},"
			"\"description\":\"Only these; absent: all\"}},"
			"\"additionalProperties\":false}",
		.effect = TOOL_READ,
		.untrusted = true,
		.timeout_ms = 10000,
		.advertise = given_chosen,
		.run = find_pii_run,
	},
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
		.dry_run = query_data_dry_run,
	},
	{
		.name = "read_result",
		.description =
			"Reads a result that was too long and of which the "
			"middle was left out: a part of it from offset on, or "
			"with search the places where some words stand. The "
			"text that was cut says the result's id.",
		.group = "data",
		.schema = "{\"type\":\"object\",\"properties\":{"
			"\"result\":{\"type\":\"string\",\"description\":"
			"\"Id of the result\"},"
			"\"offset\":{\"type\":\"integer\",\"minimum\":0,"
			"\"description\":\"Where to start, in bytes\"},"
			"\"limit\":{\"type\":\"integer\",\"minimum\":100,"
			"\"maximum\":1000000,\"description\":\"Bytes at most\"},"
			"\"search\":{\"type\":\"string\",\"minLength\":1,"
			"\"maxLength\":200,\"description\":\"Words to look for "
			"instead of reading on\"}},"
			"\"required\":[\"result\"],"
			"\"additionalProperties\":false}",
		.effect = TOOL_READ,
		.untrusted = true,
		.timeout_ms = 5000,
		.advertise = read_result_any,
		.run = read_result_run,
	},
	{
		.name = "suggest_action",
		.description =
			"Shows the user a link beside the answer. It does "
			"nothing by itself: the user follows it or not. "
			"Suggest what the user would do next, at most two.",
		.group = "dialog",
		.schema = "{\"type\":\"object\",\"properties\":{}}",
		.effect = TOOL_READ,
		.suggests = true,
		.timeout_ms = 1000,
		.advertise = suggest_any,
		.describe = suggest_describe,
		.run = suggest_run,
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
	size_t cap = configured > 0 ? (size_t)configured : LIM_TOOL_RESULT_BYTES;

	if (t->result_cap_bytes > 0)
		cap = MIN(cap, (size_t)t->result_cap_bytes);
	return MAX(cap, 1024);
}

/*
 * Agents name tools, or all of a group. read_result comes along with any: it
 * has nothing but what the others said.
 */
static bool chosen(const struct conf_list *l, const struct tool *t)
{
	if (l->n == 0 || conf_list_has(l, str_of(t->name)))
		return true;
	if (t->run == read_result_run)
		return !conf_list_has(l, STR("none"));
	for (size_t i = 0; t->group && t->group[0] && i < l->n; i++)
		if (strncmp(l->v[i], "group:", 6) == 0 &&
		    strcmp(l->v[i] + 6, t->group) == 0)
			return true;
	return false;
}

/* Within an agent nobody can be asked anything, and there is no page. */
static bool within_agents(const struct tool *t, const struct tool_ctx *ctx)
{
	static const struct origins anybody = { .n = 1 };
	struct tool_ctx strict = *ctx;

	strict.taint = &anybody;
	strict.n_allowed = 0;
	return t->visibility == TOOL_SERVER && !t->suggests &&
	       !tool_asks(t, &strict, NULL);
}

bool tool_allowed(const struct tool *t, const struct tool_ctx *ctx)
{
	if (ctx->agent && !chosen(&ctx->agent->tools, t))
		return false;
	if (t->groups && !policy_in_groups(ctx->who, t->groups))
		return false;
	if (ctx->depth && !within_agents(t, ctx))
		return false;
	if (!policy_may_use_tool(ctx->who, t->name))
		return false;
	return !t->advertise || t->advertise(t, ctx);
}

static void builtin_rows(struct tool_rows *rows)
{
	pthread_once(&schemas_once, schemas_parse);
	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		struct tool t = tools[i];

		t.source = "built-in";
		t.parameters = schemas[i];
		t.parameters_bytes = strlen(t.schema);
		tool_rows_add(rows, &t);
	}
}

/* Built-in ones before others of the same name. */
static int by_name(const void *a, const void *b)
{
	const struct tool *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	return rc ? rc : (x->kind != NULL) - (y->kind != NULL);
}

/* Every tool there is for this turn, by name, each name once. */
static void all_rows(const struct tool_ctx *ctx, struct tool_rows *rows)
{
	size_t n = 0;

	builtin_rows(rows);
	tool_kind_rows(ctx, rows);
	mcp_rows(ctx, rows);
	for (size_t i = 0; i < ctx->n_more; i++)
		tool_rows_add(rows, &ctx->more[i]);
	qsort(rows->v, rows->n, sizeof(*rows->v), by_name);
	for (size_t i = 0; i < rows->n; i++) {
		if (n && strcmp(rows->v[i].name, rows->v[n - 1].name) == 0)
			log_warn("two tools of one name, the second is left "
				 "out", "tool", rows->v[i].name);
		else
			rows->v[n++] = rows->v[i];
	}
	rows->n = n;
}

int tool_set_build(const struct tool_ctx *ctx, struct tool_set *out,
		   struct err *e)
{
	struct tool_rows rows = { .arena = ctx->arena };
	struct tool_offer *v;

	(void)e;
	all_rows(ctx, &rows);
	v = arena_zalloc(ctx->arena, rows.n, sizeof(*v));
	*out = (struct tool_set){ .v = v };
	for (size_t i = 0; i < rows.n; i++) {
		const struct tool *t = &rows.v[i];
		struct tool_offer *o = &v[out->n];
		struct err local = ERR_INIT;

		if (!tool_allowed(t, ctx))
			continue;
		*o = (struct tool_offer){
			t, t->description, t->parameters, t->parameters_bytes,
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

/* -- what an admin wrote ---------------------------------------------------- */

static bool is_builtin(struct str name, bool group)
{
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		if (str_is(name, group ? tools[i].group : tools[i].name))
			return true;
	return false;
}

static bool is_choice(const struct conf *conf, const struct conf_workspace *w,
		      struct str s)
{
	struct str group;

	/* `tools: none` is an agent without tools */
	if (str_is(s, "none"))
		return true;
	if (!str_starts(s, STR("group:")))
		return is_builtin(s, false) || tool_kind_makes(conf, w, s) ||
		       mcp_makes(conf, s);
	group = (struct str){ s.p + 6, s.n - 6 };
	return is_builtin(group, true) || tool_kind_group(conf, w, group) ||
	       mcp_group(conf, group);
}

/* The names that could have been meant, and how many. */
static size_t known_names(const struct conf *conf,
			  const struct conf_workspace *w, struct arena *a,
			  const char ***out)
{
	size_t n = 0;

	*out = arena_alloc(a, (ARRAY_LEN(tools) + conf->n_tools + w->n_tools) *
			      sizeof(**out));
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		(*out)[n++] = tools[i].name;
	for (size_t i = 0; i < conf->n_tools; i++)
		(*out)[n++] = conf->tools[i].name;
	for (size_t i = 0; i < w->n_tools; i++)
		(*out)[n++] = w->tools[i].name;
	return n;
}

static int check_agent(const struct conf *conf, const struct conf_workspace *w,
		       size_t agent, struct err *e)
{
	const struct conf_agent *a = &w->agents[agent];
	struct buf hint = BUF_INIT(4096);
	struct arena arena = ARENA_INIT;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < a->tools.n; i++) {
		struct str s = str_of(a->tools.v[i]);
		const char **names;
		size_t n;

		if (is_choice(conf, w, s))
			continue;
		n = known_names(conf, w, &arena, &names);
		text_names(&hint, "Tools", s, names, n);
		rc = err_public(e, ERR_CONFIG, "%s:%d: agent %.60s: there is "
				"no tool %.70s. %.100s", w->file,
				conf_line(w->file, arena_printf(&arena,
					"agents[%zu].tools[%zu]", agent, i)),
				a->id, s.p, hint.p);
	}
	buf_release(&hint);
	arena_release(&arena);
	return rc;
}

int tool_check_conf(const struct conf *conf, struct err *e)
{
	if (tool_kind_check(conf, e) < 0)
		return -1;
	for (size_t i = 0; i < conf->n_workspaces; i++) {
		const struct conf_workspace *w = &conf->workspaces[i];

		for (size_t k = 0; k < w->n_agents; k++)
			if (check_agent(conf, w, k, e) < 0)
				return -1;
		for (size_t k = 0; k < w->n_datasets; k++)
			if (dataset_check(conf, &w->datasets[k], e) < 0)
				return -1;
	}
	return 0;
}

const char *tool_effect_name(int64_t effect)
{
	static const char *const names[] = {
		[TOOL_READ] = "read", [TOOL_WRITE] = "write",
		[TOOL_DESTRUCTIVE] = "destructive",
	};

	return effect >= 0 && effect < (int64_t)ARRAY_LEN(names)
		? names[effect] : "destructive";
}

void tool_print_list(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		buf_addf(out, "%-16s %-12s %-8s AI.Chat.UseTool.%s\n",
			 tools[i].name, tool_effect_name(tools[i].effect),
			 tools[i].group, tools[i].name);
}
