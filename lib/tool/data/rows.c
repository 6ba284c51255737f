/* SPDX-License-Identifier: MIT */
/* What there is in lib/tool/data. */
#include "tool/core/builtin.h"
#include "tool/core/family.h"
#include "tool/data/dataset.h"
#include "tool/schemas.h"

#include "base/banned.h"

static const struct tool tools[] = {
	{
		.name = "describe_dataset",
		.description = "Describes one dataset that query_data can read: "
			"its columns with types, meaning and known values, and "
			"a few rows of it as a sample.",
		.group = "data",
		.schema = SCHEMA_describe_dataset,
		.effect = TOOL_READ,
		.untrusted = true,
		.timeout_ms = 5000,
		.advertise = dataset_any,
		.run = describe_dataset_run,
	},
	{
		.name = "list_datasets",
		.description = "Lists the datasets that query_data can read, "
			"with their columns, types and known values.",
		.group = "data",
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
		.group = "data knowledge",
		.schema = SCHEMA_query_data,
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
		.schema = SCHEMA_read_result,
		.effect = TOOL_READ,
		.untrusted = true,
		.reads_kept = true,
		.timeout_ms = 5000,
		.advertise = read_result_any,
		.run = read_result_run,
	},
};

static int check_dataset(const struct conf *conf, const struct workspace *w,
			 struct err *e)
{
	for (size_t i = 0; i < w->n_datasets; i++)
		if (dataset_check(conf, &w->datasets[i], e) < 0)
			return -1;
	return 0;
}

const struct tool_family tool_family_data = {
	.tools = tools, .n_tools = ARRAY_LEN(tools),
	.check = check_dataset,
};
