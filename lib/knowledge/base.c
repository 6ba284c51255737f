/* SPDX-License-Identifier: MIT */
/*
 * Knowledge bases as a resource, with the same access rules as prompts (sharing.h);
 * each has an index (lib/search), which is created and deleted with it.
 */
#include "domain/sharing.h"
#include "domain/stored_service.h"
#include "domain/target.h"
#include "base/limits.h"
#include "search/embed.h"
#include "knowledge/kb.h"

#include "base/banned.h"

/* Its workspace; NULL: none, or none that the caller sees. */
static int find_workspace(const struct caller *by, struct str id,
			  const struct workspace **w, struct err *e)
{
	const struct agent *a;

	*w = NULL;
	if (!id.p || target_scope(by, id, (struct str){ NULL, 0 }, w, &a, e) == 0)
		return 0;
	*w = NULL;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}

static int prepare(const struct caller *by, const struct resource *r,
		   struct resource_change *k, struct err *e)
{
	struct db_val *language = &k->row.v[COLUMN(KNOWLEDGE_BASE, language)];
	struct str id = resource_text(&k->row, COLUMN(KNOWLEDGE_BASE, workspace_id));
	const struct workspace *w;

	if (language->null)
		*language = DB_S(STR("none"));
	if (find_workspace(by, id, &w, e) < 0)
		return -1;
	if (id.p && !w)
		return err_field(e, ERR_INVALID_FIELD, "workspaceId",
				 "workspaceId must be one of your workspaces.");
	return sharing_prepare(by, r, k, (struct sharing_columns){
		COLUMN(KNOWLEDGE_BASE, tier), COLUMN(KNOWLEDGE_BASE, team),
	}, e);
}

static int check(const struct caller *by, const struct resource *r,
		 struct resource_change *k, struct err *e)
{
	const struct workspace *w = NULL;

	if (k->row.given[COLUMN(KNOWLEDGE_BASE, embedding_service_id)] &&
	    find_workspace(by, resource_text(&k->row, COLUMN(KNOWLEDGE_BASE, workspace_id)),
			   &w, e) < 0)
		return -1;
	return stored_bindings_check(by, w, r, &k->row, e);
}

static int store(const struct caller *by, const struct resource *r,
		 struct resource_change *k, struct err *e)
{
	const struct resource_row *row = &k->row;

	if (stored_bindings_keep(by, by->db, r, row, e) < 0)
		return -1;
	if (!row->version)
		return search_base_make(by->db, &row->id, by->owner.tenant_id,
					resource_text(row, COLUMN(KNOWLEDGE_BASE, language)), e);
	/* It may have been paused, or may have another service now. */
	k->job_due = true;
	if (search_embed_retry(by->db, &row->id, NULL, e) ||
	    kb_ask_index(by->db, &by->owner, &row->id, e))
		return -1;
	return kb_ask_embed(by->db, &by->owner, &row->id, e);
}

static int gone(const struct caller *by, const struct resource *r,
		struct resource_change *k, struct err *e)
{
	(void)r;
	k->job_due = true;
	return kb_doom(by->db, &by->owner, &k->row.id, e);
}

static int most(const struct resource_row *row)
{
	return str_is(resource_text(row, COLUMN(KNOWLEDGE_BASE, tier)), "private")
		? LIM_PRIVATE_BASES : LIM_KNOWLEDGE_BASES;
}

const struct resource_hooks knowledge_base_hooks = {
	.most = most, .of_own = PERM_KNOWLEDGE_WRITE,
	.of_group = PERM_KNOWLEDGE_SHARE, .of_tenant = PERM_KNOWLEDGE_MANAGE,
	.prepare = prepare, .check = check, .store = store, .gone = gone,
};

static int add_share(const struct caller *by, const struct resource *r,
		     struct resource_change *k, struct err *e)
{
	return sharing_store(by, r, k, kb_shared, e);
}

static int end_share(const struct caller *by, const struct resource *r,
		     struct resource_change *k, struct err *e)
{
	return sharing_gone(by, r, k, kb_shared, e);
}

const struct resource_hooks knowledge_base_share_hooks = {
	.check = sharing_check, .store = add_share, .gone = end_share,
};
