/* SPDX-License-Identifier: MIT */
/*
 * Messages: two forms of reading over one query (A45 to A54, B33), and sending
 * below an agent (B34, B35).
 */
#include "api/api.h"

#include "api/etag.h"
#include "api/page.h"
#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "base/clock.h"
#include "base/limits.h"
#include "dialect/wire.h"
#include "page_cache.h"
#include "store/conversation.h"
#include "store/message.h"

#include "base/banned.h"

static void write_page(struct response *rs, struct message_scope *scope,
		       const struct message_page *page)
{
	struct jw w = api_page_items(rs);

	scope->workspace_id = page->workspace_id;
	scope->agent_id = page->agent_id;
	message_write_all(&w, scope, page->items, page->n);
	jw_end_arr(&w);
	jw_key(&w, "totalCount");
	jw_null(&w);
	api_page_write_next_seq(&w, page->next_seq);
	jw_end_obj(&w);
}

/* Sets the ETag of the thread's state; true if the client has that state. */
static bool unchanged(struct request *rq, struct response *rs,
		      const struct message_page *page)
{
	char tag[ETAG_BYTES];

	return etag_answer(rq, rs, etag_page(page->version, tag));
}

/* Reads a page of rows, with or without steps. */
typedef int read_page_fn(struct db *db, const struct owner *o,
			 const struct uuid *conversation_id,
			 enum store_order order, int64_t after_seq, size_t size,
			 struct arena *a, struct message_page *out,
			 struct err *e);

/* The page that clients read repeatedly: see page_cache.h. */
static int newest_page(struct request *rq, struct response *rs,
		       struct message_scope *scope, read_page_fn *read,
		       size_t size, struct err *e)
{
	struct page_key key = {
		scope->conversation_id, size, read == message_list,
	};
	struct message_page page;
	struct page_state state;
	struct jw w;

	if (page_cache_has(rq->app->pages, &key)) {
		if (message_head(rq->app->db, &rq->by.owner,
				 &key.conversation_id, rq->arena, &page, e) < 0)
			return -1;
		state = (struct page_state){ page.version, page.created_us };
		w = resp_json(rs, 200);
		if (page_cache_get(rq->app->pages, &key, &state, w.b)) {
			unchanged(rq, rs, &page);
			return 0;
		}
	}
	if (read(rq->app->db, &rq->by.owner, &key.conversation_id, NEWEST_FIRST,
		 0, size, rq->arena, &page, e) < 0)
		return -1;
	if (unchanged(rq, rs, &page))
		return 0;
	state = (struct page_state){ page.version, page.created_us };
	write_page(rs, scope, &page);
	page_cache_put(rq->app->pages, &key, &state, buf_str(&rs->body));
	return 0;
}

/* Reads include=; sets message_list if it has steps; *whole if it has conversation. */
static int read_include(struct request *rq, read_page_fn **read, bool *whole,
			struct err *e)
{
	struct str rest, one;

	*read = message_list_dialogue;
	*whole = false;
	if (req_query(rq, "include", &rest, e) < 0)
		return -1;
	while (rest.n) {
		one = str_cut(&rest, ',');
		if (str_is(one, "steps"))
			*read = message_list;
		else if (str_is(one, "conversation"))
			*whole = true;
		else
			return err_field(e, ERR_INVALID_FIELD, "include",
					 "include may have steps and conversation, "
					 "separated by a comma.");
	}
	return 0;
}

/* Adds the conversation to the page, whose text may be a copy that is kept without it. */
static void put_conversation(struct response *rs, const struct conversation *c)
{
	struct jw w;

	if (rs->status != 200)
		return;
	rs->body.n--;	/* the closing brace */
	buf_adds(&rs->body, ",\"conversation\":");
	w = jw_on(&rs->body);
	conversation_write(&w, c, clock_now_us());
	buf_addc(&rs->body, '}');
}

/* The number that a page is before: before=, or that of the cursor; 0: the newest page. */
static int read_before(struct request *rq, int64_t *seq, struct err *e)
{
	struct str before;

	if (api_page_seq(rq, seq, e) < 0 || req_query(rq, "before", &before, e) < 0)
		return -1;
	if (!before.p)
		return 0;
	if (*seq || !str_int(before, seq) || *seq < 1)
		return err_field(e, ERR_INVALID_FIELD, "before",
				 "before must be the number of a message, without a "
				 "cursor.");
	return 0;
}

/*
 * GET /conversations/{c}/messages?cursor=&before=&pageSize=&include=: newest first;
 * before=: those with a smaller number than this.
 * GET /workspaces/{w}/agents/{a}/conversations/{c}/messages: oldest first, and
 * answers have the role "agent" (B6).
 * 200 {items: [Message], totalCount: null, nextCursor}: user messages, the user's
 * choices (A41), and answers (A51); with include=steps also the steps and tool rows
 * of turns, in order; with include=conversation also its record, as a member beside. With
 * an ETag of the messages; 304 if If-None-Match has it. 404 for a conversation that is
 * not the caller's, or not that agent's.
 */
int api_message_list(struct request *rq, struct response *rs, struct err *e)
{
	const struct workspace *ws;
	const struct agent *agent;
	struct message_scope scope;
	struct message_page page;
	struct conversation c;
	read_page_fn *read;
	int64_t seq;
	size_t size;
	bool whole;

	if (scope_path(rq, &ws, &agent, e) < 0 ||
	    read_include(rq, &read, &whole, e) < 0 ||
	    read_before(rq, &seq, e) < 0 || api_page_size(rq, &size, e) < 0 ||
	    (whole && api_conversation_of_path(rq, &c, e) < 0))
		return -1;
	scope = (struct message_scope){
		.conversation_id = *route_arg_uuid(rq, "conversation"),
		.style = agent ? RECORD_AGENT_SCOPED : RECORD_PLAIN,
		.dialogue = read == message_list_dialogue,
	};
	if (!agent && !seq) {
		if (newest_page(rq, rs, &scope, read, size, e) < 0)
			return -1;
		if (whole)
			put_conversation(rs, &c);
		return 0;
	}
	if (read(rq->app->db, &rq->by.owner, &scope.conversation_id,
		 agent ? OLDEST_FIRST : NEWEST_FIRST, seq, size, rq->arena,
		 &page, e) < 0)
		return -1;
	if (agent && (!str_is(page.workspace_id, ws->id) ||
		      !str_is(page.agent_id, agent->id)))
		return err_set(e, ERR_NOT_FOUND, "another agent's");
	if (!unchanged(rq, rs, &page)) {
		write_page(rs, &scope, &page);
		if (whole)
			put_conversation(rs, &c);
	}
	return 0;
}

/* The body of a message for the conversation in the path. */
static int read_body(struct request *rq, struct turn_request *in,
		     struct err *e)
{
	const struct field fields[] = {
		SEND_CONTENT(rq, "content"),
		SEND_OPTIONS
	};

	if (send_read(rq, TURN_SEND, fields, ARRAY_LEN(fields), in,
		      sizeof(*in), e) < 0)
		return -1;
	in->conversation_id = *route_arg_uuid(rq, "conversation");
	in->workspace_id = route_arg(rq, "workspace");
	in->agent_id = route_arg(rq, "agent");
	return 0;
}

/*
 * {user, assistant} (B34); for a turn that waits {user, assistant: null,
 * waitingFor: […]}. A failed answer is rendered like any other, with finish_reason
 * "error".
 */
static void write_both(struct response *rs, const struct turn_run *t,
		       enum turn_status status)
{
	struct message_scope scope = {
		.workspace_id = str_of(t->in.target.workspace->id),
		.agent_id = str_of(t->in.target.agent->id),
		.conversation_id = t->conversation_id,
		.style = RECORD_AGENT_SCOPED,
	};
	struct jw w = resp_json(rs, 200);

	jw_obj(&w);
	jw_key(&w, "user");
	message_write(&w, &scope, &t->user);
	jw_key(&w, "assistant");
	if (status != TURN_WAITING) {
		message_write(&w, &scope, &t->answer);
	} else {
		jw_null(&w);
		jw_key(&w, "waitingFor");
		jw_arr(&w);
		for (size_t i = 0; i < t->n_waits; i++)
			wire_wait(&w, &t->waits[i]);
		jw_end_arr(&w);
	}
	jw_end_obj(&w);
}

/*
 * POST …/agents/{a}/conversations/{c}/messages {content, …options}: waits for the
 * complete answer; 200 {user: Message, assistant: Message}. Errors before the turn
 * begins: 404, 409 conversation_busy, 422 llm_*, 503 chat_disabled. A repeated
 * Idempotency-Key: the first request's answer, when it is complete.
 */
int api_message_send(struct request *rq, struct response *rs, struct err *e)
{
	enum turn_status status;
	struct turn_request in;
	struct turn_run *t;

	if (read_body(rq, &in, e) < 0 ||
	    send_whole(rq, &in, &t, &status, e) < 0)
		return -1;
	write_both(rs, t, status);
	return 0;
}

/* POST …/messages/stream?dialect=: the same as an event stream (B35, B38 to B45). */
int api_message_stream(struct request *rq, struct response *rs, struct err *e)
{
	struct send_as as = { .style = RECORD_AGENT_SCOPED };
	struct turn_request in;

	if (send_dialect(rq, &as.dialect, e) < 0 || read_body(rq, &in, e) < 0)
		return -1;
	return send_stream(rq, rs, &in, &as, e);
}
