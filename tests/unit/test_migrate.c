/* SPDX-License-Identifier: MIT */
/* lib/db: migrations, alone, together, and cut short. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "db/db.h"
#include "db/split.h"
#include "dbtest.h"

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
		struct str *s = db_split_sql(&a, str_of(cases[i].text), &n);

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
	dbtest_run((const char *const[]){ "rm", "-r", dir, NULL });
}

static void migrate_twice(void **state)
{
	struct db *db = open_empty();
	struct db_migration m = { .progress = NULL };
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
	struct db_migration m = { .progress = NULL };
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

/* As the one who works does whose lease lapsed while its statement ran. */
static void *record_late(void *unused)
{
	(void)unused;
	dbtest_until(dbtest_sql("SELECT COUNT(*) FROM schema_lock"
				" WHERE owner NOT IN ('', 'other')"));
	dbtest_sql("INSERT INTO schema_step SELECT * FROM kept");
	return NULL;
}

static void a_statement_longer_than_its_lease_runs_once(void **state)
{
	char *dir = make_dir("0001-a.sql",
		"CREATE TABLE IF NOT EXISTS one (id INT PRIMARY KEY"
		" AUTO_INCREMENT); INSERT INTO one () VALUES ()", NULL, NULL);
	struct db *db = open_empty();
	struct db_migration m = { .progress = NULL };
	pthread_t other;

	(void)state;
	ok(db_migrate(db, dir, 30, &m, &e));
	dbtest_sql("CREATE TABLE kept AS SELECT * FROM schema_step"
		   " WHERE step = 2");
	dbtest_sql("DELETE FROM schema_step WHERE step = 2");
	dbtest_sql("UPDATE schema_lock SET owner = 'other',"
		   " until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND");
	assert_int_equal(pthread_create(&other, NULL, record_late, NULL), 0);
	ok(db_migrate(db, dir, 30, &m, &e));
	pthread_join(other, NULL);
	assert_int_equal(m.steps_run, 0);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM one"), 1);
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
	dir = make_dir("0001-a.sql", "DO 1; DO 22", "0002-b.sql", "DO 3");
	refused(db_migrate(db, dir, 1, NULL, &e), ERR_CONFIG);
	remove_dir(dir);
	/* A running process of before goes on; an older program does not begin. */
	dir = make_dir("0001-a.sql", "DO 1; DO 2", NULL, NULL);
	ok(db_schema_check(db, dir, &e));
	refused(db_schema_not_newer(db, 1, &e), ERR_CONFIG);
	ok(db_schema_not_newer(db, 2, &e));
	assert_int_equal(db_migrate(db, dir, 1, NULL, &e), -1);
	assert_non_null(strstr(e.text, "newer version (migration 0002)"));
	err_clear(&e);
	remove_dir(dir);
	dir = make_dir("0001-a.sql", "DO 1", "0001-b.sql", "DO 2");
	refused(db_migrate(db, dir, 1, NULL, &e), ERR_CONFIG);
	remove_dir(dir);
	db_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(split_cases),
		cmocka_unit_test(migrate_twice),
		cmocka_unit_test(migrate_together),
		cmocka_unit_test(killed_migration_is_resumed),
		cmocka_unit_test(a_statement_longer_than_its_lease_runs_once),
		cmocka_unit_test(migration_files_are_checked),
	};

	return cmocka_run_group_tests(tests, dbtest_open, dbtest_close);
}
