/* URLs, read and put together by libcurl. Pure; any thread. */
#ifndef NET_URL_H
#define NET_URL_H

#include <stdbool.h>

#include "base/buf.h"

/*
 * Appends the URL that ref means on a page with the URL base (RFC 3986 section 5).
 * False, and nothing is appended, if that is not an http or https URL, or is too
 * long for out.
 */
bool url_join(const char *base, struct str ref, struct buf *out);

/* Whether both have the same scheme, host and port, and neither has a login. */
bool url_same_origin(const char *a, const char *b);

#endif
