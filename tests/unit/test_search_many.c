/* Several bases searched at once, over a real MariaDB. */
#include "agent/retrieve.h"
#include "conf/conf.h"
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

/* -- several hundred --------------------------------------------------------------- */

enum {
	MANY = 300,
	EACH = 8,		/* passages of each base that are found */
	TEXT = 1000,		/* bytes of each */
};

/* A base with documents of one passage each; the first one has the word twice. */
static struct uuid large_base(int i)
{
	struct uuid base = new_base();
	struct search_how how = { .ready = NULL };
	struct search_put v[EACH];
	char text[TEXT + 64];

	for (int k = 0; k < EACH; k++) {
		size_t at = (size_t)snprintf(text, sizeof(text), "beta%s",
					     !k && i % 3 == 0 ? " beta" : "");

		while (at < TEXT)
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       " filling");
		v[k] = doc_of(uuid_new(), "t", arena_strdup(&a, text));
		v[k].audience = audience(&base, k == 1 ? "[\"g\"]" : "[]");
	}
	ok(search_write(db, &base, v, EACH, &how, &e));
	return base;
}

static struct retrieve_found retrieve(const struct resource_row *bases, size_t n,
				      size_t max, struct arena *own)
{
	static const struct conf conf = { .knowledge.cache_mb = 1 };
	const struct identity who = { .n_groups = 0 };
	const struct caller by = {
		.conf = &conf, .who = &who, .owner = person("t", "ann"),
		.db = db, .arena = own,
	};
	struct retrieve_found found;

	ok(retrieve_find(&(struct retrieve_ask){
		.by = &by, .bases = bases, .n_bases = n,
		.ask = { .text = S("beta"), .max = max },
	}, own, &found, &e));
	return found;
}

/* Only the winners are read, whatever else is found: as many rows as of one base. */
static void of_many_bases_only_the_winners_are_read(void **state)
{
	struct resource_row *bases = xcalloc(MANY, sizeof(*bases));
	struct arena own = ARENA_INIT, alone = ARENA_INIT;
	struct retrieve_found found;
	int64_t before, one, all;

	(void)state;
	for (int i = 0; i < MANY; i++)
		bases[i].id = large_base(i);
	dbtest_sql("INSERT INTO document (id, tenant_id, base_id, user_id, version,"
		   " created_us, updated_us, title, groups, audience, status, bytes,"
		   " chunks) SELECT document_id, 't', base_id, base_id, 1, 1, 1,"
		   " 't', '[]', 0, 1, 1, 1 FROM search_document");
	retrieve(bases, 1, 5, &alone);		/* prepares the statements */
	before = statements();
	assert_int_equal(retrieve(bases, 1, 5, &alone).n, 5);
	one = statements() - before;
	before = statements();
	found = retrieve(bases, MANY, 50, &own);
	all = statements() - before;
	assert_int_equal(all, one);
	assert_int_equal(found.n, 50);
	/* Those of the same score are in the order of the bases. */
	for (size_t i = 0; i < found.n; i++) {
		assert_ptr_equal(found.v[i].base, &bases[3 * i]);
		assert_true(found.v[i].found->text.n >= TEXT / 2);
		assert_true(uuid_eq(&found.v[i].document->id,
				    &found.v[i].found->document_id));
	}
	/* Neither their texts nor what ranking takes is in memory for each. */
	assert_true(own.total_bytes < (size_t)MANY * EACH * TEXT);
	arena_release(&own);
	/* Those that have gone leave their place to others: here a whole round. */
	for (int i = 0; i < 80; i++)
		dbtest_sql("DELETE FROM document WHERE base_id = X'%s'",
			   dbtest_text("SELECT HEX(base_id) FROM document ORDER BY"
				       " base_id LIMIT 1"));
	found = retrieve(bases, MANY, 50, &own);
	assert_int_equal(found.n, 50);
	arena_release(&own);
	arena_release(&alone);
	free(bases);
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
		cmocka_unit_test(of_many_bases_only_the_winners_are_read),
	};

	(void)argc;
	unit_need_database(argv);
	return cmocka_run_group_tests(tests, open_it, store_lab_close);
}
