/* SPDX-License-Identifier: MIT */
/*
 * The target of a request: a workspace that its caller can see, one of its
 * agents, and the LLM service that answers. Resolved once per request.
 */
#ifndef DOMAIN_TARGET_H
#define DOMAIN_TARGET_H

#include "domain/catalog.h"

struct target {
	const struct workspace *workspace;
	const struct agent *agent;
	const struct llm_service *service;	/* NULL: none is configured */
	/*
	 * The service is "auto": `service` is the default of its rules, and the
	 * caller selects by request (auto.h).
	 */
	bool automatic;
	/* The configured id; may be a row, which target_settle reads. */
	const char *named;
	bool settled;
	bool own;	/* the service is the caller's own (byok.mode) */
};

/*
 * The target for an agent (may be NULL) of w. Its service is the agent's, else the
 * workspace's, else the chat: block's (B15); for "auto" the default of its rules; NULL
 * if none is configured. This is the only resolution. target_can_chat tells whether
 * the service can hold turns.
 */
struct target target_of(const struct conf *c, const struct workspace *w,
			const struct agent *a);

/*
 * Finds the workspace with this id and its agent (agent.p == NULL: the default
 * one), in files or rows. ERR_NOT_FOUND if there is none, or the caller may not
 * see it; database errors.
 */
int target_scope(const struct caller *by, struct str workspace,
		 struct str agent, const struct workspace **w,
		 const struct agent **a, struct err *e) MUST_CHECK;

/*
 * The agent of w with this id; id.p == NULL: the default one. ERR_NOT_FOUND;
 * database errors.
 */
int target_agent(const struct caller *by, const struct workspace *w,
		 struct str id, const struct agent **a,
		 struct err *e) MUST_CHECK;

/*
 * Selects the service again once by->settings is read: a user, a team or the tenant
 * may have chosen one; a stored one costs one keyed read. It stays as it is if
 * the chosen one cannot chat. Allocates in a, as target_settle.
 */
int target_select(struct target *t, const struct caller *by, struct arena *a,
		  struct err *e) MUST_CHECK;

/*
 * Fills *out with the workspace of this id and its agent (agent.p == NULL: the
 * default one). ERR_NOT_FOUND if there is none, or the caller may not see it.
 */
int target_find(const struct caller *by, struct str workspace,
		struct str agent, struct target *out, struct err *e) MUST_CHECK;

/*
 * Determines the service for this caller: their provider instance for the agent,
 * else the active one, if byok.mode is allow_user, which costs one statement; else
 * the configured one, with a keyed read if it is stored. Does nothing the second time. Allocates in
 * a, which becomes an arena_secret. ERR_SECRETS; database errors.
 */
int target_settle(const struct caller *by, struct target *t, struct arena *a,
		  struct err *e) MUST_CHECK;

/*
 * The service that would answer this caller with the agent (may be NULL), for
 * records; NULL if there is none. Provider instances are read once per request
 * (caller.own).
 */
const struct llm_service *target_service(const struct caller *by,
					 const struct workspace *w,
					 const struct agent *a);

struct conversation;	/* store/conversation.h */

/*
 * Whether the caller's token, if it names its agents, has the one of conversation c,
 * or of a turn of the caller's: for it, what others have does not exist.
 * ERR_NOT_FOUND; database errors.
 */
int target_conversation(const struct caller *by, const struct conversation *c,
			struct err *e) MUST_CHECK;
int target_turn(const struct caller *by, const struct uuid *id, struct err *e) MUST_CHECK;

/*
 * Whether the service can hold turns. ERR_CHAT_DISABLED if there is none, or it
 * does not have the capability chat (A29), which the public text then says;
 * ERR_CONFIG, ERR_LLM_UNSUPPORTED, ERR_LLM_NO_CREDENTIAL.
 */
int target_can_chat(const struct target *t, struct err *e) MUST_CHECK;

#endif
