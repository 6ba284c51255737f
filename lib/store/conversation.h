/* SPDX-License-Identifier: MIT */
/*
 * Conversations: each belongs to one user and one agent (B5). Lists are paged
 * by (updated_us, id), newest first; at any depth a page is one index range.
 */
#ifndef STORE_CONVERSATION_H
#define STORE_CONVERSATION_H

#include "store/message.h"
#include "store/store.h"

/* The author of the title; a model never overwrites a user's. */
enum title_by { TITLE_NONE, TITLE_FIRST_MESSAGE, TITLE_MODEL, TITLE_USER };

struct conversation {
	struct uuid id;
	struct str workspace_id, agent_id;
	struct str title;		/* p == NULL: none yet */
	struct str knowledge;		/* JSON: ids of bases; p == NULL: not
					   set */
	int64_t archived;		/* 1: in the list of archived ones */
	int64_t pinned_us;		/* since when; 0: it is not pinned */
	struct uuid folder_id;		/* nil: in none */
	struct str tags;		/* a line each, with a line end also before the
					   first; p == NULL: none */
	struct conversation_context context;
	int64_t title_by;		/* enum title_by */
	struct uuid user_id;		/* the owner */
	int64_t last_seq;		/* number of the newest message */
	int64_t superseded;		/* how many numbers are not in the
					   thread */
	int64_t version;		/* incremented by every change, see
					   stmt.def */
	struct uuid forked_from;	/* conversation; nil: none */
	int64_t forked_seq;		/* of the last message copied; 0: none */
	struct uuid running_turn_id;	/* nil: not answering */
	int64_t running_until_us;	/* its lease; 0 when nil */
	int64_t running_status;		/* enum turn_status; 0 when nil */
	struct str client;		/* the program that it belongs to; p ==
					   NULL: it is the user's own */
	int64_t created_us, updated_us;
};

/* Whether its turn runs or waits: its lease has not expired. */
bool conversation_running(const struct conversation *c, int64_t now_us);

/* Whether that turn waits for the user. */
bool conversation_waiting(const struct conversation *c, int64_t now_us);

struct conversation_new {
	const struct uuid *id;		/* the client's, or NULL: generated */
	struct str workspace_id, agent_id;
	struct str title;		/* p == NULL: none */
	struct str knowledge;		/* JSON: ids of bases; p == NULL: not
					   set */
	struct conversation_context context;
};

/*
 * Creates a conversation; *out as conversation_get would return it (text
 * borrowed from n). ERR_CONFLICT if the id exists, for any user. The caller has
 * checked workspace and agent.
 */
int conversation_create(struct db *db, const struct owner *o,
			const struct conversation_new *n,
			struct conversation *out, struct err *e) MUST_CHECK;

/* ERR_NOT_FOUND. Text in a. */
int conversation_get(struct db *db, const struct owner *o,
		     const struct uuid *id, struct arena *a,
		     struct conversation *out, struct err *e) MUST_CHECK;

/* Position in a list: the last row returned. */
struct conversation_key {
	int64_t updated_us;	/* created_us with by_creation */
	struct uuid id;
};

/* Which list a conversation is in: conversation.shelf. */
enum conversation_shelf {
	SHELF_OWN,		/* the user's */
	SHELF_ARCHIVED,
	SHELF_CLIENTS,		/* of programs that use the API (prefix.h) */
	SHELF_NONE,		/* with an agent that is only tried; never listed */
};

struct conversation_filter {
	struct str workspace_id;	/* p == NULL: any */
	struct str agent_id;		/* p == NULL: any */
	struct str title;		/* part of the title, any case; NULL: any */
	struct uuid folder;		/* nil: any */
	struct str tag;			/* p == NULL: any */
	enum conversation_shelf shelf;	/* not by_creation, which has all */
	bool pinned;			/* those that are, the last one first, in one
					   page; with a workspace at most */
	bool by_creation;		/* B28; with workspace and agent only */
};

struct conversation_page {
	struct conversation *items;	/* in the arena */
	size_t n;
	bool more;
	struct conversation_key next;	/* the last row examined; valid if more */
};

/*
 * One page, newest first, of at most size (1..LIM_PAGE_MAX) conversations after
 * `after` (NULL = from the newest). f may be NULL. With a filter, a page
 * examines LIM_LOOKED_AT conversations: it may have fewer items, or none, and
 * still have *more.
 */
int conversation_list(struct db *db, const struct owner *o,
		      const struct conversation_filter *f,
		      const struct conversation_key *after, size_t size,
		      struct arena *a, struct conversation_page *out,
		      struct err *e) MUST_CHECK;

/*
 * Lists the ids of the owner's conversations after `after` (nil: from the
 * first) in order of ids, at most max, into out. This order is stable, unlike
 * that of conversation_list: an iteration sees each conversation that exists
 * during all of it.
 */
int conversation_ids(struct db *db, const struct owner *o,
		     const struct uuid *after, struct uuid *out, size_t max,
		     size_t *n, struct err *e) MUST_CHECK;

/*
 * Counts the conversations that match the filter (totalCount); -1 if the owner
 * has more than LIM_COUNTED conversations, or had when this process counted them less
 * than a minute ago.
 */
int conversation_count(struct db *db, const struct owner *o,
		       const struct conversation_filter *f, int64_t *out,
		       struct err *e) MUST_CHECK;

/*
 * Sets the title, from a user (TITLE_USER) or a model (TITLE_MODEL: does
 * nothing, with *changed false, if a user has set one meanwhile). title.p ==
 * NULL removes it. changed may be NULL. ERR_NOT_FOUND. A user's title moves the
 * conversation to the top of the list, a model's does not.
 */
int conversation_rename(struct db *db, const struct owner *o,
			const struct uuid *id, struct str title,
			enum title_by by, bool *changed,
			struct err *e) MUST_CHECK;

/*
 * Sets a user's title if the conversation still has this version (-1: any).
 * Otherwise as conversation_rename. ERR_PRECONDITION, ERR_NOT_FOUND.
 */
int conversation_rename_at(struct db *db, const struct owner *o,
			   const struct uuid *id, struct str title,
			   int64_t version, struct err *e) MUST_CHECK;

/*
 * Sets the knowledge bases that it is limited to (JSON; p == NULL: not set) if
 * it still has this version (-1: any). ERR_PRECONDITION, ERR_NOT_FOUND.
 */
int conversation_limit_at(struct db *db, const struct owner *o,
			  const struct uuid *id, struct str knowledge,
			  int64_t version, struct err *e) MUST_CHECK;

/* What changes of its place in the lists. */
struct conversation_place {
	bool has_archived, has_pinned, has_folder, has_tags;
	bool archived, pinned;
	struct uuid folder;	/* nil: none */
	struct str tags;	/* as in struct conversation */
};

/* Sets where its user is if it still has this version (-1: any). Errors as below. */
int conversation_context_at(struct db *db, const struct owner *o,
			    const struct uuid *id,
			    const struct conversation_context *c, int64_t version,
			    struct err *e) MUST_CHECK;

/*
 * Changes it if the conversation still has this version (-1: any); its time of change
 * stays. The folder must be one of the user's. ERR_PRECONDITION, ERR_NOT_FOUND.
 */
int conversation_arrange_at(struct db *db, const struct owner *o,
			    const struct uuid *id,
			    const struct conversation_place *p, int64_t version,
			    struct err *e) MUST_CHECK;

/*
 * Hides the conversation from all readers at once, and requests the job that
 * deletes its messages, turns and other rows; titles in notices are blanked. A
 * running turn is cancelled first: its process stops at the next
 * store_turn_touch, and its later writes fail with ERR_CONFLICT. ERR_NOT_FOUND.
 */
int conversation_delete(struct db *db, const struct owner *o,
			const struct uuid *id, struct err *e) MUST_CHECK;

/* The same for a person who is not its owner, or nil, to whom the job is counted. */
int conversation_delete_by(struct db *db, const struct uuid *by,
			   const struct owner *o, const struct uuid *id,
			   struct err *e) MUST_CHECK;

/*
 * Runs that job in bounded batches until until_ms (monotonic). Usage records stay
 * for accounting but lose the link. Returns 1 if nothing is left; 0 if it must be
 * called again; -1. Does nothing to a conversation that is not deleted. May run in
 * several processes at once.
 */
#define CONVERSATION_PURGE_JOB "conversation-purge"
int conversation_purge(struct db *db, const struct uuid *id, int64_t until_ms,
		       struct err *e) MUST_CHECK;

/* Of an agent, how many users have a conversation with it. */
struct agent_users {
	struct str agent_id;
	int64_t users;
};

/* Of all agents of the workspace that have one. In a. Database errors. */
int conversation_users(struct db *db, const struct owner *o, struct str workspace_id,
		       struct arena *a, struct agent_users **out, size_t *n,
		       struct err *e) MUST_CHECK;

/*
 * Deletes conversations at once, as far as that takes no longer than a second; what goes
 * wrong is logged.
 */
struct conversation_of;
void conversation_delete_some(struct db *db, const struct owner *by,
			      const struct conversation_of *of);

/* Conversations to delete with an agent or a workspace, of all users. */
struct conversation_of {
	struct str workspace_id;
	struct str agent_id;		/* p == NULL: all agents of the
					   workspace */
	const struct uuid *user;	/* only this user's; NULL: everyone's */
	/*
	 * Skip users who have a stored agent with that id below this parent; or
	 * NULL.
	 */
	const struct uuid *parent;
	int64_t since_us, before_us;	/* created between these times */
};

/*
 * Whether any user has a conversation in a workspace with this id, which may be
 * deleted. One read by a key. Database errors.
 */
int conversation_any_in(struct db *db, struct str tenant_id,
			struct str workspace_id, bool *any,
			struct err *e) MUST_CHECK;

/*
 * Requests the job that deletes them (conversation_delete_of), in the
 * transaction that deletes the row *what. *args: those of the job, in arena a.
 */
#define CONVERSATION_DELETE_JOB "agent-purge"
int conversation_delete_ask(struct db *tx, const struct owner *by,
			    const struct uuid *what,
			    const struct conversation_of *of, struct arena *a,
			    struct str *args, struct err *e) MUST_CHECK;

/*
 * After that transaction: deletes as many of them as a second allows before the answer,
 * so that nobody reads them any more; the job deletes the others. Reports to the log.
 */
void conversation_delete_now(struct db *db, const struct owner *by, struct str args);

/*
 * Runs that job, with its tenant, person and args: conversation_delete_by for each
 * conversation, until until_ms (monotonic). Returns 1 if none is left; 0 if it
 * must be called again; -1.
 */
int conversation_delete_of(struct db *db, const struct owner *by, struct str args,
			   int64_t until_ms, struct err *e) MUST_CHECK;

/*
 * Writes the record (B13, E19): workspaceId, agentId, conversationId, title,
 * participants (the user and the agent: [{kind, id}]), knowledgeBaseIds, knowledgeLimited,
 * archived, pinned, folderId, tags,
 * createdAt, updatedAt, messageCount, runningTurnId (null if no turn runs, or
 * its process died), waiting (whether that turn waits); for a fork forkedFrom
 * {conversationId, messageId}; for one of a
 * client, client.
 */
void conversation_write(struct jw *w, const struct conversation *c,
			int64_t now_us);

/*
 * Housekeeping: deletes expired rows (KEEP rows of resource.def), and requests
 * the purge of deleted conversations that have no job. Five round trips if
 * there is nothing to do. May run in several processes at once; about once a
 * minute is enough.
 */
int store_tidy(struct db *db, struct err *e) MUST_CHECK;

/*
 * Purges a deleted conversation with this id, for callers that found the id
 * taken: true if the id is free now, so that they may try again. Takes three
 * seconds at most.
 */
bool conversation_make_room(struct db *db, const struct uuid *id);

#endif
