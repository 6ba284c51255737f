/* SPDX-License-Identifier: MIT */
/*
 * The Responses API over what is stored: a response is a turn, and its input is the
 * message that the turn answers, behind the messages that came with it
 * (docs/openai-server.md).
 */
#include "api/api.h"

#include <stdio.h>

#include "api/client.h"
#include "api/openai.h"
#include "api/send.h"
#include "app.h"
#include "base/limits.h"
#include "dialect/openai.h"
#include "dialect/responses.h"
#include "store/conversation.h"
#include "store/wait.h"
#include "turn/follow.h"

#include "base/banned.h"

/* -- a response ------------------------------------------------------------------- */

/* The response in the path, which is a turn of the caller. */
static int find_response(struct request *rq, struct turn *t, struct conversation *c, struct err *e)
{
	return oai_thread_turn(rq, route_arg(rq, "response"), "response", t, c, e);
}

/* What a waiting turn waits for. */
static int read_waits(struct request *rq, const struct turn *t, struct turn_wait **v,
		      size_t *n, struct err *e)
{
	size_t all = 0;

	*n = 0;
	if (t->status != TURN_WAITING)
		return 0;
	if (store_turn_wait_list(rq->app->db, &rq->by.owner, &t->id, rq->arena, v, &all,
				 e) < 0)
		return -1;
	for (size_t i = 0; i < all; i++)
		if ((*v)[i].status == WAIT_OPEN)
			(*v)[(*n)++] = (*v)[i];
	return 0;
}

/* The members of a response that repeat its request, as far as they are known. */
static json_t *echo_of(struct request *rq, const struct conversation *c)
{
	json_t *echo = oai_response_echo(rq);

	json_object_set_new(echo, "model", json_string(arena_printf(
		rq->arena, "%.*s/%.*s", STR_ARG(c->workspace_id), STR_ARG(c->agent_id))));
	return echo;
}

/* Answers with the response of a turn as it is stored. */
static int write_response(struct request *rq, struct response *rs, const struct turn *t,
			  const struct conversation *c, struct err *e)
{
	struct responses r = { .echo = echo_of(rq, c) };
	struct message answer = { .role = ROLE_ASSISTANT };
	struct turn_run run = { .arena = rq->arena };
	struct turn_wait *waits = NULL;
	struct str text;
	size_t n;
	json_t *o;
	struct jw w;

	if (read_waits(rq, t, &waits, &n, e) < 0 ||
	    (t->answer_seq && message_get(rq->app->db, &rq->by.owner, &c->id,
					  t->answer_seq, rq->arena, &answer, e) < 0))
		return -1;
	run.id = t->id;
	run.user.created_us = t->started_us;
	text = n ? dialect_openai_waiting(rq->arena, waits, n, client_page(rq), &c->id)
		: answer.content;
	o = jx_keep(rq->arena, responses_whole(&r, &run, &answer, text, waits, n));
	if (t->status == TURN_RUNNING)
		json_object_set_new(o, "status", json_string("in_progress"));
	w = resp_json(rs, 200);
	jw_json(&w, o);
	return 0;
}

/* -- its events again --------------------------------------------------------------- */

struct begin_sink {
	struct sink sink;	/* must be first: a sink is cast back */
	int64_t seq;		/* of the newest event that begins a response */
};

static void note_begin(struct sink *s, const struct turn_event *ev)
{
	if (ev->type == TURN_EV_SESSION)
		((struct begin_sink *)s)->seq = ev->seq;
}

static int no_patience(void *ctx)
{
	(void)ctx;
	return 0;
}

/*
 * The number of the event before the response. The results of a client's tools resume
 * the turn, with a response of its own: the events before it belong to an earlier one.
 */
static int before_response(struct request *rq, const struct turn *t, int64_t *out,
			   struct err *e)
{
	struct turn_follow f = {
		.deps = &rq->app->deps, .by = rq->by, .turn_id = t->id,
		.patience = no_patience,
	};
	struct begin_sink s = { .sink = { .emit = note_begin } };

	*out = 0;
	if (!t->resumes)
		return 0;
	if (turn_follow_open(&f, e) < 0 || turn_follow_run(&f, &s.sink, e) < 0)
		return -1;
	*out = MAX(s.seq - 1, 0);
	return 0;
}

/* Whether the answer was typed, and its text therefore sent once it was checked. */
static bool was_typed(const struct turn *t)
{
	json_auto_t *options = t->client.p ? jx_try(t->client) : NULL;

	return jx_obj(jx_obj(options, "generation"), "schema") != NULL;
}

static int stream_again(struct request *rq, struct response *rs, const struct turn *t,
			const struct conversation *c, int64_t after, struct err *e)
{
	struct responses r = { .echo = echo_of(rq, c), .skip = after + 1 };
	struct openai_asked asked = {
		.page = client_page(rq), .typed = was_typed(t),
		.responses = &r, .write = responses_write,
	};
	const struct send_as as = {
		.dialect = DIALECT_OPENAI, .asked = &asked, .no_end = true, .apart = true,
	};
	int64_t before;
	int rc;

	if (before_response(rq, t, &before, e) < 0)
		return -1;
	rc = send_events(rq, rs, &t->id, before, &as, e);
	responses_release(&r);
	return rc;
}

/*
 * GET {base}/openai/v1/responses/{id}?stream=&starting_after=: 200 the response of a
 * turn, with its answer if it has ended, or the calls that it waits for; with
 * stream=true its events as they were, and as they come, behind the number
 * starting_after. 400; 404, also for another user's.
 */
int api_openai_response(struct request *rq, struct response *rs, struct err *e)
{
	struct conversation c;
	struct str stream;
	struct turn t;
	int64_t after;

	if (req_query(rq, "stream", &stream, e) < 0 ||
	    req_query_int(rq, "starting_after", -1, &after, e) < 0)
		return -1;
	if (stream.n && !str_is(stream, "false") && !str_is(stream, "true"))
		return err_field(e, ERR_INVALID_FIELD, "stream",
				 "stream must be true or false.");
	if (after < -1 || after > UINT32_MAX)
		return err_field(e, ERR_INVALID_FIELD, "starting_after",
				 "starting_after must be the sequence_number of an event.");
	if (find_response(rq, &t, &c, e) < 0)
		return -1;
	return str_is(stream, "true") ? stream_again(rq, rs, &t, &c, after, e)
		: write_response(rq, rs, &t, &c, e);
}

/*
 * POST {base}/openai/v1/responses/{id}/cancel: 200 the response; its turn is asked to
 * stop, if it runs or waits. 404.
 */
int api_openai_response_cancel(struct request *rq, struct response *rs, struct err *e)
{
	struct conversation c;
	struct turn t;

	return find_response(rq, &t, &c, e) < 0 || api_turn_stop(rq, &t.id, &t, e) < 0 ? -1
		: write_response(rq, rs, &t, &c, e);
}

/*
 * DELETE {base}/openai/v1/responses/{id}: 200 {id, object: "response", deleted: true}.
 * It is not found any more; a turn that runs or waits is stopped. The last response of a
 * conversation takes that along, with all texts. 404.
 */
int api_openai_response_delete(struct request *rq, struct response *rs, struct err *e)
{
	struct conversation c;
	struct turn t;
	struct jw w;
	int rc;

	if (find_response(rq, &t, &c, e) < 0 || api_turn_stop(rq, &t.id, &t, e) < 0)
		return -1;
	rc = store_turn_response_delete(rq->app->db, &t, e);
	if (rc < 0 || (rc == 0 && api_conversation_drop(rq, &c, e) < 0))
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kstr(&w, "id", route_arg(rq, "response"));
	jw_kstrz(&w, "object", "response");
	jw_kbool(&w, "deleted", true);
	jw_end_obj(&w);
	return 0;
}

/* -- its input -------------------------------------------------------------------- */

/* Appends an item with the next id: that of the message, and a number. */
static void add_item(json_t *list, const char *message, json_t *item)
{
	char id[MESSAGE_ID_BYTES + 24];

	snprintf(id, sizeof(id), "%s.%zu", message, json_array_size(list) + 1);
	json_object_set_new(item, "id", json_string(id));
	json_object_set_new(item, "status", json_string("completed"));
	json_array_append_new(list, item);
}

static void add_message(json_t *list, const char *message, struct str role,
			struct str text)
{
	bool answer = str_is(role, "assistant");
	json_t *part = json_pack("{s:s, s:o}", "type", answer ? "output_text" : "input_text",
				 "text", jx_string(text));

	if (answer)
		json_object_set_new(part, "annotations", json_array());
	add_item(list, message, json_pack("{s:s, s:o, s:[o]}", "type", "message", "role",
					  jx_string(role), "content", part));
}

/* A message that came before the new one (`given` of its metadata). */
static void add_given(json_t *list, const char *message, json_t *m)
{
	struct str role = jx_str(m, "role"), text = jx_str(m, "content");
	json_t *call;
	size_t i;

	if (str_is(role, "tool")) {
		add_item(list, message, json_pack("{s:s, s:O?, s:o}", "type",
			"function_call_output", "call_id", json_object_get(m, "toolCallId"),
			"output", jx_string(text)));
		return;
	}
	if (text.n || !jx_arr(m, "toolCalls"))
		add_message(list, message, role, text);
	json_array_foreach(jx_arr(m, "toolCalls"), i, call)
		add_item(list, message, json_pack("{s:s, s:O?, s:O?, s:O?}", "type",
			"function_call", "call_id", json_object_get(call, "id"), "name",
			json_object_get(call, "name"), "arguments",
			json_object_get(call, "arguments")));
}

/* All items in their order; in rq's arena. */
static int read_items(struct request *rq, const struct turn *t, json_t **out,
		      struct err *e)
{
	json_t *list = jx_keep(rq->arena, json_array()), *m;
	char id[MESSAGE_ID_BYTES];
	json_auto_t *meta = NULL;
	struct message question;
	size_t i;

	if (message_get(rq->app->db, &rq->by.owner, &t->conversation_id, t->user_seq,
			rq->arena, &question, e) < 0)
		return -1;
	message_id(&t->conversation_id, t->user_seq, id);
	meta = jx_try(question.meta);
	json_array_foreach(jx_arr(meta, "given"), i, m)
		add_given(list, id, m);
	add_message(list, id, STR("user"), question.content);
	*out = list;
	return 0;
}

struct input_page {
	struct str after, before, order;
	int64_t limit;
};

static int read_page(struct request *rq, struct input_page *p, struct err *e)
{
	if (req_query(rq, "after", &p->after, e) < 0 ||
	    req_query(rq, "before", &p->before, e) < 0 ||
	    req_query(rq, "order", &p->order, e) < 0 ||
	    req_query_int(rq, "limit", 20, &p->limit, e) < 0)
		return -1;
	if (p->order.n && !str_is(p->order, "asc") && !str_is(p->order, "desc"))
		return err_field(e, ERR_INVALID_FIELD, "order", "order must be asc or desc.");
	if (p->limit < 1 || p->limit > LIM_PAGE_MAX)
		return err_field(e, ERR_INVALID_FIELD, "limit", "limit must be 1 to %d.",
				 LIM_PAGE_MAX);
	return 0;
}

/* The place of the item with this id in the list; an unknown one is an error. */
static int place_of(const json_t *list, struct str id, const char *field, size_t *out,
		    struct err *e)
{
	for (*out = 0; *out < json_array_size(list); ++*out)
		if (str_eq(jx_str(json_array_get(list, *out), "id"), id))
			return 0;
	return err_field(e, ERR_INVALID_FIELD, field, "%s must be the id of an item of "
			 "this list.", field);
}

/* Leaves the items of the page in the order of the request. *more: others follow. */
static int cut(json_t **list, const struct input_page *p, struct arena *a, bool *more,
	       struct err *e)
{
	json_t *page = jx_keep(a, json_array()), *ordered = *list;
	size_t n = json_array_size(*list), from = 0, until = n, at;

	if (!str_is(p->order, "asc")) {		/* the newest first is the default */
		ordered = jx_keep(a, json_array());
		while (n-- > 0)
			json_array_append(ordered, json_array_get(*list, n));
	}
	if (p->after.n) {
		if (place_of(ordered, p->after, "after", &at, e) < 0)
			return -1;
		from = at + 1;
	}
	if (p->before.n && place_of(ordered, p->before, "before", &until, e) < 0)
		return -1;
	*more = from < until && until - from > (size_t)p->limit;
	for (at = from; at < until && at - from < (size_t)p->limit; at++)
		json_array_append(page, json_array_get(ordered, at));
	*list = page;
	return 0;
}

/*
 * GET {base}/openai/v1/responses/{id}/input_items?after=&before=&limit=&order=: 200
 * {object: "list", data: [the messages that came with the request, and the one that was
 * answered], first_id, last_id, has_more}. 400, 404.
 */
int api_openai_response_input(struct request *rq, struct response *rs, struct err *e)
{
	struct conversation c;
	struct input_page p;
	json_t *list, *ends;
	struct turn t;
	struct jw w;
	bool more;

	if (read_page(rq, &p, e) < 0 || find_response(rq, &t, &c, e) < 0 ||
	    read_items(rq, &t, &list, e) < 0 || cut(&list, &p, rq->arena, &more, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kstrz(&w, "object", "list");
	jw_key(&w, "data");
	jw_json(&w, list);
	ends = json_array_get(list, 0);
	jw_kstr(&w, "first_id", jx_str(ends, "id"));
	ends = json_array_get(list, json_array_size(list) - 1);
	jw_kstr(&w, "last_id", jx_str(ends, "id"));
	jw_kbool(&w, "has_more", more);
	jw_end_obj(&w);
	return 0;
}
