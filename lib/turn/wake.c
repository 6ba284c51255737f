/* SPDX-License-Identifier: MIT */
/*
 * The job that goes on with a plan, with the rights of the user as the last request for it
 * had them: the configuration decides again what they are worth, approvals are asked for
 * as ever. It is a run of the turn like any other, within a thread of the job's caller.
 */
#include "turn/wake.h"

#include "auth/saved.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/log.h"
#include "domain/stored_service.h"
#include "event/live.h"
#include "hold/stored.h"
#include "job/work.h"
#include "plan/rows.h"
#include "store/wait.h"
#include "turn/follow.h"
#include "turn/turn.h"

#include "base/banned.h"

/* So long after the last request for it a plan has the rights of its user. */
#define RIGHTS_US INT64_C(86400000000)

enum { LATER_US = 5000000 };	/* where too many turns run */

int turn_plans(struct db *db, const struct owner *o, const struct turn *t,
	       struct arena *a, struct err *e)
{
	struct plan_row *plans;
	size_t n;

	if (agentplan_of_turn(db, o, &t->id, a, &plans, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (str_is(plans[i].status, "running"))
			return 1;
	return 0;
}

int turn_sleeps(struct db *db, const struct owner *o, const struct turn *t,
		struct arena *a, struct err *e)
{
	struct turn_wait *rows;
	size_t n;

	if (t->status != TURN_WAITING)
		return 0;
	if (store_turn_wait_list(db, o, &t->id, a, &rows, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (rows[i].status == WAIT_OPEN)
			return turn_plans(db, o, t, a, e);
	return 1;
}

/* -- the job ----------------------------------------------------------------------- */

struct waking {
	const struct job_run *r;
	struct owner owner;
	struct turn turn;
	struct plan_row plan;
	struct identity who;
};

static int not_woken(const struct waking *k, const char *why)
{
	char turn[UUID_TEXT_BYTES];

	log_info("a plan waits for its user", "turn", uuid_format(&k->turn.id, turn), "why",
		 why);
	return 0;
}

/* 1: it sleeps, and its plan is in k; 0; -1. */
static int load_plan(struct waking *k, struct err *e)
{
	const struct job_run *r = k->r;
	struct plan_row *plans;
	struct uuid id;
	size_t n;
	int rc;

	k->owner = (struct owner){ r->job->tenant_id, r->job->user_id };
	if (job_subject(r, &id, e) < 0)
		return -1;
	if (turn_now(r->turns, &k->owner, &id, r->arena, &k->turn, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return 0;
	}
	rc = turn_sleeps(r->db, &k->owner, &k->turn, r->arena, e);
	if (rc <= 0)
		return rc;
	if (agentplan_of_turn(r->db, &k->owner, &id, r->arena, &plans, &n, e) < 0)
		return -1;
	/* One after the other: the last one is what it is about. */
	if (n)
		k->plan = plans[n - 1];
	return n > 0;
}

/* Whose rights it has. 1; 0: only a request can go on with it; -1. */
static int find_rights(struct waking *k, struct err *e)
{
	const struct job_run *r = k->r;
	struct err why = ERR_INIT;
	int may;

	if (!k->plan.rights.p)
		return not_woken(k, "no rights were kept");
	if (k->plan.asked_us < clock_now_us() - RIGHTS_US)
		return not_woken(k, "the last request is too old");
	if (identity_restore(r->conf, k->plan.rights, r->arena, &k->who, &why) < 0 ||
	    !uuid_eq(&k->who.user_id, &k->owner.user_id) ||
	    !str_eq(k->who.tenant, k->owner.tenant_id))
		return not_woken(k, "the configuration does not know its user");
	/* As for the request that continues it. */
	if (!policy_may(&k->who, PERM_CHAT_SEND))
		return not_woken(k, "its user may not chat any more");
	may = agentplan_wake(r->db, &k->plan.id, e);
	return may ? may : not_woken(k, "it did not get on when it was woken");
}

static int wake(struct waking *k, struct err *e)
{
	const struct job_run *r = k->r;
	struct turn_request in = {
		.verb = TURN_RESUME, .woken = true, .of = &k->turn,
		.conversation_id = k->turn.conversation_id,
		.by = caller_of(r->conf, &k->who, r->db, r->arena),
	};
	struct turn_run *t = arena_new(r->arena, struct turn_run);
	struct err ended = ERR_INIT;
	int rc;

	in.by.own = arena_new(r->arena, struct own_instances);
	rc = turn_start(t, r->turns, &in, r->arena, e);
	if (rc < 0 && err_row(e)->retryable)
		return -1;
	if (rc < 0) {
		log_err("a plan that cannot go on", e);
		err_clear(e);
	}
	if (rc != TURN_STARTED)
		return 1;
	/* From here the lease of the turn keeps others off. */
	if (store_job_end(r->db, r->job, &ended) < 0)
		log_err("job", &ended);
	log_info("a plan goes on without its user");
	(void)turn_run(t, NULL);
	turn_after(t);
	hold_refresh(r->db, r->conf, &k->owner);
	return 1;
}

/*
 * A second run is harmless: a turn that does not sleep any more is left alone. A plan that
 * ends its process each time is woken PLAN_WAKES times.
 */
int job_plan_wake(const struct job_run *r, struct err *e)
{
	struct waking k = { .r = r };
	int rc;

	/* A turn of a user who waits for it goes before one that nobody looks at. */
	if (!r->turns || event_live_count(r->turns->live) >= r->conf->threads.max_turns) {
		*r->due_us = clock_now_us() + LATER_US;
		return 0;
	}
	arena_secret(r->arena);		/* a key may be in it */
	rc = load_plan(&k, e);
	if (rc > 0)
		rc = find_rights(&k, e);
	return rc > 0 ? wake(&k, e) : rc + !rc;
}
