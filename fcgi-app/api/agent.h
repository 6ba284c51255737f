/* SPDX-License-Identifier: MIT */
/* Workspaces and agents as resources: their special handling. */
#ifndef API_AGENT_H
#define API_AGENT_H

#include "api/resource.h"

/* Entries of resource.c's table. */
extern const struct resource_odd api_agent_odd;		/* agent.c */
extern const struct resource_odd api_workspace_odd;	/* workspace.c */

/*
 * Whether the texts of a list in column are tools that may be chosen in w.
 * ERR_INVALID_FIELD. (agent.c)
 */
int api_agent_tools(struct request *rq, const struct workspace *w,
		    const struct resource *r, const struct resource_row *row,
		    struct err *e) MUST_CHECK;

#endif
