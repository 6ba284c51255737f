/* SPDX-License-Identifier: MIT */
/*
 * The schema. DDL commits implicitly and cannot be rolled back, so progress is
 * recorded per statement: run it, then record (version, step, SHA-256 of its text).
 * Every statement can run twice, so a crash between the two is harmless.
 *
 * Any number of processes may start at once. One holds the lease in schema_lock and
 * works; it extends the lease before each statement, and a second thread extends it
 * during a long one. The others check every 100 ms if all steps are recorded, or if
 * the lease has expired and they can continue where its owner stopped.
 */
#include <dirent.h>
#include <errno.h>
#include <mysqld_error.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "db/link.h"
#include "db/split.h"

#include "base/banned.h"

#define LEASE_S      20
#define RENEW_S      5
#define WAIT_S       120
#define LOOK_MS      100
#define LAPSED_MS    3000		/* how long to wait for the step of an expired lease */
#define LONG_DDL_S   86400
#define HASH_BYTES   crypto_hash_sha256_BYTES
#define HEX_BYTES    (2 * HASH_BYTES + 1)

struct schema_step {
	int version, step;		/* step from 1 */
	struct str sql;
	char hash[HEX_BYTES];		/* as MariaDB's HEX() writes it */
	bool done;
};

struct plan {
	struct arena a;
	struct schema_step *steps;
	size_t n;
	int version;			/* newest */
};

/* -- reading the files ------------------------------------------------------- */

static int is_migration(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 9 && strspn(d->d_name, "0123456789") == 4 &&
		d->d_name[4] == '-' && strcmp(d->d_name + n - 4, ".sql") == 0;
}

static int read_file(const char *path, struct buf *out, struct err *e)
{
	char part[8192], why[64];
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return err_set(e, ERR_CONFIG, "%s: %s", path,
			       err_errno(errno, why, sizeof(why)));
	for (;;) {
		n = fread(part, 1, sizeof(part), f);
		if (!n)
			break;
		buf_add(out, part, n);
	}
	n = (size_t)ferror(f);
	fclose(f);
	if (n || !buf_ok(out))
		return err_set(e, ERR_CONFIG, "%s: %s", path,
			       n ? "read error" : "too long");
	return 0;
}

static void upper_hex(const unsigned char *in, size_t n, char *out)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < n; i++) {
		*out++ = hex[in[i] >> 4];
		*out++ = hex[in[i] & 15];
	}
	*out = '\0';
}

static int plan_file(struct plan *p, const char *dir, const char *name,
		     struct err *e)
{
	struct buf text = BUF_INIT(LIM_CONF_FILE_BYTES);
	int version = (int)strtol(name, NULL, 10);
	unsigned char hash[HASH_BYTES];
	struct schema_step *all;
	struct str *sql;
	size_t n;
	int rc = -1;

	if (version <= p->version) {
		err_set(e, ERR_CONFIG, "%s/%s: a second version %d", dir, name,
			version);
		goto out;
	}
	if (read_file(arena_printf(&p->a, "%s/%s", dir, name), &text, e))
		goto out;
	sql = db_split_sql(&p->a, buf_str(&text), &n);
	all = arena_zalloc(&p->a, p->n + n, sizeof(*all));
	if (p->n)
		memcpy(all, p->steps, p->n * sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		struct schema_step *s = &all[p->n + i];

		s->version = version;
		s->step = (int)i + 1;
		s->sql = sql[i];
		crypto_hash_sha256(hash, (const unsigned char *)sql[i].p,
				   sql[i].n);
		upper_hex(hash, HASH_BYTES, s->hash);
	}
	p->steps = all;
	p->n += n;
	p->version = version;
	rc = 0;
out:
	buf_release(&text);
	return rc;
}

static int plan_read(struct plan *p, const char *dir, struct err *e)
{
	struct dirent **names = NULL;
	char why[64];
	int rc = 0, n = scandir(dir, &names, is_migration, alphasort);

	if (n < 0)
		return err_set(e, ERR_CONFIG, "%s: %s", dir,
			       err_errno(errno, why, sizeof(why)));
	for (int i = 0; i < n; i++) {
		if (!rc)
			rc = plan_file(p, dir, names[i]->d_name, e);
		free(names[i]);
	}
	free(names);
	if (!rc && !p->n)
		rc = err_set(e, ERR_CONFIG, "%s: no migrations there", dir);
	return rc;
}

/* -- what the database says --------------------------------------------------- */

/* A query of schema_step: 1 and its result, 0 without that table, -1. */
static int query_steps(struct link *c, const char *sql, MYSQL_RES **out,
		       struct err *e)
{
	if (link_query(c, sql, "schema", e)) {
		if (mysql_errno(c->my) != ER_NO_SUCH_TABLE)
			return -1;
		err_clear(e);
		return 0;
	}
	*out = mysql_store_result(c->my);
	return *out ? 1 : link_fail(c, mysql_errno(c->my), mysql_error(c->my),
				    "schema", e);
}

/* Marks the steps that are recorded; checks their hashes. */
static int plan_compare(struct plan *p, struct link *c, struct err *e)
{
	MYSQL_RES *r;
	MYSQL_ROW row;
	int rc;

	for (size_t i = 0; i < p->n; i++)
		p->steps[i].done = false;
	rc = query_steps(c, "SELECT version, step, HEX(sum) FROM schema_step", &r,
			 e);
	if (rc <= 0)
		return rc;
	rc = 0;
	for (row = mysql_fetch_row(r); row && !rc; row = mysql_fetch_row(r)) {
		int version = (int)strtol(row[0], NULL, 10);
		int step = (int)strtol(row[1], NULL, 10);

		for (size_t i = 0; i < p->n && !rc; i++) {
			struct schema_step *s = &p->steps[i];

			if (s->version != version || s->step != step)
				continue;
			s->done = true;
			if (strcmp(s->hash, row[2]) != 0)
				rc = err_set(e, ERR_CONFIG,
					     "the database was made by a version "
					     "that was not released: migration %04d, "
					     "statement %d is another one. Create a "
					     "new database", version, step);
		}
	}
	mysql_free_result(r);
	return rc;
}

/* The newest migration that is recorded; 0 if there is none, -1. */
static int newest_recorded(struct link *c, struct err *e)
{
	MYSQL_RES *r;
	MYSQL_ROW row;
	int version = 0;
	int rc = query_steps(c, "SELECT COALESCE(MAX(version), 0) FROM schema_step",
			     &r, e);

	if (rc <= 0)
		return rc;
	row = mysql_fetch_row(r);
	if (row)
		version = (int)strtol(row[0], NULL, 10);
	mysql_free_result(r);
	return version;
}

/* Fails if the database has a newer migration than `known`. */
static int refuse_newer(struct link *c, int known, const char *who,
			struct err *e)
{
	int version = newest_recorded(c, e);

	if (version <= known)
		return MIN(version, 0);
	return err_set(e, ERR_CONFIG, "the schema is of a newer version "
		       "(migration %04d) than %s (%04d), or of one that was not "
		       "released: install that version, or create a new database",
		       version, who, known);
}

int db_schema_not_newer(struct db *db, int known, struct err *e)
{
	struct link *c = pool_take(db->pool, true, e);
	int rc = c ? refuse_newer(c, known, "this program", e) : -1;

	if (c)
		pool_give(c);
	return rc;
}

static const struct schema_step *plan_missing(const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->steps[i].done)
			return &p->steps[i];
	return NULL;
}

int db_schema_check(struct db *db, const char *sql_dir, struct err *e)
{
	struct plan p = { .a = ARENA_INIT };
	const struct schema_step *s;
	struct link *c = NULL;
	int rc = plan_read(&p, sql_dir, e);

	if (!rc) {
		c = pool_take(db->pool, true, e);
		rc = c ? plan_compare(&p, c, e) : -1;
	}
	s = rc ? NULL : plan_missing(&p);
	if (s)
		rc = err_set(e, ERR_CONFIG, "the schema lacks migration %04d, "
			     "statement %d: run `lamplighter migrate`",
			     s->version, s->step);
	if (c)
		pool_give(c);
	arena_release(&p.a);
	return rc;
}

/* -- the lease ----------------------------------------------------------------- */

struct lease {
	struct pool *pool;
	char owner[33];			/* hex */
	struct link *c;			/* the working thread's */
	pthread_t thread;		/* renews while a statement runs long */
	pthread_mutex_t lock;
	pthread_cond_t stop_cond;
	bool stop;
	bool lost;			/* another process took it */
};

/* Runs sql; retries after deadlocks and similar conflicts. */
static int run_hard(struct link *c, const char *sql, const char *what,
		    struct err *e)
{
	for (int tries = 1; ; tries++) {
		if (!link_query(c, sql, what, e))
			return 0;
		if (c->fault != FAULT_RETRY || tries >= 10)
			return -1;
		c->fault = FAULT_NONE;
		err_clear(e);
		db_pause(tries);
	}
}

/* A statement that must find one row: 1 if it did, 0 if not, -1. */
static int one_row(struct link *c, const char *sql, struct err *e)
{
	if (run_hard(c, sql, "schema lease", e))
		return -1;
	return mysql_affected_rows(c->my) == 1;
}

/* Takes a free lease or, if lapsed, one that its owner has not renewed. */
static int lease_take(struct lease *l, bool lapsed, struct err *e)
{
	char sql[256];

	snprintf(sql, sizeof(sql), "UPDATE schema_lock SET owner = x'%s',"
		 " until = NOW(6) + INTERVAL %d SECOND WHERE id = 1"
		 " AND %s", l->owner, LEASE_S,
		 lapsed ? "owner <> '' AND until < NOW(6)" : "owner = ''");
	return one_row(l->c, sql, e);
}

static int lease_renew(struct lease *l, struct link *c, struct err *e)
{
	char sql[192];

	snprintf(sql, sizeof(sql), "UPDATE schema_lock"
		 " SET until = NOW(6) + INTERVAL %d SECOND"
		 " WHERE id = 1 AND owner = x'%s'", LEASE_S, l->owner);
	return one_row(c, sql, e);
}

static void lease_drop(struct lease *l)
{
	struct err ignored = ERR_INIT;
	char sql[128];

	snprintf(sql, sizeof(sql), "UPDATE schema_lock SET owner = ''"
		 " WHERE id = 1 AND owner = x'%s'", l->owner);
	(void)one_row(l->c, sql, &ignored);
}

static void *renewer(void *arg)
{
	struct lease *l = arg;
	struct link *c = NULL;

	pthread_mutex_lock(&l->lock);
	while (!l->stop) {
		struct timespec until =
			clock_mono_at(clock_mono_ms() + RENEW_S * 1000);
		struct err e = ERR_INIT;

		if (pthread_cond_timedwait(&l->stop_cond, &l->lock,
					   &until) != ETIMEDOUT)
			continue;
		pthread_mutex_unlock(&l->lock);
		if (!c)
			c = link_open(l->pool, RENEW_S, &e);
		if (c && lease_renew(l, c, &e) < 0) {
			link_close(c);
			c = NULL;
		}
		pthread_mutex_lock(&l->lock);
	}
	pthread_mutex_unlock(&l->lock);
	if (c)
		link_close(c);
	return NULL;
}

/* -- running -------------------------------------------------------------------- */

static int run_step(struct lease *l, const struct schema_step *s, struct err *e)
{
	char record[256], what[48];
	int mine = lease_renew(l, l->c, e);

	if (mine < 0)
		return -1;
	if (!mine) {
		l->lost = true;
		return err_set(e, ERR_DB_RETRY, "the schema lease was lost");
	}
	snprintf(what, sizeof(what), "migration %04d, statement %d",
		 s->version, s->step);
	if (run_hard(l->c, s->sql.p, what, e))
		return -1;
	/* IGNORE: the owner of a lapsed lease may have recorded it meanwhile. */
	snprintf(record, sizeof(record), "INSERT IGNORE INTO schema_step"
		 " VALUES (%d, %d, x'%s', NOW(6))", s->version, s->step,
		 s->hash);
	return run_hard(l->c, record, what, e);
}

/* The number of migrations from step i on that are not finished. */
static int migrations_left(const struct plan *p, size_t i)
{
	int last = 0, left = 0;

	for (; i < p->n; i++)
		if (!p->steps[i].done && p->steps[i].version != last) {
			last = p->steps[i].version;
			left++;
		}
	return left;
}

static int run_missing(struct lease *l, struct plan *p, struct db_migration *r,
		       struct err *e)
{
	int rc = 0, reported = 0;

	pthread_mutex_init(&l->lock, NULL);
	clock_cond_init(&l->stop_cond);
	l->stop = false;
	if (pthread_create(&l->thread, NULL, renewer, l))
		BUG("no thread for the schema lease");
	for (size_t i = 0; i < p->n && !rc; i++) {
		if (p->steps[i].done)
			continue;
		if (r->progress && p->steps[i].version != reported)
			r->progress(p->steps[i].version,
				    migrations_left(p, i));
		reported = p->steps[i].version;
		rc = run_step(l, &p->steps[i], e);
		if (!rc)
			r->steps_run++;
	}
	pthread_mutex_lock(&l->lock);
	l->stop = true;
	pthread_cond_signal(&l->stop_cond);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
	pthread_cond_destroy(&l->stop_cond);
	pthread_mutex_destroy(&l->lock);
	return rc;
}

static int make_ready(struct link *c, struct err *e)
{
	static const char *const sql[] = {
		"SET SESSION max_statement_time=0, lock_wait_timeout=10,"
		" idle_transaction_timeout=0",
		"CREATE TABLE IF NOT EXISTS schema_lock ("
		" id TINYINT NOT NULL PRIMARY KEY COMMENT 'always 1',"
		" owner VARBINARY(16) NOT NULL COMMENT 'random id of the"
		" process that migrates; empty: nobody',"
		" until DATETIME(6) NOT NULL COMMENT 'UTC; end of its lease'"
		") ENGINE=InnoDB COMMENT='who may change the schema'",
		"INSERT IGNORE INTO schema_lock VALUES (1, '', '2000-01-01')",
		"CREATE TABLE IF NOT EXISTS schema_step ("
		" version INT NOT NULL COMMENT 'NNNN of the file',"
		" step INT NOT NULL COMMENT 'statement in it, from 1',"
		" sum BINARY(32) NOT NULL COMMENT 'SHA-256 of its text',"
		" at DATETIME(6) NOT NULL COMMENT 'UTC; when it was done',"
		" PRIMARY KEY (version, step)"
		") ENGINE=InnoDB COMMENT='statements that were applied'",
	};

	for (size_t i = 0; i < ARRAY_LEN(sql); i++)
		if (run_hard(c, sql[i], "schema", e))
			return -1;
	return 0;
}

/*
 * Another process's lease was taken because it had expired. On a Galera cluster the
 * reason may be that its statement blocked all writes, including the renewals: then
 * the statement is recorded about now. Waits for that for LAPSED_MS.
 */
static int await_record(struct lease *l, struct plan *p, struct err *e)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
	const struct schema_step *missing = plan_missing(p);

	for (int i = 0; i < LAPSED_MS / LOOK_MS; i++) {
		if (plan_compare(p, l->c, e))
			return -1;
		if (plan_missing(p) != missing)
			return 0;
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int migrate_on(struct lease *l, struct plan *p, int wait_s,
		      struct db_migration *r, struct err *e)
{
	int64_t deadline_ms = clock_mono_ms() + wait_s * (int64_t)1000;
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };

	if (refuse_newer(l->c, p->version, "the files", e) ||
	    make_ready(l->c, e))
		return -1;
	for (;;) {
		int mine, rc;

		if (plan_compare(p, l->c, e))
			return -1;
		if (!plan_missing(p))
			return 0;
		mine = lease_take(l, false, e);
		if (!mine) {
			mine = lease_take(l, true, e);
			rc = mine > 0 ? await_record(l, p, e) : 0;
			if (rc)
				return -1;
		}
		/*
		 * On a cluster, another node that takes the lease at the same moment shows
		 * as a deadlock.
		 */
		if (mine < 0 && l->c->fault != FAULT_RETRY)
			return -1;
		if (mine > 0) {
			/* Check again: the previous owner may have just finished. */
			rc = plan_compare(p, l->c, e);
			if (!rc)
				rc = run_missing(l, p, r, e);
			lease_drop(l);
			if (!rc || !l->lost)
				return rc;
			l->lost = false;	/* another process continues: wait */
		}
		err_clear(e);
		l->c->fault = FAULT_NONE;
		r->waited = true;
		if (clock_mono_ms() > deadline_ms)
			return err_set(e, ERR_DB_RETRY, "another process has "
				       "been migrating for %d s", wait_s);
		nanosleep(&pause, NULL);
	}
}

int db_migrate(struct db *db, const char *sql_dir, int wait_s,
	       struct db_migration *r, struct err *e)
{
	struct plan p = { .a = ARENA_INIT };
	struct lease l = { .pool = db->pool };
	struct db_migration unused = { .progress = NULL };
	unsigned char id[16];
	int rc = plan_read(&p, sql_dir, e);

	if (!r)
		r = &unused;
	*r = (struct db_migration){ .progress = r->progress,
				    .version = p.version };
	randombytes_buf(id, sizeof(id));
	upper_hex(id, sizeof(id), l.owner);
	if (!rc) {
		l.c = link_open(db->pool, LONG_DDL_S, e);
		rc = l.c ? migrate_on(&l, &p, wait_s ? wait_s : WAIT_S, r, e)
			 : -1;
	}
	if (l.c)
		link_close(l.c);
	arena_release(&p.a);
	return rc;
}
