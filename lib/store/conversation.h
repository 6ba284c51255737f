/*
 * Conversations: belong to one user and one agent (B5). Listing is keyset over
 * (updated_us, id), newest first, at any depth one index range.
 */
#ifndef STORE_CONVERSATION_H
#define STORE_CONVERSATION_H

#include "store/store.h"

/* Who chose the title; a model never overwrites a person's. */
enum title_by { TITLE_NONE, TITLE_FIRST_MESSAGE, TITLE_MODEL, TITLE_USER };

struct conversation {
	struct uuid id;
	struct str workspace_id, agent_id;
	struct str title;		/* p == NULL: none yet */
	struct str knowledge;		/* JSON: ids of bases; p == NULL: not said */
	int64_t title_by;		/* enum title_by */
	struct uuid user_id;		/* whose it is */
	int64_t last_seq;		/* newest number that was given */
	int64_t superseded;		/* numbers that are not in the thread */
	int64_t version;		/* moved by every change, see stmt.def */
	struct uuid forked_from;	/* conversation; nil: none */
	int64_t forked_seq;		/* of the last message copied; 0: none */
	struct uuid running_turn_id;	/* nil: not answering */
	int64_t running_until_us;	/* its lease; 0 when nil */
	int64_t running_status;		/* enum turn_status; 0 when nil */
	int64_t created_us, updated_us;
};

/* A conversation is answering while its turn's lease has not expired. */
bool conversation_running(const struct conversation *c, int64_t now_us);

/* Whether that turn does not answer, but waits for the user. */
bool conversation_waiting(const struct conversation *c, int64_t now_us);

struct conversation_new {
	const struct uuid *id;		/* client's own, or NULL: made here */
	struct str workspace_id, agent_id;
	struct str title;		/* p == NULL: none */
	struct str knowledge;		/* JSON: ids of bases; p == NULL: not said */
};

/*
 * Creates; *out as conversation_get would give it (text borrowed from n).
 * ERR_CONFLICT if the id is taken, by whomever. The caller has checked workspace
 * and agent.
 */
int conversation_create(struct db *db, const struct owner *o,
			const struct conversation_new *n,
			struct conversation *out, struct err *e) MUST_CHECK;

/* ERR_NOT_FOUND. Text in a. */
int conversation_get(struct db *db, const struct owner *o,
		     const struct uuid *id, struct arena *a,
		     struct conversation *out, struct err *e) MUST_CHECK;

/* Position in a list: the last row that was given. */
struct conversation_key {
	int64_t updated_us;	/* created_us with by_creation */
	struct uuid id;
};

struct conversation_filter {
	struct str workspace_id;	/* p == NULL: any */
	struct str agent_id;		/* p == NULL: any */
	struct str title;		/* part of the title, any case; NULL: any */
	bool by_creation;		/* B28; with workspace and agent only */
};

struct conversation_page {
	struct conversation *items;	/* arena */
	size_t n;
	bool more;
	struct conversation_key next;	/* of the last one looked at; when more */
};

/*
 * One page, newest first, of at most size (1..LIM_PAGE_MAX) conversations
 * after `after` (NULL = from the newest). f may be NULL. With a filter, a page
 * examines LIM_LOOKED_AT of them: it may have fewer items, or none, and still be
 * followed by more.
 */
int conversation_list(struct db *db, const struct owner *o,
		      const struct conversation_filter *f,
		      const struct conversation_key *after, size_t size,
		      struct arena *a, struct conversation_page *out,
		      struct err *e) MUST_CHECK;

/*
 * The ids of the owner's conversations behind `after` (nil: from the first) in the
 * order of ids, at most max, into out. Whoever walks them gets each that is there
 * all the time, whatever is written meanwhile: the order of conversation_list moves.
 */
int conversation_ids(struct db *db, const struct owner *o,
		     const struct uuid *after, struct uuid *out, size_t max,
		     size_t *n, struct err *e) MUST_CHECK;

/*
 * How many there are with this filter (totalCount); -1 for an owner of more
 * than LIM_COUNTED conversations.
 */
int conversation_count(struct db *db, const struct owner *o,
		       const struct conversation_filter *f, int64_t *out,
		       struct err *e) MUST_CHECK;

/*
 * Sets the title of a person (TITLE_USER) or of the model (TITLE_MODEL: does
 * nothing, and *changed is false, if a person has named it in the meantime).
 * title.p == NULL removes it. changed may be NULL. ERR_NOT_FOUND. A person's title
 * moves the conversation in the list, a model's does not.
 */
int conversation_rename(struct db *db, const struct owner *o,
			const struct uuid *id, struct str title,
			enum title_by by, bool *changed,
			struct err *e) MUST_CHECK;

/*
 * Sets a person's title if the conversation still has that version (-1: any).
 * Otherwise as conversation_rename. ERR_PRECONDITION, ERR_NOT_FOUND.
 */
int conversation_rename_at(struct db *db, const struct owner *o,
			   const struct uuid *id, struct str title,
			   int64_t version, struct err *e) MUST_CHECK;

/*
 * Sets the knowledge bases that it is limited to (JSON; p == NULL: not said) if it
 * still has that version (-1: any). ERR_PRECONDITION, ERR_NOT_FOUND.
 */
int conversation_limit_at(struct db *db, const struct owner *o,
			  const struct uuid *id, struct str knowledge,
			  int64_t version, struct err *e) MUST_CHECK;

/*
 * Deletes it for every reader at once and requests the job that deletes its
 * messages, turns and other rows; titles in notices are blanked. A running turn is
 * cancelled first: its process stops at the next touch, and all its later writes
 * fail with ERR_CONFLICT. ERR_NOT_FOUND.
 */
int conversation_delete(struct db *db, const struct owner *o,
			const struct uuid *id, struct err *e) MUST_CHECK;

/*
 * That job: works in bounded batches until the monotonic time until_ms; usage
 * records stay for accounting but lose the link. Returns 1 if nothing is left, 0 if
 * it must be called again, -1. Does nothing to a conversation that is not deleted.
 * Any number may run at the same time.
 */
#define CONVERSATION_PURGE_JOB "conversation-purge"
int conversation_purge(struct db *db, const struct uuid *id, int64_t until_ms,
		       struct err *e) MUST_CHECK;

/*
 * The conversations that go with an agent or a workspace, whoever's they are.
 */
struct conversation_of {
	struct str workspace_id;
	struct str agent_id;		/* p == NULL: all of the workspace */
	const struct uuid *user;	/* only theirs; NULL: everyone's */
	/* Not of users who have a stored agent of that id below it; or NULL. */
	const struct uuid *parent;
	int64_t since_us, before_us;	/* that were made from then until then */
};

/*
 * Whether anybody has a conversation in a workspace of this id, which need not be
 * there any more. One read by a key. Errors of the database.
 */
int conversation_any_in(struct db *db, struct str tenant_id,
			struct str workspace_id, bool *any,
			struct err *e) MUST_CHECK;

/*
 * Asks for the job that deletes them (conversation_delete_of), in the transaction
 * that deletes the row *what.
 */
#define CONVERSATION_DELETE_JOB "agent-purge"
int conversation_delete_ask(struct db *tx, struct str tenant_id,
			    const struct uuid *what,
			    const struct conversation_of *of,
			    struct err *e) MUST_CHECK;

/*
 * That job, with its tenant and args: as conversation_delete for each, until the
 * monotonic time until_ms. Returns 1 when there are none left, 0 if it must be called
 * again, -1.
 */
int conversation_delete_of(struct db *db, struct str tenant_id, struct str args,
			   int64_t until_ms, struct err *e) MUST_CHECK;

/*
 * Asks for CONVERSATION_PURGE_JOB for what is deleted and has none: an older program ended in
 * the middle, or the job failed for good and was forgotten. For store_tidy.
 */
int conversation_adopt(struct db *db, struct err *e) MUST_CHECK;

/*
 * Writes the record (B13, E19): workspaceId, agentId, conversationId, title,
 * participants (the user and the agent: [{kind, id}]), knowledgeBaseIds,
 * createdAt, updatedAt, messageCount, runningTurnId (null if no turn runs, or its
 * process died); forkedFrom {conversationId, messageId} if it is a fork.
 */
void conversation_write(struct jw *w, const struct conversation *c,
			int64_t now_us);

/*
 * Whether the id, which a deleted conversation had, is free now, for callers that
 * found it taken and may try again. Takes three seconds at most.
 */
bool conversation_made_room(struct db *db, const struct uuid *id);

#endif
