/* SPDX-License-Identifier: MIT */
/* lib/db over a real MariaDB: values, transactions, the pool. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "db/db.h"
#include "dbtest.h"

enum {
	PUT, ADD, GET, ALL, TEXT, BYTES, ID, SLOW, TIMEOUT, SOONER, LOCK, UNLOCKED, BROKEN,
	N_STMTS,
};

static const struct db_stmt stmts[N_STMTS] = {
	DBTEST_STMT(PUT, "iSBUD", "",
		    "INSERT INTO t (i, s, b, u, d) VALUES (?,?,?,?,?)"),
	DBTEST_STMT(ADD, "ii", "", "UPDATE n SET v = v + ? WHERE id = ?"),
	DBTEST_STMT(GET, "i", "iSBUD", "SELECT i, s, b, u, d FROM t WHERE i = ?"),
	DBTEST_STMT(ALL, "", "i", "SELECT i FROM t ORDER BY i"),
	DBTEST_STMT(TEXT, "i", "S", "SELECT s FROM t WHERE i >= ? ORDER BY i"),
	DBTEST_STMT(BYTES, "i", "B", "SELECT b FROM t WHERE i = ?"),
	DBTEST_STMT(ID, "i", "UI", "SELECT u, i FROM t WHERE i = ?"),
	DBTEST_STMT(SLOW, "d", "I", "SELECT SLEEP(?) + 0 FROM n WHERE id = 1"),
	DBTEST_STMT(TIMEOUT, "", "i",
		    "SELECT IFNULL(CAST(@@max_statement_time AS INTEGER), 0)"),
	DBTEST_STMT(SOONER, "", "", "SET SESSION max_statement_time = 0.2"),
	DBTEST_STMT(LOCK, "i", "i", "SELECT v FROM n WHERE id = ? FOR UPDATE"),
	DBTEST_STMT(UNLOCKED, "i", "i", "SELECT v FROM n WHERE id = ?"),
	DBTEST_STMT(BROKEN, "", "s", "SELECT i FROM t"),
};

struct row {
	int64_t i;
	struct str s, b;
	struct uuid u;
	double d;
};

static const struct db_field fields[] = {
	{ "i", 'i', offsetof(struct row, i), 0 },
	{ "s", 's', offsetof(struct row, s), 0 },
	{ "b", 'b', offsetof(struct row, b), 0 },
	{ "u", 'u', offsetof(struct row, u), 0 },
	{ "d", 'd', offsetof(struct row, d), 0 },
};

static struct db *open_pool(int pool, int wait_ms)
{
	struct db_options o = { .conf = dbtest_conf("t_db", pool),
				.stmts = stmts, .n_stmts = N_STMTS,
				.wait_ms = wait_ms };
	struct db *db;

	err_clear(&e);
	db = db_open(&o, &e);
	assert_non_null(db);
	dbtest_sql("CREATE TABLE t (i BIGINT NOT NULL PRIMARY KEY,"
		   " s LONGTEXT CHARACTER SET utf8mb4, b BLOB,"
		   " u BINARY(16), d DOUBLE)");
	dbtest_sql("CREATE TABLE n (id INT NOT NULL PRIMARY KEY,"
		   " v INT NOT NULL)");
	dbtest_sql("INSERT INTO n VALUES (1, 0), (2, 0)");
	return db;
}

static int64_t value(struct db *db, int64_t id)
{
	int64_t out = -1;

	assert_int_equal(db_int(db, UNLOCKED, DB_ARGS(DB_I(id)), &out, &e), 1);
	return out;
}

/* -- values -------------------------------------------------------------------- */

static void values_come_back(void **state)
{
	static const char nul[] = "a\0b \xf0\x9f\x98\x80";
	struct db *db = open_pool(2, 0);
	struct str text = { nul, sizeof(nul) - 1 };
	struct uuid u = uuid_new();
	struct db_result r;
	struct row row;

	(void)state;
	ok(db_exec(db, PUT, DB_ARGS(DB_I(INT64_MIN), DB_S(text), DB_B(text),
				    DB_U(&u), DB_D(0.1)), &r, &e));
	assert_int_equal(r.affected, 1);
	ok(db_exec(db, PUT, DB_ARGS(DB_I(2), DB_S(STR("")), DB_B(STR("")),
				    DB_U_IF((struct uuid *)NULL), DB_D_IF(0, 0)),
		   NULL, &e));
	ok(db_exec(db, PUT, DB_ARGS(DB_I(3), DB_S_IF((struct str){ 0 }),
				    ((struct db_val){ .type = 'b', .null = true }),
				    DB_U_IF(&(struct uuid){ { 0 } }), DB_D(1e300)),
		   NULL, &e));
	assert_int_equal(db_get(db, GET, DB_ARGS(DB_I(INT64_MIN)), &a, fields,
				&row, &e), 1);
	assert_int_equal(row.i, INT64_MIN);
	assert_true(str_eq(row.s, text));
	assert_true(str_eq(row.b, text));
	assert_true(uuid_eq(&row.u, &u));
	assert_true(row.d == 0.1);
	assert_int_equal(db_get(db, GET, DB_ARGS(DB_I(2)), &a, fields, &row,
				&e), 1);
	assert_non_null(row.s.p);
	assert_int_equal(row.s.n, 0);
	assert_true(uuid_is_nil(&row.u));
	assert_int_equal(db_get(db, GET, DB_ARGS(DB_I(3)), &a, fields, &row,
				&e), 1);
	assert_null(row.s.p);
	assert_null(row.b.p);
	assert_true(row.d == 1e300);
	assert_int_equal(db_get(db, GET, DB_ARGS(DB_I(4)), &a, fields, &row,
				&e), 0);
	refused(db_exec(db, PUT, DB_ARGS(DB_I(3), DB_S(text), DB_B(text),
					 DB_U(&u), DB_D(0)), NULL, &e),
		ERR_DB_DUPLICATE);
	db_close(db);
}

/* The first value of the first row: found, NULL, no row, an error. */
static void one_value(void **state)
{
	struct db *db = open_pool(2, 0);
	struct uuid u = { { 7, 8, 9 } }, id = { { 1 } };
	const struct uuid one = id;
	struct str text = STR("kept");
	int64_t n = 5;

	(void)state;
	assert_int_equal(db_int(db, ALL, DB_NOARGS, &n, &e), 0);
	assert_int_equal(n, 5);
	dbtest_sql("INSERT INTO t VALUES (2, 'two', 'b', UNHEX(RPAD('070809', 32, '0')), 0),"
		   " (3, NULL, NULL, NULL, 0), (4, '', '', NULL, 0)");
	assert_int_equal(db_int(db, ALL, DB_NOARGS, &n, &e), 1);
	assert_int_equal(n, 2);
	/* the other rows of the statement are no obstacle to the next */
	assert_int_equal(db_text(db, TEXT, DB_ARGS(DB_I(2)), &a, &text, &e), 1);
	assert_true(str_is(text, "two"));
	assert_int_equal(db_text(db, BYTES, DB_ARGS(DB_I(2)), &a, &text, &e), 1);
	assert_true(str_is(text, "b"));
	assert_int_equal(db_text(db, TEXT, DB_ARGS(DB_I(3)), &a, &text, &e), 0);
	assert_int_equal(db_text(db, TEXT, DB_ARGS(DB_I(5)), &a, &text, &e), 0);
	assert_true(str_is(text, "b"));
	assert_int_equal(db_text(db, TEXT, DB_ARGS(DB_I(4)), &a, &text, &e), 1);
	assert_true(text.p && !text.n);
	assert_int_equal(db_id(db, ID, DB_ARGS(DB_I(3)), &id, &e), 0);
	assert_int_equal(db_id(db, ID, DB_ARGS(DB_I(5)), &id, &e), 0);
	assert_true(uuid_eq(&id, &one));
	assert_int_equal(db_id(db, ID, DB_ARGS(DB_I(2)), &id, &e), 1);
	assert_true(uuid_eq(&id, &u));
	refused(db_text(db, BROKEN, DB_NOARGS, &a, &text, &e), ERR_DB);
	db_close(db);
}

static void wrong_declaration_is_found(void **state)
{
	struct db *db = open_pool(1, 0);

	(void)state;
	assert_int_equal(db_check_stmts(db, &e), -1);
	assert_int_equal(e.code, ERR_DB);
	assert_non_null(strstr(e.text, "BROKEN: column 1 (i)"));
	err_clear(&e);
	db_close(db);
}

static int count_row(void *ctx, const struct db_val *row, struct err *err)
{
	(void)row;
	(void)err;
	++*(int *)ctx;
	return 0;
}

static void bulk(void **state)
{
	enum { N = 2500 };
	struct db *db = open_pool(2, 0);
	struct db_val *v = arena_zalloc(&a, N * 5, sizeof(*v));
	struct db_stats s, s2;
	struct db_result r;
	struct row row;
	int n = 0;

	(void)state;
	for (int i = 0; i < N; i++) {
		v[i * 5] = DB_I(i);
		v[i * 5 + 1] = i % 3 ? DB_S(STR("text")) : DB_S_IF((struct str){ 0 });
		v[i * 5 + 2] = DB_B(STR(""));
		v[i * 5 + 3] = DB_U_IF((struct uuid *)NULL);
		v[i * 5 + 4] = DB_D(i / 2.0);
	}
	ok(db_exec_rows(db, PUT, v, 1, NULL, &e));
	db_stats(db, &s);
	ok(db_exec_rows(db, PUT, v + 5, N - 1, &r, &e));
	db_stats(db, &s2);
	assert_int_equal(s2.round_trips - s.round_trips, 3);
	assert_int_equal(r.affected, N - 1);
	ok(db_each(db, ALL, DB_NOARGS, &a, count_row, &n, &e));
	assert_int_equal(n, N);
	assert_int_equal(db_get(db, GET, DB_ARGS(DB_I(1001)), &a, fields, &row,
				&e), 1);
	assert_true(str_is(row.s, "text"));
	assert_true(row.d == 500.5);
	assert_int_equal(db_get(db, GET, DB_ARGS(DB_I(999)), &a, fields, &row,
				&e), 1);
	assert_null(row.s.p);
	/* The single form of the same statement works after the bulk one. */
	ok(db_exec(db, PUT, DB_ARGS(DB_I(N), DB_S(STR("x")), DB_B(STR("")),
				    DB_U_IF((struct uuid *)NULL), DB_D(1)), &r, &e));
	assert_int_equal(r.affected, 1);
	/* All or nothing. */
	v[0] = DB_I(N + 1);
	v[5] = DB_I(5);
	refused(db_exec_rows(db, PUT, v, 2, NULL, &e), ERR_DB_DUPLICATE);
	assert_int_equal(db_get(db, GET, DB_ARGS(DB_I(N + 1)), &a, fields, &row,
				&e), 0);
	db_close(db);
}

static void too_big_is_told(void **state)
{
	struct db *db = open_pool(1, 0);
	size_t n = 65u << 20;
	char *big = calloc(1, n);
	struct uuid u = uuid_new();

	(void)state;
	refused(db_exec(db, PUT, DB_ARGS(DB_I(1), DB_S(((struct str){ big, n })),
					 DB_B(STR("")), DB_U(&u), DB_D(0)),
			NULL, &e), ERR_TOO_BIG);
	free(big);
	assert_int_equal(value(db, 1), 0);	/* the link lives */
	db_close(db);
}

/* -- transactions ----------------------------------------------------------------- */

static int add_both(struct db *tx, void *ctx, struct err *err)
{
	const int64_t *first = ctx;

	if (db_exec(tx, ADD, DB_ARGS(DB_I(1), DB_I(*first)), NULL, err))
		return -1;
	return db_exec(tx, ADD, DB_ARGS(DB_I(1), DB_I(3 - *first)), NULL, err);
}

static struct db *shared;

static void *add_many(void *arg)
{
	int64_t first = (intptr_t)arg;
	struct err err = ERR_INIT;

	for (int i = 0; i < 200; i++)
		if (db_tx(shared, add_both, &first, &err)) {
			fprintf(stderr, "%s\n", err.text);
			return arg;
		}
	return NULL;
}

/* Two orders of locking: real deadlocks, and not one increment lost. */
static void deadlocks_are_retried(void **state)
{
	pthread_t t[8];
	struct db_stats s;
	void *failed;

	(void)state;
	shared = open_pool(8, 0);
	for (intptr_t i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, add_many, (void *)(1 + i % 2));
	for (int i = 0; i < 8; i++) {
		pthread_join(t[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(value(shared, 1), 1600);
	assert_int_equal(value(shared, 2), 1600);
	db_stats(shared, &s);
	assert_true(s.retries > 0);
	assert_int_equal(s.lost, 0);
	db_close(shared);
}

static int add_then_fail(struct db *tx, void *ctx, struct err *err)
{
	(void)ctx;
	if (db_exec(tx, ADD, DB_ARGS(DB_I(1), DB_I(1)), NULL, err))
		return -1;
	return err_set(err, ERR_CONFLICT, "no");
}

static int swallow(struct db *tx, void *ctx, struct err *err)
{
	struct err inner = ERR_INIT;

	(void)ctx;
	(void)err;
	assert_int_equal(db_tx(tx, add_then_fail, NULL, &inner), -1);
	return 0;
}

static int nested(struct db *tx, void *ctx, struct err *err)
{
	if (db_tx(tx, add_both, ctx, err))
		return -1;
	return db_tx(tx, add_both, ctx, err);
}

static void rollback_and_nesting(void **state)
{
	struct db *db = open_pool(2, 0);
	int64_t first = 1;

	(void)state;
	refused(db_tx(db, add_then_fail, NULL, &e), ERR_CONFLICT);
	assert_int_equal(value(db, 1), 0);
	refused(db_tx(db, swallow, NULL, &e), ERR_DB);	/* sticky */
	assert_int_equal(value(db, 1), 0);
	ok(db_tx(db, nested, &first, &e));
	assert_int_equal(value(db, 1), 2);
	db_close(db);
}

struct killing {
	int tries;
	int kills;		/* in the first tries, the link is killed */
};

static void kill_links(void)
{
	dbtest_sql("KILL HARD USER lamplighter");
	dbtest_until(dbtest_sql("SELECT COUNT(*) FROM information_schema."
		"processlist WHERE user = 'lamplighter'") == 0);
}

static int add_killed(struct db *tx, void *ctx, struct err *err)
{
	struct killing *k = ctx;

	if (db_exec(tx, ADD, DB_ARGS(DB_I(1), DB_I(1)), NULL, err))
		return -1;
	if (k->tries++ < k->kills)
		kill_links();
	return db_exec(tx, ADD, DB_ARGS(DB_I(1), DB_I(2)), NULL, err);
}

static void lost_link_is_retried(void **state)
{
	struct db *db = open_pool(4, 0);
	struct killing k = { .kills = 2 };
	struct db_stats s;

	(void)state;
	ok(db_tx(db, add_killed, &k, &e));
	assert_int_equal(k.tries, 3);
	assert_int_equal(value(db, 1), 1);
	assert_int_equal(value(db, 2), 1);
	/* Idle links that were killed are not even noticed. */
	kill_links();
	assert_int_equal(value(db, 1), 1);
	kill_links();
	ok(db_exec(db, ADD, DB_ARGS(DB_I(1), DB_I(1)), NULL, &e));
	assert_int_equal(value(db, 1), 2);
	db_stats(db, &s);
	assert_true(s.lost >= 2);
	db_close(db);
}

/* A COMMIT whose answer is lost: the closure is told to look. */
static int put_once(struct db *tx, void *ctx, struct err *err)
{
	struct killing *k = ctx;
	struct uuid u = { { 1 } };
	struct row row;

	if (db_tx_unknown(tx)) {
		int n = db_get(tx, GET, DB_ARGS(DB_I(77)), &a, fields, &row,
			       err);

		if (n)
			return n < 0 ? -1 : 0;
	}
	if (db_exec(tx, PUT, DB_ARGS(DB_I(77), DB_S(STR("x")), DB_B(STR("")),
				     DB_U(&u), DB_D(0)), NULL, err))
		return -1;
	if (k->tries++ < k->kills)
		kill_links();		/* seen by COMMIT */
	return 0;
}

static void unknown_commit_is_looked_up(void **state)
{
	struct db *db = open_pool(2, 0);
	struct killing k = { .kills = 1 };

	(void)state;
	ok(db_tx(db, put_once, &k, &e));
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM t WHERE i = 77"), 1);
	db_close(db);
}

static void statement_timeout(void **state)
{
	struct db *db = open_pool(1, 0);
	int64_t s = 0;
	int n = 0;

	(void)state;
	dbtest_sql("SET GLOBAL max_statement_time = 0");
	assert_int_equal(db_int(db, TIMEOUT, NULL, &s, &e), 1);
	assert_int_equal(s, 20);
	/* Without waiting for so long. */
	ok(db_exec(db, SOONER, NULL, NULL, &e));
	refused(db_each(db, SLOW, DB_ARGS(DB_D(25)), &a, count_row, &n, &e),
		ERR_DB_TIMEOUT);
	assert_int_equal(value(db, 1), 0);
	db_close(db);
}

/* -- the pool ------------------------------------------------------------------------ */

static atomic_int inside, worst;

static int busy_row(void *ctx, const struct db_val *row, struct err *err)
{
	int now = atomic_fetch_add(&inside, 1) + 1, old = atomic_load(&worst);

	(void)ctx;
	(void)row;
	(void)err;
	while (now > old && !atomic_compare_exchange_weak(&worst, &old, now))
		;
	dbtest_breathe();
	atomic_fetch_sub(&inside, 1);
	return 0;
}

static void *use_pool(void *arg)
{
	struct arena own = ARENA_INIT;
	struct err err = ERR_INIT;
	int64_t first = 1;
	void *rc = NULL;

	for (int i = 0; i < 50 && !rc; i++)
		if (db_each(shared, UNLOCKED, DB_ARGS(DB_I(1)), &own, busy_row,
			    NULL, &err) ||
		    db_tx(shared, add_both, &first, &err)) {
			fprintf(stderr, "%s\n", err.text);
			rc = arg;
		}
	arena_release(&own);
	return rc;
}

static void small_pool_many_threads(void **state)
{
	pthread_t t[20];
	struct db_stats s;
	void *failed;

	(void)state;
	shared = open_pool(2, 0);
	for (intptr_t i = 0; i < 20; i++)
		pthread_create(&t[i], NULL, use_pool, (void *)(i + 1));
	for (int i = 0; i < 20; i++) {
		pthread_join(t[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(value(shared, 1), 1000);
	assert_in_range(atomic_load(&worst), 1, 2);
	db_stats(shared, &s);
	assert_true(s.open <= 2);
	assert_int_equal(s.idle, s.open);
	assert_int_equal(s.waiting, 0);
	assert_true(s.waits > 0);
	assert_int_equal(s.connects, 2);
	db_close(shared);
}

/* max_connections of the server below our pool's: those that we have do. */
static void full_server_is_shared(void **state)
{
	pthread_t t[20];
	struct db_stats s;
	void *failed;

	(void)state;
	shared = open_pool(40, 60000);	/* also on a busy machine */
	dbtest_sql("SET GLOBAL max_connections = 10");
	for (intptr_t i = 0; i < 20; i++)
		pthread_create(&t[i], NULL, use_pool, (void *)(i + 1));
	for (int i = 0; i < 20; i++) {
		pthread_join(t[i], &failed);
		assert_null(failed);
	}
	dbtest_sql("SET GLOBAL max_connections = 200");
	assert_int_equal(value(shared, 1), 1000);
	db_stats(shared, &s);
	assert_in_range(s.open, 1, 10);
	db_close(shared);
}

static void *ping(void *arg)
{
	struct err err = ERR_INIT;

	pthread_barrier_wait(arg);
	if (!db_ping(shared, &err))
		return NULL;
	fprintf(stderr, "%s\n", err.text);
	return arg;
}

/*
 * The server has one connection for us, and others have the rest: who is
 * refused another one takes that, also when it came back in the meantime.
 */
static void full_server_has_one_for_two(void **state)
{
	enum { ROUNDS = 20, OTHERS = 20 };
	struct db_options o = { .conf = dbtest_conf("t_db", 2), .wait_ms = 2000 };
	struct db *others[OTHERS];
	pthread_barrier_t start;
	int n = 0;

	(void)state;
	pthread_barrier_init(&start, NULL, 2);
	dbtest_sql("SET GLOBAL max_connections = 10");
	do {
		assert_in_range(n, 0, OTHERS - 1);
		others[n] = db_open(&o, &e);
	} while (db_ping(others[n++], &e) == 0);
	assert_int_equal(e.code, ERR_OVERLOADED);
	err_clear(&e);
	db_close(others[--n]);
	db_close(others[--n]);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t t[2];
		void *failed[2];

		shared = db_open(&o, &e);
		/* The server may not have noticed yet who left. */
		dbtest_until(db_ping(shared, &e) == 0);
		err_clear(&e);
		for (int k = 0; k < 2; k++)
			pthread_create(&t[k], NULL, ping, &start);
		for (int k = 0; k < 2; k++)
			pthread_join(t[k], &failed[k]);
		db_close(shared);
		assert_null(failed[0]);
		assert_null(failed[1]);
	}
	while (n)
		db_close(others[--n]);
	dbtest_sql("SET GLOBAL max_connections = 200");
	pthread_barrier_destroy(&start);
}

static void *hold(void *arg)
{
	struct arena own = ARENA_INIT;
	struct err err = ERR_INIT;
	int n = 0;

	(void)arg;
	(void)!db_each(shared, SLOW, DB_ARGS(DB_D(0.6)), &own, count_row, &n,
		       &err);
	arena_release(&own);
	return NULL;
}

static void waiting_has_an_end(void **state)
{
	pthread_t t;
	struct db_stats s;
	int64_t t0;

	(void)state;
	shared = open_pool(1, 100);
	assert_int_equal(value(shared, 1), 0);
	pthread_create(&t, NULL, hold, NULL);
	dbtest_until((db_stats(shared, &s), s.idle == 0));
	t0 = clock_mono_ms();
	refused(db_ping(shared, &e), ERR_OVERLOADED);
	assert_in_range(clock_mono_ms() - t0, 90, 500);
	pthread_join(t, NULL);
	ok(db_ping(shared, &e));
	db_close(shared);
}

static void modes_settle(void **state)
{
	struct db *db = open_pool(4, 0);
	struct db_stats s, s2;
	int64_t first = 1;

	(void)state;
	for (int i = 0; i < 3; i++) {
		ok(db_tx(db, add_both, &first, &e));
		(void)value(db, 1);
	}
	db_stats(db, &s);
	assert_int_equal(s.open, 2);
	for (int i = 0; i < 10; i++) {
		ok(db_tx(db, add_both, &first, &e));
		(void)value(db, 1);
	}
	db_stats(db, &s2);
	/* No BEGIN, no switching: two updates, COMMIT, one read. */
	assert_int_equal(s2.round_trips - s.round_trips, 40);
	db_close(db);
}

static void server_goes_and_comes(void **state)
{
	struct db *db = open_pool(4, 0);
	int64_t first = 1, t0, total = 0;
	int n = 0;

	(void)state;
	ok(db_tx(db, add_both, &first, &e));
	dbtest_server("stop", NULL);
	for (int i = 0; i < 50; i++) {
		t0 = clock_mono_ms();
		refused(db_tx(db, add_both, &first, &e), ERR_DB_DOWN);
		refused(db_each(db, ALL, DB_NOARGS, &a, count_row, &n, &e),
			ERR_DB_DOWN);
		total += clock_mono_ms() - t0;
	}
	if (total > 2500)
		fail_msg("100 refusals took %d ms", (int)total);
	dbtest_server("start", NULL);
	dbtest_until(db_ping(db, &e) == 0 || (err_clear(&e), false));
	assert_int_equal(value(db, 1), 1);
	dbtest_server("stop", "KILL");
	dbtest_server("start", NULL);
	dbtest_until(db_ping(db, &e) == 0 || (err_clear(&e), false));
	ok(db_tx(db, add_both, &first, &e));
	assert_int_equal(value(db, 1), 2);
	db_close(db);
}

static void wrong_password_is_clear(void **state)
{
	struct conf_db c = *dbtest_conf("t_db", 2);
	struct db_options o = { .conf = &c };
	struct db *db;

	(void)state;
	c.password = "wrong";
	db = db_open(&o, &e);
	assert_non_null(db);
	assert_int_equal(db_ping(db, &e), -1);
	assert_int_equal(e.code, ERR_DB_DOWN);
	assert_non_null(strstr(e.text, "Access denied"));
	assert_null(strstr(err_message(&e), "Access"));
	err_clear(&e);
	db_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_come_back),
		cmocka_unit_test(one_value),
		cmocka_unit_test(wrong_declaration_is_found),
		cmocka_unit_test(bulk),
		cmocka_unit_test(too_big_is_told),
		cmocka_unit_test(deadlocks_are_retried),
		cmocka_unit_test(rollback_and_nesting),
		cmocka_unit_test(lost_link_is_retried),
		cmocka_unit_test(unknown_commit_is_looked_up),
		cmocka_unit_test(statement_timeout),
		cmocka_unit_test(small_pool_many_threads),
		cmocka_unit_test(full_server_is_shared),
		cmocka_unit_test(full_server_has_one_for_two),
		cmocka_unit_test(waiting_has_an_end),
		cmocka_unit_test(modes_settle),
		cmocka_unit_test(wrong_password_is_clear),
		cmocka_unit_test(server_goes_and_comes),
	};

	return cmocka_run_group_tests(tests, dbtest_open, dbtest_close);
}
