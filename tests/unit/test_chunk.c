/* SPDX-License-Identifier: MIT */
/* Passages of documents: headings, pages, tables. No database. */
#include "base/limits.h"
#include "base/utf8.h"
#include "base/util.h"
#include "search/chunk.h"
#include "search/lines.h"
#include "search/records.h"
#include "unit.h"

static struct arena a;
static struct err e;

/* A sequence that is the same on every machine. */
static uint32_t seed = 1;

static uint32_t dice(uint32_t sides)
{
	seed = seed * 1664525U + 1013904223U;
	return (seed >> 8) % sides;
}

/* -- chunks --------------------------------------------------------------------------- */

static struct chunk *cut(const char *text, size_t *n)
{
	struct chunk *v;

	assert_int_equal(chunk_split(str_of(text), &a, &v, n, &e), 0);
	return v;
}

static void headings_are_above_their_texts(void **state)
{
	size_t n;
	struct chunk *v = cut("Before.\n\n# One\n\nFirst.\n\n## Two\n\nSecond.\n"
			      "# Three\nThird.\n### Alone\n", &n);

	(void)state;
	assert_int_equal(n, 5);
	assert_str_is(v[0].text, "Before.");
	assert_str_is(v[0].heading, "");
	assert_str_is(v[1].heading, "One");
	assert_str_is(v[2].heading, "One > Two");
	assert_str_is(v[2].text, "Second.");
	assert_str_is(v[3].heading, "Three");
	assert_str_is(v[4].heading, "Three > Alone");
	assert_str_is(v[4].text, "Alone");
	assert_int_equal(v[4].page, 0);
}

static void pages_and_places_are_kept(void **state)
{
	const char *text = "One.\n\fTwo.\n\f\f# H\nFour.";
	size_t n;
	struct chunk *v = cut(text, &n);

	(void)state;
	assert_int_equal(n, 2);		/* short pages stay together */
	assert_int_equal(v[0].page, 1);
	assert_int_equal(v[1].page, 4);
	assert_str_is(v[1].text, "Four.");
	assert_memory_equal(text + v[1].at, "Four.", 5);
}

/* Readers of sources and of passages have one idea of a page, with an end. */
static void marks_have_a_last_page(void **state)
{
	static const struct { const char *line; int page; } cases[] = {
		{ "<!-- page 1 -->", 1 }, { " <!-- page 1000000 -->\n", 1000000 },
		{ "<!-- page 1000001 -->", 0 }, { "<!-- page 2147483647 -->", 0 },
		{ "<!-- page 9223372036854775807 -->", 0 },
		{ "<!-- page 0 -->", 0 }, { "<!-- page -1 -->", 0 },
	};
	const char *text = "<!-- page 2147483647 -->\nOne.\n\fTwo.\n";
	size_t n;
	struct chunk *v = cut(text, &n);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(line_page_mark(str_of(cases[i].line)),
				 cases[i].page);
	assert_true(n >= 1);
	for (size_t i = 0; i < n; i++)
		assert_in_range(v[i].page, 1, 2);
}

static void marks_begin_pages(void **state)
{
	const char *text = "<!-- page 1 -->\n\n# H\nOne.\n\n<!-- page 2 -->\n\nTwo.\n"
		"<!-- page 7 -->\n| a |\n<!-- page 8 -->\n<!-- page x -->\n";
	static const struct { int page; const char *text; } want[] = {
		{ 1, "One." }, { 2, "Two." }, { 7, "| a |" }, { 8, "<!-- page x -->" },
	};
	size_t n;
	struct chunk *v = cut(text, &n);

	(void)state;
	assert_int_equal(n, ARRAY_LEN(want));
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(v[i].page, want[i].page);
		assert_str_is(v[i].text, want[i].text);
		assert_str_is(v[i].heading, "H");
	}
}

static void tables_stay_whole_or_keep_their_head(void **state)
{
	struct buf b = BUF_INIT(1 << 20);
	struct chunk *v;
	size_t n;

	(void)state;
	buf_adds(&b, "Text.\n\n| a | b |\n|---|---|\n");
	for (int i = 0; i < 200; i++)
		buf_addf(&b, "| row %d | x |\n", i);
	buf_adds(&b, "\nAfter.\n");
	v = cut(b.p, &n);
	assert_int_equal(n, 3);
	assert_true(str_starts(v[1].text, STR("| a | b |")));
	assert_non_null(strstr(v[1].text.p, "| row 199 | x |"));
	buf_reset(&b);
	buf_adds(&b, "| a | b |\n|---|---|\n");
	for (int i = 0; i < 2000; i++)
		buf_addf(&b, "| row %d | x |\n", i);
	v = cut(b.p, &n);
	assert_true(n > 10);
	for (size_t i = 0; i < n; i++)
		assert_true(str_starts(v[i].text, STR("| a | b |\n|---|---|\n")));
	buf_release(&b);
}

/* With and without a head that is repeated in front of each part. */
static void a_row_of_any_length_is_cut_without_loss(void **state)
{
	static const char *const heads[] = { "| a | b |\n|---|---|\n", "" };

	(void)state;
	for (size_t h = 0; h < ARRAY_LEN(heads); h++) {
		struct buf b = BUF_INIT(1 << 20);
		size_t n, next = 0;
		struct chunk *v;

		buf_adds(&b, heads[h]);
		buf_adds(&b, "|     ");	/* no number is cut in two */
		for (int i = 10000; i < 40000; i++)
			buf_addf(&b, "%d ", i);
		buf_adds(&b, "|\n| last | row |\n");
		v = cut(b.p, &n);
		assert_true(n > 30);
		for (size_t i = 0; i < n; i++) {
			assert_true(utf8_chars(v[i].text) < 5000);
			assert_true(str_starts(v[i].text, str_of(heads[h])));
			for (; next < 30000; next++) {
				char word[8];

				snprintf(word, sizeof(word), "%zu", next + 10000);
				if (!memmem(v[i].text.p, v[i].text.n, word, 5))
					break;
			}
		}
		assert_int_equal(next, 30000);
		assert_non_null(memmem(v[n - 1].text.p, v[n - 1].text.n,
				       "| last | row |", 14));
		buf_release(&b);
	}
}

/* A head that is too long to be repeated is there once. */
static void a_long_head_is_a_row(void **state)
{
	struct buf b = BUF_INIT(1 << 20);
	struct chunk *v;
	size_t n, heads = 0;

	(void)state;
	buf_adds(&b, "| headline ");
	for (int i = 0; i < 300; i++)
		buf_adds(&b, "| a column ");
	buf_adds(&b, "|\n|---|\n");
	for (int i = 0; i < 400; i++)
		buf_addf(&b, "| row %d | x |\n", i);
	v = cut(b.p, &n);
	for (size_t i = 0; i < n; i++)
		heads += memmem(v[i].text.p, v[i].text.n, "headline", 8) != NULL;
	assert_int_equal(heads, 1);
	buf_release(&b);
}

/* -- headings that are none, and that are --------------------------------------------- */

/* Each text has one chunk with the word zebra; its heading is the expected one. */
static void headings_are_those_of_the_text(void **state)
{
	static const struct { const char *text, *heading; } cases[] = {
		/* code */
		{ "# A\n\n```sh\n# no\n```\n\nzebra\n", "A" },
		{ "# A\n~~~\n# no\n```\n# no\n~~~\nzebra\n", "A" },
		{ "# A\n````\n```\n# no\n```\n````\n# B\nzebra\n", "B" },
		{ "# A\n1. do\n\n   ```\n# no\n   ```\nzebra\n", "A" },
		{ "# A\n```\n# no\n\n# no\n\nzebra\n", "A" },
		{ "# A\n``` a ` b\n# B\nzebra\n", "B" },
		{ "# A\n``` code ```\n# B\nzebra\n", "B" },
		{ "# A\n    # no\n\n\t# no\n\nzebra\n", "A" },
		{ "# A\n```\n# no\n``` x\n# no\n```\n# B\nzebra\n", "B" },
		/* a page ends it */
		{ "# A\n```\n# no\n\f# B\nzebra\n", "B" },
		{ "# A\n```\n# no\n<!-- page 2 -->\n# B\nzebra\n", "B" },
		/* HTML and front matter */
		{ "# A\n<pre>\n# no\n</pre>\nzebra\n", "A" },
		{ "# A\n<!-- x\n# no\n-->\n# B\nzebra\n", "B" },
		{ "# A\n<PRE class=x>\n# no\n\n# no\n</Pre>\n# B\nzebra\n", "B" },
		{ "# A\n<preface>\n# B\nzebra\n", "B" },
		{ "# A\n<!-- x -->\n# B\nzebra\n", "B" },
		{ "---\ntitle: x\n# no\n---\nzebra\n", "" },
		{ "+++\ntitle = 1\n# no\n+++\nzebra\n", "" },
		{ "---\n\n# B\nzebra\n", "B" },
		/* underlined */
		{ "One\n===\nzebra\n", "One" },
		{ "One\n===\n\nTwo\n---\n\nzebra\n", "One > Two" },
		{ "One\r\n=====\r\nzebra\r\n", "One" },
		{ "One\nand two\n------  \nzebra\n", "One and two" },
		{ "   One\n   ===\nzebra\n", "One" },
		{ "One\n--\n# B\nzebra\n", "B" },
		{ "# B\nThanks\n-- \nzebra\n", "B" },
		{ "# B\n- item\n---\nzebra\n", "B" },
		{ "# B\n1. item\n---\nzebra\n", "B" },
		{ "# B\n> said\n---\nzebra\n", "B" },
		{ "# B\n    code\n---\nzebra\n", "B" },
		{ "# B\n```\nx\n---\ny\n```\nzebra\n", "B" },
		{ "# B\n```\nx\n```\n---\nzebra\n", "B" },
		{ "# B\n\n---\nzebra\n", "B" },
		{ "# B\n| a |\n---\nzebra\n", "B" },
		{ "# B\na | b\n--- | ---\nzebra\n", "B" },
		{ "=====\nOne\n=====\nzebra\n", "One" },
		{ "2025 report\n===\nzebra\n", "2025 report" },
		/* written otherwise */
		{ "# A #\nzebra\n", "A" }, { "##\tB ###\nzebra\n", "B" },
		{ "  # A\nzebra\n", "A" }, { "# C#\nzebra\n", "C#" },
		{ "#no\nzebra\n", "" }, { "#\n\nzebra\n", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t n, found = 0;
		struct chunk *v = cut(cases[i].text, &n);

		for (size_t k = 0; k < n; k++) {
			if (!memmem(v[k].text.p, v[k].text.n, "zebra", 5))
				continue;
			found++;
			if (!str_is(v[k].heading, cases[i].heading))
				fail_msg("case %zu: \"%.*s\"", i,
					 STR_ARG(v[k].heading));
		}
		assert_int_equal(found, 1);
	}
}

/* A line above a rule, and one that begins with #, is text if it is too long. */
static void a_long_heading_is_text(void **state)
{
	struct buf b = BUF_INIT(1 << 16);
	struct chunk *v;
	size_t n;

	(void)state;
	buf_adds(&b, "# ");
	for (int i = 0; i < 60; i++)
		buf_addf(&b, "word%d ", i);
	buf_adds(&b, "end\n\n");
	for (int i = 0; i < 60; i++)
		buf_addf(&b, "more%d ", i);
	buf_adds(&b, "last\nTitle\n===\nzebra\n");
	v = cut(b.p, &n);
	assert_int_equal(n, 2);
	assert_non_null(memmem(v[0].text.p, v[0].text.n, "word59 end", 10));
	assert_non_null(memmem(v[0].text.p, v[0].text.n, "more59 last", 11));
	assert_str_is(v[1].heading, "Title");
	assert_str_is(v[1].text, "zebra");
	buf_release(&b);
}

/* -- tables as text ----------------------------------------------------------------------- */

/* Each chunk begins with the head and has whole rows; all rows are in one. */
static void check_rows(const struct buf *b, const char *before, const char *head,
		       const char *last, size_t rows)
{
	size_t n, found = 0;
	struct chunk *v = cut(b->p, &n);

	assert_true(n > 5);
	for (size_t i = *before ? 1 : 0; i < n; i++) {
		struct str s = v[i].text;

		assert_true(str_starts(s, str_of(head)));
		s.p += strlen(head);
		s.n -= strlen(head);
		assert_true(utf8_chars(s) <= 4800);
		assert_memory_equal(s.p, "\nrow", 4);
		assert_memory_equal(s.p + s.n - strlen(last), last, strlen(last));
		for (const char *p = s.p; (p = memmem(p, s.n - (size_t)(p - s.p),
						     "\nrow", 4)); p++)
			found++;
		assert_memory_equal(b->p + v[i].at, "row", 3);
	}
	assert_int_equal(found, rows);
}

static void records_keep_their_head_and_are_whole(void **state)
{
	static const struct { const char *before, *head, *row, *last; } cases[] = {
		{ "", "Nr;Name;Ort;2025", "row %d;Firma %d GmbH;Stadt;1,5", "1,5" },
		{ "", "id,name,note", "row %d,Firma %d,\"a, b\"", "\"" },
		{ "", "id,name,note", "row %d,Firma %d,\"said \"\"x\"\", b\n\n# c\"", "c\"" },
		{ "", "id,\"na\nme\",note", "row %d,Firma %d,x", ",x" },
		{ "", "id\tname", "row %d\tFirma %d", "" },
		{ "", "id|name|note", "row %d|Firma %d|x", "|x" },
		{ "", "#;name;note", "row %d;Firma %d;x", ";x" },
		{ "", "id;name;size", "row %d;Firma %d;19\" rack", "rack" },
		{ "", "id;name;size", "row %d;\"Firma %d;x", ";x" },
		{ "sep=;\n", "id;name;note", "row %d;Firma %d;x", ";x" },
		{ "# Report\n\nWords.\n\n", "id;name;note", "row %d;Firma %d;x", ";x" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf b = BUF_INIT(1 << 20);
		const bool report = cases[i].before[0] == '#';

		buf_addf(&b, "%s%s\n", cases[i].before, cases[i].head);
		for (int k = 0; k < 2000; k++) {
			char row[100];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(row, sizeof(row), cases[i].row, k, k);
#pragma GCC diagnostic pop
			buf_addf(&b, "%s\n", row);
		}
		check_rows(&b, report ? cases[i].before : "", cases[i].head,
			   cases[i].last, 2000);
		buf_release(&b);
	}
}

/* Without names of columns no row is repeated; a row that is too long is cut. */
static void records_without_a_head(void **state)
{
	struct buf b = BUF_INIT(1 << 20);
	struct records r;
	struct chunk *v;
	size_t n, firsts = 0;

	(void)state;
	for (int i = 0; i < 500; i++)
		buf_addf(&b, "%d;Firma %d;Stadt\n", 10000 + i, i);
	v = cut(b.p, &n);
	assert_true(n > 5);
	for (size_t i = 0; i < n; i++) {
		firsts += memmem(v[i].text.p, v[i].text.n, "10000;", 6) != NULL;
		assert_memory_equal(v[i].text.p + 5, ";Firma ", 7);
	}
	assert_int_equal(firsts, 1);
	buf_reset(&b);
	buf_adds(&b, "id;name\n1;x\n2;");
	for (int i = 0; i < 20000; i++)
		buf_addf(&b, "w%d ", i);
	buf_adds(&b, "\n3;y\n");
	assert_true(records_detect(buf_str(&b), &r));
	v = cut(b.p, &n);
	assert_true(n > 10);
	for (size_t i = 0; i < n; i++) {
		assert_true(str_starts(v[i].text, STR("id;name\n")));
		assert_true(utf8_chars(v[i].text) <= 4808);
	}
	buf_release(&b);
}

static void prose_is_no_table(void **state)
{
	static const char *const texts[] = {
		"One, two.\nThree, four, five.\nSix.\n",
		"{\"a\":1,\"b\":2}\n{\"a\":1,\"b\":2}\n{\"a\":1,\"b\":2}\n",
		"# A, b\n# C, d\n# E, f\n", "| a | b |\n|---|---|\n| c | d |\n",
		"a;b\n1;2\n", "one\ntwo\nthree\nfour\n", "", "sep=;", "a;b",
	};
	struct records r;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_false(records_detect(str_of(texts[i]), &r));
}

/* Nothing is lost, nothing is twice, and no chunk is too long. */
static void any_text_is_cut_without_loss(void **state)
{
	static const char *const pieces[] = {
		"word ", "Sentence. ", "\n", "\n\n", "\f", "# Head\n",
		"| x | y |\n", "東京", "é", "####### x\n", "verylongword",
	};

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct buf b = BUF_INIT(1 << 20);
		struct chunk *v;
		size_t n, from = 0;

		for (uint32_t i = dice(3000); i; i--)
			buf_adds(&b, pieces[dice(ARRAY_LEN(pieces))]);
		v = cut(b.p, &n);
		for (size_t i = 0; i < n; i++) {
			const char *p = v[i].text.p;

			assert_true(v[i].text.n > 0);
			assert_true(utf8_valid(v[i].text));
			assert_true(utf8_chars(v[i].text) <= 4800);
			if (p < b.p || p >= b.p + b.n)
				continue;	/* a table's part, or a heading */
			if (str_is(v[i].text, "Head"))
				continue;
			assert_true((size_t)(p - b.p) >= from);
			for (const char *q = b.p + from; q < p; q++)
				assert_null(strchr("wS\xe6", *q));
			from = (size_t)(p - b.p) + v[i].text.n;
		}
		buf_release(&b);
		arena_reset(&a);
	}
}

static void a_text_has_a_most(void **state)
{
	struct buf b = BUF_INIT(1 << 24);
	struct chunk *v;
	size_t n;

	(void)state;
	for (int i = 0; i <= LIM_CHUNKS; i++)
		buf_addf(&b, "# H%d\nx\n", i);
	assert_int_equal(chunk_split(buf_str(&b), &a, &v, &n, &e), -1);
	assert_int_equal(e.code, ERR_TOO_BIG);
	assert_non_null(strstr(e.public, "too long"));
	err_clear(&e);
	buf_release(&b);
	arena_reset(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headings_are_above_their_texts),
		cmocka_unit_test(pages_and_places_are_kept),
		cmocka_unit_test(marks_have_a_last_page),
		cmocka_unit_test(marks_begin_pages),
		cmocka_unit_test(tables_stay_whole_or_keep_their_head),
		cmocka_unit_test(a_row_of_any_length_is_cut_without_loss),
		cmocka_unit_test(a_long_head_is_a_row),
		cmocka_unit_test(any_text_is_cut_without_loss),
		cmocka_unit_test(a_text_has_a_most),
		cmocka_unit_test(headings_are_those_of_the_text),
		cmocka_unit_test(a_long_heading_is_text),
		cmocka_unit_test(records_keep_their_head_and_are_whole),
		cmocka_unit_test(records_without_a_head),
		cmocka_unit_test(prose_is_no_table),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_release(&a);
	return failed;
}
