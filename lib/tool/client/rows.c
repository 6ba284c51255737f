/* SPDX-License-Identifier: MIT */
/* What there is in lib/tool/client. */
#include "tool/client/client.h"
#include "tool/core/family.h"
#include "tool/schemas.h"

#include "base/banned.h"

static const struct tool tools[] = {
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
		.schema = SCHEMA_ask_user,
		.effect = TOOL_READ,
		.visibility = TOOL_USER,
	},
	{
		.name = "suggest_action",
		.description =
			"Shows the user a link beside the answer. It does "
			"nothing by itself: the user follows it or not. "
			"Suggest what the user would do next, at most two.",
		.group = "dialog",
		.schema = SCHEMA_suggest_action,
		.effect = TOOL_READ,
		.suggests = true,
		.timeout_ms = 1000,
		.advertise = suggest_any,
		.describe = suggest_describe,
		.run = suggest_run,
	},
};

static const struct tool_kind *const kinds[] = { &kind_client };

const struct tool_family tool_family_client = {
	.tools = tools, .n_tools = ARRAY_LEN(tools),
	.kinds = kinds, .n_kinds = ARRAY_LEN(kinds),
};
