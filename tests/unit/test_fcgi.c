/* SPDX-License-Identifier: MIT */
/* fcgi-app/fcgi: what it says fits does not block, on any kind of socket. */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "fcgi.h"
#include "unit.h"

/* BEGIN_REQUEST (responder, kept), empty PARAMS, empty STDIN. */
static const char request[] =
	"\1\1\0\1\0\10\0\0" "\0\1\1\0\0\0\0\0"
	"\1\4\0\1\0\0\0\0"
	"\1\5\0\1\0\0\0\0";

static void unix_pair(int fd[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
}

static void tcp_pair(int fd[2])
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int l = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t n = sizeof(a);

	assert_int_equal(bind(l, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(l, 1), 0);
	assert_int_equal(getsockname(l, (struct sockaddr *)&a, &n), 0);
	fd[1] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(fd[1], (struct sockaddr *)&a, sizeof(a)), 0);
	fd[0] = accept(l, NULL, NULL);
	assert_true(fd[0] >= 0);
	close(l);
}

static void swallow(int fd)
{
	static char skip[65536];

	while (recv(fd, skip, sizeof(skip), MSG_DONTWAIT) > 0)
		;
}

/* Writes pieces of n bytes until no more fit; returns how many bytes did. */
static size_t fill(struct conn *c, size_t n)
{
	static char piece[65536];
	size_t sum = 0;

	while (c->fits(c, n)) {
		assert_int_equal(c->write(c, piece, n), 0);
		assert_int_equal(c->flush(c), 0);
		sum += n;
		if (sum > 100000000)
			break;
	}
	return sum;
}

static void full(void (*pair)(int fd[2]), size_t n)
{
	int64_t start = clock_mono_ms();
	struct fcgi *f = fcgi_new();
	struct conn *c;
	size_t first;
	int fd[2];

	pair(fd);
	assert_int_equal(write(fd[1], request, sizeof(request) - 1),
			 sizeof(request) - 1);
	c = fcgi_begin(f, fd[0]);
	assert_non_null(c);
	c->drain(c);
	first = fill(c, n);
	assert_true(first >= n);
	assert_true(first < 100000000);
	/* Nobody reads: it stays so. Then somebody does. */
	assert_false(c->fits(c, n));
	for (int i = 0; i < 100; i++) {
		struct pollfd p = { .fd = fd[0], .events = POLLOUT };

		swallow(fd[1]);
		if (poll(&p, 1, 50) == 1)
			break;
	}
	assert_true(fill(c, n) >= n);
	/* No write has met the send timeout. */
	assert_in_range(clock_mono_ms() - start, 0, 20000);
	close(fd[1]);
	fcgi_end(f);
	fcgi_free(f);
}

static void fits_never_blocks(void **state)
{
	static const size_t sizes[] = { 1, 100, 5000, 9000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		full(unix_pair, sizes[i]);
		full(tcp_pair, sizes[i]);
	}
}

/* More than any buffer has: the thread that may wait has to write it. */
static void too_much_never_fits(void **state)
{
	struct fcgi *f = fcgi_new();
	struct conn *c;
	int fd[2];

	(void)state;
	unix_pair(fd);
	assert_int_equal(write(fd[1], request, sizeof(request) - 1),
			 sizeof(request) - 1);
	c = fcgi_begin(f, fd[0]);
	assert_non_null(c);
	assert_false(c->fits(c, 100000000));
	assert_true(c->fits(c, 100));
	close(fd[1]);
	fcgi_end(f);
	fcgi_free(f);
}

/* The same with a body of which only a part comes. */
static const char cut_request[] =
	"\1\1\0\1\0\10\0\0" "\0\1\1\0\0\0\0\0"
	"\1\4\0\1\0\0\0\0"
	"\1\5\0\1\0\20\0\0" "abc";

static void *end_it(void *arg)
{
	fcgi_end(arg);
	return NULL;
}

/*
 * The body stalled and was answered: the connection stays open behind the
 * answer, so that what still comes of the body does not destroy it.
 */
static void lingers_after_a_receive_timeout(void **state)
{
	struct fcgi *f = fcgi_new();
	char got[65536];
	pthread_t thread;
	struct conn *c;
	ssize_t n;
	int fd[2];

	(void)state;
	unix_pair(fd);
	assert_int_equal(write(fd[1], cut_request, sizeof(cut_request) - 1),
			 sizeof(cut_request) - 1);
	c = fcgi_begin(f, fd[0]);
	assert_non_null(c);
	c->pace = (struct pace){ .whole_ms = 50 };
	do
		n = c->read(c, got, sizeof(got));
	while (n > 0);
	assert_int_equal(n, CONN_SLOW);
	assert_int_equal(c->write(c, "Status: 408\r\n\r\n", 15), 0);
	assert_int_equal(pthread_create(&thread, NULL, end_it, f), 0);
	do
		n = read(fd[1], got, sizeof(got));
	while (n > 0);
	assert_int_equal(n, 0);
	assert_int_equal(send(fd[1], "def", 3, MSG_NOSIGNAL), 3);
	close(fd[1]);
	pthread_join(thread, NULL);
	fcgi_free(f);
}

static int setup(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	if (fcgi_global_init(&e) < 0)
		return -1;
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fits_never_blocks),
		cmocka_unit_test(too_much_never_fits),
		cmocka_unit_test(lingers_after_a_receive_timeout),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
