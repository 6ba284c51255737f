/* SPDX-License-Identifier: MIT */
/* Conversations of agents: who has some, and those that are deleted with one. */
#include "store/conversation.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/job.h"
#include "store/stmt.h"

#include "base/banned.h"

enum { ARGS_BYTES = 1024, ROWS = 100, NOW_MS = 1000 };	/* ROWS: as in the statement */

#define LAST_CHARACTER "\xf4\x8f\xbf\xbf"

static void put_id(struct jw *w, const char *key, const struct uuid *id)
{
	if (id)
		jw_kuuid(w, key, id);
}

struct of_row {
	struct uuid id, user_id;
};

static const struct db_field fields[] = {
	FIELD_OF(struct of_row, id, u), FIELD_OF(struct of_row, user_id, u),
};

int conversation_any_in(struct db *db, struct str tenant_id,
			struct str workspace_id, bool *any, struct err *e)
{
	struct of_row one;
	int rc = db_get(db, STMT_CONVERSATION_WITHIN,
			DB_ARGS(DB_S(tenant_id), DB_S(workspace_id)), NULL,
			fields, &one, e);

	*any = rc > 0;
	return rc < 0 ? -1 : 0;
}

int conversation_users(struct db *db, const struct owner *o, struct str workspace_id,
		       struct arena *a, struct agent_users **out, size_t *n,
		       struct err *e)
{
	static const struct db_field users[] = {
		FIELD_OF(struct agent_users, agent_id, s),
		FIELD_OF(struct agent_users, users, i),
	};

	return db_list(db, STMT_AGENT_USERS, DB_ARGS(DB_S(o->tenant_id),
		       DB_S(workspace_id)), a, users, sizeof(**out), 0, out, n, e);
}

/* What the job is told, in args. */
static void write_args(struct buf *args, const struct conversation_of *of)
{
	struct jw w = jw_on(args);

	jw_obj(&w);
	jw_kstr(&w, "workspace", of->workspace_id);
	if (of->agent_id.p)
		jw_kstr(&w, "agent", of->agent_id);
	put_id(&w, "user", of->user);
	put_id(&w, "parent", of->parent);
	jw_kint(&w, "since", of->since_us);
	jw_kint(&w, "before", of->before_us);
	jw_end_obj(&w);
}

int conversation_delete_ask(struct db *tx, const struct owner *by,
			    const struct uuid *what,
			    const struct conversation_of *of, struct arena *a,
			    struct str *out, struct err *e)
{
	struct buf args = BUF_INIT(ARGS_BYTES);
	char id[UUID_TEXT_BYTES];
	int rc;

	write_args(&args, of);
	*out = (struct str){ arena_memdup(a, args.p, args.n), args.n };
	rc = store_job_ask(tx, &(struct job){
		.kind = STR(CONVERSATION_DELETE_JOB),
		.subject = str_of(uuid_format(what, id)),
		.tenant_id = by->tenant_id, .user_id = by->user_id,
		.args = *out }, e);
	buf_release(&args);
	return rc;
}

static int find(struct db *db, struct str tenant_id, const json_t *args,
		struct arena *a, struct of_row **out, size_t *n, struct err *e)
{
	struct str agent = jx_str(args, "agent");
	struct uuid user, parent;
	const struct uuid *u =
		uuid_parse(jx_str(args, "user"), &user) ? &user : NULL;
	const struct uuid *p =
		uuid_parse(jx_str(args, "parent"), &parent) ? &parent : NULL;

	return db_list(db, STMT_CONVERSATION_OF,
		       DB_ARGS(DB_S(tenant_id), DB_S(jx_str(args, "workspace")),
			       DB_S(agent.p ? agent : STR("")),
			       DB_S(agent.p ? agent : STR(LAST_CHARACTER)),
			       DB_I(jx_int(args, "since", 0)),
			       DB_I(jx_int(args, "before", 0)), DB_U_IF(u),
			       DB_U_IF(u), DB_U_IF(p)),
		       a, fields, sizeof(**out), 0, out, n, e);
}

/* Deletes one conversation; one deleted meanwhile counts as deleted. */
static int delete_one(struct db *db, const struct owner *by,
		      const struct of_row *c, struct err *e)
{
	const struct owner o = { by->tenant_id, c->user_id };

	if (conversation_delete_by(db, &by->user_id, &o, &c->id, e) == 0)
		return 0;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}

int conversation_delete_of(struct db *db, const struct owner *by, struct str args,
			   int64_t until_ms, struct err *e)
{
	json_auto_t *j = jx_try(args);
	struct arena a = ARENA_INIT;
	struct of_row *v;
	size_t n;
	int rc;

	do {
		arena_reset(&a);
		rc = find(db, by->tenant_id, j, &a, &v, &n, e);
		for (size_t i = 0; !rc && i < n && clock_mono_ms() < until_ms; i++)
			rc = delete_one(db, by, &v[i], e);
	} while (!rc && n == ROWS && clock_mono_ms() < until_ms);
	arena_release(&a);
	return rc ? -1 : n < ROWS && clock_mono_ms() < until_ms;
}

void conversation_delete_now(struct db *db, const struct owner *by, struct str args)
{
	struct err e = ERR_INIT;

	if (args.n && conversation_delete_of(db, by, args, clock_mono_ms() + NOW_MS,
					     &e) < 0)
		log_err("conversations are left to the job", &e);
}

void conversation_delete_some(struct db *db, const struct owner *by,
			      const struct conversation_of *of)
{
	struct buf args = BUF_INIT(ARGS_BYTES);

	write_args(&args, of);
	conversation_delete_now(db, by, buf_str(&args));
	buf_release(&args);
}
