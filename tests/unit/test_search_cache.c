/* SPDX-License-Identifier: MIT */
/* lib/search/cache.c: what is kept of sign bits, for which version, and how much. */
#include "unit.h"

#include "search/cache.h"

static void put_signs(const struct uuid *base, int64_t version, size_t n)
{
	struct search_cached *c = search_cache_new(base, version, 1);
	uint64_t bits[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint32_t from[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };

	search_cache_add(c, 0, 100, (char *)from, (char *)bits, n);
	search_cache_add(c, 3, 200, (char *)from, (char *)bits, 1);
	search_cache_done(search_cache_put(c));
}

static bool has_signs(const struct uuid *base, int64_t version, size_t n)
{
	const struct search_cached *c = search_cache_get(base, version);
	bool right = c && c->n == 2 && c->v[0].n == n &&
		c->v[0].chunks[n - 1] == 100 + n - 1 && c->v[0].bits[n - 1] == n &&
		c->v[1].audience == 3 && c->v[1].chunks[0] == 200;

	search_cache_done(c);
	return right;
}

static void signs_are_kept_within_their_room(void **state)
{
	const struct uuid one = uuid_new(), two = uuid_new(), three = uuid_new();
	const struct search_cached *held;

	(void)state;
	search_cache_limit(0);
	put_signs(&one, 1, 4);
	assert_false(has_signs(&one, 1, 4));
	search_cache_limit(2 * 5 * 12);	/* five vectors of 12 bytes, twice */
	put_signs(&one, 1, 4);
	assert_true(has_signs(&one, 1, 4));
	assert_false(has_signs(&one, 2, 4));
	put_signs(&one, 2, 3);		/* in place of the other version */
	assert_false(has_signs(&one, 1, 4));
	put_signs(&two, 7, 4);
	assert_true(has_signs(&one, 2, 3));
	held = search_cache_get(&two, 7);
	put_signs(&three, 1, 4);	/* one goes, which was used before two */
	assert_true(has_signs(&three, 1, 4));
	assert_true(held->v[0].bits[3] == 4);	/* whoever has it keeps it */
	search_cache_done(held);
	put_signs(&one, 9, 8);		/* nearly all of the room */
	assert_true(has_signs(&one, 9, 8));
	assert_false(has_signs(&two, 7, 4) || has_signs(&three, 1, 4));
	search_cache_limit(0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(signs_are_kept_within_their_room),
	};

	return cmocka_run_group_tests_name("search_cache", tests, NULL, NULL);
}
