/* SPDX-License-Identifier: MIT */
/*
 * One connection: opening, set-up, closing. The pool decides who uses it, and when.
 */
#include "db/link.h"

#include <fcntl.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/banned.h"

#define SESSION \
	"SET SESSION sql_mode='STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO," \
	"NO_ENGINE_SUBSTITUTION,ONLY_FULL_GROUP_BY',time_zone='+00:00'," \
	"innodb_lock_wait_timeout=5,max_statement_time=20,wait_timeout=600," \
	"idle_transaction_timeout=30,tx_isolation='READ-COMMITTED',autocommit=1"
/*
 * Reads, updates and inserts wait for other nodes' writes: a transaction that
 * begins with an UPDATE would otherwise not find a row that another node has just
 * written. Only the first statement of a transaction waits.
 */
#define SESSION_WSREP ",wsrep_sync_wait=7"
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

int link_query(struct link *c, const char *sql, const char *what,
	       struct err *e)
{
	TRACE_SPAN(TRACE_DB, sql);

	link_trip(c);
	if (mysql_real_query(c->my, sql, strlen(sql)))
		return link_fail(c, mysql_errno(c->my), mysql_error(c->my),
				 what, e);
	return 0;
}

/* The packet limit, and with ", @@wsrep_on" as more whether it is a cluster. */
static int read_server(struct link *c, const char *more, struct err *e)
{
	MYSQL_RES *r;
	MYSQL_ROW row;
	char sql[64];

	snprintf(sql, sizeof(sql), "SELECT @@max_allowed_packet%s", more);
	if (link_query(c, sql, "set-up", e))
		return -1;
	r = mysql_store_result(c->my);
	row = r ? mysql_fetch_row(r) : NULL;
	c->max_packet_bytes = row && row[0] ? strtoul(row[0], NULL, 10) : 0;
	c->cluster = row && *more && row[1] && strcmp(row[1], "0") != 0;
	mysql_free_result(r);
	if (!c->max_packet_bytes)
		return link_fail(c, mysql_errno(c->my), mysql_error(c->my),
				 "set-up", e);
	return 0;
}

static int set_up(struct link *c, struct err *e)
{
	struct pool *p = c->pool;

	if (p->opt.foreign)
		return link_query(c, SESSION_FOREIGN, "set-up", e);
	if (!atomic_load(&p->no_wsrep)) {
		if (!link_query(c, SESSION SESSION_WSREP, "set-up", e))
			return read_server(c, ", @@wsrep_on", e);
		if (mysql_errno(c->my) != ER_UNKNOWN_SYSTEM_VARIABLE)
			return -1;
		err_clear(e);
		c->fault = FAULT_NONE;
		atomic_store(&p->no_wsrep, true);
	}
	if (link_query(c, SESSION, "set-up", e))
		return -1;
	return read_server(c, "", e);
}

/* Writes the first row's last column as text to out; "" if there is none. */
static int ask(struct link *c, const char *sql, char *out, size_t size,
	       struct err *e)
{
	MYSQL_RES *r;
	MYSQL_ROW row;
	unsigned n;

	*out = '\0';
	if (link_query(c, sql, "host", e))
		return -1;
	r = mysql_store_result(c->my);
	if (!r)
		return link_fail(c, mysql_errno(c->my), mysql_error(c->my),
				 "host", e);
	n = mysql_num_fields(r);
	row = mysql_fetch_row(r);
	if (row && row[n - 1])
		snprintf(out, size, "%s", row[n - 1]);
	mysql_free_result(r);
	return 0;
}

int link_usable(struct link *c, struct err *e)
{
	char value[16];

	if (ask(c, "SHOW STATUS LIKE 'wsrep_ready'", value, sizeof(value), e))
		return -1;
	/* A server without a cluster also says OFF, or nothing. */
	if (strcmp(value, "OFF") == 0) {
		if (ask(c, "SHOW GLOBAL VARIABLES LIKE 'wsrep_on'", value,
			sizeof(value), e))
			return -1;
		if (strcmp(value, "ON") == 0)
			return err_set(e, ERR_DB_DOWN, "the node is not ready "
				       "(wsrep_ready is OFF): it is joining, or "
				       "has no quorum");
	}
	if (c->pool->opt.foreign)
		return 0;
	if (ask(c, "SELECT @@global.read_only", value, sizeof(value), e))
		return -1;
	if (strcmp(value, "1") == 0)
		return err_set(e, ERR_DB_DOWN, "the server is read-only");
	return 0;
}

static int connect_to(struct link *c, const struct conf_db *d, const char *host,
		      int port, unsigned io_s, struct err *e)
{
	const bool socket = *d->socket, tls = *d->tls_ca && !socket;
	unsigned connect_s = (unsigned)c->pool->opt.connect_timeout_s;
	const my_bool yes = 1, no = 0;
	const unsigned off = 0;
	enum err_code code;
	MYSQL *my = c->my;
	TRACE_SPAN(TRACE_CONNECT, d->id);

	mysql_options(my, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s);
	mysql_options(my, MYSQL_OPT_READ_TIMEOUT, &io_s);
	mysql_options(my, MYSQL_OPT_WRITE_TIMEOUT, &io_s);
	mysql_options(my, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	/* NULL would turn it on; a malicious server could then ask for our files. */
	mysql_options(my, MYSQL_OPT_LOCAL_INFILE, &off);
	/* Version 3.4 verifies by default, even without TLS, so set it explicitly. */
	mysql_options(my, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, tls ? &yes : &no);
	if (tls) {
		mysql_options(my, MYSQL_OPT_SSL_ENFORCE, &yes);
		mysql_options(my, MYSQL_OPT_SSL_CA, d->tls_ca);
	}
	atomic_fetch_add(&c->pool->connects, 1);
	/*
	 * The library uses a socket for the name localhost only. FOUND_ROWS: an UPDATE that
	 * finds its row and changes nothing counts it, too.
	 */
	if (mysql_real_connect(my, socket ? "localhost" : host, d->user,
			       d->password, d->name,
			       socket ? 0 : (unsigned)port,
			       socket ? d->socket : NULL, CLIENT_FOUND_ROWS))
		return 0;
	db_fault_of(mysql_errno(my), &code);
	/* A host with a wrong password or without the database is not usable either. */
	return err_set(e, code == ERR_OVERLOADED ? code : ERR_DB_DOWN,
		       "connect to database %s: %u %.160s", d->id,
		       mysql_errno(my), mysql_error(my));
}

struct link *link_open_at(struct pool *p, const struct settings *s, size_t host,
			  unsigned io_s, struct err *e)
{
	struct link *c = xcalloc(1, sizeof(*c));
	const char *name;
	int fd, port;

	c->my = mysql_init(NULL);
	if (!c->my)
		BUG("out of memory for a connection");
	c->pool = p;
	c->settings = s;
	c->host = host;
	c->autocommit = true;
	hosts_name(s->hosts, host, &name, &port);
	if (connect_to(c, &s->conf, name, port, io_s, e))
		goto fail;
	fd = mysql_get_socket(c->my);
	/* The readers and MCP servers that we start must not inherit it. */
	fcntl(fd, F_SETFD, fcntl(fd, F_GETFD) | FD_CLOEXEC);
	if (set_up(c, e))
		goto fail;
	/* Statements must end before the connection is taken for a frozen one. */
	if (hosts_n(s->hosts) > 1 &&
	    (link_usable(c, e) ||
	     (!p->opt.foreign && link_query(c, "SET SESSION max_statement_time=8",
					    "set-up", e))))
		goto fail;
	return c;
fail:
	link_close(c);
	return NULL;
}

struct link *link_open(struct pool *p, unsigned io_s, struct err *e)
{
	const struct settings *s = atomic_load(&p->settings);
	size_t order[HOSTS_MAX], n;
	bool trial[HOSTS_MAX];
	struct err full = ERR_INIT;

	n = hosts_order(s->hosts, order, trial);
	for (size_t k = 0; k < n; k++) {
		struct link *c = NULL;

		err_clear(e);
		if (trial[k] && !hosts_greets(s->hosts, order[k],
					      p->opt.connect_timeout_s * 1000))
			err_set(e, ERR_DB_DOWN, "connect to database %s: no "
				"greeting", s->conf.id);
		else
			c = link_open_at(p, s, order[k], io_s, e);
		if (c) {
			hosts_good(s->hosts, order[k]);
			return c;
		}
		/* A full host is not bad, but another one may have a free slot. */
		if (e->code == ERR_OVERLOADED)
			full = *e;
		else
			hosts_bad(s->hosts, order[k], e->text);
	}
	if (full.code != ERR_NONE)	/* waiting may help */
		*e = full;
	return NULL;
}

void link_close(struct link *c)
{
	link_drop_preps(c);
	stmt_cache_drop(c);
	mysql_close(c->my);
	free(c);
}

void link_abandon(struct link *c, MYSQL_STMT *st)
{
	/* Closing would first read the rest; after this there is nothing to read. */
	shutdown(mysql_get_socket(c->my), SHUT_RDWR);
	mysql_stmt_close(st);
	c->drop = true;
}
