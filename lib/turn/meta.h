/* Metadata of the rows of a turn, written and read back. */
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
 * Metadata as JSON text in the arena. unstored, of an answer: p == NULL: it is
 * to be stored; else it is not, and this is what stores it later, or empty.
 */
struct str meta_step(struct turn_loop *l);
struct str meta_tool(struct turn_loop *l, const struct turn_call *c);
struct str meta_answer(struct turn_loop *l, const char *finish_reason,
		       const struct err *why, struct str unstored);

/* Reads the parts of a stored row's metadata that the context needs. */
struct meta_row {
	bool step, failed;		/* failed: finish_reason "error" */
	struct llm_tool_call *calls;	/* step; arena */
	size_t n_calls;
	const json_t *replay;		/* when the origin is this service */
	struct str call_id, tool_name;	/* tool row */
	struct str edited;		/* arguments as the user changed them */
	bool is_error, untrusted;
	const json_t *origins;		/* whose text it is */
	struct str error_message;	/* of a failed answer */
};
void meta_read(struct arena *a, const struct llm_service *service,
	       const struct message *m, struct meta_row *out);

#endif
