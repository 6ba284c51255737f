/* SPDX-License-Identifier: MIT */
/*
 * The citations of an answer: notes below it, and a page of the passages that
 * its turn used.
 */
#include "plain/plain.h"

#include "api/knowledge.h"
#include "route.h"
#include "store/source.h"

#include "base/banned.h"

static void put_source(struct plain *p, const struct source *s)
{
	struct buf *b = p->b;

	buf_addf(b, "<section id=\"s%lld\">\n<h2>[%lld] ", (long long)s->no,
		 (long long)s->no);
	html_text(b, s->title);
	if (s->page) {
		buf_adds(b, ", ");
		plain_sayf(p, "page %lld", (long long)s->page);
	}
	buf_adds(b, "</h2>\n");
	if (s->url.n) {	/* http or https: tool/core/passage.h */
		buf_adds(b, "<p><a rel=\"noopener noreferrer nofollow\" href=\"");
		html_text(b, s->url);
		buf_adds(b, "\">");
		html_text(b, s->url);
		buf_adds(b, "</a></p>\n");
	}
	html_markdown(b, s->text);
	buf_adds(b, "</section>\n");
}

/*
 * GET {base}/plain/conversations/{c}/sources?messageId=: the passages that the answer
 * used and that the caller may still see. 200; 404; 422.
 */
int plain_sources(struct request *rq, struct response *rs, struct err *e)
{
	struct source *v;
	struct plain p;
	char id[UUID_TEXT_BYTES];
	size_t n;

	if (api_source_of_message(rq, &v, &n, e) ||
	    plain_open(rq, &p, e) < 0)
		return -1;
	plain_begin(&p, rs, 200, str_of(plain_text(&p, "Sources")));
	for (size_t i = 0; i < n; i++)
		put_source(&p, &v[i]);
	if (!n) {
		buf_adds(p.b, "<p>");
		plain_say(&p, "They are not available any more: they were deleted, or you may "
			  "not see them now.");
		buf_adds(p.b, "</p>\n");
	}
	buf_addf(p.b, "<p><a href=\"%sconversations/%s\">", p.root,
		 uuid_format(route_arg_uuid(rq, "conversation"), id));
	plain_say(&p, "Back to the conversation");
	buf_adds(p.b, "</a></p>\n");
	plain_foot(&p);
	return 0;
}
