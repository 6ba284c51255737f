/* SPDX-License-Identifier: MIT */
/*
 * fcgi-app/worker: the pool over a real socket, with a FastCGI client of our
 * own. No database: /health needs none, and a process starts without one.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "app.h"
#include "base/clock.h"
#include "base/log.h"
#include "fcgi.h"
#include "unit.h"
#include "worker.h"

#define DEADLINE_MS 20000
#define MAX_WORKERS 24

static char dir[64] = "/tmp/lamp-worker.XXXXXX";
static char conf_file[100], socket_file[100];
static struct app app;

static int listen_here(void)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	unlink(socket_file);
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", socket_file);
	assert_int_equal(bind(fd, (struct sockaddr *)&sun, sizeof(sun)), 0);
	assert_int_equal(listen(fd, 100), 0);
	return fd;
}

static int connect_here(void)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", socket_file);
	if (connect(fd, (struct sockaddr *)&sun, sizeof(sun)) == 0)
		return fd;
	close(fd);
	return -1;
}

static void record(struct buf *b, int type, const char *p, size_t n)
{
	const char head[8] = { 1, (char)type, 0, 1, (char)(n >> 8), (char)n };

	buf_add(b, head, sizeof(head));
	buf_add(b, p, n);
}

static void param(struct buf *b, const char *name, const char *value)
{
	buf_addc(b, (char)strlen(name));
	buf_addc(b, (char)strlen(value));
	buf_adds(b, name);
	buf_adds(b, value);
}

/* Sends GET path over fd, the whole request. */
static void ask(int fd, const char *path)
{
	static const char begin[8] = { 0, 1 };	/* responder, close after it */
	struct buf b = BUF_INIT(4096), params = BUF_INIT(4096);

	param(&params, "REQUEST_METHOD", "GET");
	param(&params, "LAMPLIGHTER_BASE", "/chat");
	param(&params, "REQUEST_URI", path);
	record(&b, 1, begin, sizeof(begin));
	record(&b, 4, params.p, params.n);
	record(&b, 4, "", 0);
	record(&b, 5, "", 0);
	assert_int_equal(send(fd, b.p, b.n, MSG_NOSIGNAL), b.n);
	buf_release(&b);
	buf_release(&params);
}

/* Reads to the end of the connection; whether text came by. */
static bool answered(int fd, const char *text)
{
	struct buf b = BUF_INIT(65536);
	char piece[4096];
	bool found;
	ssize_t n;

	while ((n = recv(fd, piece, sizeof(piece), 0)) > 0)
		buf_add(&b, piece, (size_t)n);
	found = memmem(b.p, b.n, text, strlen(text)) != NULL;
	buf_release(&b);
	close(fd);
	return found;
}

static void wait_size(struct workers *p, int low, int high)
{
	int64_t end_ms = clock_mono_ms() + DEADLINE_MS;

	while (workers_size(p) < low || workers_size(p) > high) {
		assert_true(clock_mono_ms() < end_ms);
		poll(NULL, 0, 5);
	}
}

static struct workers *start(int fd, bool owned)
{
	struct err e = ERR_INIT;
	struct workers *p = workers_start(&app, fd, owned, &e);

	atomic_store(&app.stopping, false);
	assert_non_null(p);
	return p;
}

static void serves_and_drains(void **state)
{
	int fd = listen_here();
	struct workers *p = start(fd, true);

	(void)state;
	for (int i = 0; i < 50; i++) {
		int c = connect_here();

		ask(c, i % 2 ? "/chat/api/v1/health" : "/chat/api/v1/none");
		assert_true(answered(c, i % 2 ? "Status: 200 OK"
				     : "Status: 404 Not Found"));
	}
	/* One after the other: no worker per request. */
	assert_true(workers_size(p) < MAX_WORKERS / 2);
	assert_int_equal(workers_stop(p, DEADLINE_MS, 0), 0);
	assert_int_equal(connect_here(), -1);
	close(fd);
}

/*
 * Silent peers hold workers; more come as needed, up to the cap, are used
 * again, and leave.
 */
static void grows_and_shrinks(void **state)
{
	int fd = listen_here(), held[MAX_WORKERS - 4];
	struct workers *p = start(fd, true);

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < ARRAY_LEN(held); i++)
			held[i] = connect_here();
		wait_size(p, (int)ARRAY_LEN(held) + 1, MAX_WORKERS);
		for (int i = 0; i < 10; i++) {
			int c = connect_here();

			ask(c, "/chat/api/v1/health");
			assert_true(answered(c, "\"status\":\"ok\""));
		}
		for (size_t i = 0; i < ARRAY_LEN(held); i++) {
			ask(held[i], "/chat/api/v1/health");
			assert_true(answered(held[i], "\"status\":\"ok\""));
		}
	}
	/* idle_s is 1: all but one leave. */
	wait_size(p, 1, 1);
	assert_int_equal(workers_stop(p, DEADLINE_MS, 0), 0);
	close(fd);
}

/* Beyond threads.max connections wait instead of failing. */
static void waits_beyond_the_cap(void **state)
{
	int fd = listen_here(), held[MAX_WORKERS], waiting[10];
	struct workers *p = start(fd, true);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(held); i++)
		held[i] = connect_here();
	wait_size(p, MAX_WORKERS, MAX_WORKERS);
	for (size_t i = 0; i < ARRAY_LEN(waiting); i++) {
		waiting[i] = connect_here();
		ask(waiting[i], "/chat/api/v1/health");
	}
	assert_int_equal(workers_size(p), MAX_WORKERS);
	for (size_t i = 0; i < ARRAY_LEN(held); i++)
		close(held[i]);
	for (size_t i = 0; i < ARRAY_LEN(waiting); i++)
		assert_true(answered(waiting[i], "Status: 200"));
	assert_int_equal(workers_stop(p, DEADLINE_MS, 0), 0);
	close(fd);
}

static void garbage_is_dropped(void **state)
{
	static const struct str junk[] = {
		{ "", 0 }, { "\0\0\0\0\0\0\0\0", 8 },
		{ "GET / HTTP/1.1\r\n\r\n", 18 },
		{ "\1\1\0\1\0\10\0\0\0\1\0\0\0\0\0\0\1\4\0\1\0\6\0\0\xff\xff"
		  "\xff\xff\xff\xff", 30 },
		{ "\1\1\0\1\0\10\0\0\0\1", 10 },
	};
	int fd = listen_here(), c;
	struct workers *p = start(fd, true);

	(void)state;
	for (int i = 0; i < 40; i++) {
		struct str s = junk[(size_t)i % ARRAY_LEN(junk)];

		c = connect_here();
		if (s.n)
			assert_int_equal(send(c, s.p, s.n, MSG_NOSIGNAL), s.n);
		close(c);
	}
	c = connect_here();
	ask(c, "/chat/api/v1/health");
	assert_true(answered(c, "Status: 200"));
	assert_int_equal(workers_stop(p, DEADLINE_MS, 0), 0);
	close(fd);
}

/* A socket that others may accept on is left open. */
static void shared_socket_stays(void **state)
{
	int fd = listen_here(), c;
	struct workers *p = start(fd, false);

	(void)state;
	assert_int_equal(workers_stop(p, DEADLINE_MS, 0), 0);
	c = connect_here();
	assert_true(c >= 0);
	close(c);
	close(fd);
}

/* A request that does not end in time is counted, not waited for. */
static void stop_says_who_is_left(void **state)
{
	int fd = listen_here(), c = connect_here();
	struct workers *p = start(fd, true);

	(void)state;
	wait_size(p, 2, 2);
	/* The idle one may or may not have left by now. */
	assert_in_range(workers_stop(p, 0, 0), 1, 2);
	close(c);
	assert_int_equal(workers_stop(p, DEADLINE_MS, 0), 0);
	close(fd);
}

static int setup(void **state)
{
	struct err e = ERR_INIT;
	FILE *f;

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(conf_file, sizeof(conf_file), "%s/lamplighter.yaml", dir);
	snprintf(socket_file, sizeof(socket_file), "%s/s", dir);
	f = fopen(conf_file, "w");
	if (!f)
		return -1;
	fprintf(f, "database: {socket: %s/none.sock, name: x, user: x}\n"
		"threads: {max: %d, max_turns: 4, idle_s: 1}\n"
		"log: {level: error}\n"
		"identity: {chain: [{kind: api_token}]}\n", dir, MAX_WORKERS);
	fclose(f);
	if (app_open(&app, conf_file, &e) < 0 || fcgi_global_init(&e) < 0) {
		print_message("# %s\n", e.text);
		return -1;
	}
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	app_close(&app);
	unlink(conf_file);
	unlink(socket_file);
	return rmdir(dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(serves_and_drains),
		cmocka_unit_test(grows_and_shrinks),
		cmocka_unit_test(waits_beyond_the_cap),
		cmocka_unit_test(garbage_is_dropped),
		cmocka_unit_test(shared_socket_stays),
		cmocka_unit_test(stop_says_who_is_left),
	};

	return cmocka_run_group_tests_name("worker", tests, setup, teardown);
}
