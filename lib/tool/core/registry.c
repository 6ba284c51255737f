/* SPDX-License-Identifier: MIT */
/*
 * The tools offered in a turn: those of the families (family.h) that it may use
 * (gate.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setting/setting.h"
#include "domain/stored.h"
#include "auth/policy.h"
#include "base/log.h"
#include "base/utf8.h"
#include "tool/agent/option.h"
#include "tool/core/builtin.h"
#include "tool/core/family.h"
#include "tool/core/text.h"

#include "base/banned.h"

#define GROUP "group:"

size_t tool_result_cap(const struct tool *t, const struct tool_ctx *ctx)
{
	struct setting_value cap = setting_get(SETTING_RESULT_BYTES,
		&(struct setting_scope){
			.conf = ctx->turn.by.conf,
			.tool = { t->result_cap_bytes > 0, t->result_cap_bytes } });

	/*
	 * Room for the marker of a cut (dispatch.c) and for the head of a page
	 * (read_result.c).
	 */
	return (size_t)MAX(cap.number, 1024);
}

/*
 * The schema of a change in projects with its mode. The parts of s are shared, not copied:
 * counting references is atomic.
 */
static const json_t *with_mode(const json_t *s, struct arena *a)
{
	static const char mode[] = "{\"enum\":[\"act\",\"inform\",\"clarify\"]}";
	json_t *copy = jx_keep(a, json_copy((json_t *)s));
	json_t *properties = json_copy(json_object_get(copy, "properties"));

	json_object_set(properties, TOOL_MODE_KEY, (json_t *)tool_schema(mode));
	json_object_set_new(copy, "properties", properties);
	return copy;
}

static void builtin_rows(const struct conf *conf, struct tool_rows *rows)
{
	for (size_t i = 0; tool_builtin_at(i); i++) {
		struct tool t = *tool_builtin_at(i);

		t.source = "built-in";
		t.parameters = t.arguments ? t.arguments(&t, conf, rows->arena)
			: tool_schema(t.schema);
		t.declared = tool_declares(&t) ? with_mode(t.parameters, rows->arena)
			: NULL;
		tool_rows_add(rows, &t);
	}
}

/* Built-in ones come before others of the same name. */
static int by_name(const void *a, const void *b)
{
	const struct tool *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	return rc ? rc : (x->kind != NULL) - (y->kind != NULL);
}

/* As struct tool_rows, which lives as long as conf. */
static const void *make_builtins(const struct conf *conf, struct arena *a)
{
	struct tool_rows rows = { .arena = a }, *out = arena_new(a, struct tool_rows);

	builtin_rows(conf, &rows);
	qsort(rows.v, rows.n, sizeof(*rows.v), by_name);
	*out = (struct tool_rows){
		.arena = a, .n = rows.n, .size = rows.n,
		.v = (struct tool *)(void *)arena_memdup(a, (const char *)rows.v,
							 rows.n * sizeof(*rows.v)),
	};
	tool_rows_release(&rows);
	return out;
}

/* Every tool there is for this turn, by name, each name once. */
static void all_rows(const struct tool_ctx *ctx, struct tool_rows *rows)
{
	const struct tool_rows *builtins = conf_derived(ctx->turn.by.conf, CONF_DERIVED_TOOLS,
						     make_builtins);
	size_t n = 0;

	for (size_t i = 0; i < builtins->n; i++)
		tool_rows_add(rows, &builtins->v[i]);
	tool_kind_rows(ctx, rows);
	for (size_t f = 0; f < TOOL_FAMILIES; f++)
		if (tool_families[f]->add)
			tool_families[f]->add(ctx, rows);
	for (size_t i = 0; i < ctx->turn.n_more; i++)
		tool_rows_add(rows, &ctx->turn.more[i]);
	qsort(rows->v, rows->n, sizeof(*rows->v), by_name);
	for (size_t i = 0; i < rows->n; i++) {
		if (n && strcmp(rows->v[i].name, rows->v[n - 1].name) == 0)
			log_warn("two tools with the same name, the second is left "
				 "out", "tool", rows->v[i].name);
		else
			rows->v[n++] = rows->v[i];
	}
	rows->n = n;
}

/* The rows that may be used; the others are not kept, as a turn holds its tools. */
static struct tool *allowed_rows(const struct tool_ctx *ctx, size_t *n)
{
	struct tool_rows rows = { .arena = ctx->arena };
	struct tool *v;

	all_rows(ctx, &rows);
	*n = 0;
	for (size_t i = 0; i < rows.n; i++)
		if (tool_allowed(&rows.v[i], ctx))
			rows.v[(*n)++] = rows.v[i];
	v = (struct tool *)(void *)arena_memdup(ctx->arena, (const char *)rows.v,
						*n * sizeof(*v));
	tool_rows_release(&rows);
	return v;
}

int tool_set_build(const struct tool_ctx *ctx, struct tool_set *out,
		   struct err *e)
{
	size_t n;
	const struct tool *rows = allowed_rows(ctx, &n);
	struct tool_offer *v = arena_zalloc(ctx->arena, n, sizeof(*v));

	(void)e;
	*out = (struct tool_set){ .v = v };
	for (size_t i = 0; i < n; i++) {
		const struct tool *t = &rows[i];
		struct tool_offer *o = &v[out->n];
		struct err local = ERR_INIT;

		*o = (struct tool_offer){
			t, t->description, t->parameters, t->timeout_ms,
		};
		/*
		 * A database that cannot be asked for its columns must not end the whole
		 * turn.
		 */
		if (t->describe && t->describe(t, ctx, o, &local) < 0) {
			log_err("tool left out of this turn", &local);
			continue;
		}
		if (ctx->turn.intent && t->declared)
			o->schema = t->declared;
		out->n++;
	}
	return 0;
}

const struct tool_offer *tool_set_find(const struct tool_set *set,
				       struct str name)
{
	for (size_t i = 0; i < set->n; i++)
		if (str_is(name, set->v[i].tool->name))
			return &set->v[i];
	return NULL;
}

struct str tool_set_title(const struct tool_set *set, struct str name)
{
	const struct tool_offer *o = tool_set_find(set, name);

	return str_of(o ? o->tool->title : NULL);
}

/* -- what there is to choose from -------------------------------------------------- */

static void write_choice(struct jw *w, const struct tool *t, const struct tool_ctx *ctx)
{
	static const char *const asks[] = {
		[TOOL_CONFIRM_NEVER] = "never", [TOOL_CONFIRM_TAINTED] = "tainted",
		[TOOL_CONFIRM_ALWAYS] = "always",
	};
	struct str group = str_of(t->group ? t->group : "");

	jw_obj(w);
	jw_kstrz(w, "name", t->name);
	jw_kstrz(w, "title", t->title);
	jw_kstrz(w, "description", t->description);
	jw_kstrz(w, "family", tool_family_name(t));
	jw_key(w, "groups");
	jw_arr(w);
	while (group.n)
		jw_str(w, str_cut(&group, ' '));
	jw_end_arr(w);
	jw_kstrz(w, "effect", tool_effect_name(t->effect));
	jw_kstrz(w, "asks", asks[tool_policy(t, ctx)]);
	jw_kbool(w, "web", t->external);
	jw_kbool(w, "byDefault", tool_unnamed(t, ctx->turn.workspace, ctx->turn.agent));
	jw_end_obj(w);
}

int64_t tool_choices_write(const struct caller *by, const struct workspace *w,
			   struct jw *out)
{
	struct agent *any = agent_named(by->arena, STR("any"));
	struct tool_ctx ctx = {
		.turn = { .by = *by, .workspace = w, .agent = any, .web = true },
		.arena = by->arena,
	};
	struct tool_rows rows = { .arena = by->arena };
	const char *name;
	int64_t n = 0;

	/*
	 * Lists each tool in turn, because what an agent may list is more than what one has
	 * unasked.
	 */
	any->tools = (struct conf_list){ &name, 1 };
	any->set.tools = true;
	any->source = SOURCE_API;
	all_rows(&ctx, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		name = rows.v[i].name;
		if (!tool_allowed(&rows.v[i], &ctx))
			continue;
		write_choice(out, &rows.v[i], &ctx);
		n++;
	}
	tool_rows_release(&rows);
	return n;
}

/* -- what an admin wrote ---------------------------------------------------- */

bool tool_exists(const struct conf *conf, const struct workspace *w,
		 struct str name)
{
	for (size_t i = 0; tool_builtin_at(i); i++)
		if (str_is(name, tool_builtin_at(i)->name))
			return true;
	for (size_t f = 0; f < TOOL_FAMILIES; f++)
		if (tool_families[f]->makes &&
		    tool_families[f]->makes(conf, name))
			return true;
	return tool_kind_makes(conf, w, name);
}

static bool group_exists(const struct conf *conf,
			 const struct workspace *w, struct str group)
{
	for (size_t i = 0; tool_builtin_at(i); i++)
		if (tool_in_group(tool_builtin_at(i), group))
			return true;
	for (size_t f = 0; f < TOOL_FAMILIES; f++)
		if (tool_families[f]->has_group &&
		    tool_families[f]->has_group(conf, group))
			return true;
	return tool_kind_group(conf, w, group);
}

/*
 * Whether s may be in a list of tools in w: the name of one that there is,
 * "group:NAME" or "none".
 */
static bool is_choice(const struct conf *conf, const struct workspace *w,
		      struct str s)
{
	/* `tools: none` is an agent without tools */
	if (str_is(s, "none"))
		return true;
	if (!str_starts(s, STR(GROUP)))
		return tool_exists(conf, w, s);
	return group_exists(conf, w, str_of(s.p + strlen(GROUP)));
}

/* -- what rows of agents and workspaces say ------------------------------------ */

/* tools: the value of their column. */
static int check_choices(const struct caller *by, struct str tools,
			 const struct workspace *w, struct err *e)
{
	const struct conf_list l = filled_list(by->arena, tools);

	for (size_t i = 0; i < l.n; i++)
		if (!is_choice(by->conf, w, str_of(l.v[i])))
			return err_field(e, ERR_INVALID_FIELD, "toolIds",
					 "There is no tool \"%.100s\".", l.v[i]);
	return 0;
}

static int check_agent_row(const struct caller *by, const struct resource *r,
			   struct resource_change *k, struct err *e)
{
	(void)r;
	return check_choices(by, resource_text(&k->row, COLUMN(AGENT, tools)),
			     k->above, e);
}

static int check_workspace_row(const struct caller *by, const struct resource *r,
			       struct resource_change *k, struct err *e)
{
	(void)r;
	return check_choices(by, resource_text(&k->row, COLUMN(WORKSPACE, tools)),
			     stored_workspace_of(by, &k->row), e);
}

/* Whether the agent has tools for the web for this caller (A64). */
static void write_web(struct jw *w, const struct caller *by,
		      const struct resource_change *k,
		      const struct resource_item *item)
{
	jw_kbool(w, "webSearch", tool_web_offered(by, k->above,
						  stored_agent_item(by, item)));
}

const struct resource_hooks tool_agent_hooks = {
	.check = check_agent_row, .write = write_web,
};
const struct resource_hooks tool_workspace_hooks = {
	.check = check_workspace_row,
};

/* -- names to suggest ------------------------------------------------------------ */

struct names {
	struct arena *arena;
	const char **v;
	size_t n, room;
};

static void add_name(struct names *l, const char *name)
{
	l->v = arena_room(l->arena, l->v, l->n, 1, &l->room, sizeof(*l->v));
	l->v[l->n++] = name;
}

/* The groups of a tool, each once. */
static void add_groups(struct names *l, struct str groups)
{
	while (groups.n) {
		struct str g = str_cut(&groups, ' ');
		size_t i = 0;

		while (i < l->n && !str_is(g, l->v[i] + strlen(GROUP)))
			i++;
		if (g.n && i == l->n)
			add_name(l, arena_printf(l->arena, GROUP "%.*s",
						 STR_ARG(g)));
	}
}

static struct names known_groups(const struct conf *conf,
				 const struct workspace *w, struct arena *a)
{
	struct names l = { .arena = a };

	for (size_t i = 0; tool_builtin_at(i); i++)
		add_groups(&l, str_of(tool_builtin_at(i)->group));
	for (size_t i = 0; i < conf->n_mcp_servers; i++)
		add_groups(&l, str_of(conf->mcp_servers[i].id));
	for (size_t i = 0; i < conf->n_tools; i++)
		add_groups(&l, str_of(conf->tools[i].group));
	for (size_t i = 0; w && i < w->n_tools; i++)
		add_groups(&l, str_of(w->tools[i].group));
	return l;
}

/* The names to suggest. */
static struct names known_names(const struct conf *conf,
				const struct workspace *w, struct arena *a)
{
	struct names l = { .arena = a };

	for (size_t i = 0; tool_builtin_at(i); i++)
		add_name(&l, tool_builtin_at(i)->name);
	for (size_t f = 0; f < TOOL_FAMILIES; f++)
		for (size_t i = 0; tool_families[f]->name_at &&
		     tool_families[f]->name_at(conf, i); i++)
			add_name(&l, tool_families[f]->name_at(conf, i));
	for (size_t i = 0; i < conf->n_tools; i++)
		add_name(&l, conf->tools[i].name);
	for (size_t i = 0; w && i < w->n_tools; i++)
		add_name(&l, w->tools[i].name);
	return l;
}

/* w == NULL: a list of the main file, which all workspaces use. */
static bool is_known(const struct conf *conf, const struct workspace *w,
		     struct str s)
{
	const struct catalog *all = catalog_of(conf);

	if (is_choice(conf, w, s))
		return true;
	for (size_t i = 0; !w && i < all->n_workspaces; i++)
		if (is_choice(conf, &all->workspaces[i], s))
			return true;
	return false;
}

/* path: of the list, for its line; whose: "agent x: ". */
static int check_list(const struct conf *conf, const struct workspace *w,
		      const struct conf_list *l, const char *path,
		      const char *whose, struct err *e)
{
	const char *file = w ? w->file : conf->file;
	struct buf hint = BUF_INIT(4096);
	struct arena arena = ARENA_INIT;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->n; i++) {
		struct str s = str_of(l->v[i]);
		bool group = str_starts(s, STR(GROUP));
		struct names known;

		if (is_known(conf, w, s))
			continue;
		known = group ? known_groups(conf, w, &arena)
			: known_names(conf, w, &arena);
		text_names(&hint, group ? "Groups" : "Tools", s, known.v,
			   known.n);
		rc = err_public(e, ERR_CONFIG, "%s:%d: %s: there is no tool "
				"%.70s. %.100s", file,
				conf_line(file, arena_printf(&arena,
					"%s[%zu]", path, i)),
				whose, s.p, hint.p);
	}
	buf_release(&hint);
	arena_release(&arena);
	return rc;
}

/* name: as in the permission; the page may have tools that only it knows. */
static bool is_granted(const struct conf *conf, struct str name)
{
	const struct catalog *all = catalog_of(conf);

	for (size_t i = 0; i < all->n_workspaces; i++)
		if (all->workspaces[i].client_tools == CLIENT_TOOLS_ALLOW)
			return true;
	return is_known(conf, NULL, name);
}

void tool_check_grants(const struct conf *conf, struct buf *out)
{
	const struct str prefix = STR(PERM_TOOL_PREFIX);
	struct arena arena = ARENA_INIT;

	for (size_t i = 0; i < conf->n_roles; i++) {
		const struct conf_role *r = &conf->roles[i];

		for (size_t k = 0; k < r->permissions.n; k++) {
			struct str name = str_of(r->permissions.v[k]);
			struct names known;
			const char *near;

			if (!str_starts(name, prefix))
				continue;
			name = str_of(name.p + prefix.n);
			if (strchr(name.p, '*') || is_granted(conf, name))
				continue;
			known = known_names(conf, NULL, &arena);
			near = str_nearest(name, known.v, known.n,
					   sizeof(*known.v), 2);
			buf_addf(out, "role %s: there is no tool \"%s\"."
				 STR_MEANT "\n", r->id, name.p,
				 STR_MEANT_ARG(near));
		}
	}
	arena_release(&arena);
}

/* The tools that agents as tools may use. */
static int check_tool_agents(const struct conf *conf, const struct workspace *w,
			     const struct conf_tool *v, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		char path[160], whose[80];

		if (!v[i].agent)
			continue;
		snprintf(path, sizeof(path), "tools.%s.agent.tools", v[i].name);
		snprintf(whose, sizeof(whose), "tool %.60s", v[i].name);
		if (check_list(conf, w, &v[i].agent->tools, path, whose, e) < 0)
			return -1;
	}
	return 0;
}

static int check_agent(const struct conf *conf, const struct workspace *w,
		       size_t agent, struct err *e)
{
	char path[64], whose[80];

	snprintf(path, sizeof(path), "agents[%zu].tools", agent);
	snprintf(whose, sizeof(whose), "agent %.60s", w->agents[agent].id);
	return check_list(conf, w, &w->agents[agent].tools, path, whose, e);
}

int tool_check_conf(const struct conf *conf, struct err *e)
{
	const struct catalog *all = catalog_of(conf);

	if (setting_check_conf(conf, e) < 0 || tool_kind_check(conf, e) < 0 ||
	    check_tool_agents(conf, NULL, conf->tools, conf->n_tools, e) < 0)
		return -1;
	for (size_t i = 0; i < all->n_workspaces; i++) {
		const struct workspace *w = &all->workspaces[i];

		if (check_list(conf, w, &w->allow_tools, "allow_tools",
			       "allow_tools", e) < 0 ||
		    check_tool_agents(conf, w, w->tools, w->n_tools, e) < 0)
			return -1;
		for (size_t k = 0; k < w->n_agents; k++)
			if (check_agent(conf, w, k, e) < 0)
				return -1;
		for (size_t f = 0; f < TOOL_FAMILIES; f++)
			if (tool_families[f]->check &&
			    tool_families[f]->check(conf, w, e) < 0)
				return -1;
	}
	return 0;
}

const char *tool_effect_name(int64_t effect)
{
	static const char *const names[] = {
		[TOOL_READ] = "read", [TOOL_WRITE] = "write",
		[TOOL_DESTRUCTIVE] = "destructive",
	};

	return name_at(names, ARRAY_LEN(names), effect, "destructive");
}

static void print(struct buf *out, bool (*wanted)(enum tool_pool, const struct tool *),
		  enum tool_pool pool)
{
	struct arena a = ARENA_INIT;
	struct tool_rows rows = { .arena = &a };

	builtin_rows(NULL, &rows);
	qsort(rows.v, rows.n, sizeof(*rows.v), by_name);
	for (size_t i = 0; i < rows.n; i++)
		if (!wanted || wanted(pool, &rows.v[i]))
			buf_addf(out, "%-16s %-12s %-16s AI.Chat.UseTool.%s\n",
				 rows.v[i].name, tool_effect_name(rows.v[i].effect),
				 rows.v[i].group, rows.v[i].name);
	tool_rows_release(&rows);
	arena_release(&a);
}

void tool_print_list(struct buf *out)
{
	print(out, NULL, TOOL_POOL_GLOBAL);
}

void tool_print_given(struct buf *out, enum tool_pool pool)
{
	print(out, tool_pool_gives, pool);
}

/* C25: of name, description and schema as they are sent. */
static int64_t tokens_of(const struct tool *t, struct arena *a)
{
	const struct tool_ctx ctx = { .arena = a };
	struct tool_offer o = { t, t->description, t->parameters, 0 };
	struct err ignored = ERR_INIT;
	const char *schema;

	if (t->describe && t->describe(t, &ctx, &o, &ignored) < 0)
		return 0;
	schema = jx_text(a, t->declared ? t->declared : o.schema);
	return (int64_t)(strlen(t->name) + utf8_chars(str_of(o.description)) +
			 utf8_chars(str_of(schema)) + 6) / 4;
}

static void print_sum(struct buf *out, const struct tool_rows *rows, enum tool_pool pool,
		      bool (*wanted)(enum tool_pool, const struct tool *))
{
	int64_t tokens = 0;
	int n = 0;

	for (size_t i = 0; i < rows->n; i++)
		if (wanted(pool, &rows->v[i])) {
			tokens += tokens_of(&rows->v[i], rows->arena);
			n++;
		}
	buf_addf(out, " %5d %7lld", n, (long long)tokens);
}

void tool_print_sums(struct buf *out)
{
	struct arena a = ARENA_INIT;
	struct tool_rows rows = { .arena = &a };

	builtin_rows(NULL, &rows);
	buf_adds(out, "context type       given  tokens mapped  tokens\n");
	for (int i = 0; i < TOOL_POOLS; i++) {
		buf_addf(out, "%-18s", tool_pool_name((enum tool_pool)i));
		print_sum(out, &rows, (enum tool_pool)i, tool_pool_gives);
		print_sum(out, &rows, (enum tool_pool)i, tool_pool_maps);
		buf_addc(out, '\n');
	}
	tool_rows_release(&rows);
	arena_release(&a);
}
