/* SPDX-License-Identifier: MIT */
/* lib/metric: the table, counting, and the text as far as no parser is needed. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "metric/metric.h"
#include "unit.h"

static struct metric_sums sums;

static int64_t value(const char *name, const char *cell)
{
	int64_t *v = metric_find(&sums, str_of(name), str_of(cell));

	assert_non_null(v);
	return *v;
}

static void take(void)
{
	memset(&sums, 0, sizeof(sums));
	(void)metric_take(&sums);
}

/* Each row has room, names that the format takes, and help that needs no escape. */
static void the_table_holds(void **state)
{
	static const struct row {
		const char *name, *unit, *help;
		bool counter;
	} rows[] = {
#define COUNTER   true
#define GAUGE     false
#define HISTOGRAM false
#define METRIC(id, name_, type, unit_, a, b, help_) \
		{ name_, unit_, help_, type },
#include "metric/metric.def"
	};
	static const char *const words[] = {
#define LABEL(id, name, words) words,
#include "metric/metric.def"
	};
	static const char families[] =
#define FAMILY(name) #name " "
#include "tool/core/family.def"
#undef FAMILY
		"other";
	char text[METRIC_CELL_BYTES];
	bool any = false;

	(void)state;
	for (int m = 0; m < METRIC__MAX; m++) {
		const struct row *r = &rows[m];
		size_t n = strlen(r->name), u = strlen(r->unit), cells = 0;

		assert_int_equal(strspn(r->name, "abcdefghijklmnopqrstuvwxyz_"),
				 n);
		if (u)
			assert_string_equal(r->name + n - u, r->unit);
		assert_false(n > 6 && !strcmp(r->name + n - 6, "_total"));
		assert_null(strpbrk(r->help, "\"\\\n"));
		assert_int_equal(r->help[strlen(r->help) - 1], '.');
		while (metric_cell(m, cells, text)) {
			assert_true(strlen(text) < METRIC_CELL_BYTES - 1);
			assert_ptr_equal(metric_find(&sums, str_of(r->name),
						     str_of(text)),
					 &sums.v[m][cells]);
			cells++;
		}
		assert_in_range(cells, 1, METRIC_CELLS - 1);
		assert_int_equal(metric_is_gauge(m), !r->counter && !u);
	}
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		any |= !strcmp(words[i], families);
	assert_true(any);
}

static void what_is_counted_is_taken_once(void **state)
{
	(void)state;
	take();
	metric_add(METRIC_REQUESTS, "chat", "2xx", 1);
	metric_add(METRIC_REQUESTS, "chat", "2xx", 2);
	metric_add(METRIC_REQUESTS, "new here", "5xx", 1);
	metric_add(METRIC_TURNS, NULL, NULL, 1);
	metric_add(METRIC_OPEN_STREAMS, "answers", NULL, 2);
	take();
	assert_int_equal(value("requests", "route=\"chat\",status=\"2xx\""), 3);
	assert_int_equal(value("requests", "route=\"other\",status=\"5xx\""), 1);
	assert_int_equal(value("turns", "outcome=\"other\""), 1);
	assert_int_equal(value("open_streams", "kind=\"answers\""), 2);
	metric_put_back(&sums);
	take();
	assert_int_equal(value("requests", "route=\"chat\",status=\"2xx\""), 3);
	assert_int_equal(value("open_streams", "kind=\"answers\""), 2);
	metric_add(METRIC_OPEN_STREAMS, "answers", NULL, -2);
	take();
	assert_int_equal(value("requests", "route=\"chat\",status=\"2xx\""), 0);
	assert_false(metric_take(&sums));
	assert_null(metric_find(&sums, STR("gone"), STR("")));
	assert_null(metric_find(&sums, STR("turns"), STR("outcome=\"x\"")));
}

static void *count(void *arg)
{
	(void)arg;
	for (int i = 0; i < 10000; i++)
		metric_add(METRIC_TURNS, "done", NULL, 1);
	return NULL;
}

/* Nothing is lost while others take. */
static void many_threads_count(void **state)
{
	pthread_t threads[4];
	int64_t n = 0;

	(void)state;
	take();
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, count, NULL),
				 0);
	for (int i = 0; i < 50; i++) {
		take();
		n += value("turns", "outcome=\"done\"");
	}
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		pthread_join(threads[i], NULL);
	take();
	assert_int_equal(n + value("turns", "outcome=\"done\""), 40000);
}

static void a_histogram_is_cumulative(void **state)
{
	struct buf out = BUF_INIT(1 << 20);

	(void)state;
	take();
	metric_observe(METRIC_FIRST_TOKEN, 0);
	metric_observe(METRIC_FIRST_TOKEN, 100);
	metric_observe(METRIC_FIRST_TOKEN, 101);
	metric_observe(METRIC_FIRST_TOKEN, 3600000);
	take();
	metric_print(&sums, true, &out);
	assert_true(buf_ok(&out));
	for (const char *const *line = (const char *const[]){
		"# TYPE lamplighter_first_token_seconds histogram\n",
		"# UNIT lamplighter_first_token_seconds seconds\n",
		"_bucket{le=\"0.1\"} 2\n", "_bucket{le=\"0.25\"} 3\n",
		"_bucket{le=\"60.0\"} 3\n", "_bucket{le=\"+Inf\"} 4\n",
		"_count 4\n", "_sum 3600.201\n",
		"# TYPE lamplighter_requests counter\n",
		"lamplighter_requests_total{route=\"chat\",status=\"2xx\"} 0\n",
		NULL }; *line; line++)
		if (!strstr(out.p, *line))
			fail_msg("%s is not in %s", *line, out.p);
	assert_string_equal(out.p + out.n - 6, "# EOF\n");
	buf_reset(&out);
	metric_print(&sums, false, &out);
	assert_non_null(strstr(out.p, "# TYPE lamplighter_requests_total "));
	assert_null(strstr(out.p, "# UNIT"));
	assert_null(strstr(out.p, "# EOF"));
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_holds),
		cmocka_unit_test(what_is_counted_is_taken_once),
		cmocka_unit_test(many_threads_count),
		cmocka_unit_test(a_histogram_is_cumulative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
