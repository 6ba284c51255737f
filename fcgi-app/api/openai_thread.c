/* SPDX-License-Identifier: MIT */
/*
 * The conversation of a request that has all of it: one that this user had with the
 * same agent through the same program, found by the hash of its messages (echo.h),
 * and continued; or a new one.
 *
 * Only threads that end with an answer of ours are known, so that examples in front of
 * a question are no conversation. Where the thread has gone on since, the last question
 * is asked again or edited if it came from such a client too; else the thread is forked.
 * Whatever cannot be continued, because it runs or was changed meanwhile, becomes a new
 * conversation: the request has everything that is needed.
 */
#include "api/client.h"
#include "api/openai.h"

#include <string.h>

#include "api/idempotent.h"
#include "app.h"
#include "base/limits.h"
#include "base/log.h"
#include "dialect/openai.h"
#include "store/conversation.h"
#include "store/message.h"
#include "store/thread.h"
#include "event/notify.h"

#include "base/banned.h"

/* -- its hash -------------------------------------------------------------------- */

static bool is_role(const json_t *m, const char *role)
{
	return str_is(jx_str(m, "role"), role);
}

static void add_calls(struct echo *c, const json_t *m)
{
	const json_t *call;
	size_t i;

	json_array_foreach(jx_arr(m, "tool_calls"), i, call)
		echo_add(c, ECHO_CALL, jx_str(jx_obj(call, "function"), "name"));
}

/* The texts of the system messages, in their order. */
static int read_instructions(struct request *rq, struct openai_ask *ask,
			     const json_t *messages, struct err *e)
{
	struct echo c = ECHO_INIT;
	struct buf b = BUF_INIT(LIM_OPENAI_GIVEN_BYTES);
	const json_t *m;
	struct str text;
	size_t i;

	json_array_foreach((json_t *)messages, i, m) {
		if (!oai_is_system(m) || oai_text(rq, m, &text, e) < 0)
			continue;
		echo_add(&c, ECHO_SYSTEM, text);
		buf_adds(&b, b.n ? "\n\n" : "");
		buf_addstr(&b, text);
	}
	ask->thread.instructions = echo_key(&c);
	if (buf_ok(&b))
		ask->in.instructions = arena_str(rq->arena, buf_str(&b));
	buf_release(&b);
	return e->code ? -1 : 0;
}

/* The last places that may be those of a known thread: behind an answer. */
static void note_place(struct openai_thread *t, size_t n)
{
	for (size_t i = MIN(t->n_places, PREFIX_TRIES - 1); i > 0; i--) {
		t->places[i] = t->places[i - 1];
		t->keys[i] = t->keys[i - 1];
	}
	t->places[0] = n;
	t->keys[0] = echo_key(&t->echo);
	t->n_places = MIN(t->n_places + 1, PREFIX_TRIES);
}

int oai_thread_read(struct request *rq, struct openai_ask *ask, struct err *e)
{
	const json_t *messages = jx_arr(rq->body, "messages"), *m;
	struct openai_thread *t = &ask->thread;
	struct buf scope = BUF_INIT(1024);
	struct str text;
	size_t i;

	t->program = client_program(rq, "OpenAI");
	buf_addf(&scope, "%.*s/%.*s/%.*s", STR_ARG(ask->in.workspace_id),
		 STR_ARG(ask->in.agent_id), STR_ARG(t->program));
	echo_add(&t->echo, ECHO_SCOPE, buf_str(&scope));
	buf_release(&scope);
	json_array_foreach((json_t *)messages, i, m) {
		if (oai_is_system(m))
			continue;
		if (oai_text(rq, m, &text, e) < 0)
			return -1;
		if (is_role(m, "tool"))
			echo_add(&t->echo, ECHO_RESULT, text);
		else if (!is_role(m, "assistant"))
			echo_add(&t->echo, ECHO_USER, text);
		else
			echo_add(&t->echo, ECHO_ANSWER, text);
		add_calls(&t->echo, m);
		if (is_role(m, "assistant"))
			note_place(t, i + 1);
	}
	ask->in.history_messages = (int64_t)json_array_size(messages);
	return read_instructions(rq, ask, messages, e);
}

/* -- finding it ------------------------------------------------------------------ */

/* A result needs its call beside it, where no turn waits for it. */
static size_t with_calls(const json_t *messages, size_t known)
{
	return known && is_role(json_array_get(messages, known), "tool")
		? known - 1 : known;
}

/* Whether the stored last question is a client's, and equals the first that is left. */
static int same_question(struct request *rq, struct openai_ask *ask, bool *clients,
			 bool *same, struct err *e)
{
	struct openai_thread *t = &ask->thread;
	const json_t *messages = jx_arr(rq->body, "messages");
	struct message m;
	struct str text;
	json_t *meta;

	if (message_get(rq->app->db, &rq->by.owner, &t->found.conversation_id, t->last,
			rq->arena, &m, e) < 0 ||
	    oai_text(rq, json_array_get(messages, t->known), &text, e) < 0)
		return -1;
	meta = jx_keep(rq->arena, jx_try(m.meta));
	*clients = jx_str(meta, "client").n;
	*same = str_eq(text, m.content) && !m.options.attachments.p && !inline_has(
		json_object_get(json_array_get(messages, t->known), "content"));
	return 0;
}

/* Whether the answer after that question is what the client has, or the start of it. */
static int same_answer(struct request *rq, struct openai_ask *ask, bool *same,
		       struct err *e)
{
	struct openai_thread *t = &ask->thread;
	const json_t *messages = jx_arr(rq->body, "messages");
	struct message_page page;
	struct str text;

	*same = false;
	if (message_history(rq->app->db, &rq->by.owner, &t->found.conversation_id, 0, 1,
			    rq->arena, &page, e) < 0 ||
	    oai_text(rq, json_array_get(messages, t->known + 1), &text, e) < 0)
		return -1;
	*same = page.n && page.items[0].role == ROLE_ASSISTANT &&
		echo_begins(page.items[0].content, text);
	return 0;
}

/* One question has followed in the thread since. */
static int decide_after(struct request *rq, struct openai_ask *ask, size_t n_given,
			struct err *e)
{
	struct openai_thread *t = &ask->thread;
	const json_t *messages = jx_arr(rq->body, "messages");
	size_t n = json_array_size(messages);
	bool clients, same, stopped = false;

	t->how = OAI_FORK;
	if (!is_role(json_array_get(messages, t->known), "user"))
		return 0;
	if (same_question(rq, ask, &clients, &same, e) < 0)
		return -1;
	if (clients && n_given < n && t->known + 1 == n)
		t->how = same ? OAI_AGAIN : OAI_EDIT;
	/* The client left the answer before its end, and goes on. */
	if (clients && same && t->known + 2 < n && t->known + 2 <= n_given &&
	    is_role(json_array_get(messages, t->known + 1), "assistant") &&
	    same_answer(rq, ask, &stopped, e) < 0)
		return -1;
	if (stopped) {
		t->known += 2;
		t->how = OAI_NEXT;
	}
	return 0;
}

static int decide(struct request *rq, struct openai_ask *ask, size_t n_given,
		  struct err *e)
{
	struct openai_thread *t = &ask->thread;
	int rc;

	/* Nothing has followed, and there is no other version of anything. */
	if (t->found.answer_seq && t->found.answer_seq == t->found.last_seq &&
	    !t->found.superseded) {
		t->how = OAI_NEXT;
		return 0;
	}
	rc = thread_after(rq->app->db, &t->found.conversation_id, t->found.user_seq,
			  t->found.answer_seq, &t->last, e);

	if (rc < 0 && !t->linked &&
	    (e->code == ERR_CONFLICT || e->code == ERR_NOT_FOUND)) {
		err_clear(e);
		t->how = OAI_NEW;
		return 0;
	}
	if (rc < 0)
		return -1;
	if (rc == 1 && !t->linked)
		return decide_after(rq, ask, n_given, e);
	t->how = rc ? OAI_FORK : OAI_NEXT;
	return 0;
}

int oai_thread_find(struct request *rq, struct openai_ask *ask, size_t n_given,
		    struct err *e)
{
	struct openai_thread *t = &ask->thread;
	const json_t *messages = jx_arr(rq->body, "messages");
	size_t at;
	int rc;

	t->how = OAI_NEW;
	if (t->linked)
		return decide(rq, ask, n_given, e);
	if (!t->n_places)
		return 0;
	rc = prefix_find(rq->app->db, &rq->by.owner, t->keys, t->n_places, rq->arena,
			 &t->found, &at, e);
	if (rc <= 0)
		return rc;
	/* The hash has them; a hash is no proof. */
	if (!str_eq(t->found.workspace_id, ask->in.workspace_id) ||
	    !str_eq(t->found.agent_id, ask->in.agent_id))
		return 0;
	t->known = t->places[at];
	while (oai_is_system(json_array_get(messages, t->known)))
		t->known++;
	if (decide(rq, ask, n_given, e) < 0)
		return -1;
	t->known = t->how == OAI_NEW ? 0 : with_calls(messages, t->known);
	return 0;
}

/* -- the responses before ---------------------------------------------------------- */

/* "resp_" and 32 hex digits. */
static bool turn_of(struct str id, struct uuid *turn)
{
	char call[64];
	int64_t position;
	size_t n = sizeof(RESPONSES_ID) - 1;

	if (id.n != n + 32 || memcmp(id.p, RESPONSES_ID, n))
		return false;
	memcpy(call, "call_", 5);
	memcpy(call + 5, id.p + n, 32);
	call[37] = '0';
	return dialect_openai_call_parse((struct str){ call, 38 }, turn, &position);
}

int oai_thread_turn(struct request *rq, struct str id, const char *field,
		    struct turn *t, struct conversation *c, struct err *e)
{
	struct uuid turn;

	if (turn_of(id, &turn) &&
	    store_turn_get(rq->app->db, &rq->by.owner, &turn, rq->arena, t, e) == 0 &&
	    !t->response_gone &&
	    conversation_get(rq->app->db, &rq->by.owner, &t->conversation_id, rq->arena,
			     c, e) == 0 &&
	    target_conversation(&rq->by, c, e) == 0)
		return 0;
	if (e->code != ERR_NONE && e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return err_field(e, ERR_NOT_FOUND, field, "There is no response \"%.*s\".",
			 (int)MIN(id.n, 100), id.p);
}

/* -- using it -------------------------------------------------------------------- */

/* A copy of the thread up to the known answer. 0: it cannot be made. */
static int fork_thread(struct request *rq, struct openai_ask *ask, struct err *e)
{
	struct openai_thread *t = &ask->thread;
	struct uuid id = uuid_new();

	if (!t->found.answer_seq)
		return 0;
	if (thread_fork(rq->app->db, &rq->by.owner, &t->found.conversation_id,
			t->found.answer_seq, &id, e) < 0) {
		if (e->code != ERR_CONFLICT && e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return 0;
	}
	if (prefix_adopt(rq->app->db, &rq->by.owner, &id, t->program, e) < 0)
		return -1;
	notify_conversation(rq->app->notify, &rq->by.owner, &id, "created",
			    (struct str){ NULL, 0 });
	rq->jobs_asked = true;
	ask->in.conversation_id = id;
	return 1;
}

/* The conversation of a turn that was started with the request's key: 1, 0, -1. */
static int keyed(struct request *rq, struct uuid *conversation, struct err *e)
{
	struct err ignored = ERR_INIT;
	struct uuid id;
	struct turn t;

	if (idempotent_id(rq, "turn", &id, &ignored) <= 0)
		return 0;
	if (store_turn_get(rq->app->db, &rq->by.owner, &id, rq->arena, &t, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return 0;
	}
	*conversation = t.conversation_id;
	return 1;
}

int oai_thread_use(struct request *rq, struct openai_ask *ask, struct err *e)
{
	struct openai_thread *t = &ask->thread;
	struct turn_request *in = &ask->in;
	bool replaces = t->how == OAI_AGAIN || t->how == OAI_EDIT;
	int rc;

	if (in->verb == TURN_RESUME)
		return 0;
	in->verb = replaces ? TURN_REPLACE : TURN_SEND;
	in->seq = replaces ? t->last : 0;
	in->content = t->how == OAI_AGAIN ? (struct str){ NULL, 0 } : t->content;
	in->program = t->how == OAI_NEW ? t->program : (struct str){ NULL, 0 };
	in->conversation_id = t->how == OAI_NEW ? (struct uuid){ { 0 } }
		: t->found.conversation_id;
	if (t->how == OAI_NEW)
		return 0;
	rc = keyed(rq, &in->conversation_id, e);
	if (rc || t->how != OAI_FORK)
		return rc < 0 ? -1 : 0;
	rc = fork_thread(rq, ask, e);
	if (rc)
		return rc < 0 ? -1 : 0;
	if (t->linked)
		return err_field(e, ERR_INVALID_FIELD, "previous_response_id", "That "
				 "response cannot be continued any more.");
	t->how = OAI_NEW;
	t->known = 0;
	return oai_thread_use(rq, ask, e);
}

void oai_thread_note(struct request *rq, const struct openai_ask *ask,
		     const struct turn_run *t, int64_t answer_seq, struct str text)
{
	struct echo c = ask->thread.echo;
	struct err e = ERR_INIT;
	struct prefix p = {
		.conversation_id = t->conversation_id, .user_seq = t->user.seq,
		.answer_seq = answer_seq, .instructions = ask->thread.instructions,
	};

	if (ask->thread.linked)
		return;
	echo_add(&c, ECHO_ANSWER, text);
	for (size_t i = 0; i < t->n_waits; i++)
		if (t->waits[i].kind == WAIT_CLIENT)
			echo_add(&c, ECHO_CALL, t->waits[i].tool);
	p.hash = echo_key(&c);
	if (p.user_seq && prefix_put(rq->app->db, &rq->by.owner, &p, &e) < 0)
		log_err("a client's thread not noted", &e);
}
