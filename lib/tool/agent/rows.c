/* SPDX-License-Identifier: MIT */
/* What there is in lib/tool/agent. */
#include "tool/agent/agent.h"
#include "tool/core/family.h"

#include "base/banned.h"

static const struct tool_kind *const kinds[] = { &kind_agent, &kind_image_text };

const struct tool_family tool_family_agent = {
	.kinds = kinds, .n_kinds = ARRAY_LEN(kinds),
	.add = ready_add, .makes = ready_makes, .has_group = ready_has_group,
	.name_at = ready_name_at,
};
