/* What every unit test includes: cmocka with the headers that it wants first. */
#ifndef UNIT_UNIT_H
#define UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

/* Invariants of a buffer, whatever was done to it. */
static inline void assert_sane_buf(const struct buf *b)
{
	assert_non_null(b->p);
	assert_true(b->n <= b->cap);
	assert_true(b->size == 0 || b->n < b->size);
	assert_int_equal(b->p[b->n], '\0');
}

#define assert_str_is(s, text) do { \
	struct str s_ = (s); \
	assert_int_equal(s_.n, strlen(text)); \
	assert_memory_equal(s_.p ? s_.p : "", text, s_.n); \
} while (0)

#endif
