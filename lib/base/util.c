/* SPDX-License-Identifier: MIT */
#include "base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

void bug_at(const char *file, int line, const char *what)
{
	fprintf(stderr, "BUG: %s:%d: %s\n", file, line, what);
	abort();
}

static void *need(void *p, size_t n_bytes)
{
	if (!p && n_bytes) {
		fputs(NO_MEMORY "\n", stderr);
		abort();
	}
	return p;
}

void *xmalloc(size_t n_bytes)
{
	return need(malloc(n_bytes), n_bytes);
}

void *xcalloc(size_t n, size_t size_bytes)
{
	return need(calloc(n, size_bytes), n * size_bytes);
}

void *xrealloc(void *p, size_t n_bytes)
{
	return need(realloc(p, n_bytes), n_bytes);
}

char *xstrdup(const char *s)
{
	return need(strdup(s), 1);
}
