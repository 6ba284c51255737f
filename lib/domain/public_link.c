/* SPDX-License-Identifier: MIT */
#include "domain/public_link.h"

#include <sodium.h>
#include <string.h>

#include "setting/values.h"
#include "store/key.h"

#include "base/banned.h"

#define VARIANT sodium_base64_VARIANT_URLSAFE_NO_PADDING

/* A link; its text is this in base64url. */
struct link_bytes {
	unsigned char share[16];
	unsigned char mark[crypto_auth_BYTES];
};

_Static_assert(sodium_base64_ENCODED_LEN(sizeof(struct link_bytes), VARIANT) ==
	       PUBLIC_LINK_BYTES, "a link's text fits");

static struct key_cache link_key = KEY_CACHE("link");

static int sign(struct db *db, struct str tenant_id, struct link_bytes *l, struct err *e)
{
	unsigned char key[KEY_BYTES];
	struct buf text = BUF_INIT(1024);

	_Static_assert(KEY_BYTES == crypto_auth_KEYBYTES, "keys fit");
	if (key_cached(&link_key, db, key, e) < 0)
		return -1;
	buf_add(&text, (const char *)l->share, sizeof(l->share));
	buf_addstr(&text, tenant_id);
	crypto_auth(l->mark, (const unsigned char *)text.p, text.n, key);
	sodium_memzero(key, sizeof(key));
	buf_release(&text);
	return 0;
}

int public_link_text(struct db *db, struct str tenant_id, const struct uuid *share,
		     char out[PUBLIC_LINK_BYTES], struct err *e)
{
	struct link_bytes l;

	memcpy(l.share, share->b, sizeof(l.share));
	if (sign(db, tenant_id, &l, e) < 0)
		return -1;
	sodium_bin2base64(out, PUBLIC_LINK_BYTES, (unsigned char *)&l, sizeof(l),
			  VARIANT);
	return 0;
}

int public_link_read(struct db *db, struct str tenant_id, struct str text,
		     struct uuid *share, struct err *e)
{
	struct link_bytes given, right;
	size_t n = 0;

	if (sodium_base642bin((unsigned char *)&given, sizeof(given), text.p, text.n,
			      NULL, &n, NULL, VARIANT) != 0 || n != sizeof(given))
		return err_set(e, ERR_NOT_FOUND, "not a link");
	right = given;
	if (sign(db, tenant_id, &right, e) < 0)
		return -1;
	if (sodium_memcmp(given.mark, right.mark, sizeof(given.mark)) != 0)
		return err_set(e, ERR_NOT_FOUND, "a link that is not ours");
	memcpy(share->b, given.share, sizeof(share->b));
	return 0;
}

int public_link_days(const struct conf *conf, struct db *db, struct arena *a,
		     int64_t *days, struct err *e)
{
	const struct str tenant = str_of(conf->tenant);
	struct setting_values *values = setting_holders_of_tenant(tenant, a);
	const struct setting_scope in = { .conf = conf, .values = values };

	if (setting_read(db, tenant, values, a, e) < 0)
		return -1;
	*days = setting_get(SETTING_PUBLIC_LINK_DAYS, &in).number;
	return 0;
}
