/* SPDX-License-Identifier: MIT */
#include "turn/commit.h"

#include <stddef.h>

#include "base/log.h"
#include "context/attach.h"
#include "context/prompt_use.h"
#include "event/notify.h"
#include "turn/loop.h"

#include "base/banned.h"

/* What others may know now. */
static void announce(struct turn_loop *l)
{
	struct turn_run *t = l->run;
	struct notify *n = t->deps->notify;

	event_live_on(t->deps->live, &l->relay.entry);
	if (t->in.content.p) {
		attach_use(t);
		context_prompt_count(t);
	}
	if (t->created_conversation)
		notify_conversation(n, &l->owner, &t->conversation_id, "created",
				    l->begun.title);
	else if (l->begun.titled)
		notify_title(n, &l->owner, &t->conversation_id, l->begun.title);
	notify_turn(n, &l->owner, &t->id, &t->conversation_id, TURN_RUNNING);
}

void commit_begun(struct turn_loop *l)
{
	if (!l->begun.early.link)
		announce(l);
	else
		atomic_store(&l->begun.pending, true);
}

bool commit_pending(struct turn_loop *l)
{
	return atomic_load_explicit(&l->begun.pending, memory_order_acquire);
}

void commit_wait(struct turn_loop *l)
{
	int rc;

	if (!commit_pending(l))
		return;
	rc = db_early_end(&l->begun.early, &l->begun.err);
	hold_line_leave(&l->run->place);
	if (rc < 0) {
		log_err("begin of a turn", &l->begun.err);
		http_abort_now(l->abort);
	} else {
		announce(l);
	}
	atomic_store_explicit(&l->begun.pending, false, memory_order_release);
}

void commit_settle(struct relay *r)
{
	commit_wait((struct turn_loop *)((char *)r - offsetof(struct turn_loop, relay)));
}
