/* SPDX-License-Identifier: MIT */
#include "form.h"

#include <sodium.h>

#include "app.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "multipart.h"
#include "store/key.h"

#include "base/banned.h"

#define VARIANT sodium_base64_VARIANT_URLSAFE_NO_PADDING

/* Fields of a form with files, and two for each of those (plain/compose.c). */
enum { FORM_MOST = LIM_FORM_FIELDS + 2 * LIM_MESSAGE_ATTACHMENTS };

/* A token; its text is this in base64url. */
struct form_token {
	unsigned char created_us[8];	/* since 1970, big-endian */
	unsigned char mac[crypto_auth_BYTES];
};

_Static_assert(sodium_base64_ENCODED_LEN(sizeof(struct form_token), VARIANT) <=
	       FORM_TOKEN_BYTES, "a token's text fits");

/* Browsers send CR LF. The text is in the arena and may be changed. */
static void unify_line_ends(struct str *s)
{
	char *to = (char *)s->p;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->p[i] != '\r' || i + 1 == s->n || s->p[i + 1] != '\n')
			to[n++] = s->p[i];
	to[n] = '\0';
	s->n = n;
}

int form_read(struct request *rq, struct str body, struct err *e)
{
	struct param *v;
	size_t n;

	if (req_pairs(rq, body, LIM_FORM_FIELDS,
		      "The form has too many fields.", &v, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		unify_line_ends(&v[i].value);
	rq->form = v;
	rq->n_form = rq->n_form_sent = n;
	return 0;
}

/* Reads a field's value with the rules of other forms: UTF-8 without NUL. */
static int read_field(struct request *rq, struct multipart *m,
		      const struct multipart_part *part, size_t *left,
		      struct err *e)
{
	struct buf b = BUF_INIT(*left + 1);
	struct str s, value;
	int rc = 0;

	while (rc == 0 && m->in_part) {
		rc = multipart_read(m, &s, e);
		if (rc == 0)
			buf_addstr(&b, s);
	}
	if (rc == 0 && !buf_ok(&b))
		rc = err_public(e, ERR_TOO_BIG, "The fields of the form are too "
				"long.");
	else if (rc == 0 && (!utf8_valid(buf_str(&b)) ||
			     memchr(b.p, 0, b.n) || !utf8_valid(part->name)))
		rc = err_set(e, ERR_INVALID_UTF8, "a field of a form");
	if (rc == 0) {
		*left -= MIN(*left, b.n);
		value = arena_str(rq->arena, buf_str(&b));
		unify_line_ends(&value);
		form_add(rq, part->name, value);
	}
	buf_release(&b);
	return rc;
}

int form_read_parts(struct request *rq, size_t max_bytes, struct err *e)
{
	struct multipart *m = arena_zalloc(rq->arena, 1, sizeof(*m));
	struct multipart_part part;
	int rc;

	rq->form = arena_zalloc(rq->arena, FORM_MOST, sizeof(*rq->form));
	rq->n_form = 0;
	if (multipart_begin(m, rq, e) < 0)
		return -1;
	while ((rc = multipart_next(m, &part, e)) > 0 && !part.filename.p)
		if (read_field(rq, m, &part, &max_bytes, e) < 0)
			return -1;
	rq->n_form_sent = rq->n_form;
	if (rc > 0) {
		rq->parts = m;
		rq->file_name = part.filename;
	}
	return rc < 0 ? -1 : 0;
}

void form_add(struct request *rq, struct str name, struct str value)
{
	if (rq->n_form < FORM_MOST)
		((struct param *)rq->form)[rq->n_form++] = (struct param){
			name.p ? name : STR(""), value };
}

struct str form_field(const struct request *rq, const char *name)
{
	for (size_t i = rq->n_form; i-- > 0;)
		if (str_is(rq->form[i].name, name))
			return rq->form[i].value;
	return (struct str){ NULL, 0 };
}

/* Computes the HMAC of the token's time for this caller. */
static int sign(struct request *rq, struct form_token *t, struct err *e)
{
	unsigned char key[KEY_BYTES];
	struct buf text = BUF_INIT(1024);

	_Static_assert(KEY_BYTES == crypto_auth_KEYBYTES, "keys fit");
	if (key_cached(&rq->app->form_key, rq->app->db, key, e) < 0)
		return -1;
	buf_add(&text, t->created_us, sizeof(t->created_us));
	buf_addstr(&text, rq->by.who->tenant);
	buf_addc(&text, '\0');
	buf_adds(&text, rq->by.who->user_id_text);
	crypto_auth(t->mac, (const unsigned char *)text.p, text.n, key);
	sodium_memzero(key, sizeof(key));
	buf_release(&text);
	return 0;
}

int form_token(struct request *rq, char out[FORM_TOKEN_BYTES], struct err *e)
{
	int64_t now_us = clock_now_us();
	struct form_token t;

	for (size_t i = 0; i < sizeof(t.created_us); i++)
		t.created_us[i] = (unsigned char)(now_us >> (56 - 8 * i));
	if (sign(rq, &t, e) < 0)
		return -1;
	sodium_bin2base64(out, FORM_TOKEN_BYTES, (unsigned char *)&t, sizeof(t),
			  VARIANT);
	return 0;
}

int form_check(struct request *rq, struct err *e)
{
	struct str text = form_field(rq, FORM_TOKEN_FIELD);
	int64_t created_us = 0, now_us = clock_now_us();
	struct form_token given, right;
	size_t n = 0;

	if (sodium_base642bin((unsigned char *)&given, sizeof(given), text.p,
			      text.n, NULL, &n, NULL, VARIANT) != 0 ||
	    n != sizeof(given))
		return err_set(e, ERR_CSRF, "the form has no token");
	right = given;
	if (sign(rq, &right, e) < 0)
		return -1;
	if (sodium_memcmp(given.mac, right.mac, sizeof(given.mac)) != 0)
		return err_set(e, ERR_CSRF, "the form's token is not ours, or "
			       "another caller's");
	for (size_t i = 0; i < sizeof(given.created_us); i++)
		created_us = (int64_t)((uint64_t)created_us << 8 | given.created_us[i]);
	if (created_us > now_us + 60 * 1000000LL ||
	    now_us - created_us > FORM_TOKEN_AGE_S * 1000000LL)
		return err_public(e, ERR_CSRF,
				  "This form is too old. Send it again.");
	return 0;
}
