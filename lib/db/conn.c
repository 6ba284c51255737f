/*
 * One connection: made, set up, closed, and what its errors mean. Who may use
 * it, and when, is the pool's business.
 */
#include "db/conn.h"

#include <errmsg.h>
#include <fcntl.h>
#include <mysqld_error.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/banned.h"

#define SESSION \
	"SET SESSION sql_mode='STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO," \
	"NO_ENGINE_SUBSTITUTION,ONLY_FULL_GROUP_BY',time_zone='+00:00'," \
	"innodb_lock_wait_timeout=5,max_statement_time=20,wait_timeout=600," \
	"idle_transaction_timeout=30,tx_isolation='READ-COMMITTED',autocommit=1"
#define SESSION_WSREP ",wsrep_sync_wait=1"
/* An admin's database: its own sql_mode and time zone are part of its data. */
#define SESSION_FOREIGN \
	"SET SESSION tx_read_only=1,max_statement_time=60,wait_timeout=600," \
	"tx_isolation='READ-COMMITTED',autocommit=1"

int db_global_init(struct err *e)
{
	if (mysql_library_init(0, NULL, NULL))
		return err_set(e, ERR_INTERNAL, "mysql_library_init failed");
	return 0;
}

void db_global_end(void)
{
	mysql_library_end();
}

int conn_fail(struct conn *c, unsigned number, const char *text,
	      const char *what, struct err *e)
{
	enum err_code code;
	enum fault f = fault_of(number, &code);

	if (f > c->fault)
		c->fault = f;
	return err_set(e, code, "%s: %u %.160s", what, number, text);
}

int conn_stmt_fail(struct conn *c, MYSQL_STMT *st, const char *what,
		   struct err *e)
{
	unsigned n = mysql_stmt_errno(st);

	/* Errors between rows are noted on the link only. */
	if (n)
		return conn_fail(c, n, mysql_stmt_error(st), what, e);
	n = mysql_errno(c->my);
	return conn_fail(c, n ? n : CR_UNKNOWN_ERROR, mysql_error(c->my), what,
			 e);
}

int conn_query(struct conn *c, const char *sql, const char *what,
	       struct err *e)
{
	conn_trip(c);
	if (mysql_real_query(c->my, sql, strlen(sql)))
		return conn_fail(c, mysql_errno(c->my), mysql_error(c->my),
				 what, e);
	return 0;
}

static int read_packet_cap(struct conn *c, struct err *e)
{
	MYSQL_RES *r;
	MYSQL_ROW row;

	if (conn_query(c, "SELECT @@max_allowed_packet", "set-up", e))
		return -1;
	r = mysql_store_result(c->my);
	row = r ? mysql_fetch_row(r) : NULL;
	c->max_packet_bytes = row && row[0] ? strtoul(row[0], NULL, 10) : 0;
	mysql_free_result(r);
	if (!c->max_packet_bytes)
		return conn_fail(c, mysql_errno(c->my), mysql_error(c->my),
				 "set-up", e);
	return 0;
}

static int set_up(struct conn *c, struct err *e)
{
	struct pool *p = c->pool;

	if (p->opt.foreign)
		return conn_query(c, SESSION_FOREIGN, "set-up", e);
	if (!atomic_load(&p->no_wsrep)) {
		if (!conn_query(c, SESSION SESSION_WSREP, "set-up", e))
			return read_packet_cap(c, e);
		if (mysql_errno(c->my) != ER_UNKNOWN_SYSTEM_VARIABLE)
			return -1;
		err_clear(e);
		c->fault = FAULT_NONE;
		atomic_store(&p->no_wsrep, true);
	}
	if (conn_query(c, SESSION, "set-up", e))
		return -1;
	return read_packet_cap(c, e);
}

struct conn *conn_open(struct pool *p, unsigned io_s, struct err *e)
{
	const struct settings *settings = atomic_load(&p->settings);
	const struct conf_db *d = &settings->conf;
	const bool socket = *d->socket, tls = *d->tls_ca && !socket;
	unsigned connect_s = (unsigned)p->opt.connect_timeout_s;
	const my_bool yes = 1, no = 0;
	struct conn *c = xcalloc(1, sizeof(*c));
	MYSQL *my = mysql_init(NULL);
	int fd;

	if (!my)
		BUG("out of memory for a connection");
	c->pool = p;
	c->settings = settings;
	c->my = my;
	c->autocommit = true;
	mysql_options(my, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s);
	mysql_options(my, MYSQL_OPT_READ_TIMEOUT, &io_s);
	mysql_options(my, MYSQL_OPT_WRITE_TIMEOUT, &io_s);
	mysql_options(my, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	mysql_options(my, MYSQL_OPT_LOCAL_INFILE, NULL);
	/* 3.4 verifies by default, even where there is no TLS: say it. */
	mysql_options(my, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, tls ? &yes : &no);
	if (tls) {
		mysql_options(my, MYSQL_OPT_SSL_ENFORCE, &yes);
		mysql_options(my, MYSQL_OPT_SSL_CA, d->tls_ca);
	}
	atomic_fetch_add(&p->connects, 1);
	if (!mysql_real_connect(my, socket ? "localhost" : d->host, d->user,
				d->password, d->name,
				socket ? 0 : (unsigned)d->port,
				socket ? d->socket : NULL, CLIENT_FOUND_ROWS)) {
		enum err_code code;

		fault_of(mysql_errno(my), &code);
		/* Wrong password, unknown database: not usable either. */
		err_set(e, code == ERR_OVERLOADED ? code : ERR_DB_DOWN,
			"connect to database %s: %u %.160s", d->id,
			mysql_errno(my), mysql_error(my));
		goto fail;
	}
	fd = mysql_get_socket(my);
	fcntl(fd, F_SETFD, fcntl(fd, F_GETFD) | FD_CLOEXEC);
	if (set_up(c, e))
		goto fail;
	return c;
fail:
	conn_close(c);
	return NULL;
}

void conn_close(struct conn *c)
{
	conn_drop_preps(c);
	mysql_close(c->my);
	free(c);
}

void conn_abandon(struct conn *c, MYSQL_STMT *st)
{
	/* Closing would read the rest first; now there is nothing to read. */
	shutdown(mysql_get_socket(c->my), SHUT_RDWR);
	mysql_stmt_close(st);
	c->drop = true;
}
