/* SPDX-License-Identifier: MIT */
/* Search in the caller's conversations (lib/search/chats.h). */
#include "search/chats.h"

#include <string.h>

#include "api/api.h"
#include "api/page.h"
#include "app.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/message.h"

#include "base/banned.h"

void api_search_again(struct request *rq)
{
	struct err e = ERR_INIT;

	if (chats_want(rq->app->db, &rq->by.owner, &e) < 0)
		log_err("conversations that are indexed later", &e);
	rq->jobs_asked = true;
}

/*
 * New messages are found by the next search instead of a minute later. Returns
 * whether there are any.
 */
static bool catch_up(struct request *rq)
{
	struct err e = ERR_INIT;
	int due = chats_owner_due(rq->app->db, &rq->by.owner, rq->arena, &e);

	if (due < 0)
		log_err("conversations that are indexed later", &e);
	else if (due)
		api_search_again(rq);
	return due > 0;
}

/* A time or a date: its first microsecond or, if end, its last. */
static int read_time(struct request *rq, const char *key, bool end, int64_t *us,
		     struct err *e)
{
	struct str s;
	char *text;

	if (req_query(rq, key, &s, e) < 0)
		return -1;
	if (!s.n)
		return 0;
	text = arena_printf(rq->arena, "%.*s%s", STR_ARG(s),
			    memchr(s.p, 'T', s.n) ? ""
			    : end ? "T23:59:59.999999Z" : "T00:00:00Z");
	if (clock_iso_parse(text, us))
		return 0;
	return err_field(e, ERR_INVALID_FIELD, key, "%s must be a date "
			 "(2026-11-23) or a time (2026-11-23T15:45:00Z).", key);
}

static int read_id(struct request *rq, const char *key, struct str *out,
		   struct err *e)
{
	if (req_query(rq, key, out, e) < 0)
		return -1;
	if (!out->n)
		out->p = NULL;
	if (out->p && !slug_valid(*out))
		return err_field(e, ERR_INVALID_FIELD, key, "%s must be an id.",
				 key);
	return 0;
}

static int read_ask(struct request *rq, struct chats_ask *ask, struct err *e)
{
	*ask = (struct chats_ask){ .to_us = INT64_MAX,
				   .max = LIM_CHATS_PASSAGES };
	if (req_query_text(rq, "q", LIM_QUESTION_CHARS, &ask->query, e) < 0 ||
	    read_id(rq, "workspaceId", &ask->workspace_id, e) < 0 ||
	    read_id(rq, "agentId", &ask->agent_id, e) < 0 ||
	    read_time(rq, "from", false, &ask->from_us, e) < 0 ||
	    read_time(rq, "to", true, &ask->to_us, e) < 0)
		return -1;
	ask->query = str_trim(ask->query);
	if (!ask->query.n)
		return err_field(e, ERR_INVALID_FIELD, "q",
				 "q must have words to look for.");
	return 0;
}

/* The number of earlier results: {"n":…}. */
static int read_offset(struct request *rq, size_t *out, struct err *e)
{
	json_t *j;
	int64_t n;

	*out = 0;
	if (api_page_cursor(rq, &j, e) < 0)
		return -1;
	if (!j)
		return 0;
	n = jx_int(j, "n", -1);
	if (n <= 0 || n > LIM_CHATS_PASSAGES)
		return err_set(e, ERR_INVALID_CURSOR, "not a search's");
	*out = (size_t)n;
	return 0;
}

static void write_found(struct jw *w, const struct chats_found *f)
{
	char id[MESSAGE_ID_BYTES];

	jw_obj(w);
	jw_kuuid(w, "conversationId", &f->id);
	jw_kstr(w, "workspaceId", f->workspace_id);
	jw_kstr(w, "agentId", f->agent_id);
	jw_kstr(w, "title", f->title);
	jw_kstrz(w, "messageId", f->seq ? message_id(&f->id, f->seq, id) : NULL);
	jw_key(w, "snippet");
	snippet_write(w, &f->snippet);
	jw_ktime(w, "createdAt", f->created_us);
	jw_ktime(w, "updatedAt", f->updated_us);
	jw_end_obj(w);
}

/*
 * GET /conversations/search?q=&workspaceId=&agentId=&from=&to=&cursor=&pageSize=
 * 200 {items: [FoundConversation], nextCursor, pending}, best first: the caller's
 * conversations whose titles or messages contain words of q, and its phrases in
 * double quotes, each with a part of the best message. from and to: used within
 * this period, dates or times in UTC. New messages are found after a job has
 * indexed them, about a minute later; a search requests that job at once if
 * something is missing, and pending says so. At most LIM_CHATS_PASSAGES messages and
 * titles are ranked.
 */
int api_conversation_search(struct request *rq, struct response *rs,
			    struct err *e)
{
	struct buf next = BUF_INIT(LIM_CURSOR_BYTES);
	struct chats_found *v;
	struct chats_ask ask;
	size_t n, from, size, end;
	bool pending;
	struct jw w;

	if (read_ask(rq, &ask, e) < 0 || read_offset(rq, &from, e) < 0 ||
	    api_page_size(rq, &size, e) < 0 ||
	    chats_find(rq->app->db, &rq->by.owner, &ask, rq->arena, &v, &n,
		       e) < 0)
		return -1;
	pending = catch_up(rq);
	end = MIN(from + size, n);
	w = api_page_items(rs);
	for (size_t i = from; i < end; i++)
		write_found(&w, &v[i]);
	jw_end_arr(&w);
	if (end < n)
		buf_addf(&next, "{\"n\":%zu}", end);
	cursor_write(&w, end < n ? buf_str(&next)
			    : (struct str){ NULL, 0 });
	buf_release(&next);
	jw_kbool(&w, "pending", pending);
	jw_end_obj(&w);
	return 0;
}
