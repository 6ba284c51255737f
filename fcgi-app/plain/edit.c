/* SPDX-License-Identifier: MIT */
/* Renaming and deleting a conversation, what is remembered of it, and the tools allowed in it. */
#include "plain/plain.h"

#include "api/approval.h"
#include "api/remembered.h"
#include "api/scope.h"
#include "app.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "memory/memory.h"
#include "memory/state.h"
#include "event/notify.h"

#include "base/banned.h"

/* A form that makes an item of the agent state a task of the conversation's project. */
static void put_promote(struct plain *p, const char *conversation, struct str item,
			struct str words)
{
	plain_form(p, arena_printf(p->rq->arena, "conversations/%s/memory", conversation));
	buf_adds(p->b, "<p>");
	plain_hidden(p->b, "promote", item);
	plain_submit(p, NULL, "Make it a task");
	buf_addc(p->b, ' ');
	html_text(p->b, words);
	buf_adds(p->b, "</p></form>\n");
}

/* What is remembered of before (docs/memory.md), and a form to change it. */
static int put_memory(struct plain *p, const struct uuid *conversation, bool project,
		      struct err *e)
{
	struct arena *a = p->rq->arena;
	struct buf b = BUF_INIT(65536);
	char id[UUID_TEXT_BYTES];
	const json_t *state, *item;
	struct memory m;
	size_t i;

	if (memory_get(p->rq->app->db, &p->rq->by.owner, conversation, INT64_MAX, a, &m,
		       e) < 0)
		return -1;
	if (!m.number)
		return 0;
	uuid_format(conversation, id);
	plain_form(p, arena_printf(a, "conversations/%s/memory", id));
	buf_adds(p->b, "<p><label for=\"summary\">");
	plain_say(p, "What is remembered of before: the assistant reads this in place of the "
		  "earlier messages.");
	if (m.origins.n) {
		buf_addc(p->b, ' ');
		plain_say(p, "It was made from text of others, too.");
	}
	buf_addf(p->b, "</label><br>\n<textarea id=\"summary\" name=\"summary\" rows=\"8\" "
		 "cols=\"60\" maxlength=\"%d\">\n", LIM_SUMMARY_CHARS);
	html_text(p->b, m.summary);
	buf_adds(p->b, "</textarea></p>\n");
	state = state_read(a, m.state);
	state_text(state, &b);
	if (b.n) {
		buf_adds(p->b, "<pre>");
		html_text(p->b, buf_str(&b));
		buf_adds(p->b, "</pre>\n");
	}
	buf_release(&b);
	buf_adds(p->b, "<p>");
	plain_submit(p, NULL, "Save");
	buf_addc(p->b, ' ');
	plain_submit(p, "remove", "Remove all of this");
	buf_adds(p->b, "</p>\n</form>\n");
	json_array_foreach(jx_arr(state, "items"), i, item)
		if (project && str_is(jx_str(item, "status"), "active"))
			put_promote(p, id, jx_str(item, "id"), jx_str(item, "title"));
	json_array_foreach(jx_arr(state, "assumptions"), i, item)
		if (project && json_number_value(json_object_get(item, "confidence")) > 0)
			put_promote(p, id, jx_str(item, "id"), jx_str(item, "hypothesis"));
	buf_adds(p->b, "<hr>\n");
	return 0;
}

/* POST …/memory promote, or summary, remove: 303 to the forms. */
int plain_memory(struct request *rq, struct response *rs, struct err *e)
{
	const bool remove = form_field(rq, "remove").n > 0;
	const struct str promote = form_field(rq, "promote");
	struct resource_answer *answer = arena_new(rq->arena, struct resource_answer);
	const struct resource *r;
	char id[UUID_TEXT_BYTES];

	if ((promote.n ? remembered_promote(rq, promote, (struct str){ NULL, 0 }, &r, answer, e)
	     : remove ? remembered_remove(rq, e)
	     : remembered_edit(rq, str_trim(form_field(rq, "summary")), e)) < 0)
		return -1;
	uuid_format(route_arg_uuid(rq, "conversation"), id);
	plain_go(rq, rs, arena_printf(rq->arena, "conversations/%s/edit", id), "");
	return 0;
}

/* A form for each tool that the user has allowed. */
static int put_allowed(struct plain *p, const struct uuid *conversation,
		       struct err *e)
{
	struct wait_allowed *rows;
	char id[UUID_TEXT_BYTES];
	size_t n;

	if (wait_allowed_list(p->rq->app->db, &p->rq->by.owner, conversation,
			      p->rq->arena, &rows, &n, e) < 0)
		return -1;
	if (!n)
		return 0;
	buf_adds(p->b, "<h2>");
	plain_say(p, "Allowed in this conversation");
	buf_adds(p->b, "</h2>\n<p>");
	plain_say(p, "These tools run here without asking you.");
	buf_adds(p->b, "</p>\n");
	for (size_t i = 0; i < n; i++) {
		plain_form(p, arena_printf(p->rq->arena,
					   "conversations/%s/revoke",
					   uuid_format(conversation, id)));
		buf_adds(p->b, "<p><b>");
		html_text(p->b, rows[i].tool);
		buf_adds(p->b, "</b> ");
		plain_hidden(p->b, "tool", rows[i].tool);
		plain_submit(p, NULL, "Ask again");
		buf_adds(p->b, "</p>\n</form>\n");
	}
	buf_adds(p->b, "<hr>\n");
	return 0;
}

/*
 * GET {base}/plain/conversations/{c}/edit: the forms; the one for deletion explains
 * its effect, and there is no further question.
 */
int plain_edit(struct request *rq, struct response *rs, struct err *e)
{
	struct conversation c;
	char id[UUID_TEXT_BYTES];
	struct plain p;

	if (api_conversation_of_path(rq, &c, e) < 0 || plain_open(rq, &p, e) < 0)
		return -1;
	uuid_format(&c.id, id);
	plain_begin(&p, rs, 200, c.title);
	plain_form(&p, arena_printf(rq->arena, "conversations/%s/rename", id));
	buf_adds(p.b, "<p><label for=\"title\">");
	plain_say(&p, "Title");
	buf_addf(p.b, "</label><br>\n<input id=\"title\" name=\"title\" size=\"60\" "
		 "maxlength=\"%d\" value=\"", LIM_TITLE_CHARS);
	html_text(p.b, c.title);
	buf_adds(p.b, "\"></p>\n<p>");
	plain_submit(&p, NULL, "Rename");
	buf_adds(p.b, "</p>\n</form>\n<hr>\n");
	if (put_memory(&p, &c.id, c.context.project_id.n > 0, e) < 0 ||
	    put_allowed(&p, &c.id, e) < 0)
		return -1;
	plain_form(&p, arena_printf(rq->arena, "conversations/%s/delete", id));
	buf_adds(p.b, "<p>");
	plain_sayf(&p, "Deleting removes the conversation with its messages (%lld). It cannot "
		   "be undone.", (long long)c.last_seq);
	buf_adds(p.b, "</p>\n<p>");
	plain_submit(&p, NULL, "Delete");
	buf_addf(p.b, "</p>\n</form>\n<p><a href=\"%sconversations/%s\">", p.root, id);
	plain_say(&p, "Back to the conversation");
	buf_adds(p.b, "</a></p>\n");
	plain_foot(&p);
	return 0;
}

/* POST …/rename title: 303 to the conversation; a blank title removes it. */
int plain_rename(struct request *rq, struct response *rs, struct err *e)
{
	struct str title = str_trim(form_field(rq, "title"));
	struct conversation c;
	char id[UUID_TEXT_BYTES];

	for (size_t i = 0; i < title.n; i++)
		if ((unsigned char)title.p[i] < 0x20)
			return err_field(e, ERR_INVALID_FIELD, "title",
					 "The title must be one line.");
	if (utf8_chars(title) > LIM_TITLE_CHARS)
		return err_field(e, ERR_INVALID_FIELD, "title", "The title may "
				 "have at most %d characters.", LIM_TITLE_CHARS);
	if (!title.n)
		title.p = NULL;
	if (api_conversation_of_path(rq, &c, e) < 0 ||
	    conversation_rename(rq->app->db, &rq->by.owner, &c.id, title,
				TITLE_USER, NULL, e) < 0)
		return -1;
	notify_conversation(rq->app->notify, &rq->by.owner, &c.id, "renamed",
			    title);
	api_search_again(rq);
	plain_go(rq, rs, arena_printf(rq->arena, "conversations/%s",
				      uuid_format(&c.id, id)), "");
	return 0;
}

/* POST …/revoke tool: 303 to the forms. Errors of allowed_revoke. */
int plain_revoke(struct request *rq, struct response *rs, struct err *e)
{
	char id[UUID_TEXT_BYTES];

	if (allowed_revoke(rq, form_field(rq, "tool"), e) < 0)
		return -1;
	uuid_format(route_arg_uuid(rq, "conversation"), id);
	plain_go(rq, rs, arena_printf(rq->arena, "conversations/%s/edit", id),
		 "");
	return 0;
}

/* POST …/delete: 303 to the list. */
int plain_delete(struct request *rq, struct response *rs, struct err *e)
{
	if (api_conversation_remove(rq, e) < 0)
		return -1;
	plain_go(rq, rs, "./", "");
	return 0;
}
