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

struct kept_stmt {
	struct str sql;		/* own copy */
	MYSQL_STMT *st;		/* NULL: the slot is free */
	uint64_t used;		/* increases with each use */
};

static void drop(struct kept_stmt *k)
{
	if (k->st)
		mysql_stmt_close(k->st);
	free((char *)k->sql.p);
	*k = (struct kept_stmt){ .st = NULL };
}

MYSQL_STMT *kept_take(struct link *c, struct str sql)
{
	for (size_t i = 0; c->kept && i < LIM_KEPT_STATEMENTS; i++) {
		struct kept_stmt *k = &c->kept[i];
		MYSQL_STMT *st = k->st;

		if (!st || !str_eq(k->sql, sql))
			continue;
		k->st = NULL;
		drop(k);
		return st;
	}
	return NULL;
}

void kept_give(struct link *c, struct str sql, MYSQL_STMT *st)
{
	struct kept_stmt *oldest;
	char *text;

	if (sql.n > LIM_KEPT_STATEMENT_BYTES ||
	    clock_mono_ms() < atomic_load(&c->pool->keep_from_ms) ||
	    mysql_stmt_free_result(st)) {
		mysql_stmt_close(st);
		return;
	}
	if (!c->kept)
		c->kept = xcalloc(LIM_KEPT_STATEMENTS, sizeof(*c->kept));
	oldest = &c->kept[0];
	for (size_t i = 1; i < LIM_KEPT_STATEMENTS; i++)
		if (c->kept[i].used < oldest->used)
			oldest = &c->kept[i];
	drop(oldest);
	text = xmalloc(sql.n + 1);
	memcpy(text, sql.p, sql.n);
	*oldest = (struct kept_stmt){ .sql = { text, sql.n }, .st = st,
				 .used = ++c->n_kept };
}

void kept_pause(struct link *c)
{
	atomic_store(&c->pool->keep_from_ms, clock_mono_ms() + PAUSE_MS);
}

void kept_drop(struct link *c)
{
	for (size_t i = 0; c->kept && i < LIM_KEPT_STATEMENTS; i++)
		drop(&c->kept[i]);
	free(c->kept);
	c->kept = NULL;
}
