/* SPDX-License-Identifier: MIT */
#include "search/unicode.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

#include "base/banned.h"

struct unicode_functions unicode_now;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool loaded;	/* both */

struct symbol {
	const char *name;
	size_t at;
};

#define SYMBOL(f) { #f, offsetof(struct unicode_functions, f) },
static const struct symbol unicode_symbols[] = { UNICODE_FUNCTIONS(SYMBOL) };
static const struct symbol stemmer_symbols[] = { STEMMER_FUNCTIONS(SYMBOL) };
#undef SYMBOL

/* Newest first; all of them have the functions used here. */
static const char *const unicode_names[] = {
	"libunistring.so.5", "libunistring.so.2",
};
static const char *const stemmer_names[] = {
	"libstemmer.so.0d", "libstemmer.so.0", "libstemmer.so",
};

static int load_one(const char *const *names, size_t n_names,
		    const struct symbol *symbols, size_t n_symbols, struct err *e)
{
	bool shortage = false;
	void *lib = NULL;

	for (size_t i = 0; !lib && i < n_names; i++) {
		lib = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
		shortage |= !lib && (errno == EMFILE || errno == ENFILE ||
				     errno == ENOMEM);
	}
	for (size_t i = 0; lib && i < n_symbols; i++) {
		void *f = dlsym(lib, symbols[i].name);

		if (!f)
			lib = NULL;
		memcpy((char *)&unicode_now + symbols[i].at, &f, sizeof(f));
	}
	if (!lib) {
		const char *why = dlerror();

		return err_set(e, shortage ? ERR_OVERLOADED : ERR_INTERNAL,
			       "text cannot be analysed: %s", why ? why : names[0]);
	}
	return 0;
}

/* A failure is not kept: files may have been used up. Under the lock. */
static int load(struct err *e)
{
	if (load_one(unicode_names, ARRAY_LEN(unicode_names), unicode_symbols,
		     ARRAY_LEN(unicode_symbols), e) ||
	    load_one(stemmer_names, ARRAY_LEN(stemmer_names), stemmer_symbols,
		     ARRAY_LEN(stemmer_symbols), e))
		return -1;
	atomic_store(&loaded, true);
	return 0;
}

int unicode_load(struct err *e)
{
	int rc = 0;

	if (atomic_load(&loaded))
		return 0;
	pthread_mutex_lock(&lock);
	if (!atomic_load(&loaded))
		rc = load(e);
	pthread_mutex_unlock(&lock);
	return rc;
}
