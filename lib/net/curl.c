#include "net/curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

#include "base/banned.h"

#define LIBRARY "libcurl.so.4"	/* its interface since 2006 */

struct curl_functions curl_now;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[200];	/* "" = it is loaded */

static const struct {
	const char *name;
	size_t at;
} functions[] = {
#define CURL_ROW(f) { "curl_" #f, offsetof(struct curl_functions, f) },
	CURL_FUNCTIONS(CURL_ROW)
#undef CURL_ROW
};

/* Never unloaded: threads of the library may outlive its users. */
static void load(void)
{
	void *lib = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	for (size_t i = 0; lib && i < ARRAY_LEN(functions); i++) {
		void *f = dlsym(lib, functions[i].name);

		if (!f)
			lib = NULL;
		memcpy((char *)&curl_now + functions[i].at, &f, sizeof(f));
	}
	if (!lib) {
		const char *why = dlerror();

		snprintf(problem, sizeof(problem), "%s", why ? why : LIBRARY);
	}
}

int curl_load(struct err *e)
{
	pthread_once(&once, load);
	return *problem ? err_set(e, ERR_INTERNAL, "libcurl cannot be loaded: "
				  "%s", problem) : 0;
}
