/* SPDX-License-Identifier: MIT */
/*
 * The bodies of clients with other protocols: texts in parts, their own names for
 * threads. They are read leniently, because those protocols grow; unsupported
 * members that would change the answer are refused by name.
 */
#ifndef API_CLIENT_H
#define API_CLIENT_H

#include "api/send.h"
#include "route.h"
#include "turn/turn.h"

/*
 * A message's text: a string, or the joined text parts of a list [{type:"text",
 * text}]. ERR_INVALID_FIELD, which names field, for anything else (a file, an
 * image); ERR_TOO_BIG. In rq's arena, or borrowed from content.
 */
int client_text(struct request *rq, const json_t *content, const char *field,
		struct str *out, struct err *e) MUST_CHECK;

/* The same of "messages" beside files (inline.h), which are left out, and with refusals. */
int client_message_text(struct request *rq, const json_t *content,
		struct str *out, struct err *e) MUST_CHECK;

/*
 * The new user text: member key ("content", "parts"), else "content", of the last
 * of messages (a list), which must have the role user; not blank, unless it has files,
 * at most limits.message_chars. The history that these clients send is ignored: the stored
 * one is authoritative (F8).
 */
int client_last_text(struct request *rq, const json_t *messages,
		     const char *key, struct str *out,
		     struct err *e) MUST_CHECK;

/*
 * A short name ("threadId") that body must have: 1 to LIM_CLIENT_NAME_CHARS
 * characters. ERR_INVALID_FIELD.
 */
int client_name(const json_t *body, const char *key, struct str *out,
		struct err *e) MUST_CHECK;

/* A client's thread. */
struct client_thread {
	struct target target;
	struct uuid conversation_id;
	struct uuid running_turn_id;	/* nil: no turn is running */
};

/* Sets the turn's target to the thread. */
void client_target(const struct client_thread *t, struct turn_request *in);

/* The same, without creating one; 1 if it does not exist. */
int client_find_thread(struct request *rq, const char *kind, struct str name,
		       struct client_thread *out, struct err *e) MUST_CHECK;

/*
 * Sends in, a new message, to that conversation (send_stream). It is not looked up: the
 * begin of the turn finds it, or makes it. first: the client seems to begin it.
 */
int client_send(struct request *rq, struct response *rs, const char *kind,
		struct str name, bool first, struct turn_request *in,
		const struct send_as *as, struct err *e) MUST_CHECK;

/*
 * The name of the program that sends rq: what it calls itself (X-Title, as OpenRouter's
 * clients do), else what its token is for, else the product of its User-Agent. In rq's
 * arena.
 */
struct str client_program(struct request *rq, const char *otherwise);

/* The address of the page, as the client reaches this server; or empty. In rq's arena. */
struct str client_page(struct request *rq);

#endif
