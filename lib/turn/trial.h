/* SPDX-License-Identifier: MIT */
/*
 * Tests an LLM service by using it once for each thing that it can do, and explains a
 * failure to the person who configures it: the address, TLS, the key, the model, the
 * quota, or a capability that it does not have.
 */
#ifndef TURN_TRIAL_H
#define TURN_TRIAL_H

#include "store/usage.h"
#include "turn/turn.h"

/* Chat, images, vectors, ranking, transcription. */
enum { TRIAL_KINDS = 5 };

struct llm_trial {
	enum err_code code;	/* of the first failure; ERR_NONE: all of it works */
	const char *text;	/* a sentence or some; in the arena */
	const char *model;	/* the one that answered a chat; or NULL */
	int64_t ttft_ms;	/* of that; -1: none */
	struct usage spent[TRIAL_KINDS];	/* of the requests that cost something */
	size_t n_spent;
};

/*
 * Requests the service's list of models, which is free (10 s at most), then, without
 * retries and in 30 s at most, what its capabilities say: a short answer of about 30
 * tokens, the colour of an image, the vector of a word, the ranks of two texts, the text
 * of a second of silence. A failure that concerns all of them ends it. Uses deps->http,
 * and live if not NULL. Blocks; holds no database connection. Fills in *out, in a; its
 * text has no secret and no address.
 */
void trial_run(const struct turn_deps *deps, const struct llm_service *s,
	       struct arena *a, struct llm_trial *out);

/* Stores what it cost. Failures are only logged. */
void trial_record(struct db *db, const struct owner *o, const char *workspace,
		  struct llm_trial *t);

#endif
