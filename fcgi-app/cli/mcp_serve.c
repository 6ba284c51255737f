/* SPDX-License-Identifier: MIT */
/*
 * mcp serve: the MCP server of a site, for programs that start their servers as
 * processes (stdio): each line of stdin is a message, which is sent to the site, and
 * each answer a line of stdout. It runs where that program runs, without our
 * configuration or database. Messages are sent one after the other.
 */
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/library.h"
#include "cli.h"
#include "net/http.h"

#include "base/banned.h"

#define META "io.modelcontextprotocol/"

enum { LINE_BYTES = 4 * 1024 * 1024, HEADERS = 8 };

struct bridge {
	struct http_pool *http;
	struct arena arena;		/* of one message */
	const char *url, *token;
	struct buf said;		/* the body of an answer */
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
	json_auto_t *said = jx_try(body);
	struct str text = jx_str(said, "detail");
	struct buf out = BUF_INIT(65536);
	struct jw w = jw_on(&out);
	char why[512];

	if (!text.n)
		text = jx_str(said, "title");
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
		.on_body = on_body, .ctx = &b->said,
	};
	struct http_result res = { .status = 0 };
	struct err e = ERR_INIT;
	int rc;

	headers[3] = arena_printf(&b->arena, "Authorization: Bearer %s", b->token);
	r.n_headers = add_headers(b, m, headers, 4);
	buf_reset(&b->said);
	rc = http_do(b->http, &r, &res, &e);
	if (rc == 0 && buf_ok(&b->said) && b->said.n &&
	    !strncmp(res.content_type, "application/json", 16))
		print_line(buf_str(&b->said));
	else if (id && !json_is_null(id))
		print_error(id, rc ? 0 : res.status, buf_str(&b->said), &e);
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

int cli_mcp_serve(struct cli *cli, int argc, char **argv)
{
	struct bridge b = {
		.arena = ARENA_INIT, .said = BUF_INIT(LIM_UPSTREAM_BYTES),
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
	buf_release(&b.said);
	arena_release(&b.arena);
	return rc;
}
