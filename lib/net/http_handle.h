/*
 * What the pool keeps. Connections live in a multi handle, so it is kept
 * together with the one easy handle that runs in it. libcurl's sharing of
 * connections between threads (CURL_LOCK_DATA_CONNECT) is not thread-safe in
 * any version and not used.
 */
#ifndef NET_HTTP_HANDLE_H
#define NET_HTTP_HANDLE_H

#include <curl/curl.h>

#include "net/http.h"

#define HTTP_ORIGIN_BYTES 160

struct http_handle {
	CURLM *multi;
	CURL *easy;
	char origin[HTTP_ORIGIN_BYTES];	/* where its connection goes */
};

/* The handle used last for the origin of url; else a fresh one. Any thread. */
struct http_handle *http_handle_get(struct http_pool *p, const char *url);

/* Gives h back; frees the coldest handle when there are too many. */
void http_handle_put(struct http_pool *p, struct http_handle *h);

#endif
