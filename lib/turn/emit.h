/* Events of a running turn, on their way to the sink. */
#ifndef TURN_EMIT_H
#define TURN_EMIT_H

#include "turn/loop.h"

/*
 * Gives ev the next number; notes it for those who read later, then tells the
 * sink, so that what a client has seen can always be gone on from.
 */
static inline void loop_emit(struct turn_loop *l, struct turn_event *ev)
{
	ev->seq = ++l->seq;
	ev->run = l->run;
	if (turn_event_rows[ev->type].letter && !l->nested)
		turn_live_event(l->run->deps->live, &l->live, ev);
	l->sink->emit(l->sink, ev);
}

static inline void loop_flush(struct turn_loop *l)
{
	if (l->sink->flush)
		l->sink->flush(l->sink);
}

/* False: it would have to wait, see sink.try_flush. */
static inline bool loop_try_flush(struct turn_loop *l)
{
	return !l->sink->try_flush || l->sink->try_flush(l->sink);
}

/* The keep-alive; not flushed. */
void loop_idle(struct turn_loop *l);
void loop_status(struct turn_loop *l, const char *status);
void loop_warn(struct turn_loop *l, const char *code, const char *text);
/* The record of a message; not flushed. */
void loop_message(struct turn_loop *l, enum turn_event_type type,
		  const struct message *m);

#endif
