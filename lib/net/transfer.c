/* SPDX-License-Identifier: MIT */
/*
 * libcurl's side of a transfer: options, callbacks and timeouts. We check timeouts
 * ourselves, by the monotonic clock: libcurl has no idle timeout, and each of its
 * others is a node in a tree that it rebalances for every token of every stream.
 * (CURLOPT_CONNECTTIMEOUT_MS too; its default of 300 s has no node.)
 */
#include "net/transfer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <strings.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/trace.h"
#include "net/guard.h"
#include "net/http_abort.h"
#include "net/http_tls.h"

#include "base/banned.h"

#define BUFFER_BYTES 8192	/* for one recv; per transfer */
#define CONNECT_MS 5000

/* -- to the loop and the caller ---------------------------------------------- */

void transfer_begun(struct transfer *t)
{
	if (t->begun || !t->r->meanwhile || !t->r->sends_first)
		return;
	t->begun = true;
	sem_post(&t->wake);
}

void transfer_dirty(struct transfer *t)
{
	if (t->stalled)
		t->missed = true;	/* its caller is busy: go_on */
	if (t->stalled || t->queued_dirty)
		return;
	t->queued_dirty = true;
	t->next_dirty = *t->dirty;
	*t->dirty = t;
}

/* -- callbacks of libcurl ------------------------------------------------- */

/* Before each connection, because a name may resolve to any address at any time. */
static curl_socket_t on_open(void *ctx, curlsocktype purpose,
			     struct curl_sockaddr *a)
{
	struct transfer *t = ctx;
	int fd;

	(void)purpose;
	if (t->r->guard && !guard_allows(t->r->guard, t->host, &a->addr)) {
		t->refused = true;
		return CURL_SOCKET_BAD;
	}
	fd = socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
	t->exhausted |= fd < 0 && (errno == EMFILE || errno == ENFILE);
	return fd;
}

/* A warm connection may have been made without a guard, or with another one. */
static bool warm_allowed(const struct transfer *t, const char *ip)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, ip, &in.sin_addr) == 1)
		return guard_allows(t->r->guard, t->host,
				    (struct sockaddr *)&in);
	return inet_pton(AF_INET6, ip, &in6.sin6_addr) == 1 &&
	       guard_allows(t->r->guard, t->host, (struct sockaddr *)&in6);
}

/* The connection is open, new or warm, and the request is about to be sent. */
static int on_connected(void *ctx, char *ip, char *local_ip, int port,
			int local_port)
{
	struct transfer *t = ctx;

	(void)local_ip, (void)port, (void)local_port;
	if (t->r->guard && !warm_allowed(t, ip)) {
		t->refused = true;
		return CURL_PREREQFUNC_ABORT;
	}
	trace_point(TRACE_SENT);
	t->connected = clock_mono_ms();
	t->res->sent = true;
	return CURL_PREREQFUNC_OK;
}

static void keep_header(struct str name, struct str value,
			struct http_result *res)
{
	const struct {
		const char *name;
		char *to;
		size_t n;
	} kept[] = {
		{ "content-type", res->content_type, sizeof(res->content_type) },
		{ "server", res->server, sizeof(res->server) },
		{ "location", res->location, sizeof(res->location) },
		{ "date", res->date, sizeof(res->date) },
		{ "content-encoding", res->encoding, sizeof(res->encoding) },
		{ "retry-after", res->retry_after, sizeof(res->retry_after) },
		{ "retry-after-ms", res->retry_after_ms,
		  sizeof(res->retry_after_ms) },
		{ "x-should-retry", res->should_retry,
		  sizeof(res->should_retry) },
		{ "x-request-id", res->request_id, sizeof(res->request_id) },
		{ "request-id", res->request_id, sizeof(res->request_id) },
	};

	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		if (name.n == strlen(kept[i].name) &&
		    strncasecmp(name.p, kept[i].name, name.n) == 0)
			snprintf(kept[i].to, kept[i].n, "%.*s",
				 STR_ARG(value));
}

static void byte_arrived(struct transfer *t)
{
	/* libcurl may send and receive in one round: callbacks can wait for meanwhile. */
	transfer_begun(t);
	t->last_byte = *t->now;
	if (t->res->first_byte_us < 0) {
		trace_point(TRACE_BYTE);
		t->res->first_byte_us = clock_mono_us() - t->start_us;
	}
}

static size_t on_header(char *p, size_t one, size_t n, void *ctx)
{
	struct transfer *t = ctx;
	struct str value = { p, n }, name;
	curl_off_t sent_bytes = 0;
	long status = 0, version = 0;

	(void)one;
	if (t->stalled)
		return CURL_WRITEFUNC_PAUSE;
	log_borrow(t->log);
	byte_arrived(t);
	value = str_trim(value);
	if (str_starts(value, STR("HTTP/")))
		return n;
	if (value.n) {
		name = str_cut(&value, ':');
		keep_header(name, str_trim(value), t->res);
		if (t->r->on_header)
			t->r->on_header(t->r->ctx, name, str_trim(value));
		return n;
	}
	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status < 200)
		return n;
	t->res->status = (int)status;
	curl_easy_getinfo(t->easy, CURLINFO_HTTP_VERSION, &version);
	t->res->version = version == CURL_HTTP_VERSION_2_0 ? 20
		: version == CURL_HTTP_VERSION_1_0 ? 10 : 11;
	if (t->got_head)	/* trailers */
		return n;
	t->got_head = true;
	curl_easy_getinfo(t->easy, CURLINFO_SIZE_UPLOAD_T, &sent_bytes);
	t->res->body_sent = (size_t)sent_bytes == t->r->body.n;
	if (t->r->on_head && t->r->on_head(t->r->ctx, t->res) < 0) {
		err_set(&t->e, ERR_CANCELLED, "stopped by the caller");
		return 0;
	}
	return n;
}

static int give_body(const struct transfer *t, struct str bytes)
{
	TRACE_SPAN(TRACE_BATCH, NULL);

	return t->r->on_body(t->r->ctx, bytes);
}

static size_t on_body(char *p, size_t one, size_t n, void *ctx)
{
	struct transfer *t = ctx;
	size_t cap = t->r->max_body_bytes ? t->r->max_body_bytes
		: LIM_UPSTREAM_BYTES;
	int rc;

	(void)one;
	if (t->stalled)
		return CURL_WRITEFUNC_PAUSE;
	log_borrow(t->log);
	byte_arrived(t);
	t->n_body += n;
	if (t->n_body > cap) {
		err_set(&t->e, ERR_TOO_BIG, "answer over %zu bytes", cap);
		return 0;
	}
	t->batch = true;
	transfer_dirty(t);
	rc = t->r->on_body ? give_body(t, (struct str){ p, n }) : 0;
	if (rc < 0) {
		err_set(&t->e, ERR_CANCELLED, "stopped by the caller");
		return 0;
	}
	if (rc > 0)
		t->linger_until = *t->now + rc;
	return n;
}

static void set_headers(struct transfer *t)
{
	CURL *c = t->easy;

	for (size_t i = 0; i < t->r->n_headers; i++)
		t->headers = curl_slist_append(t->headers, t->r->headers[i]);
	/* Else libcurl waits up to a second for "100 Continue" before a larger body. */
	t->headers = curl_slist_append(t->headers, "Expect:");
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, t->headers);
	curl_easy_setopt(c, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
	curl_easy_setopt(c, CURLOPT_USERAGENT, "lamplighter");
}

static void set_body(struct transfer *t)
{
	const struct http_request *r = t->r;
	CURL *c = t->easy;

	if (r->body.p) {
		curl_easy_setopt(c, CURLOPT_POST, 1L);
		curl_easy_setopt(c, CURLOPT_POSTFIELDS, r->body.p);
		curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)r->body.n);
	}
	if (strcmp(r->method, "HEAD") == 0)
		curl_easy_setopt(c, CURLOPT_NOBODY, 1L);
	else if (strcmp(r->method, r->body.p ? "POST" : "GET") != 0)
		curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, r->method);
}

static CURLcode on_tls(CURL *c, void *ssl_ctx, void *ctx)
{
	(void)c, (void)ctx;
	http_tls_use(ssl_ctx);
	return CURLE_OK;
}

static int set_tls(struct transfer *t)
{
	CURL *c = t->easy;

	if (strncasecmp(t->r->url, "https:", 6) != 0)
		return 0;
	/* The store is read once (http_tls.c), not for each connection. */
	curl_easy_setopt(c, CURLOPT_CAINFO, NULL);
	curl_easy_setopt(c, CURLOPT_CAPATH, NULL);
	curl_easy_setopt(c, CURLOPT_SSL_CTX_FUNCTION, on_tls);
	return http_tls_load(curl_version_info(CURLVERSION_NOW)->cainfo, &t->e);
}

static int set_guard(struct transfer *t)
{
	CURL *c = t->easy;

	/* Refuse a URL from others that hides where it leads. */
	if (!url_host(t->r->url, t->host))
		return err_set(&t->e, ERR_ADDRESS_REFUSED,
			       "not a URL, or one with a login");
	/* A proxy would look the name up itself, where the guard does not see its address. */
	curl_easy_setopt(c, CURLOPT_PROXY, "");
	return 0;
}

int transfer_set_up(struct transfer *t)
{
	CURL *c = t->easy;

	curl_easy_setopt(c, CURLOPT_URL, t->r->url);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_SHARE, http_share());
	curl_easy_setopt(c, CURLOPT_PRIVATE, t);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(c, CURLOPT_HTTP_VERSION, t->r->http2
			 ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_1_1);
	if (t->r->http2) {	/* a warm connection keeps the version it has */
		curl_easy_setopt(c, CURLOPT_FRESH_CONNECT, 1L);
		curl_easy_setopt(c, CURLOPT_FORBID_REUSE, 1L);
	}
	curl_easy_setopt(c, CURLOPT_PROXY, http_proxy_of(t->r->url));
	curl_easy_setopt(c, CURLOPT_NOPROXY, http_no_proxy());
	curl_easy_setopt(c, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(c, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(c, CURLOPT_BUFFERSIZE, (long)BUFFER_BYTES);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, t->why);
	curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, on_open);
	curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, t);
	curl_easy_setopt(c, CURLOPT_PREREQFUNCTION, on_connected);
	curl_easy_setopt(c, CURLOPT_PREREQDATA, t);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	set_headers(t);
	set_body(t);
	if (t->r->guard && set_guard(t) < 0)
		return -1;
	return set_tls(t);
}

/* -- timeouts -------------------------------------------------------------- */

static void sooner(int64_t *at, int64_t when)
{
	if (when >= 0 && (*at < 0 || when < *at))
		*at = when;
}

/* When the current wait times out; *what: its name. -1 = never. */
static int64_t deadline(const struct transfer *t, const char **what)
{
	const struct http_request *r = t->r;

	if (t->linger_until >= 0) {
		*what = NULL;
		return t->linger_until;
	}
	if (t->connected < 0) {
		*what = "connection";
		return t->start + (r->connect_timeout_ms
				   ? r->connect_timeout_ms : CONNECT_MS);
	}
	if (t->last_byte < 0) {
		*what = "first byte";
		return r->first_byte_timeout_ms
			? t->connected + r->first_byte_timeout_ms : -1;
	}
	*what = "next byte";
	return r->idle_timeout_ms ? t->last_byte + r->idle_timeout_ms : -1;
}

bool transfer_late(struct transfer *t, int64_t now)
{
	const char *what;
	int64_t at = deadline(t, &what);

	if (t->r->total_timeout_ms &&
	    now >= t->start + t->r->total_timeout_ms) {
		err_set(&t->e, ERR_UPSTREAM_TIMEOUT, "no end of the answer in "
			"%d ms", t->r->total_timeout_ms);
		return true;
	}
	if (at < 0 || now < at)
		return false;
	if (what)
		err_set(&t->e, t->connected < 0 ? ERR_UPSTREAM_CONNECT
			: ERR_UPSTREAM_TIMEOUT, "no %s in %d ms", what,
			(int)(at - (t->connected < 0 ? t->start :
				    t->last_byte < 0 ? t->connected
				    : t->last_byte)));
	return true;
}

static int64_t silent_since(const struct transfer *t)
{
	return MAX(MAX(t->start, t->last_byte), t->last_tick);
}

int64_t transfer_due(const struct transfer *t)
{
	const char *what;
	int64_t at = deadline(t, &what);

	sooner(&at, t->batch_at);
	if (t->r->total_timeout_ms)
		sooner(&at, t->start + t->r->total_timeout_ms);
	if (t->r->tick_ms)
		sooner(&at, silent_since(t) + t->r->tick_ms);
	return at;
}

int transfer_outside(struct transfer *t, int64_t now, bool readable)
{
	const struct http_request *r = t->r;
	int rc;

	if (abort_pulled(r->abort))
		return err_set(&t->e, ERR_CANCELLED, "aborted");
	if (!readable && (!r->tick_ms || now - silent_since(t) < r->tick_ms))
		return 0;
	t->last_tick = now;
	rc = r->on_tick ? r->on_tick(r->ctx) : 0;
	if (rc < 0)
		return err_set(&t->e, ERR_CANCELLED, "stopped by the caller");
	return rc;
}

/* -- results -------------------------------------------------------------- */

static enum http_trouble trouble_of(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
		return HTTP_NO_HOST;
	case CURLE_COULDNT_CONNECT:
		return HTTP_NO_ANSWER;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
		return HTTP_NO_TLS;
	default:
		return HTTP_CONNECTED;
	}
}

int transfer_fail(struct transfer *t, CURLcode code)
{
	const char *text = t->why[0] ? t->why : curl_easy_strerror(code);
	enum err_code as;

	if (t->refused && !t->res->sent)
		return err_set(&t->e, ERR_ADDRESS_REFUSED, "%.160s has an "
			       "address that is not allowed", t->host);
	if (t->exhausted && !t->res->sent)
		return err_set(&t->e, ERR_OVERLOADED, "no file for a connection");
	t->res->trouble = trouble_of(code);
	switch (code) {
	case CURLE_URL_MALFORMAT:
		as = t->r->guard ? ERR_ADDRESS_REFUSED : ERR_CONFIG;
		break;
	case CURLE_UNSUPPORTED_PROTOCOL:
		as = t->res->sent ? ERR_UPSTREAM_PROTOCOL : ERR_CONFIG;
		break;
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_BAD_CONTENT_ENCODING:
		as = ERR_UPSTREAM_PROTOCOL;
		break;
	default:
		as = t->res->sent ? ERR_UPSTREAM_EARLY_END
			: ERR_UPSTREAM_CONNECT;
	}
	return err_set(&t->e, as, "%.160s", text);
}
