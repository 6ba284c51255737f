/* SPDX-License-Identifier: MIT */
/*
 * Options of the kinds in this folder, as lib/conf fills them in from the rows of
 * option.def. Both belong to lib/conf, but are next to the code that uses them.
---
 */
#ifndef TOOL_COMMAND_OPTION_H
#define TOOL_COMMAND_OPTION_H

#include "conf/conf.h"

struct conf_tool_command {	/* `command:` of a tool */
	struct conf_list run;		/* program's path, fixed arguments */
	const char *dir;		/* working directory */
	struct conf_list env;		/* "NAME=value"; secret */
	enum conf_output output;
	int output_bytes;		/* read at most; more kills it */
	struct spawn_limits limits;
};

#endif
