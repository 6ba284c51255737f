/* SPDX-License-Identifier: MIT */
#include "store/prefix.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "store/conversation.h"
#include "store/stmt.h"

#include "base/banned.h"

enum { EXPIRE_ROWS = 100 };	/* as in the statement */

static const struct db_field fields[] = {
#define F(m, t, sql) FIELD_OF(struct prefix, m, t)
	PREFIX_FIELDS(F, COMMA)
#undef F
};

int prefix_find(struct db *db, const struct owner *o, const struct uuid *hashes,
		size_t n, struct arena *a, struct prefix *out, size_t *at,
		struct err *e)
{
	const struct uuid *h[PREFIX_TRIES];
	struct prefix *rows;
	size_t n_rows;

	if (!n || n > PREFIX_TRIES)
		BUG("a look-up of no or of too many threads");
	for (size_t i = 0; i < PREFIX_TRIES; i++)
		h[i] = &hashes[MIN(i, n - 1)];
	if (db_list(db, STMT_PREFIX_FIND,
		    DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id), DB_U(h[0]),
			    DB_U(h[1]), DB_U(h[2]), DB_U(h[3])),
		    a, fields, sizeof(*rows), 0, &rows, &n_rows, e))
		return -1;
	for (*at = 0; *at < n; ++*at)
		for (size_t i = 0; i < n_rows; i++)
			if (uuid_eq(&rows[i].hash, &hashes[*at])) {
				*out = rows[i];
				return 1;
			}
	return 0;
}

int prefix_put(struct db *db, const struct owner *o, const struct prefix *p,
	       struct err *e)
{
	return db_exec(db, STMT_PREFIX_PUT,
		       DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id),
			       DB_U(&p->hash), DB_U(&p->conversation_id),
			       DB_I(p->user_seq),
			       DB_I_IF(p->answer_seq, p->answer_seq),
			       DB_U(&p->instructions), DB_I(clock_now_us())),
		       NULL, e);
}

int prefix_adopt(struct db *db, const struct owner *o, const struct uuid *id,
		 struct str client, struct err *e)
{
	return db_exec(db, STMT_PREFIX_ADOPT,
		       DB_ARGS(DB_S(utf8_head(client, LIM_CLIENT_CHARS)), DB_U(id),
			       DB_S(o->tenant_id), DB_U(&o->user_id)), NULL, e);
}

/* -- expiry -------------------------------------------------------------------- */

/* A row that is old, and its conversation. */
struct old_row {
	struct str tenant_id;
	struct uuid user_id, hash, conversation_id;
	int64_t updated_us;	/* of the conversation */
};

static const struct db_field old_fields[] = {
	FIELD_OF(struct old_row, tenant_id, s), FIELD_OF(struct old_row, user_id, u),
	FIELD_OF(struct old_row, hash, u),
	FIELD_OF(struct old_row, conversation_id, u),
	FIELD_OF(struct old_row, updated_us, i),
};

static int find_old(struct db *db, int64_t before_us, struct arena *a,
		    struct old_row **rows, size_t *n, struct err *e)
{
	return db_list(db, STMT_PREFIX_OLD, DB_ARGS(DB_I(before_us)), a, old_fields,
		       sizeof(**rows), 0, rows, n, e);
}

/* Its conversation is deleted, or was continued since: then the row is as young. */
static int expire_one(struct db *db, const struct old_row *r, int64_t before_us,
		      struct err *e)
{
	const struct owner o = { .tenant_id = r->tenant_id, .user_id = r->user_id };

	if (r->updated_us >= before_us)
		return db_exec(db, STMT_PREFIX_MOVE,
			       DB_ARGS(DB_I(r->updated_us), DB_S(r->tenant_id),
				       DB_U(&r->user_id), DB_U(&r->hash)), NULL, e);
	if (conversation_delete(db, &o, &r->conversation_id, e) == 0)
		return 0;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}

int prefix_expired(struct db *db, int64_t before_us, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct old_row *rows;
	size_t n = 0;
	int rc = find_old(db, before_us, &a, &rows, &n, e);

	arena_release(&a);
	return rc ? -1 : n > 0;
}

int prefix_expire(struct db *db, int64_t before_us, int64_t until_ms, struct err *e)
{
	size_t n;

	do {
		struct arena a = ARENA_INIT;
		struct old_row *rows;
		int rc = find_old(db, before_us, &a, &rows, &n, e);

		for (size_t i = 0; !rc && i < n; i++)
			rc = expire_one(db, &rows[i], before_us, e);
		arena_release(&a);
		if (rc)
			return -1;
	} while (n == EXPIRE_ROWS && clock_mono_ms() < until_ms);
	return n < EXPIRE_ROWS;
}
