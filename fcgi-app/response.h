/* SPDX-License-Identifier: MIT */
/*
 * One answer: head, then body, then nothing. The only code that writes to the
 * client. A handler either fills a whole answer (resp_json, resp_empty), which is
 * sent when it returns, or opens a stream, which is sent as it grows. Output that
 * cannot be sent is discarded: after the first failed write the client counts as
 * gone, and all later writes succeed without effect, because a turn continues
 * without its clients.
 *
 * One thread at a time. The buffers belong to a worker and are reused.
 */
#ifndef APP_RESPONSE_H
#define APP_RESPONSE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "conn.h"

#define RESP_BODY_BYTES 134217728	/* limit of a whole answer */

enum resp_state {
	RESP_OPEN,	/* nothing sent; everything can still change */
	RESP_STREAM,	/* head sent, the body follows piece by piece */
	RESP_SENT,	/* complete */
};

/* The format of errors, by mount. */
enum resp_errors {
	RESP_ERRORS_PROBLEM,	/* application/problem+json, RFC 9457 */
	RESP_ERRORS_OPENAI,	/* {error: {message, type, param, code}} */
	RESP_ERRORS_PAGE,	/* an HTML page: response.error_page */
};

struct response {
	struct conn *conn;
	enum resp_state state;
	int status;
	const char *content_type;	/* NULL = no body */
	struct buf headers;	/* further "Name: value\r\n" lines */
	struct buf head;	/* the complete head, as it is sent */
	struct buf body;	/* the whole answer, or a stream's next batch */
	bool head_only;		/* HEAD: everything except the body */
	bool gone;		/* permanent: the client does not read any more */
	size_t sent_bytes;	/* of the body */
	/* The page elsewhere whose scripts may read this; or NULL. Borrowed */
	const char *cors_origin;
	const char *request_id;	/* borrowed */
	enum resp_errors errors;	/* set after resp_begin, else problem documents */
	/* Writes the page of an error with resp_html; called by resp_error. */
	void (*error_page)(void *ctx, struct response *rs, const struct err *e);
	void *error_ctx;
};

/* Once per worker; release it at its end. */
void resp_init(struct response *rs);
void resp_release(struct response *rs);

/* Begins an answer on conn. request_id is borrowed until it is sent. */
void resp_begin(struct response *rs, struct conn *conn, const char *request_id,
		bool head_only);

/*
 * Adds a header line; control characters in value are removed. name is constant
 * text. Not after the head was sent (BUG).
 */
void resp_header(struct response *rs, const char *name, const char *value);

/* The body is JSON: write it to the returned writer, from the beginning. */
struct jw resp_json(struct response *rs, int status);

/*
 * The body is text of this type (constant text): append it to the returned buffer,
 * from the beginning. resp_html: a page.
 */
struct buf *resp_text(struct response *rs, int status,
		      const char *content_type);
struct buf *resp_html(struct response *rs, int status);
#define RESP_HTML "text/html; charset=utf-8"	/* its type; of streams too */

/* No body: 204, or the answer to OPTIONS. */
void resp_empty(struct response *rs, int status);

/* 303: the answer is at location, which is relative to this request or absolute. */
void resp_see_other(struct response *rs, const char *location);

/* No answer: the new owner answers on this connection (request.adopt). */
void resp_leave(struct response *rs);

/*
 * Answers with e in the format rs->errors, instead of anything filled in so far.
 * The only place where an error becomes an HTTP answer. Not for an open stream
 * (BUG).
 */
void resp_error(struct response *rs, const struct err *e);

/*
 * Opens an event stream with its head and preamble, which the first flush sends.
 * Then append complete events to resp_stream, and flush.
 */
void resp_open_stream(struct response *rs, const char *content_type,
		      struct str preamble);

/*
 * Opens an answer of this size that is sent in pieces, with resp_stream and
 * resp_flush as above; status is 200 or 206. Unlike with a stream, web servers may
 * buffer it for a slow client.
 */
void resp_open_file(struct response *rs, int status, const char *content_type,
		    int64_t n_bytes);

/* The buffer for the stream's next bytes. Stays empty when the client is gone. */
static inline struct buf *resp_stream(struct response *rs)
{
	return &rs->body;
}

/* Sends the batch. Does nothing if it is empty. */
void resp_flush(struct response *rs);

/*
 * The same if the client accepts the whole batch without a wait; else returns false
 * without any effect.
 */
bool resp_try_flush(struct response *rs);

/*
 * Writes the head and body of a whole answer, or the rest of a stream. The end of
 * the connection sends what it buffers.
 */
void resp_finish(struct response *rs);

/* "Not Found" for 404; never NULL. */
const char *resp_reason(int status);

#endif
