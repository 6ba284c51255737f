/* SPDX-License-Identifier: MIT */
/* What there is in lib/tool/agent. */
#include "tool/agent/agent.h"
#include "tool/core/family.h"
#include "tool/schemas.h"

#include "base/banned.h"

static const struct tool tools[] = {
	{
		.name = "plan",
		.description =
			"Carries out work of several steps as a plan: the steps are "
			"planned, run in parallel where they can, have tools of their "
			"own, and hand their results on by name. Use it when a wish "
			"takes five or more steps; do less yourself. Returns the "
			"result of each step.",
		.title = "Plan",
		.group = "planning",
		.schema = SCHEMA_plan,
		.effect = TOOL_WRITE,
		.confirm = TOOL_CONFIRM_TAINTED,
		.remember = TOOL_REMEMBER_NO,
		.editable = true,
		.resumes = true,
		.listed_only = true,
		.timeout_ms = 3600000,
		.advertise = ready_plan_advertise,
		.run = ready_plan_run,
	},
};

static const struct tool_kind *const kinds[] = { &kind_agent, &kind_image_text };

const struct tool_family tool_family_agent = {
	.tools = tools, .n_tools = ARRAY_LEN(tools),
	.kinds = kinds, .n_kinds = ARRAY_LEN(kinds),
	.add = ready_add, .makes = ready_makes, .has_group = ready_has_group,
	.name_at = ready_name_at,
};
