/* SPDX-License-Identifier: MIT */
/* What every unit test includes: cmocka with the headers that it wants first. */
#ifndef UNIT_UNIT_H
#define UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* For main: where the programs of this build are that ours starts. */
static inline void unit_find_programs(void)
{
	char dir[4096];
	ssize_t n = readlink("/proc/self/exe", dir, sizeof(dir) - 1);

	dir[n > 0 ? n : 0] = '\0';
	/* from BUILD/tests/unit/test_x */
	for (int i = 0; i < 3 && strrchr(dir, '/'); i++)
		*strrchr(dir, '/') = '\0';
	setenv("LAMPLIGHTER_LIBEXEC_DIR", dir, 0);
}

/* For main: without a database in the environment, again with a private one. */
static inline void unit_need_database(char **argv)
{
	char wrapper[512];

	if (getenv("LAMPLIGHTER_TEST_DB_SOCKET"))
		return;
	snprintf(wrapper, sizeof(wrapper), "%s/tests/unit/with-mariadb",
		 getenv("LAMPLIGHTER_SRCDIR"));
	execv(wrapper, (char *[]){ wrapper, argv[0], NULL });
	perror(wrapper);
	exit(1);
}

/* In an initializer of a domain struct: a member that somebody set. */
#define SET(member, value) .member = (value), .set.member = true

#endif
