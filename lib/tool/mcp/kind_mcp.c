/* SPDX-License-Identifier: MIT */
/*
 * Tools of MCP servers as rows of a turn, like all other tools, and their calls.
 * A tool is offered if an admin accepted and allowed it; the admin sets its effect,
 * and the server's hints can only make it stricter, unless they are trusted (P-G6).
 */
#include "tool/mcp/mcp.h"

#include <fnmatch.h>
#include <math.h>

#include "auth/policy.h"
#include "base/log.h"
#include "tool/core/env.h"

#include "base/banned.h"

enum { VALUE_BYTES = 4096 };	/* of an argument in a header */
#define SAFE_INTEGER 9007199254740991.0	/* what doubles hold: 2^53 - 1 */

struct mcp_row {		/* `data` of a row */
	const struct conf_mcp *server;
	const struct mcp_tool *tool;
	int timeout_ms;
	bool repeatable;
};

/* -- the admin's settings --------------------------------------------------- */

static const struct conf_mcp_tool *override(const struct conf_mcp *s,
					    const char *remote)
{
	for (size_t i = 0; i < s->n_tools; i++)
		if (!fnmatch(s->tools[i].name, remote, 0))
			return &s->tools[i];
	return NULL;
}

enum tool_effect mcp_effect(const struct conf_mcp *s, const struct mcp_tool *t)
{
	const struct conf_mcp_tool *o = override(s, t->remote);

	if (o && o->effect != (enum tool_effect)CONF_EFFECT_SERVER)
		return o->effect;
	if (s->trust_hints && t->read_only)
		return TOOL_READ;
	if (t->destructive && !t->read_only)
		return TOOL_DESTRUCTIVE;
	return s->effect;
}

static enum tool_confirm confirm_of(const struct conf_mcp *s,
				    const struct conf_mcp_tool *o,
				    enum tool_effect effect)
{
	static const enum tool_confirm by_effect[] = {
		[TOOL_READ] = TOOL_CONFIRM_NEVER,
		[TOOL_WRITE] = TOOL_CONFIRM_TAINTED,
		[TOOL_DESTRUCTIVE] = TOOL_CONFIRM_ALWAYS,
	};

	if (o && o->confirm != TOOL_CONFIRM_BY_EFFECT)
		return o->confirm;
	if (s->confirm != TOOL_CONFIRM_BY_EFFECT)
		return s->confirm;
	return by_effect[effect];
}

/* -- calls ----------------------------------------------------------------- */

static const json_t *argument(const struct mcp_param *p, const json_t *args)
{
	for (size_t i = 0; i < p->depth && args; i++)
		args = json_object_get(args, p->path[i]);
	return args;
}

/* A value in the form of a header; false: not possible (8.2). */
static bool header_text(struct buf *b, const json_t *value)
{
	double d = json_number_value(value);

	if (json_is_string(value))
		mcp_header_value(b, (struct str){ json_string_value(value),
				 json_string_length(value) });
	else if (json_is_boolean(value))
		buf_adds(b, json_is_true(value) ? "true" : "false");
	else if (json_is_number(value) && fabs(d) <= SAFE_INTEGER &&
		 d == floor(d))
		buf_addf(b, "%lld", (long long)d);
	else
		return false;
	return true;
}

/* Arguments that are repeated in headers, unless they are absent or null. */
static int add_params(const struct mcp_tool *t, const json_t *args,
		      struct arena *a, const char **v, size_t *n,
		      struct err *e)
{
	for (size_t i = 0; i < t->n_params; i++) {
		const struct mcp_param *p = &t->params[i];
		const json_t *value = argument(p, args);
		struct buf b = BUF_INIT(2 * VALUE_BYTES);

		if (json_string_length(value) > VALUE_BYTES)
			return err_public(e, ERR_TOOL_ARGS, "\"%.60s\" is sent "
					  "as a header as well, so it may have "
					  "%d bytes at most.",
					  p->path[p->depth - 1], VALUE_BYTES);
		if (header_text(&b, value))
			v[(*n)++] = arena_printf(a, "%s: %s", p->header, b.p);
		buf_release(&b);
	}
	return 0;
}

struct telling {
	const struct tool_ctx *ctx;
	const char *tool;
};

static void on_progress(void *ctx, struct str text)
{
	const struct telling *t = ctx;
	const struct tool_note n = {
		.status = NOTE_PROGRESS, .tool = str_of(t->tool), .text = text,
	};

	tool_note(t->ctx, &n);
}

static int fill_row(const struct mcp_row *r, const struct tool_ctx *ctx,
		    const json_t *args, struct mcp_call *c, struct err *e)
{
	const char **v = arena_zalloc(ctx->arena, r->tool->n_params + 1,
				      sizeof(*v));
	size_t n = 0;

	if (add_params(r->tool, args, ctx->arena, v, &n, e) < 0)
		return -1;
	*c = (struct mcp_call){
		.server = r->server, .method = "tools/call",
		.params = jx_keep(ctx->arena, json_pack("{s:s, s:O}", "name",
				r->tool->remote, "arguments", args)),
		.name = str_of(r->tool->remote),
		.headers = v, .n_headers = n,
		.timeout_ms = r->timeout_ms, .repeatable = r->repeatable,
		.abort = ctx->turn.abort,
	};
	return 0;
}

static int run_mcp(const struct tool *t, const struct tool_ctx *ctx,
		   const json_t *args, struct buf *out, bool *is_json,
		   struct err *e)
{
	const struct mcp_row *r = t->data;
	struct telling telling = { ctx, t->name };
	struct mcp_peer *p;
	struct mcp_call c;
	int rc;

	if (fill_row(r, ctx, args, &c, e) < 0 ||
	    mcp_credential(r->server, ctx, ctx->arena, &c.credential, e) < 0)
		return -1;
	origins_add(ctx->from, ORIGIN_MCP_RESULT, str_of(r->server->id));
	c.progress = on_progress;
	c.ctx = &telling;
	p = mcp_peer_get(tool_env_mcp(ctx->turn.env), ctx, r->server);
	rc = mcp_request(p, &c, e);
	mcp_peer_put(p);
	if (rc == 0)
		rc = mcp_result_write(&c, out, is_json);
	mcp_call_release(&c);
	return rc;
}

static int dry_run(const struct tool *t, const struct tool_ctx *ctx,
		   const json_t *args, struct buf *out, struct err *e)
{
	const struct mcp_row *r = t->data;
	struct mcp_call c;

	if (fill_row(r, ctx, args, &c, e) < 0)
		return -1;
	buf_addf(out, "%s\n", *r->server->url ? r->server->url
		 : r->server->command.v[0]);
	for (size_t i = 0; i < c.n_headers; i++)
		buf_addf(out, "%s\n", c.headers[i]);
	buf_adds(out, "tools/call ");
	jx_dump(out, c.params);
	buf_addc(out, '\n');
	return 0;
}

/* -- rows ------------------------------------------------------------------ */

static struct tool row_of(const struct conf_mcp *s, const struct mcp_tool *t,
			  struct arena *a)
{
	const struct conf_mcp_tool *o = override(s, t->remote);
	enum tool_effect effect = mcp_effect(s, t);
	struct mcp_row *r = arena_new(a, struct mcp_row);

	*r = (struct mcp_row){
		.server = s, .tool = t,
		.timeout_ms = o && o->timeout_ms ? o->timeout_ms
			: s->timeout_ms,
		.repeatable = effect == TOOL_READ || (o && o->idempotent) ||
			(s->trust_hints && t->idempotent),
	};
	return (struct tool){
		.name = t->name, .description = t->description,
		.title = t->title,
		.group = s->id, .source = s->file, .kind = "mcp",
		.parameters = t->schema,
		.groups = &s->groups, .effect = effect,
		.confirm = confirm_of(s, o, effect), .untrusted = true,
		.unaccepted = s->pin == PIN_FIRST_USE ? s->id : NULL,
		.timeout_ms = r->timeout_ms * MCP_LONGEST,
		.result_cap_bytes = s->result_bytes, .run = run_mcp,
		.dry_run = dry_run, .data = r,
	};
}

/* Whether a list of tools could have one of the server. */
static bool may_list(const struct conf_list *l, const struct conf_mcp *s)
{
	size_t n = strlen(s->id);

	for (size_t i = 0; i < l->n; i++)
		if ((!strncmp(l->v[i], s->id, n) && l->v[i][n] == '_') ||
		    (!strncmp(l->v[i], "group:", 6) &&
		     !strcmp(l->v[i] + 6, s->id)))
			return true;
	return false;
}

/* Whether the turn could have any tool of the server. */
static bool wanted(const struct tool_ctx *ctx, const struct conf_mcp *s)
{
	const struct workspace *w = ctx->turn.workspace;
	const struct agent *a = ctx->turn.agent;
	const char *only = ctx->turn.only;
	size_t n = strlen(s->id);

	if (only && !(str_starts(str_of(only), str_of(s->id)) && only[n] == '_'))
		return false;
	if (!policy_in_groups(ctx->turn.by.who, &s->groups))
		return false;
	return (!w || !w->set.allow_tools || may_list(&w->allow_tools, s)) &&
	       (!a || !a->set.tools || may_list(&a->tools, s));
}

static void add_rows(const struct tool_ctx *ctx, const struct conf_mcp *s,
		     struct tool_rows *rows)
{
	struct mcp_peer *p = mcp_peer_get(tool_env_mcp(ctx->turn.env), ctx, s);
	struct err e = ERR_INIT;
	struct mcp_list *l = mcp_list_get(p, s, ctx, &e);

	mcp_peer_put(p);
	if (!l) {
		log_err("MCP server left out of this turn", &e);
		return;
	}
	arena_defer(ctx->arena, mcp_list_put, l);
	for (size_t i = 0; i < l->n; i++)
		if (l->tools[i].state == MCP_ACCEPTED) {
			struct tool t = row_of(s, &l->tools[i], ctx->arena);

			tool_rows_add(rows, &t);
		}
}

void mcp_rows(const struct tool_ctx *ctx, struct tool_rows *rows)
{
	for (size_t i = 0; i < ctx->turn.by.conf->n_mcp_servers; i++)
		if (wanted(ctx, &ctx->turn.by.conf->mcp_servers[i]))
			add_rows(ctx, &ctx->turn.by.conf->mcp_servers[i], rows);
}

bool mcp_makes(const struct conf *conf, struct str name)
{
	for (size_t i = 0; i < conf->n_mcp_servers; i++) {
		struct str id = str_of(conf->mcp_servers[i].id);

		if (str_starts(name, id) && name.n > id.n + 1 &&
		    name.p[id.n] == '_')
			return true;
	}
	return false;
}

bool mcp_group(const struct conf *conf, struct str group)
{
	return conf_mcp(conf, group) != NULL;
}
