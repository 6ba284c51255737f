/* SPDX-License-Identifier: MIT */
/* What a site says of programs, on arbitrary bytes: rules, an empty line, a path. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/robots.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str robots = { (const char *)data, size }, path = robots;
	const char *end = size ? memmem(data, size, "\n\n/", 3) : NULL;

	if (end) {
		robots.n = (size_t)(end - robots.p);
		path = (struct str){ end + 2, size - robots.n - 2 };
	}
	/* What nothing forbids is allowed; a delay has bounds. */
	if (!robots_allow(robots, path) && !memmem(data, size, ":", 1))
		abort();
	if (robots_delay_ms(robots) < 0 || robots_delay_ms(robots) > INT32_MAX)
		abort();
	if (robots_noindex(robots) && !memchr(data, 'n', size) &&
	    !memchr(data, 'N', size))
		abort();
	return 0;
}
