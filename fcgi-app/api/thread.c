/* SPDX-License-Identifier: MIT */
/*
 * Editing threads: regenerating, editing a message, the resulting variants, and
 * forks (docs/thread.md).
 */
#include "api/api.h"

#include <stdio.h>

#include "api/etag.h"
#include "api/idempotent.h"
#include "api/page.h"
#include "api/scope.h"
#include "api/send.h"
#include "api/variant.h"
#include "app.h"
#include "base/clock.h"
#include "base/fields.h"
#include "hold/stored.h"
#include "store/thread.h"
#include "event/notify.h"
#include "event/texts.h"
#include "turn/correct.h"

#include "base/banned.h"

/* -- turns that replace a tail ------------------------------------------------- */

struct replace_body {
	struct turn_request in;		/* must be first */
	struct str message_id;
};

static int stream_replace(struct request *rq, struct response *rs,
			  const struct field *fields, size_t n, struct err *e)
{
	struct send_as as = { .style = RECORD_PLAIN };
	struct replace_body b;

	if (send_read(rq, TURN_REPLACE, fields, n, &b, sizeof(b), e) < 0 ||
	    send_dialect(rq, &as.dialect, e) < 0 ||
	    (b.message_id.p && scope_message(route_arg_uuid(rq, "conversation"), b.message_id, "messageId",
					       &b.in.seq, e) < 0))
		return -1;
	b.in.conversation_id = *route_arg_uuid(rq, "conversation");
	/* Kept with the turn: what goes on with it has its agent. */
	if (b.in.agent_id.p && !b.in.options.answer_agent.p)
		b.in.options.answer_agent = b.in.agent_id;
	return send_stream(rq, rs, &b.in, &as, e);
}

/*
 * POST /conversations/{c}/regenerate?dialect= {messageId?, agentId?,
 * …options}: answers a user message again, and streams the answer. messageId is
 * that message or its answer; default: the last one. webSearch: default as when the
 * message was sent. What followed the message becomes a variant in the transaction
 * that begins the turn. agentId: another agent of the workspace, for this answer.
 * 404; 409 conversation_busy with turnId, 409 conflict (superseded, or nothing
 * to answer); 422 llm_*, 503 as for a message. A repeated Idempotency-Key: the
 * first one's stream, from its start.
 */
int api_thread_regenerate(struct request *rq, struct response *rs,
			  struct err *e)
{
	static const struct field fields[] = {
		{ .key = "messageId", .type = FIELD_TEXT,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct replace_body, message_id) },
		SEND_FIELD("agentId", FIELD_SLUG, FIELD_NULLABLE, agent_id),
		SEND_OPTIONS
	};

	return stream_replace(rq, rs, fields, ARRAY_LEN(fields), e);
}

/*
 * POST /conversations/{c}/edit?dialect= {messageId, content, agentId?,
 * …options}: edits a user message, and streams the answer. The old one and
 * everything after it become a variant. Errors as for regenerate; 422 if messageId
 * is not a user message.
 */
int api_thread_edit(struct request *rq, struct response *rs, struct err *e)
{
	const struct field fields[] = {
		{ .key = "messageId", .type = FIELD_TEXT,
		  .flags = FIELD_REQUIRED,
		  .offset = offsetof(struct replace_body, message_id) },
		SEND_CONTENT(rq, "content"),
		SEND_FIELD("agentId", FIELD_SLUG, FIELD_NULLABLE, agent_id),
		SEND_OPTIONS
	};

	return stream_replace(rq, rs, fields, ARRAY_LEN(fields), e);
}

/* -- variants ------------------------------------------------------------------ */

static void write_variant(struct jw *w, const struct message_scope *scope,
			  const struct variant_item *item)
{
	char id[MESSAGE_ID_BYTES];

	jw_obj(w);
	jw_kstrz(w, "variantId", message_id(&scope->conversation_id,
					   item->v.head_seq, id));
	jw_ktime(w, "createdAt", item->v.created_us);
	jw_kbool(w, "current", item->v.last_seq == 0);
	jw_key(w, "messages");
	jw_arr(w);
	message_write_all(w, scope, item->messages, item->n);
	jw_end_arr(w);
	jw_end_obj(w);
}

/*
 * GET /conversations/{c}/variants?messageId=&cursor=&pageSize=: the variants of a
 * message of the thread: for a user message its edited forms, for any other the
 * answers to the same user message. 200 {items: [{variantId, createdAt, current,
 * messages}], totalCount, nextCursor}, oldest first; messages are its first ones,
 * at most LIM_VARIANT_MESSAGES. 404; 409 conflict if the message was superseded.
 */
int api_variant_list(struct request *rq, struct response *rs, struct err *e)
{
	struct message_scope scope = {
		.conversation_id = *route_arg_uuid(rq, "conversation"),
		.style = RECORD_PLAIN,
	};
	struct variant_page page;
	int64_t seq, after_seq;
	struct str id;
	size_t size;
	struct jw w;

	if (req_query(rq, "messageId", &id, e) < 0 ||
	    scope_message(route_arg_uuid(rq, "conversation"), id, "messageId", &seq, e) < 0 ||
	    api_page_seq(rq, &after_seq, e) < 0 || api_page_size(rq, &size, e) < 0 ||
	    thread_variants(rq->app->db, &rq->by.owner, &scope.conversation_id,
			    seq, after_seq, size, rq->arena, &page, e) < 0)
		return -1;
	scope.workspace_id = page.workspace_id;
	scope.agent_id = page.agent_id;
	w = api_page_items(rs);
	for (size_t i = 0; i < page.n; i++)
		write_variant(&w, &scope, &page.items[i]);
	jw_end_arr(&w);
	jw_kint(&w, "totalCount", page.total);
	api_page_write_next_seq(&w, page.next_seq);
	jw_end_obj(&w);
	return 0;
}

/* Answers with the current record of a conversation, also in *c. */
static int answer_conversation(struct request *rq, struct response *rs,
			       int status, const struct uuid *id,
			       struct conversation *c, struct err *e)
{
	struct jw w;

	if (conversation_get(rq->app->db, &rq->by.owner, id, rq->arena, c,
			     e) < 0)
		return -1;
	w = resp_json(rs, status);
	conversation_write(&w, c, clock_now_us());
	return 0;
}

int variant_switch(struct request *rq, const struct uuid *conversation_id,
		   int64_t head_seq, struct err *e)
{
	struct notify *n = rq->app->notify;
	struct turn_evicted evicted;

	if (thread_switch(rq->app->db, &rq->by.owner, conversation_id,
			  head_seq, event_texts, &evicted, e) < 0)
		return -1;
	notify_evicted(n, &rq->by.owner, conversation_id, &evicted);
	notify_refresh(n, &rq->by.owner, "messages", conversation_id);
	api_search_again(rq);
	return 0;
}

/*
 * POST /conversations/{c}/variants {variantId}: switches the thread to that variant;
 * the messages in its place become a variant. 200 Conversation, also if it was in
 * the thread already. 404; 409 conversation_busy with turnId; 409 conflict if the
 * message that it follows is not in the thread.
 */
int api_variant_switch(struct request *rq, struct response *rs, struct err *e)
{
	static const struct field fields[] = {
		{ .key = "variantId", .type = FIELD_TEXT,
		  .flags = FIELD_REQUIRED },
	};
	const struct uuid *id = route_arg_uuid(rq, "conversation");
	struct conversation c;
	struct str variant;
	int64_t seq;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &variant,
			sizeof(variant), e) < 0 ||
	    scope_message(route_arg_uuid(rq, "conversation"), variant, "variantId", &seq, e) < 0 ||
	    variant_switch(rq, id, seq, e) < 0)
		return -1;
	return answer_conversation(rq, rs, 200, id, &c, e);
}

/* -- correcting ---------------------------------------------------------------- */

int variant_correct(struct request *rq, int64_t seq, struct str content,
		    int64_t version, const struct uuid *key, struct message *out,
		    struct err *e)
{
	struct notify *n = rq->app->notify;
	const struct uuid *id = route_arg_uuid(rq, "conversation");
	const struct uuid new_id = uuid_new();
	char name[UUID_TEXT_BYTES];
	struct thread_correction c = {
		.conversation_id = *id, .seq = seq, .version = version,
		.text_of_events = event_texts,
		.answer = {
			.content = content,
			.client_id = str_of(uuid_format(
				uuid_is_nil(key) ? &new_id : key, name)),
		},
	};

	if (hold_take(rq->app->db, rq->conf, &rq->by.owner,
		      (int64_t)MAX(content.n, 1), &rq->storing, e) < 0 ||
	    turn_correct(rq->app->db, &rq->by.owner, &c, rq->arena, e) < 0)
		return -1;
	notify_evicted(n, &rq->by.owner, id, &c.evicted);
	notify_refresh(n, &rq->by.owner, "messages", id);
	api_search_again(rq);
	*out = c.answer;
	return 0;
}

/*
 * POST /conversations/{c}/correct {messageId, content}: 200 Message: the answer as the user
 * wrote it, which takes the place of the one named and of all that follows it; these become
 * a variant. No model is asked. 404; 409 conversation_busy with turnId, 409 conflict if the
 * answer was superseded; 412 if the conversation's ETag is not in If-Match; 413 if the user
 * would store too much; 422 if it is no answer. A repeated Idempotency-Key: the same message.
 */
int api_thread_correct(struct request *rq, struct response *rs, struct err *e)
{
	struct correct_body {
		struct str message_id, content;
	} b;
	static const struct field fields[] = {
		{ .key = "messageId", .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
		  .offset = offsetof(struct correct_body, message_id) },
		{ .key = "content", .type = FIELD_TEXT,
		  .flags = FIELD_REQUIRED | FIELD_FILLED,
		  .max_chars = LIM_CORRECTION_CHARS,
		  .offset = offsetof(struct correct_body, content) },
	};
	struct message_scope scope = { .style = RECORD_PLAIN };
	struct conversation c;
	struct message m;
	struct uuid key;
	int64_t seq, version;
	struct jw w;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &b, sizeof(b), e) < 0 ||
	    scope_message(route_arg_uuid(rq, "conversation"), b.message_id, "messageId", &seq, e) < 0 ||
	    idempotent_id(rq, "correct", &key, e) < 0 ||
	    api_conversation_of_path(rq, &c, e) < 0 ||
	    etag_required(rq, &c, &version, e) < 0 ||
	    variant_correct(rq, seq, b.content, version, &key, &m, e) < 0)
		return -1;
	scope.conversation_id = c.id;
	scope.workspace_id = c.workspace_id;
	scope.agent_id = c.agent_id;
	w = resp_json(rs, 200);
	message_write(&w, &scope, &m);
	return 0;
}

/* -- forking ------------------------------------------------------------------- */

static int fork_now(struct request *rq, int64_t seq, const struct uuid *id,
		    struct err *e)
{
	struct conversation c;

	if (hold_take_fork(rq->app->db, rq->conf, &rq->by.owner,
			     route_arg_uuid(rq, "conversation"), seq, &rq->storing,
			     e) < 0 ||
	    thread_fork(rq->app->db, &rq->by.owner,
			route_arg_uuid(rq, "conversation"), seq, id, e) < 0 ||
	    conversation_get(rq->app->db, &rq->by.owner, id, rq->arena, &c,
			     e) < 0)
		return -1;
	notify_conversation(rq->app->notify, &rq->by.owner, id, "created",
			    c.title);
	rq->jobs_asked = true;	/* to index its older part */
	return 0;
}

/* The fork that the same key has created: 1 if it exists, 0, or -1. */
static int forked_before(struct request *rq, const struct uuid *id, int64_t seq,
			 struct err *e)
{
	struct conversation c;
	int rc = idempotent_conversation(rq, id, &c, e);

	if (rc > 0 && (c.forked_seq != seq || !uuid_eq(
			&c.forked_from, route_arg_uuid(rq, "conversation"))))
		return err_key_differs(e);
	return rc;
}

/*
 * POST /conversations/{c}/fork {messageId}: 201 Conversation with Location: a new
 * one of the same agent, with the thread up to and including that message, a user
 * message or an answer. forkedFrom has its origin. 404; 409 conflict if the message
 * was superseded; 413 if the user would store too much; 422 if it is a step. A repeated
 * Idempotency-Key: the same conversation in its current state.
 */
int api_thread_fork(struct request *rq, struct response *rs, struct err *e)
{
	static const struct field fields[] = {
		{ .key = "messageId", .type = FIELD_TEXT,
		  .flags = FIELD_REQUIRED },
	};
	char text[UUID_TEXT_BYTES], where[UUID_TEXT_BYTES + 4];
	struct conversation c;
	struct str message;
	struct uuid id;
	int64_t seq;
	int key, before;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &message,
			sizeof(message), e) < 0 ||
	    scope_message(route_arg_uuid(rq, "conversation"), message, "messageId", &seq, e) < 0)
		return -1;
	key = idempotent_id(rq, "fork", &id, e);
	if (key == 0)
		id = uuid_new();
	before = key > 0 ? forked_before(rq, &id, seq, e) : key;
	if (before < 0 || (!before && fork_now(rq, seq, &id, e) < 0))
		return -1;
	/* Relative to …/conversations/{c}/fork. */
	snprintf(where, sizeof(where), "../%s", uuid_format(&id, text));
	resp_header(rs, "Location", where);
	return answer_conversation(rq, rs, 201, &id, &c, e);
}
