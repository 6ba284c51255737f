/* SPDX-License-Identifier: MIT */
/* lib/auth/user_token.c, verified with another library than it is made with. */
#include "unit.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sodium.h>

#include "auth/user_token.h"
#include "base/json.h"

static const char secret[] = "0123456789abcdef0123456789abcdef";
/* RFC 8032 section 7.1, test 1: seed and public key */
static const char seed[] = "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=";
static const char public[] = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

static struct identity anna(struct arena *a)
{
	static const struct str groups[] = { { "sales", 5 }, { "\"x\"", 3 } };
	struct identity who = {
		.tenant = STR("default"), .login = STR("anna"),
		.name = STR("Anna Ünal"), .groups = groups, .n_groups = 2,
	};

	(void)a;
	uuid_format(&who.user_id, who.user_id_text);
	return who;
}

static size_t decode(struct str s, unsigned char *out, size_t n_bytes)
{
	size_t n = 0;

	assert_int_equal(sodium_base642bin(out, n_bytes, s.p, s.n, NULL, &n,
				NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING),
			 0);
	out[n] = '\0';
	return n;
}

struct parts {
	struct str signed_part;
	unsigned char header[1024], claims[4096], mark[128];
	size_t n_mark;
	json_t *claims_json;
};

static void make(const struct conf_user_token *c, struct arena *a,
		 struct parts *p)
{
	struct identity who = anna(a);
	struct err e = ERR_INIT;
	struct str token, rest, part;

	assert_int_equal(user_token_make(c, &who, 1700000000500000, a, &token,
					 &e), 0);
	rest = token;
	part = str_cut(&rest, '.');
	decode(part, p->header, sizeof(p->header) - 1);
	part = str_cut(&rest, '.');
	decode(part, p->claims, sizeof(p->claims) - 1);
	p->signed_part = (struct str){ token.p,
				       (size_t)(part.p + part.n - token.p) };
	p->n_mark = decode(rest, p->mark, sizeof(p->mark) - 1);
	p->claims_json = jx_keep(a, jx_load(str_of((char *)p->claims), &e));
	assert_non_null(p->claims_json);
}

static void hs256_verifies(void **state)
{
	struct conf_user_token c = {
		.audience = "hr", .issuer = "lamplighter", .key = secret,
		.key_id = "k1", .ttl_s = 60, .algorithm = TOKEN_HS256,
	};
	struct arena a = ARENA_INIT;
	unsigned char mac[64];
	unsigned n = sizeof(mac);
	struct str none;
	struct err e = ERR_INIT;
	struct parts p;

	(void)state;
	make(&c, &a, &p);
	HMAC(EVP_sha256(), secret, sizeof(secret) - 1,
	     (const unsigned char *)p.signed_part.p, p.signed_part.n, mac, &n);
	assert_int_equal(p.n_mark, n);
	assert_memory_equal(p.mark, mac, n);
	assert_string_equal((char *)p.header,
			    "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"k1\"}");
	assert_str_is(jx_str(p.claims_json, "iss"), "lamplighter");
	assert_str_is(jx_str(p.claims_json, "aud"), "hr");
	assert_str_is(jx_str(p.claims_json, "sub"), "anna");
	assert_str_is(jx_str(p.claims_json, "tenant"), "default");
	assert_str_is(jx_str(p.claims_json, "name"), "Anna Ünal");
	assert_int_equal(json_array_size(jx_arr(p.claims_json, "groups")), 2);
	assert_int_equal(jx_int(p.claims_json, "iat", 0), 1700000000);
	assert_int_equal(jx_int(p.claims_json, "exp", 0), 1700000060);
	assert_int_equal(jx_str(p.claims_json, "jti").n, 36);
	assert_int_equal(user_token_public(&c, &a, &none, &e), 0);
	assert_null(none.p);
	arena_release(&a);
}

static void eddsa_verifies(void **state)
{
	struct conf_user_token c = {
		.audience = "hr", .issuer = "x", .key = seed, .key_id = "",
		.ttl_s = 60, .algorithm = TOKEN_EDDSA,
	};
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	unsigned char raw[64];
	struct str shown;
	struct parts p;
	EVP_PKEY *key;

	(void)state;
	make(&c, &a, &p);
	assert_int_equal(user_token_public(&c, &a, &shown, &e), 0);
	assert_str_is(shown, public);
	assert_int_equal(decode(shown, raw, sizeof(raw) - 1), 32);
	key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, raw, 32);
	assert_non_null(key);
	assert_int_equal(EVP_DigestVerifyInit(md, NULL, NULL, NULL, key), 1);
	assert_int_equal(EVP_DigestVerify(md, p.mark, p.n_mark,
					  (const unsigned char *)p.signed_part.p,
					  p.signed_part.n), 1);
	EVP_PKEY_free(key);
	EVP_MD_CTX_free(md);
	arena_release(&a);
}

static void two_tokens_differ(void **state)
{
	struct conf_user_token c = {
		.audience = "hr", .issuer = "x", .key = secret, .key_id = "",
		.ttl_s = 60,
	};
	struct arena a = ARENA_INIT;
	struct parts p, q;

	(void)state;
	make(&c, &a, &p);
	make(&c, &a, &q);
	assert_string_not_equal(jx_str(p.claims_json, "jti").p,
				jx_str(q.claims_json, "jti").p);
	arena_release(&a);
}

static void keys_are_checked(void **state)
{
	struct conf_user_token c = { .key = secret, .algorithm = TOKEN_EDDSA };
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(user_token_check(&c, &e), -1);
	assert_int_equal(e.code, ERR_CONFIG);
	c.key = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";
	err_clear(&e);
	assert_int_equal(user_token_check(&c, &e), 0);
	c.algorithm = TOKEN_HS256;
	c.key = secret;
	assert_int_equal(user_token_check(&c, &e), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(hs256_verifies),
		cmocka_unit_test(eddsa_verifies),
		cmocka_unit_test(two_tokens_differ),
		cmocka_unit_test(keys_are_checked),
	};

	jx_seed();
	return sodium_init() < 0 ||
	       cmocka_run_group_tests_name("user_token", tests, NULL, NULL);
}
