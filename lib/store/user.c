#include "store/user.h"

#include "base/clock.h"
#include "store/stmt.h"

#include "base/banned.h"

static const struct db_field fields[] = {
#define F(m, t, sql) FIELD_OF(struct user, m, t)
	USER_FIELDS(F, COMMA)
#undef F
};

struct owner owner_of(struct str tenant_id, struct str login)
{
	return (struct owner){
		.tenant_id = tenant_id,
		.user_id = uuid_of_name(tenant_id, login),
	};
}

int user_touch(struct db *db, const struct owner *o, struct str login,
	       struct str name, struct err *e)
{
	int64_t now_us = clock_now_us();

	return db_exec(db, STMT_USER_TOUCH,
		       DB_ARGS(DB_U(&o->user_id), DB_S(o->tenant_id),
			       DB_S(login), DB_S_IF(name), DB_I(now_us),
			       DB_I(now_us)), NULL, e);
}

int user_get(struct db *db, const struct owner *o, struct arena *a,
	     struct user *out, struct err *e)
{
	int n = db_get(db, STMT_USER_GET,
		       DB_ARGS(DB_U(&o->user_id), DB_S(o->tenant_id)),
		       a, fields, out, e);

	return n ? MIN(n - 1, 0) : err_set(e, ERR_NOT_FOUND, "no such user");
}
