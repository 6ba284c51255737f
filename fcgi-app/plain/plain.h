/* SPDX-License-Identifier: MIT */
/*
 * Plain pages ({base}/plain): the chat as HTML and forms, for browsers without
 * JavaScript. They use the same store, turns and gates as the API; see
 * docs/plain.md.
 *
 *   page.c     the frame of every page
 *   compose.c  the form of a message, with files; the page of an error
 *   list.c     conversations        edit.c     rename, delete
 *   thread.c   one conversation     message.c  messages, stored and as events
 *   choose.c   prompts with their blanks, and what to mention
 *   setting.c  the caller's settings
 *   project.c  projects and what is in them
 *   remembered.c  what assistants remember of the caller
 *   send.c     forms that begin, stop or continue a turn
 *   replace.c  regenerating, editing a message, versions
 *   source.c   what an answer cites
 *   turn.c     the page of a running turn, streamed or in steps
 *   plan.c     plans and their steps
 *   link.c     a conversation that is shared by a link
 *   wait.c     what a turn waits for: approvals, questions
 */
#ifndef PLAIN_PLAIN_H
#define PLAIN_PLAIN_H

#include "api/api.h"
#include "api/send.h"
#include "form.h"
#include "html.h"
#include "store/conversation.h"
#include "store/message.h"
#include "event/event.h"

/* A page that is being written. */
struct plain {
	struct request *rq;
	struct buf *b;		/* set by the page */
	const char *root;	/* from this page to {base}/plain/: "../" … */
	bool outside;		/* for those who are not signed in: no ways into the site */
	bool steps;		/* answers are shown in steps, not streamed */
	bool web;		/* the agent has tools for the web (tool_web_offered) */
	bool wants_web;		/* and the box for web search is checked */
	const json_t *files;	/* [{id, name}] of the message that is edited */
	struct str mentions;	/* references for the message, a blank between */
	const char *prompt;	/* id of the prompt that it was made from, or NULL */
	const char *chooses;	/* id of the conversation for which something can
				   be chosen, "" for a new one; NULL: nothing */
	char token[FORM_TOKEN_BYTES];
};

/* Sets where the page is and what its address asks for; cannot fail. */
void plain_init(struct request *rq, struct plain *p);

/*
 * Prepares a page: everything that can fail is done here, before anything is
 * written. Its language is that of the caller's settings, else what the browser asks
 * for; e's as well. Errors of the database, ERR_INVALID_UTF8.
 */
int plain_open(struct request *rq, struct plain *p, struct err *e) MUST_CHECK;

/* Headers of every page: what the browser may do with it. */
void plain_headers(struct response *rs);

/*
 * An answer that is one whole page, up to and including its head. title: "Untitled" in
 * the reader's language if it is empty.
 */
void plain_begin(struct plain *p, struct response *rs, int status,
		 struct str title);

/*
 * Texts of a page are in the language of its reader. plain_text: one that goes elsewhere.
 * plain_say writes one as text. plain_sayf: only its arguments may be markup, those that
 * are text from outside escaped before: "An answer: %sfollow it%s", an "<a …>", "</a>".
 */
const char *plain_text(const struct plain *p, const char *text) FORMAT_ARG(2);
void plain_say(struct plain *p, const char *text);
void plain_sayf(struct plain *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The button that sends a form; name: of its field, or NULL. */
void plain_submit(struct plain *p, const char *name, const char *text);

/* From the doctype to the beginning of the content. */
void plain_head(struct plain *p, struct str title, int refresh_s);
void plain_foot(struct plain *p);

/* The beginning of a list; or a paragraph that says that there is nothing. */
void plain_list_head(struct plain *p, bool any, const char *nothing);

/* "<form …>" to a path below the root, with the fields of every form. */
void plain_form(struct plain *p, const char *path);

/* The same for a message, which may have files. */
void plain_message_form(struct plain *p, const char *path);

/* Text that a model or a stranger wrote, with its invisible characters spelled out. */
void plain_spelled(struct buf *b, struct str s);

/* In a form: a hidden field. name: of ours, it is not escaped. */
void plain_hidden(struct buf *b, const char *name, struct str value);

/* In a form: the choice of steps. */
#define PLAIN_STEPS "<input type=\"hidden\" name=\"steps\" value=\"1\">"

/* The fields of a new message, with its text so far, and the button. */
void plain_message_fields(struct plain *p, struct str content);

/* In a form: the choice of an agent, each workspace with its own. */
void plain_agent_choice(struct plain *p);

/* The files of a stored message, [{id, name, …}] or NULL. Borrowed. */
const json_t *plain_attached(struct plain *p, const struct message *m);

/* References of what a stored message mentions, a blank between. In rq's arena. */
struct str plain_mentioned(struct plain *p, const struct message *m);

/*
 * 303 to a path below the root, keeping the parameter steps; fragment is "" or
 * "#…".
 */
void plain_go(struct request *rq, struct response *rs, const char *path,
	      const char *fragment);

/*
 * Reads the message of a form into *in: a text that is neither empty nor too
 * long (ERR_INVALID_FIELD), and its options.
 */
int plain_read_content(struct request *rq, struct turn_request *in,
		       struct err *e) MUST_CHECK;

/*
 * Starts the turn and redirects to its page (303); it runs from then on. If the same
 * form was sent before (a double click, a reload), redirects to the page of the
 * first turn. Errors of send_start.
 */
int plain_start_turn(struct request *rq, struct response *rs,
		     struct turn_request *in, struct err *e) MUST_CHECK;

/* Whether the conversation's agent has tools for the web. */
bool plain_has_web(struct request *rq, const struct conversation *c);

/* The page of an error: response.error_page. ctx is the struct request. */
void plain_error(void *ctx, struct response *rs, const struct err *e);

/* "2026-11-22 06:30" (UTC). */
void plain_time(struct buf *b, int64_t us);

/* -- compose.c ---------------------------------------------------------------- */

/*
 * Stores the files of the form that was sent; their ids become fields of it.
 * ERR_INVALID_FIELD that names those that cannot be stored, and why.
 */
int plain_take_files(struct request *rq, struct err *e) MUST_CHECK;

/* The ids of a form's files, for turn_options; NULL: it has none. Borrowed. */
json_t *plain_files(const struct request *rq);

/* -- message.c --------------------------------------------------------------- */

/* One stored message; name is the agent's. */
void plain_message(struct plain *p, const struct message *m, struct str name);

/* Whether an answer was cut short, so that it can be continued. */
bool plain_cut_short(struct plain *p, const struct message *m);

/* Writes a turn's events as they come; also over a page written at once. */
struct plain_writer {
	struct plain *p;
	struct str name;	/* of the agent */
	enum plain_block { PLAIN_NONE, PLAIN_ANSWER, PLAIN_REASONING } open;
	bool ended;		/* the terminal event was written */
};
void plain_event(struct plain_writer *w, const struct turn_event *ev);

/* Closes open elements. */
void plain_close(struct plain_writer *w);

/*
 * Forms for what the turn waits for; one to go on with it, if that is nobody, or steps of
 * its plan can (its process died). Errors of the database. (wait.c)
 */
int plain_waits(struct plain *p, const struct turn *t, struct err *e) MUST_CHECK;

/* -- plan.c -------------------------------------------------------------------- */

/* The plans of a turn that waits, and what can be done to their steps. Errors of the database. */
int plain_plans(struct plain *p, const struct uuid *turn, struct err *e) MUST_CHECK;

/* A link to the page of the plan that a call of `plan` has carried out. */
void plain_plan_link(struct plain *p, struct str tool, struct str result);

/* -- replace.c ------------------------------------------------------------------ */

/* Below a message of a thread that may be changed: its versions, a link. */
void plain_replace_links(struct plain *p, const struct uuid *conversation,
		      const struct message *m);

/* The display name of an agent; its id if the agent no longer exists. */
struct str plain_agent_name(const struct request *rq, struct str workspace,
			    struct str agent);

#endif
