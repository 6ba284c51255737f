/* SPDX-License-Identifier: MIT */
/*
 * Conversations of others that the caller may read (store/shared.h). Who may read which
 * is the resource conversation-shares. Of the metadata of messages, readers get what is
 * listed here, so that what is added to it later is not shared unawares.
 */
#include "api/shared.h"

#include <stdio.h>

#include "api/api.h"
#include "api/idempotent.h"
#include "api/page.h"
#include "api/scope.h"
#include "app.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/fields.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "event/notify.h"
#include "hold/stored.h"
#include "prompt/origin.h"
#include "resource/call.h"
#include "store/shared.h"

#include "base/banned.h"

/* -- forking --------------------------------------------------------------- */

/*
 * Going on with a conversation that somebody else shares: a copy of what the caller may
 * read of it, as a conversation of their own. Its messages stay somebody else's words: each
 * row says so in its origins, which taint the turns that have it in their context, so that
 * nothing is changed unasked because of them (prompt/origin.def). Rejected: the chat as a
 * file of a new one, in which nothing could be edited, answered again or searched.
 */

/* What is copied: newest first, until it is turned round. */
struct share_copy {
	struct message *rows;
	size_t n;
	int64_t bytes;
};

/* Reads the newest messages, as many as one fork may have. */
static int read_rows(struct request *rq, const struct shared_reader *by,
		     const struct shared *s, struct share_copy *out, struct err *e)
{
	struct message_page page;
	int64_t before = 0;

	out->rows = arena_zalloc(rq->arena, LIM_SHARED_FORK_ROWS, sizeof(*out->rows));
	do {
		if (shared_messages(rq->app->db, by, s, before,
				    MIN(LIM_PAGE_MAX, LIM_SHARED_FORK_ROWS - out->n),
				    rq->arena, &page, e) < 0)
			return -1;
		for (size_t i = 0; i < page.n; i++) {
			out->bytes += (int64_t)(page.items[i].content.n +
						page.items[i].meta.n);
			/*
			 * The newest is taken whatever its size: a fork of nothing would be
			 * of no use.
			 */
			if (out->n && out->bytes > LIM_SHARED_FORK_BYTES)
				return 0;
			out->rows[out->n++] = page.items[i];
		}
		before = page.next_seq;
	} while (page.more && out->n < LIM_SHARED_FORK_ROWS);
	return 0;
}

/*
 * Oldest first, from a message of the user to an answer: a conversation begins with what
 * somebody said, and words of others are not to be answered as if the caller said them.
 */
static void turn_round(struct share_copy *c)
{
	size_t first = 0;

	while (first < c->n && c->rows[first].kind != KIND_ANSWER)
		first++;
	while (c->n > first && c->rows[c->n - 1].kind != KIND_MESSAGE)
		c->n--;
	c->rows += first;
	c->n -= first;
	for (size_t i = 0; i < c->n / 2; i++) {
		struct message m = c->rows[i];

		c->rows[i] = c->rows[c->n - 1 - i];
		c->rows[c->n - 1 - i] = m;
	}
}

/* The number that a row gets; 0: it is not copied. */
static int64_t number_of(const struct share_copy *c, int64_t seq)
{
	for (size_t i = 0; seq && i < c->n; i++)
		if (c->rows[i].seq == seq)
			return (int64_t)i + 1;
	return 0;
}

/* The metadata that readers get, behind whose words it is. */
static struct str own_meta(struct request *rq, const struct shared *s,
			   const struct message *m)
{
	struct str meta = m->meta;
	struct origins from = { .n = 0 };
	struct buf b = BUF_INIT(2 * LIM_PAGE_BYTES);
	struct jw w = jw_on(&b);
	struct str out;

	origins_add(&from, ORIGIN_SHARED_MESSAGES, s->owner.p ? s->owner : STR("somebody"));
	jw_obj(&w);
	jw_key(&w, "origins");
	origins_write(&w, &from);
	if (m->kind == KIND_RESULT)
		jw_kbool(&w, "untrusted", true);
	jw_end_obj(&w);
	if (meta.n > 2) {	/* {"a":1}, without what is before the members */
		b.n--;
		buf_addc(&b, ',');
		buf_add(&b, meta.p + 1, meta.n - 1);
	}
	out = arena_str(rq->arena, buf_str(&b));
	buf_release(&b);
	return out;
}

static void make_own(struct request *rq, const struct shared *s, struct share_copy *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct message *m = &c->rows[i], read = *m;

		api_shared_reduce(rq, s, false, &read);
		*m = (struct message){
			.seq = read.seq,	/* by which others name it until the end */
			.role = read.role, .created_us = read.created_us,
			.content = read.content, .meta = own_meta(rq, s, &read),
			.kind = read.kind, .finish_reason = read.finish_reason,
			.continues_seq = number_of(c, read.continues_seq),
		};
	}
	for (size_t i = 0; i < c->n; i++)
		c->rows[i].seq = (int64_t)i + 1;
}

/* The agent of the conversation, if the caller sees it; else their own default. */
static int find_agent(struct request *rq, const struct shared *s,
		      const struct workspace **w, const struct agent **a, struct err *e)
{
	if (target_scope(&rq->by, s->workspace_id, s->agent_id, w, a, e) == 0)
		return 0;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return scope_default(rq, (struct str){ NULL, 0 }, w, a, e);
}

static int fork_now(struct request *rq, const struct uuid *id, struct err *e)
{
	const struct shared_reader by = api_shared_reader(rq);
	struct conversation_new n = { .id = id };
	const struct workspace *w;
	const struct agent *a;
	struct shared s;
	struct share_copy c = { .n = 0 };

	if (shared_get(rq->app->db, &by, route_arg_uuid(rq, "share"), rq->arena, &s,
		       e) < 0 ||
	    find_agent(rq, &s, &w, &a, e) < 0 ||
	    read_rows(rq, &by, &s, &c, e) < 0)
		return -1;
	turn_round(&c);
	if (!c.n)
		return err_public(e, ERR_CONFLICT, "Nothing in it was answered yet.");
	make_own(rq, &s, &c);
	n.workspace_id = str_of(w->id);
	n.agent_id = str_of(a->id);
	n.title = s.title;
	if (hold_take(rq->app->db, rq->conf, &rq->by.owner, c.bytes, &rq->storing, e) < 0 ||
	    shared_fork(rq->app->db, &rq->by.owner, &by, &s, &n, c.rows, c.n, e) < 0)
		return -1;
	notify_conversation(rq->app->notify, &rq->by.owner, id, "created", s.title);
	rq->jobs_asked = true;	/* to index it */
	return 0;
}

/*
 * POST /shared-conversations/{share}/fork: 201 Conversation with Location: a new one of the
 * caller's with what they may read of the share: from its newest messages those up to the
 * last answer, at most LIM_SHARED_FORK_ROWS and LIM_SHARED_FORK_BYTES, with tool calls and
 * names of files if the share has them. Of the same agent, if the caller sees it, else of
 * their default one. 404; 409 conflict if nothing was answered; 413 if the caller would
 * store too much. A repeated Idempotency-Key: the same conversation, as it is now.
 */
int api_shared_fork(struct request *rq, struct response *rs, struct err *e)
{
	char share[UUID_TEXT_BYTES], text[UUID_TEXT_BYTES], where[UUID_TEXT_BYTES + 32];
	struct conversation c;
	struct uuid id;
	struct jw w;
	int key, before;

	if (!policy_may(rq->by.who, PERM_CONVERSATIONS_SHARE))
		return err_public(e, ERR_FORBIDDEN, "This needs the permission %s.",
				  permission_rows[PERM_CONVERSATIONS_SHARE].name);
	/* It takes nothing. */
	if (fields_read(NULL, 0, rq->body, text, 0, e) < 0)
		return -1;
	/* The same key for another share is another conversation. */
	key = idempotent_id(rq, arena_printf(rq->arena, "share/%s", uuid_format(
		route_arg_uuid(rq, "share"), share)), &id, e);
	if (key == 0)
		id = uuid_new();
	before = key > 0 ? idempotent_conversation(rq, &id, &c, e) : key;
	if (before < 0 || (!before && fork_now(rq, &id, e) < 0) ||
	    conversation_get(rq->app->db, &rq->by.owner, &id, rq->arena, &c, e) < 0)
		return -1;
	/* Relative to …/shared-conversations/{share}/fork. */
	snprintf(where, sizeof(where), "../../conversations/%s", uuid_format(&id, text));
	resp_header(rs, "Location", where);
	w = resp_json(rs, 201);
	conversation_write(&w, &c, clock_now_us());
	return 0;
}

/* -- reading --------------------------------------------------------------- */

struct shared_reader api_shared_reader(struct request *rq)
{
	const struct resource_at at = resource_for(&rq->by);

	return (struct shared_reader){ rq->by.owner.tenant_id,
		resource_ids_json(at.readers, at.n_readers, rq->arena), rq->by.owner.user_id };
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
static const char *const of_cites[] = { "citations" };

static void copy_members(json_t *out, const json_t *meta, const char *const *keys, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		json_t *v = json_object_get(meta, keys[i]);

		if (v)
			json_object_set(out, keys[i], v);
	}
}

/* Of the objects of a list, one member. */
static void copy_list(json_t *out, const json_t *meta, const char *key, const char *member)
{
	json_auto_t *list = json_array();
	const json_t *from;
	size_t i;

	json_array_foreach(json_object_get(meta, key), i, from)
		json_array_append_new(list, json_pack("{s:O}", member,
						      json_object_get(from, member)));
	if (json_array_size(list))
		json_object_set(out, key, list);
}

void api_shared_reduce(struct request *rq, const struct shared *s, bool cites,
		       struct message *m)
{
	struct err bad = ERR_INIT;
	json_auto_t *meta = m->meta.n ? jx_load(m->meta, &bad) : NULL;
	json_auto_t *out = json_object();
	struct buf b = BUF_INIT(LIM_PAGE_BYTES);
	struct jw w = jw_on(&b);

	copy_members(out, meta, always, ARRAY_LEN(always));
	if (s->tools)
		copy_members(out, meta, of_tools, ARRAY_LEN(of_tools));
	/* Without their ids: the bytes of files are the owner's. */
	if (s->files)
		copy_list(out, meta, "attachments", "name");
	/* What is behind a number they get if they may see it (api_shared_source_list). */
	if (cites) {
		copy_list(out, meta, "sources", "number");
		copy_members(out, meta, of_cites, ARRAY_LEN(of_cites));
	}
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
		api_shared_reduce(rq, &s, true, &page.items[i]);
	/* Readers know it by the share. */
	scope = (struct message_scope){
		.workspace_id = page.workspace_id, .agent_id = page.agent_id,
		.conversation_id = s.id, .style = RECORD_PLAIN, .dialogue = !s.tools,
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
