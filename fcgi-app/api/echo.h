/* SPDX-License-Identifier: MIT */
/*
 * The hash of a thread as a client has it, message by message: what recognises the
 * thread when it comes again (store/prefix.h).
 *
 * Clients do not return an answer byte for byte. So a text counts without blanks and
 * line ends, and without reasoning that a client put into it; a call by its tool, and
 * a result only as being there, because clients shorten old results. System messages
 * are not part of it: many have the time of day.
 */
#ifndef API_ECHO_H
#define API_ECHO_H

#include <stdbool.h>

#include "base/str.h"
#include "base/uuid.h"

struct echo {
	unsigned char at[32];	/* of all so far */
};

enum echo_part {
	ECHO_SCOPE = 's', ECHO_USER = 'u', ECHO_ANSWER = 'a', ECHO_CALL = 'c',
	ECHO_RESULT = 'r', ECHO_SYSTEM = 'i',
};

/* Empty: every byte zero. */
#define ECHO_INIT { .at = { 0 } }

/* Adds a message or a part of one; an answer without text is nothing. */
void echo_add(struct echo *c, enum echo_part part, struct str text);

/* All so far as a key of the store. */
struct uuid echo_key(const struct echo *c);

/*
 * Whether one of two texts begins with the other, and neither is empty, as they count
 * here: an answer that was stopped, and what its client got of it.
 */
bool echo_begins(struct str one, struct str other);

#endif
