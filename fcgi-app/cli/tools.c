/* SPDX-License-Identifier: MIT */
/* tools: the tools of a user in a workspace, and calling them by hand. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auth/user_token.h"
#include "cli.h"
#include "prompt/untrusted.h"
#include "tool/core/tool.h"
#include "tool/http/option.h"
#include "turn/turn.h"

#include "base/banned.h"

struct tools_wanted {			/* by the command line */
	struct cli_who who;
	const char *args, *tool;
	bool dry_run;
};

struct offered {		/* to whom, and what */
	struct cli_place place;
	struct tool_ctx ctx;
	struct tool_set set;
	struct cli_session *session;
};

/* -- the command line ------------------------------------------------------- */

static int read_args(struct cli *cli, int argc, char **argv, struct tools_wanted *w)
{
	static const struct option longs[] = {
		CLI_WHO_OPTIONS,
		{ "args", required_argument, NULL, 'j' },
		{ "dry-run", no_argument, NULL, 'n' },
		{ NULL, 0, NULL, 0 },
	};
	bool list = !strcmp(argv[0], "list"), call = !strcmp(argv[0], "call");
	int c, rc;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'j':
			w->args = optarg;
			break;
		case 'n':
			w->dry_run = true;
			break;
		default:
			rc = cli_who_option(cli, c, optarg, &w->who);
			if (rc != CLI_OK)
				return rc;
		}
	}
	if (!list)
		w->tool = optind < argc ? argv[optind++] : NULL;
	if (optind < argc)
		return cli_usage(cli, "unexpected argument \"%s\"", argv[optind]);
	if (!list && !w->tool)
		return cli_usage(cli, "name the tool");
	if (!w->who.user)
		return cli_usage(cli, "--user is missing");
	if (!call && (w->args || w->dry_run))
		return cli_usage(cli, "only call accepts --args and --dry-run");
	return CLI_OK;
}

/* -- what a turn does for its calls, done here -------------------------------- */

static void on_note(const struct tool_ctx *call, const struct tool_note *n)
{
	static const char *const words[] = {
		[NOTE_START] = "started", [NOTE_PROGRESS] = "at work",
		[NOTE_SUCCESS] = "done", [NOTE_ERROR] = "failed",
	};
	struct buf b = BUF_INIT(65536);

	(void)call;
	untrusted_clean(NULL, n->tool, &b);
	buf_addf(&b, ": %s%s", words[n->status], n->text.n ? ", " : "");
	untrusted_clean(NULL, n->text, &b);
	fprintf(stderr, "%s\n", b.p);
	buf_release(&b);
}

static int on_agent(const struct tool_ctx *call, const struct tool_task *task,
		    struct buf *out, struct err *e)
{
	const struct offered *s = call->host_ctx;
	const struct turn_deps deps = {
		.db = s->session->db, .http = s->session->http,
		.tools = s->session->tools,
	};
	const struct turn_request in = {
		.by = s->ctx.turn.by,
		.target = s->place.target,
	};

	return turn_agent(&deps, &in, call, task, out, e);
}

/* The user of the command has given it. */
static bool is_from_others(const struct tool_ctx *call, struct str text)
{
	(void)call;
	(void)text;
	return true;
}

static const struct tool_host host = {
	.note = on_note, .agent = on_agent, .is_from_others = is_from_others,
};

/* -- what is offered -------------------------------------------------------------- */

static size_t add_client(const struct conf_tool *v, size_t n, struct str *out)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].kind, "client"))
			out[found++] = str_of(v[i].name);
	return found;
}

/* As in a turn with web search, from a page that accepts all tools. */
static void allow_all(struct offered *s)
{
	const struct workspace *w = s->ctx.turn.workspace;
	const struct conf *c = s->ctx.turn.by.conf;
	struct str *page = arena_alloc(s->ctx.arena,
		(c->n_tools + w->n_tools + 1) * sizeof(*page));

	s->ctx.turn.web = true;
	s->ctx.turn.page = page;
	s->ctx.turn.n_page = add_client(c->tools, c->n_tools, page);
	s->ctx.turn.n_page += add_client(w->tools, w->n_tools,
					 page + s->ctx.turn.n_page);
}

static int offer(struct cli_session *session, const struct tools_wanted *w,
		 struct offered *s, struct err *e)
{
	if (cli_place(session, &w->who, &s->place, e) < 0)
		return -1;
	s->ctx = (struct tool_ctx){
		.turn = {
			.by = caller_of(session->conf, &s->place.who,
					session->db, &session->arena),
			.workspace = s->place.target.workspace,
			.agent = s->place.target.agent,
			.env = session->tools, .only = w->tool,
		},
		.arena = &session->arena, .host = &host, .host_ctx = s,
	};
	s->session = session;
	allow_all(s);
	if (tool_set_build(&s->ctx, &s->set, e) < 0)
		return -1;
	s->ctx.turn.only = NULL;	/* an agent in the call has its own */
	return 0;
}

/* -- list, show, call ------------------------------------------------------- */

static const char *const confirms[] = { "never", "tainted", "always" };

static int list_tools(struct offered *s, const struct tools_wanted *w)
{
	(void)w;
	for (size_t i = 0; i < s->set.n; i++) {
		const struct tool *t = s->set.v[i].tool;

		printf("%s\t%s\t%s\t%s\t%s\n", t->name,
		       t->kind ? t->kind : "built-in",
		       tool_effect_name(t->effect), t->group && *t->group ? t->group : "-", t->source);
	}
	return CLI_OK;
}

/* The offer, or NULL with the names that there are. */
static const struct tool_offer *find_offer(struct offered *s, const struct tools_wanted *w)
{
	const struct tool_offer *o = tool_set_find(&s->set, str_of(w->tool));

	if (o)
		return o;
	fprintf(stderr, "lamplighter: %s has no tool \"%s\" there. Tools:",
		w->who.user, w->tool);
	for (size_t i = 0; i < s->set.n; i++)
		fprintf(stderr, " %s", s->set.v[i].tool->name);
	fputc('\n', stderr);
	return NULL;
}

static void add_json(struct buf *b, const json_t *j)
{
	char *text = json_dumps(j, JSON_INDENT(2) | JSON_REAL_PRECISION(15));

	buf_addf(b, "%s\n", text ? text : "{}");
	free(text);
}

static const struct conf_tool *declared(const struct offered *s,
					const char *name)
{
	const struct workspace *w = s->ctx.turn.workspace;

	for (size_t i = 0; i < s->ctx.turn.by.conf->n_tools; i++)
		if (!strcmp(s->ctx.turn.by.conf->tools[i].name, name))
			return &s->ctx.turn.by.conf->tools[i];
	for (size_t i = 0; i < w->n_tools; i++)
		if (!strcmp(w->tools[i].name, name))
			return &w->tools[i];
	return NULL;
}

/* What a service needs to verify our tokens. */
static void add_token(struct offered *s, const struct tool *t, struct buf *b)
{
	const struct conf_tool *c = declared(s, t->name);
	struct err e = ERR_INIT;
	struct str key;

	if (!c || !c->http || !c->http->token)
		return;
	buf_addf(b, "token: issuer %s, audience %s, %s, valid for %d s\n",
		 c->http->token->issuer, c->http->token->audience,
		 c->http->token->algorithm == TOKEN_EDDSA ? "EdDSA" : "HS256",
		 c->http->token->ttl_s);
	if (user_token_public(c->http->token, s->ctx.arena, &key, &e) == 0 && key.p)
		buf_addf(b, "public key: {\"kty\":\"OKP\",\"crv\":\"Ed25519\","
			 "\"x\":\"%s\"}\n", key.p);
}

static int show_tool(struct offered *s, const struct tools_wanted *w)
{
	const struct tool_offer *o = find_offer(s, w);
	struct buf b = BUF_INIT(CLI_OUT_BYTES);
	const struct tool *t;

	if (!o)
		return CLI_FAILED;
	t = o->tool;
	buf_addf(&b, "name: %s\nkind: %s\ndeclared in: %s\ngroup: %s\neffect: %s\n"
		 "confirm: %s\nresults: %s\ntimeout: %d ms\n"
		 "result cap: %zu bytes\npermission: AI.Chat.UseTool.%s\n",
		 t->name, t->kind ? t->kind : "built-in", t->source,
		 t->group ? t->group : "", tool_effect_name(t->effect),
		 confirms[t->confirm],
		 t->untrusted ? "text of others" : "our own", o->timeout_ms,
		 tool_result_cap(t, &s->ctx), t->name);
	add_token(s, t, &b);
	buf_addf(&b, "\n%s\n\n", o->description);
	add_json(&b, o->schema);
	return cli_print(&b);
}

static int dry_run(struct offered *s, const struct tools_wanted *w)
{
	struct buf out = BUF_INIT(CLI_OUT_BYTES);
	struct err e = ERR_INIT;
	int rc = tool_dry_run(&s->set, &s->ctx, str_of(w->tool),
			      str_of(w->args ? w->args : "{}"), &out, &e);

	if (rc == 0)
		return cli_print(&out);
	buf_release(&out);
	fprintf(stderr, "lamplighter: %s\n", err_message(&e));
	return CLI_FAILED;
}

/* Tools that only a person and their page can answer. */
static int call_of_page(const struct tool *t)
{
	fprintf(stderr, "lamplighter: %s %s\n", t->name,
		t->visibility == TOOL_CLIENT
		? "runs in the user's page, and there is none here"
		: "asks the user a question, which is not possible here");
	return CLI_FAILED;
}

static int call_tool(struct offered *s, const struct tools_wanted *w)
{
	const struct tool_offer *o = find_offer(s, w);
	struct buf b = BUF_INIT(CLI_OUT_BYTES);
	struct tool_result r;
	int rc;

	if (!o)
		return CLI_FAILED;
	if (o->tool->visibility != TOOL_SERVER)
		return call_of_page(o->tool);
	if (w->dry_run)
		return dry_run(s, w);
	s->ctx.approved = true;		/* by the user of the command */
	tool_call(&s->set, &s->ctx, str_of(w->tool),
		  str_of(w->args ? w->args : "{}"), &r);
	buf_addstr(&b, r.text);
	buf_addc(&b, '\n');
	rc = cli_print(&b);
	fprintf(stderr, "%s in %lld ms, %zu bytes%s\n",
		r.is_error ? "failed" : "done", (long long)r.duration_ms,
		r.full_bytes, r.truncated ? ", cut off for the model" : "");
	return r.is_error ? CLI_FAILED : rc;
}

int cli_tools(struct cli *cli, int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(struct offered *s, const struct tools_wanted *w);
	} verbs[] = {
		{ "list", list_tools }, { "show", show_tool }, { "call", call_tool },
	};
	struct tools_wanted w = { .args = NULL };
	struct cli_session session;
	struct offered s;
	struct err e = ERR_INIT;
	size_t i = 0;
	int rc;

	while (argc > 1 && i < ARRAY_LEN(verbs) &&
	       strcmp(argv[1], verbs[i].name))
		i++;
	if (argc < 2 || i == ARRAY_LEN(verbs))
		return cli_usage(cli, "the subcommand is missing: list, show or call");
	rc = read_args(cli, argc - 1, argv + 1, &w);
	if (rc != CLI_OK)
		return rc;
	if (cli_session_open(&session, cli))
		return CLI_FAILED;
	signal(SIGPIPE, SIG_IGN);	/* programs need not read their stdin */
	if (cli_session_tools(&session))
		rc = CLI_FAILED;
	else if (offer(&session, &w, &s, &e) < 0)
		rc = cli_failed(&e);
	else
		rc = verbs[i].run(&s, &w);
	cli_session_close(&session);
	return rc;
}
