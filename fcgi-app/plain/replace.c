/* SPDX-License-Identifier: MIT */
/*
 * Editing of a thread (docs/thread.md): regenerating, editing a message, correcting an
 * answer, and switching between the resulting versions.
 */
#include "plain/plain.h"

#include "api/idempotent.h"
#include "api/scope.h"
#include "api/send.h"
#include "api/variant.h"
#include "app.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "store/thread.h"
#include "event/live.h"
#include "event/notify.h"

#include "base/banned.h"

/* -- below a message ----------------------------------------------------------- */

static void put_version(struct plain *p, const char *path,
			const struct message *m, int64_t index)
{
	plain_form(p, path);
	buf_addf(p->b, "<input type=\"hidden\" name=\"message\" value=\"%lld\">"
		 "<input type=\"hidden\" name=\"index\" value=\"%lld\">%s"
		 "<input type=\"submit\" value=\"", (long long)m->seq, (long long)index,
		 p->steps ? PLAIN_STEPS : "");
	plain_sayf(p, "Show version %lld", (long long)index);
	buf_adds(p->b, "\"></form>\n");
}

static void put_versions(struct plain *p, const char *id,
			 const struct message *m)
{
	const char *path = arena_printf(p->rq->arena,
					"conversations/%s/version", id);

	buf_adds(p->b, "<div class=\"versions\"><span class=\"small\">");
	plain_sayf(p, "version %lld of %lld", (long long)m->variant_index,
		   (long long)m->variant_count);
	buf_adds(p->b, "</span>\n");
	if (m->variant_index > 1)
		put_version(p, path, m, m->variant_index - 1);
	if (m->variant_index < m->variant_count)
		put_version(p, path, m, m->variant_index + 1);
	buf_adds(p->b, "</div>\n");
}

void plain_replace_links(struct plain *p, const struct uuid *conversation,
		      const struct message *m)
{
	char id[UUID_TEXT_BYTES];

	uuid_format(conversation, id);
	if (m->variant_count > 1)
		put_versions(p, id, m);
	if (m->role != ROLE_USER && m->kind != KIND_ANSWER)
		return;
	buf_addf(p->b, "<p class=\"small\"><a href=\"%sconversations/%s/change?message=%lld%s\">",
		 p->root, id, (long long)m->seq, p->steps ? "&amp;steps=1" : "");
	plain_say(p, m->role == ROLE_USER ? N_("Change this message") : N_("Correct this answer"));
	buf_adds(p->b, "</a></p>\n");
}

/* -- turns ----------------------------------------------------------------------- */

/*
 * POST {base}/plain/conversations/{c}/regenerate steps: answers the last
 * message again; 303 to the turn's page. Errors as of the API's route.
 */
int plain_regenerate(struct request *rq, struct response *rs, struct err *e)
{
	struct turn_request in = send_request(rq, TURN_REPLACE);

	in.conversation_id = *route_arg_uuid(rq, "conversation");
	return plain_start_turn(rq, rs, &in, e);
}

/* The number in a field of the form; 0 where there is none. */
static int64_t number(const struct request *rq, const char *name)
{
	struct str s = form_field(rq, name);
	int64_t n = 0;

	if (!s.n || s.n > 10)
		return 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return 0;
		n = n * 10 + (s.p[i] - '0');
	}
	return n;
}

/* The form with which an answer is corrected. */
static void put_correction(struct plain *p, struct response *rs,
			   const struct conversation *c, const struct message *m)
{
	char id[UUID_TEXT_BYTES];

	plain_begin(p, rs, 200, str_of(plain_text(p, "Correct answer")));
	buf_adds(p->b, "<p>");
	plain_say(p, "Your text takes the place of the answer, and no model is asked. The "
		  "answer, its tool calls and the messages after it are kept as an earlier "
		  "version.");
	buf_adds(p->b, "</p>\n");
	plain_form(p, arena_printf(p->rq->arena, "conversations/%s/correct",
				   uuid_format(&c->id, id)));
	buf_addf(p->b, "<input type=\"hidden\" name=\"message\" value=\"%lld\">\n"
		 "<p><label for=\"content\">", (long long)m->seq);
	plain_say(p, "Answer");
	buf_adds(p->b, "</label><br>\n<textarea id=\"content\" name=\"content\" rows=\"16\" "
		 "cols=\"70\" required>\n");
	html_text(p->b, m->content);
	buf_adds(p->b, "</textarea></p>\n<p>");
	plain_submit(p, NULL, "Save");
	buf_addf(p->b, "</p>\n</form>\n<p><a href=\"%sconversations/%s#m%lld\">", p->root, id,
		 (long long)m->seq);
	plain_say(p, "Back to the conversation");
	buf_adds(p->b, "</a></p>\n");
	plain_foot(p);
}

/*
 * GET {base}/plain/conversations/{c}/change?message=SEQ&steps=: a form with that
 * message of the user, or that answer. 200; 404; 409 when it was superseded; 422.
 */
int plain_change(struct request *rq, struct response *rs, struct err *e)
{
	struct conversation c;
	struct message m;
	int64_t seq;
	struct plain p;

	if (req_query_int(rq, "message", 0, &seq, e) < 0 ||
	    api_conversation_of_path(rq, &c, e) < 0 || plain_open(rq, &p, e) < 0 ||
	    message_get(rq->app->db, &rq->by.owner, &c.id, seq, rq->arena, &m,
			e) < 0)
		return -1;
	if (m.kind == KIND_ANSWER) {
		put_correction(&p, rs, &c, &m);
		return 0;
	}
	if (m.role != ROLE_USER)
		return err_field(e, ERR_INVALID_FIELD, "message",
				 "Only a user's message or an answer can be edited.");
	p.web = plain_has_web(rq, &c);
	p.wants_web = m.options.web;
	p.mentions = plain_mentioned(&p, &m);
	p.files = plain_attached(&p, &m);
	plain_begin(&p, rs, 200, str_of(plain_text(&p, "Edit message")));
	buf_adds(p.b, "<p>");
	plain_say(&p, "The messages after this one are kept as an earlier version.");
	buf_adds(p.b, "</p>\n");
	plain_message_form(&p, arena_printf(rq->arena, "%.*s",
					    STR_ARG(rq->path)) + 1);
	buf_addf(p.b, "<input type=\"hidden\" name=\"message\" value=\"%lld\">\n",
		 (long long)seq);
	plain_message_fields(&p, m.content);
	plain_foot(&p);
	return 0;
}

/*
 * POST {base}/plain/conversations/{c}/change message=SEQ, content, web, steps:
 * edits it; 303 to the turn's page. Errors as of the API's route.
 */
int plain_changed(struct request *rq, struct response *rs, struct err *e)
{
	struct turn_request in = send_request(rq, TURN_REPLACE);

	in.conversation_id = *route_arg_uuid(rq, "conversation");
	in.seq = number(rq, "message");
	if (plain_read_content(rq, &in, e) < 0)
		return -1;
	if (!in.seq)
		return err_set(e, ERR_NOT_FOUND, "no message's number");
	return plain_start_turn(rq, rs, &in, e);
}

/*
 * POST {base}/plain/conversations/{c}/correct message=SEQ, content: 303 to the
 * conversation with the corrected answer. Errors as of the API's route.
 */
int plain_corrected(struct request *rq, struct response *rs, struct err *e)
{
	struct turn_request in = { .id = { { 0 } } };	/* for its key only */
	struct str content = form_field(rq, "content");
	struct conversation c;
	struct message m;
	char id[UUID_TEXT_BYTES];

	if (!str_trim(content).n)
		return err_field(e, ERR_INVALID_FIELD, "content",
				 "The answer must not be empty.");
	if (utf8_chars(content) > LIM_CORRECTION_CHARS)
		return err_field(e, ERR_INVALID_FIELD, "content", "An answer "
				 "may have at most %d characters.", LIM_CORRECTION_CHARS);
	if (api_conversation_of_path(rq, &c, e) < 0 || idempotent_key(rq, &in, e) < 0 ||
	    variant_correct(rq, number(rq, "message"), content, -1, &in.id, &m, e) < 0)
		return -1;
	plain_go(rq, rs, arena_printf(rq->arena, "conversations/%s",
				      uuid_format(&c.id, id)),
		 arena_printf(rq->arena, "#m%lld", (long long)m.seq));
	return 0;
}

/* -- versions -------------------------------------------------------------------- */

/*
 * POST {base}/plain/conversations/{c}/version message=SEQ, index: makes that
 * version the thread; 303 to it, or to the current thread if the message is no
 * longer in it (a double click). Errors as of POST /conversations/{c}/variants.
 */
int plain_version(struct request *rq, struct response *rs, struct err *e)
{
	int64_t head = 0, seq = number(rq, "message");
	const char *fragment = "";
	struct conversation c;
	char id[UUID_TEXT_BYTES];

	if (api_conversation_of_path(rq, &c, e) < 0)
		return -1;
	if (thread_variant_at(rq->app->db, &rq->by.owner, &c.id, seq,
			      number(rq, "index"), &head, e) == 0 &&
	    variant_switch(rq, &c.id, head, e) == 0) {
		fragment = arena_printf(rq->arena, "#m%lld", (long long)head);
	} else if (e->code == ERR_CONFLICT) {
		err_clear(e);
	} else {
		return -1;
	}
	plain_go(rq, rs, arena_printf(rq->arena, "conversations/%s",
				      uuid_format(&c.id, id)), fragment);
	return 0;
}
