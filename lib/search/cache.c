/* SPDX-License-Identifier: MIT */
#include "search/cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

#include "base/banned.h"

enum { SLOTS = 64 };	/* bases */

struct signs_kept {
	struct search_cached c;		/* must be first: callers get its address */
	size_t bytes;
	int refs;			/* including the table's own */
	uint64_t used;
};

static struct {
	pthread_mutex_t lock;
	struct signs_kept *v[SLOTS];
	size_t bytes;
	uint64_t clock;
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

static atomic_size_t limit;

void search_cache_limit(size_t bytes)
{
	atomic_store(&limit, bytes);
}

static void free_kept(struct signs_kept *k)
{
	for (size_t i = 0; i < k->c.n; i++) {
		free(k->c.v[i].chunks);
		free(k->c.v[i].bits);
	}
	free(k->c.v);
	free(k);
}

/* Under the lock. */
static void unref(struct signs_kept *k)
{
	if (--k->refs == 0)
		free_kept(k);
}

/* Under the lock. */
static void forget(size_t slot)
{
	struct signs_kept *k = table.v[slot];

	table.v[slot] = NULL;
	table.bytes -= k->bytes;
	unref(k);
}

const struct search_cached *search_cache_get(const struct uuid *base,
					     int64_t version)
{
	struct signs_kept *found = NULL;

	pthread_mutex_lock(&table.lock);
	for (size_t i = 0; !found && i < SLOTS; i++)
		if (table.v[i] && uuid_eq(&table.v[i]->c.base, base) &&
		    table.v[i]->c.version == version)
			found = table.v[i];
	if (found) {
		found->refs++;
		found->used = ++table.clock;
	}
	pthread_mutex_unlock(&table.lock);
	return found ? &found->c : NULL;
}

void search_cache_done(const struct search_cached *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&table.lock);
	unref((struct signs_kept *)(uintptr_t)c);
	pthread_mutex_unlock(&table.lock);
}

struct search_cached *search_cache_new(const struct uuid *base, int64_t version,
				       size_t words)
{
	struct signs_kept *k = xcalloc(1, sizeof(*k));

	k->c = (struct search_cached){ .base = *base, .version = version,
				       .words = words };
	k->refs = 1;
	return &k->c;
}

void search_cache_add(struct search_cached *c, int64_t audience, uint32_t first,
		      const char *chunks, const char *bits, size_t n)
{
	struct search_signs *s = NULL;

	for (size_t i = 0; !s && i < c->n; i++)
		if (c->v[i].audience == audience)
			s = &c->v[i];
	if (!s) {
		c->v = xrealloc(c->v, (c->n + 1) * sizeof(*c->v));
		s = &c->v[c->n++];
		*s = (struct search_signs){ .audience = audience };
	}
	if (s->n + n > s->room) {
		s->room = MAX(s->n + n, s->room + s->room / 2);
		s->chunks = xrealloc(s->chunks, s->room * sizeof(*s->chunks));
		s->bits = xrealloc(s->bits, s->room * c->words * 8);
	}
	memcpy(s->bits + s->n * c->words, bits, n * c->words * 8);
	for (size_t i = 0; i < n; i++) {
		uint32_t from;

		memcpy(&from, chunks + i * sizeof(from), sizeof(from));
		s->chunks[s->n++] = first + from;
	}
}

/* Under the lock: the slot of this base, else a free one, else the least recently used. */
static size_t slot_for(const struct uuid *base)
{
	size_t best = 0;

	for (size_t i = 0; i < SLOTS; i++)
		if (table.v[i] && uuid_eq(&table.v[i]->c.base, base))
			return i;
	for (size_t i = 0; i < SLOTS; i++) {
		if (!table.v[i])
			return i;
		if (table.v[i]->used < table.v[best]->used)
			best = i;
	}
	return best;
}

/* Under the lock: evicts entries until `bytes` fit into `most`. */
static void make_room(size_t bytes, size_t most)
{
	while (table.bytes && table.bytes + bytes > most) {
		size_t oldest = SLOTS;

		for (size_t i = 0; i < SLOTS; i++)
			if (table.v[i] && (oldest == SLOTS ||
					   table.v[i]->used <
					   table.v[oldest]->used))
				oldest = i;
		forget(oldest);
	}
}

const struct search_cached *search_cache_put(struct search_cached *c)
{
	struct signs_kept *k = (struct signs_kept *)(void *)c;
	size_t most = atomic_load(&limit), slot;

	for (size_t i = 0; i < c->n; i++)
		k->bytes += c->v[i].room * (c->words * 8 + 4);
	/* It would evict all others and still not fit. */
	if (k->bytes > most)
		return c;
	pthread_mutex_lock(&table.lock);
	slot = slot_for(&c->base);
	if (table.v[slot])
		forget(slot);
	make_room(k->bytes, most);
	table.v[slot] = k;
	table.bytes += k->bytes;
	k->refs++;
	k->used = ++table.clock;
	pthread_mutex_unlock(&table.lock);
	return c;
}

void search_cache_drop(struct search_cached *c)
{
	free_kept((struct signs_kept *)(void *)c);
}
