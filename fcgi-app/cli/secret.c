/* SPDX-License-Identifier: MIT */
/* secret: creates keys for stored secrets, and seals them with another key. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "resource/reseal.h"
#include "secret/secret.h"

#include "base/banned.h"

static int new_key(void)
{
	char text[SECRET_KEY_TEXT_BYTES];

	seal_new_key(text);
	printf("%s\n", text);
	seal_wipe(str_of(text));
	return CLI_OK;
}

static void say_lost(void *ctx, const char *table, const char *column,
		     const struct uuid *row, const struct err *why)
{
	char id[UUID_TEXT_BYTES];

	(void)ctx;
	fprintf(stderr, "lamplighter: %s.%s of %s: %s\n", table, column,
		uuid_format(row, id), err_message(why));
}

static int rotate(const struct cli *cli)
{
	struct resource_resealed n;
	struct err e = ERR_INIT;
	struct cli_session s;
	int rc;

	if (cli_session_open(&s, cli))
		return CLI_FAILED;
	rc = resource_reseal(s.db, s.conf, say_lost, NULL, &n, &e);
	cli_session_close(&s);
	printf("%lld sealed again, %lld cannot be opened\n", (long long)n.done,
	       (long long)n.lost);
	if (rc)
		return cli_failed(&e);
	if (n.lost)
		return CLI_FAILED;
	puts("Only the first key of secrets.key is needed now.");
	return CLI_OK;
}

int cli_secret(struct cli *cli, int argc, char **argv)
{
	if (argc < 2 || (strcmp(argv[1], "key") && strcmp(argv[1], "rotate")))
		return cli_usage(cli, "the subcommand must be key or rotate");
	if (argc > 2)
		return cli_usage(cli, "unexpected argument \"%s\"", argv[2]);
	return !strcmp(argv[1], "key") ? new_key() : rotate(cli);
}
