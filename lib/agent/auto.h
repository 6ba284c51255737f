/*
 * Auto (A28-A30, A65): where llm_service is "auto", rules decide for each
 * request who answers. The rules of the workspace, else of chat.auto; the first
 * of which all holds that it says. The last one has no conditions (lib/conf
 * sees to it), so there is always a service.
 */
#ifndef AGENT_AUTO_H
#define AGENT_AUTO_H

#include "agent/agent.h"
#include "agent/caller.h"

#define AUTO_SERVICE "auto"	/* no service can have this id */

struct auto_facts {
	enum auto_task task;
	unsigned needs;			/* AUTO_NEEDS_* */
	int64_t tokens;			/* of input, estimated */
	const struct identity *who;
	int64_t now_us;			/* wall clock */
	/*
	 * Steps with tool calls are sent: a service that takes tools, of a rule
	 * that does not hold where it must be, while there is one.
	 */
	bool takes_tools;
};

struct auto_choice {
	const struct llm_service *service;	/* NULL: there are no rules */
	const char *reason;	/* the conditions of the rule, as its keys:
				   "needs, groups"; "default". In the arena */
};

/* Chooses for a request in w. Any thread. */
struct auto_choice auto_choose(const struct conf *c, const struct workspace *w,
			       const struct auto_facts *f, struct arena *a);

/*
 * For whoever has no request: the service of the last rule whose service can be
 * used, of the last one where none can. NULL: there are no rules.
 */
const struct llm_service *auto_default(const struct conf *c,
				       const struct workspace *w);

#endif
