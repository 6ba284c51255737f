/* SPDX-License-Identifier: MIT */
/*
 * The child that reads foreign pages (fcgi-app/extract), its parts called
 * directly: what a page becomes, and what the process can no longer do.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/limits.h"
#include "extract/confine.h"
#include "extract/extract.h"

/* -- pages ------------------------------------------------------------------- */

static int read_page(struct str html, const char *charset, bool links,
		     struct buf *out)
{
	const struct extract_type *t = extract_type("html");
	struct extract x = {
		.input = BUF_INIT(LIM_EXTRACT_INPUT_BYTES), .charset = charset,
		.links = links, .out = BUF_INIT(1 << 20),
	};
	int rc;

	buf_addstr(&x.input, html);
	rc = t->prepare(&x);
	if (rc == EXTRACT_OK)
		rc = t->extract(&x);
	buf_release(&x.input);
	*out = x.out;
	return rc;
}

static void assert_bytes(struct str html, const char *charset, bool links,
			 const char *want)
{
	struct buf b;

	assert_int_equal(read_page(html, charset, links, &b), EXTRACT_OK);
	if (!strstr(b.p, want))
		fail_msg("\"%s\" gives \"%s\", without \"%s\"", html.p, b.p,
			 want);
	buf_release(&b);
}

static void assert_text(const char *html, const char *charset, bool links,
			const char *want)
{
	assert_bytes(str_of(html), charset, links, want);
}

/* What the C library converts, and whose word counts. */
static void charsets(void **state)
{
	(void)state;
	assert_text("<p>\xc3\xa4\xe2\x82\xac", NULL, 0, "\xc3\xa4\xe2\x82\xac");
	assert_text("<p>\xe4", "iso-8859-1", 0, "\xc3\xa4");
	assert_text("<p>\x80", "windows-1252", 0, "\xe2\x82\xac");
	assert_text("<p>\x80", "ISO-8859-1", 0, "\xe2\x82\xac");
	assert_text("<p>\x9c", "windows-1250", 0, "\xc5\x9b");
	assert_text("<p>+AOQ-", "utf-7", 0, "\xc3\xa4");
	assert_text("<p>\xb0\xa1", "gb2312", 0, "\xe5\x95\x8a");
	assert_text("<meta charset=windows-1251><p>\xc6", NULL, 0, "\xd0\x96");
	assert_text("<META http-equiv=Content-Type content='text/html; charset="
		    "windows-1251'><p>\xc6", NULL, 0, "\xd0\x96");
	assert_text("<meta charset=windows-1251><p>\xc6", "iso-8859-1", 0,
		    "\xc3\x86");
	/* What is UTF-8 is that, whatever the page says of itself. */
	assert_text("<meta charset=windows-1251><p>\xc3\xa4", NULL, 0,
		    "\xc3\xa4");
	assert_text("<p>\xc3\xa4", "no-such-charset", 0, "\xc3\xa4");
	assert_text("<p>\x80 \xe4", NULL, 0, "\xe2\x82\xac \xc3\xa4");
	assert_text("<p>a", "", 0, "a");
	assert_text("<p>a", "../../etc/passwd", 0, "a");
	/* A mark is stronger than words; bad bytes are shown as such. */
	assert_text("\xef\xbb\xbf<p>\xc3\xa4", "windows-1252", 0, "\xc3\xa4");
	assert_text("<p>a\xff" "b", "utf-8", 0, "a\xef\xbf\xbd" "b");
	assert_text("<p>\xb0", "shift_jis", 0, "\xef\xbd\xb0");
	assert_bytes(STR("\xff\xfe<\0p\0>\0\xe4\0!"), NULL, 0,
		     "\xc3\xa4\xef\xbf\xbd");
	assert_bytes(STR("\xfe\xff\0<\0p\0>\0\xe4"), NULL, 0, "\xc3\xa4");
	assert_bytes(STR("<p>a\0b"), NULL, 0, "a\xef\xbf\xbd" "b");
}

static void structure(void **state)
{
	static const char page[] = "<title>T</title><script>no()</script>"
		"<h2>H</h2><ul><li>one<li>two</ul><table><tr><td>a<td>b</table>"
		"<pre> x\n  y</pre><!-- c --><p>see <a href=/z>there</a>";

	(void)state;
	assert_text(page, NULL, 0, "# T");
	assert_text(page, NULL, 0, "## H");
	assert_text(page, NULL, 0, "- one\n- two");
	assert_text(page, NULL, 0, "a | b");
	assert_text(page, NULL, 0, " x\n  y");
	assert_text(page, NULL, 0, "see there");
	assert_text(page, NULL, true, "there (/z)");
}

static void odd_pages(void **state)
{
	struct buf deep = BUF_INIT(1 << 20), out;

	(void)state;
	assert_text("<p>a<b>b</p>c", NULL, 0, "c");
	assert_text("", NULL, 0, "");
	for (int i = 0; i < 10000; i++)
		buf_adds(&deep, "<div>");
	buf_adds(&deep, "end");
	assert_int_equal(read_page(buf_str(&deep), NULL, 0, &out), EXTRACT_OK);
	buf_release(&deep);
	buf_release(&out);
}

/* n attributes behind before, each with the value. */
static int read_attributes(const char *before, int n, const char *value)
{
	struct buf page = BUF_INIT(1 << 20), out;
	int rc;

	buf_adds(&page, before);
	for (int i = 0; i < n; i++)
		buf_addf(&page, " a%d%s", i, value);
	buf_adds(&page, ">text");
	rc = read_page(buf_str(&page), NULL, 0, &out);
	assert_true(rc || strstr(out.p, "text"));
	buf_release(&page);
	buf_release(&out);
	return rc;
}

/* libxml2 compares each with all before it: 19 s for 1 MB of them. */
static void tags_have_few_attributes(void **state)
{
	static const char *const before[] = {
		"<p", "a < b <p", "<!-- <p a=\" --><p", "<script>\"</script><p", "<p \"",
		"<p a='<' b=\">\" c=/", "<p\n/", "<x:y",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(before); i++) {
		assert_int_equal(read_attributes(before[i], 900, ""), EXTRACT_OK);
		assert_int_equal(read_attributes(before[i], 2000, ""), EXTRACT_TOO_BIG);
	}
	assert_int_equal(read_attributes("<p", 2000, "='>'"), EXTRACT_TOO_BIG);
	assert_int_equal(read_attributes("<p", 2000, " = \"a b>\""), EXTRACT_TOO_BIG);
	assert_int_equal(read_attributes("<!-- <p", 2000, " -->"), EXTRACT_OK);
	assert_int_equal(read_attributes("<p", 2000, "='x'><p"), EXTRACT_OK);
}

static void only_known_types(void **state)
{
	(void)state;
	assert_non_null(extract_type("html"));
	assert_null(extract_type("HTML"));
	assert_null(extract_type(""));
}

/* -- what it can no longer do -------------------------------------------------- */

static int open_file(void)
{
	return open("/etc/passwd", O_RDONLY);
}

static int write_file(void)
{
	return open("/tmp/lamplighter-test-extract", O_CREAT | O_WRONLY, 0600);
}

static int open_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static int open_pipe(void)
{
	int p[2];

	return pipe(p);
}

static int copy_descriptor(void)
{
	return dup(1);
}

static int run_program(void)
{
	static char name[] = "true";

	return execve("/bin/true", (char *[]){ name, NULL }, (char *[]){ NULL });
}

static int start_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid > 0 ? 0 : -1;
}

static int signal_parent(void)
{
	return kill(getppid(), 0);
}

static int run_memory(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}

static int remove_file(void)
{
	return unlink("/tmp/lamplighter-test-extract-none") == 0 ||
	       errno == ENOENT ? 0 : -1;
}

/* What the second fence stops as well, where there is no filter. */
static const struct misdeed {
	const char *name;
	int (*commit)(void);	/* 0 or more: it was done */
	bool by_limits;
} misdeeds[] = {
	{ "open a file", open_file, true },
	{ "write a file", write_file, true },
	{ "open a socket", open_socket, true },
	{ "make a pipe", open_pipe, true },
	{ "copy a descriptor", copy_descriptor, true },
	{ "run a program", run_program, false },
	{ "start a process", start_process, false },
	{ "send a signal", signal_parent, false },
	{ "run what it wrote", run_memory, false },
	{ "remove a file", remove_file, false },
};

enum { DONE = 40, FAILED = 41, UNFILTERED = 42 };

/* The status of a process that confines itself so far and then does it. */
static int after(bool filter, const struct misdeed *m)
{
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		struct buf why = BUF_INIT(256);

		if (!filter)
			confine_limits();
		else if (confine(false, &why) < 0)
			_exit(UNFILTERED);
		if (!m)
			_exit(DONE);
		_exit(m->commit() < 0 ? FAILED : DONE);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void the_filter_ends_it(void **state)
{
	int status = after(true, NULL);
	bool filtered = WIFEXITED(status) && WEXITSTATUS(status) == DONE;

	(void)state;
	if (!filtered)
		assert_int_equal(WEXITSTATUS(status), UNFILTERED);
	for (size_t i = 0; i < ARRAY_LEN(misdeeds); i++) {
		const struct misdeed *m = &misdeeds[i];
		const char *name = m->name;

		status = after(true, m);
		if (filtered && !(WIFSIGNALED(status) &&
				  WTERMSIG(status) == SIGSYS))
			fail_msg("it could %s: status %x", name, status);
		if (!filtered)
			print_message("# no filter here: %s\n", name);
	}
}

static void the_limits_hold_without_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(misdeeds); i++) {
		const struct misdeed *m = &misdeeds[i];
		int status;

		if (!m->by_limits)
			continue;
		status = after(false, m);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != FAILED)
			fail_msg("it could %s: status %x", m->name, status);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(charsets),
		cmocka_unit_test(structure),
		cmocka_unit_test(odd_pages),
		cmocka_unit_test(tags_have_few_attributes),
		cmocka_unit_test(only_known_types),
		cmocka_unit_test(the_filter_ends_it),
		cmocka_unit_test(the_limits_hold_without_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
