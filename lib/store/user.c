/* SPDX-License-Identifier: MIT */
#include "store/user.h"

#include "base/clock.h"
#include "store/stmt.h"

#include "base/banned.h"

int store_user_touch(struct db *db, const struct owner *o, struct str login,
		     struct str name, struct err *e)
{
	int64_t now_us = clock_now_us();

	return db_exec(db, STMT_USER_TOUCH,
		       DB_ARGS(DB_U(&o->user_id), DB_S(o->tenant_id),
			       DB_S(login), DB_S_IF(name), DB_I(now_us),
			       DB_I(now_us)), NULL, e);
}

static const struct db_field seen_fields[] = {
#define F(m, t, sql) FIELD_OF(struct user_seen, m, t)
	USER_FIELDS(F, COMMA)
#undef F
};

int store_user_find(struct db *db, struct str tenant_id, struct str q, size_t max,
		    struct arena *a, struct user_seen **out, size_t *n,
		    struct err *e)
{
	struct str like = store_like(q, false, a);

	return db_list(db, STMT_USER_FIND,
		       DB_ARGS(DB_S(tenant_id), DB_S(like), DB_I((int64_t)max),
			       DB_S(tenant_id), DB_S(like), DB_I((int64_t)max),
			       DB_I((int64_t)max)),
		       a, seen_fields, sizeof(**out), max, out, n, e);
}

int store_user_named(struct db *db, struct str tenant_id, struct str login,
		     struct arena *a, struct user_seen *out, struct err *e)
{
	int n = db_get(db, STMT_USER_NAMED,
		       DB_ARGS(DB_S(tenant_id), DB_S(login)), a, seen_fields, out,
		       e);

	return n > 0 ? 0 : n < 0 ? -1
		: err_set(e, ERR_NOT_FOUND, "no such person");
}
