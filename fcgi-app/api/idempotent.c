/* SPDX-License-Identifier: MIT */
#include "api/idempotent.h"

#include "api/scope.h"
#include "app.h"
#include "base/limits.h"
#include "form.h"

#include "base/banned.h"

#define HEADER "Idempotency-Key"

/* The id that a key stands for, which was given as `name`. */
static int id_of_key(const struct request *rq, const char *kind, const char *name,
		     struct str key, struct uuid *id, struct err *e)
{
	struct buf scope = BUF_INIT(64 + LIM_URI_BYTES);

	*id = (struct uuid){ { 0 } };
	if (!key.p)
		return 0;
	for (size_t i = 0; i < key.n; i++)
		if (key.p[i] <= ' ' || key.p[i] == 0x7f)
			key.n = 0;
	if (key.n == 0 || key.n > LIM_KEY_BYTES)
		return err_field(e, ERR_INVALID_FIELD, name, "%s must have 1 to %d "
				 "visible ASCII characters.", name, LIM_KEY_BYTES);
	buf_addf(&scope, "%s/key/%s", rq->by.who->user_id_text, kind);
	*id = uuid_of_name(buf_str(&scope), key);
	buf_release(&scope);
	return 1;
}

int idempotent_id(const struct request *rq, const char *kind, struct uuid *id,
		  struct err *e)
{
	return id_of_key(rq, kind, HEADER, req_header(rq, HEADER), id, e);
}

int idempotent_conversation(struct request *rq, const struct uuid *id,
			    struct conversation *out, struct err *e)
{
	if (conversation_get(rq->app->db, &rq->by.owner, id, rq->arena, out,
			     e) == 0)
		return 1;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}

/* The id derived from a form; nil if it has no token. */
static struct uuid form_id(const struct request *rq)
{
	struct buf scope = BUF_INIT(64 + LIM_URI_BYTES);
	struct uuid id = { { 0 } };
	struct str sofar = { (const char *)id.b, sizeof(id.b) };

	if (!form_field(rq, FORM_TOKEN_FIELD).n)
		return id;
	buf_addf(&scope, "%s/form", rq->by.who->user_id_text);
	id = uuid_of_name(buf_str(&scope), rq->path);
	buf_release(&scope);
	for (size_t i = 0; i < rq->n_form; i++) {
		/* A file that is sent again is a new attachment with the same content. */
		if (i >= rq->n_form_sent && str_is(rq->form[i].name, "attachments"))
			continue;
		id = uuid_of_name(sofar, rq->form[i].name);
		id = uuid_of_name(sofar, rq->form[i].value);
	}
	return id;
}

int idempotent_key(const struct request *rq, struct turn_request *in,
		   struct err *e)
{
	int rc;

	if (rq->form) {
		in->id = form_id(rq);
		in->key = TURN_KEY_FORM;
		return 0;
	}
	rc = idempotent_id(rq, "turn", &in->id, e);
	if (!rc && in->run_name.p)
		rc = id_of_key(rq, "run", "stream_run_id", in->run_name, &in->id, e);
	in->key = rc > 0 ? TURN_KEY_GIVEN : TURN_KEY_NONE;
	return MIN(rc, 0);
}
