/* SPDX-License-Identifier: MIT */
/* The additional data of a request for the ag-ui dialect. */
#ifndef DIALECT_AG_UI_H
#define DIALECT_AG_UI_H

#include "base/json.h"
#include "base/str.h"

/* dialect_state.asked of DIALECT_AG_UI: the client's own names; or empty. */
struct ag_ui_asked {
	struct str thread_id, run_id;
	/*
	 * The state that the client is told of: its own object with the agent state as
	 * the member AG_UI_STATE, and the agent state, which grows with the run; or NULL.
	 */
	const json_t *state;
	json_t *agent_state;
};

#define AG_UI_STATE "agentState"

#endif
