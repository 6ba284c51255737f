/* SPDX-License-Identifier: MIT */
#include "context/routing.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "context/attach.h"
#include "context/context.h"
#include "context/payload.h"
#include "context/setting.h"
#include "domain/auto.h"
#include "event/relay.h"
#include "file/scan.h"
#include "llm/llm.h"
#include "search/best.h"
#include "store/attachment.h"
#include "tool/core/passage.h"

#include "base/banned.h"

/* Whether an image is attached to the turn's own message. */
static bool attach_has_image(const struct turn_run *t)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)t->in.options.attachments, i, one)
		if (llm_image_takes(jx_str(one, "mediaType")))
			return true;
	return false;
}

const struct llm_service *routing_within(const struct context *cx,
					const struct llm_service *s)
{
	struct llm_service *out;

	if (!cx->outer)
		return s;
	out = arena_new(cx->arena, struct llm_service);
	*out = llm_service_within(s, (int)MAX(cx->until_ms - clock_mono_ms(), 1));
	return out;
}

static struct auto_choice select_service(struct context *cx, unsigned needs,
					 int64_t tokens)
{
	const struct turn_request *in = &cx->run->in;
	const struct auto_facts f = {
		.task = cx->outer ? AUTO_AGENT : AUTO_CHAT,
		.needs = needs, .tokens = tokens, .who = in->by.who,
		.now_us = clock_now_us(), .zone = context_zone(cx->run),
		/* The stored steps have calls, which a service without tools would refuse. */
		.takes_tools = cx->run->resumed,
	};

	return auto_select(in->by.conf, in->target.workspace, &f, cx->arena);
}

void routing_before(struct context *cx)
{
	struct turn_request *in = &cx->run->in;
	struct auto_choice c;

	if (!in->target.automatic)
		return;
	/* Assume tools: whether there are any is only known with the context. */
	c = select_service(cx, AUTO_NEEDS_TOOLS |
			   (attach_has_image(cx->run) ? AUTO_NEEDS_VISION : 0),
			   llm_estimate_tokens(in->content));
	if (c.service)
		in->target.service = routing_within(cx, c.service);
}

/*
 * Tokens that a service with a larger window would be sent: with the history that
 * only the present window cuts off, and the step not yet added to the messages.
 */
static int64_t tokens(const struct context *cx)
{
	const struct part_share *h = &cx->share[PART_HISTORY];
	const struct part_share *steps = &cx->share[PART_STEPS];

	return context_tokens(cx) +
		(cx->squeezed && h->cut ? MAX(h->want - h->tokens, 0) : 0) +
		MAX(steps->want - steps->tokens, 0);
}

void routing_store(const struct context *cx)
{
	const struct llm_service *s = cx->run->in.target.service;
	struct err e = ERR_INIT;

	if (cx->outer || !cx->relay->sink)
		return;
	if (store_turn_served(cx->run->deps->db, &cx->run->id,
			      str_of(s->provider), str_of(s->model),
			      s->payer, &e) < 0)
		log_err("the service of a turn", &e);
}

bool routing_after(struct context *cx)
{
	struct turn_request *in = &cx->run->in;
	struct turn_event ev = { .type = TURN_EV_SERVICE };
	struct auto_choice c;
	bool other;

	if (!in->target.automatic)
		return false;
	/* Now that it is known what is sent; routing_before could only guess. */
	c = select_service(cx, (cx->tools.n ? AUTO_NEEDS_TOOLS : 0) |
			   (cx->attached.has_images ? AUTO_NEEDS_VISION : 0), tokens(cx));
	if (!c.service)
		return false;
	cx->rule = c.reason;
	other = strcmp(c.service->id, in->target.service->id) != 0;
	if (other) {
		in->target.service = routing_within(cx, c.service);
		routing_store(cx);
	}
	ev.text = str_of(c.service->id);
	ev.code = str_of(c.reason);
	if (cx->relay->sink)		/* a preview has no sink */
		relay_emit(cx->relay, &ev);
	return other;
}
