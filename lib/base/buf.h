/* SPDX-License-Identifier: MIT */
/*
 * A growing byte buffer with a hard cap. Valid after BUF_INIT(cap);
 * `p` is never NULL and always NUL-terminated after `n` bytes. Appends return
 * nothing: overflow of the cap is sticky, the content stays as it was before the
 * append that did not fit, and buf_ok is checked once at the end.
 * One thread at a time.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/util.h"

struct buf {
	char *p;	/* content, followed by a NUL */
	size_t n;	/* bytes of content */
	size_t size;	/* allocated; 0 = p is not ours */
	size_t cap;	/* content never grows beyond this */
	bool overflow;	/* something did not fit */
};

extern char buf_empty[1];

#define BUF_INIT(cap_bytes) { .p = buf_empty, .cap = (cap_bytes) }

/* Gives the memory back; the buffer is empty and usable again. */
void buf_release(struct buf *b);

/* Empties, keeps the memory, forgets an overflow. */
void buf_reset(struct buf *b);

static inline bool buf_ok(const struct buf *b)
{
	return !b->overflow;
}

static inline struct str buf_str(const struct buf *b)
{
	return (struct str){ b->p, b->n };
}

/* buf_reserve for the case that memory must grow or the cap is reached. */
bool buf_grow(struct buf *b, size_t n_bytes);

/* Makes room for n_bytes more; false (and overflow) beyond the cap. */
static inline bool buf_reserve(struct buf *b, size_t n_bytes)
{
	/* Memory may be larger than the cap, so both are asked. */
	if (!b->overflow && b->n < b->size && n_bytes < b->size - b->n &&
	    n_bytes <= b->cap - b->n)
		return true;
	return buf_grow(b, n_bytes);
}

/*
 * Appends bytes, a C string, a view, one character, formatted text. The plain
 * ones are inline: answers are written in pieces of a few bytes.
 */
static inline void buf_add(struct buf *b, const void *p, size_t n_bytes)
{
	if (!n_bytes || !buf_reserve(b, n_bytes))
		return;
	memcpy(b->p + b->n, p, n_bytes);
	b->n += n_bytes;
	b->p[b->n] = '\0';
}

static inline void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

static inline void buf_addstr(struct buf *b, struct str s)
{
	buf_add(b, s.p, s.n);
}

static inline void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_addf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vaddf(struct buf *b, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
void buf_addu(struct buf *b, uint64_t v);	/* decimal */

/* Removes the first n_bytes. */
void buf_shift(struct buf *b, size_t n_bytes);

/* The content as memory for free(); the buffer is empty afterwards. */
char *buf_take(struct buf *b);

/*
 * Appends s escaped for one destination. buf_json adds a JSON string with its
 * quotes; s must be valid UTF-8 (it is passed through as it is). buf_json_more
 * puts s at the end of the JSON string that b ends with. buf_url
 * percent-encodes all but unreserved characters.
 */
void buf_json(struct buf *b, struct str s);
void buf_json_more(struct buf *b, struct str s);
void buf_url(struct buf *b, struct str s);

#endif
