/* SPDX-License-Identifier: MIT */
/* What there is in lib/tool/text. */
#include "tool/core/family.h"
#include "tool/schemas.h"
#include "tool/text/given.h"

#include "base/banned.h"

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
		.schema = SCHEMA_analyse_log,
		.effect = TOOL_READ,
		.untrusted = true,
		.timeout_ms = 10000,
		.listed_only = true,
		.run = analyse_log_run,
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
		.schema = SCHEMA_find_pii,
		.effect = TOOL_READ,
		.untrusted = true,
		.timeout_ms = 10000,
		.listed_only = true,
		.run = find_pii_run,
	},
};

const struct tool_family tool_family_text = {
	.tools = tools, .n_tools = ARRAY_LEN(tools),
};
