/* SPDX-License-Identifier: MIT */
/*
 * Outgoing HTTP; only lib/net uses libcurl. http_do blocks its caller while one
 * thread of the pool drives the transfers of all callers (loop.c): warm
 * connections, DNS results and TLS sessions are shared; certificates are parsed
 * once per process, at the first use of https. Redirects are never followed; only
 * http and https are supported. Proxies are taken from the environment at start
 * (http_proxy, https_proxy, all_proxy, no_proxy; also in upper case, except
 * HTTP_PROXY, which CGI lets a client set).
 */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct http_pool;
struct net_guard;

/* Called by main, before threads and at the end. */
int http_global_init(struct err *e) MUST_CHECK;
void http_global_cleanup(void);

/*
 * Loads libcurl, as the first request would; takes some milliseconds. Once per
 * process. ERR_INTERNAL if it cannot be loaded. Any thread.
 */
int http_load(struct err *e) MUST_CHECK;

/*
 * A pool has a thread for all requests, which starts with the first one; where more
 * than 256 run at the same time, one per processor. Each keeps at most max_idle unused
 * connections open. Any thread; free it after all its requests have ended.
 */
struct http_pool *http_pool_new(int max_idle);
void http_pool_free(struct http_pool *p);

/* Returned by on_tick and on_batch: on_stall must run before anything else. */
#define HTTP_STALL 1
/* Returned by on_batch: it is called again in a millisecond, or with the next data. */
#define HTTP_LATER 2

/*
 * A switch that ends transfers from another thread within milliseconds. Owned by
 * the caller; any number of requests may use it one after another. Once it is set,
 * all of them end at once. Costs one file descriptor. Free it before the pool.
 */
struct http_abort;
struct http_abort *http_abort_new(struct err *e) MUST_CHECK;
void http_abort_now(struct http_abort *a);	/* any thread, any time */
bool http_aborted(const struct http_abort *a);
int http_abort_fd(const struct http_abort *a);	/* readable once it is set */
void http_abort_free(struct http_abort *a);

/*
 * Something else to end when a is set: fn(ctx) is called once, by the thread that
 * sets it, or immediately if it is set already. fn must be short and not use a.
 * After http_abort_off, and after the call, fn is not called any more.
 */
struct http_abort_hook {
	void (*fn)(void *ctx);
	void *ctx;
	struct http_abort_hook *next;	/* list of the switch */
};
void http_abort_on(struct http_abort *a, struct http_abort_hook *h);
void http_abort_off(struct http_abort *a, struct http_abort_hook *h);

struct http_result;

struct http_request {
	const char *method;		/* "GET", "POST", … */
	const char *url;
	const char *const *headers;	/* "Name: value" */
	size_t n_headers;
	struct str body;		/* n == 0 and p == NULL: none */
	bool http2;	/* as a browser: HTTP/2 where the server offers it with TLS */
	bool once;	/* must not be sent twice: not on a warm connection, which the server may
			 * have closed unnoticed */
	int connect_timeout_ms;		/* 0 = 5000 */
	int first_byte_timeout_ms;	/* 0 = none */
	int idle_timeout_ms;		/* between bytes; 0 = none */
	int total_timeout_ms;		/* 0 = none */
	size_t max_body_bytes;		/* 0 = LIM_UPSTREAM_BYTES */
	struct http_abort *abort;	/* may be NULL */
	const struct net_guard *guard;	/* net/guard.h; NULL = any address */
	int watch_fd;			/* also polled for input; -1 = none. Reported once, then
					 * no longer watched. */
	int tick_ms;			/* interval of on_tick without data; 0 = never */

	/*
	 * All except on_stall and meanwhile run on the pool's thread while the
	 * caller sleeps in http_do: they may use the caller's data without locks,
	 * but must never block (on a client, database or file), because all other
	 * transfers would wait too.
	 *
	 * on_header gets each header of an answer, with blanks trimmed and the name
	 * in the server's case, also those of interim answers (1xx).
	 *
	 * Each may be NULL and returns 0, or -1 to stop the transfer
	 * (ERR_CANCELLED). on_body may return n > 0 if everything of interest has
	 * arrived: the transfer then waits at most n ms for the end of the body,
	 * which keeps the connection warm; a missing end is not an error.
	 *
	 * on_tick and on_batch may return HTTP_STALL if they need to do something
	 * that may block. The transfer then pauses, on_stall does it in the
	 * caller's thread, and the transfer continues. That time counts for
	 * total_timeout_ms only, and an abort is noticed after it.
	 *
	 * meanwhile runs in the caller's thread each time the request has been
	 * passed to the pool, concurrently with the other callbacks: it must not
	 * use their data. http_do does not return before it has. sends_first: not
	 * before the request was sent, or at least its connection begun. If it gives
	 * others work, such as the database, they could keep the pool's thread from a
	 * processor.
	 */
	void (*on_header)(void *ctx, struct str name, struct str value);
	int (*on_head)(void *ctx, const struct http_result *res);
	int (*on_body)(void *ctx, struct str bytes);
	int (*on_tick)(void *ctx);	/* no data for tick_ms, or watch_fd is readable */
	int (*on_batch)(void *ctx);	/* after the on_body calls of a round, and once after the
					 * request was sent */
	void (*on_stall)(void *ctx);
	void (*meanwhile)(void *ctx);
	bool sends_first;
	void *ctx;
};

enum http_trouble {		/* why there is no connection */
	HTTP_CONNECTED,		/* there was one, or the reason is unknown */
	HTTP_NO_HOST,		/* the name has no address */
	HTTP_NO_ANSWER,		/* the host refuses connections or does not answer */
	HTTP_NO_TLS,		/* no TLS, or an invalid certificate */
};

struct http_result {
	int status;			/* 0 = no answer arrived */
	enum http_trouble trouble;
	char content_type[128];
	char retry_after[64], retry_after_ms[32], should_retry[8];
	char request_id[128];
	char server[128], date[48], encoding[32];	/* from the headers */
	char location[256];		/* of a redirect; cut */
	int version;			/* 10, 11, 20; 0 = no answer */
	int64_t first_byte_us;		/* after the start; -1 = none */
	bool reused;			/* the connection was warm */
	bool sent;			/* connected: the server may have seen it */
	bool body_sent;			/* http_request.body is no longer needed; set before
					 * on_head is called */
};

/*
 * Makes one request, blocking. Returns 0 if an answer was received completely,
 * whatever its status; -1 with ERR_UPSTREAM_CONNECT, ERR_UPSTREAM_TIMEOUT,
 * ERR_UPSTREAM_EARLY_END, ERR_TOO_BIG, ERR_CANCELLED, ERR_UPSTREAM_PROTOCOL, or
 * with a guard ERR_ADDRESS_REFUSED (before a byte was sent); *res is filled as far
 * as the answer was received. If a warm connection turns out to be closed, a new
 * one is used without notice.
 */
int http_do(struct http_pool *p, const struct http_request *r,
	    struct http_result *res, struct err *e) MUST_CHECK;

/*
 * Waits ms milliseconds like http_do would: 0 after that time, -1 with
 * ERR_CANCELLED if abort was set or on_tick (called every tick_ms, and once when
 * watch_fd is readable) failed. Uses only abort, watch_fd, tick_ms, on_tick,
 * on_stall and ctx of r; the callbacks run in this thread.
 */
int http_wait(const struct http_request *r, int ms, struct err *e) MUST_CHECK;

#endif
