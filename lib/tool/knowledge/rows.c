/* What there is in lib/tool/knowledge. */
#include "tool/core/family.h"
#include "tool/knowledge/knowledge.h"
#include "tool/schemas.h"

#include "base/banned.h"

static const struct tool tools[] = {
	{
		.name = "search_knowledge",
		.description =
			"Searches the knowledge bases: documents of this "
			"organisation. Returns numbered passages with their "
			"title, heading and page, the best first. Ask it "
			"before you answer a question about the organisation, "
			"and cite each passage that you use by its number, "
			"as [1]. If nothing fits, say so.",
		.group = "knowledge",
		.schema = SCHEMA_search_knowledge,
		.effect = TOOL_READ,
		.untrusted = true,
		.timeout_ms = 10000,
		.listed_only = true,
		.advertise = knowledge_search_may,
		.run = knowledge_search_run,
	},
};

const struct tool_family tool_family_knowledge = {
	.tools = tools, .n_tools = ARRAY_LEN(tools),
};
