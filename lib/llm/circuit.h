/* SPDX-License-Identifier: MIT */
/*
 * The circuit breaker of this process: after CIRCUIT_FAILURES failures in a row
 * a service is not used for CIRCUIT_OPEN_MS; then one request tries it, and its
 * outcome decides for the others. It is consulted only for services with
 * fallbacks: without a fallback, a request is better than none. Entries are of
 * one version of a service: a reload of the configuration, which may have fixed
 * it, starts again, and reports of requests of older versions are ignored. Any
 * thread.
 */
#ifndef LLM_CIRCUIT_H
#define LLM_CIRCUIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"
#include "llm/service.h"

enum {
	CIRCUIT_FAILURES = 3,
	CIRCUIT_OPEN_MS = 30000,
	CIRCUITS = 64,		/* services that are known of at a time */
};

/*
 * Whether a failure is temporary, so that another service may answer the same
 * request: the server is overloaded, unreachable, late, faulty, or out of
 * credit.
 */
bool circuit_passing(enum err_code code);

/*
 * Whether the service may be asked at now_ms (clock_mono_ms). After a pause,
 * true for one caller only, which must report the outcome.
 */
bool circuit_lets(const struct llm_service *s, int64_t now_ms);

/* Whether it is paused at now_ms; the caller need not report anything. */
bool circuit_alone(const struct llm_service *s, int64_t now_ms);

/* Reports the outcome of a request; a failure only if circuit_passing. */
void circuit_worked(const struct llm_service *s);
void circuit_failed(const struct llm_service *s, int64_t now_ms);

/*
 * Fills ids with the services that are paused at now_ms, of services in files
 * only those of this generation; returns how many.
 */
size_t circuit_open(char ids[CIRCUITS][LIM_SLUG_BYTES + 1], uint64_t generation,
		    int64_t now_ms);

#endif
