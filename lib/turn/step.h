/*
 * A step: what one call of the model gave, and what became of the tool calls in
 * it. Of a running turn; all of it is in the arena, but for the two buffers.
 */
#ifndef TURN_STEP_H
#define TURN_STEP_H

#include "llm/llm.h"
#include "prompt/untrusted.h"
#include "store/wait.h"
#include "tool/core/tool.h"

enum {
	TURN_LINES = 64,		/* stored of what a call was at */
	TURN_LINE_CHARS = 200,
};

/* What a call was at: itself, or a tool that it used. In the arena. */
struct turn_line {
	struct turn_line *next;
	char tool[65], text[4 * TURN_LINE_CHARS + 1];	/* the latest text */
	bool ended, is_error;
};

struct turn_call {		/* a tool call of the current step; arena */
	struct str id, name, args;	/* args: the model's JSON text */
	bool bad_args;			/* it is not a JSON object */
	json_t *opaque;			/* kept by the arena */
	struct tool_result result;
	bool untrusted;			/* the result */
	struct origins from;		/* whose text it brought; n = 0: nobody's */
	bool stored;			/* its tool row */
	bool reply;			/* result: the user's choice */
	struct turn_line *lines;	/* in order, TURN_LINES at most */
	/* A call that waits; the rest is zero for others. */
	enum wait_kind wait;		/* 0 = it does not, or no longer */
	struct turn_wait *row;		/* of the store; NULL = not there yet */
	struct tool_question ask;	/* of an approval */
	struct str shown;		/* canonical arguments */
	struct str edited;		/* what the user made of them; or empty */
	bool approved;
};

struct turn_step {		/* what one call of the model gave */
	struct buf text, reasoning;	/* memory is kept from step to step */
	struct turn_call *calls;
	size_t n_calls, calls_size;
	enum llm_stop stop;
	struct llm_usage usage;
	bool has_usage, answering, refused, full;
	bool stored;			/* its assistant row */
	json_t *replay;			/* kept by the arena */
};

#endif
