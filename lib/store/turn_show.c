/* SPDX-License-Identifier: MIT */
#include "store/turn_show.h"

#include <string.h>

#include "store/stmt.h"

#include "base/banned.h"

static const struct db_field turn_fields[] = {
#define F(m, t, sql) FIELD_OF(struct turn_show, m, t),
	SHOW_TURN_FIELDS(F, )
#undef F
};

/* Unknown counters are -1, as in struct usage. */
static const struct db_field usage_fields[] = {
#define F(m, t, sql) { .column = #m, .type = T_##t, .null_i = -1, \
	.offset = offsetof(struct usage, m) }
	SHOW_USAGE_FIELDS(F, COMMA)
#undef F
};

static const struct db_field source_fields[] = {
#define F(m, t, sql) FIELD_OF(struct source, m, t)
	TURN_SOURCE_FIELDS(F, COMMA)
#undef F
};

static int read_rest(struct db *db, struct str tenant_id, struct arena *a,
		     struct turn_show *t, struct err *e)
{
	if (db_list(db, STMT_SHOW_USAGE,
		    DB_ARGS(DB_U(&t->conversation_id), DB_U(&t->id),
			    DB_S(tenant_id)), a, usage_fields,
		    sizeof(*t->calls), 0, &t->calls, &t->n_calls, e) < 0)
		return -1;
	return db_list(db, STMT_SHOW_SOURCES,
		       DB_ARGS(DB_U(&t->id), DB_S(tenant_id)), a, source_fields,
		       sizeof(*t->sources), 0, &t->sources, &t->n_sources, e);
}

int store_turn_show(struct db *db, struct str tenant_id, const struct uuid *id,
		    int64_t seq, struct arena *a, struct turn_show *out,
		    struct err *e)
{
	struct uuid turn = *id;
	int rc;

	*out = (struct turn_show){ .n_calls = 0 };
	if (seq > 0 && db_id(db, STMT_SHOW_TURN_OF_MESSAGE,
			     DB_ARGS(DB_U(id), DB_I(seq), DB_S(tenant_id)), &turn,
			     e) < 0)
		return -1;
	rc = db_get(db, STMT_SHOW_TURN, DB_ARGS(DB_U(&turn), DB_S(tenant_id)), a,
		    turn_fields, out, e);
	if (rc == 0 && db_id(db, STMT_SHOW_TURN_OF_CONVERSATION,
			     DB_ARGS(DB_U(id), DB_S(tenant_id)), &turn, e) < 0)
		return -1;
	if (rc == 0)
		rc = db_get(db, STMT_SHOW_TURN,
			    DB_ARGS(DB_U(&turn), DB_S(tenant_id)), a,
			    turn_fields, out, e);
	if (rc < 0)
		return -1;
	return rc ? read_rest(db, tenant_id, a, out, e)
		: err_set(e, ERR_NOT_FOUND, "no such turn");
}
