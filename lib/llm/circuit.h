/*
 * Services that do not answer, as this process has seen it: after
 * CIRCUIT_FAILURES failures in a row a service is left alone for
 * CIRCUIT_OPEN_MS; then one request tries it, and the others wait for what
 * becomes of that. Only services with fallbacks are asked about: where there is
 * nobody else, a request is better than none. Any thread.
 */
#ifndef LLM_CIRCUIT_H
#define LLM_CIRCUIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"

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
 * Whether the service of this id may be asked at now_ms (clock_mono_ms). True
 * for one whose time is over, once: whoever is told so has to say how it went.
 */
bool circuit_lets(const char *id, int64_t now_ms);

/* Whether it is left alone at now_ms; nobody has to say anything then. */
bool circuit_alone(const char *id, int64_t now_ms);

/* How a request went; a failure only where circuit_passing. */
void circuit_worked(const char *id);
void circuit_failed(const char *id, int64_t now_ms);

/* Fills ids with those that are left alone at now_ms; returns how many. */
size_t circuit_open(char ids[CIRCUITS][LIM_SLUG_BYTES + 1], int64_t now_ms);

#endif
