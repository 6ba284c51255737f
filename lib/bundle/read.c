/* SPDX-License-Identifier: MIT */
/*
 * A project as a file: reading it. Both formats become a list of items, which are made as
 * if they came one by one, in one transaction.
 */
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "bundle/bundle.h"
#include "entity/entity.h"
#include "file/extract.h"
#include "conf/param.h"
#include "hold/stored.h"
#include "resource/change.h"
#include "resource/props.h"

#include "base/banned.h"

enum { READ_MS = 15000, STORE_MS = 45000, REF_BYTES = 200, TITLE_CHARS = 200 };

struct bundle_item {
	size_t part;		/* of bundle_parts; BUNDLE_PARTS: the project */
	json_t *body;		/* fields by their keys; ids are those of the file */
	struct str ref;		/* its id in the file; p == NULL: none */
	const char *where;	/* for people */
	bool created;
};

struct bundle_in {
	const struct caller *by;	/* its db is the transaction */
	struct bundle_item *v;
	size_t n, room;
	struct str name;
	json_t *ids;		/* by ref: what was made */
	int64_t until_ms;
	struct bundle_report *out;
};

static const struct bundle_part *part_of(size_t i)
{
	return i == BUNDLE_PARTS ? &bundle_project : &bundle_parts[i];
}

static const struct resource *resource_at_part(size_t i)
{
	return &resources[part_of(i)->resource];
}

static int wrong(struct err *e, const char *where, const char *what)
{
	return err_field(e, ERR_INVALID_FIELD, "body", "%.100s: %s", where, what);
}

static struct bundle_item *add_item(struct bundle_in *in, size_t part, json_t *body,
				    struct str ref, const char *where)
{
	in->v = arena_room(in->by->arena, in->v, in->n, 1, &in->room, sizeof(*in->v));
	in->v[in->n] = (struct bundle_item){ part, body, ref, where, false };
	return &in->v[in->n++];
}

/* -- JSON --------------------------------------------------------------------------------- */

static int add_json(struct bundle_in *in, size_t part, const json_t *one, size_t i,
		    struct err *e)
{
	struct arena *a = in->by->arena;
	const struct resource *r = resource_at_part(part);
	const char *where = part == BUNDLE_PARTS ? bundle_project.name
		: arena_printf(a, "%s[%zu]", bundle_parts[part].name, i);
	struct str ref = jx_str(one, "id");
	json_t *body;

	if (!json_is_object(one))
		return wrong(e, where, "it must be an object.");
	if (ref.n > REF_BYTES)
		return wrong(e, where, "its id is too long.");
	for (size_t k = 0; k < r->n_fields; k++)
		if (!bundle_has(part_of(part), &r->fields[k]) &&
		    json_object_get(one, r->fields[k].key))
			return wrong(e, where, arena_printf(
				a, "%s is not taken from a file.", r->fields[k].key));
	body = jx_keep(a, json_copy((json_t *)one));
	json_object_del(body, "id");
	add_item(in, part, body, ref, where);
	return 0;
}

static int part_named(const char *name, size_t n)
{
	for (size_t i = 0; i < BUNDLE_PARTS; i++)
		if (str_is((struct str){ name, n }, bundle_parts[i].name))
			return (int)i;
	return -1;
}

static int read_json(struct bundle_in *in, struct str file, struct err *e)
{
	json_t *all = jx_load(file, e);
	const char *key;
	json_t *value;
	size_t i;

	if (!all)
		return -1;
	jx_keep(in->by->arena, all);
	if (!str_is(jx_str(all, "format"), BUNDLE_FORMAT) ||
	    jx_int(all, "version", 0) != BUNDLE_VERSION)
		return wrong(e, "format", "this is no project that was exported by a program "
			     "of this version.");
	if (add_json(in, BUNDLE_PARTS, json_object_get(all, bundle_project.name), 0, e) < 0)
		return -1;
	json_object_foreach(all, key, value) {
		const int part = part_named(key, strlen(key));
		const json_t *one;

		if (part >= 0 && !json_is_array(value))
			return wrong(e, key, "it must be an array.");
		if (part < 0 && strcmp(key, "format") && strcmp(key, "version") &&
		    strcmp(key, "exportedAt") && strcmp(key, bundle_project.name))
			return wrong(e, key, "it is not known.");
		if (part >= 0)
			json_array_foreach(value, i, one)
				if (add_json(in, (size_t)part, one, i, e) < 0)
					return -1;
	}
	return 0;
}

/* -- a folder ------------------------------------------------------------------------------ */

struct bundle_folder {
	struct bundle_in *in;
	const json_t *files;
	struct str root;	/* the folder that all is in; empty: none */
	json_t *refs;		/* of documents, by their paths without the ending */
};

static const struct resource_field *field_named(const struct resource *r, const char *key)
{
	for (size_t i = 0; i < r->n_fields; i++)
		if (!strcmp(r->fields[i].key, key))
			return &r->fields[i];
	return NULL;
}

/* A value of front matter, in which most are texts, as the field takes it. */
static json_t *value_of(const struct resource_field *f, const json_t *v, struct arena *a)
{
	const char *text = json_string_value(v);
	json_t *list, *one;
	size_t i;

	if (text && (f->type == TYPE_INT || f->type == TYPE_REAL || f->type == TYPE_BOOL)) {
		one = jx_try(str_of(text));
		return one ? one : json_incref((json_t *)v);
	}
	if (f->type != TYPE_LIST || json_is_null(v))
		return json_incref((json_t *)v);
	list = json_array();
	if (text)
		json_array_append(list, (json_t *)v);
	json_array_foreach(v, i, one)
		json_array_append_new(list, json_is_string(one) ? json_incref(one)
				      : json_string(jx_text(a, one)));
	return list;
}

/* "Plan" of "documents/02 Plan.md". */
static struct str title_of_path(struct str path)
{
	struct str s = path, rest;

	for (size_t i = path.n; i-- > 0; )
		if (path.p[i] == '/') {
			s = (struct str){ path.p + i + 1, path.n - i - 1 };
			break;
		}
	rest = s;
	while (rest.n && rest.p[0] >= '0' && rest.p[0] <= '9')
		rest = (struct str){ rest.p + 1, rest.n - 1 };
	if (rest.n > 1 && rest.n < s.n && rest.p[0] == ' ')
		s = str_trim(rest);
	return utf8_head(s, TITLE_CHARS);
}

static struct str without_ending(struct str path)
{
	while (path.n && path.p[path.n - 1] != '.')
		path.n--;
	return (struct str){ path.p, path.n ? path.n - 1 : 0 };
}

/* The front matter and the text of a file as the fields of its part. */
static json_t *body_of(struct bundle_in *in, size_t part, const json_t *file,
		       struct str path)
{
	const struct bundle_part *p = part_of(part);
	const struct resource_field *title = bundle_title(p);
	json_t *body = jx_keep(in->by->arena, json_object());
	struct str text = jx_str(file, "body");
	const char *key;
	json_t *value;

	json_object_foreach(jx_obj(file, "meta"), key, value) {
		const struct resource_field *f = field_named(resource_at_part(part), key);

		/* Folders say where documents are. */
		if (f && bundle_has(p, f) && (!p->tree || f->type != TYPE_UUID))
			json_object_set_new(body, key, value_of(f, value, in->by->arena));
	}
	if (p->text && str_trim(text).n)
		json_object_set_new(body, p->text, jx_string(text));
	if (title && !jx_str(body, title->key).n && path.n &&
	    title->flags & RESOURCE_REQUIRED)
		json_object_set_new(body, title->key, jx_string(title_of_path(path)));
	return body;
}

/* Its links are edges of the project. */
static int add_links(struct bundle_in *in, const json_t *file, struct str ref,
		     const char *where, struct err *e)
{
	const json_t *links = json_object_get(json_object_get(file, "meta"), "links"), *one;
	size_t i;

	json_array_foreach(links, i, one) {
		json_t *body;

		if (!json_is_object(one))
			return wrong(e, where, "each of its links must have a relation and a "
				     "toId.");
		body = jx_keep(in->by->arena, json_copy((json_t *)one));
		json_object_set_new(body, "fromId", jx_string(ref));
		add_item(in, BUNDLE_EDGES, body, (struct str){ NULL, 0 }, where);
	}
	return 0;
}

static const char *refs_key(const struct bundle_folder *k, struct str path)
{
	return arena_printf(k->in->by->arena, "%.*s", STR_ARG(path));
}

/* The document that a folder is: one is made of a folder without a file of its name. */
static const char *ref_of_folder(struct bundle_folder *k, struct str path)
{
	const char *key = refs_key(k, path);
	const char *known = json_string_value(json_object_get(k->refs, key));
	struct arena *a = k->in->by->arena;
	struct str up = path;
	const char *ref;
	json_t *body;

	if (known)
		return known;
	ref = arena_printf(a, "folder:%s", key);
	body = jx_keep(a, json_object());
	json_object_set_new(body, "title", jx_string(title_of_path(path)));
	while (up.n && up.p[up.n - 1] != '/')
		up.n--;
	if (up.n)
		json_object_set_new(body, "parentId", json_string(
			ref_of_folder(k, (struct str){ up.p, up.n - 1 })));
	add_item(k->in, ENTITY_DOCUMENT, body, str_of(ref), key);
	json_object_set_new(k->refs, key, json_string(ref));
	return ref;
}

static bool has_project(const struct bundle_in *in)
{
	size_t i = 0;

	while (i < in->n && in->v[i].part != BUNDLE_PARTS)
		i++;
	return i < in->n;
}

static int add_file(struct bundle_folder *k, const json_t *file, struct err *e)
{
	struct arena *a = k->in->by->arena;
	const char *where = jx_str(file, "path").p;
	struct str path = without_ending(jx_str(file, "path")), up, ref;
	size_t part = ENTITY_DOCUMENT;
	const char *slash;
	json_t *body;

	if (k->root.n)
		path = (struct str){ path.p + k->root.n + 1, path.n - k->root.n - 1 };
	slash = memchr(path.p, '/', path.n);
	if (slash && part_named(path.p, (size_t)(slash - path.p)) >= 0) {
		part = (size_t)part_named(path.p, (size_t)(slash - path.p));
		if (part == BUNDLE_EDGES)
			part = ENTITY_DOCUMENT;
		else
			path = (struct str){ slash + 1, path.n - (size_t)(slash + 1 - path.p) };
	} else if (str_is(path, bundle_project.name) && !has_project(k->in)) {
		part = BUNDLE_PARTS;
	}
	ref = jx_str(jx_obj(file, "meta"), "id");
	if (!ref.n || ref.n > REF_BYTES)
		ref = str_of(arena_printf(a, "file:%s", where));
	body = body_of(k->in, part, file, path);
	up = path;
	while (up.n && up.p[up.n - 1] != '/')
		up.n--;
	if (part == ENTITY_DOCUMENT && up.n)
		json_object_set_new(body, "parentId", json_string(
			ref_of_folder(k, (struct str){ up.p, up.n - 1 })));
	if (part == ENTITY_DOCUMENT)
		json_object_set_new(k->refs, refs_key(k, path), jx_string(ref));
	add_item(k->in, part, body, ref, where);
	return part == BUNDLE_PARTS ? 0 : add_links(k->in, file, ref, where, e);
}

/* The folder that all files are in, unless it is one of the parts. */
static struct str common_root(const json_t *files)
{
	struct str root = jx_str(json_array_get(files, 0), "path");
	const char *slash = root.n ? memchr(root.p, '/', root.n) : NULL;
	const json_t *one;
	size_t i;

	if (!slash || part_named(root.p, (size_t)(slash - root.p)) >= 0)
		return (struct str){ NULL, 0 };
	root.n = (size_t)(slash - root.p);
	json_array_foreach(files, i, one) {
		const struct str path = jx_str(one, "path");

		if (path.n <= root.n || !str_starts(path, root) || path.p[root.n] != '/')
			return (struct str){ NULL, 0 };
	}
	return root;
}

static int read_folder(struct bundle_in *in, struct str file, struct err *e)
{
	const struct extract_want want = {
		.what = "The archive", .type = "folder", .files = true,
		.until_ms = clock_mono_ms() + READ_MS,
	};
	struct buf text = BUF_INIT(4 * (size_t)LIM_PROJECT_FILE_BYTES);
	struct bundle_folder k = { .in = in };
	json_t *found = NULL, *one;
	size_t i;

	if (file_extract_text(&want, file, &text, e) == 0)
		found = jx_try(buf_str(&text));
	buf_release(&text);
	if (e->code)
		return -1;
	if (!found)
		return wrong(e, "The archive", "it cannot be read.");
	jx_keep(in->by->arena, found);
	if (jx_str(found, "refused").p)
		return err_field(e, ERR_INVALID_FIELD, "body", "%s",
				 jx_str(found, "refused").p);
	if (!json_array_size(found))
		return wrong(e, "The archive", "there are no Markdown files in it.");
	k.files = found;
	k.root = common_root(found);
	k.refs = jx_keep(in->by->arena, json_object());
	json_array_foreach(found, i, one)
		if (add_file(&k, one, e) < 0)
			return -1;
	if (!has_project(in)) {
		one = jx_keep(in->by->arena, json_object());
		json_object_set_new(one, "name", jx_string(
			k.root.n ? utf8_head(k.root, 100) : STR("Imported project")));
		add_item(in, BUNDLE_PARTS, one, (struct str){ NULL, 0 }, "project.md");
	}
	return 0;
}

/* -- making it ------------------------------------------------------------------------------ */

static void add_note(struct bundle_in *in, const char *where, const char *what)
{
	struct bundle_report *out = in->out;

	out->more_notes |= out->n_notes == ARRAY_LEN(out->notes);
	if (out->n_notes < ARRAY_LEN(out->notes))
		out->notes[out->n_notes++] = str_of(arena_printf(
			in->by->arena, "%s: %s", where, what));
}

/* Replaces the ids of the file by those of what was made. *late: one is not made yet. */
static void find_ids(const struct bundle_in *in, const struct bundle_item *it, json_t *body,
		     bool *late)
{
	const struct resource *r = resource_at_part(it->part);

	*late = false;
	for (size_t i = 0; i < r->n_fields; i++) {
		const struct resource_field *f = &r->fields[i];
		const struct str ref = jx_str(body, f->key);
		json_t *id;

		if (f->type != TYPE_UUID || !ref.n)
			continue;
		id = json_object_get(in->ids, ref.p);
		*late |= !id;
		if (id)
			json_object_set(body, f->key, id);
	}
}

/* People who are not known here are left out. */
static int check_people(struct bundle_in *in, const struct bundle_item *it, json_t *body,
			struct err *e)
{
	const struct resource *r = resource_at_part(it->part);
	const struct str tenant = in->by->owner.tenant_id;

	for (size_t i = 0; i < r->n_fields; i++) {
		const struct str login = identity_login(
			in->by->conf, jx_str(body, r->fields[i].key), in->by->arena);
		const struct uuid id = uuid_of_name(tenant, login);
		int64_t known = 0;

		if (r->fields[i].type != TYPE_PERSON || !login.n ||
		    uuid_eq(&id, &in->by->owner.user_id))
			continue;
		if (db_int(in->by->db, RSTMT_PERSON, DB_ARGS(DB_U(&id), DB_S(tenant)),
			   &known, e) < 0)
			return -1;
		if (known)
			continue;
		json_object_del(body, r->fields[i].key);
		add_note(in, it->where, arena_printf(
			in->by->arena, "its %s is left out, because nobody has signed in here "
			"with that login.", r->fields[i].key));
	}
	return 0;
}

/* Members of props that are not declared here are left out. */
static void check_props(struct bundle_in *in, const struct bundle_item *it, json_t *body)
{
	const struct resource *r = resource_at_part(it->part);
	const struct conf_entity *known = props_of(in->by->conf, r);
	const char *member;
	json_t *props, *v;
	void *next;

	for (size_t i = 0; i < r->n_fields; i++) {
		props = json_object_get(body, r->fields[i].key);
		if (r->fields[i].type != TYPE_PROPS || !json_is_object(props))
			continue;
		props = json_copy(props);
		json_object_set_new(body, r->fields[i].key, props);
		json_object_foreach_safe(props, next, member, v) {
			if (param_find(known->props, known->n_props, member))
				continue;
			add_note(in, it->where, arena_printf(
				in->by->arena, "its %s.%.40s is left out, because there is "
				"no such field here.", r->fields[i].key, member));
			json_object_del(props, member);
		}
	}
}

/* Takes what no request has out of the body, into the row. */
static int take_given(struct bundle_in *in, const struct bundle_item *it, json_t *body,
		      struct resource_row *row, bool put, struct err *e)
{
	const struct resource *r = resource_at_part(it->part);

	for (size_t i = 0; i < r->n_fields; i++) {
		const struct resource_field *f = &r->fields[i];
		const struct str text = jx_str(body, f->key);
		struct uuid *id;

		if (f->mode != MODE_GIVEN)
			continue;
		if (!put) {
			json_object_del(body, f->key);
			continue;
		}
		if (!text.n)
			continue;
		id = arena_new(in->by->arena, struct uuid);
		if (f->type == TYPE_UUID && uuid_parse(text, id))
			row->v[i] = DB_U(id);
		else if (f->type == TYPE_DATE && clock_is_date(text.p))
			row->v[i] = DB_S(text);
		else
			return err_field(e, ERR_INVALID_FIELD, f->key, "%s is not valid.",
					 f->key);
	}
	return 0;
}

static int store_item(struct bundle_in *in, struct bundle_item *it, json_t *body,
		      struct err *e)
{
	struct arena *a = in->by->arena;
	struct resource_answer *out = arena_new(a, struct resource_answer);
	struct resource_row *draft = arena_new(a, struct resource_row);
	const struct resource *r = resource_at_part(it->part);
	struct resource_call c = { .r = r, .verb = VERB_CREATE, .draft = draft };
	json_t *given = jx_keep(a, json_copy(body));
	char id[UUID_TEXT_BYTES];

	check_props(in, it, body);
	if (check_people(in, it, body, e) < 0 ||
	    take_given(in, it, body, draft, false, e) < 0 ||
	    resource_draft(in->by->conf, r, VERB_CREATE, body, a, draft, e) < 0 ||
	    take_given(in, it, given, draft, true, e) < 0)
		return -1;
	if (it->part != BUNDLE_PARTS) {
		c.parent = str_of(uuid_format(&in->out->project,
					      arena_alloc(a, UUID_TEXT_BYTES)));
		c.held = &in->out->created[it->part];
	}
	if (resource_call(in->by, &c, out, e) < 0)
		return -1;
	it->created = true;
	if (it->part == BUNDLE_PARTS) {
		in->out->project = out->done.row.id;
		in->out->name = arena_str(a, resource_text(&out->done.row,
							   COLUMN(PROJECT, name)));
		return 0;
	}
	in->out->created[it->part]++;
	if (!it->ref.n)
		return 0;
	if (json_object_get(in->ids, it->ref.p))
		return err_field(e, ERR_INVALID_FIELD, "id", "another one has its id, too.");
	json_object_set_new(in->ids, it->ref.p,
			    json_string(uuid_format(&out->done.row.id, id)));
	return 0;
}

/* A fault of the file is said with its place. */
static int make(struct bundle_in *in, struct bundle_item *it, json_t *body, struct err *e)
{
	struct err why = ERR_INIT;

	if (clock_mono_ms() > in->until_ms)
		return err_public(e, ERR_TOO_BIG, "The project is too large to be made at "
				  "once. Nothing was made.");
	if (store_item(in, it, body, &why) == 0)
		return 0;
	if (why.code != ERR_INVALID_FIELD && why.code != ERR_UNKNOWN_FIELD &&
	    why.code != ERR_INVALID_JSON &&
	    (why.code != ERR_CONFLICT || it->part == BUNDLE_PARTS)) {
		*e = why;
		return -1;
	}
	return wrong(e, it->where, err_message(&why));
}

/* What another one is above, or repeated by, comes after that one. */
static int make_part(struct bundle_in *in, size_t part, struct err *e)
{
	bool progress = true, late;
	struct bundle_item *waits;

	do {
		waits = NULL;
		progress = false;
		for (size_t i = 0; i < in->n; i++) {
			struct bundle_item *it = &in->v[i];
			json_t *body;

			if (it->part != part || it->created)
				continue;
			body = jx_keep(in->by->arena, json_copy(it->body));
			find_ids(in, it, body, &late);
			if (late) {
				waits = waits ? waits : it;
				continue;
			}
			if (make(in, it, body, e) < 0)
				return -1;
			progress = true;
		}
	} while (waits && progress);
	return waits ? wrong(e, waits->where, "one of its ids is of nothing in the file, or "
			     "leads back to itself.") : 0;
}

struct bundle_tx {
	struct bundle_in *in;
	struct resource_changes changes;	/* if it is committed: the project alone */
};

static int make_all(struct db *tx, void *ctx, struct err *e)
{
	struct bundle_tx *t = ctx;
	struct bundle_in *in = t->in;
	const struct caller *by = in->by;
	struct caller of_tx = *by;
	int rc;

	of_tx.db = tx;
	of_tx.has_room = true;
	of_tx.changes = &t->changes;
	t->changes.first = t->changes.last = NULL;
	*in->out = (struct bundle_report){ .n_notes = 0 };
	in->ids = jx_keep(by->arena, json_object());
	in->by = &of_tx;
	for (size_t i = 0; i < in->n; i++)
		in->v[i].created = false;
	rc = make_part(in, BUNDLE_PARTS, e);
	of_tx.changes = NULL;
	for (size_t i = 0; rc == 0 && i < BUNDLE_PARTS; i++)
		rc = make_part(in, i, e);
	in->by = by;
	return rc;
}

/* Of all texts, at least 1: what the user is going to store. */
static int64_t text_bytes(const struct bundle_in *in)
{
	int64_t n = 1;

	for (size_t i = 0; i < in->n; i++)
		if (part_of(in->v[i].part)->text)
			n += (int64_t)jx_str(in->v[i].body,
					     part_of(in->v[i].part)->text).n;
	return n;
}

int bundle_read(const struct caller *by, struct str file, struct str name,
		struct bundle_report *out, struct err *e)
{
	struct bundle_in in = { .by = by, .out = out };
	struct bundle_tx t = { .in = &in };
	struct share_part room = { 0 };
	int rc;

	if ((str_starts(file, STR("PK")) ? read_folder(&in, file, e)
	     : read_json(&in, file, e)) < 0)
		return -1;
	for (size_t i = 0; name.n && i < in.n; i++)
		if (in.v[i].part == BUNDLE_PARTS)
			json_object_set_new(in.v[i].body, "name", jx_string(name));
	if (by->changes) {
		t.changes = *by->changes;
		t.changes.first = t.changes.last = NULL;
	}
	t.changes.others = true;	/* whoever brings the file */
	in.until_ms = clock_mono_ms() + STORE_MS;
	if (hold_take(by->db, by->conf, &by->owner, text_bytes(&in), &room, e) < 0)
		return -1;
	rc = db_tx(by->db, make_all, &t, e);
	share_give(&room);
	if (rc < 0)
		return -1;
	if (by->changes)
		resource_changes_copy(by->changes, &t.changes, by->arena);
	hold_refresh(by->db, by->conf, &by->owner);
	return 0;
}
