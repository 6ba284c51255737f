/* SPDX-License-Identifier: MIT */
#include "store/shared.h"

#include "store/stmt.h"
#include "store/turn.h"

#include "base/banned.h"

struct share_forking {
	const struct owner *o;
	const struct shared_reader *by;
	const struct shared *s;
	const struct conversation_new *n;
	const struct message *rows;
	size_t n_rows;
};

static int fork_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct share_forking *k = ctx;
	struct arena a = ARENA_INIT;
	struct conversation c;
	struct shared now;
	int rc = -1;

	if (db_tx_unknown(tx)) {
		rc = conversation_get(tx, k->o, k->n->id, &a, &c, e);
		if (!rc || e->code != ERR_NOT_FOUND)
			goto out;
		err_clear(e);
	}
	rc = shared_get(tx, k->by, &k->s->id, &a, &now, e) < 0 ||
		conversation_create(tx, k->o, k->n, &c, e) < 0 ||
		message_insert_all(tx, &c.id, k->rows, k->n_rows, e) < 0 ||
		db_exec(tx, STMT_CONVERSATION_EXTEND,
			DB_ARGS(DB_I((int64_t)k->n_rows), DB_I(c.updated_us), DB_U(&c.id),
				DB_S(k->o->tenant_id), DB_U(&k->o->user_id)), NULL, e) < 0
		? -1 : 0;
out:
	arena_release(&a);
	return rc;
}

int shared_fork(struct db *db, const struct owner *o, const struct shared_reader *by,
		const struct shared *s, const struct conversation_new *n,
		const struct message *rows, size_t n_rows, struct err *e)
{
	struct share_forking k = { o, by, s, n, rows, n_rows };

	return db_tx(db, fork_tx, &k, e);
}
