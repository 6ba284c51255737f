/* SPDX-License-Identifier: MIT */
/*
 * The rows of plans. A call of a step is stored before it runs and its result after it, so
 * that another process goes on from there. Who begins a call moves its number of tries;
 * a change of a resource that belongs to an older try is refused in its transaction
 * (resource/change.h), so what a call changes happens once.
 */
#ifndef PLAN_ROWS_H
#define PLAN_ROWS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/uuid.h"
#include "store/store.h"

struct db;
struct turn_wait;

enum plan_step_status {
	PLAN_READY = 1, PLAN_RUNNING, PLAN_WAITING, PLAN_DONE, PLAN_FAILED, PLAN_SKIPPED
};

struct plan_row {
	struct uuid id, conversation_id, turn_id;
	struct str goal, status;
	struct str plan, progress;	/* JSON */
	struct str origins;		/* JSON; p == NULL: nobody's */
	struct str rights;	/* of the last request that ran it (auth/saved.h); or NULL */
	int64_t asked_us;	/* when that was; read only */
};

struct plan_step_row {
	int64_t number, status;		/* enum plan_step_status */
	struct str result, origins;	/* p == NULL: none */
	int64_t tokens;
	double cost;			/* NAN: unknown */
	int64_t started_us, ended_us;	/* 0: not yet */
	int64_t stop_us;		/* the user stopped it while it ran; 0: no */
};

/* "ready", "running", …; of one that runs and is stopped "stopping". */
const char *agentplan_step_status(const struct plan_step_row *s);

enum { PLAN_CALL_JSON = 1, PLAN_CALL_ERROR = 2, PLAN_CALL_UNTRUSTED = 4 };

struct plan_call_row {
	int64_t number;
	struct str call_id, tool, args, text;
	int64_t tries, landed, flags;
	struct str result, origins;	/* p == NULL: none */
};

enum { PLAN_ROUND_BITS = 8, PLAN_STEP_BITS = 20 };

/* The number of a call: of which step, which round of its model and which call of that. */
static inline int64_t agentplan_call_number(size_t step, size_t round, size_t call)
{
	return (int64_t)step << PLAN_STEP_BITS | (int64_t)round << PLAN_ROUND_BITS |
	       (int64_t)call;
}

/* The number of the step that a wait of this id of a call belongs to; -1: none of the plan. */
int64_t agentplan_step_of_wait(const struct uuid *id, struct str call_id);

/* The id of the plan of a call of a turn. */
struct uuid agentplan_id_of(const struct uuid *turn_id, struct str call_id);

/* 1; 0: there is none. Text in a. */
int agentplan_get(struct db *db, const struct owner *o, const struct uuid *id,
		  struct arena *a, struct plan_row *out, struct err *e) MUST_CHECK;

/* The plans of a turn in their order. Text in a. */
int agentplan_of_turn(struct db *db, const struct owner *o, const struct uuid *turn_id,
		      struct arena *a, struct plan_row **out, size_t *n,
		      struct err *e) MUST_CHECK;

/* Stores a new plan, without steps. ERR_DB_DUPLICATE; ERR_NOT_FOUND: as for calls. */
int agentplan_put(struct db *db, const struct owner *o, const struct plan_row *p,
		  struct str call_id, struct err *e) MUST_CHECK;

/*
 * Its status, plan and progress, and its n steps, which are PLAN_READY unless they are there.
 * ERR_NOT_FOUND: as for calls.
 */
int agentplan_start(struct db *db, const struct owner *o, const struct plan_row *p, size_t n,
		    struct err *e) MUST_CHECK;

/* Its status, plan and progress. */
int agentplan_set(struct db *db, const struct owner *o, const struct plan_row *p,
		  struct err *e) MUST_CHECK;

/* Another request runs it, with these rights (p == NULL: no job may run it). */
int agentplan_asked(struct db *db, const struct owner *o, const struct uuid *id,
		    struct str rights, struct err *e) MUST_CHECK;

/*
 * A job is about to go on with it. 1; 0: it did PLAN_WAKES times, and no step or call ended
 * since the first of them: something is wrong with it; -1.
 */
int agentplan_wake(struct db *db, const struct uuid *id, struct err *e) MUST_CHECK;
enum { PLAN_WAKES = 5 };

/* The steps of a plan of o's, in order, in a; and storing one (its number says which). */
int agentplan_steps(struct db *db, const struct owner *o, const struct uuid *id,
		    struct arena *a, struct plan_step_row **out, size_t *n,
		    struct err *e) MUST_CHECK;
int agentplan_step_set(struct db *db, const struct uuid *id, const struct plan_step_row *s,
		       struct err *e) MUST_CHECK;

/* A step runs from now on. 1; 0: the user has skipped or stopped it; -1. */
int agentplan_step_begin(struct db *db, const struct uuid *id, int64_t number,
			 int64_t started_us, struct err *e) MUST_CHECK;

/* The result of a step that the user has skipped, has stopped, and whose process died then. */
#define PLAN_SKIPPED_TEXT "The user skipped this step."
#define PLAN_STOPPED_TEXT "The user stopped this step while it ran. What its calls have changed stays."
#define PLAN_CUT_TEXT "The user skipped this step after it was cut. It is unknown whether its last " \
	"call was carried out."

/* The steps that are skipped, and those that run and that the user has stopped. Text in a. */
int agentplan_stopped(struct db *db, const struct uuid *id, struct arena *a,
		      struct plan_step_row **out, size_t *n, struct err *e) MUST_CHECK;

/* Whether the user has stopped the step that a call belongs to. 1, 0 or -1. */
int agentplan_stops(struct db *db, const struct uuid *id, int64_t call,
		    struct err *e) MUST_CHECK;

/*
 * Takes what was answered, or has expired, of what steps of the plan wait for, and reads all
 * waits of the turn as store_turn_wait_list does. For the process that runs the turn.
 */
int agentplan_waits_take(struct db *db, const struct owner *o, const struct uuid *turn_id,
			 const struct uuid *id, struct arena *a, struct turn_wait **out,
			 size_t *n, struct err *e) MUST_CHECK;

/* Closes it if it is open: it is not asked any more. */
int agentplan_wait_drop(struct db *db, const struct turn_wait *w, struct err *e) MUST_CHECK;

/* Whether a call of the step may have changed something that nobody knows of. 1, 0 or -1. */
int agentplan_was_cut(struct db *db, const struct uuid *id, int64_t number,
		      struct err *e) MUST_CHECK;

/*
 * Skips the step with this id of a plan that has not ended, and drops what it waits for; the
 * turn goes on when it is asked to. One that runs is told to stop: 1; else 0. Repeating it is
 * no error. *out: the plan as it was, text in a. ERR_NOT_FOUND: no such plan or step;
 * ERR_CONFLICT: it has ended, or the step has.
 */
int agentplan_skip(struct db *db, const struct owner *o, const struct uuid *id,
		   struct str step, struct arena *a, struct plan_row *out,
		   struct err *e) MUST_CHECK;

/*
 * Stores a new plan like agentplan_put, and its n steps: those of steps whose status is not
 * PLAN_READY with it and their results.
 */
int agentplan_put_again(struct db *db, const struct owner *o, const struct plan_row *p,
			struct str call_id, const struct plan_step_row *steps, size_t n,
			struct err *e) MUST_CHECK;

/* The calls of a step in their order. Text in a. */
int agentplan_calls(struct db *db, const struct owner *o, const struct uuid *id, size_t step,
		    struct arena *a, struct plan_call_row **out, size_t *n,
		    struct err *e) MUST_CHECK;

/*
 * Stores the calls of a round, all or none. ERR_DB_DUPLICATE: another process runs the step;
 * ERR_NOT_FOUND: the conversation was deleted.
 */
int agentplan_calls_put(struct db *db, const struct owner *o, const struct uuid *id,
			const struct uuid *conversation_id, const struct plan_call_row *v,
			size_t n, struct err *e) MUST_CHECK;

/*
 * Begins a call as try number tries + 1. ERR_CONFLICT: another process has begun it, or
 * the user has stopped its step.
 */
int agentplan_call_begin(struct db *db, const struct uuid *id, int64_t number, int64_t tries,
			 struct err *e) MUST_CHECK;

/*
 * Stores flags, result and origins of the try c->tries of a call. Nothing if another try was
 * begun since, which has a result of its own.
 */
int agentplan_call_end(struct db *db, const struct uuid *id, const struct plan_call_row *c,
		       struct err *e) MUST_CHECK;

#endif
