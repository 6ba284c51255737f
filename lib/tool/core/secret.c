/* SPDX-License-Identifier: MIT */
#include "tool/core/secret.h"

#include "base/banned.h"

void secret_mask(struct buf *b, struct str secret)
{
	struct buf clean = BUF_INIT(b->cap);
	struct str rest = buf_str(b);
	const char *at;

	if (secret.n < SECRET_LEAST_BYTES ||
	    !memmem(rest.p, rest.n, secret.p, secret.n))
		return;
	while ((at = memmem(rest.p, rest.n, secret.p, secret.n)) != NULL) {
		buf_add(&clean, rest.p, (size_t)(at - rest.p));
		buf_adds(&clean, "***");
		rest.n -= (size_t)(at - rest.p) + secret.n;
		rest.p = at + secret.n;
	}
	buf_addstr(&clean, rest);
	buf_release(b);
	*b = clean;
}
