/* SPDX-License-Identifier: MIT */
/*
 * Auto (A28-A30, A65): if llm_service is "auto", rules select the service for
 * each request: the workspace's rules, else those of chat.auto. The first rule
 * whose conditions all hold wins. The last rule has no conditions (lib/conf
 * checks it), so there is always a service.
 */
#ifndef DOMAIN_AUTO_H
#define DOMAIN_AUTO_H

#include "domain/agent.h"
#include "auth/caller.h"

#define AUTO_SERVICE "auto"	/* refused as an id of a service */

struct auto_facts {
	enum auto_task task;
	unsigned needs;			/* AUTO_NEEDS_* */
	int64_t tokens;			/* estimated input */
	const struct identity *who;
	int64_t now_us;			/* wall clock */
	struct str zone;		/* of hours (base/zone.h) */
	/*
	 * The request contains steps with tool calls: prefer a service that
	 * takes tools, even of a rule whose conditions do not hold.
	 */
	bool takes_tools;
};

struct auto_choice {
	const struct llm_service *service;	/* NULL: no rules */
	const char *reason;	/* keys of the rule's conditions: "needs,
				   groups"; "default". In the arena */
};

/* Selects a service for a request in w. Any thread. */
struct auto_choice auto_select(const struct conf *c, const struct workspace *w,
			       const struct auto_facts *f, struct arena *a);

/*
 * Without a request: the service of the last usable rule, else of the last
 * rule. NULL: no rules.
 */
const struct llm_service *auto_default(const struct conf *c,
				       const struct workspace *w);

#endif
