/* SPDX-License-Identifier: MIT */
/*
 * The loop (lib/turn) when things go wrong: stopped turns, failures upstream,
 * a process that dies, a small pool, a database that goes away.
 */
#include "base/limits.h"
#include "hold/line.h"
#include "turn_lab.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "event/pack.h"
#include "event/texts.h"

/* -- cancel ----------------------------------------------------------------- */

static void cancel_here(struct record *r, const struct turn_event *ev)
{
	if (ev->type == TURN_EV_TOKEN && r->tokens == 3)
		assert_true(event_live_cancel(lab.deps.live, &ev->run->id));
}

static void cancel_elsewhere(struct record *r, const struct turn_event *ev)
{
	const struct owner *o = &ev->run->in.by.owner;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct turn t;

	if (r->tokens != 3)
		return;
	r->tokens++;
	assert_int_equal(store_turn_cancel(lab.root, o, &ev->run->id, &a, &t, &e), 0);
	arena_release(&a);
}

static void cancel_in_tool(struct record *r, const struct turn_event *ev)
{
	(void)r;
	if (ev->type == TURN_EV_TOOL_CALL)
		event_live_cancel(lab.deps.live, &ev->run->id);
}

static void assert_cancelled(struct play *p)
{
	struct turn t = play_turn(p);

	assert_int_equal(p->status, TURN_CANCELLED);
	assert_int_equal(t.status, TURN_CANCELLED);
	assert_string_equal(json_string_value(play_meta(p, "finish_reason")),
			    "cancelled");
	assert_int_equal(p->record.last, TURN_EV_DONE);
}

static void cancel_keeps_the_text(void **state)
{
	static lab_hook *const hooks[] = { cancel_here, cancel_elsewhere };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		int64_t start = lab_ms();
		struct message_page page;
		struct play p;

		assert_int_equal(play_open(&p, NULL, NULL, "!script "
			"{\"tokens\":1000,\"rate\":50}"), 0);
		play_run(&p, hooks[i]);
		assert_cancelled(&p);
		assert_true(lab_ms() - start < 5000);	/* of 20 s */
		page = play_thread(&p);
		assert_int_equal(page.n, 2);
		assert_true(page.items[1].content.n > 5);
		play_end(&p);
	}
}

static void cancel_in_a_tool_answers_all_calls(void **state)
{
	struct message_page page;
	struct play p;

	(void)state;
	assert_int_equal(play_open(&p, NULL, NULL, "!script {\"tool_calls\":["
		SLOW("1") "," SLOW("2") "],\"then\":{\"text\":\"never\"}}"), 0);
	play_run(&p, cancel_in_tool);
	assert_cancelled(&p);
	assert_null(strstr(p.record.log.p, "TOKEN never"));
	page = play_thread(&p);
	assert_int_equal(page.n, 5);	/* user, step, two results, answer */
	assert_non_null(strstr(page.items[2].content.p, "cancelled"));
	assert_non_null(strstr(page.items[3].content.p, "cancelled"));
	play_end(&p);
}

static void cancel_before_the_run_counts(void **state)
{
	struct play p;

	(void)state;
	assert_int_equal(play_open(&p, NULL, NULL, "!script {\"text\":\"no\"}"), 0);
	assert_int_equal(event_live_count(lab.deps.live), 1);
	assert_true(event_live_cancel(lab.deps.live, &p.run.id));
	play_run(&p, NULL);
	assert_cancelled(&p);
	assert_null(strstr(p.record.log.p, "TOKEN"));
	assert_int_equal(event_live_count(lab.deps.live), 0);
	play_end(&p);
}

/* All that runs, and what still comes; but what a person stopped stays so. */
static void a_shutdown_interrupts(void **state)
{
	struct event_live *usual = lab.deps.live;
	struct play running, stopped, late;
	struct err e = ERR_INIT;

	(void)state;
	lab.deps.live = event_live_new(lab.deps.db, &e);
	assert_non_null(lab.deps.live);
	assert_int_equal(play_open(&running, NULL, NULL,
				   "!script {\"text\":\"no\"}"), 0);
	assert_int_equal(play_open(&stopped, NULL, NULL,
				   "!script {\"text\":\"no\"}"), 0);
	assert_true(event_live_cancel(lab.deps.live, &stopped.run.id));
	event_live_interrupt(lab.deps.live);
	assert_int_equal(play_open(&late, NULL, NULL,
				   "!script {\"text\":\"no\"}"), 0);
	play_run(&running, NULL);
	play_run(&stopped, NULL);
	play_run(&late, NULL);
	assert_cancelled(&stopped);
	assert_int_equal(running.status, TURN_INTERRUPTED);
	assert_int_equal(late.status, TURN_INTERRUPTED);
	assert_non_null(strstr(running.run.answer.meta.p, "\"interrupted\""));
	play_end(&running);
	play_end(&stopped);
	play_end(&late);
	event_live_free(lab.deps.live);
	lab.deps.live = usual;
}

/* A place in the line is returned however a turn begins, and if it does not. */
static void a_begin_returns_its_place(void **state)
{
	struct play p, busy;

	(void)state;
	lab.deps.begins = hold_line_new(1, 60000);
	for (int i = 0; i < 2; i++) {
		lab.at_once = i > 0;
		assert_int_equal(play_open(&p, NULL, NULL, "!script {\"text\":\"a\"}"), 0);
		assert_int_equal(p.run.place.of != NULL, lab.at_once);
		if (lab.at_once)
			play_commit(&p);
		assert_int_equal(play_open(&busy, NULL, &p.run.conversation_id, "b"), -1);
		assert_int_equal(busy.err.code, ERR_BUSY);
		assert_null(busy.run.place.of);
		play_end(&busy);
		play_run(&p, NULL);
		assert_int_equal(p.status, TURN_DONE);
		play_end(&p);
		/* A turn that is not run. */
		assert_int_equal(play_open(&p, NULL, NULL, "c"), 0);
		play_end(&p);
		play(&p, NULL, NULL, "!script {\"text\":\"d\"}");
		assert_null(p.run.place.of);
		play_end(&p);
	}
	lab.at_once = false;
	hold_line_free(lab.deps.begins);
	lab.deps.begins = NULL;
}

static bool waits_for_the_lock(MYSQL *root)
{
	MYSQL_RES *rows;
	bool yes;

	assert_int_equal(mysql_query(root, "SELECT 1 FROM information_schema.processlist "
		"WHERE info LIKE 'UPDATE turn SET stop_us%'"), 0);
	rows = mysql_store_result(root);
	assert_non_null(rows);
	yes = mysql_num_rows(rows) > 0;
	mysql_free_result(rows);
	return yes;
}

/*
 * The thread of running turns reads their states, and stops what runs no more. Of a turn
 * whose begin is committed between the two, it has read nothing.
 */
static void a_turn_that_begins_during_a_look_goes_on(void **state)
{
	struct event_live_entry young = { .added = false };
	struct event_live *usual = lab.deps.live;
	const struct uuid id = uuid_new();
	struct err e = ERR_INIT;
	struct http_abort *abort = http_abort_new(&e);
	MYSQL *holder = lab_root(), *root = lab_root();
	int64_t end_ms = lab_ms() + 20000;
	char hex[UUID_HEX_BYTES], sql[160];
	struct play p;

	(void)state;
	lab.deps.live = event_live_new(lab.deps.db, &e);
	assert_non_null(lab.deps.live);
	event_live_add(lab.deps.live, &young, &id, abort, EVENT_LIVE_BEGUN);
	/* Looked at first, as the newest: that it was left is stored between. */
	assert_int_equal(play_open(&p, NULL, NULL, "!script {\"text\":\"yes\"}"), 0);
	uuid_hex(&p.run.id, hex);
	snprintf(sql, sizeof(sql), "SELECT id FROM turn WHERE id = "
		 "UNHEX('%s') FOR UPDATE", hex);
	assert_int_equal(mysql_query(holder, "BEGIN"), 0);
	assert_int_equal(mysql_query(holder, sql), 0);
	mysql_free_result(mysql_store_result(holder));
	event_live_left(lab.deps.live, &p.run.id, 100);
	while (!waits_for_the_lock(root)) {
		assert_true(lab_ms() < end_ms);
		lab_nap();
	}
	event_live_on(lab.deps.live, &young);
	assert_int_equal(mysql_query(holder, "ROLLBACK"), 0);
	while (!play_turn(&p).stop_us) {
		assert_true(lab_ms() < end_ms);
		lab_nap();
	}
	play_run(&p, NULL);
	play_end(&p);
	event_live_remove(lab.deps.live, &young);
	event_live_free(lab.deps.live);		/* waits for the thread */
	assert_false(http_aborted(abort));
	http_abort_free(abort);
	mysql_close(holder);
	mysql_close(root);
	lab.deps.live = usual;
}

/* -- failures upstream ------------------------------------------------------ */

static void upstream_failures_are_told_and_stored(void **state)
{
	static const struct {
		const char *agent, *script, *code, *content;
	} rows[] = {
		{ NULL, "{\"error\":{\"status\":500,\"body\":\"secret detail\"}}",
		  "upstream_error", "The language model" },
		{ NULL, "{\"error\":{\"status\":401}}", "upstream_auth",
		  "The language model" },
		{ NULL, "{\"html\":true}", "upstream_", "The language model" },
		{ NULL, "{\"empty\":true}", "upstream_", "The language model" },
		{ NULL, "{\"text\":\"one two three four\",\"cut_after\":2}",
		  "upstream_ended_early", "one two" },
		{ NULL, "{\"text\":\"one two three four\",\"error\":{\"after_tokens\":2}}",
		  "upstream_", "one two" },
		{ "away", "{}", "upstream_unreachable", "The language model" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char content[256];
		struct play p;
		struct turn t;

		snprintf(content, sizeof(content), "!script %s", rows[i].script);
		play(&p, rows[i].agent, NULL, content);
		if (p.status != TURN_ERROR)
			fail_msg("%s: %d\n%s", rows[i].script, p.status,
				 p.record.log.p);
		assert_int_equal(p.record.last, TURN_EV_ERROR);
		assert_string_equal(json_string_value(
			play_meta(&p, "finish_reason")), "error");
		t = play_turn(&p);
		assert_int_equal(t.status, TURN_ERROR);
		if (!str_starts(t.error_code, str_of(rows[i].code)) ||
		    !str_starts(p.run.answer.content, str_of(rows[i].content)))
			fail_msg("%s: %.*s \"%.*s\"", rows[i].script,
				 STR_ARG(t.error_code),
				 STR_ARG(p.run.answer.content));
		assert_null(strstr(p.run.answer.content.p, "secret detail"));
		assert_null(strstr(p.run.answer.meta.p, "secret detail"));
		play_end(&p);
	}
}

static void a_failed_turn_is_not_replayed(void **state)
{
	struct play p, q;
	const struct llm_request *r;

	(void)state;
	play(&p, NULL, NULL, "!script {\"error\":{\"status\":500}}");
	play(&q, NULL, &p.run.conversation_id, "!script {\"text\":\"Better.\"}");
	r = play_request(&q);
	assert_int_equal(r->n_messages, 2);
	assert_int_equal(r->messages[0].role, LLM_USER);
	assert_int_equal(r->messages[1].role, LLM_USER);
	play_end(&p);
	play_end(&q);
}

/* -- text of a turn that dies ----------------------------------------------- */

static void text_so_far_is_stored(void **state)
{
	struct event_summary told = { .text = BUF_INIT(1 << 20) };
	struct turn_events *batches;
	bool more;
	struct err e = ERR_INIT;
	struct owner o;
	struct play p;
	size_t n;

	(void)state;
	/* 60 tokens at 30 a second: two rounds of the live thread. */
	play(&p, NULL, NULL, "!script {\"tokens\":60,\"rate\":30}");
	o = play_owner(&p);
	assert_int_equal(store_turn_events_list(lab.root, &o, &p.run.id, 0, NULL, 100,
						&p.arena, &batches, &n, &more,
						&e), 0);
	assert_true(n >= 1);
	/* The last row may have been on its way when the turn ended with it, too. */
	for (size_t i = 0; i < 2 * n; i++)
		event_texts(&told, batches[i / 2].seq,
				    batches[i / 2].data);
	assert_true(str_eq(p.run.answer.content, buf_str(&told.text)));
	assert_int_equal(told.calls, 1);
	assert_int_equal(told.output_bytes, told.text.n);
	assert_int_equal(play_turn(&p).last_event_seq, play_last_event(&p));
	buf_release(&told.text);
	play_end(&p);
}

static void a_dead_turn_keeps_its_text(void **state)
{
	struct turn_begin b = { .turn_id = uuid_new(), .content = STR("second") };
	struct buf packed = BUF_INIT(100);
	struct turn_events batch = { .seq = 1, .n = 1 };
	struct message_page page;
	struct err e = ERR_INIT;
	struct owner o;
	struct play p;
	bool closed = false;

	(void)state;
	play(&p, NULL, NULL, "!script {\"text\":\"First.\"}");
	o = play_owner(&p);
	b.conversation_id = p.run.conversation_id;
	assert_int_equal(store_turn_begin(lab.root, &o, &b, &e), 0);
	batch.turn_id = b.turn_id;
	assert_true(pack_add(&packed, 0, &(struct turn_event){
		.type = TURN_EV_TOKEN, .seq = 1, .text = STR("So far ") }));
	batch.data = buf_str(&packed);
	assert_int_equal(store_turn_flush(lab.root, &batch, 1, &e), 0);
	clock_fix_us(clock_now_us() + 2 * TURN_LEASE_US);
	assert_int_equal(store_turn_recover(lab.root, &o, &b.turn_id,
					    event_texts, &closed, &e), 0);
	clock_fix_us(0);
	assert_true(closed);
	page = play_thread(&p);
	assert_int_equal(page.n, 4);
	assert_str_is(page.items[3].content, "So far ");
	buf_release(&packed);
	play_end(&p);
}

/* P-F3: while the model is silent, and while a tool runs. */
static void silence_is_kept_alive(void **state)
{
	struct play p;

	(void)state;
	assert_int_equal(play_open(&p, NULL, NULL, "!script {\"first_byte_ms\":"
		"400,\"text\":\"late\"}"), 0);
	play_idle_ms(&p, 100);
	play_run(&p, NULL);
	assert_true(p.record.idles >= 2);
	play_end(&p);
	assert_int_equal(play_open(&p, NULL, NULL, "!script {\"tool_calls\":["
		SLOW("7") "],\"then\":{\"text\":\"late\"}}"), 0);
	play_idle_ms(&p, 100);
	play_run(&p, NULL);
	assert_true(p.record.idles >= 2);
	play_end(&p);
}

/* -- many, and a small pool ------------------------------------------------- */

enum { STREAMS = 200 };

static void *one_stream(void *unused)
{
	struct play *p = malloc(sizeof(*p));
	void *ok;

	(void)unused;
	play(p, NULL, NULL, "!script {\"tokens\":40,\"rate\":40}");
	ok = p->status == TURN_DONE && p->record.tokens >= 40 ? p : NULL;
	play_end(p);
	free(p);
	return ok;
}

static void streams_hold_no_connection(void **state)
{
	pthread_t threads[STREAMS];
	int64_t start = lab_ms();
	struct db_stats stats;
	int done = 0;

	(void)state;
	for (int i = 0; i < STREAMS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, one_stream,
						NULL), 0);
	for (int i = 0; i < STREAMS; i++) {
		void *ok;

		pthread_join(threads[i], &ok);
		done += ok != NULL;
	}
	assert_int_equal(done, STREAMS);
	db_stats(lab.deps.db, &stats);
	assert_true(stats.open <= 4);
	assert_true(lab_ms() - start < 20000);
	assert_int_equal(event_live_count(lab.deps.live), 0);
}

/* -- the database goes away ------------------------------------------------- */

static void stop_db_at_token(struct record *r, const struct turn_event *ev)
{
	if (ev->type == TURN_EV_TOKEN && r->tokens == 1)
		lab_db_stop();
}

static void *start_db(void *unused)
{
	(void)unused;
	lab_db_start();
	return NULL;
}

static void restart_db_when_delayed(struct record *r,
				    const struct turn_event *ev)
{
	stop_db_at_token(r, ev);
	if (ev->type == TURN_EV_WARNING)
		start_db(NULL);
}

static void a_short_outage_is_waited_for(void **state)
{
	struct message_page page;
	struct play p;

	(void)state;
	assert_int_equal(play_open(&p, NULL, NULL, "!script {\"tokens\":20,"
		"\"rate\":40}"), 0);
	play_run(&p, restart_db_when_delayed);
	assert_int_equal(p.status, TURN_DONE);
	play_assert_has(&p, "WARNING storing_delayed");
	page = play_thread(&p);
	assert_int_equal(page.n, 2);
	assert_true(str_eq(page.items[1].content, p.run.answer.content));
	play_end(&p);
}

/* An arena at its cap ends the turn, which says so, not the process. */
static void a_full_arena_ends_the_turn(void **state)
{
	struct play p;

	(void)state;
	if (play_open(&p, NULL, NULL, "!script {\"text\":\"x\"}") < 0)
		fail_msg("%s", p.err.text);
	arena_alloc(&p.arena, LIM_ARENA_BYTES);
	play_run(&p, NULL);
	assert_int_equal(p.status, TURN_ERROR);
	assert_true(str_is(p.run.answer.content,
			   err_rows[ERR_TOO_BIG].message));
	play_end(&p);
}

static void nothing_stored_is_said(void **state)
{
	struct play p;

	(void)state;
	assert_int_equal(play_open(&p, NULL, NULL, "!script {\"text\":\"Lost "
		"words\"}"), 0);
	play_run(&p, stop_db_at_token);
	assert_int_equal(p.status, TURN_ERROR);
	play_assert_has(&p, "ERROR Lost words");
	assert_true(json_is_false(play_meta(&p, "stored")));
	assert_int_equal(p.run.answer.seq, 0);
	assert_non_null(strstr(p.run.answer.meta.p, "could not be stored"));
	play_end(&p);
	start_db(NULL);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_arena_ends_the_turn),
		cmocka_unit_test(cancel_keeps_the_text),
		cmocka_unit_test(cancel_in_a_tool_answers_all_calls),
		cmocka_unit_test(cancel_before_the_run_counts),
		cmocka_unit_test(a_shutdown_interrupts),
		cmocka_unit_test(a_begin_returns_its_place),
		cmocka_unit_test(a_turn_that_begins_during_a_look_goes_on),
		cmocka_unit_test(upstream_failures_are_told_and_stored),
		cmocka_unit_test(a_failed_turn_is_not_replayed),
		cmocka_unit_test(text_so_far_is_stored),
		cmocka_unit_test(a_dead_turn_keeps_its_text),
		cmocka_unit_test(silence_is_kept_alive),
		cmocka_unit_test(streams_hold_no_connection),
		cmocka_unit_test(a_short_outage_is_waited_for),
		cmocka_unit_test(nothing_stored_is_said),
	};

	(void)argc;
	unit_need_database(argv);
	return cmocka_run_group_tests_name("turn_faults", tests, lab_up, lab_down);
}
