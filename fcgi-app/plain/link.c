/* SPDX-License-Identifier: MIT */
/*
 * A conversation as those read it who have a link of its owner (domain/public_link.h):
 * without sign-on, without scripts and cookies, for no search engine. They see its messages
 * and what else the share has, and nothing that leads into the site: no sources, whose
 * rights they do not have, no files, no owner's name.
 */
#include "plain/plain.h"

#include "api/shared.h"
#include "app.h"
#include "base/clock.h"
#include "base/limits.h"
#include "domain/public_link.h"
#include "hold/rate.h"

#include "base/banned.h"

enum { OF_ADDRESS = 60, OF_ALL = 600 };	/* requests a minute, in each process */

#define DAY_US 86400000000LL

static struct rate asked = RATE_INIT;

/* What the link shows, and as whom one reads it. ERR_NOT_FOUND if it holds no more. */
static int find_shared(struct request *rq, struct shared_reader *by, struct shared *s,
		       struct err *e)
{
	struct db *db = rq->app->db;
	struct uuid *reader = arena_new(rq->arena, struct uuid), share;
	int64_t days;

	*by = (struct shared_reader){ .tenant_id = str_of(rq->conf->tenant) };
	if (public_link_read(db, by->tenant_id, route_arg(rq, "link"), &share, e) < 0 ||
	    public_link_days(rq->conf, db, rq->arena, &days, e) < 0)
		return -1;
	if (!days)
		return err_set(e, ERR_NOT_FOUND, "links are switched off");
	if (shared_link(db, by->tenant_id, &share, clock_now_us() - days * DAY_US, reader,
			e) < 0)
		return -1;
	by->readers_json = resource_ids_json(reader, 1, rq->arena);
	return shared_get(db, by, &share, rq->arena, s, e);
}

/* The same words for what never was, and for what is no more. */
static int explain(struct err *e)
{
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return err_public(e, ERR_NOT_FOUND, "This link leads nowhere, or no longer.");
}

static void put_page_link(struct plain *p, int64_t before, const char *text)
{
	buf_addf(p->b, "<p><a href=\"%.*s", STR_ARG(route_arg(p->rq, "link")));
	if (before)
		buf_addf(p->b, "?before=%lld", (long long)before);
	buf_adds(p->b, "\">");
	plain_say(p, text);
	buf_adds(p->b, "</a></p>\n");
}

/*
 * GET {base}/plain/links/{link}?before=SEQ: the newest messages that the link shows, or
 * those before SEQ. 200; 404 if it is not a link, was revoked or has ended, or there are
 * none here; 429.
 */
int plain_link(struct request *rq, struct response *rs, struct err *e)
{
	struct plain p = { .rq = rq, .outside = true };
	struct shared_reader by;
	struct message_page page;
	struct shared s;
	int64_t before;

	if (rate_take(&asked, req_param(rq, "REMOTE_ADDR"), clock_mono_ms(), OF_ADDRESS,
		      OF_ALL, e) < 0 ||
	    req_query_int(rq, "before", 0, &before, e) < 0)
		return -1;
	if (before < 0)
		return err_field(e, ERR_INVALID_FIELD, "before",
				 "before must be a message's number.");
	if (find_shared(rq, &by, &s, e) < 0)
		return explain(e);
	if (s.upto_seq && before > s.upto_seq)
		before = 0;
	if (shared_messages(rq->app->db, &by, &s, before, LIM_PAGE_DEFAULT, rq->arena, &page,
			    e) < 0)
		return explain(e);
	plain_begin(&p, rs, 200, s.title);
	buf_adds(p.b, "<p class=\"small\">");
	plain_say(&p, "A chat with an assistant, which somebody shares by this link. Answers may "
		  "be wrong.");
	buf_adds(p.b, "</p>\n");
	if (page.more)
		put_page_link(&p, page.next_seq, N_("Older messages"));
	for (size_t i = page.n; i-- > 0;) {
		api_shared_reduce(rq, &s, false, &page.items[i]);
		plain_message(&p, &page.items[i], str_of(plain_text(&p, "Assistant")));
	}
	if (before)
		put_page_link(&p, 0, N_("The newest messages"));
	plain_foot(&p);
	return 0;
}
