/*
 * The attachments of messages in a turn: which ones a request names, and what the
 * model is sent of them. Texts go in whole where they fit, else their parts that fit
 * the message best, always in the turn's envelope, since they are other people's, and
 * each a source of the answer; images go in where the service takes them. They stand
 * with the message that they were sent with.
 */
#ifndef TURN_ATTACH_H
#define TURN_ATTACH_H

#include "turn/turn.h"

struct turn_loop;
struct llm_message;

/*
 * Puts records ({id, name, mediaType, size}) in the place of the ids that the
 * request has in options.attachments. ERR_INVALID_FIELD that names the field: not
 * the caller's, not complete, too many, twice, without a message.
 */
int attach_read(struct turn_run *t, struct err *e) MUST_CHECK;

/* They belong to the conversation from now on. Failures are logged. */
void attach_use(const struct turn_run *t);

/* No more than so many tokens for what is added from here on. */
void attach_limit(struct turn_loop *l, int64_t tokens);

/*
 * Adds what was sent with a message to m, behind its text: list is the records, or
 * NULL. What exceeds the turn's budget is named only. Taints the turn.
 */
void attach_add(struct turn_loop *l, const json_t *list, struct llm_message *m);

/* The same of a message of the history, as it is stored. */
void attach_add_stored(struct turn_loop *l, struct str list,
		       struct llm_message *m);

#endif
