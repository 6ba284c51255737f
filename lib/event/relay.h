/* SPDX-License-Identifier: MIT */
/* Events of a running turn, on their way to the sink. */
#ifndef EVENT_RELAY_H
#define EVENT_RELAY_H

#include "turn/commit.h"

/*
 * Numbers ev, logs it, then passes it to the sink. In this order, so that a
 * client can always resume after an event that it has seen.
 */
static inline void loop_emit(struct turn_loop *l, struct turn_event *ev)
{
	ev->seq = ++l->seq;
	ev->run = l->run;
	if (event_table[ev->type].letter && !l->nested)
		event_live_event(l->run->deps->live, &l->live, ev);
	l->sink->emit(l->sink, ev);
}

static inline void loop_flush(struct turn_loop *l)
{
	commit_wait(l);
	if (l->sink->flush)
		l->sink->flush(l->sink);
}

/* False if it would block, see sink.try_flush. */
static inline bool loop_try_flush(struct turn_loop *l)
{
	return !l->sink->try_flush || l->sink->try_flush(l->sink);
}

/* Emits a keep-alive; does not flush. */
void loop_idle(struct turn_loop *l);
void loop_status(struct turn_loop *l, const char *status);
void loop_warn(struct turn_loop *l, const char *code, const char *text);
/* Emits the record of a message; does not flush. */
void loop_message(struct turn_loop *l, enum turn_event_type type,
		  const struct message *m);

#endif
