/* SPDX-License-Identifier: MIT */
#include "calendar/ical.h"

#include <stddef.h>

#include "base/library.h"
#include "base/util.h"

#include "base/banned.h"

struct ical_functions ical_now;

static const struct library_symbol functions[] = {
#define SYMBOL(f) { #f, offsetof(struct ical_functions, f) },
	ICAL_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

/* Its structs are those of the header as long as this number is. */
static const char *const names[] = { "libical.so.3" };

static const struct library library = {
	.names = names, .n_names = ARRAY_LEN(names),
	.symbols = functions, .n_symbols = ARRAY_LEN(functions),
};

static struct libraries libraries = {
	.v = &library, .n = 1, .into = &ical_now,
	.without = "libical cannot be loaded", .lock = PTHREAD_MUTEX_INITIALIZER,
};

int ical_load(struct err *e)
{
	return libraries_load(&libraries, e);
}
