/* SPDX-License-Identifier: MIT */
/*
 * The web: a search engine, and reading pages. Offered only in turns in which the
 * user asked for it (A64, C30). The model may visit only pages whose URL came from
 * the user or a tool: a URL that the model made up could leak what it has read.
 */
#ifndef TOOL_WEB_H
#define TOOL_WEB_H

#include "tool/core/kind.h"
#include "tool/web/option.h"

extern const struct tool_kind kind_web_search, kind_web_visit;

/*
 * Whether a message asks for the web: with one of these words (web.words), as
 * whole words ignoring ASCII case, "x*" with any ending; or with a URL.
 */
bool web_asked(const struct conf_list *words, struct str message);

/* -- pages ------------------------------------------------------------------- */

/* What to read, and its limits. */
struct web_want {
	const char *what;		/* "The page": for messages */
	const char *const *headers;	/* "Name: value" */
	size_t n_headers;
	const struct conf_list *allow;	/* private addresses it may be at */
	size_t max_bytes;
	int timeout_ms;			/* redirects included */
};

/*
 * One GET of url. The body is appended to body; *location (location may be
 * NULL) is the target of a redirect, or "".
 */
struct http_result;

/*
 * Whether the URL came from the user or a result: one that the model made up could
 * leak what it has read. ERR_TOOL_DENIED with a public text.
 */
int web_check_origin(const struct tool_ctx *ctx, struct str address,
		   struct err *e) MUST_CHECK;

/*
 * GET of a URL that the model requests: one that came from the user or a result,
 * and that its site allows programs to read. Redirects are followed, and each is
 * checked in the same way. url becomes the one that answered with a status of 2xx;
 * its host is noted as an origin (ctx->from), also after a failure. Errors have a
 * public text for the model.
 */
int web_fetch(const struct tool_ctx *ctx, const struct web_want *w,
	      struct str asked, struct buf *url, struct buf *body,
	      struct http_result *res, struct err *e) MUST_CHECK;

#endif
