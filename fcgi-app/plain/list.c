/* The caller's conversations. */
#include "plain/plain.h"

#include "api/scope.h"
#include "app.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"

#include "base/banned.h"

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
	buf_addf(p->b, "<form action=\"%s./\"><p><label for=\"q\">Title"
		 "</label> <input id=\"q\" name=\"q\" size=\"30\" value=\"",
		 p->root);
	html_text(p->b, q);
	buf_addf(p->b, "\">%s <input type=\"submit\" value=\"Search\"></p>"
		 "</form>\n", p->steps ? "<input type=\"hidden\" name=\"steps\""
		 " value=\"1\">" : "");
}

static void put_row(struct plain *p, const struct conversation *c,
		    int64_t now_us)
{
	struct buf *b = p->b;
	char id[UUID_TEXT_BYTES];

	uuid_format(&c->id, id);
	buf_addf(b, "<li><a href=\"%sconversations/%s%s\">", p->root, id,
		 p->steps ? "?steps=1" : "");
	html_text(b, c->title.n ? c->title : STR("Untitled"));
	buf_adds(b, "</a> <span class=\"small\">");
	html_text(b, plain_agent_name(p->rq, c->workspace_id, c->agent_id));
	buf_adds(b, ", ");
	plain_time(b, c->updated_us);
	if (conversation_running(c, now_us))
		buf_adds(b, conversation_waiting(c, now_us)
			 ? ", <b>waiting for you</b>" : ", <b>answering</b>");
	buf_addf(b, " <a href=\"%sconversations/%s/edit\">rename, delete</a>"
		 "</span></li>\n", p->root, id);
}

/* The way to what is older; q stays. */
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
	buf_addf(b, "%s\">Older conversations</a></p>\n",
		 p->steps ? "&amp;steps=1" : "");
}

/*
 * GET {base}/plain/?q=&before=&id=&steps=: a page of them, newest first; q is
 * part of the title. 200; 422.
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
	plain_begin(&p, rs, 200, STR("Conversations"));
	put_search(&p, f.title);
	buf_adds(p.b, page.n ? "<ul class=\"list\">\n"
		 : "<p>There are none here.</p>\n");
	for (size_t i = 0; i < page.n; i++)
		put_row(&p, &page.items[i], now_us);
	if (page.n)
		buf_adds(p.b, "</ul>\n");
	if (page.more)
		put_older(&p, &page.next, f.title);
	plain_foot(&p);
	return 0;
}
