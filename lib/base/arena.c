/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

#include "base/banned.h"

#define CHUNK_BYTES 4096	/* and multiples of it */
#define CHUNK_MAX   65536
#define KEEP_BYTES  32768	/* what a reset keeps */
#define ALIGN       16

struct arena_chunk {
	struct arena_chunk *prev;
	size_t size, used;		/* of data */
	_Alignas(ALIGN) char data[];
};

struct arena_defer {
	struct arena_defer *next;
	void (*fn)(void *p);
	void *p;
};

static void grow(struct arena *a, size_t need)
{
	/* By an eighth each time: a stream that lasts holds what it took. */
	size_t size = MIN(align_up(MAX(a->total_bytes / 8, CHUNK_BYTES),
				   CHUNK_BYTES), CHUNK_MAX) -
		sizeof(struct arena_chunk);
	struct arena_chunk *c;

	if (size < need)
		size = need;
	c = xmalloc(sizeof(*c) + size);
	c->prev = a->chunk;
	c->size = size;
	c->used = 0;
	a->chunk = c;
	a->total_bytes += size;
}

void *arena_alloc(struct arena *a, size_t n_bytes)
{
	size_t n = align_up(n_bytes ? n_bytes : 1, ALIGN);
	void *p;

	if (n < n_bytes)
		BUG("arena size overflow");
	if (!a->chunk || a->chunk->size - a->chunk->used < n)
		grow(a, n);
	p = a->chunk->data + a->chunk->used;
	a->chunk->used += n;
	return p;
}

int arena_check(const struct arena *a, struct err *e)
{
	if (a->total_bytes < LIM_ARENA_BYTES)
		return 0;
	return err_set(e, ERR_TOO_BIG, "the arena is full: %zu bytes",
		       a->total_bytes);
}

void *arena_try(struct arena *a, size_t n_bytes, struct err *e)
{
	if (n_bytes > LIM_ARENA_BYTES ||
	    a->total_bytes > LIM_ARENA_BYTES - n_bytes) {
		err_set(e, ERR_TOO_BIG, "%zu bytes more than the arena takes",
			n_bytes);
		return NULL;
	}
	return arena_alloc(a, n_bytes);
}

void *arena_zalloc(struct arena *a, size_t n, size_t size_bytes)
{
	void *p;

	if (size_bytes && n > SIZE_MAX / size_bytes)
		BUG("arena size overflow");
	p = arena_alloc(a, n * size_bytes);
	return memset(p, 0, n * size_bytes);
}

void *arena_room(struct arena *a, void *v, size_t n, size_t more, size_t *room,
		 size_t size_bytes)
{
	void *bigger;

	if (n + more <= *room)
		return v;
	*room = MAX(n + more, *room ? *room * 2 : 8);
	bigger = arena_zalloc(a, *room, size_bytes);
	return n ? memcpy(bigger, v, n * size_bytes) : bigger;
}

char *arena_memdup(struct arena *a, const char *p, size_t n_bytes)
{
	char *q = arena_alloc(a, n_bytes + 1);

	if (n_bytes)
		memcpy(q, p, n_bytes);
	q[n_bytes] = '\0';
	return q;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return s ? arena_memdup(a, s, strlen(s)) : NULL;
}

struct str arena_str(struct arena *a, struct str s)
{
	return (struct str){ arena_memdup(a, s.p, s.n), s.n };
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		BUG("bad format");
	p = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

void arena_defer(struct arena *a, void (*fn)(void *p), void *p)
{
	struct arena_defer *d = arena_alloc(a, sizeof(*d));

	*d = (struct arena_defer){ .next = a->defers, .fn = fn, .p = p };
	a->defers = d;
}

struct arena_mark arena_mark(const struct arena *a)
{
	return (struct arena_mark){
		.chunk = a->chunk,
		.used = a->chunk ? a->chunk->used : 0,
		.defers = a->defers,
	};
}

void arena_secret(struct arena *a)
{
	a->secret = true;
}

/* Frees the part of c after from. */
static void give_back(const struct arena *a, struct arena_chunk *c, size_t from)
{
	if (a->secret && c->used > from)
		explicit_bzero(c->data + from, c->used - from);
	c->used = from;
}

void arena_rewind(struct arena *a, struct arena_mark m)
{
	while (a->defers != m.defers) {
		struct arena_defer *d = a->defers;

		a->defers = d->next;
		d->fn(d->p);
	}
	while (a->chunk != m.chunk) {
		struct arena_chunk *c = a->chunk;

		a->chunk = c->prev;
		a->total_bytes -= c->size;
		give_back(a, c, 0);
		free(c);
	}
	if (a->chunk)
		give_back(a, a->chunk, m.used);
}

void arena_reset(struct arena *a)
{
	struct arena_mark m = { .chunk = a->chunk };

	/* The newest chunk is the largest: with it, the same work again needs
	   least memory. One that grew beyond that is not kept. */
	if (a->chunk && a->chunk->size > KEEP_BYTES)
		while (m.chunk->prev)
			m.chunk = m.chunk->prev;
	arena_rewind(a, m);
	while (a->chunk && a->chunk->prev) {
		struct arena_chunk *c = a->chunk->prev;

		a->chunk->prev = c->prev;
		a->total_bytes -= c->size;
		give_back(a, c, 0);
		free(c);
	}
	a->secret = false;
}

void arena_release(struct arena *a)
{
	arena_rewind(a, (struct arena_mark){ .chunk = NULL });
	a->secret = false;
}
