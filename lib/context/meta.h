/* SPDX-License-Identifier: MIT */
/* Metadata of stored rows, as far as the context needs it; turn/meta.h writes it. */
#ifndef CONTEXT_META_H
#define CONTEXT_META_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/str.h"

struct arena;
struct llm_service;
struct llm_tool_call;
struct message;

struct meta_row {
	bool step, failed;		/* failed: finish_reason "error" */
	struct llm_tool_call *calls;	/* step; arena */
	size_t n_calls;
	const json_t *replay;		/* only if it comes from the current
					   service */
	struct str call_id, tool_name;	/* tool row */
	struct str edited;		/* arguments as the user changed them */
	bool is_error, untrusted;
	const json_t *origins;		/* origins of its text */
	struct str error_message;	/* of a failed answer */
};
void history_meta(struct arena *a, const struct llm_service *service,
	       const struct message *m, struct meta_row *out);

#endif
