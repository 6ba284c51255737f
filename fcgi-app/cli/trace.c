/* SPDX-License-Identifier: MIT */
/* trace: where the time of a turn goes, by stage and thread. */
#include <string.h>

#include "base/trace.h"
#include "cli.h"
#include "dialect/dialect.h"
#include "event/live.h"
#include "event/notify.h"
#include "turn/turn.h"

#include "base/banned.h"

#define STREAM_BYTES (1024 * 1024)	/* between two flushes */

/* The events as in a stream, without a client. */
struct nobody {
	struct sink sink;	/* first: a sink is cast back */
	struct dialect_state state;
	struct buf out;
};

static void nobody_emit(struct sink *s, const struct turn_event *ev)
{
	struct nobody *n = (struct nobody *)s;

	dialect_encode(&dialect_native, &n->out, ev, &n->state);
}

static void nobody_flush(struct sink *s)
{
	TRACE_SPAN(TRACE_FLUSH, NULL);

	buf_reset(&((struct nobody *)s)->out);
}

static bool nobody_try_flush(struct sink *s)
{
	nobody_flush(s);
	return true;
}

static int run_turn(const struct turn_deps *deps, const struct turn_request *in,
		    struct err *e)
{
	struct arena a = ARENA_INIT;
	struct turn_run *t = arena_new(&a, struct turn_run);
	struct nobody n = {
		.sink = { .emit = nobody_emit, .flush = nobody_flush,
			  .try_flush = nobody_try_flush },
		.state = dialect_open(DIALECT_NATIVE, RECORD_PLAIN, NULL, &a),
		.out = BUF_INIT(STREAM_BYTES),
	};
	TRACE_SPAN(TRACE_TURN, NULL);
	int rc = turn_start(t, deps, in, &a, e);

	if (rc == TURN_STARTED) {
		enum turn_status s = turn_run(t, &n.sink);

		if (s == TURN_DONE)
			turn_after(t);
		else
			rc = err_set(e, ERR_CONFLICT, "the turn ended as %s",
				     store_turn_status_name(s));
	}
	buf_release(&n.out);
	arena_release(&a);
	return rc;
}

/* Dependencies that a responder has and other commands do not. */
static int trace_with(struct cli_session *s, const struct turn_deps *deps,
		      const struct cli_message *m, struct err *e)
{
	struct turn_request in;

	if (cli_message_request(s, m, &in, e) < 0)
		return -1;
	in.runs_at_once = true;
	for (int i = 0; i < m->warm; i++)
		if (run_turn(deps, &in, e) < 0)
			return -1;
	trace_start();
	return run_turn(deps, &in, e);
}

static int trace(struct cli_session *s, const struct cli_message *m,
		 struct buf *out, struct err *e)
{
	struct turn_deps deps = {
		.db = s->db, .http = s->http, .tools = s->tools,
	};
	struct trace *t;
	int rc = -1;

	deps.live = event_live_new(s->db, e);
	deps.notify = deps.live ? notify_new(s->db, e) : NULL;
	if (deps.notify)
		rc = trace_with(s, &deps, m, e);
	/* Their threads end first, because they add marks, too. */
	notify_free(deps.notify);
	event_live_free(deps.live);
	t = trace_stop();
	if (rc == 0)
		trace_print(t, out);
	trace_free(t);
	return rc;
}

int cli_trace(struct cli *cli, int argc, char **argv)
{
	struct cli_message m = { .warm = 1 };
	int rc;

	if (argc < 2 || strcmp(argv[1], "turn") != 0)
		return cli_usage(cli, "the subcommand must be turn");
	rc = cli_message_args(cli, argc - 1, argv + 1, &m);
	return rc == CLI_OK ? cli_message_run(cli, &m, trace) : rc;
}
