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

/* req_query of text that may have at most max characters. ERR_INVALID_FIELD. */
int req_query_text(struct request *rq, const char *name, int max,
		   struct str *out, struct err *e) MUST_CHECK;

/* A query parameter that is a whole number; dflt if absent. ERR_INVALID_FIELD. */
int req_query_int(struct request *rq, const char *name, int64_t dflt,
		  int64_t *out, struct err *e) MUST_CHECK;

#endif
