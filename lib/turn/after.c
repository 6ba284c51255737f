/* SPDX-License-Identifier: MIT */
#include "turn/after.h"

#include "domain/auto.h"
#include "domain/stored_service.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/trace.h"
#include "job/work.h"
#include "store/message.h"
#include "turn/finish.h"
#include "turn/loop.h"
#include "context/recall.h"
#include "context/remember.h"
#include "context/setting.h"

#include "base/banned.h"

enum { TOKENS = 750 };		/* of input, about: for the rules of "auto" */

const struct after after_rows[] = {
#define AFTER(name, due, run, what) { #name, what, due, run },
#include "turn/after.def"
#undef AFTER
};
const size_t after_n_rows = ARRAY_LEN(after_rows);

/* -- asking ----------------------------------------------------------------- */

static const struct llm_service *service_of(struct turn_run *t)
{
	const struct auto_facts f = {
		.task = AUTO_TITLE, .who = t->in.by.who, .tokens = TOKENS,
		.now_us = clock_now_us(), .zone = context_zone(t),
	};
	const struct llm_service *s = NULL;

	if (t->in.target.automatic)
		s = auto_choose(t->in.by.conf, t->in.target.workspace, &f,
				t->arena).service;
	return s ? s : t->in.target.service;
}

/* What job_after_turn reads of it. In t's arena. */
static struct str args_of(struct turn_run *t, struct str rows)
{
	const struct llm_service *s = t->after_service;
	struct buf b = BUF_INIT(1024);
	struct jw w = jw_on(&b);
	struct str args;

	jw_obj(&w);
	jw_kuuid(&w, "user", &t->loop->owner.user_id);
	jw_kstrz(&w, "service", s->id);
	jw_kbool(&w, "own", s->payer == PAYER_USER);
	jw_kint(&w, "turn", t->loop->begun.turn_number);
	jw_kstr(&w, "rows", rows);
	remember_write_wish(t, &w);
	recall_write_wish(t, &w);
	jw_end_obj(&w);
	args = arena_str(t->arena, buf_str(&b));
	buf_release(&b);
	return args;
}

const struct job *after_job(struct turn_run *t)
{
	struct job *j;
	char id[UUID_TEXT_BYTES];
	const char *rows = "";

	for (size_t i = 0; i < after_n_rows; i++)
		if (after_rows[i].due(t))
			rows = arena_printf(t->arena, "%s%s ", rows,
					    after_rows[i].name);
	if (!*rows)
		return NULL;
	t->after_service = service_of(t);
	j = arena_new(t->arena, struct job);
	*j = job_taken(JOB_AFTER_TURN, str_of(arena_printf(
			       t->arena, "%s", uuid_format(&t->id, id))),
		       &t->loop->owner, args_of(t, str_of(rows)),
		       clock_now_us());
	return j;
}

/* -- running ---------------------------------------------------------------- */

static int run_row(struct str name, const struct after_work *w, struct err *e)
{
	int rc = 1;

	for (size_t i = 0; i < after_n_rows; i++)
		if (str_is(name, after_rows[i].name))
			rc = after_rows[i].run(w, e);
	if (rc < 0 && !err_row(e)->retryable) {
		log_err("work after a turn", e);
		err_clear(e);
		rc = 1;
	}
	return rc;
}

/* The rows that the job names: as a job_fn. What cannot work later is done. */
static int run_rows(const struct after_work *w, const struct job *j,
		    struct err *e)
{
	json_t *args = jx_keep(w->arena, jx_load(j->args, e));
	struct str rows = jx_str(args, "rows");
	struct after_work with = *w;
	int rc = args ? 1 : -1;

	with.args = j->args;
	while (rc > 0 && rows.n)
		rc = run_row(str_cut(&rows, ' '), &with, e);
	return rc;
}

void turn_after(struct turn_run *t)
{
	struct turn_loop *l = t->loop;
	struct after_work w = {
		.deps = t->deps, .owner = l->owner, .service = t->after_service,
		.question = t->in.content, .answer = t->answer.content,
		.abort = l->abort, .arena = t->arena, .asked = &t->jobs_asked,
	};
	struct err why = ERR_INIT, e = ERR_INIT;
	int rc;
	TRACE_SPAN(TRACE_AFTER, NULL);

	if (!t->after || t->answer.seq == 0)
		return;
	turn_usage_place(&w.place, l);
	/* Stopped at its very end: by the process, or by somebody who wants no more. */
	if (http_aborted(l->abort))
		rc = !l->relay.entry.interrupted;
	else
		rc = run_rows(&w, t->after, &why);
	if (job_settle(t->deps->db, t->after, rc, 0, &why, &e) < 0)
		log_err("work after a turn", &e);
}

/* -- by another process ------------------------------------------------------ */

/* The service that the job names, of the same payer; NULL: it is gone. */
static int find_service(const struct job_run *r, const struct identity *who,
			const struct conversation *c, const json_t *args,
			struct after_work *w, struct err *e)
{
	const struct caller by = caller_of(r->conf, who, r->db, r->arena);
	struct str id = jx_str(args, "service");

	if (jx_bool(args, "own", false))
		return r->conf->byok.mode == BYOK_ALLOW_USER
			? stored_service_own(&by, c->workspace_id, c->agent_id,
					     r->arena, &w->service, e) : 0;
	return service_find(&by, c->workspace_id, id, r->arena, &w->service, e);
}

/* 1; 0: it is not to be done any more, since the turn or its service is gone. */
static int load(const struct job_run *r, struct after_work *w, struct err *e)
{
	json_t *args = jx_keep(r->arena, jx_load(r->job->args, e));
	struct identity who = { .tenant = r->job->tenant_id };
	struct conversation *c = arena_new(r->arena, struct conversation);
	struct message said, answer;
	struct turn turn;
	struct uuid id;

	if (!uuid_parse(r->job->subject, &id) ||
	    !uuid_parse(jx_str(args, "user"), &who.user_id))
		return err_set(e, ERR_INTERNAL, "no turn or no user");
	w->owner = (struct owner){ .tenant_id = who.tenant,
				   .user_id = who.user_id };
	if (store_turn_get(r->db, &w->owner, &id, r->arena, &turn, e) < 0 ||
	    conversation_get(r->db, &w->owner, &turn.conversation_id, r->arena,
			     c, e) < 0 ||
	    message_get(r->db, &w->owner, &c->id, turn.user_seq, r->arena, &said,
			e) < 0 ||
	    message_get(r->db, &w->owner, &c->id, turn.answer_seq, r->arena,
			&answer, e) < 0 ||
	    find_service(r, &who, c, args, w, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return 0;
	}
	w->now = c;
	w->question = said.content;
	w->answer = answer.content;
	w->place = (struct usage){
		.workspace_id = c->workspace_id, .agent_id = c->agent_id,
		.conversation_id = c->id, .turn_id = id,
		.turn_number = jx_int(args, "turn", 1),
	};
	return w->service != NULL;
}

/* A second run is harmless, see after.h. */
int job_after_turn(const struct job_run *r, struct err *e)
{
	const struct turn_deps deps = { .db = r->db, .http = r->http };
	struct after_work w = {
		.deps = &deps, .stop = r->stop, .arena = r->arena,
	};
	int rc;

	arena_secret(r->arena);		/* a key may be in it */
	rc = load(r, &w, e);
	return rc <= 0 ? rc + !rc : run_rows(&w, r->job, e);
}
