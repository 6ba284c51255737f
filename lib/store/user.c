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
