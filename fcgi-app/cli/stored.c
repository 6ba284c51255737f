/* SPDX-License-Identifier: MIT */
/* stored: what a user stores, as limits.stored_mb counts it. */

#include "cli.h"
#include "hold/stored.h"

#include "base/banned.h"

static int print(struct cli_session *s, const char *login, struct err *e)
{
	const struct str tenant = str_of(s->conf->tenant);
	const struct owner o = { tenant, uuid_of_name(tenant, identity_login(
		s->conf, str_of(login), &s->arena)) };
	struct buf out = BUF_INIT(CLI_OUT_BYTES);
	struct stored sum;

	if (hold_sum(s->db, &o, &sum, e))
		return cli_failed(e);
	buf_addf(&out, "stored\t%lld\t%lld\n", (long long)hold_total(&sum),
		 s->conf->limits.stored_mb * 1048576LL);
	for (int i = 0; i < STORED__MAX; i++)
		buf_addf(&out, "%s\t%lld\t\n", hold_rows[i].key,
			 (long long)sum.v[i]);
	return cli_print(&out);
}

int cli_stored(struct cli *cli, int argc, char **argv)
{
	struct err e = ERR_INIT;
	const char *login;
	struct cli_session s;
	int rc;

	rc = cli_user_args(cli, argc, argv, &login);
	if (rc != CLI_OK)
		return rc;
	if (cli_session_open(&s, cli))
		return CLI_FAILED;
	rc = print(&s, login, &e);
	cli_session_close(&s);
	return rc;
}
