/* SPDX-License-Identifier: MIT */
/*
 * Ids: 16 bytes, UUIDv7 (RFC 9562) for rows, so that they sort by time and
 * exist before the INSERT. Names that must map to the same id everywhere
 * (users) get a v8 UUID from a keyed hash of the name.
 */
#ifndef BASE_UUID_H
#define BASE_UUID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define UUID_TEXT_BYTES 37	/* with its NUL */

struct uuid {
	unsigned char b[16];
};

/* A new v7 id; ids made by one thread rise. Any thread. */
struct uuid uuid_new(void);

/* The id of a name within a scope: the same bytes on every node. */
struct uuid uuid_of_name(struct str scope, struct str name);

/* Canonical text in out (UUID_TEXT_BYTES). Returns out. */
char *uuid_format(const struct uuid *u, char *out);

/* Its 32 digits in lower case, without dashes. Returns out. */
#define UUID_HEX_BYTES 33	/* with its NUL */
char *uuid_hex(const struct uuid *u, char out[UUID_HEX_BYTES]);

/* Strict: 36 characters, either case. False and *u untouched otherwise. */
bool uuid_parse(struct str s, struct uuid *u);

/* Nil: all bytes are zero, which stands for none. */
bool uuid_eq(const struct uuid *a, const struct uuid *b);
bool uuid_is_nil(const struct uuid *u);

#endif
