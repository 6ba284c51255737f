/* SPDX-License-Identifier: MIT */
#include "store/token_cache.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "resource/call.h"

#include "base/banned.h"

enum { SLOTS = 64, KEEP_MS = 1000, TEXT_BYTES = 4096 };

struct token_slot {		/* direct-mapped by the hash, which is random */
	unsigned char hash[crypto_hash_sha256_BYTES];
	struct token token;	/* its texts are one block, at tenant_id */
	int64_t read_ms;	/* just before it was read; monotonic */
};

struct token_cache {
	pthread_mutex_t lock;
	uint64_t forgets;
	struct token_slot slots[SLOTS];
};

struct token_cache *token_cache_new(void)
{
	struct token_cache *c = xcalloc(1, sizeof(*c));

	pthread_mutex_init(&c->lock, NULL);
	return c;
}

/* Under the lock. */
static void clear(struct token_slot *s)
{
	free((char *)s->token.tenant_id.p);
	*s = (struct token_slot){ .read_ms = 0 };
}

/* Empties the cache after a token was revoked here. Any thread. */
static void token_cache_forget(struct token_cache *c)
{
	pthread_mutex_lock(&c->lock);
	c->forgets++;
	for (size_t i = 0; i < SLOTS; i++)
		clear(&c->slots[i]);
	pthread_mutex_unlock(&c->lock);
}

void token_cache_free(struct token_cache *c)
{
	if (!c)
		return;
	token_cache_forget(c);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static struct token_slot *slot_of(struct token_cache *c,
				  const unsigned char *hash)
{
	return &c->slots[hash[0] % SLOTS];
}

/* Text in a. Under the lock. */
static bool recall(const struct token_slot *s, const unsigned char *hash,
		   int64_t now_ms, struct arena *a, struct token *out)
{
	const struct token *t = &s->token;

	if (!t->tenant_id.p || now_ms - s->read_ms >= KEEP_MS ||
	    sodium_memcmp(s->hash, hash, sizeof(s->hash)) ||
	    (t->expires_us && t->expires_us <= clock_now_us()))
		return false;
	*out = *t;
	out->tenant_id = arena_str(a, t->tenant_id);
	out->login = arena_str(a, t->login);
	out->groups = arena_str(a, t->groups);
	if (t->name.p)
		out->name = arena_str(a, t->name);
	if (t->agents.p)
		out->agents = arena_str(a, t->agents);
	if (t->tools.p)
		out->tools = arena_str(a, t->tools);
	return true;
}

static char *copy_text(char *at, struct str *s)
{
	if (!s->p)
		return at;
	memcpy(at, s->p, s->n);
	s->p = at;
	return at + s->n;
}

/* Under the lock. */
static void fill_slot(struct token_slot *s, const unsigned char *hash,
		      int64_t read_ms, const struct token *found)
{
	struct token t = *found;
	size_t n = t.tenant_id.n + t.login.n + t.groups.n + t.name.n +
		t.agents.n + t.tools.n;
	char *at;

	clear(s);
	if (n > TEXT_BYTES)
		return;
	at = copy_text(xmalloc(n + 1), &t.tenant_id);
	at = copy_text(copy_text(copy_text(at, &t.login), &t.groups), &t.name);
	copy_text(copy_text(at, &t.agents), &t.tools);
	memcpy(s->hash, hash, sizeof(s->hash));
	s->token = t;
	s->read_ms = read_ms;
}

int token_cache_find(struct token_cache *c, struct db *db, struct str text,
		     struct arena *a, struct token *out, struct err *e)
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	/* Before the read: what is kept is no older than it says. */
	int64_t now_ms = clock_mono_ms();
	uint64_t forgets;
	bool known;

	crypto_hash_sha256(hash, (const unsigned char *)text.p, text.n);
	pthread_mutex_lock(&c->lock);
	known = recall(slot_of(c, hash), hash, now_ms, a, out);
	forgets = c->forgets;
	pthread_mutex_unlock(&c->lock);
	if (known)
		return 0;
	if (token_find(db, text, a, out, e) < 0)
		return -1;
	pthread_mutex_lock(&c->lock);
	if (forgets == c->forgets)	/* read after the last revocation */
		fill_slot(slot_of(c, hash), hash, now_ms, out);
	pthread_mutex_unlock(&c->lock);
	return 0;
}

/* -- as a part of the resource ------------------------------------------------- */

static void forget_token(const struct caller *by, const struct resource_change *k)
{
	if (k->verb == VERB_DELETE && by->tokens)
		token_cache_forget(by->tokens);
}

const struct resource_hooks token_cache_hooks = { .changed = forget_token };
