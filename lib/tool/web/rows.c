/* SPDX-License-Identifier: MIT */
/* What there is in lib/tool/web. */
#include "tool/core/family.h"
#include "tool/web/web.h"

#include "base/banned.h"

static const struct tool_kind *const kinds[] = {
	&kind_web_search, &kind_web_visit,
};

const struct tool_family tool_family_web = {
	.kinds = kinds, .n_kinds = ARRAY_LEN(kinds),
};
