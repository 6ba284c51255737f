/* SPDX-License-Identifier: MIT */
/* hold/share and pace: what one user may have, how slowly a body may come. */
#include "auth/identity.h"
#include "base/clock.h"
#include "hold/rate.h"
#include "hold/share.h"
#include "pace.h"
#include "unit.h"

static struct uuid user(int n)
{
	/* The same bucket for all. */
	return (struct uuid){ .b = { (unsigned char)n, [15] = 7 } };
}

static int take(struct share *s, int who, enum share_kind kind, int64_t n,
		struct share_limit limit, struct share_part *part)
{
	struct uuid u = user(who);
	struct err e = ERR_INIT;

	*part = (struct share_part){ .of = NULL };
	if (share_take(s, &u, kind, n, limit, part, &e) == 0)
		return 0;
	assert_true(e.retry_after_s > 0);
	assert_null(part->of);
	return e.code;
}

/* One user has an eighth; others are not held up by that. */
static void a_user_has_a_part(void **state)
{
	const struct share_limit limit = { .all = 80, .part = 8, .at_least = 4 };
	struct share *s = share_new();
	struct share_part parts[80], more;
	int n = 0;

	(void)state;
	for (int who = 0; who < 8; who++) {
		for (int i = 0; i < 10; i++)
			assert_int_equal(take(s, who, SHARE_TURNS, 1, limit,
					      &parts[n++]), 0);
		assert_int_equal(take(s, who, SHARE_TURNS, 1, limit, &more),
				 ERR_SHARE);
	}
	/* All together have all of it. */
	assert_int_equal(take(s, 9, SHARE_TURNS, 1, limit, &more),
			 ERR_OVERLOADED);
	/* The kinds have nothing to do with each other. */
	assert_int_equal(take(s, 1, SHARE_STREAMS, 1, limit, &more), 0);
	share_give(&more);
	share_give(&more);	/* nothing more to give */
	share_give(&parts[0]);
	assert_int_equal(take(s, 0, SHARE_TURNS, 1, limit, &parts[0]), 0);
	assert_int_equal(share_count(s, NULL, SHARE_TURNS), 80);
	for (int i = 0; i < n; i++)
		share_give(&parts[i]);
	assert_int_equal(share_count(s, NULL, SHARE_TURNS), 0);
	assert_int_equal(share_count(s, NULL, SHARE_STREAMS), 0);
	share_free(s);
}

/* Strangers are counted by address, and all together; the next minute begins anew. */
static void strangers_are_counted_by_the_minute(void **state)
{
	struct rate r = RATE_INIT;
	struct err e = ERR_INIT;
	int64_t now_ms = 7 * RATE_WINDOW_MS + 500;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(rate_take(&r, STR("192.0.2.1"), now_ms + i, 3, 5, &e), 0);
	assert_int_equal(rate_take(&r, STR("192.0.2.1"), now_ms + 3, 3, 5, &e), -1);
	assert_int_equal(e.code, ERR_SHARE);
	assert_int_equal(e.retry_after_s, RATE_WINDOW_MS / 1000);
	err_clear(&e);
	/* What was refused was not counted. */
	for (int i = 0; i < 2; i++)
		assert_int_equal(rate_take(&r, STR("192.0.2.7"), now_ms, 3, 5, &e), 0);
	assert_int_equal(rate_take(&r, STR("2001:db8::1"), now_ms, 3, 5, &e), -1);
	err_clear(&e);
	now_ms += RATE_WINDOW_MS;
	assert_int_equal(rate_take(&r, STR("192.0.2.1"), now_ms, 3, 5, &e), 0);
	/* Without an address, all of those are one. */
	for (int i = 0; i < 3; i++)
		assert_int_equal(rate_take(&r, (struct str){ NULL, 0 }, now_ms, 3, 5, &e), 0);
	assert_int_equal(rate_take(&r, (struct str){ NULL, 0 }, now_ms, 3, 5, &e), -1);
}

static void small_limits_leave_some(void **state)
{
	const struct share_limit few = { .all = 16, .part = 8, .at_least = 4 };
	const struct share_limit whole = { .all = 3, .part = 1 };
	const struct share_limit none = { .all = 0, .part = 8 };
	struct share *s = share_new();
	struct share_part p[5], more;

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(take(s, 1, SHARE_TURNS, 1, few, &p[i]), 0);
	assert_int_equal(take(s, 1, SHARE_TURNS, 1, few, &more), ERR_SHARE);
	for (int i = 0; i < 4; i++)
		share_give(&p[i]);
	/* Without a share, one may have all. */
	for (int i = 0; i < 3; i++)
		assert_int_equal(take(s, 1, SHARE_STREAMS, 1, whole, &p[i]), 0);
	assert_int_equal(take(s, 2, SHARE_STREAMS, 1, whole, &more),
			 ERR_OVERLOADED);
	for (int i = 0; i < 3; i++)
		share_give(&p[i]);
	for (int i = 0; i < 5; i++)
		assert_int_equal(take(s, 1, SHARE_UNSENT, 1 << 30, none, &p[i]),
				 0);
	for (int i = 0; i < 5; i++)
		share_give(&p[i]);
	assert_int_equal(take(NULL, 1, SHARE_UNSENT, 1, few, &more), 0);
	share_give(&more);
	share_free(s);
}

struct waiting {
	struct share *s;
	struct share_part part;
	int rc;
};

static void *wait_for_it(void *ctx)
{
	struct waiting *w = ctx;
	struct uuid u = user(1);
	struct err e = ERR_INIT;

	w->rc = share_wait(w->s, &u, SHARE_READERS, 1,
			   (struct share_limit){ .all = 4, .part = 2 },
			   clock_mono_ms() + 60000, &w->part, &e);
	return NULL;
}

/* A place that is given back goes to who waits for it; others do not wait for them. */
static void one_waits_for_what_is_given_back(void **state)
{
	const struct share_limit limit = { .all = 4, .part = 2 };
	struct share *s = share_new();
	struct waiting w = { .s = s };
	struct share_part p[2], other, more;
	pthread_t thread;

	(void)state;
	assert_int_equal(take(s, 1, SHARE_READERS, 1, limit, &p[0]), 0);
	assert_int_equal(take(s, 1, SHARE_READERS, 1, limit, &p[1]), 0);
	assert_int_equal(take(s, 1, SHARE_READERS, 1, limit, &more), ERR_SHARE);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_it, &w), 0);
	assert_int_equal(take(s, 2, SHARE_READERS, 1, limit, &other), 0);
	share_give(&other);
	share_give(&p[0]);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(w.rc, 0);
	assert_int_equal(share_count(s, NULL, SHARE_READERS), 2);
	share_give(&w.part);
	share_give(&p[1]);
	share_free(s);
}

/* What is greater than the share goes one at a time, while there is room. */
static void one_great_thing_is_allowed(void **state)
{
	const struct share_limit limit = { .all = 800, .part = 8 };
	struct share *s = share_new();
	struct share_part a, b, c;

	(void)state;
	assert_int_equal(take(s, 1, SHARE_UNSENT, 500, limit, &a), 0);
	assert_int_equal(take(s, 1, SHARE_UNSENT, 1, limit, &c), ERR_SHARE);
	assert_int_equal(take(s, 2, SHARE_UNSENT, 300, limit, &b), 0);
	assert_int_equal(take(s, 3, SHARE_UNSENT, 1, limit, &c), ERR_OVERLOADED);
	share_give(&a);
	share_give(&b);
	assert_int_equal(take(s, 3, SHARE_UNSENT, 5000, limit, &c), 0);
	share_give(&c);
	share_free(s);
}

static void guests_count_by_address(void **state)
{
	const struct identity guest = {
		.kind = IDENTITY_ANONYMOUS, .user_id_text = "g",
	}, ada = { .kind = IDENTITY_API_TOKEN, .user_id = user(3) };
	struct uuid a = share_user(&guest, STR("192.0.2.1"));
	struct uuid b = share_user(&guest, STR("192.0.2.2"));
	struct uuid c = share_user(&guest, STR("192.0.2.1"));
	struct uuid d = share_user(&ada, STR("192.0.2.1"));
	struct uuid three = user(3);

	(void)state;
	assert_false(uuid_eq(&a, &b));
	assert_true(uuid_eq(&a, &c));
	assert_true(uuid_eq(&d, &three));
}

static void a_body_has_its_time(void **state)
{
	struct pace none = { .whole_ms = 0 };
	struct pace p = { .whole_ms = 60000, .rate_bytes = 1000 };

	(void)state;
	assert_int_equal(pace_wait_ms(&none, 1, 10000), 10000);
	assert_int_equal(pace_wait_ms(&none, 99999999, 10000), 10000);
	/* The clock begins with the first read. */
	assert_int_equal(pace_wait_ms(&p, 5000, 10000), 10000);
	assert_int_equal(pace_wait_ms(&p, 24999, 10000), 1);
	assert_int_equal(pace_wait_ms(&p, 25000, 10000), 0);
	p.bytes = 5000;		/* five seconds more */
	assert_int_equal(pace_wait_ms(&p, 25000, 10000), 5000);
	assert_int_equal(pace_wait_ms(&p, 30001, 10000), 0);
	p.bytes = 1u << 30;	/* but not beyond the whole */
	assert_int_equal(pace_wait_ms(&p, 64000, 10000), 1000);
	assert_int_equal(pace_wait_ms(&p, 70000, 10000), 0);
	p.rate_bytes = 0;
	p.bytes = 0;
	assert_int_equal(pace_wait_ms(&p, 64000, 10000), 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_user_has_a_part),
		cmocka_unit_test(strangers_are_counted_by_the_minute),
		cmocka_unit_test(small_limits_leave_some),
		cmocka_unit_test(one_waits_for_what_is_given_back),
		cmocka_unit_test(one_great_thing_is_allowed),
		cmocka_unit_test(guests_count_by_address),
		cmocka_unit_test(a_body_has_its_time),
	};

	return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
