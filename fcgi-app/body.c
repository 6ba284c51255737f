/* SPDX-License-Identifier: MIT */
#include "body.h"

#include <strings.h>

#include "app.h"
#include "quota.h"

#include "base/banned.h"

bool body_is_json(struct str type)
{
	struct str params = type, name = str_trim(str_cut(&params, ';'));

	if (name.n != 16 || strncasecmp(name.p, "application/json", 16) != 0)
		return false;
	while (params.n) {
		struct str value = str_cut(&params, ';');
		struct str key = str_trim(str_cut(&value, '='));

		value = str_trim(value);
		if (value.n >= 2 && value.p[0] == '"') {
			value.p++;
			value.n -= 2;
		}
		if (key.n == 7 && strncasecmp(key.p, "charset", 7) == 0 &&
		    !(value.n == 5 && strncasecmp(value.p, "utf-8", 5) == 0))
			return false;
	}
	return true;
}

int req_length(const struct request *rq, int64_t *out, struct err *e)
{
	struct str s = req_param(rq, "CONTENT_LENGTH");

	*out = -1;
	if (!s.n)
		return 0;
	if (s.p[0] == '-' || s.p[0] == '+' || !str_int(s, out))
		return err_public(e, ERR_BAD_REQUEST,
				  "The content length is not a number.");
	return 0;
}

/* Takes the bytes that the body will have in memory. */
static int hold_body(struct request *rq, int64_t bytes, struct err *e)
{
	struct uuid user = quota_user(rq);

	if (rq->arrived.of || !bytes)
		return 0;
	return share_take(rq->app->share, &user, SHARE_ARRIVED, bytes,
			  quota_limit(rq, SHARE_ARRIVED), &rq->arrived, e);
}

static int too_big(size_t cap, struct err *e)
{
	return err_public(e, ERR_TOO_BIG, "The body may have at most %zu bytes.", cap);
}

/* To b, which must be empty, with the cap cap + 1. */
static int read_body(struct request *rq, size_t cap, struct buf *b, struct err *e)
{
	int64_t length;
	ssize_t got = 0;
	bool some = true;

	if (req_length(rq, &length, e) < 0)
		return -1;
	if (length > 0 && (uint64_t)length > cap)
		return too_big(cap, e);
	if (hold_body(rq, length >= 0 ? length : (int64_t)cap, e) < 0)
		return -1;
	/* One byte more than allowed reveals a body that is too long. */
	while (some && b->n <= cap) {
		size_t want = length >= 0 ? (size_t)length - b->n : 16384;

		want = MIN(want, cap + 1 - b->n);
		if (!want || !buf_reserve(b, want))
			break;
		got = rq->conn->read(rq->conn, b->p + b->n, want);
		some = got > 0;
		b->n += some ? (size_t)got : 0;
	}
	if (b->n > cap)
		too_big(cap, e);
	else if (got == CONN_SLOW)
		err_set(e, ERR_SLOW, "%zu bytes of the body came", b->n);
	else if (got < 0 || (length > 0 && b->n < (size_t)length))
		err_public(e, ERR_BAD_REQUEST, "The body is incomplete.");
	return e->code ? -1 : 0;
}

static void forget_body(struct buf *b)
{
	if (b->n)
		explicit_bzero(b->p, b->n);	/* it may contain a key */
	buf_release(b);
}

int req_body(struct request *rq, size_t cap, struct str *out, struct err *e)
{
	struct buf b = BUF_INIT(cap + 1);
	int rc = read_body(rq, cap, &b, e);

	if (rc == 0)
		*out = (struct str){ arena_memdup(rq->arena, b.p, b.n), b.n };
	forget_body(&b);
	return rc;
}

json_t *req_body_json(struct request *rq, size_t cap, unsigned how, struct err *e)
{
	struct buf b = BUF_INIT(cap + 1);
	json_t *body = NULL;
	struct str text;

	if (read_body(rq, cap, &b, e) == 0 && !b.n && how & REQ_JSON_OPTIONAL)
		body = json_object();
	else if (!e->code && !body_is_json(req_param(rq, "CONTENT_TYPE")))
		err_set(e, ERR_MEDIA_TYPE, "not JSON");
	else if (!e->code) {
		text = buf_str(&b);
		/* Some clients on Windows send one, and RFC 8259, 8.1 lets us ignore it. */
		if (str_starts(text, STR("\ufeff")))
			text.p += 3, text.n -= 3;
		body = how & REQ_JSON_REPAIRED ? jx_load_repaired(text, e)
			: jx_load(text, e);
	}
	forget_body(&b);
	return body;
}

ssize_t req_body_some(struct request *rq, char *p, size_t n, struct err *e)
{
	int64_t length;
	ssize_t got;

	if (req_length(rq, &length, e) < 0)
		return -1;
	if (length >= 0)
		n = MIN(n, (size_t)MAX(length - rq->body_bytes, 0));
	got = n ? rq->conn->read(rq->conn, p, n) : 0;
	if (got == CONN_SLOW)
		return err_set(e, ERR_SLOW, "%lld bytes of the body came",
			       (long long)rq->body_bytes);
	if (got < 0 || (got == 0 && n && length > 0))
		return err_public(e, ERR_BAD_REQUEST, "The body is "
				  "incomplete.");
	rq->body_bytes += got;
	return got;
}

int req_body_hold(struct request *rq, size_t cap, struct err *e)
{
	int64_t length;

	if (req_length(rq, &length, e) < 0)
		return -1;
	if (length > 0 && (uint64_t)length > cap)
		return too_big(cap, e);
	return hold_body(rq, length >= 0 ? length : (int64_t)cap, e);
}

int req_body_all(struct request *rq, struct buf *b, const char *what, struct err *e)
{
	char piece[16384];
	ssize_t n;

	while ((n = req_body_some(rq, piece, sizeof(piece), e)) > 0)
		buf_add(b, piece, (size_t)n);
	if (n < 0)
		return -1;
	return buf_ok(b) ? 0 : err_set(e, ERR_TOO_BIG, "%s", what);
}
