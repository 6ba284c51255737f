/* SPDX-License-Identifier: MIT */
/*
 * How conversations come to be, on their own or as a copy of another one, and how they go,
 * alone or with their agent or workspace.
 *
 * Deleting first removes the owner from the row (no tenant, no user), so that
 * from then on no query that checks the owner finds it. Then it deletes the
 * dependent rows in batches, and the row itself last. After a crash, the
 * remains are recognised by the missing owner.
 */
#include "store/conversation.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "resource/purge.h"
#include "store/attachment.h"
#include "store/job.h"
#include "store/stmt.h"
#include "store/thread.h"

#include "base/banned.h"

enum {
	ROOM_MS = 3000,		/* limit for purging a conversation whose id is wanted */
	FORK_FACTS = 1000,	/* of the newest; the older ones stay in the original */
	ARGS_BYTES = 1024,
	ROWS = 100,		/* as in the statement CONVERSATION_OF */
	NOW_MS = 1000,
};

#define LAST_CHARACTER "\xf4\x8f\xbf\xbf"

static const struct uuid nobody;

/* -- creating -------------------------------------------------------------- */

struct creating {
	const struct owner *o;
	const struct conversation *c;
};

static int create_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct creating *k = ctx;
	const struct conversation *c = k->c;

	if (db_tx_unknown(tx)) {
		struct conversation seen;
		struct arena a = ARENA_INIT;
		int rc = conversation_get(tx, k->o, &c->id, &a, &seen, e);

		arena_release(&a);
		if (!rc && seen.created_us == c->created_us)
			return 0;
		if (e->code != ERR_NONE && e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
	}
	if (db_exec(tx, STMT_CONVERSATION_INSERT,
		    DB_ARGS(DB_U(&c->id), DB_S(k->o->tenant_id),
			    DB_U(&k->o->user_id), DB_S(c->workspace_id),
			    DB_S(c->agent_id), DB_S_IF(c->title),
			    DB_I(c->title_by), DB_I(0), DB_I(0),
			    DB_U_IF(&nobody), DB_I(c->created_us),
			    DB_I(c->updated_us), DB_S_IF(c->client)
			    PLACE_VALUES(&c->context)), NULL, e))
		return -1;
	return !c->knowledge.p ? 0
		: db_exec(tx, STMT_CONVERSATION_LIMIT,
			  DB_ARGS(DB_S(c->knowledge), DB_I(c->updated_us),
				  DB_U(&c->id), DB_S(k->o->tenant_id),
				  DB_U(&k->o->user_id), DB_I(-1), DB_I(-1)), NULL,
			  e);
}

int conversation_create(struct db *db, const struct owner *o,
			const struct conversation_new *n,
			struct conversation *out, struct err *e)
{
	int64_t now_us = clock_now_us();
	struct creating k = { .o = o, .c = out };

	*out = (struct conversation){
		.id = n->id ? *n->id : uuid_new(),
		.workspace_id = n->workspace_id,
		.agent_id = n->agent_id,
		.title = n->title.p ? utf8_head(n->title, LIM_TITLE_CHARS)
				    : n->title,
		.knowledge = n->knowledge,
		.context = n->context,
		.title_by = n->title.p ? TITLE_USER : TITLE_NONE,
		.user_id = o->user_id,
		.created_us = now_us,
		.updated_us = now_us,
	};
	if (!db_tx(db, create_tx, &k, e))
		return 0;
	if (e->code == ERR_DB_DUPLICATE &&
	    conversation_make_room(db, &out->id)) {
		err_clear(e);
		if (!db_tx(db, create_tx, &k, e))
			return 0;
	}
	if (e->code == ERR_DB_DUPLICATE) {
		err_clear(e);
		err_set(e, ERR_CONFLICT, "the conversation id is taken");
	}
	return -1;
}

/* -- forking --------------------------------------------------------------- */

struct forking {
	const struct owner *o;
	const struct uuid *from, *id;
	int64_t seq, now_us;
	int64_t rows;		/* of the first batch */
};

static int check_fork(struct db *tx, const struct forking *k, struct err *e)
{
	struct spot s;

	if (thread_spot(tx, k->from, k->seq, &s, e))
		return -1;
	if (s.step || s.role == ROLE_TOOL)
		return err_field(e, ERR_INVALID_FIELD, "messageId",
				 "messageId must be a user's message or an "
				 "answer.");
	return 0;
}

static int fork_tx(struct db *tx, void *ctx, struct err *e)
{
	struct forking *k = ctx;
	struct arena a = ARENA_INIT;
	struct conversation fork;
	const struct uuid none = { .b = { 0 } };
	struct locked l;
	int64_t left = k->seq, n;
	int rc;

	if (db_tx_unknown(tx)) {
		rc = conversation_get(tx, k->o, k->id, &a, &fork, e);
		arena_release(&a);
		if (rc == 0)	/* ours, or created on another node with the
				   same key */
			return fork.created_us == k->now_us ? 0
				: err_set(e, ERR_DB_DUPLICATE,
					  "forked by another node");
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
	}
	/* Locked, so that it is not edited between two statements. */
	rc = conversation_lock(tx, k->o, k->from, &a, &l, e);
	arena_release(&a);
	if (rc || check_fork(tx, k, e) ||
	    db_exec(tx, STMT_GAP_COPY, DB_ARGS(DB_U(k->id), DB_U(k->from),
					       DB_I(k->seq)), NULL, e) ||
	    gap_sum(tx, k->id, &n, e) ||
	    thread_copy_some(tx, k->from, k->id, k->rows, &left, e) ||
	    attachment_fork(tx, k->from, k->id, e) ||
	    db_exec(tx, STMT_MEMORY_FORK,
		    DB_ARGS(DB_U(k->id), DB_U(k->from), DB_I(k->seq),
			    DB_I(k->seq)), NULL, e) ||
	    db_exec(tx, STMT_FACT_FORK,
		    DB_ARGS(DB_U(k->id), DB_U(k->from), DB_I(k->seq),
			    DB_I(FORK_FACTS)), NULL, e) ||
	    (left && store_job_ask_for(tx, STR(FORK_COPY_JOB), k->o, k->id, e)))
		return -1;
	return db_exec(tx, STMT_CONVERSATION_FORK,
		       DB_ARGS(DB_U(k->id), DB_I(k->seq), DB_I(n),
			       DB_I(k->now_us), DB_I(k->now_us), DB_I(k->seq),
			       DB_U_IF(left ? k->from : &none),
			       DB_I_IF(left, left), DB_U(k->from),
			       DB_S(k->o->tenant_id), DB_U(&k->o->user_id)),
		       NULL, e);
}

int thread_fork(struct db *db, const struct owner *o,
		const struct uuid *conversation_id, int64_t seq,
		const struct uuid *id, struct err *e)
{
	struct forking k = { .o = o, .from = conversation_id, .id = id,
			     .seq = seq, .now_us = clock_now_us(),
			     .rows = FORK_COPY_ROWS };
	int rc;

	if (thread_whole(db, o, conversation_id, e))
		return -1;
	while ((rc = db_tx(db, fork_tx, &k, e)) && thread_copy_fewer(&k.rows, e))
		;
	if (!rc)
		return 0;
	if (e->code != ERR_DB_DUPLICATE || !conversation_make_room(db, id))
		return -1;
	err_clear(e);
	return db_tx(db, fork_tx, &k, e);
}

struct share_forking {
	const struct owner *o;
	const struct shared_reader *by;
	const struct shared *s;
	const struct conversation_new *n;
	const struct message *rows;
	size_t n_rows;
};

static int shared_fork_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct share_forking *k = ctx;
	struct arena a = ARENA_INIT;
	struct conversation c;
	struct shared now;
	int rc = -1;

	if (db_tx_unknown(tx)) {
		rc = conversation_get(tx, k->o, k->n->id, &a, &c, e);
		if (!rc || e->code != ERR_NOT_FOUND)
			goto out;
		err_clear(e);
	}
	rc = shared_get(tx, k->by, &k->s->id, &a, &now, e) < 0 ||
		conversation_create(tx, k->o, k->n, &c, e) < 0 ||
		message_insert_all(tx, &c.id, k->rows, k->n_rows, e) < 0 ||
		db_exec(tx, STMT_CONVERSATION_EXTEND,
			DB_ARGS(DB_I((int64_t)k->n_rows), DB_I(c.updated_us), DB_U(&c.id),
				DB_S(k->o->tenant_id), DB_U(&k->o->user_id)), NULL, e) < 0
		? -1 : 0;
out:
	arena_release(&a);
	return rc;
}

int shared_fork(struct db *db, const struct owner *o, const struct shared_reader *by,
		const struct shared *s, const struct conversation_new *n,
		const struct message *rows, size_t n_rows, struct err *e)
{
	struct share_forking k = { o, by, s, n, rows, n_rows };

	return db_tx(db, shared_fork_tx, &k, e);
}

/* -- deleting -------------------------------------------------------------- */

/* -- deleting ---------------------------------------------------------------- */

struct hiding {
	const struct owner *o;
	const struct uuid *by;	/* who asked */
	const struct uuid *id;
};

static int hide_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct hiding *d = ctx;
	struct arena a = ARENA_INIT;
	/* The text is not wanted: only what the turn has used is estimated. */
	struct event_summary sum = { .text = BUF_INIT(1) };
	struct locked l;
	int rc = conversation_lock(tx, d->o, d->id, &a, &l, e);

	arena_release(&a);
	if (rc && e->code == ERR_NOT_FOUND && db_tx_unknown(tx)) {
		err_clear(e);	/* an earlier try has cancelled it */
		return 0;
	}
	if (rc)
		return -1;
	/* If its process is alive, it replaces this record by the actual usage. */
	if (!uuid_is_nil(&l.turn_id) && l.status == TURN_RUNNING &&
	    store_turn_estimate(tx, d->o, d->id, &l, NULL, &sum, e))
		return -1;
	if (!uuid_is_nil(&l.turn_id) &&
	    db_exec(tx, STMT_TURN_STOP, DB_ARGS(DB_I(clock_now_us()),
						DB_U(&l.turn_id)), NULL, e))
		return -1;
	if (db_exec(tx, STMT_CONVERSATION_HIDE,
		    DB_ARGS(DB_U(&nobody), DB_U(d->id), DB_S(d->o->tenant_id),
			    DB_U(&d->o->user_id)), NULL, e) ||
	    attachment_hide(tx, d->o, d->id, e) ||
	    resource_hide_parts(tx, ROOT_CONVERSATION, d->id, e) ||
	    db_exec(tx, STMT_NOTICE_FORGET,
		    DB_ARGS(DB_U(&d->o->user_id), DB_U(d->id)), NULL, e) ||
	    db_exec(tx, STMT_FORK_UNLINK, DB_ARGS(DB_U(d->id)), NULL,
		    e))
		return -1;
	return store_job_ask_for(tx, STR(CONVERSATION_PURGE_JOB),
				 &(struct owner){ d->o->tenant_id, *d->by },
				 d->id, e);
}

/*
 * Locks the conversation and returns whether it is deleted. Its id may be used
 * again as soon as a concurrent purge has finished.
 */
static int hidden(struct db *tx, const struct uuid *id, struct err *e)
{
	struct uuid found;

	return db_id(tx, STMT_CONVERSATION_HIDDEN,
		     DB_ARGS(DB_U(id), DB_U(&nobody)), &found, e);
}

int conversation_delete_by(struct db *db, const struct uuid *by,
			   const struct owner *o, const struct uuid *id,
			   struct err *e)
{
	struct hiding d = { .o = o, .by = by, .id = id };

	return db_tx(db, hide_tx, &d, e);
}

int conversation_delete(struct db *db, const struct owner *o,
			const struct uuid *id, struct err *e)
{
	return conversation_delete_by(db, &o->user_id, o, id, e);
}

/*
 * Requests CONVERSATION_PURGE_JOB for deleted conversations that have no job, because an
 * older version was interrupted or the job failed for good and was forgotten.
 */
static int adopt(struct db *db, struct err *e)
{
	int64_t now_us = clock_now_us();

	return db_exec(db, STMT_CONVERSATION_ADOPT,
		       DB_ARGS(DB_I(now_us), DB_I(now_us), DB_U(&nobody)),
		       NULL, e);
}

int store_tidy(struct db *db, struct err *e)
{
	return resource_expire(db, e) ? -1 : adopt(db, e);
}

int conversation_purge(struct db *db, const struct uuid *id, int64_t until_ms,
		       struct err *e)
{
	/* Before anything is deleted: forks still need its messages. */
	int rc = thread_copy_forks(db, id, until_ms, e);

	if (rc > 0)
		rc = resource_purge(db, ROOT_CONVERSATION, id, hidden,
				    until_ms, e);

	if (rc > 0 && db_exec(db, STMT_CONVERSATION_DELETE,
			      DB_ARGS(DB_U(id), DB_U(&nobody)), NULL, e))
		rc = -1;
	return rc;
}

/* Returns 1 if a conversation with the id exists, deleted or not; 0; -1. */
static int is_there(struct db *db, const struct uuid *id, struct err *e)
{
	struct uuid found;

	return db_id(db, STMT_CONVERSATION_THERE, DB_ARGS(DB_U(id)), &found, e);
}

/* Returns 1 if the deleted conversation is purged; 0 if it was not deleted; -1. */
static int purge_if_hidden(struct db *db, const struct uuid *id,
			   int64_t until_ms, struct err *e)
{
	int rc = hidden(db, id, e);

	if (rc > 0)
		return conversation_purge(db, id, until_ms, e);
	if (rc == 0) {	/* another process may just have finished the purge */
		rc = is_there(db, id, e);
		rc = rc < 0 ? -1 : !rc;
	}
	return rc;
}

bool conversation_make_room(struct db *db, const struct uuid *id)
{
	int64_t until_ms = clock_mono_ms() + ROOM_MS;
	struct err e = ERR_INIT;
	int rc;

	do {	/* a concurrent purge on another node is a conflict */
		err_clear(&e);
		rc = purge_if_hidden(db, id, until_ms, &e);
	} while (rc < 0 && e.code == ERR_DB_RETRY && clock_mono_ms() < until_ms);
	if (rc < 0)
		log_err("purge of a deleted conversation failed", &e);
	return rc > 0;
}

/* -- of agents ------------------------------------------------------------- */

static void put_id(struct jw *w, const char *key, const struct uuid *id)
{
	if (id)
		jw_kuuid(w, key, id);
}

struct of_row {
	struct uuid id, user_id;
};

static const struct db_field of_fields[] = {
	FIELD_OF(struct of_row, id, u), FIELD_OF(struct of_row, user_id, u),
};

int conversation_any_in(struct db *db, struct str tenant_id,
			struct str workspace_id, bool *any, struct err *e)
{
	struct of_row one;
	int rc = db_get(db, STMT_CONVERSATION_WITHIN,
			DB_ARGS(DB_S(tenant_id), DB_S(workspace_id)), NULL,
			of_fields, &one, e);

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

static int find_rows(struct db *db, struct str tenant_id, const json_t *args,
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
		       a, of_fields, sizeof(**out), 0, out, n, e);
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
		rc = find_rows(db, by->tenant_id, j, &a, &v, &n, e);
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
