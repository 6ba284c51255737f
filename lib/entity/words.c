/* SPDX-License-Identifier: MIT */
/* The words of titles, as pickers look for their beginnings. */
#include <string.h>

#include "base/utf8.h"
#include "base/util.h"
#include "entity/entity.h"

#include "base/banned.h"

static bool in_word(unsigned char c)
{
	return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

void entity_words_of(struct str title, struct entity_words *out)
{
	struct buf b = BUF_INIT(8192);
	const char *p, *end;

	out->n = 0;
	utf8_lower(&b, utf8_head(title, 400));
	for (p = b.p, end = b.p + b.n; p < end && out->n < ARRAY_LEN(out->v);) {
		const char *from = p;
		struct str word;

		while (p < end && in_word((unsigned char)*p))
			p++;
		word = utf8_head((struct str){ from, (size_t)(p - from) }, 32);
		if (word.n) {
			memcpy(out->v[out->n], word.p, word.n);
			out->v[out->n++][word.n] = '\0';
		}
		p += p < end;
	}
	buf_release(&b);
}
