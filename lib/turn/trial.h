/*
 * Whether an LLM service works, found out by using it once, and if not, what is
 * wrong, for whoever set it up: the address, TLS, the key, the model, the quota.
 */
#ifndef TURN_TRIAL_H
#define TURN_TRIAL_H

#include "turn/ask.h"

struct llm_trial {
	enum err_code code;	/* ERR_NONE: it works */
	const char *text;	/* a sentence or two; in the arena */
	struct llm_reply reply;	/* what it cost; usage.iterations 0: nothing */
};

/*
 * Asks the service for its list of models, which costs nothing, and then for
 * one short answer: some 30 tokens, without retries. In at most 10 s and 30 s.
 * Of deps, http is used, and live where there is one. Blocks; no database
 * connection is held. *out is complete, in a; the text has no secret and no address.
 */
void trial_run(const struct turn_deps *deps, const struct llm_service *s,
	       struct arena *a, struct llm_trial *out);

#endif
