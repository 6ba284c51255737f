/* SPDX-License-Identifier: MIT */
#include "store/shared.h"

#include "base/clock.h"
#include "store/stmt.h"

#include "base/banned.h"

static const struct db_field fields[] = {
#define F(m, t, sql) FIELD_OF(struct shared, m, t)
	SHARE_FIELDS(F, COMMA)
#undef F
};

int shared_get(struct db *db, const struct shared_reader *by, const struct uuid *id,
	      struct arena *a, struct shared *out, struct err *e)
{
	int n = db_get(db, STMT_SHARE_GET,
		       DB_ARGS(DB_U(id), DB_S(by->tenant_id), DB_I(clock_now_us()),
			       DB_S(by->readers_json)), a, fields, out, e);

	return n > 0 ? 0 : n < 0 ? -1 : err_set(e, ERR_NOT_FOUND, "no such share");
}

int shared_link(struct db *db, struct str tenant_id, const struct uuid *id,
		int64_t since_us, struct uuid *reader, struct err *e)
{
	int n = db_id(db, STMT_SHARE_LINK, DB_ARGS(DB_U(id), DB_S(tenant_id),
						   DB_I(since_us), DB_I(clock_now_us())),
		      reader, e);

	return n > 0 ? 0 : n < 0 ? -1 : err_set(e, ERR_NOT_FOUND, "no such link");
}

int shared_link_revoke(struct db *db, struct str tenant_id, const struct uuid *id,
		       struct err *e)
{
	struct db_result r;

	if (db_exec(db, STMT_SHARE_LINK_REVOKE, DB_ARGS(DB_U(id), DB_S(tenant_id)), &r,
		    e) < 0)
		return -1;
	return r.affected ? 0 : err_set(e, ERR_NOT_FOUND, "no such link");
}

int shared_list(struct db *db, const struct shared_reader *by, const struct uuid *before,
	       size_t size, struct arena *a, struct shared **out, size_t *n,
	       struct err *e)
{
	return db_list(db, STMT_SHARE_LIST,
		       DB_ARGS(DB_S(by->readers_json), DB_S(by->tenant_id),
			       DB_U(&by->user_id), DB_U_IF(before), DB_U(before), DB_I(clock_now_us()),
			       DB_I((int64_t)size)),
		       a, fields, sizeof(**out), 0, out, n, e);
}
