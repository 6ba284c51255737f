/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

char buf_empty[1];

void buf_release(struct buf *b)
{
	if (b->size)
		free(b->p);
	b->p = buf_empty;
	b->n = b->size = 0;
	b->overflow = false;
}

void buf_reset(struct buf *b)
{
	b->n = 0;
	b->overflow = false;
	if (b->size)
		b->p[0] = '\0';
}

bool buf_grow(struct buf *b, size_t n_bytes)
{
	size_t need, size;

	if (b->overflow || n_bytes > b->cap || b->n > b->cap - n_bytes) {
		b->overflow = true;
		return false;
	}
	need = b->n + n_bytes + 1;
	if (need <= b->size)
		return true;
	size = b->size ? b->size : 64;
	while (size < need)
		size *= 2;
	b->p = xrealloc(b->size ? b->p : NULL, size);
	b->size = size;
	return true;
}

void buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		BUG("bad format");
	if (!buf_reserve(b, (size_t)n))
		return;
	vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
	b->n += (size_t)n;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(b, fmt, ap);
	va_end(ap);
}

void buf_addu(struct buf *b, uint64_t v)
{
	char tmp[20], *p = tmp + sizeof(tmp);

	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	buf_add(b, p, (size_t)(tmp + sizeof(tmp) - p));
}

void buf_shift(struct buf *b, size_t n_bytes)
{
	if (n_bytes > b->n)
		BUG("buf_shift beyond the content");
	if (!n_bytes)
		return;
	memmove(b->p, b->p + n_bytes, b->n - n_bytes);
	b->n -= n_bytes;
	b->p[b->n] = '\0';
}

char *buf_take(struct buf *b)
{
	char *p = b->size ? b->p : xstrdup("");

	b->p = buf_empty;
	b->n = b->size = 0;
	b->overflow = false;
	return p;
}

/*
 * How many bytes from i on need no escape, eight at a time where possible:
 * most of what we send is text without any.
 */
static size_t json_plain(struct str s, size_t i)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t highs = ones << 7;
	size_t from = i;

	while (s.n - i >= 8) {
		uint64_t v, quote, slash;

		memcpy(&v, s.p + i, 8);
		quote = v ^ ones * '"';
		slash = v ^ ones * '\\';
		/* The high bit of a byte: below 0x20, or zero after the xor. */
		if ((((v - ones * 0x20) & ~v) | ((quote - ones) & ~quote) |
		     ((slash - ones) & ~slash)) & highs)
			break;
		i += 8;
	}
	while (i < s.n && (unsigned char)s.p[i] >= 0x20 && s.p[i] != '"' &&
	       s.p[i] != '\\')
		i++;
	return i - from;
}

static void json_chars(struct buf *b, struct str s)
{
	static const char hex[] = "0123456789abcdef";
	size_t i = 0;

	for (;;) {
		size_t n = json_plain(s, i);
		unsigned char c;

		if (n)
			buf_add(b, s.p + i, n);
		i += n;
		if (i == s.n)
			break;
		c = (unsigned char)s.p[i++];
		switch (c) {
		case '"': buf_add(b, "\\\"", 2); break;
		case '\\': buf_add(b, "\\\\", 2); break;
		case '\n': buf_add(b, "\\n", 2); break;
		case '\r': buf_add(b, "\\r", 2); break;
		case '\t': buf_add(b, "\\t", 2); break;
		default:
			buf_add(b, (const char[]){ '\\', 'u', '0', '0',
				hex[c >> 4], hex[c & 15] }, 6);
		}
	}
	buf_addc(b, '"');
}

void buf_json(struct buf *b, struct str s)
{
	buf_addc(b, '"');
	json_chars(b, s);
}

void buf_json_more(struct buf *b, struct str s)
{
	if (!buf_ok(b))
		return;
	if (!b->n || b->p[b->n - 1] != '"')
		BUG("no JSON string to continue");
	b->n--;
	json_chars(b, s);
}

void buf_url(struct buf *b, struct str s)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t i;

	for (i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		char esc[3] = { '%', hex[c >> 4], hex[c & 15] };

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (c >= '0' && c <= '9') || c == '-' || c == '.' ||
		    c == '_' || c == '~')
			buf_addc(b, (char)c);
		else
			buf_add(b, esc, 3);
	}
}
