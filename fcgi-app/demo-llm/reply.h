/* SPDX-License-Identifier: MIT */
/*
 * reply.h - one answer on its way: a cursor over a plan that renders what is
 * due into a byte queue. It knows time and faults but no sockets.
 */
#ifndef DEMO_REPLY_H
#define DEMO_REPLY_H

#include "demo-llm/wire.h"

#define REPLY_FILL_BYTES (256 * 1024)	/* one fill of the socket's queue */

/* What the connection has to do after reply_pump. */
enum pump {
	PUMP_MORE,	/* the queue is full: send it and ask again */
	PUMP_WAIT,	/* send, and ask again at *due_ns */
	PUMP_DONE,	/* send, the answer is complete */
	PUMP_CUT,	/* send, then close the connection */
	PUMP_STALL,	/* send, then nothing until the peer leaves */
};

enum stage { STAGE_WAIT, STAGE_BEGIN, STAGE_OPEN, STAGE_TOKENS, STAGE_CLOSE,
	     STAGE_END, STAGE_BODY };

struct reply {
	struct arena arena;	/* everything below lives here */
	const struct wire *wire;
	struct ask ask;
	struct plan plan;
	bool chunked;		/* HTTP/1.1: chunked, else closed at the end */
	bool close;		/* says Connection: close */

	const char *id;		/* of the answer */
	int64_t created_s;	/* wall clock */

	enum stage stage;
	int64_t t0_ns;		/* when the first token is due */
	size_t piece;		/* the piece being sent */
	uint64_t sent_here;	/* tokens of this piece */
	size_t tok;		/* index of the next in the piece */
	uint64_t sent;		/* tokens of the answer */
	bool garbage_sent;
	unsigned block;		/* Anthropic: index of the content block */
	struct out pre, post;	/* around each token */

	struct out body;	/* STAGE_BODY: head and body, made at once */
	size_t body_limit;	/* of bytes to send of it */
	enum pump body_end;	/* what follows them */
};

/* An empty reply on the heap. */
struct reply *reply_new(void);

/* Frees it and all that it has. NULL is fine. */
void reply_free(struct reply *r);

/*
 * Makes r ready to be pumped, after ask and plan are filled: a stream, or the
 * whole document, or the scripted error, as they say.
 */
void reply_start(struct reply *r, int64_t now_ns);

/* Makes r a plain answer: status, content type, n bytes; due at once. */
void reply_plain(struct reply *r, int status, const char *type,
		 const char *body, size_t n);

/* Makes r the error answer of its wire (OpenAI's when it has none). */
void reply_refuse(struct reply *r, const struct refusal *w);

/*
 * Appends to o what is due at now_ns, up to about REPLY_FILL_BYTES in all.
 * *due_ns is set for PUMP_WAIT.
 */
enum pump reply_pump(struct reply *r, struct out *o, int64_t now_ns,
		     int64_t *due_ns);

#endif
