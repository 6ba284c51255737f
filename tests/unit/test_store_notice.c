/* SPDX-License-Identifier: MIT */
/* lib/store/notice over a real MariaDB: numbers, order, isolation, expiry. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/notice.h"
#include "store_lab.h"

static struct notice_row status_of(const struct owner *o,
				   const struct uuid *turn, const char *word)
{
	return (struct notice_row){
		.owner = *o,
		.notice = { .kind = NOTICE_TURN_STATUS, .subject_id = *turn,
			    .conversation_id = *turn, .word = S(word),
			    .done = -1, .total = -1,
			    .created_us = clock_now_us() },
	};
}

/* A user that no other test has. */
static struct owner somebody(const char *tenant, const char *login)
{
	return (struct owner){ .tenant_id = S(tenant),
			       .user_id = uuid_of_name(S(tenant), S(login)) };
}

static int64_t listen_as(const struct owner *o)
{
	int64_t last = -1;

	ok(notice_listen(db, o, &last, &e));
	return last;
}

static size_t list(const struct owner *o, int64_t after, struct notice **out)
{
	size_t n;

	ok(notice_list(db, o, after, 100, &a, out, &n, &e));
	return n;
}

static void are_kept_for_listeners_only(void **state)
{
	struct owner o = somebody("home", "cleo");
	struct uuid turn = uuid_new();
	struct notice_row rows[] = {
		status_of(&o, &turn, "running"), status_of(&o, &turn, "done"),
	};
	struct notice *n;

	(void)state;
	ok(notice_store(db, rows, 2, &e));
	assert_int_equal(list(&o, 0, &n), 0);
	assert_int_equal(listen_as(&o), 0);
	assert_int_equal(listen_as(&o), 0);
	ok(notice_store(db, rows, 2, &e));
	assert_int_equal(listen_as(&o), 2);
	assert_int_equal(list(&o, 0, &n), 2);
	assert_int_equal(n[0].seq, 1);
	assert_int_equal(n[1].seq, 2);
	assert_true(str_is(n[0].word, "running"));
	assert_true(str_is(n[1].word, "done"));
	assert_true(uuid_eq(&n[1].subject_id, &turn));
	assert_null(n[0].title.p);
	assert_int_equal(n[0].done, -1);
	assert_int_equal(list(&o, 1, &n), 1);
	assert_int_equal(list(&o, 2, &n), 0);
}

static void every_member_comes_back(void **state)
{
	struct owner o = somebody("home", "dora");
	struct uuid id = uuid_new();
	struct notice_row row = { .owner = o, .notice = {
		.kind = NOTICE_JOB_PROGRESS, .subject_id = id,
		.word = S("a word that is longer than what a word may be"),
		.title = S("Über alles"), .done = 3, .total = 0,
		.created_us = 12345 } };
	struct notice *n;

	(void)state;
	listen_as(&o);
	ok(notice_store(db, &row, 1, &e));
	assert_int_equal(list(&o, 0, &n), 1);
	assert_int_equal(n->kind, NOTICE_JOB_PROGRESS);
	assert_true(uuid_is_nil(&n->conversation_id));
	assert_int_equal(n->word.n, 32);
	assert_true(str_is(n->title, "Über alles"));
	assert_int_equal(n->done, 3);
	assert_int_equal(n->total, 0);
	assert_int_equal(n->created_us, 12345);
}

/* One transaction for many users, mixed; each has their own numbers. */
static void users_are_apart(void **state)
{
	struct owner o[3] = { somebody("home", "eve"), somebody("home", "fay"),
			      somebody("away", "eve") };
	struct notice_row rows[30];
	struct uuid users[300];
	int64_t last[300];
	struct notice *n;

	(void)state;
	listen_as(&o[0]);
	listen_as(&o[2]);
	for (int i = 0; i < 30; i++) {
		struct uuid turn = { .b = { (unsigned char)i } };

		rows[i] = status_of(&o[i % 3], &turn, "running");
	}
	ok(notice_store(db, rows, 30, &e));
	assert_int_equal(list(&o[1], 0, &n), 0);
	for (int u = 0; u < 3; u += 2) {
		assert_int_equal(list(&o[u], 0, &n), 10);
		for (int i = 0; i < 10; i++) {
			assert_int_equal(n[i].seq, i + 1);
			assert_int_equal(n[i].subject_id.b[0], i * 3 + u);
		}
	}
	/* The same login of another tenant is another user, and a wrong pair of
	   tenant and user has nothing. */
	assert_int_equal(list(&(struct owner){ .tenant_id = S("away"),
					       .user_id = o[0].user_id }, 0, &n),
			 0);
	for (size_t i = 0; i < ARRAY_LEN(users); i++)
		users[i] = o[i % 3].user_id;
	ok(notice_poll(db, users, ARRAY_LEN(users), last, &e));
	for (size_t i = 0; i < ARRAY_LEN(users); i++)
		assert_int_equal(last[i], i % 3 == 1 ? 0 : 10);
}

enum { WRITERS = 4, BATCHES = 40 };

static void *write_some(void *p)
{
	const struct owner *o = p;
	struct err mine = ERR_INIT;
	struct uuid turn = uuid_new();

	for (int i = 0; i < BATCHES; i++) {
		struct notice_row rows[] = {
			status_of(o, &turn, "running"),
			status_of(&o[1], &turn, "running"),
			status_of(o, &turn, "done"),
		};

		if (notice_store(db, rows, 3, &mine))
			return p;
	}
	return NULL;
}

/* Whoever reads up to a number has missed nothing below it. */
static void numbers_appear_in_order(void **state)
{
	struct owner o[2] = { somebody("home", "gus"), somebody("home", "hal") };
	pthread_t threads[WRITERS];
	int64_t seen = 0, until_us = clock_now_us() + 30000000;

	(void)state;
	listen_as(&o[0]);
	listen_as(&o[1]);
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_some,
						o), 0);
	while (seen < 2 * WRITERS * BATCHES && clock_now_us() < until_us) {
		struct notice *n;
		size_t got = list(&o[0], seen, &n);

		for (size_t i = 0; i < got; i++)
			assert_int_equal(n[i].seq, ++seen);
		arena_reset(&a);
	}
	for (int i = 0; i < WRITERS; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(seen, 2 * WRITERS * BATCHES);
	assert_int_equal(listen_as(&o[1]), WRITERS * BATCHES);
}

static void old_ones_go(void **state)
{
	struct owner o = somebody("home", "ida");
	struct uuid turn = uuid_new();
	struct notice_row rows[5];
	struct notice *n;

	(void)state;
	listen_as(&o);
	for (int i = 0; i < 5; i++) {
		rows[i] = status_of(&o, &turn, "running");
		rows[i].notice.created_us = i < 3 ? 1 : clock_now_us();
	}
	ok(notice_store(db, rows, 5, &e));
	ok(store_tidy(db, &e));
	assert_int_equal(list(&o, 0, &n), 2);
	assert_int_equal(n[0].seq, 4);
}

static void deleted_conversations_leave_no_title(void **state)
{
	struct uuid c = new_conversation(&ann, "secret"), other = uuid_new();
	struct notice_row rows[2] = { { .owner = ann, .notice = {
		.kind = NOTICE_TITLE, .conversation_id = c, .title = S("secret"),
		.done = -1, .total = -1, .created_us = clock_now_us() } } };
	struct notice *n;
	int64_t from;

	(void)state;
	rows[1] = rows[0];
	rows[1].notice.conversation_id = other;
	from = listen_as(&ann);
	ok(notice_store(db, rows, 2, &e));
	ok(conversation_delete(db, &ann, &c, &e));
	assert_int_equal(list(&ann, from, &n), 2);
	assert_null(n[0].title.p);
	assert_true(str_is(n[1].title, "secret"));
}

static int64_t rows_read(void)
{
	return dbtest_sql("SELECT CAST(SUM(variable_value) AS SIGNED)"
			  " FROM information_schema.global_status"
			  " WHERE variable_name LIKE 'HANDLER_READ%%'");
}

/* Of turns that wait for long: not in each round of housekeeping. */
static void events_that_are_kept_are_not_read_again(void **state)
{
	enum { MANY = 10000 };
	struct uuid id = new_conversation(&ann, "waits");
	struct turn_begin b = begin_of(&id, "text");
	char turn[UUID_TEXT_BYTES];
	int64_t before;

	(void)state;
	ok(store_turn_begin(db, &ann, &b, &e));
	uuid_format(&b.turn_id, turn);
	dbtest_sql("INSERT INTO turn_event (turn_id, seq, n, created_us, data)"
		   " SELECT UNHEX(REPLACE('%s','-','')), seq, 1, seq, 'x'"
		   " FROM seq_1_to_%d", turn, MANY);
	dbtest_sql("ANALYZE TABLE turn_event");
	ok(store_tidy(db, &e));
	before = rows_read();
	ok(store_tidy(db, &e));
	assert_in_range(rows_read() - before, 0, 500);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM turn_event WHERE"
		" turn_id = UNHEX(REPLACE('%s','-',''))", turn), MANY);
	end_with(&ann, &b, "x");
	clock_fix_us(clock_now_us() + INT64_C(3700000000));
	ok(store_tidy(db, &e));
	clock_fix_us(0);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM turn_event WHERE"
		" turn_id = UNHEX(REPLACE('%s','-',''))", turn), 0);
}

static int open_it(void **state)
{
	*state = (char *)"t_notice";
	return store_lab_open(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(are_kept_for_listeners_only),
		cmocka_unit_test(every_member_comes_back),
		cmocka_unit_test(users_are_apart),
		cmocka_unit_test(numbers_appear_in_order),
		cmocka_unit_test(old_ones_go),
		cmocka_unit_test(deleted_conversations_leave_no_title),
		cmocka_unit_test(events_that_are_kept_are_not_read_again),
	};

	return cmocka_run_group_tests(tests, open_it, store_lab_close);
}
