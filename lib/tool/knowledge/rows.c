/* SPDX-License-Identifier: MIT */
/* What there is in lib/tool/knowledge. */
#include "tool/core/family.h"
#include "tool/knowledge/knowledge.h"
#include "tool/schemas.h"

#include "base/banned.h"

static const struct tool tools[] = {
	{
		.name = "get_document_metadata",
		.description =
			"Returns title, length and time of the last change of "
			"documents whose ids you have, without what they say. "
			"An id that is not in the result names no document.",
		.group = "knowledge",
		.schema = SCHEMA_get_document_metadata,
		.effect = TOOL_READ,
		.untrusted = true,
		.timeout_ms = 5000,
		.advertise = knowledge_may,
		.run = knowledge_metadata_run,
	},
	{
		.name = "list_knowledge_bases",
		.description =
			"Lists the knowledge bases that can be searched, with "
			"what is in them.",
		.group = "knowledge",
		.schema = SCHEMA_list_knowledge_bases,
		.effect = TOOL_READ,
		.untrusted = true,
		.timeout_ms = 5000,
		.advertise = knowledge_may,
		.run = knowledge_list_run,
	},
	{
		.name = "read_document",
		.description =
			"Reads a document of a knowledge base, or a file that "
			"is attached to this conversation: some pages, or from "
			"the beginning, part by part. A form feed in the text "
			"begins a page. Search first; read a whole document "
			"only if passages do not answer the question.",
		.group = "knowledge",
		.schema = SCHEMA_read_document,
		.effect = TOOL_READ,
		.untrusted = true,
		.timeout_ms = 10000,
		.advertise = knowledge_read_may,
		.run = knowledge_read_run,
	},
	{
		.name = "recall_facts",
		.description =
			"Finds what tools changed and what the user decided "
			"earlier in this conversation, with ids and numbers. "
			"Use it when the record of the conversation names "
			"something without its details.",
		.group = "memory",
		.schema = SCHEMA_recall_facts,
		.effect = TOOL_READ,
		.untrusted = true,
		.reads_kept = true,
		.timeout_ms = 5000,
		.advertise = knowledge_facts_may,
		.run = knowledge_facts_run,
	},
	{
		.name = "search",
		.description =
			"Searches all that the user may see: passages of the "
			"knowledge bases, records and datasets, and their "
			"earlier conversations, as one list, the best first. "
			"Use it when you do not know where to look.",
		.group = "knowledge",
		.schema = SCHEMA_search,
		.effect = TOOL_READ,
		.untrusted = true,
		.timeout_ms = 15000,
		.advertise = knowledge_all_may,
		.run = knowledge_all_run,
	},
	{
		.name = "search_conversations",
		.description =
			"Searches the user's earlier conversations, titles and "
			"messages. Use it when they refer to something that "
			"was said before and is not in this conversation.",
		.group = "knowledge",
		.schema = SCHEMA_search_conversations,
		.effect = TOOL_READ,
		.untrusted = true,
		.timeout_ms = 10000,
		.advertise = knowledge_chats_may,
		.run = knowledge_chats_run,
	},
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
		.advertise = knowledge_may,
		.run = knowledge_search_run,
	},
};

const struct tool_family tool_family_knowledge = {
	.tools = tools, .n_tools = ARRAY_LEN(tools),
};
