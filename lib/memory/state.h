/* SPDX-License-Identifier: MIT */
/*
 * The agent state of a conversation (D34 to D44): what the assistant believes and holds
 * open, as a JSON object (docs/memory.md). Entities come from results of tools, without a
 * model; the rest from the summariser and from the user. Everything in it has a cap, so it
 * stays below LIM_STATE_BYTES. No I/O; any thread.
 */
#ifndef MEMORY_STATE_H
#define MEMORY_STATE_H

#include "base/json.h"

/* Whose updates they are. */
enum state_by {
	STATE_BY_MODEL,	/* the summariser: cannot remove, and only names ids that it was
			   given */
	STATE_BY_USER,	/* may remove */
};

/* A state from its text; "" or anything else: an empty one. Owned by a. */
json_t *state_read(struct arena *a, struct str text);

/*
 * Applies updates in the order of D43: first those of items, [{op: add, item} | {op:
 * update, id, patch} | {op: remove, id}], then patches: an object with members of the
 * state, or an array of such objects (D20, D44). Lists are merged by id, entities,
 * assumptions and tentative hypotheses with a known id are changed, others added. An
 * assumption is never deleted: a confidence of 0 discards it. given: what the model was
 * sent, in which the ids of entities must be; not for the user. Returns the number of
 * updates that were refused.
 */
size_t state_apply(json_t *state, const json_t *items, const json_t *patches,
		   enum state_by by, struct str given, int64_t now_us);

/*
 * The text of an empty state that was cleared when message.seq was the last one, in a; and
 * the last message before a state was cleared, 0: it was not. What is said up to there is
 * not taken into it again.
 */
struct str state_cleared(struct arena *a, int64_t seq);
int64_t state_cleared_seq(const json_t *state);

/* Adds an entity, or gives a known one this name. Texts are cut. */
void state_entity(json_t *state, struct str id, struct str kind, struct str name);

/* Appends it as text for a model, without what is resolved or discarded. */
void state_text(const json_t *state, struct buf *out);

/* Writes the record AgentState (D37); session: sessionId. NULL: as it is stored. */
void state_write(struct jw *w, const json_t *state, const struct uuid *session);

#endif
