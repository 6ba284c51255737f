/* SPDX-License-Identifier: MIT */
#include "context/choose.h"

#include <string.h>

#include "domain/auto.h"
#include "base/clock.h"
#include "base/log.h"
#include "context/attach.h"
#include "context/context.h"
#include "event/relay.h"
#include "turn/nested.h"
#include "context/setting.h"

#include "base/banned.h"

static struct auto_choice choose(struct turn_loop *l, unsigned needs,
				 int64_t tokens)
{
	const struct turn_request *in = &l->run->in;
	const struct auto_facts f = {
		.task = l->nested ? AUTO_AGENT : AUTO_CHAT,
		.needs = needs, .tokens = tokens, .who = in->by.who,
		.now_us = clock_now_us(), .zone = turn_zone(l->run),
		.takes_tools = l->run->resumed,
	};

	return auto_choose(in->by.conf, in->target.workspace, &f, l->arena);
}

void choose_before(struct turn_loop *l)
{
	struct turn_request *in = &l->run->in;
	struct auto_choice c;

	if (!in->target.automatic)
		return;
	/* Assume tools: whether there are any is only known with the context. */
	c = choose(l, AUTO_NEEDS_TOOLS |
		   (attach_has_image(l->run) ? AUTO_NEEDS_VISION : 0),
		   llm_estimate_tokens(in->content));
	if (c.service)
		in->target.service = nested_service(l, c.service);
}

/*
 * Tokens that a service with a larger window would be sent: with the history that
 * only the present window cuts off, and the step not yet added to the messages.
 */
static int64_t tokens(const struct turn_loop *l)
{
	const struct part_share *h = &l->share[PART_HISTORY];
	const struct part_share *steps = &l->share[PART_STEPS];

	return context_tokens(l) +
		(l->squeezed && h->cut ? MAX(h->want - h->tokens, 0) : 0) +
		MAX(steps->want - steps->tokens, 0);
}

void choose_store(const struct turn_loop *l)
{
	const struct llm_service *s = l->run->in.target.service;
	struct err e = ERR_INIT;

	if (l->nested || !l->sink)
		return;
	if (store_turn_served(l->run->deps->db, &l->run->id,
			      str_of(s->provider), str_of(s->model),
			      s->payer, &e) < 0)
		log_err("the service of a turn", &e);
}

bool choose_after(struct turn_loop *l)
{
	struct turn_request *in = &l->run->in;
	struct turn_event ev = { .type = TURN_EV_SERVICE };
	struct auto_choice c;
	bool other;

	if (!in->target.automatic)
		return false;
	c = choose(l, (l->tools.n ? AUTO_NEEDS_TOOLS : 0) |
		   (l->has_images ? AUTO_NEEDS_VISION : 0), tokens(l));
	if (!c.service)
		return false;
	l->rule = c.reason;
	other = strcmp(c.service->id, in->target.service->id) != 0;
	if (other) {
		in->target.service = nested_service(l, c.service);
		choose_store(l);
	}
	ev.text = str_of(c.service->id);
	ev.code = str_of(c.reason);
	if (l->sink)		/* a preview has no sink */
		loop_emit(l, &ev);
	return other;
}
