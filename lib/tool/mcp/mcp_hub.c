/* SPDX-License-Identifier: MIT */
/*
 * The servers to which this process talks: one peer for each credential of a
 * server, shared by the calls that use it and closed when it is unused.
 */
#include "tool/mcp/mcp_peer.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

#include "base/banned.h"

enum { KEEP_MS = 600000 };	/* a peer that nobody used is given up */

struct mcp_hub {
	struct http_pool *http;
	pthread_mutex_t lock;
	struct mcp_peer *peers;
};

struct mcp_hub *mcp_hub_new(struct http_pool *http)
{
	struct mcp_hub *hub = xcalloc(1, sizeof(*hub));

	hub->http = http;
	pthread_mutex_init(&hub->lock, NULL);
	return hub;
}

static void hash_list(crypto_generichash_state *h, const struct conf_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		crypto_generichash_update(h, (const unsigned char *)l->v[i],
					  strlen(l->v[i]) + 1);
	crypto_generichash_update(h, (const unsigned char *)"", 1);
}

static const struct conf_list *allowed(const struct tool_ctx *ctx,
				       const struct conf_mcp *s)
{
	return s->allow_private.n ? &s->allow_private
		: &ctx->turn.by.conf->allow_private;
}

/* Callers with the same key may share a session, a child and a list of tools. */
static char *key_of(const struct tool_ctx *ctx, const struct conf_mcp *s)
{
	const struct identity *who = ctx->turn.by.who;
	const char *user = s->token && who ? who->user_id_text : "";
	unsigned char hash[16];
	char hex[33], *key;
	crypto_generichash_state h;
	size_t n = strlen(s->id) + strlen(user) + sizeof(hex) + 2;

	crypto_generichash_init(&h, NULL, 0, sizeof(hash));
	crypto_generichash_update(&h, (const unsigned char *)s->url,
				  strlen(s->url) + 1);
	hash_list(&h, &s->command);
	hash_list(&h, &s->env);
	hash_list(&h, &s->headers);
	hash_list(&h, &s->allow);
	hash_list(&h, allowed(ctx, s));
	crypto_generichash_final(&h, hash, sizeof(hash));
	sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
	key = xmalloc(n);
	snprintf(key, n, "%s\n%s\n%s", s->id, user, hex);
	return key;
}

static struct conf_list copy_list(struct arena *a, const struct conf_list *l)
{
	struct conf_list out = { .v = arena_zalloc(a, l->n + 1,
						   sizeof(*out.v)) };

	for (; out.n < l->n; out.n++)
		out.v[out.n] = arena_strdup(a, l->v[out.n]);
	return out;
}

/* The configuration with which it was made may be gone when it ends. */
static void keep_conf(struct mcp_peer *p, const struct tool_ctx *ctx,
		      const struct conf_mcp *s)
{
	p->allow_private = copy_list(&p->arena, allowed(ctx, s));
	p->conf = (struct conf_mcp){
		.id = arena_strdup(&p->arena, s->id),
		.url = arena_strdup(&p->arena, s->url),
		.headers = copy_list(&p->arena, &s->headers),
	};
}

static void peer_free(struct mcp_peer *p)
{
	mcp_peer_close(p);
	arena_release(&p->arena);
	mcp_list_put(p->list);
	pthread_mutex_destroy(&p->lock);
	free(p->key);
	free(p);
}

/* Under the hub's lock: removes the peers that were not used for long, or all. */
static struct mcp_peer *unlink_unused(struct mcp_hub *hub, bool all)
{
	int64_t before = clock_mono_ms() - KEEP_MS;
	struct mcp_peer *out = NULL;

	for (struct mcp_peer **at = &hub->peers; *at;) {
		struct mcp_peer *p = *at;

		if (!all && (p->users || p->used_ms > before)) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		p->next = out;
		out = p;
	}
	return out;
}

static void free_all(struct mcp_peer *p)
{
	while (p) {
		struct mcp_peer *next = p->next;

		peer_free(p);
		p = next;
	}
}

void mcp_hub_free(struct mcp_hub *hub)
{
	if (!hub)
		return;
	free_all(unlink_unused(hub, true));
	pthread_mutex_destroy(&hub->lock);
	free(hub);
}

struct mcp_peer *mcp_peer_get(struct mcp_hub *hub, const struct tool_ctx *ctx,
			      const struct conf_mcp *s)
{
	char *key = key_of(ctx, s);
	struct mcp_peer *p, *unused;

	pthread_mutex_lock(&hub->lock);
	for (p = hub->peers; p && strcmp(p->key, key); p = p->next)
		continue;
	if (!p) {
		p = xcalloc(1, sizeof(*p));
		pthread_mutex_init(&p->lock, NULL);
		p->hub = hub;
		p->http = hub->http;
		p->key = key;
		key = NULL;
		keep_conf(p, ctx, s);
		atomic_init(&p->next_id, 1);
		atomic_init(&p->changed, false);
		p->next = hub->peers;
		hub->peers = p;
	}
	p->users++;
	p->used_ms = clock_mono_ms();
	unused = unlink_unused(hub, false);
	pthread_mutex_unlock(&hub->lock);
	free(key);
	free_all(unused);
	return p;
}

void mcp_peer_put(struct mcp_peer *p)
{
	pthread_mutex_lock(&p->hub->lock);
	p->users--;
	p->used_ms = clock_mono_ms();
	pthread_mutex_unlock(&p->hub->lock);
}
