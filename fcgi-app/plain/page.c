/* SPDX-License-Identifier: MIT */
/* The common parts of plain pages, and the page of an error. */
#include "plain/plain.h"

#include <stdio.h>

#include "auth/policy.h"
#include "base/clock.h"
#include "base/limits.h"
#include "multipart.h"
#include "prompt/untrusted.h"

#include "base/banned.h"

#define POLICY "default-src 'none'; style-src 'self'; img-src 'self'; " \
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

#define OUTSIDE_POLICY "default-src 'none'; style-src 'self'; img-src 'self'; " \
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

/* "../" for each folder between the mount's root and this page. */
static const char *root_of(struct request *rq)
{
	struct buf b = BUF_INIT(LIM_URI_BYTES * 3);
	const char *root;

	for (size_t i = 1; i < rq->path.n; i++)
		if (rq->path.p[i] == '/')
			buf_adds(&b, "../");
	if (rq->path.n == 0)	/* "{base}/plain" itself */
		buf_adds(&b, "plain/");
	root = arena_strdup(rq->arena, b.p);
	buf_release(&b);
	return root;
}

static bool wants_steps(struct request *rq)
{
	struct err ignored = ERR_INIT;
	struct str v;

	if (form_field(rq, "steps").n)
		return true;
	return req_query(rq, "steps", &v, &ignored) == 0 && v.n > 0;
}

int plain_open(struct request *rq, struct plain *p, struct err *e)
{
	*p = (struct plain){ .rq = rq, .root = root_of(rq),
			     .steps = wants_steps(rq) };
	return form_token(rq, p->token, e);
}

void plain_headers(struct response *rs)
{
	resp_header(rs, "Content-Security-Policy", POLICY);
	resp_header(rs, "Referrer-Policy", "same-origin");
	/* Even the DNS look-up of a link's host name could leak a secret. */
	resp_header(rs, "X-DNS-Prefetch-Control", "off");
}

/* The address of such a page lets one read it: no page that it leads to learns of it. */
static void outside_headers(struct response *rs)
{
	resp_header(rs, "Content-Security-Policy", OUTSIDE_POLICY);
	resp_header(rs, "Referrer-Policy", "no-referrer");
	resp_header(rs, "X-Robots-Tag", "noindex, nofollow, noarchive");
	resp_header(rs, "X-DNS-Prefetch-Control", "off");
}

void plain_begin(struct plain *p, struct response *rs, int status,
		 struct str title)
{
	if (!p->root)
		p->root = root_of(p->rq);
	p->b = resp_html(rs, status);
	if (p->outside)
		outside_headers(rs);
	else
		plain_headers(rs);
	plain_head(p, title, 0);
}

static void put_nav(struct plain *p)
{
	const char *steps = p->steps ? "?steps=1" : "";

	buf_addf(p->b, "<nav><a href=\"%s./%s\">Conversations</a> "
		 "<a href=\"%snew%s\">New conversation</a>", p->root, steps,
		 p->root, steps);
	if (policy_may(p->rq->by.who, PERM_PROMPTS_READ))
		buf_addf(p->b, " <a href=\"%sprompts?conversation=%s\">Prompts"
			 "</a>", p->root, p->steps ? "&amp;steps=1" : "");
	if (policy_may(p->rq->by.who, PERM_PROJECTS_READ))
		buf_addf(p->b, " <a href=\"%sprojects%s\">Projects</a>", p->root, steps);
	if (policy_may(p->rq->by.who, PERM_SETTINGS_READ))
		buf_addf(p->b, " <a href=\"%smemories%s\">Remembered</a>"
			 " <a href=\"%ssettings%s\">Settings</a>", p->root, steps,
			 p->root, steps);
	if (p->rq->by.who->login.n) {
		buf_adds(p->b, " <span>");
		html_text(p->b, p->rq->by.who->name);
		buf_adds(p->b, "</span>");
	}
	buf_adds(p->b, "</nav>\n");
}

void plain_head(struct plain *p, struct str title, int refresh_s)
{
	struct buf *b = p->b;

	buf_adds(b, "<!doctype html>\n<html lang=\"en\">\n<head>\n"
		 "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
		 "content=\"width=device-width, initial-scale=1\">\n");
	if (refresh_s)
		buf_addf(b, "<meta http-equiv=\"refresh\" content=\"%d\">\n",
			 refresh_s);
	if (p->outside)
		buf_adds(b, "<meta name=\"robots\" content=\"noindex, nofollow\">\n");
	buf_adds(b, "<title>");
	html_text(b, title);
	buf_addf(b, "</title>\n<meta name=\"color-scheme\" content=\"light dark\">"
		 "\n<link rel=\"stylesheet\" href=\"%s../css/theme.css\">\n"
		 "<link rel=\"stylesheet\" href=\"%s../css/plain.css\">\n"
		 "<link rel=\"icon\" href=\"%s../favicon.svg\" "
		 "type=\"image/svg+xml\">\n</head>\n<body>\n", p->root,
		 p->root, p->root);
	if (!p->outside)
		put_nav(p);
	buf_adds(b, "<main>\n<h1>");
	html_text(b, title);
	buf_adds(b, "</h1>\n");
}

void plain_foot(struct plain *p)
{
	buf_adds(p->b, "</main>\n</body>\n</html>\n");
}

static void put_form(struct plain *p, const char *path, bool files)
{
	buf_addf(p->b, "<form method=\"post\" accept-charset=\"utf-8\" "
		 "%saction=\"%s%s\">\n<input type=\"hidden\" "
		 "name=\"" FORM_TOKEN_FIELD "\" value=\"%s\">",
		 files ? "enctype=\"multipart/form-data\" " : "", p->root,
		 path, p->token);
}

void plain_form(struct plain *p, const char *path)
{
	put_form(p, path, false);
}

void plain_message_form(struct plain *p, const char *path)
{
	put_form(p, path, p->rq->conf->attach.message_files > 0);
}

/* The mentions of the message, and links to find more, or a prompt. */
static void put_mentions(struct plain *p)
{
	struct buf *b = p->b;

	if (p->mentions.n || p->chooses) {
		buf_adds(b, "<p><label for=\"mentions\">Mentions</label> <input "
			 "id=\"mentions\" name=\"mentions\" size=\"40\" value=\"");
		html_text(b, p->mentions);
		buf_adds(b, "\">");
	}
	if (p->chooses) {
		buf_addf(b, " <a href=\"%smentions?conversation=%s&amp;mentions=",
			 p->root, p->chooses);
		buf_url(b, p->mentions);
		buf_addf(b, "%s\">Find something to mention</a> <a href=\""
			 "%sprompts?conversation=%s%s\">Choose a prompt</a>",
			 p->steps ? "&amp;steps=1" : "", p->root, p->chooses,
			 p->steps ? "&amp;steps=1" : "");
	}
	if (p->mentions.n || p->chooses)
		buf_adds(b, "</p>\n");
}

void plain_hidden(struct buf *b, const char *name, struct str value)
{
	buf_addf(b, "<input type=\"hidden\" name=\"%s\" value=\"", name);
	html_text(b, value);
	buf_adds(b, "\">");
}

void plain_spelled(struct buf *b, struct str s)
{
	struct buf spelled = BUF_INIT(12 * s.n + 1);

	untrusted_spell(s, &spelled);
	html_text(b, buf_str(&spelled));
	buf_release(&spelled);
}

/* Of the page, or of the form that is shown again. */
static void put_prompt(struct plain *p)
{
	struct str id = p->prompt ? str_of(p->prompt)
		: form_field(p->rq, "promptId");

	if (!id.n)
		return;
	plain_hidden(p->b, "promptId", id);
	buf_addc(p->b, '\n');
}

void plain_message_fields(struct plain *p, struct str content)
{
	struct buf *b = p->b;

	buf_adds(b, "<p><label for=\"content\">Message</label><br>\n"
		 "<textarea id=\"content\" name=\"content\" rows=\"6\" "
		 "cols=\"72\" required>\n");
	html_text(b, content);
	buf_adds(b, "</textarea></p>\n");
	if (p->web)
		buf_addf(b, "<p><label><input type=\"checkbox\" name=\"web\" "
			 "value=\"1\"%s> Allow web search</label></p>\n",
			 p->wants_web ? " checked" : "");
	buf_addf(b, "<p><input type=\"submit\" value=\"Send\"> "
		 "<label><input type=\"checkbox\" name=\"steps\" value=\"1\"%s> "
		 "Show the answer in steps (if it otherwise appears only "
		 "when it is complete)</label></p>\n",
		 p->steps ? " checked" : "");
	put_prompt(p);
	put_mentions(p);
	/* Last: fields after a file are not read. */
	plain_file_fields(p);
	buf_adds(b, "</form>\n");
}

void plain_go(struct request *rq, struct response *rs, const char *path,
	      const char *fragment)
{
	resp_see_other(rs, arena_printf(rq->arena, "%s%s%s%s", root_of(rq),
					path, wants_steps(rq) ? "?steps=1" : "",
					fragment));
}

void plain_time(struct buf *b, int64_t us)
{
	char iso[CLOCK_ISO_BYTES];

	clock_iso(us, iso);
	buf_add(b, iso, 10);
	buf_addc(b, ' ');
	buf_add(b, iso + 11, 5);
}

/* -- errors ------------------------------------------------------------------ */

/*
 * Repeats the message that was sent, so that nobody must type it again after a
 * failure here. Only if there is a text to lose.
 */
static void put_message(struct plain *p)
{
	struct request *rq = p->rq;
	struct err ignored = ERR_INIT;
	struct str body;

	/* Refused before it was read. */
	if (!rq->form && multipart_is(rq))
		return;
	if (!rq->form && (req_body(rq, (size_t)rq->conf->limits.body_bytes,
				   &body, &ignored) < 0 ||
			  form_read(rq, body, &ignored) < 0))
		return;
	if (!form_field(rq, "content").n ||
	    form_token(rq, p->token, &ignored) < 0)
		return;
	plain_message_form(p, arena_printf(rq->arena, "%.*s",
					   STR_ARG(rq->path)) + 1);
	for (size_t i = 0; i < rq->n_form; i++) {
		const struct param *f = &rq->form[i];

		if (str_is(f->name, "content") || str_is(f->name, "steps") ||
		    str_is(f->name, "mentions") ||
		    str_is(f->name, "attachments") ||
		    str_is(f->name, "file") ||
		    str_is(f->name, FORM_TOKEN_FIELD))
			continue;
		buf_adds(p->b, "<input type=\"hidden\" name=\"");
		html_text(p->b, f->name);
		buf_adds(p->b, "\" value=\"");
		html_text(p->b, f->value);
		buf_adds(p->b, "\">");
	}
	p->mentions = form_field(rq, "mentions");
	plain_message_fields(p, form_field(rq, "content"));
}

void plain_error(void *ctx, struct response *rs, const struct err *e)
{
	struct request *rq = ctx;
	int status = err_row(e)->http_status;
	struct plain p = { .rq = rq, .root = root_of(rq),
			   .outside = rq->route && !(rq->route->flags & ROUTE_AUTH),
			   .steps = wants_steps(rq) };
	bool form = rq->route && rq->route->flags & ROUTE_FORM &&
		rq->by.who->login.n && e->code != ERR_TOO_BIG &&
		e->code != ERR_MEDIA_TYPE;

	plain_begin(&p, rs, status, str_of(resp_reason(status)));
	buf_adds(p.b, "<p class=\"error\">");
	html_text(p.b, str_of(err_message(e)));
	buf_adds(p.b, "</p>\n");
	if (e->code == ERR_BUSY && e->id[0])
		buf_addf(p.b, "<p><a href=\"%sturns/%s%s\">Follow the answer "
			 "that is being written</a></p>\n", p.root, e->id,
			 p.steps ? "?steps=1" : "");
	if (form)
		put_message(&p);
	buf_addf(p.b, "<p class=\"small\">Request %s</p>\n", rs->request_id);
	plain_foot(&p);
}
