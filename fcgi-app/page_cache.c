/* SPDX-License-Identifier: MIT */
#include "page_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/util.h"

#include "base/banned.h"

#define SLOTS   64		/* direct-mapped; at most 2 MiB in total */
#define KEPT_MS 60000		/* in case rows are changed by hand */

struct page_slot {
	struct page_key key;
	struct page_state state;
	int64_t at_ms;
	char *body;		/* NULL = empty */
	size_t n;
};

struct page_cache {
	pthread_mutex_t lock;
	struct page_slot slots[SLOTS];
};

struct page_cache *page_cache_new(void)
{
	struct page_cache *c = xcalloc(1, sizeof(*c));

	pthread_mutex_init(&c->lock, NULL);
	return c;
}

void page_cache_free(struct page_cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < SLOTS; i++)
		free(c->slots[i].body);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/* Under the lock. The end of an id is random. */
static struct page_slot *slot_of(struct page_cache *c, const struct page_key *k)
{
	return &c->slots[(k->conversation_id.b[15] + k->size) % SLOTS];
}

static bool holds(const struct page_slot *s, const struct page_key *k)
{
	return s->body && s->key.size == k->size &&
		s->key.steps == k->steps &&
		uuid_eq(&s->key.conversation_id, &k->conversation_id) &&
		clock_mono_ms() - s->at_ms < KEPT_MS;
}

bool page_cache_has(struct page_cache *c, const struct page_key *k)
{
	bool has;

	pthread_mutex_lock(&c->lock);
	has = holds(slot_of(c, k), k);
	pthread_mutex_unlock(&c->lock);
	return has;
}

bool page_cache_get(struct page_cache *c, const struct page_key *k,
		    const struct page_state *s, struct buf *out)
{
	struct page_slot *slot;
	bool same;

	pthread_mutex_lock(&c->lock);
	slot = slot_of(c, k);
	same = holds(slot, k) && slot->state.version == s->version &&
		slot->state.created_us == s->created_us;
	if (same)
		buf_add(out, slot->body, slot->n);
	pthread_mutex_unlock(&c->lock);
	return same;
}

void page_cache_put(struct page_cache *c, const struct page_key *k,
		    const struct page_state *s, struct str body)
{
	char *copy, *old;
	struct page_slot *slot;

	if (!body.n || body.n > LIM_PAGE_COPY_BYTES)
		return;
	copy = xmalloc(body.n);
	memcpy(copy, body.p, body.n);
	pthread_mutex_lock(&c->lock);
	slot = slot_of(c, k);
	old = slot->body;
	*slot = (struct page_slot){ .key = *k, .state = *s, .body = copy,
			       .n = body.n, .at_ms = clock_mono_ms() };
	pthread_mutex_unlock(&c->lock);
	free(old);
}
