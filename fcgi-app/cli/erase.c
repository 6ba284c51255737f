/* SPDX-License-Identifier: MIT */
/* erase: deletes what is stored about a user. */
#include <getopt.h>
#include <string.h>

#include "auth/identity.h"
#include "cli.h"
#include "job/erase.h"

#include "base/banned.h"

/* A table, in the order in which they were told. */
struct erased_table {
	const char *table;
	bool kept;
	int64_t n;
	struct erased_table *next;
};

struct erased {
	struct arena *a;
	struct erased_table *first;
};

static void count(const char *table, bool kept, int64_t n, void *ctx)
{
	struct erased *t = ctx;
	struct erased_table **at = &t->first;

	while (*at && ((*at)->kept != kept || strcmp((*at)->table, table)))
		at = &(*at)->next;
	if (!*at) {
		*at = arena_new(t->a, struct erased_table);
		**at = (struct erased_table){ .table = table, .kept = kept };
	}
	(*at)->n += n;
}

static int erase(struct cli_session *s, const char *login, struct err *e)
{
	const struct str tenant = str_of(s->conf->tenant);
	const struct owner o = { tenant, uuid_of_name(tenant, str_of(login)) };
	struct buf out = BUF_INIT(CLI_OUT_BYTES);
	struct erased t = { .a = &s->arena };
	int rc = job_erase_user(s->db, s->conf, &o, str_of(login), count, &t, e);

	for (const struct erased_table *l = t.first; l; l = l->next)
		buf_addf(&out, "%s\t%lld\t%s\n", l->table, (long long)l->n,
			 l->kept ? "kept" : "deleted");
	if (cli_print(&out) != CLI_OK)
		return CLI_FAILED;
	return rc ? cli_failed(e) : CLI_OK;
}

int cli_erase(struct cli *cli, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "user", required_argument, NULL, 'u' },
		{ "yes", no_argument, NULL, 'y' },
		{ NULL, 0, NULL, 0 },
	};
	struct err e = ERR_INIT;
	const char *login = NULL;
	struct cli_session s;
	bool yes = false;
	int c, rc;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 'u')
			login = optarg;
		else if (c == 'y')
			yes = true;
		else
			return cli_usage(cli, "invalid option");
	}
	if (optind < argc)
		return cli_usage(cli, "unexpected argument \"%s\"", argv[optind]);
	if (!login || !*login)
		return cli_usage(cli, "--user is missing");
	if (!yes)
		return cli_usage(cli, "this cannot be undone: confirm it with --yes");
	if (cli_session_open(&s, cli))
		return CLI_FAILED;
	login = identity_login(s.conf, str_of(login), &s.arena).p;
	rc = erase(&s, login, &e);
	cli_session_close(&s);
	return rc;
}
