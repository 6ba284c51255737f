/* SPDX-License-Identifier: MIT */
/* work: the jobs, by hand or from cron. */
#include <getopt.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/util.h"
#include "cli.h"
#include "event/live.h"
#include "event/notify.h"
#include "job/work.h"
#include "store/metric_sum.h"
#include "turn/turn.h"

#include "base/banned.h"

#define DUE_MS   3600000	/* without --for: an hour of work at most */
#define MAX_S    86400
#define PAUSE_MS 1000

static int print_jobs(struct cli_session *s)
{
	struct buf out = BUF_INIT(CLI_OUT_BYTES);
	struct err e = ERR_INIT;
	char at[CLOCK_ISO_BYTES];
	struct job *jobs;
	size_t n;

	if (store_job_list(s->db, &s->arena, &jobs, &n, &e))
		return cli_failed(&e);
	for (size_t i = 0; i < n; i++)
		buf_addf(&out, "%.*s\t%.*s\t%s\t%lld\t%.*s\n",
			 STR_ARG(jobs[i].kind), STR_ARG(jobs[i].subject),
			 jobs[i].due_us == JOB_NEVER_US ? "failed"
				: clock_iso(jobs[i].due_us, at),
			 (long long)jobs[i].attempts, STR_ARG(jobs[i].error));
	return cli_print(&out);
}

static int work(struct cli_session *s, const struct turn_deps *turns, int seconds)
{
	int64_t until_ms = clock_mono_ms() +
		(seconds ? seconds * INT64_C(1000) : DUE_MS);
	const struct uuid self = uuid_new();
	struct err e = ERR_INIT;
	size_t n = 0;

	do {
		if (job_look(s->db, s->conf, &e) < 0 ||
		    job_work(s->db, s->conf, s->http, turns, until_ms, NULL, &n,
			     &e) < 0)
			return cli_failed(&e);
		if (!seconds)
			break;
		nanosleep(&(struct timespec){ .tv_sec = PAUSE_MS / 1000 },
			  NULL);
	} while (clock_mono_ms() < until_ms);
	if (store_metric_sum_leave(s->db, &self, &e) < 0)
		return cli_failed(&e);
	fprintf(stderr, "%zu done\n", n);
	return CLI_OK;
}

/* With what turns need, since plans go on here. */
static int work_with_turns(struct cli_session *s, int seconds)
{
	struct turn_deps deps = { .db = s->db, .http = s->http, .tools = s->tools };
	struct err e = ERR_INIT;
	int rc;

	deps.live = event_live_new(s->db, &e);
	deps.notify = deps.live ? notify_new(s->db, &e) : NULL;
	rc = deps.notify ? work(s, &deps, seconds) : cli_failed(&e);
	notify_free(deps.notify);
	event_live_free(deps.live);
	return rc;
}

int cli_work(struct cli *cli, int argc, char **argv)
{
	static const struct option options[] = {
		{ "for", required_argument, NULL, 'f' },
		{ "list", no_argument, NULL, 'l' },
		{ NULL, 0, NULL, 0 },
	};
	struct cli_session s;
	int c, rc, seconds = 0;
	bool list = false;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'l')
			list = true;
		else if (c == 'f')
			seconds = cli_number(optarg, 1, MAX_S);
		else
			return cli_usage(cli, "invalid option");
		if (seconds < 0)
			return cli_usage(cli, "--for takes a number from 1 to %d",
					 MAX_S);
	}
	if (optind < argc)
		return cli_usage(cli, "unexpected argument \"%s\"", argv[optind]);
	if (cli_session_open(&s, cli) < 0)
		return CLI_FAILED;
	if (list)
		rc = print_jobs(&s);
	else
		rc = cli_session_tools(&s) < 0 ? CLI_FAILED : work_with_turns(&s, seconds);
	cli_session_close(&s);
	return rc;
}
