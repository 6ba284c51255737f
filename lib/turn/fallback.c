/* SPDX-License-Identifier: MIT */
#include "turn/fallback.h"

#include "domain/catalog.h"
#include "base/clock.h"
#include "llm/circuit.h"
#include "context/choose.h"
#include "context/context.h"
#include "event/relay.h"
#include "turn/finish.h"
#include "turn/loop.h"

#include "base/banned.h"

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

	s = choose_within(&l->context, s);
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
	loop_book(l);
	l->run->in.target.service = as_asked(l, s);
	context_serve(&l->context);
	choose_store(&l->context);
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
