/* SPDX-License-Identifier: MIT */
/*
 * Files of plain messages: a field in the form, read as it arrives. If a file
 * cannot be stored, the message is not sent: the page of the error has its
 * text, the stored files, and why the others failed.
 */
#include "plain/plain.h"

#include "api/attachment.h"
#include "app.h"
#include "base/limits.h"
#include "file/upload.h"

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

void plain_file_fields(struct plain *p)
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

/* -- in messages -------------------------------------------------------- */

void plain_put_files(struct plain *p, const json_t *list)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)list, i, one) {
		buf_adds(p->b, i ? "," : "<p class=\"small\">");
		if (!i)
			plain_say(p, "Files:");
		buf_addc(p->b, ' ');
		if (p->outside) {
			html_text(p->b, jx_str(one, "name"));
			continue;
		}
		buf_addf(p->b, "<a href=\"%s../api/v1/attachments/", p->root);
		buf_url(p->b, jx_str(one, "id"));
		buf_adds(p->b, "/content\">");
		html_text(p->b, jx_str(one, "name"));
		buf_adds(p->b, "</a> ");
		plain_sayf(p, "(%lld bytes)", (long long)jx_int(one, "size", 0));
	}
	buf_adds(p->b, json_array_size(list) ? "</p>\n" : "");
}
