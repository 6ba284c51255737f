/* SPDX-License-Identifier: MIT */
/*
 * Changes that belong together (D30): each is one transaction of calls of the resource
 * engine, which checks them all as if they came alone. Results name what was made.
 */
#include "tool/entity/onto.h"

#include "base/limits.h"
#include "hold/stored.h"
#include "resource/change.h"

#include "base/banned.h"

struct onto_created {
	const char *ref;	/* NULL: none */
	struct uuid id;
	const char *kind;
	struct str title;
};

/* A tool's work within its transaction. */
struct onto_making {
	const struct caller *by;	/* its db is the transaction */
	const json_t *args;
	struct onto_created *entities;
	struct uuid *edges;
	size_t n_entities, n_edges;
	struct uuid project, task;
};

static const char *text_of(const struct uuid *id, struct arena *a)
{
	return uuid_format(id, arena_alloc(a, UUID_TEXT_BYTES));
}

static int call(const struct caller *by, enum resource_id of, enum resource_verb verb,
		const struct uuid *above, const char *id, json_t *body, struct uuid *new_id,
		struct err *e)
{
	struct resource_answer *out = arena_new(by->arena, struct resource_answer);
	struct resource_call c = { .r = &resources[of], .verb = verb, .body = body };

	if (above)
		c.parent = str_of(text_of(above, by->arena));
	if (id)
		c.id = str_of(id);
	if (resource_call(by, &c, out, e) < 0)
		return -1;
	if (new_id)
		*new_id = out->items[0].row->id;
	return 0;
}

/* The members of args with these names, as fields of the resource. */
static json_t *body_of(const struct resource *r, const json_t *args,
		       const char *const *names, struct arena *a)
{
	json_t *some = jx_keep(a, json_object());

	for (; *names; names++)
		if (json_object_get(args, *names))
			json_object_set(some, *names, json_object_get(args, *names));
	return resource_of_arguments(r, some, a);
}

static int make_entity(struct onto_making *m, enum entity_kind kind, json_t *body,
		       const char *ref, struct err *e)
{
	struct onto_created *new = &m->entities[m->n_entities];

	*new = (struct onto_created){ .ref = ref, .kind = entity_kinds[kind].name,
			      .title = jx_str(body, "title") };
	if (call(m->by, entity_kinds[kind].resource, VERB_CREATE, &m->project, NULL, body,
		 &new->id, e) < 0)
		return -1;
	m->n_entities++;
	return 0;
}

static int make_edge(struct onto_making *m, const char *from, const char *to,
		     const json_t *relation, struct err *e)
{
	json_t *body = jx_keep(m->by->arena, json_object());

	json_object_set_new(body, "fromId", json_string(from));
	json_object_set_new(body, "toId", json_string(to));
	if (relation)
		json_object_set(body, "relation", (json_t *)relation);
	if (call(m->by, RESOURCE_PROJECT_EDGE, VERB_CREATE, &m->project, NULL, body,
		 &m->edges[m->n_edges], e) < 0)
		return -1;
	m->n_edges++;
	return 0;
}

static void write_created(struct jw *w, const struct onto_making *m)
{
	jw_key(w, "entitiesCreated");
	jw_arr(w);
	for (size_t i = 0; i < m->n_entities; i++) {
		jw_obj(w);
		if (m->entities[i].ref)
			jw_kstrz(w, "ref", m->entities[i].ref);
		jw_kuuid(w, "id", &m->entities[i].id);
		jw_kstrz(w, "kind", m->entities[i].kind);
		jw_kstr(w, "title", m->entities[i].title);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_key(w, "edgesCreated");
	jw_arr(w);
	for (size_t i = 0; i < m->n_edges; i++)
		jw_uuid(w, &m->edges[i]);
	jw_end_arr(w);
}

/* Runs the work in a transaction, which may be repeated. */
struct transaction {
	struct onto_making *m;
	struct resource_changes changes;	/* if it is committed */
	int (*work)(struct onto_making *m, struct err *e);
};

static int in_tx(struct db *tx, void *ctx, struct err *e)
{
	struct transaction *t = ctx;
	struct caller by = *t->m->by;
	struct onto_making m = *t->m;
	int rc;

	by.db = tx;
	t->changes.first = t->changes.last = NULL;
	by.changes = &t->changes;
	m.by = &by;
	rc = t->work(&m, e);
	m.by = t->m->by;
	*t->m = m;
	t->m->n_entities = rc ? 0 : m.n_entities;
	t->m->n_edges = rc ? 0 : m.n_edges;
	return rc;
}

static int make(struct onto_making *m, size_t entities, size_t edges,
		int (*work)(struct onto_making *m, struct err *e), struct err *e)
{
	const struct caller *by = m->by;
	struct transaction t = { .m = m, .work = work };

	if (hold_check(by->db, by->conf, &by->owner, e) < 0)
		return -1;
	m->entities = arena_zalloc(m->by->arena, entities + 1, sizeof(*m->entities));
	m->edges = arena_zalloc(m->by->arena, edges + 1, sizeof(*m->edges));
	if (by->changes)
		t.changes = *by->changes;
	if (db_tx(by->db, in_tx, &t, e) < 0)
		return -1;
	if (by->changes)
		resource_changes_copy(by->changes, &t.changes, by->arena);
	hold_refresh(by->db, by->conf, &by->owner);
	return 0;
}

/* -- create_task_document --------------------------------------------------------------- */

static int add_to_task(struct onto_making *m, struct err *e)
{
	static const char *const names[] = { "title", "description", "type_key", "content",
					     NULL };
	const struct resource *r = &resources[RESOURCE_PROJECT_DOCUMENT];
	struct arena *a = m->by->arena;

	if (make_entity(m, ENTITY_DOCUMENT, body_of(r, m->args, names, a), NULL, e) < 0)
		return -1;
	return make_edge(m, text_of(&m->entities[0].id, a), text_of(&m->task, a),
			 jx_keep(a, json_string("documents")), e);
}

int onto_task_document(const struct tool *t, const struct tool_ctx *ctx,
		       const json_t *args, struct buf *out, bool *is_json,
		       struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct onto_making m = { .by = &by, .args = args };
	struct entity_brief *task;
	struct jw w = jw_on(out);

	(void)t;
	if (onto_id(args, "task_id", &m.task, e) < 0 ||
	    onto_find(&by, &m.task, ENTITY_TASK, &task, e) < 0)
		return -1;
	m.project = task->project_id;
	if (make(&m, 1, 1, add_to_task, e) < 0)
		return -1;
	*is_json = true;
	jw_obj(&w);
	write_created(&w, &m);
	jw_end_obj(&w);
	return 0;
}

/* -- move_document_in_tree -------------------------------------------------------------- */

int onto_move(const struct tool *t, const struct tool_ctx *ctx,
	      const json_t *args, struct buf *out, bool *is_json, struct err *e)
{
	const struct caller by = onto_by(ctx);
	const bool to_top = !jx_str(args, "parent_id").n;
	struct entity_brief *document;
	struct uuid id, under;
	struct jw w = jw_on(out);
	int64_t version;

	(void)t;
	if (onto_id(args, "document_id", &id, e) < 0 ||
	    (!to_top && onto_id(args, "parent_id", &under, e) < 0) ||
	    onto_find(&by, &id, ENTITY_DOCUMENT, &document, e) < 0 ||
	    tree_move(&by, &document->project_id, &id, to_top ? NULL : &under,
		      (size_t)jx_int(args, "position", LIM_ENTITIES), TREE_ANY, &version,
		      e) < 0)
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_kuuid(&w, "documentId", &id);
	jw_kstr(&w, "title", document->title);
	jw_key(&w, "parentId");
	if (to_top)
		jw_null(&w);
	else
		jw_uuid(&w, &under);
	jw_kint(&w, "treeVersion", version);
	jw_end_obj(&w);
	return 0;
}

/* -- reorganize_onto_project_graph ------------------------------------------------------- */

static int reorganize(struct onto_making *m, struct err *e)
{
	const json_t *one;
	size_t i;

	json_array_foreach(jx_arr(m->args, "unlink"), i, one)
		if (call(m->by, RESOURCE_PROJECT_EDGE, VERB_DELETE, &m->project,
			 json_string_value(one), NULL, NULL, e) < 0)
			return -1;
	json_array_foreach(jx_arr(m->args, "link"), i, one)
		if (make_edge(m, jx_str(one, "from_id").p, jx_str(one, "to_id").p,
			      json_object_get(one, "relation"), e) < 0)
			return -1;
	return 0;
}

int onto_reorganize(const struct tool *t, const struct tool_ctx *ctx,
		    const json_t *args, struct buf *out, bool *is_json,
		    struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct onto_making m = { .by = &by, .args = args };
	struct entity_brief *project;
	struct jw w = jw_on(out);

	(void)t;
	if (onto_id(args, "project_id", &m.project, e) < 0 ||
	    onto_find(&by, &m.project, ENTITY_PROJECT, &project, e) < 0 ||
	    make(&m, 0, json_array_size(jx_arr(args, "link")), reorganize, e) < 0)
		return -1;
	*is_json = true;
	jw_obj(&w);
	write_created(&w, &m);
	jw_kint(&w, "edgesRemoved", (int64_t)json_array_size(jx_arr(args, "unlink")));
	jw_end_obj(&w);
	return 0;
}

/* -- create_onto_project ------------------------------------------------------------------ */

static int make_context(struct onto_making *m, const json_t *context, struct err *e)
{
	json_t *body = jx_keep(m->by->arena, json_copy((json_t *)context));

	if (!json_object_get(body, "title"))
		json_object_set_new(body, "title", json_string("Context"));
	json_object_set_new(body, "typeKey", json_string("context"));
	return make_entity(m, ENTITY_DOCUMENT, body, NULL, e);
}

static int make_listed(struct onto_making *m, const json_t *one, struct err *e)
{
	const enum entity_kind kind =
		(enum entity_kind)entity_kind_of(jx_str(one, "kind"));
	json_t *body = resource_of_arguments(&resources[entity_kinds[kind].resource], one,
					     m->by->arena);

	json_object_del(body, "kind");
	json_object_del(body, "ref");
	return make_entity(m, kind, body, jx_str(one, "ref").p, e);
}

static const char *id_of_ref(const struct onto_making *m, struct str ref)
{
	for (size_t i = 0; i < m->n_entities; i++)
		if (m->entities[i].ref && str_is(ref, m->entities[i].ref))
			return text_of(&m->entities[i].id, m->by->arena);
	return NULL;
}

static int make_related(struct onto_making *m, const json_t *one, struct err *e)
{
	static const char *const ends[] = { "from", "to" };
	const char *ids[2];

	for (size_t i = 0; i < 2; i++) {
		ids[i] = id_of_ref(m, jx_str(one, ends[i]));
		if (!ids[i])
			return err_public(e, ERR_TOOL_ARGS, "relationships: %s \"%.32s\" is "
					  "the ref of nothing in entities.", ends[i],
					  jx_str(one, ends[i]).p);
	}
	return make_edge(m, ids[0], ids[1], json_object_get(one, "relation"), e);
}

static int make_project(struct onto_making *m, struct err *e)
{
	static const char *const names[] = { "name", "description", "type_key", "state_key",
					     "start_date", "due_date", "props", NULL };
	const json_t *context = json_object_get(m->args, "context_document"), *one;
	const struct resource *r = &resources[RESOURCE_PROJECT];
	size_t i;

	if (call(m->by, RESOURCE_PROJECT, VERB_CREATE, NULL, NULL,
		 body_of(r, m->args, names, m->by->arena), &m->project, e) < 0 ||
	    (context && make_context(m, context, e) < 0))
		return -1;
	json_array_foreach(jx_arr(m->args, "entities"), i, one)
		if (make_listed(m, one, e) < 0)
			return -1;
	json_array_foreach(jx_arr(m->args, "relationships"), i, one)
		if (make_related(m, one, e) < 0)
			return -1;
	return 0;
}

int onto_project(const struct tool *t, const struct tool_ctx *ctx,
		 const json_t *args, struct buf *out, bool *is_json,
		 struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct onto_making m = { .by = &by, .args = args };
	struct jw w = jw_on(out);

	(void)t;
	if (make(&m, json_array_size(jx_arr(args, "entities")) + 1,
		 json_array_size(jx_arr(args, "relationships")), make_project, e) < 0)
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_kuuid(&w, "projectId", &m.project);
	jw_kstr(&w, "name", jx_str(args, "name"));
	write_created(&w, &m);
	jw_end_obj(&w);
	return 0;
}
