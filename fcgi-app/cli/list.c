/* list: the tables that are compiled in. */
#include <string.h>

#include "auth/policy.h"
#include "cli.h"
#include "job/work.h"
#include "llm/llm.h"
#include "route.h"
#include "store/store.h"
#include "tool/core/tool.h"

#include "base/banned.h"

static void print_options(struct buf *out)
{
	conf_print_options(out, CONF_DOC_TEXT);
}

static void print_errors(struct buf *out)
{
	for (int i = ERR_NONE + 1; i < ERR__MAX; i++)
		buf_addf(out, "%s\t%d\t%s%s\n", err_rows[i].code,
			 err_rows[i].http_status, err_rows[i].message,
			 err_rows[i].retryable ? "\tretry" : "");
}

static const struct {
	const char *name;
	void (*print)(struct buf *out);
} lists[] = {
	{ "routes", route_print },
	{ "options", print_options },
	{ "errors", print_errors },
	{ "tools", tool_print_list },
	{ "permissions", policy_print },
	{ "providers", llm_print_providers },
	{ "quirks", llm_print_quirks },
	{ "statements", store_print_statements },
	{ "jobs", job_print_kinds },
};

int cli_list(struct cli *cli, int argc, char **argv)
{
	struct buf out = BUF_INIT(CLI_OUT_BYTES);

	if (argc == 3 && !strcmp(argv[1], "options")) {
		if (!strcmp(argv[2], "--markdown"))
			conf_print_options(&out, CONF_DOC_MARKDOWN);
		else if (!strcmp(argv[2], "--man"))
			conf_print_options(&out, CONF_DOC_MAN);
		else
			return cli_usage(cli, "--markdown or --man");
		return cli_print(&out);
	}
	if (argc != 2)
		return cli_usage(cli, "say which one");
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		if (!strcmp(argv[1], lists[i].name)) {
			lists[i].print(&out);
			return cli_print(&out);
		}
	return cli_usage(cli, "there is no list \"%s\"", argv[1]);
}
