#include "search/unicode.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

#include "base/banned.h"

struct unicode_functions unicode_now;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[200];	/* "" = both are loaded */

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

static bool load_one(const char *const *names, size_t n_names,
		     const struct symbol *symbols, size_t n_symbols)
{
	void *lib = NULL;

	for (size_t i = 0; !lib && i < n_names; i++)
		lib = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
	for (size_t i = 0; lib && i < n_symbols; i++) {
		void *f = dlsym(lib, symbols[i].name);

		if (!f)
			lib = NULL;
		memcpy((char *)&unicode_now + symbols[i].at, &f, sizeof(f));
	}
	if (!lib) {
		const char *why = dlerror();

		snprintf(problem, sizeof(problem), "%s", why ? why : names[0]);
	}
	return lib;
}

static void load(void)
{
	if (load_one(unicode_names, ARRAY_LEN(unicode_names), unicode_symbols,
		     ARRAY_LEN(unicode_symbols)))
		(void)load_one(stemmer_names, ARRAY_LEN(stemmer_names),
			       stemmer_symbols, ARRAY_LEN(stemmer_symbols));
}

int unicode_load(struct err *e)
{
	pthread_once(&once, load);
	return *problem ? err_set(e, ERR_INTERNAL, "text cannot be analysed: %s",
				  problem) : 0;
}
