/* SPDX-License-Identifier: MIT */
/* lib/db over a real MariaDB: statements that are whole transactions. */
#include <pthread.h>
#include <stdint.h>

#include "base/clock.h"
#include "db/db.h"
#include "dbtest.h"

enum { ADD, FIND, MOVE, MOVE_BADLY, MOVE_SLOWLY, READ_BOTH, READ_BADLY, NOTE,
	N_STMTS };

static const struct db_stmt stmts[N_STMTS] = {
	DBTEST_STMT(ADD, "ii", "", "UPDATE n SET v = v + ? WHERE id = ?"),
	DBTEST_STMT(FIND, "i", "i", "SELECT i FROM t WHERE i = ?"),
	/* Notes an id in t and moves a number from n 1 to 2, if it is there. */
	DBTEST_WHOLE(MOVE, "iiiii", "i",
		     "INSERT INTO t (i) VALUES (?);"
		     " UPDATE n SET v = v - ? WHERE id = 1 AND v >= ?;"
		     " IF ROW_COUNT() = 1 THEN"
		     " UPDATE n SET v = v + ? WHERE id = 2;"
		     " SELECT v FROM n WHERE id <= ? ORDER BY id; COMMIT;"
		     " ELSE ROLLBACK; END IF;"),
	DBTEST_WHOLE(MOVE_BADLY, "", "s",
		     "UPDATE n SET v = v - 1 WHERE id = 1;"
		     " SELECT v FROM n; COMMIT;"),
	DBTEST_WHOLE(MOVE_SLOWLY, "i", "",
		     "INSERT INTO t (i) VALUES (?);"
		     " UPDATE n SET v = v + 1 WHERE id = 2; COMMIT;"
		     " DO SLEEP(20);"),
	DBTEST_LAST(NOTE, "i", "", "INSERT INTO t (i) VALUES (?)"),
	DBTEST_READS(READ_BOTH, "ii", "i",
		     "SELECT v FROM n WHERE id = ?; SELECT v FROM n WHERE id = ?;"),
	/* The second one has two rows where one may be. */
	DBTEST_READS(READ_BADLY, "", "i",
		     "SELECT v FROM n WHERE id = 1; SELECT (SELECT v FROM n);"),
};

static struct db *open_pool(int pool)
{
	struct db_options o = { .conf = dbtest_conf("t_db_whole", pool),
				.stmts = stmts, .n_stmts = N_STMTS };
	struct db *db;

	err_clear(&e);
	db = db_open(&o, &e);
	assert_non_null(db);
	dbtest_sql("CREATE TABLE t (i BIGINT NOT NULL PRIMARY KEY)");
	dbtest_sql("CREATE TABLE n (id INT NOT NULL PRIMARY KEY,"
		   " v INT NOT NULL)");
	dbtest_sql("INSERT INTO n VALUES (1, 0), (2, 0)");
	return db;
}

struct moving {
	struct arena *a;	/* NULL: the one of the tests */
	int64_t id, by;
	int64_t v[2];		/* of n, as the statement says */
	size_t n;
	bool enough;		/* both rows have come */
	bool looked;		/* an earlier try had done it */
};

static int take_v(void *ctx, const struct db_val *row, struct err *err)
{
	struct moving *m = ctx;

	(void)err;
	assert_true(m->n < 2);
	m->v[m->n++] = row[0].i;
	m->enough = m->n == 2;
	return 0;
}

static int move(struct db *tx, void *ctx, struct err *err)
{
	struct moving *m = ctx;

	m->n = 0;
	m->enough = false;
	return db_each(tx, MOVE, DB_ARGS(DB_I(m->id), DB_I(m->by), DB_I(m->by),
					 DB_I(m->by), DB_I(2)),
		       m->a ? m->a : &a, take_v, m, err);
}

static int move_and_add(struct db *tx, void *ctx, struct err *err)
{
	if (move(tx, ctx, err))
		return -1;
	return db_exec(tx, ADD, DB_ARGS(DB_I(5), DB_I(1)), NULL, err);
}

/* Uses both connections of a pool. */
static int move_and_find(struct db *tx, void *pool, struct err *err)
{
	struct moving m = { .id = 0 };

	if (db_each(tx, FIND, DB_ARGS(DB_I(0)), &a, take_v, &m, err))
		return -1;
	return db_each(pool, FIND, DB_ARGS(DB_I(0)), &a, take_v, &m, err);
}

static void whole_transactions(void **state)
{
	struct db *db = open_pool(1);
	struct moving m = { .id = 1, .by = 3 };
	struct db_stats s, s2;

	(void)state;
	/* Not there: rolled back by itself, and other statements may follow. */
	ok(db_tx(db, move, &m, &e));
	assert_int_equal(m.n, 0);
	ok(db_tx(db, move_and_add, &m, &e));
	assert_int_equal(dbtest_sql("SELECT v FROM n WHERE id = 1"), 5);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM t"), 0);
	ok(db_tx(db, move, &m, &e));
	assert_int_equal(m.n, 2);
	assert_int_equal(m.v[0], 2);
	assert_int_equal(m.v[1], 3);
	assert_int_equal(dbtest_sql("SELECT v FROM n WHERE id = 2"), 3);
	/* What fails in it is undone as a whole. */
	m.by = 1;
	refused(db_tx(db, move, &m, &e), ERR_DB_DUPLICATE);
	assert_int_equal(dbtest_sql("SELECT v FROM n WHERE id = 1"), 2);
	m.id = 2;
	db_stats(db, &s);
	ok(db_tx(db, move, &m, &e));
	db_stats(db, &s2);
	assert_int_equal(s2.round_trips - s.round_trips, 1);
	db_close(db);
}

/* The rows come before the COMMIT, which may be waited for later. */
static void an_end_is_waited_for_later(void **state)
{
	struct db *db = open_pool(1);
	struct moving m = { .id = 1, .by = 3 };
	struct db_early early = { .enough = &m.enough };
	struct db_stats s, s2;

	(void)state;
	/* Rolled back by itself: nothing is left to wait for. */
	ok(db_tx_early(db, move, &m, &early, &e));
	assert_null(early.link);
	ok(db_early_end(&early, &e));
	dbtest_sql("UPDATE n SET v = 9 WHERE id = 1");
	db_stats(db, &s);
	ok(db_tx_early(db, move, &m, &early, &e));
	assert_int_equal(m.n, 2);
	assert_int_equal(m.v[1], 3);
	assert_non_null(early.link);
	ok(db_early_end(&early, &e));
	db_stats(db, &s2);
	assert_int_equal(s2.round_trips - s.round_trips, 1);
	assert_null(early.link);
	ok(db_early_end(&early, &e));	/* once is enough */
	assert_int_equal(dbtest_sql("SELECT v FROM n WHERE id = 2"), 3);
	/* Another statement waits for it: there is one connection. */
	m.id = 7;
	m.by = 0;
	ok(db_tx_early(db, move, &m, &early, &e));
	assert_non_null(early.link);
	m.id = 8;
	ok(db_tx(db, move, &m, &e));
	assert_null(early.link);
	ok(db_early_end(&early, &e));
	m.id = 1;
	m.by = 3;
	/* A failure is none of the end. */
	refused(db_tx_early(db, move, &m, &early, &e), ERR_DB_DUPLICATE);
	assert_null(early.link);
	m.id = 2;
	ok(db_tx(db, move, &m, &e));
	assert_int_equal(dbtest_sql("SELECT v FROM n WHERE id = 2"), 6);
	db_close(db);
}

/* A statement that says so does not wait for the end, if a connection is idle. */
static void another_statement_goes_beside_an_end(void **state)
{
	struct moving m = { .id = 1, .by = 1 };
	struct db_early early = { .enough = &m.enough };
	struct db *db = open_pool(1);

	(void)state;
	for (int pool = 1; pool <= 2; pool++) {
		dbtest_sql("UPDATE n SET v = 9 WHERE id = 1");
		ok(db_tx_early(db, move, &m, &early, &e));
		assert_non_null(early.link);
		db_early_beside(true);
		ok(db_each(db, FIND, DB_ARGS(DB_I(0)), &a, take_v, &m, &e));
		assert_true((early.link != NULL) == (pool == 2));
		db_early_settle();
		assert_null(early.link);
		db_early_beside(false);
		ok(db_early_end(&early, &e));
		m.id++;
		ok(db_tx_early(db, move, &m, &early, &e));
		ok(db_each(db, FIND, DB_ARGS(DB_I(0)), &a, take_v, &m, &e));
		assert_null(early.link);
		ok(db_early_end(&early, &e));
		db_close(db);
		if (pool == 1) {
			db = open_pool(2);
			/* Two connections, of which one is for single statements. */
			ok(db_tx(db, move_and_find, db, &e));
		}
	}
}

static int move_badly(struct db *tx, void *ctx, struct err *err)
{
	return db_each(tx, MOVE_BADLY, DB_NOARGS, &a, take_v, ctx, err);
}

static void whole_with_a_wrong_declaration(void **state)
{
	struct db *db = open_pool(1);
	struct moving m = { .n = 0 };

	(void)state;
	refused(db_tx(db, move_badly, &m, &e), ERR_DB);
	assert_int_equal(m.n, 0);
	dbtest_sql("UPDATE n SET v = 1");
	m.by = 1;
	ok(db_tx(db, move, &m, &e));	/* the pool continues */
	assert_int_equal(m.n, 2);
	db_close(db);
}

static struct db *shared;

/* Locks in the other order. */
static int back(struct db *tx, void *ctx, struct err *err)
{
	(void)ctx;
	if (db_exec(tx, ADD, DB_ARGS(DB_I(1), DB_I(2)), NULL, err))
		return -1;
	return db_exec(tx, ADD, DB_ARGS(DB_I(-1), DB_I(1)), NULL, err);
}

static void *move_many(void *arg)
{
	struct arena own = ARENA_INIT;
	struct moving m = { .a = &own, .id = 1 + (intptr_t)arg * 1000, .by = 1 };
	struct err mine = ERR_INIT;
	bool failed = false;

	for (int i = 0; i < 200 && !failed; i++, m.id++)
		failed = db_tx(shared, move, &m, &mine) != 0;
	arena_release(&own);
	return failed ? arg : NULL;
}

static void *back_many(void *arg)
{
	struct err mine = ERR_INIT;

	for (int i = 0; i < 200; i++)
		if (db_tx(shared, back, NULL, &mine))
			return arg;
	return NULL;
}

static void whole_transactions_are_retried(void **state)
{
	pthread_t t[4];
	struct db_stats s;
	void *failed;

	(void)state;
	shared = open_pool(4);
	dbtest_sql("UPDATE n SET v = 1000");
	for (intptr_t i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i % 2 ? back_many : move_many,
			       (void *)(i + 1));
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &failed);
		assert_null(failed);
	}
	db_stats(shared, &s);
	assert_true(s.retries > 0);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM t"), 400);
	assert_int_equal(dbtest_sql("SELECT v FROM n WHERE id = 1"), 200);
	assert_int_equal(dbtest_sql("SELECT v FROM n WHERE id = 2"), 1800);
	db_close(shared);
}

/* Killed behind its COMMIT, before it has answered: the next run is told. */
static int move_slowly(struct db *tx, void *ctx, struct err *err)
{
	struct moving *m = ctx;

	if (db_tx_unknown(tx)) {
		if (db_each(tx, FIND, DB_ARGS(DB_I(m->id)), &a, take_v, m, err))
			return -1;
		m->looked = m->n == 1;
	}
	if (m->looked)
		return 0;
	return db_exec(tx, MOVE_SLOWLY, DB_ARGS(DB_I(m->id)), NULL, err);
}

static void *kill_when_done(void *arg)
{
	(void)arg;
	dbtest_until(dbtest_sql("SELECT COUNT(*) FROM t WHERE i = 9") == 1);
	/* Not waited for: the next try may have a link before this one is seen to end. */
	dbtest_sql("KILL HARD USER lamplighter");
	return NULL;
}

static void unknown_whole_is_looked_up(void **state)
{
	struct moving m = { .id = 9 };
	struct db *db = open_pool(1);
	pthread_t t;

	(void)state;
	pthread_create(&t, NULL, kill_when_done, NULL);
	ok(db_tx(db, move_slowly, &m, &e));
	pthread_join(t, NULL);
	assert_true(m.looked);
	assert_int_equal(dbtest_sql("SELECT v FROM n WHERE id = 2"), 1);
	db_close(db);
}

static void reads_are_one_round_trip(void **state)
{
	struct db *db = open_pool(1);
	struct moving m = { .n = 0 };
	struct db_stats s, s2;

	(void)state;
	dbtest_sql("UPDATE n SET v = id + 10");
	ok(db_each(db, READ_BOTH, DB_ARGS(DB_I(2), DB_I(1)), &a, take_v, &m, &e));
	assert_int_equal(m.n, 2);
	assert_int_equal(m.v[0], 12);
	assert_int_equal(m.v[1], 11);
	m.n = 0;
	db_stats(db, &s);
	ok(db_each(db, READ_BOTH, DB_ARGS(DB_I(1), DB_I(2)), &a, take_v, &m, &e));
	db_stats(db, &s2);
	assert_int_equal(s2.round_trips - s.round_trips, 1);
	assert_int_equal(m.v[1], 12);
	m.n = 0;
	refused(db_each(db, READ_BADLY, DB_NOARGS, &a, take_v, &m, &e), ERR_DB);
	assert_int_equal(m.n, 1);
	/* Nothing of it is left. */
	ok(db_exec(db, ADD, DB_ARGS(DB_I(5), DB_I(1)), NULL, &e));
	m.n = 0;
	ok(db_each(db, READ_BOTH, DB_ARGS(DB_I(1), DB_I(2)), &a, take_v, &m, &e));
	assert_int_equal(m.v[0], 16);
	db_close(db);
}

static int add_and_note(struct db *tx, void *ctx, struct err *err)
{
	assert_true(db_tx_ends(tx));
	if (db_exec(tx, ADD, DB_ARGS(DB_I(1), DB_I(1)), NULL, err))
		return -1;
	return db_exec(tx, NOTE, DB_ARGS(DB_I(*(int64_t *)ctx)), NULL, err);
}

static int does_not_end(struct db *tx, void *ctx, struct err *err)
{
	(void)ctx;
	(void)err;
	assert_false(db_tx_ends(tx));
	return 0;
}

static int within(struct db *tx, void *ctx, struct err *err)
{
	return db_tx(tx, does_not_end, ctx, err);
}

static void last_ones_commit(void **state)
{
	struct db *db = open_pool(1);
	struct db_stats s, s2;
	int64_t id = 1;

	(void)state;
	ok(db_tx(db, add_and_note, &id, &e));
	id = 2;
	db_stats(db, &s);
	ok(db_tx(db, add_and_note, &id, &e));
	db_stats(db, &s2);
	assert_int_equal(s2.round_trips - s.round_trips, 2);
	assert_int_equal(dbtest_sql("SELECT v FROM n WHERE id = 1"), 2);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM t"), 2);
	/* What came before is undone with it. */
	refused(db_tx(db, add_and_note, &id, &e), ERR_DB_DUPLICATE);
	assert_int_equal(dbtest_sql("SELECT v FROM n WHERE id = 1"), 2);
	id = 3;
	ok(db_tx(db, add_and_note, &id, &e));
	assert_int_equal(dbtest_sql("SELECT v FROM n WHERE id = 1"), 3);
	/* Within another one it would commit what is not complete. */
	ok(db_tx(db, within, NULL, &e));
	assert_false(db_tx_ends(db));
	db_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_transactions),
		cmocka_unit_test(an_end_is_waited_for_later),
		cmocka_unit_test(another_statement_goes_beside_an_end),
		cmocka_unit_test(whole_with_a_wrong_declaration),
		cmocka_unit_test(whole_transactions_are_retried),
		cmocka_unit_test(unknown_whole_is_looked_up),
		cmocka_unit_test(reads_are_one_round_trip),
		cmocka_unit_test(last_ones_commit),
	};

	return cmocka_run_group_tests(tests, dbtest_open, dbtest_close);
}
