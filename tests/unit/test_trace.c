/* SPDX-License-Identifier: MIT */
/* base/trace: free while nobody traces; spans, threads and sums when somebody does. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "base/trace.h"
#include "unit.h"

static atomic_int n_reads;

/* In place of libc's: a microsecond passes from one reading to the next. */
int clock_gettime(clockid_t id, struct timespec *ts)
{
	(void)id;
	*ts = (struct timespec){
		.tv_sec = 7, .tv_nsec = 1000 * (atomic_fetch_add(&n_reads, 1) + 1),
	};
	return 0;
}

static void inner(void)
{
	TRACE_SPAN(TRACE_DB, "SELECT");

	trace_point(TRACE_TOKEN);
}

static void outer(void)
{
	TRACE_SPAN(TRACE_TURN, NULL);

	inner();
	inner();
}

static void nothing_is_read_while_off(void **state)
{
	(void)state;
	assert_null(trace_now);
	atomic_store(&n_reads, 0);
	outer();
	assert_int_equal(n_reads, 0);
	assert_null(trace_stop());
}

static void *elsewhere(void *arg)
{
	inner();
	return arg;
}

static void spans_are_printed(void **state)
{
	static const char want[] =
		"    at us   took us thread  stage\n"
		"        1         7      1  turn\n"
		"        2         2      1    database SELECT\n"
		"        3                1      token\n"
		"        5         2      1    database SELECT\n"
		"        6                1      token\n"
		"        9         2      2  database SELECT\n"
		"       10                2    token\n"
		"\n   times  total us    own us  stage\n";
	struct buf out = BUF_INIT(65536);
	struct trace *t;
	pthread_t thread;

	(void)state;
	trace_start();
	outer();
	assert_int_equal(pthread_create(&thread, NULL, elsewhere, NULL), 0);
	pthread_join(thread, NULL);
	t = trace_stop();
	outer();	/* which nobody sees */
	trace_print(t, &out);
	assert_true(buf_ok(&out));
	assert_memory_equal(out.p, want, sizeof(want) - 1);
	assert_non_null(strstr(out.p, "\n       1         7         3  turn: "));
	assert_non_null(strstr(out.p, "\n       3         6         6  database: "));
	assert_non_null(strstr(out.p, "\n       3         0         0  token: "));
	trace_free(t);
	buf_release(&out);
}

static void what_has_no_room_is_counted(void **state)
{
	struct buf out = BUF_INIT(4 * 1024 * 1024);
	struct trace *t;

	(void)state;
	trace_start();
	for (int i = 0; i < LIM_TRACE_MARKS + 3; i++)
		trace_point(TRACE_BYTE);
	t = trace_stop();
	trace_print(t, &out);
	assert_non_null(strstr(out.p, "\n3 more are not shown.\n"));
	trace_free(t);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_read_while_off),
		cmocka_unit_test(spans_are_printed),
		cmocka_unit_test(what_has_no_room_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
