/* SPDX-License-Identifier: MIT */
/*
 * Shared libraries that are loaded when they are first needed, so that a plain CGI
 * process does not pay for what it does not use: net/curl.h, base/unicode.h.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct library_symbol {
	const char *name;
	size_t at;		/* offset of its pointer in `into` */
};

struct library {
	const char *const *names;	/* of its file; the first that is there */
	size_t n_names;
	const struct library_symbol *symbols;
	size_t n_symbols;
};

/* Libraries that are loaded together. Static. */
struct libraries {
	const struct library *v;
	size_t n;
	void *into;		/* a struct of pointers to functions */
	const char *without;	/* what fails without them, for the error */
	pthread_mutex_t lock;
	atomic_bool loaded;
};

/*
 * Loads them, unless they are loaded, and never unloads them: their threads may
 * outlive their users. A failure is not kept, since the next call may succeed.
 * ERR_OVERLOADED if files or memory were used up, ERR_INTERNAL if a library or
 * function is missing. Any thread.
 */
int libraries_load(struct libraries *l, struct err *e) MUST_CHECK;

#endif
