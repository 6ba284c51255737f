/*
 * Outgoing HTTP. The only user of libcurl. Warm connections are kept in a
 * LIFO pool of handles that threads borrow one at a time; certificates are
 * parsed once per process, DNS and TLS sessions are shared
 * (platform-web.md section 6). Redirects are never followed; only http and
 * https are spoken.
 */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct http_pool;

/* main, before threads / at the end. */
int http_global_init(struct err *e) MUST_CHECK;
void http_global_cleanup(void);

/* A pool keeps at most max_idle warm handles. Any thread. */
struct http_pool *http_pool_new(int max_idle);
void http_pool_free(struct http_pool *p);

/* Ends a transfer from another thread. Owned by the caller; reusable. */
struct http_abort;
struct http_abort *http_abort_new(struct err *e) MUST_CHECK;
void http_abort_now(struct http_abort *a);	/* any thread, any time */
bool http_aborted(const struct http_abort *a);
void http_abort_free(struct http_abort *a);

struct http_request {
	const char *method;		/* "GET", "POST", … */
	const char *url;
	const char *const *headers;	/* "Name: value" */
	size_t n_headers;
	struct str body;		/* n == 0 and p == NULL: none */
	int connect_timeout_ms;		/* 0 = 5000 */
	int first_byte_timeout_ms;	/* 0 = none */
	int idle_timeout_ms;		/* between bytes; 0 = none */
	int total_timeout_ms;		/* 0 = none */
	size_t max_body_bytes;		/* 0 = LIM_UPSTREAM_BYTES */
	struct http_abort *abort;	/* may be NULL */
	int watch_fd;			/* polled for input too; -1 = none */
	int tick_ms;			/* silence after which on_tick runs; 0 = never */

	/* Each returns 0, or -1 to stop the transfer (then ERR_CANCELLED). */
	int (*on_head)(void *ctx, int status);	/* final headers have arrived */
	int (*on_body)(void *ctx, struct str bytes);
	int (*on_tick)(void *ctx);	/* silence, or watch_fd is readable */
	void (*on_batch)(void *ctx);	/* after the callbacks of one read */
	void *ctx;
};

struct http_result {
	int status;			/* 0 = no answer arrived */
	char content_type[128];
	char retry_after[64], retry_after_ms[32], should_retry[8];
	char request_id[128];
	int64_t first_byte_us;		/* from the start; -1 = none */
	bool reused;			/* the connection was warm */
};

/*
 * Does one request, blocking. Returns 0 when an answer came to its end,
 * whatever its status; -1 with ERR_UPSTREAM_CONNECT, ERR_UPSTREAM_TIMEOUT,
 * ERR_UPSTREAM_EARLY_END, ERR_TOO_BIG, ERR_CANCELLED or ERR_UPSTREAM_PROTOCOL;
 * *res is filled as far as it went. A warm connection that turns out to be
 * closed is replaced by a fresh one silently.
 */
int http_do(struct http_pool *p, const struct http_request *r,
	    struct http_result *res, struct err *e) MUST_CHECK;

#endif
