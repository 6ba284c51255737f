/* SPDX-License-Identifier: MIT */
/*
 * Options of the kinds in this folder, as lib/conf fills them in from the rows of
 * option.def. Both belong to lib/conf, but are next to the code that uses them.
---
 */
#ifndef TOOL_WEB_OPTION_H
#define TOOL_WEB_OPTION_H

#include "conf/conf.h"

struct conf_web_search {	/* `web_search:` of a tool */
	enum conf_engine { ENGINE_SEARXNG, ENGINE_BRAVE } engine;
	const char *url;		/* "" = Brave's own */
	const char *api_key;		/* secret; "" = none */
	int max_results;
	struct conf_list allow_private;	/* net/guard.h */
};

struct conf_web_visit {		/* `web_visit:` of a tool */
	int page_bytes;
	struct conf_list allow_private;	/* net/guard.h */
};

#endif
