/* SPDX-License-Identifier: MIT */
#include "job/erase.h"

#include "domain/stored.h"
#include "base/json.h"
#include "base/limits.h"
#include "job/work.h"
#include "knowledge/kb.h"
#include "store/attachment.h"
#include "store/conversation.h"

#include "base/banned.h"

enum { IDS = 500 };		/* of conversations that are read at a time */

static const struct resource *const workspaces = &resources[RESOURCE_WORKSPACE];

struct erasing {
	struct db *db;
	const struct conf *conf;
	const struct owner *owner;
	struct str login;
	job_erased *report;
	void *ctx;
};

static void report_table(const char *table, bool kept, int64_t n, void *ctx)
{
	const struct erasing *k = ctx;

	if (n)
		k->report(table, kept, n, k->ctx);
}

/* A conversation that is deleted meanwhile counts too. */
static int erase_conversations(struct erasing *k, struct err *e)
{
	const struct uuid first = { { 0 } };
	struct uuid ids[IDS];
	size_t n;

	do {
		if (conversation_ids(k->db, k->owner, &first, ids, IDS, &n, e))
			return -1;
		for (size_t i = 0; i < n; i++) {
			if (conversation_delete(k->db, k->owner, &ids[i], e) == 0)
				continue;
			if (e->code != ERR_NOT_FOUND)
				return -1;
			err_clear(e);
		}
		report_table("conversation", false, (int64_t)n, k);
	} while (n);
	return 0;
}

/* -- workspaces ---------------------------------------------------------------- */

static int write_readers(struct db *tx, const struct resource_row *row, void *ctx,
			 struct err *e)
{
	struct caller by = *(const struct caller *)ctx;

	by.db = tx;
	return resource_stored(&by, workspaces, row, e);
}

/* Takes the user's name out of the managers. Another change came first: again later. */
static int leave_one(struct erasing *k, struct resource_row *row, struct arena *a,
		     struct err *e)
{
	struct db_val *users = &row->v[COLUMN(WORKSPACE, manager_users)];
	const struct resource_at at = { .by = *k->owner, .holder = row->holder };
	struct caller by = caller_of(k->conf, NULL, k->db, a);
	json_auto_t *left = json_array(), *now = jx_try(users->s);
	struct str text = { NULL, 0 };
	size_t i;
	json_t *v;

	by.owner = *k->owner;
	json_array_foreach(now, i, v)
		if (!json_is_string(v) || !str_is(k->login, json_string_value(v)))
			json_array_append(left, v);
	if (json_array_size(left))
		text = str_of(jx_text(a, left));
	*users = DB_S_IF(text);
	row->given[users - row->v] = true;
	if (resource_update(k->db, workspaces, &at, row,
			    &(struct resource_also){ .run = write_readers, .ctx = &by }, e) == 0)
		return 0;
	if (e->code != ERR_PRECONDITION && e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}

/* Whoever is a manager is a reader. */
static int leave_managers(struct erasing *k, struct err *e)
{
	struct resource_at at = resource_own(k->owner);
	size_t n = 1;
	int rc = 0;

	at.readers = &k->owner->user_id;
	at.n_readers = 1;
	while (!rc && n) {
		const struct resource_want want = { .size = LIM_PAGE_MAX };
		struct arena a = ARENA_INIT;
		struct resource_row *rows;
		bool more;

		rc = resource_list(k->db, workspaces, &at, &want, &a, &rows, &n,
				   &more, e);
		for (size_t i = 0; !rc && i < n; i++)
			rc = leave_one(k, &rows[i], &a, e);
		arena_release(&a);
	}
	return rc;
}

/* Workspaces that others see too are theirs: their conversations are in them. */
static int leave_workspaces(struct erasing *k, struct err *e)
{
	const struct uuid admins = resource_of_admins(k->owner->tenant_id);
	struct db_result r;

	if (leave_managers(k, e) ||
	    db_exec(k->db, RSTMT_WORKSPACE_OUTLIVE,
		    DB_ARGS(DB_S(k->owner->tenant_id), DB_U(&k->owner->user_id),
			    DB_U(&k->owner->user_id), DB_U(&admins)), &r, e))
		return -1;
	report_table("workspace", true, r.affected, k);
	return 0;
}

/*
 * What else goes with a row that the user holds, of those that others may see, too.
 * The conversations of a private agent are the user's.
 */
static int delete_dependents(struct db *tx, const struct resource *r,
			     const struct resource_row *row, void *ctx, struct err *e)
{
	const struct erasing *k = ctx;
	struct arena a = ARENA_INIT;
	const struct caller by = {
		.conf = k->conf, .owner = *k->owner, .db = tx, .arena = &a,
	};
	int rc = r->owner == OWNER_SHARED ? resource_gone(&by, r, row, e) : 0;

	arena_release(&a);
	return rc;
}

static int run_part_jobs(struct erasing *k, const char *jobs, const struct uuid *subject,
			 struct err *e)
{
	return job_finish(k->db, k->conf, str_of(jobs), subject, e);
}

/*
 * Each job may request those after it. The index of the user's conversations is a base
 * with the user's id, and the files of such a base are the user's attachments.
 */
static int run_jobs(struct erasing *k, struct err *e)
{
	const struct uuid *id = &k->owner->user_id;
	int64_t bytes, n;

	if (attachment_taken(k->db, k->owner, &bytes, &n, e) ||
	    run_part_jobs(k, "agent-purge", NULL, e) ||
	    run_part_jobs(k, "conversation-purge", NULL, e) ||
	    run_part_jobs(k, "conversation-index,search-tidy", id, e) ||
	    kb_hide(k->db, k->owner, id, e) ||
	    run_part_jobs(k, "knowledge-purge", NULL, e) ||
	    run_part_jobs(k, "entity-index", NULL, e) ||
	    attachment_sweep(k->db, INT64_MAX, e) < 0)
		return -1;
	report_table("attachment", false, n, k);
	return 0;
}

int job_erase_user(struct db *db, const struct conf *conf, const struct owner *o,
		   struct str login, job_erased *report, void *ctx, struct err *e)
{
	struct erasing k = { db, conf, o, login, report, ctx };
	const struct resource_eraser x = { delete_dependents, report_table, &k };

	/* Readers are deleted with the first; the second is for what came meanwhile. */
	if (leave_workspaces(&k, e) || resource_erase(db, o, &x, e) ||
	    resource_erase_held(db, o, &x, e) || erase_conversations(&k, e) ||
	    run_jobs(&k, e))
		return -1;
	return resource_erase(db, o, &x, e);
}
