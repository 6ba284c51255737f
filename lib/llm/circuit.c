/* SPDX-License-Identifier: MIT */
#include "llm/circuit.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

#include "base/banned.h"

/* Only services that failed lately have an entry; "" = it is free. */
struct circuit {
	char id[LIM_SLUG_BYTES + 1];
	uint64_t version;	/* of the service */
	enum domain_source source;
	int failures;		/* in a row */
	int64_t until_ms;	/* not used until then; 0 = in use */
};

static struct circuit circuits[CIRCUITS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool circuit_passing(enum err_code code)
{
	switch (code) {
	case ERR_UPSTREAM: case ERR_UPSTREAM_EARLY_END:
	case ERR_UPSTREAM_CONNECT: case ERR_UPSTREAM_TIMEOUT:
	case ERR_UPSTREAM_QUOTA: case ERR_UPSTREAM_RATE:
	case ERR_UPSTREAM_OVERLOAD:
		return true;
	default:
		return false;
	}
}

static struct circuit *find_slot(const char *id)
{
	for (size_t i = 0; i < CIRCUITS; i++)
		if (!strcmp(circuits[i].id, id))
			return &circuits[i];
	return NULL;
}

/*
 * The entry of this version of a service; an entry of an older version is
 * dropped.
 */
static struct circuit *known(const struct llm_service *s)
{
	struct circuit *c = find_slot(s->id);

	if (c && c->version < s->version) {
		*c = (struct circuit){ .failures = 0 };
		return NULL;
	}
	return c && c->version == s->version ? c : NULL;
}

/* A free entry; NULL if a newer version has one, or all are in use. */
static struct circuit *slot_of(const struct llm_service *s)
{
	struct circuit *c = known(s);

	if (c || find_slot(s->id))
		return c;
	c = find_slot("");
	if (c) {
		snprintf(c->id, sizeof(c->id), "%s", s->id);
		c->version = s->version;
		c->source = s->source;
	}
	return c;
}

bool circuit_lets(const struct llm_service *s, int64_t now_ms)
{
	struct circuit *c;
	bool lets = true;

	pthread_mutex_lock(&lock);
	c = known(s);
	if (c && c->until_ms) {
		lets = now_ms >= c->until_ms;
		/*
		 * This caller tries; if it never reports, another may try
		 * later.
		 */
		if (lets)
			c->until_ms = now_ms + CIRCUIT_OPEN_MS;
	}
	pthread_mutex_unlock(&lock);
	return lets;
}

bool circuit_alone(const struct llm_service *s, int64_t now_ms)
{
	const struct circuit *c;
	bool alone;

	pthread_mutex_lock(&lock);
	c = known(s);
	alone = c && c->until_ms > now_ms;
	pthread_mutex_unlock(&lock);
	return alone;
}

void circuit_worked(const struct llm_service *s)
{
	struct circuit *c;
	bool was_open = false;

	pthread_mutex_lock(&lock);
	c = known(s);
	if (c) {
		was_open = c->until_ms != 0;
		*c = (struct circuit){ .failures = 0 };
	}
	pthread_mutex_unlock(&lock);
	if (was_open)
		log_info("an LLM service answers again", "service", s->id);
}

void circuit_failed(const struct llm_service *s, int64_t now_ms)
{
	struct circuit *c;
	bool opens = false;

	pthread_mutex_lock(&lock);
	c = slot_of(s);
	if (c) {
		c->failures++;
		if (c->failures >= CIRCUIT_FAILURES) {
			opens = !c->until_ms;
			c->until_ms = now_ms + CIRCUIT_OPEN_MS;
		}
	}
	pthread_mutex_unlock(&lock);
	if (opens)
		log_warn("an LLM service keeps failing and is not used for a "
			 "while",
			 "service", s->id);
}

size_t circuit_open(char ids[CIRCUITS][LIM_SLUG_BYTES + 1], uint64_t generation,
		    int64_t now_ms)
{
	size_t n = 0;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < CIRCUITS; i++)
		if ((circuits[i].source != SOURCE_CONFIG ||
		     circuits[i].version == generation) &&
		    circuits[i].until_ms > now_ms)
			memcpy(ids[n++], circuits[i].id, LIM_SLUG_BYTES + 1);
	pthread_mutex_unlock(&lock);
	return n;
}
