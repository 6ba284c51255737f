/* SPDX-License-Identifier: MIT */
/* Lists as parameters of statements, for JSON_TABLE. */
#ifndef STORE_LIST_H
#define STORE_LIST_H

#include "base/json.h"

/* Writes an id as 32 hexadecimal digits, for UNHEX. */
static inline void store_list_id(struct jw *w, const struct uuid *id)
{
	static const char digits[] = "0123456789ABCDEF";
	char text[32];

	for (size_t i = 0; i < 16; i++) {
		text[2 * i] = digits[id->b[i] >> 4];
		text[2 * i + 1] = digits[id->b[i] & 15];
	}
	jw_str(w, (struct str){ text, sizeof(text) });
}

#endif
