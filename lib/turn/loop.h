/* SPDX-License-Identifier: MIT */
/*
 * The state of a running turn, or of an agent that runs within a call. Each part has an
 * owner, whose header says what it is:
 *
 *   start.c    a request to its turn           context/    what the model sees
 *   loop.c     model ↔ tools until the answer  calls.c     a step's tool calls
 *   pause.c    leaving calls that wait         finish.c    storing the answer
 *   resume.c   resuming a turn that waited     fallback.c  services, and their cost
 *   nested.c   an agent as a tool: the same loop within a call
 *   plan.c     a plan as a tool: agents for its steps, in parallel
 *   trail.c    what a step of a plan stores, to continue from there
 *   meta.c     metadata of rows                commit.c    the COMMIT of the begin
 */
#ifndef TURN_LOOP_H
#define TURN_LOOP_H

#include "context/context.h"
#include "net/http.h"
#include "turn/calls.h"
#include "turn/commit.h"
#include "turn/fallback.h"
#include "turn/finish.h"
#include "turn/nested.h"
#include "turn/pause.h"
#include "turn/turn.h"

struct turn_loop {
	struct turn_run *run;
	struct arena *arena;
	struct owner owner;
	struct http_abort *abort;
	int idle_ms;			/* TURN_IDLE_MS; less in tests */
	struct relay relay;		/* what is told */
	struct context context;		/* what the model is sent */
	struct turn_step step;		/* the output of the last call of the model */
	struct turn_begun begun;	/* commit.h */
	struct turn_within within;	/* nested.h */
	struct turn_calls_log log;		/* calls.h */
	struct turn_served served;	/* fallback.h */
	struct turn_waits waits;	/* pause.h */
	struct turn_rows rows;		/* finish.h */
	struct err err;			/* what ended the turn without an answer */
};

/* An empty loop for t, which gets it, in a. Release its buffers with loop_drop. */
struct turn_loop *loop_new(struct turn_run *t, struct arena *a);
void loop_drop(struct turn_loop *l);

/* The loop of a turn that begins, which can be stopped; it goes with t's arena. */
int loop_open(struct turn_run *t, struct err *e) MUST_CHECK;

/* The turn has begun: registers it and, once it is committed, notifies watchers. */
void loop_begun(struct turn_run *t);

/*
 * The same for a turn of the stored message user_seq. From here on a failure
 * is the turn's own error, not the request's.
 */
void loop_begun_stored(struct turn_run *t, int64_t user_seq);

/*
 * Alternates model and tools until there is an answer in l->step.text, or calls wait for
 * somebody (pause.h): 0 for both. -1: what ends the turn without an answer.
 */
int loop_converse(struct turn_loop *l, struct err *e) MUST_CHECK;

#endif
