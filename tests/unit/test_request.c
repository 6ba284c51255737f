/* SPDX-License-Identifier: MIT */
/* fcgi-app/request: parameters, query, body. */
#include "app.h"
#include "base/limits.h"
#include "body.h"
#include "fake_conn.h"
#include "request.h"
#include "unit.h"

static struct arena arena = ARENA_INIT;
static const struct conf conf = { .server = { .base = "" } };

static int reset(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static int read_env(struct request *rq, struct fake_conn *f,
		    const char *const *env,
		    struct err *e)
{
	*f = fake_conn(env, STR(""));
	return req_read(rq, NULL, &conf, &f->conn, &arena, e);
}

static void last_parameter_wins(void **state)
{
	const char *env[] = { "REMOTE_USER=spoofed", "REQUEST_METHOD=GET", "EMPTY=",
		"REQUEST_URI=/x/api/v1/me?q=1", "HTTP_X_NAME=v", "NOEQUALS",
		"REMOTE_USER=real", NULL };
	struct err e = ERR_INIT;
	struct fake_conn f;
	struct request rq;

	(void)state;
	assert_int_equal(read_env(&rq, &f, env, &e), 0);
	assert_str_is(req_param(&rq, "REMOTE_USER"), "real");
	assert_str_is(req_header(&rq, "X-Name"), "v");
	assert_str_is(req_param(&rq, "EMPTY"), "");
	assert_non_null(req_param(&rq, "EMPTY").p);
	assert_null(req_param(&rq, "REMOTE").p);
	assert_int_equal(rq.method, METHOD_GET);
	assert_str_is(rq.path, "/me");
	assert_int_equal(strlen(rq.id), 36);
}

static void ids(void **state)
{
	static const char *const given[] = { "UNIQUE_ID=aZ9-_@x", "UNIQUE_ID=a b",
		"UNIQUE_ID=", "UNIQUE_ID=0123456789012345678901234567890123456789" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(given); i++) {
		const char *env[] = { "REQUEST_URI=/api/v1/me", given[i], NULL };
		struct err e = ERR_INIT;
		struct fake_conn f;
		struct request rq;

		assert_int_equal(read_env(&rq, &f, env, &e), 0);
		if (i == 0)
			assert_string_equal(rq.id, "aZ9-_@x");
		else
			assert_int_equal(strlen(rq.id), 36);
	}
}

static void methods(void **state)
{
	(void)state;
	for (int m = 0; m < METHOD_OTHER; m++) {
		char line[40] = "REQUEST_METHOD=";
		const char *env[] = { "REQUEST_URI=/api/v1/me", line, NULL };
		struct err e = ERR_INIT;
		struct fake_conn f;
		struct request rq;

		memcpy(line + 15, method_names[m], strlen(method_names[m]) + 1);
		assert_int_equal(read_env(&rq, &f, env, &e), 0);
		assert_int_equal(rq.method, m);
	}
}

static void too_many_parameters(void **state)
{
	const char *env[LIM_PARAMS + 2];
	struct err e = ERR_INIT;
	struct fake_conn f;
	struct request rq;

	(void)state;
	for (size_t i = 0; i <= LIM_PARAMS; i++)
		env[i] = "A=b";
	env[LIM_PARAMS + 1] = NULL;
	assert_int_equal(read_env(&rq, &f, env, &e), -1);
	assert_int_equal(e.code, ERR_TOO_BIG);
	assert_true(rq.id[0]);
}

static void base_from_the_server_or_the_file(void **state)
{
	const char *env[] = { "REQUEST_URI=/a%20b/api/v1/me", "LAMPLIGHTER_BASE=/a b",
		NULL };
	const char *without[] = { "REQUEST_URI=/deep/er/api/v1/me", NULL };
	const struct conf c = { .server = { .base = "/deep/er" } };
	struct err e = ERR_INIT;
	struct fake_conn f;
	struct request rq;

	(void)state;
	assert_int_equal(read_env(&rq, &f, env, &e), 0);
	assert_str_is(rq.path, "/me");
	f = fake_conn(without, STR(""));
	assert_int_equal(req_read(&rq, NULL, &c, &f.conn, &arena, &e), 0);
	assert_str_is(rq.path, "/me");
}

static void queries(void **state)
{
	const char *env[] = { "REQUEST_URI=/api/v1/me?a=1&b=x%20y+z&&a=2&n=-7&e=", NULL };
	struct err e = ERR_INIT;
	struct fake_conn f;
	struct request rq;
	struct str s;
	int64_t n;

	(void)state;
	assert_int_equal(read_env(&rq, &f, env, &e), 0);
	assert_int_equal(req_query(&rq, "a", &s, &e), 0);
	assert_str_is(s, "2");
	assert_int_equal(req_query(&rq, "b", &s, &e), 0);
	assert_str_is(s, "x y z");
	assert_int_equal(req_query(&rq, "e", &s, &e), 0);
	assert_non_null(s.p);
	assert_int_equal(s.n, 0);
	assert_int_equal(req_query(&rq, "none", &s, &e), 0);
	assert_null(s.p);
	assert_int_equal(req_query_int(&rq, "n", 1, &n, &e), 0);
	assert_int_equal(n, -7);
	assert_int_equal(req_query_int(&rq, "none", 30, &n, &e), 0);
	assert_int_equal(n, 30);
	assert_int_equal(req_query_int(&rq, "b", 1, &n, &e), -1);
	assert_int_equal(e.code, ERR_INVALID_FIELD);
	assert_string_equal(e.field, "b");
	err_clear(&e);
	assert_int_equal(req_query_names(&rq, "a b n e", &e), 0);
	assert_int_equal(req_query_names(&rq, "a b n", &e), -1);
	assert_int_equal(e.code, ERR_UNKNOWN_FIELD);
	assert_string_equal(e.field, "e");
}

static void bad_queries(void **state)
{
	static const struct {
		const char *uri;
		enum err_code code;
	} t[] = {
		{ "REQUEST_URI=/api/v1/me?a=%zz", ERR_BAD_REQUEST },
		{ "REQUEST_URI=/api/v1/me?a=%00", ERR_BAD_REQUEST },
		{ "REQUEST_URI=/api/v1/me?a=%ff", ERR_INVALID_UTF8 },
		{ "REQUEST_URI=/api/v1/me?a&a&a&a&a&a&a&a&a&a&a&a&a&a&a&a&a&a&a"
		  "&a&a&a&a&a&a&a&a&a&a&a&a&a&a&a&a", ERR_BAD_REQUEST },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const char *env[] = { t[i].uri, NULL };
		struct err e = ERR_INIT;
		struct fake_conn f;
		struct request rq;
		struct str s;

		assert_int_equal(read_env(&rq, &f, env, &e), 0);
		assert_int_equal(req_query(&rq, "a", &s, &e), -1);
		assert_int_equal(e.code, t[i].code);
	}
}

static void bodies(void **state)
{
	static const struct {
		const char *length, *body;
		bool breaks;
		enum err_code code;
	} t[] = {
		{ NULL, "12345678", false, ERR_NONE },	/* chunked: to the end */
		{ "8", "12345678", false, ERR_NONE },
		{ "8", "12345678rest", false, ERR_NONE },
		{ "0", "", false, ERR_NONE },
		{ "", "", false, ERR_NONE },
		{ "9", "12345678", false, ERR_BAD_REQUEST },
		{ "x", "12345678", false, ERR_BAD_REQUEST },
		{ "-1", "12345678", false, ERR_BAD_REQUEST },
		{ "99999999999999999999", "1", false, ERR_BAD_REQUEST },
		{ "11", "12345678901", false, ERR_TOO_BIG },
		{ NULL, "12345678901", false, ERR_TOO_BIG },
		{ NULL, "1234567890", false, ERR_NONE },
		{ NULL, "12345", true, ERR_BAD_REQUEST },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t) * 2; i++) {
		struct app app = { .share = NULL };
		size_t k = i / 2;
		char line[64] = "CONTENT_LENGTH=";
		const char *env[] = { "REQUEST_URI=/api/v1/me",
			t[k].length ? line : NULL, NULL };
		struct err e = ERR_INIT;
		struct fake_conn f;
		struct request rq;
		struct str s;
		int rc;

		if (t[k].length)
			memcpy(line + 15, t[k].length, strlen(t[k].length) + 1);
		f = fake_conn(env, str_of(t[k].body));
		f.piece = i % 2 ? 1 : 0;
		f.breaks = t[k].breaks;
		assert_int_equal(req_read(&rq, &app, &conf, &f.conn, &arena,
					  &e), 0);
		rc = req_body(&rq, 10, &s, &e);
		assert_int_equal(e.code, t[k].code);
		if (rc == 0)
			assert_memory_equal(s.p, t[k].body, s.n);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(last_parameter_wins, reset),
		cmocka_unit_test_teardown(ids, reset),
		cmocka_unit_test_teardown(methods, reset),
		cmocka_unit_test_teardown(too_many_parameters, reset),
		cmocka_unit_test_teardown(base_from_the_server_or_the_file,
					  reset),
		cmocka_unit_test_teardown(queries, reset),
		cmocka_unit_test_teardown(bad_queries, reset),
		cmocka_unit_test_teardown(bodies, reset),
	};

	return cmocka_run_group_tests_name("request", tests, NULL, NULL);
}
