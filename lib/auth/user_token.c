/* SPDX-License-Identifier: MIT */
#include "auth/user_token.h"

#include <sodium.h>
#include <string.h>

#include "base/json.h"
#include "base/limits.h"

#include "base/banned.h"

enum { SEED_BYTES = crypto_sign_SEEDBYTES };

static bool seed_of(const struct conf_user_token *c,
		    unsigned char seed[SEED_BYTES])
{
	static const int variants[] = {
		sodium_base64_VARIANT_ORIGINAL,
		sodium_base64_VARIANT_ORIGINAL_NO_PADDING,
		sodium_base64_VARIANT_URLSAFE,
		sodium_base64_VARIANT_URLSAFE_NO_PADDING,
	};
	size_t n;

	for (size_t i = 0; i < ARRAY_LEN(variants); i++)
		if (sodium_base642bin(seed, SEED_BYTES, c->key, strlen(c->key),
				      NULL, &n, NULL, variants[i]) == 0 &&
		    n == SEED_BYTES)
			return true;
	return false;
}

/* The key pair of an EdDSA key. */
static int pair_of(const struct conf_user_token *c,
		   unsigned char public[crypto_sign_PUBLICKEYBYTES],
		   unsigned char secret[crypto_sign_SECRETKEYBYTES],
		   struct err *e)
{
	unsigned char seed[SEED_BYTES];

	if (!seed_of(c, seed))
		return err_public(e, ERR_CONFIG, "must be 32 bytes in base64 "
				  "for EdDSA (openssl rand -base64 32)");
	crypto_sign_seed_keypair(public, secret, seed);
	sodium_memzero(seed, sizeof(seed));
	return 0;
}

int user_token_check(const struct conf_user_token *c, struct err *e)
{
	unsigned char seed[SEED_BYTES];

	if (c->algorithm == TOKEN_EDDSA && !seed_of(c, seed))
		return err_public(e, ERR_CONFIG, "must be 32 bytes in base64 "
				  "for EdDSA (openssl rand -base64 32)");
	sodium_memzero(seed, sizeof(seed));
	return 0;
}

static void add_base64(struct buf *b, const void *p, size_t n)
{
	size_t room = sodium_base64_ENCODED_LEN(n,
				sodium_base64_VARIANT_URLSAFE_NO_PADDING);

	if (!buf_reserve(b, room))
		return;
	sodium_bin2base64(b->p + b->n, room, p, n,
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	b->n += room - 1;
}

static void write_header(const struct conf_user_token *c, struct buf *out)
{
	struct buf b = BUF_INIT(1024);
	struct jw w = jw_on(&b);

	jw_obj(&w);
	jw_kstrz(&w, "alg", c->algorithm == TOKEN_HS256 ? "HS256" : "EdDSA");
	jw_kstrz(&w, "typ", "JWT");
	if (c->key_id[0])
		jw_kstrz(&w, "kid", c->key_id);
	jw_end_obj(&w);
	add_base64(out, b.p, b.n);
	buf_release(&b);
}

static void write_claims(const struct conf_user_token *c,
			 const struct identity *who, int64_t now_us,
			 struct buf *out)
{
	struct buf b = BUF_INIT(LIM_CLAIMS_BYTES);
	struct jw w = jw_on(&b);
	struct uuid id = uuid_new();

	jw_obj(&w);
	jw_kstrz(&w, "iss", c->issuer);
	jw_kstrz(&w, "aud", c->audience);
	jw_kstr(&w, "sub", who->login);
	jw_kstrz(&w, "uid", who->user_id_text);
	jw_kstr(&w, "tenant", who->tenant);
	jw_kstr(&w, "name", who->name);
	jw_key(&w, "groups");
	jw_arr(&w);
	for (size_t i = 0; i < who->n_groups; i++)
		jw_str(&w, who->groups[i]);
	jw_end_arr(&w);
	jw_kint(&w, "iat", now_us / 1000000);
	jw_kint(&w, "exp", now_us / 1000000 + c->ttl_s);
	jw_kuuid(&w, "jti", &id);
	jw_end_obj(&w);
	add_base64(out, b.p, b.n);
	buf_release(&b);
}

static void sign_hs256(const struct conf_user_token *c, struct buf *out)
{
	unsigned char mac[crypto_auth_hmacsha256_BYTES];
	crypto_auth_hmacsha256_state s;

	crypto_auth_hmacsha256_init(&s, (const unsigned char *)c->key,
				    strlen(c->key));
	crypto_auth_hmacsha256_update(&s, (const unsigned char *)out->p, out->n);
	crypto_auth_hmacsha256_final(&s, mac);
	sodium_memzero(&s, sizeof(s));
	buf_addc(out, '.');
	add_base64(out, mac, sizeof(mac));
}

static int sign_eddsa(const struct conf_user_token *c, struct buf *out,
		      struct err *e)
{
	unsigned char public[crypto_sign_PUBLICKEYBYTES];
	unsigned char secret[crypto_sign_SECRETKEYBYTES];
	unsigned char mark[crypto_sign_BYTES];

	if (pair_of(c, public, secret, e) < 0)
		return -1;
	crypto_sign_detached(mark, NULL, (const unsigned char *)out->p, out->n,
			     secret);
	sodium_memzero(secret, sizeof(secret));
	buf_addc(out, '.');
	add_base64(out, mark, sizeof(mark));
	return 0;
}

int user_token_make(const struct conf_user_token *c,
		    const struct identity *who, int64_t now_us, struct arena *a,
		    struct str *out, struct err *e)
{
	struct buf b = BUF_INIT(2 * LIM_CLAIMS_BYTES);
	int rc = 0;

	write_header(c, &b);
	buf_addc(&b, '.');
	write_claims(c, who, now_us, &b);
	if (c->algorithm == TOKEN_HS256)
		sign_hs256(c, &b);
	else
		rc = sign_eddsa(c, &b, e);
	if (rc == 0 && !buf_ok(&b))
		rc = err_set(e, ERR_TOO_BIG, "token of too many groups");
	*out = arena_str(a, buf_str(&b));
	buf_release(&b);
	return rc;
}

int user_token_public(const struct conf_user_token *c, struct arena *a,
		      struct str *out, struct err *e)
{
	unsigned char public[crypto_sign_PUBLICKEYBYTES];
	unsigned char secret[crypto_sign_SECRETKEYBYTES];
	struct buf b = BUF_INIT(128);

	*out = (struct str){ NULL, 0 };
	if (c->algorithm != TOKEN_EDDSA)
		return 0;
	if (pair_of(c, public, secret, e) < 0)
		return -1;
	sodium_memzero(secret, sizeof(secret));
	add_base64(&b, public, sizeof(public));
	*out = arena_str(a, buf_str(&b));
	buf_release(&b);
	return 0;
}
