/*
 * The web: a search engine, and reading pages. Offered only in turns in which
 * the user asked for it (A64, C30). A page that the model may visit is one whose
 * address the user or a tool said: an address that only the model made could
 * carry away what it has read.
 */
#ifndef TOOL_WEB_H
#define TOOL_WEB_H

#include "tool/core/kind.h"
#include "tool/web/option.h"

extern const struct tool_kind kind_web_search, kind_web_visit;

/*
 * Whether a message asks for the web: in one of these words (web.words), as
 * whole words in any case of ASCII letters, "x*" with any ending; or by naming
 * an address.
 */
bool web_asked(const struct conf_list *words, struct str message);

/* -- web_robots.c ---------------------------------------------------------- */

/*
 * Whether url may be read, by its site's robots.txt, which is kept for a while.
 * A site whose rules cannot be read for its own failure allows nothing.
 * ERR_TOOL_FAILED with a public text when it may not; errors of the request.
 */
int robots_check(const struct tool_ctx *ctx, const struct conf_list *allow,
		 const char *url, struct err *e) MUST_CHECK;

/*
 * Whether path ("/a?b") may be read by the rules of robots (RFC 9309): those for
 * lamplighter, or else for everybody. Linear in the length of both. Any thread.
 */
bool robots_allow(struct str robots, struct str path);

/* -- web_fetch.c ----------------------------------------------------------- */

/* What is read of the web. */
struct web_want {
	const char *what;		/* "The page": for messages */
	const char *const *headers;	/* "Name: value" */
	size_t n_headers;
	const struct conf_list *allow;	/* private addresses it may be at */
	size_t max_bytes;
	int timeout_ms;			/* redirects included */
};

/*
 * One GET of url; the body is appended to body; location is that of a redirect,
 * or "". NULL: nobody asks.
 */
struct http_result;
int web_get(const struct tool_ctx *ctx, const struct web_want *w,
	    const char *url, struct buf *body, char *location,
	    size_t n_location, struct http_result *res,
	    struct err *e) MUST_CHECK;

/*
 * Whether the user or a result said the address: one that only the model made
 * could carry away what it has read. ERR_TOOL_DENIED with a public text.
 */
int web_check_said(const struct tool_ctx *ctx, struct str address,
		   struct err *e) MUST_CHECK;

/*
 * GET of an address that a model asks for: one that the user or a result said,
 * and that its site lets programs read; redirects are followed, each asked about
 * anew. url becomes the one that answered, with a status of 2xx; its host is
 * noted as where the text is from (ctx->from), also of a failure. Errors have a
 * public text for the model.
 */
int web_fetch(const struct tool_ctx *ctx, const struct web_want *w,
	      struct str asked, struct buf *url, struct buf *body,
	      struct http_result *res, struct err *e) MUST_CHECK;

/* The failure of a web_get in the model's words. Returns -1. */
int web_failed(const char *what, const struct err *cause, struct err *e);

#endif
