/* SPDX-License-Identifier: MIT */
/*
 * Turns: one run of the loop, from a user message to the answer (DESIGN 4).
 *
 * A conversation runs one turn at a time. The turn's row carries a lease: the
 * process that runs it extends it (store_turn_touch); a turn whose lease has expired is dead,
 * and the next request for the conversation closes it as interrupted, keeping the
 * text so far. A process that was only slow then gets ERR_CONFLICT from its next
 * write and must stop.
 *
 * Leases compare clocks of different machines: they must agree within seconds.
 */
#ifndef STORE_TURN_H
#define STORE_TURN_H

#include "store/conversation.h"
#include "store/message.h"
#include "store/setting.h"
#include "store/store.h"
#include "store/usage.h"

#define TURN_LEASE_US 30000000

/*
 * How long a lease is: TURN_LEASE_US. Extend it after a sixth of that or sooner. Tests in
 * which processes die set a shorter one, for all processes: LAMPLIGHTER_TURN_LEASE_MS in
 * the environment, at least 2000. Any thread.
 */
int64_t store_turn_lease_us(void);

/*
 * A process that died may have sent more events to its listeners than it stored.
 * The number of an interrupted turn's terminal event leaves room for those.
 */
#define TURN_SEQ_GAP 65536

enum turn_status {
	TURN_RUNNING = 1, TURN_WAITING = 2, TURN_DONE = 3, TURN_ERROR = 4,
	TURN_CANCELLED = 5, TURN_INTERRUPTED = 6,
};

/* "running", "waiting", "done", … */
const char *store_turn_status_name(enum turn_status s);

struct turn {
	struct uuid id, conversation_id;
	int64_t status;			/* enum turn_status */
	int64_t lease_until_us;
	int64_t cancel_requested;	/* 0 or 1 */
	int64_t stop_us;		/* it is stopped then; 0 = nobody has left it */
	int64_t response_gone;		/* 0 or 1: store_turn_response_delete */
	int64_t user_seq;		/* of the user message */
	int64_t answer_seq;		/* 0 = none yet */
	int64_t last_event_seq;		/* of an ended or waiting turn: that
					   says so; while it runs: when it
					   waited last, or 0 */
	int64_t started_us, ended_us;	/* ended 0 = not yet */
	int64_t resumes;		/* since it began: the number of its run */
	struct str error_code, error_text;	/* wire code, public; or NULL */
	struct str client;	/* JSON: the options of its request
				   (context/options.h); or NULL */
};

/* What the stored events of a dead turn tell. */
struct event_summary {
	struct buf text;	/* the visible text of its last step */
	int64_t after_seq;	/* what is counted is behind this event; set before */
	int64_t calls;		/* of the model that have said something */
	int64_t output_bytes;	/* what it said in them: text, reasoning, calls */
	bool speaking;		/* the last of them may say more */
	int64_t last_seq;	/* number of the last event that was read */
};

/*
 * Reads one stored batch, whose first event is number seq; called for each, in
 * order. lib/turn, which packs the events, provides it; NULL if there are none.
 */
typedef void turn_text_fn(struct event_summary *sum, int64_t seq,
			  struct str data);

/* A turn that was ended so that another one can begin; id nil: none. */
struct turn_evicted {
	struct uuid id;
	enum turn_status status;	/* how it is now */
};

struct turn_begin {
	struct uuid turn_id;		/* made by the caller: uuid_new */
	struct uuid conversation_id;
	/*
	 * create: the conversation is made in the same transaction (its id is
	 * made by the caller) for this workspace and agent. Otherwise it must
	 * exist; workspace_id/agent_id, where given (p), must be its own
	 * (else ERR_NOT_FOUND).
	 */
	bool create;
	struct str workspace_id, agent_id;
	struct str title;	/* TITLE_FIRST_MESSAGE if it has none; or NULL */
	struct str content;	/* the user message */
	struct str meta;	/* JSON object text, or NULL */
	struct str client_id;	/* as struct message has them */
	struct message_options options;
	struct str client;	/* JSON: the page's tools (turn.client); or NULL */
	struct str program;	/* create: the client that the conversation belongs
				   to; or NULL */
	struct str provider, model;	/* of its service; or NULL */
	int64_t payer;			/* of it, as usage.payer */
	turn_text_fn *text_of_events;	/* to close a dead turn; or NULL */
	size_t n_history;	/* rows in front of the message that are wanted */
	/* Whose settings come along (store/setting.h): the user, the tenant, its
	   groups; of more than STORE_SETTINGS ids the first ones. */
	const struct uuid *holders;
	size_t n_holders;
	struct arena *arena;	/* for both; or NULL if none are wanted */
	struct db_early *commit;	/* to return before the COMMIT: db_early_end must
					   follow; or NULL */
	/* out: */
	struct message user;	/* as stored; content and meta borrowed */
	int64_t turn_number;	/* user messages so far, from 1 */
	bool titled;		/* the title was set by this call */
	struct message_page history;	/* oldest first; without the agent's
		ids. Empty if the outcome had to be looked up: see db_tx. */
	struct store_setting settings[STORE_SETTINGS];	/* text in arena */
	size_t n_settings;
	bool settings_known;	/* false: the outcome had to be looked up */
	struct turn_evicted evicted;	/* in front of it; also when it fails */
};

/*
 * Begins a turn in one transaction: takes the conversation, stores the user
 * message, makes the turn row (running, with a lease from now), sets
 * the title if it had none. A turn that waits is ended for it (store/wait.h). ERR_NOT_FOUND;
 * ERR_BUSY with the running turn's id in e->id; ERR_CONFLICT (create: id
 * taken). 1 round trip, with the rows that the message follows and the settings of
 * the holders. Not within db_tx.
 */
int store_turn_begin(struct db *db, const struct owner *o, struct turn_begin *b,
		     struct err *e) MUST_CHECK;

struct turn_continue {
	int64_t attempt_us;	/* of the attempt (store/attempt.h): 0 = now */
	struct uuid turn_id;		/* made by the caller: uuid_new */
	struct uuid of;			/* the turn that was cut short */
	struct str client;		/* turn.client; or NULL */
	struct str provider, model;	/* of its service; or NULL */
	int64_t payer;			/* of it, as usage.payer */
	/* out: */
	struct uuid conversation_id;
	int64_t user_seq;		/* of the user message, of both */
	int64_t last_seq;		/* of the thread: the old turn's answer */
	int64_t turn_number;
};

/*
 * Begins a turn that continues the last turn of the thread after it was cut short
 * (interrupted, cancelled or error). No row is added to the thread. ERR_NOT_FOUND;
 * ERR_BUSY with the running turn's id in e->id; ERR_CONFLICT if it was not cut
 * short, or the thread has newer messages.
 */
int store_turn_continue(struct db *db, const struct owner *o, struct turn_continue *r,
			struct err *e) MUST_CHECK;

/*
 * Stores the rows of one step: the assistant row with its tool calls and the
 * tool rows. In: role, content, meta of each; out: seq, turn_id, created_us.
 * Rows that an earlier call has numbered keep their time: if that call failed after
 * everything was stored, they are not stored again. ERR_CONFLICT if the turn is not
 * running any more. 3 round trips; 1 for 2 to 4 rows if last_seq is the number of
 * the thread's last row (0: the caller does not know it, or is within db_tx).
 */
int store_turn_append(struct db *db, const struct owner *o,
		      const struct uuid *conversation_id, const struct uuid *turn_id,
		      int64_t last_seq, struct message *rows, size_t n,
		      struct err *e) MUST_CHECK;

struct turn_events {		/* one batch of one turn's events */
	struct uuid turn_id;
	int64_t seq;		/* number of the first event in it, from 1 */
	int64_t n;		/* numbers that it covers, below 65536 */
	struct str data;	/* packed by the caller; at most 1 MiB */
	/* as read: its place in a journal (store/journal.h); number 0 = none */
	struct uuid process;
	int64_t number;
	struct str key;		/* for journal_open; NULL = it is open */
};

struct turn_end {
	struct uuid turn_id, conversation_id;
	int64_t resumes;	/* turn.resumes of the run that ends */
	enum turn_status status;	/* DONE, ERROR, CANCELLED, INTERRUPTED */
	struct message *answer;		/* role, content, meta in; seq … out;
					   NULL = no answer row */
	const struct usage *usage;	/* or NULL */
	const char *error_code;		/* wire code; or NULL */
	const char *error_text;		/* public text; or NULL */
	const struct turn_events *events;	/* not flushed yet */
	size_t n_events;
	int64_t last_event_seq;		/* number of the terminal event */
	const struct job *job;	/* asked for with it, and taken already; or NULL */
	int64_t ended_us;	/* of the attempt (store/attempt.h): 0 = now */
};

/*
 * Ends a turn in one transaction: answer row, usage record, turn status, the
 * last events, a job; the conversation is free and moves to the top. So who finds a
 * turn ended finds all its events. ERR_CONFLICT when the run is over:
 * someone else has closed the turn, or it waits, or was resumed (or the
 * conversation was deleted). 1 round trip; 4 more where
 * there is more than one batch of events, which are then stored before. Not
 * within db_tx. store_turn_end_late asks for no job.
 */
int store_turn_end(struct db *db, const struct owner *o, struct turn_end *t,
		   struct err *e) MUST_CHECK;

/*
 * Stores an end that store_turn_end could not store when it was due, with rows of
 * steps that were not stored either: as store_turn_end where the turn still has its
 * conversation; where others have closed it as interrupted, in place of what
 * they have stored. Done before: nothing happens. *end as for store_turn_end, with
 * ended_us; no events. ERR_NOT_FOUND; ERR_BUSY with the running turn's id in
 * e->id; ERR_CONFLICT when the turn was ended otherwise, waits or was resumed
 * since (it is the end of one run, end->resumes), or the thread has
 * continued in a way that leaves no place for it. Not within db_tx.
 */
int store_turn_end_late(struct db *db, const struct owner *o, struct turn_end *end,
			struct message *steps, size_t n_steps,
			struct err *e) MUST_CHECK;

/* By id. ERR_NOT_FOUND. Text in a. A dead turn still reads `running`; see
   store_turn_recover. */
int store_turn_get(struct db *db, const struct owner *o, const struct uuid *id,
		   struct arena *a, struct turn *out, struct err *e) MUST_CHECK;

/*
 * Closes the turn as interrupted if it is running with an expired lease, and stores
 * the text so far as its answer and an estimated usage record (usage_settle).
 * *closed: this call has closed it. Readers call it when they find a dead turn.
 * ERR_NOT_FOUND.
 */
int store_turn_recover(struct db *db, const struct owner *o,
		       const struct uuid *turn_id, turn_text_fn *text_of_events,
		       bool *closed, struct err *e) MUST_CHECK;

/*
 * The process of a turn ends, or has died, within its plan: if the plan is open, notes that
 * steps of it can go on, and asks for the job that goes on with it (turn/wake.h): later_us
 * from now, in which the user may be faster. *open: whether it is. In the transaction that
 * leaves the turn waiting, or after it.
 */
int store_turn_cut(struct db *tx, const struct owner *o, const struct uuid *turn_id,
		   int64_t later_us, bool *open, struct err *e) MUST_CHECK;

/* So long is left to the user, whose page may look. */
int64_t store_turn_later_us(void);

struct turn_dead {		/* a running turn whose lease is over */
	struct uuid id, conversation_id;
	struct str tenant_id;	/* of its owner */
	struct uuid user_id;
};

/*
 * Dead turns of all owners that store_turn_recover closes, at most max, in no order;
 * only those that died a lease ago or longer, so that a process that gets its
 * database back can still end its own. Text in a.
 */
int store_turn_dead_list(struct db *db, size_t max, struct arena *a,
			 struct turn_dead **out, size_t *n, struct err *e) MUST_CHECK;

/*
 * Makes t, which the caller owns, a turn without a response: a program does not see it
 * any more. 1: its conversation has other turns that have one; 0: it has none.
 */
int store_turn_response_delete(struct db *db, const struct turn *t,
			       struct err *e) MUST_CHECK;

/*
 * Tells a running turn to stop; its process notices at its next store_turn_poll. Does
 * nothing to a turn that has ended. ERR_NOT_FOUND. The new state is in *out (text
 * in a).
 */
int store_turn_cancel(struct db *db, const struct owner *o, const struct uuid *id,
		      struct arena *a, struct turn *out, struct err *e) MUST_CHECK;

/*
 * Another service answers this running turn: what it cost, should its process die,
 * is estimated for that one. Nothing happens to a turn that does not run.
 */
int store_turn_served(struct db *db, const struct uuid *id, struct str provider,
		      struct str model, int64_t payer,
		      struct err *e) MUST_CHECK;

/* -- for the process that runs or watches many turns at once --------------- */

/* The owner's turns that run, at most max of them, into out. */
int store_turn_running(struct db *db, const struct owner *o, struct uuid *out,
		       size_t max, size_t *n, struct err *e) MUST_CHECK;

/* Extends the leases of running turns, in one statement. No owner: the ids
   are this process's own turns. */
int store_turn_touch(struct db *db, const struct uuid *ids, size_t n,
		     struct err *e) MUST_CHECK;

/*
 * The client of a running turn has left, which stops at that time; 0: one watches it
 * again. No owner: the caller has checked that it may be watched.
 */
int store_turn_left(struct db *db, const struct uuid *turn, int64_t stop_us,
		    struct err *e) MUST_CHECK;

struct turn_state {
	struct uuid id;
	int64_t status;			/* 0 = there is no such turn */
	int64_t cancel_requested, stop_us;	/* as struct turn has them */
	int64_t last_event_seq;
	int64_t lease_until_us;
	struct uuid journal_id;		/* where its events are; nil: none yet */
};

/*
 * The states of n turns, in the order of ids, one statement per 256. The
 * caller has checked that they may be watched.
 */
int store_turn_poll(struct db *db, const struct uuid *ids, size_t n,
		    struct turn_state *out, struct err *e) MUST_CHECK;

/*
 * Stores batches of turns as rows of their own, in front of the last one that
 * store_turn_end stores, and extends their leases: one transaction of 4 round trips (one
 * more per 256 batches). Batches of turns that do not run any more are left out.
 * Storing a batch twice has no effect, and a longer batch replaces one that begins
 * with the same event. Batches of one turn must be in order. Events of running turns
 * go to the journal instead (store/journal.h).
 */
int store_turn_flush(struct db *db, const struct turn_events *rows, size_t n,
		     struct err *e) MUST_CHECK;

/*
 * Batches of a turn that end after event after_seq (0 = all), at most
 * max_rows and LIM_PAGE_BYTES (but one), in order; *more: there may be others
 * behind them. Batches may overlap. from: a batch read before, whose place in
 * the journal spares the search for those in front of it; or NULL. Text in a.
 * ERR_NOT_FOUND.
 */
int store_turn_events_list(struct db *db, const struct owner *o,
			   const struct uuid *turn_id, int64_t after_seq,
			   const struct turn_events *from, size_t max_rows,
			   struct arena *a, struct turn_events **out, size_t *n,
			   bool *more, struct err *e) MUST_CHECK;

/*
 * The number of the last event that is stored, also while the turn runs. The
 * caller has checked whose turn it is. 0: there is no such turn.
 */
int store_turn_events_last(struct db *db, const struct uuid *turn_id, int64_t *seq,
			   struct err *e) MUST_CHECK;

#endif
