/* SPDX-License-Identifier: MIT */
/* lib/db: SELECTs on databases that are not ours, and their columns. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "db/db.h"
#include "dbtest.h"

static struct db *open_foreign(void)
{
	struct db_options o = { .conf = dbtest_conf("t_foreign", 2),
				.foreign = true };
	struct db *db;

	err_clear(&e);
	db = db_open(&o, &e);
	assert_non_null(db);
	dbtest_sql("CREATE TABLE ticket (id INT UNSIGNED NOT NULL PRIMARY KEY,"
		" status ENUM('open','it''s closed') NOT NULL COMMENT 'state',"
		" cost DECIMAL(12,2), big BIGINT UNSIGNED, f FLOAT, d DOUBLE,"
		" day DATE, at DATETIME(3), t TIME, yes TINYINT(1), bits BIT(9),"
		" raw VARBINARY(8), doc JSON, note TEXT CHARACTER SET latin1)");
	dbtest_sql("INSERT INTO ticket VALUES"
		" (1, 'open', 12.50, 18446744073709551615, 0.1, 0.1,"
		" '2026-11-21', '2026-11-21 23:05:00.123', '01:02:03', 1,"
		" b'100000001', x'00ff', '{\"a\":1}', 'Gr\xc3\xbc\xc3\x9f')");
	dbtest_sql("INSERT INTO ticket (id, status) SELECT seq, 1 + seq %% 2"
		   " FROM seq_2_to_500");
	return db;
}

static const char *ask(struct db *db, const char *sql,
		       const struct db_val *args, size_t n,
		       const struct db_query_limits *l,
		       struct db_query_result *r)
{
	static struct buf b = BUF_INIT(1 << 20);
	struct jw w = jw_on(&b);

	buf_reset(&b);
	if (db_query_json(db, str_of(sql), args, n, l, &a, &w, r, &e))
		return NULL;
	return b.p;
}

static void foreign_query(void **state)
{
	struct db_query_limits l = { .timeout_ms = 1000, .max_rows = 100,
				     .max_bytes = 100000 };
	struct db *db = open_foreign();
	struct db_query_result r;
	const char *got;

	(void)state;
	got = ask(db, "SELECT * FROM ticket WHERE id = ? AND status = ?",
		  DB_ARGS(DB_I(1), DB_S(STR("open"))), 2, &l, &r);
	if (!got)
		fail_msg("%s", e.text);
	assert_string_equal(got, "[[1,\"open\",12.50,\"18446744073709551615\","
		"0.1,0.1,\"2026-11-21\",\"2026-11-21 23:05:00.123\","
		"\"01:02:03\",1,257,\"00ff\",\"{\\\"a\\\":1}\","
		"\"Gr\xc3\xbc\xc3\x9f\"]]");
	assert_int_equal(r.n_rows, 1);
	assert_false(r.truncated);
	assert_string_equal(r.columns[1].name, "status");
	assert_int_equal(r.columns[0].type, COL_INTEGER);
	assert_int_equal(r.columns[1].type, COL_TEXT);
	assert_int_equal(r.columns[2].type, COL_DECIMAL);
	assert_int_equal(r.columns[12].type, COL_JSON);
	assert_int_equal(r.columns[7].type, COL_DATETIME);
	got = ask(db, "SELECT id, note FROM ticket WHERE id = 2", NULL, 0, &l, &r);
	assert_string_equal(got, "[[2,null]]");
	got = ask(db, "SELECT id FROM ticket WHERE id > 900", NULL, 0, &l, &r);
	assert_string_equal(got, "[]");
	/* Caps: rows, bytes, one long text. */
	l.max_rows = 3;
	got = ask(db, "SELECT id FROM ticket ORDER BY id", NULL, 0, &l, &r);
	assert_string_equal(got, "[[1],[2],[3]]");
	assert_true(r.truncated);
	got = ask(db, "SELECT id FROM ticket ORDER BY id LIMIT 3", NULL, 0, &l,
		  &r);
	assert_false(r.truncated);
	l.max_rows = 1000;
	l.max_bytes = 20;
	got = ask(db, "SELECT id FROM ticket ORDER BY id", NULL, 0, &l, &r);
	assert_string_equal(got, "[[1],[2],[3],[4]]");
	assert_true(r.truncated);
	l.max_bytes = 1000;
	l.max_cell_bytes = 5;
	got = ask(db, "SELECT REPEAT('\xc3\xbc', 100)", NULL, 0, &l, &r);
	assert_string_equal(got, "[[\"\xc3\xbc\xc3\xbc\xe2\x80\xa6\"]]");
	/* Limits of what may happen at all. */
	l.timeout_ms = 100;
	assert_null(ask(db, "SELECT SLEEP(5)", NULL, 0, &l, &r));
	if (e.code != ERR_DB_TIMEOUT)
		fail_msg("%s", e.text);
	err_clear(&e);
	assert_null(ask(db, "DELETE FROM ticket", NULL, 0, &l, &r));
	err_clear(&e);
	assert_null(ask(db, "SELECT 1; DELETE FROM ticket", NULL, 0, &l, &r));
	err_clear(&e);
	assert_null(ask(db, "SELECT nothing FROM ticket", NULL, 0, &l, &r));
	assert_int_equal(e.code, ERR_DB);
	err_clear(&e);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM ticket"), 500);
	got = ask(db, "SELECT 1", NULL, 0, &l, &r);
	assert_string_equal(got, "[[1]]");
	db_close(db);
}

/* Zero dates, SET and booleans as what they mean. */
static void odd_types(void **state)
{
	static const enum conf_col_type types[] = {
		COL_DATE, COL_DATETIME, COL_TEXT, COL_BOOLEAN, COL_BOOLEAN,
		COL_INTEGER,
	};
	struct db_query_limits l = {
		.timeout_ms = 1000, .max_rows = 10, .max_bytes = 10000,
		.types = types, .n_types = ARRAY_LEN(types),
	};
	struct db *db = open_foreign();
	struct db_query_result r;

	(void)state;
	dbtest_sql("CREATE TABLE odd (id INT PRIMARY KEY, day DATE NOT NULL,"
		   " at DATETIME NOT NULL, tags SET('a','b c','\xc3\xbc') NOT NULL,"
		   " yes TINYINT(1), bits BIT(1), n TINYINT(1))");
	dbtest_sql("SET STATEMENT sql_mode = '' FOR INSERT INTO odd VALUES"
		   " (1, '0000-00-00', '0000-00-00', 'a,\xc3\xbc', 1, b'0', 1),"
		   " (2, '2026-11-22', '2026-11-22 01:02:03', '', 0, b'1', 0),"
		   " (3, '2026-00-00', '2026-11-22', 'b c', 7, NULL, NULL)");
	assert_string_equal(ask(db, "SELECT day, at, tags, yes, bits, n FROM odd"
				" ORDER BY id", NULL, 0, &l, &r),
		"[[null,null,[\"a\",\"\xc3\xbc\"],true,false,1],"
		"[\"2026-11-22\",\"2026-11-22 01:02:03\",[],false,true,0],"
		"[\"2026-00-00\",\"2026-11-22 00:00:00\",[\"b c\"],7,null,null]]");
	dbtest_sql("DROP TABLE odd");
	db_close(db);
}

static void foreign_columns(void **state)
{
	struct db *db = open_foreign();
	struct db_column *c;
	size_t n;

	(void)state;
	ok(db_columns(db, STR("ticket"), &a, &c, &n, &e));
	assert_int_equal(n, 14);
	assert_string_equal(c[1].name, "status");
	assert_string_equal(c[1].comment, "state");
	assert_int_equal(c[1].values.n, 2);
	assert_string_equal(c[1].values.v[1], "it's closed");
	assert_false(c[1].nullable);
	assert_int_equal(c[2].type, COL_DECIMAL);
	assert_int_equal(c[6].type, COL_DATE);
	assert_int_equal(c[9].type, COL_BOOLEAN);
	ok(db_columns(db, STR("t_foreign.ticket"), &a, &c, &n, &e));
	assert_int_equal(n, 14);
	refused(db_columns(db, STR("nothing"), &a, &c, &n, &e), ERR_NOT_FOUND);
	refused(db_columns(db, STR("mysql.user"), &a, &c, &n, &e),
		ERR_NOT_FOUND);
	db_close(db);
}

#define ASLEEP "SELECT COUNT(*) FROM information_schema.processlist" \
	" WHERE state = 'User sleep'"

static void *stop_it(void *stop)
{
	dbtest_until(dbtest_sql(ASLEEP) == 1);
	db_stop_now(stop);
	return NULL;
}

/* Who stops a query shuts its link: that says nothing about the host. */
static void a_stopped_query_is_no_bad_host(void **state)
{
	struct conf_db conf = *dbtest_conf("t_foreign", 2);
	struct db_options o = { .conf = &conf, .foreign = true };
	struct db_query_limits l = { .timeout_ms = 60000, .max_rows = 1,
				     .max_bytes = 1000 };
	const char *hosts[] = { "localhost", "localhost:3307" };
	struct db_host known[DB_HOSTS_MAX];
	struct db_query_result r;
	struct db_stop stop;
	pthread_t thread;
	struct db *db;

	(void)state;
	conf.socket = NULL;
	conf.port = 3306;
	conf.hosts = (struct conf_list){ hosts, ARRAY_LEN(hosts) };
	db = db_open(&o, &e);
	assert_non_null(db);
	db_stop_init(&stop);
	l.stop = &stop;
	assert_int_equal(pthread_create(&thread, NULL, stop_it, &stop), 0);
	assert_null(ask(db, "SELECT SLEEP(60)", NULL, 0, &l, &r));
	assert_int_equal(e.code, ERR_CANCELLED);
	err_clear(&e);
	pthread_join(thread, NULL);
	db_stop_release(&stop);
	assert_int_equal(db_hosts(db, known), 2);
	assert_false(known[0].bad);
	db_close(db);
}

static uint64_t trips(struct db *db)
{
	struct db_stats s;

	db_stats(db, &s);
	return s.round_trips;
}

/* The second query of a form is one round trip, whatever becomes of its table. */
static void a_query_is_prepared_once(void **state)
{
	static const char sql[] = "SELECT * FROM form WHERE id >= ? ORDER BY id";
	struct db_query_limits l = { .timeout_ms = 1000, .max_rows = 2,
				     .max_bytes = 1000 };
	struct db_options o = { .conf = dbtest_conf("t_form", 1),
				.foreign = true };
	struct db *db = db_open(&o, &e);
	struct db_query_result r;
	uint64_t before;
	char text[64];

	(void)state;
	assert_non_null(db);
	dbtest_sql("CREATE TABLE form (id INT NOT NULL PRIMARY KEY, v INT)");
	dbtest_sql("INSERT INTO form VALUES (1, 10), (2, 20), (3, 30)");
	assert_string_equal(ask(db, sql, DB_ARGS(DB_I(2)), 1, &l, &r),
			    "[[2,20],[3,30]]");
	before = trips(db);
	assert_string_equal(ask(db, sql, DB_ARGS(DB_I(3)), 1, &l, &r),
			    "[[3,30]]");
	assert_int_equal(trips(db) - before, 1);
	/* Other columns, other types, none at all. */
	dbtest_sql("ALTER TABLE form MODIFY v VARCHAR(20)");
	assert_string_equal(ask(db, sql, DB_ARGS(DB_I(3)), 1, &l, &r),
			    "[[3,\"30\"]]");
	assert_int_equal(r.columns[1].type, COL_TEXT);
	dbtest_sql("ALTER TABLE form ADD w DATE");
	assert_string_equal(ask(db, sql, DB_ARGS(DB_I(3)), 1, &l, &r),
			    "[[3,\"30\",null]]");
	assert_string_equal(r.columns[2].name, "w");
	dbtest_sql("ALTER TABLE form DROP v");
	assert_string_equal(ask(db, sql, DB_ARGS(DB_I(3)), 1, &l, &r),
			    "[[3,null]]");
	assert_string_equal(r.columns[1].name, "w");
	dbtest_sql("RENAME TABLE form TO other");
	assert_null(ask(db, sql, DB_ARGS(DB_I(3)), 1, &l, &r));
	assert_int_equal(e.code, ERR_DB);
	err_clear(&e);
	dbtest_sql("RENAME TABLE other TO form");
	/* One that was cut off goes with its connection. */
	assert_string_equal(ask(db, sql, DB_ARGS(DB_I(1)), 1, &l, &r),
			    "[[1,null],[2,null]]");
	assert_true(r.truncated);
	assert_string_equal(ask(db, sql, DB_ARGS(DB_I(2)), 1, &l, &r),
			    "[[2,null],[3,null]]");
	/* There is an end to what is kept: the oldest goes, the rest stays. */
	for (int i = 0; i < LIM_CACHED_STATEMENTS; i++) {
		snprintf(text, sizeof(text), "SELECT id, %d FROM form", i);
		l.max_rows = 100;
		assert_non_null(ask(db, text, NULL, 0, &l, &r));
	}
	before = trips(db);
	assert_non_null(ask(db, text, NULL, 0, &l, &r));
	assert_int_equal(trips(db) - before, 1);
	assert_non_null(ask(db, sql, DB_ARGS(DB_I(2)), 1, &l, &r));
	assert_int_equal(trips(db) - before, 3);
	assert_int_equal(dbtest_sql("SELECT VARIABLE_VALUE FROM"
		" information_schema.GLOBAL_STATUS"
		" WHERE VARIABLE_NAME = 'PREPARED_STMT_COUNT'"),
		LIM_CACHED_STATEMENTS);
	db_close(db);
}

static int64_t prepared(void)
{
	return dbtest_sql("SELECT VARIABLE_VALUE FROM"
		" information_schema.GLOBAL_STATUS"
		" WHERE VARIABLE_NAME = 'PREPARED_STMT_COUNT'");
}

/* Closing a statement has no answer: the server does it a moment later. */
static bool comes_to(int64_t n)
{
	int64_t until = clock_mono_ms() + 10000;

	while (prepared() != n && clock_mono_ms() < until)
		;
	return prepared() == n;
}

/* max_prepared_stmt_count is of the whole server: what is kept makes room. */
static void a_server_without_places(void **state)
{
	struct db_query_limits l = { .timeout_ms = 1000, .max_rows = 2,
				     .max_bytes = 1000 };
	struct db *db = open_foreign();
	struct db_query_result r;

	(void)state;
	assert_non_null(ask(db, "SELECT id FROM ticket WHERE id < 3", NULL, 0,
			    &l, &r));
	assert_true(comes_to(1));
	dbtest_sql("SET GLOBAL max_prepared_stmt_count = 1");
	for (int i = 0; i < 2; i++)
		assert_string_equal(ask(db, "SELECT id + 1 FROM ticket"
					" WHERE id < 3", NULL, 0,
					&l, &r), "[[2],[3]]");
	/* It leaves the place to others now. */
	assert_true(comes_to(0));
	dbtest_sql("SET GLOBAL max_prepared_stmt_count = 0");
	assert_null(ask(db, "SELECT id + 2 FROM ticket", NULL, 0, &l, &r));
	assert_int_equal(e.code, ERR_OVERLOADED);
	err_clear(&e);
	dbtest_sql("SET GLOBAL max_prepared_stmt_count = 16382");
	db_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_query),
		cmocka_unit_test(odd_types),
		cmocka_unit_test(foreign_columns),
		cmocka_unit_test(a_query_is_prepared_once),
		cmocka_unit_test(a_stopped_query_is_no_bad_host),
		cmocka_unit_test(a_server_without_places),
	};

	/* The library's default socket, which "localhost" is. */
	setenv("MYSQL_UNIX_PORT", getenv("LAMPLIGHTER_TEST_DB_SOCKET"), 1);
	return cmocka_run_group_tests(tests, dbtest_open, dbtest_close);
}
