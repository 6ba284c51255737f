/* The table of kinds, and from declarations to rows. See kind.h. */
#include "tool/core/kind.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "tool/core/builtin.h"
#include "tool/core/text.h"

#include "base/banned.h"

/* Sorted by name. */
static const struct tool_kind *const kinds[] = {
	&kind_agent,
	&kind_client,
	&kind_command,
	&kind_http,
	&kind_image_text,
	&kind_openapi,
	&kind_web_search,
	&kind_web_visit,
};

/* The row of this name, or NULL. */
static const struct tool_kind *kind_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i]->name, name) == 0)
			return kinds[i];
	return NULL;
}

/* -- rows ------------------------------------------------------------------- */

void tool_rows_add(struct tool_rows *rows, const struct tool *t)
{
	if (rows->n == rows->size) {
		size_t size = MAX(rows->size * 2, 16);
		struct tool *bigger = arena_alloc(rows->arena,
						  size * sizeof(*bigger));

		if (rows->n)
			memcpy(bigger, rows->v, rows->n * sizeof(*bigger));
		rows->v = bigger;
		rows->size = size;
	}
	rows->v[rows->n++] = *t;
}

static const json_t *no_parameters(struct arena *a)
{
	return jx_keep(a, json_pack("{s:s,s:{}}", "type", "object",
				    "properties"));
}

static struct tool row_of(const struct tool_kind *k, const struct conf_tool *c,
			  struct arena *a)
{
	struct tool t = k->row;

	t.name = c->name;
	t.kind = k->name;
	t.description = c->description;
	t.group = c->group;
	t.source = c->file;
	t.parameters = c->parameters ? c->parameters : no_parameters(a);
	t.parameters_bytes = c->parameters_bytes;
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

static void add_rows(const struct tool_ctx *ctx, const struct conf_tool *v,
		     size_t n, struct tool_rows *rows)
{
	for (size_t i = 0; i < n; i++) {
		const struct tool_kind *k = kind_of(v[i].kind);
		struct err e = ERR_INIT;
		struct tool base;

		if (!k)
			continue;	/* refused by tool_kind_check */
		base = row_of(k, &v[i], rows->arena);
		if (!k->add)
			tool_rows_add(rows, &base);
		else if (k->add(ctx, &v[i], &base, rows, &e) < 0)
			log_err("tools left out of this turn", &e);
	}
}

static bool has_web(const struct tool_ctx *ctx, const struct conf_tool *v,
		    size_t n);

/* Whether the agent that tool c is would have the web. */
static bool agent_has_web(const struct tool_ctx *ctx, const struct conf_tool *c)
{
	const struct conf_agent agent = { .tools = c->agent->tools };
	struct tool_ctx inner = *ctx;

	inner.agent = &agent;
	inner.depth++;
	return agent.tools.n &&
		(has_web(&inner, ctx->conf->tools, ctx->conf->n_tools) ||
		 has_web(&inner, ctx->workspace->tools,
			 ctx->workspace->n_tools));
}

/* Depth is bounded by what is allowed within agents (TOOL_DEPTH). */
static bool has_web(const struct tool_ctx *ctx, const struct conf_tool *v,
		    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct tool_kind *k = kind_of(v[i].kind);
		struct tool t;

		if (k != &kind_web_search && k != &kind_web_visit &&
		    k != &kind_agent)
			continue;
		t = row_of(k, &v[i], ctx->arena);
		if (tool_allowed(&t, ctx) &&
		    (k != &kind_agent || agent_has_web(ctx, &v[i])))
			return true;
	}
	return false;
}

bool tool_web_offered(const struct tool_ctx *ctx)
{
	struct tool_ctx asked = *ctx;

	asked.web = true;
	return has_web(&asked, ctx->conf->tools, ctx->conf->n_tools) ||
		has_web(&asked, ctx->workspace->tools, ctx->workspace->n_tools);
}

static bool makes(const struct conf_tool *v, size_t n, struct str name)
{
	for (size_t i = 0; i < n; i++) {
		const struct tool_kind *k = kind_of(v[i].kind);

		if (k && k->makes ? k->makes(&v[i], name)
				  : str_is(name, v[i].name))
			return true;
	}
	return false;
}

static bool declares(const struct conf *conf, const struct conf_workspace *w,
		     struct str name)
{
	return makes(conf->tools, conf->n_tools, name) ||
	       (w && makes(w->tools, w->n_tools, name));
}

void tool_kind_rows(const struct tool_ctx *ctx, struct tool_rows *rows)
{
	for (size_t i = 0; i < READY_TOOLS; i++) {
		const struct conf_tool *c = tool_ready(ctx->conf, i);

		if (c && !declares(ctx->conf, ctx->workspace, str_of(c->name)))
			add_rows(ctx, c, 1, rows);
	}
	add_rows(ctx, ctx->conf->tools, ctx->conf->n_tools, rows);
	if (ctx->workspace)
		add_rows(ctx, ctx->workspace->tools, ctx->workspace->n_tools,
			 rows);
}

bool tool_kind_makes(const struct conf *conf, const struct conf_workspace *w,
		     struct str name)
{
	for (size_t i = 0; i < READY_TOOLS; i++) {
		const struct conf_tool *c = tool_ready(conf, i);

		if (c && str_is(name, c->name))
			return true;
	}
	return declares(conf, w, name);
}

static bool has_group(const struct conf_tool *v, size_t n, struct str group)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(group, v[i].group))
			return true;
	return false;
}

bool tool_kind_group(const struct conf *conf, const struct conf_workspace *w,
		     struct str group)
{
	for (size_t i = 0; i < READY_TOOLS; i++) {
		const struct conf_tool *c = tool_ready(conf, i);

		if (c && has_group(c, 1, group))
			return true;
	}
	return has_group(conf->tools, conf->n_tools, group) ||
	       (w && has_group(w->tools, w->n_tools, group));
}

/* -- checks ----------------------------------------------------------------- */

static int unknown_kind(const struct conf_tool *c, struct err *e)
{
	const char *names[ARRAY_LEN(kinds)];
	struct buf hint = BUF_INIT(4096);

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		names[i] = kinds[i]->name;
	text_names(&hint, "Kinds", str_of(c->kind), names, ARRAY_LEN(names));
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
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (kinds[i] != k && has_section(kinds[i], c))
			return err_field(e, ERR_CONFIG, kinds[i]->name,
					 "does not belong to kind %s", k->name);
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
			  const struct conf_workspace *w,
			  const struct conf_tool *c, struct err *e)
{
	const struct tool_kind *k = kind_of(c->kind);
	const struct tool *builtin;
	size_t n = tool_builtin(&builtin);

	if (!k)
		return unknown_kind(c, e);
	if (strcmp(c->name, "none") == 0)
		return err_field(e, ERR_CONFIG, "", "none is the word for no "
				 "tools at all");
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(builtin[i].name, c->name) == 0)
			return err_field(e, ERR_CONFIG, "",
					 "is the name of a built-in tool");
	if (w && makes(conf->tools, conf->n_tools, str_of(c->name)))
		return err_field(e, ERR_CONFIG, "",
				 "is declared in %.100s already", conf->file);
	if (check_sections(k, c, e) < 0)
		return -1;
	if (c->parameters && check_parameters(c->parameters, e) < 0)
		return -1;
	return k->check ? k->check(conf, w, c, e) : 0;
}

static int check_list(const struct conf *conf, const struct conf_workspace *w,
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
	if (check_list(conf, NULL, conf->tools, conf->n_tools, e) < 0)
		return -1;
	for (size_t i = 0; i < conf->n_workspaces; i++) {
		const struct conf_workspace *w = &conf->workspaces[i];

		if (check_list(conf, w, w->tools, w->n_tools, e) < 0)
			return -1;
	}
	return 0;
}
