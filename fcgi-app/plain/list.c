/* SPDX-License-Identifier: MIT */
/* The caller's conversations. */
#include "plain/plain.h"

#include "api/scope.h"
#include "app.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "search/chats.h"

#include "base/banned.h"

enum { HITS = 20 };	/* conversations whose messages are shown */

/* GET {base}/plain: 303 to {base}/plain/, against which links are relative. */
int plain_enter(struct request *rq, struct response *rs, struct err *e)
{
	(void)rq;
	(void)e;
	resp_see_other(rs, "plain/");
	return 0;
}

/* Where the page begins: before=MICROSECONDS&id=UUID of the last row seen. */
static int read_key(struct request *rq, struct conversation_key *key,
		    bool *given, struct err *e)
{
	struct str id;

	if (req_query_int(rq, "before", -1, &key->updated_us, e) < 0 ||
	    req_query(rq, "id", &id, e) < 0)
		return -1;
	*given = key->updated_us >= 0;
	if (*given && !uuid_parse(id, &key->id))
		return err_field(e, ERR_INVALID_FIELD, "id",
				 "id must be a conversation's.");
	return 0;
}

static void put_search(struct plain *p, struct str q)
{
	buf_addf(p->b, "<form action=\"%s./\"><p><label for=\"q\">", p->root);
	plain_say(p, "Search");
	buf_adds(p->b, "</label> <input id=\"q\" name=\"q\" size=\"30\" value=\"");
	html_text(p->b, q);
	buf_addf(p->b, "\">%s ", p->steps ? PLAIN_STEPS : "");
	plain_submit(p, NULL, "Search");
	buf_adds(p->b, "</p></form>\n");
}

static void put_row(struct plain *p, const struct conversation *c,
		    int64_t now_us)
{
	struct buf *b = p->b;
	char id[UUID_TEXT_BYTES];

	uuid_format(&c->id, id);
	buf_addf(b, "<li><a href=\"%sconversations/%s%s\">", p->root, id,
		 p->steps ? "?steps=1" : "");
	html_text(b, c->title.n ? c->title : str_of(plain_text(p, "Untitled")));
	buf_adds(b, "</a> <span class=\"small\">");
	html_text(b, plain_agent_name(p->rq, c->workspace_id, c->agent_id));
	buf_adds(b, ", ");
	plain_time(b, c->updated_us);
	if (conversation_running(c, now_us)) {
		buf_adds(b, ", <b>");
		plain_say(p, conversation_waiting(c, now_us) ? N_("waiting for you")
			  : N_("answering"));
		buf_adds(b, "</b>");
	}
	buf_addf(b, " <a href=\"%sconversations/%s/edit\">", p->root, id);
	plain_say(p, "rename, delete");
	buf_adds(b, "</a></span></li>\n");
}

/* The link to older conversations; keeps q. */
static void put_older(struct plain *p, const struct conversation_key *next,
		      struct str q)
{
	struct buf *b = p->b;
	char id[UUID_TEXT_BYTES];

	buf_addf(b, "<p><a href=\"%s./?before=%lld&amp;id=%s", p->root,
		 (long long)next->updated_us, uuid_format(&next->id, id));
	if (q.n) {
		buf_adds(b, "&amp;q=");
		buf_url(b, q);
	}
	buf_addf(b, "%s\">", p->steps ? "&amp;steps=1" : "");
	plain_say(p, "Older conversations");
	buf_adds(b, "</a></p>\n");
}

/* The snippet, with the words that were found in bold; marks count characters. */
static void put_snippet(struct buf *b, const struct snippet *s)
{
	struct str rest = s->text;
	size_t at = 0;

	for (size_t i = 0; i <= s->n; i++) {
		size_t to = i < s->n ? s->marks[i].start : SIZE_MAX;
		struct str part = utf8_head(rest, to - at);

		html_text(b, part);
		rest = (struct str){ rest.p + part.n, rest.n - part.n };
		if (i == s->n)
			break;
		part = utf8_head(rest, s->marks[i].length);
		buf_adds(b, "<b>");
		html_text(b, part);
		buf_adds(b, "</b>");
		rest = (struct str){ rest.p + part.n, rest.n - part.n };
		at = to + s->marks[i].length;
	}
}

/* What q finds in messages, on the first page; left out if the search fails. */
static void put_hits(struct plain *p, struct str q)
{
	const struct chats_ask ask = {
		.query = q, .to_us = INT64_MAX, .max = HITS,
	};
	struct chats_found *v;
	struct err e = ERR_INIT;
	size_t n, shown = 0;
	char id[UUID_TEXT_BYTES];

	if (chats_find(p->rq->app->db, &p->rq->by.owner, &ask, p->rq->arena, &v,
		       &n, &e) < 0) {
		log_err("search in messages", &e);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (!v[i].seq)		/* the title is in the list above */
			continue;
		if (!shown++) {
			buf_adds(p->b, "<h2>");
			plain_say(p, "In messages");
			buf_adds(p->b, "</h2>\n<ul class=\"list\">\n");
		}
		/* A page of a thread ends with the message before this number. */
		buf_addf(p->b, "<li><a href=\"%sconversations/%s?before=%lld%s\">",
			 p->root, uuid_format(&v[i].id, id),
			 (long long)v[i].seq + 1, p->steps ? "&amp;steps=1" : "");
		html_text(p->b, v[i].title.n ? v[i].title
			  : str_of(plain_text(p, "Untitled")));
		buf_adds(p->b, "</a> <span class=\"small\">");
		plain_time(p->b, v[i].updated_us);
		buf_adds(p->b, "</span><br>");
		put_snippet(p->b, &v[i].snippet);
		buf_adds(p->b, "</li>\n");
	}
	if (shown)
		buf_adds(p->b, "</ul>\n");
}

/*
 * GET {base}/plain/?q=&before=&id=&steps=: a page of them, newest first; q is
 * part of the title. Below the first page is what q finds in messages. 200; 422.
 */
int plain_list(struct request *rq, struct response *rs, struct err *e)
{
	struct conversation_filter f = { .workspace_id = { NULL, 0 } };
	struct conversation_page page;
	struct conversation_key key;
	int64_t now_us = clock_now_us();
	struct plain p;
	bool given;

	if (plain_open(rq, &p, e) < 0 || read_key(rq, &key, &given, e) < 0 ||
	    req_query(rq, "q", &f.title, e) < 0)
		return -1;
	if (!f.title.n)
		f.title.p = NULL;
	if (utf8_chars(f.title) > LIM_TITLE_CHARS)
		return err_field(e, ERR_INVALID_FIELD, "q", "The title may "
				 "have at most %d characters.", LIM_TITLE_CHARS);
	if (conversation_list(rq->app->db, &rq->by.owner, &f,
			      given ? &key : NULL,
			      LIM_PAGE_DEFAULT, rq->arena, &page, e) < 0)
		return -1;
	plain_begin(&p, rs, 200, str_of(plain_text(&p, "Conversations")));
	put_search(&p, f.title);
	plain_list_head(&p, page.n, N_("No conversations were found."));
	for (size_t i = 0; i < page.n; i++)
		put_row(&p, &page.items[i], now_us);
	if (page.n)
		buf_adds(p.b, "</ul>\n");
	if (page.more)
		put_older(&p, &page.next, f.title);
	if (f.title.n && !given)
		put_hits(&p, f.title);
	plain_foot(&p);
	return 0;
}
