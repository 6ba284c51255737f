/* SPDX-License-Identifier: MIT */
/*
 * The state of a running turn, or of an agent that runs within a call. The
 * files that work on it have headers of their own:
 *
 *   start.c    a request to its turn           context.c  what the model sees
 *   loop.c     model ↔ tools until the answer  history.c  the thread as
 *              messages
 *   pause.c    calls that wait for somebody    calls.c    a step's tool calls
 *   resume.c   resuming a turn that waited     finish.c   storing the answer
 *   nested.c   an agent as a tool: the same loop within a call
 *   plan.c     a plan as a tool: agents for its steps, in parallel
 *   trail.c    what a step of a plan stores, to go on from there
 *   meta.c     metadata of rows                emit.c     events to the sink
 *   whose.c    prompts by others
 *   commit.c   the COMMIT of the begin
 */
#ifndef TURN_LOOP_H
#define TURN_LOOP_H

#include <stdatomic.h>

#include "llm/llm.h"
#include "memory/memory.h"
#include "net/http.h"
#include "prompt/part.h"
#include "prompt/untrusted.h"
#include "context/generation.h"
#include "event/live.h"
#include "context/step.h"
#include "turn/turn.h"

struct quote_marks;	/* context/quote.h */

struct turn_seen {		/* a call that was made before */
	struct turn_seen *next;
	struct str name, args;		/* args in canonical form */
	int times;
};

struct turn_past {		/* a call of stuck.h that was made */
	const struct turn_seen *call;
	struct str result;
	bool reads;		/* it changes nothing */
};

struct turn_loop {
	struct turn_run *run;
	struct arena *arena;
	struct sink *sink;		/* NULL in a preview only */
	struct http_abort *abort;
	int idle_ms;			/* TURN_IDLE_MS; less in tests */
	struct event_live_entry live;
	uint32_t seq;			/* number of the last event */
	struct owner owner;

	/* for a nested loop (nested.c); zero for a turn's own */
	bool nested;			/* nothing of it is stored */
	const struct turn_loop *parent;
	const struct tool_task *task;	/* the agent's task */
	struct trail *trail;	/* of a step of a plan (trail.h); or NULL */
	struct step_stop *stop;	/* of that step, or of the one it runs in; or NULL */
	int max_calls, n_called;	/* tool calls */
	int64_t max_tokens, until_ms;	/* monotonic */

	/* from the start */
	int64_t started_ms, first_token_ms;	/* monotonic; 0 = none yet */
	int64_t turn_number;
	bool titled;
	bool opens;			/* its message is the first of the
					   thread */
	struct str title;

	/* what the model is sent */
	struct tool_ctx tool_ctx;
	struct tool_set tools;
	const struct llm_tool_form *tool_forms;	/* the tools, as they are sent */
	struct prompt_blocks blocks;	/* the system prompt */
	struct llm_request request;
	struct generation generation;
	struct llm_message *messages;
	size_t n_messages, messages_size;
	size_t n_history;		/* messages from before this turn */
	struct part_share share[PART__MAX];	/* of the current request */
	bool squeezed;			/* the window, not the workspace's
					   limit, cuts the history */
	struct {
		bool looked_up;
		struct str text;	/* of all mentions; untrusted */
	} mentions;			/* of the turn's message (mention.h) */
	struct {
		bool looked_up;
		struct str text;	/* passages for the message; untrusted */
	} knowledge;			/* knowledge.h */
	struct {
		bool looked_up, there, own;
		struct str focus_kind;	/* of what they look at; or empty */
		struct str text;	/* where the user is; untrusted unless own */
	} place;			/* place.h */
	struct {
		bool looked_up;
		struct memory m;	/* number 0: none */
		struct str text, state;	/* what is sent of it, whole */
		struct origins from;	/* whose text is in it; n = 0: the
					   user's alone */
		/* not in the summary: messages of the history, their characters */
		int64_t messages, chars;
		bool changed;		/* a tool of this turn changed something, or
					   the user chose something */
	} memory;			/* remember.h */
	struct {
		bool looked_up;
		struct str own, text;	/* sentences about the user; text: untrusted */
		struct origins from;	/* whose text is in text */
	} recalled;			/* recall.h */
	struct untrusted untrusted;	/* this turn's envelope */
	struct llm_message input;	/* the user's message with its attachments */
	const struct llm_message *attached;	/* attachments of the history's
						   rows; or NULL */
	int64_t attach_chars;		/* left for attachments, in characters */
	bool attach_ready;		/* attach_chars is set */
	int64_t scan_until_ms;		/* monotonic: to read scans; 0: none yet */
	int n_attach_images;		/* images sent so far */
	bool has_images;		/* images are attached, sent or not */
	struct str stamps;		/* JSON: the prompts used (A43) */
	const char *rule;		/* rule of "auto" that chose the
					   service; or NULL */

	/* progress */
	struct turn_step step;
	/*
	 * The origins of untrusted text in the current request. They come from
	 * the rows that are sent (history.c) and the results of this turn, and
	 * go with them.
	 */
	struct origins taint;
	struct origins asked;		/* taint when the step was requested */
	/*
	 * The part of taint that comes from no row: prompts by others, and parts
	 * of the system prompt that are data. The rows that the turn stores keep
	 * it, since they are derived from that text.
	 */
	struct origins derived;
	struct origins told;		/* of rows before the turn: their turns
					   had these (whose.h) */
	bool waiting;			/* the turn was stored as waiting */
	struct uuid paused;		/* usage record of a pause that may have
					   been stored; nil: none */
	struct turn_wait *waits;	/* the open ones */
	size_t n_waiting;
	/* Those that were told while the turn ran: of steps of its plans. */
	struct uuid *waits_told;
	size_t n_waits_told, waits_told_size;
	struct turn_seen *seen;
	struct {
		struct turn_past past[8];	/* the last ones, of n */
		size_t n;
		int steps;		/* of nothing but repeated calls */
		bool nudged;		/* the model was told to act or to answer */
	} stuck;			/* stuck.h */
	struct {
		const struct llm_service *own;	/* the turn's service; NULL
						   before the first call */
		size_t next;			/* index of the next fallback */
	} services;
	struct {		/* of the current service */
		int64_t since_ms;		/* monotonic */
		int calls;
		struct llm_usage usage;
		/* Any of the calls was paid for */
		bool paid;
	} served;
	int model_calls, iterations;
	bool capped;			/* the limit of iterations was reached */
	enum tool_mode mode;		/* of the last changes in projects; or NONE */
	struct str model;		/* as the server reported it, or empty */
	struct llm_usage usage;		/* sum over all services */
	struct buf timings;		/* of tools: JSON objects separated by
					   commas */
	struct passages *passages;	/* sent to the model; a nested loop
					   shares its turn's */
	size_t n_cites_told, n_cites_stored;	/* how many, from the first */
	struct quote_marks *marks;	/* of the answer once it is complete; or
					   NULL */
	struct message *unstored;	/* rows of steps that could not be
					   stored yet */
	size_t n_unstored, unstored_size;
	int64_t last_seq;		/* of the thread; 0 = unknown */
	/* What ended the turn without an answer */
	struct err err;
	struct {		/* commit.h */
		struct db_early early;
		atomic_bool pending;
		struct err err;
	} commit;
};

/* An empty loop for t, in a. Release its buffers with loop_drop. */
struct turn_loop *loop_new(struct turn_run *t, struct arena *a);
void loop_drop(struct turn_loop *l);

/*
 * t has begun as a turn of the stored message user_seq. From here on a failure
 * is the turn's own error, not the request's.
 */
void loop_begun_stored(struct turn_run *t, int64_t user_seq);

/* Alternates model and tools until there is an answer in l->step.text. */
int loop_converse(struct turn_loop *l, struct err *e) MUST_CHECK;

#endif
