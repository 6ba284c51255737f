/* SPDX-License-Identifier: MIT */
/*
 * Projects and what is in them: lists, and a form for each kind, made of what GET /forms
 * says of its fields. Of fields that YAML declares (props) all are in it, of others those
 * that are a text, choice, day or person.
 */
#include "plain/plain.h"

#include <string.h>

#include "api/resource.h"
#include "base/limits.h"
#include "entity/entity.h"
#include "entity/undo.h"
#include "resource/bin.h"
#include "resource/change.h"
#include "resource/form.h"

#include "base/banned.h"

static const struct resource *const projects = &resources[RESOURCE_PROJECT];

/* -- fields ------------------------------------------------------------------------------ */

/* The form of a resource, as GET /forms has it; NULL: no memory. */
static const json_t *fields_of(struct request *rq, const struct resource *r)
{
	struct buf b = BUF_INIT(1 << 20);
	struct jw w = jw_on(&b);
	struct err ignored = ERR_INIT;
	json_t *form;

	jw_obj(&w);
	resource_form(&w, &rq->by, r);
	jw_end_obj(&w);
	form = jx_load(buf_str(&b), &ignored);
	buf_release(&b);
	return form ? json_object_get(jx_keep(rq->arena, form), "fields") : NULL;
}

/* Of a field "props.member" its member; NULL: it is another field. */
static const char *member_of(const json_t *field)
{
	const char *dot = strchr(jx_str(field, "key").p, '.');

	return dot ? dot + 1 : NULL;
}

/* The object that the field's value is in; NULL: none. */
static const json_t *object_of(struct request *rq, const json_t *record, const json_t *field)
{
	const char *key = jx_str(field, "key").p, *member = member_of(field);

	return !member ? record : json_object_get(record, arena_printf(
		rq->arena, "%.*s", (int)(member - key - 1), key));
}

/* The value as a control has it. */
static struct str value_of(struct request *rq, const json_t *record, const json_t *field)
{
	const char *key = jx_str(field, "key").p, *member = member_of(field);
	const json_t *v = json_object_get(object_of(rq, record, field), member ? member : key);
	const char *lines = "";
	const json_t *one;
	size_t i;

	if (!v || json_is_null(v))
		return (struct str){ "", 0 };
	if (json_is_string(v))
		return (struct str){ json_string_value(v), json_string_length(v) };
	if (!json_is_array(v))
		return str_of(jx_text(rq->arena, v));
	json_array_foreach(v, i, one)
		lines = arena_printf(rq->arena, "%s%s%s", lines, i ? "\n" : "",
				     json_is_string(one) ? json_string_value(one)
				     : jx_text(rq->arena, one));
	return str_of(lines);
}

/* Whether the form has the field; a new row also has those that do not change later. */
static bool is_shown(const json_t *field, bool creating)
{
	const struct str mode = jx_str(field, "mode"), type = jx_str(field, "type");

	return (str_is(mode, "edit") || (creating && str_is(mode, "once"))) &&
		(str_is(type, "text") || str_is(type, "date") || str_is(type, "person") ||
		 member_of(field));
}

static void put_option(struct plain *p, struct str value, struct str label, bool selected)
{
	buf_adds(p->b, "<option value=\"");
	html_text(p->b, value);
	buf_addf(p->b, "\"%s>", selected ? " selected" : "");
	html_text(p->b, label);
	buf_adds(p->b, "</option>");
}

/* One that is stored and is no choice any more stays one, by its value. */
static void put_choices(struct plain *p, const json_t *field, struct str now)
{
	bool known = !now.n;
	const json_t *one;
	size_t i;

	buf_addf(p->b, "<select id=\"%s\" name=\"%s\">", jx_str(field, "key").p,
		 jx_str(field, "key").p);
	if (json_is_true(json_object_get(field, "nullable")))
		buf_adds(p->b, "<option value=\"\"></option>");
	json_array_foreach(json_object_get(field, "choices"), i, one) {
		known |= str_eq(jx_str(one, "value"), now);
		put_option(p, jx_str(one, "value"), jx_str(one, "label"),
			   str_eq(jx_str(one, "value"), now));
	}
	if (!known)
		put_option(p, now, now, true);
	buf_adds(p->b, "</select>");
}

static void put_boolean(struct plain *p, const char *key, struct str now)
{
	buf_addf(p->b, "<select id=\"%s\" name=\"%s\">", key, key);
	put_option(p, STR(""), STR(""), !now.n);
	put_option(p, STR("true"), str_of(plain_text(p, "Yes")), str_is(now, "true"));
	put_option(p, STR("false"), str_of(plain_text(p, "No")), str_is(now, "false"));
	buf_adds(p->b, "</select>");
}

/* key is ours, or an identifier. */
static void put_field(struct plain *p, const json_t *field, struct str now)
{
	const bool lines = str_is(jx_str(field, "type"), "lines");
	const char *key = jx_str(field, "key").p;

	buf_addf(p->b, "<p><label for=\"%s\">", key);
	html_text(p->b, jx_str(field, "label"));
	buf_adds(p->b, "</label><br>\n");
	if (str_is(jx_str(field, "type"), "boolean")) {
		put_boolean(p, key, now);
	} else if (json_is_array(json_object_get(field, "choices"))) {
		put_choices(p, field, now.n ? now : jx_str(field, "default"));
	} else if (lines || json_is_true(json_object_get(field, "multiline"))) {
		buf_addf(p->b, "<textarea id=\"%s\" name=\"%s\" rows=\"%d\" cols=\"72\">\n", key,
			 key, json_is_true(json_object_get(field, "markdown")) ? 20 : 4);
		html_text(p->b, now);
		buf_adds(p->b, "</textarea>");
	} else {
		buf_addf(p->b, "<input id=\"%s\" name=\"%s\" type=\"%s\" size=\"40\" value=\"", key,
			 key, str_is(jx_str(field, "type"), "date") ? "date" : "text");
		html_text(p->b, now);
		buf_adds(p->b, "\">");
	}
	if (member_of(field) && jx_str(field, "help").n) {
		buf_adds(p->b, "<br>\n<span class=\"small\">");
		html_text(p->b, jx_str(field, "help"));
		if (lines) {
			buf_addc(p->b, ' ');
			plain_say(p, "(one in each line)");
		}
		buf_adds(p->b, "</span>");
	}
	buf_adds(p->b, "</p>\n");
}

/* now: the record, or NULL for a new one. */
static void put_fields(struct plain *p, const struct resource *r, const json_t *now)
{
	const json_t *field;
	size_t i;

	json_array_foreach(fields_of(p->rq, r), i, field)
		if (is_shown(field, !now))
			put_field(p, field, value_of(p->rq, now, field));
}

/* What a text area sends ends its lines as the mail does. */
static struct str with_lines(struct request *rq, struct str text)
{
	char *out = arena_alloc(rq->arena, text.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] != '\r')
			out[n++] = text.p[i];
	out[n] = '\0';
	return (struct str){ out, n };
}

/* The texts of a list, a line each. New. */
static json_t *lines_of(struct str text)
{
	json_t *out = json_array();

	while (text.n) {
		const struct str one = str_trim(str_cut(&text, '\n'));

		if (one.n)
			json_array_append_new(out, jx_string(one));
	}
	return out;
}

/* What was typed, as the API has it; what is none of its type is refused there. New. */
static json_t *typed(const json_t *field, struct str value)
{
	const struct str type = jx_str(field, "type");
	json_t *v = NULL;

	if (str_is(type, "lines"))
		return lines_of(value);
	if (str_is(type, "integer") || str_is(type, "number") || str_is(type, "boolean"))
		v = jx_try(str_trim(value));
	return v ? v : jx_string(value);
}

/* Adds a member of props to the body; what is empty is removed. */
static void put_member(struct request *rq, json_t *body, const json_t *field,
		       struct str value, bool creating)
{
	const char *key = jx_str(field, "key").p, *member = member_of(field);
	const char *at = arena_printf(rq->arena, "%.*s", (int)(member - key - 1), key);

	if (!json_object_get(body, at))
		json_object_set_new(body, at, json_object());
	if (value.n)
		json_object_set_new(json_object_get(body, at), member, typed(field, value));
	else if (!creating)
		json_object_set_new(json_object_get(body, at), member, json_null());
}

/* The body of a CREATE or PATCH. */
static json_t *body_of(struct request *rq, const struct resource *r, bool creating)
{
	json_t *body = jx_keep(rq->arena, json_object());
	const json_t *field;
	size_t i;

	json_array_foreach(fields_of(rq, r), i, field) {
		const char *key = jx_str(field, "key").p;
		const struct str value = with_lines(rq, form_field(rq, key));

		if (!is_shown(field, creating))
			continue;
		if (member_of(field))
			put_member(rq, body, field, value, creating);
		else if (value.n)
			json_object_set_new(body, key, jx_string(value));
		else if (!creating)
			json_object_set_new(body, key, json_is_true(json_object_get(
				field, "nullable")) ? json_null() : json_string(""));
	}
	return body;
}

/* -- calls ------------------------------------------------------------------------------- */

static const char *text_of(struct request *rq, const struct uuid *id)
{
	return uuid_format(id, arena_alloc(rq->arena, UUID_TEXT_BYTES));
}

/* The kind that the path names by its last part, such as "tasks". ERR_NOT_FOUND. */
static int kind_of(struct request *rq, const struct resource **out, struct err *e)
{
	const struct str name = route_arg(rq, "kind");

	for (size_t i = 0; i < ENTITY__MAX; i++) {
		*out = &resources[entity_kinds[i].resource];
		if (str_is(name, strrchr((*out)->path, '/') + 1))
			return 0;
	}
	return err_set(e, ERR_NOT_FOUND, "no such kind");
}

static int read_record(struct request *rq, const struct resource *r, const struct uuid *id,
		       struct resource_answer *out, const json_t **record, struct err *e)
{
	struct resource_call c = { .r = r, .verb = VERB_GET, .id = str_of(text_of(rq, id)) };
	struct buf b = BUF_INIT(8 * LIM_CONTENT_CHARS);
	struct jw w = jw_on(&b);
	json_t *j;
	int rc = 0;

	if (r->owner == OWNER_BELOW)
		c.parent = str_of(text_of(rq, route_arg_uuid(rq, "project")));
	if (resource_call(&rq->by, &c, out, e) < 0)
		return -1;
	resource_answer_write(&w, &rq->by, r, out);
	j = jx_load(buf_str(&b), e);
	if (j)
		*record = jx_keep(rq->arena, j);
	else
		rc = -1;
	buf_release(&b);
	return rc;
}

/* The form was made of this version. */
static int expect(void *ctx, const struct resource_row *now, struct err *e)
{
	struct request *rq = ctx;
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)now->version + 1);
	return str_is(form_field(rq, "version"), text) ? 0
		: err_public(e, ERR_PRECONDITION, "Somebody has changed it since you opened "
			     "this form. Go back and load it again.");
}

/* A call, below the project of the path where its resource is; jobs that it asks for run. */
static int run_call(struct request *rq, struct resource_call *c, struct resource_answer *out,
		    struct err *e)
{
	if (c->r->owner == OWNER_BELOW)
		c->parent = str_of(text_of(rq, route_arg_uuid(rq, "project")));
	if (resource_call(&rq->by, c, out, e) < 0)
		return -1;
	rq->jobs_asked |= out->done.job_due;
	return 0;
}

static int change(struct request *rq, const struct resource *r, struct err *e)
{
	struct resource_answer *out = arena_new(rq->arena, struct resource_answer);
	struct resource_call c = {
		.r = r, .verb = form_field(rq, "delete").n ? VERB_DELETE : VERB_PATCH,
		.id = str_of(text_of(rq, route_arg_uuid(rq, "id"))), .expect = expect, .ctx = rq,
	};

	if (c.verb == VERB_PATCH)
		c.body = body_of(rq, r, false);
	return run_call(rq, &c, out, e);
}

static int make(struct request *rq, const struct resource *r, struct uuid *id, struct err *e)
{
	struct resource_answer *out = arena_new(rq->arena, struct resource_answer);
	struct resource_call c = { .r = r, .verb = VERB_CREATE, .body = body_of(rq, r, true) };

	if (run_call(rq, &c, out, e) < 0)
		return -1;
	*id = out->done.row.id;
	return 0;
}

/* -- pages ------------------------------------------------------------------------------- */

static void put_link(struct plain *p, const char *path, struct str text, struct str state)
{
	buf_addf(p->b, "<li><a href=\"%s%s\">", p->root, path);
	html_text(p->b, text);
	buf_adds(p->b, "</a>");
	if (state.n) {
		buf_adds(p->b, " <span class=\"small\">");
		html_text(p->b, state);
		buf_adds(p->b, "</span>");
	}
	buf_adds(p->b, "</li>\n");
}

static void put_more(struct plain *p, const char *path, struct str next)
{
	if (!next.p)
		return;
	buf_addf(p->b, "<p><a href=\"%s%s?cursor=", p->root, path);
	buf_url(p->b, next);
	buf_adds(p->b, "\">");
	plain_say(p, "More");
	buf_adds(p->b, "</a></p>\n");
}

/* The end of a form. */
static void put_send(struct plain *p, const char *text)
{
	buf_adds(p->b, "<p>");
	plain_submit(p, NULL, text);
	buf_adds(p->b, "</p>\n</form>\n");
}

/* The form for a new one. */
static void put_new(struct plain *p, const struct resource *r, const char *path)
{
	buf_adds(p->b, "<h2>");
	plain_sayf(p, "New %s", plain_text(p, r->what));
	buf_adds(p->b, "</h2>\n");
	plain_form(p, path);
	put_fields(p, r, NULL);
	put_send(p, N_("Create"));
}

static void put_change(struct plain *p, const struct resource *r, const json_t *record,
		       const char *path)
{
	plain_form(p, path);
	plain_hidden(p->b, "version", str_of(arena_printf(
		p->rq->arena, "%lld", (long long)jx_int(record, "version", 0))));
	put_fields(p, r, record);
	put_send(p, N_("Save"));
	plain_form(p, path);
	plain_hidden(p->b, "version", str_of(arena_printf(
		p->rq->arena, "%lld", (long long)jx_int(record, "version", 0))));
	plain_hidden(p->b, "delete", STR("1"));
	buf_adds(p->b, "<p>");
	plain_submit(p, NULL, "Delete");
	buf_adds(p->b, " <span class=\"small\">");
	plain_say(p, "It can be restored for 30 days.");
	buf_adds(p->b, "</span></p>\n</form>\n");
}

static void put_deleted_head(struct plain *p)
{
	buf_adds(p->b, "<h2 id=\"deleted\">");
	plain_say(p, "Recently deleted");
	buf_adds(p->b, "</h2>\n");
}

static void put_deleted(struct plain *p, const struct resource_binned *v, size_t n)
{
	if (n)
		put_deleted_head(p);
	for (size_t i = 0; i < n; i++) {
		struct buf until = BUF_INIT(64);

		plain_form(p, arena_printf(p->rq->arena, "projects/%s/restore",
					   text_of(p->rq, &v[i].id)));
		buf_adds(p->b, "<p>");
		html_text(p->b, v[i].name);
		buf_adds(p->b, " <span class=\"small\">");
		plain_time(&until, resource_bin_until(v[i].deleted_us));
		plain_sayf(p, "kept until %s", buf_str(&until).p);
		buf_release(&until);
		buf_adds(p->b, "</span> ");
		plain_submit(p, NULL, "Restore");
		buf_adds(p->b, "</p>\n</form>\n");
	}
}

/* Deletions in a project that can be taken back, the newest. */
static int read_deletions(struct request *rq, struct resource_answer *out, struct err *e)
{
	struct resource_param params[RESOURCE_PARAMS_MAX];
	struct resource_call c = {
		.r = &resources[RESOURCE_PROJECT_CHANGE], .verb = VERB_LIST,
		.parent = str_of(text_of(rq, route_arg_uuid(rq, "id"))),
		.query = { .uncounted = true },
	};
	const size_t n = resource_params(rq->by.conf, c.r, params);

	for (size_t i = 0; i < n; i++)
		if (strcmp(params[i].name, "verb") == 0)
			c.query.params[i] = STR("delete");
		else if (strcmp(params[i].name, "canUndo") == 0)
			c.query.params[i] = STR("true");
	return resource_call(&rq->by, &c, out, e);
}

static void put_deletions(struct plain *p, const char *project,
			  const struct resource_answer *list)
{
	if (list->n)
		put_deleted_head(p);
	for (size_t i = 0; i < list->n; i++) {
		const struct resource_row *row = list->items[i].row;

		plain_form(p, arena_printf(p->rq->arena, "projects/%s/changes/%s/undo", project,
					   text_of(p->rq, &row->id)));
		buf_adds(p->b, "<p>");
		html_text(p->b, resource_text(row, COLUMN(PROJECT_CHANGE, title)));
		buf_adds(p->b, " <span class=\"small\">");
		html_text(p->b, resource_text(row, COLUMN(PROJECT_CHANGE, kind)));
		buf_adds(p->b, "</span> ");
		plain_submit(p, NULL, "Restore");
		buf_adds(p->b, "</p>\n</form>\n");
	}
}

/* GET {base}/plain/projects?cursor=: 200 a page of the projects that the caller sees. */
int plain_projects(struct request *rq, struct response *rs, struct err *e)
{
	struct resource_call c = {
		.r = projects, .verb = VERB_LIST, .query = { .uncounted = true },
	};
	struct resource_answer *page = arena_new(rq->arena, struct resource_answer);
	const bool writes = resource_may(&rq->by, projects, VERB_CREATE);
	struct resource_binned *gone = NULL;
	size_t n_gone = 0;
	struct plain p;

	if (plain_open(rq, &p, e) < 0 || req_query(rq, "cursor", &c.query.cursor, e) < 0 ||
	    resource_call(&rq->by, &c, page, e) < 0 ||
	    (writes && resource_bin_list(&rq->by, projects, &gone, &n_gone, e) < 0))
		return -1;
	plain_begin(&p, rs, 200, str_of(plain_text(&p, "Projects")));
	buf_adds(p.b, "<ul>\n");
	for (size_t i = 0; i < page->n; i++)
		put_link(&p, arena_printf(rq->arena, "projects/%s",
					  text_of(rq, &page->items[i].row->id)),
			 resource_text(page->items[i].row, COLUMN(PROJECT, name)),
			 resource_text(page->items[i].row, COLUMN(PROJECT, state_key)));
	buf_adds(p.b, "</ul>\n");
	put_more(&p, "projects", page->next);
	put_deleted(&p, gone, n_gone);
	if (writes)
		put_new(&p, projects, "projects");
	plain_foot(&p);
	return 0;
}

/* POST {base}/plain/projects, the fields of a project: 303 to it. */
int plain_project_make(struct request *rq, struct response *rs, struct err *e)
{
	struct uuid id;

	if (make(rq, projects, &id, e) < 0)
		return -1;
	plain_go(rq, rs, arena_printf(rq->arena, "projects/%s", text_of(rq, &id)), "");
	return 0;
}

/* GET {base}/plain/projects/{id}: 200 the project, ways to what is in it, and its form. */
int plain_project(struct request *rq, struct response *rs, struct err *e)
{
	const char *id = text_of(rq, route_arg_uuid(rq, "id"));
	struct resource_answer *out = arena_new(rq->arena, struct resource_answer);
	struct resource_answer *gone = arena_new(rq->arena, struct resource_answer);
	const json_t *record;
	struct plain p;

	if (plain_open(rq, &p, e) < 0 ||
	    read_record(rq, projects, route_arg_uuid(rq, "id"), out, &record, e) < 0 ||
	    read_deletions(rq, gone, e) < 0)
		return -1;
	plain_begin(&p, rs, 200, jx_str(record, "name"));
	buf_addf(p.b, "<p><a href=\"%sprojects\">", p.root);
	plain_say(&p, "Projects");
	buf_adds(p.b, "</a></p>\n<ul>\n");
	for (size_t i = 0; i < ENTITY__MAX; i++) {
		const struct resource *r = &resources[entity_kinds[i].resource];
		const char *name = strrchr(r->path, '/') + 1;

		put_link(&p, arena_printf(rq->arena, "projects/%s/%s", id, name),
			 str_of(name), (struct str){ NULL, 0 });
	}
	buf_adds(p.b, "</ul>\n");
	if (json_is_true(json_object_get(record, "canEdit"))) {
		put_change(&p, projects, record, arena_printf(rq->arena, "projects/%s", id));
		put_deletions(&p, id, gone);
	} else {
		plain_spelled(p.b, jx_str(record, "description"));
	}
	plain_foot(&p);
	return 0;
}

/* POST {base}/plain/projects/{id}, its fields and version, or delete: 303. 412. */
int plain_project_change(struct request *rq, struct response *rs, struct err *e)
{
	if (change(rq, projects, e) < 0)
		return -1;
	plain_go(rq, rs, form_field(rq, "delete").n ? "projects"
		 : arena_printf(rq->arena, "projects/%s",
				text_of(rq, route_arg_uuid(rq, "id"))), "");
	return 0;
}

/* POST {base}/plain/projects/{id}/restore: 303 to the project, which was deleted. */
int plain_project_restore(struct request *rq, struct response *rs, struct err *e)
{
	const struct uuid *id = route_arg_uuid(rq, "id");

	if (resource_bin_restore(&rq->by, projects, id, e) < 0)
		return -1;
	plain_go(rq, rs, arena_printf(rq->arena, "projects/%s", text_of(rq, id)), "");
	return 0;
}

/* POST {base}/plain/projects/{id}/changes/{change}/undo: 303 to the project. */
int plain_change_undo(struct request *rq, struct response *rs, struct err *e)
{
	const struct uuid *id = route_arg_uuid(rq, "id");
	struct resource_changed done;

	if (entity_undo(&rq->by, id, route_arg_uuid(rq, "change"), &done, e) < 0)
		return -1;
	rq->jobs_asked = true;
	plain_go(rq, rs, arena_printf(rq->arena, "projects/%s", text_of(rq, id)), "");
	return 0;
}

/* -- what is in a project ------------------------------------------------------------------ */

static const char *list_path(struct request *rq)
{
	return arena_printf(rq->arena, "projects/%s/%.*s",
			    text_of(rq, route_arg_uuid(rq, "project")),
			    STR_ARG(route_arg(rq, "kind")));
}

static void put_way(struct plain *p, const json_t *project)
{
	buf_addf(p->b, "<p><a href=\"%sprojects/%s\">", p->root, jx_str(project, "id").p);
	html_text(p->b, jx_str(project, "name"));
	buf_adds(p->b, "</a></p>\n");
}

/* GET {base}/plain/projects/{project}/{kind}?cursor=: 200 a page of the list. */
int plain_entities(struct request *rq, struct response *rs, struct err *e)
{
	struct resource_answer *page = arena_new(rq->arena, struct resource_answer);
	struct resource_answer *above = arena_new(rq->arena, struct resource_answer);
	struct resource_call c = { .verb = VERB_LIST, .query = { .uncounted = true } };
	const json_t *project;
	struct plain p;

	c.parent = str_of(text_of(rq, route_arg_uuid(rq, "project")));
	if (kind_of(rq, &c.r, e) < 0 || plain_open(rq, &p, e) < 0 ||
	    req_query(rq, "cursor", &c.query.cursor, e) < 0 ||
	    read_record(rq, projects, route_arg_uuid(rq, "project"), above, &project, e) < 0 ||
	    resource_call(&rq->by, &c, page, e) < 0)
		return -1;
	plain_begin(&p, rs, 200, route_arg(rq, "kind"));
	put_way(&p, project);
	buf_adds(p.b, "<ul>\n");
	for (size_t i = 0; i < page->n; i++)
		put_link(&p, arena_printf(rq->arena, "%s/%s", list_path(rq),
					  text_of(rq, &page->items[i].row->id)),
			 resource_title(c.r, page->items[i].row),
			 /* all kinds begin with the same fields */
			 resource_text(page->items[i].row, COLUMN(PROJECT_TASK, state_key)));
	buf_adds(p.b, "</ul>\n");
	put_more(&p, list_path(rq), page->next);
	if (json_is_true(json_object_get(project, "canEdit")))
		put_new(&p, c.r, list_path(rq));
	plain_foot(&p);
	return 0;
}

/* POST {base}/plain/projects/{project}/{kind}, the fields of one: 303 to it. */
int plain_entity_make(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource *r;
	struct uuid id;

	if (kind_of(rq, &r, e) < 0 || make(rq, r, &id, e) < 0)
		return -1;
	plain_go(rq, rs, arena_printf(rq->arena, "%s/%s", list_path(rq), text_of(rq, &id)), "");
	return 0;
}

/* What somebody who may only read sees of the fields that have a value. */
static void put_values(struct plain *p, const struct resource *r, const json_t *record)
{
	const json_t *field;
	size_t i;

	json_array_foreach(fields_of(p->rq, r), i, field) {
		const struct str value = value_of(p->rq, record, field);

		if (!is_shown(field, false) || !value.n)
			continue;
		buf_adds(p->b, "<h2>");
		html_text(p->b, jx_str(field, "label"));
		buf_adds(p->b, "</h2>\n<pre>");
		plain_spelled(p->b, value);
		buf_adds(p->b, "</pre>\n");
	}
}

/* GET {base}/plain/projects/{project}/{kind}/{id}: 200 one of them, and its form. */
int plain_entity(struct request *rq, struct response *rs, struct err *e)
{
	struct resource_answer *out = arena_new(rq->arena, struct resource_answer);
	struct resource_answer *above = arena_new(rq->arena, struct resource_answer);
	const json_t *record, *project;
	const struct resource *r;
	struct plain p;

	if (kind_of(rq, &r, e) < 0 || plain_open(rq, &p, e) < 0 ||
	    read_record(rq, projects, route_arg_uuid(rq, "project"), above, &project, e) < 0 ||
	    read_record(rq, r, route_arg_uuid(rq, "id"), out, &record, e) < 0)
		return -1;
	plain_begin(&p, rs, 200, jx_str(record, "title"));
	put_way(&p, project);
	if (json_is_true(json_object_get(project, "canEdit")))
		put_change(&p, r, record, arena_printf(rq->arena, "%s/%s", list_path(rq),
						       jx_str(record, "id").p));
	else
		put_values(&p, r, record);
	plain_foot(&p);
	return 0;
}

/* POST {base}/plain/projects/{project}/{kind}/{id}, as plain_project_change. */
int plain_entity_change(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource *r;

	if (kind_of(rq, &r, e) < 0 || change(rq, r, e) < 0)
		return -1;
	plain_go(rq, rs, form_field(rq, "delete").n ? list_path(rq)
		 : arena_printf(rq->arena, "%s/%s", list_path(rq),
				text_of(rq, route_arg_uuid(rq, "id"))), "");
	return 0;
}
