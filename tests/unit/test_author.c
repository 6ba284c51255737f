/* SPDX-License-Identifier: MIT */
/* Who wrote a prompt, and who is not asked because of it (lib/resource/author.c). */
#include "unit.h"

#include <string.h>

#include "resource/author.h"

static const struct str sales[] = { STR("sales"), STR("writers \"x\"") };

static struct identity user(const char *login)
{
	return (struct identity){
		.login = str_of(login), .tenant = STR("default"),
		.kind = IDENTITY_REMOTE_USER,
		.groups = sales, .n_groups = ARRAY_LEN(sales),
	};
}

static const char *users[] = { "carol" };
static const char *groups[] = { "writers \"x\"" };
static const char *hashes[] = {	/* of "abc" */
	"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
};

static bool trusted(const struct conf *c, const struct identity *who,
		    struct str stored, const char *text)
{
	struct arena a = ARENA_INIT;
	struct author by;

	author_of(c, who, stored, str_of(text), &a, &by);
	arena_release(&a);
	return by.trusted;
}

static void ones_own_and_the_installations(void **state)
{
	static const struct conf c = { .file = "" };
	const struct identity ada = user("ada"), bob = user("bob");
	struct identity guest = user("guest");
	struct arena a = ARENA_INIT;
	struct str by_bob = author_text(&bob, &a);

	(void)state;
	assert_true(trusted(&c, &bob, by_bob, "x"));
	assert_false(trusted(&c, &ada, by_bob, "x"));
	assert_false(trusted(&c, NULL, by_bob, "x"));
	assert_true(trusted(&c, &ada, author_text(NULL, &a), "x"));
	assert_true(trusted(&c, &ada, by_bob, " \n"));	/* no text */
	/* Unknown, or broken. */
	assert_false(trusted(&c, &bob, (struct str){ NULL, 0 }, "x"));
	assert_false(trusted(&c, &bob, STR("null"), "x"));
	assert_false(trusted(&c, &bob, STR("{\"login\":7}"), "x"));
	assert_false(trusted(&c, &bob, STR("[]"), "x"));
	/* Guests share a login, so it is nobody's. */
	guest.kind = IDENTITY_ANONYMOUS;
	assert_false(trusted(&c, &guest, author_text(&guest, &a), "x"));
	arena_release(&a);
}

static void what_an_admin_trusts(void **state)
{
	static const struct conf by_user = { .trusted.users = { users, 1 } };
	static const struct conf by_group = { .trusted.groups = { groups, 1 } };
	static const struct conf by_hash = { .trusted.hashes = { hashes, 1 } };
	const struct identity ada = user("ada"), bob = user("bob");
	const struct identity carol = user("carol");
	struct arena a = ARENA_INIT;
	struct str by_bob = author_text(&bob, &a);
	struct author by;

	(void)state;
	assert_true(trusted(&by_user, &ada, author_text(&carol, &a), "x"));
	assert_false(trusted(&by_user, &ada, by_bob, "x"));
	assert_true(trusted(&by_group, &ada, by_bob, "x"));
	assert_false(trusted(&by_group, &ada,
			     STR("{\"login\":\"bob\",\"groups\":[7]}"), "x"));
	assert_true(trusted(&by_hash, &ada, by_bob, "abc"));
	assert_false(trusted(&by_hash, &ada, by_bob, "abc "));
	author_of(&by_hash, &ada, by_bob, STR("abc"), &a, &by);
	assert_string_equal(by.hash, hashes[0]);
	assert_true(str_is(author_label(&by, "agent", STR("sage"), &a),
			   "bob (agent sage)"));
	arena_release(&a);
}

static void a_stamp_follows_the_text(void **state)
{
	const struct resource *r = &resources[RESOURCE_WORKSPACE];
	const struct identity ada = user("ada"), bob = user("bob");
	struct resource_row now, row;
	struct arena a = ARENA_INIT;

	(void)state;
	resource_new(r, &now);
	now.v[COLUMN(WORKSPACE, prompt)] = DB_S(STR("One."));
	author_stamp(&bob, r, NULL, &now, &a);
	assert_non_null(strstr(resource_text(&now, COLUMN(WORKSPACE, author)).p, "\"bob\""));
	/* The same text, another field, and no field: no other author. */
	for (int i = 0; i < 3; i++) {
		resource_new(r, &row);
		if (i == 0)
			row.v[COLUMN(WORKSPACE, prompt)] = DB_S(STR("One."));
		else if (i == 1)
			row.v[COLUMN(WORKSPACE, name)] = DB_S(STR("N"));
		for (size_t k = 0; k < r->n_fields; k++)
			row.given[k] = !row.v[k].null;
		author_stamp(&ada, r, &now, &row, &a);
		assert_null(resource_text(&row, COLUMN(WORKSPACE, author)).p);
	}
	row.v[COLUMN(WORKSPACE, prompt)] = DB_S(STR("Two."));
	for (size_t k = 0; k < r->n_fields; k++)
		row.given[k] = !row.v[k].null;
	author_stamp(&ada, r, &now, &row, &a);
	assert_non_null(strstr(resource_text(&row, COLUMN(WORKSPACE, author)).p, "\"ada\""));
	/* A copy has the author of the original. */
	resource_new(r, &row);
	row.v[COLUMN(WORKSPACE, prompt)] = DB_S(STR("One."));
	author_copy(r, &now, &row);
	author_stamp(&ada, r, NULL, &row, &a);
	assert_non_null(strstr(resource_text(&row, COLUMN(WORKSPACE, author)).p, "\"bob\""));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ones_own_and_the_installations),
		cmocka_unit_test(what_an_admin_trusts),
		cmocka_unit_test(a_stamp_follows_the_text),
	};

	return cmocka_run_group_tests_name("author", tests, NULL, NULL);
}
