/*
 * The inside of a running turn, or of an agent that runs within a call. What
 * works on it has a header of its own:
 *
 *   start.c    from a request to its turn      context.c  what the model sees
 *   loop.c     model ↔ tools until the answer  history.c  of it, the thread
 *   pause.c    what waits for somebody         calls.c    one step's tool calls
 *   resume.c   a turn that waited goes on      finish.c   the answer stored
 *   nested.c   an agent as a tool: the same loop within a call
 *   meta.c     metadata of rows                emit.c     events to the sink
 */
#ifndef TURN_LOOP_H
#define TURN_LOOP_H

#include "llm/llm.h"
#include "net/http.h"
#include "prompt/part.h"
#include "prompt/untrusted.h"
#include "turn/live.h"
#include "turn/step.h"
#include "turn/turn.h"

struct quote_marks;	/* turn/quote.h */

struct turn_seen {		/* a call that was made before */
	struct turn_seen *next;
	struct str name, args;		/* args in canonical form */
	int times;
};

struct turn_loop {
	struct turn_run *run;
	struct arena *arena;
	struct sink *sink;		/* NULL in a preview only */
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
	bool squeezed;			/* the window, not the workspace, limits
					   the history */
	struct {
		bool looked_up;
		struct str text;	/* of all; untrusted */
	} mentions;			/* of its message (mention.h) */
	struct {
		bool looked_up;
		struct str text;	/* passages for it; untrusted */
	} knowledge;			/* knowledge.h */
	struct untrusted untrusted;	/* this turn's envelope */
	struct llm_message input;	/* the user's message with its attachments */
	const struct llm_message *attached;	/* those of the rows of history; or NULL */
	int64_t attach_chars;		/* of attachments that may still be sent */
	bool attach_ready;		/* that is set */
	int n_attach_images;		/* that are sent */
	struct str stamps;		/* JSON: prompts used (A43) */
	const char *rule;		/* of "auto" that chose the service; or NULL */

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
	struct uuid paused;		/* usage record of a pause that may have been
					   stored; nil: none */
	size_t n_waits;			/* rows that the turn has had */
	struct turn_wait *waits;	/* those that it waits for now */
	size_t n_waiting;
	struct turn_seen *seen;
	struct {
		const struct llm_service *own;	/* the turn's; NULL before a call */
		size_t next;			/* of its fallbacks */
	} services;
	struct {		/* of the service that answers now */
		int64_t since_ms;		/* monotonic */
		int calls;
		struct llm_usage usage;
		bool paid;			/* any of the calls */
	} served;
	int model_calls, iterations;
	bool capped;			/* the limit of iterations was met */
	struct str model;		/* as the server named it, or empty */
	struct llm_usage usage;		/* summed, of all services */
	struct buf timings;		/* of tools: JSON objects, comma between */
	struct passages *passages;	/* that the model was sent; an agent's are
					   its turn's */
	size_t n_cites_told, n_cites_stored;	/* of them, the first ones */
	struct quote_marks *marks;	/* of the answer, when it is there; or NULL */
	struct message *unstored;	/* rows of steps the store refused */
	size_t n_unstored, unstored_size;
	int64_t last_seq;		/* of the thread; 0 = not known */
	struct err err;			/* what ended it, when not the answer */
};

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

#endif
