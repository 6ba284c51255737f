/* SPDX-License-Identifier: MIT */
/*
 * Tools of kind `openapi`: one declaration is a tool of kind http for each
 * operation that it selects. The document is read with the configuration; its
 * tools are kept for all turns of one generation.
 */
#include <string.h>

#include "tool/core/env.h"
#include "tool/http/http_tool.h"
#include "tool/core/kind.h"
#include "tool/http/openapi.h"

#include "base/banned.h"

enum { KEEP_MS = 3600000 };

static int openapi_check(const struct conf *conf,
			 const struct workspace *w,
			 const struct conf_tool *c, struct err *e)
{
	struct err fault = ERR_INIT;
	json_t *ops;

	(void)conf;
	(void)w;
	if (c->parameters)
		return err_field(e, ERR_CONFIG, "parameters", "does not belong "
				 "to kind openapi: the document defines them");
	if (tool_http_check_auth(&c->openapi->http, "openapi", e) < 0)
		return -1;
	ops = openapi_import(c, &fault);
	json_decref(ops);
	return ops ? 0 : err_field(e, ERR_CONFIG, "openapi", "%s",
				   err_message(&fault));
}

static bool openapi_makes(const struct conf_tool *c, struct str name)
{
	struct err e = ERR_INIT;
	json_t *ops = openapi_import(c, &e);
	const bool found = jx_find(ops, "name", name) != NULL;

	json_decref(ops);
	return found;
}

/* The kept tools, referenced for the lifetime of ctx->arena. */
static const json_t *operations(const struct tool_ctx *ctx,
				const struct conf_tool *c, struct err *e)
{
	const char *key = arena_printf(ctx->arena, "openapi/%llu/%s/%s",
		(unsigned long long)ctx->turn.by.conf->generation, c->file,
		c->name);
	struct tool_shared *shared = tool_env_take(ctx->turn.env, key);
	json_t *ops;

	if (!shared) {
		ops = openapi_import(c, e);
		if (!ops)
			return NULL;
		shared = tool_env_keep(ctx->turn.env, key, ops, KEEP_MS);
	}
	arena_defer(ctx->arena, tool_env_put, shared);
	return shared->value;
}

static struct conf_list texts(struct arena *a, const struct conf_list *first,
			      const json_t *more)
{
	struct conf_list l = { .n = 0 };
	json_t *v;
	size_t i;

	l.v = arena_zalloc(a, first->n + json_array_size(more) + 1,
			   sizeof(*l.v));
	for (i = 0; i < first->n; i++)
		l.v[l.n++] = first->v[i];
	json_array_foreach((json_t *)more, i, v)
		l.v[l.n++] = json_string_value(v);
	return l;
}

/* A declaration of kind http, as an admin could have written it. */
static const struct conf_tool *declaration(const struct tool_ctx *ctx,
					   const struct conf_tool *c,
					   const json_t *op)
{
	struct conf_tool *t = arena_new(ctx->arena, struct conf_tool);
	struct conf_tool_http *h = arena_new(ctx->arena, struct conf_tool_http);

	*h = c->openapi->http;
	h->method = jx_str(op, "method").p;
	h->url = jx_str(op, "url").p;
	h->query = jx_obj(op, "query");
	h->headers = texts(ctx->arena, &c->openapi->http.headers,
			   jx_arr(op, "headers"));
	h->body = json_object_get(op, "body");
	h->body_type = jx_bool(op, "form", false) ? BODY_FORM : BODY_JSON;
	h->select = h->page.next = h->page.param = "";
	h->page.max = 1;
	*t = *c;
	t->name = jx_str(op, "name").p;
	t->parameters = jx_obj(op, "parameters");
	t->http = h;
	return t;
}

static int openapi_add(const struct tool_ctx *ctx, const struct conf_tool *c,
		       const struct tool *base, struct tool_rows *rows,
		       struct err *e)
{
	static const enum tool_confirm by_effect[] = {
		[TOOL_READ] = TOOL_CONFIRM_NEVER,
		[TOOL_WRITE] = TOOL_CONFIRM_TAINTED,
		[TOOL_DESTRUCTIVE] = TOOL_CONFIRM_ALWAYS,
	};
	const json_t *ops = operations(ctx, c, e);
	json_t *op;
	size_t i;

	if (!ops)
		return -1;
	json_array_foreach((json_t *)ops, i, op) {
		struct tool t = *base;
		enum tool_effect does = (enum tool_effect)jx_int(op, "effect",
								 TOOL_WRITE);

		t.data = declaration(ctx, c, op);
		t.name = ((const struct conf_tool *)t.data)->name;
		t.description = jx_str(op, "description").p;
		t.parameters = jx_obj(op, "parameters");
		/* Never weaker than the effect of the method. */
		if (does > t.effect) {
			t.effect = does;
			t.confirm = MAX(t.confirm, by_effect[does]);
		}
		tool_rows_add(rows, &t);
	}
	return 0;
}

const struct tool_kind kind_openapi = {
	.name = "openapi",
	.section = offsetof(struct conf_tool, openapi),
	.check = openapi_check,
	.add = openapi_add,
	.makes = openapi_makes,
	.row = {
		.timeout_ms = 15000,
		.run = tool_http_run, .dry_run = tool_http_dry_run,
	},
};
