/* SPDX-License-Identifier: MIT */
#include "base/uuid.h"

#include <sodium.h>
#include <string.h>

#include "base/clock.h"

#include "base/banned.h"

struct uuid uuid_new(void)
{
	/* Milliseconds, then a 12-bit counter in rand_a (RFC 9562, 6.2-1). */
	static _Thread_local uint64_t last;
	uint64_t ms = (uint64_t)clock_now_us() / 1000;
	uint64_t t = ms << 12;
	struct uuid u;

	if (t <= last)
		t = last + 1;
	last = t;
	randombytes_buf(u.b, sizeof(u.b));
	for (int i = 0; i < 6; i++)
		u.b[i] = (unsigned char)(t >> (52 - 8 * i));
	u.b[6] = (unsigned char)(0x70 | ((t >> 8) & 0x0f));
	u.b[7] = (unsigned char)t;
	u.b[8] = (unsigned char)(0x80 | (u.b[8] & 0x3f));
	return u;
}

struct uuid uuid_of_name(struct str scope, struct str name)
{
	crypto_generichash_state st;
	struct uuid u;

	crypto_generichash_init(&st, NULL, 0, sizeof(u.b));
	crypto_generichash_update(&st, (const unsigned char *)scope.p, scope.n);
	crypto_generichash_update(&st, (const unsigned char *)"\0", 1);
	crypto_generichash_update(&st, (const unsigned char *)name.p, name.n);
	crypto_generichash_final(&st, u.b, sizeof(u.b));
	u.b[6] = (unsigned char)(0x80 | (u.b[6] & 0x0f));
	u.b[8] = (unsigned char)(0x80 | (u.b[8] & 0x3f));
	return u;
}

static char *put_digits(const struct uuid *u, bool dashes, char *out)
{
	static const char hex[] = "0123456789abcdef";
	char *p = out;

	for (int i = 0; i < 16; i++) {
		if (dashes && (i == 4 || i == 6 || i == 8 || i == 10))
			*p++ = '-';
		*p++ = hex[u->b[i] >> 4];
		*p++ = hex[u->b[i] & 15];
	}
	*p = '\0';
	return out;
}

char *uuid_format(const struct uuid *u, char *out)
{
	return put_digits(u, true, out);
}

char *uuid_hex(const struct uuid *u, char out[UUID_HEX_BYTES])
{
	return put_digits(u, false, out);
}

bool uuid_parse(struct str s, struct uuid *u)
{
	struct uuid r;
	size_t at = 0;

	if (s.n != UUID_TEXT_BYTES - 1)
		return false;
	for (int i = 0; i < 16; i++) {
		int hi, lo;

		if (i == 4 || i == 6 || i == 8 || i == 10)
			if (s.p[at++] != '-')
				return false;
		hi = hex_digit(s.p[at]);
		lo = hex_digit(s.p[at + 1]);
		if (hi < 0 || lo < 0)
			return false;
		r.b[i] = (unsigned char)(hi << 4 | lo);
		at += 2;
	}
	*u = r;
	return true;
}

bool uuid_eq(const struct uuid *a, const struct uuid *b)
{
	return memcmp(a->b, b->b, sizeof(a->b)) == 0;
}

bool uuid_is_nil(const struct uuid *u)
{
	static const struct uuid nil;

	return uuid_eq(u, &nil);
}
