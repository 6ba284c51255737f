/* SPDX-License-Identifier: MIT */
/*
 * Secrets in rows: keys of providers that users have entered, sealed so that
 * neither a copy of the database nor a moved row reveals them.
 *
 * The sealing keys are in `secrets.key`: 32 bytes each as 64 hexadecimal
 * digits, separated by blanks. The first one seals; all of them open. So an old
 * key stays after the new one until `lamplighter secret rotate` has run.
 *
 * A sealed value consists of a version byte (1), 8 bytes that identify the key
 * (its BLAKE2b), 24 random bytes, and the text encrypted with
 * XChaCha20-Poly1305-IETF, with its tag. The bytes before the random ones, and
 * the tenant, table, column and id of the row are authenticated: a value that
 * is copied to another row or column does not open.
 *
 * Keys are parsed for each call and wiped at its end; none is cached. All
 * functions: any thread.
 */
#ifndef SECRET_SECRET_H
#define SECRET_SECRET_H

#include "base/arena.h"
#include "base/uuid.h"
#include "conf/conf.h"

enum {
	/* Version and key id: how it was sealed */
	SECRET_MARK_BYTES = 9,
	SECRET_MORE_BYTES = 49,		/* a sealed text is this much longer */
	SECRET_KEY_TEXT_BYTES = 65,	/* including the NUL */
};

/* The place of a value: it opens nowhere else. Borrowed. */
struct secret_at {
	struct str tenant_id;
	const char *table, *column;
	struct uuid row;
};

/*
 * Seals text. *out is in a; text is not wiped. ERR_SECRETS if secrets.key is
 * not set.
 */
int seal_make(const struct conf *c, const struct secret_at *at,
		struct str text, struct arena *a, struct str *out,
		struct err *e) MUST_CHECK;

/*
 * Opens a sealed value. *out is in a, NUL-terminated; a becomes an
 * arena_secret. ERR_SECRETS, saying what to do, if the key is not in
 * secrets.key, or the value was changed or moved.
 */
int seal_open(const struct conf *c, const struct secret_at *at,
		struct str sealed, struct arena *a, struct str *out,
		struct err *e) MUST_CHECK;

/* Whether the bytes look sealed; typed text never does. */
bool seal_is(struct str s);

/*
 * The first bytes of values sealed with the current key. ERR_SECRETS as
 * seal_make.
 */
int seal_mark(const struct conf *c, unsigned char mark[SECRET_MARK_BYTES],
		struct err *e) MUST_CHECK;

/* Makes a new key in the format of secrets.key. */
void seal_new_key(char text[SECRET_KEY_TEXT_BYTES]);

/* Overwrites the bytes; s may be empty. */
void seal_wipe(struct str s);

#endif
