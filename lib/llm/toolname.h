/* SPDX-License-Identifier: MIT */
/*
 * Tool names on the wire (P-B14). Ours may have 1-128 of [A-Za-z0-9_.-] (as
 * MCP); OpenAI and Anthropic take [A-Za-z0-9_-]{1,64}. A name that fits is sent
 * as it is; any other is cut, cleaned, and ends in a hash of the whole name.
 */
#ifndef LLM_TOOLNAME_H
#define LLM_TOOLNAME_H

#include "llm/llm.h"

#define TOOLNAME_BYTES 65

/* The wire form of name in out (TOOLNAME_BYTES). Returns it. Deterministic. */
struct str toolname_wire(struct str name, char *out);

/*
 * The name among tools whose wire form is wire. Templates of some models change it:
 * another case, a prefix ("functions.", "default_api:", "<function="), a number behind
 * it (":0"), other marks, the header of gpt-oss around it; then the only tool with such
 * a name. wire itself if there is none. The table is needed because wire names cannot be
 * reversed.
 */
struct str toolname_back(struct str wire, const struct llm_tool *tools,
			 size_t n_tools);

#endif
