/* SPDX-License-Identifier: MIT */
/*
 * Going on with a conversation that somebody else shares: a copy of what the caller may
 * read of it, as a conversation of their own. Its messages stay somebody else's words: each
 * row says so in its origins, which taint the turns that have it in their context, so that
 * nothing is changed unasked because of them (prompt/origin.def). Rejected: the chat as a
 * file of a new one, in which nothing could be edited, answered again or searched.
 */
#include "api/api.h"

#include <stdio.h>

#include "api/idempotent.h"
#include "api/scope.h"
#include "api/shared.h"
#include "app.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/fields.h"
#include "base/limits.h"
#include "event/notify.h"
#include "hold/stored.h"
#include "prompt/origin.h"

#include "base/banned.h"

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
	while (c->n > first && c->rows[c->n - 1].kind != KIND_SAID)
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

		api_shared_reduce(rq, s, &read);
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
