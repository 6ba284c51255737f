/* SPDX-License-Identifier: MIT */
/*
 * Folding: the job "memory" takes what is new in a thread into its facts and agent state,
 * without a model, and then, if the newest messages are more than are kept, has a model
 * fold the older ones into the summary (D16, D19, D20). A turn asks for it after its
 * response (context/remember.c) and never waits for it.
 */
#ifndef MEMORY_FOLD_H
#define MEMORY_FOLD_H

#include "job/work.h"
#include "memory/memory.h"
#include "prompt/builtin.h"
#include "prompt/origin.h"
#include "store/conversation.h"

struct llm_service;

/* What a turn says of the job: the member `memory` of its args. */
struct fold_options {
	int64_t why;		/* enum memory_why; 0: results only, no model */
	int64_t keep;		/* messages that are sent whole */
	struct str service;	/* id of the summarise service; p == NULL: the turn's */
};

/* Writes it as a JSON object. */
void fold_options_write(struct jw *w, const struct fold_options *f);

/*
 * Requests the job for a conversation. args: of the turn's work afterwards, with its user,
 * service and wish. Nothing happens if it has failed and is to be tried again later, or was
 * given up in the last hour.
 */
int fold_ask(struct db *db, const struct owner *o, const struct uuid *conversation,
	     struct str args, struct err *e) MUST_CHECK;

/*
 * -- for other jobs of this room ------------------------------------------------------
 */

/*
 * The service that such a job asks: the wished one, else that of the turn, as its args
 * say, of the same payer. *s NULL: it is gone, and nobody else is asked instead.
 */
int memory_service(const struct job_run *r, const struct owner *o,
		   const struct conversation *c, const json_t *args, struct str requested,
		   const struct llm_service **s, struct err *e) MUST_CHECK;

/*
 * Asks for the work after a turn: q says layer, prompt, schema and limits, given is sent as
 * untrusted text of this kind. turn: NULL if the record of the usage is not of one turn.
 * args: of the job. The reply is recorded whether it is good or not; in the run's arena.
 */
struct prompt_ask;
struct prompt_reply;
int memory_ask(const struct job_run *r, const struct owner *o, const struct conversation *c,
	       const struct uuid *turn, const json_t *args, const struct prompt_ask *q,
	       struct str kind, struct str given, struct prompt_reply *reply,
	       struct err *e) MUST_CHECK;

/* Whoever chose the address of the service may answer in its place: adds them. */
void memory_note_service(const struct conf *conf, const struct llm_service *s,
			 struct origins *to);

/*
 * -- for tests, too -------------------------------------------------------------------
 */

/* The schema of the summariser's answer. New, kept by a. */
json_t *fold_schema(struct arena *a);

/*
 * An answer of the summariser that fits the schema, applied to base: out is the next
 * version, in a. window: the rows that were folded; given: what the model was sent. What
 * it names that it was not given is left out. -1 with ERR_UPSTREAM_PROTOCOL if nothing
 * useful is left, so that base stays.
 */
int fold_apply(const struct memory *base, const json_t *answer,
	       const struct memory_row *window, size_t n, struct str given,
	       int64_t now_us, struct arena *a, struct memory *out,
	       struct err *e) MUST_CHECK;

/* The input of the summariser (D19) for these rows, without its envelope; in a. */
struct str fold_input(const struct memory *base, const struct memory_row *window, size_t n,
		      const struct str *scope, struct arena *a);

/* How many of n rows a run folds: whole units, of about so many characters. */
size_t fold_window(const struct memory_row *rows, size_t n, size_t most);

#endif
