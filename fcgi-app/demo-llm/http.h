/* SPDX-License-Identifier: MIT */
/*
 * http.h - one HTTP/1.x request out of a byte queue, incrementally: request
 * line, the few headers the demo model needs, a body by Content-Length or
 * chunked. RFC 9112. What is not understood is refused, never guessed.
 */
#ifndef DEMO_HTTP_H
#define DEMO_HTTP_H

#include "demo-llm/out.h"

#include <stdbool.h>

#define HTTP_HEAD_MAX (64 * 1024)
#define HTTP_BODY_MAX (8 * 1024 * 1024)

/* Why a request is not answered as asked; status 0 means no refusal. */
struct refusal {
	int status;
	char param[64];		/* the offending member, "" if none */
	char text[320];
};

/* Fills w and returns -1. param may be NULL. */
int refuse(struct refusal *w, int status, const char *param,
	   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* All zero before the first demo_http_parse of a request. */
struct http_req {
	char method[16];
	char path[512];		/* without the query string */
	bool http10;
	bool keep_alive;
	bool expect;		/* waits for 100 Continue */
	bool chunked;
	char *script;		/* X-Demo-Script, malloc, or NULL */
	size_t head_len;	/* bytes of the head, 0 until it is complete */
	size_t body_len;	/* bytes of decoded body, behind the head */
	size_t length;		/* Content-Length */
	size_t pos;		/* raw bytes used up to now */
	size_t chunk_left;	/* of the current chunk */
	int chunk_state;
};

/*
 * Continues to parse the request at the front of in (a chunked body is decoded in
 * place). Returns 1 when it is complete: the body is at out_front(in) +
 * head_len, and the caller consumes pos bytes at the end; 0 when bytes are
 * missing; -1 with *w set (400, 413, 431, 501, 505) when it is wrong.
 */
int demo_http_parse(struct http_req *r, struct out *in, struct refusal *w);

/* Frees what r owns and makes it ready for the next request. */
void demo_http_reset(struct http_req *r);

/* The reason phrase of a status, "Unknown" when it has none here. */
const char *demo_http_reason(int status);

#endif
