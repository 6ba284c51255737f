/* lib/db over a real MariaDB: pool, statements, transactions, migrations. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "db/db.h"
#include "db/split.h"
#include "dbtest.h"

enum { PUT, ADD, GET, ALL, SLOW, LOCK, UNLOCKED, BROKEN, N_STMTS };

static const struct db_stmt stmts[N_STMTS] = {
	[PUT] = { "PUT", "iSBUD", "",
		  "INSERT INTO t (i, s, b, u, d) VALUES (?,?,?,?,?)" },
	[ADD] = { "ADD", "ii", "", "UPDATE n SET v = v + ? WHERE id = ?" },
	[GET] = { "GET", "i", "iSBUD",
		  "SELECT i, s, b, u, d FROM t WHERE i = ?" },
	[ALL] = { "ALL", "", "i", "SELECT i FROM t ORDER BY i" },
	[SLOW] = { "SLOW", "d", "I",
		   "SELECT SLEEP(?) + 0 FROM n WHERE id = 1" },
	[LOCK] = { "LOCK", "i", "i", "SELECT v FROM n WHERE id = ? FOR UPDATE" },
	[UNLOCKED] = { "UNLOCKED", "i", "i", "SELECT v FROM n WHERE id = ?" },
	[BROKEN] = { "BROKEN", "", "s", "SELECT i FROM t" },
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

static struct err e = ERR_INIT;
static struct arena a = ARENA_INIT;

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
	static const struct db_field v[] = { { "v", 'i', 0, 0 } };
	int64_t out = -1;

	assert_int_equal(db_get(db, UNLOCKED, DB_ARGS(DB_I(id)), &a, v, &out,
				&e), 1);
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
	int n = 0;

	(void)state;
	dbtest_sql("SET GLOBAL max_statement_time = 0");
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
	dbtest_server("stop");
	for (int i = 0; i < 50; i++) {
		t0 = clock_mono_ms();
		refused(db_tx(db, add_both, &first, &e), ERR_DB_DOWN);
		refused(db_each(db, ALL, DB_NOARGS, &a, count_row, &n, &e),
			ERR_DB_DOWN);
		total += clock_mono_ms() - t0;
	}
	if (total > 2500)
		fail_msg("100 refusals took %d ms", (int)total);
	dbtest_server("start");
	dbtest_until(db_ping(db, &e) == 0 || (err_clear(&e), false));
	assert_int_equal(value(db, 1), 1);
	dbtest_server("stop KILL");
	dbtest_server("start");
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

/* -- foreign databases ---------------------------------------------------------------- */

static char heads[256];

static void note_head(void *ctx, const struct db_column *c, size_t n)
{
	(void)ctx;
	heads[0] = '\0';
	for (size_t i = 0; i < n; i++)
		snprintf(heads + strlen(heads), sizeof(heads) - strlen(heads),
			 "%s:%d ", c[i].name, (int)c[i].type);
}

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
	if (db_query_json(db, str_of(sql), args, n, l, &a, &w, note_head, NULL,
			  r, &e))
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
	snprintf(heads + 200, 50, "id:%d status:%d cost:%d", COL_INTEGER,
		 COL_TEXT, COL_DECIMAL);
	assert_memory_equal(heads, heads + 200, strlen(heads + 200));
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

/* -- migrations -------------------------------------------------------------------------- */

static void split_cases(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		const char *first;
	} cases[] = {
		{ "", 0, NULL }, { " ;; -- x;\n", 0, NULL },
		{ "a;b", 2, "a" }, { "a 'x;y' ; b", 2, "a 'x;y'" },
		{ "a 'it''s;' \";\" `;` b", 1, "a 'it''s;' \";\" `;` b" },
		{ "a '\\';' b;", 1, "a '\\';' b" },
		{ "-- c;\na # d;\n/* e; */ b;", 1, "a   b" },
		{ "a--b; c", 2, "a--b" }, { "a 'open", 1, "a 'open" },
		{ "/* open", 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t n;
		struct str *s = sql_split(&a, str_of(cases[i].text), &n);

		assert_int_equal(n, cases[i].n);
		if (cases[i].first && !strchr(cases[i].text, '#'))
			assert_str_is(s[0], cases[i].first);
	}
}

static struct db *open_empty(void)
{
	struct db_options o = { .conf = dbtest_conf("t_migrate", 2) };
	struct db *db;

	err_clear(&e);
	db = db_open(&o, &e);
	assert_non_null(db);
	return db;
}

static char *make_dir(const char *name1, const char *text1,
		      const char *name2, const char *text2)
{
	const char *const files[][2] = { { name1, text1 }, { name2, text2 } };
	char *dir = arena_strdup(&a, "/tmp/lamp-sql.XXXXXX");

	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < 2; i++) {
		FILE *f;

		if (!files[i][0])
			continue;
		f = fopen(arena_printf(&a, "%s/%s", dir, files[i][0]), "w");
		assert_non_null(f);
		fputs(files[i][1], f);
		fclose(f);
	}
	return dir;
}

static void remove_dir(const char *dir)
{
	assert_int_equal(system(arena_printf(&a, "rm -r %s", dir)), 0);
}

static void migrate_twice(void **state)
{
	struct db *db = open_empty();
	struct db_migration m;
	int64_t steps;

	(void)state;
	refused(db_schema_check(db, dbtest_sql_dir(), &e), ERR_CONFIG);
	ok(db_migrate(db, dbtest_sql_dir(), 0, &m, &e));
	assert_true(m.steps_run > 0 && m.version > 0);
	ok(db_schema_check(db, dbtest_sql_dir(), &e));
	steps = dbtest_sql("SELECT COUNT(*) FROM schema_step");
	assert_int_equal(steps, m.steps_run);
	ok(db_migrate(db, dbtest_sql_dir(), 0, &m, &e));
	assert_int_equal(m.steps_run, 0);
	/* Every statement can run again: as after a crash before the record. */
	dbtest_sql("DELETE FROM schema_step");
	ok(db_migrate(db, dbtest_sql_dir(), 0, &m, &e));
	assert_int_equal(m.steps_run, steps);
	/* What the docs promise of every column, and of every table. */
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM information_schema."
		"columns WHERE table_schema = 't_migrate'"
		" AND column_comment = ''"), 0);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM information_schema."
		"tables WHERE table_schema = 't_migrate' AND (engine <>"
		" 'InnoDB' OR table_comment = '')"), 0);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM information_schema."
		"columns WHERE table_schema = 't_migrate' AND collation_name"
		" NOT LIKE 'utf8mb4_%%'"), 0);
	db_close(db);
}

static void migrate_together(void **state)
{
	enum { N = 6 };
	struct db *db = open_empty();
	pid_t pid[N];
	int status;

	(void)state;
	for (int i = 0; i < N; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			const struct db_options o = {
				.conf = &(struct conf_db){
				.socket = getenv("LAMPLIGHTER_TEST_DB_SOCKET"),
				.user = getenv("LAMPLIGHTER_TEST_DB_USER"),
				.password = getenv("LAMPLIGHTER_TEST_DB_PASSWORD"),
				.name = "t_migrate", .pool = 1 } };
			struct err err = ERR_INIT;
			struct db *own = db_open(&o, &err);
			int rc = db_migrate(own, dbtest_sql_dir(), 60, NULL,
					    &err);

			if (!rc)
				rc = db_schema_check(own, dbtest_sql_dir(), &err);
			if (rc)
				fprintf(stderr, "%s\n", err.text);
			_exit(rc ? 1 : 0);
		}
		assert_true(pid[i] > 0);
	}
	for (int i = 0; i < N; i++) {
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	ok(db_schema_check(db, dbtest_sql_dir(), &e));
	db_close(db);
}

static void killed_migration_is_resumed(void **state)
{
	char *dir = make_dir("0001-a.sql",
		"CREATE TABLE IF NOT EXISTS one (id INT PRIMARY KEY);"
		"INSERT IGNORE INTO one SELECT SLEEP(3);"
		"CREATE TABLE IF NOT EXISTS two (id INT PRIMARY KEY);", NULL, NULL);
	struct db *db = open_empty();
	struct db_migration m;
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		const struct db_options o = { .conf = &(struct conf_db){
			.socket = getenv("LAMPLIGHTER_TEST_DB_SOCKET"),
			.user = getenv("LAMPLIGHTER_TEST_DB_USER"),
			.password = getenv("LAMPLIGHTER_TEST_DB_PASSWORD"),
			.name = "t_migrate", .pool = 1 } };
		struct err err = ERR_INIT;

		_exit(db_migrate(db_open(&o, &err), dir, 60, NULL, &err) ? 1 : 0);
	}
	dbtest_until(dbtest_sql("SELECT COUNT(*) FROM information_schema.tables"
		" WHERE table_schema = 't_migrate' AND table_name = 'one'"));
	dbtest_until(dbtest_sql("SELECT COUNT(*) FROM schema_step") == 1);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	/* The lease stands until it runs out: others do not rush in. */
	refused(db_migrate(db, dir, 1, &m, &e), ERR_DB_RETRY);
	assert_true(m.waited);
	dbtest_sql("UPDATE schema_lock SET until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND");
	ok(db_migrate(db, dir, 30, &m, &e));
	assert_int_equal(m.steps_run, 2);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM schema_step"), 3);
	remove_dir(dir);
	db_close(db);
}

static void migration_files_are_checked(void **state)
{
	struct db *db = open_empty();
	char *dir;

	(void)state;
	refused(db_migrate(db, "/nonexistent", 1, NULL, &e), ERR_CONFIG);
	dir = make_dir(NULL, NULL, "readme.txt", "x");
	refused(db_migrate(db, dir, 1, NULL, &e), ERR_CONFIG);
	remove_dir(dir);
	dir = make_dir("0001-a.sql", "SELEKT 1", NULL, NULL);
	assert_int_equal(db_migrate(db, dir, 1, NULL, &e), -1);
	assert_non_null(strstr(e.text, "migration 0001, statement 1"));
	err_clear(&e);
	remove_dir(dir);
	/* A comment may change later; a statement may not. */
	dir = make_dir("0001-a.sql", "DO 1; DO 2", NULL, NULL);
	ok(db_migrate(db, dir, 1, NULL, &e));
	remove_dir(dir);
	dir = make_dir("0001-a.sql", "-- words\nDO 1; DO 2", "0002-b.sql", "DO 3");
	refused(db_schema_check(db, dir, &e), ERR_CONFIG);
	ok(db_migrate(db, dir, 1, NULL, &e));
	remove_dir(dir);
	dir = make_dir("0001-a.sql", "DO 1; DO 22", NULL, NULL);
	refused(db_migrate(db, dir, 1, NULL, &e), ERR_CONFIG);
	remove_dir(dir);
	/* An older program on a newer database goes on. */
	dir = make_dir("0001-a.sql", "DO 1; DO 2", NULL, NULL);
	ok(db_schema_check(db, dir, &e));
	remove_dir(dir);
	dir = make_dir("0001-a.sql", "DO 1", "0001-b.sql", "DO 2");
	refused(db_migrate(db, dir, 1, NULL, &e), ERR_CONFIG);
	remove_dir(dir);
	db_close(db);
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&a);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_come_back),
		cmocka_unit_test(wrong_declaration_is_found),
		cmocka_unit_test(bulk),
		cmocka_unit_test(too_big_is_told),
		cmocka_unit_test(deadlocks_are_retried),
		cmocka_unit_test(rollback_and_nesting),
		cmocka_unit_test(lost_link_is_retried),
		cmocka_unit_test(unknown_commit_is_looked_up),
		cmocka_unit_test(statement_timeout),
		cmocka_unit_test(small_pool_many_threads),
		cmocka_unit_test(waiting_has_an_end),
		cmocka_unit_test(modes_settle),
		cmocka_unit_test(wrong_password_is_clear),
		cmocka_unit_test(foreign_query),
		cmocka_unit_test(foreign_columns),
		cmocka_unit_test(split_cases),
		cmocka_unit_test(migrate_twice),
		cmocka_unit_test(migrate_together),
		cmocka_unit_test(killed_migration_is_resumed),
		cmocka_unit_test(migration_files_are_checked),
		cmocka_unit_test(server_goes_and_comes),
	};

	if (db_global_init(&e))
		return 1;
	return cmocka_run_group_tests(tests, NULL, teardown);
}
