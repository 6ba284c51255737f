/* SPDX-License-Identifier: MIT */
/*
 * Transactions that are aborted in the middle of a result: a deadlock with a
 * heavier one, at a moment that the test knows. With a cluster (its sockets in
 * LAMPLIGHTER_TEST_CLUSTER_SOCKETS) the abort is another node's commit. And what
 * a transaction sees of such a commit.
 */
#include <mysql.h>
#include <mysqld_error.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "db/db.h"
#include "dbtest.h"

enum { FIRST, ADD, MOVE, N_STMTS };

static const struct db_stmt stmts[N_STMTS] = {
	DBTEST_STMT(FIRST, "", "i",
		    "SELECT id FROM n WHERE id IN (1, 2) ORDER BY id FOR UPDATE"),
	DBTEST_STMT(ADD, "ii", "", "UPDATE n SET v = v + ? WHERE id = ?"),
	DBTEST_WHOLE(MOVE, "", "i",
		     "UPDATE n SET v = v - 1 WHERE id = 1;"
		     " SELECT v FROM n WHERE id = 1;"
		     " UPDATE n SET v = v + 1 WHERE id = 2; COMMIT;"),
};

struct id_row {
	int64_t id;
};

static const struct db_field id_fields[] = {
	{ "id", 'i', offsetof(struct id_row, id), 0 },
};

static struct db *open_pool(void)
{
	struct db_options o = { .conf = dbtest_conf("t_db_abort", 2),
				.stmts = stmts, .n_stmts = N_STMTS };
	struct db *db;

	err_clear(&e);
	db = db_open(&o, &e);
	assert_non_null(db);
	dbtest_sql("CREATE TABLE n (id INT NOT NULL PRIMARY KEY,"
		   " v INT NOT NULL)");
	dbtest_sql("INSERT INTO n SELECT seq, 0 FROM seq_1_to_400");
	return db;
}

/* -- who aborts it ---------------------------------------------------------- */

static MYSQL *session(const char *socket)
{
	MYSQL *my = mysql_init(NULL);

	if (!mysql_real_connect(my, "localhost",
				getenv("LAMPLIGHTER_TEST_DB_ROOT"), NULL,
				NULL, 0, socket, 0))
		fail_msg("%s: %s", socket, mysql_error(my));
	return my;
}

static void run(MYSQL *my, const char *sql)
{
	if (mysql_query(my, sql))
		fail_msg("%s: %s", sql, mysql_error(my));
	mysql_free_result(mysql_store_result(my));
}

/* A node's, or the one server's; it has seen what was done on the first. */
static MYSQL *in_database(const char *socket)
{
	MYSQL *my = session(socket);

	if (getenv("LAMPLIGHTER_TEST_CLUSTER_SOCKETS")) {
		run(my, "SET SESSION wsrep_sync_wait=15");
		run(my, "SELECT COUNT(*) FROM mysql.db");	/* USE does not wait */
	}
	run(my, "USE t_db_abort");
	return my;
}

static MYSQL *other;		/* holds row 2, and is the heavier one */

static void hold(void)
{
	other = in_database(getenv("LAMPLIGHTER_TEST_DB_SOCKET"));
	run(other, "BEGIN");
	run(other, "UPDATE n SET v = v WHERE id = 2");
	run(other, "UPDATE n SET v = v + 100 WHERE id > 2");
}

/* It may have been aborted, which MariaDB 11.8 says only now: it is over then, too. */
static void let_go(void)
{
	if (mysql_query(other, "ROLLBACK"))
		assert_int_equal(mysql_errno(other), ER_LOCK_DEADLOCK);
	run(other, "SELECT 1");		/* the status of an error is the one before */
	assert_false(other->server_status & SERVER_STATUS_IN_TRANS);
	mysql_close(other);
	other = NULL;
}

/* Our side's: the test waits in its statement meanwhile. */
static void *abort_it(void *unused)
{
	const char *second = getenv("LAMPLIGHTER_TEST_CLUSTER_SOCKETS");
	MYSQL *my;

	(void)unused;
	/* Not innodb_trx: who asks it often gets the same copy each time. */
	dbtest_until(dbtest_sql("SELECT CAST(variable_value AS SIGNED)"
				" FROM information_schema.global_status"
				" WHERE variable_name ="
				" 'INNODB_ROW_LOCK_CURRENT_WAITS'") > 0);
	if (second) {
		char path[128];

		second = strchr(second, ':') + 1;
		snprintf(path, sizeof(path), "%.*s",
			 (int)strcspn(second, ":"), second);
		my = in_database(path);
		run(my, "UPDATE n SET v = v + 1000 WHERE id = 1");
		mysql_close(my);
		/* Applied here, and with it the other one is gone. */
		dbtest_until(dbtest_sql("SELECT v FROM n WHERE id = 1") > 500);
	} else {
		run(other, "UPDATE n SET v = v + 1000 WHERE id = 1");
	}
	return NULL;
}

struct aborted {
	int tries, unknown;
	pthread_t thread;
	db_tx_fn *fn;
};

static int once_aborted(struct db *tx, void *ctx, struct err *err)
{
	struct aborted *k = ctx;
	bool first = k->tries++ == 0;
	int rc;

	k->unknown += db_tx_unknown(tx);
	if (first) {
		hold();
		assert_int_equal(pthread_create(&k->thread, NULL, abort_it,
						NULL), 0);
	}
	rc = k->fn(tx, ctx, err);
	if (first) {
		pthread_join(k->thread, NULL);
		let_go();
	}
	return rc;
}

static void aborted(struct db *db, db_tx_fn *fn)
{
	struct aborted k = { .fn = fn };

	ok(db_tx(db, once_aborted, &k, &e));
	assert_int_equal(k.tries, 2);
	assert_int_equal(k.unknown, 0);
}

static int64_t v_of(int id)
{
	return dbtest_sql("SELECT v %% 1000 FROM n WHERE id = %d", id);
}

/* -- what is aborted ----------------------------------------------------------- */

static int get_and_add(struct db *tx, void *ctx, struct err *err)
{
	struct id_row row = { 0 };
	int got = db_get(tx, FIRST, DB_NOARGS, &a, id_fields, &row, err);

	(void)ctx;
	if (got < 0)
		return -1;
	assert_int_equal(got, 1);
	assert_int_equal(row.id, 1);
	return db_exec(tx, ADD, DB_ARGS(DB_I(1), DB_I(2)), NULL, err);
}

static void an_error_behind_a_row(void **state)
{
	struct db *db = open_pool();

	(void)state;
	aborted(db, get_and_add);
	assert_int_equal(v_of(2), 1);
	db_close(db);
}

static int add_rows(struct db *tx, void *ctx, struct err *err)
{
	const struct db_val rows[] = { DB_I(1), DB_I(1), DB_I(1), DB_I(2) };

	(void)ctx;
	return db_exec_rows(tx, ADD, rows, 2, NULL, err);
}

static void a_bulk_execute(void **state)
{
	struct db *db = open_pool();

	(void)state;
	aborted(db, add_rows);
	assert_int_equal(v_of(1), 1);
	assert_int_equal(v_of(2), 1);
	db_close(db);
}

static int take_v(void *ctx, const struct db_val *row, struct err *err)
{
	(void)ctx;
	(void)row;
	(void)err;
	return 0;
}

static int move(struct db *tx, void *ctx, struct err *err)
{
	return db_each(tx, MOVE, DB_NOARGS, &a, take_v, ctx, err);
}

static void behind_the_rows_of_a_whole_transaction(void **state)
{
	struct db *db = open_pool();
	struct db_stats s, s2;

	(void)state;
	ok(db_tx(db, move, NULL, &e));
	db_stats(db, &s);
	aborted(db, move);
	db_stats(db, &s2);
	/* Nothing is left unread: the same link continues. */
	assert_int_equal(s2.lost, s.lost);
	assert_int_equal(s2.connects, s.connects);
	assert_int_equal(v_of(2), 2);
	ok(db_tx(db, move, NULL, &e));
	assert_int_equal(v_of(2), 3);
	db_close(db);
}

/* -- what another node has just written -------------------------------------------- */

static int add_to(struct db *tx, void *ctx, struct err *err)
{
	struct db_result r;

	if (db_exec(tx, ADD, DB_ARGS(DB_I(1), DB_I(*(int64_t *)ctx)), &r, err))
		return -1;
	return r.affected == 1 ? 0
		: err_set(err, ERR_CONFLICT, "a row that is not there yet");
}

/* Also a transaction that begins with an UPDATE sees it, not only one that reads. */
static void an_update_comes_after_other_nodes_writes(void **state)
{
	struct db *db = open_pool();
	const char *second = getenv("LAMPLIGHTER_TEST_CLUSTER_SOCKETS");
	char path[128], sql[64];
	MYSQL *my;

	(void)state;
	second = second ? strchr(second, ':') + 1
		: getenv("LAMPLIGHTER_TEST_DB_SOCKET");
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(second, ":"), second);
	my = in_database(path);
	for (int64_t id = 1000; id < 1300; id++) {
		snprintf(sql, sizeof(sql), "INSERT INTO n VALUES (%d, 0)",
			 (int)id);
		run(my, sql);
		ok(db_tx(db, add_to, &id, &e));
	}
	mysql_close(my);
	db_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_behind_a_row),
		cmocka_unit_test(a_bulk_execute),
		cmocka_unit_test(behind_the_rows_of_a_whole_transaction),
		cmocka_unit_test(an_update_comes_after_other_nodes_writes),
	};

	return cmocka_run_group_tests(tests, dbtest_open, dbtest_close);
}
