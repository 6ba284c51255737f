/* SPDX-License-Identifier: MIT */
#include "base/recent.h"

#include <stddef.h>

#include "base/clock.h"
#include "base/util.h"

#include "base/banned.h"

/* The end of an id differs most. */
static size_t place_of(const struct uuid *id)
{
	return (size_t)(id->b[14] << 8 | id->b[15]) % RECENT_PLACES;
}

/* Under the lock, as the next one. */
static void put_id(struct recent *r, const struct uuid *id, int64_t value)
{
	size_t i = place_of(id);

	r->v[i].id = *id;
	r->v[i].value = value;
	r->v[i].at_ms = MAX(clock_mono_ms(), 1);
}

static int64_t age_ms(const struct recent *r, const struct uuid *id)
{
	size_t i = place_of(id);

	return r->v[i].at_ms && uuid_eq(&r->v[i].id, id)
		? clock_mono_ms() - r->v[i].at_ms : -1;
}

void recent_note(struct recent *r, const struct uuid *id, int64_t value)
{
	pthread_mutex_lock(&r->lock);
	put_id(r, id, value);
	pthread_mutex_unlock(&r->lock);
}

int64_t recent_age_ms(struct recent *r, const struct uuid *id, int64_t *value)
{
	int64_t age;

	pthread_mutex_lock(&r->lock);
	age = age_ms(r, id);
	if (age >= 0 && value)
		*value = r->v[place_of(id)].value;
	pthread_mutex_unlock(&r->lock);
	return age;
}

bool recent_claim(struct recent *r, const struct uuid *id, int64_t within_ms)
{
	int64_t age;
	bool due;

	pthread_mutex_lock(&r->lock);
	age = age_ms(r, id);
	due = age < 0 || age > within_ms;
	if (due)
		put_id(r, id, 0);
	pthread_mutex_unlock(&r->lock);
	return due;
}
