/* SPDX-License-Identifier: MIT */
/*
 * What the tools of a process share. One mutex guards two small lists; it is
 * never held during a query. A pool whose settings changed stays until its last
 * user is done and a newer pool exists.
 */
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "db/db.h"
#include "tool/core/env.h"
#include "tool/mcp/mcp.h"

#include "base/banned.h"

enum { POOL_KEEP_MS = 60000, KEPT_MAX = 64 };

struct file_db {
	struct file_db *next;
	struct arena arena;		/* of settings */
	struct conf_db settings;
	struct db *db;
	int users;
	int64_t used_ms;
};

struct table {
	struct table *next;
	const struct file_db *pool;
	char *name;
	struct arena arena;		/* of columns */
	struct conf_column *columns;	/* NULL: never read */
	size_t n;
	int64_t next_ms;		/* when to ask again */
	struct err err;			/* of the last try */
};

struct kept {
	char *key;		/* NULL: free */
	struct tool_shared *shared;	/* one user is this entry */
	int64_t until_ms;
};

struct tool_env {
	struct http_pool *http;
	pthread_mutex_t lock;
	struct file_db *pools;
	struct table *tables;
	struct kept kept[KEPT_MAX];
	struct mcp_hub *mcp;
};

struct tool_env *tool_env_new(struct http_pool *http)
{
	struct tool_env *env = xcalloc(1, sizeof(*env));

	env->http = http;
	env->mcp = mcp_hub_new(http);
	pthread_mutex_init(&env->lock, NULL);
	return env;
}

static void pool_free(struct file_db *p)
{
	db_close(p->db);
	arena_release(&p->arena);
	free(p);
}

static void table_free(struct table *t)
{
	arena_release(&t->arena);
	free(t->name);
	free(t);
}

/* One user less. Under the lock. */
static void shared_drop(struct tool_shared *s)
{
	if (!s || --s->users)
		return;
	json_decref((json_t *)s->value);
	free(s);
}

static void kept_free(struct kept *k)
{
	free(k->key);
	shared_drop(k->shared);
	*k = (struct kept){ NULL, NULL, 0 };
}

/* Drops everything that is cached. */
static void forget(struct tool_env *env)
{
	pthread_mutex_lock(&env->lock);
	for (size_t i = 0; i < KEPT_MAX; i++)
		kept_free(&env->kept[i]);
	for (struct table *t = env->tables, *next; t; t = next) {
		next = t->next;
		table_free(t);
	}
	env->tables = NULL;
	pthread_mutex_unlock(&env->lock);
}

void tool_env_free(struct tool_env *env)
{
	if (!env)
		return;
	mcp_hub_free(env->mcp);
	forget(env);
	for (struct file_db *p = env->pools, *next; p; p = next) {
		next = p->next;
		pool_free(p);
	}
	pthread_mutex_destroy(&env->lock);
	free(env);
}

struct http_pool *tool_env_http(struct tool_env *env)
{
	return env->http;
}

struct mcp_hub *tool_env_mcp(struct tool_env *env)
{
	return env->mcp;
}

/* The pool with these settings, if there is one; it gets one more user. */
static struct db *take_pool(struct tool_env *env, const struct conf_db *c)
{
	for (struct file_db *p = env->pools; p; p = p->next)
		if (!strcmp(p->settings.id, c->id) && db_same_settings(&p->settings, c)) {
			p->users++;
			return p->db;
		}
	return NULL;
}

static struct conf_list copy_list(struct arena *a, const struct conf_list *l)
{
	struct conf_list out = { .n = l->n };

	if (l->n == 0)
		return out;
	out.v = arena_alloc(a, l->n * sizeof(*out.v));
	for (size_t i = 0; i < l->n; i++)
		out.v[i] = arena_strdup(a, l->v[i]);
	return out;
}

static struct file_db *pool_new(const struct conf_db *c, struct err *e)
{
	struct db_options o = { .conf = c, .foreign = true };
	struct file_db *p = xcalloc(1, sizeof(*p));

	p->db = db_open(&o, e);
	if (!p->db) {
		free(p);
		return NULL;
	}
	p->settings = (struct conf_db){
		.id = arena_strdup(&p->arena, c->id),
		.socket = arena_strdup(&p->arena, c->socket),
		.host = arena_strdup(&p->arena, c->host),
		.name = arena_strdup(&p->arena, c->name),
		.user = arena_strdup(&p->arena, c->user),
		.password = arena_strdup(&p->arena, c->password),
		.tls_ca = arena_strdup(&p->arena, c->tls_ca),
		.hosts = copy_list(&p->arena, &c->hosts),
		.hosts_order = c->hosts_order, .port = c->port, .pool = c->pool,
	};
	p->users = 1;
	return p;
}

/* Removes the pools that have not been used for a while, with their tables. */
static struct file_db *unlink_unused(struct tool_env *env)
{
	int64_t before = clock_mono_ms() - POOL_KEEP_MS;
	struct file_db *out = NULL;

	for (struct file_db **at = &env->pools; *at;) {
		struct file_db *p = *at;

		if (p->users || p->used_ms > before) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		p->next = out;
		out = p;
		for (struct table **t = &env->tables; *t;) {
			struct table *dead = *t;

			if (dead->pool != p) {
				t = &dead->next;
				continue;
			}
			*t = dead->next;
			table_free(dead);
		}
	}
	return out;
}

struct db *tool_env_pool(struct tool_env *env, const struct conf_db *c,
			 struct err *e)
{
	struct file_db *fresh, *unused = NULL;
	struct db *db;

	pthread_mutex_lock(&env->lock);
	db = take_pool(env, c);
	pthread_mutex_unlock(&env->lock);
	if (db)
		return db;
	fresh = pool_new(c, e);
	if (!fresh)
		return NULL;
	pthread_mutex_lock(&env->lock);
	db = take_pool(env, c);
	if (!db) {
		unused = unlink_unused(env);
		fresh->next = env->pools;
		env->pools = fresh;
		db = fresh->db;
		fresh = NULL;
	}
	pthread_mutex_unlock(&env->lock);
	if (fresh)
		pool_free(fresh);	/* another thread was faster */
	while (unused) {
		struct file_db *next = unused->next;

		pool_free(unused);
		unused = next;
	}
	return db;
}

void tool_env_done(struct tool_env *env, struct db *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&env->lock);
	for (struct file_db *p = env->pools; p; p = p->next)
		if (p->db == pool) {
			p->users--;
			p->used_ms = clock_mono_ms();
		}
	pthread_mutex_unlock(&env->lock);
}

/* -- columns of tables ------------------------------------------------------ */

static struct conf_column *copy_columns(struct arena *a,
					const struct conf_column *c, size_t n)
{
	struct conf_column *out = arena_zalloc(a, n + 1, sizeof(*out));

	for (size_t i = 0; i < n; i++) {
		out[i] = c[i];
		out[i].name = arena_strdup(a, c[i].name);
		out[i].description = arena_strdup(a, c[i].description);
		out[i].values = copy_list(a, &c[i].values);
	}
	return out;
}

static struct conf_column *from_database(struct arena *a,
					 const struct db_column *c, size_t n)
{
	struct conf_column *out = arena_zalloc(a, n + 1, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = (struct conf_column){
			.name = c[i].name, .expr = "",
			.description = c[i].comment ? c[i].comment : "",
			.type = c[i].type, .values = c[i].values,
			.filter = true, .sort = true,
			.group = c[i].type != COL_JSON,
		};
	return out;
}

/* The entry of a table, created if it is new. Under the lock. */
static struct table *table_of(struct tool_env *env, const struct db *db,
			      const char *name)
{
	const struct file_db *pool = env->pools;
	struct table *t;

	while (pool && pool->db != db)
		pool = pool->next;
	for (t = env->tables; t; t = t->next)
		if (t->pool == pool && strcmp(t->name, name) == 0)
			return t;
	t = xcalloc(1, sizeof(*t));
	t->pool = pool;
	t->name = xstrdup(name);
	t->next = env->tables;
	env->tables = t;
	return t;
}

/*
 * Reads the columns and keeps them in the entry. Several threads may do so at the
 * same time for a new table; the last result stays.
 */
static void refresh(struct tool_env *env, struct db *db, const char *name,
		    struct err *e)
{
	struct arena arena = ARENA_INIT;
	struct db_column *columns;
	struct table *t;
	size_t n = 0;
	int rc = db_columns(db, str_of(name), &arena, &columns, &n, e);

	if (rc < 0 && e->code == ERR_NOT_FOUND) {
		err_clear(e);
		err_public(e, ERR_TOOL_FAILED, "The dataset's table %s does "
			   "not exist, or the database account may not read "
			   "it.", name);
	}
	pthread_mutex_lock(&env->lock);
	t = table_of(env, db, name);
	t->next_ms = clock_mono_ms() +
		     (rc < 0 ? DATASET_COLUMNS_RETRY_MS : DATASET_COLUMNS_TTL_MS);
	if (rc == 0) {
		arena_release(&t->arena);
		t->columns = from_database(&arena, columns, n);
		t->n = n;
		t->arena = arena;
		t->err = (struct err)ERR_INIT;
	} else {
		t->err = *e;
	}
	pthread_mutex_unlock(&env->lock);
	if (rc < 0)
		arena_release(&arena);
}

int tool_env_columns(struct tool_env *env, const struct conf_db *c,
		     const char *table, struct arena *a,
		     struct conf_column **out, size_t *n, struct err *e)
{
	struct db *db = tool_env_pool(env, c, e);
	struct err local = ERR_INIT;
	int64_t now = clock_mono_ms();
	struct table *t;
	bool ask;

	if (!db)
		return -1;
	pthread_mutex_lock(&env->lock);
	t = table_of(env, db, table);
	ask = now >= t->next_ms;
	if (ask && t->columns)	/* one thread reads, the others use the old */
		t->next_ms = now + DATASET_COLUMNS_RETRY_MS;
	pthread_mutex_unlock(&env->lock);
	if (ask) {
		refresh(env, db, table, &local);
		if (local.code)
			log_err("columns of a dataset's table", &local);
	}
	pthread_mutex_lock(&env->lock);
	t = table_of(env, db, table);
	if (t->columns) {
		*out = copy_columns(a, t->columns, t->n);
		*n = t->n;
	} else {
		*e = t->err;
		err_set(e, ERR_DB, "no columns of %s", table);
	}
	pthread_mutex_unlock(&env->lock);
	tool_env_done(env, db);
	return e->code ? -1 : 0;
}

/* -- descriptions ----------------------------------------------------------- */

struct tool_shared *tool_env_take(struct tool_env *env, const char *key)
{
	int64_t now = clock_mono_ms();
	struct tool_shared *shared = NULL;

	pthread_mutex_lock(&env->lock);
	for (size_t i = 0; i < KEPT_MAX; i++) {
		struct kept *k = &env->kept[i];

		if (k->key && k->until_ms > now && strcmp(k->key, key) == 0)
			shared = k->shared;
	}
	if (shared)
		shared->users++;
	pthread_mutex_unlock(&env->lock);
	return shared;
}

void tool_env_put(void *p)
{
	struct tool_shared *shared = p;
	struct tool_env *env = shared->env;

	pthread_mutex_lock(&env->lock);
	shared_drop(shared);
	pthread_mutex_unlock(&env->lock);
}

struct tool_shared *tool_env_keep(struct tool_env *env, const char *key,
				  json_t *value, int ttl_ms)
{
	struct tool_shared *shared = xcalloc(1, sizeof(*shared));
	struct kept *place;

	*shared = (struct tool_shared){ value, env, 2 };
	pthread_mutex_lock(&env->lock);
	place = &env->kept[0];
	for (size_t i = 0; i < KEPT_MAX; i++) {
		struct kept *k = &env->kept[i];

		if (k->key && strcmp(k->key, key) == 0) {
			place = k;
			break;
		}
		if (k->until_ms < place->until_ms)
			place = k;	/* free ones have 0 */
	}
	kept_free(place);
	*place = (struct kept){ xstrdup(key), shared, clock_mono_ms() + ttl_ms };
	pthread_mutex_unlock(&env->lock);
	return shared;
}
