/* SPDX-License-Identifier: MIT */
/* lib/base: errors, arenas, buffers, views, UTF-8, ids, time, log. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/recent.h"
#include "base/utf8.h"
#include "base/uuid.h"
#include "unit.h"

static void err_first_set_wins(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(err_set(&e, ERR_DB, "first %d", 1), -1);
	err_set(&e, ERR_NOT_FOUND, "second");
	assert_int_equal(e.code, ERR_DB);
	assert_string_equal(e.text, "first 1");
	err_wrap(&e, "while testing");
	assert_string_equal(e.text, "while testing: first 1");
	/* The log text never is the public text. */
	assert_string_equal(err_message(&e), err_rows[ERR_DB].message);
	err_clear(&e);
	err_field(&e, ERR_INVALID_FIELD, "title", "too long");
	assert_string_equal(e.field, "title");
	assert_string_equal(err_message(&e), "too long");
}

/* Whatever is cut, and wherever: what is told is UTF-8. */
static void err_texts_are_cut_at_characters(void **state)
{
	struct err e = ERR_INIT;
	char e_acute[301] = "";

	(void)state;
	for (size_t i = 0; i < 300; i += 2)
		memcpy(e_acute + i, "\xc3\xa9", 3);
	err_public(&e, ERR_CONFIG, "%.3s, %.1s.", e_acute, "\xf0\x9f");
	assert_string_equal(err_message(&e), "\xc3\xa9?, ?.");
	err_clear(&e);
	err_field(&e, ERR_CONFIG, e_acute, "x%s", e_acute);
	assert_true(utf8_valid(str_of(e.field)));
	assert_true(utf8_valid(str_of(e.text)));
	assert_true(utf8_valid(str_of(err_message(&e))));
	err_wrap(&e, "xy%s", "");
	assert_true(utf8_valid(str_of(e.text)));
}

/* Pseudo-locales are in every build, chosen by their exact tags. */
static void a_language_is_picked(void **state)
{
	static const struct {
		const char *accepted, *tag;
	} rows[] = {
		{ "", "en" }, { "*", "en" }, { "xx", "en" }, { "en-XA", "en-XA" },
		{ "AR-xb", "ar-XB" }, { "ar-XB-variant", "ar-XB" }, { "ar", "en" },
		{ "ar-X", "en" }, { "en-XA;q=0", "en" }, { "en-GB, en-XA", "en" },
		{ "en;q=0.5, ar-XB;q=0.6", "ar-XB" }, { "ar-XB;q=0.5,en-XA;q=0.5", "ar-XB" },
		{ "xx, ar-XB;q=0.001", "ar-XB" }, { "ar-XB;q=1.000;q=2, en-XA;q=0.9", "ar-XB" },
		{ "ar-XB;q=, en-XA;q=0.1", "en-XA" }, { "ar-XB;level=1, en", "en" },
		{ "-, --, ;, ,,;q=1, ar-XB", "ar-XB" }, { "ar-XB\t; q=0.7", "ar-XB" },
		{ "ar-XB;q=-1", "en" }, { "ar-XB;q=x", "en" }, { "ar-XB-", "ar-XB" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_string_equal(lang_tag(lang_pick(str_of(rows[i].accepted))),
				    rows[i].tag);
	assert_string_equal(lang_direction(lang_pick(STR("ar-XB"))), "rtl");
	assert_string_equal(lang_direction(NULL), "ltr");
}

static void texts_are_in_the_language(void **state)
{
	const struct lang *w = lang_pick(STR("ar-XB"));
	const struct str both = STR("EnglishConversations");
	const char *tag, *name;

	(void)state;
	assert_string_equal(lang_text(NULL, "Conversations"), "Conversations");
	assert_string_not_equal(lang_text(w, "Conversations"), "Conversations");
	assert_string_equal(lang_text(w, "No text of ours"), "No text of ours");
	assert_string_equal(lang_text(w, ""), "");
	assert_null(lang_text(w, NULL));
	/* A part of a text ends where it says. */
	assert_true(str_is(lang_str(w, (struct str){ both.p, 7 }), lang_text(w, "English")));
	assert_true(str_eq(lang_str(w, (struct str){ both.p, 6 }), STR("Englis")));
	assert_true(str_eq(lang_str(w, both), both));
	assert_true(lang_choice(0, &tag, &name));
	assert_string_equal(tag, "en");
	assert_string_equal(name, "English");
	for (size_t i = 1; lang_choice(i, &tag, &name); i++)
		assert_null(strstr(tag, "-X"));
}

/* What a client is told, not what is logged; an error that is cleared stays of its reader. */
static void errors_are_in_the_language_of_the_reader(void **state)
{
	struct err e = { .code = ERR_NONE, .lang = lang_pick(STR("en-XA")) };

	(void)state;
	err_set(&e, ERR_NOT_FOUND, "row 7");
	assert_string_equal(e.text, "row 7");
	assert_string_not_equal(err_message(&e), err_rows[ERR_NOT_FOUND].message);
	err_clear(&e);
	err_field(&e, ERR_INVALID_FIELD, "q", "The title may have at most %d characters.", 200);
	assert_string_equal(e.text, "The title may have at most 200 characters.");
	assert_null(strstr(err_message(&e), "title"));
	assert_non_null(strstr(err_message(&e), " 200 "));
	assert_string_equal(e.field, "q");
	/* what is meant stands in both */
	err_clear(&e);
	err_field(&e, ERR_INVALID_FIELD, "q", "There is no field %s.", "lmap");
	assert_int_equal(err_meant(&e, "lamp"), -1);
	assert_string_equal(e.text, "There is no field lmap. Did you mean \"lamp\"?");
	assert_non_null(strstr(err_message(&e), "\"lamp\""));
	assert_null(strstr(err_message(&e), "mean"));
	err_clear(&e);
	err_field(&e, ERR_INVALID_FIELD, "q", "There is no field %s.", "x");
	err_meant(&e, NULL);
	assert_string_equal(e.text, "There is no field x.");
}

static void err_rows_are_whole(void **state)
{
	(void)state;
	for (int i = 0; i < ERR__MAX; i++) {
		assert_non_null(err_rows[i].name);
		assert_non_null(err_rows[i].code);
		assert_true(strlen(err_rows[i].message) > 3);
		assert_in_range(err_rows[i].http_status, 200, 504);
		for (const char *p = err_rows[i].code; *p; p++)
			assert_true((*p >= 'a' && *p <= 'z') || *p == '_' ||
				    (*p >= '0' && *p <= '9'));
	}
}

static int released;

static void count_release(void *p)
{
	/* Newest first: each is told the number it must find. */
	assert_int_equal(released, *(int *)p);
	released++;
}

/* At its cap it refuses what is asked for, and continues with the rest. */
static void a_full_arena_ends_nothing(void **state)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct arena_mark m;

	(void)state;
	assert_non_null(arena_try(&a, 1000, &e));
	assert_int_equal(arena_check(&a, &e), 0);
	assert_null(arena_try(&a, LIM_ARENA_BYTES, &e));
	assert_int_equal(e.code, ERR_TOO_BIG);
	err_clear(&e);
	assert_null(arena_try(&a, SIZE_MAX, &e));
	assert_int_equal(e.code, ERR_TOO_BIG);
	err_clear(&e);
	m = arena_mark(&a);
	/* Once the process ended here. */
	arena_alloc(&a, LIM_ARENA_BYTES);
	assert_int_equal(arena_check(&a, &e), -1);
	assert_int_equal(e.code, ERR_TOO_BIG);
	err_clear(&e);
	assert_string_equal(arena_printf(&a, "still %s", "here"), "still here");
	assert_null(arena_try(&a, 1, &e));
	err_clear(&e);
	arena_rewind(&a, m);
	assert_int_equal(arena_check(&a, &e), 0);
	arena_release(&a);
}

static void arena_releases_newest_first(void **state)
{
	struct arena a = ARENA_INIT;
	int order[] = { 2, 1, 0 };
	struct arena_mark m;
	char *s;

	(void)state;
	released = 0;
	s = arena_strdup(&a, "kept");
	arena_defer(&a, count_release, &order[0]);
	m = arena_mark(&a);
	arena_defer(&a, count_release, &order[1]);
	arena_defer(&a, count_release, &order[2]);
	for (int i = 0; i < 1000; i++)
		memset(arena_alloc(&a, 1000), 'x', 1000);
	arena_rewind(&a, m);
	assert_int_equal(released, 2);
	assert_string_equal(s, "kept");
	arena_reset(&a);
	assert_int_equal(released, 3);
	arena_release(&a);
	assert_int_equal(a.total_bytes, 0);
}

static void arena_aligns_and_formats(void **state)
{
	struct arena a = ARENA_INIT;

	(void)state;
	for (size_t n = 0; n < 300; n++)
		assert_int_equal((uintptr_t)arena_alloc(&a, n) % 16, 0);
	assert_string_equal(arena_printf(&a, "%s-%d", "a", 7), "a-7");
	assert_null(arena_strdup(&a, NULL));
	memset(arena_alloc(&a, 200000), 1, 200000);
	arena_release(&a);
}

static void buf_cap_is_sticky(void **state)
{
	struct buf b = BUF_INIT(10);

	(void)state;
	assert_sane_buf(&b);
	buf_adds(&b, "12345");
	buf_adds(&b, "678901");
	assert_false(buf_ok(&b));
	assert_string_equal(b.p, "12345");
	buf_adds(&b, "6");
	assert_string_equal(b.p, "12345");
	assert_sane_buf(&b);
	buf_reset(&b);
	assert_true(buf_ok(&b));
	buf_adds(&b, "1234567890");
	assert_true(buf_ok(&b));
	buf_shift(&b, 4);
	assert_string_equal(b.p, "567890");
	assert_sane_buf(&b);
	buf_release(&b);
	buf_release(&b);
	assert_sane_buf(&b);
}

static void buf_take_gives_memory(void **state)
{
	struct buf b = BUF_INIT(100);
	char *p;

	(void)state;
	p = buf_take(&b);
	assert_string_equal(p, "");
	free(p);
	buf_addf(&b, "%05d", 42);
	buf_addu(&b, UINT64_MAX);
	p = buf_take(&b);
	assert_string_equal(p, "0004218446744073709551615");
	free(p);
	assert_sane_buf(&b);
}

/* Every byte at every place of a word, against the rule in plain words. */
static void buf_json_escapes_anywhere(void **state)
{
	struct buf b = BUF_INIT(256), want = BUF_INIT(256);

	(void)state;
	for (unsigned c = 0; c < 256; c++) {
		for (size_t at = 0; at < 24; at++) {
			char text[24];

			memset(text, 'x', sizeof(text));
			text[at] = (char)c;
			buf_reset(&b);
			buf_json(&b, (struct str){ text, sizeof(text) });
			buf_reset(&want);
			buf_addc(&want, '"');
			buf_add(&want, text, at);
			if (c == '"' || c == '\\')
				buf_addf(&want, "\\%c", c);
			else if (c == '\n' || c == '\r' || c == '\t')
				buf_addf(&want, "\\%c", c == '\n' ? 'n'
					 : c == '\r' ? 'r' : 't');
			else if (c < 0x20)
				buf_addf(&want, "\\u%04x", c);
			else
				buf_addc(&want, (char)c);
			buf_add(&want, text + at + 1, sizeof(text) - at - 1);
			buf_addc(&want, '"');
			assert_true(str_eq(buf_str(&b), buf_str(&want)));
		}
	}
	buf_release(&b);
	buf_release(&want);
}

static void buf_escapes_by_destination(void **state)
{
	struct buf b = BUF_INIT(1000);

	(void)state;
	buf_json(&b, (struct str){ "a\"b\\c\n\x01\0z\xc3\xa9", 11 });
	assert_string_equal(b.p, "\"a\\\"b\\\\c\\n\\u0001\\u0000z\xc3\xa9\"");
	buf_reset(&b);
	buf_url(&b, STR("a b/ä~"));
	assert_string_equal(b.p, "a%20b%2F%C3%A4~");
	buf_release(&b);
}

static void str_views(void **state)
{
	struct str rest = STR("a,b,,c");

	(void)state;
	assert_str_is(str_cut(&rest, ','), "a");
	assert_str_is(str_cut(&rest, ','), "b");
	assert_str_is(str_cut(&rest, ','), "");
	assert_str_is(str_cut(&rest, ','), "c");
	assert_null(rest.p);
	assert_str_is(str_trim(STR(" \t x y\r\n")), "x y");
	assert_true(str_starts(STR("abc"), STR("ab")));
	assert_false(str_starts(STR("a"), STR("ab")));
}

static void utf8_tells_good_from_bad(void **state)
{
	static const struct {
		const char *s;
		size_t n;
		bool ok;
	} t[] = {
		{ "", 0, true }, { "plain ascii that is long", 24, true },
		{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9, true },
		{ "\xc0\x80", 2, false }, { "\xed\xa0\x80", 3, false },
		{ "\xf4\x90\x80\x80", 4, false }, { "\xe2\x82", 2, false },
		{ "\x80", 1, false }, { "12345678\xff", 9, false },
		{ "\xe0\x80\xaf", 3, false }, { "\xf0\x80\x80\xaf", 4, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		assert_int_equal(utf8_valid((struct str){ t[i].s, t[i].n }),
				 t[i].ok);
}

static void utf8_carries_cut_sequences(void **state)
{
	const char *euro = "x\xe2\x82\xac";

	(void)state;
	assert_int_equal(utf8_complete((struct str){ euro, 1 }), 1);
	assert_int_equal(utf8_complete((struct str){ euro, 2 }), 1);
	assert_int_equal(utf8_complete((struct str){ euro, 3 }), 1);
	assert_int_equal(utf8_complete((struct str){ euro, 4 }), 4);
	/* Never wait for what cannot become valid. */
	assert_int_equal(utf8_complete((struct str){ "x\xff", 2 }), 2);
	assert_int_equal(utf8_complete((struct str){ "x\x80", 2 }), 2);
}

static void utf8_repairs(void **state)
{
	struct buf b = BUF_INIT(100);

	(void)state;
	utf8_scrub(&b, (struct str){ "a\xff\0b\xe2\x82", 6 });
	assert_string_equal(b.p, "a\xef\xbf\xbd\xef\xbf\xbd" "b"
			    "\xef\xbf\xbd\xef\xbf\xbd");
	assert_true(utf8_valid(buf_str(&b)));
	assert_int_equal(utf8_chars(buf_str(&b)), 6);
	assert_str_is(utf8_head(STR("\xc3\xa9t\xc3\xa9"), 2), "\xc3\xa9t");
	assert_int_equal(utf8_chars(STR("abcdefg\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 and on \xc3\xa9")),
			 19);
	buf_release(&b);
}

static void uuid_rises_and_round_trips(void **state)
{
	struct uuid last = uuid_new(), u, back;
	char text[UUID_TEXT_BYTES];

	(void)state;
	for (int i = 0; i < 10000; i++) {
		u = uuid_new();
		assert_true(memcmp(u.b, last.b, 16) > 0);
		assert_int_equal(u.b[6] >> 4, 7);
		assert_int_equal(u.b[8] >> 6, 2);
		last = u;
	}
	uuid_format(&u, text);
	assert_true(uuid_parse(str_of(text), &back));
	assert_true(uuid_eq(&u, &back));
	text[8] = 'x';
	assert_false(uuid_parse(str_of(text), &back));
	assert_false(uuid_parse(STR("0192"), &back));
}

static void uuid_time_is_now(void **state)
{
	struct uuid u;
	uint64_t ms = 0;

	(void)state;
	clock_fix_us(INT64_C(4102444800123000));	/* later than any other */
	u = uuid_new();
	for (int i = 0; i < 6; i++)
		ms = ms << 8 | u.b[i];
	assert_int_equal(ms, 4102444800123);
	clock_fix_us(0);
}

static void uuid_of_names_differ(void **state)
{
	struct uuid a = uuid_of_name(STR("t"), STR("ab"));
	struct uuid b = uuid_of_name(STR("ta"), STR("b"));
	struct uuid c = uuid_of_name(STR("t"), STR("ab"));

	(void)state;
	assert_false(uuid_eq(&a, &b));
	assert_true(uuid_eq(&a, &c));
}

static void clock_writes_iso(void **state)
{
	char out[CLOCK_ISO_BYTES];

	(void)state;
	assert_string_equal(clock_iso(0, out), "1970-01-01T00:00:00.000Z");
	assert_string_equal(clock_iso(INT64_C(1709210096789123), out),
			    "2024-02-29T12:34:56.789Z");
	assert_string_equal(clock_iso(INT64_C(4102444799999999), out),
			    "2099-12-31T23:59:59.999Z");
}

static void clock_reads_what_it_writes(void **state)
{
	static const struct {
		const char *text;
		int64_t us;	/* -1: is none */
	} t[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "2024-02-29T12:34:56.789Z", INT64_C(1709210096789000) },
		{ "2024-02-29T12:34:56.789123Z", INT64_C(1709210096789123) },
		{ "2024-02-29T12:34:56.5Z", INT64_C(1709210096500000) },
		{ "9999-12-31T23:59:59Z", INT64_C(253402300799000000) },
		{ NULL, -1 }, { "", -1 }, { "now", -1 },
		{ "2023-02-29T12:34:56Z", -1 }, { "2024-04-31T00:00:00Z", -1 },
		{ "1969-12-31T23:59:59Z", -1 }, { "2024-2-9T12:34:56Z", -1 },
		{ "2024-02-29T24:00:00Z", -1 }, { "2024-02-29T12:34:60Z", -1 },
		{ "2024-02-29T12:34:56", -1 }, { "2024-02-29T12:34:56.Z", -1 },
		{ "2024-02-29T12:34:56.1234567Z", -1 },
		{ "2024-02-29T12:34:56+01:00", -1 },
		{ " 2024-02-29T12:34:56Z", -1 }, { "2024-02-29 12:34:56Z", -1 },
		{ "+024-02-29T12:34:56Z", -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		int64_t us = -1;

		assert_int_equal(clock_iso_parse(t[i].text, &us),
				 t[i].us >= 0);
		if (t[i].us >= 0)
			assert_int_equal(us, t[i].us);
	}
}

static void log_cannot_be_forged(void **state)
{
	char line[2000];
	int fds[2], saved = dup(STDERR_FILENO);
	ssize_t n;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDERR_FILENO);
	log_bind("r1", "eve\nlevel=error");
	log_info("hello", "path", "/x\nts=now \x1b[31m", "none", NULL);
	log_bind(NULL, NULL);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(fds[1]);
	n = read(fds[0], line, sizeof(line) - 1);
	close(fds[0]);
	assert_true(n > 0);
	line[n] = '\0';
	assert_ptr_equal(strchr(line, '\n'), line + n - 1);
	assert_null(strchr(line, '\x1b'));
	assert_non_null(strstr(line, "user=\"eve\\nlevel=error\""));
}

static void distances(void **state)
{
	static const struct {
		const char *a, *b;
		int d;
	} cases[] = {
		{ "", "", 0 }, { "", "abc", 3 }, { "kitten", "sitting", 3 },
		{ "modle", "model", 1 }, { "OpenAI", "openai", 0 },
	};
	char longer[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(str_distance(str_of(cases[i].a),
					      str_of(cases[i].b)), cases[i].d);
	memset(longer, 'x', sizeof(longer));
	assert_int_equal(str_distance((struct str){ longer, sizeof(longer) },
				      STR("")), 64);
	assert_int_equal(str_distance((struct str){ NULL, 0 }, STR("ab")), 2);
}

static void nearest_names(void **state)
{
	static const struct {
		const char *name;
		int more;
	} rows[] = { { "list", 1 }, { "lint", 2 }, { "show", 3 } };

	(void)state;
	assert_string_equal(str_nearest(STR("lst"), rows, 3, sizeof(rows[0]),
					2), "list");
	assert_string_equal(str_nearest(STR("SHOW"), rows, 3, sizeof(rows[0]),
					0), "show");
	assert_null(str_nearest(STR("delete"), rows, 3, sizeof(rows[0]), 2));
	assert_null(str_nearest(STR("list"), rows, 0, sizeof(rows[0]), 9));
}

static void numbers(void **state)
{
	static const struct {
		const char *text;
		bool is_int;
		int64_t n;
	} cases[] = {
		{ "0", true, 0 }, { "-12", true, -12 }, { "+7", true, 7 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "-9223372036854775808", true, INT64_MIN },
		{ "9223372036854775808", false, 0 },
		{ "-9223372036854775809", false, 0 },
		{ "", false, 0 }, { "-", false, 0 }, { " 1", false, 0 },
		{ "1 ", false, 0 }, { "0x1", false, 0 }, { "1.0", false, 0 },
	};
	double d = 5;
	int64_t n;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		n = 5;
		assert_int_equal(str_int(str_of(cases[i].text), &n),
				 cases[i].is_int);
		assert_int_equal(n, cases[i].is_int ? cases[i].n : 5);
	}
	assert_false(str_real(STR(""), &d) || str_real(STR("nan"), &d) ||
		     str_real(STR("inf"), &d) || str_real(STR("0x1"), &d) ||
		     str_real(STR("1e999"), &d) || str_real(STR("1 "), &d) ||
		     str_real(STR("1e"), &d) || str_real(STR("1\0"), &d));
	assert_true(d == 5);
	assert_true(str_real(STR("-2.5e1"), &d) && d == -25);
	assert_true(str_real((struct str){ "12345", 2 }, &d) && d == 12);
}

static void reals_as_text(void **state)
{
	static const struct {
		double v;
		const char *text;
	} t[] = {
		{ 0, "0" }, { 1, "1" }, { 0.7, "0.7" }, { -2.5, "-2.5" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 1.0 / 3, "0.3333333333333333" }, { 1e300, "1e+300" },
		{ 5e-324, "4.94065645841247e-324" },
	};
	char out[STR_REAL_BYTES];
	double v;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		assert_str_is(str_of_real(t[i].v, out), t[i].text);
		assert_true(str_real(str_of(out), &v) && v == t[i].v);
	}
}

/* An array in an arena keeps what it has, and is clear behind that. */
static void arena_rooms(void **state)
{
	struct arena a = ARENA_INIT;
	size_t room = 0;
	int *v = NULL;

	(void)state;
	for (int i = 0; i < 100; i++) {
		int *before = v;
		size_t had = room;

		v = arena_room(&a, v, (size_t)i, 1, &room, sizeof(*v));
		assert_true(room > (size_t)i);
		assert_true(had == room ? v == before : room >= 2 * had);
		assert_int_equal(v[room - 1], 0);
		v[i] = i + 1;
	}
	v = arena_room(&a, v, 100, 1000, &room, sizeof(*v));
	assert_true(room >= 1100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(v[i], i + 1);
	arena_release(&a);
}

/* A wait by the monotonic clock ends at its time, and not before. */
static void timed_waits(void **state)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int64_t until_ms = clock_mono_ms() + 20;
	struct timespec at = clock_mono_at(until_ms);
	pthread_cond_t c;

	(void)state;
	assert_int_equal(at.tv_sec * 1000 + at.tv_nsec / 1000000, until_ms);
	clock_cond_init(&c);
	pthread_mutex_lock(&lock);
	while (pthread_cond_timedwait(&c, &lock, &at) != ETIMEDOUT)
		continue;
	pthread_mutex_unlock(&lock);
	assert_true(clock_mono_ms() >= until_ms);
	pthread_cond_destroy(&c);
}

static void what_was_noted_last_of_an_id(void **state)
{
	static struct recent r = RECENT_INIT;
	struct uuid one = uuid_new(), other = one;
	int64_t value = 7;

	(void)state;
	other.b[0] ^= 1;	/* of the same place */
	assert_int_equal(recent_age_ms(&r, &one, &value), -1);
	recent_note(&r, &one, 5);
	assert_in_range(recent_age_ms(&r, &one, &value), 0, 60000);
	assert_int_equal(value, 5);
	assert_int_equal(recent_age_ms(&r, &other, NULL), -1);
	assert_false(recent_claim(&r, &one, 60000));
	assert_true(recent_claim(&r, &other, 60000));
	assert_false(recent_claim(&r, &other, 60000));
	assert_true(recent_claim(&r, &one, 60000));
	assert_true(recent_claim(&r, &one, -1));
	assert_int_equal(recent_age_ms(&r, &other, NULL), -1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances),
		cmocka_unit_test(nearest_names),
		cmocka_unit_test(numbers),
		cmocka_unit_test(reals_as_text),
		cmocka_unit_test(arena_rooms),
		cmocka_unit_test(timed_waits),
		cmocka_unit_test(what_was_noted_last_of_an_id),
		cmocka_unit_test(err_first_set_wins),
		cmocka_unit_test(err_texts_are_cut_at_characters),
		cmocka_unit_test(a_language_is_picked),
		cmocka_unit_test(texts_are_in_the_language),
		cmocka_unit_test(errors_are_in_the_language_of_the_reader),
		cmocka_unit_test(err_rows_are_whole),
		cmocka_unit_test(arena_releases_newest_first),
		cmocka_unit_test(a_full_arena_ends_nothing),
		cmocka_unit_test(arena_aligns_and_formats),
		cmocka_unit_test(buf_cap_is_sticky),
		cmocka_unit_test(buf_take_gives_memory),
		cmocka_unit_test(buf_json_escapes_anywhere),
		cmocka_unit_test(buf_escapes_by_destination),
		cmocka_unit_test(str_views),
		cmocka_unit_test(utf8_tells_good_from_bad),
		cmocka_unit_test(utf8_carries_cut_sequences),
		cmocka_unit_test(utf8_repairs),
		cmocka_unit_test(uuid_rises_and_round_trips),
		cmocka_unit_test(uuid_time_is_now),
		cmocka_unit_test(uuid_of_names_differ),
		cmocka_unit_test(clock_writes_iso),
		cmocka_unit_test(clock_reads_what_it_writes),
		cmocka_unit_test(log_cannot_be_forged),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
