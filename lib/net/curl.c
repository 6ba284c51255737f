/* SPDX-License-Identifier: MIT */
#include "net/curl.h"

#include <stddef.h>

#include "base/library.h"
#include "base/util.h"

#include "base/banned.h"

struct curl_functions curl_now;

static const char *const names[] = { "libcurl.so.4" };	/* its interface since 2006 */

static const struct library_symbol functions[] = {
#define CURL_ROW(f) { "curl_" #f, offsetof(struct curl_functions, f) },
	CURL_FUNCTIONS(CURL_ROW)
#undef CURL_ROW
};

static const struct library library = {
	.names = names, .n_names = ARRAY_LEN(names),
	.symbols = functions, .n_symbols = ARRAY_LEN(functions),
};

static struct libraries libraries = {
	.v = &library, .n = 1, .into = &curl_now,
	.without = "libcurl cannot be loaded", .lock = PTHREAD_MUTEX_INITIALIZER,
};

int curl_load(struct err *e)
{
	return libraries_load(&libraries, e);
}
