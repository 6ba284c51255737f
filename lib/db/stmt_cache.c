/* SPDX-License-Identifier: MIT */
/*
 * Prepared statements on foreign databases, kept by their text for the connection
 * on which they were prepared, so that the next query of the same form takes one
 * round trip.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "db/link.h"

#include "base/banned.h"

enum { PAUSE_MS = 60000 };

struct cached_stmt {
	struct str sql;		/* own copy */
	MYSQL_STMT *st;		/* NULL: the slot is free */
	uint64_t used;		/* increases with each use */
};

static void drop(struct cached_stmt *k)
{
	if (k->st)
		mysql_stmt_close(k->st);
	free((char *)k->sql.p);
	*k = (struct cached_stmt){ .st = NULL };
}

MYSQL_STMT *stmt_cache_take(struct link *c, struct str sql)
{
	for (size_t i = 0; c->cached && i < LIM_CACHED_STATEMENTS; i++) {
		struct cached_stmt *k = &c->cached[i];
		MYSQL_STMT *st = k->st;

		if (!st || !str_eq(k->sql, sql))
			continue;
		k->st = NULL;
		drop(k);
		return st;
	}
	return NULL;
}

void stmt_cache_give(struct link *c, struct str sql, MYSQL_STMT *st)
{
	struct cached_stmt *oldest;
	char *text;

	if (sql.n > LIM_CACHED_STATEMENT_BYTES ||
	    clock_mono_ms() < atomic_load(&c->pool->cache_from_ms) ||
	    mysql_stmt_free_result(st)) {
		mysql_stmt_close(st);
		return;
	}
	if (!c->cached)
		c->cached = xcalloc(LIM_CACHED_STATEMENTS, sizeof(*c->cached));
	oldest = &c->cached[0];
	for (size_t i = 1; i < LIM_CACHED_STATEMENTS; i++)
		if (c->cached[i].used < oldest->used)
			oldest = &c->cached[i];
	drop(oldest);
	text = xmalloc(sql.n + 1);
	memcpy(text, sql.p, sql.n);
	*oldest = (struct cached_stmt){ .sql = { text, sql.n }, .st = st,
				 .used = ++c->n_kept };
}

void stmt_cache_pause(struct link *c)
{
	atomic_store(&c->pool->cache_from_ms, clock_mono_ms() + PAUSE_MS);
}

void stmt_cache_drop(struct link *c)
{
	for (size_t i = 0; c->cached && i < LIM_CACHED_STATEMENTS; i++)
		drop(&c->cached[i]);
	free(c->cached);
	c->cached = NULL;
}
