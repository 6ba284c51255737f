/* SPDX-License-Identifier: MIT */
#include "store/prompt.h"

#include <string.h>

#include "base/limits.h"
#include "store/stmt.h"

#include "base/banned.h"

int store_prompt_keep(struct db *tx, const struct resource_at *at,
		      struct resource_row *prompt, struct err *e)
{
	static const struct {
		size_t to, from;
	} copied[] = {
#define COPIED(column) { COLUMN(PROMPT_VERSION, column), COLUMN(PROMPT, column) }
		COPIED(name), COPIED(description), COPIED(body),
#undef COPIED
	};
	const struct resource *r = &resources[RESOURCE_PROMPT_VERSION];
	struct resource_at below = {
		.by = at->by, .holder = prompt->id, .above = prompt->holder,
	};
	struct resource_row row;
	int64_t number = prompt->version + 1;

	resource_new(r, &row);
	row.holder = prompt->id;
	row.v[COLUMN(PROMPT_VERSION, number)] = DB_I(number);
	for (size_t i = 0; i < ARRAY_LEN(copied); i++)
		row.v[copied[i].to] = prompt->v[copied[i].from];
	if (resource_create(tx, r, &below, &row, NULL, e))
		return -1;
	return db_exec(tx, STMT_PROMPT_FORGET,
		       DB_ARGS(DB_U(&prompt->id),
			       DB_I(number - LIM_PROMPT_VERSIONS)), NULL, e);
}

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
