/* SPDX-License-Identifier: MIT */
/*
 * http.c - the request parser of the demo model.
 */
#include "demo-llm/http.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/banned.h"

enum { CHUNK_SIZE, CHUNK_DATA, CHUNK_END, CHUNK_TRAILER };

int refuse(struct refusal *w, int status, const char *param,
	   const char *fmt, ...)
{
	va_list ap;

	w->status = status;
	snprintf(w->param, sizeof(w->param), "%s", param ? param : "");
	va_start(ap, fmt);
	vsnprintf(w->text, sizeof(w->text), fmt, ap);
	va_end(ap);
	return -1;
}

const char *demo_http_reason(int status)
{
	static const struct { int status; const char *text; } row[] = {
		{200, "OK"}, {400, "Bad Request"}, {401, "Unauthorized"},
		{402, "Payment Required"}, {403, "Forbidden"},
		{404, "Not Found"}, {405, "Method Not Allowed"},
		{408, "Request Timeout"}, {409, "Conflict"},
		{413, "Content Too Large"}, {414, "URI Too Long"}, {422, "Unprocessable Content"},
		{429, "Too Many Requests"},
		{431, "Request Header Fields Too Large"},
		{500, "Internal Server Error"}, {501, "Not Implemented"},
		{502, "Bad Gateway"}, {503, "Service Unavailable"},
		{504, "Gateway Timeout"},
		{505, "HTTP Version Not Supported"}, {529, "Overloaded"},
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if (row[i].status == status)
			return row[i].text;
	return "Unknown";
}

void demo_http_reset(struct http_req *r)
{
	free(r->script);
	*r = (struct http_req){0};
}

static int parse_line(struct http_req *r, const char *p, const char *end,
		      struct refusal *w)
{
	const char *sp1 = memchr(p, ' ', (size_t)(end - p));
	const char *sp2 = sp1 ? memchr(sp1 + 1, ' ', (size_t)(end - sp1 - 1))
			      : NULL;
	const char *query;
	size_t n;

	if (!sp2 || sp1 == p || sp1[1] != '/')
		return refuse(w, 400, NULL, "bad request line");
	n = (size_t)(sp1 - p);
	if (n >= sizeof(r->method))
		return refuse(w, 501, NULL, "unknown method");
	memcpy(r->method, p, n);
	query = memchr(sp1 + 1, '?', (size_t)(sp2 - sp1 - 1));
	n = (size_t)((query ? query : sp2) - sp1 - 1);
	if (n >= sizeof(r->path))
		return refuse(w, 414, NULL, "path too long");
	memcpy(r->path, sp1 + 1, n);
	n = (size_t)(end - sp2 - 1);
	if (n != 8 || memcmp(sp2 + 1, "HTTP/1.", 7) ||
	    (sp2[8] != '0' && sp2[8] != '1'))
		return refuse(w, 505, NULL, "HTTP/1.0 or 1.1 only");
	r->http10 = sp2[8] == '0';
	r->keep_alive = !r->http10;
	return 0;
}

static bool is_name(const char *p, size_t n, const char *name)
{
	return n == strlen(name) && !strncasecmp(p, name, n);
}

static int parse_length(struct http_req *r, const char *v, size_t n,
			struct refusal *w)
{
	size_t i, len = 0;

	if (!n || n > 15)
		return refuse(w, 400, NULL, "bad Content-Length");
	for (i = 0; i < n; i++) {
		if (v[i] < '0' || v[i] > '9')
			return refuse(w, 400, NULL, "bad Content-Length");
		len = len * 10 + (size_t)(v[i] - '0');
	}
	if (len > HTTP_BODY_MAX)
		return refuse(w, 413, NULL, "body larger than %d bytes",
			      HTTP_BODY_MAX);
	r->length = len;
	return 0;
}

static int parse_header(struct http_req *r, const char *p, const char *end,
			struct refusal *w)
{
	const char *colon = memchr(p, ':', (size_t)(end - p));
	const char *v;
	size_t n, vn;

	if (!colon || colon == p || *p == ' ' || *p == '\t')
		return refuse(w, 400, NULL, "bad header line");
	n = (size_t)(colon - p);
	v = colon + 1;
	while (v < end && (*v == ' ' || *v == '\t'))
		v++;
	while (end > v && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	vn = (size_t)(end - v);
	if (is_name(p, n, "content-length"))
		return parse_length(r, v, vn, w);
	if (is_name(p, n, "transfer-encoding")) {
		if (!is_name(v, vn, "chunked"))
			return refuse(w, 501, NULL,
				      "transfer encoding not supported");
		r->chunked = true;
	} else if (is_name(p, n, "connection")) {
		if (is_name(v, vn, "close"))
			r->keep_alive = false;
		else if (is_name(v, vn, "keep-alive"))
			r->keep_alive = true;
	} else if (is_name(p, n, "expect")) {
		r->expect = is_name(v, vn, "100-continue");
	} else if (is_name(p, n, "x-demo-script")) {
		free(r->script);
		r->script = memcpy(xcalloc(vn + 1, 1), v, vn);
	}
	return 0;
}

static int parse_head(struct http_req *r, struct out *in, struct refusal *w)
{
	char *p = out_front(in);
	char *end = memmem(p, out_size(in), "\r\n\r\n", 4);
	char *line;

	if (!end) {
		if (out_size(in) > HTTP_HEAD_MAX)
			return refuse(w, 431, NULL, "head too large");
		return 0;
	}
	r->head_len = (size_t)(end - p) + 4;
	if (r->head_len > HTTP_HEAD_MAX)
		return refuse(w, 431, NULL, "head too large");
	for (line = p; line < end + 2; ) {
		char *nl = memmem(line, (size_t)(end + 2 - line), "\r\n", 2);

		if (line == p ? parse_line(r, line, nl, w)
			      : parse_header(r, line, nl, w))
			return -1;
		line = nl + 2;
	}
	if (r->chunked && r->length)
		return refuse(w, 400, NULL,
			      "Content-Length with Transfer-Encoding");
	r->pos = r->head_len;
	return 1;
}

/* One line of chunk framing at pos; 0 when it is not complete. */
static char *frame_line(struct http_req *r, struct out *in, size_t *n)
{
	char *p = out_front(in) + r->pos;
	char *nl = memmem(p, out_size(in) - r->pos, "\r\n", 2);

	if (!nl)
		return NULL;
	*n = (size_t)(nl - p);
	r->pos += *n + 2;
	return p;
}

static int chunk_size(struct http_req *r, const char *line, size_t n,
		      struct refusal *w)
{
	size_t i, size = 0;

	for (i = 0; i < n && line[i] != ';' && line[i] != ' '; i++) {
		char c = line[i];
		int d = c >= '0' && c <= '9' ? c - '0' :
			c >= 'a' && c <= 'f' ? c - 'a' + 10 :
			c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

		if (d < 0 || i > 7)
			return refuse(w, 400, NULL, "bad chunk size");
		size = size * 16 + (size_t)d;
	}
	if (!i)
		return refuse(w, 400, NULL, "bad chunk size");
	if (size + r->body_len > HTTP_BODY_MAX)
		return refuse(w, 413, NULL, "body larger than %d bytes",
			      HTTP_BODY_MAX);
	r->chunk_left = size;
	r->chunk_state = size ? CHUNK_DATA : CHUNK_TRAILER;
	return 0;
}

static int parse_chunked(struct http_req *r, struct out *in,
			 struct refusal *w)
{
	for (;;) {
		char *base = out_front(in);
		size_t n, have = out_size(in) - r->pos;
		char *line;

		if (r->chunk_state == CHUNK_DATA) {
			n = have < r->chunk_left ? have : r->chunk_left;
			memmove(base + r->head_len + r->body_len,
				base + r->pos, n);
			r->body_len += n;
			r->pos += n;
			r->chunk_left -= n;
			if (r->chunk_left)
				return 0;
			r->chunk_state = CHUNK_END;
			continue;
		}
		line = frame_line(r, in, &n);
		if (!line) {
			if (have > 1024)
				return refuse(w, 400, NULL, "bad chunk line");
			return 0;
		}
		if (r->chunk_state == CHUNK_SIZE) {
			if (chunk_size(r, line, n, w))
				return -1;
		} else if (r->chunk_state == CHUNK_END) {
			if (n)
				return refuse(w, 400, NULL, "bad chunk end");
			r->chunk_state = CHUNK_SIZE;
		} else if (!n) {
			return 1;
		}
	}
}

int demo_http_parse(struct http_req *r, struct out *in, struct refusal *w)
{
	if (!r->head_len) {
		int rc;

		if (!out_size(in))
			return 0;
		rc = parse_head(r, in, w);
		if (rc <= 0)
			return rc;
	}
	if (r->chunked)
		return parse_chunked(r, in, w);
	if (out_size(in) - r->head_len < r->length)
		return 0;
	r->body_len = r->length;
	r->pos = r->head_len + r->length;
	return 1;
}
