/* SPDX-License-Identifier: MIT */
/*
 * Resuming a turn that waited: its last step becomes the current one, and each
 * decision about its calls is applied once. An approval is valid for exactly
 * the call that was shown: turn, call, tool and arguments in the thread must
 * have the digest of the row.
 */
#include "turn/resume.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "turn/calls.h"
#include "context/intent.h"
#include "turn/loop.h"
#include "turn/pause.h"

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
	if (pause_needed(l, c) && c->result.text.p)
		calls_end(l, c);
	else if (c->wait)
		c->row = NULL;
}

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

void resume_call(struct turn_loop *l, struct turn_call *c, const struct turn_wait *w)
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
static bool goes_on(const struct turn_loop *l, const struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);

	return o && o->tool->resumes;
}

/* Refuses calls without a result whose row is neither open nor just decided. */
static void refuse_lost(struct turn_loop *l)
{
	for (size_t i = 0; i < l->step.n_calls; i++) {
		struct turn_call *c = &l->step.calls[i];

		if (!c->result.text.p && !c->wait && !c->approved && !goes_on(l, c))
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
	l->made.asked = l->context.taint;
	l->context.tool_ctx.taint = &l->made.asked;
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
			l->step.calls[i].wait = 0;
			l->step.calls[i].n_inner = 0;
		}
	for (size_t i = 0; i < n; i++) {
		struct turn_call *c = call_of(l, &taken[i]);

		if (c) {
			c->row = &taken[i];
			resume_call(l, c, &taken[i]);
		}
	}
	refuse_lost(l);
	calls_go(l);
	return 0;
}

/* -- the request that decides ------------------------------------------------- */

/*
 * Edited arguments must fit the tool as it is offered now, and are kept in
 * canonical form. Tools are described as for the turn itself.
 */
static int check_edited(struct turn_run *t, struct turn_decision *d,
			const struct turn_wait *w, struct err *e)
{
	struct tool_ctx *ctx = &t->loop->context.tool_ctx;
	const struct tool_offer *offer;
	struct err wrong = ERR_INIT;
	struct tool_set set;
	json_t *j;

	if (!(w->flags & WAIT_EDITABLE))
		return err_field(e, ERR_INVALID_FIELD, "arguments",
				 "The arguments of this call cannot be "
				 "changed.");
	if (tool_set_build(ctx, &set, e) < 0)
		return -1;
	if (tool_prepare(&set, ctx, w->tool, d->edited, &offer, &j, &wrong) < 0)
		return err_field(e, ERR_INVALID_FIELD, "arguments", "%s",
				 err_message(&wrong));
	d->edited = calls_canonical(t->loop, &(struct turn_call){
		.args = d->edited });
	return 0;
}

/* Checks decisions with arguments against the calls that they are about. */
static int check_decisions(struct turn_run *t, struct turn_decision *d,
			   size_t n, struct err *e)
{
	struct turn_wait *rows;
	size_t n_rows;

	if (store_turn_wait_list(t->deps->db, &t->loop->owner, &t->id, t->arena,
				 &rows, &n_rows, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; d[i].edited.p && k < n_rows; k++)
			if (uuid_eq(&rows[k].id, &d[i].id) &&
			    check_edited(t, &d[i], &rows[k], e) < 0)
				return -1;
	return 0;
}

/* Logs the decisions; the log's lines have the user (log_bind). */
static void log_decisions(const struct turn_run *t,
			  const struct turn_decision *d, size_t n)
{
	char turn[UUID_TEXT_BYTES], id[UUID_TEXT_BYTES];

	uuid_format(&t->id, turn);
	for (size_t i = 0; i < n; i++)
		log_info("a waiting call was decided", "turn", turn, "wait",
			 uuid_format(&d[i].id, id), "kind",
			 wait_kind_name(d[i].kind), "as",
			 wait_status_name(d[i].status), "edited",
			 d[i].edited.p ? "yes" : NULL, "remember",
			 d[i].remember ? "yes" : NULL);
}

static bool decided_so(const struct turn_decision *d,
		       const struct turn_wait *row)
{
	return uuid_eq(&d->id, &row->id) &&
		(int64_t)d->kind == row->kind &&
		(int64_t)d->status == row->status &&
		(int64_t)d->is_error == row->is_error &&
		(!d->digest.p || str_eq(d->digest, row->digest)) &&
		str_eq(d->edited, row->edited) && str_eq(d->result, row->result);
}

/*
 * Whether a possibly repeated request, which e (ERR_CONFLICT) refuses, only
 * repeats an earlier decision. Then clears e: the caller follows the turn as
 * the first request did.
 */
static bool decided_before(struct turn_run *t, struct err *e)
{
	const struct turn_request *in = &t->in;
	struct err ignored = ERR_INIT;
	struct turn_wait *rows;
	size_t n_rows, n_same = 0;

	if (e->code != ERR_CONFLICT || in->key == TURN_KEY_NONE ||
	    store_turn_wait_list(t->deps->db, &t->loop->owner, &t->id, t->arena,
				 &rows, &n_rows, &ignored) < 0)
		return false;
	for (size_t i = 0; i < in->n_decisions; i++)
		for (size_t k = 0; k < n_rows; k++)
			if (decided_so(&in->decisions[i], &rows[k])) {
				t->follow_seq = rows[k].decided_seq;
				n_same++;
			}
	if (n_same != in->n_decisions)
		return false;
	err_clear(e);
	return true;
}

int resume_start(struct turn_run *t, struct err *e)
{
	struct turn_decision *d = t->in.decisions;
	struct turn_resume r = {
		.turn_id = t->id, .decisions = d, .n = t->in.n_decisions,
		.via = str_of(identity_kind_name(t->in.by.who->kind)),
	};

	t->resumed = true;
	t->follow_seq = t->in.of->last_event_seq;
	if (check_decisions(t, d, r.n, e) < 0 ||
	    store_turn_resume(t->deps->db, &t->loop->owner, &r, e) < 0)
		return decided_before(t, e) ? TURN_REPEATED : -1;
	log_decisions(t, d, r.n);
	if (!r.resumed) {
		t->follow_seq = r.turn.last_event_seq;
		return TURN_ELSEWHERE;
	}
	t->loop->relay.seq = (uint32_t)r.turn.last_event_seq;
	t->loop->begun.turn_number = r.turn_number;
	t->variant_index = r.variant_index;
	t->variant_count = r.variant_count;
	t->resumes = r.turn.resumes + 1;
	loop_begun_stored(t, r.turn.user_seq);
	if (t->loop->relay.entry.log)
		event_log_start(t->loop->relay.entry.log, t->loop->relay.seq,
			       t->resumes);
	/* A model may still improve the title. */
	t->loop->begun.opens = t->loop->begun.titled = r.turn_number == 1;
	t->in.meta = t->user.meta;
	return TURN_STARTED;
}
