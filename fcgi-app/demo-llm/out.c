/* SPDX-License-Identifier: MIT */
/*
 * out.c - the byte queue of the demo model.
 */
#include "demo-llm/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

char *out_room(struct out *o, size_t n)
{
	size_t size = out_size(o);
	size_t cap = o->cap;

	if (o->cap - o->len >= n && o->p)
		return o->p + o->len;
	/* Move to the front only when that frees half of the storage:
	 * otherwise a slow reader would make every append a memmove. */
	if (o->head && o->head >= o->cap / 2 && o->cap - size >= n) {
		memmove(o->p, o->p + o->head, size);
		o->head = 0;
		o->len = size;
		return o->p + o->len;
	}
	if (!cap)
		cap = 512;
	while (cap - o->len < n)
		cap *= 2;
	o->p = xrealloc(o->p, cap);
	o->cap = cap;
	return o->p + o->len;
}

void out_add(struct out *o, const void *p, size_t n)
{
	if (!n)
		return;
	memcpy(out_room(o, n), p, n);
	o->len += n;
}

void out_puts(struct out *o, const char *s)
{
	out_add(o, s, strlen(s));
}

void out_printf(struct out *o, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n <= 0)
		return;
	va_start(ap, fmt);
	vsnprintf(out_room(o, (size_t)n + 1), (size_t)n + 1, fmt, ap);
	va_end(ap);
	o->len += (size_t)n;
}

void out_json(struct out *o, const char *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	static const char two[] = "btnvfr";	/* \b .. \r, \v is not JSON */
	char *d;
	size_t i;

	d = out_room(o, n * 6);
	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c >= 0x20 && c != '"' && c != '\\') {
			*d++ = (char)c;
		} else if (c >= 0x20) {
			*d++ = '\\';
			*d++ = (char)c;
		} else if (c >= 8 && c <= 13 && c != 11) {
			*d++ = '\\';
			*d++ = two[c - 8];
		} else {
			memcpy(d, "\\u00", 4);
			d[4] = hex[c >> 4];
			d[5] = hex[c & 15];
			d += 6;
		}
	}
	o->len = (size_t)(d - o->p);
}

void out_quoted(struct out *o, const char *s)
{
	out_add(o, "\"", 1);
	out_json(o, s, strlen(s));
	out_add(o, "\"", 1);
}

static int dump_cb(const char *p, size_t n, void *ctx)
{
	out_add(ctx, p, n);
	return 0;
}

void out_dump(struct out *o, const json_t *v)
{
	json_dump_callback(v, dump_cb, o, JSON_COMPACT | JSON_ENCODE_ANY);
}

void out_consume(struct out *o, size_t n)
{
	o->head += n;
	if (o->head == o->len)
		o->head = o->len = 0;
}

const char *out_str(struct out *o)
{
	*out_room(o, 1) = '\0';
	return out_front(o);
}

char *out_keep(struct out *o, struct arena *a)
{
	char *s = arena_memdup(a, o->p ? out_front(o) : "", out_size(o));

	out_release(o);
	return s;
}

void out_release(struct out *o)
{
	free(o->p);
	*o = (struct out){0};
}
