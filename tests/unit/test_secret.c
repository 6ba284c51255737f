/* SPDX-License-Identifier: MIT */
/* lib/secret: sealing, opening, other keys, other places, and what stays behind. */
#include "unit.h"

#include <sodium.h>

#include "secret/secret.h"

#include "base/banned.h"

#define KEY_A "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define KEY_B "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100"

static const struct secret_at here = {
	STR("acme"), "llm_service", "api_key", { { 1, 2, 3 } },
};

static struct conf keys(const char *text)
{
	return (struct conf){ .secret_key = text };
}

static struct str seal(const struct conf *c, const char *text, struct arena *a)
{
	struct err e = ERR_INIT;
	struct str out;

	assert_int_equal(seal_make(c, &here, str_of(text), a, &out, &e), 0);
	assert_int_equal(out.n, strlen(text) + SECRET_MORE_BYTES);
	return out;
}

static void test_there_and_back(void **state)
{
	struct conf c = keys(KEY_A);
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct str one = seal(&c, "sk-secret", &a), two, open;
	unsigned char mark[SECRET_MARK_BYTES];

	(void)state;
	two = seal(&c, "sk-secret", &a);
	assert_false(str_eq(one, two));
	assert_null(memmem(one.p, one.n, "sk-sec", 6));
	assert_true(seal_is(one));
	assert_false(seal_is(STR("a long key that somebody typed, which is not sealed")));
	assert_int_equal(seal_mark(&c, mark, &e), 0);
	assert_memory_equal(mark, one.p, sizeof(mark));
	assert_false(a.secret);
	assert_int_equal(seal_open(&c, &here, one, &a, &open, &e), 0);
	assert_str_is(open, "sk-secret");
	assert_int_equal(open.p[open.n], '\0');
	assert_true(a.secret);
	one = seal(&c, "", &a);
	assert_int_equal(seal_open(&c, &here, one, &a, &open, &e), 0);
	assert_int_equal(open.n, 0);
	arena_release(&a);
}

/* Whether it opens; if not, e says so. */
static bool opens(const char *text, const struct secret_at *at, struct str v,
		  struct err *e)
{
	struct conf c = keys(text);
	struct arena a = ARENA_INIT;
	struct str out = STR("untouched");
	bool ok = seal_open(&c, at, v, &a, &out, e) == 0;

	if (!ok) {
		assert_int_equal(e->code, ERR_SECRETS);
		assert_str_is(out, "untouched");
	}
	arena_release(&a);
	return ok;
}

/* Every single byte of it matters, and so does its length. */
static void test_tampering(void **state)
{
	struct conf c = keys(KEY_A);
	struct arena a = ARENA_INIT;
	struct str v = seal(&c, "sk-secret", &a);
	char copy[128];

	(void)state;
	for (size_t i = 0; i < v.n; i++) {
		struct err e = ERR_INIT;

		memcpy(copy, v.p, v.n);
		copy[i] ^= 1;
		assert_false(opens(KEY_A, &here, (struct str){ copy, v.n }, &e));
	}
	for (size_t n = 0; n < v.n; n++) {
		struct err e = ERR_INIT;

		assert_false(opens(KEY_A, &here, (struct str){ v.p, n }, &e));
	}
	arena_release(&a);
}

static void test_another_place(void **state)
{
	struct conf c = keys(KEY_A);
	struct arena a = ARENA_INIT;
	struct str v = seal(&c, "sk-secret", &a);
	struct secret_at there[] = { here, here, here, here, here };

	(void)state;
	there[0].tenant_id = STR("other");
	there[1].table = "provider_instance";
	there[2].column = "api_version";
	there[3].row.b[15] = 1;
	/* not the same bytes with the border elsewhere */
	there[4].table = "llm_servic";
	there[4].column = "eapi_key";
	for (size_t i = 0; i < ARRAY_LEN(there); i++) {
		struct err e = ERR_INIT;

		assert_false(opens(KEY_A, &there[i], v, &e));
		assert_non_null(strstr(err_message(&e), "moved"));
	}
	arena_release(&a);
}

static void test_several_keys(void **state)
{
	struct conf old = keys(KEY_A), both = keys(KEY_B "\n " KEY_A "\n");
	struct arena a = ARENA_INIT;
	struct str by_a = seal(&old, "sk", &a), by_b = seal(&both, "sk", &a);
	struct err e = ERR_INIT;

	(void)state;
	assert_true(opens(both.secret_key, &here, by_a, &e));
	assert_true(opens(both.secret_key, &here, by_b, &e));
	assert_true(opens(KEY_B, &here, by_b, &e));
	assert_false(opens(KEY_A, &here, by_b, &e));
	assert_non_null(strstr(err_message(&e), "not in secrets.key"));
	arena_release(&a);
}

static void test_without_a_key(void **state)
{
	struct conf c = keys("");
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	unsigned char mark[SECRET_MARK_BYTES];
	struct str out;

	(void)state;
	assert_int_equal(seal_make(&c, &here, STR("sk"), &a, &out, &e), -1);
	assert_int_equal(e.code, ERR_SECRETS);
	assert_non_null(strstr(err_message(&e), "lamplighter secret key"));
	err_clear(&e);
	assert_int_equal(seal_mark(&c, mark, &e), -1);
	arena_release(&a);
}

static void test_a_new_key(void **state)
{
	char one[SECRET_KEY_TEXT_BYTES], two[SECRET_KEY_TEXT_BYTES];
	struct conf c = keys(one);
	struct arena a = ARENA_INIT;

	(void)state;
	seal_new_key(one);
	seal_new_key(two);
	assert_int_equal(strlen(one), 64);
	assert_string_not_equal(one, two);
	seal(&c, "sk", &a);
	arena_release(&a);
}

/* What an arena_secret gives back is zero; what it keeps is not touched. */
static void test_the_arena(void **state)
{
	static const char text[] = "a secret that must go";
	struct arena a = ARENA_INIT;
	char *kept = arena_strdup(&a, "kept"), *gone;
	struct arena_mark m = arena_mark(&a);

	(void)state;
	gone = arena_strdup(&a, text);
	arena_rewind(&a, m);
	assert_string_equal(gone, text);	/* an ordinary one */
	arena_secret(&a);
	gone = arena_strdup(&a, text);
	arena_rewind(&a, m);
	for (size_t i = 0; i < sizeof(text); i++)
		assert_int_equal(gone[i], 0);
	assert_string_equal(kept, "kept");
	assert_true(a.secret);
	gone = arena_strdup(&a, text);
	arena_reset(&a);
	for (size_t i = 0; i < sizeof(text); i++)
		assert_int_equal(gone[i], 0);
	assert_false(a.secret);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_tampering),
		cmocka_unit_test(test_another_place),
		cmocka_unit_test(test_several_keys),
		cmocka_unit_test(test_without_a_key),
		cmocka_unit_test(test_a_new_key),
		cmocka_unit_test(test_the_arena),
	};

	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
