/* SPDX-License-Identifier: MIT */
/* lib/net without libcurl: a request says so, and nothing else needs it. */
#include <dlfcn.h>
#include <string.h>

#include "net/http.h"
#include "net/url.h"
#include "unit.h"

/* In place of libc's: there is no such library on this machine. */
void *dlopen(const char *file, int mode)
{
	(void)file, (void)mode;
	return NULL;
}

char *dlerror(void)
{
	static char text[] = "not there";

	return text;
}

static void requests_say_so(void **state)
{
	const struct http_request r = { .method = "GET",
					.url = "http://127.0.0.1:1/",
					.watch_fd = -1 };
	struct http_pool *pool = http_pool_new(1);
	struct http_result res;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct err e = ERR_INIT;

		assert_int_equal(http_do(pool, &r, &res, &e), -1);
		assert_int_equal(e.code, ERR_INTERNAL);
		assert_string_equal(e.text,
				    "libcurl cannot be loaded: not there");
	}
	http_pool_free(pool);
}

static void nothing_is_a_url(void **state)
{
	struct buf out = BUF_INIT(1000);

	(void)state;
	assert_false(url_join("http://a/", STR("b"), &out));
	assert_false(url_same_origin("http://a/", "http://a/"));
	assert_int_equal(out.n, 0);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_say_so),
		cmocka_unit_test(nothing_is_a_url),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
