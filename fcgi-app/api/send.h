/* SPDX-License-Identifier: MIT */
/*
 * From a request to its turn, for every route that starts one: handlers decode
 * their members into a struct turn_request. The common part is here: the key, the
 * start (turn_start), the answer as an event stream or as a whole, also for a turn
 * that runs elsewhere, and the work after it. "…options" in the comments of
 * handlers are those of turn_options.def.
 */
#ifndef API_SEND_H
#define API_SEND_H

#include "base/fields.h"
#include "dialect/dialect.h"
#include "route.h"
#include "turn/turn.h"

/* -- decoding ---------------------------------------------------------------- */

/* A field of a body that is read into a struct turn_request (first member). */
#define SEND_FIELD(key_, type_, flags_, member_) \
	{ .key = key_, .type = type_, .flags = flags_, \
	  .offset = offsetof(struct turn_request, member_) }

/* The message, with its name in that body. */
#define SEND_CONTENT(rq, key_) \
	{ .key = key_, .type = FIELD_TEXT, \
	  .flags = FIELD_REQUIRED | FIELD_FILLED, \
	  .max_chars = (size_t)(rq)->conf->limits.message_chars, \
	  .offset = offsetof(struct turn_request, content) }

/* The fields of turn_options.def in such a table. */
#define SEND_OPTION(F, SEP, member_, key_, type_, max_, kept_, form_) \
	{ .key = key_, .type = FIELD_##type_, .flags = FIELD_NULLABLE, \
	  .max_chars = max_, \
	  .offset = offsetof(struct turn_request, options.member_) },
#define SEND_OPTIONS TURN_OPTIONS(SEND_OPTION, , )

/* The caller's request for a turn. */
struct turn_request send_request(const struct request *rq, enum turn_verb verb);

/* The request for resuming a waiting turn, as read. */
struct turn_request send_resume(const struct request *rq, const struct turn *t,
				struct turn_decision *decisions, size_t n);

/*
 * Reads rq's body into *out (size_bytes), whose first member is a struct
 * turn_request with the caller and verb. Errors of fields_read.
 */
int send_read(struct request *rq, enum turn_verb verb,
	      const struct field *fields, size_t n, void *out,
	      size_t size_bytes, struct err *e) MUST_CHECK;

/*
 * Reads the options of turn_options.def from an object in another client's body
 * (NULL: none) and ignores other members. ERR_INVALID_FIELD.
 */
int send_read_options(const json_t *o, struct turn_options *out,
		      struct err *e) MUST_CHECK;

/* Those in a form of the plain pages: texts of a list are separated by blanks. */
struct turn_options send_form_options(const struct request *rq);

/* -- starting ---------------------------------------------------------------- */

/*
 * Starts the turn (turn_start) with the key of the request: its Idempotency-Key, or
 * that of its form. Returns enum turn_started, or -1 with the errors of turn_start;
 * ERR_INVALID_FIELD for an invalid key. *t is in rq's arena. Also schedules the work
 * after a turn that was started.
 */
int send_start(struct request *rq, struct turn_request *in,
	       struct turn_run **t, struct err *e) MUST_CHECK;

/*
 * Runs t, which was started, after the answer of this request was sent; clients
 * follow it by its id (GET /turns/{t}/events).
 */
void send_later(struct request *rq, struct turn_run *t);

/*
 * An answer that ends before there is nothing more to tell: when to ask again.
 * Clients of event streams take it from the time for reconnecting.
 */
void send_retry_after(struct response *rs, int seconds);

/* -- answering ----------------------------------------------------------------- */

/* How to stream a turn. */
struct send_as {
	enum dialect_id dialect;
	enum record_style style;	/* how records are rendered (B6) */
	const void *asked;	/* the request's dialect-specific values (dialect_state.asked);
				 * or NULL */
	/*
	 * The turn is stopped when its client leaves, unless the request has a key:
	 * for clients that can neither reconnect nor cancel.
	 */
	bool stops_with_client;
	/*
	 * For clients whose Stop only leaves: the turn is stopped clients.left_s after its
	 * last client has left, and its text kept; so is a running turn of the
	 * conversation at once, instead of ERR_BUSY, since the next message must not wait.
	 */
	bool ends_running;
	bool no_end;		/* without what ends the dialect's streams */
	bool apart;		/* of events: turn_follow.apart */
	/* Once the turn is started, before the head is sent: to add headers; or NULL. */
	void (*begun)(struct response *rs, const struct turn_run *t, void *ctx);
	/* The same for one that was started by another request, and is followed. */
	void (*followed)(const struct turn_run *t, void *ctx);
	/*
	 * For an event that was written but not sent yet, of a turn that runs here: to
	 * note what its client is told. It may block only for the last event. Or NULL.
	 */
	void (*written)(const struct turn_event *ev, void *ctx);
	void *ctx;
};

/* The query's dialect=NAME; native if absent. ERR_INVALID_FIELD. */
int send_dialect(struct request *rq, enum dialect_id *out,
		 struct err *e) MUST_CHECK;

/*
 * Where to continue: the greater of the query's after=N (dflt if absent) and the
 * Last-Event-ID of a client that reconnects. ERR_INVALID_FIELD.
 */
int send_after(struct request *rq, int64_t dflt, int64_t *after,
	       struct err *e) MUST_CHECK;

/*
 * The query's wait=SECONDS of a long poll, 0 to SEND_WAIT_MAX_S; -1 if absent.
 * ERR_INVALID_FIELD.
 */
enum { SEND_WAIT_MAX_S = 25 };	/* proxies give up after 30 s */
int send_wait_s(struct request *rq, int64_t *out, struct err *e) MUST_CHECK;

/*
 * Starts the turn and streams it in a dialect, always as a complete stream. A turn
 * that runs elsewhere, or was started by an earlier request, is followed from its
 * start.
 */
int send_stream(struct request *rq, struct response *rs,
		struct turn_request *in, const struct send_as *as,
		struct err *e) MUST_CHECK;

/*
 * The events of a turn after number after, as a stream, then its further events;
 * 204 if there are none and there will be none. The turn is not stopped when the
 * client leaves. ERR_NOT_FOUND.
 */
int send_events(struct request *rq, struct response *rs,
		const struct uuid *turn, int64_t after,
		const struct send_as *as, struct err *e) MUST_CHECK;

/* The caller watches a turn, which is followed here: it is not left any more. */
void send_watched(struct request *rq, const struct uuid *turn);

/*
 * Starts the turn and runs it until it ends or waits; waits for one that runs
 * elsewhere. Sets *t like turn_run, and *status. ERR_BUSY with the turn's id if
 * this process must stop first.
 */
int send_whole(struct request *rq, struct turn_request *in,
	       struct turn_run **t, enum turn_status *status,
	       struct err *e) MUST_CHECK;

/*
 * Makes *in continue the turn of the path, which is read to *t. One that sleeps
 * (turn/wake.h) is resumed, and one that goes on with a plan already is followed. Errors
 * of turn_now.
 */
int send_continue(struct request *rq, struct turn *t, struct turn_request *in,
		  struct err *e) MUST_CHECK;

#endif
