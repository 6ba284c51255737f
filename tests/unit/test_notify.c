/* SPDX-License-Identifier: MIT */
/* lib/turn/notify over a real MariaDB: who is told, when, and how it ends. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "store_lab.h"
#include "event/notify.h"

static struct notify *n;

/* A subscription that writes down what it is told. */
struct ear {
	struct notify_sub sub;
	atomic_int told, dues;
	atomic_bool refuses, leaves, over;
	atomic_bool out_of_order;
	char last[64];		/* the word of the last; read when over */
};

static bool ear_tell(struct notify_sub *sub, const struct notice *rows,
		     size_t n_rows)
{
	struct ear *ear = (struct ear *)sub;

	for (size_t i = 0; i < n_rows && !atomic_load(&ear->refuses); i++) {
		if (rows[i].seq <= sub->after)
			continue;
		if (rows[i].seq != sub->after + 1)
			atomic_store(&ear->out_of_order, true);
		if (rows[i].word.n < sizeof(ear->last))
			memcpy(ear->last, rows[i].word.p, rows[i].word.n + 1);
		sub->after = rows[i].seq;
		atomic_fetch_add(&ear->told, 1);
	}
	return !atomic_load(&ear->leaves);
}

static bool ear_due(struct notify_sub *sub, int64_t now_ms)
{
	struct ear *ear = (struct ear *)sub;

	atomic_fetch_add(&ear->dues, 1);
	sub->due_ms = now_ms + 10;
	return !atomic_load(&ear->leaves);
}

static void ear_end(struct notify_sub *sub)
{
	atomic_store(&((struct ear *)sub)->over, true);
}

static const struct notify_ops ops = {
	.tell = ear_tell, .due = ear_due, .end = ear_end,
};

static void ear_open(struct ear *ear, const struct owner *o, int fd)
{
	*ear = (struct ear){ .sub = { .ops = &ops, .owner = *o, .fd = fd,
				      .due_ms = INT64_MAX } };
	ok(notice_listen(db, o, &ear->sub.last_seq, &e));
	ear->sub.after = ear->sub.last_seq;
	assert_true(notify_reserve(n));
	notify_add(n, &ear->sub);
}

static void ear_close(struct ear *ear)
{
	atomic_store(&ear->leaves, true);
	notify_refresh(n, &ear->sub.owner, "leave", NULL);
	dbtest_until(atomic_load(&ear->over));
	assert_false(atomic_load(&ear->out_of_order));
}

static void say(const struct owner *o, const char *what)
{
	notify_refresh(n, o, what, NULL);
}

enum { SENDERS = 6, EACH = 200 };

static void *send_many(void *p)
{
	for (int i = 0; i < EACH; i++)
		say(p, i % 2 ? "x" : "y");
	return NULL;
}

static void everybody_is_told_once_and_in_order(void **state)
{
	pthread_t threads[SENDERS];
	struct ear a1, a2, b;

	(void)state;
	ear_open(&a1, &ann, -1);
	ear_open(&a2, &ann, -1);
	ear_open(&b, &bob, -1);
	assert_int_equal(notify_count(n), 3);
	for (int i = 0; i < SENDERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, send_many,
						i % 2 ? &bob : &ann), 0);
	for (int i = 0; i < SENDERS; i++)
		pthread_join(threads[i], NULL);
	dbtest_until(atomic_load(&a1.told) == SENDERS / 2 * EACH &&
		   atomic_load(&a2.told) == SENDERS / 2 * EACH &&
		   atomic_load(&b.told) == SENDERS / 2 * EACH);
	say(&ann, "last");
	dbtest_until(atomic_load(&a1.told) == SENDERS / 2 * EACH + 1);
	ear_close(&a1);
	ear_close(&a2);
	assert_int_equal(atomic_load(&b.told), SENDERS / 2 * EACH);
	ear_close(&b);
	assert_int_equal(notify_count(n), 0);
}

static void who_takes_nothing_gets_it_later(void **state)
{
	struct ear slow, quick;

	(void)state;
	ear_open(&slow, &ann, -1);
	ear_open(&quick, &ann, -1);
	atomic_store(&slow.refuses, true);
	for (int i = 0; i < 100; i++)
		say(&ann, "x");
	dbtest_until(atomic_load(&quick.told) == 100);
	assert_int_equal(atomic_load(&slow.told), 0);
	atomic_store(&slow.refuses, false);
	dbtest_until(atomic_load(&slow.told) == 100);
	ear_close(&slow);
	ear_close(&quick);
}

static void hanging_up_is_noticed_at_once(void **state)
{
	struct ear ear, half;
	int pair[2], other[2];
	int dues;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, other), 0);
	ear_open(&ear, &ann, pair[0]);
	ear_open(&half, &ann, other[0]);
	close(pair[1]);
	dbtest_until(atomic_load(&ear.over));
	/* One that is closed on one side may be there: it is only asked. */
	dues = atomic_load(&half.dues);
	shutdown(other[1], SHUT_WR);
	dbtest_until(atomic_load(&half.dues) > dues);
	assert_false(atomic_load(&half.over));
	close(other[1]);
	dbtest_until(atomic_load(&half.over));
	close(pair[0]);
	close(other[0]);
}

static void places_are_counted(void **state)
{
	(void)state;
	assert_true(notify_reserve(n));
	assert_true(notify_reserve(n));
	for (int i = 0; i < 2; i++) {
		struct ear ear = { .sub = { .ops = &ops, .owner = ann, .fd = -1 } };

		atomic_store(&ear.leaves, true);	/* due at once */
		notify_add(n, &ear.sub);
		dbtest_until(atomic_load(&ear.over));
	}
	notify_wait(n);
	assert_int_equal(notify_count(n), 0);
}

/* Nothing that was sent is lost by an end in good order. */
static void the_end_stores_what_is_left(void **state)
{
	struct notify *other = notify_new(db, &e);
	int64_t before, after;
	struct ear ear;

	(void)state;
	assert_non_null(other);
	ok(notice_listen(db, &bob, &before, &e));
	for (int i = 0; i < 50; i++)
		notify_turn(other, &bob, &ann.user_id, &bob.user_id, TURN_DONE);
	notify_free(other);
	ok(notice_listen(db, &bob, &after, &e));
	assert_int_equal(after - before, 50);

	other = n;
	n = notify_new(db, &e);
	ear_open(&ear, &bob, -1);
	notify_stop(n);
	dbtest_until(atomic_load(&ear.over));
	assert_false(notify_reserve(n));
	notify_free(n);
	n = other;
	notify_free(NULL);
	notify_refresh(NULL, &ann, "nobody is told", NULL);
}

/* What cannot be stored waits, up to a limit, and streams go on meanwhile. */
static void an_outage_is_waited_for(void **state)
{
	struct ear ear;

	(void)state;
	ear_open(&ear, &ann, -1);
	dbtest_sql("RENAME TABLE notification_topic TO elsewhere");
	for (int i = 0; i < 5000; i++)
		say(&ann, "x");
	say(&ann, "newest");
	dbtest_sql("RENAME TABLE elsewhere TO notification_topic");
	dbtest_until(atomic_load(&ear.told) >= 4096);
	assert_true(atomic_load(&ear.told) <= 5001);
	ear_close(&ear);
}

static int open_it(void **state)
{
	*state = (char *)"t_notify";
	if (store_lab_open(state))
		return -1;
	n = notify_new(db, &e);
	return n ? 0 : -1;
}

static int close_it(void **state)
{
	notify_free(n);
	return store_lab_close(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everybody_is_told_once_and_in_order),
		cmocka_unit_test(who_takes_nothing_gets_it_later),
		cmocka_unit_test(hanging_up_is_noticed_at_once),
		cmocka_unit_test(places_are_counted),
		cmocka_unit_test(the_end_stores_what_is_left),
		cmocka_unit_test(an_outage_is_waited_for),
	};

	return cmocka_run_group_tests(tests, open_it, close_it);
}
