/* SPDX-License-Identifier: MIT */
/*
 * One turn: from a user message to the stored answer.
 *
 *   turn_start  from a request: the steps of a table (start.c), the last of
 *               which stores the turn; failures are plain HTTP errors
 *   turn_run    context, model, tools, repeat; ends with one terminal event
 *   turn_after  work after the response (after.def)
 *
 * A turn never holds a database connection while a model or a tool works.
 */
#ifndef TURN_TURN_H
#define TURN_TURN_H

#include "context/request.h"
#include "event/event.h"

/*
 * A title from a first message: its first words on one line, at most 60
 * characters, cut between words. In a; empty if content has no text.
 */
struct str turn_first_title(struct arena *a, struct str content);

enum turn_started {
	TURN_STARTED,	/* call turn_run */
	TURN_ELSEWHERE,	/* RESUME: another request runs it, with the decisions */
	TURN_REPEATED,	/* an earlier request has started it */
};

/*
 * Starts the turn of a request (in; what it points to must outlive the turn) by
 * a table of steps, after those who are before it in the line of deps. SEND stores
 * a user message and its turn. CONTINUE makes a turn of the same message, with the
 * steps and the text of `of` so far. REPLACE
 * replaces the thread's tail (thread_replace). RESUME stores the decisions and
 * takes the turn unless another process runs it; edited arguments are checked
 * against the tool's schema.
 * Returns enum turn_started, or -1 with e set. Unless TURN_STARTED, t must not
 * be run: its id, conversation_id, user.seq and follow_seq say what to follow.
 * Allocates in a, which must outlive the turn.
 * ERR_NOT_FOUND; ERR_CHAT_DISABLED, ERR_LLM_UNSUPPORTED, ERR_LLM_NO_CREDENTIAL
 * (B15); ERR_INVALID_FIELD, ERR_TOO_BIG; ERR_BUSY with the running turn's id in
 * e->id; ERR_CONFLICT; ERR_EXPIRED.
 */
int turn_start(struct turn_run *t, const struct turn_deps *deps,
	       const struct turn_request *in, struct arena *a,
	       struct err *e) MUST_CHECK;

/* What a turn waits for, as text, for clients that show only text. In a. */
struct str turn_waiting_text(struct arena *a, const struct turn_wait *waits,
			     size_t n);

/*
 * Runs the started turn until it ends or must wait, stores it, and emits every
 * event into s (which may be NULL). The last event is DONE or ERROR with the
 * stored answer, or WAITING; if even storing fails, ERROR has an unstored
 * message. Returns the new status: TURN_DONE, TURN_ERROR, TURN_CANCELLED,
 * TURN_WAITING …
 */
enum turn_status turn_run(struct turn_run *t, struct sink *s);

/*
 * The work after a turn (turn/after.h). Call it after the response; not for a
 * turn that waits.
 */
void turn_after(struct turn_run *t);

struct tool_ctx;
struct tool_task;
struct tool_turn;

/* What the tools of a turn that was started see; NULL if an earlier request did. */
const struct tool_turn *turn_tools(const struct turn_run *t);

/*
 * Runs an agent as a tool outside a turn, like tool_host.agent, with the service that
 * a turn of `in` would use. Of deps, db, http and tools are used; of in, by and target.
 * Usage is recorded without a turn. Errors as target_can_chat and tool_host.agent.
 */
int turn_agent(const struct turn_deps *deps, const struct turn_request *in,
	       const struct tool_ctx *call, const struct tool_task *task,
	       struct buf *out, struct err *e) MUST_CHECK;

#endif
