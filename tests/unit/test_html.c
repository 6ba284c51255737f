/* SPDX-License-Identifier: MIT */
/* HTML: what comes from outside stays text. */
#include "unit.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "html.h"

static void assert_html(void (*fn)(struct buf *, struct str), const char *from,
			const char *to)
{
	struct buf b = BUF_INIT(1 << 20);

	fn(&b, str_of(from));
	if (!str_is(buf_str(&b), to))
		print_error("%s -> %s\n", from, b.p);
	assert_str_is(buf_str(&b), to);
	assert_sane_buf(&b);
	buf_release(&b);
}

static void text_is_escaped(void **state)
{
	(void)state;
	assert_html(html_text, "", "");
	assert_html(html_text, "plain \xc3\xa4 \xe2\x82\xac", "plain \xc3\xa4 \xe2\x82\xac");
	assert_html(html_text, "<a href=\"x\">'&'</a>",
		    "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
	assert_html(html_text, "&amp;", "&amp;amp;");
	assert_html(html_text, "a\tb\nc\x01" "d\x7f",
		    "a\tb\nc\xef\xbf\xbd" "d\xef\xbf\xbd");
	assert_html(html_text, "a\r\nb", "a\nb");
	assert_html(html_lines, "a\nb\r\n\n<c>", "a<br>b<br><br>&lt;c&gt;");
}

static void markdown_is_known_elements(void **state)
{
	static const struct {
		const char *from, *to;
	} t[] = {
		{ "a *b* **c** `<d>` ~~e~~",
		  "<p>a <em>b</em> <strong>c</strong> <code>&lt;d&gt;</code> "
		  "<del>e</del></p>\n" },
		{ "# One\n\n#### Four", "<h3>One</h3>\n<h6>Four</h6>\n" },
		{ "- a\n- b", "<ul><li>a</li>\n<li>b</li>\n</ul>\n" },
		{ "3. a", "<ol start=\"3\">\n<li>a</li>\n</ol>\n" },
		{ "```c\nif (a < b)\n```",
		  "<pre><code>if (a &lt; b)\n</code></pre>\n" },
		{ "> q\n\n---", "<blockquote><p>q</p>\n</blockquote>\n<hr>\n" },
		{ "a  \nb\r\nc", "<p>a<br>\nb<br>\nc</p>\n" },
		{ "|a|b|\n|---|---|\n|<b>|c|",
		  "<table><thead><tr><th>a</th>\n<th>b</th>\n</tr>\n</thead>\n"
		  "<tbody><tr><td>&lt;b&gt;</td>\n<td>c</td>\n</tr>\n"
		  "</tbody>\n</table>\n" },
		{ "&lt;b&gt; &copy; &#60;", "<p>&lt;b&gt; &copy; &#60;</p>\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		assert_html(html_markdown, t[i].from, t[i].to);
}

static void html_in_markdown_is_text(void **state)
{
	(void)state;
	assert_html(html_markdown, "<script>alert(1)</script>",
		    "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n");
	assert_html(html_markdown, "a <b onclick=\"x\">b</b>",
		    "<p>a &lt;b onclick=&quot;x&quot;&gt;b&lt;/b&gt;</p>\n");
	assert_html(html_markdown, "<!-- x -->\n<div>\n",
		    "<p>&lt;!-- x --&gt;<br>\n&lt;div&gt;</p>\n");
}

static void only_known_links(void **state)
{
	static const char *const text_only[] = {
		"[a](javascript:x)", "[a](JaVaScRiPt:x)", "[a](data:text/html,x)",
		"[a](java&#115;cript:x)", "[a](&#x6a;avascript:x)",
		"[a](/logout)", "[a](../x)", "[a](//evil.example)", "[a]()",
		"[a](http://)", "[a](vbscript:x)", "[a](\x01javascript:x)",
		"![a](javascript:x)",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(text_only); i++) {
		struct buf b = BUF_INIT(4096);

		html_markdown(&b, str_of(text_only[i]));
		assert_null(strstr(b.p, "<a"));
		buf_release(&b);
	}
	assert_html(html_markdown, "[a](https://e.org/?x=1&y=\"2\")",
		    "<p><a rel=\"nofollow noreferrer\" href=\"https://e.org/?x=1"
		    "&amp;y=&quot;2&quot;\">a</a></p>\n");
	assert_html(html_markdown, "<mailto:a@b.org>",
		    "<p><a rel=\"nofollow noreferrer\" href=\"mailto:a@b.org\">"
		    "mailto:a@b.org</a></p>\n");
	/* An image is a link, and one in a link is its text. */
	assert_html(html_markdown, "![i](http://e.org/i.png)",
		    "<p><a rel=\"nofollow noreferrer\" href=\"http://e.org/i.png\">"
		    "[image: i]</a></p>\n");
	assert_html(html_markdown, "[![i](http://e.org/i)](http://e.org/)",
		    "<p><a rel=\"nofollow noreferrer\" href=\"http://e.org/\">"
		    "[image: i]</a></p>\n");
}

/* Nothing grows out of proportion, nor without end. */
static void hostile_markdown(void **state)
{
	static const char *const parts[] = {
		"[", "![", "> ", "- ", "*", "`", "|", "<", "&", "~", "[a](",
		"**_", "\n\n#", "|a|b|\n", "![a](http://x ", "\x01",
	};
	struct buf from = BUF_INIT(1 << 20), to = BUF_INIT(1 << 24);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		buf_reset(&from);
		buf_reset(&to);
		while (from.n < 20000)
			buf_adds(&from, parts[i]);
		html_markdown(&to, buf_str(&from));
		assert_true(buf_ok(&to) && utf8_valid(buf_str(&to)));
		assert_true(to.n < 20 * from.n + 65536);
	}
	/* A table of 5,000 columns by 5,000 rows in 40 kB: shown as it is. */
	buf_reset(&from);
	buf_reset(&to);
	for (int i = 0; i < 5000; i++)
		buf_adds(&from, "|a");
	buf_addc(&from, '\n');
	for (int i = 0; i < 5000; i++)
		buf_adds(&from, "|---");
	for (int i = 0; i < 5000; i++)
		buf_adds(&from, "\n|");
	html_markdown(&to, buf_str(&from));
	assert_null(strstr(to.p, "<table"));
	assert_non_null(strstr(to.p, "|a|a|a"));
	/* And so is a text beyond the cap. */
	buf_reset(&from);
	buf_reset(&to);
	while (from.n <= LIM_MARKDOWN_BYTES)
		buf_adds(&from, "**b** ");
	html_markdown(&to, buf_str(&from));
	assert_null(strstr(to.p, "<strong"));
	buf_release(&from);
	buf_release(&to);
}

/* Whatever the text: every element that is opened is closed, in order. */
static void random_markdown_nests(void **state)
{
	static const char letters[] = "ab *_`#>-+|~[]()!<&;\n\n  :1.http://e";

	(void)state;
	srandom(7);
	for (int round = 0; round < 20000; round++) {
		struct buf b = BUF_INIT(1 << 20);
		const char *open[256];
		char from[201];
		size_t n = 0;

		for (size_t i = 0; i + 1 < sizeof(from); i++)
			from[i] = letters[(size_t)random() % (sizeof(letters) - 1)];
		from[sizeof(from) - 1] = '\0';
		html_markdown(&b, str_of(from));
		for (const char *p = strchr(b.p, '<'); p; p = strchr(p + 1, '<')) {
			size_t len = strcspn(p + 1 + (p[1] == '/'), " >");

			if (!strncmp(p, "<br>", 4) || !strncmp(p, "<hr>", 4))
				continue;
			if (p[1] != '/') {
				assert_true(n < ARRAY_LEN(open));
				open[n++] = p + 1;
				continue;
			}
			assert_true(n > 0);
			assert_memory_equal(open[--n], p + 2, len);
		}
		assert_int_equal(n, 0);
		buf_release(&b);
	}
}

/* A view into a longer text: what follows it is not looked at. */
static void nothing_behind_the_text(void **state)
{
	static const char *const behind[] = { "[a](*)))))", "[a](<b>)", "[a](b \"c\")))",
		"[a]: b \"c\"))", "<http://a.example>", "```\na\n```\n", "|a|\n|-|\n",
		"&amp;&amp;", "**a**", "http://a.example/b)" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(behind); i++)
		for (size_t n = 1; n < strlen(behind[i]); n++) {
			struct buf all = BUF_INIT(1 << 20), part = all, want = all, b = all;

			buf_addstr(&part, (struct str){ behind[i], n });
			html_markdown(&want, buf_str(&part));
			buf_adds(&all, behind[i]);
			html_markdown(&b, (struct str){ all.p, n });
			assert_string_equal(b.p, want.p);
			buf_release(&all);
			buf_release(&part);
			buf_release(&want);
			buf_release(&b);
		}
}

/* What the parser needs seconds for is shown as it is; long answers are not like that. */
static void slow_markdown_is_text(void **state)
{
	static const struct {
		const char *head, *tail;	/* half of the text each */
		bool plain;
	} t[] = {
		{ "1. ", "\n", true }, { "1) ", "  \n", true }, { "- ", "\n\n", true },
		{ "> ", "\n", true }, { ">", "a\n", true }, { "[a](\n", "[a]\n", true },
		{ "\n|", "[a](", true }, { "  1. - +\t", "\n", true },
		{ "- [a](http://a.example/b) and some more of it\n",
		  "1. A longer sentence, as answers have them.\n\n", false },
		{ "> quoted\n> - more\n", "```\nfor (i = 0; i < n; i++)\n\ta[i] = b[i];\n```\n", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct buf from = BUF_INIT(LIM_MARKDOWN_BYTES), b = BUF_INIT(8 << 20);
		size_t most = t[i].plain ? LIM_MARKDOWN_BYTES : 100000;

		while (from.n + strlen(t[i].head) <= most / 2)
			buf_adds(&from, t[i].head);
		while (from.n + strlen(t[i].tail) <= most)
			buf_adds(&from, t[i].tail);
		html_markdown(&b, buf_str(&from));
		if (t[i].plain != !strncmp(b.p, "<p class=\"text\">", 16))
			fail_msg("%s %s: %.60s", t[i].head, t[i].tail, b.p);
		buf_release(&from);
		buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_escaped),
		cmocka_unit_test(markdown_is_known_elements),
		cmocka_unit_test(html_in_markdown_is_text),
		cmocka_unit_test(only_known_links),
		cmocka_unit_test(hostile_markdown),
		cmocka_unit_test(random_markdown_nests),
		cmocka_unit_test(nothing_behind_the_text),
		cmocka_unit_test(slow_markdown_is_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
