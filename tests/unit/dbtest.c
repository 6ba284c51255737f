/* SPDX-License-Identifier: MIT */
#include "dbtest.h"

#include <mysql.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "db/db.h"

struct arena a = ARENA_INIT;
struct err e = ERR_INIT;

static char current[64];

int dbtest_open(void **state)
{
	(void)state;
	return db_global_init(&e);
}

int dbtest_close(void **state)
{
	(void)state;
	arena_release(&a);
	return 0;
}

static const char *need_env(const char *name)
{
	const char *v = getenv(name);

	if (!v) {
		fprintf(stderr, "%s is not set: run under tests/unit/"
			"with-mariadb\n", name);
		exit(getenv("CI") ? 1 : 77);
	}
	return v;
}

const char *dbtest_sql_dir(void)
{
	static char dir[1024];
	const char *src = getenv("LAMPLIGHTER_SRCDIR");

	snprintf(dir, sizeof(dir), "%s/sql", src ? src : ".");
	return dir;
}

static MYSQL *root(void)
{
	MYSQL *my = mysql_init(NULL);

	mysql_options(my, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	if (!mysql_real_connect(my, "localhost",
				need_env("LAMPLIGHTER_TEST_DB_ROOT"), NULL,
				current[0] ? current : NULL, 0,
				need_env("LAMPLIGHTER_TEST_DB_SOCKET"), 0))
		fail_msg("root: %s", mysql_error(my));
	return my;
}

PRINTF_LIKE(1, 0)
static const char *run(const char *fmt, va_list ap)
{
	static char cell[4096];
	char sql[8192];
	MYSQL *my = root();
	MYSQL_RES *r;
	MYSQL_ROW row;

	vsnprintf(sql, sizeof(sql), fmt, ap);
	if (mysql_query(my, sql))
		fail_msg("%s: %s", sql, mysql_error(my));
	cell[0] = '\0';
	r = mysql_store_result(my);
	row = r ? mysql_fetch_row(r) : NULL;
	if (row && row[0])
		snprintf(cell, sizeof(cell), "%s", row[0]);
	mysql_free_result(r);
	mysql_close(my);
	return cell;
}

int64_t dbtest_sql(const char *fmt, ...)
{
	va_list ap;
	int64_t v;

	va_start(ap, fmt);
	v = strtoll(run(fmt, ap), NULL, 10);
	va_end(ap);
	return v;
}

const char *dbtest_text(const char *fmt, ...)
{
	const char *v;
	va_list ap;

	va_start(ap, fmt);
	v = run(fmt, ap);
	va_end(ap);
	return v;
}

const struct conf_db *dbtest_conf(const char *name, int pool)
{
	static struct conf_db confs[16];
	static char names[16][64];
	static int n;
	struct conf_db *c = &confs[n % 16];

	current[0] = '\0';
	dbtest_sql("DROP DATABASE IF EXISTS %s", name);
	dbtest_sql("CREATE DATABASE %s CHARACTER SET latin1", name);
	snprintf(current, sizeof(current), "%s", name);
	snprintf(names[n % 16], sizeof(names[0]), "%s", name);
	*c = (struct conf_db){
		.id = "app",
		.socket = need_env("LAMPLIGHTER_TEST_DB_SOCKET"),
		.name = names[n++ % 16],
		.user = need_env("LAMPLIGHTER_TEST_DB_USER"),
		.password = need_env("LAMPLIGHTER_TEST_DB_PASSWORD"),
		.pool = pool,
	};
	return c;
}

const struct conf_db *dbtest_schema(const char *name, int pool)
{
	const struct conf_db *c = dbtest_conf(name, pool);
	const struct db_options o = { .conf = c };
	struct db *db = db_open(&o, &e);

	assert_non_null(db);
	ok(db_migrate(db, dbtest_sql_dir(), 0, NULL, &e));
	db_close(db);
	return c;
}

void dbtest_run(const char *const *argv)
{
	int status;
	pid_t pid;

	assert_int_equal(posix_spawnp(&pid, argv[0], NULL, NULL,
				      (char **)argv, environ), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

void dbtest_server(const char *what, const char *signal)
{
	char script[512];

	snprintf(script, sizeof(script), "%s/restart",
		 need_env("LAMPLIGHTER_TEST_DB_DIR"));
	dbtest_run((const char *const[]){ script, what, signal, NULL });
}

void dbtest_breathe(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
}
