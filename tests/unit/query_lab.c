/* SPDX-License-Identifier: MIT */
/* See query_lab.h. */
#include "query_lab.h"

#include "caller_lab.h"

#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "db/db.h"

struct query_lab query_lab;

const char *query_lab_path(const char *name)
{
	static char out[512];

	snprintf(out, sizeof(out), "%s/tests/fixtures/query/%s",
		 getenv("LAMPLIGHTER_SRCDIR"), name);
	return out;
}

void as_user(const char *login, const char *groups, struct arena *a,
	     struct tool_ctx *ctx)
{
	*ctx = (struct tool_ctx){
		.turn = {
			.by = lab_caller(query_lab.conf, login, login, groups, a),
			.env = query_lab.env, .workspace = query_lab.shop,
			.agent = workspace_default_agent(query_lab.shop),
			.abort = query_lab.abort,
		},
		.arena = a,
	};
}

/* One number from the server, with all rights. */
int sql_count(const char *text)
{
	static MYSQL *m;
	MYSQL_RES *res;
	int n;

	if (!m) {
		m = mysql_init(NULL);
		assert_non_null(mysql_real_connect(m, NULL,
			getenv("LAMPLIGHTER_TEST_DB_ROOT"), "", NULL, 0,
			getenv("LAMPLIGHTER_TEST_DB_SOCKET"), 0));
	}
	assert_int_equal(mysql_query(m, text), 0);
	res = mysql_store_result(m);
	n = (int)strtol(mysql_fetch_row(res)[0], NULL, 10);
	mysql_free_result(res);
	return n;
}

json_t *call(const char *login, const char *groups, const char *tool,
		    const char *args, struct arena *a, struct tool_result *r)
{
	struct tool_ctx ctx;
	struct tool_set set;
	struct err e = ERR_INIT;

	as_user(login, groups, a, &ctx);
	assert_int_equal(tool_set_build(&ctx, &set, &e), 0);
	tool_call(&set, &ctx, str_of(tool), str_of(args), r);
	if (!r->is_json)
		return NULL;
	return jx_keep(a, jx_load(r->text, &e));
}

static void sql(MYSQL *m, const char *text)
{
	if (mysql_query(m, text))
		fail_msg("%s: %s", text, mysql_error(m));
}

static void fill(MYSQL *m)
{
	static const char *const statements[] = {
		"CREATE DATABASE shop CHARACTER SET utf8mb4",
		"CREATE USER shop_reader@localhost",
		"GRANT SELECT ON shop.* TO shop_reader@localhost",
		"CREATE TABLE shop.item (id INT PRIMARY KEY AUTO_INCREMENT, "
		"owner VARCHAR(40), name VARCHAR(200), state VARCHAR(10), "
		"amount DECIMAL(12,2), made DATETIME, day DATE, done TINYINT(1), "
		"note LONGTEXT, salary DECIMAL(12,2))",
		"INSERT INTO shop.item (owner,name,state,amount,made,day,done,note,salary) "
		"SELECT 'anna', CONCAT('thing ', seq, ' 50%_! ''\"\\\\'), "
		"IF(seq%3,'open','closed'), seq/4, '2026-01-01' + INTERVAL seq HOUR, "
		"'2026-01-01' + INTERVAL seq DAY, seq%2, '{\"a\":1}', 100 "
		"FROM shop.seq_80",
		"INSERT INTO shop.item (owner,name,state,amount,made,day,done,note,salary) "
		"SELECT 'FOREIGN', CONCAT('FOREIGN ', seq), 'FOREIGN', 666000+seq/100, "
		"'6660-01-01', '6660-01-01', 1, 'FOREIGN', 666000 FROM shop.seq_80",
		"CREATE TABLE shop.item_group (item_id INT, name VARCHAR(40))",
		"INSERT INTO shop.item_group SELECT id, IF(id%2,'sales','FOREIGN') FROM shop.item",
		"CREATE TABLE shop.plain (id INT PRIMARY KEY, big BIGINT, price DECIMAL(8,2), "
		"kind ENUM('red','green') COMMENT 'colour', at DATETIME, on_day DATE, yes BOOLEAN)",
		"INSERT INTO shop.plain VALUES (1, 9007199254740993, 12.5, 'red', "
		"'2026-01-31 14:30:00', '2026-01-31', 1), (2, NULL, NULL, NULL, NULL, NULL, 0)",
		"CREATE TABLE shop.secret (word VARCHAR(40))",
		"INSERT INTO shop.secret VALUES ('FOREIGN word')",
	};

	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		if (i == 4) {	/* numbers without the sequence engine */
			sql(m, "CREATE TABLE shop.seq_80 (seq INT)");
			for (int k = 1; k <= 80; k++) {
				char text[80];

				snprintf(text, sizeof(text), "INSERT INTO "
					 "shop.seq_80 VALUES (%d)", k);
				sql(m, text);
			}
		}
		sql(m, statements[i]);
	}
}

int query_lab_up(void **state)
{
	struct err e = ERR_INIT;
	MYSQL *m;

	(void)state;
	jx_seed();
	assert_int_equal(db_global_init(&e), 0);
	m = mysql_init(NULL);
	if (!mysql_real_connect(m, NULL, getenv("LAMPLIGHTER_TEST_DB_ROOT"), "",
				NULL, 0, getenv("LAMPLIGHTER_TEST_DB_SOCKET"), 0))
		fail_msg("%s", mysql_error(m));
	fill(m);
	mysql_close(m);
	query_lab.conf = conf_load(query_lab_path("lamplighter.yaml"), &e);
	if (!query_lab.conf)
		fail_msg("%s", e.text);
	query_lab.shop = catalog_workspace(query_lab.conf, STR("shop"));
	assert_non_null(query_lab.shop);
	query_lab.env = tool_env_new(NULL);
	return 0;
}

int query_lab_down(void **state)
{
	(void)state;
	tool_env_free(query_lab.env);
	conf_put(query_lab.conf);
	db_global_end();
	return 0;
}
