/* SPDX-License-Identifier: MIT */
/* hold/line: how many begin at once, in which order, and that nobody waits for long. */
#include <pthread.h>
#include <sched.h>

#include "hold/line.h"
#include "unit.h"

enum { LONG_MS = 600000 };	/* nobody gets a place by time */

static struct hold_line *line;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char order[64];		/* who got a place, a letter each; under the lock */
static int n_in, most_in;	/* under the lock */

static struct uuid user(char name)
{
	return (struct uuid){ .b = { (unsigned char)name } };
}

static void *begin(void *ctx)
{
	const char name = *(const char *)ctx;
	const struct uuid u = user(name);
	struct hold_place place;

	hold_line_enter(line, &u, &place);
	pthread_mutex_lock(&lock);
	order[strlen(order)] = name;
	n_in++;
	if (n_in > most_in)
		most_in = n_in;
	pthread_mutex_unlock(&lock);
	sched_yield();
	pthread_mutex_lock(&lock);
	n_in--;
	pthread_mutex_unlock(&lock);
	hold_line_leave(&place);
	return NULL;
}

/* These come one after the other while all places are taken; returns when all left. */
static void come(const char *names, struct hold_place *taken, int n_taken)
{
	pthread_t threads[64];
	int n = 0;

	memset(order, 0, sizeof(order));
	most_in = 0;
	for (; names[n]; n++) {
		assert_int_equal(pthread_create(&threads[n], NULL, begin,
						(void *)(names + n)), 0);
		while (hold_line_waiting(line) <= n)
			sched_yield();
	}
	for (int i = 0; i < n_taken; i++)
		hold_line_leave(&taken[i]);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(hold_line_waiting(line), 0);
}

static void without_a_line_nobody_waits(void **state)
{
	const struct uuid u = user('a');
	struct hold_place p;

	(void)state;
	hold_line_enter(NULL, &u, &p);
	hold_line_leave(&p);
	hold_line_free(NULL);
}

/* In the order of arrival, but each user in turn: twelve do not come before one. */
static void users_take_turns(void **state)
{
	const struct uuid u = user('z');
	struct hold_place mine;

	(void)state;
	line = hold_line_new(1, LONG_MS);
	hold_line_enter(line, &u, &mine);
	come("aaaaaaaaaaaabbcz", &mine, 1);
	assert_string_equal(order, "abczabaaaaaaaaaa");
	/* Nobody is remembered. */
	hold_line_enter(line, &u, &mine);
	come("ba", &mine, 1);
	assert_string_equal(order, "ba");
	hold_line_free(line);
}

static void no_more_than_places(void **state)
{
	const struct uuid u = user('z');
	struct hold_place mine[3];

	(void)state;
	line = hold_line_new(3, LONG_MS);
	for (int i = 0; i < 3; i++)
		hold_line_enter(line, &u, &mine[i]);
	come("abcdefghijklmnopqrstuvwxyabcdefghijklmnopqrstuvwxy", mine, 3);
	assert_int_equal(strlen(order), 50);
	assert_in_range(most_in, 1, 3);
	/* A place that was returned is not returned again. */
	for (int i = 0; i < 3; i++)
		hold_line_leave(&mine[i]);
	for (int i = 0; i < 3; i++)
		hold_line_enter(line, &u, &mine[i]);
	come("a", mine, 3);
	hold_line_free(line);
}

/* Those who have the places may never return them: all others begin all the same. */
static void time_gives_places(void **state)
{
	const struct uuid u = user('z');
	struct hold_place stuck[2], p[20];

	(void)state;
	line = hold_line_new(2, 1);
	hold_line_enter(line, &u, &stuck[0]);
	hold_line_enter(line, &u, &stuck[1]);
	for (int i = 0; i < 20; i++)
		hold_line_enter(line, &u, &p[i]);
	/* All are returned, and count again. */
	for (int i = 0; i < 20; i++)
		hold_line_leave(&p[i]);
	hold_line_leave(&stuck[0]);
	hold_line_leave(&stuck[1]);
	hold_line_free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_line_nobody_waits),
		cmocka_unit_test(users_take_turns),
		cmocka_unit_test(no_more_than_places),
		cmocka_unit_test(time_gives_places),
	};

	return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
