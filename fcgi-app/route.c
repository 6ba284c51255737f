/* SPDX-License-Identifier: MIT */
#include "route.h"

#include <stdio.h>
#include <strings.h>

#include "api/api.h"
#include "app.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/log.h"
#include "body.h"
#include "caller.h"
#include "domain/target.h"
#include "form.h"
#include "metric/metric.h"
#include "multipart.h"
#include "places.h"
#include "plain/plain.h"
#include "quota.h"
#include "resource/resource.h"

#include "base/banned.h"

#define SEGMENTS 12	/* more than the deepest pattern has */

#define AUTH   ROUTE_AUTH
#define JSON   ROUTE_JSON
#define BODILESS ROUTE_BODILESS
#define CSRF   ROUTE_CSRF
#define STREAM ROUTE_STREAM
#define MODEL  ROUTE_MODEL
#define FORM   ROUTE_FORM
#define FILES  ROUTE_FILES
#define RAW    ROUTE_RAW
#define PROGRAM ROUTE_PROGRAM

const struct route routes[] = {
#define ROUTE_AT(mnt, m, pat, fn, fl, perm, qry, cap, text) \
	{ .mount = MOUNT_##mnt, .method = METHOD_##m, .pattern = pat, \
	  .handler = fn, \
	  .flags = fl, .permission = PERM_##perm, .query = qry, \
	  .body_cap_bytes = cap, .summary = text },
#include "routes.def"
#undef ROUTE_AT
};
const size_t route_count = ARRAY_LEN(routes);

/* -- matching -------------------------------------------------------------- */

/* Matches one segment against "{name:type}"; sets arg. */
static bool match_arg(struct str pattern, struct str segment,
		      struct path_arg *arg)
{
	struct str type = { pattern.p + 1, pattern.n - 2 };
	struct str name = str_cut(&type, ':');

	*arg = (struct path_arg){ .name = name, .text = segment };
	if (str_is(type, "uuid"))
		return uuid_parse(segment, &arg->id);
	if (str_is(type, "name"))
		return segment.n > 0 && segment.n <= LIM_NAME_BYTES;
	return slug_valid(segment);
}

static bool match_path(const char *pattern, struct str path,
		       struct path_arg args[REQ_PATH_ARGS])
{
	struct str want = str_of(pattern);
	size_t n = 0;

	while (want.n || path.n) {
		struct str w = str_cut(&want, '/'), p = str_cut(&path, '/');

		if (w.n && w.p[0] == '{') {
			if (!match_arg(w, p, &args[n++]))
				return false;
		} else if (!str_eq(w, p)) {
			return false;
		}
		/*
		 * One has another segment, if an empty one: "/threads/" is not
		 * "/threads".
		 */
		if ((want.p == NULL) != (path.p == NULL))
			return false;
	}
	while (n < REQ_PATH_ARGS)
		args[n++] = (struct path_arg){ .name = { NULL, 0 } };
	return true;
}

/* Clients of the OpenAI server often try what another one has: it says what there is. */
static void no_route(enum mount mount, struct err *e)
{
	struct buf b = BUF_INIT(1024);

	if (mount != MOUNT_OPENAI) {
		err_set(e, ERR_NOT_FOUND, "no such route");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(routes); i++)
		if (routes[i].mount == mount && !strchr(routes[i].pattern, '{'))
			buf_addf(&b, "%s%s %s", b.n ? ", " : "",
				 method_names[routes[i].method], routes[i].pattern);
	err_public(e, ERR_NOT_FOUND, "This server has no such path. There is: %s.", b.p);
	buf_release(&b);
}

const struct route *route_find(enum mount mount, enum method method,
			       struct str path,
			       struct path_arg args[REQ_PATH_ARGS],
			       unsigned *allow, struct err *e)
{
	enum method want = method == METHOD_HEAD ? METHOD_GET : method;
	unsigned methods = 0;

	for (size_t i = 0; i < route_count; i++) {
		if (routes[i].mount != mount ||
		    !match_path(routes[i].pattern, path, args))
			continue;
		if (routes[i].method == want)
			return &routes[i];
		methods |= 1u << routes[i].method;
	}
	if (allow)
		*allow = methods;
	if (methods)
		err_set(e, ERR_METHOD, "other methods: %#x", methods);
	else
		no_route(mount, e);
	return NULL;
}

static const struct path_arg *find_arg(const struct request *rq,
				       const char *name)
{
	for (size_t i = 0; i < REQ_PATH_ARGS; i++)
		if (str_is(rq->args[i].name, name))
			return &rq->args[i];
	return NULL;
}

bool route_has_arg(const struct request *rq, const char *name)
{
	return find_arg(rq, name) != NULL;
}

struct str route_arg(const struct request *rq, const char *name)
{
	const struct path_arg *arg = find_arg(rq, name);

	if (!arg)
		BUG("a path argument that the pattern does not have");
	return arg->text;
}

const struct uuid *route_arg_uuid(const struct request *rq, const char *name)
{
	const struct path_arg *arg = find_arg(rq, name);

	if (!arg)
		BUG("a path argument that the pattern does not have");
	return &arg->id;
}

/* -- gates ----------------------------------------------------------------- */

static void set_allow(struct response *rs, unsigned methods)
{
	char line[128];
	size_t n = 0;

	if (methods & 1u << METHOD_GET)
		methods |= 1u << METHOD_HEAD;
	methods |= 1u << METHOD_OPTIONS;
	for (int m = 0; m < METHOD__MAX; m++)
		if (methods & 1u << m)
			n += (size_t)snprintf(line + n, sizeof(line) - n,
					      "%s%s", n ? ", " : "",
					      method_names[m]);
	resp_header(rs, "Allow", line);
}

static int gate_identity(struct request *rq, struct err *e)
{
	if (!(rq->route->flags & ROUTE_AUTH))
		return 0;
	return req_identify(rq, e);
}

/* Whether the identity has the permission that the row requires. */
static bool route_permits(const struct route *row, const struct identity *who)
{
	return row->permission == PERM_NONE ||
		policy_may(who, (enum permission)row->permission);
}

static int gate_permission(struct request *rq, struct err *e)
{
	if (route_permits(rq->route, rq->by.who))
		return 0;
	return err_public(e, ERR_FORBIDDEN, "This needs the permission %s.",
			  permission_rows[rq->route->permission].name);
}

/* To ask agents and to follow what they answer: all that a limited token can do. */
static bool is_asking(const struct route *row)
{
	switch (row->permission) {
	case PERM_CHAT_SEND: case PERM_CHAT_COMPLETE: case PERM_TURNS_READ:
	case PERM_TURNS_CANCEL: case PERM_APPROVALS_DECIDE:
		return true;
	}
	return false;
}

/*
 * What a token may do at most, whatever its user may: to ask agents, and if it is
 * limited to some of them, of the rest only what says which there are. What asks
 * checks the agent itself; of a turn in the path, it is checked here.
 */
static int gate_scope(struct request *rq, struct err *e)
{
	const struct identity *who = rq->by.who;
	const struct route *row = rq->route;
	bool of_turn = route_has_arg(rq, "turn");
	bool asks = is_asking(row) && (row->flags & ROUTE_MODEL || of_turn ||
				       route_has_arg(rq, "response"));

	if (!who)
		return 0;
	if (who->read_only && row->flags & ROUTE_CSRF && !asks &&
	    row->permission != PERM_KNOWLEDGE_READ)
		return err_public(e, ERR_FORBIDDEN, "This token only reads.");
	if (!who->n_agents)
		return 0;
	if (!asks && row->permission != PERM_NONE &&
	    row->permission != PERM_WORKSPACES_READ)
		return err_public(e, ERR_FORBIDDEN, "This token can only talk with its "
				  "agents.");
	return of_turn ? target_turn(&rq->by, route_arg_uuid(rq, "turn"), e) : 0;
}

static int gate_csrf(struct request *rq, struct err *e)
{
	if (!(rq->route->flags & ROUTE_CSRF))
		return 0;
	/*
	 * If nothing else proves the origin of a form, its token must, after it was
	 * read.
	 */
	if (rq->route->flags & ROUTE_FORM && req_origin(rq) == CSRF_NONE)
		return 0;
	return req_check_origin(rq, e);
}

static int gate_token(struct request *rq, struct err *e)
{
	const unsigned both = ROUTE_CSRF | ROUTE_FORM;

	/* No browser adds a bearer token by itself. */
	if ((rq->route->flags & both) != both ||
	    rq->by.who->kind == IDENTITY_API_TOKEN ||
	    req_origin(rq) == CSRF_OURS)
		return 0;
	return form_check(rq, e);
}

/*
 * A request that waits for a model occupies its worker for minutes. Beyond max_turns
 * it is refused at once, so that workers remain for short requests.
 */
static int gate_overload(struct request *rq, struct err *e)
{
	struct app *app = rq->app;

	if (!(rq->route->flags & ROUTE_MODEL))
		return 0;
	rq->holds_turn = true;
	metric_add(METRIC_OPEN_STREAMS, "answers", NULL, 1);
	if (atomic_fetch_add(&app->n_models, 1) >=
	    rq->conf->threads.max_turns) {
		e->retry_after_s = 5;
		return err_set(e, ERR_OVERLOADED, "%d turns run already",
			       atomic_load(&app->n_models) - 1);
	}
	if (quota_take(rq, SHARE_TURNS, &rq->turns, e) < 0)
		return -1;
	/* It may occupy the web server as well; what it does then is its own matter. */
	rq->brief = !quota_take_place(rq, PLACE_ANSWER, &rq->open);
	return 0;
}

/*
 * A whole answer stays in memory, with its rows, until the client has read it: this
 * limits clients that request much and do not read.
 */
static void hold_unsent(struct request *rq, struct response *rs, struct err *e)
{
	/* A refusal would not undo what was done, and the client would send it again. */
	bool refusable = rq->method == METHOD_GET || rq->method == METHOD_HEAD;
	struct uuid user;

	if (rs->state != RESP_OPEN || rs->body.n < ROUTE_UNSENT_BYTES || !rq->route)
		return;
	user = quota_user(rq);
	if (share_take(rq->app->share, &user, SHARE_UNSENT,
		       (int64_t)(rs->body.size + rq->arena->total_bytes),
		       refusable ? quota_limit(rq, SHARE_UNSENT)
		       : (struct share_limit){ 0 },
		       &rq->unsent, e) < 0)
		resp_error(rs, e);
}

void route_release(struct request *rq)
{
	share_give(&rq->turns);
	share_give(&rq->open);
	share_give(&rq->unsent);
	share_give(&rq->arriving);
	share_give(&rq->arrived);
	share_give(&rq->storing);
	if (rq->holds_turn) {
		atomic_fetch_sub(&rq->app->n_models, 1);
		metric_add(METRIC_OPEN_STREAMS, "answers", NULL, -1);
	}
	rq->holds_turn = false;
}

static size_t body_cap(const struct request *rq)
{
	return rq->route->body_cap_bytes ? rq->route->body_cap_bytes
		: (size_t)rq->conf->limits.body_bytes;
}

static bool has_body(const struct request *rq)
{
	return (rq->route->flags & (ROUTE_JSON | ROUTE_FORM)) != 0;
}

/* A form with files, which are not read before its token was checked. */
static bool has_files(const struct request *rq)
{
	return rq->route->flags & ROUTE_FILES && multipart_is(rq);
}

static int64_t files_cap(const struct request *rq)
{
	return has_files(rq) ? (int64_t)rq->conf->attach.message_files *
		rq->conf->attach.file_bytes : 0;
}

static int gate_size(struct request *rq, struct err *e)
{
	int64_t length;

	if (!has_body(rq))
		return 0;
	if (req_length(rq, &length, e) < 0)
		return -1;
	if (length > (int64_t)body_cap(rq) + files_cap(rq))
		return err_public(e, ERR_TOO_BIG,
				  "The body may have at most %lld bytes.",
				  (long long)body_cap(rq) +
				  (long long)files_cap(rq));
	return 0;
}

/* What all browsers send for a form without files, with any parameters. */
static bool is_form(struct str type)
{
	struct str name = str_trim(str_cut(&type, ';'));

	return name.n == 33 &&
	       !strncasecmp(name.p, "application/x-www-form-urlencoded", 33);
}

static int gate_media_type(struct request *rq, struct err *e)
{
	struct str type = req_param(rq, "CONTENT_TYPE");

	/* Without a body, its type has no meaning. */
	if (rq->route->flags & ROUTE_JSON && !body_is_json(type) &&
	    !(rq->route->flags & ROUTE_BODILESS))
		return err_set(e, ERR_MEDIA_TYPE, "not JSON");
	if (rq->route->flags & ROUTE_FORM && !is_form(type) && !has_files(rq))
		return err_public(e, ERR_MEDIA_TYPE, "Send a form "
				  "(application/x-www-form-urlencoded).");
	return 0;
}

static int read_form(struct request *rq, struct err *e)
{
	struct str body;

	return req_body(rq, body_cap(rq), &body, e) < 0 ? -1 : form_read(rq, body, e);
}

static int read_json(struct request *rq, struct err *e)
{
	unsigned flags = rq->route->flags;
	unsigned how = (flags & ROUTE_BODILESS ? REQ_JSON_OPTIONAL : 0) |
		(flags & ROUTE_PROGRAM ? REQ_JSON_REPAIRED : 0);

	rq->body = jx_keep(rq->arena, req_body_json(rq, body_cap(rq), how, e));
	return rq->body ? 0 : -1;
}

/* One user's slow bodies must not hold all workers. */
static int read_body(struct request *rq, struct err *e)
{
	struct share_part part = { .of = NULL };
	int rc = quota_take(rq, SHARE_BODIES, &part, e);

	if (!rc)
		rc = rq->route->flags & ROUTE_FORM ? read_form(rq, e)
			: read_json(rq, e);
	share_give(&part);
	return rc;
}

static int gate_parse(struct request *rq, struct err *e)
{
	if (rq->route->query &&
	    req_query_names(rq, rq->route->query, e) < 0)
		return -1;
	if (rq->route->flags & ROUTE_RAW)
		return quota_take(rq, SHARE_BODIES, &rq->arriving, e);
	if (!has_body(rq))
		return 0;
	if (has_files(rq))
		return quota_take(rq, SHARE_BODIES, &rq->arriving, e) < 0 ? -1
			: form_read_parts(rq, body_cap(rq), e);
	return read_body(rq, e);
}

/* The gates between a matched row and its handler, in this order. */
/*
 * What costs least comes first. A body is read when nothing else refuses the request;
 * the token of a form is in its body.
 */
static int (*const gates[])(struct request *rq, struct err *e) = {
	gate_identity, gate_permission, gate_scope, gate_csrf, gate_overload, gate_size,
	gate_media_type, gate_parse, gate_token,
};

/* -- pages elsewhere -------------------------------------------------------- */

/* The origin of the request, if it is one of server.cors_origins; or NULL. */
static const char *cors_origin(const struct request *rq)
{
	const struct conf_list *l = &rq->conf->server.cors;
	struct str origin = req_header(rq, "Origin");

	for (size_t i = 0; i < l->n && rq->mount != MOUNT_PLAIN; i++)
		if (origin.n && str_is(origin, l->v[i]))
			return l->v[i];
	return NULL;
}

/*
 * A page elsewhere may read what a token gives, and that its token is not valid; never
 * what the web server's own sign-in would give.
 */
static void allow_page(const struct request *rq, struct response *rs,
		       const struct err *e)
{
	if (rq->by.who ? rq->by.who->kind == IDENTITY_API_TOKEN
	    : e->code == ERR_UNAUTHENTICATED)
		rs->cors_origin = cors_origin(rq);
	/* What is cached for one page is not the answer for another. */
	if (rq->conf->server.cors.n && !rs->cors_origin)
		resp_header(rs, "Vary", "Origin");
}

/* The question in front of a request with a token (Fetch, CORS preflight). */
static void answer_preflight(struct request *rq, struct response *rs)
{
	struct str asked = req_header(rq, "Access-Control-Request-Headers");

	rs->cors_origin = cors_origin(rq);
	if (!rs->cors_origin || !req_header(rq, "Access-Control-Request-Method").n)
		return;
	resp_header(rs, "Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE");
	if (asked.n && asked.n <= LIM_CORS_HEADERS_BYTES)
		resp_header(rs, "Access-Control-Allow-Headers",
			    arena_str(rq->arena, asked).p);
	resp_header(rs, "Access-Control-Max-Age", "600");
}

static int run_handler(struct request *rq, struct response *rs, unsigned *allow,
		       struct err *e)
{
	rq->route = route_find(rq->mount, rq->method, rq->path, rq->args,
			       allow, e);
	if (!rq->route && *allow && rq->method == METHOD_OPTIONS) {
		err_clear(e);
		resp_empty(rs, 204);
		answer_preflight(rq, rs);
		return 0;
	}
	if (!rq->route)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(gates); i++) {
		int rc = gates[i](rq, e);

		if (gates[i] == gate_identity)
			allow_page(rq, rs, e);
		if (rc < 0)
			return -1;
	}
	return rq->route->handler(rq, rs, e);
}

/* -- the whole request ------------------------------------------------------ */

/* The first segment of its path; for other mounts, the mount. */
static const char *group_of(const struct request *rq, char text[32])
{
	struct str path = str_of(rq->route ? rq->route->pattern : ""), first;

	if (rq->mount == MOUNT_OPENAI)
		return "openai";
	if (rq->mount == MOUNT_PLAIN)
		return "plain";
	(void)str_cut(&path, '/');
	first = str_cut(&path, '/');
	snprintf(text, 32, "%.*s", STR_ARG(first));
	return text;
}

static void count_request(const struct request *rq, const struct response *rs)
{
	const char class[] = { (char)('0' + rs->status / 100), 'x', 'x', '\0' };
	char group[32];

	metric_add(METRIC_REQUESTS, group_of(rq, group), class, 1);
}

/* Errors at their own level; every request at debug, slow ones at info. */
static void log_request(const struct request *rq, const struct response *rs,
			const struct err *e)
{
	bool turn = rq->route && (rq->route->flags & ROUTE_MODEL);
	enum log_level level = turn ? LOG_LVL_INFO : LOG_LVL_DEBUG;
	char status[8], us[24], bytes[24];

	count_request(rq, rs);
	if (e->code)
		log_err("request failed", e);
	if (!log_on(level))
		return;
	snprintf(status, sizeof(status), "%d", rs->status);
	snprintf(us, sizeof(us), "%lld",
		 (long long)(clock_mono_us() - rq->started_us));
	snprintf(bytes, sizeof(bytes), "%zu", rs->sent_bytes);
	log_line(level, "request", "method", method_names[rq->method],
		 "route", rq->route ? rq->route->pattern : "-",
		 "status", status, "us", us, "bytes", bytes,
		 "gone", rs->gone ? "yes" : NULL, (char *)NULL);
}

/* The format of each mount's errors, and who writes it where it is a page. */
static const struct {
	enum resp_errors format;
	void (*page)(void *ctx, struct response *rs, const struct err *e);
} mount_errors[MOUNT__MAX] = {
	[MOUNT_API] = { .format = RESP_ERRORS_PROBLEM },
	[MOUNT_OPENAI] = { .format = RESP_ERRORS_OPENAI },
	[MOUNT_PLAIN] = { .format = RESP_ERRORS_PAGE, .page = plain_error },
};

static void set_errors(struct request *rq, struct response *rs)
{
	rs->errors = mount_errors[rq->mount].format;
	rs->error_page = mount_errors[rq->mount].page;
	rs->error_ctx = rq;
}

void route_refuse(struct request *rq, struct response *rs, const struct err *e)
{
	set_errors(rq, rs);
	resp_error(rs, e);
	resp_finish(rs);
	log_request(rq, rs, e);
}

void route_dispatch(struct request *rq, struct response *rs)
{
	struct err e = { .code = ERR_NONE, .lang = rq->by.lang };
	unsigned allow = 0;

	set_errors(rq, rs);
	/*
	 * A failure after the head is what the stream itself has said (SSE: its error
	 * event).
	 */
	if (run_handler(rq, rs, &allow, &e) < 0 && rs->state == RESP_OPEN)
		resp_error(rs, &e);
	if (allow)
		set_allow(rs, allow);
	hold_unsent(rq, rs, &e);
	resp_finish(rs);
	/*
	 * The answer is out, so the web server's place is free, though work may follow
	 * (rq->after).
	 */
	share_give(&rq->open);
	if (places_hold_process(rq))
		places_leave(rq->app);
	log_request(rq, rs, &e);
}
