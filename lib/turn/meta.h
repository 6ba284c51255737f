/* SPDX-License-Identifier: MIT */
/* Metadata of a turn's rows: writing and parsing. */
#ifndef TURN_META_H
#define TURN_META_H

#include <stdbool.h>

#include "base/json.h"
#include "base/str.h"

struct arena;
struct err;
struct llm_service;
struct llm_tool_call;
struct message;
struct turn_call;
struct turn_loop;

/*
 * Metadata as JSON text in the arena. unstored: p == NULL if the answer is about
 * to be stored; otherwise the sealed end that stores it later, or empty.
 */
struct str meta_step(struct turn_loop *l);
struct str meta_tool(struct turn_loop *l, const struct turn_call *c);
struct str meta_answer(struct turn_loop *l, const char *finish_reason,
		       const struct err *why, struct str unstored);

/* The members of a stored row's metadata that the context needs. */
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
void meta_read(struct arena *a, const struct llm_service *service,
	       const struct message *m, struct meta_row *out);

#endif
