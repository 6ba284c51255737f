/* mcp: what the servers of mcp_servers offer, and what of it is accepted. */
#include <stdio.h>
#include <string.h>

#include "auth/identity.h"
#include "cli.h"
#include "net/http.h"
#include "store/store.h"
#include "tool/dataset.h"
#include "tool/mcp.h"

#include "base/banned.h"

struct session {
	const struct conf *conf;
	struct db *db;
	struct http_pool *http;
	struct tool_env *env;
	struct arena arena;
	struct tool_ctx ctx;
	struct identity who;
	const char *user;		/* --user, or NULL */
};

static int open_all(struct session *s, struct err *e)
{
	if (http_global_init(e) < 0 || db_global_init(e) < 0)
		return -1;
	s->db = store_open(&s->conf->db, 0, e);
	if (!s->db)
		return -1;
	s->http = http_pool_new(4);
	s->env = tool_env_new(s->db, s->http, e);
	if (!s->env)
		return -1;
	s->ctx = (struct tool_ctx){
		.env = s->env, .conf = s->conf, .arena = &s->arena,
	};
	if (!s->user)
		return 0;
	s->ctx.who = &s->who;
	return identity_make(s->conf, IDENTITY_API_TOKEN, str_of(s->user),
			     str_of(s->user), NULL, 0, &s->arena, &s->who, e);
}

static void close_all(struct session *s)
{
	tool_env_free(s->env);
	http_pool_free(s->http);
	db_close(s->db);
	arena_release(&s->arena);
	conf_put(s->conf);
	db_global_end();
	http_global_cleanup();
}

/* The list of a server, or NULL (said). */
static struct mcp_list *list_of(struct session *s, const struct conf_mcp *m)
{
	struct mcp_peer *p = mcp_peer_get(&s->ctx, m);
	struct err e = ERR_INIT;
	struct mcp_list *l = mcp_list_get(p, m, &s->ctx, &e);

	mcp_peer_put(p);
	if (l)
		arena_defer(&s->arena, mcp_list_put, l);
	else
		fprintf(stderr, "lamplighter: %s: %s\n", m->id,
			*e.text ? e.text : err_message(&e));
	return l;
}

/* -- list ------------------------------------------------------------------ */

static void print_tool(const struct conf_mcp *m, const struct mcp_tool *t)
{
	static const char *const effects[] = { "read", "write", "destructive" };

	static const char *const states[] = {
		[MCP_ACCEPTED] = "accepted", [MCP_NEW] = "new",
		[MCP_CHANGED] = "changed", [MCP_REFUSED] = "refused",
	};

	printf("  %-40s %-8s  %s\n", t->name, states[t->state],
	       t->refused ? t->refused : effects[mcp_effect(m, t)]);
}

static int list(struct session *s, int argc, char **argv)
{
	int rc = CLI_OK;

	(void)argc;
	(void)argv;
	for (size_t i = 0; i < s->conf->n_mcp_servers; i++) {
		const struct conf_mcp *m = &s->conf->mcp_servers[i];
		struct mcp_list *l = list_of(s, m);

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

static int show_tool(struct session *s, const struct conf_mcp *m,
		     const struct mcp_tool *t, struct err *e)
{
	const struct mcp_pin *pinned;
	struct mcp_pin *pins;
	size_t n;

	if (mcp_pin_list(s->db, str_of(s->conf->tenant), str_of(m->id),
			 &s->arena, &pins, &n, e) < 0)
		return -1;
	print_tool(m, t);
	if (t->definition)
		print_json("offered", str_of(t->definition));
	pinned = pin_of(pins, n, t);
	if (pinned && t->state == MCP_CHANGED)
		print_json("accepted", pinned->definition);
	return 0;
}

static int accept_tool(struct session *s, const struct conf_mcp *m,
		       const struct mcp_tool *t, struct err *e)
{
	struct mcp_pin pin = mcp_pin_of(t);

	if (t->state == MCP_ACCEPTED)
		return 0;
	if (t->state == MCP_REFUSED) {
		print_tool(m, t);
		return 0;
	}
	if (mcp_pin_set(s->db, str_of(s->conf->tenant), str_of(m->id), &pin,
			e) < 0)
		return -1;
	printf("accepted %s\n", t->name);
	return 0;
}

static int for_tools(struct session *s, int argc, char **argv,
		     int (*fn)(struct session *, const struct conf_mcp *,
			       const struct mcp_tool *, struct err *))
{
	const struct conf_mcp *m = conf_mcp(s->conf, str_of(argv[0]));
	struct err e = ERR_INIT;
	struct mcp_list *l;
	int found = 0;

	if (!m) {
		fprintf(stderr, "lamplighter: mcp_servers has no \"%s\"\n",
			argv[0]);
		return CLI_FAILED;
	}
	l = list_of(s, m);
	if (!l)
		return CLI_FAILED;
	for (size_t i = 0; i < l->n; i++)
		if (named(&l->tools[i], argc - 1, argv + 1)) {
			found++;
			if (fn(s, m, &l->tools[i], &e) < 0)
				return cli_failed(&e);
		}
	if (found || argc < 2)
		return CLI_OK;
	fprintf(stderr, "lamplighter: %s has no such tool\n", argv[0]);
	return CLI_FAILED;
}

static int show(struct session *s, int argc, char **argv)
{
	return for_tools(s, argc, argv, show_tool);
}

static int accept_tools(struct session *s, int argc, char **argv)
{
	return for_tools(s, argc, argv, accept_tool);
}

int cli_mcp(struct cli *cli, int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(struct session *s, int argc, char **argv);
		int least;
	} verbs[] = {
		{ "list", list, 0 }, { "show", show, 1 },
		{ "accept", accept_tools, 1 },
	};
	struct session s = { .arena = ARENA_INIT };
	struct err e = ERR_INIT;
	size_t v = 0;
	int rc;

	argc--;
	argv++;
	if (argc >= 2 && !strcmp(argv[0], "--user")) {
		s.user = argv[1];
		argc -= 2;
		argv += 2;
	}
	while (argc && v < ARRAY_LEN(verbs) && strcmp(argv[0], verbs[v].name))
		v++;
	if (!argc || v == ARRAY_LEN(verbs))
		return cli_usage(cli, "say list, show or accept");
	if (argc - 1 < verbs[v].least)
		return cli_usage(cli, "which server?");
	if (verbs[v].least == 0 && argc > 1)
		return cli_usage(cli, "\"%s\" is not understood", argv[1]);
	s.conf = cli_conf(cli);
	if (!s.conf)
		return CLI_FAILED;
	rc = open_all(&s, &e) < 0 ? cli_failed(&e)
		: verbs[v].run(&s, argc - 1, argv + 1);
	close_all(&s);
	return rc;
}
