/*
 * One turn: from a user message to the stored answer (DESIGN.md section 4).
 *
 *   turn_open   gates and the begin transaction; fails as plain HTTP errors
 *   turn_run    context, model, tools, repeat; ends with one terminal event
 *   turn_after  what is done once the response is finished (after.def)
 *
 * A turn never holds a database connection while a model or a tool works.
 */
#ifndef TURN_TURN_H
#define TURN_TURN_H

#include "auth/identity.h"
#include "base/arena.h"
#include "base/err.h"
#include "conf/conf.h"
#include "store/turn.h"
#include "store/wait.h"
#include "turn/event.h"

struct db;		/* connection pool, db/db.h */
struct http_pool;	/* net/http.h */
struct turn_live;	/* turn/live.h: running turns of this process */
struct notify;		/* turn/notify.h: what users are told of */
struct tool_env;	/* tool/tool.h: what tools need */

/* What every turn of the process shares. */
struct turn_deps {
	struct db *db;
	struct http_pool *http;
	struct turn_live *live;
	struct notify *notify;		/* or NULL: nobody is */
	struct tool_env *tools;
};

struct turn_input {
	const struct conf *conf;
	const struct identity *who;
	const struct conf_workspace *workspace;
	const struct conf_agent *agent;
	struct uuid id;			/* of the turn; nil = make one */
	struct uuid conversation_id;	/* nil = create one */
	struct str content;		/* valid UTF-8, within the caps */
	/*
	 * Metadata of the user message: a JSON object as text, or empty. Its
	 * member given: [{role, content}, …] is what the client says was said
	 * before; the model is sent it in front of the message, now and when
	 * the conversation goes on. It is stored, so nothing that the model
	 * was sent is invisible (E12).
	 */
	struct str meta;
	/* What of it the program asks for: both are in it too. */
	struct str client_id;	/* what the client calls the message; or NULL */
	bool web;		/* the user wants the web to be asked (A64) */
	struct str client;	/* turn.client (tool_page_read); or NULL */
};

struct turn_run {
	const struct turn_deps *deps;
	struct turn_input in;
	struct uuid id, conversation_id;
	const struct conf_llm *service;
	bool created_conversation;
	struct message user;		/* the stored user message */
	struct message_page history;	/* what it follows, as far as it came
					   with the begin */
	int64_t resumed_seq;		/* of the answer that it goes on from;
					   0 = it is not a continuation */
	int64_t variant_index, variant_count;	/* of its answer, see message */
	bool woken;			/* it waited, and goes on */
	struct message answer;		/* valid after turn_run; of a turn that
					   waits: a text that says so, not stored */
	const struct turn_wait *waits;	/* what it waits for; in the arena */
	size_t n_waits;
	struct arena *arena;
	struct turn_loop *loop;	/* the loop's own */
};

/*
 * The LLM service that a turn of this agent (may be NULL) uses: the agent's,
 * else the workspace's, else the chat: block's (B15). ERR_CHAT_DISABLED when
 * none is named, it is not declared or cannot chat (A29);
 * ERR_LLM_UNSUPPORTED, ERR_LLM_NO_CREDENTIAL. *out borrowed from c.
 */
int turn_service(const struct conf *c, const struct conf_workspace *w,
		 const struct conf_agent *a, const struct conf_llm **out,
		 struct err *e) MUST_CHECK;

/*
 * A title from a first message: its first words on one line, at most 60
 * characters, cut between words. In a; empty when there is no text in it.
 */
struct str turn_first_title(struct arena *a, struct str content);

/*
 * Resolves the LLM service (B15: ERR_CHAT_DISABLED, ERR_LLM_UNSUPPORTED,
 * ERR_LLM_NO_CREDENTIAL), takes the conversation (ERR_NOT_FOUND, ERR_BUSY with
 * the running turn's id in e->id) and stores user message and turn in one
 * transaction. Everything is allocated in a, which must outlive the turn.
 */
int turn_open(struct turn_run *t, const struct turn_deps *deps,
	      const struct turn_input *in, struct arena *a,
	      struct err *e) MUST_CHECK;

/*
 * The same for a turn that goes on where another one of the conversation in
 * `in` was cut short: with its steps and its text so far, without a new user
 * message (in->content is not read). ERR_CONFLICT when that turn was not cut
 * short or is not the last one.
 */
int turn_open_again(struct turn_run *t, const struct turn_deps *deps,
		    const struct turn_input *in, const struct uuid *of,
		    struct arena *a, struct err *e) MUST_CHECK;

/*
 * The same for a turn that takes the place of a thread's tail (thread_redo):
 * with in->content (p != NULL) the user message seq is said anew, else the user
 * message that seq is, or answers, is answered again; seq 0 = the last one.
 * The agent may be another than the conversation's. ERR_NOT_FOUND, ERR_BUSY,
 * ERR_CONFLICT, ERR_INVALID_FIELD as there.
 */
int turn_open_redo(struct turn_run *t, const struct turn_deps *deps,
		   const struct turn_input *in, int64_t seq, struct arena *a,
		   struct err *e) MUST_CHECK;

/*
 * The same for a turn that waits: stores what was decided (store/wait.h), and
 * where nobody else runs the turn already (*woken), takes it up here. old is
 * its row as read, in->conversation_id its conversation; in->content is not
 * read. Arguments that the user changed are checked against the tool's schema
 * first. The errors of turn_wake; ERR_INVALID_FIELD for arguments.
 */
int turn_open_woken(struct turn_run *t, const struct turn_deps *deps,
		    const struct turn_input *in, const struct turn *old,
		    struct turn_decision *decisions, size_t n, bool *woken,
		    struct arena *a, struct err *e) MUST_CHECK;

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
void usage_count(struct usage *u, const struct llm_usage *tokens);

struct tool_ctx;
struct tool_task;

/*
 * Runs an agent as a tool without a turn, for a call by hand: as
 * tool_host.agent, with the service that a turn of `in` would have. Of deps, db,
 * http and tools are used; of in, conf, who, workspace and agent. Its usage is
 * recorded without a turn. The errors of turn_service, and tool_host.agent's.
 */
int turn_agent(const struct turn_deps *deps, const struct turn_input *in,
	       const struct tool_ctx *call, const struct tool_task *task,
	       struct buf *out, struct err *e) MUST_CHECK;

#endif
