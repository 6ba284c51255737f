/* SPDX-License-Identifier: MIT */
/*
 * A request that starts a turn, and the turn as data: what its context is built of
 * (context.h) and the loop runs (turn/turn.h).
 */
#ifndef CONTEXT_REQUEST_H
#define CONTEXT_REQUEST_H

#include "domain/target.h"
#include "auth/identity.h"
#include "base/arena.h"
#include "base/err.h"
#include "conf/conf.h"
#include "store/turn.h"
#include "store/wait.h"
#include "hold/line.h"
#include "context/options.h"

struct context;		/* context/context.h */
struct db;		/* connection pool, db/db.h */
struct http_pool;	/* net/http.h */
struct event_live;	/* event/live.h: running turns of this process */
struct notify;		/* event/notify.h: notices to users */
struct tool_env;	/* tool/tool.h: environment of tools */
struct entity_packs;	/* entity/pack.h */
struct key_cache;	/* store/key.h */
struct prompt_stamp;	/* prompt/blocks.h */
struct module_use;	/* prompt/module.h */
struct job;		/* store/job.h */

/* Shared by all turns of the process. */
struct turn_deps {
	struct db *db;
	struct http_pool *http;
	struct event_live *live;
	struct notify *notify;		/* NULL: no notices */
	struct tool_env *tools;
	struct entity_packs *packs;	/* NULL: what is told of projects is always read */
	struct hold_line *begins;		/* whose turn begins next; NULL: nobody waits */
	struct key_cache *unstored_key;	/* of turn/unstored.h; NULL: an end that
					   cannot be stored is lost */
};

enum turn_verb {
	TURN_SEND,	/* a user message */
	TURN_CONTINUE,	/* a turn that was cut short, from its end */
	TURN_REPLACE,	/* the thread's tail: an edited message or a new answer */
	TURN_RESUME,	/* a turn that waits, with decisions */
};

/* Whether a request may repeat an earlier one. */
enum turn_key {
	TURN_KEY_NONE,
	TURN_KEY_GIVEN,	/* yes, with the same key; its content must be equal */
	TURN_KEY_FORM,	/* yes, of the same form; the key is made from all its
			   fields */
};

/* A request that starts a turn, in any dialect. */
struct turn_request {
	enum turn_verb verb;
	bool runs_at_once;	/* turn_run follows immediately: it waits for the COMMIT
				   of the begin, and asks the model meanwhile */
	struct caller by;
	enum turn_key key;
	struct str run_name;		/* a key in the body; p == NULL: none */
	struct str focus_type;		/* what options.focus_id must be; or empty */
	struct uuid makes;		/* without a conversation: the id of the one that
					   is made; nil: any */
	struct uuid id;			/* of the turn, derived from the key;
					   nil = new */
	/*
	 * Who answers. A missing one (p == NULL) is the conversation's; without
	 * a conversation, the caller's first workspace and its default agent.
	 * turn_start finds the target, unless it has an agent already.
	 */
	struct str workspace_id, agent_id;
	struct target target;
	struct uuid conversation_id;	/* SEND: nil = create one */
	/*
	 * SEND, and REPLACE of a message (p == NULL: a new answer to it): valid
	 * UTF-8, within the caps.
	 */
	struct str content;
	/*
	 * Metadata of the user message: a JSON object as text, or empty. Its
	 * member given, [{role, content}, …], holds what the client says was
	 * said before. The model is sent it before the message, now and in
	 * later turns. It is stored, so that everything sent to the model is
	 * visible (E12).
	 */
	struct str meta;
	struct str client_id;	/* the client's id of the message, as in meta;
				   or NULL */
	/*
	 * SEND that creates the conversation: the program that it belongs to, which has
	 * a list of its own; no model writes its title. Or NULL.
	 */
	struct str program;
	/*
	 * Of a client that manages its thread itself: how many earlier messages it has,
	 * which the model sees even if the setting says fewer; 0: the setting says.
	 * Its instructions are sent in front of a history that does not reach back to
	 * the message that they were stored with; or empty.
	 */
	int64_t history_messages;
	struct str instructions;
	struct turn_options options;
	bool options_anew;	/* RESUME: they are this request's, for this run, not
				   those of the turn */
	const struct turn *of;	/* CONTINUE, RESUME: the turn, as read */
	bool woken;		/* RESUME: by a job, with the rights of an earlier request */
	int64_t seq;		/* REPLACE: the message; 0 = the last one */
	/* REPLACE: the message by id: the server's, its turn's (clients have it for
	   answers), or the client's (for user messages); n == 0: use seq */
	struct str message;
	struct turn_decision *decisions;	/* RESUME */
	size_t n_decisions;
};

struct turn_run {
	const struct turn_deps *deps;
	struct turn_request in;
	struct hold_place place;	/* until the begin is committed */
	struct uuid id, conversation_id;
	bool created_conversation;
	struct message user;		/* the stored user message */
	struct message_page history;	/* what precedes it, as far as it was
					   read with the begin */
	int64_t continues_seq;		/* of the answer that it continues; 0 =
					   none */
	struct uuid continues;		/* the turn of that answer; nil: none */
	int64_t variant_index, variant_count;	/* of its answer, see struct
						   message */
	bool resumed;			/* it had waited */
	int64_t resumes;		/* turn.resumes, of this run */
	int64_t follow_seq;		/* TURN_ELSEWHERE, TURN_REPEATED: follow
					   after this event */
	struct message answer;		/* valid after turn_run; for a turn that
					   waits, a text that says so, not
					   stored */
	struct prompt_stamp *prompt_used;	/* of options.prompt_id; or NULL */
	struct str prompt_author;		/* its author, if another user whom nobody
					   trusts (whose.h); else p == NULL */
	const struct module_use *module;	/* of options.module; or NULL */
	const struct job *after;	/* work afterwards, as a job stored with the
					   turn's end; NULL: none */
	const struct llm_service *after_service;	/* asked by that work */
	bool jobs_asked;		/* turn_after has asked for a job */
	/* What the turn waits for; in the arena */
	const struct turn_wait *waits;
	size_t n_waits;
	struct arena *arena;
	struct context *context;	/* what its model is sent; NULL: not begun */
	struct turn_loop *loop;	/* the loop's state (turn/loop.h) */
};

#endif
