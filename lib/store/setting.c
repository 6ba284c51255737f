/* SPDX-License-Identifier: MIT */
#include "store/setting.h"

#include "base/clock.h"
#include "store/stmt.h"

#include "base/banned.h"

static const struct db_field fields[] = {
#define F(m, t, sql) FIELD_OF(struct store_setting, m, t)
	SETTING_FIELDS(F, COMMA)
#undef F
};

int store_setting_read(struct db *db, struct str tenant_id,
		       const struct uuid *ids, size_t n, struct arena *a,
		       struct store_setting *out, size_t *n_out, struct err *e)
{
	struct db_val v[STORE_SETTINGS + 1] = { DB_S(tenant_id) };

	*n_out = 0;
	for (size_t from = 0; from < n; from += STORE_SETTINGS) {
		struct store_setting *rows;
		size_t got;

		for (size_t i = 0; i < STORE_SETTINGS; i++)
			v[i + 1] = DB_U(&ids[MIN(from + i, n - 1)]);
		if (db_list(db, STMT_SETTING_READ, v, a, fields, sizeof(*rows),
			    STORE_SETTINGS, &rows, &got, e))
			return -1;
		for (size_t i = 0; i < got; i++)
			out[(*n_out)++] = rows[i];
	}
	return 0;
}

int store_setting_list(struct db *db, struct str tenant_id, int64_t level,
		       struct str after, size_t max, struct arena *a,
		       struct store_setting **out, size_t *n, struct err *e)
{
	return db_list(db, STMT_SETTING_LIST,
		       DB_ARGS(DB_S(tenant_id), DB_I(level),
			       DB_S(after.p ? after : STR("")),
			       DB_I((int64_t)max)),
		       a, fields, sizeof(**out), max, out, n, e);
}

int store_setting_mark(struct db *db, const struct store_setting *tenant,
		       struct err *e)
{
	return db_exec(db, STMT_SETTING_MARK,
		       DB_ARGS(DB_U(&tenant->holder_id), DB_S(tenant->name),
			       DB_I(tenant->level), DB_S(tenant->name),
			       DB_I(clock_now_us())), NULL, e);
}

int store_setting_put(struct db *db, struct str tenant_id,
		      const struct store_setting *s, bool *stored,
		      struct err *e)
{
	struct db_result r = { 1, 0 };
	int64_t now_us = clock_now_us();

	*stored = false;
	if (s->version) {
		if (db_exec(db, STMT_SETTING_CHANGE,
			    DB_ARGS(DB_S(s->values), DB_I(now_us),
				    DB_I(s->author.p != NULL),
				    DB_U_IF(&s->author_id),
				    DB_I(s->author.p != NULL),
				    DB_S_IF(s->author),
				    DB_U(&s->holder_id), DB_S(tenant_id),
				    DB_I(s->version)), &r, e))
			return -1;
	} else if (db_exec(db, STMT_SETTING_INSERT,
			   DB_ARGS(DB_U(&s->holder_id), DB_S(tenant_id),
				   DB_I(s->level), DB_S(s->name), DB_I(now_us),
				   DB_S(s->values), DB_U_IF(&s->author_id),
				   DB_S_IF(s->author)), NULL, e)) {
		if (e->code != ERR_DB_DUPLICATE)
			return -1;
		err_clear(e);
		r.affected = 0;
	}
	*stored = r.affected > 0;
	return 0;
}
