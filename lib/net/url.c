/* SPDX-License-Identifier: MIT */
#include "net/url.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "net/curl.h"

#include "base/banned.h"

/* Without libcurl, no URL is valid; curl_load has logged why. */
static CURLU *new_url(void)
{
	struct err e = ERR_INIT;
	CURLU *u;

	if (curl_load(&e) < 0)
		return NULL;
	u = curl_url();
	if (!u)
		BUG("no memory for a URL");
	return u;
}

bool url_join(const char *base, struct str ref, struct buf *out)
{
	struct buf text = BUF_INIT(LIM_URL_BYTES);
	CURLU *u = new_url();
	char *scheme = NULL, *whole = NULL;
	bool ok;

	if (!u)
		return false;
	buf_addstr(&text, ref);
	ok = buf_ok(&text) && strlen(text.p) == text.n &&
	     curl_url_set(u, CURLUPART_URL, base, 0) == CURLUE_OK &&
	     curl_url_set(u, CURLUPART_URL, text.p, 0) == CURLUE_OK &&
	     curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
	     (strcasecmp(scheme, "http") == 0 ||
	      strcasecmp(scheme, "https") == 0) &&
	     curl_url_get(u, CURLUPART_URL, &whole, 0) == CURLUE_OK;
	if (ok) {
		buf_adds(out, whole);
		ok = buf_ok(out);
	}
	curl_free(whole);
	curl_free(scheme);
	curl_url_cleanup(u);
	buf_release(&text);
	return ok;
}

/* Lower case; without brackets, and without the dot at its end. */
static bool put_host(const char *from, char host[URL_HOST_BYTES])
{
	size_t n = strlen(from);

	if (n && *from == '[') {
		from++;
		n -= from[n - 2] == ']' ? 2 : 1;
	}
	if (n && from[n - 1] == '.')
		n--;
	if (!n || n >= URL_HOST_BYTES)
		return false;
	for (size_t i = 0; i < n; i++)
		host[i] = (char)tolower((unsigned char)from[i]);
	host[n] = '\0';
	return true;
}

/*
 * The host as it is written, or in ASCII if that is the same in other characters
 * ("ｌｏｃａｌｈｏｓｔ", "１２７.0.0.1"), so that these are recognised. False: it is no name,
 * as of digits that no address has.
 */
static bool host_of(CURLU *u, char host[URL_HOST_BYTES])
{
	char *name = NULL, *ascii = NULL;
	bool ok = curl_url_get(u, CURLUPART_HOST, &name, 0) == CURLUE_OK &&
		curl_url_get(u, CURLUPART_HOST, &ascii, CURLU_PUNYCODE) == CURLUE_OK &&
		put_host(strstr(ascii, "xn--") ? name : ascii, host);

	curl_free(name);
	curl_free(ascii);
	return ok;
}

bool url_host(const char *url, char host[URL_HOST_BYTES])
{
	CURLU *u = new_url();
	char *user = NULL;
	bool ok;

	host[0] = '\0';
	if (!u)
		return false;
	ok = curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK &&
	     curl_url_get(u, CURLUPART_USER, &user, 0) == CURLUE_NO_USER &&
	     host_of(u, host);
	if (!ok)
		host[0] = '\0';
	curl_free(user);
	curl_url_cleanup(u);
	return ok;
}

/* "scheme://host:port", or false: not a URL, or one with a login. */
static bool origin_of(const char *url, struct buf *out)
{
	CURLU *u = new_url();
	char *scheme = NULL, *host = NULL, *port = NULL, *user = NULL;
	bool ok;

	if (!u)
		return false;
	ok = curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK &&
	     curl_url_get(u, CURLUPART_USER, &user, 0) == CURLUE_NO_USER &&
	     curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
	     curl_url_get(u, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
	     curl_url_get(u, CURLUPART_PORT, &port,
			  CURLU_DEFAULT_PORT) == CURLUE_OK;
	if (ok)
		buf_addf(out, "%s://%s:%s", scheme, host, port);
	curl_free(scheme);
	curl_free(host);
	curl_free(port);
	curl_free(user);
	curl_url_cleanup(u);
	return ok;
}

bool url_same_origin(const char *a, const char *b)
{
	struct buf x = BUF_INIT(LIM_URL_BYTES), y = BUF_INIT(LIM_URL_BYTES);
	bool same = origin_of(a, &x) && origin_of(b, &y) &&
		    strcasecmp(x.p, y.p) == 0;

	buf_release(&x);
	buf_release(&y);
	return same;
}
