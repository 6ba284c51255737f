/* SPDX-License-Identifier: MIT */
/* lib/db/hosts.c: which host is used, which is left, and for what errors. */
#include "unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>

#include "db/link.h"

static const char *const three[] = { "a:1", "b", "[::1]:3" };

static struct conf_db conf_of(const char *const *list, size_t n)
{
	return (struct conf_db){
		.id = "app", .socket = "", .host = "", .name = "x", .user = "u",
		.password = "", .tls_ca = "", .port = 3306, .pool = 2,
		.hosts = { .v = (const char **)list, .n = n },
	};
}

static void assert_order(struct hosts *h, const size_t want[3])
{
	size_t order[HOSTS_MAX];
	bool trial[HOSTS_MAX];
	struct db_host state;

	assert_int_equal(hosts_order(h, order, trial), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(order[i], want[i]);
		hosts_state(h, order[i], &state);
		assert_int_equal(trial[i], state.bad);
	}
}

static void a_bad_one_is_last_until_it_is_good(void **state)
{
	struct conf_db conf = conf_of(three, 3);
	struct hosts *h = hosts_new(&conf);
	struct db_host host;

	(void)state;
	assert_order(h, (const size_t[]){ 0, 1, 2 });
	assert_false(hosts_better(h, 0));
	assert_true(hosts_better(h, 2));
	hosts_bad(h, 0, "gone");
	assert_order(h, (const size_t[]){ 1, 2, 0 });
	assert_false(hosts_better(h, 1));
	assert_true(hosts_better(h, 2));
	hosts_state(h, 0, &host);
	assert_true(host.bad);
	assert_string_equal(host.name, "a");
	assert_int_equal(host.port, 1);
	assert_string_equal(host.why, "gone");
	hosts_bad(h, 1, "gone");
	hosts_bad(h, 2, "gone");
	assert_order(h, (const size_t[]){ 0, 1, 2 });
	hosts_good(h, 2);
	assert_order(h, (const size_t[]){ 2, 0, 1 });
	hosts_good(h, 0);
	assert_true(hosts_better(h, 2));
	hosts_state(h, 0, &host);
	assert_false(host.bad);
	assert_string_equal(host.why, "");
	hosts_free(h);
}

/* The order has room for each host once (HOSTS_MAX). */
static void one_whose_trial_is_due_is_there_once(void **state)
{
	struct conf_db conf = conf_of(three, 3);
	struct hosts *h = hosts_new(&conf);

	(void)state;
	hosts_bad(h, 0, "gone");
	while (!hosts_better(h, 1))	/* its pause is not over */
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	assert_order(h, (const size_t[]){ 0, 1, 2 });
	assert_order(h, (const size_t[]){ 1, 2, 0 });	/* the trial is ours */
	hosts_free(h);
}

static void a_single_one_is_never_bad(void **state)
{
	struct conf_db conf = conf_of(three, 0);
	struct hosts *h;
	struct db_host host;

	(void)state;
	conf.host = "only";
	h = hosts_new(&conf);
	assert_int_equal(hosts_n(h), 1);
	hosts_bad(h, 0, "gone");
	hosts_state(h, 0, &host);
	assert_false(host.bad);
	hosts_free(h);
}

/* What is about a connection, a statement or a limit leaves its host alone. */
static void errors_that_speak_against_a_host(void **state)
{
	static const unsigned host[] = { 1047, 1180, 1290, 1836, 1053, 2002,
					 2003, 2005, 2006, 2013, 2026, 2055 };
	static const unsigned other[] = { 1927, 1153, 1040, 1203, 1226, 1243,
					  2014, 2027, 1213, 1205, 1062, 1114,
					  1021, 1878, 1, 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(host); i++)
		assert_true(db_fault_is_hosts(host[i]));
	for (size_t i = 0; i < ARRAY_LEN(other); i++)
		assert_false(db_fault_is_hosts(other[i]));
}

/* -- one host is full, a later one is down ----------------------------------- */

static int listener(int *port, int backlog)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t n = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	if (backlog)
		assert_int_equal(listen(fd, backlog), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
	*port = ntohs(a.sin_port);
	return fd;
}

/* Says what a server without a place says instead of its greeting. */
static void *full_server(void *arg)
{
	static const char packet[] = "\x17\0\0\0\xff\x10\x04"
		"Too many connections";
	int fd = accept(*(int *)arg, NULL, NULL);

	assert_true(write(fd, packet, sizeof(packet) - 1) > 0);
	close(fd);
	return NULL;
}

static void a_full_one_is_told_before_one_that_is_down(void **state)
{
	char full[32], down[32];
	const char *const list[] = { full, down };
	struct conf_db conf = conf_of(list, 2);
	struct db_options o = { .conf = &conf, .wait_ms = 1000 };
	struct db_host states[DB_HOSTS_MAX];
	struct err e = ERR_INIT;
	int port, fd = listener(&port, 4), refused;
	pthread_t thread;
	struct db *db;

	(void)state;
	snprintf(full, sizeof(full), "127.0.0.1:%d", port);
	refused = listener(&port, 0);
	snprintf(down, sizeof(down), "127.0.0.1:%d", port);
	assert_int_equal(pthread_create(&thread, NULL, full_server, &fd), 0);
	db = db_open(&o, &e);
	assert_non_null(db);
	assert_int_equal(db_ping(db, &e), -1);
	assert_int_equal(e.code, ERR_OVERLOADED);
	assert_int_equal(db_hosts(db, states), 2);
	assert_false(states[0].bad);
	assert_true(states[1].bad);
	db_close(db);
	pthread_join(thread, NULL);
	close(refused);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bad_one_is_last_until_it_is_good),
		cmocka_unit_test(one_whose_trial_is_due_is_there_once),
		cmocka_unit_test(a_single_one_is_never_bad),
		cmocka_unit_test(errors_that_speak_against_a_host),
		cmocka_unit_test(a_full_one_is_told_before_one_that_is_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
