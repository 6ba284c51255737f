/* SPDX-License-Identifier: MIT */
/* mcp: the tools of the servers in mcp_servers, and which are accepted. */
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auth/identity.h"
#include "base/json.h"
#include "base/library.h"
#include "cli.h"
#include "net/http.h"
#include "tool/core/env.h"
#include "tool/mcp/mcp.h"

#include "base/banned.h"

/* -- mcp serve ------------------------------------------------------------- */

/*
 * mcp serve: the MCP server of a site, for programs that start their servers as
 * processes (stdio): each line of stdin is a message, which is sent to the site, and
 * each answer a line of stdout. It runs where that program runs, without our
 * configuration or database. Messages are sent one after the other.
 */

#define META "io.modelcontextprotocol/"

enum { LINE_BYTES = 4 * 1024 * 1024, HEADERS = 8 };

struct bridge {
	struct http_pool *http;
	struct arena arena;		/* of one message */
	const char *url, *token;
	struct buf body;		/* the body of an answer */
};

static int on_body(void *ctx, struct str bytes)
{
	buf_addstr(ctx, bytes);
	return 0;
}

/* As headers have it: plain, or in base64 (2026-07-28). */
static const char *header_value(struct arena *a, struct str s)
{
	bool plain = s.n && str_trim(s).n == s.n && !str_starts(s, STR("=?base64?"));
	size_t n = sodium_base64_ENCODED_LEN(s.n, sodium_base64_VARIANT_ORIGINAL);
	char *text;

	for (size_t i = 0; i < s.n && plain; i++)
		plain = s.p[i] >= ' ' && s.p[i] <= '~';
	if (plain)
		return arena_str(a, s).p;
	text = arena_alloc(a, n);
	sodium_bin2base64(text, n, (const unsigned char *)s.p, s.n,
			  sodium_base64_VARIANT_ORIGINAL);
	return arena_printf(a, "=?base64?%s?=", text);
}

/* What a message of 2026-07-28 repeats in headers. */
static size_t add_headers(struct bridge *b, const json_t *m, const char **v, size_t n)
{
	const json_t *params = jx_obj(m, "params");
	struct str version = jx_str(jx_obj(params, "_meta"), META "protocolVersion");
	struct str method = jx_str(m, "method"), name = jx_str(params, "name");

	if (!version.n)
		return n;
	if (str_is(method, "resources/read"))
		name = jx_str(params, "uri");
	v[n++] = arena_printf(&b->arena, "MCP-Protocol-Version: %s",
			      header_value(&b->arena, version));
	v[n++] = arena_printf(&b->arena, "Mcp-Method: %s", header_value(&b->arena, method));
	if (name.n)
		v[n++] = arena_printf(&b->arena, "Mcp-Name: %s",
				      header_value(&b->arena, name));
	return n;
}

static void print_line(struct str s)
{
	printf("%.*s\n", STR_ARG(s));
	fflush(stdout);
}

/* A request that the site did not answer as MCP gets an error; its body may say why. */
static void print_error(const json_t *id, int status, struct str body,
			const struct err *e)
{
	json_auto_t *problem = jx_try(body);
	struct str text = jx_str(problem, "detail");
	struct buf out = BUF_INIT(65536);
	struct jw w = jw_on(&out);
	char why[512];

	if (!text.n)
		text = jx_str(problem, "title");
	if (status)
		snprintf(why, sizeof(why), "The server answers %d. %.*s", status,
			 (int)MIN(text.n, 300), text.n ? text.p : "");
	else
		snprintf(why, sizeof(why), "The server cannot be reached: %s",
			 err_message(e));
	jw_obj(&w);
	jw_kstrz(&w, "jsonrpc", "2.0");
	jw_key(&w, "id");
	jw_json(&w, id);
	jw_key(&w, "error");
	jw_obj(&w);
	jw_kint(&w, "code", -32603);
	jw_kstrz(&w, "message", why);
	jw_end_obj(&w);
	jw_end_obj(&w);
	print_line(buf_str(&out));
	buf_release(&out);
}

static void forward(struct bridge *b, struct str line)
{
	json_auto_t *m = jx_try(line);
	const json_t *id = json_object_get(m, "id");
	const char *headers[HEADERS] = {
		"Content-Type: application/json",
		"Accept: application/json, text/event-stream",
		"User-Agent: lamplighter-mcp/1",
	};
	struct http_request r = {
		.method = "POST", .url = b->url, .headers = headers, .body = line,
		.once = true, .connect_timeout_ms = 10000, .watch_fd = -1,
		.on_body = on_body, .ctx = &b->body,
	};
	struct http_result res = { .status = 0 };
	struct err e = ERR_INIT;
	int rc;

	headers[3] = arena_printf(&b->arena, "Authorization: Bearer %s", b->token);
	r.n_headers = add_headers(b, m, headers, 4);
	buf_reset(&b->body);
	rc = http_do(b->http, &r, &res, &e);
	if (rc == 0 && buf_ok(&b->body) && b->body.n &&
	    !strncmp(res.content_type, "application/json", 16))
		print_line(buf_str(&b->body));
	else if (id && !json_is_null(id))
		print_error(id, rc ? 0 : res.status, buf_str(&b->body), &e);
	if (rc || res.status >= 400)
		fprintf(stderr, "lamplighter: %s: %d %s\n", b->url, res.status,
			rc ? err_message(&e) : "");
}

static int serve(struct bridge *b)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, stdin)) > 0) {
		struct str s = str_trim((struct str){ line, (size_t)n });

		if (s.n > LINE_BYTES)
			fprintf(stderr, "lamplighter: a message is too long\n");
		else if (s.n)
			forward(b, s);
		arena_reset(&b->arena);
	}
	free(line);
	return ferror(stdin) ? CLI_FAILED : CLI_OK;
}

static int cli_mcp_serve(struct cli *cli, int argc, char **argv)
{
	struct bridge b = {
		.arena = ARENA_INIT, .body = BUF_INIT(LIM_UPSTREAM_BYTES),
		.token = getenv("LAMPLIGHTER_TOKEN"),
	};
	struct err e = ERR_INIT;
	int rc;

	if (argc != 1)
		return cli_usage(cli, "name the address: serve https://…/api/v1/mcp");
	if (!b.token || !*b.token)
		return cli_usage(cli, "the environment has no LAMPLIGHTER_TOKEN");
	b.url = argv[0];
	if (http_global_init(&e) < 0)
		return cli_failed(&e);
	b.http = http_pool_new(1);
	rc = serve(&b);
	http_pool_free(b.http);
	http_global_cleanup();
	buf_release(&b.body);
	arena_release(&b.arena);
	return rc;
}

/* -- mcp ---------------------------------------------------------------------- */

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
