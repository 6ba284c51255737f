/* SPDX-License-Identifier: MIT */
/*
 * Documents of a knowledge base. Users who may change the base write, delete and
 * see all documents; others see those for everybody and for their groups.
 */
#include "api/api.h"
#include "api/attachment.h"
#include "api/idempotent.h"
#include "api/knowledge.h"
#include "api/page.h"
#include "api/scope.h"
#include "app.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "body.h"
#include "intake/item.h"
#include "quota.h"
#include "route.h"

#include "base/banned.h"

/* The file of a request that was cut off is deleted after a day. */
#define UNWRITTEN_US INT64_C(86400000000)

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
	jw_kstr(w, "embeddingError", d->embed_error);
	jw_kint(w, "bytes", d->bytes);
	jw_kint(w, "chunks", d->chunks);
	jw_kstr(w, "fileName", d->file_name);
	jw_kstr(w, "mediaType", d->media_type);
	jw_kint_if(w, "size", d->file_size, d->file_size);
	jw_kint_if(w, "pages", d->pages, d->pages);
	jw_kint_if(w, "pagesRead", d->unread_page > 0, d->unread_page - 1);
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
	cursor_write(w, last ? buf_str(&next) : (struct str){ NULL, 0 });
	buf_release(&next);
}

/*
 * GET /knowledge-bases/{parent}/documents?status=&cursor=&pageSize=
 * 200 {items, totalCount, nextCursor}, newest first; totalCount is null: progress
 * has the counts.
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
	    api_knowledge_at(rq, &at, e) ||
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

	if (api_knowledge_at(rq, &at, e) ||
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

/* The names as JSON, sorted, without duplicates. */
static int read_groups(struct request *rq, const json_t *list, struct str *out,
		       struct err *e)
{
	const char *sorted;
	size_t wrong;

	*out = STR("[]");
	if (!list || json_is_null(list))
		return 0;
	sorted = intake_groups(rq->arena, list, &wrong);
	if (!sorted && wrong == SIZE_MAX)
		return err_field(e, ERR_INVALID_FIELD, "groups",
				 "groups must be a list of at most %d names.",
				 LIM_DOCUMENT_GROUPS);
	if (!sorted)
		return err_field(e, ERR_INVALID_FIELD, "groups",
				 "groups[%zu] must be a name of 1 to %d "
				 "characters.", wrong, LIM_DOCUMENT_GROUP_CHARS);
	*out = str_of(sorted);
	return 0;
}

/* Reads the members of the body, and its text if it has one. */
static int read_fields(struct request *rq, json_t *body,
		       const struct field *fields, size_t n,
		       struct kb_document *d, struct str *text, struct err *e)
{
	struct document_body b = { .groups = NULL };

	if (fields_read(fields, n, body, &b, sizeof(b), e) ||
	    read_groups(rq, b.groups, &d->groups, e))
		return -1;
	d->external_id = b.external_id;
	d->title = b.title;
	d->url = b.url;
	*text = b.text;
	return b.text.n <= LIM_DOCUMENT_BYTES ? 0
		: err_field(e, ERR_TOO_BIG, "text", "text must have at most %d "
			    "MiB.", LIM_DOCUMENT_BYTES >> 20);
}

/* Takes room for the document and, about as large, its index. */
static int hold(struct request *rq, const struct kb_at *at, int64_t bytes,
		struct err *e)
{
	return at->is_tenants ? 0 : quota_store(rq, 2 * MAX(bytes, 0), e);
}

static int write_text(struct request *rq, const struct kb_at *at,
		      struct kb_document *d, bool *is_new, struct err *e)
{
	struct str text;

	rq->body = jx_keep(rq->arena, req_body_json(rq, LIM_DOCUMENT_BODY_BYTES,
						    0, e));
	if (!rq->body ||
	    read_fields(rq, rq->body, document_fields, ARRAY_LEN(document_fields),
			d, &text, e) ||
	    hold(rq, at, (int64_t)text.n, e))
		return -1;
	return kb_write(rq->app->db, at, d, text, rq->arena, is_new, e);
}

/* -- files -------------------------------------------------------------------------- */

/* Fields besides a file: in the query if the file is the body. */
static const struct field file_fields[] = {
	{ .key = "externalId", .type = FIELD_TEXT,
	  .flags = FIELD_FILLED | FIELD_LINE, .max_chars = LIM_DOCUMENT_ID_CHARS,
	  .offset = offsetof(struct document_body, external_id) },
	{ .key = "title", .type = FIELD_TEXT, .flags = FIELD_FILLED | FIELD_LINE,
	  .max_chars = LIM_TITLE_CHARS,
	  .offset = offsetof(struct document_body, title) },
	{ .key = "url", .type = FIELD_TEXT, .flags = FIELD_FILLED | FIELD_LINE,
	  .max_chars = LIM_DOCUMENT_URL_CHARS,
	  .offset = offsetof(struct document_body, url) },
	{ .key = "groups", .type = FIELD_JSON,
	  .offset = offsetof(struct document_body, groups) },
};

/* groups is JSON, as elsewhere; the others are plain text. */
static int add_field(json_t *fields, struct str key, struct str value, struct err *e)
{
	char name[32];
	json_t *j;

	snprintf(name, sizeof(name), "%.*s", STR_ARG(key));
	if (!utf8_valid(value))
		return err_field(e, ERR_INVALID_UTF8, name,
				 "%s is not valid UTF-8.", name);
	j = str_is(key, "groups") ? jx_load(value, e)
		: json_stringn(value.p, value.n);
	if (!j) {
		err_clear(e);
		return err_field(e, ERR_INVALID_FIELD, name, "%s must be a JSON "
				 "list of names.", name);
	}
	json_object_set_new(fields, name, j);
	return 0;
}

static int read_query(struct request *rq, json_t *fields, struct str *name,
		      struct err *e)
{
	struct str value;

	if (req_query(rq, "name", name, e))
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(file_fields); i++)
		if (req_query(rq, file_fields[i].key, &value, e) ||
		    (value.p &&
		     add_field(fields, str_of(file_fields[i].key), value, e)))
			return -1;
	return 0;
}

/* Reads the fields before the file, and the beginning of the file. */
static int read_form(struct request *rq, struct multipart *m, json_t *fields,
		     struct str *name, struct err *e)
{
	struct multipart_part part;
	int rc = multipart_begin(m, rq, e);

	while (!rc && (rc = multipart_next(m, &part, e)) > 0 && !part.filename.p) {
		struct buf value = BUF_INIT(LIM_FORM_VALUE_BYTES);
		struct str s;

		do {
			rc = multipart_read(m, &s, e);
			buf_addstr(&value, rc ? STR("") : s);
		} while (!rc && m->in_part);
		if (!rc && !buf_ok(&value))
			rc = err_public(e, ERR_TOO_BIG, "A field of the form is too "
					"long.");
		if (!rc)
			rc = add_field(fields, part.name, buf_str(&value), e);
		buf_release(&value);
	}
	if (rc <= 0)
		return rc ? -1 : err_field(e, ERR_INVALID_FIELD, "file", "The form "
					   "has no file in it: send one in the "
					   "field file, after the other fields.");
	*name = part.filename;
	return 0;
}

/* The name without its extension. */
static struct str title_of(struct str name)
{
	struct str s = utf8_head(name, LIM_TITLE_CHARS);

	for (size_t i = s.n; i-- > 1;)
		if (s.p[i] == '.')
			return (struct str){ s.p, i };
	return s;
}

/* Of a body that is too long, mod_fcgid passes on nothing: it must not replace one. */
static int has_bytes(const struct attachment *t, struct err *e)
{
	return t->size ? 0
		: err_field(e, ERR_INVALID_FIELD, "file", "No bytes came. An empty "
			    "file has nothing to find; if this one is not empty, "
			    "the web server dropped them.");
}

static int store_file(struct request *rq, struct multipart *m,
		      const struct kb_at *at, struct kb_document *d, bool *is_new,
		      struct err *e)
{
	const struct owner o = kb_files(at->tenant_id, &at->base);
	const struct file_caps caps = {
		.file_bytes = rq->conf->attach.file_bytes, .all_mb = at->most_mb,
		.whose = "The files of this knowledge base", .what = "a document",
		.or_else = "",
	};
	const struct upload_part all = { .complete = false, .whole = -1 };
	struct attachment t;
	struct uuid id = uuid_new();
	int64_t length;

	if (req_length(rq, &length, e) ||
	    file_room(rq->app->db, &o, &caps, length, true, e) ||
	    hold(rq, at, length, e) ||
	    attachment_create(rq->app->db, &o, &id, d->file_name,
			      clock_now_us() + UNWRITTEN_US, e) ||
	    attachment_get(rq->app->db, &o, &id, rq->arena, &t, e))
		return -1;
	if (api_file_receive(rq, m, &o, &caps, &all, &t, e) == 0 &&
	    has_bytes(&t, e) == 0) {
		d->attachment_id = id;
		d->file_size = t.size;
		if (kb_write(rq->app->db, at, d, STR(""), rq->arena, is_new, e) == 0 &&
		    uuid_eq(&d->attachment_id, &id))
			return 0;
	}
	/* Unused: the request failed, or is a repetition. */
	if (attachment_delete(rq->app->db, &o, &id, &(struct err)ERR_INIT))
		log_warn("the file of a document stays for a day");
	return e->code ? -1 : 0;
}

static int write_file(struct request *rq, const struct kb_at *at,
		      struct kb_document *d, bool *is_new, struct err *e)
{
	json_t *fields = jx_keep(rq->arena, json_object());
	struct multipart m, *form = multipart_is(rq) ? &m : NULL;
	struct str name, text;

	if (read_query(rq, fields, &name, e) ||
	    (form && read_form(rq, form, fields, &name, e)) ||
	    read_fields(rq, fields, file_fields, ARRAY_LEN(file_fields), d, &text,
			e))
		return -1;
	d->file_name = file_name(name, rq->arena);
	if (!d->title.p)
		d->title = title_of(d->file_name);
	return store_file(rq, form, at, d, is_new, e);
}

/*
 * POST /knowledge-bases/{parent}/documents {title, text, externalId, url, groups}
 * 201 the record of a new document, which is queued; 200 if there is a document
 * with the externalId, which is then replaced. text is Markdown; a form feed begins
 * a page. A repeated Idempotency-Key: the document, unchanged.
 *
 * A body that is not JSON is a file, or a multipart form with one. Title,
 * externalId, url and groups are then in the query, or in fields before the file.
 */
int api_document_create(struct request *rq, struct response *rs, struct err *e)
{
	struct kb_document d = { .id = uuid_new() };
	struct uuid key;
	struct kb_at at;
	char id[UUID_TEXT_BYTES];
	bool is_new = false;
	int keyed;
	struct jw w;

	keyed = idempotent_id(rq, arena_strdup(rq->arena, rq->path.p), &key, e);
	if (keyed < 0 || api_knowledge_writer(rq, "parent", &at, e))
		return -1;
	if (keyed > 0)
		d.id = key;
	if (body_is_json(req_param(rq, "CONTENT_TYPE"))
	    ? write_text(rq, &at, &d, &is_new, e)
	    : write_file(rq, &at, &d, &is_new, e))
		return -1;
	rq->jobs_asked = true;
	w = resp_json(rs, is_new ? 201 : 200);
	write_document(&w, &d);
	resp_header(rs, "Location", arena_printf(
			    rq->arena, "%.*s/%s", (int)rq->path.n - 1,
			    rq->path.p + 1, uuid_format(&d.id, id)));
	return 0;
}

/* -- a conversation as a document ------------------------------------------------------ */

/* What the text of a document cannot have: NUL, and form feeds, which begin a page. */
static void add_words(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_addc(b, s.p[i] && s.p[i] != '\f' ? s.p[i] : ' ');
}

/* What the user and the assistant said, in its order; nothing of what tools gave. */
static int text_of(struct request *rq, const struct conversation *c, struct buf *b,
		   struct err *e)
{
	struct message_page p = { .more = true };

	while (p.more && buf_ok(b)) {
		if (message_list_dialogue(rq->app->db, &rq->by.owner, &c->id, OLDEST_FIRST,
				      p.next_seq, LIM_PAGE_MAX, rq->arena, &p, e) < 0)
			return -1;
		for (size_t i = 0; i < p.n; i++) {
			const struct message *m = &p.items[i];

			if ((m->role != ROLE_USER && m->role != ROLE_ASSISTANT) || !m->content.n)
				continue;
			buf_adds(b, m->role == ROLE_USER ? "**User:**\n\n" : "**Assistant:**\n\n");
			add_words(b, m->content);
			buf_adds(b, "\n\n");
		}
	}
	return buf_ok(b) ? 0 : err_public(e, ERR_TOO_BIG, "This conversation is too long "
					  "for a document.");
}

/*
 * POST /conversations/{conversation}/document {knowledgeBaseId}: 201 the record of a document
 * with what was said in the conversation, in a knowledge base that the caller may change; 200
 * if the base has it, which is then replaced. As all of a base it is text of others to a turn
 * that finds it. 403; 404; 409 conflict if nothing was said; as for any document.
 */
int api_document_of_conversation(struct request *rq, struct response *rs, struct err *e)
{
	struct { struct uuid base; } in;
	static const struct field fields[] = {
		{ .key = "knowledgeBaseId", .type = FIELD_UUID, .flags = FIELD_REQUIRED },
	};
	struct buf text = BUF_INIT(LIM_DOCUMENT_BYTES);
	struct kb_document d = { .id = uuid_new(), .groups = STR("[]") };
	struct conversation c;
	struct kb_at at;
	char id[UUID_TEXT_BYTES];
	bool is_new = false;
	struct jw w;
	int rc;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &in, sizeof(in), e) < 0 ||
	    api_conversation_of_path(rq, &c, e) < 0 ||
	    api_knowledge_writer_of(rq, &in.base, &at, e) < 0)
		return -1;
	d.title = utf8_head(c.title.n ? c.title : STR("Conversation"), LIM_TITLE_CHARS);
	d.external_id = str_of(arena_printf(rq->arena, "conversation-%s",
					    uuid_format(&c.id, id)));
	rc = text_of(rq, &c, &text, e);
	if (rc == 0 && !text.n)
		rc = err_public(e, ERR_CONFLICT, "Nothing was said in this conversation yet.");
	if (rc == 0)
		rc = hold(rq, &at, (int64_t)text.n, e);
	if (rc == 0)
		rc = kb_write(rq->app->db, &at, &d, buf_str(&text), rq->arena, &is_new, e);
	buf_release(&text);
	if (rc < 0)
		return -1;
	rq->jobs_asked = true;
	w = resp_json(rs, is_new ? 201 : 200);
	write_document(&w, &d);
	return 0;
}

/*
 * GET /knowledge-bases/{parent}/documents/{id}/content: its file, downloaded like
 * an attachment. 404 also if it was written as text.
 */
int api_document_content(struct request *rq, struct response *rs, struct err *e)
{
	struct kb_document d;
	struct attachment t;
	struct kb_at at;
	struct owner o;

	if (api_knowledge_at(rq, &at, e) ||
	    kb_get(rq->app->db, &at, route_arg_uuid(rq, "id"), rq->arena, &d, e))
		return -1;
	if (uuid_is_nil(&d.attachment_id))
		return err_set(e, ERR_NOT_FOUND, "it has no file");
	o = kb_files(at.tenant_id, &at.base);
	return attachment_get(rq->app->db, &o, &d.attachment_id, rq->arena, &t, e)
		? -1 : api_file_send(rq, rs, &t, e);
}

/*
 * POST /knowledge-bases/{parent}/documents/{id}/retry: 200 the record of a failed
 * document, which is queued again; 409 for others.
 */
int api_document_retry(struct request *rq, struct response *rs, struct err *e)
{
	const struct uuid *id = route_arg_uuid(rq, "id");
	struct kb_document d;
	struct kb_at at;
	struct jw w;

	if (api_knowledge_writer(rq, "parent", &at, e) ||
	    kb_retry(rq->app->db, &at, id, e) ||
	    kb_get(rq->app->db, &at, id, rq->arena, &d, e))
		return -1;
	rq->jobs_asked = true;
	w = resp_json(rs, 200);
	write_document(&w, &d);
	return 0;
}

/* DELETE /knowledge-bases/{parent}/documents/{id}: 204; 404. */
int api_document_delete(struct request *rq, struct response *rs, struct err *e)
{
	struct kb_at at;

	if (api_knowledge_writer(rq, "parent", &at, e) ||
	    kb_delete(rq->app->db, &at, route_arg_uuid(rq, "id"), e))
		return -1;
	rq->jobs_asked = true;
	resp_empty(rs, 204);
	return 0;
}
