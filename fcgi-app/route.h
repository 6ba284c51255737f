/* SPDX-License-Identifier: MIT */
/*
 * From a request to its handler: the table of resources (routes.def) and the gates
 * before every handler, in a fixed order.
 */
#ifndef APP_ROUTE_H
#define APP_ROUTE_H

#include "request.h"
#include "response.h"

enum {			/* flags of a row; in routes.def without the prefix */
	ROUTE_AUTH = 1,		/* the caller must be signed in */
	ROUTE_JSON = 2,		/* has a JSON body, given as request.body */
	ROUTE_CSRF = 4,		/* must come from our own site */
	ROUTE_STREAM = 8,	/* the worker answers with an event stream */
	ROUTE_MODEL = 16,	/* holds its worker while a model works:
				   counted against threads.max_turns */
	ROUTE_FORM = 32,	/* has a form as its body: form.h. With CSRF, it must have our
				 * token, unless the browser states that it comes from our site */
	ROUTE_BODILESS = 64,	/* the JSON body is optional: {} if absent */
	ROUTE_RAW = 128,	/* its handler reads the body with req_body_some; counted as
				 * arriving meanwhile */
	ROUTE_FILES = 256,	/* a FORM that may have files: then it is multipart, and the
				 * handler reads them */
	ROUTE_PROGRAM = 512,	/* its JSON is a program's, which sends old texts again: they
				 * are repaired (jx_load_repaired) */
};

#define PERM_NONE (-1)

/*
 * Answers one request: fills rs, or opens a stream with it. Returns 0, or -1 with e
 * set while rs is still open: the caller turns that into the error document. Parses
 * only what the gates left (query, fields), and writes through rs only.
 */
typedef int route_handler(struct request *rq, struct response *rs,
			  struct err *e);

struct route {
	enum mount mount;
	enum method method;
	const char *pattern;	/* after the root, with segments "{name:type}" */
	route_handler *handler;
	unsigned flags;
	int permission;		/* enum permission, or PERM_NONE */
	const char *query;	/* known parameters, separated by blanks; NULL: the
				   handler refuses others */
	size_t body_cap_bytes;	/* 0 = limits.body_bytes */
	const char *summary;
};

extern const struct route routes[];
extern const size_t route_count;

/*
 * Finds the row for mount, method and path and sets args. NULL with ERR_NOT_FOUND
 * or, if the path exists with other methods, ERR_METHOD; *allow (if not NULL) is
 * then their bit set (1 << method). HEAD finds the row of GET.
 */
const struct route *route_find(enum mount mount, enum method method,
			       struct str path,
			       struct path_arg args[REQ_PATH_ARGS],
			       unsigned *allow, struct err *e);

/*
 * Serves the whole request: gates in order (match 404, method 405, identity 401,
 * permission 403, origin 403, overload 503, share 429, size 413, media type 415,
 * parse 400, a form's token 403), handler, answer. The answer is complete when it
 * returns. Errors are logged here, once.
 */
void route_dispatch(struct request *rq, struct response *rs);

/*
 * Answers and logs a request that req_read refused, in the same way.
 */
void route_refuse(struct request *rq, struct response *rs,
		  const struct err *e);

/* Returns the worker's place, after the work that follows the answer. */
void route_release(struct request *rq);

/* Unsent answers that are smaller are not counted, because the sockets buffer them. */
#define ROUTE_UNSENT_BYTES 65536

/* Path arguments by name, for handlers; BUG if the pattern has no such argument. */
struct str route_arg(const struct request *rq, const char *name);
const struct uuid *route_arg_uuid(const struct request *rq, const char *name);
bool route_has_arg(const struct request *rq, const char *name);

/* Prints "METHOD pattern flags permission summary", one line each: `list routes`. */
void route_print(struct buf *out);

#endif
