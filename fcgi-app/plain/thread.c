/* SPDX-License-Identifier: MIT */
/* One conversation: a page of its messages, and its forms. */
#include "plain/plain.h"

#include "api/scope.h"
#include "app.h"
#include "base/clock.h"
#include "base/limits.h"

#include "base/banned.h"

static void put_running(struct plain *p, const struct conversation *c,
			int64_t now_us)
{
	char id[UUID_TEXT_BYTES];
	const char *link;

	uuid_format(&c->running_turn_id, id);
	link = arena_printf(p->rq->arena, "<a href=\"%sturns/%s\">", p->root, id);
	if (conversation_waiting(c, now_us)) {
		buf_adds(p->b, "<p id=\"send\" class=\"waiting\">");
		plain_sayf(p, "This answer is waiting for you: %ssee what it needs%s.", link,
			   "</a>");
	} else {
		buf_adds(p->b, "<p id=\"send\">");
		plain_sayf(p, "An answer is being written: %sfollow it%s, or %sin steps%s.",
			   link, "</a>", arena_printf(p->rq->arena,
						      "<a href=\"%sturns/%s?steps=1\">",
						      p->root, id), "</a>");
	}
	buf_adds(p->b, "</p>\n");
	plain_form(p, arena_printf(p->rq->arena, "turns/%s/stop", id));
	buf_adds(p->b, "<p>");
	plain_submit(p, NULL, "Stop");
	buf_adds(p->b, "</p></form>\n");
}

/* The form that regenerates the last answer. */
static void plain_regenerate_form(struct plain *p, const struct uuid *conversation)
{
	char id[UUID_TEXT_BYTES];

	plain_form(p, arena_printf(p->rq->arena, "conversations/%s/regenerate",
				   uuid_format(conversation, id)));
	buf_addf(p->b, "%s<p>", p->steps ? PLAIN_STEPS : "");
	plain_submit(p, NULL, "Regenerate");
	buf_adds(p->b, "</p></form>\n");
}

/*
 * Below the newest messages: continue the last answer, regenerate it, or send a
 * message.
 */
static void put_forms(struct plain *p, const struct conversation *c,
		      const struct message *last)
{
	char id[UUID_TEXT_BYTES];

	if (last && plain_cut_short(p, last) && !uuid_is_nil(&last->turn_id)) {
		uuid_format(&last->turn_id, id);
		plain_form(p, arena_printf(p->rq->arena, "turns/%s/continue",
					   id));
		buf_addf(p->b, "%s<p>", p->steps ? PLAIN_STEPS : "");
		plain_submit(p, NULL, "Continue this answer");
		buf_adds(p->b, "</p></form>\n");
	}
	if (last)
		plain_regenerate_form(p, &c->id);
	p->web = plain_has_web(p->rq, c);
	p->chooses = arena_strdup(p->rq->arena, uuid_format(&c->id, id));
	buf_adds(p->b, "<div id=\"send\">\n");
	plain_message_form(p, arena_printf(p->rq->arena, "conversations/%s",
					   uuid_format(&c->id, id)));
	plain_message_fields(p, STR(""));
	buf_adds(p->b, "</div>\n");
}

static void put_page_link(struct plain *p, const struct conversation *c,
			  int64_t before, const char *text)
{
	char id[UUID_TEXT_BYTES];

	buf_addf(p->b, "<p><a href=\"%sconversations/%s?before=%lld%s\">", p->root,
		 uuid_format(&c->id, id), (long long)before,
		 p->steps ? "&amp;steps=1" : "");
	plain_say(p, text);
	buf_adds(p->b, "</a></p>\n");
}

/*
 * GET {base}/plain/conversations/{c}?before=SEQ&mentions=&steps=: its newest messages,
 * or those before SEQ, in the order they were written. 200; 404.
 */
int plain_thread(struct request *rq, struct response *rs, struct err *e)
{
	struct message_page page;
	struct conversation c;
	char id[UUID_TEXT_BYTES];
	int64_t before;
	int64_t now_us = clock_now_us();
	bool running;
	struct plain p;
	struct str name;

	if (req_query_int(rq, "before", 0, &before, e) < 0)
		return -1;
	if (before < 0)
		return err_field(e, ERR_INVALID_FIELD, "before",
				 "before must be a message's number.");
	if (api_conversation_of_path(rq, &c, e) < 0 || plain_open(rq, &p, e) < 0 ||
	    req_query(rq, "mentions", &p.mentions, e) < 0 ||
	    message_list(rq->app->db, &rq->by.owner, &c.id, NEWEST_FIRST,
			 before, LIM_PAGE_DEFAULT, rq->arena, &page, e) < 0)
		return -1;
	uuid_format(&c.id, id);
	name = plain_agent_name(rq, c.workspace_id, c.agent_id);
	plain_begin(&p, rs, 200, c.title);
	buf_addf(p.b, "<p class=\"small\"><a href=\"%sconversations/%s/edit\">", p.root, id);
	plain_say(&p, "rename, delete, allowed tools");
	buf_adds(p.b, "</a></p>\n");
	if (page.more)
		put_page_link(&p, &c, page.next_seq, N_("Older messages"));
	running = conversation_running(&c, now_us);
	for (size_t i = page.n; i-- > 0;) {
		plain_message(&p, &page.items[i], name);
		if (!running)
			plain_replace_links(&p, &c.id, &page.items[i]);
	}
	if (before && before <= c.last_seq)
		put_page_link(&p, &c, 0, N_("The newest messages"));
	else if (running)
		put_running(&p, &c, now_us);
	else
		put_forms(&p, &c, page.n ? &page.items[0] : NULL);
	plain_foot(&p);
	return 0;
}
