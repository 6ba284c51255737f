/* SPDX-License-Identifier: MIT */
/* Versions of prompts, and who has used them. */
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

/* Notes that the user has sent a message made from it; once is enough. */
int store_prompt_used(struct db *db, const struct owner *o, const struct uuid *prompt,
		      struct err *e) MUST_CHECK;

struct prompt_users {
	struct uuid prompt;
	int64_t users;		/* people who have used it */
	int64_t seen;		/* 1: stored, and one of the readers sees it */
};

/* Of all prompts of the tenant that somebody has used. readers_json: shared.h. In a. */
int store_prompt_users(struct db *db, struct str tenant_id, struct str readers_json,
		       struct arena *a, struct prompt_users **out, size_t *n,
		       struct err *e) MUST_CHECK;

/*
 * Finds the next holder, by id, of team prompts: *holder, after *after (nil:
 * the first). *found is false if there is none. Reads the tenant's prompts up
 * to there: for commands only.
 */
int store_prompt_team(struct db *db, struct str tenant_id,
		      const struct uuid *after, struct uuid *holder, bool *found,
		      struct err *e) MUST_CHECK;

#endif
