/*
 * A turn that waited goes on: its last step is the current one again, and what
 * was decided about its calls is taken up, each decision once. An approval
 * holds for the very call that was asked about: turn, call, tool and arguments
 * as they stand in the thread must give the digest that the row has.
 */
#include <string.h>

#include "base/clock.h"
#include "turn/loop.h"

#include "base/banned.h"

/* The waiting call of a row; NULL when the thread has none. */
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

	wait_digest(&l->run->id, c->id, c->name, calls_canonical(l, c), digest);
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
	/* One for the page goes there next. */
	if (pause_needed(l, c) && c->result.text.p)
		calls_end(l, c);
	else if (c->wait)
		c->row = NULL;
}

static const char unknown_error[] = "The page could not run the call.";

/* What the page made of it; others' text, whatever it says. */
static void take_client(struct turn_loop *l, struct turn_call *c,
			const struct turn_wait *w)
{
	const struct tool_offer *o = tool_set_find(&l->tools, c->name);
	struct tool_ctx ctx = l->tool_ctx;

	c->wait = 0;
	ctx.from = &c->from;	/* kept with what is too long */
	origins_add(&c->from, "page", c->name);
	if (!str_eq(w->args, calls_canonical(l, c)))
		c->edited = w->args;	/* when it was approved */
	if (w->is_error)
		tool_refuse(l->arena, ERR_TOOL_FAILED, w->result.n
			    ? arena_str(l->arena, w->result).p : unknown_error,
			    &c->result);
	else
		tool_accept(o ? o->tool : NULL, &ctx, w->result, &c->result);
	c->untrusted = true;
	calls_end(l, c);
}

/* The user's choice: their own words. */
static void take_answer(struct turn_loop *l, struct turn_call *c,
			const struct turn_wait *w)
{
	c->wait = 0;
	tool_accept(NULL, &l->tool_ctx, w->result, &c->result);
	calls_end(l, c);
}

static void take_up(struct turn_loop *l, struct turn_call *c,
		    const struct turn_wait *w)
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

/* Calls without a result and without a row that is open or just taken up. */
static void refuse_lost(struct turn_loop *l)
{
	for (size_t i = 0; i < l->step.n_calls; i++) {
		struct turn_call *c = &l->step.calls[i];

		if (!c->result.text.p && !c->wait && !c->approved)
			refuse(l, c, "The call was not answered.");
	}
}

int wake_calls(struct turn_loop *l, struct err *e)
{
	struct db *db = l->run->deps->db;
	struct turn_wait *all, *taken;
	size_t n_all, n;

	if (turn_wait_take(db, &l->owner, &l->run->id, l->arena, &taken, &n,
			   e) < 0 ||
	    turn_wait_list(db, &l->owner, &l->run->id, l->arena, &all, &n_all,
			   e) < 0)
		return -1;
	l->n_waits = n_all;
	l->tool_ctx.allowed = NULL;	/* read anew: it may be more now */
	l->tool_ctx.n_allowed = 0;
	loop_status(l, "executing");
	l->asked = l->taint;
	l->tool_ctx.taint = &l->asked;
	for (size_t i = 0; i < n_all; i++) {
		struct turn_call *c = all[i].used_us ? NULL : call_of(l, &all[i]);

		if (c) {
			c->row = &all[i];
			c->wait = (enum wait_kind)all[i].kind;
			c->shown = all[i].args;
		}
	}
	for (size_t i = 0; i < n; i++) {
		struct turn_call *c = call_of(l, &taken[i]);

		if (c) {
			c->row = &taken[i];
			take_up(l, c, &taken[i]);
		}
	}
	refuse_lost(l);
	calls_go(l);
	return 0;
}
