/*
 * Messages: two read forms over one store query (A45 to A54, B33), and sending
 * below an agent (B34, B35).
 */
#include "api/api.h"

#include "api/etag.h"
#include "api/idempotent.h"
#include "api/page.h"
#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "base/limits.h"
#include "fields.h"
#include "page_cache.h"
#include "store/message.h"

#include "base/banned.h"

static void write_page(struct response *rs, struct message_scope *scope,
		       const struct message_page *page)
{
	struct jw w = resp_json(rs, 200);

	scope->workspace_id = page->workspace_id;
	scope->agent_id = page->agent_id;
	jw_obj(&w);
	jw_key(&w, "items");
	jw_arr(&w);
	message_write_all(&w, scope, page->items, page->n);
	jw_end_arr(&w);
	jw_key(&w, "totalCount");
	jw_null(&w);
	page_write_next_seq(&w, page->next_seq);
	jw_end_obj(&w);
}

/* Says which state of the thread this is; true when the client has it. */
static bool unchanged(struct request *rq, struct response *rs,
		      const struct message_page *page)
{
	char tag[ETAG_BYTES];

	return etag_answer(rq, rs, etag_page(page->version, tag));
}

/* The page that is read again and again: see page_cache.h. */
static int newest_page(struct request *rq, struct response *rs,
		       struct message_scope *scope, size_t size, struct err *e)
{
	struct page_key key = { scope->conversation_id, size };
	struct owner owner = scope_owner(rq);
	struct message_page page;
	struct page_state state;
	struct jw w;

	if (page_cache_has(rq->app->pages, &key)) {
		if (message_head(rq->app->db, &owner, &key.conversation_id,
				 rq->arena, &page, e) < 0)
			return -1;
		state = (struct page_state){ page.version, page.created_us };
		w = resp_json(rs, 200);
		if (page_cache_get(rq->app->pages, &key, &state, w.b)) {
			unchanged(rq, rs, &page);
			return 0;
		}
	}
	if (message_list(rq->app->db, &owner, &key.conversation_id,
			 NEWEST_FIRST, 0, size, rq->arena, &page, e) < 0)
		return -1;
	if (unchanged(rq, rs, &page))
		return 0;
	state = (struct page_state){ page.version, page.created_us };
	write_page(rs, scope, &page);
	page_cache_put(rq->app->pages, &key, &state, buf_str(&rs->body));
	return 0;
}

/*
 * GET /conversations/{c}/messages?cursor=&pageSize=: newest first.
 * GET /workspaces/{w}/agents/{a}/conversations/{c}/messages: oldest first, and
 * answers have the role "agent" (B6).
 * 200 {items: [Message], totalCount: null, nextCursor}. Steps and tool rows of
 * a turn are among the items, in their order. With an ETag; 304 when
 * If-None-Match has it. 404 for a conversation that is not the caller's, or not
 * that agent's.
 */
int api_message_list(struct request *rq, struct response *rs, struct err *e)
{
	struct owner owner = scope_owner(rq);
	const struct conf_workspace *ws;
	const struct conf_agent *agent;
	struct message_scope scope;
	struct message_page page;
	int64_t seq;
	size_t size;

	if (scope_path(rq, &ws, &agent, e) < 0 ||
	    page_seq(rq, &seq, e) < 0 || page_size(rq, &size, e) < 0)
		return -1;
	scope = (struct message_scope){
		.conversation_id = *route_arg_uuid(rq, "conversation"),
		.style = agent ? RECORD_AGENT_SCOPED : RECORD_PLAIN,
	};
	if (!agent && !seq)
		return newest_page(rq, rs, &scope, size, e);
	if (message_list(rq->app->db, &owner, &scope.conversation_id,
			 agent ? OLDEST_FIRST : NEWEST_FIRST, seq, size,
			 rq->arena, &page, e) < 0)
		return -1;
	if (agent && (!str_is(page.workspace_id, ws->id) ||
		      !str_is(page.agent_id, agent->id)))
		return err_set(e, ERR_NOT_FOUND, "another agent's");
	if (!unchanged(rq, rs, &page))
		write_page(rs, &scope, &page);
	return 0;
}

struct message_body {
	struct str content;
	struct send_more more;
};

/* What is said in the conversation of the path. */
static int read_body(struct request *rq, struct message_body *b,
		     struct idempotent_turn *same, struct err *e)
{
	const struct field fields[] = {
		{ .key = "content", .type = FIELD_TEXT,
		  .flags = FIELD_REQUIRED | FIELD_FILLED,
		  .max_chars = (size_t)rq->conf->limits.message_chars,
		  .offset = offsetof(struct message_body, content) },
		SEND_MORE_FIELDS(offsetof(struct message_body, more)),
	};

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, b, sizeof(*b),
			e) < 0)
		return -1;
	*same = (struct idempotent_turn){
		.content = b->content, .meta = send_meta(rq, &b->more),
		.conversation = route_arg_uuid(rq, "conversation"),
		.workspace_id = route_arg(rq, "workspace"),
		.agent_id = route_arg(rq, "agent"),
	};
	return 0;
}

static struct turn_run *open_turn(struct request *rq,
				  const struct message_body *b,
				  struct err *e)
{
	const struct conf_workspace *ws;
	const struct conf_agent *agent;

	if (scope_path(rq, &ws, &agent, e) < 0)
		return NULL;
	return send_open(rq, ws, agent, route_arg_uuid(rq, "conversation"),
			 b->content, &b->more, e);
}

/*
 * POST …/agents/{a}/conversations/{c}/messages {content, client?, webSearch?}:
 * waits for the whole answer; 200 {user: Message, assistant: Message}. Errors before the turn
 * begins: 404, 409 conversation_busy, 422 llm_*, 503 chat_disabled. A repeated
 * Idempotency-Key: the first one's answer, once it is there.
 */
int api_message_send(struct request *rq, struct response *rs, struct err *e)
{
	struct idempotent_turn same;
	enum turn_status status;
	struct turn_run *t, before;
	struct message_body b;
	int rc;

	if (read_body(rq, &b, &same, e) < 0)
		return -1;
	rc = idempotent_end(rq, &same, &before, &status, e);
	if (rc > 0)
		send_both(rs, &before, status, RECORD_AGENT_SCOPED);
	if (rc)
		return MIN(rc, 0);
	t = open_turn(rq, &b, e);
	if (!t)
		return -1;
	send_wait(rs, t, RECORD_AGENT_SCOPED);
	return 0;
}

/* POST …/messages/stream?dialect=: the same as events (B35, B38 to B45). */
int api_message_stream(struct request *rq, struct response *rs, struct err *e)
{
	struct send_as as = { .state = { .style = RECORD_AGENT_SCOPED } };
	struct idempotent_turn same;
	struct message_body b;
	struct turn_run *t;
	int rc;

	if (send_dialect(rq, &as.dialect, e) < 0 ||
	    read_body(rq, &b, &same, e) < 0)
		return -1;
	rc = idempotent_stream(rq, rs, &same, &as, e);
	if (rc)
		return MIN(rc, 0);
	t = open_turn(rq, &b, e);
	if (!t)
		return -1;
	send_stream(rs, t, &as);
	return 0;
}
