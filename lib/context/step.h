/* SPDX-License-Identifier: MIT */
/*
 * A step: the output of one model call, and the state of its tool calls.
 * Belongs to a running turn; everything is in its arena except the two buffers.
 */
#ifndef CONTEXT_STEP_H
#define CONTEXT_STEP_H

#include "llm/llm.h"
#include "prompt/untrusted.h"
#include "resource/change.h"
#include "store/wait.h"
#include "tool/core/tool.h"

enum {
	TURN_LINES = 64,		/* progress lines stored per call */
	TURN_LINE_CHARS = 200,
};

/* Progress of a call, or of a tool within it. In the arena. */
struct turn_line {
	struct turn_line *next;
	char tool[65], text[4 * TURN_LINE_CHARS + 1];	/* the latest text */
	bool ended, is_error;
};

/* A tool call of the current step; in the arena */
struct turn_call {
	struct str id, name, args;	/* args: the model's JSON text */
	bool bad_args;			/* args is not a JSON object */
	json_t *opaque;			/* owned by the arena */
	struct tool_result result;
	bool untrusted;			/* the result is */
	struct origins from;		/* origins of the result; n = 0: none */
	bool stored;			/* its tool row is stored */
	bool reply;			/* the result is the user's answer */
	const struct turn_seen *seen;	/* this call; NULL: not noted (calls_note) */
	bool repeated;			/* it was refused as one that repeats others */
	struct turn_line *lines;	/* in order, TURN_LINES at most */
	struct tool_operation *operation;	/* that has begun; NULL: none */
	struct resource_changes changes;	/* what it has changed */
	/* For a call that waits; otherwise zero. */
	enum wait_kind wait;		/* 0 = none, or no more */
	struct turn_wait *row;		/* as stored; NULL = not yet */
	struct tool_question ask;	/* of an approval */
	struct str shown;		/* canonical arguments */
	struct str edited;		/* as the user changed them; or empty */
	bool approved;
	bool sleeps;		/* a plan whose process ends: it goes on in the next one */
	/* A plan that waits: for these, of its steps; in the arena. */
	struct turn_wait *inner;
	size_t n_inner;
	/* In a step of a plan (trail.h). */
	int64_t plan_call, plan_tries;
};

struct turn_step {		/* the output of one model call */
	struct buf text, reasoning;	/* memory is reused by the next step */
	struct turn_call *calls;
	size_t n_calls, calls_size;
	enum llm_stop stop;
	struct llm_usage usage;
	bool has_usage, answering, refused, full;
	bool stored;			/* its assistant row is stored */
	json_t *replay;			/* owned by the arena */
};

#endif
