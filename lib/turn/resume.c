/* SPDX-License-Identifier: MIT */
/*
 * Resuming a turn that waited: its last step becomes the current one, and each
 * decision about its calls is applied once. An approval is valid for exactly
 * the call that was shown: turn, call, tool and arguments in the thread must
 * have the digest of the row. A step of a plan resumes from its trail in the same way.
 */
#include "turn/resume.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "turn/calls.h"
#include "context/intent.h"
#include "turn/loop.h"
#include "plan/rows.h"
#include "turn/trail.h"

#include "base/banned.h"

/* The waiting call of a row; NULL if the thread has none. */
static struct turn_call *call_of(struct turn_loop *l, const struct turn_wait *w)
{
	for (size_t i = 0; i < l->step.n_calls; i++) {
		struct turn_call *c = &l->step.calls[i];

		if (!c->result.text.p && str_eq(c->id, w->call_id))
			return c;
	}
	return NULL;
}

static void refuse(struct turn_loop *l, struct turn_call *c, const char *why)
{
	c->wait = 0;
	tool_refuse(l->arena, ERR_TOOL_NOT_APPROVED, why, &c->result);
	calls_end(l, c);
}

static bool is_same(struct turn_loop *l, const struct turn_call *c,
		    const struct turn_wait *w)
{
	unsigned char digest[WAIT_DIGEST_BYTES];

	wait_digest(&l->run->id, w->call_id, c->name, calls_canonical(l, c), digest);
	return str_eq(w->digest, (struct str){ (const char *)digest,
					       sizeof(digest) });
}

static void approve(struct turn_loop *l, struct turn_call *c,
		    const struct turn_wait *w)
{
	if (!is_same(l, c, w)) {
		refuse(l, c, "The call is not the one that was approved; it "
		       "was not run.");
		return;
	}
	c->wait = 0;
	c->approved = true;
	c->edited = w->edited;
	/* An approved call of the page now waits for the page. */
	if (calls_must_wait(l, c) && c->result.text.p)
		calls_end(l, c);
	else if (c->wait)
		c->row = NULL;
}

static const char cut_reason[] = "unknown";	/* of a wait: turn_wait.reason */
static const char unknown_error[] = "The page could not run the call.";

/* The result from the page; always untrusted. */
static void take_client(struct turn_loop *l, struct turn_call *c,
			const struct turn_wait *w)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);
	struct tool_ctx ctx = l->context.tool_ctx;

	c->wait = 0;
	ctx.from = &c->from;	/* origins are kept with a long result */
	origins_add(&c->from, ORIGIN_PAGE_RESULT, c->name);
	if (!str_eq(w->args, calls_canonical(l, c)))
		c->edited = w->args;	/* as edited with the approval */
	if (w->is_error)
		tool_refuse(l->arena, ERR_TOOL_FAILED, w->result.n
			    ? arena_str(l->arena, w->result).p : unknown_error,
			    &c->result);
	else
		tool_accept(o ? o->tool : NULL, &ctx, w->result, &c->result);
	c->untrusted = true;
	calls_end(l, c);
}

/* The user's answer, in their own words: trusted. */
static void take_answer(struct turn_loop *l, struct turn_call *c,
			const struct turn_wait *w)
{
	c->wait = 0;
	c->reply = true;
	intent_hear(&l->context, w->result);
	tool_accept(NULL, &l->context.tool_ctx, w->result, &c->result);
	calls_end(l, c);
}

static void apply(struct turn_loop *l, struct turn_call *c, const struct turn_wait *w)
{
	switch ((enum wait_status)w->status) {
	case WAIT_APPROVED:
		approve(l, c, w);
		break;
	case WAIT_ANSWERED:
		if (w->kind == WAIT_CLIENT)
			take_client(l, c, w);
		else
			take_answer(l, c, w);
		break;
	case WAIT_EXPIRED:
		refuse(l, c, "Nobody answered in time; the call was not run.");
		break;
	case WAIT_DENIED:
		if (w->kind == WAIT_QUESTION) {
			refuse(l, c, "The user did not answer.");
			break;
		}
		/* fall through */
	case WAIT_SUPERSEDED:
	case WAIT_OPEN:
		refuse(l, c, "The user did not approve this call; it was not "
		       "run. Do not make it again unless the user asks for "
		       "it.");
		break;
	}
}

/* Whether the call has not ended and knows itself what it waits for: a plan. */
static bool is_resumable(const struct turn_loop *l, const struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);

	return o && o->tool->resumes;
}

/* Refuses calls without a result whose row is neither open nor just decided. */
static void refuse_lost(struct turn_loop *l)
{
	for (size_t i = 0; i < l->step.n_calls; i++) {
		struct turn_call *c = &l->step.calls[i];

		if (!c->result.text.p && !c->wait && !c->approved && !is_resumable(l, c))
			refuse(l, c, "The call was not answered.");
	}
}

int resume_calls(struct turn_loop *l, struct err *e)
{
	struct db *db = l->run->deps->db;
	struct turn_wait *all, *taken;
	size_t n_all, n;

	if (store_turn_wait_take(db, &l->owner, &l->run->id, l->arena, &taken, &n,
				 e) < 0 ||
	    store_turn_wait_list(db, &l->owner, &l->run->id, l->arena, &all, &n_all,
				 e) < 0)
		return -1;
	/* Read again: approvals may have been added. */
	l->context.tool_ctx.turn.allowed = NULL;
	l->context.tool_ctx.turn.n_allowed = 0;
	relay_status(&l->relay, "executing");
	l->log.asked = l->context.taint;
	l->context.tool_ctx.taint = &l->log.asked;
	/* First all rows that are still open, then those that were decided since. */
	for (size_t i = 0; i < n_all; i++) {
		struct turn_call *c = all[i].used_us ? NULL : call_of(l, &all[i]);

		if (c) {
			c->row = &all[i];
			c->wait = (enum wait_kind)all[i].kind;
			c->shown = all[i].args;
		}
	}
	for (size_t i = 0; i < l->step.n_calls; i++)
		l->step.calls[i].sleeps = false;
	for (size_t i = 0; i < l->step.n_calls; i++)
		if (l->step.calls[i].n_inner) {
			/* A plan finds out itself what it still waits for. */
			l->step.calls[i].wait = 0;
			l->step.calls[i].n_inner = 0;
		}
	for (size_t i = 0; i < n; i++) {
		struct turn_call *c = call_of(l, &taken[i]);

		if (c) {
			c->row = &taken[i];
			apply(l, c, &taken[i]);
		}
	}
	refuse_lost(l);
	calls_go(l);
	return 0;
}

/* -- a step of a plan that was cut, or waited ------------------------------------- */

static struct turn_call call_of_row(const struct plan_call_row *r)
{
	struct turn_call c = {
		.id = r->call_id, .name = r->tool, .args = r->args,
		.plan_call = r->number, .plan_tries = r->tries,
		.untrusted = r->flags & PLAN_CALL_UNTRUSTED,
	};
	json_t *args = jx_try(r->args.n ? r->args : STR("{}"));

	c.bad_args = !json_is_object(args);
	json_decref(args);
	if (r->origins.p)
		origins_parse(&c.from, r->origins);
	if (r->result.p)
		c.result = (struct tool_result){
			.text = r->result, .is_json = r->flags & PLAN_CALL_JSON,
			.is_error = r->flags & PLAN_CALL_ERROR,
		};
	return c;
}

/* The newest wait of the call; NULL: none. */
static const struct turn_wait *wait_of(const struct turn_loop *l, const struct turn_call *c)
{
	const struct trail *j = l->within.trail;
	const struct str id = trail_call_id(l, c);

	for (size_t i = j->n_rows; i-- > 0;)
		if (str_eq(j->rows[i].call_id, id))
			return &j->rows[i];
	return NULL;
}

/* What the user has answered in this step counts in it, as it did before the process ended. */
static void hear_again(struct turn_loop *l, struct turn_call *c)
{
	const struct turn_wait *w = c->result.text.p ? wait_of(l, c) : NULL;

	if (!w || w->kind != WAIT_QUESTION || w->status != WAIT_ANSWERED)
		return;
	c->reply = true;
	intent_hear(&l->context, w->result);
}

/* A call that changed something, whose result was lost with its process. */
static void tell_landed(struct turn_loop *l, struct turn_call *c, int64_t landed)
{
	c->result = (struct tool_result){
		.text = str_of(arena_printf(l->arena, "{\"done\":true,\"changes\":%lld,"
			"\"note\":\"The call was carried out; its result was lost when "
			"the process ended. Read what you need of it; do not call it "
			"again.\"}", (long long)landed)),
		.is_json = true,
	};
	calls_end(l, c);
}

/* A call of an outside tool that was cut: nobody knows whether it happened. */
static void ask_about_cut(struct turn_loop *l, struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);

	if (!o)
		return;
	c->shown = calls_canonical(l, c);
	c->ask = (struct tool_question){ .reason = cut_reason };
	c->wait = WAIT_APPROVAL;
	c->row = NULL;
}

static bool is_ours(const struct turn_loop *l, const struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);

	return o && !o->tool->kind && o->tool->visibility == TOOL_SERVER;
}

/* What becomes of a call without a result. */
static void take_up(struct turn_loop *l, struct turn_call *c, const struct plan_call_row *r)
{
	const struct turn_wait *w = wait_of(l, c);
	/* It had begun and has no result: a read is made again, a change is not. */
	const bool cut = r->tries > 0 && calls_may_change(l, c);

	/*
	 * landed: changes with its number, which are stored in the same transaction as the
	 * change.
	 */
	if (cut && r->landed)
		tell_landed(l, c, r->landed);
	else if (cut && !is_ours(l, c) && !(w && str_is(w->reason, cut_reason)))
		ask_about_cut(l, c);
	else if (w && w->status == WAIT_OPEN) {
		c->row = arena_new(l->arena, struct turn_wait);
		*c->row = *w;
		c->wait = (enum wait_kind)w->kind;
		c->shown = w->args;
	} else if (w) {
		apply(l, c, w);
	} else if (calls_must_wait(l, c) && c->result.text.p) {
		calls_end(l, c);
	}
}

/* The calls of a round as the current step. */
static void load_round(struct turn_loop *l, const struct plan_call_row *v, size_t n)
{
	struct turn_step *s = &l->step;

	buf_reset(&s->text);
	if (v->text.p)
		buf_addstr(&s->text, v->text);
	s->calls = arena_zalloc(l->arena, n, sizeof(*s->calls));
	s->n_calls = s->calls_size = n;
	for (size_t i = 0; i < n; i++) {
		s->calls[i] = call_of_row(&v[i]);
		origins_join(&l->context.taint, &s->calls[i].from);
		calls_note(l, &s->calls[i]);
		hear_again(l, &s->calls[i]);
		l->within.n_called++;
	}
	l->served.iterations++;
	l->within.trail->round++;
}

static bool is_whole(const struct plan_call_row *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!v[i].result.p)
			return false;
	return true;
}

static size_t round_size(const struct plan_call_row *v, size_t n)
{
	size_t k = 1;

	while (k < n && v[k].number >> PLAN_ROUND_BITS == v->number >> PLAN_ROUND_BITS)
		k++;
	return k;
}

int resume_trail(struct turn_loop *l, struct err *e)
{
	struct trail *j = l->within.trail;
	struct plan_call_row *v;
	size_t n, k;

	if (agentplan_calls(l->run->deps->db, &l->owner, &j->plan_id, j->step, l->arena, &v, &n,
			    e) < 0)
		return -1;
	for (; n; v += k, n -= k) {
		k = round_size(v, n);
		load_round(l, v, k);
		if (!is_whole(v, k))
			break;
		context_add_step(&l->context, &l->step);
	}
	if (!n)
		return 0;
	l->log.asked = l->context.taint;
	l->context.tool_ctx.taint = &l->log.asked;
	for (size_t i = 0; i < k; i++)
		if (!v[i].result.p)
			take_up(l, &l->step.calls[i], &v[i]);
	calls_go(l);
	return 1;
}
