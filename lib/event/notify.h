/* SPDX-License-Identifier: MIT */
/*
 * Notices from their senders to the users' subscriptions (E5, E8), by way of
 * the store: all listeners, in any process, read the same numbered rows
 * (store/notice.h).
 *
 * What was changed of resources (resource/change.h) needs no sender: the thread finds the
 * rows, which every change has written, and who reads what was changed. So a process that
 * dies after a commit loses none; and one who comes back gets what was changed meanwhile.
 *
 * One thread per process stores the notices of the process (in batches every
 * 250 ms, at once if the user is watched here), finds out with one query every
 * 250 ms what watched users have got from all processes, and hands it to the
 * subscriptions. These have no threads: this one calls them, so they must never
 * block. It sleeps while there is nothing to store and no subscription.
 */
#ifndef EVENT_NOTIFY_H
#define EVENT_NOTIFY_H

#include "base/err.h"
#include "store/notice.h"
#include "store/turn.h"

struct notify;

/* Starts the thread. The caller owns the result. */
struct notify *notify_new(struct db *db, struct err *e) MUST_CHECK;

/* Ends all subscriptions and stores what is queued. Accepts NULL. */
void notify_free(struct notify *n);

/*
 * -- for senders; n may be NULL: nobody is notified. --------------------------
 *
 * None of these waits for the store. A process that dies loses at most the last
 * 250 ms; a long outage of the store loses the oldest notices.
 */

/* A turn's status has changed. */
void notify_turn(struct notify *n, const struct owner *o,
		 const struct uuid *turn, const struct uuid *conversation,
		 enum turn_status status);

/*
 * Reports the end of a turn that was ended by another change (v, from a store
 * function that ends turns), which nobody else reports. Does nothing if v has
 * none.
 */
void notify_evicted(struct notify *n, const struct owner *o,
		    const struct uuid *conversation,
		    const struct turn_evicted *v);

/* A conversation got this title, from its first message or from a model. */
void notify_title(struct notify *n, const struct owner *o,
		  const struct uuid *conversation, struct str title);

/* A conversation was "created", "renamed" (to title), "moved" (arranged) or "deleted". */
void notify_conversation(struct notify *n, const struct owner *o,
			 const struct uuid *conversation, const char *change,
			 struct str title);

/*
 * Progress of a user's task, which is a turn. status is its own word; total -1:
 * unknown.
 */
void notify_job(struct notify *n, const struct owner *o, const struct uuid *job,
		const char *status, int64_t done, int64_t total);

/*
 * Asks the user's pages to reload: "messages" of the conversation, or another
 * part of the page (conversation may be NULL).
 */
void notify_refresh(struct notify *n, const struct owner *o, const char *what,
		    const struct uuid *conversation);

/*
 * Tells o of a change of the kind TITLE or REFRESH: queued, or if n is NULL stored at once,
 * since work after a turn may run in a process without subscribers. what.word must be
 * constant. A failure is logged.
 */
void notify_or_store(struct notify *n, struct db *db, const struct owner *o,
		     const struct notice *what);

/* -- for subscribers. Any thread. --------------------------------------------- */

struct notify_sub;

/* Callbacks of a subscription. The thread calls them; they must not block. */
struct notify_ops {
	/*
	 * Takes rows in order (some may be at or before sub->after) and
	 * advances sub->after past those that it took; the others are passed
	 * again. Missing numbers have expired. A row of kind 0 is no notice: it
	 * says that all before its number have expired. False: end the
	 * subscription.
	 */
	bool (*tell)(struct notify_sub *sub, const struct notice *rows,
		     size_t n);
	/*
	 * Takes what was changed in projects that the subscriber reads (NOTICE_PATCH), each
	 * change of a row after those before it, and what else to read again
	 * (NOTICE_REFRESH); some may come twice. False: as above.
	 */
	bool (*patch)(struct notify_sub *sub, const struct notice *rows, size_t n);
	/*
	 * sub->due_ms is reached, or the peer may have left, which a write
	 * would show. Sets the next due_ms. False: end the subscription.
	 */
	bool (*due)(struct notify_sub *sub, int64_t now_ms);
	/*
	 * The last call: the subscription is over, the peer left, or the
	 * process ends. Frees sub.
	 */
	void (*end)(struct notify_sub *sub);
};

struct notify_sub {	/* embedded in the subscriber's struct */
	const struct notify_ops *ops;
	struct owner owner;	/* the text lives as long as sub */
	const struct uuid *readers;	/* what they read rows as; it lives as long, too */
	size_t n_readers;
	bool projects;		/* they may read projects */
	int64_t back_us;	/* they were here before, and may lack what was changed since */
	int64_t after;		/* number of the newest notice taken */
	int64_t last_seq;	/* what notice_listen said */
	int64_t due_ms;		/* monotonic */
	int fd;			/* polled for a hang-up of the peer; -1: none */

	/* used by the thread */
	struct notify_sub *next;
	bool hung_up;
	bool looked;		/* has what was changed before it came */
};

/*
 * Reserves a place for one subscription; false if the process is about to end. The
 * place is released when the subscription ends.
 */
bool notify_reserve(struct notify *n);

/* Adds sub, which has a place. Callbacks may begin before this returns. */
void notify_add(struct notify *n, struct notify_sub *sub);

/* Number of places taken. */
int notify_count(struct notify *n);

/* Ends all subscriptions, and new ones at once: for a shutdown. */
void notify_stop(struct notify *n);

/* Waits until no subscription is left. */
void notify_wait(struct notify *n);

#endif
