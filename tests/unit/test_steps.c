/* SPDX-License-Identifier: MIT */
/*
 * The work of every function that reads foreign text grows with the text, not with its
 * square. Work is counted, not timed: the sources in STEPS_SOURCES (local.mk) are compiled
 * once more with a call at each branch, and the functions of the C library that look at
 * bytes add the number that they looked at.
 *
 * Each function gets whatever it names itself, repeated over 256 and 512 KB, and every byte
 * and every pair of what it names over 8 and 16 KB, mixed and in two halves; a quarter of
 * that with sanitizers, which count the same steps. Of those that cost the same at small
 * sizes, one is tried. With LAMPLIGHTER_STEPS_MB, all of them over so many MiB and twice
 * that, for ./lamp soak steps.
 */
#include <stdlib.h>

#include "base/blank.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "extract/charset.h"
#include "extract/file.h"
#include "extract/out.h"
#include "extract/tags.h"
#include "html.h"
#include "llm/decoder.h"
#include "llm/repair.h"
#include "llm/service.h"
#include "net/robots.h"
#include "net/sse.h"
#include "prompt/untrusted.h"
#include "search/best.h"
#include "search/chunk.h"
#include "knowledge/excerpt.h"
#include "search/lines.h"
#include "search/records.h"
#include "search/snippet.h"
#include "search/sure.h"
#include "tool/core/secret.h"
#include "tool/text/given.h"
#include "tool/text/pii.h"
#include "context/quote.h"
#include "turn/title.h"
#include "unit.h"

enum {
	SMALL = 1024,		/* and twice that: what tells one text from another */
	LARGE = SANITIZED ? 65536 : 262144,
	MANY = SANITIZED ? 4096 : 8192,	/* for bytes and pairs, which are many */
	SEEN = 4096,
	WORDS = 24,
};

/* -- counting ----------------------------------------------------------------------- */

static uint64_t steps;

void __sanitizer_cov_trace_pc(void);

/* Called at each branch of the sources that are counted. */
void __sanitizer_cov_trace_pc(void)
{
	steps++;
}

/*
 * The linker sends calls of x to __wrap_x, and of __real_x to x (STEPS_WRAPPED). Each adds
 * the bytes that it looks at, at most.
 */
#define WRAP(type, name, params, args, cost) \
	type __real_##name params; \
	type __wrap_##name params; \
	type __wrap_##name params \
	{ \
		type r = __real_##name args; \
		steps += (cost); \
		return r; \
	}

#define UP_TO(r, p, n) ((r) ? (size_t)((const char *)(r) - (const char *)(p)) + 1 : (n))

WRAP(void *, memchr, (const void *p, int c, size_t n), (p, c, n), UP_TO(r, p, n))
WRAP(void *, memrchr, (const void *p, int c, size_t n), (p, c, n),
	r ? n - UP_TO(r, p, n) + 1 : n)
WRAP(void *, memmem, (const void *p, size_t n, const void *q, size_t m), (p, n, q, m),
	UP_TO(r, p, n) + m)
WRAP(void *, memcpy, (void *to, const void *p, size_t n), (to, p, n), n)
WRAP(void *, memmove, (void *to, const void *p, size_t n), (to, p, n), n)
WRAP(void *, memset, (void *to, int c, size_t n), (to, c, n), n)
WRAP(int, memcmp, (const void *p, const void *q, size_t n), (p, q, n), r ? 1 : n)
WRAP(size_t, strlen, (const char *p), (p), r + 1)
WRAP(char *, strchr, (const char *p, int c), (p, c), r ? UP_TO(r, p, 0) : 16)
WRAP(char *, strstr, (const char *p, const char *q), (p, q), UP_TO(r, p, strlen(p)))
WRAP(void *, realloc, (void *p, size_t n), (p, n), n / 32)

/* -- the functions ------------------------------------------------------------------- */

static struct arena a;
static struct err e;
static struct tokens *words;
static struct buf out;
static const struct untrusted boundary = { .id = "0123456789abcdef0123456789abcdef" };

static void do_chunk(struct str s)
{
	struct chunk *v;
	size_t n;

	if (chunk_split(s, &a, &v, &n, &e) < 0)
		err_clear(&e);
}

static void do_best(struct str s)
{
	struct chunk *v;
	size_t n, *order;

	if (chunk_split(s, &a, &v, &n, &e) == 0)
		(void)!search_best(v, n, s, &a, &order, &n, &e);
	err_clear(&e);
}

static void do_page(struct str s)
{
	struct kb_page p;

	(void)kb_page(s, 0, s.n - 1, &p);
	(void)kb_page(s, 3, 0, &p);
}

static void do_lines(struct str s)
{
	struct lines l = { .text = s };
	struct text_line x;

	while (lines_next(&l, &x))
		continue;
}

static void do_records(struct str s)
{
	struct records r = { .text = s, .delimiter = ';' };

	(void)records_detect(s, &r);
	for (size_t i = 0; i < s.n; i = records_end(&r, i))
		continue;
}

static void do_tokens(struct str s)
{
	size_t n;

	(void)tokens_split(words, s, false, &n);
	(void)tokens_split(words, s, true, &n);
}

static void do_snippet(struct str s)
{
	struct snippet x;

	snippet_make(words, s, s, 200, &a, &x);
}

static void do_quotes(struct str s)
{
	struct quote_marks *m = arena_new(&a, struct quote_marks);
	struct quote_place *places;

	quote_find(s, &a, m);
	(void)quote_places(s, &a, &places);
	m->n = 1;
	m->v[0] = (struct str){ s.p, MIN(s.n, 2000) };
	quote_check(m, &s, 1);
}

static void do_pii(struct str s)
{
	struct pii_scan scan = { .text = s, .kinds = (1u << PII__MAX) - 1 };
	struct pii p;

	while (pii_next(&scan, &p))
		pii_mask(p.kind, (struct str){ s.p + p.offset, p.n }, &out);
}

static void run_tool(struct str s, int (*run)(const struct tool *t,
	const struct tool_ctx *ctx, const json_t *args, struct buf *to, bool *is_json,
	struct err *why))
{
	const struct tool_ctx ctx = { .arena = &a };
	json_t *args = json_object();
	bool is_json;

	json_object_set_new(args, "text", jx_string(s));
	assert_int_equal(run(NULL, &ctx, args, &out, &is_json, &e), 0);
	json_decref(args);
}

static void do_find_pii(struct str s)
{
	run_tool(s, find_pii_run);
}

static void do_log(struct str s)
{
	run_tool(s, analyse_log_run);
}

static void do_blanks(struct str s)
{
	const struct str values[] = { STR("x"), STR("y") };
	const struct blank v[] = { { .name = STR("a") }, { .name = STR("b") } };
	struct blank *found;
	size_t n;

	if (blank_parse(s, &a, &found, &n, &e) < 0)
		err_clear(&e);
	blank_fill(s, v, values, 2, &out);
	(void)blank_filled(s, s);
}

static void do_envelope(struct str s)
{
	untrusted_wrap(&boundary, s, s, &out);
	untrusted_spell(s, &out);
}

static void do_utf8(struct str s)
{
	(void)utf8_valid(s);
	(void)utf8_chars(s);
	(void)utf8_complete(s);
	(void)utf8_head(s, s.n / 2);
	utf8_scrub(&out, s);
	(void)str_trim(s);
	for (struct str rest = s; rest.p; )
		(void)str_cut(&rest, '\n');
}

static void do_case(struct str s)
{
	(void)str_holds_any_case(s, (struct str){ s.p + s.n / 2, s.n / 4 });
	(void)str_holds_any_case(s, STR("aAaAaAaAb"));
}

static void do_json(struct str s)
{
	struct jw w = jw_on(&out);
	bool repaired;

	json_decref(jx_try(s));
	json_decref(jx_load_lenient(s, &e));
	err_clear(&e);
	(void)jx_extent(s);
	json_decref(repair_load(s, &repaired));
	jw_str(&w, s);
}

static void do_args(struct str s)
{
	bool plain, repaired;

	json_decref(repair_args(s, &plain, &repaired));
}

static void do_title(struct str s)
{
	(void)title_clean(&a, s);
}

static void do_mask(struct str s)
{
	struct buf b = BUF_INIT(2 * s.n + 1);

	buf_addstr(&b, s);
	secret_mask(&b, STR("aaaaaaaaaaaa"));
	buf_release(&b);
}

static int ignore(void *ctx, struct str name, struct str data)
{
	(void)ctx;
	(void)name;
	(void)data;
	return 0;
}

static void do_events(struct str s)
{
	struct sse_reader r;

	for (int i = 0; i < 2; i++) {
		sse_init(&r);
		if ((i ? ndjson_feed : sse_feed)(&r, s, ignore, NULL, &e) < 0)
			err_clear(&e);
		sse_release(&r);
	}
}

static int ignore_event(void *ctx, const struct llm_event *ev)
{
	(void)ctx;
	(void)ev;
	return 0;
}

/* An answer in pieces, as text and as arguments of a call. */
static void do_answer(struct str s)
{
	static const char *const forms[] = { "{\"content\":",
		"{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":" };
	static const char *const ends[] = { "}", "}}]}" };
	const struct llm_service service = llm_service_bare("lmstudio", "", NULL);
	struct buf valid = BUF_INIT(3 * s.n + 1), b = BUF_INIT(4096);

	utf8_scrub(&valid, s);
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		struct llm_decoder *d = llm_decoder_new("lmstudio", &service, &e);
		struct str rest = buf_str(&valid);

		while (d && rest.n) {
			struct str piece = utf8_head(rest, 16);

			rest = (struct str){ rest.p + piece.n, rest.n - piece.n };
			buf_reset(&b);
			buf_addf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":%s",
				 forms[i]);
			buf_json(&b, piece);
			buf_addf(&b, "%s}]}\n\n", ends[i]);
			if (llm_decoder_feed(d, buf_str(&b), ignore_event, NULL, &e) < 0)
				break;
		}
		if (d && llm_decoder_finish(d, ignore_event, NULL, &e) < 0)
			err_clear(&e);
		llm_decoder_free(d);
		err_clear(&e);
	}
	buf_release(&valid);
	buf_release(&b);
}

static void do_asks(struct str s)
{
	(void)sure_asks(s);
}

static void do_robots(struct str s)
{
	(void)robots_allow(s, STR("/aaaaaaaaaaaaaaaa/b"));
	(void)robots_delay_ms(s);
	(void)robots_noindex(s);
}

static void do_html(struct str s)
{
	html_text(&out, s);
	html_lines(&out, s);
}

static int plain(struct extract *x)
{
	x->charset = "windows-1252";
	return extract_plain(x);
}

static void read_with(struct str before, struct str s, int (*read)(struct extract *x))
{
	struct extract x = {
		.input = BUF_INIT(before.n + s.n + 1), .out = BUF_INIT(16 * s.n + 4096),
	};

	buf_addstr(&x.input, before);
	buf_addstr(&x.input, s);
	(void)read(&x);
	buf_release(&x.input);
	buf_release(&x.out);
}

static void do_plain(struct str s)
{
	read_with(STR(""), s, plain);
}

static void do_rtf(struct str s)
{
	read_with(STR("{\\rtf1 "), s, extract_rtf);
}

static void do_mail(struct str s)
{
	read_with(STR("From: x\nSubject: "), s, extract_mail);
	read_with(STR("From: x\n\n"), s, extract_mail);
	read_with(STR("Content-Type: multipart/mixed; boundary=b\n\n"), s, extract_mail);
	read_with(STR("From a Jan 1 10:00 2026\nFrom: x\n\n"), s, extract_mail);
	(void)extract_is_mail(s);
}

static void do_arabic(struct str s)
{
	struct buf b = BUF_INIT(s.n + 1);

	buf_addstr(&b, s);
	extract_lam_alef(&b);
	buf_release(&b);
}

static void do_tags(struct str s)
{
	(void)tags_are_small(s, true);
	(void)tags_are_small(s, false);
}

static void do_charset(struct str s)
{
	struct buf b = BUF_INIT(s.n + 1);

	buf_addstr(&b, s);
	charset_select(s, "");
	charset_convert(&b);
	(void)charset_own_word(s);
	buf_release(&b);
}

static void do_put(struct str s)
{
	extract_put_heading(&out, 1, s);
	extract_put_paragraph(&out, s);
	extract_put_item(&out, "- ", s);
	extract_put_row(&out, s, true);
}

static const struct row {
	const char *name;
	void (*run)(struct str s);
	const char *words[WORDS];	/* what the function names */
} rows[] = {
	{ "chunk", do_chunk, { "\n", "\f", "# a\n", "|a|\n", "---\n", "===\n", "```\n", "~",
	  "<!-- page 2 -->\n", "<!--", "-->", "<pre", "a;b\n", "\"", ";", "a", " ", ".", "- ",
	  "\xe3\x80\x82" } },
	{ "best", do_best, { "\n", "\f", "# a\n", "a ", "b ", "|a|\n" } },
	{ "page", do_page, { "\n", "\f", "<!-- page 2 -->\n", "<!--", "```\n", " " } },
	{ "lines", do_lines, { "\n", "\f", "\r", "#", " ", "|", "-", "=", "`", "~", "<!--",
	  "-->", "<", "</pre>", "<pre>", "+++\n", "---\n" } },
	{ "records", do_records, { "\"", "\"\"", ";", ",", "\t", "|", "\n", "\r", "a", "1",
	  "sep=;\n" } },
	{ "tokens", do_tokens, { "a", "1", ".", ",", "-", "_", "@", "+", "'", " ", "\xc2\xad",
	  "\xe2\x80\x99", "\xe6\x9d\xb1", "\xc3\xa9", "\xcc\x81", "s" } },
	{ "snippet", do_snippet, { "a", "b", " ", "\"", "\n", "\xc3\xa9", "\xe6\x9d\xb1" } },
	{ "quotes", do_quotes, { "`", "```\n", "~~~\n", "\"", "'", "“", "”", "„", "‚", "‘", "’",
	  "«", "»", "[1", "[", "]", ",", "…", "...", "\\", "\n", "a ", "^" } },
	{ "pii", do_pii, { "a", "1", "@", ".", "-", "+", "(", ")", " ", ":", "DE", "::", "eyJ",
	  "sk-", "-----BEGIN ", "password=", "\n", "_", "\xc3\xa9", "4" } },
	{ "find_pii", do_find_pii, { "a@b.cc ", "1", "\n", "192.0.2.1 " } },
	{ "log", do_log, { "\"", "'", "a", "1", " ", "\n", "\" 200 ", "error", "2025-01-01" } },
	{ "blanks", do_blanks, { "{{", "}}", "{", "}", "a", ":", "|", "\\", "choice", " ", "\n" } },
	{ "envelope", do_envelope, { "<|", "|>", "[INST]", "<", "[", "\n", "\xef", "U",
	  "UNTRUSTED-DATA", "0", "01", "\xe2\x80\x8b", "\xe2\x80\x8d", "\xef\xbd\x9c", "</" } },
	{ "utf8", do_utf8, { "a", "\n", " ", "\xc3\xa9", "\xf0\x9f\x98\x80", "\xf0", "\x80" } },
	{ "case", do_case, { "a", "A", "b" } },
	{ "json", do_json, { "{", "}", "[", "]", "\"", "\\", "\\u", "\\ud800", ",", ":", "0",
	  "-", "\n", "a", "\xf0" } },
	{ "arguments", do_args, { "{}", "null", "\"\"", "{\"a\":1}", "\"{}\"", "{", "}", "[",
	  "]", "\"", "\\", "```", "```json\n", "~~~", "\n", " ", "a" } },
	{ "title", do_title, { "```", "~~~", "titel", "：", "\n", " ", "*", "\"", "title:", "a",
	  ".", "\xc3\xa9" } },
	{ "mask", do_mask, { "a", "aaaaaaaaaaaa", "b" } },
	{ "events", do_events, { "\n", "\r", "data:", ":", "event:", "id:", " ", "error:", "x" } },
	{ "answer", do_answer, { "<think>", "</think>", "<", "</", "\n", " ", "{", "}", "\"", "\\",
	  "a", "\xc3\xa9", "{}", "null" } },
	{ "asks", do_asks, { "a", "the ", "t'", "1", " ", "\xc3\xa9" } },
	{ "robots", do_robots, { "\n", "\r", "User-agent: *\n", "Disallow: /*a*a", "*", ":", "#",
	  "%", "%41", "$", ",", "a" } },
	{ "html", do_html, { "<", "&", "\n", "\r", "\"", "a" } },
	{ "plain text", do_plain, { "a", "\n", "\r", "\f", "<", "!", "\xe4", "\xff" } },
	{ "arabic", do_arabic, { "\xd8\xa7", "\xd9\x84", " ", "a", "\xd8" } },
	{ "rtf", do_rtf, { "{", "}", "\\", "\\par ", "\\u228 ", "\\'e4", "\\uc1", "\\bin9 ", "a",
	  "\n", "\\*", "{\\stylesheet", "\\s1\\sbasedon2 a;" } },
	{ "mail", do_mail, { "\n", "=?", "?", "?=", "?B?", "=", "--b\n", "--b", "-", ":", ";",
	  "From: ", " ", "=C3", "\nFrom a Jan 10:00 2026\n", "A:\n", "Content-Type: multipart/mixed; boundary=b\n\n" } },
	{ "tags", do_tags, { "<a", "</", "<!--", "-->", "<![CDATA[", "]]>", " b", "=", "\"", "'",
	  ">", "/", "<script", " " } },
	{ "charset", do_charset, { "<meta", "charset", "=", ">", "\xe4", "\xff", "a" } },
	{ "output", do_put, { "\n", "|", "\x1f", "<", "!", "\r", " ", "a" } },
};

/* -- texts ---------------------------------------------------------------------------- */

static char *text;
static size_t room;

static void put_word(size_t *n, size_t most, const char *word)
{
	const size_t len = MIN(strlen(word) + !*word, most - *n);	/* "": a NUL */

	memcpy(text + *n, word, len);
	*n += len;
}

/* The words, one after the other or each in a half of its own, over n bytes. */
static uint64_t count(const struct row *r, const char *x, const char *y, bool halves,
		      size_t n)
{
	size_t at = 0;

	assert_true(n <= room);
	while (at < n) {
		if (!halves || at < n / 2)
			put_word(&at, halves ? n / 2 : n, x);
		if (at < n && (!halves || at >= n / 2))
			put_word(&at, n, y);
	}
	buf_reset(&out);
	arena_reset(&a);
	steps = 0;
	r->run((struct str){ text, n });
	return steps;
}

struct sign {
	uint64_t one, two;
};

struct seen {
	struct sign v[SEEN];
	size_t n;
};

/* Whether another text cost the same; else this one is noted. */
static bool seen_before(struct seen *s, struct sign sign)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].one == sign.one && s->v[i].two == sign.two)
			return true;
	assert_true(s->n < SEEN);
	s->v[s->n++] = sign;
	return false;
}

static size_t more_bytes(void)
{
	const char *mb = getenv("LAMPLIGHTER_STEPS_MB");

	return mb ? (size_t)strtoul(mb, NULL, 10) << 20 : 0;
}

static void print_word(const char *word)
{
	for (const unsigned char *p = (const unsigned char *)word; *p; p++)
		fprintf(stderr, *p > ' ' && *p < 0x7f ? "%c" : "\\x%02x", *p);
	fputc(' ', stderr);
}

/* Twice the text is at most a little more than twice the work. */
static bool grows_well(const struct row *r, const char *x, const char *y, bool halves,
		       size_t n)
{
	const uint64_t one = count(r, x, y, halves, n);
	const uint64_t two = count(r, x, y, halves, 2 * n);

	uint64_t four;

	if (two <= one * 5 / 2 + 65536)
		return true;
	/* A quote at the end may save a pass over the text, once. */
	four = count(r, x, y, halves, 4 * n);
	if (four <= two * 5 / 2)
		return true;
	fprintf(stderr, "%s: ", r->name);
	print_word(x);
	print_word(y);
	fprintf(stderr, "%s: %llu steps for %zu bytes, %llu for twice that, %llu for four "
		"times\n", halves ? "(halves)" : "", (unsigned long long)one, n,
		(unsigned long long)two, (unsigned long long)four);
	return false;
}

static bool try(const struct row *r, struct seen *seen, const char *x, const char *y,
		bool halves, size_t n)
{
	const size_t more = more_bytes();
	struct sign sign;

	if (more)
		return grows_well(r, x, y, halves, more);
	sign.one = count(r, x, y, halves, SMALL);
	sign.two = count(r, x, y, halves, 2 * SMALL);
	return seen_before(seen, sign) || grows_well(r, x, y, halves, n);
}

static bool try_all(const struct row *r)
{
	struct seen *seen = xcalloc(1, sizeof(*seen));
	bool ok = true;

	for (size_t i = 0; i < WORDS && r->words[i]; i++)
		ok &= try(r, seen, r->words[i], r->words[i], false, LARGE);
	for (int c = 0; c < 256; c++) {
		const char word[2] = { (char)c, '\0' };

		ok &= try(r, seen, word, word, false, MANY);
	}
	for (size_t i = 0; i < WORDS && r->words[i]; i++)
		for (size_t k = 0; k < WORDS && r->words[k]; k++)
			for (int halves = 0; halves < 1 + (i != k); halves++)
				ok &= try(r, seen, r->words[i], r->words[k], halves,
					  MANY);
	free(seen);
	return ok;
}

static void work_grows_with_the_text(void **state)
{
	const char *only = getenv("LAMPLIGHTER_STEPS_OF");
	struct extract x = { .depth = 0 };
	bool ok = true;

	(void)state;
	assert_int_equal(extract_file_prepare(&x), EXTRACT_OK);
	words = tokens_open(STR("en"), &e);
	assert_non_null(words);
	room = 4 * MAX((size_t)LARGE, more_bytes());
	text = xmalloc(room);
	out = (struct buf)BUF_INIT(64 * room);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!only || strcmp(only, rows[i].name) == 0)
			ok &= try_all(&rows[i]);
	buf_release(&out);
	tokens_close(words);
	arena_release(&a);
	free(text);
	assert_true(ok);
}

/* The counter itself: a loop in a loop is found. */
static void do_squares(struct str s)
{
	static volatile bool found;

	for (size_t i = 0; i < s.n; i += 256)
		found = memchr(s.p + i, 'x', s.n - i) != NULL;
	(void)found;
}

static void a_square_is_found(void **state)
{
	const struct row r = { "squares", do_squares, { NULL } };

	(void)state;
	room = 4 * LARGE;
	text = xmalloc(room);
	fprintf(stderr, "# expected:\n# ");
	assert_false(grows_well(&r, "a", "a", false, LARGE));
	assert_true(grows_well(&r, "x", "x", false, LARGE));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_square_is_found),
		cmocka_unit_test(work_grows_with_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
