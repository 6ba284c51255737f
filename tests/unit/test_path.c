/* SPDX-License-Identifier: MIT */
/* fcgi-app/path: which request targets are ours, and what stands behind. */
#include "base/limits.h"
#include "path.h"
#include "unit.h"

static void targets(void **state)
{
	static const struct {
		const char *uri, *base, *path;	/* path NULL: not found */
		const char *query;
	} t[] = {
		{ "/chat/api/v1/me", "/chat", "/me", "" },
		{ "/chat/api/v1/me", "/chat/", "/me", "" },
		{ "/chat/api/v1/me?a=b?c", "/chat", "/me", "a=b?c" },
		{ "/chat/api/v1", "/chat", "", "" },
		{ "/chat/openai/v1/models", "/chat", "/models", "" },
		{ "/chat/openai/v1x/models", "/chat", NULL, NULL },
		{ "/chat/plain", "/chat", "", "" },
		{ "/chat/plain/?q=a", "/chat", "/", "q=a" },
		{ "/chat/plainly", "/chat", NULL, NULL },
		{ "/chat/openai/models", "/chat", NULL, NULL },
		{ "/chat/openai/v1/models?a", "", "/models", "a" },
		{ "/a/api/v1/openai/v1", "", "/openai/v1", "" },
		{ "/chat/api/v1/", "/chat", "/", "" },
		{ "/api/v1/me", "/", "/me", "" },
		{ "http://host:81/chat/api/v1/me?x", "/chat", "/me", "x" },
		{ "https://host/chat/api/v1/me", "/chat", "/me", "" },
		{ "http://host", "/chat", NULL, NULL },
		/* The prefix must end at a segment. */
		{ "/chatx/api/v1/me", "/chat", NULL, NULL },
		{ "/chat/api/v1x/me", "/chat", NULL, NULL },
		{ "/chat/api/v2/me", "/chat", NULL, NULL },
		{ "/chat", "/chat", NULL, NULL },
		{ "/", "/chat", NULL, NULL },
		{ "", "/chat", NULL, NULL },
		{ "*", "/chat", NULL, NULL },
		/* A base with blanks or letters, encoded by either side. */
		{ "/my%20site/api/v1/me", "/my site", "/me", "" },
		{ "/my%20site/api/v1/me", "/my%20site", "/me", "" },
		{ "/my site/api/v1/me", "/my%20site", "/me", "" },
		{ "/caf%c3%a9/api/v1/me", "/caf\xc3\xa9", "/me", "" },
		{ "/%63hat/api/v1/me", "/chat", "/me", "" },
		/* Behind the base nothing is lenient. */
		{ "/chat/api/v1/%6de", "/chat", NULL, NULL },
		{ "/chat/api/v1//me", "/chat", NULL, NULL },
		{ "/chat//api/v1/me", "/chat", NULL, NULL },
		{ "/chat/api/v1/./me", "/chat", NULL, NULL },
		{ "/chat/api/v1/x/../me", "/chat", NULL, NULL },
		{ "/chat/api/v1/me/..", "/chat", NULL, NULL },
		{ "/chat/api/v1/me/.", "/chat", NULL, NULL },
		{ "/chat/api/v1/a..b", "/chat", "/a..b", "" },
		{ "/chat/api/v1/.well", "/chat", "/.well", "" },
		{ "/chat/api/v1\\me", "/chat", NULL, NULL },
		{ "/chat/api/v1/me;x=1", "/chat", NULL, NULL },
		{ "/chat/api%2fv1/me", "/chat", NULL, NULL },
		/* An escaped slash is part of a model's name, and of none else. */
		{ "/chat/openai/v1/models/a%2fb", "/chat", "/models/a%2fb", "" },
		{ "/openai/v1/models/a%2Fb", "", "/models/a%2Fb", "" },
		{ "/chat/openai/v1/models/a%2fb%20", "/chat", NULL, NULL },
		{ "/chat/openai/v1/models/a%2", "/chat", NULL, NULL },
		{ "/chat/openai%2Fv1/models", "/chat", NULL, NULL },
		{ "/a%2Fb/openai/v1/models", "", NULL, NULL },
		{ "/chat/openai/v1/a%2Fb/../models", "/chat", NULL, NULL },
		{ "/chat/api/v1/me%2fx", "/chat", NULL, NULL },
		{ "/chat/plain/c/a%2Fb", "/chat", NULL, NULL },
		{ "/chat/../chat/api/v1/me", "/chat", NULL, NULL },
		/* Nobody said the base: what stands before the root. */
		{ "/intranet/chat/api/v1/me", "", "/me", "" },
		{ "/api/v1/me", NULL, "/me", "" },
		{ "/a/api/v1/b/api/v1/c", "", "/b/api/v1/c", "" },
		{ "/a%20b/api/v1/me", "", NULL, NULL },
		{ "/a/../api/v1/me", "", NULL, NULL },
		{ "/nothing/here", "", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct err e = ERR_INIT;
		struct uri_parts out;
		int rc = path_split(str_of(t[i].uri), t[i].base, &out, &e);

		if (t[i].path) {
			if (rc < 0)
				print_message("# %s\n", t[i].uri);
			assert_int_equal(rc, 0);
			assert_str_is(out.path, t[i].path);
			assert_str_is(out.query, t[i].query);
		} else {
			if (rc == 0)
				print_message("# %s\n", t[i].uri);
			assert_int_equal(rc, -1);
			assert_int_equal(e.code, ERR_NOT_FOUND);
		}
	}
}

static void long_target_is_refused(void **state)
{
	char uri[LIM_URI_BYTES + 2];
	struct err e = ERR_INIT;
	struct uri_parts out;

	(void)state;
	memset(uri, 'a', sizeof(uri));
	uri[0] = '/';
	assert_int_equal(path_split((struct str){ uri, sizeof(uri) }, "", &out,
				    &e), -1);
	assert_int_equal(e.code, ERR_TOO_BIG);
}

static void decoding(void **state)
{
	static const struct {
		const char *in, *out;
		enum err_code code;
	} t[] = {
		{ "", "", ERR_NONE },
		{ "a+b%20c", "a b c", ERR_NONE },
		{ "%C3%bc", "\xc3\xbc", ERR_NONE },
		{ "%2B", "+", ERR_NONE },
		{ "%", NULL, ERR_BAD_REQUEST },
		{ "%4", NULL, ERR_BAD_REQUEST },
		{ "%zz", NULL, ERR_BAD_REQUEST },
		{ "a%00b", NULL, ERR_BAD_REQUEST },
		{ "%ff", NULL, ERR_INVALID_UTF8 },
		{ "%c3", NULL, ERR_INVALID_UTF8 },
	};
	struct arena a = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct err e = ERR_INIT;
		struct str out;
		int rc = path_decode(&a, str_of(t[i].in), true, &out, &e);

		assert_int_equal(e.code, t[i].code);
		if (rc == 0)
			assert_str_is(out, t[i].out);
	}
	arena_release(&a);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets),
		cmocka_unit_test(long_target_is_refused),
		cmocka_unit_test(decoding),
	};

	return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
