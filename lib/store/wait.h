/* SPDX-License-Identifier: MIT */
/*
 * What a turn waits for: one row per tool call that needs the user's approval,
 * the browser, or an answer of the user. While one of them is open, the turn's
 * status is TURN_WAITING and no process runs it or keeps state: the request
 * that answers a row resumes the turn.
 *
 * A decision is one conditional UPDATE of an open row, so it is made once. It
 * is applied once (used_us), by the one request that changed the turn from
 * waiting to running. Both write the turn's row, so on a Galera cluster one of
 * two concurrent transactions is refused at commit and runs again.
 */
#ifndef STORE_WAIT_H
#define STORE_WAIT_H

#include "store/turn.h"

#define WAIT_DIGEST_BYTES 32

enum wait_kind {
	WAIT_APPROVAL = 1,	/* may this call run? */
	WAIT_CLIENT = 2,	/* the page runs it */
	WAIT_QUESTION = 3,	/* the user answers */
};

enum wait_status {
	WAIT_OPEN = 1, WAIT_APPROVED = 2, WAIT_DENIED = 3, WAIT_EXPIRED = 4,
	WAIT_SUPERSEDED = 5,	/* the user continued otherwise, or stopped the
				   turn */
	WAIT_ANSWERED = 6,	/* result is set */
};

enum {				/* flags */
	WAIT_EDITABLE = 1, WAIT_REMEMBER = 2,
	WAIT_INNER = 4,		/* of a step of a plan: the thread has no such call */
};

/* "open", "approved", …; "approval", "client-tool", "clarification". */
const char *wait_status_name(enum wait_status s);
const char *wait_kind_name(enum wait_kind k);

struct turn_wait {
	struct uuid turn_id;
	int64_t position;	/* 1, 2, … within the turn */
	struct uuid id;
	struct uuid conversation_id;
	int64_t kind, status;	/* enum wait_kind, enum wait_status */
	struct str call_id, tool;
	int64_t effect;		/* enum tool_effect */
	int64_t flags;		/* WAIT_EDITABLE, WAIT_REMEMBER */
	struct str reason;	/* "policy", "tainted", "intent"; or empty */
	struct str origins;	/* JSON: origins of untrusted text that the
				   model has read; or NULL */
	struct str args;	/* as shown: canonical JSON */
	struct str digest;	/* WAIT_DIGEST_BYTES: wait_digest of them */
	struct str edited;	/* as edited by the user; p == NULL: unchanged */
	struct str result;	/* JSON; p == NULL: none */
	int64_t is_error;
	int64_t created_us, expires_us;
	int64_t decided_us;	/* 0 = open */
	int64_t decided_seq;	/* the turn's last event at that time; 0 = open */
	struct uuid decided_by;
	struct str decided_via;
	int64_t used_us;	/* 0 = not applied yet */
};

/*
 * The digest that an approval is bound to: turn, call, tool and canonical
 * arguments.
 */
void wait_digest(const struct uuid *turn_id, struct str call_id,
		 struct str tool, struct str args,
		 unsigned char out[WAIT_DIGEST_BYTES]);

/* A copy whose texts are in a. */
void store_turn_wait_copy(struct turn_wait *to, const struct turn_wait *w, struct arena *a);

/* -- for the process that runs the turn ---------------------------------------- */

/* How long a turn waits for nobody, until somebody goes on with its plan: a week. */
#define TURN_SLEEP_US 604800000000

struct turn_pause {
	int64_t attempt_us;	/* of the attempt (store/attempt.h): 0 = now */
	struct uuid turn_id, conversation_id;
	int64_t resumes;	/* turn.resumes of the run that ends */
	struct message *rows;		/* of the step, as for store_turn_append */
	size_t n_rows;
	/* New ones; position, tenant and owner are set here. */
	struct turn_wait *waits;
	size_t n_waits;
	const struct usage *usage;	/* of this part of the turn; or NULL */
	const struct turn_events *events;	/* not flushed yet */
	size_t n_events;
	int64_t last_event_seq;		/* of the event WAITING */
	int64_t until_us;		/* latest expiry of a wait; or TURN_SLEEP_US from now */
	bool cut;	/* the process ends: what does not wait goes on elsewhere */
	/* out: */
	bool news;	/* a decision was made meanwhile, so it does not wait;
			   rows and waits are stored nevertheless */
	bool over;	/* an earlier try has stored it, and the turn was
			   resumed or given up since */
};

/*
 * Stores rows, waits and events, and leaves the turn waiting (with news:
 * running), in one transaction. A retry with the same attempt_us, rows and
 * waits recognises what an earlier try has stored, even if the turn was resumed
 * or given up since; while it waits, later events are added. ERR_CONFLICT if
 * the turn was closed.
 */
int store_turn_pause(struct db *db, const struct owner *o, struct turn_pause *p,
		     struct err *e) MUST_CHECK;

struct turn_ask {		/* as for a pause */
	struct uuid turn_id, conversation_id;
	int64_t resumes;
	struct turn_wait *waits;
	size_t n_waits;
};

/*
 * Stores what a turn waits for that runs on. ERR_CONFLICT: it does not run any more, or
 * another process runs it.
 */
int store_turn_ask(struct db *db, const struct owner *o, struct turn_ask *p,
		   struct err *e) MUST_CHECK;

/*
 * Takes the rows that were decided, each once, and those that have expired:
 * *out by position, text in a. For the process that runs the turn.
 */
int store_turn_wait_take(struct db *db, const struct owner *o,
			 const struct uuid *turn_id, struct arena *a,
			 struct turn_wait **out, size_t *n, struct err *e) MUST_CHECK;

/* -- for requests ---------------------------------------------------------------- */

struct turn_decision {
	struct uuid id;			/* of the row */
	enum wait_kind kind;		/* required */
	enum wait_status status;	/* APPROVED, DENIED, ANSWERED */
	struct str digest;		/* required; p == NULL: any */
	struct str edited;		/* canonical JSON; p == NULL: as shown */
	struct str result;		/* JSON; p == NULL: none */
	bool is_error;
	bool remember;			/* always allow in this conversation */
};

struct turn_resume {
	struct uuid turn_id;
	const struct turn_decision *decisions;
	size_t n;
	struct str via;			/* identity_kind_name */
	/* out: */
	bool resumed;			/* by this call: the caller runs it, as
					   run number turn.resumes + 1 */
	struct turn turn;		/* before the decision; without texts */
	int64_t last_seq;		/* of the thread */
	int64_t turn_number;
	int64_t variant_index, variant_count;	/* of the new answer; or 0 */
};

/*
 * Stores decisions, all or none, and takes the turn: it is resumed with a lease
 * from now, or, if it runs, left to its process, which applies them before it would wait
 * again. ERR_NOT_FOUND; ERR_CONFLICT if it does not wait any more, a row was decided
 * before, or the digest differs; ERR_EXPIRED.
 */
int store_turn_resume(struct db *db, const struct owner *o, struct turn_resume *w,
	      struct err *e) MUST_CHECK;

/* All rows of a turn by position; none for turns of other users. Text in a. */
int store_turn_wait_list(struct db *db, const struct owner *o,
			 const struct uuid *turn_id, struct arena *a,
			 struct turn_wait **out, size_t *n, struct err *e) MUST_CHECK;

/*
 * Open approvals of all of the owner's waiting turns, newest first: at most
 * max, with at most LIM_PAGE_BYTES of text.
 */
int store_turn_wait_open(struct db *db, const struct owner *o, size_t max,
			 struct arena *a, struct turn_wait **out, size_t *n,
			 struct err *e) MUST_CHECK;

/* A tool that the user has allowed for the rest of a conversation. */
struct wait_allowed {
	struct str tool;
	struct uuid wait_id;	/* the row at which it was decided */
	int64_t created_us;
};

/*
 * All of a conversation, by name; none for other users' conversations. Text in
 * a.
 */
int wait_allowed_list(struct db *db, const struct owner *o,
		      const struct uuid *conversation_id, struct arena *a,
		      struct wait_allowed **out, size_t *n,
		      struct err *e) MUST_CHECK;

/*
 * Revokes the permission: the next call of the tool asks again. *was: it had
 * been allowed, in a conversation of the owner.
 */
int wait_revoke(struct db *db, const struct owner *o,
		const struct uuid *conversation_id, struct str tool, bool *was,
		struct err *e) MUST_CHECK;

/*
 * Ends a waiting turn without resuming it: its open calls get an error result
 * with the reason (every call needs an answer, B15), the turn is cancelled, and
 * the conversation becomes free. *closed: it was waiting. In a transaction of
 * its own.
 */
int store_turn_abandon(struct db *db, const struct owner *o,
		       const struct uuid *turn_id, bool *closed,
		       struct err *e) MUST_CHECK;

#endif
