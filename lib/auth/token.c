#include "auth/token.h"

#include <assert.h>
#include <sodium.h>

#include "base/util.h"

#include "base/banned.h"

#define SECRET_BYTES 32
#define VARIANT sodium_base64_VARIANT_URLSAFE_NO_PADDING

static_assert(sizeof(AUTH_TOKEN_PREFIX) - 1 +
	      sodium_base64_ENCODED_LEN(SECRET_BYTES, VARIANT) ==
	      AUTH_TOKEN_TEXT_BYTES, "a token's length");

void auth_token_make(char out[AUTH_TOKEN_TEXT_BYTES])
{
	const size_t prefix = sizeof(AUTH_TOKEN_PREFIX) - 1;
	unsigned char secret[SECRET_BYTES];

	if (sodium_init() < 0)
		BUG("libsodium cannot be used");
	randombytes_buf(secret, sizeof(secret));
	memcpy(out, AUTH_TOKEN_PREFIX, prefix);
	sodium_bin2base64(out + prefix, AUTH_TOKEN_TEXT_BYTES - prefix, secret,
			  sizeof(secret), VARIANT);
	sodium_memzero(secret, sizeof(secret));
}

bool auth_token_shape(struct str s)
{
	if (s.n != AUTH_TOKEN_TEXT_BYTES - 1 ||
	    !str_starts(s, STR(AUTH_TOKEN_PREFIX)))
		return false;
	for (size_t i = sizeof(AUTH_TOKEN_PREFIX) - 1; i < s.n; i++) {
		char c = s.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      (c >= '0' && c <= '9') || c == '-' || c == '_'))
			return false;
	}
	return true;
}

void auth_token_hash(struct str text, unsigned char out[AUTH_TOKEN_HASH_BYTES])
{
	crypto_generichash(out, AUTH_TOKEN_HASH_BYTES,
			   (const unsigned char *)text.p, text.n, NULL, 0);
}
