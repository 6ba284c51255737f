/* SPDX-License-Identifier: MIT */
/*
 * Tool results that were too long to give to the model at once. Limited
 * (LIM_TOOL_OUTPUT_BYTES each, TOOL_OUTPUTS_KEPT per conversation), kept for a
 * day, deleted with the conversation, readable by the owner only.
 */
#ifndef STORE_TOOL_OUTPUT_H
#define STORE_TOOL_OUTPUT_H

#include "store/store.h"

enum { TOOL_OUTPUTS_KEPT = 20 };

/*
 * Stores a result; *id is new. content is valid UTF-8, cut at
 * LIM_TOOL_OUTPUT_BYTES. origins: JSON, the origins of its text
 * (tool/origin.h); or empty. ERR_NOT_FOUND: the owner has no such conversation
 * any more.
 */
int store_tool_output_put(struct db *db, const struct owner *o,
			  const struct uuid *conversation_id, struct str tool,
			  struct str content, struct str origins, struct uuid *id,
			  struct err *e) MUST_CHECK;

struct tool_output {
	struct str tool, content, origins;	/* origins: or NULL */
};

/* ERR_NOT_FOUND. Text in a. */
int store_tool_output_get(struct db *db, const struct owner *o,
			  const struct uuid *id, struct arena *a,
			  struct tool_output *out, struct err *e) MUST_CHECK;

#endif
