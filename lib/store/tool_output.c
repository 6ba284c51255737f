/* SPDX-License-Identifier: MIT */
#include "store/tool_output.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "store/stmt.h"

#include "base/banned.h"

#define KEPT_US INT64_C(86400000000)

static const struct db_field fields[] = {
#define F(m, t, sql) FIELD_OF(struct tool_output, m, t)
	TOOL_OUTPUT_FIELDS(F, COMMA)
#undef F
};

int store_tool_output_put(struct db *db, const struct owner *o,
			  const struct uuid *conversation_id, struct str tool,
			  struct str content, struct str origins, struct uuid *id,
			  struct err *e)
{
	struct db_result r = { .affected = 0 };
	int rc;

	content.n = MIN(content.n, LIM_TOOL_OUTPUT_BYTES);
	content.n = utf8_complete(content);
	*id = uuid_new();
	rc = db_exec(db, STMT_TOOL_OUTPUT_INSERT,
		     DB_ARGS(DB_U(id), DB_S(tool), DB_S(content),
			     ((struct db_val){ .type = 's', .s = origins,
					       .null = !origins.n }),
			     DB_I(clock_now_us()), DB_U(conversation_id),
			     DB_S(o->tenant_id), DB_U(&o->user_id)), &r, e);
	if (rc && e->code == ERR_DB_DUPLICATE) {
		err_clear(e);	/* a retry after a lost connection */
		rc = 0;
	} else if (rc == 0 && r.affected == 0) {
		rc = err_set(e, ERR_NOT_FOUND, "the conversation of a result was deleted");
	}
	if (rc)
		return -1;
	return db_exec(db, STMT_TOOL_OUTPUT_TRIM,
		       DB_ARGS(DB_U(conversation_id), DB_U(conversation_id),
			       DB_I(TOOL_OUTPUTS_KEPT)), NULL, e);
}

int store_tool_output_get(struct db *db, const struct owner *o,
			  const struct uuid *id, struct arena *a,
			  struct tool_output *out, struct err *e)
{
	int n = db_get(db, STMT_TOOL_OUTPUT_GET,
		       DB_ARGS(DB_U(id), DB_S(o->tenant_id),
			       DB_U(&o->user_id),
			       DB_I(clock_now_us() - KEPT_US)),
		       a, fields, out, e);

	if (n < 0)
		return -1;
	return n ? 0 : err_set(e, ERR_NOT_FOUND, "no such tool output");
}
