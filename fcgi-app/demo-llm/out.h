/* SPDX-License-Identifier: MIT */
/*
 * out.h - a byte queue: bytes are appended at the end and consumed at the
 * front. It is what stands between a reply and its socket, and what the wire
 * formats are rendered into. It is not base/buf: the queue has a moving front,
 * hands out raw room for the token loop (millions of chunks a second) and keeps
 * its memory between fills; the cap is enforced by the one who fills it
 * (reply.c stops at REPLY_FILL_BYTES), not by an error in the middle of a chunk.
 */
#ifndef DEMO_OUT_H
#define DEMO_OUT_H

#include "base/arena.h"

#include <jansson.h>
#include <stddef.h>

/* All zero is a valid empty queue. Invariant: head <= len <= cap. */
struct out {
	char *p;	/* storage, NULL until the first byte */
	size_t head;	/* first byte not yet consumed */
	size_t len;	/* end of the bytes */
	size_t cap;	/* allocated */
};

/* Bytes waiting in the queue. */
static inline size_t out_size(const struct out *o)
{
	return o->len - o->head;
}

/* The first waiting byte; valid until the next append. */
static inline char *out_front(const struct out *o)
{
	return o->p + o->head;
}

/*
 * Makes room for n bytes behind the end and returns where they go; the caller
 * writes them and adds what it wrote to o->len. Aborts when memory is out.
 */
char *out_room(struct out *o, size_t n);

/* Appends n bytes. */
void out_add(struct out *o, const void *p, size_t n);

/* Appends a C string. */
void out_puts(struct out *o, const char *s);

/* Appends formatted text. */
void out_printf(struct out *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends n bytes of UTF-8 escaped for the inside of a JSON string. */
void out_json(struct out *o, const char *s, size_t n);

/* Appends a C string as a JSON string with its quotes. */
void out_quoted(struct out *o, const char *s);

/* Appends a JSON value, compact, keys in their order. */
void out_dump(struct out *o, const json_t *v);

/* Forgets n bytes at the front; keeps the storage. */
void out_consume(struct out *o, size_t n);

/* The bytes as a C string (a NUL is kept behind them); "" when empty. */
const char *out_str(struct out *o);

/* Copies the bytes into the arena as a C string and frees the storage. */
char *out_keep(struct out *o, struct arena *a);

/* Frees the storage; the queue is empty and usable again. */
void out_release(struct out *o);

#endif
