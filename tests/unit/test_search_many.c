/* SPDX-License-Identifier: MIT */
/* Several bases searched at once, over a real MariaDB. */
#include "knowledge/retrieve.h"
#include "base/limits.h"
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
	before = statements();
	in[11].language = S("en");
	ok(search_find_all(db, &in[11], 1, &a, &e));
	assert_int_equal(statements() - before, 2);
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

static int64_t rows_read(void)
{
	return strtoll(dbtest_text(
		"SELECT CAST(SUM(VARIABLE_VALUE) AS INTEGER)"
		" FROM information_schema.GLOBAL_STATUS"
		" WHERE VARIABLE_NAME IN ('HANDLER_READ_NEXT', 'HANDLER_READ_KEY')"),
		NULL, 10);
}

/* Of a base with many documents only the hidden ones are looked at. */
static void a_search_does_not_walk_all_documents(void **state)
{
	enum { DOCS = 400 };
	struct search_put puts[DOCS];
	struct search_how how = { .ready = NULL };
	struct uuid base = new_base();
	struct search_found *f;
	int64_t before;

	(void)state;
	for (size_t i = 0; i < DOCS; i++) {
		puts[i] = doc_of(uuid_new(), "", i ? "plain" : "plain rarity");
		puts[i].audience = audience(&base, "[]");
	}
	ok(search_write(db, &base, puts, DOCS, &how, &e));
	find_text(&base, "rarity", &f);
	before = rows_read();
	assert_int_equal(find_text(&base, "rarity", &f), 1);
	assert_in_range(rows_read() - before, 1, DOCS / 4);
}

/* The best hits of a base of which at most max_posts postings are in memory. */
static size_t find_within(const struct uuid *base, const char *text,
			  size_t max_posts, struct search_found **out)
{
	return find(base, (struct search_ask){
		.text = S(text), .all = true, .max = LIM_FOUND,
		.max_posts = max_posts }, out);
}

static void same_hits(const struct uuid *base, const char *x, size_t max_x,
		      const char *y, size_t max_y, size_t want)
{
	struct search_found *f, *g;

	assert_int_equal(find_within(base, x, max_x, &f), want);
	assert_int_equal(find_within(base, y, max_y, &g), want);
	for (size_t i = 0; i < want; i++) {
		assert_int_equal(f[i].chunk, g[i].chunk);
		assert_true(f[i].score >= g[i].score &&
			    f[i].score <= g[i].score);
	}
}

/* 40 passages with "zorb", of these 20 with "flam" and 10 with "quix". */
static void the_most_frequent_words_are_left_out(void **state)
{
	struct uuid base = new_base();
	struct search_found *f;

	(void)state;
	for (int i = 0; i < 40; i++) {
		char text[64];

		snprintf(text, sizeof(text), i % 8 ? "%s zorb" : "zorb %s",
			 i % 2 ? "flam flam" : i % 4 ? "plain" : "quix");
		put(&base, uuid_new(), "", text, i % 3 ? "[]" : "[\"g\"]");
	}
	/* Within the cap nothing changes. */
	same_hits(&base, "zorb flam quix", 70, "zorb flam quix", 0, 40);
	same_hits(&base, "flam zorb quix", 69, "flam quix", 0, 30);
	same_hits(&base, "zorb quix flam", 29, "quix", 0, 10);
	/* The only word counts, as far as the cap allows. */
	assert_int_equal(find_within(&base, "zorb", 7, &f), 7);
	assert_int_equal(find_within(&base, "zorb unheard", 7, &f), 7);
	/* A phrase must be there, whichever of its words are left out. */
	assert_int_equal(find_within(&base, "\"zorb quix\"", 0, &f), 5);
	assert_int_equal(find_within(&base, "\"zorb quix\"", 30, &f), 5);
	assert_int_equal(find_within(&base, "\"zorb flam\" quix", 0, &f), 0);
	assert_int_equal(find_within(&base, "\"quix zorb\" flam", 10, &f), 5);
	same_hits(&base, "\"zorb zorb\" quix", 10, "\"zorb unheard\"", 1, 0);
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
		cmocka_unit_test(a_search_does_not_walk_all_documents),
		cmocka_unit_test(the_most_frequent_words_are_left_out),
	};

	(void)argc;
	unit_need_database(argv);
	return cmocka_run_group_tests(tests, open_it, store_lab_close);
}
