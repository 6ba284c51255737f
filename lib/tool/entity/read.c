/* SPDX-License-Identifier: MIT */
/* Links, the graph and the tree of a project, and what fields mean (C-T1 to C-T3). */
#include "tool/entity/onto.h"

#include <math.h>

#include "base/limits.h"
#include "conf/param.h"
#include "resource/form.h"
#include "resource/props.h"

#include "base/banned.h"

enum {
	LINKS_MAX = 100,	/* of one */
	GRAPH_MAX = 500,	/* nodes, and as many links */
};

/* -- links --------------------------------------------------------------------------- */

struct linked {
	struct uuid id;
	struct entity_edge *edges;
	struct entity_brief *briefs;
	size_t n, n_briefs;
};

static int read_linked(const struct caller *by, const json_t *args, const char *key,
		       struct linked *l, struct err *e)
{
	struct entity_brief *self;
	size_t n;

	if (onto_id(args, key, &l->id, e) < 0 ||
	    entity_of_ids(by, &l->id, 1, &self, &n, e) < 0)
		return -1;
	if (!n)
		return err_public(e, ERR_NOT_FOUND, "There is nothing with this id that "
				  "the user sees.");
	return entity_linked(by, &l->id, LINKS_MAX, &l->edges, &l->n, &l->briefs,
			     &l->n_briefs, e);
}

int onto_relationships(const struct tool *t, const struct tool_ctx *ctx,
		       const json_t *args, struct buf *out, bool *is_json,
		       struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct jw w = jw_on(out);
	struct linked l;

	(void)t;
	if (read_linked(&by, args, "entity_id", &l, e) < 0)
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "relationships");
	entity_write_linked(&w, &l.id, l.edges, l.n, l.briefs, l.n_briefs);
	jw_end_obj(&w);
	return 0;
}

/* The members "tasks": [{id, kind, title, …}], … of the kinds that there are. */
static void write_kinds(struct jw *w, const struct entity_brief *v, size_t n)
{
	for (size_t k = 0; k < ENTITY__MAX; k++) {
		bool any = false;

		for (size_t i = 0; i < n; i++) {
			if (!str_is(v[i].kind, entity_kinds[k].name))
				continue;
			if (!any) {
				jw_key(w, entity_kinds[k].several);
				jw_arr(w);
			}
			any = true;
			jw_obj(w);
			jw_kuuid(w, "id", &v[i].id);
			jw_kstr(w, "title", v[i].title);
			jw_kstr(w, "typeKey", v[i].type_key);
			jw_kstr(w, "stateKey", v[i].state_key);
			if (v[i].due_date.p)
				jw_kstr(w, "dueDate", v[i].due_date);
			jw_end_obj(w);
		}
		if (any)
			jw_end_arr(w);
	}
}

int onto_linked(const struct tool *t, const struct tool_ctx *ctx,
		const json_t *args, struct buf *out, bool *is_json, struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct jw w = jw_on(out);
	struct linked l;

	(void)t;
	if (read_linked(&by, args, "entity_id", &l, e) < 0)
		return -1;
	*is_json = true;
	jw_obj(&w);
	write_kinds(&w, l.briefs, l.n_briefs);
	jw_end_obj(&w);
	return 0;
}

int onto_task_documents(const struct tool *t, const struct tool_ctx *ctx,
			const json_t *args, struct buf *out, bool *is_json,
			struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct entity_brief *task;
	struct jw w = jw_on(out);
	struct linked l;

	(void)t;
	if (read_linked(&by, args, "task_id", &l, e) < 0 ||
	    onto_find(&by, &l.id, ENTITY_TASK, &task, e) < 0)
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "documents");
	jw_arr(&w);
	for (size_t i = 0; i < l.n_briefs; i++) {
		if (!str_is(l.briefs[i].kind, entity_kinds[ENTITY_DOCUMENT].name))
			continue;
		jw_obj(&w);
		entity_write_brief(&w, &l.briefs[i]);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}

int onto_graph(const struct tool *t, const struct tool_ctx *ctx,
	       const json_t *args, struct buf *out, bool *is_json, struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct entity_brief *project, *nodes;
	struct entity_edge *edges;
	struct jw w = jw_on(out);
	size_t n, n_edges;
	struct uuid id;
	bool more;

	(void)t;
	if (onto_id(args, "project_id", &id, e) < 0 ||
	    onto_find(&by, &id, ENTITY_PROJECT, &project, e) < 0 ||
	    entity_of_project(&by, &id, (1u << ENTITY__MAX) - 1, GRAPH_MAX, &nodes, &n,
			      &more, e) < 0 ||
	    entity_edges_in(&by, &id, GRAPH_MAX, &edges, &n_edges, e) < 0)
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "project");
	jw_obj(&w);
	entity_write_brief(&w, project);
	jw_end_obj(&w);
	write_kinds(&w, nodes, n);
	jw_key(&w, "edges");
	jw_arr(&w);
	for (size_t i = 0; i < n_edges; i++) {
		jw_obj(&w);
		jw_kuuid(&w, "id", &edges[i].id);
		jw_kuuid(&w, "fromId", &edges[i].from_id);
		jw_kuuid(&w, "toId", &edges[i].to_id);
		jw_kstr(&w, "relation", edges[i].relation);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	if (more)
		jw_kstrz(&w, "message", "There is more in this project: list each kind, or "
			 "search.");
	jw_end_obj(&w);
	return 0;
}

/* -- the tree ------------------------------------------------------------------------ */

int onto_tree(const struct tool *t, const struct tool_ctx *ctx,
	      const json_t *args, struct buf *out, bool *is_json, struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct jw w = jw_on(out);
	struct entity_brief *project;
	struct tree tree;
	struct uuid id;

	(void)t;
	if (onto_id(args, "project_id", &id, e) < 0 ||
	    onto_find(&by, &id, ENTITY_PROJECT, &project, e) < 0 ||
	    tree_read(&by, &id, &tree, e) < 0)
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_kint(&w, "version", tree.version);
	jw_key(&w, "root");
	tree_write(&w, tree.first);
	jw_end_obj(&w);
	return 0;
}

static void write_path(struct jw *w, const struct tree_node *node)
{
	const struct tree_node *path[LIM_TREE_DEPTH];
	size_t n = 0;

	for (; node && n < ARRAY_LEN(path); node = node->above)
		path[n++] = node;
	while (n--) {
		jw_obj(w);
		jw_kuuid(w, "id", &path[n]->id);
		jw_kstr(w, "title", path[n]->title);
		jw_end_obj(w);
	}
}

int onto_path(const struct tool *t, const struct tool_ctx *ctx,
	      const json_t *args, struct buf *out, bool *is_json, struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct jw w = jw_on(out);
	struct entity_brief *document;
	struct tree tree;
	struct uuid id;

	(void)t;
	if (onto_id(args, "document_id", &id, e) < 0 ||
	    onto_find(&by, &id, ENTITY_DOCUMENT, &document, e) < 0 ||
	    tree_read(&by, &document->project_id, &tree, e) < 0)
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_kuuid(&w, "projectId", &document->project_id);
	jw_kstr(&w, "project", document->project);
	jw_key(&w, "path");
	jw_arr(&w);
	write_path(&w, tree_find(&tree, &id));
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}

/* -- what fields mean ------------------------------------------------------------------ */

static bool is_shown(const struct resource_field *f)
{
	return f->mode == MODE_EDIT || f->mode == MODE_ONCE;
}

static void write_choices(struct jw *w, const struct tool_ctx *ctx,
			  const struct resource *r, const struct resource_field *f)
{
	struct str rest = str_of(resource_choice_list(ctx->turn.by.conf, r, f, ctx->arena));
	struct str value, label;

	if (f->type != TYPE_ENUM)
		return;
	jw_key(w, "values");
	jw_arr(w);
	while (resource_choice(&rest, &value, &label))
		jw_str(w, value);
	jw_end_arr(w);
}

static void write_example(struct jw *w, const struct conf_param *p)
{
	json_t *example = param_example(p);
	struct buf b = BUF_INIT(1024);

	if (example) {
		jx_dump(&b, example);
		jw_key(w, "example");
		jw_raw(w, buf_str(&b));
	}
	json_decref(example);
	buf_release(&b);
}

/* A member of props; its label is one of its meanings. */
static void write_member(struct jw *w, const char *name, const struct conf_param *p)
{
	static const char *const types[] = {
		[PARAM_TEXT] = "text", [PARAM_LIST] = "list of texts",
		[PARAM_CHOICE] = "one of values", [PARAM_INTEGER] = "integer",
		[PARAM_NUMBER] = "number", [PARAM_DATE] = "date", [PARAM_ID] = "id",
		[PARAM_BOOLEAN] = "boolean",
	};

	jw_obj(w);
	jw_kstrz(w, "field", name);
	jw_kstrz(w, "meaning", *p->description ? p->description
		 : *p->label ? p->label : p->name);
	jw_kstrz(w, "type", types[p->type]);
	if (p->required)
		jw_kbool(w, "required", true);
	if (!isnan(p->min))
		jw_kreal(w, "min", p->min);
	if (!isnan(p->max))
		jw_kreal(w, "max", p->max);
	if (p->n_choices) {
		jw_key(w, "values");
		jw_arr(w);
		for (size_t i = 0; i < p->n_choices; i++)
			jw_str(w, str_of(p->choices[i].value));
		jw_end_arr(w);
	}
	write_example(w, p);
	jw_end_obj(w);
}

/* Those of this name: "props" or empty: all, "props.effort". */
static bool write_members(struct jw *w, const struct tool_ctx *ctx,
			  const struct resource *r, const char *key, struct str name)
{
	const struct conf_entity *added = props_of(ctx->turn.by.conf, r);
	bool any = false;

	for (size_t i = 0; i < added->n_props; i++) {
		const char *full = arena_printf(ctx->arena, "%s.%s", key,
						added->props[i].name);

		if (name.n && !str_is(name, key) && !str_is(name, full))
			continue;
		any = true;
		write_member(w, full, &added->props[i]);
	}
	return any;
}

/* Returns whether there is a field of this name (empty: any). */
static bool write_fields(struct jw *w, const struct tool_ctx *ctx,
			 const struct resource *r, struct str name)
{
	struct arena *a = ctx->arena;
	bool any = false;

	for (size_t i = 0; i < r->n_fields; i++) {
		const struct resource_field *f = &r->fields[i];
		const char *argument = resource_argument(r, f->key, a);

		if (f->type == TYPE_PROPS)
			any |= write_members(w, ctx, r, f->key, name);
		if (f->type == TYPE_PROPS || !is_shown(f) || (name.n && !str_is(name, argument) &&
				     !str_is(name, f->key)))
			continue;
		any = true;
		jw_obj(w);
		jw_kstrz(w, "field", argument);
		jw_kstrz(w, "meaning", f->help);
		if (f->flags & RESOURCE_REQUIRED)
			jw_kbool(w, "required", true);
		if (f->mode == MODE_ONCE)
			jw_kbool(w, "onlyWhenCreated", true);
		write_choices(w, ctx, r, f);
		if (*f->example) {
			jw_key(w, "example");
			resource_write_example(w, f);
		}
		jw_end_obj(w);
	}
	return any;
}

int onto_field_info(const struct tool *t, const struct tool_ctx *ctx,
		    const json_t *args, struct buf *out, bool *is_json,
		    struct err *e)
{
	const struct str kind = jx_str(args, "entity_type");
	const struct str field = jx_str(args, "field_name");
	const struct entity_kind_row event = { .name = "event",
					       .resource = RESOURCE_CALENDAR_EVENT };
	struct jw w = jw_on(out);
	bool any = false;

	(void)t;
	*is_json = true;
	jw_obj(&w);
	for (size_t k = 0; k <= ENTITY__MAX + 1; k++) {
		const struct entity_kind_row *row = k <= ENTITY__MAX ? &entity_kinds[k]
			: &event;

		if (kind.n && !str_is(kind, row->name))
			continue;
		jw_key(&w, row->name);
		jw_arr(&w);
		any |= write_fields(&w, ctx, &resources[row->resource], field);
		jw_end_arr(&w);
	}
	jw_end_obj(&w);
	return any ? 0 : err_public(e, ERR_TOOL_ARGS, "There is no such field. Leave out "
				    "field_name for all of them.");
}
