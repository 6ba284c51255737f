/*
 * One turn: from a user message to the stored answer (DESIGN.md section 4).
 *
 *   turn_start  from a request: steps of one table (start.c), the last of which
 *               stores it; fails as plain HTTP errors
 *   turn_run    context, model, tools, repeat; ends with one terminal event
 *   turn_after  what is done once the response is finished (after.def)
 *
 * A turn never holds a database connection while a model or a tool works.
 */
#ifndef TURN_TURN_H
#define TURN_TURN_H

#include "agent/target.h"
#include "auth/identity.h"
#include "base/arena.h"
#include "base/err.h"
#include "conf/conf.h"
#include "store/turn.h"
#include "store/wait.h"
#include "turn/event.h"
#include "turn/options.h"

struct db;		/* connection pool, db/db.h */
struct http_pool;	/* net/http.h */
struct turn_live;	/* turn/live.h: running turns of this process */
struct notify;		/* turn/notify.h: what users are told of */
struct tool_env;	/* tool/tool.h: what tools need */
struct key_cache;	/* store/key.h */
struct prompt_stamp;	/* prompt/blocks.h */
struct module_use;	/* prompt/module.h */
struct job;		/* store/job.h */

/* What every turn of the process shares. */
struct turn_deps {
	struct db *db;
	struct http_pool *http;
	struct turn_live *live;
	struct notify *notify;		/* or NULL: nobody is */
	struct tool_env *tools;
	struct key_cache *unstored_key;	/* of turn/unstored.h; or NULL: an end
					   that cannot be stored is lost */
};

enum turn_verb {
	TURN_SEND,	/* a user message */
	TURN_CONTINUE,	/* a turn that was cut short, from where it ended */
	TURN_REPLACE,	/* the thread's tail: a message edited, or answered again */
	TURN_RESUME,	/* a turn that waits, with what was decided */
};

/* Whether a request may be a repetition, and of what. */
enum turn_key {
	TURN_KEY_NONE,
	TURN_KEY_GIVEN,	/* of one that says the same under the same key */
	TURN_KEY_FORM,	/* of the same form: its key is made of all it says */
};

/* A request that starts a turn, whatever vocabulary it came in. */
struct turn_request {
	enum turn_verb verb;
	struct caller by;
	enum turn_key key;
	struct uuid id;			/* of the turn, by the key; nil = make one */
	/*
	 * Who is to answer. What is not named (p == NULL) is the conversation's,
	 * without one the caller's first workspace and its default agent.
	 * turn_start finds the target, unless it has an agent already.
	 */
	struct str workspace_id, agent_id;
	struct target target;
	struct uuid conversation_id;	/* SEND: nil = create one */
	/* SEND, and REPLACE of a message (p == NULL: it is answered again):
	   valid UTF-8, within the caps. */
	struct str content;
	/*
	 * Metadata of the user message: a JSON object as text, or empty. Its
	 * member given: [{role, content}, …] is what the client says was said
	 * before; the model is sent it in front of the message, now and when
	 * the conversation goes on. It is stored, so nothing that the model
	 * was sent is invisible (E12).
	 */
	struct str meta;
	struct str client_id;	/* what the client calls the message, as in meta;
				   or NULL */
	struct turn_options options;
	const struct turn *of;	/* CONTINUE, RESUME: that turn, as read */
	int64_t seq;		/* REPLACE: the message; 0 = the last one */
	/* REPLACE: the message by our id, by the turn's, under which a client has
	   the answers, or by its own, under which it has the user's; n == 0: seq */
	struct str message;
	struct turn_decision *decisions;	/* RESUME */
	size_t n_decisions;
};

struct turn_run {
	const struct turn_deps *deps;
	struct turn_request in;
	struct uuid id, conversation_id;
	bool created_conversation;
	struct message user;		/* the stored user message */
	struct message_page history;	/* what it follows, as far as it came
					   with the begin */
	int64_t continues_seq;		/* of the answer that it continues;
					   0 = it is not a continuation */
	struct uuid continues;		/* the turn of it; nil: none */
	int64_t variant_index, variant_count;	/* of its answer, see message */
	bool resumed;			/* it waited */
	int64_t resumes;		/* turn.resumes, of this run */
	int64_t follow_seq;		/* of one that is not run here: what is
					   told is behind this event */
	struct message answer;		/* valid after turn_run; of a turn that
					   waits: a text that says so, not stored */
	struct prompt_stamp *chosen;	/* of options.prompt_id; or NULL */
	const struct module_use *module;	/* of options.module; or NULL */
	const struct job *after;	/* what is done afterwards, a job that was stored
					   with its end; NULL: nothing */
	const struct llm_service *after_service;	/* who is asked for it */
	const struct turn_wait *waits;	/* what it waits for; in the arena */
	size_t n_waits;
	struct arena *arena;
	struct turn_loop *loop;	/* the loop's own */
};

/*
 * A title from a first message: its first words on one line, at most 60
 * characters, cut between words. In a; empty when there is no text in it.
 */
struct str turn_first_title(struct arena *a, struct str content);

enum turn_started {
	TURN_STARTED,	/* turn_run it */
	TURN_ELSEWHERE,	/* RESUME: another request runs it, with the decisions */
	TURN_REPEATED,	/* a request like this one has started it before */
};

/*
 * Starts the turn that a request is for (in; what it points to must outlive the
 * turn), in the order of a table of steps. SEND stores a user message and its
 * turn. CONTINUE makes a turn of the same message, with the steps and the text
 * of `of` so far. REPLACE takes the place of the thread's tail (thread_replace).
 * RESUME stores what was decided and, where nobody else runs the turn, takes it;
 * arguments that the user changed are checked against the tool's schema.
 * Returns enum turn_started, or -1. Unless TURN_STARTED, t is not to be run: its
 * id, conversation_id, user.seq and follow_seq say what to follow. Everything is
 * allocated in a, which must outlive the turn.
 * ERR_NOT_FOUND; ERR_CHAT_DISABLED, ERR_LLM_UNSUPPORTED, ERR_LLM_NO_CREDENTIAL
 * (B15); ERR_INVALID_FIELD, ERR_TOO_BIG; ERR_BUSY with the running turn's id in
 * e->id; ERR_CONFLICT; ERR_EXPIRED.
 */
int turn_start(struct turn_run *t, const struct turn_deps *deps,
	       const struct turn_request *in, struct arena *a,
	       struct err *e) MUST_CHECK;

/* That a key was used for something else: ERR_INVALID_FIELD. Returns -1. */
int turn_key_differs(struct err *e);

/* What a turn waits for, in words, for clients that know only text. In a. */
struct str turn_waiting_text(struct arena *a, const struct turn_wait *waits,
			     size_t n);

/*
 * Runs the opened turn to its end, or until it must wait, and stores it,
 * emitting every event into s (which may be NULL). Exactly one of DONE, ERROR
 * and WAITING is emitted, last; the first two with the stored answer; if even
 * storing fails, ERROR carries an unstored message.
 * Returns how it is now: TURN_DONE, TURN_ERROR, TURN_CANCELLED, TURN_WAITING …
 */
enum turn_status turn_run(struct turn_run *t, struct sink *s);

/*
 * The work after a turn (turn/after.h). Call after the response is sent; not for
 * a turn that waits.
 */
void turn_after(struct turn_run *t);

struct llm_usage;

/* Fills the counters of a record. */
void turn_usage_count(struct usage *u, const struct llm_usage *tokens);

struct tool_ctx;
struct tool_task;

/*
 * Runs an agent as a tool without a turn, for a call by hand: as
 * tool_host.agent, with the service that a turn of `in` would have. Of deps, db,
 * http and tools are used; of in, by and target. Its usage is
 * recorded without a turn. The errors of target_can_chat, and those of
 * tool_host.agent.
 */
int turn_agent(const struct turn_deps *deps, const struct turn_request *in,
	       const struct tool_ctx *call, const struct tool_task *task,
	       struct buf *out, struct err *e) MUST_CHECK;

#endif
