/* SPDX-License-Identifier: MIT */
#include "secret/secret.h"

#include <sodium.h>
#include <string.h>

#include "base/buf.h"

#include "base/banned.h"

enum {
	VERSION = 1,
	ID_BYTES = 8,
	KEY_BYTES = crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
	NONCE_BYTES = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
	TAG_BYTES = crypto_aead_xchacha20poly1305_ietf_ABYTES,
};

_Static_assert(SECRET_MARK_BYTES == 1 + ID_BYTES, "the mark");
_Static_assert(SECRET_MORE_BYTES == SECRET_MARK_BYTES + NONCE_BYTES + TAG_BYTES,
	       "what is more");
_Static_assert(SECRET_KEY_TEXT_BYTES == 2 * KEY_BYTES + 1, "a key as text");

struct key {
	unsigned char mark[SECRET_MARK_BYTES];
	unsigned char bytes[KEY_BYTES];
};

/*
 * Parses the next key; false at the end. check_secret_key has validated the
 * text.
 */
static bool next_key(const char **at, struct key *out)
{
	unsigned char hash[crypto_generichash_BYTES];
	const char *end;
	size_t n;

	*at += strspn(*at, " \t\r\n,");
	if (sodium_hex2bin(out->bytes, KEY_BYTES, *at, (size_t)2 * KEY_BYTES,
			   NULL, &n, &end) || n != KEY_BYTES)
		return false;
	*at = end;
	out->mark[0] = VERSION;
	crypto_generichash(hash, sizeof(hash), out->bytes, KEY_BYTES, NULL, 0);
	memcpy(out->mark + 1, hash, ID_BYTES);
	return true;
}

static int first_key(const struct conf *c, struct key *out, struct err *e)
{
	const char *at = c->secret_key;

	if (next_key(&at, out))
		return 0;
	return err_public(e, ERR_SECRETS, "This server cannot store keys: "
			  "secrets.key is not set. `lamplighter secret key` "
			  "makes one.");
}

bool seal_is(struct str s)
{
	return s.n >= SECRET_MORE_BYTES && s.p[0] == VERSION;
}

/* Finds the key that sealed a value. */
static int key_of(const struct conf *c, struct str sealed, struct key *out,
		  struct err *e)
{
	const char *at = c->secret_key;
	char id[2 * ID_BYTES + 1];

	if (!seal_is(sealed))
		return err_public(e, ERR_SECRETS, "A stored key is damaged. "
				  "Enter it again.");
	while (next_key(&at, out))
		if (!memcmp(out->mark, sealed.p, SECRET_MARK_BYTES))
			return 0;
	sodium_memzero(out, sizeof(*out));
	sodium_bin2hex(id, sizeof(id), (const unsigned char *)sealed.p + 1,
		       ID_BYTES);
	return err_public(e, ERR_SECRETS, "A stored key was sealed with the key "
			  "%s, which is not in secrets.key. Put it back there, "
			  "or enter the stored key again.", id);
}

/* The authenticated data beside the text. In a. */
static struct str additional_data(const struct secret_at *at, const void *mark,
				  struct arena *a)
{
	struct buf b = BUF_INIT(1024);
	struct str out;

	buf_add(&b, mark, SECRET_MARK_BYTES);
	buf_add(&b, (const char *)at->row.b, sizeof(at->row.b));
	buf_adds(&b, at->table);
	buf_addc(&b, '\0');
	buf_adds(&b, at->column);
	buf_addc(&b, '\0');
	buf_addstr(&b, at->tenant_id);
	if (!buf_ok(&b))
		BUG("the place of a secret is too long");
	out = arena_str(a, buf_str(&b));
	buf_release(&b);
	return out;
}

int seal_make(const struct conf *c, const struct secret_at *at,
		struct str text, struct arena *a, struct str *out,
		struct err *e)
{
	unsigned char *v, *nonce;
	struct str more;
	struct key k;

	if (first_key(c, &k, e) < 0)
		return -1;
	v = arena_alloc(a, text.n + SECRET_MORE_BYTES);
	memcpy(v, k.mark, SECRET_MARK_BYTES);
	nonce = v + SECRET_MARK_BYTES;
	randombytes_buf(nonce, NONCE_BYTES);
	more = additional_data(at, v, a);
	crypto_aead_xchacha20poly1305_ietf_encrypt(
		nonce + NONCE_BYTES, NULL, (const unsigned char *)text.p,
		text.n, (const unsigned char *)more.p, more.n, NULL, nonce,
		k.bytes);
	sodium_memzero(&k, sizeof(k));
	*out = (struct str){ (const char *)v, text.n + SECRET_MORE_BYTES };
	return 0;
}

int seal_open(const struct conf *c, const struct secret_at *at,
		struct str sealed, struct arena *a, struct str *out,
		struct err *e)
{
	const unsigned char *nonce =
		(const unsigned char *)sealed.p + SECRET_MARK_BYTES;
	unsigned char *text;
	struct str more;
	struct key k;
	int rc;

	if (key_of(c, sealed, &k, e) < 0)
		return -1;
	arena_secret(a);
	text = arena_zalloc(a, sealed.n - SECRET_MORE_BYTES + 1, 1);
	more = additional_data(at, sealed.p, a);
	rc = crypto_aead_xchacha20poly1305_ietf_decrypt(
		text, NULL, NULL, nonce + NONCE_BYTES,
		sealed.n - SECRET_MARK_BYTES - NONCE_BYTES,
		(const unsigned char *)more.p, more.n, nonce, k.bytes);
	sodium_memzero(&k, sizeof(k));
	if (rc)
		return err_public(e, ERR_SECRETS, "A stored key was changed, or "
				  "moved from another row. Enter it again.");
	*out = (struct str){ (const char *)text, sealed.n - SECRET_MORE_BYTES };
	return 0;
}

int seal_mark(const struct conf *c, unsigned char mark[SECRET_MARK_BYTES],
		struct err *e)
{
	struct key k;

	if (first_key(c, &k, e) < 0)
		return -1;
	memcpy(mark, k.mark, SECRET_MARK_BYTES);
	sodium_memzero(&k, sizeof(k));
	return 0;
}

void seal_new_key(char text[SECRET_KEY_TEXT_BYTES])
{
	unsigned char bytes[KEY_BYTES];

	randombytes_buf(bytes, sizeof(bytes));
	sodium_bin2hex(text, SECRET_KEY_TEXT_BYTES, bytes, sizeof(bytes));
	sodium_memzero(bytes, sizeof(bytes));
}

void seal_wipe(struct str s)
{
	if (s.n)
		sodium_memzero((void *)(uintptr_t)s.p, s.n);
}
