/*
 * The inside of a running turn, shared by the files of lib/turn:
 *
 *   start.c    from a request to its turn      context.c  what the model sees
 *   loop.c     model ↔ tools until the answer  history.c  of it, the thread
 *   pause.c    what waits for somebody         calls.c    one step's tool calls
 *   resume.c   a turn that waited goes on      finish.c   the answer stored
 *   nested.c   an agent as a tool: the same loop within a call
 *   meta.c     metadata of rows                event.c    events to the sink
 */
#ifndef TURN_LOOP_H
#define TURN_LOOP_H

#include "llm/llm.h"
#include "net/http.h"
#include "prompt/part.h"
#include "prompt/untrusted.h"
#include "store/wait.h"
#include "tool/core/tool.h"
#include "turn/live.h"
#include "turn/turn.h"

enum {
	TURN_IDLE_MS = 15000,		/* silence until a keep-alive */
	TURN_REPEATS = 2,		/* same call with the same arguments */
	TURN_REASONING_BYTES = 65536,	/* stored of the reasoning of a step */
	CONTEXT_OWN_MESSAGES = 6,	/* of a turn that calls a tool or two */
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

struct turn_seen {		/* a call that was made before */
	struct turn_seen *next;
	struct str name, args;		/* args in canonical form */
	int times;
};

struct turn_loop {
	struct turn_run *run;
	struct arena *arena;
	struct sink *sink;		/* never NULL */
	struct http_abort *abort;
	int idle_ms;			/* TURN_IDLE_MS; less in tests */
	struct turn_live_entry live;
	uint32_t seq;			/* of the last event */
	struct owner owner;

	/* of a loop within a call (nested.c); zero for a turn's own */
	bool nested;			/* nothing of it is stored */
	const struct turn_loop *parent;
	const struct tool_task *task;	/* what it is to do */
	int max_calls, n_called;	/* of tools */
	int64_t max_tokens, until_ms;	/* monotonic */

	/* from the begin */
	int64_t started_ms, first_token_ms;	/* monotonic; 0 = none yet */
	int64_t turn_number;
	bool titled;
	bool opens;			/* its message is the thread's first */
	struct str title;

	/* what the model is sent */
	struct tool_ctx tool_ctx;
	struct tool_set tools;
	const struct llm_tool_form *tool_forms;	/* of them, as they are sent */
	struct prompt_blocks blocks;	/* the system prompt */
	struct llm_request request;
	struct llm_message *messages;
	size_t n_messages, messages_size;
	size_t n_history;		/* of them from before this turn */
	struct part_share share[PART__MAX];	/* as the request is now */
	struct untrusted untrusted;	/* this turn's envelope */
	struct str stamps;		/* JSON: prompts used (A43) */

	/* what happened */
	struct turn_step step;
	/*
	 * Whose text is in what the model is sent. It comes from the rows that
	 * are sent (history.c) and from the results of this turn, so it is gone
	 * when they are.
	 */
	struct origins taint;
	struct origins asked;		/* the same when the step was asked for */
	bool waiting;			/* the turn was stored as waiting */
	size_t n_waits;			/* rows that the turn has had */
	struct turn_wait *waits;	/* those that it waits for now */
	size_t n_waiting;
	struct turn_seen *seen;
	int model_calls, iterations;
	bool capped;			/* the limit of iterations was met */
	struct str model;		/* as the server named it, or empty */
	struct llm_usage usage;		/* summed */
	struct buf timings;		/* of tools: JSON objects, comma between */
	struct message *unstored;	/* rows of steps the store refused */
	size_t n_unstored, unstored_size;
	struct err err;			/* what ended it, when not the answer */
};

/* -- event.c ---------------------------------------------------------------- */

/*
 * Gives ev the next number; notes it for those who read later, then tells the
 * sink, so that what a client has seen can always be gone on from.
 */
static inline void loop_emit(struct turn_loop *l, struct turn_event *ev)
{
	ev->seq = ++l->seq;
	ev->run = l->run;
	if (turn_event_rows[ev->type].letter && !l->nested)
		turn_live_event(l->run->deps->live, &l->live, ev);
	l->sink->emit(l->sink, ev);
}

static inline void loop_flush(struct turn_loop *l)
{
	if (l->sink->flush)
		l->sink->flush(l->sink);
}

/* False: it would have to wait, see sink.try_flush. */
static inline bool loop_try_flush(struct turn_loop *l)
{
	return !l->sink->try_flush || l->sink->try_flush(l->sink);
}

/* The keep-alive; not flushed. */
void loop_idle(struct turn_loop *l);
void loop_status(struct turn_loop *l, const char *status);
void loop_warn(struct turn_loop *l, const char *code, const char *text);
/* The record of a message; not flushed. */
void loop_message(struct turn_loop *l, enum turn_event_type type,
		  const struct message *m);

/* -- context.c -------------------------------------------------------------- */

/* System prompt, tools, history and the user's message. */
int context_build(struct turn_loop *l, struct err *e) MUST_CHECK;

/* Adds the current step and the results of its calls. */
void context_add_step(struct turn_loop *l);

/* Drops the older half of the history; false when there is none left. */
bool context_shorten(struct turn_loop *l);

/* Tells the model that this is its last call. */
void context_last_call(struct turn_loop *l);

/* Estimated tokens of the request as it is now (C25). */
int64_t context_tokens(const struct turn_loop *l);

/* Room for n messages more, since what is outgrown stays in the arena. */
void context_reserve(struct turn_loop *l, size_t n);

/* Adds a message; valid until the next one is added. text must live as long as l. */
struct llm_message *context_add(struct turn_loop *l, enum llm_role role,
				struct str text);

/*
 * The model has just been told of a result that read_result reads: then that
 * is offered too. Not before, so that most turns have a tool less.
 */
void context_told_of_kept(struct turn_loop *l);

/*
 * Adds what call c gave, as the model is to see it: others' text in the turn's
 * envelope; edited is what the user made of the arguments, or empty.
 */
void context_add_result(struct turn_loop *l, const struct llm_tool_call *c,
			struct str text, bool untrusted, bool is_error,
			struct str edited);

/* -- history.c --------------------------------------------------------------- */

/* Rows of history that are read with the begin of a turn of w. */
size_t history_first_rows(const struct workspace *w);

/* Adds the newest part of the stored thread that its share allows. */
int history_add(struct turn_loop *l, struct err *e) MUST_CHECK;

/*
 * Adds what the client gave in front of a user message (turn_request.meta). A
 * system message of a client is text like any other: what governs the agent is
 * declared by the deployment (E12).
 */
void history_add_given(struct turn_loop *l, struct str meta);

/*
 * The old turn's message, steps and text so far stand at the end of the
 * history: they are not part of what may be left out, and where it was cut off
 * in mid-text the model is told to go on.
 */
void history_continue(struct turn_loop *l);

/*
 * Of a turn that was stored and is resumed: the rows behind the user's message,
 * and how much of the window they want, which the rest of the history gets less.
 * Counts its iterations. In the arena. NULL: ERR_CONFLICT where there is no
 * step, and the errors of the store.
 */
struct history_own *history_read_own(struct turn_loop *l, struct err *e);

/*
 * Adds them but for the last step, which becomes the current one, with the
 * results that are stored. Notes the calls as if they had been made just now.
 */
void history_add_own(struct turn_loop *l, const struct history_own *own);

/* -- calls.c ---------------------------------------------------------------- */

/*
 * Answers every call of the step (B15): runs it, refuses it, or says that it
 * was stopped. Emits TOOL_CALL for all, TOOL_RESULT as they end.
 */
void calls_run(struct turn_loop *l);

/* Runs those of the step that have no result and do not wait. */
void calls_go(struct turn_loop *l);

/* Answers a call with what was put into c->result, without running it. */
void calls_end(struct turn_loop *l, struct turn_call *c);

/*
 * Whether text stands in what the user said, or in the result of a tool and not
 * in what the model had said before (said.c). Of a nested loop, its parents'
 * messages count too.
 */
bool said_by_others(const struct turn_loop *l, struct str text);

/* What people call the tool, where it says so itself; may be empty. */
struct str calls_title(const struct turn_loop *l, const struct turn_call *c);

/* Notes a call for the count of repeats; how often it was made before. */
int calls_note(struct turn_loop *l, const struct turn_call *c);

/* The arguments in canonical form, for comparing. */
struct str calls_canonical(struct turn_loop *l, const struct turn_call *c);

/* -- pause.c ----------------------------------------------------------------- */

/*
 * Whether the call must wait for somebody: sets c->wait and what goes with it.
 * A call that would wait but is not valid is answered at once.
 */
bool pause_needed(struct turn_loop *l, struct turn_call *c);

/* Whether some call of the step waits. */
bool pause_waits(const struct turn_loop *l);

/*
 * Stores the step as far as it is and leaves the turn waiting; tells what for.
 * 1: it waits now. 0: something was decided meanwhile, take that up and try
 * again. -1.
 */
int pause_turn(struct turn_loop *l, struct err *e) MUST_CHECK;

/* Answers what waits because the turn is stopped. */
void pause_drop(struct turn_loop *l);

/* -- resume.c ------------------------------------------------------------------- */

/*
 * Takes up what was decided about the step: runs what was approved, answers
 * what was denied or came from the page. What is undecided waits on.
 */
int resume_calls(struct turn_loop *l, struct err *e) MUST_CHECK;

/*
 * The last step of turn_start for RESUME: stores what was decided and, where
 * nobody else runs the turn, takes it. Returns enum turn_started, or -1.
 */
int resume_start(struct turn_run *t, struct err *e) MUST_CHECK;

/* -- start.c, loop.c -------------------------------------------------------- */

/*
 * A loop for t with nothing in it yet, in a. Its buffers are the caller's, who
 * releases them with loop_drop.
 */
struct turn_loop *loop_new(struct turn_run *t, struct arena *a);
void loop_drop(struct turn_loop *l);

/*
 * t has begun as a turn of the stored message user_seq: what fails from here on
 * is the turn's own error.
 */
void loop_begun_again(struct turn_run *t, int64_t user_seq);

/* Asks the model and runs tools until there is an answer: l->step.text. */
int loop_converse(struct turn_loop *l, struct err *e) MUST_CHECK;

/* -- nested.c --------------------------------------------------------------- */

/*
 * Runs the agent of task->tool, within a call of parent's turn, and appends
 * its answer to out. *untrusted is set when text of others went in, or was read;
 * whose is added to *from.
 * In the call's thread. Errors as tool_host.agent.
 */
int nested_run(struct turn_loop *parent, const struct tool_ctx *call,
	       const struct tool_task *task, struct buf *out,
	       bool *untrusted, struct origins *from,
	       struct err *e) MUST_CHECK;

/* -- meta.c ----------------------------------------------------------------- */

/*
 * Metadata as JSON text in the arena. unstored, of an answer: p == NULL: it is
 * to be stored; else it is not, and this is what stores it later, or empty.
 */
struct str meta_step(struct turn_loop *l);
struct str meta_tool(struct turn_loop *l, const struct turn_call *c);
struct str meta_answer(struct turn_loop *l, const char *finish_reason,
		       const struct err *why, struct str unstored);

/* Reads the parts of a stored row's metadata that the context needs. */
struct meta_row {
	bool step, failed;		/* failed: finish_reason "error" */
	struct llm_tool_call *calls;	/* step; arena */
	size_t n_calls;
	const json_t *replay;		/* when the origin is this service */
	struct str call_id, tool_name;	/* tool row */
	struct str edited;		/* arguments as the user changed them */
	bool is_error, untrusted;
	const json_t *origins;		/* whose text it is */
	struct str error_message;	/* of a failed answer */
};
void meta_read(struct arena *a, const struct llm_service *service,
	       const struct message *m, struct meta_row *out);

/* -- title.c --------------------------------------------------------------- */

/*
 * What a model made of being asked for a title, as one: one line, without quotes
 * and markdown. In a. p == NULL: nothing was left.
 */
struct str title_clean(struct arena *a, struct str s);

/* -- finish.c --------------------------------------------------------------- */

/* Stores the step's rows now; on failure they wait for the end. */
void steps_store(struct turn_loop *l);

/* Adds those of its rows that are new to l->unstored, without storing them. */
void steps_add(struct turn_loop *l);

/* Says in a record where it belongs: to the turn of l. Borrows. */
void usage_place(struct usage *u, const struct turn_loop *l);

/* What a turn cost so far, for the record at its end or at a pause. */
struct usage loop_usage(struct turn_loop *l, const char *finish_reason);

/*
 * Calls fn until it gives 0 or an error that does not heal, for some seconds;
 * the client is told that it takes longer.
 */
typedef int loop_store_fn(struct turn_loop *l, void *ctx, struct err *e);
int loop_stubbornly(struct turn_loop *l, loop_store_fn *fn, void *ctx,
		    struct err *e) MUST_CHECK;

/* Stores the answer and emits the one terminal event. */
enum turn_status loop_finish(struct turn_loop *l);

#endif
