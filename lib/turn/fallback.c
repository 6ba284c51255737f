/* SPDX-License-Identifier: MIT */
#include "turn/fallback.h"

#include "domain/catalog.h"
#include "base/clock.h"
#include "llm/circuit.h"
#include "context/routing.h"
#include "context/context.h"
#include "event/relay.h"
#include "base/log.h"
#include "turn/loop.h"

#include "base/banned.h"

/* -- what was used ----------------------------------------------------------- */

void turn_usage_place(struct usage *u, const struct turn_loop *l)
{
	const struct turn_run *t = l->run;

	u->workspace_id = str_of(t->in.target.workspace->id);
	u->agent_id = str_of(t->in.target.agent->id);
	u->conversation_id = t->conversation_id;
	u->turn_id = t->id;
	u->turn_number = l->begun.turn_number;
}

struct usage loop_usage(struct turn_loop *l, const char *finish_reason)
{
	const struct llm_service *s = l->run->in.target.service;
	struct usage u = usage_init(USAGE_CHAT);

	turn_usage_place(&u, l);
	if (l->within.parent) {
		u.kind = USAGE_AGENT;
		u.agent_id = str_of(l->context.task->tool->name);
	}
	u.model = l->served.model;
	llm_usage_record(&u, s, &l->served.now.usage);
	u.duration_ms = clock_mono_ms() - l->served.now.since_ms;
	u.iterations = l->served.now.calls;
	if (l->served.first_token_ms >= l->served.now.since_ms)
		u.ttft_ms = l->served.first_token_ms - l->begun.started_ms;
	u.finish_reason = str_of(finish_reason);
	u.prompts = l->context.stamps.n ? l->context.stamps : STR("[]");
	if (l->served.timings.n)
		u.tools = str_of(arena_printf(l->arena, "[%s]", l->served.timings.p));
	return u;
}

/* Records the usage of the current service, if any call was paid for. */
static void book(struct turn_loop *l)
{
	struct usage u = loop_usage(l, "error");
	struct err e = ERR_INIT;

	if (!l->served.now.paid)
		return;
	if (usage_insert(l->run->deps->db, &l->owner, &u, &e) < 0) {
		log_err("usage of a service that failed", &e);
		return;		/* the next service's record will have it */
	}
	l->served.now.usage = (struct llm_usage)LLM_USAGE_UNKNOWN;
	l->served.now.paid = false;
	l->served.now.calls = 0;
	l->served.now.since_ms = clock_mono_ms();
	l->served.model = (struct str){ NULL, 0 };
	buf_reset(&l->served.timings);
}

/* -- others ------------------------------------------------------------------- */

/*
 * Fallback number i; NULL if its circuit is open or it lacks configuration.
 * Only the turn's own service counts: fallbacks of fallbacks are not used.
 */
static const struct llm_service *other(const struct turn_loop *l, size_t i,
				       int64_t now_ms)
{
	const struct llm_service *own = l->served.own;
	const struct llm_service *s = own->others ? own->others[i]
		: catalog_service(l->run->in.by.conf,
				  str_of(own->fallbacks.v[i]));
	struct err ignored = ERR_INIT;

	return s && llm_check_can(s, LLM_CAN_CHAT, &ignored) == 0 &&
		llm_check_service(s, &ignored) == 0 &&
		!circuit_alone(s, now_ms) ? s : NULL;
}

/* The next fallback that is available, or NULL. */
static const struct llm_service *next_of(struct turn_loop *l, int64_t now_ms)
{
	while (l->served.next < l->served.own->fallbacks.n) {
		const struct llm_service *s = other(l, l->served.next++,
						    now_ms);

		if (s && circuit_lets(s, now_ms))
			return s;
	}
	return NULL;
}

static bool has_another(const struct turn_loop *l)
{
	int64_t now_ms = clock_mono_ms();

	for (size_t i = l->served.next; i < l->served.own->fallbacks.n; i++)
		if (other(l, i, now_ms))
			return true;
	return false;
}

/* If a fallback is left, one try is enough: switching is faster than retrying. */
static const struct llm_service *as_asked(struct turn_loop *l,
					  const struct llm_service *s)
{
	struct llm_service *out;

	s = routing_within(&l->context, s);
	if (!has_another(l))
		return s;
	out = arena_new(l->arena, struct llm_service);
	*out = *s;
	out->retries = 0;
	return out;
}

static bool take_over(struct turn_loop *l)
{
	const struct llm_service *was = l->run->in.target.service;
	const struct llm_service *s = next_of(l, clock_mono_ms());

	if (!s)
		return false;
	/*
	 * The record of a turn is of one service, and prices differ: the old one's part is
	 * booked.
	 */
	book(l);
	l->run->in.target.service = as_asked(l, s);
	context_serve(&l->context);
	routing_store(&l->context);
	relay_warn(&l->relay, "service_changed",
		  arena_printf(l->arena, "%s does not answer; %s answers "
			       "instead.", was->id, s->id));
	return true;
}

void fallback_before(struct turn_loop *l)
{
	if (!l->served.own) {
		l->served.own = l->run->in.target.service;
		if (!l->served.own->fallbacks.n)
			return;
		l->run->in.target.service = as_asked(l, l->served.own);
		l->context.request.service = l->run->in.target.service;
	}
	if (l->served.own->fallbacks.n &&
	    !circuit_lets(l->run->in.target.service, clock_mono_ms()))
		(void)take_over(l);
}

bool fallback_after(struct turn_loop *l, const struct err *e)
{
	const struct llm_service *s = l->run->in.target.service;

	if (!l->served.own->fallbacks.n)
		return false;
	if (e->code == ERR_NONE) {
		circuit_worked(s);
		return false;
	}
	if (!circuit_passing(e->code))
		return false;
	circuit_failed(s, clock_mono_ms());
	return take_over(l);
}
