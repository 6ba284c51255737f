/* SPDX-License-Identifier: MIT */
/* mcp: the tools of the servers in mcp_servers, and which are accepted. */
#include <stdio.h>
#include <string.h>

#include "auth/identity.h"
#include "cli.h"
#include "tool/core/env.h"
#include "tool/mcp/mcp.h"

#include "base/banned.h"

/* The identity for the servers: the user of --user, or none. */
struct calling {
	struct cli_session *session;
	struct tool_ctx ctx;
	struct identity who;
};

static int begin(struct calling *c, const char *user, struct err *e)
{
	struct cli_session *s = c->session;

	if (user && identity_make(s->conf, IDENTITY_API_TOKEN, str_of(user),
				  str_of(user), NULL, 0, &s->arena, &c->who,
				  e) < 0)
		return -1;
	c->ctx = (struct tool_ctx){
		.turn = {
			.by = caller_of(s->conf, user ? &c->who : NULL, s->db,
					&s->arena),
			.env = s->tools,
		},
		.arena = &s->arena,
	};
	return 0;
}

/* The list of a server, or NULL (printed). */
static struct mcp_list *list_of(struct calling *c, const struct conf_mcp *m)
{
	struct mcp_peer *p = mcp_peer_get(tool_env_mcp(c->ctx.turn.env), &c->ctx, m);
	struct err e = ERR_INIT;
	struct mcp_list *l = mcp_list_get(p, m, &c->ctx, &e);

	mcp_peer_put(p);
	if (l)
		arena_defer(c->ctx.arena, mcp_list_put, l);
	else
		fprintf(stderr, "lamplighter: %s: %s\n", m->id,
			*e.text ? e.text : err_message(&e));
	return l;
}

/* -- list ------------------------------------------------------------------ */

static void print_tool(const struct conf_mcp *m, const struct mcp_tool *t)
{
	static const char *const states[] = {
		[MCP_ACCEPTED] = "accepted", [MCP_NEW] = "new",
		[MCP_CHANGED] = "changed", [MCP_REFUSED] = "refused",
	};

	printf("  %-40s %-8s  %s\n", t->name, states[t->state],
	       t->refused ? t->refused : tool_effect_name(mcp_effect(m, t)));
}

static int list(struct calling *c, int argc, char **argv)
{
	int rc = CLI_OK;

	(void)argc;
	(void)argv;
	for (size_t i = 0; i < c->ctx.turn.by.conf->n_mcp_servers; i++) {
		const struct conf_mcp *m = &c->ctx.turn.by.conf->mcp_servers[i];
		struct mcp_list *l = list_of(c, m);

		printf("%s  %s\n", m->id, *m->url ? m->url : m->command.v[0]);
		if (!l)
			rc = CLI_FAILED;
		for (size_t k = 0; l && k < l->n; k++)
			print_tool(m, &l->tools[k]);
	}
	return rc;
}

/* -- show and accept ------------------------------------------------------- */

/* Whether argv names the tool, by its own name or the server's. */
static bool named(const struct mcp_tool *t, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], t->remote) || !strcmp(argv[i], t->name))
			return true;
	return argc == 0;
}

static const struct mcp_pin *pin_of(const struct mcp_pin *pins, size_t n,
				    const struct mcp_tool *t)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(pins[i].tool, t->remote))
			return &pins[i];
	return NULL;
}

static void print_json(const char *what, struct str text)
{
	struct err ignored = ERR_INIT;
	json_auto_t *j = jx_load_lenient(text, &ignored);

	printf("  %s: ", what);
	if (j)
		json_dumpf(j, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
}

static int show_tool(struct calling *c, const struct conf_mcp *m,
		     const struct mcp_tool *t, struct err *e)
{
	const struct mcp_pin *pinned;
	struct mcp_pin *pins;
	size_t n;

	if (store_mcp_pin_list(c->session->db, str_of(c->ctx.turn.by.conf->tenant),
			       str_of(m->id), c->ctx.arena, &pins, &n, e) < 0)
		return -1;
	print_tool(m, t);
	if (t->definition)
		print_json("offered", str_of(t->definition));
	pinned = pin_of(pins, n, t);
	if (pinned && t->state == MCP_CHANGED)
		print_json("accepted", pinned->definition);
	return 0;
}

static int accept_tool(struct calling *c, const struct conf_mcp *m,
		       const struct mcp_tool *t, struct err *e)
{
	struct mcp_pin pin = mcp_pin_of(t);

	if (t->state == MCP_ACCEPTED)
		return 0;
	if (t->state == MCP_REFUSED) {
		print_tool(m, t);
		return 0;
	}
	if (store_mcp_pin_set(c->session->db, str_of(c->ctx.turn.by.conf->tenant),
			      str_of(m->id), &pin, e) < 0)
		return -1;
	printf("accepted %s\n", t->name);
	return 0;
}

static int for_tools(struct calling *c, int argc, char **argv,
		     int (*fn)(struct calling *, const struct conf_mcp *,
			       const struct mcp_tool *, struct err *))
{
	const struct conf_mcp *m = conf_mcp(c->ctx.turn.by.conf,
					    str_of(argv[0]));
	struct err e = ERR_INIT;
	struct mcp_list *l;
	int found = 0;

	if (!m) {
		fprintf(stderr, "lamplighter: mcp_servers has no \"%s\"\n",
			argv[0]);
		return CLI_FAILED;
	}
	l = list_of(c, m);
	if (!l)
		return CLI_FAILED;
	for (size_t i = 0; i < l->n; i++)
		if (named(&l->tools[i], argc - 1, argv + 1)) {
			found++;
			if (fn(c, m, &l->tools[i], &e) < 0)
				return cli_failed(&e);
		}
	if (found || argc < 2)
		return CLI_OK;
	fprintf(stderr, "lamplighter: %s has no such tool\n", argv[0]);
	return CLI_FAILED;
}

static int show(struct calling *c, int argc, char **argv)
{
	return for_tools(c, argc, argv, show_tool);
}

static int accept_tools(struct calling *c, int argc, char **argv)
{
	return for_tools(c, argc, argv, accept_tool);
}

int cli_mcp(struct cli *cli, int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(struct calling *c, int argc, char **argv);
		int least;
	} verbs[] = {
		{ "list", list, 0 }, { "show", show, 1 },
		{ "accept", accept_tools, 1 },
	};
	const char *user = NULL;
	struct cli_session s;
	struct calling c = { .session = &s };
	struct err e = ERR_INIT;
	size_t v = 0;
	int rc;

	argc--;
	argv++;
	if (argc >= 2 && !strcmp(argv[0], "--user")) {
		user = argv[1];
		argc -= 2;
		argv += 2;
	}
	if (argc && !user && !strcmp(argv[0], "serve"))
		return cli_mcp_serve(cli, argc - 1, argv + 1);
	while (argc && v < ARRAY_LEN(verbs) && strcmp(argv[0], verbs[v].name))
		v++;
	if (!argc || v == ARRAY_LEN(verbs))
		return cli_usage(cli, "the subcommand is missing: list, show, accept or serve");
	if (argc - 1 < verbs[v].least)
		return cli_usage(cli, "name the server");
	if (verbs[v].least == 0 && argc > 1)
		return cli_usage(cli, "unexpected argument \"%s\"", argv[1]);
	if (cli_session_open(&s, cli))
		return CLI_FAILED;
	if (cli_session_tools(&s))
		rc = CLI_FAILED;
	else if (begin(&c, user, &e) < 0)
		rc = cli_failed(&e);
	else
		rc = verbs[v].run(&c, argc - 1, argv + 1);
	cli_session_close(&s);
	return rc;
}
