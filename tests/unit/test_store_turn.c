/* SPDX-License-Identifier: MIT */
/* lib/store over a real MariaDB: turns, who holds a conversation, deleting. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store_lab.h"

static void turn_from_begin_to_end(void **state)
{
	struct turn_begin b = { .turn_id = uuid_new(),
				.conversation_id = uuid_new(), .create = true,
				.workspace_id = S("home"),
				.agent_id = S("assistant"),
				.title = S("How many tickets are open?"),
				.content = S("How many tickets are open?") };
	struct message steps[] = {
		{ .role = ROLE_ASSISTANT, .content = S(""),
		  .meta = S("{\"step\":true}"), .kind = KIND_STEP },
		{ .role = ROLE_TOOL, .content = S("{\"rows\":[[7]]}"),
		  .meta = S("{\"callId\":\"c1\"}"), .kind = KIND_RESULT,
		  .kept = 1 },
	};
	struct message_page p;
	struct conversation c;
	struct turn t;

	(void)state;
	ok(store_turn_begin(db, &ann, &b, &e));
	assert_int_equal(b.user.seq, 1);
	assert_int_equal(b.turn_number, 1);
	assert_true(b.titled);
	ok(conversation_get(db, &ann, &b.conversation_id, &a, &c, &e));
	assert_true(uuid_eq(&c.running_turn_id, &b.turn_id));
	assert_true(conversation_running(&c, clock_now_us()));
	assert_false(conversation_running(&c, clock_now_us() +
					  TURN_LEASE_US + 1000000));
	ok(store_turn_append(db, &ann, &b.conversation_id, &b.turn_id, 0, steps, 2, &e));
	assert_int_equal(steps[0].seq, 2);
	assert_int_equal(steps[1].seq, 3);
	end_with(&ann, &b, "Seven.");
	ok(store_turn_get(db, &ann, &b.turn_id, &a, &t, &e));
	assert_int_equal(t.status, TURN_DONE);
	assert_int_equal(t.answer_seq, 4);
	assert_true(t.ended_us >= t.started_us);
	ok(conversation_get(db, &ann, &b.conversation_id, &a, &c, &e));
	assert_true(uuid_is_nil(&c.running_turn_id));
	assert_int_equal(c.last_seq, 4);
	assert_int_equal(c.title_by, TITLE_FIRST_MESSAGE);
	assert_int_equal(c.updated_us, t.ended_us);
	ok(message_history(db, &ann, &c.id, 0, 20, &a, &p, &e));
	assert_int_equal(p.n, 4);
	assert_true(str_is(p.workspace_id, "home"));
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(p.items[i].seq, i + 1);
	assert_true(str_is(p.items[1].content, ""));
	assert_true(str_is(p.items[2].meta, "{\"callId\":\"c1\"}"));
	assert_null(p.items[0].meta.p);
	assert_int_equal(p.items[0].kind, KIND_MESSAGE);
	assert_int_equal(p.items[1].kind, KIND_STEP);
	assert_int_equal(p.items[2].kind, KIND_RESULT);
	assert_int_equal(p.items[2].kept, 1);
	assert_true(uuid_eq(&p.items[3].turn_id, &b.turn_id));
	/* What was stored is not stored again, and all of it is over. */
	ok(store_turn_append(db, &ann, &c.id, &b.turn_id, 0, steps, 1, &e));
	assert_int_equal(steps[0].seq, 2);
	steps[0].seq = 0;
	refused(store_turn_append(db, &ann, &c.id, &b.turn_id, 0, steps, 1, &e),
		ERR_CONFLICT);
	/* The second turn does not change the title. */
	b.turn_id = uuid_new();
	b.create = false;
	b.title = S("Another");
	ok(store_turn_begin(db, &ann, &b, &e));
	assert_int_equal(b.user.seq, 5);
	assert_int_equal(b.turn_number, 2);
	assert_false(b.titled);
	end_with(&ann, &b, "ok");
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM usage_record"
		" WHERE conversation_id = (SELECT conversation_id FROM turn"
		" WHERE id = UNHEX(REPLACE('%s','-','')))",
		uuid_format(&b.turn_id, (char[UUID_TEXT_BYTES]){ 0 })), 2);
}

/* What a begin brings from the thread, and how often it asks the server. */
static void begin_brings_the_history(void **state)
{
	struct turn_begin b = { .turn_id = uuid_new(),
				.conversation_id = uuid_new(), .create = true,
				.workspace_id = S("home"),
				.agent_id = S("assistant"), .content = S("1") };
	struct db_stats s, s2;

	(void)state;
	for (int i = 0; i < 6; i++) {
		db_stats(db, &s);
		ok(store_turn_begin(db, &ann, &b, &e));
		end_with(&ann, &b, "answer");
		db_stats(db, &s2);
		b.turn_id = uuid_new();
		b.create = false;
		b.n_history = 5;
		b.arena = &a;
	}
	assert_int_equal(s2.round_trips - s.round_trips, 2);
	assert_int_equal(b.user.seq, 11);
	assert_int_equal(b.history.n, 5);
	assert_true(b.history.more);
	assert_int_equal(b.history.next_seq, 6);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(b.history.items[i].seq, 6 + i);
	assert_true(str_is(b.history.items[4].content, "answer"));
	b.n_history = 20;
	ok(store_turn_begin(db, &ann, &b, &e));
	assert_int_equal(b.history.n, 12);
	assert_false(b.history.more);
	assert_int_equal(b.history.items[0].seq, 1);
	/* Not that agent's: nothing was taken. */
	end_with(&ann, &b, "answer");
	b.agent_id = S("other");
	refused(store_turn_begin(db, &ann, &b, &e), ERR_NOT_FOUND);
}

/* A try of which no answer came may have stored its rows, or not. */
static void rows_of_an_earlier_try_are_stored_once(void **state)
{
	struct turn_begin b = { .turn_id = uuid_new(),
				.conversation_id = uuid_new(), .create = true,
				.workspace_id = S("home"),
				.agent_id = S("assistant"), .content = S("1") };
	struct message rows[5];
	struct message_page p;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		rows[i] = (struct message){ .role = ROLE_TOOL,
					    .content = S("r"),
					    .kind = KIND_RESULT };
	ok(store_turn_begin(db, &ann, &b, &e));
	ok(store_turn_append(db, &ann, &b.conversation_id, &b.turn_id, 0, rows, 2, &e));
	ok(store_turn_append(db, &ann, &b.conversation_id, &b.turn_id, 0, rows, 3, &e));
	assert_int_equal(rows[0].seq, 2);
	assert_int_equal(rows[2].seq, 4);
	/* Numbered, but by a try that was undone: alone, and behind others. */
	rows[3].seq = 9;
	rows[3].turn_id = b.turn_id;
	ok(store_turn_append(db, &ann, &b.conversation_id, &b.turn_id, 0, rows + 3, 1,
			     &e));
	assert_int_equal(rows[3].seq, 5);
	rows[4].seq = 6;
	rows[4].turn_id = b.turn_id;
	ok(store_turn_append(db, &ann, &b.conversation_id, &b.turn_id, 0, rows, 5, &e));
	assert_int_equal(rows[4].seq, 6);
	end_with(&ann, &b, "x");
	ok(message_history(db, &ann, &b.conversation_id, 0, 20, &a, &p, &e));
	assert_int_equal(p.n, 7);
}

/* Batches in front of the last one are stored as well, in their order. */
static void an_end_with_many_batches(void **state)
{
	struct turn_begin b = { .turn_id = uuid_new(),
				.conversation_id = uuid_new(), .create = true,
				.workspace_id = S("home"),
				.agent_id = S("assistant"), .content = S("1") };
	struct turn_events rows[3], *back;
	bool more;
	struct turn_end t = { .status = TURN_ERROR, .events = rows,
			      .n_events = 3, .last_event_seq = 7,
			      .error_code = "code", .error_text = "text" };
	struct turn seen;
	size_t n;

	(void)state;
	ok(store_turn_begin(db, &ann, &b, &e));
	for (int i = 0; i < 3; i++)
		rows[i] = (struct turn_events){ .turn_id = b.turn_id,
			.seq = 1 + 2 * i, .n = 2, .data = S("data") };
	t.turn_id = b.turn_id;
	t.conversation_id = b.conversation_id;
	ok(store_turn_end(db, &ann, &t, &e));
	ok(store_turn_events_list(db, &ann, &b.turn_id, 0, NULL, 10, &a, &back, &n, &more,
				  &e));
	assert_int_equal(n, 3);
	ok(store_turn_get(db, &ann, &b.turn_id, &a, &seen, &e));
	assert_int_equal(seen.status, TURN_ERROR);
	assert_int_equal(seen.last_event_seq, 7);
	assert_int_equal(seen.answer_seq, 0);
	assert_true(str_is(seen.error_code, "code"));
	/* The same end again is stored already; another one is refused. */
	ok(store_turn_end(db, &ann, &t, &e));
	t.ended_us = 0;
	refused(store_turn_end(db, &ann, &t, &e), ERR_CONFLICT);
}

/* -- busy, stale, cancelled ---------------------------------------------------- */

static void second_turn_is_busy(void **state)
{
	struct uuid id = new_conversation(&ann, "busy");
	struct turn_begin b = begin_of(&id, "1"), c = begin_of(&id, "2");
	char text[UUID_TEXT_BYTES];

	(void)state;
	ok(store_turn_begin(db, &ann, &b, &e));
	assert_int_equal(store_turn_begin(db, &ann, &c, &e), -1);
	assert_int_equal(e.code, ERR_BUSY);
	assert_string_equal(e.id, uuid_format(&b.turn_id, text));
	err_clear(&e);
	end_with(&ann, &b, "x");
	ok(store_turn_begin(db, &ann, &c, &e));
	end_with(&ann, &c, "x");
}

struct racer {
	pthread_t thread;
	struct uuid id;
	struct turn_begin b;
	struct err e;
	int rc;
};

static pthread_barrier_t gate;

static void *race(void *arg)
{
	struct racer *r = arg;

	pthread_barrier_wait(&gate);
	r->rc = store_turn_begin(db, &ann, &r->b, &r->e);
	return NULL;
}

static void race_has_one_winner(void **state)
{
	enum { N = 16, ROUNDS = 20 };
	static struct racer r[N];

	(void)state;
	pthread_barrier_init(&gate, NULL, N);
	for (int round = 0; round < ROUNDS; round++) {
		struct uuid id = new_conversation(&ann, "race");
		const struct turn_begin *won = NULL;

		if (round % 2) {	/* a dead turn is to be closed first */
			struct turn_begin b = begin_of(&id, "dead");

			clock_fix_us(clock_now_us() - 2 * TURN_LEASE_US);
			ok(store_turn_begin(db, &ann, &b, &e));
			clock_fix_us(0);
		}
		for (int i = 0; i < N; i++) {
			r[i] = (struct racer){ .b = begin_of(&id, "me") };
			pthread_create(&r[i].thread, NULL, race, &r[i]);
		}
		for (int i = 0; i < N; i++) {
			pthread_join(r[i].thread, NULL);
			if (!r[i].rc) {
				assert_null(won);
				won = &r[i].b;
			} else if (r[i].e.code != ERR_BUSY) {
				fail_msg("%s", r[i].e.text);
			}
		}
		assert_non_null(won);
		end_with(&ann, won, "x");
		assert_int_equal(dbtest_sql(
			"SELECT COUNT(*) FROM turn t JOIN conversation c"
			" ON c.id = t.conversation_id WHERE t.status = 6"
			" AND c.title = 'race'"), (round + 1) / 2);
	}
	pthread_barrier_destroy(&gate);
	/* Without gaps: as many messages as the last number says. */
	assert_int_equal(dbtest_sql(
		"SELECT COUNT(*) FROM conversation c WHERE c.last_seq <>"
		" (SELECT COUNT(*) FROM message m"
		" WHERE m.conversation_id = c.id)"), 0);
}

static void text_so_far(struct event_summary *told, int64_t seq, struct str data)
{
	struct buf *text = &told->text;

	(void)seq;
	if (str_is(data, "reset"))
		buf_reset(text);
	else
		buf_addstr(text, data);
}

static long usage_rows(const struct uuid *turn, const char *more)
{
	char sql[256], hex[UUID_TEXT_BYTES];

	snprintf(sql, sizeof(sql), "SELECT COUNT(*) FROM usage_record WHERE"
		 " turn_id = UNHEX(REPLACE('%s', '-', ''))%s",
		 uuid_format(turn, hex), more);
	return (long)dbtest_sql("%s", sql);
}

static void dead_turn_is_closed(void **state)
{
	struct usage cost;
	struct uuid id = new_conversation(&ann, "stale");
	struct turn_begin b = begin_of(&id, "1"), c = begin_of(&id, "2");
	struct turn_end late = { .turn_id = b.turn_id, .conversation_id = id,
				 .status = TURN_DONE };
	struct turn_events ev[] = {
		{ .turn_id = b.turn_id, .seq = 1, .n = 2, .data = S("old") },
		{ .turn_id = b.turn_id, .seq = 3, .n = 1, .data = S("reset") },
		{ .turn_id = b.turn_id, .seq = 4, .n = 3, .data = S("Half an ") },
		{ .turn_id = b.turn_id, .seq = 7, .n = 1, .data = S("answ") },
	};
	struct message_page p;
	struct turn t;
	bool closed;

	(void)state;
	ok(store_turn_begin(db, &ann, &b, &e));
	ok(store_turn_flush(db, ev, 4, &e));
	ok(store_turn_recover(db, &ann, &b.turn_id, text_so_far, &closed, &e));
	assert_false(closed);		/* it lives */
	clock_fix_us(clock_now_us() + 2 * TURN_LEASE_US);
	c.text_of_events = text_so_far;
	ok(store_turn_begin(db, &ann, &c, &e));
	assert_int_equal(c.user.seq, 3);
	assert_int_equal(c.turn_number, 2);
	ok(store_turn_get(db, &ann, &b.turn_id, &a, &t, &e));
	assert_int_equal(t.status, TURN_INTERRUPTED);
	assert_int_equal(t.answer_seq, 2);
	assert_int_equal(t.last_event_seq, 7 + TURN_SEQ_GAP);
	ok(message_history(db, &ann, &id, 2, 1, &a, &p, &e));
	assert_true(str_is(p.items[0].content, "Half an answ"));
	assert_non_null(strstr(p.items[0].meta.p, "interrupted"));
	/* What it cost about is written once. */
	assert_int_equal(usage_rows(&b.turn_id, " AND estimated AND"
				    " output_tokens IS NOT NULL"), 1);
	ok(store_turn_recover(db, &ann, &b.turn_id, text_so_far, &closed, &e));
	assert_int_equal(usage_rows(&b.turn_id, ""), 1);
	/* The old process was only slow: it must not write any more. */
	refused(store_turn_end(db, &ann, &late, &e), ERR_CONFLICT);
	/* But what it did cost takes the place of the estimate. */
	cost = usage_init(USAGE_CHAT);
	cost.id = cost.turn_id = b.turn_id;
	cost.conversation_id = id;
	cost.workspace_id = cost.provider = cost.model = cost.finish_reason =
		S("x");
	cost.input_tokens = 4711;
	ok(usage_settle(db, &ann, &cost, NULL, &e));
	assert_int_equal(usage_rows(&b.turn_id, ""), 1);
	assert_int_equal(usage_rows(&b.turn_id, " AND NOT estimated AND"
				    " input_tokens = 4711"), 1);
	ok(store_turn_touch(db, &b.turn_id, 1, &e));
	ok(store_turn_flush(db, &(struct turn_events){ .turn_id = b.turn_id,
		.seq = 8, .n = 1, .data = S("late") }, 1, &e));
	ok(store_turn_get(db, &ann, &b.turn_id, &a, &t, &e));
	assert_int_equal(t.last_event_seq, 7 + TURN_SEQ_GAP);
	/* And the reader's way: recover. */
	clock_fix_us(clock_now_us() + 2 * TURN_LEASE_US);
	ok(store_turn_recover(db, &ann, &c.turn_id, NULL, &closed, &e));
	assert_true(closed);
	ok(store_turn_recover(db, &ann, &c.turn_id, NULL, &closed, &e));
	assert_false(closed);
	ok(message_history(db, &ann, &id, 0, 1, &a, &p, &e));
	assert_int_equal(p.items[0].seq, 4);
	assert_true(str_is(p.items[0].content, ""));
	clock_fix_us(0);
}

static size_t n_told;

static void count_told(struct event_summary *told, int64_t seq, struct str data)
{
	(void)told;
	(void)seq;
	n_told += data.n;
}

/* All its events together are more than an arena takes: once an abort. */
static void a_dead_turn_with_many_events_is_closed(void **state)
{
	struct uuid id = new_conversation(&ann, "much");
	struct turn_begin b = begin_of(&id, "hello");
	char text[UUID_TEXT_BYTES];
	bool closed;

	(void)state;
	ok(store_turn_begin(db, &ann, &b, &e));
	dbtest_sql("INSERT INTO turn_event (turn_id, seq, n, created_us, data)"
		   " SELECT UNHEX(REPLACE('%s', '-', '')), seq, 1, 1,"
		   " REPEAT('x', 10000000) FROM seq_1_to_28",
		   uuid_format(&b.turn_id, text));
	clock_fix_us(clock_now_us() + 2 * TURN_LEASE_US);
	n_told = 0;
	ok(store_turn_recover(db, &ann, &b.turn_id, count_told, &closed, &e));
	clock_fix_us(0);
	assert_true(closed);
	assert_int_equal(n_told, 28 * 10000000);
}

static void many_turns_at_once(void **state)
{
	enum { N = 300 };
	static struct uuid ids[N + 1];
	static struct turn_events ev[N];
	static struct turn_state st[N + 1];
	static struct turn_begin b[N];
	struct turn_events *got;
	bool more;
	struct db_stats s, s2;
	struct turn t;
	size_t n;

	(void)state;
	for (int i = 0; i < N; i++) {
		struct uuid id = new_conversation(&ann, "many");

		b[i] = begin_of(&id, "x");
		ok(store_turn_begin(db, &ann, &b[i], &e));
		ids[i] = b[i].turn_id;
		ev[i] = (struct turn_events){ .turn_id = ids[i], .seq = 1,
					      .n = 5, .data = S("some") };
	}
	ids[N] = uuid_new();		/* there is no such turn */
	ok(store_turn_flush(db, ev, N, &e));
	db_stats(db, &s);
	ok(store_turn_flush(db, ev, N, &e));	/* twice is once */
	db_stats(db, &s2);
	assert_in_range(s2.round_trips - s.round_trips, 5, 6);
	ok(store_turn_cancel(db, &ann, &ids[7], &a, &t, &e));
	assert_int_equal(t.cancel_requested, 1);
	assert_int_equal(t.status, TURN_RUNNING);
	ok(store_turn_left(db, &ids[8], 12345, &e));
	ok(store_turn_left(db, &ids[9], 12345, &e));
	ok(store_turn_left(db, &ids[9], 0, &e));
	ok(store_turn_left(db, &ids[N], 12345, &e));	/* none: not an error */
	ok(store_turn_poll(db, ids, N + 1, st, &e));
	for (int i = 0; i < N; i++) {
		assert_true(uuid_eq(&st[i].id, &ids[i]));
		assert_int_equal(st[i].status, TURN_RUNNING);
		assert_int_equal(st[i].last_event_seq, 5);
		assert_int_equal(st[i].cancel_requested, i == 7);
		assert_int_equal(st[i].stop_us, i == 8 ? 12345 : 0);
	}
	assert_int_equal(st[N].status, 0);
	clock_fix_us(clock_now_us() + 10000000);
	ok(store_turn_touch(db, ids, N + 1, &e));
	clock_fix_us(0);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM turn WHERE status = 1"
		" AND lease_until_us > %lld",
		(long long)(clock_now_us() + TURN_LEASE_US + 1000000)), N);
	ok(store_turn_events_list(db, &ann, &ids[0], 0, NULL, 10, &a, &got, &n, &more,
				  &e));
	assert_int_equal(n, 1);
	assert_true(str_is(got[0].data, "some"));
	ok(store_turn_events_list(db, &ann, &ids[0], 4, NULL, 10, &a, &got, &n, &more,
				  &e));
	assert_int_equal(n, 1);
	ok(store_turn_events_list(db, &ann, &ids[0], 5, NULL, 10, &a, &got, &n, &more,
				  &e));
	assert_int_equal(n, 0);
	/* Events of turns that did not end are kept, however old. */
	clock_fix_us(clock_now_us() + INT64_C(3700000000));
	ok(store_tidy(db, &e));
	clock_fix_us(0);
	for (int i = 0; i < N; i++)
		end_with(&ann, &b[i], "x");
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM turn_event"), N);
	ok(store_tidy(db, &e));		/* not an hour old */
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM turn_event"), N);
	/* Their hour began again when they were kept. */
	clock_fix_us(clock_now_us() + INT64_C(7400000000));
	ok(store_tidy(db, &e));
	clock_fix_us(0);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM turn_event"), 0);
	ok(store_turn_cancel(db, &ann, &ids[0], &a, &t, &e));
	assert_int_equal(t.status, TURN_DONE);
	assert_int_equal(t.cancel_requested, 0);
}

/* B48: nothing left, in any table. */
static void delete_leaves_nothing(void **state)
{
	struct uuid id = new_conversation(&ann, "doomed");
	struct turn_begin b = begin_of(&id, "x");
	struct message rows[100];
	char hex[UUID_TEXT_BYTES];
	struct turn_end late;
	struct conversation c;
	struct turn t;

	(void)state;
	for (int k = 0; k < 120; k++) {		/* more than a batch of turns */
		b = begin_of(&id, "x");
		ok(store_turn_begin(db, &ann, &b, &e));
		for (size_t i = 0; i < 100; i++)
			rows[i] = (struct message){ .role = ROLE_TOOL };
		if (k < 30)			/* and of messages */
			ok(store_turn_append(db, &ann, &id, &b.turn_id, 0, rows, 100,
					     &e));
		ok(store_turn_flush(db, &(struct turn_events){ .turn_id = b.turn_id,
			.seq = 1, .n = 1, .data = S("ev") }, 1, &e));
		if (k < 119)
			end_with(&ann, &b, "y");
	}
	ok(conversation_delete(db, &ann, &id, &e));
	/* For readers it is gone at once; what belonged to it is a job. */
	refused(conversation_get(db, &ann, &id, &a, &c, &e), ERR_NOT_FOUND);
	refused(conversation_delete(db, &ann, &id, &e), ERR_NOT_FOUND);
	/* The turn that was running cannot write into the void. */
	late = (struct turn_end){ .turn_id = b.turn_id, .conversation_id = id,
				  .status = TURN_DONE };
	refused(store_turn_end(db, &ann, &late, &e), ERR_CONFLICT);
	refused(store_turn_append(db, &ann, &id, &b.turn_id, 0, rows, 1, &e),
		ERR_CONFLICT);
	refused(store_turn_get(db, &ann, &b.turn_id, &a, &t, &e), ERR_NOT_FOUND);
	ok(store_turn_flush(db, &(struct turn_events){ .turn_id = b.turn_id,
		.seq = 2, .n = 1, .data = S("ev") }, 1, &e));
	uuid_format(&id, hex);
	assert_true(do_jobs() >= 1);		/* more if its time is over before */
	for (const char *q = "conversation_id"; q; q = NULL) {
		static const char *const tables[] = { "message", "turn",
						      "usage_record" };

		for (size_t i = 0; i < ARRAY_LEN(tables); i++)
			assert_int_equal(dbtest_sql(
				"SELECT COUNT(*) FROM %s WHERE %s ="
				" UNHEX(REPLACE('%s','-',''))",
				tables[i], q, hex), 0);
	}
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM conversation WHERE"
		" id = UNHEX(REPLACE('%s','-','')) OR tenant_id = ''", hex), 0);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM turn_event WHERE"
		" turn_id NOT IN (SELECT id FROM turn)"), 0);
	assert_true(dbtest_sql("SELECT COUNT(*) FROM usage_record"
			       " WHERE conversation_id IS NULL") >= 119);
}

/* A purge whose time is over goes on where it was. */
static void a_purge_is_done_in_parts(void **state)
{
	struct uuid id = new_conversation(&ann, "half deleted");
	struct turn_begin b = begin_of(&id, "x");
	char hex[UUID_TEXT_BYTES];

	(void)state;
	ok(store_turn_begin(db, &ann, &b, &e));
	end_with(&ann, &b, "y");
	ok(conversation_delete(db, &ann, &id, &e));
	uuid_format(&id, hex);
	assert_int_equal(conversation_purge(db, &id, clock_mono_ms() - 1, &e), 0);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM message WHERE"
		" conversation_id = UNHEX(REPLACE('%s','-',''))", hex), 2);
	assert_int_equal(conversation_purge(db, &id, clock_mono_ms() + 60000,
					    &e), 1);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM conversation"
				    " WHERE tenant_id = ''"), 0);
	/* The job finds nothing more to do. */
	assert_int_equal(do_jobs(), 1);
	assert_int_equal(do_jobs(), 0);
}

/* An id that was deleted is free at once, and its job harms nobody then. */
static void a_deleted_id_is_used_again(void **state)
{
	struct uuid id = new_conversation(&ann, "first");
	struct turn_begin b = begin_of(&id, "x");
	struct conversation c;
	struct message_page p;

	(void)state;
	ok(store_turn_begin(db, &ann, &b, &e));
	end_with(&ann, &b, "y");
	ok(conversation_delete(db, &ann, &id, &e));
	b = begin_of(&id, "anew");
	b.turn_id = uuid_new();
	b.create = true;
	b.workspace_id = S("home");
	b.agent_id = S("assistant");
	ok(store_turn_begin(db, &ann, &b, &e));
	end_with(&ann, &b, "z");
	assert_int_equal(do_jobs(), 1);
	ok(message_history(db, &ann, &id, 0, 20, &a, &p, &e));
	assert_int_equal(p.n, 2);
	assert_true(str_is(p.items[0].content, "anew"));
	ok(conversation_get(db, &ann, &id, &a, &c, &e));
	/* While it is there nobody else gets it. */
	b.turn_id = uuid_new();
	refused(store_turn_begin(db, &ann, &b, &e), ERR_CONFLICT);
	assert_false(conversation_make_room(db, &id));
	/* Another one purged it between our insert and this question. */
	id = uuid_new();
	assert_true(conversation_make_room(db, &id));
}

/*
 * Another purge came to the end while this one ran, and the conversation was
 * made again with its old id: here, behind the first messages that go.
 */
static void a_purge_ends_with_the_deletion(void **state)
{
	struct uuid id = new_conversation(&ann, "made again");
	struct turn_begin b = begin_of(&id, "x");
	char hex[UUID_TEXT_BYTES], tenant[64], user[UUID_TEXT_BYTES];

	(void)state;
	ok(store_turn_begin(db, &ann, &b, &e));
	end_with(&ann, &b, "y");
	ok(conversation_delete(db, &ann, &id, &e));
	uuid_format(&id, hex);
	uuid_format(&ann.user_id, user);
	snprintf(tenant, sizeof(tenant), "%.*s", STR_ARG(ann.tenant_id));
	dbtest_sql("CREATE TRIGGER made_again AFTER DELETE ON message"
		   " FOR EACH ROW UPDATE conversation SET tenant_id = '%s',"
		   " user_id = UNHEX(REPLACE('%s','-',''))"
		   " WHERE id = OLD.conversation_id", tenant, user);
	assert_int_equal(conversation_purge(db, &id, clock_mono_ms() + 60000,
					    &e), 1);
	dbtest_sql("DROP TRIGGER made_again");
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM turn WHERE"
		" conversation_id = UNHEX(REPLACE('%s','-',''))", hex), 1);
	ok(conversation_delete(db, &ann, &id, &e));
	do_jobs();
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM turn WHERE"
		" conversation_id = UNHEX(REPLACE('%s','-',''))", hex), 0);
}

/* Without its job (an older program began it) housekeeping asks for one. */
static void a_deletion_without_a_job_ends(void **state)
{
	struct uuid id = new_conversation(&ann, "left behind");

	(void)state;
	ok(conversation_delete(db, &ann, &id, &e));
	dbtest_sql("DELETE FROM job");
	assert_int_equal(do_jobs(), 0);
	ok(store_tidy(db, &e));
	assert_int_equal(do_jobs(), 1);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM conversation"
				    " WHERE tenant_id = ''"), 0);
	ok(store_tidy(db, &e));
	assert_int_equal(do_jobs(), 0);
}

static int open_it(void **state)
{
	*state = (char *)"t_turn";
	return store_lab_open(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turn_from_begin_to_end),
		cmocka_unit_test(begin_brings_the_history),
		cmocka_unit_test(rows_of_an_earlier_try_are_stored_once),
		cmocka_unit_test(an_end_with_many_batches),
		cmocka_unit_test(second_turn_is_busy),
		cmocka_unit_test(race_has_one_winner),
		cmocka_unit_test(dead_turn_is_closed),
		cmocka_unit_test(a_dead_turn_with_many_events_is_closed),
		cmocka_unit_test(many_turns_at_once),
		cmocka_unit_test(delete_leaves_nothing),
		cmocka_unit_test(a_purge_is_done_in_parts),
		cmocka_unit_test(a_deleted_id_is_used_again),
		cmocka_unit_test(a_purge_ends_with_the_deletion),
		cmocka_unit_test(a_deletion_without_a_job_ends),
	};

	return cmocka_run_group_tests(tests, open_it, store_lab_close);
}
