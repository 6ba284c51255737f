/* SPDX-License-Identifier: MIT */
/*
 * Options of the kinds in this folder, as lib/conf fills them in from the rows of
 * option.def. Both belong to lib/conf, but are next to the code that uses them.
---
 */
#ifndef TOOL_AGENT_OPTION_H
#define TOOL_AGENT_OPTION_H

#include "conf/conf.h"

struct conf_tool_agent {	/* `agent:` of a tool */
	const char *prompt;		/* its system prompt */
	const char *llm_service;	/* "" = by capability, or the turn's */
	unsigned capability;		/* LLM_CAN_*; 0 = none required */
	struct conf_list tools;		/* n == 0 = none: one call of a model */
	int max_tool_iterations, max_calls, max_tokens;
};

struct conf_image_text {	/* `image_text:` of a tool */
	const char *llm_service;	/* "" = the first with vision */
	struct conf_list allow_private;	/* net/guard.h */
};

#endif
