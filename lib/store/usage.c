/* SPDX-License-Identifier: MIT */
#include "store/usage.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "store/stmt.h"

#include "base/banned.h"

struct usage usage_init(enum usage_kind kind)
{
	return (struct usage){
		.id = uuid_new(),
		.kind = kind,
		.input_tokens = -1, .cache_read_tokens = -1,
		.cache_write_tokens = -1, .output_tokens = -1,
		.reasoning_tokens = -1, .cost = NAN, .ttft_ms = -1,
		.created_us = clock_now_us(),
	};
}

static struct db_val counter(int64_t v)
{
	/* The figures are a provider's: no answer is lost since a column does not take one. */
	return DB_I_IF(v >= 0, MIN(v, UINT32_MAX));
}

struct db_val *usage_args(struct db_val *v, const struct owner *o,
			  const struct usage *u)
{
	static const struct str none = { "[]", 2 };
	const struct db_val row[] = {
		DB_U(&u->id), DB_S(o->tenant_id), DB_U(&o->user_id),
		DB_I(u->kind), DB_S(u->workspace_id), DB_S_IF(u->agent_id),
		DB_U_IF(&u->conversation_id), DB_U_IF(&u->turn_id),
		DB_I(u->turn_number), DB_S_IF(u->service), DB_S(u->provider),
		DB_S(utf8_head(u->model, LIM_MODEL_CHARS)),
		PAYER(u->payer),
		counter(u->input_tokens), counter(u->cache_read_tokens),
		counter(u->cache_write_tokens), counter(u->output_tokens),
		counter(u->reasoning_tokens),
		DB_D_IF(isfinite(u->cost), u->cost), DB_I(u->estimated),
		DB_I(u->iterations), counter(u->ttft_ms),
		DB_I(MAX(u->duration_ms, 0)),
		DB_S(utf8_head(u->finish_reason, 64)),
		DB_S(u->prompts.p ? u->prompts : none), DB_S_IF(u->tools),
		DB_I(u->created_us),
	};

	_Static_assert(ARRAY_LEN(row) == sizeof(USAGE_ROW) - 1, "a row");
	memcpy(v, row, sizeof(row));
	return v + ARRAY_LEN(row);
}

int usage_insert_once(struct db *db, const struct owner *o, const struct usage *u,
		      struct err *e)
{
	struct db_val v[sizeof(USAGE_ROW) - 1];

	usage_args(v, o, u);
	return db_exec(db, STMT_USAGE_INSERT, v, NULL, e);
}

int usage_insert(struct db *db, const struct owner *o, const struct usage *u,
		 struct err *e)
{
	int rc = usage_insert_once(db, o, u, e);

	if (rc && e->code == ERR_DB_DUPLICATE) {
		err_clear(e);	/* a retry after a lost connection */
		rc = 0;
	}
	return rc;
}

int usage_settle(struct db *db, const struct owner *o, const struct usage *u,
		 const struct uuid *paused, struct err *e)
{
	struct db_val v[sizeof(USAGE_ROW) - 1];
	struct uuid there;
	int rc = 0;

	if (paused && !uuid_is_nil(paused))
		rc = db_id(db, STMT_USAGE_THERE, DB_ARGS(DB_U(paused)), &there, e);
	if (rc)
		return rc < 0 ? -1 : 0;
	usage_args(v, o, u);
	return db_exec(db, STMT_USAGE_SETTLE, v, NULL, e);
}
