/* Several bases searched at once, over a real MariaDB. */
#include "search_lab.h"

static int64_t statements(void)
{
	return dbtest_sql("SELECT VARIABLE_VALUE FROM"
		" information_schema.GLOBAL_STATUS"
		" WHERE VARIABLE_NAME = 'COM_STMT_EXECUTE'");
}

/* Each as if it were searched alone, and for the statements of one. */
static void many_bases_are_searched_together(void **state)
{
	enum { BASES = 12 };
	struct uuid base[BASES], doc[BASES];
	struct search_ask ask[BASES];
	struct search_in in[BASES];
	const struct str group = S("g");
	int64_t before, one, all;

	(void)state;
	for (int i = 0; i < BASES; i++) {
		const char *texts[] = { "alpha beta gamma", "gamma beta alpha" };

		base[i] = i == 5 ? uuid_new() : new_base();
		doc[i] = uuid_new();
		if (i == 5)	/* there is none */
			continue;
		put(&base[i], doc[i], "", texts[i % 2], i == 7 ? "[\"g\"]" : "[]");
		put(&base[i], uuid_new(), "", "delta", "[]");
		drop(&base[i], i == 9 ? doc[i] : uuid_new());
	}
	for (int i = 0; i < BASES; i++) {
		ask[i] = (struct search_ask){
			.text = i < 4 ? S("\"alpha beta\"") : S("beta"),
			.max = 10, .groups = &group, .n_groups = i == 8,
			.documents = &doc[i], .n_documents = i == 10,
		};
		in[i] = (struct search_in){ .base = &base[i], .ask = &ask[i] };
	}
	ok(search_find_all(db, in, BASES, &a, &e));	/* prepares them */
	before = statements();
	ok(search_find_all(db, in, 1, &a, &e));
	one = statements() - before;
	before = statements();
	ok(search_find_all(db, in, BASES, &a, &e));
	all = statements() - before;
	assert_in_range(one, 3, 8);
	assert_int_equal(all, one + 1);		/* which documents are meant */
	for (int i = 0; i < BASES; i++) {
		bool found = i != 5 && i != 7 && i != 9 && (i > 3 || i % 2 == 0);

		assert_int_equal(in[i].n, found);
		if (found)
			assert_true(uuid_eq(&in[i].v->document_id, &doc[i]));
	}
}

static int open_it(void **state)
{
	*state = (char *)"t_search_many";
	return store_lab_open(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_bases_are_searched_together),
	};

	(void)argc;
	unit_need_database(argv);
	return cmocka_run_group_tests(tests, open_it, store_lab_close);
}
