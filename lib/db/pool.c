/* SPDX-License-Identifier: MIT */
/*
 * The pool: a connection is borrowed for one operation, LIFO, so that a quiet
 * process uses only one or two warm connections.
 *
 * Connections are not pinged when they are borrowed. If the server closed an idle
 * one (timeout, KILL, restart), poll reports a hang-up on its socket without a
 * round trip. A connection that is lost in use is dropped with its statements, and
 * all idle ones with it, because the cause usually affects all.
 *
 * Sessions have two modes, autocommit on (single statements) and off (transactions:
 * no BEGIN is sent). A session is switched only if no idle one has the required
 * mode, so a process soon has some of each.
 *
 * While the server is down, one thread at a time tries to connect, with increasing
 * pauses; all others fail at once. Waiting threads are served in order.
 */
#include "db/link.h"

#include <mysqld_error.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#include "base/banned.h"

#define WAIT_MS          5000
#define CONNECT_S        2
#define IO_S             30
#define FOREIGN_IO_S     65		/* above the longest dataset timeout */
#define HOSTS_IO_S       9		/* a frozen host is given up after this */
#define IDLE_MAX_MS      300000		/* less than the wait_timeout that we set */
#define BACK_OFF_MIN_MS  100
#define BACK_OFF_MAX_MS  2000
#define FULL_MS          200

static struct conf_list copy_list(const struct conf_list *l)
{
	struct conf_list out = { .n = l->n };

	if (l->n)
		out.v = xcalloc(l->n, sizeof(*out.v));
	for (size_t i = 0; i < l->n; i++)
		out.v[i] = xstrdup(l->v[i]);
	return out;
}

/*
 * Copies conf (not NULL). Kept until the pool is freed: a connecting thread may
 * read it.
 */
static struct settings *settings_new(const struct conf_db *conf,
				     struct settings *older)
{
	struct settings *s = xcalloc(1, sizeof(*s));

	s->older = older;
	s->conf = *conf;
	s->conf.id = xstrdup(conf->id ? conf->id : "app");
	s->conf.socket = xstrdup(conf->socket ? conf->socket : "");
	s->conf.host = xstrdup(conf->host ? conf->host : "");
	s->conf.name = xstrdup(conf->name ? conf->name : "");
	s->conf.user = xstrdup(conf->user ? conf->user : "");
	s->conf.password = xstrdup(conf->password ? conf->password : "");
	s->conf.tls_ca = xstrdup(conf->tls_ca ? conf->tls_ca : "");
	s->conf.hosts = copy_list(&conf->hosts);
	s->hosts = hosts_new(&s->conf);
	return s;
}

static void settings_free(struct settings *s)
{
	while (s) {
		struct settings *older = s->older;

		free((char *)s->conf.id);
		free((char *)s->conf.socket);
		free((char *)s->conf.host);
		free((char *)s->conf.name);
		free((char *)s->conf.user);
		free((char *)s->conf.password);
		free((char *)s->conf.tls_ca);
		for (size_t i = 0; i < s->conf.hosts.n; i++)
			free((char *)s->conf.hosts.v[i]);
		free(s->conf.hosts.v);
		hosts_free(s->hosts);
		free(s);
		s = older;
	}
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

bool db_same_settings(const struct conf_db *a, const struct conf_db *b)
{
	return same_text(a->socket, b->socket) && same_text(a->host, b->host) &&
	       a->port == b->port && same_text(a->name, b->name) &&
	       same_text(a->user, b->user) &&
	       same_text(a->password, b->password) &&
	       same_text(a->tls_ca, b->tls_ca) && a->pool == b->pool &&
	       conf_list_eq(&a->hosts, &b->hosts) &&
	       a->hosts_order == b->hosts_order;
}

struct db *db_open(const struct db_options *o, struct err *e)
{
	struct pool *p;

	if (!o->conf->name || !*o->conf->name) {
		err_set(e, ERR_CONFIG, "database: no name");
		return NULL;
	}
	p = xcalloc(1, sizeof(*p));
	p->root.pool = p;
	p->opt = *o;
	atomic_store(&p->settings, settings_new(o->conf, NULL));
	p->opt.conf = NULL;	/* borrowed: settings has a copy */
	if (!p->opt.wait_ms)
		p->opt.wait_ms = WAIT_MS;
	if (!p->opt.connect_timeout_s)
		p->opt.connect_timeout_s = CONNECT_S;
	if (!p->opt.io_timeout_s)
		p->opt.io_timeout_s = o->foreign ? FOREIGN_IO_S : 0;
	p->max = o->conf->pool > 0 ? o->conf->pool : 1;
	p->last = &p->first;
	pthread_mutex_init(&p->lock, NULL);
	return &p->root;
}

void db_close(struct db *db)
{
	struct pool *p;

	if (!db)
		return;
	p = db->pool;
	if (db->link)
		BUG("db_close on a transaction");
	while (p->idle) {
		struct link *c = p->idle;

		p->idle = c->next;
		link_close(c);
	}
	pthread_mutex_destroy(&p->lock);
	settings_free(atomic_load(&p->settings));
	free(p);
}

void db_stats(struct db *db, struct db_stats *out)
{
	struct pool *p = db->pool;

	pthread_mutex_lock(&p->lock);
	*out = (struct db_stats){ .open = p->n_open, .idle = p->n_idle,
				  .waiting = p->n_waiting };
	pthread_mutex_unlock(&p->lock);
	out->connects = atomic_load(&p->connects);
	out->lost = atomic_load(&p->lost);
	out->retries = atomic_load(&p->retries);
	out->waits = atomic_load(&p->waits);
	out->round_trips = atomic_load(&p->trips);
}

/* Whether the server has hung up on an idle connection. No round trip. */
static bool hung_up(struct link *c)
{
	struct pollfd fd = { .fd = mysql_get_socket(c->my),
			     .events = POLLRDHUP };

	/* Nobody has asked anything, so whatever there is to read is a farewell, too. */
	return poll(&fd, 1, 0) != 0;
}

static int switch_mode(struct link *c, bool autocommit, struct err *e)
{
	struct pool *p = c->pool;

	if (c->autocommit == autocommit)
		return 0;
	if (link_query(c, autocommit ? "SET autocommit=1" : "SET autocommit=0",
		       "autocommit", e))
		return -1;
	pthread_mutex_lock(&p->lock);
	p->n_mode[c->autocommit]--;
	p->n_mode[autocommit]++;
	pthread_mutex_unlock(&p->lock);
	c->autocommit = autocommit;
	return 0;
}

/* -- borrowing -------------------------------------------------------------- */

/* Removes an idle connection of this mode from the list; NULL if there is none. */
static struct link *pop_idle(struct pool *p, bool autocommit)
{
	for (struct link **at = &p->idle; *at; at = &(*at)->next) {
		struct link *c = *at;

		if (c->autocommit != autocommit)
			continue;
		*at = c->next;
		c->next = NULL;
		p->n_idle--;
		return c;
	}
	return NULL;
}

/* Wakes the first waiter: a connection may be opened or taken. Locked. */
static void wake_one(struct pool *p)
{
	struct waiter *w = p->first;

	if (!w)
		return;
	p->first = w->next;
	if (!p->first)
		p->last = &p->first;
	p->n_waiting--;
	w->woken = true;
	pthread_cond_signal(&w->cond);
}

static void forget(struct pool *p, struct link *c)
{
	pthread_mutex_lock(&p->lock);
	p->n_open--;
	p->n_mode[c->autocommit]--;
	wake_one(p);
	pthread_mutex_unlock(&p->lock);
	link_close(c);
}

/* Closes every idle connection. */
static void purge(struct pool *p)
{
	struct link *list;

	pthread_mutex_lock(&p->lock);
	list = p->idle;
	p->idle = NULL;
	p->n_idle = 0;
	pthread_mutex_unlock(&p->lock);
	while (list) {
		struct link *c = list;

		list = c->next;
		forget(p, c);
	}
}

/* Opens a connection, which n_open counts already. Locked on entry and on return. */
static struct link *open_one(struct pool *p, struct err *e)
{
	struct link *c;

	pthread_mutex_unlock(&p->lock);
	c = link_open(p, (unsigned)(p->opt.io_timeout_s ? p->opt.io_timeout_s
		      : hosts_n(atomic_load(&p->settings)->hosts) > 1
		      ? HOSTS_IO_S : IO_S), e);
	pthread_mutex_lock(&p->lock);
	p->probing = false;
	if (c) {
		p->back_off_ms = 0;
		p->down_until_ms = 0;
		return c;
	}
	p->n_open--;
	p->n_mode[true]--;
	if (e->code == ERR_DB_DOWN) {
		p->back_off_ms = p->back_off_ms
			? MIN(p->back_off_ms * 2, BACK_OFF_MAX_MS)
			: BACK_OFF_MIN_MS;
		p->down_until_ms = clock_mono_ms() + p->back_off_ms;
		snprintf(p->down_text, sizeof(p->down_text), "%.159s", e->text);
		e->retry_after_s = 2;
		/* No connection will become free for waiters. */
		while (p->first)
			wake_one(p);
	} else {
		p->full_until_ms = clock_mono_ms() + FULL_MS;
		e->retry_after_s = 1;
		if (!p->n_open)		/* no connection will be returned */
			wake_one(p);
	}
	return NULL;
}

static int wait_turn(struct pool *p, int64_t deadline_ms, struct link **out)
{
	struct waiter w = { .next = NULL };
	struct timespec until = clock_mono_at(deadline_ms);
	int rc = 0;

	clock_cond_init(&w.cond);
	*p->last = &w;
	p->last = &w.next;
	p->n_waiting++;
	atomic_fetch_add(&p->waits, 1);
	while (!w.woken && rc == 0)
		rc = pthread_cond_timedwait(&w.cond, &p->lock, &until);
	if (!w.woken) {		/* timed out: leave the queue */
		struct waiter **at = &p->first;

		while (*at != &w)
			at = &(*at)->next;
		*at = w.next;
		if (p->last == &w.next)
			p->last = at;
		p->n_waiting--;
	}
	pthread_cond_destroy(&w.cond);
	*out = w.link;
	return w.woken ? 0 : -1;
}

/* A connection in either mode, or NULL with e set. */
static struct link *take_any(struct pool *p, bool autocommit, struct err *e)
{
	int64_t deadline_ms = clock_mono_ms() + p->opt.wait_ms;
	struct link *c = NULL;

	pthread_mutex_lock(&p->lock);
	while (!c) {
		int64_t now_ms = clock_mono_ms();
		bool room = p->n_open < p->max &&
			(!p->n_open || now_ms >= p->full_until_ms);
		bool down = p->down_until_ms &&
			(p->probing || now_ms < p->down_until_ms);

		c = pop_idle(p, autocommit);
		if (!c && (p->n_mode[autocommit] || !room || down))
			c = pop_idle(p, !autocommit);
		if (c)
			break;
		if (room && down) {
			err_set(e, ERR_DB_DOWN, "%s", p->down_text);
			e->retry_after_s = 2;
			break;
		}
		if (room) {
			p->n_open++;
			p->n_mode[true]++;
			p->probing = p->down_until_ms != 0;
			c = open_one(p, e);
			if (c || e->code != ERR_OVERLOADED || !p->n_open)
				break;
			/*
			 * The server is full: share the existing connections, and
			 * check again.
			 */
			err_clear(e);
			continue;
		}
		if (wait_turn(p, deadline_ms, &c)) {
			err_set(e, ERR_OVERLOADED,
				"no database connection free in %d ms",
				p->opt.wait_ms);
			e->retry_after_s = 1;
			break;
		}
	}
	pthread_mutex_unlock(&p->lock);
	return c;
}

/* -- a transaction whose end is not read yet ------------------------------------ */

/* This thread's; or NULL. */
static _Thread_local struct db_early *under_way;
static _Thread_local bool beside;	/* statements need not wait for it */

void pool_lend(struct db_early *early, struct link *c)
{
	early->link = c;
	under_way = early;
}

static void end_early(void)
{
	struct db_early *early = under_way;
	struct link *c;

	if (!early)
		return;
	under_way = NULL;
	c = early->link;
	early->link = NULL;
	(void)stmt_ended(c, &early->err);
	pool_give(c);
}

/* An idle connection, for a statement that need not wait; NULL: there is none. */
static struct link *take_beside(struct pool *p, bool autocommit)
{
	struct link *c;

	if (!under_way || !beside)
		return NULL;
	pthread_mutex_lock(&p->lock);
	c = pop_idle(p, autocommit);
	pthread_mutex_unlock(&p->lock);
	return c;
}

void db_early_beside(bool on)
{
	beside = on;
}

void db_early_settle(void)
{
	end_early();
}

int db_early_end(struct db_early *early, struct err *e)
{
	if (early->link && early != under_way)
		BUG("the end of another thread's transaction");
	if (early->link)
		end_early();
	if (early->err.code == ERR_NONE)
		return 0;
	*e = early->err;
	return -1;
}

/* -- taking and giving ------------------------------------------------------------ */

struct link *pool_take(struct pool *p, bool autocommit, struct err *e)
{
	for (int tries = 0; ; tries++) {
		struct link *c = take_beside(p, autocommit);
		bool fresh;

		if (!c) {
			/*
			 * Otherwise a thread would hold one connection while it waits for
			 * another: a pool that is full of such threads never moves.
			 */
			end_early();
			c = take_any(p, autocommit, e);
		}
		fresh = c && !c->idle_since_ms;
		if (!c)
			return NULL;
		c->fault = FAULT_NONE;
		c->drop = c->unsure = false;
		c->last_error = 0;
		if (!fresh && (hung_up(c) || clock_mono_ms() -
			       c->idle_since_ms > IDLE_MAX_MS)) {
			forget(p, c);
			continue;
		}
		if (switch_mode(c, autocommit, e) == 0)
			return c;
		pool_give(c);
		if (fresh || tries > 2)
			return NULL;
		err_clear(e);
	}
}

/*
 * Records what an error says about the host, and drops a connection if another host
 * is better.
 */
static void judge_host(struct link *c)
{
	struct hosts *hosts = c->settings->hosts;
	struct err why = ERR_INIT;

	if (hosts_n(hosts) < 2)
		return;
	/* Without a quorum, some statements just wait for their locks. */
	if (c->fault == FAULT_RETRY && c->last_error == ER_LOCK_WAIT_TIMEOUT &&
	    link_usable(c, &why))
		c->fault = FAULT_LOST;
	if (c->fault == FAULT_LOST) {
		if (!*why.text && db_fault_is_hosts(c->last_error))
			err_set(&why, ERR_DB_DOWN, "a link was lost: %u",
				c->last_error);
		if (*why.text)
			hosts_bad(hosts, c->host, why.text);
	} else if (hosts_better(hosts, c->host)) {
		c->drop = true;
	}
}

void pool_give(struct link *c)
{
	struct pool *p = c->pool;
	struct waiter *w;

	if (c->open_tx && c->fault != FAULT_LOST) {
		struct err ignored = ERR_INIT;

		(void)link_query(c, "ROLLBACK", "rollback", &ignored);
		c->open_tx = false;
	}
	/* Before the lock: it may ask the server. */
	judge_host(c);
	if (c->fault == FAULT_LOST) {
		atomic_fetch_add(&p->lost, 1);
		forget(p, c);
		purge(p);
		return;
	}
	c->idle_since_ms = clock_mono_ms();
	pthread_mutex_lock(&p->lock);
	if (c->drop || c->settings != atomic_load(&p->settings) ||
	    p->n_open > p->max) {
		pthread_mutex_unlock(&p->lock);
		forget(p, c);
		return;
	}
	w = p->first;
	if (w) {
		w->link = c;
		wake_one(p);
	} else {
		c->next = p->idle;
		p->idle = c;
		p->n_idle++;
	}
	pthread_mutex_unlock(&p->lock);
}

void db_reconfigure(struct db *db, const struct conf_db *conf)
{
	struct pool *p = db->pool;
	struct settings *s;

	pthread_mutex_lock(&p->lock);
	s = atomic_load(&p->settings);
	if (db_same_settings(&s->conf, conf)) {
		pthread_mutex_unlock(&p->lock);
		return;
	}
	atomic_store(&p->settings, settings_new(conf, s));
	p->max = conf->pool > 0 ? conf->pool : 1;
	p->down_until_ms = 0;	/* try the new settings at once */
	p->back_off_ms = 0;
	while (p->first)
		wake_one(p);
	pthread_mutex_unlock(&p->lock);
	atomic_store(&p->no_wsrep, false);
	purge(p);
}

size_t db_hosts(struct db *db, struct db_host out[DB_HOSTS_MAX])
{
	struct hosts *h = atomic_load(&db->pool->settings)->hosts;

	for (size_t i = 0; i < hosts_n(h); i++)
		hosts_state(h, i, &out[i]);
	return hosts_n(h);
}

size_t db_hosts_try(struct db *db, struct db_host out[DB_HOSTS_MAX])
{
	const struct settings *s = atomic_load(&db->pool->settings);
	size_t n = db_hosts(db, out);

	for (size_t i = 0; i < n; i++) {
		struct err e = ERR_INIT;
		struct link *c = NULL;

		if (out[i].port && !hosts_greets(s->hosts, i, CONNECT_S * 1000))
			err_set(&e, ERR_DB_DOWN, "it does not answer");
		else
			c = link_open_at(db->pool, s, i, HOSTS_IO_S, &e);
		out[i].bad = !c;
		snprintf(out[i].why, sizeof(out[i].why), "%.159s", e.text);
		if (c)
			link_close(c);
	}
	return n;
}

int db_ping(struct db *db, struct err *e)
{
	struct link *c = pool_take(db->pool, true, e);
	int rc;

	if (!c)
		return -1;
	rc = link_query(c, "DO 1", "ping", e);
	pool_give(c);
	return rc;
}
