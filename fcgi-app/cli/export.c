/* SPDX-License-Identifier: MIT */
/* export: what is stored about a user, as JSON. */
#include <stdio.h>
#include <stdlib.h>

#include "auth/identity.h"
#include "cli.h"
#include "base/clock.h"
#include "db/db.h"
#include "resource/export.h"
#include "store/conversation.h"
#include "store/message.h"
#include "store/setting.h"

#include "base/banned.h"

enum { IDS = 5000 };		/* of conversations that are read at a time */

struct out {
	struct buf buf;
	struct jw w;
	bool failed;		/* already printed */
};

static int flush(void *ctx, struct err *e)
{
	struct out *o = ctx;

	(void)e;
	o->failed |= cli_print(&o->buf) != CLI_OK;
	o->buf = (struct buf)BUF_INIT(CLI_OUT_BYTES);
	return 0;
}

static int put_messages(struct db *db, const struct owner *owner,
			const struct conversation *c, struct out *o,
			struct err *e)
{
	struct message_scope scope = {
		.workspace_id = c->workspace_id, .agent_id = c->agent_id,
		.conversation_id = c->id, .style = RECORD_PLAIN,
	};
	struct message_page page = { .more = true };

	jw_key(&o->w, "messages");
	jw_arr(&o->w);
	while (page.more) {
		struct arena a = ARENA_INIT;
		int64_t after = page.next_seq;
		int rc = message_list(db, owner, &c->id, OLDEST_FIRST, after,
				      LIM_PAGE_MAX, &a, &page, e);

		for (size_t i = 0; !rc && i < page.n; i++)
			message_write(&o->w, &scope, &page.items[i]);
		arena_release(&a);
		if (rc || flush(o, e))
			return -1;
	}
	jw_end_arr(&o->w);
	return 0;
}

/* If it was deleted meanwhile, it has no messages. */
static int put_conversation(struct db *db, const struct owner *owner,
			    const struct conversation *c, struct out *o,
			    struct err *e)
{
	jw_obj(&o->w);
	jw_key(&o->w, "conversation");
	conversation_write(&o->w, c, clock_now_us());
	if (put_messages(db, owner, c, o, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		jw_end_arr(&o->w);
	}
	jw_end_obj(&o->w);
	return 0;
}

static int put_one(struct db *db, const struct owner *owner,
		   const struct uuid *id, struct out *o, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct conversation c;
	int rc = conversation_get(db, owner, id, &a, &c, e);

	if (rc == 0) {
		rc = put_conversation(db, owner, &c, o, e);
	} else if (e->code == ERR_NOT_FOUND) {	/* deleted meanwhile */
		err_clear(e);
		rc = 0;
	}
	arena_release(&a);
	return rc;
}

static int put_conversations(struct db *db, const struct owner *owner,
			     struct out *o, struct err *e)
{
	struct uuid after = { { 0 } }, *ids = xcalloc(IDS, sizeof(*ids));
	size_t n = IDS;
	int rc = 0;

	jw_key(&o->w, "conversations");
	jw_arr(&o->w);
	while (!rc && n == IDS) {
		rc = conversation_ids(db, owner, &after, ids, IDS, &n, e);
		for (size_t i = 0; !rc && i < n; i++)
			rc = put_one(db, owner, &ids[i], o, e);
		if (n)
			after = ids[n - 1];
	}
	free(ids);
	jw_end_arr(&o->w);
	return rc;
}

/* What the user has set. */
static int put_settings(const struct cli_session *s, const struct owner *owner,
			struct out *o, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct store_setting row = { .values = STR("{}") };
	size_t n;
	int rc = store_setting_read(s->db, owner->tenant_id, &owner->user_id, 1,
				    &a, &row, &n, e);

	jw_key(&o->w, "settings");
	jw_raw(&o->w, row.values);
	arena_release(&a);
	return rc;
}

static int put_user(const struct cli_session *s, const char *login,
		    struct out *o, struct err *e)
{
	struct str tenant = str_of(s->conf->tenant);
	struct owner owner = { tenant, uuid_of_name(tenant, str_of(login)) };

	jw_obj(&o->w);
	jw_kstr(&o->w, "tenant", tenant);
	jw_kstrz(&o->w, "user", login);
	jw_ktime(&o->w, "exportedAt", clock_now_us());
	if (put_settings(s, &owner, o, e) < 0 ||
	    put_conversations(s->db, &owner, o, e) < 0 ||
	    resource_export(s->db, &owner, &o->w, flush, o, e) < 0)
		return -1;
	jw_end_obj(&o->w);
	buf_addc(&o->buf, '\n');
	return flush(o, e);
}

int cli_export(struct cli *cli, int argc, char **argv)
{
	struct out o = { .buf = BUF_INIT(CLI_OUT_BYTES) };
	const char *login;
	struct err e = ERR_INIT;
	struct cli_session s;
	int rc;

	rc = cli_user_args(cli, argc, argv, &login);
	if (rc != CLI_OK)
		return rc;
	if (cli_session_open(&s, cli))
		return CLI_FAILED;
	o.w = jw_on(&o.buf);
	login = identity_login(s.conf, str_of(login), &s.arena).p;
	rc = put_user(&s, login, &o, &e);
	buf_release(&o.buf);
	cli_session_close(&s);
	if (rc)
		return cli_failed(&e);
	return o.failed ? CLI_FAILED : CLI_OK;
}
