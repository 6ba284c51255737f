/* SPDX-License-Identifier: MIT */
/* lib/db over a real MariaDB: pages by bytes, and an arena that is full. */
#include "base/limits.h"
#include "db/db.h"
#include "dbtest.h"

enum { ADD, TEXTS, WHOLE, N_STMTS };

static const struct db_stmt stmts[N_STMTS] = {
	DBTEST_STMT(ADD, "i", "", "UPDATE n SET v = v + ?"),
	DBTEST_STMT(TEXTS, "", "iS", "SELECT i, s FROM t ORDER BY i"),
	DBTEST_WHOLE(WHOLE, "i", "iS",
		     "UPDATE n SET v = v + ?;"
		     " SELECT i, s FROM t ORDER BY i; COMMIT;"),
};

static struct db *open_pool(void)
{
	struct db_options o = { .conf = dbtest_conf("t_db_rows", 1),
				.stmts = stmts, .n_stmts = N_STMTS };
	struct db *db;

	err_clear(&e);
	db = db_open(&o, &e);
	assert_non_null(db);
	dbtest_sql("CREATE TABLE t (i BIGINT NOT NULL PRIMARY KEY,"
		   " s LONGTEXT CHARACTER SET utf8mb4)");
	dbtest_sql("CREATE TABLE n (v INT NOT NULL)");
	dbtest_sql("INSERT INTO n VALUES (0)");
	return db;
}

struct text {
	int64_t i;
	struct str s;
};

static const struct db_field text_fields[] = {
	{ "i", 'i', offsetof(struct text, i), 0 },
	{ "s", 's', offsetof(struct text, s), 0 },
};

/* So many rows of a text of n_bytes, instead of what there is. */
static void put_texts(int rows, size_t n_bytes)
{
	dbtest_sql("DELETE FROM t");
	dbtest_sql("INSERT INTO t (i, s) SELECT seq, REPEAT('x', %zu)"
		   " FROM seq_1_to_%d", n_bytes, rows);
}

static size_t texts_within(struct db *db, size_t max_bytes, bool *cut)
{
	struct text *v = NULL;
	size_t n = 0;

	ok(db_list_within(db, TEXTS, DB_NOARGS, max_bytes, &a, text_fields,
			  sizeof(*v), &v, &n, cut, &e));
	for (size_t i = 0; i < n; i++)
		assert_int_equal(v[i].i, i + 1);
	return n;
}

static void pages_end_by_bytes(void **state)
{
	struct db *db = open_pool();
	struct db_stats s, s2;
	bool cut;

	(void)state;
	assert_int_equal(texts_within(db, 1, &cut), 0);
	assert_false(cut);
	put_texts(10, 1000);
	assert_int_equal(texts_within(db, 100000, &cut), 10);
	assert_false(cut);
	assert_int_equal(texts_within(db, 3500, &cut), 3);
	assert_true(cut);
	/* Never none. */
	assert_int_equal(texts_within(db, 10, &cut), 1);
	assert_true(cut);
	db_stats(db, &s);
	assert_int_equal(s.connects, 1);	/* the rest was read past */
	/* Too much for that: the link is given up, and the pool continues. */
	put_texts(8, 5000000);
	assert_int_equal(texts_within(db, 10, &cut), 1);
	assert_true(cut);
	assert_int_equal(texts_within(db, 100000000, &cut), 8);
	assert_false(cut);
	db_stats(db, &s2);
	assert_int_equal(s2.connects, 2);
	assert_int_equal(s2.lost, s.lost);
	db_close(db);
}

static int cut_in_tx(struct db *tx, void *ctx, struct err *err)
{
	struct text *v = NULL;
	unsigned stmt = *(unsigned *)ctx;
	size_t n = 0;
	bool cut;

	ok(db_list_within(tx, stmt, stmt == WHOLE ? DB_ARGS(DB_I(7)) : DB_NOARGS,
			  10, &a, text_fields, sizeof(*v), &v, &n, &cut, &e));
	assert_int_equal(n, 1);
	assert_true(cut);
	return stmt == WHOLE ? 0 : db_exec(tx, ADD, DB_ARGS(DB_I(7)), NULL, err);
}

/* What is read past is all of it there: the connection has work to finish. */
static void a_cut_page_keeps_its_transaction(void **state)
{
	struct db *db = open_pool();
	struct db_stats s;

	(void)state;
	put_texts(8, 5000000);
	for (unsigned stmt = TEXTS; stmt <= WHOLE; stmt++) {
		dbtest_sql("UPDATE n SET v = 0");
		ok(db_tx(db, cut_in_tx, &stmt, &e));
		assert_int_equal(dbtest_sql("SELECT v FROM n"), 7);
	}
	db_stats(db, &s);
	assert_int_equal(s.connects, 1);
	db_close(db);
}

static void a_full_arena_refuses_rows(void **state)
{
	struct db *db = open_pool();
	struct arena full = ARENA_INIT;
	struct text row;

	(void)state;
	put_texts(3, 1000);
	arena_alloc(&full, LIM_ARENA_BYTES);
	refused(db_get(db, TEXTS, DB_NOARGS, &full, text_fields, &row, &e),
		ERR_TOO_BIG);
	arena_release(&full);
	assert_int_equal(db_get(db, TEXTS, DB_NOARGS, &full, text_fields, &row,
				&e), 1);	/* the link lives */
	arena_release(&full);
	db_close(db);
}

static int add_tx(struct db *tx, void *ctx, struct err *err)
{
	(void)ctx;
	return db_exec(tx, ADD, DB_ARGS(DB_I(1)), NULL, err);
}

/* Others have taken all places for prepared statements but ours. */
static void a_place_of_ones_own_will_do(void **state)
{
	struct db *db = open_pool();
	bool cut;

	(void)state;
	put_texts(1, 10);
	assert_int_equal(texts_within(db, 1000, &cut), 1);
	dbtest_sql("SET GLOBAL max_prepared_stmt_count = 1");
	ok(db_exec(db, ADD, DB_ARGS(DB_I(1)), NULL, &e));
	assert_int_equal(texts_within(db, 1000, &cut), 1);
	ok(db_tx(db, add_tx, NULL, &e));
	assert_int_equal(dbtest_sql("SELECT v FROM n"), 2);
	dbtest_sql("SET GLOBAL max_prepared_stmt_count = 16382");
	db_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_end_by_bytes),
		cmocka_unit_test(a_cut_page_keeps_its_transaction),
		cmocka_unit_test(a_full_arena_refuses_rows),
		cmocka_unit_test(a_place_of_ones_own_will_do),
	};

	return cmocka_run_group_tests(tests, dbtest_open, dbtest_close);
}
