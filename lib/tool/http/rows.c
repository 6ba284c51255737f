/* SPDX-License-Identifier: MIT */
/* What there is in lib/tool/http. */
#include "tool/core/family.h"
#include "tool/http/http_tool.h"

#include "base/banned.h"

static const struct tool_kind *const kinds[] = { &kind_http, &kind_openapi };

const struct tool_family tool_family_http = {
	.kinds = kinds, .n_kinds = ARRAY_LEN(kinds),
};
