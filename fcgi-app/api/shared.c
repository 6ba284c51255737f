/* SPDX-License-Identifier: MIT */
/*
 * Conversations of others that the caller may read (store/shared.h). Who may read which
 * is the resource conversation-shares. Of the metadata of messages, readers get what is
 * listed here, so that what is added to it later is not shared unawares.
 */
#include "api/shared.h"

#include "api/api.h"
#include "api/page.h"
#include "app.h"
#include "base/cursor.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "resource/call.h"
#include "store/shared.h"

#include "base/banned.h"

struct shared_reader api_shared_reader(struct request *rq)
{
	const struct resource_at at = resource_for(&rq->by);

	return (struct shared_reader){ rq->by.owner.tenant_id,
		resource_ids_json(at.readers, at.n_readers, rq->arena) };
}

/* {id, title, owner, workspaceId, agentId, live, tools, files, sharedAt, updatedAt} */
static void write_share(struct jw *w, const struct shared *s)
{
	jw_obj(w);
	jw_kuuid(w, "id", &s->id);
	jw_kstr(w, "title", s->title);
	jw_kstr(w, "owner", s->owner);
	jw_kstr(w, "workspaceId", s->workspace_id);
	jw_kstr(w, "agentId", s->agent_id);
	jw_kbool(w, "live", s->live);
	jw_kbool(w, "tools", s->tools);
	jw_kbool(w, "files", s->files);
	jw_ktime(w, "sharedAt", s->created_us);
	jw_key(w, "updatedAt");
	if (s->live)
		jw_time(w, s->updated_us);
	else
		jw_null(w);
	jw_end_obj(w);
}

/*
 * GET /shared-conversations?cursor=&pageSize=: 200 {items: [SharedConversation],
 * totalCount: null, nextCursor}, the newest first.
 */
int api_shared_list(struct request *rq, struct response *rs, struct err *e)
{
	const struct shared_reader by = api_shared_reader(rq);
	struct buf b = BUF_INIT(LIM_CURSOR_BYTES);
	struct uuid before = { { 0 } };
	struct shared *items;
	json_t *cursor;
	struct jw w, c;
	size_t size, n, shown;

	if (api_page_cursor(rq, &cursor, e) < 0 || api_page_size(rq, &size, e) < 0)
		return -1;
	if (cursor && !uuid_parse(jx_str(cursor, "id"), &before))
		return err_set(e, ERR_INVALID_CURSOR, "not a share's");
	if (shared_list(rq->app->db, &by, &before, size + 1, rq->arena, &items, &n, e) < 0)
		return -1;
	shown = MIN(n, size);
	w = api_page_items(rs);
	for (size_t i = 0; i < shown; i++)
		write_share(&w, &items[i]);
	jw_end_arr(&w);
	jw_key(&w, "totalCount");
	jw_null(&w);
	if (n > size) {
		c = jw_on(&b);
		jw_obj(&c);
		jw_kuuid(&c, "id", &items[shown - 1].id);
		jw_end_obj(&c);
	}
	cursor_write(&w, n > size ? buf_str(&b) : (struct str){ NULL, 0 });
	buf_release(&b);
	jw_end_obj(&w);
	return 0;
}

/* GET /shared-conversations/{share}: 200 SharedConversation. 404. */
int api_shared_get(struct request *rq, struct response *rs, struct err *e)
{
	const struct shared_reader by = api_shared_reader(rq);
	struct shared s;
	struct jw w;

	if (shared_get(rq->app->db, &by, route_arg_uuid(rq, "share"), rq->arena, &s, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	write_share(&w, &s);
	return 0;
}

/* What readers get of the metadata, and of a share that has more. */
static const char *const always[] = { "finish_reason", "error", "continues", "capped",
	"corrected" };
static const char *const of_tools[] = { "step", "toolCalls", "callId", "toolName",
	"isError", "durationMs", "truncated", "steps" };

static void keep(json_t *out, const json_t *meta, const char *const *keys, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		json_t *v = json_object_get(meta, keys[i]);

		if (v)
			json_object_set(out, keys[i], v);
	}
}

/* The names of attached files, without their ids: their bytes are the owner's. */
static void keep_files(json_t *out, const json_t *meta)
{
	json_auto_t *files = json_array();
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(meta, "attachments"), i, f)
		json_array_append_new(files, json_pack("{s:O}", "name",
						       json_object_get(f, "name")));
	if (json_array_size(files))
		json_object_set(out, "attachments", files);
}

void api_shared_reduce(struct request *rq, const struct shared *s, struct message *m)
{
	struct err bad = ERR_INIT;
	json_auto_t *meta = m->meta.n ? jx_load(m->meta, &bad) : NULL;
	json_auto_t *out = json_object();
	struct buf b = BUF_INIT(LIM_PAGE_BYTES);
	struct jw w = jw_on(&b);

	keep(out, meta, always, ARRAY_LEN(always));
	if (s->tools)
		keep(out, meta, of_tools, ARRAY_LEN(of_tools));
	if (s->files)
		keep_files(out, meta);
	jw_json(&w, out);
	m->meta = buf_ok(&b) ? arena_str(rq->arena, buf_str(&b)) : STR("{}");
	buf_release(&b);
	m->variant_index = m->variant_count = 0;
}

/*
 * GET /shared-conversations/{share}/messages?cursor=&pageSize=: 200 {items: [Message],
 * totalCount: null, nextCursor}, newest first; with steps and results of tools if the
 * share has them. 404 if it was revoked.
 */
int api_shared_messages(struct request *rq, struct response *rs, struct err *e)
{
	const struct shared_reader by = api_shared_reader(rq);
	struct message_scope scope;
	struct message_page page;
	struct shared s;
	struct jw w;
	int64_t seq;
	size_t size;

	if (api_page_seq(rq, &seq, e) < 0 || api_page_size(rq, &size, e) < 0 ||
	    shared_get(rq->app->db, &by, route_arg_uuid(rq, "share"), rq->arena, &s, e) < 0)
		return -1;
	if (s.upto_seq && seq > s.upto_seq)
		seq = 0;
	if (shared_messages(rq->app->db, &by, &s, seq, size, rq->arena, &page, e) < 0)
		return -1;
	for (size_t i = 0; i < page.n; i++)
		api_shared_reduce(rq, &s, &page.items[i]);
	/* Readers know it by the share. */
	scope = (struct message_scope){
		.workspace_id = page.workspace_id, .agent_id = page.agent_id,
		.conversation_id = s.id, .style = RECORD_PLAIN, .said = !s.tools,
	};
	w = api_page_items(rs);
	message_write_all(&w, &scope, page.items, page.n);
	jw_end_arr(&w);
	jw_key(&w, "totalCount");
	jw_null(&w);
	api_page_write_next_seq(&w, page.next_seq);
	jw_end_obj(&w);
	return 0;
}

/*
 * POST /public-links/{id}/revoke: 204: a link of anybody's leads nowhere from now on. What it
 * showed stays its owner's. 404.
 */
int api_public_link_revoke(struct request *rq, struct response *rs, struct err *e)
{
	const struct uuid *id = route_arg_uuid(rq, "id");
	char text[UUID_TEXT_BYTES];

	if (shared_link_revoke(rq->app->db, rq->by.owner.tenant_id, id, e) < 0)
		return -1;
	log_info("public link revoked", "link", uuid_format(id, text));
	resp_empty(rs, 204);
	return 0;
}
