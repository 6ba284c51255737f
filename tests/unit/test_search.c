/* SPDX-License-Identifier: MIT */
/* lib/search over a real MariaDB: what is found, by whom, and what is left. */
#include <math.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/util.h"
#include "search/cache.h"
#include "search/find.h"
#include "search/post.h"
#include "search/vector.h"
#include "search/tokens.h"
#include "search_lab.h"

static int64_t rows(const char *table)
{
	return dbtest_sql("SELECT COUNT(*) FROM %s", table);
}

/* -- words ------------------------------------------------------------------------ */

static void what_is_written_is_found(void **state)
{
	struct uuid base = new_base(), one = uuid_new(), two = uuid_new();
	struct search_found *f;

	(void)state;
	assert_int_equal(find_text(&base, "anything", &f), 0);
	put(&base, one, "Leave", "# Holidays\n\nFive days carry over.\n", "[]");
	put(&base, two, "Travel", "Book trains, not planes, for days out.", "[]");
	assert_int_equal(find_text(&base, "carrying over", &f), 1);
	assert_true(uuid_eq(&f[0].document_id, &one));
	assert_str_is(f[0].heading, "Holidays");
	assert_str_is(f[0].text, "Five days carry over.");
	assert_true(f[0].score > 0);
	assert_int_equal(find_text(&base, "day", &f), 2);
	/* Headings and titles are searched too. */
	assert_int_equal(find_text(&base, "holiday", &f), 1);
	assert_int_equal(find_text(&base, "LEAVE", &f), 1);
	assert_int_equal(find_text(&base, "nothing", &f), 0);
	assert_int_equal(find_text(&base, "", &f), 0);
	assert_int_equal(find_text(&base, "\"\" \"", &f), 0);
}

static void phrases_must_be_there(void **state)
{
	struct uuid base = new_base(), one = uuid_new(), two = uuid_new();
	struct search_found *f;

	(void)state;
	put(&base, one, "", "The carry over of leave.", "[]");
	put(&base, two, "", "Carry the bags over the bridge.", "[]");
	assert_int_equal(find_text(&base, "carry over", &f), 2);
	assert_int_equal(find_text(&base, "\"carry over\"", &f), 1);
	assert_true(uuid_eq(&f[0].document_id, &one));
	assert_int_equal(find_text(&base, "bags \"carry the bag\"", &f), 1);
	assert_int_equal(find_text(&base, "\"over carry\"", &f), 0);
}

/* The same as a look at each document, whatever the question repeats. */
static void random_phrases_are_found(void **state)
{
	static const char *const words[] = { "zorb", "quix", "flam", "prun", "dask" };
	enum { DOCS = 40, MOST = 8 };
	struct uuid base = new_base();
	char texts[DOCS][64];

	(void)state;
	for (int i = 0; i < DOCS; i++) {
		struct buf b = BUF_INIT(sizeof(texts[i]));

		for (uint32_t k = 1 + dice(MOST); k; k--)
			buf_addf(&b, " %s", words[dice(ARRAY_LEN(words))]);
		buf_addc(&b, ' ');
		memcpy(texts[i], b.p, b.n + 1);
		buf_release(&b);
		put(&base, uuid_new(), "", texts[i], "[]");
	}
	for (int i = 0; i < 60; i++) {
		struct buf b = BUF_INIT(512);
		struct search_ask ask = { .all = true, .max = LIM_FOUND };
		char phrases[3][32];
		size_t n = 1 + dice(3), want = 0;
		struct search_found *f;

		for (size_t p = 0; p < n; p++) {
			struct buf one = BUF_INIT(sizeof(phrases[p]));

			for (uint32_t k = 1 + dice(3); k; k--)
				buf_addf(&one, " %s", words[dice(ARRAY_LEN(words))]);
			buf_addc(&one, ' ');
			memcpy(phrases[p], one.p, one.n + 1);
			buf_addf(&b, "%s \"%s\" ", words[dice(ARRAY_LEN(words))],
				 one.p);
			buf_release(&one);
		}
		for (int d = 0; d < DOCS; d++) {
			bool all = true;

			for (size_t p = 0; p < n; p++)
				all = all && strstr(texts[d], phrases[p]);
			want += all;
		}
		ask.text = buf_str(&b);
		assert_int_equal(find(&base, ask, &f), want);
		for (size_t k = 0; k < want; k++)
			for (size_t p = 0; p < n; p++) {
				struct str said = str_trim(str_of(phrases[p]));

				assert_non_null(memmem(f[k].text.p, f[k].text.n,
						       said.p, said.n));
			}
		buf_release(&b);
	}
}

static void documents_are_replaced_and_deleted(void **state)
{
	struct uuid base = new_base(), one = uuid_new(), two = uuid_new();
	struct search_found *f;

	(void)state;
	put(&base, one, "", "alpha beta", "[]");
	put(&base, two, "", "beta gamma", "[\"g\"]");
	put(&base, one, "", "beta delta", "[]");
	assert_int_equal(find_text(&base, "alpha", &f), 0);
	assert_int_equal(find_text(&base, "beta", &f), 2);
	drop(&base, two);
	assert_int_equal(find_text(&base, "gamma", &f), 0);
	assert_int_equal(search_tidy(db, &base, false, SOON, &e), 1);
	assert_int_equal(find_text(&base, "delta", &f), 1);
	drop(&base, one);
	drop(&base, uuid_new());
	assert_int_equal(search_tidy(db, &base, false, SOON, &e), 1);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM search_post"
		" WHERE base_id = (SELECT id FROM search_base"
		" ORDER BY id DESC LIMIT 1)"), 0);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM search_audience"
		" WHERE base_id = (SELECT id FROM search_base"
		" ORDER BY id DESC LIMIT 1)"), 0);
}

/* -- random documents against a search that looks at each ------------------------------ */

enum { DOCS = 300, VOCABULARY = 60, CHANGES = 120 };

static struct {
	struct uuid id;
	char text[600];		/* "" = there is none */
	int group;		/* 0: everybody */
} model[DOCS];

static void random_text(char *out, size_t size)
{
	struct buf b = BUF_INIT(600);

	for (uint32_t n = 3 + dice(60); n; n--)
		buf_addf(&b, "wort%u ", dice(1 + dice(VOCABULARY)));
	snprintf(out, size, "%s", b.p);
	buf_release(&b);
}

/* Documents that have one of the words and may be seen. */
static size_t model_finds(const char *const *words, size_t n, int group,
			  bool *found)
{
	size_t sum = 0;

	for (int i = 0; i < DOCS; i++) {
		found[i] = false;
		if (!*model[i].text || (model[i].group && model[i].group != group))
			continue;
		for (size_t k = 0; k < n; k++) {
			char word[32];

			snprintf(word, sizeof(word), "%s ", words[k]);
			found[i] |= strstr(model[i].text, word) != NULL;
		}
		sum += found[i];
	}
	return sum;
}

static void check_model(const struct uuid *base, struct uuid of[DOCS])
{
	static const char *const groups[] = { "[]", "[\"g1\"]", "[\"g2\"]" };

	(void)groups;
	for (int round = 0; round < 20; round++) {
		char one[16], two[16];
		const char *words[2] = { one, two };
		bool want[DOCS];
		int group = 1 + (int)dice(2);
		struct str name = S(group == 1 ? "g1" : "g2");
		struct search_ask ask = {
			.groups = &name, .n_groups = 1, .max = LIM_FOUND,
		};
		struct search_found *f;
		char question[128];
		size_t n, wanted;

		snprintf(one, sizeof(one), "wort%u", dice(VOCABULARY));
		snprintf(two, sizeof(two), "wort%u", dice(VOCABULARY));
		snprintf(question, sizeof(question), "%s %s", one, two);
		ask.text = S(question);
		wanted = model_finds(words, 2, group, want);
		n = find(base, ask, &f);
		assert_int_equal(n, MIN(wanted, (size_t)LIM_FOUND));
		for (size_t i = 0; i < n; i++) {
			int k = 0;

			while (k < DOCS && !uuid_eq(&of[k], &f[i].document_id))
				k++;
			assert_true(k < DOCS && want[k]);
		}
	}
}

static void random_changes_are_as_in_a_model(void **state)
{
	static const char *const groups[] = { "[]", "[\"g1\"]", "[\"g2\"]" };
	struct uuid base = new_base(), of[DOCS];
	struct search_put docs[DOCS];
	struct search_how how = { .ready = NULL };

	(void)state;
	for (int i = 0; i < DOCS; i++) {
		of[i] = uuid_new();
		model[i].group = (int)dice(3);
		random_text(model[i].text, sizeof(model[i].text));
		docs[i] = doc_of(of[i], "", model[i].text);
		docs[i].audience = audience(&base, groups[model[i].group]);
	}
	ok(search_write(db, &base, docs, DOCS, &how, &e));
	check_model(&base, of);
	for (int i = 0; i < CHANGES; i++) {
		uint32_t k = dice(DOCS);

		if (dice(3)) {
			model[k].group = (int)dice(3);
			random_text(model[k].text, sizeof(model[k].text));
			put(&base, of[k], "", model[k].text,
			    groups[model[k].group]);
		} else {
			*model[k].text = '\0';
			drop(&base, of[k]);
		}
		if (!dice(10))
			assert_int_equal(search_tidy(db, &base, false, SOON, &e), 1);
		if (i % 20 == 0)
			check_model(&base, of);
	}
	check_model(&base, of);
	/* Merged: no term has many blocks that could be one. */
	dbtest_sql("UPDATE search_base SET parts = 1000000");
	assert_int_equal(search_tidy(db, &base, false, SOON, &e), 1);
	check_model(&base, of);
	assert_in_range(dbtest_sql("SELECT MAX(n) FROM (SELECT COUNT(*) n"
		" FROM search_post WHERE base_id = (SELECT id FROM search_base"
		" ORDER BY id DESC LIMIT 1) GROUP BY base_id, term, audience) c"), 1, 3);
	for (int i = 0; i < DOCS; i++)
		drop(&base, of[i]);
	assert_int_equal(search_tidy(db, &base, false, SOON, &e), 1);
}

static int64_t rows_of_posts(void)
{
	return dbtest_sql("SELECT COUNT(*) FROM search_post WHERE base_id ="
			  " (SELECT id FROM search_base ORDER BY id DESC LIMIT 1)");
}

/* What is searched often is merged after 8 batches, and again after as many. */
static void few_batches_are_merged_soon(void **state)
{
	struct uuid base = new_base();
	struct search_found *f;

	(void)state;
	for (int i = 0; i < 8; i++) {
		assert_int_equal(search_tidy(db, &base, true, SOON, &e), 1);
		assert_int_equal(rows_of_posts(), i);
		put(&base, uuid_new(), "", "wombats", "[]");
	}
	assert_int_equal(search_tidy(db, &base, false, SOON, &e), 1);
	assert_int_equal(rows_of_posts(), 8);
	assert_int_equal(search_tidy(db, &base, true, SOON, &e), 1);
	assert_int_equal(rows_of_posts(), 1);
	assert_int_equal(find_text(&base, "wombats", &f), 8);
	put(&base, uuid_new(), "", "wombats", "[]");
	assert_int_equal(search_tidy(db, &base, true, SOON, &e), 1);
	assert_int_equal(rows_of_posts(), 2);
	assert_int_equal(find_text(&base, "wombats", &f), 9);
}

/* -- numbers and ids -------------------------------------------------------------------- */

enum { IDS = 600, IDS_EACH = 20 };

/* A number, a hash or a UUID, by turns. */
static const char *id_of(uint32_t i)
{
	static char s[64];
	uint32_t h = i * 2654435761U;

	if (i % 3 == 0)
		snprintf(s, sizeof(s), "4711%09u", i);
	else if (i % 3 == 1)
		snprintf(s, sizeof(s), "%08x%08xc0ffee", h, i);
	else
		snprintf(s, sizeof(s), "%08x-0000-4000-8000-%012u", h, i);
	return s;
}

/* The documents that have the i-th id; *of: the first. */
static size_t find_id(const struct uuid *base, uint32_t i, struct uuid *of)
{
	struct search_found *f;
	size_t n = find_text(base, id_of(i), &f);

	if (n)
		*of = f[0].document_id;
	arena_reset(&a);
	return n;
}

static void ids_share_rows_and_are_found(void **state)
{
	struct uuid base = new_base(), docs[IDS / IDS_EACH], of = base;
	struct search_found *f;

	(void)state;
	for (uint32_t d = 0; d < ARRAY_LEN(docs); d++) {
		struct buf b = BUF_INIT(65536);

		for (uint32_t i = d * IDS_EACH; i < (d + 1) * IDS_EACH; i++)
			buf_addf(&b, "%s and ", id_of(i));
		docs[d] = uuid_new();
		put(&base, docs[d], "", b.p, "[]");
		buf_release(&b);
	}
	dbtest_sql("UPDATE search_base SET parts = 1000000");
	assert_int_equal(search_tidy(db, &base, false, SOON, &e), 1);
	/* There are a thousand, with parts of UUIDs; up to three blocks are not merged. */
	assert_in_range(rows_of_posts(), 1, 3 * POST_SHARED);
	for (uint32_t i = 0; i < IDS; i++) {
		size_t n = find_id(&base, i, &of);

		/* UUIDs have common parts, but theirs is the best. */
		assert_true(i % 3 == 2 ? n >= 1 : n == 1);
		assert_true(uuid_eq(&of, &docs[i / IDS_EACH]));
	}
	for (uint32_t i = 0; i < IDS; i += 3)
		assert_int_equal(find_id(&base, IDS + i, &of), 0);
	assert_int_equal(find_text(&base, "4711000000000 4711000000597", &f), 2);
	assert_int_equal(find_text(&base, "\"4711000000003 and\"", &f), 1);
	assert_int_equal(find_text(&base, "\"and 4711000000000\"", &f), 0);
	for (uint32_t d = 0; d < ARRAY_LEN(docs); d += 2)
		drop(&base, docs[d]);
	assert_int_equal(search_tidy(db, &base, false, SOON, &e), 1);
	for (uint32_t i = 0; i < IDS; i += 3)
		assert_int_equal(find_id(&base, i, &of), i / IDS_EACH % 2);
	for (uint32_t d = 1; d < ARRAY_LEN(docs); d += 2)
		drop(&base, docs[d]);
	assert_int_equal(search_tidy(db, &base, false, SOON, &e), 1);
	assert_int_equal(rows_of_posts(), 0);
}

/* -- who sees what ----------------------------------------------------------------------- */

static void scores_tell_nothing_of_others(void **state)
{
	struct uuid base = new_base(), one = uuid_new();
	struct str mine = S("mine");
	struct search_ask ask = {
		.text = S("merger plan"), .groups = &mine, .n_groups = 1,
	};
	struct search_found *f;
	double before;

	(void)state;
	put(&base, one, "", "The plan for lunch.", "[\"mine\"]");
	put(&base, uuid_new(), "", "Trains leave at nine.", "[]");
	assert_int_equal(find(&base, ask, &f), 1);
	before = f[0].score;
	for (int i = 0; i < 10; i++)
		put(&base, uuid_new(), "", "The plan for the merger.",
		    "[\"board\"]");
	assert_int_equal(find(&base, ask, &f), 1);
	assert_true(fabs(f[0].score - before) < 1e-9);
	ask.n_groups = 0;
	assert_int_equal(find(&base, ask, &f), 0);
	ask.all = true;
	assert_int_equal(find(&base, ask, &f), 10);
}

static void a_search_can_be_of_some_documents(void **state)
{
	struct uuid base = new_base(), one = uuid_new(), two = uuid_new();
	struct search_ask ask = {
		.text = S("plan"), .all = true, .documents = &two,
		.n_documents = 1,
	};
	struct search_found *f;

	(void)state;
	put(&base, one, "", "The plan.", "[]");
	put(&base, two, "", "A plan.", "[]");
	assert_int_equal(find(&base, ask, &f), 1);
	assert_true(uuid_eq(&f[0].document_id, &two));
	ask.documents = &base;
	assert_int_equal(find(&base, ask, &f), 0);
}

/* Behind what there is, and only in some chunks. */
static void a_document_can_be_appended_to(void **state)
{
	const struct search_how how = { .append = true };
	struct uuid base = new_base(), id = uuid_new();
	struct search_put p = doc_of(id, "", "an aardvark");
	struct search_range range = { 2, 1 };
	struct search_ask ask = { .text = S("aardvark"), .all = true };
	struct search_found *f;

	(void)state;
	p.audience = audience(&base, "[]");
	ok(search_write(db, &base, &p, 1, &how, &e));
	p = doc_of(id, "", "a second aardvark");
	ok(search_write(db, &base, &p, 1, &how, &e));
	assert_true(p.found);
	assert_int_equal(find(&base, ask, &f), 2);
	ask.limited = true;
	assert_int_equal(find(&base, ask, &f), 0);
	ask.ranges = &range;
	ask.n_ranges = 1;
	assert_int_equal(find(&base, ask, &f), 1);
	assert_true(str_is(f[0].text, "a second aardvark"));
	/* In place of both. */
	put(&base, id, "", "a bear", "[]");
	assert_int_equal(find_text(&base, "aardvark", &f), 0);
	assert_int_equal(find_text(&base, "bear", &f), 1);
	drop(&base, id);
	assert_int_equal(find_text(&base, "bear", &f), 0);
}

static void audiences_have_a_most(void **state)
{
	struct uuid base = new_base();
	struct audience_of k = { .base = &base, .groups = "[\"one more\"]" };

	(void)state;
	for (int i = 0; i < LIM_AUDIENCES; i++) {
		char groups[32];

		snprintf(groups, sizeof(groups), "[\"g%d\"]", i);
		assert_int_equal(audience(&base, groups), i + 1);
		assert_int_equal(audience(&base, groups), i + 1);
	}
	refused(db_tx(db, make_audience, &k, &e), ERR_TOO_BIG);
	assert_int_equal(audience(&base, "[]"), 0);
}

/* -- what is under way ---------------------------------------------------------------------- */

/* Stops a writer in the last transaction of a long document. */
static int dies(struct db *tx, const struct search_put *doc, void *ctx,
		struct err *err)
{
	(void)tx;
	(void)doc;
	(void)ctx;
	return err_set(err, ERR_INTERNAL, "killed");
}

static int not_wanted(struct db *tx, const struct search_put *doc, void *ctx,
		      struct err *err)
{
	(void)tx;
	(void)doc;
	(void)ctx;
	(void)err;
	return 0;
}

static char *long_text(const char *word, int n)
{
	struct buf b = BUF_INIT(1 << 24);
	char *text;

	for (int i = 0; i < n; i++)
		buf_addf(&b, "# Part %d\n\n%s number %d.\n\n", i, word, i);
	text = arena_strdup(&a, b.p);
	buf_release(&b);
	return text;
}

static void a_writer_that_dies_leaves_no_lie(void **state)
{
	struct uuid base = new_base(), one = uuid_new();
	struct search_how how = { .ready = dies };
	struct search_put p = doc_of(one, "", long_text("zebra", 1200));
	struct search_found *f;
	int64_t bytes;

	(void)state;
	assert_true(p.n > 2 * SEARCH_SLICE);
	put(&base, one, "", "The old text says giraffe.", "[]");
	refused(search_write(db, &base, &p, 1, &how, &e), ERR_INTERNAL);
	bytes = p.bytes;
	assert_true(dbtest_sql("SELECT COUNT(*) FROM search_chunk"
			       " WHERE text LIKE 'zebra%%'") > 0);
	assert_int_equal(find_text(&base, "zebra", &f), 0);
	assert_int_equal(find_text(&base, "giraffe", &f), 1);
	/* The next attempt takes what was left away. */
	how.ready = NULL;
	ok(search_write(db, &base, &p, 1, &how, &e));
	assert_int_equal(p.bytes, bytes);	/* not those of both */
	assert_int_equal(find_text(&base, "zebra", &f), 10);
	assert_int_equal(find_text(&base, "giraffe", &f), 0);
	assert_int_equal(search_tidy(db, &base, false, SOON, &e), 1);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM search_chunk"
				    " WHERE text LIKE 'zebra%%'"), 1200);
	/* One that is not wanted any more is not found. */
	how.ready = not_wanted;
	p = doc_of(uuid_new(), "", "okapi");
	ok(search_write(db, &base, &p, 1, &how, &e));
	assert_false(p.found);
	assert_int_equal(find_text(&base, "okapi", &f), 0);
	p = doc_of(one, "", "okapi");
	ok(search_write(db, &base, &p, 1, &how, &e));
	assert_int_equal(find_text(&base, "okapi", &f), 0);
	assert_int_equal(find_text(&base, "zebra", &f), 10);
	drop(&base, one);
	/* A step at a time: each run ends at once, and begins where it was. */
	while (search_tidy(db, &base, false, clock_mono_ms() + 1, &e) == 0)
		assert_int_equal(find_text(&base, "zebra", &f), 0);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM search_chunk"
				    " WHERE text LIKE 'zebra%%'"), 0);
}

/* -- vectors ----------------------------------------------------------------------------------- */

enum { DIMENSION = 96, VECTORS = 2500 };

static void random_vector(float *v)
{
	for (int i = 0; i < DIMENSION; i++)
		v[i] = (float)dice(2001) / 1000 - 1;
	ok(vector_normalise(v, DIMENSION, &e));
}

/* The memory of a search that finds n. */
static size_t bytes_of(const struct uuid *base, const struct search_ask *ask,
		       size_t n)
{
	struct search_ask asked = *ask;
	struct arena own = ARENA_INIT;
	struct search_found *f;
	size_t bytes, got;

	asked.max = 10;
	ok(search_find(db, base, &asked, &own, &f, &got, &e));
	assert_int_equal(got, n);
	assert_true(fabs(f[0].score - 1) < 1e-4);
	bytes = own.total_bytes;
	arena_release(&own);
	return bytes;
}

static void vectors_are_found_exactly_and_by_signs(void **state)
{
	struct uuid base = new_base(), *of = xcalloc(VECTORS, sizeof(*of));
	float *v = xcalloc((size_t)VECTORS * DIMENSION, sizeof(*v));
	struct search_put *docs = xcalloc(VECTORS, sizeof(*docs));
	struct search_how how = { .model = S("m"), .dimension = DIMENSION };
	struct search_ask ask = {
		.mode = SEARCH_VECTORS, .all = true, .dimension = DIMENSION,
		.model = S("m"),
	};
	struct search_found *f;
	int64_t hidden = audience(&base, "[\"board\"]");

	(void)state;
	audience(&base, "[]");
	for (int i = 0; i < VECTORS; i++) {
		char text[32];

		of[i] = uuid_new();
		random_vector(v + (size_t)i * DIMENSION);
		snprintf(text, sizeof(text), "passage%d", i);
		docs[i] = doc_of(of[i], "", arena_strdup(&a, text));
		docs[i].vectors = v + (size_t)i * DIMENSION;
		docs[i].audience = i % 10 == 9 ? hidden : 0;
	}
	search_cache_limit(1 << 20);
	/* Below 2,000 every vector is looked at, then signs, which are kept. */
	for (int n = 1000; n <= VECTORS; n += VECTORS - 1000) {
		size_t from = n == 1000 ? 0 : 1000;

		ok(search_write(db, &base, docs + from, (size_t)n - from, &how,
				&e));
		for (int i = 0; i < 30; i++) {
			uint32_t k = dice((uint32_t)n);
			size_t found;

			ask.vector = v + (size_t)k * DIMENSION;
			ask.all = true;
			found = find(&base, ask, &f);
			assert_int_equal(found, 10);
			assert_true(uuid_eq(&f[0].document_id, &of[k]));
			assert_true(fabs(f[0].score - 1) < 1e-4);
			ask.all = false;
			found = find(&base, ask, &f);
			for (size_t q = 0; q < found; q++)
				assert_true(k % 10 != 9 ||
					    !uuid_eq(&f[q].document_id, &of[k]));
		}
	}
	/* Of one document only its vectors are read, and no row is kept. */
	ask.all = true;
	ask.documents = &of[7];
	ask.n_documents = 1;
	ask.vector = v + 7 * DIMENSION;
	assert_true(bytes_of(&base, &ask, 1) < sizeof(float) * VECTORS * DIMENSION / 4);
	ask.documents = (struct uuid[]){ of[7], of[7] };
	ask.n_documents = 2;
	bytes_of(&base, &ask, 1);
	ask.documents = of;
	ask.n_documents = LIM_SEARCH_DOCUMENTS;
	assert_true(bytes_of(&base, &ask, 10) < sizeof(float) * VECTORS * DIMENSION / 4);
	ask.n_documents = 0;
	/* What is kept holds for one version: a dropped document is not found. */
	ask.all = true;
	ask.vector = v;
	drop(&base, of[0]);
	assert_int_equal(find(&base, ask, &f), 10);
	assert_false(uuid_eq(&f[0].document_id, &of[0]));
	search_cache_limit(0);
	/* Both: what is first in one of them is first. */
	ask.all = true;
	ask.mode = SEARCH_FUSED;
	ask.vector = v + 5 * DIMENSION;
	ask.text = S("passage5");
	assert_true(find(&base, ask, &f) == 10);
	assert_true(uuid_eq(&f[0].document_id, &of[5]));
	how.model = S("another");
	refused(search_write(db, &base, docs, 1, &how, &e), ERR_CONFLICT);
	/* Deleted ones are in no block any more. */
	for (int i = 0; i < 30; i++)
		drop(&base, of[i]);
	ask.mode = SEARCH_VECTORS;
	assert_int_equal(find(&base, ask, &f), 10);
	assert_false(uuid_eq(&f[0].document_id, &of[5]));
	assert_int_equal(search_tidy(db, &base, false, SOON, &e), 1);
	assert_int_equal(find(&base, ask, &f), 10);
	assert_int_equal(dbtest_sql("SELECT CAST(SUM(n) AS SIGNED)"
				    " FROM search_bits"), VECTORS - 30);
	assert_int_equal(rows("search_vector"), VECTORS - 30);
	assert_int_equal(dbtest_sql("SELECT MAX(vectors) FROM search_base"),
			 VECTORS - 30);
	free(of);
	free(v);
	free(docs);
}

static size_t find_in(struct search_in *in)
{
	ok(search_find_all(db, in, 1, &a, &e));
	return in->n;
}

/* A base may get another model while a service is asked for the question's vector. */
static void vectors_of_another_model_are_not_compared(void **state)
{
	struct uuid base = new_base(), one = uuid_new();
	float *v = xcalloc(DIMENSION, sizeof(*v)), *few = xcalloc(8, sizeof(*few));
	struct search_how how = { .model = S("m"), .dimension = DIMENSION };
	struct search_put p = doc_of(one, "", "Five days carry over.");
	struct search_ask ask = {
		.mode = SEARCH_VECTORS, .all = true, .text = S("days"), .max = 10,
		.vector = v, .dimension = DIMENSION, .model = S("m"),
	};
	struct search_in in = { .base = &base, .ask = &ask, .unused = true };

	(void)state;
	random_vector(v);
	memcpy(few, v, 8 * sizeof(*few));
	p.vectors = v;
	audience(&base, "[]");
	ok(search_write(db, &base, &p, 1, &how, &e));
	assert_int_equal(find_in(&in), 1);
	assert_false(in.unused);
	assert_true(fabs(in.v[0].score - 1) < 1e-4);
	ask.model = S("another");
	for (int i = 0; i < 2; i++) {	/* the words of the question are */
		assert_int_equal(find_in(&in), 1);
		assert_true(in.unused);
		assert_true(fabs(in.v[0].score - 1) > 1e-4);
		ask.model = S("m");
		ask.vector = few;
		ask.dimension = 8;
	}
	ask.text = S("zebra");
	assert_int_equal(find_in(&in), 0);
	/* What is no number comes first nowhere, and is not written. */
	ask.vector = v;
	ask.dimension = DIMENSION;
	v[0] = NAN;
	assert_int_equal(find_in(&in), 0);
	free(v);
	free(few);
}

static int hide_tx(struct db *tx, void *ctx, struct err *err)
{
	return search_base_hide(tx, ctx, err);
}

static void a_base_goes_with_all_its_rows(void **state)
{
	static const char *const tables[] = {
		"search_base", "search_audience", "search_document",
		"search_chunk", "search_heading", "search_post", "search_vector", "search_bits",
	};
	struct uuid base = new_base();
	struct search_found *f;

	(void)state;
	put(&base, uuid_new(), "", "nothing remains", "[\"g\"]");
	ok(db_tx(db, hide_tx, &base, &e));
	assert_int_equal(find_text(&base, "remains", &f), 0);
	assert_int_equal(search_base_purge(db, &base, SOON, &e), 1);
	assert_int_equal(search_base_purge(db, &base, SOON, &e), 1);
	/* And those of all other tests. */
	for (;;) {
		const char *hex = dbtest_text("SELECT HEX(id) FROM search_base"
					      " LIMIT 1");
		struct uuid id;

		if (!*hex)
			break;
		for (int i = 0; i < 16; i++)
			id.b[i] = (unsigned char)(hex_digit(hex[2 * i]) << 4 |
						  hex_digit(hex[2 * i + 1]));
		ok(db_tx(db, hide_tx, &id, &e));
		assert_int_equal(search_base_purge(db, &id, SOON, &e), 1);
	}
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		assert_int_equal(rows(tables[i]), 0);
}

static int open_it(void **state)
{
	*state = (char *)"t_search";
	return store_lab_open(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_found),
		cmocka_unit_test(phrases_must_be_there),
		cmocka_unit_test(random_phrases_are_found),
		cmocka_unit_test(documents_are_replaced_and_deleted),
		cmocka_unit_test(random_changes_are_as_in_a_model),
		cmocka_unit_test(few_batches_are_merged_soon),
		cmocka_unit_test(ids_share_rows_and_are_found),
		cmocka_unit_test(scores_tell_nothing_of_others),
		cmocka_unit_test(a_search_can_be_of_some_documents),
		cmocka_unit_test(a_document_can_be_appended_to),
		cmocka_unit_test(audiences_have_a_most),
		cmocka_unit_test(a_writer_that_dies_leaves_no_lie),
		cmocka_unit_test(vectors_are_found_exactly_and_by_signs),
		cmocka_unit_test(vectors_of_another_model_are_not_compared),
		cmocka_unit_test(a_base_goes_with_all_its_rows),
	};

	(void)argc;
	unit_need_database(argv);
	return cmocka_run_group_tests(tests, open_it, store_lab_close);
}
