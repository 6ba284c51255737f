/* SPDX-License-Identifier: MIT */
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/banned.h"

static int load_library(const struct libraries *l, const struct library *v, struct err *e)
{
	bool shortage = false;
	void *lib = NULL;

	for (size_t i = 0; !lib && i < v->n_names; i++) {
		lib = dlopen(v->names[i], RTLD_LAZY | RTLD_LOCAL);
		shortage |= !lib && (errno == EMFILE || errno == ENFILE ||
				     errno == ENOMEM);
	}
	for (size_t i = 0; lib && i < v->n_symbols; i++) {
		void *f = dlsym(lib, v->symbols[i].name);

		if (!f)
			lib = NULL;
		memcpy((char *)l->into + v->symbols[i].at, &f, sizeof(f));
	}
	if (!lib) {
		const char *why = dlerror();

		return err_set(e, shortage ? ERR_OVERLOADED : ERR_INTERNAL,
			       "%s: %s", l->without, why ? why : v->names[0]);
	}
	return 0;
}

int libraries_load(struct libraries *l, struct err *e)
{
	int rc = 0;

	if (atomic_load(&l->loaded))
		return 0;
	pthread_mutex_lock(&l->lock);
	if (!atomic_load(&l->loaded)) {
		for (size_t i = 0; i < l->n && rc == 0; i++)
			rc = load_library(l, &l->v[i], e);
		if (rc == 0)
			atomic_store(&l->loaded, true);
	}
	pthread_mutex_unlock(&l->lock);
	return rc;
}
