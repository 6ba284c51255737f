/* SPDX-License-Identifier: MIT */
/* lib/net/sse: the event stream format and newline-delimited JSON. */
#include <stdlib.h>

#include "base/limits.h"
#include "net/sse.h"
#include "unit.h"

static int note(void *ctx, struct str name, struct str data)
{
	buf_addstr(ctx, name);
	buf_addc(ctx, '|');
	buf_addstr(ctx, data);
	buf_addc(ctx, ';');
	return 0;
}

typedef int feeder(struct sse_reader *, struct str, sse_handler *, void *,
		   struct err *);
typedef int finisher(struct sse_reader *, sse_handler *, void *, struct err *);

/* What in gives, cut at `split` and then in pieces. */
static void read_all(struct buf *out, struct str in, size_t split,
		     size_t piece, feeder *feed, finisher *finish)
{
	struct err e = ERR_INIT;
	struct sse_reader r;
	size_t at = 0;

	buf_reset(out);
	sse_init(&r);
	while (at < in.n) {
		size_t n = at < split ? split - at : in.n - at;
		char *copy;

		n = piece ? MIN(n, piece) : n;
		copy = xmalloc(n);
		memcpy(copy, in.p + at, n);
		assert_int_equal(feed(&r, (struct str){ copy, n }, note, out,
				      &e), 0);
		free(copy);
		at += n;
	}
	assert_int_equal(finish(&r, note, out, &e), 0);
	sse_release(&r);
}

struct example {
	const char *in, *out;
};

static void check(const struct example *t, size_t n, feeder *feed,
		  finisher *finish)
{
	struct buf out = BUF_INIT(1 << 20);

	for (size_t i = 0; i < n; i++) {
		struct str in = str_of(t[i].in);

		for (size_t split = 0; split <= in.n; split++) {
			read_all(&out, in, split, 0, feed, finish);
			assert_string_equal(out.p, t[i].out);
		}
		read_all(&out, in, 0, 1, feed, finish);
		assert_string_equal(out.p, t[i].out);
	}
	buf_release(&out);
}

/* The standard's own examples among them; each cut at every byte. */
static void sse_examples(void **state)
{
	static const struct example t[] = {
		{ "data: a\n\n", "|a;" },
		{ "data:a\n\n", "|a;" },
		{ "data:  a\n\n", "| a;" },	/* one blank only */
		{ "data: a\ndata: b\n\n", "|a\nb;" },
		{ "data: YHOO\ndata: +2\ndata: 10\n\n", "|YHOO\n+2\n10;" },
		{ "data\n\ndata\ndata\n\ndata:", "|\n;" },
		{ "data\n\n", "" },		/* empty: not dispatched */
		{ "data:\n\ndata: x\n\n", "|x;" },
		{ "data:test\n\ndata: test\n\n", "|test;|test;" },
		{ ": test stream\n\ndata: first\nid: 1\n\n", "|first;" },
		{ "event: add\ndata: 7\n\n", "add|7;" },
		{ "event: add\ndata: 7\n\ndata: 8\n\n", "add|7;|8;" },
		{ "event: x\n\ndata: 8\n\n", "|8;" },
		{ "event: one\nevent: two\ndata: 8\n\n", "two|8;" },
		{ "data: 8\nevent: late\n\n", "late|8;" },
		{ "DATA: a\ndata : b\ndatax: c\nretry: 10\n\n", "" },
		{ "data: a\r\n\r\n", "|a;" },
		{ "data: a\r\rdata: b\r\r", "|a;|b;" },
		{ "data: a\r\ndata: b\n\rdata: c\r\n\n", "|a\nb;|c;" },
		{ "\n\r\n\r\rdata: a\n\n\n\n", "|a;" },
		{ "\xef\xbb\xbf" "data: a\n\n", "|a;" },
		{ "\xef\xbb\xbf\xef\xbb\xbf" "data: a\n\ndata: b\n\n", "|b;" },
		{ "data: \xef\xbb\xbf" "a\n\n", "|\xef\xbb\xbf" "a;" },
		{ "data: \xe2\x82\xac\n\n", "|\xe2\x82\xac;" },
		{ "", "" },
		/* At the end of the stream: only what is complete. */
		{ "data: {\"a\":1}", "|{\"a\":1};" },
		{ "data: {\"a\":1}\n", "|{\"a\":1};" },
		{ "event: e\ndata: {\"a\":1}\r", "e|{\"a\":1};" },
		{ "data: [DONE]", "|[DONE];" },
		{ "data: {\"a\":", "" },
		{ "data: text\n", "" },
	};

	(void)state;
	check(t, ARRAY_LEN(t), sse_feed, sse_finish);
}

static void ndjson_examples(void **state)
{
	static const struct example t[] = {
		{ "{}\n{\"a\":1}\n", "|{};|{\"a\":1};" },
		{ "{}\r\n\r\n \n{}", "|{};|{};" },
		{ "\xef\xbb\xbf{}\n", "|{};" },
		{ "x", "|x;" },
		{ "", "" },
	};

	(void)state;
	check(t, ARRAY_LEN(t), ndjson_feed, ndjson_finish);
}

static int refuse(void *ctx, struct str name, struct str data)
{
	(void)name, (void)data;
	return --*(int *)ctx < 0 ? -1 : 0;
}

/* A handler that stops is not called again. */
static void stops(void **state)
{
	struct err e = ERR_INIT;
	struct sse_reader r;
	int left = 1;

	(void)state;
	sse_init(&r);
	assert_int_equal(sse_feed(&r, STR("data: 1\n\ndata: 2\n\ndata: 3\n\n"),
				  refuse, &left, &e), -1);
	assert_int_equal(left, -1);
	assert_int_equal(sse_feed(&r, STR("data: 4\n\n"), refuse, &left, &e),
			 -1);
	assert_int_equal(sse_finish(&r, refuse, &left, &e), -1);
	assert_int_equal(left, -1);
	assert_int_equal(e.code, ERR_NONE);
	sse_release(&r);
}

/* Lines and events have caps; comments count as life, not as events. */
static void caps_and_counts(void **state)
{
	size_t n = 1 << 20;
	char *chunk = xmalloc(n);
	struct buf out = BUF_INIT(100);
	struct err e = ERR_INIT;
	struct sse_reader r;
	int rc = 0, i;

	(void)state;
	memset(chunk, 'x', n);
	sse_init(&r);
	for (i = 0; i < 20 && rc == 0; i++)
		rc = sse_feed(&r, (struct str){ chunk, n }, note, &out, &e);
	assert_int_equal(rc, -1);
	assert_int_equal(e.code, ERR_TOO_BIG);
	assert_int_equal(i, 1 + LIM_SSE_LINE_BYTES / (1 << 20));
	sse_release(&r);

	err_clear(&e);
	sse_init(&r);
	memcpy(chunk, "data:", 5);
	chunk[n - 1] = '\n';
	for (rc = i = 0; i < 20 && rc == 0; i++)
		rc = sse_feed(&r, (struct str){ chunk, n }, note, &out, &e);
	assert_int_equal(rc, -1);
	assert_int_equal(e.code, ERR_TOO_BIG);
	sse_release(&r);
	free(chunk);

	err_clear(&e);
	sse_init(&r);
	assert_int_equal(sse_feed(&r, STR(": ka\n\n: ka\n\ndata: 1\n\n"), note,
				  &out, &e), 0);
	assert_int_equal(r.n_comments, 2);
	assert_int_equal(r.n_events, 1);
	sse_release(&r);
	buf_release(&out);
}

/* Ids and retry times are kept, an id once its event is whole (protocols G2). */
static void ids_and_retry(void **state)
{
	struct buf out = BUF_INIT(100);
	struct err e = ERR_INIT;
	struct sse_reader r;

	(void)state;
	sse_init(&r);
	assert_int_equal(r.retry_ms, -1);
	assert_int_equal(sse_feed(&r, STR("id: a\nretry: 250\ndata:\n\n"
		"id: b\ndata: 1\n\nretry: x\nid: c\ndata: 2"), note, &out,
		&e), 0);
	assert_string_equal(r.id.p, "b");
	assert_int_equal(r.retry_ms, 250);
	assert_int_equal(r.n_events, 1);
	sse_resume(&r);
	assert_int_equal(sse_feed(&r, STR("data: 3\n\n"), note, &out, &e), 0);
	assert_string_equal(r.id.p, "b");
	assert_int_equal(r.n_events, 2);
	sse_release(&r);
	buf_release(&out);
}

/* `error:` is a field only for who asks for it, whatever stands around it. */
static void error_fields(void **state)
{
	static const struct example t[] = {
		{ "error: {}\n\ndata: a\n\n", "error|{};|a;" },
		{ "error:{}\r\n\r\n", "error|{};" },
		{ "data: a\nerror: {}\n\ndata: b\n\n", "|a;error|{};|b;" },
		{ "error: {}", "error|{};" },
		{ "errors: {}\nerror\ndata: a\n\n", "|a;" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		for (size_t split = 0; split <= strlen(t[i].in); split++) {
			struct buf out = BUF_INIT(1000);
			struct str in = str_of(t[i].in);
			struct err e = ERR_INIT;
			struct sse_reader r;

			sse_init(&r);
			r.error_field = true;
			assert_int_equal(sse_feed(&r, (struct str){ in.p, split },
						  note, &out, &e), 0);
			assert_int_equal(sse_feed(&r, (struct str){
				in.p + split, in.n - split }, note, &out, &e), 0);
			assert_int_equal(sse_finish(&r, note, &out, &e), 0);
			assert_string_equal(out.p, t[i].out);
			sse_release(&r);
			buf_release(&out);
		}
	check((const struct example[]){ { "error: {}\n\ndata: a\n\n", "|a;" } },
	      1, sse_feed, sse_finish);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(error_fields),
		cmocka_unit_test(sse_examples),
		cmocka_unit_test(ndjson_examples),
		cmocka_unit_test(stops),
		cmocka_unit_test(caps_and_counts),
		cmocka_unit_test(ids_and_retry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
