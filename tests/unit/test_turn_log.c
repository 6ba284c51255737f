/* SPDX-License-Identifier: MIT */
/*
 * A turn's log (event/log.c) and how it is packed: nothing lost, nothing twice,
 * whoever flushes and follows meanwhile.
 */
#include "unit.h"

#include <pthread.h>
#include <stdio.h>

#include "event/log.h"
#include "event/pack.h"

static struct turn_event token(uint32_t seq, const char *text)
{
	return (struct turn_event){ .type = TURN_EV_TOKEN, .seq = seq,
				    .text = str_of(text) };
}

static void events_come_back(void **state)
{
	struct turn_event in[] = {
		{ .type = TURN_EV_SESSION, .seq = 1 },
		{ .type = TURN_EV_USER_MESSAGE, .seq = 2 },
		{ .type = TURN_EV_TOKEN, .seq = 5, .text = STR("hé\n") },
		{ .type = TURN_EV_TOKEN, .seq = 6, .text = STR("") },
		{ .type = TURN_EV_TOOL_CALL, .seq = 300, .call_id = STR("c1"),
		  .tool_name = STR("query_data"), .args = STR("{\"a\":1}") },
		{ .type = TURN_EV_TOOL_RESULT, .seq = 70000,
		  .call_id = STR("c1"), .result = STR("[]"),
		  .result_json = true, .is_error = true, .duration_ms = 1234 },
		{ .type = TURN_EV_WARNING, .seq = 70001, .code = STR("w"),
		  .text = STR("text") },
		{ .type = TURN_EV_TOKEN_RESET, .seq = 4000000000 },
	};
	struct buf b = BUF_INIT(4096);
	struct pack_reader r;
	struct turn_event ev;
	uint32_t prev = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(in); i++) {
		assert_true(pack_add(&b, prev, &in[i]));
		prev = in[i].seq;
	}
	assert_false(pack_add(&b, prev, &(struct turn_event){
		.type = TURN_EV_STATUS, .seq = prev + 1 }));
	r = (struct pack_reader){ .data = buf_str(&b) };
	for (size_t i = 0; i < ARRAY_LEN(in); i++) {
		assert_true(pack_next(&r, &ev));
		assert_int_equal(ev.type, in[i].type);
		assert_int_equal(ev.seq, in[i].seq);
		assert_true(str_eq(ev.text, in[i].text));
		assert_true(str_eq(ev.call_id, in[i].call_id));
		assert_true(str_eq(ev.args, in[i].args));
		assert_true(str_eq(ev.result, in[i].result));
		assert_int_equal(ev.is_error, in[i].is_error);
		assert_int_equal(ev.result_json, in[i].result_json);
		assert_int_equal(ev.duration_ms, in[i].duration_ms);
	}
	assert_false(pack_next(&r, &ev));
	/* Cut anywhere, it ends early and reads nothing that is not there. */
	for (size_t n = 0; n < b.n; n++) {
		r = (struct pack_reader){ .data = { b.p, n } };
		while (pack_next(&r, &ev))
			assert_true(ev.text.p == NULL ||
				    ev.text.p + ev.text.n <= b.p + n);
	}
	buf_release(&b);
}

/* A version without the last members wrote this; one with more is read too. */
static void records_of_other_versions_are_read(void **state)
{
	static const char old[] = "o\x03\x10\x03\xd2\x09\x00\x00\x02" "c1"
		"\x01" "q\x02" "{}\x02" "[]";
	struct buf b = BUF_INIT(64);
	struct pack_reader r;
	struct turn_event ev;

	(void)state;
	for (int more = 0; more < 2; more++) {
		buf_reset(&b);
		buf_add(&b, old, sizeof(old) - 1);
		b.p[2] = (char)(b.p[2] + more * 4);
		for (int i = 0; i < more * 4; i++)
			buf_addc(&b, 1);
		r = (struct pack_reader){ .data = buf_str(&b) };
		assert_true(pack_next(&r, &ev));
		assert_int_equal(ev.type, TURN_EV_TOOL_RESULT);
		assert_true(ev.result_json && ev.is_error);
		assert_int_equal(ev.duration_ms, 1234);
		assert_str_is(ev.tool_name, "q");
		assert_str_is(ev.result, "[]");
		assert_int_equal(ev.n_messages, 0);
		assert_int_equal(r.data.n, 0);
	}
	buf_release(&b);
}

/* Letters are the rows' own; a coalesced event has nothing but its text. */
static void rows_can_be_stored(void **state)
{
	char seen[TURN_EV__MAX] = "";

	(void)state;
	for (int t = 0; t < TURN_EV__MAX; t++) {
		const struct turn_event_row *row = &event_table[t];
		const struct turn_event_field *f = row->fields;

		assert_null(f[TURN_EVENT_FIELDS].key);
		if (row->letter) {
			assert_null(memchr(seen, row->letter, sizeof(seen)));
			seen[t] = row->letter;
		}
		if (row->coalesced)
			assert_true(row->letter &&
				    f->offset == offsetof(struct turn_event, text));
		if (row->coalesced || row->bare)
			assert_true(f[0].key && !f[1].key);
		assert_true(row->letter || !row->urgent);
	}
}

/* What only other events have takes no room in each record. */
static void every_member_is_of_a_stored_event(void **state)
{
	static const struct {
		const char *name;
		size_t offset;
	} members[] = {
#define MEMBER(type, name) { #name, offsetof(struct turn_event, name) },
#include "event/event.def"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		bool told = !strcmp(members[i].name, "result_json");

		for (int t = 0; t < TURN_EV__MAX; t++)
			for (const struct turn_event_field *f =
			     event_table[t].fields; f->key; f++)
				told |= event_table[t].letter &&
					f->offset == members[i].offset;
		if (!told)
			fail_msg("no stored event has %s", members[i].name);
	}
}

static void what_does_not_fit_changes_nothing(void **state)
{
	struct turn_event ev = token(1, "123456789");
	struct buf b = BUF_INIT(20);

	(void)state;
	assert_true(pack_add(&b, 0, &ev));
	ev.seq = 2;
	assert_false(pack_add(&b, 1, &ev));
	assert_int_equal(b.n, 12);
	assert_sane_buf(&b);
	buf_release(&b);
}

static void rows_are_cut_and_confirmed(void **state)
{
	struct uuid id = uuid_new();
	struct event_log *log = event_log_new(&id);
	struct turn_events *rows;
	struct arena a = ARENA_INIT;
	int64_t next = 1;
	size_t n;

	(void)state;
	for (uint32_t i = 1; i <= 130000; i++) {
		struct turn_event ev = token(i, "x");

		(void)event_log_add(log, &ev);
	}
	event_log_pending(log, &a, &rows, &n);
	assert_true(n >= 3);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(rows[i].seq, next);
		assert_in_range(rows[i].n, 1, 65535);
		next += rows[i].n;
	}
	assert_int_equal(next, 130001);
	/* Only a part was stored: the next rows begin behind it. */
	event_log_stored(log, (uint32_t)(rows[0].n));
	next = rows[0].n + 1;
	event_log_pending(log, &a, &rows, &n);
	assert_int_equal(rows[0].seq, next);
	event_log_stored(log, 130000);
	event_log_pending(log, &a, &rows, &n);
	assert_int_equal(n, 0);
	arena_release(&a);
	event_log_unref(log);
}

static void parts_are_cut_and_confirmed(void **state)
{
	struct uuid id = uuid_new();
	struct event_log *log = event_log_new(&id);
	struct arena a = ARENA_INIT;
	struct journal_part part;
	int64_t next = 1;
	size_t n = 0;

	(void)state;
	assert_false(event_log_part(log, &a, &part));
	for (uint32_t i = 1; i <= 130000; i++) {
		struct turn_event ev = token(i, "x");

		(void)event_log_add(log, &ev);
	}
	for (; event_log_part(log, &a, &part); n++) {
		struct pack_reader r = { .data = part.data,
					 .first = (uint32_t)part.seq };
		struct turn_event ev;

		assert_true(uuid_eq(&part.turn_id, &id));
		assert_int_equal(part.first, n == 0);
		assert_int_equal(part.seq, next);
		while (pack_next(&r, &ev))
			assert_int_equal(ev.seq, next++);
		assert_int_equal(part.last, next - 1);
		assert_in_range(part.last - part.seq, 0, 65534);
		event_log_stored(log, (uint32_t)part.last);
	}
	assert_true(n >= 2);
	assert_int_equal(next, 130001);
	arena_release(&a);
	event_log_unref(log);
}

/* -- many threads ------------------------------------------------------------ */

enum { TOKENS = 20000, FOLLOWERS = 3 };

struct store {			/* what the flusher of this test wrote */
	pthread_mutex_t lock;
	struct buf data;
	uint32_t last;
};

struct reader {
	struct event_log *log;
	struct store *store;
	struct buf text;
};

static void *write_tokens(void *p)
{
	struct event_log *log = p;

	for (uint32_t i = 1; i <= TOKENS; i++) {
		char text[16];
		struct turn_event ev;

		snprintf(text, sizeof(text), "%u ", i);
		ev = token(i, text);
		(void)event_log_add(log, &ev);
	}
	event_log_end(log);
	return NULL;
}

static void *flush_all(void *p)
{
	struct reader *f = p;
	struct arena a = ARENA_INIT;

	while (f->store->last < TOKENS) {
		struct journal_part part;
		bool some = event_log_part(f->log, &a, &part);

		pthread_mutex_lock(&f->store->lock);
		if (some) {
			assert_int_equal(part.seq, f->store->last + 1);
			buf_addstr(&f->store->data, part.data);
			f->store->last = (uint32_t)part.last;
		}
		pthread_mutex_unlock(&f->store->lock);
		if (some)
			event_log_stored(f->log, f->store->last);
		arena_reset(&a);
	}
	arena_release(&a);
	return NULL;
}

static uint32_t take(struct reader *f, struct str data, uint32_t first,
		     uint32_t after)
{
	struct pack_reader r = { .data = data, .first = first };
	struct turn_event ev;

	while (pack_next(&r, &ev))
		if (ev.seq > after) {
			assert_int_equal(ev.seq, after + 1);
			buf_addstr(&f->text, ev.text);
			after = ev.seq;
		}
	return after;
}

static void *read_all(void *p)
{
	struct buf records = BUF_INIT(1 << 24);
	struct reader *f = p;
	uint32_t after = 0, first;

	event_log_follow(f->log);
	while (after < TOKENS)
		switch (event_log_read(f->log, after, 10, &records, &first)) {
		case EVENT_LOG_NEWS:
			after = take(f, buf_str(&records), first, after);
			break;
		case EVENT_LOG_BEHIND:
			pthread_mutex_lock(&f->store->lock);
			after = take(f, buf_str(&f->store->data), 1, after);
			pthread_mutex_unlock(&f->store->lock);
			break;
		case EVENT_LOG_QUIET:
			break;
		case EVENT_LOG_ENDED:
			fail();
		}
	event_log_unfollow(f->log);
	buf_release(&records);
	return NULL;
}

static void followers_miss_nothing(void **state)
{
	struct uuid id = uuid_new();
	struct event_log *log = event_log_new(&id);
	struct store store = { .lock = PTHREAD_MUTEX_INITIALIZER,
			       .data = BUF_INIT(1 << 24) };
	struct reader f[FOLLOWERS + 1];
	pthread_t threads[FOLLOWERS + 2];

	(void)state;
	for (size_t i = 0; i <= FOLLOWERS; i++)
		f[i] = (struct reader){ .log = log, .store = &store,
					.text = BUF_INIT(1 << 24) };
	pthread_create(&threads[0], NULL, flush_all, &f[FOLLOWERS]);
	for (size_t i = 0; i < FOLLOWERS; i++)
		pthread_create(&threads[i + 1], NULL, read_all, &f[i]);
	pthread_create(&threads[FOLLOWERS + 1], NULL, write_tokens, log);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 1; i < FOLLOWERS; i++)
		assert_true(str_eq(buf_str(&f[i].text), buf_str(&f[0].text)));
	for (size_t i = 0; i <= FOLLOWERS; i++)
		buf_release(&f[i].text);
	buf_release(&store.data);
	event_log_unref(log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_come_back),
		cmocka_unit_test(records_of_other_versions_are_read),
		cmocka_unit_test(rows_can_be_stored),
		cmocka_unit_test(every_member_is_of_a_stored_event),
		cmocka_unit_test(what_does_not_fit_changes_nothing),
		cmocka_unit_test(rows_are_cut_and_confirmed),
		cmocka_unit_test(parts_are_cut_and_confirmed),
		cmocka_unit_test(followers_miss_nothing),
	};

	return cmocka_run_group_tests_name("turn log", tests, NULL, NULL);
}
