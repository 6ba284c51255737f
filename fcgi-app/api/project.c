/* SPDX-License-Identifier: MIT */
/* What is in projects, beside the routes of their resources: search, links, the tree, files. */
#include "api/api.h"
#include "api/attachment.h"
#include "api/page.h"
#include "api/resource.h"
#include "app.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/fields.h"
#include "base/limits.h"
#include "body.h"
#include "bundle/bundle.h"
#include "entity/entity.h"
#include "entity/tree.h"
#include "entity/undo.h"
#include "hold/stored.h"
#include "resource/bin.h"
#include "route.h"

#include "base/banned.h"

enum { LINKS_MAX = 500 };	/* shown of one */

/* -- search -------------------------------------------------------------------------- */

static int read_kinds(struct request *rq, unsigned *out, struct err *e)
{
	struct str rest, name;

	if (req_query(rq, "kind", &rest, e) < 0)
		return -1;
	while (rest.n) {
		name = str_cut(&rest, ',');
		if (entity_kind_of(name) < 0)
			return err_field(e, ERR_INVALID_FIELD, "kind", "kind must be one "
					 "or several of %s, separated by commas.",
					 entity_kind_names(~0u, rq->arena).p);
		*out |= 1u << entity_kind_of(name);
	}
	return 0;
}

static int read_key(struct request *rq, const char *key, struct str *out, struct err *e)
{
	if (req_query_text(rq, key, 32, out, e) < 0)
		return -1;
	if (!out->n)
		out->p = NULL;
	return 0;
}

static int read_project(struct request *rq, struct entity_ask *ask, struct err *e)
{
	struct uuid *id = arena_new(rq->arena, struct uuid);
	struct str s;

	if (req_query(rq, "projectId", &s, e) < 0)
		return -1;
	if (s.n && !uuid_parse(s, id))
		return err_field(e, ERR_INVALID_FIELD, "projectId",
				 "projectId must be the id of a project.");
	ask->project = s.n ? id : NULL;
	return 0;
}

/*
 * GET /entities/search?q=&projectId=&kind=&typeKey=&stateKey=&match=&pageSize=
 * 200 {items: [FoundEntity]}, best first: projects and what is in them whose titles,
 * descriptions or contents have words of q, and its phrases in double quotes, each with a
 * part of the best passage. What was changed a moment ago is found. match=start: those in
 * whose title words begin like these, the one changed last first, without snippets.
 */
int api_entity_search(struct request *rq, struct response *rs, struct err *e)
{
	struct entity_ask ask = { .kinds = 0 };
	struct entity_found *v = NULL;
	struct str match;
	bool by_start;
	size_t n;
	struct jw w;

	if (req_query_text(rq, "q", LIM_QUESTION_CHARS, &ask.query, e) < 0 ||
	    read_project(rq, &ask, e) < 0 || read_kinds(rq, &ask.kinds, e) < 0 ||
	    read_key(rq, "typeKey", &ask.type_key, e) < 0 ||
	    read_key(rq, "stateKey", &ask.state_key, e) < 0 ||
	    api_page_size(rq, &ask.max, e) < 0)
		return -1;
	ask.query = str_trim(ask.query);
	ask.max = MIN(ask.max, (size_t)LIM_FOUND);
	if (!ask.query.n)
		return err_field(e, ERR_INVALID_FIELD, "q",
				 "q must have words to look for.");
	if (req_query(rq, "match", &match, e) < 0)
		return -1;
	by_start = str_is(match, "start");
	if (match.n && !by_start && !str_is(match, "words"))
		return err_field(e, ERR_INVALID_FIELD, "match", "match must be words or start.");
	if ((by_start ? entity_starting(&rq->by, &ask, &v, &n, e)
	     : entity_search(&rq->by, &ask, &v, &n, e)) < 0)
		return -1;
	w = api_page_items(rs);
	for (size_t i = 0; i < n; i++) {
		jw_obj(&w);
		entity_write_found(&w, &v[i]);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}

/* -- what the caller is responsible for ---------------------------------------------- */

static int read_day(struct request *rq, const char *name, struct str *out, struct err *e)
{
	if (req_query(rq, name, out, e) < 0)
		return -1;
	return !out->n || (out->n == 10 && clock_is_date(out->p)) ? 0
		: err_field(e, ERR_INVALID_FIELD, name, "%s must be a day, such as "
			    "2027-01-31.", name);
}

/* {"d":"2027-01-31","id":"…"}; without d: of what has no day */
static int read_due_place(struct request *rq, struct entity_due_ask *ask, struct err *e)
{
	json_t *j;

	if (api_page_cursor(rq, &j, e) < 0)
		return -1;
	if (!j)
		return 0;
	ask->after = true;
	ask->after_day = jx_str(j, "d");
	return (!ask->after_day.n || clock_is_date(ask->after_day.p)) &&
		uuid_parse(jx_str(j, "id"), &ask->after_id) ? 0
		: err_set(e, ERR_INVALID_CURSOR, "not of what is due");
}

static void write_due_place(struct jw *w, const struct entity_brief *last)
{
	struct buf b = BUF_INIT(LIM_CURSOR_BYTES);
	struct jw j = jw_on(&b);

	if (last) {
		jw_obj(&j);
		if (last->due_date.p)
			jw_kstr(&j, "d", last->due_date);
		jw_kuuid(&j, "id", &last->id);
		jw_end_obj(&j);
	}
	cursor_write(w, last ? buf_str(&b) : (struct str){ NULL, 0 });
	buf_release(&b);
}

/*
 * GET /entities?kind=&stateKey=&dueDateFrom=&dueDateTo=&cursor=&pageSize=
 * 200 {items: [EntityBrief], nextCursor}: what the caller is the owner of, in all projects
 * that they see, by the day that it is due, what has none last; without kind, tasks and
 * milestones. stateKey: after a ! all but these. dueDate…: only what has a day.
 */
int api_entity_mine(struct request *rq, struct response *rs, struct err *e)
{
	struct entity_due_ask ask = { .kinds = 0 };
	struct entity_brief *v;
	bool more;
	size_t n;
	struct jw w;

	if (read_kinds(rq, &ask.kinds, e) < 0 ||
	    req_query_text(rq, "stateKey", 200, &ask.states, e) < 0 ||
	    read_day(rq, "dueDateFrom", &ask.from, e) < 0 ||
	    read_day(rq, "dueDateTo", &ask.to, e) < 0 ||
	    api_page_size(rq, &ask.size, e) < 0 || read_due_place(rq, &ask, e) < 0)
		return -1;
	if (!ask.kinds)
		ask.kinds = 1u << ENTITY_TASK | 1u << ENTITY_MILESTONE;
	if (entity_of_owner(&rq->by, &ask, &v, &n, &more, e) < 0)
		return -1;
	w = api_page_items(rs);
	for (size_t i = 0; i < n; i++) {
		jw_obj(&w);
		entity_write_brief(&w, &v[i]);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	write_due_place(&w, more ? &v[n - 1] : NULL);
	jw_end_obj(&w);
	return 0;
}

/* -- one of any kind ----------------------------------------------------------------- */

static int find_entity(struct request *rq, const struct uuid *id, struct entity_brief **out,
		       struct err *e)
{
	size_t n;

	if (entity_of_ids(&rq->by, id, 1, out, &n, e) < 0)
		return -1;
	return n ? 0 : err_set(e, ERR_NOT_FOUND, "no such entity");
}

/* GET /entities/{id}: 200 the record of its kind, with kind and projectId. */
int api_entity_get(struct request *rq, struct response *rs, struct err *e)
{
	const struct uuid *id = route_arg_uuid(rq, "id");
	struct resource_call c = { .verb = VERB_GET };
	struct resource_answer *out = arena_new(rq->arena, struct resource_answer);
	struct entity_brief *b;
	char text[UUID_TEXT_BYTES];
	struct jw w;

	if (find_entity(rq, id, &b, e) < 0)
		return -1;
	c.r = &resources[entity_kinds[entity_kind_of(b->kind)].resource];
	c.id = str_of(uuid_format(id, text));
	if (resource_call(&rq->by, &c, out, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kstr(&w, "kind", b->kind);
	jw_kuuid(&w, "projectId", &b->project_id);
	resource_record(&w, &rq->by, c.r, &out->done, &out->items[0]);
	jw_end_obj(&w);
	return 0;
}

/*
 * GET /entities/{id}/links
 * 200 {items: [{edgeId, relation, direction, entity}]}: at most LINKS_MAX, the first made
 * first.
 */
int api_entity_links(struct request *rq, struct response *rs, struct err *e)
{
	const struct uuid *id = route_arg_uuid(rq, "id");
	struct entity_brief *b, *briefs;
	struct entity_edge *edges;
	size_t n, n_briefs;
	struct jw w;

	if (find_entity(rq, id, &b, e) < 0 ||
	    entity_linked(&rq->by, id, LINKS_MAX, &edges, &n, &briefs, &n_briefs, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_key(&w, "items");
	entity_write_linked(&w, id, edges, n, briefs, n_briefs);
	jw_end_obj(&w);
	return 0;
}

/* -- the tree ------------------------------------------------------------------------- */

/* GET /projects/{id}/tree: 200 {version, root: [{id, order, title, …, children}]} */
int api_project_tree(struct request *rq, struct response *rs, struct err *e)
{
	struct tree t;
	struct jw w;

	if (tree_read(&rq->by, route_arg_uuid(rq, "id"), &t, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kint(&w, "version", t.version);
	jw_key(&w, "root");
	tree_write(&w, t.first);
	jw_end_obj(&w);
	return 0;
}

struct move_body {
	struct uuid document, parent;
	int64_t position, version;
};

static const struct field move_fields[] = {
	{ .key = "documentId", .type = FIELD_UUID, .flags = FIELD_REQUIRED,
	  .offset = offsetof(struct move_body, document) },
	{ .key = "parentId", .type = FIELD_UUID, .flags = FIELD_NULLABLE,
	  .offset = offsetof(struct move_body, parent) },
	{ .key = "position", .type = FIELD_INT, .min = 0, .max = LIM_ENTITIES,
	  .offset = offsetof(struct move_body, position) },
	{ .key = "version", .type = FIELD_INT, .min = 0, .max = INT32_MAX,
	  .offset = offsetof(struct move_body, version) },
};

/*
 * POST /projects/{id}/tree {documentId, parentId, position, version}
 * 200 {version, documentId, parentId}: moves a document under another one (null or
 * absent: to the top), to a position among those there (absent: to the end). 412 if the
 * tree has not the version, where that is given.
 */
int api_project_tree_move(struct request *rq, struct response *rs, struct err *e)
{
	struct move_body in;
	int64_t version;
	struct jw w;

	if (fields_read(move_fields, ARRAY_LEN(move_fields), rq->body, &in, sizeof(in),
			e) < 0)
		return -1;
	if (tree_move(&rq->by, route_arg_uuid(rq, "id"), &in.document,
		      uuid_is_nil(&in.parent) ? NULL : &in.parent,
		      json_object_get(rq->body, "position") ? (size_t)in.position
		      : LIM_ENTITIES,
		      json_object_get(rq->body, "version") ? in.version : TREE_ANY,
		      &version, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kint(&w, "version", version);
	jw_kuuid(&w, "documentId", &in.document);
	jw_kuuid_if(&w, "parentId", &in.parent);
	jw_end_obj(&w);
	return 0;
}

/* -- changes ---------------------------------------------------------------------------- */

/*
 * POST /projects/{id}/changes/{change}/undo
 * 200 {changeId, action, entityType, entityId, version}: takes the change back, which is
 * a change of its own. 412 if it was changed again since then.
 */
int api_project_change_undo(struct request *rq, struct response *rs, struct err *e)
{
	struct resource_changed done;
	struct jw w;

	if (entity_undo(&rq->by, route_arg_uuid(rq, "id"), route_arg_uuid(rq, "change"),
			&done, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kuuid(&w, "changeId", &done.id);
	jw_kstr(&w, "action", done.verb);
	jw_kstrz(&w, "entityType", done.kind);
	jw_kuuid(&w, "entityId", &done.row_id);
	jw_kint(&w, "version", done.number);
	jw_end_obj(&w);
	return 0;
}

/* -- deleted projects ---------------------------------------------------------------------- */

static const struct resource *const projects = &resources[RESOURCE_PROJECT];

/*
 * GET /projects/deleted
 * 200 {items: [{id, name, deletedAt, keptUntil}]}: what the caller might delete and was
 * deleted, at most RESOURCE_BIN_SHOWN, the one deleted last first.
 */
int api_project_bin(struct request *rq, struct response *rs, struct err *e)
{
	struct resource_binned *v;
	size_t n;
	struct jw w;

	if (resource_bin_list(&rq->by, projects, &v, &n, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_key(&w, "items");
	jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		jw_obj(&w);
		jw_kuuid(&w, "id", &v[i].id);
		jw_kstr(&w, "name", v[i].name);
		jw_ktime(&w, "deletedAt", v[i].deleted_us);
		jw_ktime(&w, "keptUntil", resource_bin_until(v[i].deleted_us));
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}

/*
 * POST /projects/deleted/{id}/restore
 * 200 {id}: the project is there again, with all that is in it and who works on it.
 * 404 also for one that the caller might not delete; 409 without room for it.
 */
int api_project_restore(struct request *rq, struct response *rs, struct err *e)
{
	const struct uuid *id = route_arg_uuid(rq, "id");
	struct jw w;

	if (resource_bin_restore(&rq->by, projects, id, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kuuid(&w, "id", id);
	jw_end_obj(&w);
	return 0;
}

/* DELETE /projects/deleted/{id}: 204, it cannot be restored any more. */
int api_project_drop(struct request *rq, struct response *rs, struct err *e)
{
	if (resource_bin_drop(&rq->by, projects, route_arg_uuid(rq, "id"), e) < 0)
		return -1;
	rq->jobs_asked = true;
	resp_empty(rs, 204);
	return 0;
}

/* -- files -------------------------------------------------------------------------------- */

/*
 * GET /projects/{id}/export?format=json|markdown
 * 200 the project as one JSON, or as a ZIP archive of a folder of Markdown.
 */
int api_project_export(struct request *rq, struct response *rs, struct err *e)
{
	struct buf b = BUF_INIT(2 * (size_t)LIM_PROJECT_FILE_BYTES);
	struct str format, name;
	bool folder;
	int rc;

	if (req_query(rq, "format", &format, e) < 0)
		return -1;
	folder = str_is(format, "markdown");
	if (format.n && !folder && !str_is(format, "json"))
		return err_field(e, ERR_INVALID_FIELD, "format",
				 "format must be json or markdown.");
	rc = bundle_write(&rq->by, route_arg_uuid(rq, "id"), folder, &name, &b, e);
	if (rc == 0) {
		resp_header(rs, "Content-Disposition", api_disposition(
			rq, str_of(arena_printf(rq->arena, "%.*s.%s", STR_ARG(name),
						folder ? "zip" : "json"))));
		buf_addstr(resp_text(rs, 200, folder ? "application/zip"
				     : "application/json"), buf_str(&b));
	}
	buf_release(&b);
	return rc;
}

static void write_created(struct jw *w, const struct bundle_report *r)
{
	jw_obj(w);
	jw_kuuid(w, "projectId", &r->project);
	jw_kstr(w, "name", r->name);
	jw_key(w, "made");
	jw_obj(w);
	for (size_t i = 0; i < BUNDLE_PARTS; i++)
		jw_kint(w, bundle_parts[i].name, r->created[i]);
	jw_end_obj(w);
	jw_key(w, "notes");
	jw_arr(w);
	for (size_t i = 0; i < r->n_notes; i++)
		jw_str(w, r->notes[i]);
	jw_end_arr(w);
	jw_kbool(w, "moreNotes", r->more_notes);
	jw_end_obj(w);
}

/*
 * POST /projects/import?name=: the body is such a file, or any folder of Markdown in a ZIP.
 * 201 {projectId, name, made, notes, moreNotes}, Location: all of it was made, or nothing.
 * 422 naming body, with what is wrong where in the file; 413.
 */
int api_project_import(struct request *rq, struct response *rs, struct err *e)
{
	struct bundle_report *report = arena_new(rq->arena, struct bundle_report);
	struct buf b = BUF_INIT(LIM_PROJECT_FILE_BYTES);
	char id[UUID_TEXT_BYTES];
	struct str name;
	struct jw w;
	int rc;

	if (req_query_text(rq, "name", 100, &name, e) < 0 ||
	    hold_check(rq->app->db, rq->conf, &rq->by.owner, e) < 0)
		return -1;
	rc = req_body_all(rq, &b, "a project file", e);
	if (rc == 0)
		rc = bundle_read(&rq->by, buf_str(&b), str_trim(name), report, e);
	buf_release(&b);
	if (rc < 0)
		return e->code == ERR_TOOL_FAILED || e->code == ERR_TOOL_TIMEOUT
			? api_unreadable(e) : -1;
	rq->jobs_asked = true;
	w = resp_json(rs, 201);
	write_created(&w, report);
	resp_header(rs, "Location", arena_printf(rq->arena, "projects/%s",
						 uuid_format(&report->project, id)));
	return 0;
}
