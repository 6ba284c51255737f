/* Versions of prompts. */
#ifndef STORE_PROMPT_H
#define STORE_PROMPT_H

#include "resource/resource.h"

/*
 * Keeps how the prompt reads at its version, in the transaction that stores it,
 * and forgets what is older than LIM_PROMPT_VERSIONS. at: the prompt's.
 */
int store_prompt_keep(struct db *tx, const struct resource_at *at,
		      struct resource_row *prompt, struct err *e) MUST_CHECK;

/*
 * Moves the versions of all prompts of the tenant that are filed under the
 * category, in the transaction that deletes it.
 */
int store_prompt_unfile(struct db *tx, const struct owner *by,
			const struct uuid *category, struct err *e) MUST_CHECK;

/*
 * Changes the row of a prompt that gets another reader, or loses one, and so holds
 * it: on whatever node of a cluster it is renamed or deleted meanwhile, one of
 * the two does not happen. ERR_NOT_FOUND.
 */
int store_prompt_shared(struct db *tx, const struct owner *by,
			const struct uuid *prompt, struct err *e) MUST_CHECK;

/*
 * The next holder, by its id, of prompts of teams: *holder, behind *after (nil: the
 * first). *found: there is one. Reads the tenant's prompts up
 * to there: for commands only.
 */
int store_prompt_team(struct db *db, struct str tenant_id,
		      const struct uuid *after, struct uuid *holder, bool *found,
		      struct err *e) MUST_CHECK;

#endif
