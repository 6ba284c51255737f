/*
 * Secrets in rows: keys of providers that people gave us, sealed so that neither
 * a copy of the database nor a row that is moved gives them away.
 *
 * The keys that seal are in `secrets.key`: 32 bytes each as 64 hexadecimal
 * digits, with blanks between several. The first seals; each of them opens, so
 * an old key stays behind a new one until `lamplighter secret rotate` has run.
 *
 * A sealed value: a byte with the version (1), 8 bytes that identify the key
 * (BLAKE2b of it), 24 random bytes, and the text under XChaCha20-Poly1305-IETF
 * with its tag. What comes before the random bytes, and the tenant, table,
 * column and id of the row, are authenticated with it: a value that is copied to
 * another row or column does not open there.
 *
 * Keys are parsed for each call and wiped at its end; nothing of them is kept
 * here. All functions: any thread.
 */
#ifndef SECRET_SECRET_H
#define SECRET_SECRET_H

#include "base/arena.h"
#include "base/uuid.h"
#include "conf/conf.h"

enum {
	SECRET_MARK_BYTES = 9,		/* version and key: how it was sealed */
	SECRET_MORE_BYTES = 49,		/* sealed, a text is that much longer */
	SECRET_KEY_TEXT_BYTES = 65,	/* with the NUL */
};

/* The place of a value; it opens in no other. Borrowed. */
struct secret_at {
	struct str tenant_id;
	const char *table, *column;
	struct uuid row;
};

/*
 * Seals text. *out is in a; text is not wiped. ERR_SECRETS where secrets.key is
 * not set.
 */
int seal_make(const struct conf *c, const struct secret_at *at,
		struct str text, struct arena *a, struct str *out,
		struct err *e) MUST_CHECK;

/*
 * Opens what seal_make made. *out is in a, with a NUL behind it, and a is an
 * arena_secret from then on. ERR_SECRETS with what to do where the key is not in
 * secrets.key, and for a value that was changed or moved.
 */
int seal_open(const struct conf *c, const struct secret_at *at,
		struct str sealed, struct arena *a, struct str *out,
		struct err *e) MUST_CHECK;

/* Whether the bytes look sealed: no text that was typed does. */
bool seal_is(struct str s);

/* What a value that is sealed now begins with. ERR_SECRETS as seal_make. */
int seal_mark(const struct conf *c, unsigned char mark[SECRET_MARK_BYTES],
		struct err *e) MUST_CHECK;

/* A new key, as secrets.key has it. */
void seal_new_key(char text[SECRET_KEY_TEXT_BYTES]);

/* Overwrites the bytes; s may be empty. */
void seal_wipe(struct str s);

#endif
