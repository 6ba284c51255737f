/* Pages as text for a model (lib/tool/html.c). */
#include "unit.h"

#include "tool/html.h"

static void assert_text(const char *html, const char *charset, unsigned flags,
			const char *want)
{
	struct buf b = BUF_INIT(1 << 20);
	struct err e = ERR_INIT;

	assert_int_equal(html_text(str_of(html), charset, flags, &b, &e), 0);
	if (!strstr(b.p, want))
		fail_msg("\"%s\" gives \"%s\", without \"%s\"", html, b.p, want);
	buf_release(&b);
}

/* One that libxml2 reads by iconv has a handler of its own, which is given back. */
static void charsets(void **state)
{
	(void)state;
	assert_text("<p>\xc3\xa4\xe2\x82\xac", NULL, 0, "\xc3\xa4\xe2\x82\xac");
	assert_text("<p>\xe4", "iso-8859-1", 0, "\xc3\xa4");
	assert_text("<p>\x80", "windows-1252", 0, "\xe2\x82\xac");
	assert_text("<p>\x9c", "windows-1250", 0, "\xc5\x9b");
	assert_text("<p>+AOQ-", "utf-7", 0, "\xc3\xa4");
	assert_text("<meta charset=windows-1251><p>\xc6", NULL, 0, "\xd0\x96");
	assert_text("<p>\xc3\xa4", "no-such-charset", 0, "\xc3\xa4");
	assert_text("<p>a", "", 0, "a");
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
	assert_text(page, NULL, HTML_LINKS, "there (/z)");
}

static void odd_pages(void **state)
{
	struct buf deep = BUF_INIT(1 << 20), out = BUF_INIT(1 << 20);
	struct err e = ERR_INIT;

	(void)state;
	assert_text("<p>a<b>b</p>c", NULL, 0, "c");
	for (int i = 0; i < 10000; i++)
		buf_adds(&deep, "<div>");
	buf_adds(&deep, "end");
	assert_int_equal(html_text(buf_str(&deep), NULL, 0, &out, &e), 0);
	buf_release(&deep);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(charsets),
		cmocka_unit_test(structure),
		cmocka_unit_test(odd_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
