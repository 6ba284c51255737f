/* SPDX-License-Identifier: MIT */
/*
 * The end of a turn that could not be stored in time: handed to the client, who
 * returns it when the database is back (POST /turns/{t}/store). It is sealed
 * with a key of the deployment (store/key.h), for its owner, turn and run: a
 * client can neither read nor forge it, nor use it elsewhere. The turn's row
 * decides what it may still change (store_turn_end_late).
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
	struct message *steps;	/* rows that could not be stored either */
	size_t n_steps;
};

/*
 * Seals u as text (base64url) in a; empty if that would exceed
 * LIM_UNSTORED_BYTES. Of the rows it contains role, content, meta and the
 * columns.
 */
struct str unstored_seal(struct arena *a, const unsigned char key[KEY_BYTES],
			 const struct owner *o, const struct turn_unstored *u);

/*
 * Opens such a text; texts in a. ERR_INVALID_FIELD (unstored) if it is not
 * authentic, or belongs to another owner or turn.
 */
int unstored_open(struct arena *a, const unsigned char key[KEY_BYTES],
		  const struct owner *o, const struct uuid *turn,
		  struct str text, struct turn_unstored *u,
		  struct err *e) MUST_CHECK;

#endif
