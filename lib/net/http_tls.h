/* SPDX-License-Identifier: MIT */
/*
 * One certificate store for all TLS connections. By default, every libcurl handle
 * parses the system's bundle again, which takes some 33 ms of CPU and 0.85 MB.
 */
#ifndef NET_HTTP_TLS_H
#define NET_HTTP_TLS_H

#include "base/err.h"

/*
 * Loads the store at the first call: from the file in SSL_CERT_FILE, else bundle
 * (may be NULL), else OpenSSL's default locations. ERR_UPSTREAM_CONNECT. Any
 * thread.
 */
int http_tls_load(const char *bundle, struct err *e) MUST_CHECK;

/* Sets the store, which must be loaded, for an SSL_CTX. Any thread. */
void http_tls_use(void *ssl_ctx);

/* Frees the store, if it was loaded. Called by the last thread. */
void http_tls_cleanup(void);

#endif
