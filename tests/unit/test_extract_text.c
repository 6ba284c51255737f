/* SPDX-License-Identifier: MIT */
/* lib/file/extract.c: the child from outside, well-behaved, slow and hostile. */
#include "unit.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/util.h"
#include "net/http.h"
#include "file/extract.h"

static const struct extract_want want = {
	.what = "The page", .type = "html",
};

static int read_with(struct extract_want w, struct str in, size_t cap,
		     int timeout_ms, struct buf *out, struct err *e)
{
	*out = (struct buf)BUF_INIT(cap);
	*e = (struct err)ERR_INIT;
	buf_adds(out, "before ");
	w.until_ms = clock_mono_ms() + timeout_ms;
	return file_extract_text(&w, in, out, e);
}

static void assert_fails(struct extract_want w, struct str in, size_t cap,
			 int timeout_ms, enum err_code code, const char *says)
{
	struct buf out;
	struct err e;

	assert_int_equal(read_with(w, in, cap, timeout_ms, &out, &e), -1);
	if (e.code != code || !strstr(err_message(&e), says))
		fail_msg("\"%s\" (%d) instead of \"%s\"", err_message(&e),
			 e.code, says);
	/* as it was, and usable */
	assert_str_is(buf_str(&out), "before ");
	assert_true(buf_ok(&out));
	buf_release(&out);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void text_comes_back(void **state)
{
	struct extract_want w = want;
	struct buf out;
	struct err e;

	(void)state;
	assert_int_equal(read_with(w, STR("<h1>A</h1><a href=/x>l"), 4096,
				   60000, &out, &e), 0);
	assert_str_is(buf_str(&out), "before # A\nl");
	buf_release(&out);
	w.links = true;
	w.charset = "windows-1250";
	assert_int_equal(read_with(w, STR("<a href=/x>\x9c</a>"), 4096, 60000,
				   &out, &e), 0);
	assert_str_is(buf_str(&out), "before \xc5\x9b (/x)");
	buf_release(&out);
}

static void doctor_tries_it(void **state)
{
	struct buf why = BUF_INIT(4096);
	struct err e = ERR_INIT;
	bool confined = false;

	(void)state;
	assert_int_equal(file_extract_try(false, &confined, &why, &e), 0);
	assert_int_equal(confined, why.n == 0);
	buf_release(&why);
}

/* Some seconds of work for libxml2. */
static void signs(struct buf *b, size_t bytes)
{
	while (b->n < bytes)
		buf_adds(b, "&");
}

static void slow_pages_are_given_up(void **state)
{
	struct buf page = BUF_INIT(16 << 20);

	(void)state;
	signs(&page, 15 << 20);
	assert_fails(want, buf_str(&page), 16 << 20, 100, ERR_TOOL_TIMEOUT,
		     "The page takes too long to be read.");
	assert_fails(want, buf_str(&page), 16 << 20, 0, ERR_TOOL_TIMEOUT,
		     "The page takes too long to be read.");
	buf_release(&page);
}

static void it_stops_when_told(void **state)
{
	struct buf page = BUF_INIT(16 << 20);
	struct err fault = ERR_INIT;
	struct http_abort *abort = http_abort_new(&fault);
	struct extract_want w = want;

	(void)state;
	assert_non_null(abort);
	w.abort = abort;
	signs(&page, 15 << 20);
	http_abort_now(abort);
	assert_fails(w, buf_str(&page), 1 << 20, 20000, ERR_CANCELLED, "");
	http_abort_free(abort);
	buf_release(&page);
}

static void too_much(void **state)
{
	struct buf page = BUF_INIT(LIM_EXTRACT_INPUT_BYTES + 64);

	(void)state;
	buf_adds(&page, "<p>");
	for (int i = 0; i < 2000; i++)
		buf_adds(&page, "word ");
	assert_fails(want, buf_str(&page), 4096, 60000, ERR_TOOL_FAILED,
		     "too long to be read");
	while (page.n <= LIM_EXTRACT_INPUT_BYTES)
		buf_adds(&page, "0123456789abcdef");
	assert_fails(want, buf_str(&page), 1 << 20, 60000, ERR_TOOL_FAILED,
		     "The page is too large.");
	buf_release(&page);
}

/* The program is looked for once a process, so in one of its own. */
static int in_a_child(int (*look)(const char *dir))
{
	char dir[] = "/tmp/lamplighter-XXXXXX";
	int status = 0;
	pid_t pid;

	assert_non_null(mkdtemp(dir));
	pid = fork();
	if (pid == 0)
		_exit(look(dir));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(rmdir(dir), 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int relative(const char *dir)
{
	struct buf why = BUF_INIT(4096);
	struct err e = ERR_INIT;
	bool confined;

	(void)dir;
	if (chdir(getenv("LAMPLIGHTER_LIBEXEC_DIR")) < 0 ||
	    setenv("LAMPLIGHTER_LIBEXEC_DIR", ".", 1) < 0)
		return 2;
	return file_extract_try(false, &confined, &why, &e) < 0;
}

static void a_relative_folder_is_found(void **state)
{
	(void)state;
	assert_int_equal(in_a_child(relative), 0);
}

/* What script does in place of the program, as the model is told. */
static bool says(const char *dir, const char *script, const char *told)
{
	struct buf out = BUF_INIT(4096);
	struct err e = ERR_INIT;
	struct extract_want w = want;
	char path[256];
	FILE *f;
	int rc;

	snprintf(path, sizeof(path), "%s/lamplighter-extract", dir);
	f = fopen(path, "w");
	if (!f)
		return false;
	fprintf(f, "#!/bin/sh\n%s\n", script);
	fclose(f);
	chmod(path, 0700);
	setenv("LAMPLIGHTER_LIBEXEC_DIR", dir, 1);
	w.until_ms = clock_mono_ms() + 60000;
	rc = file_extract_text(&w, STR("x"), &out, &e);
	unlink(path);
	buf_release(&out);
	return rc < 0 && !strcmp(err_message(&e), told);
}

static int damaged(const char *dir)
{
	return !says(dir, "echo 'free(): invalid pointer' >&2; kill -ABRT $$",
		     "The page cannot be read.");
}

static int exhausted(const char *dir)
{
	return !says(dir, "echo '" NO_MEMORY "' >&2; kill -ABRT $$",
		     "The page needs more memory to be read than there is for "
		     "it.");
}

static void not_each_abort_is_for_memory(void **state)
{
	(void)state;
	assert_int_equal(in_a_child(damaged), 0);
	assert_int_equal(in_a_child(exhausted), 0);
}

static void unknown_types(void **state)
{
	struct extract_want w = want;

	(void)state;
	w.type = "none-such";
	assert_fails(w, STR("x"), 4096, 60000, ERR_TOOL_FAILED,
		     "The page cannot be read.");
}

/* -- sites ---------------------------------------------------------------------- */

static void assert_site(const char *type, const char *in, const char *want_text)
{
	struct extract_want w = { .what = "It", .type = type };
	struct buf out;
	struct err e;

	w.files = !strcmp(type, "sitemap");
	if (want_text) {
		if (read_with(w, str_of(in), 65536, 60000, &out, &e))
			fail_msg("%s: %s", in, err_message(&e));
		assert_string_equal(out.p + 7, want_text);
		buf_release(&out);
	} else {
		assert_fails(w, str_of(in), 65536, 60000, ERR_TOOL_FAILED, "It ");
	}
}

static void sitemaps(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ "<urlset/>", "" },
		{ "<urlset><url><loc> http://a/?x=1&amp;y=2\n</loc><lastmod>2026"
		  "</lastmod></url><url><loc><![CDATA[http://b/]]></loc></url>"
		  "</urlset>", "page 2026 http://a/?x=1&y=2\npage - http://b/\n" },
		{ "<s:urlset xmlns:s='http://www.sitemaps.org/schemas/sitemap/0.9' "
		  "xmlns:i='x'><s:url><s:loc>http://a/</s:loc><i:image><i:loc>"
		  "http://i/</i:loc></i:image></s:url></s:urlset>",
		  "page - http://a/\n" },
		{ "<sitemapindex><sitemap><lastmod>a b</lastmod><loc>http://a/"
		  "</loc></sitemap><sitemap><loc/></sitemap></sitemapindex>",
		  "map - http://a/\nskip\n" },
		{ "<urlset><url><loc>http://a/\npage - http://b/</loc></url>"
		  "</urlset>", "skip\n" },
		{ "http://a/x\r\n\nhttps://b/\n",
		  "page - http://a/x\npage - https://b/\n" },
		{ "", NULL }, { "nothing", NULL }, { "<html/>", NULL },
		{ "<urlset><url>", NULL }, { "\x1f\x8b broken", NULL },
		{ "<!DOCTYPE urlset><urlset/>", NULL },
		{ "<urlset><url><loc>http://a/&x;</loc></url></urlset>", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_site("sitemap", rows[i].in, rows[i].out);
}

static void pages_of_sites(void **state)
{
	(void)state;
	assert_site("web", "<title>A\n b</title><link rel='x canonical' "
		    "href=/c><meta name=Robots content=none><nav>N</nav><h1>H</h1>"
		    "<footer>F</footer>T",
		    "canonical: /c\nrobots: none\ntitle: A b\n\n# H\nT" );
	assert_site("web", "<header>S</header><main><header>K</header>M<nav>N"
		    "</nav></main>after", "\nK\nM" );
	assert_site("web", "<h1>One</h1><article>A</article>",
		    "title: One\n\nA");
	assert_site("web", "<article>A</article><article>B</article>",
		    "\nA\nB\n");
	assert_site("web", "<main></main><p>all", "\nall\n");
	assert_site("web", "<title>x</title><main>m<template><meta name=robots "
		    "content=none></template>", "title: x\n\nm");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* first: nobody has looked for the program */
		cmocka_unit_test(a_relative_folder_is_found),
		cmocka_unit_test(not_each_abort_is_for_memory),
		cmocka_unit_test(text_comes_back),
		cmocka_unit_test(doctor_tries_it),
		cmocka_unit_test(slow_pages_are_given_up),
		cmocka_unit_test(it_stops_when_told),
		cmocka_unit_test(too_much),
		cmocka_unit_test(unknown_types),
		cmocka_unit_test(sitemaps),
		cmocka_unit_test(pages_of_sites),
	};

	signal(SIGPIPE, SIG_IGN);	/* as main does */
	unit_find_programs();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
