/* SPDX-License-Identifier: MIT */
/*
 * What a person writes on a plain page: the form of a message with what it mentions and its
 * files, and again on the page of an error, so that nobody types it twice.
 *
 * Files are a field in the form, read as it arrives. If one cannot be stored, the message
 * is not sent: the page of the error has its text, the stored files, and why the others
 * failed.
 */
#include "plain/plain.h"

#include "api/attachment.h"
#include "app.h"
#include "base/limits.h"
#include "body.h"
#include "file/upload.h"
#include "multipart.h"

#include "base/banned.h"

#define FIELD "attachments"

/* Whether the next file of the form can be tried after this error. */
static bool is_of_one(const struct err *e)
{
	return e->code == ERR_TOO_BIG || e->code == ERR_CONFLICT ||
		e->code == ERR_OVERLOADED || e->code == ERR_FORBIDDEN;
}

static int take_one(struct request *rq, struct buf *why, struct err *e)
{
	struct str name = file_name(rq->file_name, rq->arena);
	struct attachment t;
	char id[UUID_TEXT_BYTES];
	struct err one = { .code = ERR_NONE, .lang = e->lang };

	if (api_attachment_take(rq, rq->parts, name, &t, &one) == 0) {
		uuid_format(&t.id, id);
		form_add(rq, STR(FIELD), arena_str(rq->arena, str_of(id)));
		/* The same content again is the same form again (idempotent.c). */
		uuid_format(&t.file_id, id);
		form_add(rq, STR("file"), arena_str(rq->arena, str_of(id)));
		return 0;
	}
	if (!is_of_one(&one)) {
		*e = one;
		return -1;
	}
	buf_addf(why, "%s%.*s: %s", why->n ? " " : "", STR_ARG(name),
		 err_message(&one));
	return 0;
}

int plain_take_files(struct request *rq, struct err *e)
{
	struct buf why = BUF_INIT(16384);
	struct multipart_part part = { .name = { NULL, 0 } };
	int rc = 1;

	/* A field in which nothing was chosen is a file without a name. */
	while (rq->parts && rc > 0) {
		if (rq->file_name.n && take_one(rq, &why, e) < 0)
			rc = -1;
		else
			rc = multipart_next(rq->parts, &part, e);
		rq->file_name = part.filename;
	}
	rq->parts = NULL;
	if (rc >= 0 && why.n)
		rc = err_field(e, ERR_INVALID_FIELD, "file", "%s",
			       arena_strdup(rq->arena, why.p));
	buf_release(&why);
	return rc < 0 ? -1 : 0;
}

json_t *plain_files(const struct request *rq)
{
	json_t *list = NULL;

	for (size_t i = 0; i < rq->n_form; i++) {
		if (!str_is(rq->form[i].name, FIELD))
			continue;
		if (!list)
			list = jx_keep(rq->arena, json_array());
		json_array_append_new(list, json_stringn(rq->form[i].value.p,
							 rq->form[i].value.n));
	}
	return list;
}

/* -- in forms -------------------------------------------------------- */

static void put_taken(struct plain *p, struct str id, struct str name)
{
	buf_adds(p->b, "<p><label><input type=\"checkbox\" name=\"" FIELD
		 "\" checked value=\"");
	html_text(p->b, id);
	buf_adds(p->b, "\"> ");
	html_text(p->b, name);
	buf_adds(p->b, "</label></p>\n");
}

/* The fields of the form that failed. */
static void put_failed_form(struct plain *p)
{
	struct request *rq = p->rq;

	for (size_t i = 0; i < rq->n_form; i++) {
		struct err ignored = ERR_INIT;
		struct attachment t;
		struct uuid id;

		if (str_is(rq->form[i].name, FIELD) &&
		    uuid_parse(rq->form[i].value, &id) &&
		    attachment_get(rq->app->db, &rq->by.owner, &id, rq->arena,
				   &t, &ignored) == 0)
			put_taken(p, rq->form[i].value, t.name);
	}
}

static void put_file_fields(struct plain *p)
{
	const json_t *one;
	size_t i;

	if (p->rq->conf->attach.message_files <= 0)
		return;
	json_array_foreach((json_t *)p->files, i, one)
		put_taken(p, jx_str(one, "id"), jx_str(one, "name"));
	put_failed_form(p);
	buf_adds(p->b, "<p><label for=\"file\">");
	plain_say(p, "Files");
	buf_adds(p->b, "</label> <input type=\"file\" id=\"file\" name=\"file\" multiple></p>\n");
}

/* The mentions of the message, and links to find more, or a prompt. */
static void put_mentions(struct plain *p)
{
	struct buf *b = p->b;

	if (p->mentions.n || p->chooses) {
		buf_adds(b, "<p><label for=\"mentions\">");
		plain_say(p, "Mentions");
		buf_adds(b, "</label> <input id=\"mentions\" name=\"mentions\" size=\"40\" value=\"");
		html_text(b, p->mentions);
		buf_adds(b, "\">");
	}
	if (p->chooses) {
		buf_addf(b, " <a href=\"%smentions?conversation=%s&amp;mentions=",
			 p->root, p->chooses);
		buf_url(b, p->mentions);
		buf_addf(b, "%s\">", p->steps ? "&amp;steps=1" : "");
		plain_say(p, "Find something to mention");
		buf_addf(b, "</a> <a href=\"%sprompts?conversation=%s%s\">", p->root,
			 p->chooses, p->steps ? "&amp;steps=1" : "");
		plain_say(p, "Choose a prompt");
		buf_adds(b, "</a>");
	}
	if (p->mentions.n || p->chooses)
		buf_adds(b, "</p>\n");
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

	buf_adds(b, "<p><label for=\"content\">");
	plain_say(p, "Message");
	buf_adds(b, "</label><br>\n<textarea id=\"content\" name=\"content\" rows=\"6\" "
		 "cols=\"72\" required>\n");
	html_text(b, content);
	buf_adds(b, "</textarea></p>\n");
	if (p->web) {
		buf_addf(b, "<p><label><input type=\"checkbox\" name=\"web\" "
			 "value=\"1\"%s> ", p->wants_web ? " checked" : "");
		plain_say(p, "Allow web search");
		buf_adds(b, "</label></p>\n");
	}
	buf_adds(b, "<p>");
	plain_submit(p, NULL, "Send");
	buf_addf(b, " <label><input type=\"checkbox\" name=\"steps\" value=\"1\"%s> ",
		 p->steps ? " checked" : "");
	plain_say(p, "My connection doesn't stream (show the answer in steps)");
	buf_adds(b, "</label></p>\n");
	put_prompt(p);
	put_mentions(p);
	/* Last: fields after a file are not read. */
	put_file_fields(p);
	buf_adds(b, "</form>\n");
}

/* -- in messages -------------------------------------------------------- */

/* -- errors ------------------------------------------------------------------ */

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
	struct plain p;
	bool form = rq->route && rq->route->flags & ROUTE_FORM &&
		rq->by.who->login.n && e->code != ERR_TOO_BIG &&
		e->code != ERR_MEDIA_TYPE;

	plain_init(rq, &p);
	p.outside = rq->route && !(rq->route->flags & ROUTE_AUTH);
	plain_begin(&p, rs, status, str_of(plain_text(&p, resp_reason(status))));
	buf_adds(p.b, "<p class=\"error\">");
	html_text(p.b, str_of(err_message(e)));
	buf_adds(p.b, "</p>\n");
	if (e->code == ERR_BUSY && e->id[0]) {
		buf_addf(p.b, "<p><a href=\"%sturns/%s%s\">", p.root, e->id,
			 p.steps ? "?steps=1" : "");
		plain_say(&p, "Follow the answer that is being written");
		buf_adds(p.b, "</a></p>\n");
	}
	if (form)
		put_message(&p);
	buf_adds(p.b, "<p class=\"small\">");
	plain_sayf(&p, "Request %s", rs->request_id);
	buf_adds(p.b, "</p>\n");
	plain_foot(&p);
}
