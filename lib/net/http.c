/*
 * libcurl driven by a poll of our own: each transfer is a multi handle with one
 * easy handle, run by the calling thread with curl_multi_socket_action. The
 * poll covers curl's socket, the abort eventfd and the caller's watch_fd, so
 * one event of a stream costs one poll and one recv; curl_multi_poll would add
 * a wakeup pipe, and curl_easy_perform cannot be ended from outside.
 *
 * Timeouts are ours, by the monotonic clock: libcurl has no idle timeout, and
 * its others would wake us for bookkeeping.
 */
#include "net/http.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/clock.h"
#include "base/limits.h"
#include "net/http_abort.h"
#include "net/http_handle.h"
#include "net/http_tls.h"

#include "base/banned.h"

#define SOCKETS_MAX 8		/* of one transfer: two addresses, resolver */
#define BUFFER_BYTES 65536	/* one recv of an unpaced stream */
#define CONNECT_MS 5000

static CURLSH *share;
static pthread_mutex_t share_locks[CURL_LOCK_DATA_LAST];

static struct {
	const char *http, *https, *none;	/* "" = no proxy */
} proxies;

/* -- process -------------------------------------------------------------- */

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

/* The first of the blank-separated names that is set, or "". */
static const char *env(const char *a, const char *b, const char *c,
		       const char *d)
{
	const char *names[] = { a, b, c, d };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *v = names[i] ? getenv(names[i]) : NULL;

		if (v && v[0])
			return v;
	}
	return "";
}

int http_global_init(struct err *e)
{
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return err_set(e, ERR_INTERNAL, "libcurl does not start");
	for (size_t i = 0; i < ARRAY_LEN(share_locks); i++)
		pthread_mutex_init(&share_locks[i], NULL);
	share = curl_share_init();
	if (!share)
		return err_set(e, ERR_INTERNAL, "libcurl has no share");
	curl_share_setopt(share, CURLSHOPT_LOCKFUNC, lock_share);
	curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, unlock_share);
	curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
	curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
	proxies.http = xstrdup(env("http_proxy", "all_proxy", "ALL_PROXY",
				   NULL));
	proxies.https = xstrdup(env("https_proxy", "HTTPS_PROXY", "all_proxy",
				    "ALL_PROXY"));
	proxies.none = xstrdup(env("no_proxy", "NO_PROXY", NULL, NULL));
	return 0;
}

void http_global_cleanup(void)
{
	if (!share)
		return;
	curl_share_cleanup(share);
	share = NULL;
	for (size_t i = 0; i < ARRAY_LEN(share_locks); i++)
		pthread_mutex_destroy(&share_locks[i]);
	free((char *)proxies.http);
	free((char *)proxies.https);
	free((char *)proxies.none);
	http_tls_cleanup();
	curl_global_cleanup();
}

/* -- one transfer --------------------------------------------------------- */

struct transfer {
	const struct http_request *r;
	struct http_result *res;
	struct err *e;
	struct http_handle *h;
	struct curl_slist *headers;
	struct pollfd fds[SOCKETS_MAX + 2];	/* curl's, abort, watch */
	int n_sockets;
	bool overflow;		/* more sockets than fit */
	int64_t now, start, connected, last_byte, last_tick;	/* ms */
	int64_t start_us;
	int64_t curl_at;	/* when curl wants to be called; -1 = not */
	int64_t linger_until;	/* -1 = not lingering */
	size_t n_body;
	bool batch;		/* on_body was called since on_batch */
	bool watch_told;
	bool got_head;
	char why[CURL_ERROR_SIZE];
};

static int on_socket(CURL *c, curl_socket_t s, int what, void *ctx, void *sock)
{
	struct transfer *t = ctx;
	int i = 0;

	(void)c, (void)sock;
	while (i < t->n_sockets && t->fds[i].fd != s)
		i++;
	if (what == CURL_POLL_REMOVE) {
		if (i < t->n_sockets)
			t->fds[i] = t->fds[--t->n_sockets];
		return 0;
	}
	if (i == SOCKETS_MAX) {
		t->overflow = true;
		return 0;
	}
	if (i == t->n_sockets)
		t->n_sockets++;
	t->fds[i] = (struct pollfd){ .fd = s };
	if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
		t->fds[i].events |= POLLIN;
	if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
		t->fds[i].events |= POLLOUT;
	return 0;
}

static int on_timer(CURLM *m, long ms, void *ctx)
{
	struct transfer *t = ctx;

	(void)m;
	t->curl_at = ms < 0 ? -1 : clock_mono_ms() + ms;
	return 0;
}

/* The connection stands, new or warm, and the request goes out now. */
static int on_connected(void *ctx, char *ip, char *local_ip, int port,
			int local_port)
{
	struct transfer *t = ctx;

	(void)ip, (void)local_ip, (void)port, (void)local_port;
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
	t->last_byte = t->now;
	if (t->res->first_byte_us < 0)
		t->res->first_byte_us = clock_mono_us() - t->start_us;
}

static size_t on_header(char *p, size_t one, size_t n, void *ctx)
{
	struct transfer *t = ctx;
	struct str value = { p, n }, name;
	long status = 0;

	(void)one;
	byte_arrived(t);
	value = str_trim(value);
	if (str_starts(value, STR("HTTP/")))
		return n;
	if (value.n) {
		name = str_cut(&value, ':');
		keep_header(name, str_trim(value), t->res);
		return n;
	}
	curl_easy_getinfo(t->h->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status < 200)
		return n;
	t->res->status = (int)status;
	if (t->got_head)	/* trailers */
		return n;
	t->got_head = true;
	if (t->r->on_head && t->r->on_head(t->r->ctx, t->res) < 0) {
		err_set(t->e, ERR_CANCELLED, "stopped by the caller");
		return 0;
	}
	return n;
}

static size_t on_body(char *p, size_t one, size_t n, void *ctx)
{
	struct transfer *t = ctx;
	size_t cap = t->r->max_body_bytes ? t->r->max_body_bytes
		: LIM_UPSTREAM_BYTES;
	int rc;

	(void)one;
	byte_arrived(t);
	t->n_body += n;
	if (t->n_body > cap) {
		err_set(t->e, ERR_TOO_BIG, "answer over %zu bytes", cap);
		return 0;
	}
	t->batch = true;
	rc = t->r->on_body ? t->r->on_body(t->r->ctx, (struct str){ p, n }) : 0;
	if (rc < 0) {
		err_set(t->e, ERR_CANCELLED, "stopped by the caller");
		return 0;
	}
	if (rc > 0)
		t->linger_until = t->now + rc;
	return n;
}

static void set_headers(struct transfer *t)
{
	CURL *c = t->h->easy;

	for (size_t i = 0; i < t->r->n_headers; i++)
		t->headers = curl_slist_append(t->headers, t->r->headers[i]);
	t->headers = curl_slist_append(t->headers, "Expect:");
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, t->headers);
	curl_easy_setopt(c, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
	curl_easy_setopt(c, CURLOPT_USERAGENT, "lamplighter");
}

static void set_body(struct transfer *t)
{
	const struct http_request *r = t->r;
	CURL *c = t->h->easy;

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
	CURL *c = t->h->easy;

	if (strncasecmp(t->r->url, "https:", 6) != 0)
		return 0;
	curl_easy_setopt(c, CURLOPT_CAINFO, NULL);
	curl_easy_setopt(c, CURLOPT_CAPATH, NULL);
	curl_easy_setopt(c, CURLOPT_SSL_CTX_FUNCTION, on_tls);
	return http_tls_load(curl_version_info(CURLVERSION_NOW)->cainfo, t->e);
}

static int set_up(struct transfer *t)
{
	bool https = strncasecmp(t->r->url, "https:", 6) == 0;
	CURLM *m = t->h->multi;
	CURL *c = t->h->easy;

	curl_easy_reset(c);
	curl_easy_setopt(c, CURLOPT_URL, t->r->url);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_SHARE, share);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(c, CURLOPT_PROXY, https ? proxies.https : proxies.http);
	curl_easy_setopt(c, CURLOPT_NOPROXY, proxies.none);
	curl_easy_setopt(c, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, 86400000L);
	curl_easy_setopt(c, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(c, CURLOPT_BUFFERSIZE, (long)BUFFER_BYTES);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, t->why);
	curl_easy_setopt(c, CURLOPT_PREREQFUNCTION, on_connected);
	curl_easy_setopt(c, CURLOPT_PREREQDATA, t);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	set_headers(t);
	set_body(t);
	curl_multi_setopt(m, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(m, CURLMOPT_SOCKETDATA, t);
	curl_multi_setopt(m, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(m, CURLMOPT_TIMERDATA, t);
	return set_tls(t);
}

/* -- waiting -------------------------------------------------------------- */

static void sooner(int64_t *at, int64_t when)
{
	if (when >= 0 && (*at < 0 || when < *at))
		*at = when;
}

/* When what is now being waited for is late; *what names it. -1 = never. */
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

/* True when the transfer is over by the clock; t->e is set if that is bad. */
static bool too_late(struct transfer *t)
{
	const char *what;
	int64_t at = deadline(t, &what);

	if (t->r->total_timeout_ms &&
	    t->now >= t->start + t->r->total_timeout_ms) {
		err_set(t->e, ERR_UPSTREAM_TIMEOUT, "no end of the answer in "
			"%d ms", t->r->total_timeout_ms);
		return true;
	}
	if (at < 0 || t->now < at)
		return false;
	if (what)
		err_set(t->e, t->connected < 0 ? ERR_UPSTREAM_CONNECT
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

static int wait_ms(const struct transfer *t)
{
	const char *what;
	int64_t at = deadline(t, &what);

	sooner(&at, t->curl_at);
	if (t->r->total_timeout_ms)
		sooner(&at, t->start + t->r->total_timeout_ms);
	if (t->r->tick_ms)
		sooner(&at, silent_since(t) + t->r->tick_ms);
	if (at < 0)
		return -1;
	return (int)MIN(MAX(at - t->now, 0), 3600000);
}

/* Abort, watch_fd and ticks; -1 = stop. p: their two entries after poll. */
static int outside(struct transfer *t, const struct pollfd *p)
{
	const struct http_request *r = t->r;
	bool tick = r->tick_ms && t->now - silent_since(t) >= r->tick_ms;

	if (http_aborted(r->abort))
		return err_set(t->e, ERR_CANCELLED, "aborted");
	if (!t->watch_told && p[1].revents) {
		t->watch_told = true;
		tick = true;
	}
	if (!tick)
		return 0;
	t->last_tick = t->now;
	if (r->on_tick && r->on_tick(r->ctx) < 0)
		return err_set(t->e, ERR_CANCELLED, "stopped by the caller");
	return 0;
}

/* One poll, and what it says handed to curl. -1 = stop. */
static int turn(struct transfer *t, int *running)
{
	struct pollfd now[SOCKETS_MAX + 2];
	int n = t->n_sockets, k = n;

	memcpy(now, t->fds, (size_t)n * sizeof(*now));
	now[k++] = (struct pollfd){ .events = POLLIN,
		.fd = t->r->abort ? t->r->abort->fd : -1 };
	now[k++] = (struct pollfd){ .events = POLLIN,
		.fd = t->watch_told ? -1 : t->r->watch_fd };
	if (poll(now, (nfds_t)k, wait_ms(t)) < 0)
		for (int i = 0; i < k; i++)
			now[i].revents = 0;	/* EINTR */
	t->now = clock_mono_ms();
	for (int i = 0; i < n; i++) {
		int mask = 0;

		if (now[i].revents & POLLIN)
			mask |= CURL_CSELECT_IN;
		if (now[i].revents & POLLOUT)
			mask |= CURL_CSELECT_OUT;
		if (now[i].revents & (POLLERR | POLLHUP | POLLNVAL))
			mask |= CURL_CSELECT_ERR | CURL_CSELECT_IN;
		if (!mask)
			continue;
		curl_multi_socket_action(t->h->multi, now[i].fd, mask,
					 running);
	}
	if (t->curl_at >= 0 && t->now >= t->curl_at) {
		t->curl_at = -1;
		curl_multi_socket_action(t->h->multi, CURL_SOCKET_TIMEOUT, 0,
					 running);
	}
	if (t->batch && t->r->on_batch)
		t->r->on_batch(t->r->ctx);
	t->batch = false;
	return outside(t, &now[n]);
}

/* -- results -------------------------------------------------------------- */

static int fail(struct transfer *t, CURLcode code)
{
	const char *text = t->why[0] ? t->why : curl_easy_strerror(code);
	enum err_code as;

	switch (code) {
	case CURLE_URL_MALFORMAT:
		as = ERR_CONFIG;
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
	return err_set(t->e, as, "%.160s", text);
}

static int finished(struct transfer *t)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(t->h->multi, &left)) != NULL)
		if (m->msg == CURLMSG_DONE && m->data.result != CURLE_OK)
			return t->linger_until >= 0 ? 0
				: fail(t, m->data.result);
	return 0;
}

static int run(struct transfer *t)
{
	int running = 1;

	if (http_aborted(t->r->abort))
		return err_set(t->e, ERR_CANCELLED, "aborted");
	curl_multi_add_handle(t->h->multi, t->h->easy);
	curl_multi_socket_action(t->h->multi, CURL_SOCKET_TIMEOUT, 0,
				 &running);
	while (running) {
		int rc = turn(t, &running);

		if (rc < 0 || t->e->code != ERR_NONE)
			return -1;
		if (t->overflow)
			return err_set(t->e, ERR_INTERNAL,
				       "too many sockets in a transfer");
		if (running && too_late(t))
			return t->e->code == ERR_NONE ? 0 : -1;
	}
	return t->e->code == ERR_NONE ? finished(t) : -1;
}

/* One try. fresh: not on a warm connection. */
static int once(struct http_pool *p, struct transfer *t, bool fresh)
{
	long n_connects = 1;
	CURLM *m;
	int rc;

	t->h = http_handle_get(p, t->r->url);
	m = t->h->multi;
	rc = set_up(t);
	if (fresh)
		curl_easy_setopt(t->h->easy, CURLOPT_FRESH_CONNECT, 1L);
	if (rc == 0)
		rc = run(t);
	curl_easy_getinfo(t->h->easy, CURLINFO_NUM_CONNECTS, &n_connects);
	t->res->reused = t->res->sent && n_connects == 0;
	/* Closes the connection unless the answer came to its end. */
	curl_multi_remove_handle(m, t->h->easy);
	curl_slist_free_all(t->headers);
	curl_easy_reset(t->h->easy);
	curl_multi_setopt(m, CURLMOPT_SOCKETFUNCTION, NULL);
	curl_multi_setopt(m, CURLMOPT_TIMERFUNCTION, NULL);
	http_handle_put(p, t->h);
	return rc;
}

/*
 * Whether the warm connection had been closed by the server before our request
 * came: libcurl tries again by itself in most such cases, but not in all.
 */
static bool was_stale(const struct transfer *t)
{
	return t->e->code == ERR_UPSTREAM_EARLY_END && t->res->reused &&
		t->res->first_byte_us < 0;
}

int http_do(struct http_pool *p, const struct http_request *r,
	    struct http_result *res, struct err *e)
{
	int64_t start_us = clock_mono_us();
	struct err mine = ERR_INIT;
	int rc = -1;

	for (int n = 0; n < 2; n++) {
		struct transfer t = {
			.r = r, .res = res, .e = &mine, .curl_at = -1,
			.linger_until = -1, .connected = -1, .last_byte = -1,
			.start_us = start_us, .start = start_us / 1000,
			.last_tick = start_us / 1000,
			.now = clock_mono_ms(),
		};

		err_clear(&mine);
		*res = (struct http_result){ .first_byte_us = -1 };
		rc = once(p, &t, n > 0);
		if (rc == 0 || !was_stale(&t))
			break;
	}
	if (rc < 0 && e->code == ERR_NONE)
		*e = mine;
	return rc;
}

int http_wait(const struct http_request *r, int ms, struct err *e)
{
	struct err mine = ERR_INIT;
	struct transfer t = { .r = r, .e = &mine, .last_byte = -1 };
	int64_t until;

	t.start = t.now = t.last_tick = clock_mono_ms();
	until = t.start + ms;
	while (t.now < until) {
		int64_t at = until;
		struct pollfd p[2] = {
			{ .fd = r->abort ? r->abort->fd : -1,
			  .events = POLLIN },
			{ .fd = t.watch_told ? -1 : r->watch_fd,
			  .events = POLLIN },
		};

		if (r->tick_ms)
			sooner(&at, silent_since(&t) + r->tick_ms);
		if (poll(p, 2, (int)MAX(at - t.now, 0)) < 0)
			p[0].revents = p[1].revents = 0;
		t.now = clock_mono_ms();
		if (outside(&t, p) < 0) {
			if (e->code == ERR_NONE)
				*e = mine;
			return -1;
		}
	}
	return 0;
}
