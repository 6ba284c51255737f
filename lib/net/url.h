/* SPDX-License-Identifier: MIT */
/* URLs, parsed and built by libcurl. Pure; any thread. */
#ifndef NET_URL_H
#define NET_URL_H

#include <stdbool.h>

#include "base/buf.h"

#define URL_HOST_BYTES 256	/* DNS's 253, and a NUL */

/*
 * Appends the URL to which ref refers on a page with the URL base (RFC 3986 section
 * 5). Returns false and appends nothing if that is not an http or https URL, or is
 * too long for out.
 */
bool url_join(const char *base, struct str ref, struct buf *out);

/*
 * Writes the host of the URL in the form that guard_allows takes: lower case,
 * without brackets and the dot at its end; an IPv4 address in another form (0x7f.1,
 * 2130706433) in four parts. False, and host is "", if url is not a URL, has a
 * login, or its host does not fit.
 */
bool url_host(const char *url, char host[URL_HOST_BYTES]);

/* Whether both have the same scheme, host and port, and neither has a login. */
bool url_same_origin(const char *a, const char *b);

#endif
