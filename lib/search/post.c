/* SPDX-License-Identifier: MIT */
#include "search/post.h"

#include <string.h>

#include "base/banned.h"

/* Above 64, each doubling has 16 steps. */
uint8_t post_length(uint32_t words)
{
	uint32_t e = 0, m = words;

	if (words <= 64)
		return (uint8_t)words;
	while (m >= 32) {
		m >>= 1;
		e++;
	}
	/* words is m << e, roughly; m is 16 to 31, e from 2 on (64 is 16 << 2). */
	if (64 + (e - 2) * 16 + (m - 16) > 255)
		return 255;
	return (uint8_t)(64 + (e - 2) * 16 + (m - 16));
}

uint32_t post_words(uint8_t length)
{
	uint32_t over = length - 64U, e = over / 16 + 2, m = over % 16 + 16;

	if (length <= 64)
		return length;
	return (m << e) + (1U << e) / 2;
}

void post_write(struct buf *out, int64_t key, const struct posting *v, size_t n)
{
	uint32_t before = n ? v[0].at.chunk : 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t d = v[i].at.chunk - before;
		char bytes[POST_BYTES_MAX];
		size_t k = 0;

		for (; d >= 0x80; d >>= 7)
			bytes[k++] = (char)(d | 0x80);
		bytes[k++] = (char)d;
		bytes[k++] = (char)(v[i].at.head << 4 | v[i].at.body);
		bytes[k++] = (char)v[i].at.length;
		if (key < POST_SHARED) {
			memcpy(bytes + k, &v[i].tail, sizeof(v[i].tail));
			k += sizeof(v[i].tail);
		}
		buf_add(out, bytes, k);
		before = v[i].at.chunk;
	}
}

int post_read(struct str block, int64_t key, uint32_t first, struct posting *v)
{
	const ptrdiff_t tail = key < POST_SHARED ? sizeof(v->tail) : 0;
	const unsigned char *p = (const unsigned char *)block.p;
	const unsigned char *end = p + block.n;
	uint32_t chunk = first;
	int n = 0;

	while (p < end) {
		uint32_t d = 0;
		unsigned shift = 0;

		if (n == 2 * POST_BLOCK)
			return -1;
		while (p < end && *p >= 0x80 && shift < 28) {
			d |= (uint32_t)(*p++ & 0x7f) << shift;
			shift += 7;
		}
		if (end - p < 3 + tail || *p >= 0x80)
			return -1;
		d |= (uint32_t)*p << shift;
		chunk += d;
		v[n] = (struct posting){ .at = {
			.chunk = chunk, .body = p[1] & 15, .head = p[1] >> 4,
			.length = p[2],
		} };
		memcpy(&v[n++].tail, p + 3, (size_t)tail);
		p += 3 + tail;
	}
	return n;
}
