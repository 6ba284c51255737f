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

		buf_addf(&out, "%s\t%s\t%s%s\t", c->name, c->base,
			 *c->directory ? "" : "select in ",
			 *c->directory ? c->directory : c->database);
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
	buf_addf(out, "%s: %lld new, %lld changed, %lld as before, %lld deleted, "
		 "%lld failed\n", name, (long long)st->made,
		 (long long)st->changed, (long long)st->same,
		 (long long)st->gone, (long long)st->failed);
	buf_addstr(out, st->faults);
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
		buf_addf(&out, "%s: %s %s\n", name,
			 st.going ? "begun" : "read",
			 clock_iso(st.going ? st.begun_us : st.ended_us, at));
		add_counts(&out, name, &st);
	}
	return cli_print(&out) == CLI_OK ? rc : CLI_FAILED;
}

static int sync_one(struct cli_session *s, const struct conf_intake *c)
{
	const struct intake_io io = {
		.db = s->db, .conf = s->conf, .until_ms = INT64_MAX,
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

static int sync_all(struct cli_session *s, const char *name)
{
	int rc = CLI_OK;

	for (size_t i = 0; i < s->conf->knowledge.n_sources; i++) {
		const struct conf_intake *c = &s->conf->knowledge.sources[i];

		if ((!name || !strcmp(name, c->name)) && sync_one(s, c) != CLI_OK)
			rc = CLI_FAILED;
	}
	return rc;
}

int cli_kb(struct cli *cli, int argc, char **argv)
{
	bool sync = argc > 1 && !strcmp(argv[1], "sync");
	struct cli_session s;
	int rc;

	if (argc < 2 || argc > (sync ? 3 : 2) ||
	    (!sync && strcmp(argv[1], "list") && strcmp(argv[1], "status")))
		return cli_usage(cli, "say list, sync or status");
	if (cli_session_open(&s, cli) < 0)
		return CLI_FAILED;
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
