/* SPDX-License-Identifier: MIT */
/*
 * eval: holds the conversations of YAML files with a model, and checks what it says, calls
 * and remembers (docs/memory.md).
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "domain/stored_service.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/utf8.h"
#include "base/util.h"
#include "cli.h"
#include "conf/yaml.h"
#include "job/work.h"
#include "memory/memory.h"
#include "memory/state.h"
#include "store/conversation.h"
#include "event/live.h"
#include "event/notify.h"
#include "turn/turn.h"

#include "base/banned.h"

enum {
	TIMES_MAX = 500,	/* of one step */
	JOBS_MS = 120000,	/* for what is to be remembered after a turn */
	CALLS_BYTES = 65536, TEXT_BYTES = 4194304,
	FACTS = 100, SHOWN_CHARS = 60,
};

/* What a step of a file says, and what must be so afterwards: lists of texts. */
enum check { CHECK_HAS, CHECK_LACKS, CHECK_CALLS, CHECK_SPARES, CHECK_REMEMBERS, CHECK__MAX };

static const struct check_row {
	const char *key;
	bool wanted;		/* the text must be there */
	const char *what;
} checks[CHECK__MAX] = {
	[CHECK_HAS] = { "has", true, "the answer lacks" },
	[CHECK_LACKS] = { "lacks", false, "the answer has" },
	[CHECK_CALLS] = { "calls", true, "it did not call" },
	[CHECK_SPARES] = { "spares", false, "it called" },
	[CHECK_REMEMBERS] = { "remembers", true, "it does not remember" },
};

struct eval {
	struct cli_session *s;
	const struct turn_deps *deps;
	struct turn_request in;
	struct buf *out;
	const char *file;
	bool keep;
	/* of a file */
	struct buf calls;	/* names of the tools of a turn, a line each */
	int turns, n_checks, n_failed;
	int64_t ms;
};

struct watcher {
	struct sink sink;	/* first: a sink is cast back */
	struct eval *v;
};

static void on_event(struct sink *s, const struct turn_event *ev)
{
	struct eval *v = ((struct watcher *)s)->v;

	if (ev->type == TURN_EV_TOOL_CALL)
		buf_addf(&v->calls, "%.*s\n", STR_ARG(ev->tool_name));
}

/* -- a file ---------------------------------------------------------------------------- */

static int wrong(const struct ynode *n, const char *what, struct err *e)
{
	return err_set(e, ERR_CONFIG, "%s:%d: %s", n->pos.file, n->pos.line, what);
}

static const struct ynode *member(const struct ynode *map, const char *key)
{
	for (size_t i = 0; map->kind == YMAP && i < map->n; i++)
		if (!strcmp(map->keys[i].name, key))
			return map->v[i];
	return NULL;
}

/* What is wrong with a step; 0 or -1. */
static int check_step(const struct ynode *step, struct err *e)
{
	const struct ynode *times = step->kind == YMAP ? member(step, "times") : NULL;

	if (step->kind != YMAP || !member(step, "say") || member(step, "say")->kind != YSCALAR)
		return wrong(step, "a step is a map with say, a text", e);
	if (times && (times->kind != YSCALAR || cli_number(times->text, 1, TIMES_MAX) < 0))
		return wrong(times, "times is a number from 1 to 500", e);
	for (size_t i = 0; i < step->n; i++) {
		const char *key = step->keys[i].name;
		bool list = false;

		for (size_t k = 0; k < CHECK__MAX; k++)
			list |= !strcmp(key, checks[k].key);
		if (list && step->v[i]->kind != YSEQ)
			return wrong(step->v[i], "this is a list of texts", e);
		for (size_t k = 0; list && k < step->v[i]->n; k++)
			if (step->v[i]->v[k]->kind != YSCALAR)
				return wrong(step->v[i]->v[k], "this is a text", e);
		if (!list && strcmp(key, "say") && strcmp(key, "times"))
			return wrong(step->v[i], "a step has say, times, has, lacks, calls, "
				     "spares and remembers", e);
	}
	return 0;
}

static int read_file(struct eval *v, struct ynode **root, struct err *e)
{
	struct buf b = BUF_INIT(LIM_CONF_BYTES);
	size_t budget = LIM_CONF_NODES;
	const struct ynode *turns;
	int rc = cli_read(v->file, &b, e);

	*root = NULL;
	if (!rc)
		rc = ytree_parse(&v->s->arena, v->file, buf_str(&b), &budget, root, e);
	buf_release(&b);
	if (rc)
		return -1;
	turns = *root ? member(*root, "turns") : NULL;
	if (!turns || turns->kind != YSEQ)
		return err_set(e, ERR_CONFIG, "%s: there is no list \"turns\"", v->file);
	for (size_t i = 0; i < (*root)->n; i++)
		if (strcmp((*root)->keys[i].name, "what") &&
		    strcmp((*root)->keys[i].name, "turns"))
			return wrong((*root)->v[i], "a file has what and turns", e);
	for (size_t i = 0; i < turns->n; i++)
		if (check_step(turns->v[i], e) < 0)
			return -1;
	return 0;
}

/* -- a turn ---------------------------------------------------------------------------- */

/* The text with {n}, the how-manieth time it is. */
static struct str text_of(struct arena *a, const char *say, int n)
{
	static const char mark[] = "{n}";
	struct buf b = BUF_INIT(LIM_CONF_BYTES);
	struct str text;

	for (const char *p = say; *p; p++) {
		if (strncmp(p, mark, sizeof(mark) - 1)) {
			buf_addc(&b, *p);
			continue;
		}
		buf_addf(&b, "%d", n);
		p += sizeof(mark) - 2;
	}
	text = arena_str(a, buf_str(&b));
	buf_release(&b);
	return text;
}

/* All that is remembered of the conversation, as text. */
static int remembered(struct eval *v, struct arena *a, struct str *out, struct err *e)
{
	const struct owner *o = &v->in.by.owner;
	struct buf b = BUF_INIT(TEXT_BYTES);
	struct memory m;
	struct fact *facts;
	size_t n;

	if (memory_get(v->s->db, o, &v->in.conversation_id, INT64_MAX, a, &m, e) < 0 ||
	    memory_facts(v->s->db, o, &v->in.conversation_id, INT64_MAX, STR(""), FACTS, a,
			 &facts, &n, e) < 0)
		return -1;
	buf_addstr(&b, m.summary);
	buf_addc(&b, '\n');
	state_text(state_read(a, m.state), &b);
	for (size_t i = 0; i < n; i++) {
		buf_addstr(&b, facts[i].fact);
		buf_addc(&b, '\n');
	}
	*out = arena_str(a, buf_str(&b));
	buf_release(&b);
	return 0;
}

static bool called(struct str calls, struct str name)
{
	while (calls.n)
		if (str_eq(str_cut(&calls, '\n'), name))
			return true;
	return false;
}

static void put_failed(struct eval *v, const struct ynode *at, const char *what,
		       struct str text)
{
	struct str head = utf8_head(text, SHOWN_CHARS);

	buf_addf(v->out, "  failed: %s:%d: %s %.*s%s\n", v->file, at->pos.line, what,
		 STR_ARG(head), head.n < text.n ? "…" : "");
	v->n_failed++;
}

static void check_texts(struct eval *v, const struct ynode *step, enum check k,
			struct str text, struct str answer)
{
	const struct ynode *list = member(step, checks[k].key);

	for (size_t i = 0; list && i < list->n; i++) {
		struct str s = str_of(list->v[i]->text);
		const bool there = k == CHECK_CALLS || k == CHECK_SPARES ? called(text, s)
			: str_holds_any_case(text, s);

		v->n_checks++;
		if (there != checks[k].wanted)
			put_failed(v, list->v[i], checks[k].what, str_of(arena_printf(
				&v->s->arena, "%.*s: %.*s", STR_ARG(s), STR_ARG(answer))));
	}
}

/* Says it, and checks the answer. The turn and what follows it have ended then. */
static int say(struct eval *v, const struct ynode *step, int n, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct turn_run *t = arena_new(&a, struct turn_run);
	struct watcher w = { { .emit = on_event }, v };
	struct str answer, memory = { NULL, 0 };
	enum turn_status status = TURN_ERROR;
	const int64_t began = clock_mono_ms();
	int rc;

	buf_reset(&v->calls);
	v->in.content = text_of(&a, member(step, "say")->text, n);
	rc = turn_start(t, v->deps, &v->in, &a, e);
	if (rc == TURN_STARTED) {
		v->in.conversation_id = t->conversation_id;
		status = turn_run(t, &w.sink);
		v->ms += clock_mono_ms() - began;
		if (status == TURN_DONE)
			turn_after(t);
	}
	v->turns++;
	if (rc >= 0 && job_work(v->s->db, v->s->conf, v->s->http, v->deps,
				clock_mono_ms() + JOBS_MS, NULL, NULL, e) < 0)
		rc = -1;
	if (rc >= 0 && member(step, "remembers"))
		rc = remembered(v, &a, &memory, e);
	if (rc >= 0) {
		answer = t->answer.content.p ? t->answer.content : STR("");
		if (status != TURN_DONE) {
			v->n_checks++;
			put_failed(v, step, "the turn ended as",
				   str_of(store_turn_status_name(status)));
		}
		for (size_t k = 0; k < CHECK__MAX; k++)
			check_texts(v, step, k, k == CHECK_REMEMBERS ? memory
				    : k == CHECK_CALLS || k == CHECK_SPARES
				    ? buf_str(&v->calls) : answer, answer);
	}
	arena_release(&a);
	return MIN(rc, 0);
}

static int run_file(struct eval *v, struct err *e)
{
	const struct ynode *turns, *times, *what;
	struct ynode *root;
	int rc = 0;

	v->turns = v->n_checks = v->n_failed = 0;
	v->ms = 0;
	v->in.conversation_id = (struct uuid){ { 0 } };
	if (read_file(v, &root, e) < 0)
		return -1;
	turns = member(root, "turns");
	what = member(root, "what");
	for (size_t i = 0; !rc && i < turns->n; i++) {
		times = member(turns->v[i], "times");
		for (int n = 1; !rc && n <= (times ? cli_number(times->text, 1, TIMES_MAX)
					     : 1); n++)
			rc = say(v, turns->v[i], n, e);
	}
	if (!v->keep && !uuid_is_nil(&v->in.conversation_id)) {
		struct err ignored = ERR_INIT;

		rc = conversation_delete(v->s->db, &v->in.by.owner, &v->in.conversation_id,
					 rc ? &ignored : e) < 0 || rc ? -1 : 0;
	}
	if (rc)
		return -1;
	buf_addf(v->out, "%-6s %3d of %3d checks, %3d turns, %7.1f s  %s  %s\n",
		 v->n_failed ? "FAILED" : "ok", v->n_checks - v->n_failed, v->n_checks,
		 v->turns, (double)v->ms / 1000, v->file,
		 what && what->kind == YSCALAR ? what->text : "");
	return 0;
}

/* -- the command ------------------------------------------------------------------------ */

struct eval_args {
	struct cli_message m;
	const char *service;
	bool keep;
	char **files;
	int n_files;
};

/* The request that each turn repeats, with the service that is tried. */
static int prepare_run(struct eval *v, const struct eval_args *o, struct err *e)
{
	struct turn_request *in = &v->in;

	if (cli_message_request(v->s, &o->m, in, e) < 0)
		return -1;
	in->runs_at_once = true;
	if (!o->service)
		return 0;
	if (service_find(&in->by, str_of(in->target.workspace->id), str_of(o->service),
			 &v->s->arena, &in->target.service, e) < 0)
		return -1;
	if (!in->target.service)
		return err_set(e, ERR_NOT_FOUND, "there is no LLM service \"%s\"", o->service);
	/* It stays, whatever the user, the agent or the workspace says. */
	in->target.automatic = false;
	in->target.settled = in->target.own = true;
	return 0;
}

static int run_all(struct cli_session *s, const struct eval_args *o, struct buf *out, int *failed,
		   struct err *e)
{
	struct turn_deps deps = { .db = s->db, .http = s->http, .tools = s->tools };
	struct eval v = {
		.s = s, .deps = &deps, .out = out, .keep = o->keep,
		.calls = BUF_INIT(CALLS_BYTES),
	};
	int rc = -1;

	deps.live = event_live_new(s->db, e);
	deps.notify = deps.live ? notify_new(s->db, e) : NULL;
	if (deps.notify)
		rc = prepare_run(&v, o, e);
	for (int i = 0; rc == 0 && i < o->n_files; i++) {
		v.file = o->files[i];
		rc = run_file(&v, e);
		*failed += v.n_failed > 0;
	}
	notify_free(deps.notify);
	event_live_free(deps.live);
	buf_release(&v.calls);
	return rc;
}

static int read_args(const struct cli *cli, int argc, char **argv, struct eval_args *o)
{
	static const struct option longs[] = {
		CLI_WHO_OPTIONS,
		{ "service", required_argument, NULL, 's' },
		{ "keep", no_argument, NULL, 'k' },
		{ NULL, 0, NULL, 0 },
	};
	int c, rc;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 's') {
			o->service = optarg;
		} else if (c == 'k') {
			o->keep = true;
		} else {
			rc = cli_who_option(cli, c, optarg, &o->m.who);
			if (rc != CLI_OK)
				return rc;
		}
	}
	o->files = argv + optind;
	o->n_files = argc - optind;
	if (!o->m.who.user)
		return cli_usage(cli, "--user is missing");
	return o->n_files ? CLI_OK : cli_usage(cli, "a file is missing");
}

int cli_eval(struct cli *cli, int argc, char **argv)
{
	struct eval_args o = { .m = { .text = "" } };
	struct buf out = BUF_INIT(CLI_OUT_BYTES);
	struct cli_session s;
	struct err e = ERR_INIT;
	int rc = read_args(cli, argc, argv, &o), failed = 0;

	if (rc != CLI_OK)
		return rc;
	if (cli_session_open(&s, cli) < 0)
		return CLI_FAILED;
	if (cli_session_tools(&s) < 0) {
		rc = CLI_FAILED;
	} else {
		const int ran = run_all(&s, &o, &out, &failed, &e);

		rc = cli_print(&out);
		if (ran < 0)
			rc = cli_failed(&e);
		else if (failed)
			rc = CLI_FAILED;
	}
	buf_release(&out);
	cli_session_close(&s);
	return rc;
}
