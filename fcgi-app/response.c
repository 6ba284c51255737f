/* SPDX-License-Identifier: MIT */
#include "response.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "dialect/openai.h"

#include "base/banned.h"

#define HEADERS_BYTES 8192
#define KEEP_BYTES    262144	/* a larger body buffer is freed */

const char *resp_reason(int status)
{
	static const struct {
		int status;
		const char *reason;
	} rows[] = {
		{ 200, N_("OK") }, { 201, N_("Created") }, { 202, N_("Accepted") },
		{ 204, N_("No Content") }, { 206, N_("Partial Content") }, { 303, N_("See Other") },
		{ 304, N_("Not Modified") },
		{ 400, N_("Bad Request") },
		{ 401, N_("Unauthorized") }, { 403, N_("Forbidden") },
		{ 404, N_("Not Found") }, { 405, N_("Method Not Allowed") },
		{ 408, N_("Request Timeout") }, { 409, N_("Conflict") },
		{ 412, N_("Precondition Failed") }, { 413, N_("Content Too Large") },
		{ 415, N_("Unsupported Media Type") },
		{ 421, N_("Misdirected Request") },
		{ 422, N_("Unprocessable Content") },
		{ 428, N_("Precondition Required") }, { 429, N_("Too Many Requests") },
		{ 500, N_("Internal Server Error") }, { 502, N_("Bad Gateway") },
		{ 503, N_("Service Unavailable") }, { 504, N_("Gateway Timeout") },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].status == status)
			return rows[i].reason;
	return N_("Error");
}

void resp_init(struct response *rs)
{
	*rs = (struct response){
		.headers = BUF_INIT(HEADERS_BYTES),
		.head = BUF_INIT(2 * HEADERS_BYTES),
		.body = BUF_INIT(RESP_BODY_BYTES),
	};
}

void resp_release(struct response *rs)
{
	buf_release(&rs->headers);
	buf_release(&rs->head);
	buf_release(&rs->body);
}

void resp_begin(struct response *rs, struct conn *conn, const char *request_id,
		bool head_only)
{
	buf_reset(&rs->headers);
	buf_reset(&rs->body);
	rs->conn = conn;
	rs->state = RESP_OPEN;
	rs->status = 500;
	rs->content_type = NULL;
	rs->head_only = head_only;
	rs->gone = false;
	rs->cors_origin = NULL;
	rs->sent_bytes = 0;
	rs->request_id = request_id;
	rs->errors = RESP_ERRORS_PROBLEM;
}

void resp_header(struct response *rs, const char *name, const char *value)
{
	if (rs->state != RESP_OPEN)
		BUG("a header after the head");
	buf_adds(&rs->headers, name);
	buf_adds(&rs->headers, ": ");
	for (const char *p = value; *p; p++)
		if ((unsigned char)*p >= 0x20 && *p != 0x7f)
			buf_addc(&rs->headers, *p);
	buf_adds(&rs->headers, "\r\n");
}

struct jw resp_json(struct response *rs, int status)
{
	if (rs->state != RESP_OPEN)
		BUG("an answer after the head");
	buf_reset(&rs->body);
	rs->status = status;
	rs->content_type = "application/json";
	return jw_on(&rs->body);
}

struct buf *resp_text(struct response *rs, int status, const char *content_type)
{
	if (rs->state != RESP_OPEN)
		BUG("an answer after the head");
	buf_reset(&rs->body);
	rs->status = status;
	rs->content_type = content_type;
	return &rs->body;
}

struct buf *resp_html(struct response *rs, int status)
{
	return resp_text(rs, status, RESP_HTML);
}

void resp_see_other(struct response *rs, const char *location)
{
	resp_empty(rs, 303);
	resp_header(rs, "Location", location);
}

void resp_empty(struct response *rs, int status)
{
	if (rs->state != RESP_OPEN)
		BUG("an answer after the head");
	buf_reset(&rs->body);
	rs->status = status;
	rs->content_type = NULL;
}

void resp_leave(struct response *rs)
{
	if (rs->state != RESP_OPEN)
		BUG("an answer left after its head");
	rs->state = RESP_SENT;
	rs->status = 200;
}

static void put_problem(struct response *rs, const struct err *e)
{
	const struct err_row *row = err_row(e);
	struct jw w = resp_json(rs, row->http_status);

	rs->content_type = "application/problem+json";
	jw_obj(&w);
	jw_kstrz(&w, "type", "about:blank");
	jw_kstrz(&w, "title", resp_reason(row->http_status));
	jw_kint(&w, "status", row->http_status);
	jw_kstrz(&w, "code", row->code);
	jw_kstrz(&w, "detail", err_message(e));
	jw_kbool(&w, "retryable", row->retryable || e->retry_after_s > 0);
	if (e->field[0])
		jw_kstrz(&w, "field", e->field);
	if (e->code == ERR_BUSY && e->id[0])
		jw_kstrz(&w, "turnId", e->id);
	jw_kstrz(&w, "requestId", rs->request_id);
	jw_end_obj(&w);
}

/*
 * OpenAI's format. Its clients expect 400 for a wrong parameter, and retry after
 * 409 and 5xx unless they are told not to.
 */
static void put_openai_error(struct response *rs, const struct err *e)
{
	const struct err_row *row = err_row(e);
	bool field = e->code == ERR_INVALID_FIELD ||
		e->code == ERR_UNKNOWN_FIELD;
	bool model = e->code == ERR_NOT_FOUND && !strcmp(e->field, "model");
	int status = field ? 400 : row->http_status;
	struct jw w = resp_json(rs, status);

	jw_obj(&w);
	jw_key(&w, "error");
	dialect_openai_error(&w, status, str_of(err_message(e)), e->field,
			     str_of(model ? "model_not_found" : row->code));
	jw_end_obj(&w);
	if (!row->retryable && !e->retry_after_s)
		resp_header(rs, "X-Should-Retry", "false");
}

void resp_error(struct response *rs, const struct err *e)
{
	const struct err_row *row = err_row(e);

	/* What a handler has set is about the answer that it did not give. */
	buf_reset(&rs->headers);
	if (rs->errors == RESP_ERRORS_OPENAI)
		put_openai_error(rs, e);
	else if (rs->errors == RESP_ERRORS_PAGE)
		rs->error_page(rs->error_ctx, rs, e);
	else
		put_problem(rs, e);
	if ((row->http_status == 503 || row->http_status == 429) &&
	    (row->retryable || e->retry_after_s)) {
		char seconds[16];

		snprintf(seconds, sizeof(seconds), "%d",
			 e->retry_after_s > 0 ? e->retry_after_s : 2);
		resp_header(rs, "Retry-After", seconds);
	}
	if (e->code == ERR_UNAUTHENTICATED)
		resp_header(rs, "WWW-Authenticate", "Bearer");
}

static void send_bytes(struct response *rs, const void *p, size_t n)
{
	if (!rs->gone && n && rs->conn->write(rs->conn, p, n) < 0)
		rs->gone = true;
}

/* at_once: the web server passes on each flush instead of buffering. */
static void send_head(struct response *rs, bool stream, bool at_once)
{
	struct buf *b = &rs->head;

	/*
	 * Now: a stream that lasts needs no buffer for input then. Input that stays
	 * unread would make the close a reset, which takes the answer with it.
	 */
	rs->conn->drain(rs->conn);
	buf_reset(b);
	buf_adds(b, "Status: ");
	buf_addu(b, (uint64_t)rs->status);
	buf_addc(b, ' ');
	buf_adds(b, resp_reason(rs->status));
	if (rs->content_type) {
		buf_adds(b, "\r\nContent-Type: ");
		buf_adds(b, rs->content_type);
	}
	if (stream) {
		buf_adds(b, "\r\nCache-Control: no-cache, no-transform");
	} else {
		if (rs->content_type) {
			buf_adds(b, "\r\nContent-Length: ");
			buf_addu(b, rs->body.n);
		}
		buf_adds(b, "\r\nCache-Control: no-store");
	}
	if (at_once)
		buf_adds(b, "\r\nX-Accel-Buffering: no");
	if (rs->cors_origin) {
		buf_adds(b, "\r\nAccess-Control-Allow-Origin: ");
		buf_adds(b, rs->cors_origin);
		buf_adds(b, "\r\nVary: Origin\r\nAccess-Control-Expose-Headers: "
			 "ETag, Idempotency-Key, Location, Retry-After, X-Request-Id, "
			 "X-Ignored-Parameters, X-Refused-Attachments, "
			 "x-vercel-ai-ui-message-stream");
	}
	buf_adds(b, "\r\nX-Content-Type-Options: nosniff"
		 "\r\nX-Request-Id: ");
	buf_adds(b, rs->request_id);
	buf_adds(b, "\r\n");
	buf_addstr(b, buf_str(&rs->headers));
	buf_adds(b, "\r\n");
	send_bytes(rs, b->p, b->n);
}

static void open_stream(struct response *rs, int status,
			const char *content_type, bool at_once)
{
	if (rs->state != RESP_OPEN)
		BUG("a stream after the head");
	buf_reset(&rs->body);
	rs->status = status;
	rs->content_type = content_type;
	send_head(rs, true, at_once);
	rs->state = RESP_STREAM;
}

void resp_open_stream(struct response *rs, const char *content_type,
		      struct str preamble)
{
	open_stream(rs, 200, content_type, true);
	buf_addstr(&rs->body, preamble);
}

void resp_open_file(struct response *rs, int status, const char *content_type,
		    int64_t n_bytes)
{
	char length[24];

	snprintf(length, sizeof(length), "%lld", (long long)n_bytes);
	resp_header(rs, "Content-Length", length);
	open_stream(rs, status, content_type, false);
}

void resp_flush(struct response *rs)
{
	if (rs->state != RESP_STREAM)
		BUG("a flush outside a stream");
	if (!rs->body.n && buf_ok(&rs->body))
		return;
	/* What did not fit is lost: the rest must not be taken for all of it. */
	if (!buf_ok(&rs->body)) {
		log_warn("a part of a stream is too large");
		rs->gone = true;
	}
	if (!rs->head_only) {
		send_bytes(rs, rs->body.p, rs->body.n);
		rs->sent_bytes += rs->body.n;
	}
	if (!rs->gone && rs->conn->flush(rs->conn) < 0)
		rs->gone = true;
	buf_reset(&rs->body);
}

bool resp_try_flush(struct response *rs)
{
	struct conn *c = rs->conn;

	if (rs->body.n && !rs->gone && !rs->head_only && c->fits &&
	    !c->fits(c, rs->body.n))
		return false;
	resp_flush(rs);
	return true;
}

void resp_finish(struct response *rs)
{
	if (rs->state == RESP_STREAM)
		resp_flush(rs);
	if (rs->state == RESP_OPEN) {
		if (!buf_ok(&rs->body)) {
			struct err e = ERR_INIT;

			err_set(&e, ERR_INTERNAL, "answer beyond %d bytes",
				RESP_BODY_BYTES);
			resp_error(rs, &e);
		}
		send_head(rs, false, false);
		if (!rs->head_only && rs->content_type) {
			send_bytes(rs, rs->body.p, rs->body.n);
			rs->sent_bytes += rs->body.n;
		}
		/*
		 * Not flushed: the end of the connection sends it together with the
		 * end record.
		 */
	}
	/* Now, not when the next request comes. */
	if (rs->body.size > KEEP_BYTES)
		buf_release(&rs->body);
	rs->state = RESP_SENT;
}
