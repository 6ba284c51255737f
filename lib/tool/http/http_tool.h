/* SPDX-License-Identifier: MIT */
/*
 * Shared by kind_http.c (declarations and calls), http_build.c (from arguments
 * to one request) and http_answer.c (from an answer to a result). docs/tools.md
 * has the rules.
 */
#ifndef TOOL_HTTP_TOOL_H
#define TOOL_HTTP_TOOL_H

#include "base/limits.h"
#include "net/http.h"
#include "tool/core/kind.h"
#include "tool/http/option.h"

extern const struct tool_kind kind_http, kind_openapi;

struct http_call {		/* one request; texts in the arena */
	const char *method;
	const char *url;
	const char *headers[LIM_TOOL_HEADERS];
	size_t n_headers;
	bool too_many;			/* headers: one was left out */
	struct str body;		/* p == NULL: none */
	struct str secrets[3];		/* what must not be shown */
	size_t n_secrets;
};

/*
 * The request for args. page is the value of page.param (p == NULL: none).
 * ERR_TOOL_ARGS with a public text if an argument is not allowed in its place;
 * ERR_CONFIG if a token cannot be made; ERR_TOO_BIG if it would have more than
 * LIM_TOOL_HEADERS headers.
 */
int tool_http_call_build(const struct conf_tool *c, const struct tool_ctx *ctx,
			 const json_t *args, struct str page, struct http_call *out,
			 struct err *e) MUST_CHECK;

/* The functions of kind http, for tools whose data is a conf_tool with http. */
int tool_http_run(const struct tool *t, const struct tool_ctx *ctx,
		  const json_t *args, struct buf *out, bool *is_json,
		  struct err *e) MUST_CHECK;
int tool_http_dry_run(const struct tool *t, const struct tool_ctx *ctx,
		      const json_t *args, struct buf *out,
		      struct err *e) MUST_CHECK;

/* Whether auth has what it needs. ERR_CONFIG, field "SECTION.key". */
int tool_http_check_auth(const struct conf_tool_http *h, const char *section,
			 struct err *e) MUST_CHECK;

struct http_answer {
	json_t *json;			/* what select chose; owned, or NULL */
	json_t *whole;			/* what it is part of; owned */
	struct buf text;		/* when json is NULL */
};

/* Converting HTML takes time, in a separate process (extract.h). */
struct http_reading {
	const char *what;		/* "The page": begins messages */
	int64_t until_ms;		/* clock_mono_ms */
	struct http_abort *abort;	/* NULL = cannot be cancelled */
};

/*
 * Reads the body of an answer by its content type, converting text to UTF-8
 * and HTML to text, and takes what select names. ERR_TOOL_FAILED and
 * ERR_TOOL_TIMEOUT with a public text when it cannot be shown; ERR_CANCELLED.
 * Release it in any case.
 */
int tool_http_answer_read(const struct conf_tool_http *h,
			  const struct http_reading *how,
			  const struct http_result *res, const struct buf *body,
			  struct http_answer *out, struct err *e) MUST_CHECK;
void tool_http_answer_release(struct http_answer *a);

#endif
