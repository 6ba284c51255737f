/*
 * One certificate store for all TLS connections. By default every libcurl
 * handle parses the system's bundle again: some 33 ms of CPU and 0.85 MB each.
 */
#ifndef NET_HTTP_TLS_H
#define NET_HTTP_TLS_H

#include "base/err.h"

/*
 * Loads the store at the first call: the file of SSL_CERT_FILE, else bundle
 * (may be NULL), else OpenSSL's default places. ERR_UPSTREAM_CONNECT. Any
 * thread.
 */
int http_tls_load(const char *bundle, struct err *e) MUST_CHECK;

/* Gives the store, which must be loaded, to an SSL_CTX. Any thread. */
void http_tls_use(void *ssl_ctx);

/* Gives the store back. At the end, by the last thread; also if none was loaded. */
void http_tls_cleanup(void);

#endif
