/* SPDX-License-Identifier: MIT */
/* What there is in lib/tool/mcp. */
#include "tool/core/family.h"
#include "tool/mcp/mcp.h"

#include "base/banned.h"

const struct tool_family tool_family_mcp = {
	.add = mcp_rows, .makes = mcp_makes, .has_group = mcp_group,
};
