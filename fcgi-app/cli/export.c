/* SPDX-License-Identifier: MIT */
/* export: what is stored about a user, as JSON. */
#include "auth/identity.h"
#include "cli.h"
#include "db/db.h"
#include "store/export.h"

#include "base/banned.h"

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

static int put_user(const struct cli_session *s, const char *login,
		    struct out *o, struct err *e)
{
	struct str tenant = str_of(s->conf->tenant);
	struct owner owner = { tenant, uuid_of_name(tenant, str_of(login)) };

	if (store_export(s->db, &owner, str_of(login), &o->w, flush, o, e) < 0)
		return -1;
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
