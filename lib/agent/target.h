/*
 * The target of a request: a workspace that its caller can see, one of its agents,
 * and the LLM service that answers. Made once per request.
 */
#ifndef AGENT_TARGET_H
#define AGENT_TARGET_H

#include "agent/catalog.h"

struct target {
	const struct workspace *workspace;
	const struct agent *agent;
	const struct llm_service *service;	/* NULL: none is named */
	/* The service is "auto": that here is the default of the rules, and
	   whoever asks it chooses by what is asked (auto.h). */
	bool automatic;
	/* The id that is named: perhaps of a row, which target_settle reads. */
	const char *named;
	bool settled;
	bool own;	/* the service is the caller's own (byok.mode) */
};

/*
 * The service of an agent (may be NULL): its own, else the workspace's, else
 * the chat: block's (B15); of "auto" the default of its rules. The only
 * resolution there is. NULL where none is named. Whether a turn can be held
 * with it says target_can_chat.
 */
const struct llm_service *target_service(const struct conf *c,
					 const struct workspace *w,
					 const struct agent *a);

/* The target of this agent (may be NULL) of w, with its service. */
struct target target_of(const struct conf *c, const struct workspace *w,
			const struct agent *a);

/*
 * The workspace with this id and its agent (agent.p == NULL: the default one), of
 * files or of rows. ERR_NOT_FOUND if there is none, or none for this caller.
 */
int target_scope(const struct caller *by, struct str workspace,
		 struct str agent, const struct workspace **w,
		 const struct agent **a, struct err *e) MUST_CHECK;

/* An agent of w; id.p == NULL: the default one. ERR_NOT_FOUND. */
int target_agent(const struct caller *by, const struct workspace *w,
		 struct str id, const struct agent **a,
		 struct err *e) MUST_CHECK;

/*
 * The service again, now that by->said is known: a user, a team or the tenant may
 * have chosen one, of files or a row, which costs one keyed read. It stays as it is
 * where that one cannot chat. What is read is in a, as target_settle has it.
 */
int target_choose(struct target *t, const struct caller *by, struct arena *a,
		  struct err *e) MUST_CHECK;

/*
 * Fills *out: the workspace with this id and its agent (agent.p == NULL: the
 * default one). ERR_NOT_FOUND if there is none, or none for this caller.
 */
int target_find(const struct caller *by, struct str workspace,
		struct str agent, struct target *out, struct err *e) MUST_CHECK;

/*
 * The service that answers this caller: their own active provider instance where
 * byok.mode is allow_user, which costs one keyed read; else the named one, with
 * one keyed read where it is a row; else nothing is done. Once for a target. What
 * is read is in a, which is an arena_secret then. ERR_SECRETS; errors of the
 * database.
 */
int target_settle(const struct caller *by, struct target *t, struct arena *a,
		  struct err *e) MUST_CHECK;

/*
 * Whether turns can be held with the service. ERR_CHAT_DISABLED if there is
 * none or it cannot chat (A29); ERR_CONFIG, ERR_LLM_UNSUPPORTED,
 * ERR_LLM_NO_CREDENTIAL.
 */
int target_can_chat(const struct target *t, struct err *e) MUST_CHECK;

#endif
