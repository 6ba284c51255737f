/* SPDX-License-Identifier: MIT */
/* kb: the sources of knowledge bases. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cli.h"
#include "intake/intake.h"

#include "base/banned.h"

static int print_sources(struct cli_session *s)
{
	struct buf out = BUF_INIT(CLI_OUT_BYTES);

	for (size_t i = 0; i < s->conf->knowledge.n_sources; i++) {
		const struct conf_intake *c = &s->conf->knowledge.sources[i];

		buf_addf(&out, "%s\t%s\t", c->name, c->base);
		if (*c->directory || *c->sitemap)
			buf_adds(&out, *c->directory ? c->directory : c->sitemap);
		else if (*c->select)
			buf_addf(&out, "select in %s", c->database);
		else
			buf_addf(&out, "%zu urls", c->urls.n);
		buf_addc(&out, '\t');
		if (c->every)
			buf_addf(&out, "every %d min\n", c->every);
		else
			buf_adds(&out, "by command\n");
	}
	return cli_print(&out);
}

static void add_counts(struct buf *out, const char *name,
		       const struct intake_state *st)
{
	buf_addf(out, "%s: %lld new, %lld changed, %lld unchanged, %lld deleted, "
		 "%lld failed\n", name, (long long)st->created,
		 (long long)st->changed, (long long)st->same,
		 (long long)st->gone, (long long)st->failed);
	buf_addstr(out, st->faults);
}

static int add_progress(struct cli_session *s, struct buf *out, const char *name,
			const struct intake_state *st)
{
	struct intake_pages p;
	struct err e = ERR_INIT;

	if (intake_pages_get(s->db, str_of(name), st, &p, &e))
		return cli_failed(&e);
	if (p.pages + p.maps > 0)
		buf_addf(out, ", %lld of %lld addresses to read",
			 (long long)p.todo, (long long)(p.pages + p.maps));
	return CLI_OK;
}

/* Sources that are not configured any more. */
static int add_left(struct cli_session *s, struct buf *out)
{
	struct intake_left *v;
	struct err e = ERR_INIT;
	char at[CLOCK_ISO_BYTES];
	size_t n;

	if (intake_left_list(s->db, s->conf, &s->arena, &v, &n, &e))
		return cli_failed(&e);
	for (size_t i = 0; i < n; i++) {
		buf_addf(out, "%.*s: not configured any more; its documents are "
			 "deleted ", STR_ARG(v[i].name));
		if (v[i].left_us)
			buf_addf(out, "after %s\n",
				 clock_iso(v[i].left_us + INTAKE_GRACE_US, at));
		else
			buf_adds(out, "a day after the next kb sync, or run of "
				 "the job\n");
	}
	return CLI_OK;
}

static int print_status(struct cli_session *s)
{
	struct buf out = BUF_INIT(CLI_OUT_BYTES);
	int rc = CLI_OK;

	for (size_t i = 0; i < s->conf->knowledge.n_sources; i++) {
		const char *name = s->conf->knowledge.sources[i].name;
		struct err e = ERR_INIT;
		struct intake_state st;
		char at[CLOCK_ISO_BYTES];

		if (intake_state_get(s->db, s->conf, str_of(name), &s->arena, &st,
				     &e)) {
			if (e.code != ERR_NOT_FOUND)
				rc = cli_failed(&e);
			else
				buf_addf(&out, "%s: never read\n", name);
			continue;
		}
		buf_addf(&out, "%s: %s %s", name,
			 st.going ? "begun" : "read",
			 clock_iso(st.going ? st.begun_us : st.ended_us, at));
		if (st.going && add_progress(s, &out, name, &st) != CLI_OK)
			rc = CLI_FAILED;
		buf_addc(&out, '\n');
		add_counts(&out, name, &st);
	}
	if (add_left(s, &out) != CLI_OK)
		rc = CLI_FAILED;
	return cli_print(&out) == CLI_OK ? rc : CLI_FAILED;
}

static int sync_one(struct cli_session *s, const struct conf_intake *c)
{
	const struct intake_io io = {
		.db = s->db, .conf = s->conf, .until_ms = INT64_MAX,
		.http = s->http,
	};
	struct buf out = BUF_INIT(CLI_OUT_BYTES);
	struct err e = ERR_INIT;
	struct intake_state st;
	int rc = intake_sync(&io, c, true, &s->arena, &st, &e);

	if (rc < 0) {
		err_wrap(&e, "source %s", c->name);
		buf_release(&out);
		return cli_failed(&e);
	}
	add_counts(&out, c->name, &st);
	return cli_print(&out);
}

/* Those that are not configured any more; rc: what became of the others. */
static int leave(struct cli_session *s, int rc)
{
	const struct intake_io io = {
		.db = s->db, .conf = s->conf, .until_ms = INT64_MAX,
	};
	struct buf out = BUF_INIT(CLI_OUT_BYTES);
	struct err e = ERR_INIT;

	if (intake_leave(&io, &s->arena, &e) < 0) {
		buf_release(&out);
		return cli_failed(&e);
	}
	if (add_left(s, &out) != CLI_OK)
		rc = CLI_FAILED;
	return cli_print(&out) == CLI_OK ? rc : CLI_FAILED;
}

static int sync_all(struct cli_session *s, const char *name)
{
	int rc = CLI_OK;

	for (size_t i = 0; i < s->conf->knowledge.n_sources; i++) {
		const struct conf_intake *c = &s->conf->knowledge.sources[i];

		if ((!name || !strcmp(name, c->name)) && sync_one(s, c) != CLI_OK)
			rc = CLI_FAILED;
	}
	return name ? rc : leave(s, rc);
}

int cli_kb(struct cli *cli, int argc, char **argv)
{
	bool sync = argc > 1 && !strcmp(argv[1], "sync");
	struct cli_session s;
	int rc;

	if (argc < 2 || argc > (sync ? 3 : 2) ||
	    (!sync && strcmp(argv[1], "list") && strcmp(argv[1], "status")))
		return cli_usage(cli, "the subcommand must be list, sync or "
				 "status");
	if (cli_session_open(&s, cli) < 0)
		return CLI_FAILED;
	if (sync && cli_session_tools(&s) < 0) {
		cli_session_close(&s);
		return CLI_FAILED;
	}
	if (argc == 3 && !conf_source(s.conf, str_of(argv[2])))
		rc = cli_usage(cli, "there is no source \"%s\"", argv[2]);
	else if (sync)
		rc = sync_all(&s, argc == 3 ? argv[2] : NULL);
	else
		rc = strcmp(argv[1], "list") ? print_status(&s)
			: print_sources(&s);
	cli_session_close(&s);
	return rc;
}
