/* SPDX-License-Identifier: MIT */
/*
 * Conversations, in both forms: /conversations for all of the caller's, and below
 * an agent (B28 to B32). They differ in the path only; the record is the same
 * (conversation_write).
 */
#include "api/api.h"

#include <stdio.h>

#include "knowledge/retrieve.h"
#include "api/etag.h"
#include "api/idempotent.h"
#include "api/page.h"
#include "api/scope.h"
#include "app.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/fields.h"
#include "base/limits.h"
#include "memory/memory.h"
#include "resource/call.h"
#include "store/conversation.h"
#include "store/turn.h"
#include "event/live.h"
#include "event/notify.h"
#include "context/place.h"
#include "event/texts.h"
#include "turn/turn.h"

#include "base/banned.h"

/*
 * The position in {"u":updated_us,"id":"…"}, in the list of an agent
 * {"c":created_us,"id":"…"}: a cursor of one list is not valid for the other.
 */
static int read_key(struct request *rq, const struct conversation_filter *f,
		    struct conversation_key *key, bool *given, struct err *e)
{
	json_t *j;

	*given = false;
	if (api_page_cursor(rq, &j, e) < 0)
		return -1;
	if (!j)
		return 0;
	key->updated_us = jx_int(j, f->by_creation ? "c" : "u", -1);
	if (key->updated_us < 0 || !uuid_parse(jx_str(j, "id"), &key->id))
		return err_set(e, ERR_INVALID_CURSOR, "not a conversation's");
	*given = true;
	return 0;
}

static void write_next(struct jw *w, const struct conversation_filter *f,
		       const struct conversation_page *page)
{
	struct buf b = BUF_INIT(LIM_CURSOR_BYTES);
	struct jw c = jw_on(&b);

	if (page->more) {
		jw_obj(&c);
		jw_kint(&c, f->by_creation ? "c" : "u", page->next.updated_us);
		jw_kuuid(&c, "id", &page->next.id);
		jw_end_obj(&c);
	}
	cursor_write(w, page->more ? buf_str(&b) : (struct str){ NULL, 0 });
	buf_release(&b);
}

/* A parameter that is true or false. */
static int read_flag(struct request *rq, const char *name, bool *out, struct err *e)
{
	struct str v;

	if (req_query(rq, name, &v, e) < 0)
		return -1;
	*out = str_is(v, "true");
	return *out || !v.p || str_is(v, "false") ? 0
		: err_field(e, ERR_INVALID_FIELD, name, "%s must be true or false.",
			    name);
}

/* Which of the lists: the archived ones, the pinned ones, those of a folder or a tag. */
static int read_shelf(struct request *rq, struct conversation_filter *f,
		      struct err *e)
{
	struct str folder;
	bool archived, clients;

	if (read_flag(rq, "archived", &archived, e) < 0 ||
	    read_flag(rq, "clients", &clients, e) < 0 ||
	    read_flag(rq, "pinned", &f->pinned, e) < 0 ||
	    req_query(rq, "folderId", &folder, e) < 0 ||
	    req_query_text(rq, "tag", LIM_TAG_CHARS, &f->tag, e) < 0)
		return -1;
	f->shelf = archived ? SHELF_ARCHIVED : clients ? SHELF_CLIENTS : SHELF_OWN;
	if (f->tag.p && !f->tag.n)
		f->tag.p = NULL;
	if (folder.n && !uuid_parse(folder, &f->folder))
		return err_field(e, ERR_INVALID_FIELD, "folderId",
				 "folderId must be a folder's id.");
	if (f->pinned && (f->shelf || folder.n || f->tag.p || f->title.p ||
			  f->agent_id.p))
		return err_field(e, ERR_INVALID_FIELD, "pinned",
				 "pinned goes with workspaceId only.");
	return 0;
}

/* The workspace, agent and part of the title that restrict the list. */
static int read_filter(struct request *rq, struct conversation_filter *f,
		       struct err *e)
{
	const struct workspace *w;
	const struct agent *a;

	*f = (struct conversation_filter){ .workspace_id = { NULL, 0 } };
	if (scope_path(rq, &w, &a, e) < 0)
		return -1;
	if (w)
		f->workspace_id = str_of(w->id);
	else if (req_query(rq, "workspaceId", &f->workspace_id, e) < 0)
		return -1;
	f->by_creation = w && a;
	if (a)
		f->agent_id = str_of(a->id);
	else if (!w && req_query(rq, "agentId", &f->agent_id, e) < 0)
		return -1;
	if (f->workspace_id.p && !slug_valid(f->workspace_id))
		return err_field(e, ERR_INVALID_FIELD, "workspaceId",
				 "workspaceId must be a workspace's id.");
	if (f->agent_id.p && !slug_valid(f->agent_id))
		return err_field(e, ERR_INVALID_FIELD, "agentId",
				 "agentId must be an agent's id.");
	if (req_query_text(rq, "q", LIM_TITLE_CHARS, &f->title, e) < 0)
		return -1;
	if (f->title.p && !f->title.n)
		f->title.p = NULL;
	return f->by_creation ? 0 : read_shelf(rq, f, e);
}

/* What include= adds to a list. */
struct beside {
	bool pinned, clients;	/* asked for */
	struct conversation_page pins, others;
};

/* The conversations that are pinned, and whether there are any of programs. */
static int read_beside(struct request *rq, struct beside *b, struct err *e)
{
	struct conversation_filter f = { .pinned = true };
	struct str rest, one;

	*b = (struct beside){ .pinned = false };
	if (req_query(rq, "include", &rest, e) < 0)
		return -1;
	while (rest.n) {
		one = str_cut(&rest, ',');
		b->pinned |= str_is(one, "pinned");
		b->clients |= str_is(one, "clients");
		if (!str_is(one, "pinned") && !str_is(one, "clients"))
			return err_field(e, ERR_INVALID_FIELD, "include",
					 "include may have pinned and clients, "
					 "separated by a comma.");
	}
	if (!b->pinned && !b->clients)
		return 0;
	if (req_query(rq, "workspaceId", &f.workspace_id, e) < 0 ||
	    (b->pinned && conversation_list(rq->app->db, &rq->by.owner, &f, NULL,
					    LIM_PAGE_MAX, rq->arena, &b->pins, e) < 0))
		return -1;
	f.pinned = false;
	f.shelf = SHELF_CLIENTS;
	return b->clients ? conversation_list(rq->app->db, &rq->by.owner, &f, NULL, 1,
					      rq->arena, &b->others, e) : 0;
}

static void write_beside(struct jw *w, const struct beside *b, int64_t now_us)
{
	if (b->pinned) {
		jw_key(w, "pinned");
		jw_arr(w);
		for (size_t i = 0; i < b->pins.n; i++)
			conversation_write(w, &b->pins.items[i], now_us);
		jw_end_arr(w);
	}
	if (b->clients)
		jw_kbool(w, "hasClients", b->others.n > 0);
}

/*
 * GET /conversations?workspaceId=&agentId=&q=&archived=&pinned=&folderId=&tag=&clients=
 *     &include=&cursor=&pageSize=
 * GET /workspaces/{w}/agents/{a}/conversations?q=&cursor=&pageSize=
 * 200 {items: [Conversation], totalCount, nextCursor}, newest first: by
 * updatedAt, in the list of an agent by createdAt (B28); q is part of the title,
 * case-insensitive. totalCount is null for a caller with more than LIM_COUNTED;
 * with a filter, a page may be short or empty although there are more. include=: also
 * pinned[], as with pinned=true, and hasClients, whether clients=true has any.
 */
int api_conversation_list(struct request *rq, struct response *rs,
			  struct err *e)
{
	struct conversation_filter f;
	struct conversation_page page;
	struct conversation_key key;
	struct beside beside = { .pinned = false };
	int64_t total, now_us = clock_now_us();
	size_t size;
	bool given;
	struct jw w;

	if (read_filter(rq, &f, e) < 0 || read_key(rq, &f, &key, &given, e) < 0 ||
	    api_page_size(rq, &size, e) < 0 ||
	    conversation_list(rq->app->db, &rq->by.owner, &f,
			      given ? &key : NULL,
			      size, rq->arena, &page, e) < 0 ||
	    (!f.by_creation && read_beside(rq, &beside, e) < 0))
		return -1;
	/* A first page that is not full has all of them. */
	total = (int64_t)page.n;
	if ((given || page.more) && !f.pinned &&
	    conversation_count(rq->app->db, &rq->by.owner, &f, &total, e) < 0)
		return -1;
	w = api_page_items(rs);
	for (size_t i = 0; i < page.n; i++)
		conversation_write(&w, &page.items[i], now_us);
	jw_end_arr(&w);
	jw_key(&w, "totalCount");
	if (total < 0)
		jw_null(&w);
	else
		jw_int(&w, total);
	write_beside(&w, &beside, now_us);
	write_next(&w, &f, &page);
	jw_end_obj(&w);
	return 0;
}

/* Where its user is, as a body of conversations and agents has it. */
#define CONTEXT_FIELD(body, key_, member, max_) \
	{ .key = key_, .type = FIELD_TEXT, .flags = FIELD_NULLABLE | FIELD_LINE, \
	  .max_chars = max_, .offset = offsetof(struct body, context.member), \
	  .given_offset = offsetof(struct body, has.member) }
#define CONTEXT_FIELDS(body) \
	CONTEXT_FIELD(body, "contextType", context_type, 32), \
	CONTEXT_FIELD(body, "projectId", project_id, UUID_TEXT_BYTES - 1), \
	CONTEXT_FIELD(body, "focusId", focus_id, UUID_TEXT_BYTES - 1)

struct context_given {
	bool context_type, project_id, focus_id;
};

struct create_body {
	struct str workspace_id, agent_id, title;
	struct conversation_context context;
	struct context_given has;
	struct uuid id;
	json_t *knowledge;
};

/*
 * B5, B31: the ids as JSON; p == NULL for none: the agent's are used. The current ones
 * of the conversation (NULL: it is new) may be kept, even if they were deleted.
 */
static int read_knowledge(struct request *rq, const json_t *ids,
			  const struct uuid *conversation, struct str *out,
			  struct err *e)
{
	struct str old;

	return retrieve_set(&rq->by, conversation, rq->arena, &old, e) ||
		retrieve_set_check(&rq->by, ids, old, rq->arena,
				   out, e) ? -1 : 0;
}

/* Without surrounding blanks; p == NULL if there is nothing else. */
static struct str clean_title(struct str s)
{
	s = str_trim(s);
	return s.n ? s : (struct str){ NULL, 0 };
}

/* Creates it; with a used Idempotency-Key, returns the one created then. */
static int create_once(struct request *rq, struct conversation_new *n,
		       struct conversation *c, struct err *e)
{
	struct uuid id;
	int rc = idempotent_id(rq, "conversation", &id, e);

	if (rc < 0)
		return -1;
	if (rc && !n->id)
		n->id = &id;
	if (conversation_create(rq->app->db, &rq->by.owner, n, c, e) == 0) {
		notify_conversation(rq->app->notify, &rq->by.owner, &c->id,
				    "created", c->title);
		return 0;
	}
	if (!rc || e->code != ERR_CONFLICT)
		return -1;
	err_clear(e);
	rc = idempotent_conversation(rq, n->id, c, e);
	if (rc > 0 && str_eq(c->workspace_id, n->workspace_id) &&
	    str_eq(c->agent_id, n->agent_id))
		return 0;
	return rc < 0 ? -1 : rc > 0 ? err_key_differs(e)
		: err_set(e, ERR_CONFLICT, "the conversation id is taken");
}

/*
 * POST /conversations {workspaceId?, agentId?, title?, conversationId?,
 * knowledgeBaseIds?, contextType?, projectId?, focusId?}, below an agent without the first
 * two. Without workspaceId: the caller's default workspace (A28), and its default agent.
 * 201 Conversation, Location. 404 workspace or agent; 409 conflict when the id
 * is taken. A repeated Idempotency-Key: the same conversation, as it is now.
 */
int api_conversation_create(struct request *rq, struct response *rs,
			    struct err *e)
{
	/* Below an agent, the first two are in the path. */
	static const struct field fields[] = {
		{ .key = "workspaceId", .type = FIELD_SLUG,
		  .offset = offsetof(struct create_body, workspace_id) },
		{ .key = "agentId", .type = FIELD_SLUG,
		  .offset = offsetof(struct create_body, agent_id) },
		{ .key = "title", .type = FIELD_TEXT, .flags = FIELD_NULLABLE,
		  .max_chars = LIM_TITLE_CHARS,
		  .offset = offsetof(struct create_body, title) },
		{ .key = "conversationId", .type = FIELD_UUID,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct create_body, id) },
		{ .key = "knowledgeBaseIds", .type = FIELD_JSON,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct create_body, knowledge) },
		CONTEXT_FIELDS(create_body),
	};
	const size_t skip = route_has_arg(rq, "agent") ? 2 : 0;
	const struct workspace *ws;
	const struct agent *agent;
	struct conversation_new n;
	struct conversation c;
	struct create_body b;
	char where[64] = "conversations/", id[UUID_TEXT_BYTES];
	struct str set;
	struct jw w;

	if (fields_read(fields + skip, ARRAY_LEN(fields) - skip, rq->body, &b,
			sizeof(b), e) < 0 ||
	    read_knowledge(rq, b.knowledge, NULL, &set, e) < 0 ||
	    place_check(&rq->by, &b.context, e) < 0 ||
	    scope_path(rq, &ws, &agent, e) < 0)
		return -1;
	if (!ws && !b.workspace_id.p &&
	    scope_default(rq, b.agent_id, &ws, &agent, e) < 0)
		return -1;
	if (!ws)
		ws = scope_workspace(rq, b.workspace_id, e);
	if (ws && !agent)
		agent = scope_agent(rq, ws, b.agent_id, e);
	if (!ws || !agent)
		return -1;
	n = (struct conversation_new){
		.id = uuid_is_nil(&b.id) ? NULL : &b.id,
		.workspace_id = str_of(ws->id), .agent_id = str_of(agent->id),
		.title = clean_title(b.title), .knowledge = set,
		.context = b.context,
	};
	if (create_once(rq, &n, &c, e) < 0)
		return -1;
	w = resp_json(rs, 201);
	conversation_write(&w, &c, clock_now_us());
	snprintf(where, sizeof(where), "conversations/%s",
		 uuid_format(&c.id, id));
	resp_header(rs, "Location", where);
	return 0;
}

int api_conversation_of_path(struct request *rq, struct conversation *c,
			     struct err *e)
{
	const struct uuid *id = route_arg_uuid(rq, "conversation");
	const struct workspace *ws;
	const struct agent *agent;
	struct db *db = rq->app->db;
	bool closed;

	if (scope_path(rq, &ws, &agent, e) < 0 ||
	    conversation_get(db, &rq->by.owner, id, rq->arena, c, e) < 0)
		return -1;
	if ((ws && !str_is(c->workspace_id, ws->id)) ||
	    (agent && !str_is(c->agent_id, agent->id)))
		return err_set(e, ERR_NOT_FOUND, "another agent's");
	if (!uuid_is_nil(&c->running_turn_id) &&
	    !conversation_running(c, clock_now_us())) {
		if (store_turn_recover(db, &rq->by.owner, &c->running_turn_id,
				       event_texts, &closed, e) < 0)
			return -1;
		if (closed)
			notify_turn(rq->app->notify, &rq->by.owner,
				    &c->running_turn_id, id, TURN_INTERRUPTED);
		return conversation_get(db, &rq->by.owner, id, rq->arena, c, e);
	}
	return 0;
}

/* Answers with the record and its tag. */
static void answer(struct request *rq, struct response *rs,
		   const struct conversation *c)
{
	int64_t now_us = clock_now_us();
	char tag[ETAG_BYTES];
	struct jw w;

	etag_conversation(c, now_us, tag);
	if (rq->method == METHOD_PATCH)
		resp_header(rs, "ETag", tag);
	else if (etag_answer(rq, rs, tag))
		return;
	w = resp_json(rs, 200);
	conversation_write(&w, c, now_us);
}

/*
 * GET …/conversations/{c}: 200 Conversation with its ETag; 304 if that is in
 * If-None-Match.
 */
int api_conversation_get(struct request *rq, struct response *rs,
			 struct err *e)
{
	struct conversation c;

	if (api_conversation_of_path(rq, &c, e) < 0)
		return -1;
	answer(rq, rs, &c);
	return 0;
}

struct patch_body {
	struct str title;
	bool has_title, has_knowledge;
	json_t *knowledge;
	struct conversation_place place;
	struct conversation_context context;
	struct context_given has;
	int archived, pinned;
	json_t *tags;
};

static struct str tag_text(const json_t *tag)
{
	return (struct str){ json_string_value(tag), json_string_length(tag) };
}

/* Tags without surrounding blanks, each once, as they are stored. */
static struct str read_tags(struct request *rq, const json_t *tags)
{
	struct buf b = BUF_INIT(LIM_TAGS * (LIM_TAG_CHARS * 4 + 1) + 1);
	const json_t *t, *u;
	struct str out;
	size_t i, j, n = 0;

	json_array_foreach((json_t *)tags, i, t) {
		struct str s = str_trim(tag_text(t));
		bool twice = false;

		if (!s.n)
			continue;
		json_array_foreach((json_t *)tags, j, u)
			twice |= j < i && str_eq(str_trim(tag_text(u)), s);
		if (twice)
			continue;
		buf_addc(&b, '\n');
		buf_addstr(&b, s);
		n++;
	}
	if (n)
		buf_addc(&b, '\n');
	out = n ? arena_str(rq->arena, buf_str(&b)) : (struct str){ NULL, 0 };
	buf_release(&b);
	return out;
}

/* What the body says about its place in the lists. */
static int read_place(struct request *rq, struct patch_body *b, struct err *e)
{
	struct conversation_place *p = &b->place;
	struct resource_row row;

	p->has_archived = b->archived != 0;
	p->archived = b->archived > 0;
	p->has_pinned = b->pinned != 0;
	p->pinned = b->pinned > 0;
	if (p->has_tags)
		p->tags = read_tags(rq, b->tags);
	if (!p->has_folder || uuid_is_nil(&p->folder) ||
	    resource_visible(&rq->by, &resources[RESOURCE_CONVERSATION_FOLDER],
			     &p->folder, &row, e) == 0)
		return 0;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return err_field(e, ERR_INVALID_FIELD, "folderId",
			 "folderId must be one of your folders.");
}

/* Completes where its user is from what it has; a project that goes takes the rest along. */
static int read_context(struct request *rq, struct patch_body *b,
			const struct conversation_context *old, struct err *e)
{
	const struct context_given *has = &b->has;
	struct conversation_context *to = &b->context;

	if (!has->context_type && !has->project_id && !has->focus_id)
		return 0;
	if (!has->context_type)
		to->context_type = old->context_type;
	if (!has->focus_id && (!has->project_id || str_eq(to->project_id, old->project_id)))
		to->focus_id = old->focus_id;
	if (!has->project_id)
		to->project_id = old->project_id;
	if (!to->project_id.n && !has->context_type && place_of_project(to->context_type))
		to->context_type = (struct str){ NULL, 0 };
	return place_check(&rq->by, to, e);
}

/*
 * PATCH …/conversations/{c} {title?, knowledgeBaseIds?, archived?, pinned?, folderId?,
 * tags?, contextType?, projectId?, focusId?}: 200 Conversation. null removes the title, the
 * folder, the tags or the bases, as an empty list does, of bases unless all of them were
 * deleted; absent members are unchanged, but without its project a conversation has no focus
 * in it, and no context type that needs one. Archiving clears its agent state. 412 if its
 * ETag is not in If-Match.
 */
int api_conversation_patch(struct request *rq, struct response *rs,
			   struct err *e)
{
	static const struct field fields[] = {
		{ .key = "title", .type = FIELD_TEXT,
		  .flags = FIELD_NULLABLE | FIELD_FILLED,
		  .max_chars = LIM_TITLE_CHARS,
		  .offset = offsetof(struct patch_body, title),
		  .given_offset = offsetof(struct patch_body, has_title) },
		{ .key = "knowledgeBaseIds", .type = FIELD_JSON,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct patch_body, knowledge),
		  .given_offset = offsetof(struct patch_body,
					   has_knowledge) },
		{ .key = "archived", .type = FIELD_BOOL,
		  .offset = offsetof(struct patch_body, archived) },
		{ .key = "pinned", .type = FIELD_BOOL,
		  .offset = offsetof(struct patch_body, pinned) },
		{ .key = "folderId", .type = FIELD_UUID, .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct patch_body, place.folder),
		  .given_offset = offsetof(struct patch_body, place.has_folder) },
		{ .key = "tags", .type = FIELD_TEXTS,
		  .flags = FIELD_NULLABLE | FIELD_LINE,
		  .max_chars = LIM_TAG_CHARS, .max = LIM_TAGS,
		  .offset = offsetof(struct patch_body, tags),
		  .given_offset = offsetof(struct patch_body, place.has_tags) },
		CONTEXT_FIELDS(patch_body),
	};
	struct db *db = rq->app->db;
	struct patch_body b;
	struct conversation c;
	struct str set = { NULL, 0 };
	int64_t version, cleared = 0;
	bool limits, arranges, goes;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &b, sizeof(b),
			e) < 0 ||
	    api_conversation_of_path(rq, &c, e) < 0 ||
	    (b.has_knowledge &&
	     read_knowledge(rq, b.knowledge, &c.id, &set, e) < 0) ||
	    read_place(rq, &b, e) < 0 ||
	    read_context(rq, &b, &c.context, e) < 0 ||
	    etag_required(rq, &c, &version, e) < 0)
		return -1;
	limits = b.has_knowledge && (set.p || c.knowledge.p);
	if (b.has_title &&
	    conversation_rename_at(db, &rq->by.owner, &c.id,
				   clean_title(b.title), version, e) < 0)
		return -1;
	if (limits &&
	    conversation_limit_at(db, &rq->by.owner, &c.id, set,
				  b.has_title ? -1 : version, e) < 0)
		return -1;
	goes = b.has.context_type || b.has.project_id || b.has.focus_id;
	if (goes &&
	    conversation_context_at(db, &rq->by.owner, &c.id, &b.context,
				    b.has_title || limits ? -1 : version, e) < 0)
		return -1;
	arranges = b.place.has_archived || b.place.has_pinned ||
		b.place.has_folder || b.place.has_tags;
	if (arranges &&
	    conversation_arrange_at(db, &rq->by.owner, &c.id, &b.place,
				    b.has_title || limits || goes ? -1 : version,
				    e) < 0)
		return -1;
	/* Archiving closes it. */
	if (b.place.archived && memory_clear(db, &rq->by.owner, &c.id, rq->arena, &cleared, e) < 0)
		return -1;
	if (cleared)
		notify_refresh(rq->app->notify, &rq->by.owner, "memory", &c.id);
	if ((b.has_title || limits || goes || arranges) &&
	    conversation_get(db, &rq->by.owner, &c.id, rq->arena, &c, e) < 0)
		return -1;
	if (b.has_title) {
		notify_conversation(rq->app->notify, &rq->by.owner, &c.id,
				    "renamed", c.title);
		api_search_again(rq);
	} else if (arranges || goes) {
		notify_conversation(rq->app->notify, &rq->by.owner, &c.id,
				    "moved", c.title);
	}
	answer(rq, rs, &c);
	return 0;
}

int api_conversation_drop(struct request *rq, const struct conversation *c,
			  struct err *e)
{
	if (conversation_delete(rq->app->db, &rq->by.owner, &c->id, e) < 0)
		return -1;
	rq->jobs_asked = true;
	if (!uuid_is_nil(&c->running_turn_id))
		event_live_cancel(rq->app->live, &c->running_turn_id);
	notify_conversation(rq->app->notify, &rq->by.owner, &c->id, "deleted",
			    (struct str){ NULL, 0 });
	return 0;
}

int api_conversation_remove(struct request *rq, struct err *e)
{
	struct conversation c;

	return api_conversation_of_path(rq, &c, e) < 0 ? -1
		: api_conversation_drop(rq, &c, e);
}

/* DELETE …/conversations/{c}: 204; also deletes its messages and turns (B48). */
int api_conversation_delete(struct request *rq, struct response *rs,
			    struct err *e)
{
	if (api_conversation_remove(rq, e) < 0)
		return -1;
	resp_empty(rs, 204);
	return 0;
}
