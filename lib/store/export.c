/* SPDX-License-Identifier: MIT */
#include "store/export.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/limits.h"
#include "store/conversation.h"
#include "store/message.h"
#include "store/setting.h"

#include "base/banned.h"

enum { IDS = 5000 };		/* of conversations that are read at a time */

struct export_to {
	struct db *db;
	const struct owner *owner;
	struct jw *w;
	resource_flush *flush;
	void *ctx;
};

static int put_messages(const struct export_to *o, const struct conversation *c, struct err *e)
{
	struct message_scope scope = {
		.workspace_id = c->workspace_id, .agent_id = c->agent_id,
		.conversation_id = c->id, .style = RECORD_PLAIN,
	};
	struct message_page page = { .more = true };

	jw_key(o->w, "messages");
	jw_arr(o->w);
	while (page.more) {
		struct arena a = ARENA_INIT;
		int64_t after = page.next_seq;
		int rc = message_list(o->db, o->owner, &c->id, OLDEST_FIRST, after,
				      LIM_PAGE_MAX, &a, &page, e);

		for (size_t i = 0; !rc && i < page.n; i++)
			message_write(o->w, &scope, &page.items[i]);
		arena_release(&a);
		if (rc || o->flush(o->ctx, e))
			return -1;
	}
	jw_end_arr(o->w);
	return 0;
}

/* If it was deleted meanwhile, it has no messages. */
static int put_conversation(const struct export_to *o, const struct conversation *c,
			    struct err *e)
{
	jw_obj(o->w);
	jw_key(o->w, "conversation");
	conversation_write(o->w, c, clock_now_us());
	if (put_messages(o, c, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		jw_end_arr(o->w);
	}
	jw_end_obj(o->w);
	return 0;
}

static int put_one(const struct export_to *o, const struct uuid *id, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct conversation c;
	int rc = conversation_get(o->db, o->owner, id, &a, &c, e);

	if (rc == 0) {
		rc = put_conversation(o, &c, e);
	} else if (e->code == ERR_NOT_FOUND) {	/* deleted meanwhile */
		err_clear(e);
		rc = 0;
	}
	arena_release(&a);
	return rc;
}

static int put_conversations(const struct export_to *o, struct err *e)
{
	struct uuid after = { { 0 } }, *ids = xcalloc(IDS, sizeof(*ids));
	size_t n = IDS;
	int rc = 0;

	jw_key(o->w, "conversations");
	jw_arr(o->w);
	while (!rc && n == IDS) {
		rc = conversation_ids(o->db, o->owner, &after, ids, IDS, &n, e);
		for (size_t i = 0; !rc && i < n; i++)
			rc = put_one(o, &ids[i], e);
		if (n)
			after = ids[n - 1];
	}
	free(ids);
	jw_end_arr(o->w);
	return rc;
}

/* What the user has set. */
static int put_settings(const struct export_to *o, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct store_setting row = { .values = STR("{}") };
	size_t n;
	int rc = store_setting_read(o->db, o->owner->tenant_id,
				    &o->owner->user_id, 1, &a, &row, &n, e);

	jw_key(o->w, "settings");
	jw_raw(o->w, row.values);
	arena_release(&a);
	return rc;
}

int store_export(struct db *db, const struct owner *owner, struct str login, struct jw *w,
		 resource_flush *flush, void *ctx, struct err *e)
{
	const struct export_to o = { db, owner, w, flush, ctx };

	jw_obj(w);
	jw_kstr(w, "tenant", owner->tenant_id);
	jw_kstr(w, "user", login);
	jw_ktime(w, "exportedAt", clock_now_us());
	if (put_settings(&o, e) < 0 || put_conversations(&o, e) < 0 ||
	    resource_export(db, owner, w, flush, ctx, e) < 0)
		return -1;
	jw_end_obj(w);
	return 0;
}
