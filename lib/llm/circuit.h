/*
 * Services that do not answer, as this process has seen it: after
 * CIRCUIT_FAILURES failures in a row a service is left alone for
 * CIRCUIT_OPEN_MS; then one request tries it, and the others wait for what
 * becomes of that. Only services with fallbacks are asked about: where there is
 * nobody else, a request is better than none. What is known holds for one version of
 * a service: a reload of the configuration, which may have mended it, begins anew,
 * and what requests of older versions say then is ignored. Any thread.
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
 * Whether a failure may pass without the request being changed: a server that
 * is overloaded, unreachable, late, faulty, or out of credit. Then another
 * service can answer.
 */
bool circuit_passing(enum err_code code);

/*
 * Whether the service may be asked at now_ms (clock_mono_ms). True
 * for one whose time is over, once: whoever is told so has to say how it went.
 */
bool circuit_lets(const struct llm_service *s, int64_t now_ms);

/* Whether it is left alone at now_ms; nobody has to say anything then. */
bool circuit_alone(const struct llm_service *s, int64_t now_ms);

/* How a request went; a failure only where circuit_passing. */
void circuit_worked(const struct llm_service *s);
void circuit_failed(const struct llm_service *s, int64_t now_ms);

/*
 * Fills ids with those that are left alone at now_ms, of services in files only those
 * of this generation; returns how many.
 */
size_t circuit_open(char ids[CIRCUITS][LIM_SLUG_BYTES + 1], uint64_t generation,
		    int64_t now_ms);

#endif
