/* SPDX-License-Identifier: MIT */
/*
 * Places at the web server. An answer that stays open occupies something that the
 * web server in front has few of: a thread of Apache, a process under CGI and
 * mod_fcgid, a connection of lighttpd and nginx. The rest of the site needs the same
 * thing, so notification streams and answers may each occupy only a part of it
 * (server.workers, server.notification_percent, server.answer_percent).
 *
 * Beyond its part nothing waits: an answer is sent as far as it is known, and its
 * Retry-After says when to ask again. A turn runs on without its client.
 *
 * One responder knows its own number. Several processes of a machine share the part
 * equally: each records in the store that it keeps answers open, and reads how many
 * do. Under CGI and mod_fcgid each process has one answer, so that their number is
 * the number of answers; there, notifications are never kept open.
 */
#ifndef APP_PLACES_H
#define APP_PLACES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "doctor/doctor.h"

struct app;
struct request;
struct share_part;

enum place_kind {
	PLACE_NOTIFICATION,	/* streams of notifications, long polls */
	PLACE_ANSWER,		/* requests that wait for a model, or follow a turn */
	PLACE__MAX
};

/* Of a process, in struct app; all zero at first. */
struct places {
	atomic_int others;		/* processes of this machine besides this one */
	atomic_int_fast64_t looked_ms;	/* when they were counted */
	atomic_bool recorded;		/* this one, in the store */
	atomic_int_fast64_t web;	/* the web server's pid, times 2^32, and how many
					   files it may open */
	atomic_int_fast64_t refused[PLACE__MAX];	/* since the start */
};

/* How long a client that found no place waits before it asks again. */
#define PLACE_NOTIFICATION_S 20
#define PLACE_ANSWER_S       1

/* Whether an answer that lasts keeps a whole process of the web server busy: plain CGI, fcgid. */
bool places_hold_process(const struct request *rq);

/*
 * Whether the connection of a client that asks again later shall end with the answer:
 * Apache's prefork MPM keeps a process for one that is idle, for KeepAliveTimeout.
 */
bool places_close_idle(const struct request *rq);

/* How many requests the web server serves at the same time, as far as is known. */
int places_workers(const struct request *rq);

/* What all processes together, and this one, may keep open now; 0: none. */
int places_all(const struct request *rq, enum place_kind kind);
int places_here(const struct request *rq, enum place_kind kind);

/* ERR_OVERLOADED, for a request without a place that needs one. */
int places_refuse(struct err *e);

/*
 * Whether the request still has its place, which is !rq->brief. Where each answer
 * has a process, only the store knows how many there are: asks it with places_look.
 * Not before a turn's first token.
 */
bool places_check(struct request *rq);

/*
 * Records that this process keeps answers open and counts the others, at most every
 * 10 s; up to 2 round trips. Any thread.
 */
void places_look(struct app *app);

/* Whether it would do so now. Any thread; takes no lock. */
bool places_look_due(const struct places *p);

/* The process keeps no answer open any more: a round trip if it was recorded. */
void places_leave(struct app *app);

#endif
