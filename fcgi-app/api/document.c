/*
 * Documents of a knowledge base. Who may change the base writes and deletes them and
 * sees all; the others see those for everybody and for their groups.
 */
#include "api/api.h"
#include "api/idempotent.h"
#include "api/knowledge.h"
#include "api/page.h"
#include "app.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "fields.h"
#include "route.h"

#include "base/banned.h"

static const char *const statuses[] = {
	[KB_QUEUED] = "queued", [KB_READY] = "ready", [KB_FAILED] = "failed",
};

static void write_document(struct jw *w, const struct kb_document *d)
{
	jw_obj(w);
	jw_kuuid(w, "id", &d->id);
	jw_kstr(w, "externalId", d->external_id);
	jw_kstr(w, "title", d->title);
	jw_kstr(w, "url", d->url);
	jw_key(w, "groups");
	jw_raw(w, d->groups);
	jw_kstrz(w, "status", statuses[d->status <= KB_FAILED ? d->status
				       : KB_FAILED]);
	jw_kstr(w, "error", d->error);
	jw_kint(w, "bytes", d->bytes);
	jw_kint(w, "chunks", d->chunks);
	jw_ktime(w, "createdAt", d->created_us);
	jw_ktime(w, "updatedAt", d->updated_us);
	jw_end_obj(w);
}

/* -- lists ----------------------------------------------------------------------- */

static int read_status(struct request *rq, int *status, struct err *e)
{
	struct str s = { NULL, 0 };

	*status = -1;
	if (req_query(rq, "status", &s, e) < 0)
		return -1;
	for (size_t i = 0; s.p && i < ARRAY_LEN(statuses); i++)
		if (str_is(s, statuses[i]))
			*status = (int)i;
	if (s.p && *status < 0)
		return err_field(e, ERR_INVALID_FIELD, "status",
				 "status must be queued, ready or failed.");
	return 0;
}

static int read_place(struct request *rq, struct kb_document *place,
		      const struct kb_document **after, struct err *e)
{
	json_t *j;

	*after = NULL;
	if (api_page_cursor(rq, &j, e) < 0)
		return -1;
	if (!j)
		return 0;
	place->created_us = jx_int(j, "c", -1);
	if (place->created_us < 0 || !uuid_parse(jx_str(j, "id"), &place->id))
		return err_set(e, ERR_INVALID_CURSOR, "not a document's");
	*after = place;
	return 0;
}

static void write_next(struct jw *w, const struct kb_document *last)
{
	struct buf next = BUF_INIT(LIM_CURSOR_BYTES);
	struct jw j = jw_on(&next);

	if (last) {
		jw_obj(&j);
		jw_kint(&j, "c", last->created_us);
		jw_kuuid(&j, "id", &last->id);
		jw_end_obj(&j);
	}
	api_page_write_next(w, last ? buf_str(&next) : (struct str){ NULL, 0 });
	buf_release(&next);
}

/*
 * GET /knowledge-bases/{parent}/documents?status=&cursor=&pageSize=
 * 200 {items, totalCount, nextCursor}, newest first; totalCount is null: counts are
 * those of progress.
 */
int api_document_list(struct request *rq, struct response *rs, struct err *e)
{
	struct kb_document place, *v;
	const struct kb_document *after;
	struct kb_at at;
	size_t size, n;
	int status;
	bool more;
	struct jw w;

	if (read_status(rq, &status, e) || api_page_size(rq, &size, e) < 0 ||
	    read_place(rq, &place, &after, e) ||
	    api_knowledge_at(rq, "parent", &at, e) ||
	    kb_list(rq->app->db, &at, status, after, size, rq->arena, &v, &n,
		    &more, e))
		return -1;
	w = api_page_items(rs);
	for (size_t i = 0; i < n; i++)
		write_document(&w, &v[i]);
	jw_end_arr(&w);
	jw_key(&w, "totalCount");
	jw_null(&w);
	write_next(&w, more ? &v[n - 1] : NULL);
	jw_end_obj(&w);
	return 0;
}

/* -- one -------------------------------------------------------------------------- */

/* GET /knowledge-bases/{parent}/documents/{id}: 200 the record; 404. */
int api_document_get(struct request *rq, struct response *rs, struct err *e)
{
	struct kb_document d;
	struct kb_at at;
	struct jw w;

	if (api_knowledge_at(rq, "parent", &at, e) ||
	    kb_get(rq->app->db, &at, route_arg_uuid(rq, "id"), rq->arena, &d, e))
		return -1;
	w = resp_json(rs, 200);
	write_document(&w, &d);
	return 0;
}

struct document_body {
	struct str external_id, title, url, text;
	json_t *groups;
};

static const struct field document_fields[] = {
	{ .key = "externalId", .type = FIELD_TEXT,
	  .flags = FIELD_FILLED | FIELD_LINE, .max_chars = LIM_DOCUMENT_ID_CHARS,
	  .offset = offsetof(struct document_body, external_id) },
	{ .key = "title", .type = FIELD_TEXT,
	  .flags = FIELD_REQUIRED | FIELD_FILLED | FIELD_LINE,
	  .max_chars = LIM_TITLE_CHARS,
	  .offset = offsetof(struct document_body, title) },
	{ .key = "url", .type = FIELD_TEXT, .flags = FIELD_FILLED | FIELD_LINE,
	  .max_chars = LIM_DOCUMENT_URL_CHARS,
	  .offset = offsetof(struct document_body, url) },
	{ .key = "text", .type = FIELD_TEXT,
	  .flags = FIELD_REQUIRED | FIELD_FILLED,
	  .offset = offsetof(struct document_body, text) },
	{ .key = "groups", .type = FIELD_JSON,
	  .offset = offsetof(struct document_body, groups) },
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names sorted and once each, as JSON. */
static int read_groups(struct request *rq, const json_t *list, struct str *out,
		       struct err *e)
{
	const char *names[LIM_DOCUMENT_GROUPS];
	json_auto_t *sorted = json_array();
	size_t n = json_array_size(list);

	*out = STR("[]");
	if (!list || json_is_null(list))
		return 0;
	if (!json_is_array(list) || n > LIM_DOCUMENT_GROUPS)
		return err_field(e, ERR_INVALID_FIELD, "groups",
				 "groups must be a list of at most %d names.",
				 LIM_DOCUMENT_GROUPS);
	for (size_t i = 0; i < n; i++) {
		const json_t *name = json_array_get(list, i);

		names[i] = json_string_value(name);
		if (!names[i] || !*names[i] ||
		    strlen(names[i]) != json_string_length(name) ||
		    utf8_chars(str_of(names[i])) > LIM_DOCUMENT_GROUP_CHARS)
			return err_field(e, ERR_INVALID_FIELD, "groups",
					 "groups[%zu] must be a name of 1 to %d "
					 "characters.", i,
					 LIM_DOCUMENT_GROUP_CHARS);
	}
	if (n)
		qsort(names, n, sizeof(*names), by_name);
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(names[i], names[i - 1]) != 0)
			json_array_append_new(sorted, json_string(names[i]));
	*out = str_of(jx_text(rq->arena, sorted));
	return 0;
}

/*
 * POST /knowledge-bases/{parent}/documents {title, text, externalId, url, groups}
 * 201 the record of a new document, which is queued; 200 where externalId is one
 * that is there: it is that document now. text is Markdown; a form feed begins a
 * page. A repeated Idempotency-Key: the document as it is.
 */
int api_document_create(struct request *rq, struct response *rs, struct err *e)
{
	struct kb_document d = { .id = uuid_new() };
	struct document_body b;
	struct uuid key;
	struct kb_at at;
	char id[UUID_TEXT_BYTES];
	bool made;
	int keyed;
	struct jw w;

	if (fields_read(document_fields, ARRAY_LEN(document_fields), rq->body, &b,
			sizeof(b), e) ||
	    read_groups(rq, b.groups, &d.groups, e))
		return -1;
	if (b.text.n > LIM_DOCUMENT_BYTES)
		return err_field(e, ERR_TOO_BIG, "text", "text must have at most "
				 "%d MiB.", LIM_DOCUMENT_BYTES >> 20);
	keyed = idempotent_id(rq, arena_strdup(rq->arena, rq->path.p), &key, e);
	if (keyed < 0 || api_knowledge_writer(rq, "parent", &at, e))
		return -1;
	if (keyed > 0)
		d.id = key;
	d.external_id = b.external_id;
	d.title = b.title;
	d.url = b.url;
	if (kb_write(rq->app->db, &at, &d, b.text, rq->arena, &made, e))
		return -1;
	atomic_store(&rq->app->jobs_asked, true);
	w = resp_json(rs, made ? 201 : 200);
	write_document(&w, &d);
	resp_header(rs, "Location", arena_printf(
			    rq->arena, "%.*s/%s", (int)rq->path.n - 1,
			    rq->path.p + 1, uuid_format(&d.id, id)));
	return 0;
}

/* DELETE /knowledge-bases/{parent}/documents/{id}: 204; 404. */
int api_document_delete(struct request *rq, struct response *rs, struct err *e)
{
	struct kb_at at;

	if (api_knowledge_writer(rq, "parent", &at, e) ||
	    kb_delete(rq->app->db, &at, route_arg_uuid(rq, "id"), e))
		return -1;
	atomic_store(&rq->app->jobs_asked, true);
	resp_empty(rs, 204);
	return 0;
}
