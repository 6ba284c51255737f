/* SPDX-License-Identifier: MIT */
/* libcurl in this process: loaded and started when it is needed, and what all share. */
#include "net/curl.h"

#include <locale.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <strings.h>

#include "base/library.h"
#include "base/util.h"
#include "net/http.h"
#include "net/http_tls.h"

#include "base/banned.h"

struct curl_functions curl_now;

static const char *const names[] = { "libcurl.so.4" };	/* its interface since 2006 */

static const struct library_symbol functions[] = {
#define CURL_ROW(f) { "curl_" #f, offsetof(struct curl_functions, f) },
	CURL_FUNCTIONS(CURL_ROW)
#undef CURL_ROW
};

static const struct library library = {
	.names = names, .n_names = ARRAY_LEN(names),
	.symbols = functions, .n_symbols = ARRAY_LEN(functions),
};

static struct libraries libraries = {
	.v = &library, .n = 1, .into = &curl_now,
	.without = "libcurl cannot be loaded", .lock = PTHREAD_MUTEX_INITIALIZER,
};

int curl_load(struct err *e)
{
	return libraries_load(&libraries, e);
}

/* -- started ------------------------------------------------------------------ */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CURLSH *share;
static pthread_mutex_t share_locks[CURL_LOCK_DATA_LAST];

static struct {
	const char *http, *https, *none;	/* "" = no proxy */
} proxies;

static void lock_share(CURL *c, curl_lock_data data, curl_lock_access access,
		       void *ctx)
{
	(void)c, (void)access, (void)ctx;
	pthread_mutex_lock(&share_locks[data]);
}

static void unlock_share(CURL *c, curl_lock_data data, void *ctx)
{
	(void)c, (void)ctx;
	pthread_mutex_unlock(&share_locks[data]);
}

/* The value of the first of these variables (separated by blanks) that is set, or "". */
static const char *env(const char *a, const char *b, const char *c,
		       const char *d)
{
	const char *variables[] = { a, b, c, d };

	for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
		const char *v = variables[i] ? getenv(variables[i]) : NULL;

		if (v && v[0])
			return v;
	}
	return "";
}

int http_global_init(struct err *e)
{
	(void)e;
	/* libcurl reads host names beyond ASCII in the charset of the locale. */
	(void)setlocale(LC_CTYPE, "C.UTF-8");
	proxies.http = xstrdup(env("http_proxy", "all_proxy", "ALL_PROXY",
				   NULL));
	proxies.https = xstrdup(env("https_proxy", "HTTPS_PROXY", "all_proxy",
				    "ALL_PROXY"));
	proxies.none = xstrdup(env("no_proxy", "NO_PROXY", NULL, NULL));
	return 0;
}

/* At the first request, because its TLS library alone takes a megabyte. */
static void start_curl(void)
{
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		BUG("libcurl does not start");
	for (size_t i = 0; i < ARRAY_LEN(share_locks); i++)
		pthread_mutex_init(&share_locks[i], NULL);
	share = curl_share_init();
	if (!share)
		BUG("no memory for libcurl");
	curl_share_setopt(share, CURLSHOPT_LOCKFUNC, lock_share);
	curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, unlock_share);
	curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
}

int http_load(struct err *e)
{
	if (curl_load(e) < 0)
		return -1;
	pthread_once(&once, start_curl);
	return 0;
}

CURLSH *http_share(void)
{
	return share;
}

const char *http_proxy_of(const char *url)
{
	return strncasecmp(url, "https:", 6) == 0 ? proxies.https
		: proxies.http;
}

const char *http_no_proxy(void)
{
	return proxies.none;
}

void http_global_cleanup(void)
{
	free((char *)proxies.http);
	free((char *)proxies.https);
	free((char *)proxies.none);
	proxies.http = proxies.https = proxies.none = NULL;
	http_tls_cleanup();
	if (!share)
		return;
	curl_share_cleanup(share);
	share = NULL;
	for (size_t i = 0; i < ARRAY_LEN(share_locks); i++)
		pthread_mutex_destroy(&share_locks[i]);
	curl_global_cleanup();
	once = (pthread_once_t)PTHREAD_ONCE_INIT;
}
