/* SPDX-License-Identifier: MIT */
/*
 * Selects the service of an agent whose service is "auto" (domain/auto.h): once
 * before the context is built, and again when its size and tools are known.
 * Does nothing if the agent names a service.
 */
#ifndef CONTEXT_ROUTING_H
#define CONTEXT_ROUTING_H

#include <stdbool.h>

struct context;
struct llm_service;

/*
 * The service with the timeouts that a call may use: within a call, limited to the time
 * that is left. Returns s itself, or a copy in the arena.
 */
const struct llm_service *routing_within(const struct context *cx,
					const struct llm_service *s);

/* Before the context is built: chooses by the message, what it has attached, and the time. */
void routing_before(struct context *cx);

/*
 * True if the choice changed and the context is not yet fitted to the new
 * service.
 */
bool routing_after(struct context *cx);

/*
 * Stores the service that took over the turn, so that usage is booked on it
 * even if the process dies. Does nothing for a preview or a nested agent.
 */
void routing_store(const struct context *cx);

#endif
