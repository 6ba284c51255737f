/* SPDX-License-Identifier: MIT */
/*
 * A request of the OpenAI server as it is read, part by part: chat_openai.c has the
 * routes, openai_tools.c what its client's own tools need, openai_ask.c what both do.
 */
#ifndef API_OPENAI_H
#define API_OPENAI_H

#include "api/echo.h"
#include "api/inline.h"
#include "base/buf.h"
#include "dialect/responses.h"
#include "prompt/ask.h"
#include "route.h"
#include "store/prefix.h"
#include "turn/turn.h"

struct conversation;	/* store/conversation.h */

/* What a request is for its conversation. */
enum openai_how {
	OAI_NEW,	/* there is none */
	OAI_NEXT,	/* a message at its end */
	OAI_AGAIN,	/* its last message, to be answered again */
	OAI_EDIT,	/* another message in place of the last one */
	OAI_FORK,	/* a message further up */
};

/* The thread of a request, and which conversation it is. */
struct openai_thread {
	struct str program;		/* that sent it */
	struct str content;		/* of the new message */
	struct echo echo;		/* all messages of the request */
	struct uuid instructions;	/* hash of its system messages */
	struct uuid keys[PREFIX_TRIES];	/* of its beginnings, the longest first */
	size_t places[PREFIX_TRIES];	/* how many messages they have */
	size_t n_places;
	enum openai_how how;
	struct prefix found;		/* unless OAI_NEW */
	int64_t last;			/* seq of the last user message there */
	size_t known;			/* messages that the conversation has */
	bool linked;			/* named by previous_response_id, so that the
					   request does not have all of it */
};

struct openai_ask {
	struct request *rq;
	struct turn_request in;
	struct openai_thread thread;
	struct str model;		/* as in the request */
	struct responses *responses;	/* the form of the answer; or NULL */
	bool stream, want_usage;
	bool background;		/* of a response: it runs without its client */
	size_t n_given;			/* messages in front of the new one */
	json_t *generation;		/* the option of that name */
	struct inline_files files;	/* of the messages that are new */
	size_t files_from;		/* those of this message on were taken */
	struct buf ignored;		/* X-Ignored-Parameters */
	struct buf streamed;		/* what was streamed, of the content */
};

/* Whether a parameter has no effect: absent, null, false, [], {}. */
bool oai_idle(const json_t *v);

/* Whether a message is of the role system, or developer. */
bool oai_is_system(const json_t *message);

/* Adds a name to the text of X-Ignored-Parameters. */
void oai_ignored(struct buf *b, const char *prefix, struct str name);

/*
 * Reads tools, tool_choice and parallel_tool_calls: the options client and web, and
 * members of ask->generation. ERR_INVALID_FIELD, ERR_TOO_BIG with the parameter's name.
 */
int oai_tools_read(struct request *rq, struct openai_ask *ask,
		   struct err *e) MUST_CHECK;

/*
 * If the last messages (role tool) have the results that a turn of this model waits for,
 * makes ask the request that resumes it: 1. 0: they belong to no such turn.
 * ERR_INVALID_FIELD if results are missing, ERR_TOO_BIG.
 */
int oai_tools_resume(struct request *rq, struct openai_ask *ask,
		     struct err *e) MUST_CHECK;

/*
 * The text of a message, of any role: its content, or "" if that is absent or null.
 * Files (inline.h) are left out; those of tools would otherwise block the thread.
 * ERR_INVALID_FIELD for other parts.
 */
int oai_text(struct request *rq, const json_t *message, struct str *out,
	     struct err *e) MUST_CHECK;

/*
 * Runs a request of chat completions, which rq's body is, and answers it in its own
 * form, or (r not NULL) as a response. previous: a response that it follows; or NULL.
 */
int oai_answer(struct request *rq, struct response *rs, struct responses *r,
	       struct str previous, struct err *e) MUST_CHECK;

/*
 * The caller's turn that a response ("resp_…") is, and its conversation. ERR_NOT_FOUND,
 * which names field.
 */
int oai_thread_turn(struct request *rq, struct str id, const char *field,
		    struct turn *t, struct conversation *c, struct err *e) MUST_CHECK;

/*
 * Whether the request is a question that a user interface asks for itself, and the
 * caller may have it answered without a conversation (openai_helper.c). ask answers it:
 * *out is in rq's arena. Errors of turn_ask, target_can_chat; ERR_TOO_BIG.
 */
bool oai_helper_is(struct request *rq);
int oai_helper_ask(struct request *rq, const struct openai_ask *ask,
		   struct prompt_reply **out, struct err *e) MUST_CHECK;

/* The members of a response that repeat its request, as OpenAI has them; in rq's arena. */
json_t *oai_response_echo(struct request *rq);

/*
 * Services that the admin offers (openai_service.c). list adds those that the caller may
 * use to the list of models; one writes the one with this id, if the caller may use it:
 * 1, else 0. Errors of offer_each.
 */
int oai_service_list(struct request *rq, struct jw *w, struct err *e) MUST_CHECK;
int oai_service_one(struct request *rq, struct response *rs, struct str id,
		    struct err *e) MUST_CHECK;

/* {id, object: model, created, owned_by}. */
void oai_model(struct jw *w, struct str id, int64_t created_us);

/*
 * The conversation of a request (openai_thread.c). read hashes its messages, and sets
 * the program, instructions and history_messages; find looks the thread up. The first
 * n_given messages precede the new one. use makes ask->in the request for it, and forks
 * the thread if that is how. Errors of messages (oai_text) and of the database.
 */
int oai_thread_read(struct request *rq, struct openai_ask *ask,
		    struct err *e) MUST_CHECK;
int oai_thread_find(struct request *rq, struct openai_ask *ask, size_t n_given,
		    struct err *e) MUST_CHECK;
int oai_thread_use(struct request *rq, struct openai_ask *ask,
		   struct err *e) MUST_CHECK;

/*
 * The client was sent text and the calls that t waits for: notes the thread with them.
 * answer_seq 0: t waits. Failures are logged.
 */
void oai_thread_note(struct request *rq, const struct openai_ask *ask,
		     const struct turn_run *t, int64_t answer_seq, struct str text);

#endif
