/* SPDX-License-Identifier: MIT */
/*
 * Folders of conversations: what is in a folder at the top is a conversation, or a
 * folder that has none in it.
 */
#include "resource/call.h"
#include "store/stmt.h"

#include "base/banned.h"

/* Whether a folder is in this one: 1; 0; -1. */
static int has_folders(const struct caller *by, const struct uuid *id, struct err *e)
{
	struct uuid within;

	return db_id(by->db, STMT_FOLDER_WITHIN, DB_ARGS(DB_U(id)), &within, e);
}

static int check_under(const struct caller *by, const struct resource *r,
		       struct resource_change *k, struct err *e)
{
	const struct db_val *v = &k->row.v[COLUMN(CONVERSATION_FOLDER, under_id)];
	struct resource_row under;
	struct uuid id;
	int rc;

	if (v->null || !v->s.p)
		return 0;
	memcpy(id.b, v->s.p, sizeof(id.b));
	if (resource_visible(by, r, &id, &under, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return err_field(e, ERR_INVALID_FIELD, "parentId",
				 "parentId must be one of your folders.");
	}
	rc = k->now ? has_folders(by, &k->now->id, e) : 0;
	if (rc < 0)
		return -1;
	if (rc || (k->now && uuid_eq(&id, &k->now->id)) ||
	    !under.v[COLUMN(CONVERSATION_FOLDER, under_id)].null)
		return err_field(e, ERR_INVALID_FIELD, "parentId",
				 "Folders are nested once.");
	return 0;
}

const struct resource_hooks conversation_folder_hooks = { .check = check_under };
