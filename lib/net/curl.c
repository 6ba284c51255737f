/* SPDX-License-Identifier: MIT */
#include "net/curl.h"

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

#define LIBRARY "libcurl.so.4"	/* its interface since 2006 */

struct curl_functions curl_now;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool loaded;

static const struct {
	const char *name;
	size_t at;
} functions[] = {
#define CURL_ROW(f) { "curl_" #f, offsetof(struct curl_functions, f) },
	CURL_FUNCTIONS(CURL_ROW)
#undef CURL_ROW
};

/* Never unloaded: threads of the library may outlive its users. Under the lock. */
static int load(struct err *e)
{
	void *lib = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	/* The next call may succeed then, so that a failure is not kept. */
	const bool shortage = !lib && (errno == EMFILE || errno == ENFILE ||
				       errno == ENOMEM);

	for (size_t i = 0; lib && i < ARRAY_LEN(functions); i++) {
		void *f = dlsym(lib, functions[i].name);

		if (!f)
			lib = NULL;
		memcpy((char *)&curl_now + functions[i].at, &f, sizeof(f));
	}
	if (!lib) {
		const char *why = dlerror();

		return err_set(e, shortage ? ERR_OVERLOADED : ERR_INTERNAL,
			       "libcurl cannot be loaded: %s", why ? why : LIBRARY);
	}
	atomic_store(&loaded, true);
	return 0;
}

int curl_load(struct err *e)
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
