/* SPDX-License-Identifier: MIT */
/* fcgi-app/route: the table of resources, and the gates in their order. */
#include <stdio.h>

#include "app.h"
#include "auth/policy.h"
#include "base/log.h"
#include "fake_conn.h"
#include "route.h"
#include "unit.h"

#define UUID_A "0192f000-0000-7000-8000-000000000001"

/* A deployment that lets everybody in, or nobody. */
static const char *everything[] = { "*" }, *nothing[] = { "Nothing.*" },
	*everyone[] = { "*" };
static const struct conf_identity anonymous = {
	.kind = IDENTITY_ANONYMOUS, .user = "guest", .name = "Guest",
	.hosts = { everyone, 1 },
};
static const struct conf_role may_all = {
	.id = "all", .groups = { everyone, 1 }, .permissions = { everything, 1 },
}, may_nothing = {
	.id = "none", .groups = { everyone, 1 }, .permissions = { nothing, 1 },
};

static struct conf make_conf(bool open, const struct conf_role *role)
{
	return (struct conf){
		.tenant = "default", .chain = &anonymous, .n_chain = open,
		.roles = role, .n_roles = 1,
		.server = { .base = "", .origin = "" },
		.threads = { .max = 8, .max_turns = 4 },
		.limits = { .body_bytes = 100, .message_chars = 50 },
		.chat_llm_service = "", .chat_system_prompt = "",
	};
}

/* The row's whole path below the base, with an id for every argument. */
static void sample_path(const struct route *r, char *out)
{
	const char *pattern = r->pattern;

	out = stpcpy(out, mount_roots[r->mount]);
	for (; *pattern; pattern++) {
		if (*pattern != '{') {
			*out++ = *pattern;
			continue;
		}
		const char *type = strchr(pattern, ':') + 1;
		const char *value = strncmp(type, "uuid", 4) == 0 ? UUID_A
			: "lab";

		memcpy(out, value, strlen(value));
		out += strlen(value);
		pattern = strchr(pattern, '}');
	}
	*out = '\0';
}

struct answer {
	int status;
	char head[4096];
	char page[4096];	/* the body as it went out, or its begin */
	json_t *body;
};

/* Sends one request through the gates; the answer is what went out. */
static struct answer dispatch(const struct conf *conf, struct app *app,
			      const char *const *headers, const char *method,
			      const char *path, struct str body)
{
	char uri[512], meth[64];
	const char *env[16] = { uri, meth };
	struct arena arena = ARENA_INIT;
	struct conf own = *conf;	/* its catalog is made in its arena */
	struct answer a = { .status = 0 };
	struct err e = ERR_INIT;
	struct fake_conn f;
	struct response rs;
	struct request rq;
	const char *end;
	size_t n = 2;

	snprintf(uri, sizeof(uri), "REQUEST_URI=/chat%s", path);
	snprintf(meth, sizeof(meth), "REQUEST_METHOD=%s", method);
	while (headers && *headers)
		env[n++] = *headers++;
	env[n] = NULL;
	f = fake_conn(env, body);
	resp_init(&rs);
	if (req_read(&rq, app, &own, &f.conn, &arena, &e) < 0) {
		resp_begin(&rs, &f.conn, rq.id, false);
		route_refuse(&rq, &rs, &e);
	} else {
		resp_begin(&rs, &f.conn, rq.id, rq.method == METHOD_HEAD);
		route_dispatch(&rq, &rs);
	}
	route_release(&rq);
	a.status = rs.status;
	end = strstr(f.out.p, "\r\n\r\n");
	assert_non_null(end);
	snprintf(a.head, sizeof(a.head), "%.*s", (int)(end - f.out.p), f.out.p);
	snprintf(a.page, sizeof(a.page), "%s", end + 4);
	a.body = json_loads(end + 4, JSON_DECODE_ANY, NULL);
	resp_release(&rs);
	buf_release(&f.out);
	arena_release(&arena);
	arena_release(&own.arena);
	return a;
}

/* The error in the form of the mount that answered. */
static void assert_error(const struct answer *a, enum mount mount,
			 enum err_code code)
{
	bool field = code == ERR_INVALID_FIELD || code == ERR_UNKNOWN_FIELD;
	const json_t *e = a->body;

	assert_int_equal(a->status, mount == MOUNT_OPENAI && field ? 400
			 : err_rows[code].http_status);
	if (mount == MOUNT_PLAIN) {
		assert_non_null(strstr(a->head, "Content-Type: text/html"));
		assert_non_null(strstr(a->head, "default-src 'none'"));
		assert_non_null(strstr(a->page, "<p class=\"error\">"));
		return;
	}
	assert_non_null(a->body);
	if (mount == MOUNT_OPENAI) {
		e = jx_obj(a->body, "error");
		assert_true(jx_str(e, "message").n && jx_str(e, "type").n);
		assert_non_null(json_object_get(e, "param"));
		assert_int_equal(strstr(a->head, "X-Should-Retry: false") != NULL,
				 !err_rows[code].retryable &&
				 !strstr(a->head, "Retry-After"));
	} else {
		assert_non_null(strstr(a->head, "application/problem+json"));
	}
	assert_str_is(jx_str(e, "code"), err_rows[code].code);
	json_decref(a->body);
}

static void assert_problem(const struct answer *a, enum err_code code)
{
	assert_error(a, MOUNT_API, code);
}

static void rows_are_sane(void **state)
{
	(void)state;
	for (size_t i = 0; i < route_count; i++) {
		const struct route *r = &routes[i];
		bool writes = r->method == METHOD_POST ||
			r->method == METHOD_PATCH || r->method == METHOD_PUT ||
			r->method == METHOD_DELETE;

		assert_non_null(r->handler);
		/* Pages have an address without a slash at its end too. */
		assert_true(r->summary[0] && (r->pattern[0] == '/' ||
			    (r->mount == MOUNT_PLAIN && !r->pattern[0])));
		assert_in_range(r->permission + 1, 0, PERM__MAX);
		/* What changes something must come from our own site. */
		if (writes && (r->flags & ROUTE_AUTH))
			assert_true(r->flags & ROUTE_CSRF);
		if (r->flags & ROUTE_FORM)
			assert_true(writes && r->mount == MOUNT_PLAIN &&
				    !(r->flags & ROUTE_JSON));
		if (r->flags & (ROUTE_BODILESS | ROUTE_PROGRAM))
			assert_true(r->flags & ROUTE_JSON);
		if (r->flags & ROUTE_JSON)
			assert_true(writes && r->method != METHOD_DELETE);
		if (r->flags & ROUTE_STREAM)
			assert_true(r->flags & ROUTE_MODEL);
		/* Nobody gets a permission without being somebody. */
		if (r->permission != PERM_NONE)
			assert_true(r->flags & ROUTE_AUTH);
		for (size_t j = 0; j < i; j++)
			assert_false(routes[j].mount == r->mount &&
				     routes[j].method == r->method &&
				     !strcmp(routes[j].pattern, r->pattern));
	}
}

static void every_row_is_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < route_count; i++) {
		struct path_arg args[REQ_PATH_ARGS];
		struct err e = ERR_INIT;
		unsigned allow = 0;
		char path[300];

		enum mount m = routes[i].mount;
		struct str p;

		sample_path(&routes[i], path);
		p = str_of(path + strlen(mount_roots[m]));
		assert_ptr_equal(route_find(m, routes[i].method, p, args,
					    &allow, &e), &routes[i]);
		if (routes[i].method == METHOD_GET)
			assert_ptr_equal(route_find(m, METHOD_HEAD, p, args,
						    &allow, &e), &routes[i]);
		assert_null(route_find(m, METHOD_OTHER, p, args, &allow, &e));
		assert_int_equal(e.code, ERR_METHOD);
		assert_true(allow & 1u << routes[i].method);
	}
}

static void arguments_are_typed(void **state)
{
	static const char *const wrong[] = {
		"", "/", "me", "/me/", "/ME", "/conversations/x",
		"/conversations/" UUID_A "0", "/conversations/" UUID_A "/",
		"/workspaces/UPPER", "/workspaces/a.b", "/workspaces/-x",
		"/turns/", "/chat/lab", "/conversations//messages",
	};
	struct path_arg args[REQ_PATH_ARGS];
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		unsigned allow = 0;

		err_clear(&e);
		assert_null(route_find(MOUNT_API, METHOD_GET,
				       str_of(wrong[i]), args, &allow, &e));
		assert_int_equal(e.code, ERR_NOT_FOUND);
		assert_int_equal(allow, 0);
	}
	err_clear(&e);
	assert_non_null(route_find(MOUNT_API, METHOD_GET,
		STR("/workspaces/w1/agents/a-2/"
		"conversations/" UUID_A "/messages"), args, NULL, &e));
	assert_str_is(args[0].name, "workspace");
	assert_str_is(args[0].text, "w1");
	assert_str_is(args[1].text, "a-2");
	assert_str_is(args[2].name, "conversation");
	assert_int_equal(args[2].id.b[15], 1);
	assert_int_equal(args[3].name.n, 0);
}

/* Nobody signed in: 401, whatever else is wrong with the request. */
static void auth_rows_refuse_anonymous_use(void **state)
{
	const struct conf conf = make_conf(false, &may_all);

	(void)state;
	for (size_t i = 0; i < route_count; i++) {
		struct app app = { .db = NULL };
		struct answer a;
		char path[300];

		if (!(routes[i].flags & ROUTE_AUTH))
			continue;
		sample_path(&routes[i], path);
		a = dispatch(&conf, &app, NULL, method_names[routes[i].method],
			     path, STR("{"));
		assert_non_null(strstr(a.head, "WWW-Authenticate"));
		assert_error(&a, routes[i].mount, ERR_UNAUTHENTICATED);
		assert_int_equal(atomic_load(&app.n_models), 0);
	}
}

static void permission_rows_refuse_without_it(void **state)
{
	const struct conf conf = make_conf(true, &may_nothing);

	(void)state;
	for (size_t i = 0; i < route_count; i++) {
		struct app app = { .db = NULL };
		struct answer a;
		char path[300];

		if (routes[i].permission == PERM_NONE)
			continue;
		sample_path(&routes[i], path);
		a = dispatch(&conf, &app, NULL, method_names[routes[i].method],
			     path, STR("{"));
		assert_error(&a, routes[i].mount, ERR_FORBIDDEN);
	}
}

static void csrf_rows_refuse_foreign_sites(void **state)
{
	static const char *const headers[] = {
		"HTTP_SEC_FETCH_SITE=cross-site", NULL };
	const struct conf conf = make_conf(true, &may_all);

	(void)state;
	for (size_t i = 0; i < route_count; i++) {
		struct app app = { .db = NULL };
		struct answer a;
		char path[300];

		if (!(routes[i].flags & ROUTE_CSRF))
			continue;
		sample_path(&routes[i], path);
		a = dispatch(&conf, &app, headers,
			     method_names[routes[i].method], path, STR("{"));
		assert_error(&a, routes[i].mount, ERR_CSRF);
	}
}

/* Where nothing tells where a form comes from, its token must. */
static void form_rows_need_a_token(void **state)
{
	static const struct {
		const char *type, *body;
		enum err_code code;
		enum err_code files;	/* of rows that may have them, if it differs */
	} t[] = {
		{ "CONTENT_TYPE=application/json", "{}", ERR_MEDIA_TYPE, 0 },
		{ "CONTENT_TYPE=multipart/form-data; boundary=x", "",
		  ERR_MEDIA_TYPE, ERR_BAD_REQUEST },
		{ "CONTENT_TYPE=multipart/form-data; boundary=x",
		  "--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nb"
		  "\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; "
		  "filename=\"a\"\r\n\r\nc\r\n--x--", ERR_MEDIA_TYPE, ERR_CSRF },
		{ "CONTENT_TYPE=application/x-www-form-urlencoded", "a=b",
		  ERR_CSRF, 0 },
		{ "CONTENT_TYPE=Application/X-WWW-Form-UrlEncoded; charset=x",
		  "token=", ERR_CSRF, 0 },
		{ "CONTENT_TYPE=application/x-www-form-urlencoded",
		  "token=AAAA%41", ERR_CSRF, 0 },
		{ "CONTENT_TYPE=application/x-www-form-urlencoded", "a=%zz",
		  ERR_BAD_REQUEST, 0 },
		{ "CONTENT_TYPE=application/x-www-form-urlencoded", "a=%ff",
		  ERR_INVALID_UTF8, 0 },
	};
	const struct conf conf = make_conf(true, &may_all);

	(void)state;
	for (size_t i = 0; i < route_count; i++) {
		if (!(routes[i].flags & ROUTE_FORM))
			continue;
		for (size_t k = 0; k < ARRAY_LEN(t); k++) {
			const char *headers[] = { t[k].type, NULL };
			struct app app = { .db = NULL };
			struct answer a;
			char path[300];

			sample_path(&routes[i], path);
			a = dispatch(&conf, &app, headers,
				     method_names[routes[i].method], path,
				     str_of(t[k].body));
			assert_error(&a, routes[i].mount,
				     routes[i].flags & ROUTE_FILES && t[k].files
				     ? t[k].files : t[k].code);
			assert_int_equal(atomic_load(&app.n_models), 0);
		}
	}
}

static void json_rows_check_the_body(void **state)
{
	static const char *const ours = "HTTP_SEC_FETCH_SITE=same-origin";
	static const struct {
		const char *type, *length, *body;
		enum err_code code;
	} t[] = {
		{ NULL, NULL, "{}", ERR_MEDIA_TYPE },
		{ "CONTENT_TYPE=text/plain", NULL, "{}", ERR_MEDIA_TYPE },
		{ "CONTENT_TYPE=application/jsonx", NULL, "{}", ERR_MEDIA_TYPE },
		{ "CONTENT_TYPE=application/json; charset=latin1", NULL, "{}",
		  ERR_MEDIA_TYPE },
		{ "CONTENT_TYPE=application/json", NULL, "{", ERR_INVALID_JSON },
		{ "CONTENT_TYPE=Application/JSON;charset=\"UTF-8\"", NULL, "",
		  ERR_INVALID_JSON },
		{ "CONTENT_TYPE=application/json", NULL, "\"\xff\"",
		  ERR_INVALID_UTF8 },
		{ "CONTENT_TYPE=text/plain", "CONTENT_LENGTH=101", "",
		  ERR_TOO_BIG },
		{ "CONTENT_TYPE=application/json", "CONTENT_LENGTH=x", "",
		  ERR_BAD_REQUEST },
		{ "CONTENT_TYPE=application/json", NULL, "{\"nope\":1}",
		  ERR_UNKNOWN_FIELD },
		{ "CONTENT_TYPE=application/json", NULL, "[1]",
		  ERR_INVALID_JSON },
	};
	const struct conf conf = make_conf(true, &may_all);

	(void)state;
	for (size_t i = 0; i < route_count; i++) {
		if (!(routes[i].flags & ROUTE_JSON) ||
		    strstr(routes[i].pattern, "{workspace"))
			continue;
		for (size_t k = 0; k < ARRAY_LEN(t); k++) {
			const char *headers[4] = { ours };
			struct app app = { .db = NULL };
			struct answer a;
			char path[300], too_big[40];
			size_t n = 1;

			/* Nothing is a body of these: the API's tests. */
			if (routes[i].flags & ROUTE_BODILESS && !*t[k].body &&
			    !t[k].length)
				continue;
			if (t[k].type)
				headers[n++] = t[k].type;
			snprintf(too_big, sizeof(too_big), "CONTENT_LENGTH=%zu",
				 routes[i].body_cap_bytes + 1);
			if (t[k].code == ERR_TOO_BIG && routes[i].body_cap_bytes)
				headers[n++] = too_big;
			else if (t[k].length)
				headers[n++] = t[k].length;
			sample_path(&routes[i], path);
			a = dispatch(&conf, &app, headers,
				     method_names[routes[i].method], path,
				     str_of(t[k].body));
			/* Lenient about members, but it has required ones. */
			assert_error(&a, routes[i].mount,
				     routes[i].mount == MOUNT_OPENAI &&
				     t[k].code == ERR_UNKNOWN_FIELD
				     ? ERR_INVALID_FIELD : t[k].code);
			assert_int_equal(atomic_load(&app.n_models), 0);
		}
	}
}

static void model_rows_are_counted(void **state)
{
	static const char *const headers[] = {
		"HTTP_SEC_FETCH_SITE=same-origin",
		"CONTENT_TYPE=application/json", NULL };
	static const char *const form_headers[] = {
		"HTTP_SEC_FETCH_SITE=same-origin",
		"CONTENT_TYPE=application/x-www-form-urlencoded", NULL };
	const struct conf conf = make_conf(true, &may_all);

	(void)state;
	for (size_t i = 0; i < route_count; i++) {
		const char *const *sent = routes[i].flags & ROUTE_FORM
			? form_headers : headers;
		const char *method = method_names[routes[i].method];
		struct app app = { .n_models = 4 };
		struct answer a;
		char path[320];

		if (!(routes[i].flags & ROUTE_MODEL))
			continue;
		sample_path(&routes[i], path);
		/* Without a body it is the query that is refused. */
		if (!(routes[i].flags & ROUTE_JSON))
			snprintf(path + strlen(path), sizeof(path) - strlen(path),
				 "?nonsense=1");
		a = dispatch(&conf, &app, sent, method, path, STR("{\"nonsense\":1}"));
		assert_non_null(strstr(a.head, "Retry-After: "));
		assert_error(&a, routes[i].mount, ERR_OVERLOADED);
		assert_int_equal(atomic_load(&app.n_models), 4);
		/* One less, and it gets through to its handler. */
		atomic_store(&app.n_models, 3);
		a = dispatch(&conf, &app, sent, method, path, STR("{\"nonsense\":1}"));
		assert_true(a.status == 422 || a.status == 404 ||
			    a.status == 400);
		json_decref(a.body);
		assert_int_equal(atomic_load(&app.n_models), 3);
	}
}

static void methods_and_targets(void **state)
{
	const struct conf conf = make_conf(true, &may_all);
	struct app app = { .db = NULL };
	struct answer a;

	(void)state;
	a = dispatch(&conf, &app, NULL, "PUT", "/api/v1/me", STR(""));
	assert_non_null(strstr(a.head, "Allow: GET, HEAD, OPTIONS"));
	assert_problem(&a, ERR_METHOD);
	a = dispatch(&conf, &app, NULL, "OPTIONS", "/api/v1/conversations", STR(""));
	assert_int_equal(a.status, 204);
	assert_non_null(strstr(a.head, "Allow: GET, HEAD, POST, OPTIONS"));
	assert_null(a.body);
	a = dispatch(&conf, &app, NULL, "HEAD", "/api/v1/health", STR(""));
	assert_int_equal(a.status, 200);
	assert_null(a.body);
	a = dispatch(&conf, &app, NULL, "GET", "/api/v1/../me", STR(""));
	assert_problem(&a, ERR_NOT_FOUND);
	a = dispatch(&conf, &app, NULL, "GET", "/api/v1/me?x=1", STR(""));
	assert_problem(&a, ERR_UNKNOWN_FIELD);
	a = dispatch(&conf, &app, NULL, "GET", "/api/v1/health", STR(""));
	assert_int_equal(a.status, 200);
	assert_str_is(jx_str(a.body, "status"), "ok");
	json_decref(a.body);
}

/* A root is another mount's: same paths, other rows, other errors. */
static void mounts_are_apart(void **state)
{
	const struct conf conf = make_conf(true, &may_all);
	struct app app = { .db = NULL };
	struct answer a;

	(void)state;
	a = dispatch(&conf, &app, NULL, "GET", "/openai/v1/me", STR(""));
	assert_error(&a, MOUNT_OPENAI, ERR_NOT_FOUND);
	a = dispatch(&conf, &app, NULL, "GET", "/api/v1/models", STR(""));
	assert_error(&a, MOUNT_API, ERR_NOT_FOUND);
	a = dispatch(&conf, &app, NULL, "DELETE", "/openai/v1/models", STR(""));
	assert_non_null(strstr(a.head, "Allow: GET, HEAD, OPTIONS"));
	assert_error(&a, MOUNT_OPENAI, ERR_METHOD);
	a = dispatch(&conf, &app, NULL, "GET", "/openai/v1/models", STR(""));
	assert_int_equal(a.status, 200);
	assert_str_is(jx_str(a.body, "object"), "list");
	json_decref(a.body);
}

static void listing_names_all(void **state)
{
	struct buf b = BUF_INIT(100000);
	size_t lines = 0;

	(void)state;
	route_print(&b);
	for (size_t i = 0; i < b.n; i++)
		lines += b.p[i] == '\n';
	assert_int_equal(lines, route_count);
	assert_non_null(strstr(b.p, "GET    /turns/{turn} auth "));
	assert_null(strstr(b.p, ":uuid"));
	buf_release(&b);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_sane),
		cmocka_unit_test(every_row_is_found),
		cmocka_unit_test(arguments_are_typed),
		cmocka_unit_test(auth_rows_refuse_anonymous_use),
		cmocka_unit_test(permission_rows_refuse_without_it),
		cmocka_unit_test(csrf_rows_refuse_foreign_sites),
		cmocka_unit_test(form_rows_need_a_token),
		cmocka_unit_test(json_rows_check_the_body),
		cmocka_unit_test(model_rows_are_counted),
		cmocka_unit_test(methods_and_targets),
		cmocka_unit_test(mounts_are_apart),
		cmocka_unit_test(listing_names_all),
	};

	log_setup(LOG_LVL_ERROR, LOG_TO_STDERR);
	return cmocka_run_group_tests_name("route", tests, NULL, NULL);
}
