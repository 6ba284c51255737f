/* SPDX-License-Identifier: MIT */
#include "base/unicode.h"

#include <stddef.h>

#include "base/library.h"
#include "base/util.h"

#include "base/banned.h"

struct unicode_functions unicode_now;

#define SYMBOL(f) { #f, offsetof(struct unicode_functions, f) },
static const struct library_symbol unicode_symbols[] = {
	UNICODE_FUNCTIONS(SYMBOL)
};
static const struct library_symbol stemmer_symbols[] = {
	STEMMER_FUNCTIONS(SYMBOL)
};
#undef SYMBOL

/* Newest first; all of them have the functions used here. */
static const char *const unicode_names[] = {
	"libunistring.so.5", "libunistring.so.2",
};
static const char *const stemmer_names[] = {
	"libstemmer.so.0d", "libstemmer.so.0", "libstemmer.so",
};

static const struct library both[] = {
	{ unicode_names, ARRAY_LEN(unicode_names), unicode_symbols,
	  ARRAY_LEN(unicode_symbols) },
	{ stemmer_names, ARRAY_LEN(stemmer_names), stemmer_symbols,
	  ARRAY_LEN(stemmer_symbols) },
};

static struct libraries libraries = {
	.v = both, .n = ARRAY_LEN(both), .into = &unicode_now,
	.without = "text cannot be analysed", .lock = PTHREAD_MUTEX_INITIALIZER,
};

int unicode_load(struct err *e)
{
	return libraries_load(&libraries, e);
}
