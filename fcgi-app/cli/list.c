/* SPDX-License-Identifier: MIT */
/* list: the tables that are compiled in. */
#include <string.h>

#include "setting/setting.h"
#include "auth/policy.h"
#include "cli.h"
#include "dialect/dialect.h"
#include "job/work.h"
#include "metric/metric.h"
#include "llm/llm.h"
#include "prompt/origin.h"
#include "prompt/part.h"
#include "resource/resource.h"
#include "route.h"
#include "store/store.h"
#include "tool/core/tool.h"
#include "tool/mention/mention.h"

#include "base/banned.h"

static void print_options(struct buf *out)
{
	conf_print_options(out, CONF_DOC_TEXT);
}

static void print_options_markdown(struct buf *out)
{
	conf_print_options(out, CONF_DOC_MARKDOWN);
}

static void print_options_man(struct buf *out)
{
	conf_print_options(out, CONF_DOC_MAN);
}

static void print_errors(struct buf *out)
{
	for (int i = ERR_NONE + 1; i < ERR__MAX; i++)
		buf_addf(out, "%s\t%d\t%s%s\n", err_rows[i].code,
			 err_rows[i].http_status, err_rows[i].message,
			 err_rows[i].retryable ? "\tretry" : "");
}

/* The table of docs/api.md: a code that several errors share is listed once. */
static void print_errors_markdown(struct buf *out)
{
	buf_adds(out, "| status | code | message | retryable |\n"
		 "|---|---|---|---|\n");
	for (int i = ERR_NONE + 1; i < ERR__MAX; i++) {
		int first = i;

		for (int k = i - 1; k > ERR_NONE; k--)
			if (!strcmp(err_rows[k].code, err_rows[i].code))
				first = k;
		if (first == i)
			buf_addf(out, "| %d | `%s` | %s | %s |\n",
				 err_rows[i].http_status, err_rows[i].code,
				 err_rows[i].message,
				 err_rows[i].retryable ? "yes" : "");
	}
}

static const struct {
	const char *name;
	const char *form;	/* an option behind it; "": none */
	void (*print)(struct buf *out);
} lists[] = {
	{ "routes", "", route_print },
	{ "options", "", print_options },
	{ "options", "--markdown", print_options_markdown },
	{ "options", "--man", print_options_man },
	{ "errors", "", print_errors },
	{ "errors", "--markdown", print_errors_markdown },
	{ "tools", "", tool_print_list },
	{ "tools", "--appendix", tool_print_sums },
	{ "permissions", "", policy_print },
	{ "providers", "", llm_print_providers },
	{ "quirks", "", llm_print_quirks },
	{ "statements", "", store_print_statements },
	{ "jobs", "", job_print_kinds },
	{ "mentions", "", mention_print_list },
	{ "parts", "", part_print_list },
	{ "origins", "", origin_print_list },
	{ "metrics", "", metric_print_list },
	{ "metrics", "--markdown", metric_print_table },
	{ "resources", "", resource_print },
	{ "resources", "--sql", store_print_resources },
	{ "resources", "--paths", resource_print_paths },
	{ "resources", "--schemas", resource_print_schemas },
	{ "settings", "", setting_print },
	{ "settings", "--markdown", setting_print_table },
	{ "events", "", dialect_print_events },
	{ "events", "--markdown", dialect_print_table },
	{ "events", "--openapi", dialect_print_schemas },
};

/* list tools --context TYPE */
static int list_given(struct cli *cli, const char *type)
{
	struct buf out = BUF_INIT(CLI_OUT_BYTES);
	const int pool = tool_pool_of(str_of(type));

	if (pool < 0)
		return cli_usage(cli, "there is no context type \"%s\"", type);
	tool_print_given(&out, (enum tool_pool)pool);
	return cli_print(&out);
}

int cli_list(struct cli *cli, int argc, char **argv)
{
	struct buf out = BUF_INIT(CLI_OUT_BYTES);

	if (argc == 4 && !strcmp(argv[1], "tools") && !strcmp(argv[2], "--context"))
		return list_given(cli, argv[3]);
	if (argc < 2 || argc > 3)
		return cli_usage(cli, "name the list");
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		if (!strcmp(argv[1], lists[i].name) &&
		    !strcmp(argc == 3 ? argv[2] : "", lists[i].form)) {
			lists[i].print(&out);
			return cli_print(&out);
		}
	return argc == 3 ? cli_usage(cli, "list %s has no %s", argv[1], argv[2])
		: cli_usage(cli, "there is no list \"%s\"", argv[1]);
}
