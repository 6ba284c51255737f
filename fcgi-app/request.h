/* SPDX-License-Identifier: MIT */
/*
 * One request, read-only after it was read: parameters, method, path, query, body,
 * and after the gates its route, path arguments and identity. Everything is in the
 * worker's arena until the worker resets it.
 */
#ifndef APP_REQUEST_H
#define APP_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "auth/caller.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "conf/conf.h"
#include "conn.h"
#include "hold/share.h"
#include "path.h"

struct app;
struct route;

enum method {
	METHOD_GET, METHOD_HEAD, METHOD_POST, METHOD_PATCH, METHOD_PUT,
	METHOD_DELETE, METHOD_OPTIONS, METHOD_OTHER,
	METHOD__MAX
};
extern const char *const method_names[METHOD__MAX];

struct param {
	struct str name, value;	/* both NUL-terminated */
};

/* A value from the path; its type has been checked. */
struct path_arg {
	struct str name;	/* as in the pattern; n == 0: none */
	struct str text;
	struct uuid id;		/* of a uuid argument */
};

#define REQ_PATH_ARGS 4

struct multipart;

struct request {
	struct app *app;
	const struct conf *conf;	/* the generation for this request */
	struct arena *arena;
	struct conn *conn;
	int64_t started_us;	/* monotonic */
	char id[40];		/* request id, in logs and error bodies */

	const struct param *params;	/* of the web server, with CGI names */
	size_t n_params;
	enum method method;
	enum mount mount;
	struct str path;	/* after base and the mount's root */
	struct str raw_query;
	const struct param *query;	/* decoded, in order */
	size_t n_query;
	bool query_read;

	const struct route *route;	/* set by route_dispatch … */
	struct path_arg args[REQ_PATH_ARGS];	/* in the pattern's order */
	struct caller by;	/* nobody, until an AUTH route's gate says who */
	json_t *body;		/* only after a JSON route's gate; borrowed */
	const struct param *form;	/* of a FORM route: form.h */
	struct multipart *parts;	/* of a form with files, at the first of them; NULL: it
					 * has none */
	struct str file_name;		/* of that file; p == NULL: there is none */
	size_t n_form;
	size_t n_form_sent;	/* of those; fields of form_add follow them */
	int64_t body_bytes;	/* read by req_body_some */
	bool holds_turn;	/* counted against threads.max_turns */
	bool brief;		/* of a MODEL route: it has no place at the web server, and must not
				 * stay open (places.h) */
	bool jobs_asked;	/* a job is due once the changes are stored: serve_end requests
				 * it, not before */
	/* what is counted for the user */
	struct share_part turns, open, unsent, arriving, arrived, storing;

	/* Work after the answer was sent; may be NULL. */
	void (*after)(struct request *rq);
	void *after_ctx;

	/*
	 * Set by a handler that has called resp_leave: takes the connection over
	 * from the worker, which continues with the next request. The new owner
	 * answers and ends it (conn.end). Nothing of rq remains valid.
	 */
	void (*adopt)(void *ctx, struct conn *conn);
	void *adopt_ctx;
};

/*
 * Copies the parameters and determines method and path. If a name is repeated, the
 * last one counts, as with nginx, whose stock parameters an admin overrides. But
 * headers of clients with an effect (those of the identity chain, Authorization,
 * Cookie, Host, Origin, …) must not be repeated, in any spelling: ERR_BAD_REQUEST.
 * ERR_TOO_BIG, ERR_NOT_FOUND for a target that is not ours; rq can be answered in
 * any case.
 */
int req_read(struct request *rq, struct app *app, const struct conf *conf,
	     struct conn *conn, struct arena *a, struct err *e) MUST_CHECK;

/* A parameter ("CONTENT_TYPE"); p == NULL if absent. Borrowed. */
struct str req_param(const struct request *rq, const char *name);

/* A header ("X-Name" as "HTTP_X_NAME"); p == NULL if absent. */
struct str req_header(const struct request *rq, const char *name);

/*
 * Refuses query parameters that are not in names (separated by blanks):
 * ERR_UNKNOWN_FIELD, ERR_BAD_REQUEST, ERR_INVALID_UTF8.
 */
int req_query_names(struct request *rq, const char *names,
		    struct err *e) MUST_CHECK;

/*
 * Splits and decodes "name=value&…" into pairs in the arena, in order, without
 * empty ones. ERR_BAD_REQUEST with the sentence too_many for more than max, and the
 * errors of path_decode.
 */
int req_pairs(struct request *rq, struct str text, size_t max,
	      const char *too_many, struct param **out, size_t *n,
	      struct err *e) MUST_CHECK;

/*
 * A query parameter, decoded; p == NULL if absent, the last one if it is repeated.
 * ERR_BAD_REQUEST, ERR_INVALID_UTF8.
 */
int req_query(struct request *rq, const char *name, struct str *out,
	      struct err *e) MUST_CHECK;

/* A query parameter that is a whole number; dflt if absent. ERR_INVALID_FIELD. */
/* req_query of text that may have at most max characters. ERR_INVALID_FIELD. */
int req_query_text(struct request *rq, const char *name, int max,
		   struct str *out, struct err *e) MUST_CHECK;
int req_query_int(struct request *rq, const char *name, int64_t dflt,
		  int64_t *out, struct err *e) MUST_CHECK;

/* The value of CONTENT_LENGTH; -1 = absent. ERR_BAD_REQUEST. */
int req_length(const struct request *rq, int64_t *out, struct err *e) MUST_CHECK;

/*
 * Reads the whole body, at most cap bytes: ERR_TOO_BIG beyond, ERR_BAD_REQUEST
 * if it is cut off, ERR_SLOW if it arrives too slowly (pace.h). Works with and
 * without a content length. Its bytes (without a length: cap) are counted for the user
 * until the request ends: ERR_SHARE, ERR_OVERLOADED. In the arena.
 */
int req_body(struct request *rq, size_t cap, struct str *out,
	     struct err *e) MUST_CHECK;

enum {
	REQ_JSON_OPTIONAL = 1,	/* an empty body is {} */
	REQ_JSON_REPAIRED = 2,	/* read by jx_load_repaired */
};

/*
 * The same, parsed as JSON, so that the text is not kept. how: REQ_JSON_…. New; the
 * errors of jx_load.
 */
json_t *req_body_json(struct request *rq, size_t cap, unsigned how,
		      struct err *e) MUST_CHECK;

/*
 * Reads the next bytes of the body of a RAW route to p, at most n: their number, 0
 * at the end, -1 with ERR_BAD_REQUEST if the body is cut off, ERR_SLOW. Does not
 * store them.
 */
ssize_t req_body_some(struct request *rq, char *p, size_t n,
		      struct err *e) MUST_CHECK;

/*
 * Counts the bytes of the body for the user until the request ends, before the handler
 * of a RAW route keeps them in memory; without a length, cap. ERR_TOO_BIG beyond cap,
 * ERR_SHARE, ERR_OVERLOADED.
 */
int req_body_hold(struct request *rq, size_t cap, struct err *e) MUST_CHECK;

/* Appends all of it to b; ERR_TOO_BIG, naming what it is, beyond b's cap. */
int req_body_all(struct request *rq, struct buf *b, const char *what,
		 struct err *e) MUST_CHECK;

#endif
