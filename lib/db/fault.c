/* SPDX-License-Identifier: MIT */
/*
 * Errors: what each number means for the connection and the transaction. 1205 undoes
 * only its statement, but the transaction's later statements assume that it
 * succeeded, so all of it is rolled back and run again.
 */
#include <errmsg.h>
#include <mysqld_error.h>
#include <sodium.h>
#include <time.h>

#include "db/link.h"

#include "base/banned.h"

static const struct fault_row {
	unsigned number;
	enum fault fault;
	enum err_code code;
	bool host;		/* the host is at fault, too */
} rows[] = {
	{ 1213, FAULT_RETRY, ERR_DB_RETRY, false },	/* deadlock, certification */
	{ 1020, FAULT_RETRY, ERR_DB_RETRY, false },	/* snapshot isolation */
	{ 1205, FAULT_RETRY, ERR_DB_RETRY, false },	/* lock wait timeout */
	{ 1047, FAULT_LOST, ERR_DB_DOWN, true },	/* Galera: not primary */
	{ 1180, FAULT_LOST, ERR_DB_DOWN, true },	/* Galera: quorum lost in commit */
	{ 1290, FAULT_LOST, ERR_DB_DOWN, true },	/* read-only server */
	{ 1836, FAULT_LOST, ERR_DB_DOWN, true },
	{ 1053, FAULT_LOST, ERR_DB_DOWN, true },	/* shutdown */
	{ 1927, FAULT_LOST, ERR_DB_DOWN, false },	/* connection was killed */
	{ 1243, FAULT_LOST, ERR_DB_DOWN, false },	/* the server does not know the statement */
	{ 2002, FAULT_LOST, ERR_DB_DOWN, true },
	{ 2003, FAULT_LOST, ERR_DB_DOWN, true },
	{ 2005, FAULT_LOST, ERR_DB_DOWN, true },
	{ 2006, FAULT_LOST, ERR_DB_DOWN, true },
	{ 2013, FAULT_LOST, ERR_DB_DOWN, true },
	{ 2014, FAULT_LOST, ERR_DB, false },		/* out of sync */
	{ 2026, FAULT_LOST, ERR_DB_DOWN, true },	/* TLS */
	{ 2027, FAULT_LOST, ERR_DB, false },		/* malformed packet */
	{ 2055, FAULT_LOST, ERR_DB_DOWN, true },
	{ 1040, FAULT_LOST, ERR_OVERLOADED, false },	/* too many connections */
	{ 1203, FAULT_LOST, ERR_OVERLOADED, false },
	{ 1226, FAULT_LOST, ERR_OVERLOADED, false },
	{ 1461, FAULT_RETRY, ERR_OVERLOADED, false },	/* max_prepared_stmt_count */
	{ 1969, FAULT_DATA, ERR_DB_TIMEOUT, false },	/* max_statement_time */
	{ 1317, FAULT_DATA, ERR_DB_TIMEOUT, false },	/* KILL QUERY */
	{ 1062, FAULT_DATA, ERR_DB_DUPLICATE, false },
	{ 1114, FAULT_DATA, ERR_DB_DOWN, false },	/* the disk of a table is full */
	{ 1021, FAULT_DATA, ERR_DB_DOWN, false },	/* the disk is full */
	{ 1878, FAULT_DATA, ERR_DB_DOWN, false },	/* that of temporary files */
	{ 1153, FAULT_LOST, ERR_TOO_BIG, false },
};

enum fault db_fault_of(unsigned number, enum err_code *code)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].number == number) {
			*code = rows[i].code;
			return rows[i].fault;
		}
	*code = ERR_DB;
	return FAULT_DATA;
}

bool db_fault_is_hosts(unsigned number)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].number == number)
			return rows[i].host;
	return false;
}

int link_fail(struct link *c, unsigned number, const char *text,
	      const char *what, struct err *e)
{
	enum err_code code;
	enum fault f = db_fault_of(number, &code);

	if (f > c->fault)
		c->fault = f;
	c->last_error = number;
	return err_set(e, code, "%s: %u %.160s", what, number, text);
}

int link_stmt_fail(struct link *c, MYSQL_STMT *st, const char *what,
		   struct err *e)
{
	unsigned n = mysql_stmt_errno(st);

	/* Errors between rows are recorded on the connection only. */
	if (n)
		return link_fail(c, n, mysql_stmt_error(st), what, e);
	n = mysql_errno(c->my);
	return link_fail(c, n ? n : CR_UNKNOWN_ERROR, mysql_error(c->my), what,
			 e);
}

void db_pause(int n)
{
	uint32_t ms = n >= 5 ? 200 : 10u << n;
	struct timespec ts;

	ms = ms / 2 + randombytes_uniform(ms / 2 + 1);
	ts = (struct timespec){ .tv_nsec = (long)ms * 1000000 };
	nanosleep(&ts, NULL);
}
