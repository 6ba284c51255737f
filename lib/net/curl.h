/* SPDX-License-Identifier: MIT */
/*
 * libcurl, loaded when it is first needed: loading it and its 26 libraries takes 9
 * million instructions, more than everything else that a plain CGI process does for
 * a page. lib/net includes this file instead of <curl/curl.h>; after curl_load, the
 * functions of the table are called by their usual names. (libcurl's type checks of
 * options define the same names as macros, so they are turned off.)
 */
#ifndef NET_CURL_H
#define NET_CURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "base/err.h"

#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt
#undef curl_share_setopt

#define CURL_FUNCTIONS(X) \
	X(easy_cleanup) \
	X(easy_getinfo) \
	X(easy_init) \
	X(easy_pause) \
	X(easy_reset) \
	X(easy_setopt) \
	X(easy_strerror) \
	X(free) \
	X(global_cleanup) \
	X(global_init) \
	X(multi_add_handle) \
	X(multi_assign) \
	X(multi_cleanup) \
	X(multi_info_read) \
	X(multi_init) \
	X(multi_remove_handle) \
	X(multi_setopt) \
	X(multi_socket_action) \
	X(share_cleanup) \
	X(share_init) \
	X(share_setopt) \
	X(slist_append) \
	X(slist_free_all) \
	X(url) \
	X(url_cleanup) \
	X(url_get) \
	X(url_set) \
	X(version_info)

/* Set by curl_load only. */
extern struct curl_functions {
#define CURL_MEMBER(f) __typeof__(curl_##f) *f;
	CURL_FUNCTIONS(CURL_MEMBER)
#undef CURL_MEMBER
} curl_now;

/*
 * Loads libcurl once. ERR_INTERNAL, at each call, if it cannot be loaded or a
 * function is missing. Any thread.
 */
int curl_load(struct err *e) MUST_CHECK;

/* What all transfers share; NULL before http_load. */
CURLSH *http_share(void);

/* Values for CURLOPT_PROXY and CURLOPT_NOPROXY. */
const char *http_proxy_of(const char *url);
const char *http_no_proxy(void);

#define curl_easy_cleanup (*curl_now.easy_cleanup)
#define curl_easy_getinfo (*curl_now.easy_getinfo)
#define curl_easy_init (*curl_now.easy_init)
#define curl_easy_pause (*curl_now.easy_pause)
#define curl_easy_reset (*curl_now.easy_reset)
#define curl_easy_setopt (*curl_now.easy_setopt)
#define curl_easy_strerror (*curl_now.easy_strerror)
#define curl_free (*curl_now.free)
#define curl_global_cleanup (*curl_now.global_cleanup)
#define curl_global_init (*curl_now.global_init)
#define curl_multi_add_handle (*curl_now.multi_add_handle)
#define curl_multi_assign (*curl_now.multi_assign)
#define curl_multi_cleanup (*curl_now.multi_cleanup)
#define curl_multi_info_read (*curl_now.multi_info_read)
#define curl_multi_init (*curl_now.multi_init)
#define curl_multi_remove_handle (*curl_now.multi_remove_handle)
#define curl_multi_setopt (*curl_now.multi_setopt)
#define curl_multi_socket_action (*curl_now.multi_socket_action)
#define curl_share_cleanup (*curl_now.share_cleanup)
#define curl_share_init (*curl_now.share_init)
#define curl_share_setopt (*curl_now.share_setopt)
#define curl_slist_append (*curl_now.slist_append)
#define curl_slist_free_all (*curl_now.slist_free_all)
#define curl_url (*curl_now.url)
#define curl_url_cleanup (*curl_now.url_cleanup)
#define curl_url_get (*curl_now.url_get)
#define curl_url_set (*curl_now.url_set)
#define curl_version_info (*curl_now.version_info)

#endif
