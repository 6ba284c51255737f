/*
 * Notices from those who make them to those who watch (E5, E8), with the store
 * between them: whoever listens, in whichever process, reads the same numbered
 * rows (store/notice.h).
 *
 * One thread of the process does it all: it stores what was sent in this process
 * (in batches, every 250 ms, at once when somebody here watches that user), finds
 * out with one query every 250 ms what the watched users have got from all
 * processes, and hands it to the subscriptions. Those are no threads: they are
 * called by this one, and must never wait. It sleeps while there is nothing to
 * store and nobody to tell.
 */
#ifndef TURN_NOTIFY_H
#define TURN_NOTIFY_H

#include "base/err.h"
#include "store/notice.h"
#include "store/turn.h"

struct notify;

/* Starts the thread. Owned by the caller. */
struct notify *notify_new(struct db *db, struct err *e) MUST_CHECK;

/* Ends all subscriptions, stores what is left. NULL is fine. */
void notify_free(struct notify *n);

/*
 * -- for those who make notices; n may be NULL: nobody is told. --------------
 *
 * Never wait for the store. What a process has not stored when it dies is lost
 * (at most 250 ms of it); when the store is away for long, the oldest are.
 */

/* A turn has this status now. */
void notify_turn(struct notify *n, const struct owner *o,
		 const struct uuid *turn, const struct uuid *conversation,
		 enum turn_status status);

/*
 * A turn that another change took the place of (v, of a store function that
 * ends turns): nobody else tells of its end. Nothing where none was.
 */
void notify_evicted(struct notify *n, const struct owner *o,
		    const struct uuid *conversation,
		    const struct turn_evicted *v);

/* A conversation got this title, by its first message or by a model. */
void notify_title(struct notify *n, const struct owner *o,
		  const struct uuid *conversation, struct str title);

/* A conversation was "created", "renamed" (to title) or "deleted". */
void notify_conversation(struct notify *n, const struct owner *o,
			 const struct uuid *conversation, const char *change,
			 struct str title);

/*
 * A job of the user's is so far: a task, which is a turn. status is its own word,
 * total -1: unknown.
 */
void notify_job(struct notify *n, const struct owner *o, const struct uuid *job,
		const char *status, int64_t done, int64_t total);

/*
 * The user's pages should read this again: "messages" of the conversation, or
 * what else they show (conversation may be NULL).
 */
void notify_refresh(struct notify *n, const struct owner *o, const char *what,
		    const struct uuid *conversation);

/* -- for those who watch. Any thread. ----------------------------------------- */

struct notify_sub;

/* What a subscription does; called by the thread, which they must not hold up. */
struct notify_ops {
	/*
	 * Takes rows (in order; some may not be behind sub->after) and moves
	 * sub->after on past those that it could take; what it could not comes
	 * again. Numbers that are left out have expired; a row of kind 0 is
	 * none, and only says with its number that all before it have. False:
	 * it is over.
	 */
	bool (*tell)(struct notify_sub *sub, const struct notice *rows,
		     size_t n);
	/*
	 * The time sub->due_ms has come, or the peer may have gone, which a
	 * write would show; sets the next time. False: it is over.
	 */
	bool (*due)(struct notify_sub *sub, int64_t now_ms);
	/* The last call: over, hung up, or the process ends. Frees sub. */
	void (*end)(struct notify_sub *sub);
};

struct notify_sub {	/* in a structure of the subscriber's */
	const struct notify_ops *ops;
	struct owner owner;	/* the text lives as long as sub */
	int64_t after;		/* number of the newest notice that it has */
	int64_t last_seq;	/* what notice_listen said */
	int64_t due_ms;		/* monotonic */
	int fd;			/* hangs up when the peer leaves; -1: none */

	/* the thread's */
	struct notify_sub *next;
	bool hung_up;
};

/*
 * A place for one subscription, when fewer than max have one; false else. It
 * is given back when the subscription ends.
 */
bool notify_reserve(struct notify *n, int max);

/* Hands over sub, which has a place. Its calls may begin before this returns. */
void notify_add(struct notify *n, struct notify_sub *sub);

/* How many have a place now. */
int notify_count(struct notify *n);

/* Ends all subscriptions, and from now on new ones at once: for a shutdown. */
void notify_stop(struct notify *n);

/* Waits until there is no subscription any more. */
void notify_wait(struct notify *n);

#endif
