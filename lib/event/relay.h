/* SPDX-License-Identifier: MIT */
/* Events of a running turn, on their way to its listeners: the log, then the sink. */
#ifndef EVENT_RELAY_H
#define EVENT_RELAY_H

#include "event/event.h"
#include "event/live.h"

struct relay {
	struct sink *sink;		/* NULL in a preview only */
	const struct turn_run *run;	/* of the events */
	struct event_live *live;	/* NULL: nobody reads them later */
	struct event_live_entry entry;
	uint32_t seq;			/* number of the last event */
	/* Before anything is sent: waits for what must be stored first. Or NULL. */
	void (*settle)(struct relay *r);
};

/*
 * Numbers ev, logs it, then passes it to the sink. In this order, so that a
 * client can always resume after an event that it has seen.
 */
static inline void relay_emit(struct relay *r, struct turn_event *ev)
{
	ev->seq = ++r->seq;
	ev->run = r->run;
	if (event_table[ev->type].letter && r->live)
		event_live_event(r->live, &r->entry, ev);
	r->sink->emit(r->sink, ev);
}

static inline void relay_flush(struct relay *r)
{
	if (r->settle)
		r->settle(r);
	if (r->sink->flush)
		r->sink->flush(r->sink);
}

/* False if it would block, see sink.try_flush. */
static inline bool relay_try_flush(struct relay *r)
{
	return !r->sink->try_flush || r->sink->try_flush(r->sink);
}

/* Emits a keep-alive; does not flush. */
void relay_idle(struct relay *r);
void relay_status(struct relay *r, const char *status);
void relay_warn(struct relay *r, const char *code, const char *text);
/* Emits the record of a message; does not flush. */
void relay_message(struct relay *r, enum turn_event_type type,
		   const struct message *m);

#endif
