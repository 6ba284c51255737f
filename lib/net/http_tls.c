/* SPDX-License-Identifier: MIT */
#include "net/http_tls.h"

#include <errno.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/banned.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static X509_STORE *store;

/* Without files left, the default places would be taken to be empty, for good. */
static X509_STORE *load_bundle(const char *bundle, bool *no_files)
{
	const char *file = getenv("SSL_CERT_FILE");
	X509_STORE *s = X509_STORE_new();

	if (!s)
		return NULL;
	if (!file || !file[0])
		file = bundle;
	errno = 0;
	if (file && X509_STORE_load_file(s, file) == 1)
		return s;
	*no_files = errno == EMFILE || errno == ENFILE;
	if (!*no_files && X509_STORE_set_default_paths(s) == 1)
		return s;
	X509_STORE_free(s);
	return NULL;
}

int http_tls_load(const char *bundle, struct err *e)
{
	bool no_files = false;
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (!store)
		store = load_bundle(bundle, &no_files);
	if (!store)
		rc = err_set(e, no_files ? ERR_OVERLOADED : ERR_UPSTREAM_CONNECT,
			     "no certificates to check https with");
	pthread_mutex_unlock(&lock);
	return rc;
}

void http_tls_use(void *ssl_ctx)
{
	SSL_CTX_set1_cert_store(ssl_ctx, store);
}

void http_tls_cleanup(void)
{
	X509_STORE_free(store);
	store = NULL;
}
