/* SPDX-License-Identifier: MIT */
/*
 * Pages of query_data (A8) against a real MariaDB, every row is on one page,
 * and a cursor continues its own query only. The SQL: test_query.c.
 */
#include "query_lab.h"

#include "tool/data/dataset.h"

/* All rows of a query, page by page: their first cells, by blanks. */
static int pages(const char *query, struct arena *a, struct buf *seen)
{
	const char *cursor = "";
	int n = 0;

	do {
		struct tool_result r;
		json_t *j = call("anna", "sales", "query_data",
				 arena_printf(a, "{%s%s}", query, cursor), a, &r);
		json_t *row;
		size_t i;

		if (r.is_error)
			fail_msg("%s", r.text.p);
		json_array_foreach(jx_arr(j, "rows"), i, row) {
			jx_dump(seen, json_array_get(row, 0));
			buf_addc(seen, ' ');
		}
		assert_int_equal(jx_bool(j, "truncated", false),
				 jx_str(j, "nextCursor").n > 0);
		cursor = jx_str(j, "nextCursor").n ? arena_printf(a,
			",\"cursor\":\"%s\"", jx_str(j, "nextCursor").p) : NULL;
		assert_true(++n < 200);
	} while (cursor);
	return n;
}

/* Sorted by what many rows share, no row comes twice and none is missed. */
static void every_row_is_on_one_page(void **state)
{
	static const struct { const char *query; int pages; } cases[] = {
		{ "\"dataset\":\"item\",\"limit\":30", 3 },
		{ "\"dataset\":\"item\",\"select\":[\"id\"],\"limit\":7,\"sort\":"
		  "[{\"column\":\"state\",\"direction\":\"desc\"}]", 12 },
		{ "\"dataset\":\"item\",\"select\":[\"id\",\"state\"],"
		  "\"limit\":40,\"sort\":[{\"column\":\"state\"}]", 2 },
		{ "\"dataset\":\"joined\",\"limit\":9,\"sort\":"
		  "[{\"column\":\"year\"}]", 5 },
		{ "\"dataset\":\"item\",\"group_by\":[\"id\"],\"limit\":11,"
		  "\"aggregates\":[{\"fn\":\"count\",\"as\":\"n\"}],"
		  "\"sort\":[{\"column\":\"n\"}]", 8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool joined = strstr(cases[i].query, "joined") != NULL;
		struct buf seen = BUF_INIT(4096), all = BUF_INIT(4096);
		struct arena a = ARENA_INIT;

		assert_int_equal(pages(cases[i].query, &a, &seen),
				 cases[i].pages);
		buf_addstr(&all, STR(" "));
		buf_addstr(&all, buf_str(&seen));
		assert_int_equal(sql_count(joined
			? "SELECT COUNT(*) FROM shop.item i JOIN shop.item_group g "
			  "ON g.item_id = i.id WHERE g.name = 'sales' AND "
			  "i.owner = 'anna'" : "SELECT COUNT(*) FROM shop.item "
			  "WHERE owner = 'anna'"), joined ? 40 : 80);
		for (int id = 1; id <= 80; id += joined ? 2 : 1) {
			char *at = strstr(all.p, arena_printf(&a, " %d ", id));

			if (!at || strstr(at + 1, arena_printf(&a, " %d ", id)))
				fail_msg("%s: row %d in %s", cases[i].query, id,
					 all.p);
		}
		buf_release(&seen);
		buf_release(&all);
		arena_release(&a);
	}
}

/* What bytes cut off comes with the next page. */
static void pages_by_bytes_continue(void **state)
{
	struct buf seen = BUF_INIT(4096);
	struct arena a = ARENA_INIT;

	(void)state;
	query_lab.conf->limits.tool_result_bytes = 2048;
	assert_true(pages("\"dataset\":\"item\"", &a, &seen) > 3);
	query_lab.conf->limits.tool_result_bytes = 0;
	for (int id = 2; id < 80; id++)
		if (!strstr(seen.p, arena_printf(&a, " %d %d ", id, id + 1)))
			fail_msg("%d is not before %d: %s", id, id + 1, seen.p);
	buf_release(&seen);
	arena_release(&a);
}

static void cursors_of_other_queries_are_refused(void **state)
{
	static const char *const others[] = {
		"\"dataset\":\"joined\"", "\"dataset\":\"item\"",
		"\"dataset\":\"item\",\"select\":[\"id\",\"name\"]",
		"\"dataset\":\"item\",\"select\":[\"id\"],\"search\":\"thing\"",
		"\"dataset\":\"item\",\"select\":[\"id\"],\"filters\":"
		"[{\"column\":\"id\",\"op\":\"gt\",\"value\":4}]",
		"\"dataset\":\"item\",\"select\":[\"id\"],\"sort\":"
		"[{\"column\":\"name\"}]",
	};
	static const char *const bad[] = {
		"x", "AAAA", "AAAAAAAAAAAAAAAAAAAAAA", "_____________________w",
		"'; DROP TABLE item", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
	};
	struct arena a = ARENA_INIT;
	struct tool_result r;
	const char *own = "\"dataset\":\"item\",\"select\":[\"id\"],"
		"\"filters\":[{\"column\":\"id\",\"op\":\"gt\",\"value\":3}]";
	json_t *j = call("anna", "sales", "query_data",
			 arena_printf(&a, "{%s,\"limit\":5}", own), &a, &r);
	const char *cursor = jx_str(j, "nextCursor").p;

	(void)state;
	assert_non_null(cursor);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		call("anna", "sales", "query_data", arena_printf(&a,
			"{%s,\"cursor\":\"%s\"}", others[i], cursor), &a, &r);
		assert_true(r.is_error);
		assert_non_null(strstr(r.text.p, "belongs to another query"));
	}
	/* Another user's is of another query: the row filter is in it. */
	call("carl", "sales", "query_data", arena_printf(&a,
		"{%s,\"cursor\":\"%s\"}", own, cursor), &a, &r);
	assert_true(r.is_error);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		call("anna", "sales", "query_data", arena_printf(&a,
			"{%s,\"cursor\":\"%s\"}", own, bad[i]), &a, &r);
		assert_true(r.is_error);
		assert_non_null(strstr(r.text.p, "cursor: "));
	}
	j = call("anna", "sales", "query_data", arena_printf(&a,
		"{%s,\"limit\":2,\"cursor\":\"%s\"}", own, cursor), &a, &r);
	assert_string_equal(jx_text(&a, json_object_get(j, "rows")), "[[9],[10]]");
	j = call("anna", "sales", "query_data", arena_printf(&a,
		"{%s,\"limit\":2,\"cursor\":\"\"}", own), &a, &r);
	assert_string_equal(jx_text(&a, json_object_get(j, "rows")), "[[4],[5]]");
	arena_release(&a);
}

static void keys_are_columns(void **state)
{
	const char *names[] = { "id", "serial" };
	struct conf_dataset d = query_lab.shop->datasets[0];
	struct err e = ERR_INIT;

	(void)state;
	assert_string_equal(d.name, "item");
	d.key = (struct conf_list){ names, 1 };
	assert_int_equal(dataset_check(query_lab.conf, &d, &e), 0);
	d.key.n = 2;
	assert_int_equal(dataset_check(query_lab.conf, &d, &e), -1);
	assert_non_null(strstr(e.public, "key serial is not one of its columns"));
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_on_one_page),
		cmocka_unit_test(pages_by_bytes_continue),
		cmocka_unit_test(cursors_of_other_queries_are_refused),
		cmocka_unit_test(keys_are_columns),
	};

	(void)argc;
	unit_need_database(argv);
	return cmocka_run_group_tests_name("query pages", tests, query_lab_up,
					   query_lab_down);
}
