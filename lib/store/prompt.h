/* SPDX-License-Identifier: MIT */
/* Versions of prompts. */
#ifndef STORE_PROMPT_H
#define STORE_PROMPT_H

#include "resource/resource.h"

/*
 * Increments the versions of all prompts of the tenant in this category, in the
 * transaction that deletes it.
 */
int store_prompt_unfile(struct db *tx, const struct owner *by,
			const struct uuid *category, struct err *e) MUST_CHECK;

/*
 * Writes the row of a prompt that gets or loses a reader. So, if it is renamed
 * or deleted at the same time on any node of a cluster, one of the two
 * transactions fails. ERR_NOT_FOUND.
 */
int store_prompt_shared(struct db *tx, const struct owner *by,
			const struct uuid *prompt, struct err *e) MUST_CHECK;

/*
 * Finds the next holder, by id, of team prompts: *holder, after *after (nil:
 * the first). *found is false if there is none. Reads the tenant's prompts up
 * to there: for commands only.
 */
int store_prompt_team(struct db *db, struct str tenant_id,
		      const struct uuid *after, struct uuid *holder, bool *found,
		      struct err *e) MUST_CHECK;

#endif
