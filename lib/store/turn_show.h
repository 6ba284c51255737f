/* SPDX-License-Identifier: MIT */
/*
 * What an admin may know of a turn of anybody: who answered with which prompts and
 * tools, how long it took and what it cost. Never what was said (A44).
 */
#ifndef STORE_TURN_SHOW_H
#define STORE_TURN_SHOW_H

#include "store/source.h"
#include "store/usage.h"

struct turn_show {
	struct uuid id, conversation_id, user_id;
	struct str workspace_id, agent_id;
	int64_t status;			/* enum turn_status */
	int64_t started_us, ended_us;	/* ended 0 = not yet */
	int64_t resumes;
	struct str error_code, error_text;	/* or NULL */
	struct str client;		/* as in struct turn */
	struct usage *calls;		/* its records, oldest first, without ids;
					   cost 0: not known */
	size_t n_calls;
	struct source *sources;
	size_t n_sources;
};

/*
 * The turn of this id in the tenant; or the one of a message (seq > 0), or the newest
 * one of a conversation, whose id it is then. All in a. ERR_NOT_FOUND; database
 * errors.
 */
int store_turn_show(struct db *db, struct str tenant_id, const struct uuid *id,
		    int64_t seq, struct arena *a, struct turn_show *out,
		    struct err *e) MUST_CHECK;

#endif
