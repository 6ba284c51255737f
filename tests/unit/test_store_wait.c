/* SPDX-License-Identifier: MIT */
/*
 * lib/store over a real MariaDB: turns that wait, the runs of one turn, and the
 * settings that come with its begin.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/wait.h"
#include "store_lab.h"
#include "turn/unstored.h"

enum { WAITS = 2 };

/* A turn of ann's whose step is about to wait. */
struct waiter {
	struct turn_begin b;
	struct message step;
	struct turn_wait waits[WAITS];
	struct turn_pause pause;
};

static struct turn_wait wait_of(struct str call)
{
	static const char digest[WAIT_DIGEST_BYTES] = "digest";

	return (struct turn_wait){
		.id = uuid_new(), .kind = WAIT_APPROVAL, .call_id = call,
		.tool = S("wipe"), .reason = S("policy"), .args = S("{}"),
		.digest = { digest, sizeof(digest) },
		.expires_us = clock_now_us() + 600000000,
	};
}

static void begin(struct waiter *w, const char *title)
{
	struct uuid id = new_conversation(&ann, title);

	*w = (struct waiter){
		.b = begin_of(&id, title),
		.step = { .role = ROLE_ASSISTANT, .content = S("step"),
			  .kind = KIND_STEP },
	};
	ok(store_turn_begin(db, &ann, &w->b, &e));
	w->waits[0] = wait_of(S("a"));
	w->waits[1] = wait_of(S("b"));
	w->pause = (struct turn_pause){
		.turn_id = w->b.turn_id, .conversation_id = id,
		.rows = &w->step, .n_rows = 1,
		.waits = w->waits, .n_waits = WAITS, .last_event_seq = 5,
		.until_us = w->waits[0].expires_us,
	};
}

static struct turn now(const struct waiter *w)
{
	struct turn t;

	ok(store_turn_get(db, &ann, &w->b.turn_id, &a, &t, &e));
	return t;
}

static struct turn_resume decide(const struct waiter *w,
				 struct turn_decision *d, int i)
{
	struct turn_resume r = { .turn_id = w->b.turn_id, .decisions = d,
				 .n = 1, .via = S("test") };

	*d = (struct turn_decision){ .id = w->waits[i].id,
				     .kind = WAIT_APPROVAL,
				     .status = WAIT_APPROVED };
	ok(store_turn_resume(db, &ann, &r, &e));
	return r;
}

static size_t stored_waits(const struct waiter *w)
{
	struct turn_wait *rows;
	size_t n;

	ok(store_turn_wait_list(db, &ann, &w->b.turn_id, &a, &rows, &n, &e));
	return n;
}

static struct turn_end end_of(const struct waiter *w, struct message *answer,
			      struct usage *u)
{
	*answer = (struct message){ .role = ROLE_ASSISTANT,
				    .content = S("end"), .kind = KIND_ANSWER,
				    .finish_reason = S("error") };
	*u = usage_init(USAGE_CHAT);
	u->workspace_id = u->agent_id = u->provider = u->model =
		u->finish_reason = S("x");
	u->prompts = S("[]");
	u->id = u->turn_id = w->b.turn_id;
	u->conversation_id = w->b.conversation_id;
	return (struct turn_end){
		.turn_id = w->b.turn_id,
		.conversation_id = w->b.conversation_id,
		.status = TURN_ERROR, .answer = answer, .usage = u,
		.last_event_seq = 9,
	};
}

/* As after a COMMIT without an answer that db_tx gave up in the end. */
static void a_pause_is_stored_once(void **state)
{
	struct message_page p;
	struct waiter w;
	int64_t time_us;

	(void)state;
	begin(&w, "once");
	ok(store_turn_pause(db, &ann, &w.pause, &e));
	assert_false(w.pause.news);
	time_us = w.pause.attempt_us;
	assert_int_equal(now(&w).status, TURN_WAITING);
	/* The next try tells of a delay, too. */
	w.pause.last_event_seq++;
	ok(store_turn_pause(db, &ann, &w.pause, &e));
	assert_false(w.pause.news);
	assert_int_equal(w.pause.attempt_us, time_us);
	assert_int_equal(now(&w).status, TURN_WAITING);
	assert_int_equal(now(&w).last_event_seq, 6);
	assert_int_equal(stored_waits(&w), WAITS);
	ok(message_list(db, &ann, &w.b.conversation_id, OLDEST_FIRST, 0, 9, &a,
			&p, &e));
	assert_int_equal(p.n, 2);
	/* Another attempt is not this one. */
	w.pause.attempt_us = 0;
	refused(store_turn_pause(db, &ann, &w.pause, &e), ERR_CONFLICT);
}

/* Somebody was faster than the next try. */
static void a_pause_that_was_answered_meanwhile(void **state)
{
	struct turn_decision d;
	struct waiter w;
	bool closed;

	(void)state;
	begin(&w, "answered");
	ok(store_turn_pause(db, &ann, &w.pause, &e));
	assert_false(w.pause.over);
	assert_true(decide(&w, &d, 0).resumed);
	ok(store_turn_pause(db, &ann, &w.pause, &e));
	assert_false(w.pause.news);
	assert_true(w.pause.over);	/* nobody is told that it waits */
	assert_int_equal(now(&w).status, TURN_RUNNING);
	assert_int_equal(now(&w).resumes, 1);

	begin(&w, "given up");
	ok(store_turn_pause(db, &ann, &w.pause, &e));
	ok(store_turn_abandon(db, &ann, &w.b.turn_id, &closed, &e));
	assert_true(closed);
	ok(store_turn_pause(db, &ann, &w.pause, &e));
	assert_int_equal(now(&w).status, TURN_CANCELLED);
}

/* Stored, but running, since a decision came first: the next try finds that. */
static void news_are_found_again(void **state)
{
	struct turn_decision d;
	struct waiter w;

	(void)state;
	begin(&w, "news");
	ok(store_turn_pause(db, &ann, &w.pause, &e));
	assert_true(decide(&w, &d, 0).resumed);
	assert_false(decide(&w, &d, 1).resumed);
	w.pause.waits = &(struct turn_wait){ 0 };
	*w.pause.waits = wait_of(S("c"));
	w.pause.n_waits = 1;
	w.pause.n_rows = 0;
	w.pause.resumes = 1;
	w.pause.attempt_us = 0;
	for (int tries = 0; tries < 2; tries++) {
		ok(store_turn_pause(db, &ann, &w.pause, &e));
		assert_true(w.pause.news);
		assert_int_equal(now(&w).status, TURN_RUNNING);
		assert_int_equal(stored_waits(&w), WAITS + 1);
	}
}

static int64_t usage_records(const struct waiter *w)
{
	char id[UUID_TEXT_BYTES];

	return dbtest_sql("SELECT COUNT(*) FROM usage_record WHERE turn_id ="
			  " UNHEX(REPLACE('%s', '-', ''))",
			  uuid_format(&w->b.turn_id, id));
}

/*
 * A pause that is stored, though whoever stored it was never told and gave up: its
 * end is refused, and what it cost has a record already.
 */
static void a_pause_that_was_given_up_costs_once(void **state)
{
	struct message answer;
	struct turn_end end;
	struct waiter w;
	struct usage u, paused;

	(void)state;
	begin(&w, "given up");
	end = end_of(&w, &answer, &u);
	paused = u;
	paused.id = uuid_new();
	w.pause.usage = &paused;
	ok(store_turn_pause(db, &ann, &w.pause, &e));
	refused(store_turn_end(db, &ann, &end, &e), ERR_CONFLICT);
	ok(usage_settle(db, &ann, &u, &paused.id, &e));
	assert_int_equal(usage_records(&w), 1);
	/* It was not stored: then there is none but this. */
	begin(&w, "closed");
	end = end_of(&w, &answer, &u);
	paused.id = uuid_new();
	ok(usage_settle(db, &ann, &u, &paused.id, &e));
	assert_int_equal(usage_records(&w), 1);
}

/* The end of a run ends neither a turn that waits nor one that was resumed. */
static void an_end_is_of_one_run(void **state)
{
	struct turn_decision d;
	struct message answer;
	struct turn_end end;
	struct usage u;
	struct waiter w;
	bool closed;

	(void)state;
	begin(&w, "runs");
	ok(store_turn_pause(db, &ann, &w.pause, &e));
	end = end_of(&w, &answer, &u);
	refused(store_turn_end(db, &ann, &end, &e), ERR_CONFLICT);
	refused(store_turn_end_late(db, &ann, &end, NULL, 0, &e), ERR_CONFLICT);
	assert_int_equal(now(&w).status, TURN_WAITING);

	assert_true(decide(&w, &d, 0).resumed);
	end.ended_us = 0;
	refused(store_turn_end(db, &ann, &end, &e), ERR_CONFLICT);
	refused(store_turn_end_late(db, &ann, &end, NULL, 0, &e), ERR_CONFLICT);
	assert_int_equal(now(&w).status, TURN_RUNNING);

	/* Nor does it take the place of what that run has said. */
	dbtest_sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1");
	ok(store_turn_recover(db, &ann, &w.b.turn_id, NULL, &closed, &e));
	assert_true(closed);
	refused(store_turn_end_late(db, &ann, &end, NULL, 0, &e), ERR_CONFLICT);
	end.resumes = 1;
	ok(store_turn_end_late(db, &ann, &end, NULL, 0, &e));
	assert_int_equal(now(&w).status, TURN_ERROR);
}

static void the_run_is_sealed(void **state)
{
	static const unsigned char key[KEY_BYTES] = { 7 };
	struct turn_unstored u = { .n_steps = 0 }, back;
	struct waiter w = { .b = begin_of(&(struct uuid){ { 1 } }, "x") };
	struct str text;

	(void)state;
	u.end = end_of(&w, &u.answer, &u.usage);
	u.end.resumes = 3;
	text = unstored_seal(&a, key, &ann, &u);
	ok(unstored_open(&a, key, &ann, &w.b.turn_id, text, &back, &e));
	assert_int_equal(back.end.resumes, 3);
}

static int open_it(void **state)
{
	*state = (char *)"t_store_wait";
	return store_lab_open(state);
}

/* The settings of the holders come with it, whether it is new or not. */
static void begin_brings_the_settings(void **state)
{
	struct uuid ids[STORE_SETTINGS + 1];
	struct turn_begin b = { .turn_id = uuid_new(),
				.conversation_id = uuid_new(), .create = true,
				.workspace_id = S("home"),
				.agent_id = S("assistant"), .content = S("1"),
				.holders = ids, .n_holders = ARRAY_LEN(ids),
				.arena = &a };
	struct store_setting tenant = { .level = 5, .name = S("default") };
	struct store_setting team = { .level = 4, .name = S("sales"),
				      .values = S("{\"theme\":\"dark\"}") };
	struct db_stats s, s2;
	bool stored;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		ids[i] = uuid_new();
	tenant.holder_id = ids[1];
	team.holder_id = ids[STORE_SETTINGS - 1];
	ok(store_turn_begin(db, &ann, &b, &e));
	assert_true(b.settings_known && b.n_settings == 0);
	end_with(&ann, &b, "answer");
	/* A group's are found by the row that it makes for the tenant. */
	ok(store_setting_mark(db, &tenant, &e));
	ok(store_setting_put(db, ann.tenant_id, &team, &stored, &e));
	assert_true(stored);
	ok(store_setting_mark(db, &tenant, &e));
	ok(store_setting_put(db, ann.tenant_id, &team, &stored, &e));
	assert_false(stored);
	for (int create = 0; create < 2; create++) {
		b.turn_id = uuid_new();
		b.create = create;
		if (create)
			b.conversation_id = uuid_new();
		db_stats(db, &s);
		ok(store_turn_begin(db, &ann, &b, &e));
		db_stats(db, &s2);
		assert_in_range(s2.round_trips - s.round_trips, 1, 2);
		assert_int_equal(b.n_settings, 2);
		for (size_t i = 0; i < 2; i++) {
			const struct store_setting *row = &b.settings[i];
			bool of_team = row->level == 4;

			assert_int_equal(row->version, 1);
			assert_true(uuid_eq(&row->holder_id, of_team
					    ? &team.holder_id : &ids[1]));
			assert_true(str_is(row->values, of_team
					   ? "{\"theme\":\"dark\"}" : "{}"));
		}
		assert_true(str_is(b.user.content, "1"));
		end_with(&ann, &b, "answer");
	}
	/* The one behind the last is not asked for. */
	team.holder_id = ids[STORE_SETTINGS];
	ok(store_setting_put(db, ann.tenant_id, &team, &stored, &e));
	b.turn_id = uuid_new();
	b.create = false;
	ok(store_turn_begin(db, &ann, &b, &e));
	assert_int_equal(b.n_settings, 2);
	end_with(&ann, &b, "answer");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begin_brings_the_settings),
		cmocka_unit_test(a_pause_is_stored_once),
		cmocka_unit_test(a_pause_that_was_answered_meanwhile),
		cmocka_unit_test(a_pause_that_was_given_up_costs_once),
		cmocka_unit_test(news_are_found_again),
		cmocka_unit_test(an_end_is_of_one_run),
		cmocka_unit_test(the_run_is_sealed),
	};

	return cmocka_run_group_tests_name("store_wait", tests, open_it,
					   store_lab_close);
}
