/* SPDX-License-Identifier: MIT */
/*
 * Facts: what tools changed and users decided in a conversation, result by result, made
 * without a model from the rows of the thread (D14, D15). Ids, numbers, approvals and
 * changed arguments are all in them; only long texts are cut. No I/O; any thread.
 */
#ifndef MEMORY_FACT_H
#define MEMORY_FACT_H

#include "base/json.h"
#include "store/message.h"

struct resource_changes;

enum fact_kind { FACT_CHANGE = 1, FACT_REFUSED = 2, FACT_CHOICE = 3 };

struct fact {
	int64_t seq;		/* message.seq of the result */
	int64_t kind;		/* enum fact_kind */
	struct str tool;
	struct str fact;	/* JSON object: args, result, approvalId */
	struct str origins;	/* JSON array; p == NULL: nobody else's text */
	int64_t created_us;
};

/* A stored row of the thread with its parsed metadata. */
struct memory_row {
	const struct message *m;
	const json_t *meta;	/* or NULL */
};

/* Parses the metadata of n rows of a page, in a. */
struct memory_row *memory_rows(const struct message *m, size_t n, struct arena *a);

/*
 * The facts in n rows, in their order. calls of a result are looked for in the rows before
 * it. *out in a, with room for n.
 */
size_t facts_of(const struct memory_row *rows, size_t n, struct arena *a,
		struct fact **out);

/*
 * A JSON value as a fact has it: texts longer than chars are cut, but the words with
 * digits in the rest of them stay. New.
 */
json_t *fact_shorten(const json_t *v, size_t chars);

/* Adds the entities that a fact names, with their names, to a state (D41). */
void fact_entities(const struct fact *f, json_t *state, struct arena *a);

/*
 * The entities that the result of a tool's change names, and those that it has changed, as
 * a patch of the agent state: JSON text in a; empty if there are none.
 */
struct str fact_delta(struct str tool, struct str result,
		      const struct resource_changes *changes, struct arena *a);

/* Appends it as one line for a model. */
void fact_line(const struct fact *f, struct buf *out);

/* "change", "refused", "choice". */
const char *fact_kind_name(int64_t kind);

#endif
