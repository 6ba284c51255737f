/* SPDX-License-Identifier: MIT */
/* project: a project as a file, out and in, with the rights of a user. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "auth/caller.h"
#include "base/limits.h"
#include "cli.h"
#include "bundle/bundle.h"

#include "base/banned.h"

struct project_command {
	struct cli_session *s;
	struct caller by;
	const char *arg;	/* the id, or the file */
	const char *name;	/* NULL: that of the file */
	bool folder;
	struct buf out;
};

static int export(struct project_command *c, struct err *e)
{
	struct uuid id;
	struct str name;

	return uuid_parse(str_of(c->arg), &id)
		? bundle_write(&c->by, &id, c->folder, &name, &c->out, e)
		: err_set(e, ERR_NOT_FOUND, "\"%s\" is not the id of a project", c->arg);
}

static int import(struct project_command *c, struct err *e)
{
	struct bundle_report *report = arena_new(&c->s->arena, struct bundle_report);
	struct buf b = BUF_INIT(LIM_PROJECT_FILE_BYTES);
	char id[UUID_TEXT_BYTES];
	int rc = cli_read(c->arg, &b, e);

	if (rc == 0)
		rc = bundle_read(&c->by, buf_str(&b), str_of(c->name ? c->name : ""), report,
				 e);
	buf_release(&b);
	if (rc < 0)
		return -1;
	buf_addf(&c->out, "%s\t%.*s\n", uuid_format(&report->project, id),
		 STR_ARG(report->name));
	for (size_t i = 0; i < BUNDLE_PARTS; i++)
		if (report->created[i])
			buf_addf(&c->out, "%s\t%lld\n", bundle_parts[i].name,
				 (long long)report->created[i]);
	for (size_t i = 0; i < report->n_notes; i++)
		fprintf(stderr, "lamplighter: %.*s\n", STR_ARG(report->notes[i]));
	return 0;
}

/* An archive is no text. */
static int write_out(struct buf *b)
{
	fwrite(b->p, 1, b->n, stdout);
	buf_release(b);
	return CLI_OK;
}

int cli_project(struct cli *cli, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "user", required_argument, NULL, 'u' },
		{ "group", required_argument, NULL, 'g' },
		{ "format", required_argument, NULL, 'f' },
		{ "name", required_argument, NULL, 'n' },
		{ NULL, 0, NULL, 0 },
	};
	struct project_command p = { .out = BUF_INIT(2 * (size_t)LIM_PROJECT_FILE_BYTES) };
	struct cli_who w = { .user = NULL };
	struct err e = ERR_INIT;
	struct identity who;
	struct cli_session s;
	bool out;
	int c, rc;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 'f' && (!strcmp(optarg, "json") || !strcmp(optarg, "markdown")))
			p.folder = *optarg == 'm';
		else if (c == 'n')
			p.name = optarg;
		else if (c == 'f')
			return cli_usage(cli, "--format must be json or markdown");
		else if (cli_who_option(cli, c, optarg, &w) != CLI_OK)
			return CLI_USAGE;
	}
	if (argc - optind != 2 || (strcmp(argv[optind], "export") &&
				   strcmp(argv[optind], "import")))
		return cli_usage(cli, "say export and the id of a project, or import and a "
				 "file");
	if (!w.user)
		return cli_usage(cli, "--user is missing");
	out = !strcmp(argv[optind], "export");
	p.arg = argv[optind + 1];
	if (cli_session_open(&s, cli))
		return CLI_FAILED;
	p.s = &s;
	rc = cli_identity(&s, &w, &who, &e);
	p.by = caller_of(s.conf, &who, s.db, &s.arena);
	if (rc == 0)
		rc = out ? export(&p, &e) : import(&p, &e);
	cli_session_close(&s);
	if (rc == 0)
		return p.folder && out ? write_out(&p.out) : cli_print(&p.out);
	buf_release(&p.out);
	return cli_failed(&e);
}
