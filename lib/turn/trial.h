/* SPDX-License-Identifier: MIT */
/*
 * Tests an LLM service by using it once, and explains a failure to the person
 * who configures it: the address, TLS, the key, the model, the quota.
 */
#ifndef TURN_TRIAL_H
#define TURN_TRIAL_H

#include "turn/ask.h"

struct llm_trial {
	enum err_code code;	/* ERR_NONE: it works */
	const char *text;	/* a sentence or two; in the arena */
	struct prompt_reply reply;	/* usage.iterations 0: nothing was spent */
};

/*
 * Requests the service's list of models, which is free (10 s at most), then one
 * short answer of about 30 tokens without retries (30 s at most). Uses
 * deps->http, and live if not NULL. Blocks; holds no database connection. Fills
 * in *out, in a; its text has no secret and no address.
 */
void trial_run(const struct turn_deps *deps, const struct llm_service *s,
	       struct arena *a, struct llm_trial *out);

#endif
