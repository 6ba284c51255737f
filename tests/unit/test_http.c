/* SPDX-License-Identifier: MIT */
/* lib/net/http against a server inside the test. */
#include <fcntl.h>
#include <stdatomic.h>
#include <time.h>

#include "base/clock.h"
#include "net/http.h"
#include "net/url.h"
#include "peer.h"

static struct http_pool *pool;
static atomic_int batches;	/* of all requests */

struct seen {
	struct buf body;
	int n_heads, n_ticks, n_batches, status;
	int on_body_says, on_tick_says;
	struct http_abort *pull;	/* from on_body */
};

static int on_head(void *ctx, const struct http_result *res)
{
	struct seen *s = ctx;

	s->n_heads++;
	s->status = res->status;
	return 0;
}

static int on_body(void *ctx, struct str bytes)
{
	struct seen *s = ctx;

	buf_addstr(&s->body, bytes);
	if (s->pull)
		http_abort_now(s->pull);
	return s->on_body_says;
}

static int on_tick(void *ctx)
{
	struct seen *s = ctx;

	s->n_ticks++;
	return s->on_tick_says && s->n_ticks >= s->on_tick_says ? -1 : 0;
}

static int on_batch(void *ctx)
{
	((struct seen *)ctx)->n_batches++;
	atomic_fetch_add(&batches, 1);
	return 0;
}

#define SEEN { .body = BUF_INIT(1 << 20) }

static _Thread_local char url[100];

static struct http_request request(const struct peer *p, struct seen *s)
{
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/x", p ? p->port : 1);
	return (struct http_request){
		.method = "POST", .url = url, .body = STR("{}"),
		.watch_fd = -1, .on_head = on_head, .on_body = on_body,
		.on_tick = on_tick, .on_batch = on_batch, .ctx = s,
	};
}

static enum err_code run(const struct http_request *r, struct http_result *res)
{
	struct http_result ignored;
	struct err e = ERR_INIT;
	int rc = http_do(pool, r, res ? res : &ignored, &e);

	assert_int_equal(rc < 0, e.code != ERR_NONE);
	return e.code;
}

static int serve_ok(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	return peer_reply(fd, "200 OK", "Content-Type: text/plain\r\n"
		"Retry-After: 3\r\nretry-after-ms: 250\r\nX-Should-Retry: true"
		"\r\nX-Request-Id: r1\r\n", "hello");
}

static void plain_and_warm(void **state)
{
	static const char *const headers[] = { "X-A: 1", "X-B: 2" };
	struct peer *p = peer_start(serve_ok);
	struct seen s = SEEN;
	struct http_request r = request(p, &s);
	struct http_result res;

	(void)state;
	r.headers = headers;
	r.n_headers = 2;
	assert_int_equal(run(&r, &res), ERR_NONE);
	assert_string_equal(s.body.p, "hello");
	assert_int_equal(s.n_heads, 1);
	assert_int_equal(s.status, 200);
	assert_int_equal(res.status, 200);
	assert_string_equal(res.content_type, "text/plain");
	assert_string_equal(res.retry_after, "3");
	assert_string_equal(res.retry_after_ms, "250");
	assert_string_equal(res.should_retry, "true");
	assert_string_equal(res.request_id, "r1");
	assert_true(res.first_byte_us >= 0);
	assert_false(res.reused);
	assert_non_null(strstr(peer_last(p), "POST /x HTTP/1.1"));
	assert_non_null(strstr(peer_last(p), "X-B: 2"));
	assert_null(strstr(peer_last(p), "Expect"));
	assert_non_null(strstr(peer_last(p), "\r\n\r\n{}"));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(run(&r, &res), ERR_NONE);
		assert_true(res.reused);
	}
	r.method = "GET";
	r.body = (struct str){ NULL, 0 };
	assert_int_equal(run(&r, &res), ERR_NONE);
	assert_non_null(strstr(peer_last(p), "GET /x"));
	assert_int_equal(atomic_load(&p->n_conns), 1);
	peer_stop(p);
	buf_release(&s.body);
}

/* A connection that the server has given up meanwhile is replaced silently. */
static int serve_stale(struct peer *p, int fd, int n)
{
	if (n == 2)
		return -1;	/* not a byte: it was closed already */
	return serve_ok(p, fd, n);
}

static void stale_warm_connection(void **state)
{
	struct peer *p = peer_start(serve_stale);
	struct seen s = SEEN;
	struct http_request r = request(p, &s);
	struct http_result res;

	(void)state;
	assert_int_equal(run(&r, &res), ERR_NONE);
	assert_int_equal(run(&r, &res), ERR_NONE);
	assert_string_equal(s.body.p, "hellohello");
	assert_int_equal(atomic_load(&p->n_reqs), 3);
	assert_int_equal(atomic_load(&p->n_conns), 2);
	peer_stop(p);
	buf_release(&s.body);
}

static int serve_chunks(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	peer_stream(fd);
	peer_chunk(fd, "data: 1\n\n");
	peer_chunk(fd, "data: 2\n\n");
	return peer_end(fd);
}

/* Has read the request, and answers when the client had its first batch. */
static int serve_after_batch(struct peer *p, int fd, int n)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	for (int i = 0; i < 30000 && !atomic_load(&batches); i++)
		nanosleep(&ms, NULL);
	return atomic_load(&batches) == 1 ? serve_chunks(p, fd, n) : -1;
}

/* What was said before is sent while the server thinks. */
static void batch_behind_request(void **state)
{
	struct seen s = SEEN;
	struct http_request r;
	struct peer *p;

	(void)state;
	atomic_store(&batches, 0);
	p = peer_start(serve_after_batch);
	r = request(p, &s);
	assert_int_equal(run(&r, NULL), ERR_NONE);
	assert_string_equal(s.body.p, "data: 1\n\ndata: 2\n\n");
	peer_stop(p);
	buf_release(&s.body);
}

static void chunks(void **state)
{
	struct peer *p = peer_start(serve_chunks);
	struct seen s = SEEN;
	struct http_request r = request(p, &s);
	struct http_result res;

	(void)state;
	assert_int_equal(run(&r, &res), ERR_NONE);
	assert_string_equal(s.body.p, "data: 1\n\ndata: 2\n\n");
	/* One behind the request, and the chunks. */
	assert_true(s.n_batches >= 2 && s.n_batches <= 3);
	assert_string_equal(res.content_type, "text/event-stream");
	peer_stop(p);
	buf_release(&s.body);
}

static int serve_nothing(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	return peer_stall(fd);
}

static int serve_some(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	peer_stream(fd);
	peer_chunk(fd, "data: 1\n\n");
	return peer_stall(fd);
}

static void timeouts(void **state)
{
	struct peer *silent = peer_start(serve_nothing);
	struct peer *some = peer_start(serve_some);
	struct seen s = SEEN;
	struct http_request r = request(silent, &s);
	struct http_result res;

	(void)state;
	r.first_byte_timeout_ms = 30;
	r.idle_timeout_ms = 1;
	assert_int_equal(run(&r, &res), ERR_UPSTREAM_TIMEOUT);
	assert_int_equal(res.status, 0);
	assert_true(res.sent);
	r = request(silent, &s);
	r.total_timeout_ms = 30;
	assert_int_equal(run(&r, &res), ERR_UPSTREAM_TIMEOUT);
	r = request(some, &s);
	r.idle_timeout_ms = 30;
	r.first_byte_timeout_ms = 5000;
	assert_int_equal(run(&r, &res), ERR_UPSTREAM_TIMEOUT);
	assert_int_equal(res.status, 200);
	assert_string_equal(s.body.p, "data: 1\n\n");
	peer_stop(silent);
	peer_stop(some);
	buf_release(&s.body);
}

/* A listener whose backlog is full answers no SYN. */
static void connecting(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fill[4], port, fd = peer_listen(0, &port);
	struct seen s = SEEN;
	struct http_request r = request(NULL, &s);
	struct http_result res;
	int64_t start;

	(void)state;
	assert_int_equal(run(&r, &res), ERR_UPSTREAM_CONNECT);
	assert_false(res.sent);
	a.sin_port = htons((uint16_t)port);
	for (size_t i = 0; i < ARRAY_LEN(fill); i++) {
		fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)!connect(fill[i], (struct sockaddr *)&a, sizeof(a));
	}
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/", port);
	r.connect_timeout_ms = 40;
	start = clock_mono_ms();
	assert_int_equal(run(&r, &res), ERR_UPSTREAM_CONNECT);
	assert_in_range(clock_mono_ms() - start, 39, 3000);
	for (size_t i = 0; i < ARRAY_LEN(fill); i++)
		close(fill[i]);
	close(fd);
	buf_release(&s.body);
}

static int serve_broken(struct peer *p, int fd, int n)
{
	(void)p;
	switch (n) {
	case 1:		/* closed in a chunked body */
		peer_stream(fd);
		peer_chunk(fd, "data: 1\n\n");
		return -1;
	case 2:		/* fewer bytes than promised */
		peer_send(fd, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab");
		return -1;
	case 3:		/* closed without a byte */
		return -1;
	case 4:		/* not HTTP */
		peer_send(fd, "SSH-2.0-OpenSSH\r\n\r\n");
		return -1;
	case 5:		/* not a chunk */
		peer_stream(fd);
		peer_send(fd, "zzz\r\n");
		return -1;
	case 6:
		return peer_reply(fd, "302 Found",
				  "Location: http://127.0.0.1:1/\r\n", "");
	default:
		return peer_reply(fd, "200 OK", "", "0123456789");
	}
}

static void broken_answers(void **state)
{
	static const enum err_code want[] = {
		ERR_UPSTREAM_EARLY_END, ERR_UPSTREAM_EARLY_END,
		ERR_UPSTREAM_EARLY_END, ERR_UPSTREAM_PROTOCOL,
		ERR_UPSTREAM_EARLY_END, ERR_NONE, ERR_TOO_BIG,
	};
	struct peer *p = peer_start(serve_broken);
	struct seen s = SEEN;
	struct http_request r = request(p, &s);
	struct http_result res;

	(void)state;
	r.max_body_bytes = 9;
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_int_equal(run(&r, &res), want[i]);
		if (i == 5)	/* not followed */
			assert_int_equal(res.status, 302);
	}
	assert_int_equal(atomic_load(&p->n_reqs), 7);
	r.url = "file:///etc/passwd";
	assert_int_equal(run(&r, &res), ERR_CONFIG);
	r.url = "nonsense://x";
	assert_int_equal(run(&r, &res), ERR_CONFIG);
	peer_stop(p);
	buf_release(&s.body);
}

static void *pull_when_stalled(void *ctx)
{
	struct http_abort *a = ctx;

	http_abort_now(a);
	return NULL;
}

static void aborts(void **state)
{
	struct peer *silent = peer_start(serve_nothing);
	struct peer *some = peer_start(serve_some);
	struct err e = ERR_INIT;
	struct http_abort *a;
	struct seen s = SEEN;
	struct http_request r;
	pthread_t t;
	int64_t start = clock_mono_ms();

	(void)state;
	/* From another thread, at any moment. */
	for (int i = 0; i < 20; i++) {
		a = http_abort_new(&e);
		assert_non_null(a);
		r = request(silent, &s);
		r.abort = a;
		pthread_create(&t, NULL, pull_when_stalled, a);
		assert_int_equal(run(&r, NULL), ERR_CANCELLED);
		assert_true(http_aborted(a));
		pthread_join(t, NULL);
		http_abort_free(a);
	}
	/* From within, and then it stays pulled. */
	a = http_abort_new(&e);
	r = request(some, &s);
	r.abort = a;
	s.pull = a;
	assert_int_equal(run(&r, NULL), ERR_CANCELLED);
	assert_string_equal(s.body.p, "data: 1\n\n");
	assert_int_equal(run(&r, NULL), ERR_CANCELLED);
	assert_int_equal(http_wait(&r, 10000, &e), -1);
	assert_int_equal(e.code, ERR_CANCELLED);
	assert_in_range(clock_mono_ms() - start, 0, 5000);
	http_abort_free(a);
	http_abort_free(NULL);
	assert_false(http_aborted(NULL));
	peer_stop(silent);
	peer_stop(some);
	buf_release(&s.body);
}

static void ticks_and_watch(void **state)
{
	struct peer *silent = peer_start(serve_nothing);
	struct seen s = SEEN;
	struct http_request r = request(silent, &s);
	struct err e = ERR_INIT;
	int fds[2];

	(void)state;
	r.tick_ms = 5;
	s.on_tick_says = 3;
	assert_int_equal(run(&r, NULL), ERR_CANCELLED);
	assert_int_equal(s.n_ticks, 3);
	/* A readable watch_fd: told once, though it stays readable. */
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	s.n_ticks = s.on_tick_says = 0;
	r.tick_ms = 0;
	r.watch_fd = fds[0];
	r.total_timeout_ms = 40;
	assert_int_equal(run(&r, NULL), ERR_UPSTREAM_TIMEOUT);
	assert_int_equal(s.n_ticks, 1);
	s.on_tick_says = 1;
	s.n_ticks = 0;
	assert_int_equal(run(&r, NULL), ERR_CANCELLED);
	/* The same while waiting. */
	s.n_ticks = 0;
	assert_int_equal(http_wait(&r, 10000, &e), -1);
	assert_int_equal(e.code, ERR_CANCELLED);
	err_clear(&e);
	s.on_tick_says = s.n_ticks = 0;
	assert_int_equal(http_wait(&r, 20, &e), 0);
	assert_int_equal(s.n_ticks, 1);
	close(fds[0]);
	close(fds[1]);
	peer_stop(silent);
	buf_release(&s.body);
}

static void caller_stops_or_has_enough(void **state)
{
	struct peer *p = peer_start(serve_some);
	struct seen s = SEEN;
	struct http_request r = request(p, &s);
	struct http_result res;

	(void)state;
	s.on_body_says = -1;
	assert_int_equal(run(&r, NULL), ERR_CANCELLED);
	s.on_body_says = 10;	/* the end never comes: no error */
	assert_int_equal(run(&r, &res), ERR_NONE);
	assert_int_equal(res.status, 200);
	peer_stop(p);
	buf_release(&s.body);
}

/* Threads borrow from one pool; run under TSan. */
static void *many(void *ctx)
{
	struct peer *p = ctx;

	for (int i = 0; i < 25; i++) {
		struct seen s = SEEN;
		struct http_request r = request(p, &s);

		if (run(&r, NULL) != ERR_NONE || !str_is(buf_str(&s.body),
							 "hello"))
			return (void *)1;
		buf_release(&s.body);
	}
	return NULL;
}

static void pool_is_shared(void **state)
{
	struct peer *p = peer_start(serve_ok);
	pthread_t t[6];
	void *bad = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		pthread_create(&t[i], NULL, many, p);
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		pthread_join(t[i], &bad);
		assert_null(bad);
	}
	/* 150 requests on at most a connection per thread and what the
	   pool's cap of 4 made us close. */
	assert_in_range(atomic_load(&p->n_conns), 1, 140);
	peer_stop(p);
}

static int setup(void **state)
{
	*state = pool = peer_pool_open(4);
	return 0;
}

/* What does not fit is no address: half of one, or none, is never used. */
static void addresses_are_whole(void **state)
{
	struct buf out = BUF_INIT(32);

	(void)state;
	assert_true(url_join("http://a.example/b/c", STR("../d"), &out));
	assert_string_equal(out.p, "http://a.example/d");
	buf_reset(&out);
	assert_false(url_join("http://a.example/", STR("ftp://a.example/"),
			      &out));
	assert_false(url_join("http://a.example/",
			      STR("a-path-that-is-too-long-for-it"), &out));
	assert_int_equal(out.n, 0);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_and_warm),
		cmocka_unit_test(stale_warm_connection),
		cmocka_unit_test(chunks),
		cmocka_unit_test(batch_behind_request),
		cmocka_unit_test(timeouts),
		cmocka_unit_test(connecting),
		cmocka_unit_test(broken_answers),
		cmocka_unit_test(aborts),
		cmocka_unit_test(ticks_and_watch),
		cmocka_unit_test(caller_stops_or_has_enough),
		cmocka_unit_test(pool_is_shared),
		cmocka_unit_test(addresses_are_whole),
	};

	return cmocka_run_group_tests(tests, setup, peer_pool_close);
}
