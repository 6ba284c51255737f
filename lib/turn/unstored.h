/*
 * The end of a turn that could not be stored while it was tried: handed to the
 * client, who brings it back when the database is there (POST
 * /turns/{t}/store). It is sealed with a key that only the processes of the
 * deployment have (store/key.h), for its owner, its turn and its run: a client
 * can neither read it nor make one, nor use it for anything else. What it may
 * still change is decided by the turn's row (store_turn_end_late).
 */
#ifndef TURN_UNSTORED_H
#define TURN_UNSTORED_H

#include "store/key.h"
#include "store/turn.h"

#define UNSTORED_KEY "unstored"		/* purpose of the key */

struct turn_unstored {
	struct turn_end end;	/* answer and usage: those below */
	struct message answer;
	struct usage usage;
	struct message *steps;	/* rows that were not stored either */
	size_t n_steps;
};

/*
 * As text (base64url) in a; empty when it would be more than
 * LIM_UNSTORED_BYTES. Of the rows, role, content, meta and the columns go with
 * it.
 */
struct str unstored_seal(struct arena *a, const unsigned char key[KEY_BYTES],
			 const struct owner *o, const struct turn_unstored *u);

/*
 * The other way; texts in a. ERR_INVALID_FIELD (unstored) when it is not ours,
 * another owner's or of another turn.
 */
int unstored_open(struct arena *a, const unsigned char key[KEY_BYTES],
		  const struct owner *o, const struct uuid *turn,
		  struct str text, struct turn_unstored *u,
		  struct err *e) MUST_CHECK;

#endif
