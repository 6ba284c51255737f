/* SPDX-License-Identifier: MIT */
/* From declarations to rows. See kind.h. */
#include "tool/core/family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domain/target.h"
#include "base/log.h"
#include "base/util.h"
#include "tool/core/builtin.h"
#include "tool/core/text.h"

#include "base/banned.h"

/* -- rows ------------------------------------------------------------------- */

void tool_rows_add(struct tool_rows *rows, const struct tool *t)
{
	if (rows->n == rows->size) {
		rows->size = MAX(rows->size * 2, 32);
		rows->v = xrealloc(rows->v, rows->size * sizeof(*rows->v));
	}
	rows->v[rows->n++] = *t;
}

void tool_rows_release(struct tool_rows *rows)
{
	free(rows->v);
	rows->v = NULL;
	rows->n = rows->size = 0;
}

static struct tool row_of(const struct tool_kind *k, const struct conf_tool *c)
{
	struct tool t = k->row;

	t.name = c->name;
	t.kind = k->name;
	t.description = c->description;
	t.group = c->group;
	t.source = c->file;
	t.parameters = t.schema || !c->parameters ? tool_schema(t.schema)
						  : c->parameters;
	t.groups = &c->groups;
	t.effect = c->effect;
	t.confirm = c->confirm;
	t.remember = c->remember;
	t.editable = c->editable;
	t.untrusted = c->untrusted;
	t.result_cap_bytes = c->result_bytes;
	if (c->timeout_ms)
		t.timeout_ms = c->timeout_ms;
	t.data = c;
	return t;
}

void tool_kind_add(const struct tool_ctx *ctx, const struct conf_tool *c,
		   struct tool_rows *rows)
{
	const struct tool_kind *k = tool_kind_of(c->kind);
	struct err e = ERR_INIT;
	struct tool base;

	if (!k)
		return;		/* refused by tool_kind_check */
	base = row_of(k, c);
	if (!k->add)
		tool_rows_add(rows, &base);
	else if (k->add(ctx, c, &base, rows, &e) < 0)
		log_err("tools left out of this turn", &e);
}

static bool has_web(const struct tool_ctx *ctx, const struct conf_tool *v,
		    size_t n);

/* Of the tools of the main file and the workspace. */
static bool anywhere_web(const struct tool_ctx *ctx)
{
	const struct conf *c = ctx->turn.by.conf;
	const struct workspace *w = ctx->turn.workspace;

	return has_web(ctx, c->tools, c->n_tools) ||
		has_web(ctx, w->tools, w->n_tools);
}

/* Whether the agent a would have the web. */
static bool agent_has_web(const struct tool_ctx *ctx, const struct agent *a)
{
	struct tool_ctx inner = *ctx;

	inner.turn.agent = a;
	inner.turn.depth++;
	return anywhere_web(&inner);
}

/* Depth is bounded by what is allowed within agents (TOOL_DEPTH). */
static bool has_web(const struct tool_ctx *ctx, const struct conf_tool *v,
		    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct tool_kind *k = tool_kind_of(v[i].kind);
		struct tool t;

		if (!k || (!k->row.external && !k->agent))
			continue;
		t = row_of(k, &v[i]);
		if (tool_allowed(&t, ctx) &&
		    (!k->agent ||
		     agent_has_web(ctx, k->agent(ctx->arena, &v[i]))))
			return true;
	}
	return false;
}

bool tool_web_offered(const struct caller *by, const struct workspace *w,
		      const struct agent *a)
{
	const struct llm_service *s = target_service(by, w, a);
	const struct tool_ctx ctx = {
		.turn = { .by = *by, .workspace = w, .agent = a, .web = true },
		.arena = by->arena,
	};

	return s && s->capabilities & LLM_CAN_TOOLS && anywhere_web(&ctx);
}

static bool makes(const struct conf_tool *v, size_t n, struct str name)
{
	for (size_t i = 0; i < n; i++) {
		const struct tool_kind *k = tool_kind_of(v[i].kind);

		if (k && k->makes ? k->makes(&v[i], name)
				  : str_is(name, v[i].name))
			return true;
	}
	return false;
}

void tool_kind_rows(const struct tool_ctx *ctx, struct tool_rows *rows)
{
	const struct workspace *w = ctx->turn.workspace;

	for (size_t i = 0; i < ctx->turn.by.conf->n_tools; i++)
		tool_kind_add(ctx, &ctx->turn.by.conf->tools[i], rows);
	for (size_t i = 0; w && i < w->n_tools; i++)
		tool_kind_add(ctx, &w->tools[i], rows);
}

bool tool_kind_makes(const struct conf *conf, const struct workspace *w,
		     struct str name)
{
	return makes(conf->tools, conf->n_tools, name) ||
	       (w && makes(w->tools, w->n_tools, name));
}

static bool has_group(const struct conf_tool *v, size_t n, struct str group)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(group, v[i].group))
			return true;
	return false;
}

bool tool_kind_group(const struct conf *conf, const struct workspace *w,
		     struct str group)
{
	return has_group(conf->tools, conf->n_tools, group) ||
	       (w && has_group(w->tools, w->n_tools, group));
}

/* -- checks ----------------------------------------------------------------- */

static int unknown_kind(const struct conf_tool *c, struct err *e)
{
	const char *names[32];
	struct buf hint = BUF_INIT(4096);
	size_t n = 0;

	while (n < ARRAY_LEN(names) && tool_kind_at(n)) {
		names[n] = tool_kind_at(n)->name;
		n++;
	}
	text_names(&hint, "Kinds", str_of(c->kind), names, n);
	err_field(e, ERR_CONFIG, "kind", "there is no kind \"%.40s\". %.150s",
		  c->kind, hint.p);
	buf_release(&hint);
	return -1;
}

static bool has_section(const struct tool_kind *k, const struct conf_tool *c)
{
	const void *section;

	if (!k->section)
		return false;
	memcpy(&section, (const char *)c + k->section, sizeof(section));
	return section != NULL;
}

static int check_sections(const struct tool_kind *k, const struct conf_tool *c,
			  struct err *e)
{
	if (k->section && !has_section(k, c))
		return err_field(e, ERR_CONFIG, "", "kind %s needs the map %s:",
				 k->name, k->name);
	for (size_t i = 0; tool_kind_at(i); i++) {
		const struct tool_kind *other = tool_kind_at(i);

		if (other != k && has_section(other, c))
			return err_field(e, ERR_CONFIG, other->name,
					 "does not belong to kind %s", k->name);
	}
	return 0;
}

/*
 * Whether schema can be that of a tool: of the subset, and an object. ERR_CONFIG
 * with the field "parameters…".
 */
static int check_parameters(const json_t *schema, struct err *e)
{
	const json_t *type = json_object_get(schema, "type");
	struct err fault = ERR_INIT;

	if (schema_supported(schema, &fault) < 0) {
		char field[sizeof(e->field)];

		snprintf(field, sizeof(field), "parameters.%.50s", fault.field);
		return err_field(e, ERR_CONFIG, field, "%s", fault.public);
	}
	/* what providers insist on */
	if (!json_is_string(type) || strcmp(json_string_value(type), "object"))
		return err_field(e, ERR_CONFIG, "parameters",
				 "must be a schema with type: object");
	return 0;
}

static int check_tool_row(const struct conf *conf,
			  const struct workspace *w,
			  const struct conf_tool *c, struct err *e)
{
	const struct tool_kind *k = tool_kind_of(c->kind);

	if (!k)
		return unknown_kind(c, e);
	if (strcmp(c->name, "none") == 0)
		return err_field(e, ERR_CONFIG, "", "none is reserved: it "
				 "means no tools at all");
	if (tool_builtin(c->name))
		return err_field(e, ERR_CONFIG, "",
				 "is the name of a built-in tool");
	if (w && makes(conf->tools, conf->n_tools, str_of(c->name)))
		return err_field(e, ERR_CONFIG, "",
				 "is already declared in %.100s", conf->file);
	if (check_sections(k, c, e) < 0)
		return -1;
	if (c->parameters && check_parameters(c->parameters, e) < 0)
		return -1;
	return k->check ? k->check(conf, w, c, e) : 0;
}

static int check_list(const struct conf *conf, const struct workspace *w,
		      const struct conf_tool *v, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		struct err fault = ERR_INIT;
		char path[160];
		int line;

		if (check_tool_row(conf, w, &v[i], &fault) == 0)
			continue;
		snprintf(path, sizeof(path), "tools.%s%s%s", v[i].name,
			 fault.field[0] ? "." : "", fault.field);
		line = conf_line(v[i].file, path);
		return err_public(e, ERR_CONFIG, "%s:%d: %s: %s", v[i].file,
				  line ? line : v[i].line, path,
				  err_message(&fault));
	}
	return 0;
}

int tool_kind_check(const struct conf *conf, struct err *e)
{
	const struct catalog *all = catalog_of(conf);

	if (check_list(conf, NULL, conf->tools, conf->n_tools, e) < 0)
		return -1;
	for (size_t i = 0; i < all->n_workspaces; i++) {
		const struct workspace *w = &all->workspaces[i];

		if (check_list(conf, w, w->tools, w->n_tools, e) < 0)
			return -1;
	}
	return 0;
}
