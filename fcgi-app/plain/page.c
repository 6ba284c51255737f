/* SPDX-License-Identifier: MIT */
/* The common parts of plain pages. */
#include "plain/plain.h"

#include <stdarg.h>
#include <stdio.h>

#include "auth/policy.h"
#include "base/clock.h"
#include "base/limits.h"
#include "setting/values.h"
#include "setting/setting.h"
#include "prompt/untrusted.h"

#include "base/banned.h"

#define POLICY "default-src 'none'; style-src 'self'; img-src 'self'; " \
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

#define OUTSIDE_POLICY "default-src 'none'; style-src 'self'; img-src 'self'; " \
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

enum { SENTENCE_BYTES = 16384 };	/* more than any text of a catalogue */

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

/* What the caller's settings say of it. */
static int read_language(struct request *rq, struct err *e)
{
	const char *tag;

	if (setting_read_for(&rq->by, e) < 0)
		return -1;
	tag = setting_get(SETTING_LANGUAGE, &(struct setting_scope){
		.conf = rq->conf, .values = rq->by.settings }).text;
	if (tag)
		rq->by.lang = e->lang = lang_pick(str_of(tag));
	return 0;
}

void plain_init(struct request *rq, struct plain *p)
{
	*p = (struct plain){ .rq = rq, .root = root_of(rq),
			     .steps = wants_steps(rq) };
}

int plain_open(struct request *rq, struct plain *p, struct err *e)
{
	plain_init(rq, p);
	return read_language(rq, e) < 0 ? -1 : form_token(rq, p->token, e);
}

const char *plain_text(const struct plain *p, const char *text)
{
	return lang_text(p->rq->by.lang, text);
}

void plain_say(struct plain *p, const char *text)
{
	html_text(p->b, str_of(plain_text(p, text)));
}

static FORMAT_ARG(2) const char *escape(struct buf *to, const char *fmt)
{
	html_text(to, str_of(fmt));
	return to->p;
}

void plain_sayf(struct plain *p, const char *fmt, ...)
{
	struct buf escaped = BUF_INIT(SENTENCE_BYTES);
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(p->b, escape(&escaped, plain_text(p, fmt)), ap);
	va_end(ap);
	buf_release(&escaped);
}

void plain_submit(struct plain *p, const char *name, const char *text)
{
	buf_adds(p->b, "<input type=\"submit\"");
	if (name)
		buf_addf(p->b, " name=\"%s\"", name);
	buf_adds(p->b, " value=\"");
	plain_say(p, text);
	buf_adds(p->b, "\">");
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

static void put_way(struct plain *p, const char *path, const char *steps, const char *text)
{
	buf_addf(p->b, "<a href=\"%s%s%s\">", p->root, path, steps);
	plain_say(p, text);
	buf_adds(p->b, "</a> ");
}

static void put_nav(struct plain *p)
{
	const char *steps = p->steps ? "?steps=1" : "";

	buf_adds(p->b, "<nav>");
	put_way(p, "./", steps, N_("Conversations"));
	put_way(p, "new", steps, N_("New conversation"));
	if (policy_may(p->rq->by.who, PERM_PROMPTS_READ))
		put_way(p, "prompts?conversation=", p->steps ? "&amp;steps=1" : "",
			N_("Prompts"));
	if (policy_may(p->rq->by.who, PERM_PROJECTS_READ))
		put_way(p, "projects", steps, N_("Projects"));
	if (policy_may(p->rq->by.who, PERM_SETTINGS_READ)) {
		put_way(p, "memories", steps, N_("Remembered"));
		put_way(p, "settings", steps, N_("Settings"));
	}
	if (p->rq->by.who->login.n) {
		buf_adds(p->b, "<span>");
		html_text(p->b, p->rq->by.who->name);
		buf_adds(p->b, "</span>");
	}
	buf_adds(p->b, "</nav>\n");
}

void plain_head(struct plain *p, struct str title, int refresh_s)
{
	struct buf *b = p->b;

	if (!title.n)
		title = str_of(plain_text(p, "Untitled"));
	buf_addf(b, "<!doctype html>\n<html lang=\"%s\" dir=\"%s\">\n<head>\n",
		 lang_tag(p->rq->by.lang), lang_direction(p->rq->by.lang));
	buf_adds(b, "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
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

void plain_list_head(struct plain *p, bool any, const char *nothing)
{
	buf_adds(p->b, any ? "<ul class=\"list\">\n" : "<p>");
	if (any)
		return;
	plain_say(p, nothing);
	buf_adds(p->b, "</p>\n");
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
