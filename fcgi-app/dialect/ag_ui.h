/* SPDX-License-Identifier: MIT */
/* The additional data of a request for the ag-ui dialect. */
#ifndef DIALECT_AG_UI_H
#define DIALECT_AG_UI_H

#include "base/str.h"

/* dialect_state.asked of DIALECT_AG_UI: the client's own names; or empty. */
struct ag_ui_asked {
	struct str thread_id, run_id;
};

#endif
