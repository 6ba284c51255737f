/* SPDX-License-Identifier: MIT */
/* Tools of kind http against a service inside the test. */
#include <arpa/inet.h>

#include "kind_lab.h"
#include "peer.h"

#include "base/clock.h"
#include "base/utf8.h"

static struct peer *peer;

/* -- the service ------------------------------------------------------------ */

static int serve_pages(struct peer *p, int fd, const char *req)
{
	char link[200];

	if (strstr(req, "GET /pages?page=1 ") || strstr(req, "GET /cursor HTTP") ||
	    strstr(req, "GET /cursor?page=1 "))
		return peer_reply(fd, "200 OK", "Content-Type: application/json"
				  "\r\n", "{\"d\":[1,2],\"n\":\"c 2\"}");
	if (strstr(req, "GET /pages?page=2 ") ||
	    strstr(req, "GET /cursor?page=c%202 "))
		return peer_reply(fd, "200 OK", "Content-Type: application/json"
				  "\r\n", "{\"d\":[3],\"n\":null}");
	if (strstr(req, "GET /pages?"))
		return peer_reply(fd, "200 OK", "Content-Type: application/json"
				  "\r\n", "{\"d\":[]}");
	if (strstr(req, "GET /url HTTP"))
		return peer_reply(fd, "200 OK", "Content-Type: application/json"
				  "\r\n", "{\"d\":[1],\"n\":\"/url/2?x=1\"}");
	if (strstr(req, "GET /url/2?x=1 "))
		return peer_reply(fd, "200 OK", "Content-Type: application/json"
				  "\r\n", "{\"d\":[2],\"n\":"
				  "\"http://other.example/url/3\"}");
	snprintf(link, sizeof(link), "Content-Type: application/json\r\nLink: "
		 "<http://127.0.0.1:%d/first>; rel=\"prev\", "
		 "<http://127.0.0.1:%d/link/2>; rel=\"next\"\r\n", p->port,
		 p->port);
	if (strstr(req, "GET /link HTTP"))
		return peer_reply(fd, "200 OK", link, "[\"a\"]");
	return peer_reply(fd, "200 OK", "Content-Type: application/json\r\n",
			  "[\"b\"]");
}

static int serve(struct peer *p, int fd, int n)
{
	static const struct {
		const char *path, *status, *headers, *body;
	} fixed[] = {
		{ "/html", "200 OK", "Content-Type: text/html; charset="
		  "iso-8859-1\r\n", "<title>T\xe4st</title><script>x()</script>"
		  "<h1>Head</h1><p>One <b>two</b>\n three<ul><li>a<li>b</ul>"
		  "<table><tr><td>1<td>2</table>" },
		{ "/latin1", "200 OK", "Content-Type: text/plain; charset="
		  "ISO-8859-1\r\n", "M\xfcller" },
		{ "/png", "200 OK", "Content-Type: image/png\r\n", "\x89PNG" },
		{ "/bad", "200 OK", "Content-Type: application/json\r\n", "{" },
		{ "/empty", "204 No Content", "", "" },
		{ "/metadata", "302 Found", "Location: "
		  "http://169.254.169.254/latest/meta-data/\r\n", "" },
		{ "/422", "422 Unprocessable", "Content-Type: application/json"
		  "\r\n", "{\"detail\":\"the date is a Sunday\"}" },
		{ "/text", "200 OK", "Content-Type: text/plain\r\n", "fine" },
	};
	const char *req = peer_last(p), *path = strchr(req, ' ') + 1;

	if (strncmp(path, "/503", 4) == 0 && n == 1)
		return peer_reply(fd, "503 Busy", "", "");
	if (strncmp(path, "/big", 4) == 0) {
		static char big[5000];

		memset(big, 'x', sizeof(big) - 1);
		return peer_reply(fd, "200 OK", "Content-Type: text/plain\r\n",
				  big);
	}
	if (strncmp(path, "/stall", 6) == 0)
		return peer_stall(fd);
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		if (strncmp(path, fixed[i].path, strlen(fixed[i].path)) == 0)
			return peer_reply(fd, fixed[i].status, fixed[i].headers,
					  fixed[i].body);
	if (strstr("/pages /cursor /url /link /first", path) ||
	    strncmp(path, "/pages", 6) == 0 || strncmp(path, "/cursor", 7) == 0 ||
	    strncmp(path, "/url", 4) == 0 || strncmp(path, "/link", 5) == 0)
		return serve_pages(p, fd, req);
	/* everything else: what was asked, as text */
	return peer_reply(fd, "200 OK", "Content-Type: text/plain\r\n", req);
}

/* -- calls ------------------------------------------------------------------ */

#define ALLOWED "      allow_private: [127.0.0.0/8]\n"

/* A tool t with these parameters and this http: map (without its url). */
static void declare(const char *properties, const char *required,
		    const char *path, const char *http)
{
	struct buf yaml = BUF_INIT(65536);

	buf_addf(&yaml, "tools:\n  t:\n    kind: http\n    description: A.\n"
		 "    timeout_ms: 8000\n    parameters:\n      type: object\n"
		 "      properties: %s\n      required: %s\n    http:\n"
		 "      url: \"http://127.0.0.1:%d%s\"\n%s", properties,
		 required, peer->port, path, http);
	kind_lab_conf(yaml.p, "name: W\n");
	buf_release(&yaml);
	atomic_store(&peer->n_reqs, 0);
}

static struct tool_result call(const char *args, struct arena *a)
{
	return kind_lab_call("staff", "t", args, a);
}

static const char any[] = "{a: {}, b: {}}";

static void values_stay_in_their_place(void **state)
{
	static const struct {
		const char *args, *line;
	} cases[] = {
		{ "{\"a\":\"x\",\"b\":1}", "GET /api/x/end?b=1 HTTP/1.1\r\n" },
		{ "{\"a\":\"a b?c#d%2e&\u00e9:@;=\",\"b\":\"1&admin=1#\\r\\nX: y"
		  "\"}", "GET /api/a%20b%3Fc%23d%252e%26%C3%A9%3A%40%3B%3D/end"
		  "?b=1%26admin%3D1%23%0D%0AX%3A%20y HTTP/1.1\r\n" },
		{ "{\"a\":-5,\"b\":[1,\"two\",true]}",
		  "GET /api/-5/end?b=1&b=two&b=true HTTP/1.1\r\n" },
		{ "{\"a\":true,\"b\":{\"x\":[1]}}",
		  "GET /api/true/end?b=%7B%22x%22%3A%5B1%5D%7D HTTP/1.1\r\n" },
		{ "{\"a\":\"...\",\"b\":null}", "GET /api/.../end HTTP/1.1\r\n" },
		{ "{\"a\":\"{b}\",\"b\":\"{a}\"}",
		  "GET /api/%7Bb%7D/end?b=%7Ba%7D HTTP/1.1\r\n" },
		{ "{\"a\":\"x\\u0000y\"}",
		  "GET /api/x%EF%BF%BDy/end HTTP/1.1\r\n" },
		{ "{\"a\":\"@evil.example\"}",
		  "GET /api/%40evil.example/end HTTP/1.1\r\n" },
	};
	static const char *const refused[] = {
		"{\"a\":\"..\"}", "{\"a\":\".\"}", "{\"a\":\"\"}",
		"{\"a\":\"../../admin\"}", "{\"a\":\"x/y\"}",
		"{\"a\":\"x\\\\y\"}", "{\"a\":\"x\\ny\"}", "{\"a\":[1]}",
		"{\"a\":{\"x\":1}}", "{\"a\":null}",
	};
	struct arena a = ARENA_INIT;
	struct tool_result r;

	(void)state;
	declare(any, "[a]", "/api/{a}/end", ALLOWED);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		r = call(cases[i].args, &a);
		if (r.is_error || strncmp(r.text.p, cases[i].line,
					  strcspn(cases[i].line, "\r")))
			fail_msg("%s: %s", cases[i].args, r.text.p);
	}
	atomic_store(&peer->n_reqs, 0);
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		r = call(refused[i], &a);
		if (!r.is_error || !strstr(r.text.p, "tool_arguments_invalid"))
			fail_msg("%s: %s", refused[i], r.text.p);
	}
	assert_int_equal(atomic_load(&peer->n_reqs), 0);
	/* two values can make a step together */
	declare(any, "[a, b]", "/api/{a}{b}/end", ALLOWED);
	r = call("{\"a\":\".\",\"b\":\".\"}", &a);
	assert_true(r.is_error);
	assert_non_null(strstr(r.text.p, "would be \\\"..\\\""));
	arena_release(&a);
}

static void headers_are_one_line(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;

	(void)state;
	declare(any, "[]", "/h", ALLOWED
		"      headers: ['X-A: {a}', 'X-B: <{b}>']\n");
	r = call("{\"a\":\"one two\",\"b\":3}", &a);
	assert_non_null(strstr(r.text.p, "X-A: one two\r\n"));
	assert_non_null(strstr(r.text.p, "X-B: <3>\r\n"));
	assert_non_null(strstr(r.text.p, "GET /h HTTP"));
	r = call("{}", &a);
	assert_null(strstr(r.text.p, "X-A"));
	assert_non_null(strstr(r.text.p, "X-B: <>\r\n"));
	atomic_store(&peer->n_reqs, 0);
	r = call("{\"a\":\"x\\r\\nX-Admin: 1\"}", &a);
	assert_true(r.is_error);
	assert_non_null(strstr(r.text.p, "without control characters"));
	r = call("{\"b\":\"x\\nAuthorization: y\"}", &a);
	assert_true(r.is_error);
	assert_int_equal(atomic_load(&peer->n_reqs), 0);
	arena_release(&a);
}

static void bodies_are_mapped(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;

	(void)state;
	declare(any, "[]", "/b", ALLOWED "      method: POST\n");
	r = call("{\"a\":[1,null],\"b\":\"\\\"\"}", &a);
	assert_non_null(strstr(r.text.p, "POST /b HTTP/1.1"));
	assert_non_null(strstr(r.text.p, "Content-Type: application/json"));
	assert_non_null(strstr(r.text.p, "\r\n\r\n{\"a\":[1,null],\"b\":\"\\\"\"}"));
	declare(any, "[]", "/b?q={b}", ALLOWED "      method: PUT\n"
		"      body: {deep: [{v: '{a}'}, 'x{a}y', 7], gone: '{b}', k: c}\n");
	r = call("{\"a\":{\"n\":1.5}}", &a);
	assert_non_null(strstr(r.text.p, "PUT /b?q= HTTP/1.1"));
	assert_non_null(strstr(r.text.p, "{\"deep\":[{\"v\":{\"n\":1.5}},"
			       "\"x{\\\"n\\\":1.5}y\",7],\"k\":\"c\"}"));
	declare(any, "[]", "/b", ALLOWED "      method: POST\n"
		"      body_type: form\n");
	r = call("{\"a\":\"x&y=z\",\"b\":[1,2]}", &a);
	assert_non_null(strstr(r.text.p, "application/x-www-form-urlencoded"));
	assert_non_null(strstr(r.text.p, "\r\n\r\na=x%26y%3Dz&b=1&b=2"));
	arena_release(&a);
}

static const struct {
	const char *yaml, *header;
} auths[] = {
	{ "      auth: header\n      auth_header: X-Key\n      secret: hunter2key\n",
	  "X-Key: ***" },
	{ "      auth: bearer\n      secret: hunter2key\n",
	  "Authorization: Bearer ***" },
	{ "      auth: basic\n      user: me\n      secret: hunter2key\n",
	  "Authorization: Basic ***" },
	{ "      auth: user_token\n      token: {audience: hr, key: "
	  "hunter2key-hunter2key-hunter2key}\n", "Authorization: Bearer ***" },
	{ "      auth: user_token\n      auth_header: X-User\n      token: "
	  "{audience: hr, key: hunter2key-hunter2key-hunter2key}\n",
	  "X-User: ***" },
};

static void secrets_are_sent_and_never_shown(void **state)
{
	struct buf dry = BUF_INIT(65536);
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	json_auto_t *none = json_object();
	struct tool_ctx ctx;
	struct tool_set set;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(auths); i++) {
		struct buf yaml = BUF_INIT(4096);
		const struct tool *t;
		struct tool_result r;

		buf_addf(&yaml, ALLOWED "%s", auths[i].yaml);
		declare(any, "[]", "/echo", yaml.p);
		r = call("{}", &a);	/* the service says what it got */
		if (!strstr(r.text.p, auths[i].header))
			fail_msg("%s", r.text.p);
		assert_null(strstr(r.text.p, "hunter2"));
		assert_null(strstr(r.text.p, "eyJ"));
		assert_null(strstr(peer_last(peer), "***"));
		kind_lab_ctx("", &a, &ctx);
		assert_int_equal(tool_set_build(&ctx, &set, &e), 0);
		t = tool_set_find(&set, STR("t"))->tool;
		buf_reset(&dry);
		assert_int_equal(t->dry_run(t, &ctx, none, &dry, &e), 0);
		assert_non_null(strstr(dry.p, auths[i].header));
		assert_null(strstr(dry.p, "hunter2"));
		assert_null(strstr(dry.p, "eyJ"));
		buf_release(&yaml);
	}
	buf_release(&dry);
	arena_release(&a);
}

static void redirects_are_not_followed(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;

	(void)state;
	declare(any, "[]", "/metadata", ALLOWED);
	r = call("{}", &a);
	assert_str_is(r.text, "{\"error\":{\"code\":\"http_302\",\"message\":"
		      "\"The service answered 302, a redirect, which is not "
		      "followed.\"}}");
	assert_int_equal(atomic_load(&peer->n_reqs), 1);
	arena_release(&a);
}

static void private_addresses_must_be_listed(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;
	struct buf yaml = BUF_INIT(4096);

	(void)state;
	declare(any, "[]", "/text", "");
	r = call("{}", &a);
	assert_true(r.is_error);
	assert_non_null(strstr(r.text.p, "may not be reached from here"));
	assert_int_equal(atomic_load(&peer->n_reqs), 0);
	buf_addf(&yaml, "net: {allow_private: [127.0.0.1]}\ntools: {t: {kind: "
		 "http, description: A, http: {url: 'http://127.0.0.1:%d/text'"
		 "}}}\n", peer->port);
	kind_lab_conf(yaml.p, "name: W\n");
	r = call("{}", &a);
	assert_str_is(r.text, "fine");
	/* what a tool lists is in place of that */
	declare(any, "[]", "/text", "      allow_private: [10.0.0.0/8]\n");
	assert_true(call("{}", &a).is_error);
	buf_release(&yaml);
	arena_release(&a);
}

static void idempotent_requests_are_tried_again(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;

	(void)state;
	declare(any, "[]", "/503", ALLOWED);
	r = call("{}", &a);
	assert_false(r.is_error);
	assert_non_null(strstr(r.text.p, "GET /503"));
	assert_int_equal(atomic_load(&peer->n_reqs), 2);
	declare(any, "[]", "/503", ALLOWED "      method: POST\n");
	r = call("{}", &a);
	assert_non_null(strstr(r.text.p, "http_503"));
	assert_int_equal(atomic_load(&peer->n_reqs), 1);
	declare(any, "[]", "/503", ALLOWED "      retries: 0\n");
	r = call("{}", &a);
	assert_non_null(strstr(r.text.p, "http_503"));
	assert_int_equal(atomic_load(&peer->n_reqs), 1);
	arena_release(&a);
}

static void size_and_time_are_capped(void **state)
{
	int64_t start = clock_mono_ms();
	struct arena a = ARENA_INIT;
	struct tool_result r;

	(void)state;
	declare(any, "[]", "/big", ALLOWED "      response_bytes: 4000\n");
	r = call("{}", &a);
	assert_true(r.is_error);
	assert_non_null(strstr(r.text.p, "more than 4000 bytes"));
	declare(any, "[]", "/stall", ALLOWED);
	((struct conf_tool *)&kind_lab.conf->tools[0])->timeout_ms = 300;
	r = call("{}", &a);
	assert_true(r.is_error);
	assert_non_null(strstr(r.text.p, "tool_timeout"));
	assert_true(clock_mono_ms() - start < 7000);
	arena_release(&a);
}

static void *pull(void *unused)
{
	while (atomic_load(&peer->n_reqs) == 0)
		sched_yield();
	http_abort_now(kind_lab.abort);
	return unused;
}

static void a_stopped_turn_stops_the_request(void **state)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct tool_result r;
	pthread_t thread;

	(void)state;
	declare(any, "[]", "/stall", ALLOWED);
	kind_lab.abort = http_abort_new(&e);
	assert_int_equal(pthread_create(&thread, NULL, pull, NULL), 0);
	r = call("{}", &a);
	pthread_join(thread, NULL);
	assert_non_null(strstr(r.text.p, "\"code\":\"cancelled\""));
	assert_true(r.duration_ms < 6000);
	http_abort_free(kind_lab.abort);
	kind_lab.abort = NULL;
	arena_release(&a);
}

static void answers_are_read_by_their_type(void **state)
{
	static const struct {
		const char *path, *yaml, *want;
	} cases[] = {
		{ "/html", "", "# Täst\n# Head\nOne two three\n- a\n- b\n1 | 2" },
		{ "/latin1", "", "Müller" },
		{ "/png", "", "answered with \\\"image/png\\\", which is neither" },
		{ "/bad", "", "answer is not valid JSON" },
		{ "/bad", "      output: text\n", "{" },
		{ "/empty", "", "{\"status\":204}" },
		{ "/text", "      output: json\n", "answer is not valid JSON" },
		{ "/cursor", "      select: /d/1\n", "2" },
		{ "/cursor", "      select: /x~1y\n",
		  "answer has nothing at /x~1y." },
		{ "/422", "", "{\"error\":{\"code\":\"http_422\",\"message\":\"The "
		  "service answered 422.\"},\"body\":{\"detail\":\"the date is a "
		  "Sunday\"}}" },
	};
	struct arena a = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf yaml = BUF_INIT(4096);
		struct tool_result r;

		buf_addf(&yaml, ALLOWED "%s", cases[i].yaml);
		declare(any, "[]", cases[i].path, yaml.p);
		r = call("{}", &a);
		if (!strstr(r.text.p, cases[i].want))
			fail_msg("%s: %s", cases[i].path, r.text.p);
		if (strcmp(cases[i].path, "/422") == 0)
			assert_true(r.is_error && r.foreign);
		buf_release(&yaml);
	}
	arena_release(&a);
}

static void pages_become_one_list(void **state)
{
	static const struct {
		const char *path, *yaml, *want;
		int reqs;
	} cases[] = {
		{ "/pages", "      select: /d\n      page: {max: 9, param: page}\n",
		  "{\"items\":[1,2,3],\"pages\":3,\"more\":false}", 3 },
		{ "/pages", "      select: /d\n      page: {max: 2, param: page}\n",
		  "{\"items\":[1,2,3],\"pages\":2,\"more\":true}", 2 },
		{ "/cursor", "      select: /d\n      page: {max: 9, param: page, "
		  "next: /n}\n",
		  "{\"items\":[1,2,3],\"pages\":2,\"more\":false}", 2 },
		{ "/link", "      page: {max: 9, next: link}\n",
		  "{\"items\":[\"a\",\"b\"],\"pages\":2,\"more\":false}", 2 },
		{ "/url", "      select: /d\n      page: {max: 9, next: /n}\n",
		  "names a next page on another server", 2 },
		{ "/cursor", "      page: {max: 9, param: page}\n",
		  "answer is not a list", 1 },
	};
	struct arena a = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf yaml = BUF_INIT(4096);
		struct tool_result r;

		buf_addf(&yaml, ALLOWED "%s", cases[i].yaml);
		declare("{}", "[]", cases[i].path, yaml.p);
		r = call("{}", &a);
		if (!strstr(r.text.p, cases[i].want))
			fail_msg("%zu: %s", i, r.text.p);
		assert_int_equal(atomic_load(&peer->n_reqs), cases[i].reqs);
		buf_release(&yaml);
	}
	arena_release(&a);
}

static void bad_declarations_are_refused(void **state)
{
	static const struct {
		const char *http, *error;
	} cases[] = {
		{ "url: 'http://h/{c}'", ":6: tools.t.http.url: {c} is not one of "
		  "the tool's parameters" },
		{ "url: 'http://h/{b}'", ".http.url: {b} is in the path, so "
		  "the parameter must be required" },
		{ "url: 'http://{a}/x'", "must not have a template or a login in "
		  "its host" },
		{ "url: 'http://u:p@h/x'", "must not have a template or a login" },
		{ "url: 'file:///etc/passwd'", "must start with http:// or" },
		{ "url: 'http://h/', headers: ['Host: {a}']",
		  "http.headers[0]: Host cannot be set here" },
		{ "url: 'http://h/', headers: ['X: {c}']",
		  "http.headers[0]: {c} is not one of" },
		{ "url: 'http://h/', query: {q: {x: 1}}",
		  "http.query: q must be a value or a list of values" },
		{ "url: 'http://h/', body: {x: 1}", "http.body: GET has no body" },
		{ "url: 'http://h/', auth: bearer", "http.auth: bearer needs "
		  "secret:" },
		{ "url: 'http://h/', auth: bearer, secret: short",
		  "http.secret: it is too short to be masked" },
		{ "url: 'http://h/', secret: x", "http.secret: does not belong "
		  "to auth none" },
		{ "url: 'http://h/', auth: header, secret: hunter2", "header needs "
		  "auth_header:" },
		{ "url: 'http://h/', auth: basic, secret: hunter2", "needs user:" },
		{ "url: 'http://h/', auth: user_token", "needs token:" },
		{ "url: 'http://h/', auth: user_token, token: {audience: x, "
		  "algorithm: EdDSA, key: 0123456789012345678901234567890123}",
		  "http.token.key: the key must be 32 bytes in base64" },
		{ "url: 'http://h/', page: {max: 3}", "http.page: needs max:" },
		{ "url: 'http://h/', select: data", "must be a JSON pointer" },
		{ "url: 'http://h/', allow_private: ['10.0.0']",
		  "must be an address, a network" },
		{ "url: 'http://h/', method: get", "must be a method such as" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf yaml = BUF_INIT(4096);
		struct err e = ERR_INIT;

		buf_addf(&yaml, "tools:\n  t:\n    kind: http\n    description: A\n"
			 "    parameters: {type: object, properties: {a: {}, b: "
			 "{}}, required: [a]}\n    http: {%s}\n", cases[i].http);
		assert_int_equal(kind_lab_load(yaml.p, "name: W\n", &e), -1);
		if (!strstr(e.text, cases[i].error))
			fail_msg("%s: %s", cases[i].http, e.text);
		buf_release(&yaml);
	}
}

static int set_up(void **state)
{
	unit_find_programs();
	peer = peer_start(serve);
	return kind_lab_up(state);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_stay_in_their_place),
		cmocka_unit_test(headers_are_one_line),
		cmocka_unit_test(bodies_are_mapped),
		cmocka_unit_test(secrets_are_sent_and_never_shown),
		cmocka_unit_test(redirects_are_not_followed),
		cmocka_unit_test(private_addresses_must_be_listed),
		cmocka_unit_test(idempotent_requests_are_tried_again),
		cmocka_unit_test(size_and_time_are_capped),
		cmocka_unit_test(a_stopped_turn_stops_the_request),
		cmocka_unit_test(answers_are_read_by_their_type),
		cmocka_unit_test(pages_become_one_list),
		cmocka_unit_test(bad_declarations_are_refused),
	};

	return cmocka_run_group_tests_name("kind_http", tests, set_up,
					   kind_lab_down);
}
