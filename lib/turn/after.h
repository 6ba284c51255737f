/* SPDX-License-Identifier: MIT */
/*
 * Work after a turn (after.def). It never delays the response. A failure does not
 * affect the turn, which is stored by then.
 *
 * Whatever is due for a turn that ended well is one job (after-turn), requested and
 * taken by the statement that ends the turn. The turn's thread runs it after the
 * response, from what it has in memory. If its process dies or is stopped, another
 * process runs it from the store (job_after_turn).
 */
#ifndef TURN_AFTER_H
#define TURN_AFTER_H

#include <stdatomic.h>

#include "base/json.h"
#include "store/conversation.h"
#include "store/usage.h"
#include "turn/turn.h"

/* A turn, for those who work for it afterwards. All borrowed. */
struct after_work {
	const struct turn_deps *deps;	/* live and notify may be NULL */
	struct owner owner;
	struct usage place;	/* workspace, agent, conversation and turn alone */
	const struct llm_service *service;	/* that nobody waits for */
	struct str question, answer;
	struct str args;	/* of the job, a JSON object */
	bool *asked;		/* set where a job was asked for; or NULL */
	const struct conversation *now;	/* as it is now; NULL: the turn has just ended */
	struct http_abort *abort;	/* ends it; or NULL */
	const atomic_bool *stop;	/* the process must end; or NULL */
	struct arena *arena;
};

struct after {
	const char *name;	/* in the job and docs/turn.md */
	const char *what;
	/* Whether this turn needs the work. Must not do I/O. */
	bool (*due)(const struct turn_run *t);
	/*
	 * Does the work. Returns 1; 0 if the process is being stopped and another one
	 * must continue; -1 with e set, and the work is retried if that may help. It
	 * may run again after it was done.
	 */
	int (*run)(const struct after_work *w, struct err *e);
};

extern const struct after after_rows[];
extern const size_t after_n_rows;

/* What is asked for at the end of t, which goes well: in its arena. NULL: nothing. */
const struct job *after_job(struct turn_run *t);

/* -- title.c ---------------------------------------------------------------- */

bool title_due(const struct turn_run *t);
int title_run(const struct after_work *w, struct err *e) MUST_CHECK;

#endif
