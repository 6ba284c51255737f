/* SPDX-License-Identifier: MIT */
/*
 * What is remembered of a conversation before its newest messages, for its owner to see,
 * correct and remove (docs/memory.md).
 */
#include "api/api.h"

#include "api/etag.h"
#include "api/page.h"
#include "api/remembered.h"
#include "app.h"
#include "base/clock.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "hold/stored.h"
#include "memory/memory.h"
#include "memory/state.h"
#include "event/notify.h"
#include "entity/entity.h"
#include "resource/change.h"

#include "base/banned.h"

enum { PROMOTED_CHARS = 200 };	/* of the title of an entity */

/* The conversation of the path and its version of now. */
static int load_memory(struct request *rq, struct conversation *c, struct memory *m,
		       struct err *e)
{
	return api_conversation_of_path(rq, c, e) < 0 ? -1
		: memory_get(rq->app->db, &rq->by.owner, &c->id, INT64_MAX, rq->arena,
			     m, e);
}

/*
 * The same, to be changed. last: what put compares, read before the version: one that comes
 * between them is a conflict, and not overwritten.
 */
static int load_to_change(struct request *rq, struct conversation *c, int64_t *last,
			  struct memory *m, struct err *e)
{
	return api_conversation_of_path(rq, c, e) < 0 ||
		memory_last(rq->app->db, &rq->by.owner, &c->id, last, e) < 0 ? -1
		: memory_get(rq->app->db, &rq->by.owner, &c->id, INT64_MAX, rq->arena,
			     m, e);
}

static void write_memory(struct response *rs, struct request *rq, const struct conversation *c,
			 const struct memory *m)
{
	struct jw w = resp_json(rs, 200);

	memory_write(&w, &c->id, m, true, rq->arena);
}

/*
 * GET /conversations/{c}/memory: 200 ConversationMemory of the thread as it is; version 0:
 * nothing is remembered yet. ETag: the version. 404.
 */
int api_memory_get(struct request *rq, struct response *rs, struct err *e)
{
	char tag[ETAG_BYTES];
	struct conversation c;
	struct memory m;

	if (load_memory(rq, &c, &m, e) < 0)
		return -1;
	if (!etag_answer(rq, rs, etag_row(m.number, tag)))
		write_memory(rs, rq, &c, &m);
	return 0;
}

/* Stores m as the user's version after base. ERR_CONFLICT: one came after last. */
static int store_edited(struct request *rq, const struct conversation *c, int64_t last,
			const struct memory *base, struct memory *m, enum memory_why why,
			struct err *e)
{
	m->why = why;
	m->replaces = why == MEMORY_REMOVED ? 0 : base->number;
	m->created_us = clock_now_us();
	if (memory_put(rq->app->db, &rq->by.owner, &c->id, last, m, NULL, 0,
		       e) < 0)
		return -1;
	m->number = last + 1;
	notify_refresh(rq->app->notify, &rq->by.owner, "memory", &c->id);
	return 0;
}

/* The newest message of the thread: what a version of now ends with. */
static int newest(struct request *rq, const struct conversation *c, int64_t *seq,
		  struct err *e)
{
	struct message_page p;

	if (message_history(rq->app->db, &rq->by.owner, &c->id, 0, 1, rq->arena, &p, e) < 0)
		return -1;
	if (!p.n)
		return err_public(e, ERR_CONFLICT, "There is nothing to remember yet.");
	*seq = p.items[0].seq;
	return 0;
}

struct memory_patch {
	struct str summary;
	json_t *items, *updates, *state;
	bool has_summary, has_state;
};

/* {agent_state: null}, alone. */
static int clear(struct request *rq, struct response *rs, const struct memory_patch *b,
		 struct err *e)
{
	struct conversation c;
	char tag[ETAG_BYTES];
	struct memory m;
	int64_t number;

	if ((b->state && !json_is_null(b->state)) || b->has_summary || b->items || b->updates)
		return err_field(e, ERR_INVALID_FIELD, "agent_state", "agent_state can only be "
				 "null, alone: it is cleared.");
	if (load_memory(rq, &c, &m, e) < 0 || etag_wanted(rq, etag_row(m.number, tag), e) < 0 ||
	    memory_clear(rq->app->db, &rq->by.owner, &c.id, rq->arena, &number, e) < 0)
		return -1;
	notify_refresh(rq->app->notify, &rq->by.owner, "memory", &c.id);
	if (load_memory(rq, &c, &m, e) < 0)
		return -1;
	write_memory(rs, rq, &c, &m);
	return 0;
}

static int apply(struct request *rq, const struct memory_patch *b, struct memory *m,
		 struct err *e)
{
	json_t *state = state_read(rq->arena, m->state);

	if (b->has_summary)
		m->summary = b->summary.p ? b->summary : STR("");
	if (!b->items && !b->updates)
		return 0;
	if (state_apply(state, b->items, b->updates, STATE_BY_USER,
			(struct str){ NULL, 0 }, clock_now_us()))
		return err_field(e, ERR_INVALID_FIELD, b->items ? "agent_state_item_updates"
				 : "agent_state_updates", "An update names something that "
				 "is not there, or has the wrong form.");
	m->state = str_of(jx_text(rq->arena, state));
	return m->state.n <= LIM_STATE_BYTES ? 0
		: err_public(e, ERR_TOO_BIG, "The agent state would be too large.");
}

/*
 * PATCH /conversations/{c}/memory {summary?, agent_state_item_updates?,
 * agent_state_updates?} or {agent_state: null}: a version as the user wants it: their summary
 * (null: none), and updates of the agent state as the summariser makes them, and {op: remove,
 * id}; or without an agent state, which earlier versions lose as well. 200
 * ConversationMemory. If-Match: a version. What it was made from stays noted (origins).
 * 404; 409 without messages, or if another version came first; 412; 422.
 */
int api_memory_patch(struct request *rq, struct response *rs, struct err *e)
{
	static const struct field fields[] = {
		{ .key = "summary", .type = FIELD_TEXT, .flags = FIELD_NULLABLE,
		  .max_chars = LIM_SUMMARY_CHARS,
		  .offset = offsetof(struct memory_patch, summary),
		  .given_offset = offsetof(struct memory_patch, has_summary) },
		{ .key = "agent_state_item_updates", .type = FIELD_LIST,
		  .offset = offsetof(struct memory_patch, items) },
		{ .key = "agent_state_updates", .type = FIELD_JSON,
		  .offset = offsetof(struct memory_patch, updates) },
		{ .key = "agent_state", .type = FIELD_JSON, .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct memory_patch, state),
		  .given_offset = offsetof(struct memory_patch, has_state) },
	};
	char tag[ETAG_BYTES];
	struct conversation c;
	struct memory m, base;
	struct memory_patch b;
	int64_t last;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &b, sizeof(b), e) < 0)
		return -1;
	if (b.has_state)
		return clear(rq, rs, &b, e);
	if (load_to_change(rq, &c, &last, &base, e) < 0 ||
	    etag_wanted(rq, etag_row(base.number, tag), e) < 0 ||
	    hold_check(rq->app->db, rq->conf, &rq->by.owner, e) < 0)
		return -1;
	m = base;
	if ((!base.number && newest(rq, &c, &m.seen_seq, e) < 0) ||
	    apply(rq, &b, &m, e) < 0 ||
	    store_edited(rq, &c, last, &base, &m, MEMORY_EDITED, e) < 0)
		return -1;
	write_memory(rs, rq, &c, &m);
	return 0;
}

int remembered_remove(struct request *rq, struct err *e)
{
	struct conversation c;
	struct memory m, base;
	int64_t last;

	if (load_to_change(rq, &c, &last, &base, e) < 0)
		return -1;
	m = (struct memory){ .upto_seq = base.upto_seq, .summary = STR("") };
	return newest(rq, &c, &m.seen_seq, e) < 0 ? -1
		: store_edited(rq, &c, last, &base, &m, MEMORY_REMOVED, e);
}

int remembered_edit(struct request *rq, struct str summary, struct err *e)
{
	struct conversation c;
	struct memory m, base;
	int64_t last;

	if (utf8_chars(summary) > LIM_SUMMARY_CHARS)
		return err_field(e, ERR_INVALID_FIELD, "summary", "The summary may have at "
				 "most %d characters.", LIM_SUMMARY_CHARS);
	if (load_to_change(rq, &c, &last, &base, e) < 0 ||
	    hold_check(rq->app->db, rq->conf, &rq->by.owner, e) < 0)
		return -1;
	m = base;
	m.summary = summary.n ? summary : STR("");
	return !base.number && newest(rq, &c, &m.seen_seq, e) < 0 ? -1
		: store_edited(rq, &c, last, &base, &m, MEMORY_EDITED, e);
}

/* -- promoting ----------------------------------------------------------------------- */

/* The entity's id is that of the item, so that it is made once. */
static struct uuid promoted_id(const struct conversation *c, struct str id, int kind)
{
	char text[UUID_TEXT_BYTES];
	struct uuid in = uuid_of_name(str_of(uuid_format(&c->id, text)),
				      str_of(entity_kinds[kind].name));

	return uuid_of_name(str_of(uuid_format(&in, text)), id);
}

/* The item is resolved, and the entity known, from now on. */
static int note_promoted(struct request *rq, const struct conversation *c, int64_t last,
			 const struct memory *base, struct str id, const char *kind,
			 const struct resource_row *row, struct err *e)
{
	json_t *state = state_read(rq->arena, base->state);
	const json_t *item = jx_find(jx_arr(state, "items"), "id", id);
	char entity[UUID_TEXT_BYTES];
	json_t *related = json_pack("[s]", uuid_format(&row->id, entity)), *other;
	struct memory m = *base;
	json_auto_t *items = NULL;
	size_t i;

	json_array_foreach(jx_arr(item, "relatedEntityIds"), i, other)
		if (strcmp(json_string_value(other), entity))
			json_array_append(related, other);
	items = json_pack("[{s:s, s:o, s:{s:s, s:o}}]", "op", "update", "id", jx_string(id),
			  "patch", "status", "resolved", "relatedEntityIds", related);
	if (item && state_apply(state, items, NULL, STATE_BY_USER, (struct str){ NULL, 0 },
				clock_now_us()))
		return err_set(e, ERR_INTERNAL, "an item that was promoted");
	state_entity(state, str_of(entity), str_of(kind), resource_title(
		resource_of_kind(str_of(kind)), row));
	m.state = str_of(jx_text(rq->arena, state));
	return m.state.n > LIM_STATE_BYTES ? 0
		: store_edited(rq, c, last, base, &m, MEMORY_EDITED, e);
}

int remembered_promote(struct request *rq, struct str id, struct str kind,
		       const struct resource **r, struct resource_answer *out, struct err *e)
{
	const int k = entity_kind_of(kind.n ? kind : STR("task"));
	struct resource_call call = { .verb = VERB_CREATE };
	struct conversation c;
	struct memory base;
	const json_t *state, *item;
	struct str title, more;
	struct uuid key;
	int64_t last;

	if (k < 0 || k == ENTITY_PROJECT)
		return err_field(e, ERR_INVALID_FIELD, "kind", "There is no such kind.");
	if (load_to_change(rq, &c, &last, &base, e) < 0)
		return -1;
	state = state_read(rq->arena, base.state);
	item = jx_find(jx_arr(state, "items"), "id", id);
	title = jx_str(item, "title");
	more = jx_str(item, "details");
	if (!item)
		title = jx_str(jx_find(jx_arr(state, "assumptions"), "id", id), "hypothesis");
	if (!title.n)
		return err_set(e, ERR_NOT_FOUND, "no such item");
	if (!c.context.project_id.n)
		return err_public(e, ERR_CONFLICT, "This conversation is about no project.");
	key = promoted_id(&c, id, k);
	call.r = *r = &resources[entity_kinds[k].resource];
	call.parent = c.context.project_id;
	call.key = &key;
	call.body = jx_keep(rq->arena, json_pack(
		"{s:o, s:o*}", "title", jx_string(utf8_head(title, PROMOTED_CHARS)),
		"description", more.n || utf8_chars(title) > PROMOTED_CHARS
		? jx_string(more.n ? more : title) : NULL));
	if (resource_call(&rq->by, &call, out, e) < 0)
		return -1;
	return note_promoted(rq, &c, last, &base, id, entity_kinds[k].name, out->items[0].row,
			     e);
}

struct promote_body {
	struct str id, kind;
};

/*
 * POST /conversations/{c}/memory/promote {id, kind?}: 201 the record of the entity that an
 * open item or an assumption of the agent state becomes, with kind and projectId; the item is
 * resolved. 404; 409 conflict if the conversation is about no project; 422.
 */
int api_memory_promote(struct request *rq, struct response *rs, struct err *e)
{
	static const struct field fields[] = {
		{ .key = "id", .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
		  .max_chars = 64, .offset = offsetof(struct promote_body, id) },
		{ .key = "kind", .type = FIELD_TEXT, .flags = FIELD_NULLABLE,
		  .max_chars = 64, .offset = offsetof(struct promote_body, kind) },
	};
	struct resource_answer *out = arena_new(rq->arena, struct resource_answer);
	const struct resource *r;
	struct promote_body b;
	struct jw w;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &b, sizeof(b), e) < 0 ||
	    remembered_promote(rq, b.id, b.kind, &r, out, e) < 0)
		return -1;
	w = resp_json(rs, 201);
	jw_obj(&w);
	jw_kstrz(&w, "kind", resource_kind(r));
	jw_kuuid(&w, "projectId", &out->items[0].row->holder);
	resource_record(&w, &rq->by, r, &out->done, &out->items[0]);
	jw_end_obj(&w);
	return 0;
}

/*
 * DELETE /conversations/{c}/memory: 204. Summary, agent state, facts and all earlier
 * versions are deleted. Messages that were in the summary are not sent again, but stay in
 * the thread. 404; 409 without messages.
 */
int api_memory_delete(struct request *rq, struct response *rs, struct err *e)
{
	if (remembered_remove(rq, e) < 0)
		return -1;
	resp_empty(rs, 204);
	return 0;
}

/*
 * GET /conversations/{c}/memory/versions: 200 {items, totalCount, nextCursor: null}, the
 * versions that are kept, newest first: what each replaced and why; current: it belongs to
 * the thread as it is, not to a variant. 404.
 */
int api_memory_versions(struct request *rq, struct response *rs, struct err *e)
{
	struct conversation c;
	struct memory *v;
	struct jw w;
	size_t n;

	if (api_conversation_of_path(rq, &c, e) < 0 ||
	    memory_list(rq->app->db, &rq->by.owner, &c.id, rq->arena, &v, &n, e) < 0)
		return -1;
	w = api_page_items(rs);
	for (size_t i = 0; i < n; i++)
		memory_write(&w, &c.id, &v[i], false, rq->arena);
	api_page_items_end(&w, (int64_t)n);
	return 0;
}

/*
 * GET /conversations/{c}/memory/facts?q=&cursor=&pageSize=: 200 {items, totalCount: null,
 * nextCursor}, newest first: what tools changed and the user decided; q: that have this
 * text. 404.
 */
int api_memory_facts(struct request *rq, struct response *rs, struct err *e)
{
	struct conversation c;
	struct fact *v;
	struct str words;
	int64_t before;
	size_t size, n;
	struct jw w;

	if (req_query(rq, "q", &words, e) < 0 || api_page_seq(rq, &before, e) < 0 ||
	    api_page_size(rq, &size, e) < 0 || api_conversation_of_path(rq, &c, e) < 0 ||
	    memory_facts(rq->app->db, &rq->by.owner, &c.id, before ? before : INT64_MAX,
			 words, size + 1, rq->arena, &v, &n, e) < 0)
		return -1;
	w = api_page_items(rs);
	for (size_t i = 0; i < MIN(n, size); i++)
		memory_fact_write(&w, &c.id, &v[i]);
	jw_end_arr(&w);
	jw_kint_if(&w, "totalCount", false, 0);
	api_page_write_next_seq(&w, n > size ? v[size - 1].seq : 0);
	jw_end_obj(&w);
	return 0;
}
