/* SPDX-License-Identifier: MIT */
#include "bundle/bundle.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "entity/entity.h"
#include "entity/tree.h"
#include "file/extract.h"

#include "base/banned.h"

enum { PACK_MS = 15000, NAME_CHARS = 60 };

const struct bundle_part bundle_parts[BUNDLE_PARTS] = {
#define ENTITY(id, name_, several) { several, RESOURCE_PROJECT_##id, \
		ENTITY_##id == ENTITY_DOCUMENT ? "content" : "description", \
		ENTITY_##id == ENTITY_DOCUMENT },
#include "entity/kind.def"
	{ "calendars", RESOURCE_PROJECT_CALENDAR, NULL, false },
	{ "events", RESOURCE_PROJECT_EVENT, "description", false },
	{ "edges", RESOURCE_PROJECT_EDGE, NULL, false },
};

const struct bundle_part bundle_project = {
	"project", RESOURCE_PROJECT, "description", false,
};

const struct resource_field *bundle_title(const struct bundle_part *p)
{
	const struct resource *r = &resources[p->resource];

	for (size_t i = 0; i < r->n_fields; i++)
		if (!strcmp(r->fields[i].key, "title") || !strcmp(r->fields[i].key, "name"))
			return &r->fields[i];
	return NULL;
}

/* Who it is for is said where it is read. */
bool bundle_has(const struct bundle_part *p, const struct resource_field *f)
{
	if (p == &bundle_project && f->mode == MODE_ONCE)
		return false;
	return f->mode == MODE_EDIT || f->mode == MODE_ONCE || f->mode == MODE_GIVEN;
}

/* -- reading the rows ------------------------------------------------------------------ */

struct bundle_rows {
	struct resource_row *v;		/* in the order of the file */
	size_t n, room;
};

struct bundle_out {
	const struct caller *by;
	const struct uuid *project;
	struct resource_row row;	/* of the project */
	struct bundle_rows parts[BUNDLE_PARTS];
	struct tree tree;
	struct buf *out;
};

static const char *text_of(const struct uuid *id, struct arena *a)
{
	return uuid_format(id, arena_alloc(a, UUID_TEXT_BYTES));
}

static int by_id(const void *a, const void *b)
{
	return memcmp(((const struct resource_row *)a)->id.b,
		      ((const struct resource_row *)b)->id.b, sizeof(struct uuid));
}

static int by_uuid(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct uuid));
}

/* All rows of a part, by their ids: as they were made. */
static int read_rows(struct bundle_out *o, const struct bundle_part *p,
		     struct bundle_rows *rows, struct err *e)
{
	struct arena *a = o->by->arena;
	struct resource_at at = resource_for(o->by);
	struct resource_want want = { .size = LIM_PAGE_MAX };
	bool more = true;

	at.holder = *o->project;
	resource_writing(o->by, &resources[RESOURCE_PROJECT], &at);
	while (more) {
		struct resource_row *page;
		size_t n;

		if (resource_list(o->by->db, &resources[p->resource], &at, &want, a, &page,
				  &n, &more, e) < 0)
			return -1;
		rows->v = arena_room(a, rows->v, rows->n, n, &rows->room, sizeof(*rows->v));
		for (size_t i = 0; i < n; i++)
			rows->v[rows->n++] = page[i];
		want.after = n ? &page[n - 1] : NULL;
		more = more && n;
	}
	if (rows->n)
		qsort(rows->v, rows->n, sizeof(*rows->v), by_id);
	return 0;
}

/* A row by its id. */
static int read_row(const struct bundle_out *o, const struct resource *r,
		    const struct uuid *id, struct resource_row *row, struct err *e)
{
	struct resource_answer *out = arena_new(o->by->arena, struct resource_answer);
	const struct resource_call c = {
		.r = r, .verb = VERB_GET, .id = str_of(text_of(id, o->by->arena)),
	};

	if (resource_call(o->by, &c, out, e) < 0)
		return -1;
	*row = out->done.row;
	return 0;
}

/* Long texts, which lists do not have; none if it was deleted meanwhile. */
static int read_long(struct bundle_out *o, const struct bundle_part *p,
		     struct resource_row *row, struct err *e)
{
	const struct resource *r = &resources[p->resource];

	if (!resource_long(r) || read_row(o, r, &row->id, row, e) == 0)
		return 0;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}

/* Documents as the tree has them. */
static void sort_documents(struct bundle_out *o, struct bundle_rows *rows)
{
	struct resource_row *sorted = arena_zalloc(o->by->arena, rows->n + 1,
						   sizeof(*sorted));
	const struct tree_node *node = o->tree.first;
	size_t n = 0;

	while (node && n < rows->n) {
		const struct resource_row key = { .id = node->id };
		const struct resource_row *found = rows->n
			? bsearch(&key, rows->v, rows->n, sizeof(key), by_id) : NULL;

		if (found)
			sorted[n++] = *found;
		if (node->first) {
			node = node->first;
			continue;
		}
		while (node && !node->next)
			node = node->above;
		node = node ? node->next : NULL;
	}
	rows->v = sorted;
	rows->n = n;
}

/* Leaves out links to what was made or deleted meanwhile: such a file cannot be read. */
static void drop_loose(struct bundle_out *o)
{
	struct bundle_rows *edges = &o->parts[BUNDLE_EDGES];
	struct uuid *ids;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < BUNDLE_EDGES; i++)
		n += o->parts[i].n;
	ids = arena_zalloc(o->by->arena, n + 1, sizeof(*ids));
	n = 0;
	for (size_t i = 0; i < BUNDLE_EDGES; i++)
		for (size_t k = 0; k < o->parts[i].n; k++)
			ids[n++] = o->parts[i].v[k].id;
	if (n)
		qsort(ids, n, sizeof(*ids), by_uuid);
	for (size_t i = 0; n && i < edges->n; i++)
		if (bsearch(edges->v[i].v[COLUMN(PROJECT_EDGE, from_id)].s.p, ids, n,
			    sizeof(*ids), by_uuid) &&
		    bsearch(edges->v[i].v[COLUMN(PROJECT_EDGE, to_id)].s.p, ids, n,
			    sizeof(*ids), by_uuid))
			edges->v[kept++] = edges->v[i];
	edges->n = kept;
}

static int too_big(struct err *e)
{
	return err_public(e, ERR_TOO_BIG, "The project is larger than %d MB, which is as "
			  "much as one file holds.", LIM_PROJECT_FILE_BYTES >> 20);
}

static int read_all(struct bundle_out *o, struct err *e)
{
	size_t bytes = 0;

	if (read_row(o, &resources[RESOURCE_PROJECT], o->project, &o->row, e) < 0 ||
	    tree_read(o->by, o->project, &o->tree, e) < 0)
		return -1;
	for (size_t i = 0; i < o->tree.n; i++)
		bytes += (size_t)o->tree.v[i].length;
	if (bytes > LIM_PROJECT_FILE_BYTES)
		return too_big(e);
	for (size_t i = 0; i < BUNDLE_PARTS; i++) {
		struct bundle_rows *rows = &o->parts[i];

		if (read_rows(o, &bundle_parts[i], rows, e) < 0)
			return -1;
		if (bundle_parts[i].tree)
			sort_documents(o, rows);
		for (size_t k = 0; k < rows->n; k++)
			if (read_long(o, &bundle_parts[i], &rows->v[k], e) < 0)
				return -1;
	}
	drop_loose(o);
	return 0;
}

/* -- JSON --------------------------------------------------------------------------------- */

static void write_row(struct jw *w, const struct bundle_part *p,
		      const struct resource_row *row)
{
	const struct resource *r = &resources[p->resource];

	jw_obj(w);
	jw_kuuid(w, "id", &row->id);
	for (size_t i = 0; i < r->n_fields; i++) {
		if (!bundle_has(p, &r->fields[i]))
			continue;
		jw_key(w, r->fields[i].key);
		resource_write_value(w, &r->fields[i], &row->v[i]);
	}
	jw_end_obj(w);
}

static void write_json(struct bundle_out *o)
{
	struct jw w = jw_on(o->out);

	jw_obj(&w);
	jw_kstrz(&w, "format", BUNDLE_FORMAT);
	jw_kint(&w, "version", BUNDLE_VERSION);
	jw_ktime(&w, "exportedAt", clock_now_us());
	jw_key(&w, bundle_project.name);
	write_row(&w, &bundle_project, &o->row);
	for (size_t i = 0; i < BUNDLE_PARTS; i++) {
		jw_key(&w, bundle_parts[i].name);
		jw_arr(&w);
		for (size_t k = 0; k < o->parts[i].n; k++)
			write_row(&w, &bundle_parts[i], &o->parts[i].v[k]);
		jw_end_arr(&w);
	}
	jw_end_obj(&w);
	buf_addc(o->out, '\n');
}

/* -- Markdown ------------------------------------------------------------------------------ */

/* JSON of one line that is YAML, too: without characters that it reads in its own way. */
static void put_yaml(struct buf *out, struct str json)
{
	while (json.n) {
		const int n = MAX(utf8_sequence(json), 1);
		const unsigned char *p = (const unsigned char *)json.p;
		uint32_t c = n == 1 ? p[0] : n == 2 ? (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu)
			: n == 3 ? (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu)
			: 0x10000;

		if ((c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff ||
		    c == 0xfffe || c == 0xffff)
			buf_addf(out, "\\u%04x", (unsigned)c);
		else
			buf_add(out, json.p, (size_t)n);
		json = (struct str){ json.p + n, json.n - (size_t)n };
	}
}

/* Words of the program need no quotes. */
static bool is_word(const struct resource_field *f)
{
	return f->type == TYPE_ENUM || f->type == TYPE_DATE || f->type == TYPE_UUID ||
		f->type == TYPE_TIME;
}

static void put_field(struct buf *out, const struct resource_field *f,
		      const struct db_val *v)
{
	struct buf b = BUF_INIT(LIM_PROJECT_FILE_BYTES);
	struct jw w = jw_on(&b);

	resource_write_value(&w, f, v);
	buf_addf(out, "%s:", f->key);
	if (!v->null) {
		buf_addc(out, ' ');
		if (is_word(f) && b.n > 2)
			buf_add(out, b.p + 1, b.n - 2);
		else
			put_yaml(out, buf_str(&b));
	}
	buf_addc(out, '\n');
	buf_release(&b);
}

static const struct uuid *from_of(const struct resource_row *edge)
{
	return (const struct uuid *)(const void *)
		edge->v[COLUMN(PROJECT_EDGE, from_id)].s.p;
}

static int by_from(const void *a, const void *b)
{
	const int by = memcmp(from_of(a), from_of(b), sizeof(struct uuid));

	return by ? by : by_id(a, b);
}

/* The links that begin here; they are sorted by_from. */
static void put_links(struct buf *out, const struct bundle_out *o, const struct uuid *id)
{
	const struct bundle_rows *edges = &o->parts[BUNDLE_EDGES];
	size_t low = 0, high = edges->n;
	char text[UUID_TEXT_BYTES];

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (memcmp(from_of(&edges->v[middle]), id, sizeof(*id)) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i < edges->n && uuid_eq(from_of(&edges->v[i]), id); i++)
		buf_addf(out, "%s  - {relation: %.*s, toId: %s}\n", i == low ? "links:\n" : "",
			 STR_ARG(resource_text(&edges->v[i],
					       COLUMN(PROJECT_EDGE, relation))),
			 uuid_format((const struct uuid *)(const void *)
				     edges->v[i].v[COLUMN(PROJECT_EDGE, to_id)].s.p, text));
}

/* A file for the packer (fcgi-app/extract/folder.h). */
static void put_file(struct bundle_out *o, const struct bundle_part *p,
		     const struct resource_row *row, const char *path)
{
	const struct resource *r = &resources[p->resource];
	struct buf b = BUF_INIT(LIM_PROJECT_FILE_BYTES);
	struct str body = { NULL, 0 };
	char id[UUID_TEXT_BYTES];

	buf_addf(&b, "---\nid: %s\n", uuid_format(&row->id, id));
	for (size_t i = 0; i < r->n_fields; i++) {
		const struct resource_field *f = &r->fields[i];

		if (!bundle_has(p, f))
			continue;
		if (p->text && !strcmp(f->key, p->text))
			body = resource_text(row, i);
		/* Where a document is, its folder says. */
		else if (!p->tree || f->type != TYPE_UUID)
			put_field(&b, f, &row->v[i]);
	}
	put_links(&b, o, &row->id);
	buf_adds(&b, "---\n\n");
	buf_addstr(&b, body);
	buf_addf(o->out, "%s\n%zu\n", path, b.n);
	buf_addstr(o->out, buf_str(&b));
	o->out->overflow |= !buf_ok(&b);
	buf_release(&b);
}

/* A title as the name of a file, on every system. */
static const char *file_name(struct str title, struct arena *a)
{
	const struct str head = str_trim(utf8_head(title, NAME_CHARS));
	char *out = arena_memdup(a, head.n ? head.p : "-", head.n ? head.n : 1);
	size_t n = head.n ? head.n : 1;

	for (char *p = out; p < out + n; p++)
		if ((unsigned char)*p < ' ' || strchr("/\\:*?\"<>|", *p))
			*p = '-';
	while (n > 1 && (out[n - 1] == '.' || out[n - 1] == ' '))
		n--;
	if (*out == '.')	/* it would be hidden */
		*out = '-';
	return arena_printf(a, "%.*s", (int)n, out);
}

static int digits(size_t n)
{
	int d = 2;

	for (n /= 100; n; n /= 10)
		d++;
	return d;
}

static struct str title_of(const struct bundle_part *p, const struct resource_row *row)
{
	const struct resource_field *f = bundle_title(p);

	return f ? resource_text(row, (size_t)(f - resources[p->resource].fields))
		: (struct str){ NULL, 0 };
}

/* "documents/02 Plan/01 Steps": without an ending. */
static const char *document_path(const struct bundle_out *o, const struct tree_node *node,
				 const char *root)
{
	const struct tree_node *first = node->above ? node->above->first : o->tree.first;
	const char *above = node->above ? document_path(o, node->above, root)
		: arena_printf(o->by->arena, "%s/documents", root);
	size_t n = 0;

	for (; first; first = first->next)
		n++;
	return arena_printf(o->by->arena, "%s/%0*lld %s", above, digits(n),
			    (long long)node->order + 1,
			    file_name(node->title, o->by->arena));
}

static void put_part(struct bundle_out *o, const struct bundle_part *p,
		     const struct bundle_rows *rows, const char *root)
{
	struct arena *a = o->by->arena;

	for (size_t i = 0; i < rows->n; i++) {
		const struct resource_row *row = &rows->v[i];
		const struct tree_node *node = p->tree
			? tree_find(&o->tree, &row->id) : NULL;
		const char *path = node ? document_path(o, node, root)
			: arena_printf(a, "%s/%s/%0*zu %s", root, p->name, digits(rows->n),
				       i + 1, file_name(title_of(p, row), a));

		put_file(o, p, row, arena_printf(a, "%s.md", path));
	}
}

static int write_folder(struct bundle_out *o, struct err *e)
{
	const struct extract_want want = {
		.what = "The project", .type = "pack", .files = true, .bytes = true,
		.until_ms = clock_mono_ms() + PACK_MS,
	};
	struct buf files = BUF_INIT(LIM_PROJECT_FILE_BYTES), *out = o->out;
	const char *root = file_name(title_of(&bundle_project, &o->row), o->by->arena);
	int rc;

	if (o->parts[BUNDLE_EDGES].n)
		qsort(o->parts[BUNDLE_EDGES].v, o->parts[BUNDLE_EDGES].n,
		      sizeof(struct resource_row), by_from);
	o->out = &files;
	put_file(o, &bundle_project, &o->row,
		 arena_printf(o->by->arena, "%s/project.md", root));
	for (size_t i = 0; i < BUNDLE_EDGES; i++)
		put_part(o, &bundle_parts[i], &o->parts[i], root);
	o->out = out;
	rc = buf_ok(&files) ? file_extract_text(&want, buf_str(&files), out, e) : too_big(e);
	buf_release(&files);
	return rc;
}

int bundle_write(const struct caller *by, const struct uuid *project, bool folder,
		 struct str *name, struct buf *out, struct err *e)
{
	struct bundle_out o = { .by = by, .project = project, .out = out };

	if (read_all(&o, e) < 0)
		return -1;
	*name = title_of(&bundle_project, &o.row);
	if (folder)
		return write_folder(&o, e);
	write_json(&o);
	return buf_ok(out) && out->n <= LIM_PROJECT_FILE_BYTES ? 0 : too_big(e);
}
