/* SPDX-License-Identifier: MIT */
#include "base/cursor.h"

#include <sodium.h>

#include "base/limits.h"

#include "base/banned.h"

#define VARIANT sodium_base64_VARIANT_URLSAFE_NO_PADDING

int cursor_read(struct str text, struct arena *a, json_t **out, struct err *e)
{
	unsigned char object[LIM_CURSOR_BYTES];
	struct err inner = ERR_INIT;
	size_t n = 0;

	*out = NULL;
	if (!text.n)
		return 0;
	if (sodium_base642bin(object, sizeof(object), text.p, text.n, NULL, &n,
			      NULL, VARIANT) != 0)
		return err_set(e, ERR_INVALID_CURSOR, "not base64url");
	*out = jx_keep(a, jx_load((struct str){ (char *)object, n }, &inner));
	return json_is_object(*out) ? 0
		: err_set(e, ERR_INVALID_CURSOR, "not an object");
}

void cursor_write(struct jw *w, struct str json)
{
	char text[sodium_base64_ENCODED_LEN(LIM_CURSOR_BYTES, VARIANT)];

	if (json.n > LIM_CURSOR_BYTES)
		BUG("a cursor beyond its cap");
	if (json.p)
		sodium_bin2base64(text, sizeof(text),
				  (const unsigned char *)json.p, json.n,
				  VARIANT);
	jw_kstrz(w, "nextCursor", json.p ? text : NULL);
}
