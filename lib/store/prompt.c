/* SPDX-License-Identifier: MIT */
#include "store/prompt.h"

#include "store/stmt.h"

#include "base/banned.h"

int store_prompt_unfile(struct db *tx, const struct owner *by,
			const struct uuid *category, struct err *e)
{
	return db_exec(tx, STMT_PROMPT_UNFILE,
		       DB_ARGS(DB_U(category), DB_S(by->tenant_id)), NULL, e);
}

int store_prompt_shared(struct db *tx, const struct owner *by,
			const struct uuid *prompt, struct err *e)
{
	struct db_result res;

	if (db_exec(tx, STMT_PROMPT_SHARED,
		    DB_ARGS(DB_U(prompt), DB_S(by->tenant_id)), &res, e))
		return -1;
	return res.affected ? 0 : err_set(e, ERR_NOT_FOUND, "no such prompt");
}

int store_prompt_team(struct db *db, struct str tenant_id,
		      const struct uuid *after, struct uuid *holder, bool *found,
		      struct err *e)
{
	int rc = db_id(db, STMT_PROMPT_TEAM, DB_ARGS(DB_S(tenant_id), DB_U(after)),
		       holder, e);

	*found = rc > 0;
	return rc < 0 ? -1 : 0;
}

int store_prompt_used(struct db *db, const struct owner *o, const struct uuid *prompt,
		      struct err *e)
{
	return db_exec(db, STMT_PROMPT_USE_PUT, DB_ARGS(DB_S(o->tenant_id), DB_U(prompt),
							DB_U(&o->user_id)), NULL, e);
}

int store_prompt_users(struct db *db, struct str tenant_id, struct str readers_json,
		       struct arena *a, struct prompt_users **out, size_t *n,
		       struct err *e)
{
	static const struct db_field fields[] = {
		FIELD_OF(struct prompt_users, prompt, u),
		FIELD_OF(struct prompt_users, users, i),
		FIELD_OF(struct prompt_users, seen, i),
	};

	return db_list(db, STMT_PROMPT_USERS, DB_ARGS(DB_S(readers_json), DB_S(tenant_id)),
		       a, fields, sizeof(**out), 0, out, n, e);
}
