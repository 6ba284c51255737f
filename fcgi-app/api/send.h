/*
 * A user message and its turn, for every route that sends one: gates and begin
 * as plain HTTP errors, then the loop into an event stream or a plain answer,
 * then what may happen after it.
 */
#ifndef API_SEND_H
#define API_SEND_H

#include "dialect/dialect.h"
#include "route.h"
#include "turn/turn.h"

/* What a request may say beside its text, whatever its vocabulary. */
struct send_more {
	struct str meta;	/* of the user message: a JSON object, or NULL */
	struct str client_id;	/* what the client calls it, as in meta; or NULL */
	json_t *client;		/* the page (tool_page_read), or NULL */
	int web;		/* the web is to be asked (C30, A64): 1; it is
				   not: -1; 0: not said */
};

/*
 * Its members in bodies of our own, for a table of struct field: at is where the
 * struct send_more stands in what is read.
 */
#define SEND_MORE_FIELDS(at) \
	{ .key = "client", .type = FIELD_OBJECT, .flags = FIELD_NULLABLE, \
	  .offset = (at) + offsetof(struct send_more, client) }, \
	{ .key = "webSearch", .type = FIELD_BOOL, .flags = FIELD_NULLABLE, \
	  .offset = (at) + offsetof(struct send_more, web) }

/*
 * The same members of an object in another client's body (NULL: none), whose
 * other members are not ours. ERR_INVALID_FIELD.
 */
int send_more_read(const json_t *o, struct send_more *more,
		   struct err *e) MUST_CHECK;

/* The metadata that a user message with that gets; in rq's arena, or NULL. */
struct str send_meta(struct request *rq, const struct send_more *more);

/*
 * Opens a turn; conversation NULL = a new one; more NULL = nothing beside the
 * text. Returns it (arena), or NULL with the errors of turn_open and
 * tool_page_read. The turn's after-work is arranged.
 */
struct turn_run *send_open(struct request *rq, const struct conf_workspace *ws,
			   const struct conf_agent *agent,
			   const struct uuid *conversation, struct str content,
			   const struct send_more *more, struct err *e);

/*
 * Opens a turn that goes on where old, another one of the conversation, was cut
 * short (turn_open_again); as send_open otherwise. What more does not say about
 * the web is as it was there.
 */
struct turn_run *send_open_again(struct request *rq,
				 const struct conf_workspace *ws,
				 const struct conf_agent *agent,
				 const struct turn *old,
				 const struct send_more *more, struct err *e);

struct send_redo {
	int64_t seq;		/* as turn_open_redo's */
	struct str content;	/* p == NULL: it is answered again */
	struct send_more more;	/* meta: only with content */
};

/*
 * Opens a turn that takes the place of the conversation's tail
 * (turn_open_redo); as send_open otherwise.
 */
struct turn_run *send_open_redo(struct request *rq,
				const struct conf_workspace *ws,
				const struct conf_agent *agent,
				const struct uuid *conversation,
				const struct send_redo *redo, struct err *e);

/*
 * Takes decisions about a turn that waits (turn_open_woken), whose row old is;
 * its workspace and agent must still be visible to the caller. *run is the turn
 * where it goes on here, NULL where another request runs it already.
 */
int send_open_woken(struct request *rq, const struct turn *old,
		    struct turn_decision *decisions, size_t n,
		    struct turn_run **run, struct err *e) MUST_CHECK;

/* How a turn is streamed. */
struct send_as {
	enum dialect_id dialect;
	struct dialect_state state;	/* what the request said */
	/*
	 * The turn is stopped when its client is gone: for clients that can
	 * neither come back to it nor cancel it.
	 */
	bool stops_with_client;
};

/* The query's dialect=NAME; native when absent. ERR_INVALID_FIELD. */
int send_dialect(struct request *rq, enum dialect_id *out,
		 struct err *e) MUST_CHECK;

/*
 * Runs t once this request's answer is out, for those who follow it by its id
 * (GET /turns/{t}/events and such).
 */
void send_later(struct request *rq, struct turn_run *t);

/*
 * Where to go on: the later of the query's after=N (dflt when absent) and the
 * Last-Event-ID of a client that comes back. ERR_INVALID_FIELD.
 */
int send_after(struct request *rq, int64_t dflt, int64_t *after,
	       struct err *e) MUST_CHECK;

/*
 * The query's wait=SECONDS of a long poll, 0 to SEND_WAIT_MAX_S; -1 when absent.
 * ERR_INVALID_FIELD.
 */
enum { SEND_WAIT_MAX_S = 25 };	/* proxies give up at 30 s */
int send_wait_s(struct request *rq, int64_t *out, struct err *e) MUST_CHECK;

/* Runs t, streaming in a dialect. Always leaves a complete stream. */
void send_stream(struct response *rs, struct turn_run *t,
		 const struct send_as *as);

/*
 * The events of a turn behind number after, as a stream, then what it tells
 * from now on; 204 when there is nothing behind it and never will be. The turn
 * is not stopped when the client is gone. ERR_NOT_FOUND. (events.c)
 */
int send_events(struct request *rq, struct response *rs,
		const struct uuid *turn, int64_t after,
		const struct send_as *as, struct err *e) MUST_CHECK;

/*
 * Runs t and answers 200 {user, assistant} (B34). An answer that failed is
 * stored and shown like any other, with finish_reason "error". Of a turn that
 * waits: {user, assistant: null, waitingFor: […]}.
 */
void send_wait(struct response *rs, struct turn_run *t,
	       enum record_style style);

/* That answer, of a turn that has ended or waits. */
void send_both(struct response *rs, const struct turn_run *t,
	       enum turn_status status, enum record_style style);

#endif
