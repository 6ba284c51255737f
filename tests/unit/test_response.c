/* SPDX-License-Identifier: MIT */
/* fcgi-app/response: head, then body, then nothing; who is gone stays gone. */
#include "fake_conn.h"
#include "response.h"
#include "unit.h"

static struct response rs;

static int setup(void **state)
{
	(void)state;
	resp_init(&rs);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	resp_release(&rs);
	return 0;
}

static struct fake_conn begin(struct fake_conn *f, bool head_only)
{
	*f = fake_conn(NULL, STR("unread"));
	resp_begin(&rs, &f->conn, "req-1", head_only);
	return *f;
}

static void whole_answer(void **state)
{
	struct fake_conn f;
	struct jw w;

	(void)state;
	begin(&f, false);
	w = resp_json(&rs, 201);
	jw_obj(&w);
	jw_kint(&w, "a", 1);
	jw_end_obj(&w);
	resp_header(&rs, "Location", "x\r\nSet-Cookie: y");
	assert_int_equal(f.out.n, 0);
	resp_finish(&rs);
	assert_string_equal(f.out.p,
		"Status: 201 Created\r\n"
		"Content-Type: application/json\r\n"
		"Content-Length: 7\r\n"
		"Cache-Control: no-store\r\n"
		"X-Content-Type-Options: nosniff\r\n"
		"X-Request-Id: req-1\r\n"
		"Location: xSet-Cookie: y\r\n"
		"\r\n"
		"{\"a\":1}");
	/* The body was read to its end before the first byte went out. */
	assert_int_equal(f.drained, 6);
	assert_false(f.wrote_before_drain);
	assert_int_equal(rs.state, RESP_SENT);
	resp_finish(&rs);	/* nothing more */
	assert_non_null(strstr(f.out.p, "{\"a\":1}"));
	buf_release(&f.out);
}

static void head_has_no_body(void **state)
{
	struct fake_conn f;
	struct jw w;

	(void)state;
	begin(&f, true);
	w = resp_json(&rs, 200);
	jw_str(&w, STR("abc"));
	resp_finish(&rs);
	assert_non_null(strstr(f.out.p, "Content-Length: 5\r\n"));
	assert_string_equal(f.out.p + f.out.n - 4, "\r\n\r\n");
	buf_release(&f.out);
}

static void no_content(void **state)
{
	struct fake_conn f;

	(void)state;
	begin(&f, false);
	resp_empty(&rs, 204);
	resp_finish(&rs);
	assert_non_null(strstr(f.out.p, "Status: 204 No Content\r\n"));
	assert_null(strstr(f.out.p, "Content-Type:"));
	assert_null(strstr(f.out.p, "Content-Length:"));
	buf_release(&f.out);
}

/* Every row of err.def becomes a whole problem document. */
static void every_error(void **state)
{
	(void)state;
	for (int code = 1; code < ERR__MAX; code++) {
		struct err e = ERR_INIT;
		struct fake_conn f;
		const char *body;
		json_t *j;

		begin(&f, false);
		err_set(&e, (enum err_code)code, "hidden /path SELECT 1");
		resp_error(&rs, &e);
		resp_finish(&rs);
		body = strstr(f.out.p, "\r\n\r\n") + 4;
		j = json_loads(body, 0, NULL);
		assert_non_null(j);
		assert_int_equal(jx_int(j, "status", 0),
				 err_rows[code].http_status);
		assert_str_is(jx_str(j, "code"), err_rows[code].code);
		assert_str_is(jx_str(j, "requestId"), "req-1");
		assert_true(json_is_boolean(json_object_get(j, "retryable")));
		assert_int_equal(jx_bool(j, "retryable", false),
				 err_rows[code].retryable);
		assert_true(jx_str(j, "title").n && jx_str(j, "detail").n);
		assert_null(strstr(body, "hidden"));
		assert_non_null(strstr(f.out.p, "problem+json"));
		if (err_rows[code].http_status == 503 &&
		    err_rows[code].retryable)
			assert_non_null(strstr(f.out.p, "Retry-After: "));
		json_decref(j);
		buf_release(&f.out);
	}
}

static void error_replaces_what_was_there(void **state)
{
	struct err e = ERR_INIT;
	struct fake_conn f;
	struct jw w;

	(void)state;
	begin(&f, false);
	w = resp_json(&rs, 200);
	jw_str(&w, STR("half an answer"));
	resp_header(&rs, "Location", "nowhere");
	err_field(&e, ERR_INVALID_FIELD, "title", "Wrong.");
	resp_error(&rs, &e);
	resp_finish(&rs);
	assert_null(strstr(f.out.p, "half"));
	assert_null(strstr(f.out.p, "Location"));
	assert_non_null(strstr(f.out.p, "\"field\":\"title\""));
	buf_release(&f.out);
}

static void stream(void **state)
{
	struct fake_conn f;
	size_t head;

	(void)state;
	begin(&f, false);
	resp_open_stream(&rs, "text/event-stream", STR(": ok\n\n"));
	assert_int_equal(f.flushes, 0);	/* goes with what comes first */
	resp_flush(&rs);
	assert_int_equal(f.flushes, 1);
	assert_non_null(strstr(f.out.p, "Content-Type: text/event-stream\r\n"));
	assert_non_null(strstr(f.out.p,
			       "Cache-Control: no-cache, no-transform\r\n"));
	assert_non_null(strstr(f.out.p, "X-Accel-Buffering: no\r\n"));
	assert_null(strstr(f.out.p, "Content-Length"));
	assert_int_equal(f.drained, 6);
	head = f.out.n;
	buf_adds(resp_stream(&rs), "one");
	buf_adds(resp_stream(&rs), "two");
	assert_int_equal(f.out.n, head);
	resp_flush(&rs);
	assert_string_equal(f.out.p + head, "onetwo");
	assert_int_equal(f.flushes, 2);
	resp_flush(&rs);
	assert_int_equal(f.flushes, 2);
	buf_adds(resp_stream(&rs), "end");
	f.full = true;
	assert_false(resp_try_flush(&rs));
	assert_string_equal(f.out.p + head, "onetwo");
	f.full = false;
	assert_true(resp_try_flush(&rs));
	f.full = true;
	assert_true(resp_try_flush(&rs));	/* nothing to send always fits */
	assert_int_equal(f.flushes, 3);
	resp_finish(&rs);
	assert_string_equal(f.out.p + head, "onetwoend");
	buf_release(&f.out);
}

/* libfcgi reports a lost peer once; we never write again. */
/* A web server may read a file ahead: a slow client then holds no worker. */
static void a_file_may_be_buffered(void **state)
{
	struct fake_conn f;

	(void)state;
	begin(&f, false);
	resp_open_file(&rs, 206, "image/png", 3);
	buf_adds(resp_stream(&rs), "abc");
	resp_finish(&rs);
	assert_non_null(strstr(f.out.p, "Status: 206"));
	assert_non_null(strstr(f.out.p, "Content-Length: 3\r\n"));
	assert_null(strstr(f.out.p, "X-Accel-Buffering"));
	assert_non_null(strstr(f.out.p, "\r\n\r\nabc"));
	buf_release(&f.out);
}

/* Nothing follows a part that is lost: the client sees that it has not got all. */
static void what_does_not_fit_ends_the_stream(void **state)
{
	struct fake_conn f;

	(void)state;
	begin(&f, false);
	resp_open_stream(&rs, "application/json", STR(""));
	buf_adds(resp_stream(&rs), "one");
	resp_flush(&rs);
	rs.body.cap = 16;
	buf_adds(resp_stream(&rs), "longer than there is room for");
	resp_flush(&rs);
	assert_true(rs.gone);
	buf_adds(resp_stream(&rs), "three");
	resp_finish(&rs);
	assert_non_null(strstr(f.out.p, "\r\n\r\none"));
	assert_null(strstr(f.out.p, "three"));
	buf_release(&f.out);
	buf_release(&rs.body);
	rs.body.cap = RESP_BODY_BYTES;
}

static void gone_is_latched(void **state)
{
	struct fake_conn f;
	size_t n;

	(void)state;
	begin(&f, false);
	resp_open_stream(&rs, "text/event-stream", STR(": ok\n\n"));
	n = f.out.n;
	f.writes_left = 0;
	buf_adds(resp_stream(&rs), "lost");
	resp_flush(&rs);
	assert_true(rs.gone);
	f.writes_left = -1;
	buf_adds(resp_stream(&rs), "lost too");
	resp_flush(&rs);
	resp_finish(&rs);
	assert_int_equal(f.out.n, n);
	assert_int_equal(rs.body.n, 0);
	buf_release(&f.out);
	/* The next request starts anew. */
	begin(&f, false);
	assert_false(rs.gone);
	buf_release(&f.out);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_answer),
		cmocka_unit_test(head_has_no_body),
		cmocka_unit_test(no_content),
		cmocka_unit_test(every_error),
		cmocka_unit_test(error_replaces_what_was_there),
		cmocka_unit_test(stream),
		cmocka_unit_test(a_file_may_be_buffered),
		cmocka_unit_test(what_does_not_fit_ends_the_stream),
		cmocka_unit_test(gone_is_latched),
	};

	return cmocka_run_group_tests_name("response", tests, setup, teardown);
}
