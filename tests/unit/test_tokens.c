/* SPDX-License-Identifier: MIT */
/* lib/search without a database: words, chunks, postings, ranks, vectors. */
#include <math.h>

#include "base/fold.h"
#include "base/limits.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "base/util.h"
#include "resource/form.h"
#include "search/post.h"
#include "search/rank.h"
#include "search/snippet.h"
#include "search/vector.h"
#include "search/tokens.h"
#include "unit.h"

static struct arena a;
static struct err e;

/* A sequence that is the same on every machine. */
static uint32_t seed = 1;

static uint32_t dice(uint32_t sides)
{
	seed = seed * 1664525U + 1013904223U;
	return (seed >> 8) % sides;
}

/* Those that a base can have. */
static void languages_have_stemmers(void **state)
{
	const struct resource *r = &resources[RESOURCE_KNOWLEDGE_BASE];
	struct str rest = str_of(resource_choice_list(
		NULL, r, &r->fields[COLUMN(KNOWLEDGE_BASE, language)], NULL));
	struct str code, label;
	size_t n = 0;

	(void)state;
	assert_int_equal(unicode_load(&e), 0);
	for (; resource_choice(&rest, &code, &label); n++) {
		const char *s = arena_str(&a, code).p;
		struct sb_stemmer *found = unicode_now.sb_stemmer_new(s, "UTF_8");

		if (!found != str_is(code, "none"))
			fail_msg("%s", s);
		if (found)
			unicode_now.sb_stemmer_delete(found);
	}
	assert_true(n > 20);
}

/* -- words ------------------------------------------------------------------------ */

/* The terms of a text, as bits of which of those of another it has. */
static bool finds(const char *language, const char *question, const char *text)
{
	struct tokens *w = tokens_open(str_of(language), &e);
	int64_t asked[64];
	size_t n_asked, n, found = 0;
	const struct word *v;

	assert_non_null(w);
	v = tokens_split(w, str_of(question), true, &n_asked);
	assert_true(n_asked > 0 && n_asked <= 64);
	for (size_t i = 0; i < n_asked; i++)
		asked[i] = v[i].term;
	v = tokens_split(w, str_of(text), false, &n);
	for (size_t i = 0; i < n_asked; i++)
		for (size_t k = 0; k < n; k++)
			if (v[k].term == asked[i]) {
				found++;
				break;
			}
	tokens_close(w);
	return found == n_asked;
}

static void words_are_found_in_any_form(void **state)
{
	static const struct {
		const char *language, *question, *text;
	} same[] = {
		{ "en", "running shoes", "He runs; his shoe is new." },
		{ "none", "STRASSE", "Straße" },
		{ "none", "cafe", "Café" },
		{ "none", "café", "CAFE\xcc\x81" },	/* decomposed */
		{ "none", "Ångström", "angstrom" },
		{ "none", "Łódź", "lodz" },
		{ "none", "ﬁle", "file" },		/* a ligature */
		{ "none", "ISO", "ＩＳＯ" },		/* full width */
		{ "none", "co\xc2\xadoperate", "cooperate" },	/* soft hyphen */
		{ "fr", "mangee", "mangée" },
		{ "fr", "mangé", "mangée" },
		{ "fr", "eau", "l'eau" }, { "fr", "eau", "l’eau" },
		{ "de", "muller", "Müller" }, { "de", "Häuser", "haus" },
		{ "en", "company", "the company's plan" },
		{ "en", "don't", "we don’t" },
		{ "ru", "книги", "книга" },
		{ "el", "ΑΘΗΝΑ", "Αθήνα" },
		{ "none", "ISO-9001", "under ISO-9001, that" },
		{ "none", "9001", "under ISO-9001, that" },
		{ "none", "iso", "under ISO-9001, that" },
		{ "none", "foo_bar", "call foo_bar()" },
		{ "none", "192.168.1.1", "at 192.168.1.1." },
		{ "none", "3.14", "pi is 3.14." },
		{ "none", "1,000", "1,000 people" },
		{ "none", "C++", "in C++, and" }, { "none", "C#", "in C#." },
		{ "none", "ann@example.org", "write to ann@example.org!" },
		{ "none", "v2.3.1", "since v2.3.1" },
		{ "none", "東京", "東京都に住む" },
		{ "none", "京", "東京都" },
		{ "none", "東", "東" },
		{ "none", "한국", "한국어" },
		{ "none", "ภาษา", "ภาษาไทย" },
		{ "none", "नमस्ते", "नमस्ते दुनिया" },
	}, differ[] = {
		{ "none", "runs", "running" },
		{ "none", "C++", "C is a language" },
		{ "none", "ISO-9002", "ISO-9001" },
		{ "none", "3.14", "3 and 14" },
		{ "none", "京東", "東京" },
		{ "none", "мои", "мой" },	/* a letter, no accent */
		{ "none", "कि", "का" },
		{ "none", "foo_bar", "foo bar" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		if (!finds(same[i].language, same[i].question, same[i].text))
			fail_msg("%s: %s does not find %s", same[i].language,
				 same[i].question, same[i].text);
	for (size_t i = 0; i < ARRAY_LEN(differ); i++)
		if (finds(differ[i].language, differ[i].question,
			  differ[i].text))
			fail_msg("%s finds %s", differ[i].question,
				 differ[i].text);
}

static void words_say_where_they_are(void **state)
{
	struct tokens *w = tokens_open(STR("en"), &e);
	const char *text = "The café's ISO-9001";
	const struct word *v;
	size_t n;

	(void)state;
	v = tokens_split(w, str_of(text), true, &n);
	assert_int_equal(n, 5);		/* the, café, iso, 9001, iso-9001 */
	assert_memory_equal(text + v[1].at, "café", v[1].n);
	assert_int_equal(v[1].n, 5);
	assert_false(v[3].extra);
	assert_true(v[4].extra);
	assert_int_equal(v[4].n, 8);
	(void)tokens_split(w, STR(""), true, &n);
	assert_int_equal(n, 0);
	tokens_close(w);
}

/* Whatever bytes of valid text come: terms in their order, within it. */
static void any_text_can_be_split(void **state)
{
	static const char *const pieces[] = {
		"a", "Z", "9", ".", "-", "_", "+", "#", "'", "’", " ", "\n", "é",
		"\xcc\x81", "東", "ア", "ก", "ß", "😀", "\xc2\xad", "\xe2\x80\x8d",
		",", "@", "/", "س", "\xd9\x8e", "\xf0\xa0\x80\x80",
	};
	struct tokens *w = tokens_open(STR("en"), &e);

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct buf b = BUF_INIT(4096);
		const struct word *v;
		size_t n;

		for (uint32_t i = dice(40); i; i--)
			buf_adds(&b, pieces[dice(ARRAY_LEN(pieces))]);
		v = tokens_split(w, buf_str(&b), dice(2), &n);
		for (size_t i = 0; i < n; i++) {
			assert_true(v[i].n > 0);
			assert_true(v[i].at + v[i].n <= b.n);
			assert_true(v[i].term >= 0);
		}
		buf_release(&b);
	}
	tokens_close(w);
}

static void a_word_without_end_is_one_word(void **state)
{
	struct tokens *w = tokens_open(STR("en"), &e);
	char *text = xmalloc(100000);
	size_t n;

	(void)state;
	memset(text, 'x', 100000);
	(void)tokens_split(w, (struct str){ text, 100000 }, false, &n);
	assert_int_equal(n, 1);
	for (size_t i = 0; i + 2 <= 100000; i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	(void)tokens_split(w, (struct str){ text, 100000 }, false, &n);
	assert_true(n >= 1 && n <= 2);
	free(text);
	tokens_close(w);
}

/* -- postings --------------------------------------------------------------------------- */

static void lengths_fit_in_a_byte(void **state)
{
	uint8_t before = 0;

	(void)state;
	for (uint32_t n = 0; n < 250000; n++) {
		uint8_t b = post_length(n);
		double back = post_words(b);

		assert_true(b >= before);
		before = b;
		if (n <= 64)
			assert_int_equal(post_words(b), n);
		else
			assert_true(fabs(back - n) / n < 0.05);
	}
	assert_int_equal(post_length(UINT32_MAX), 255);
}

static void postings_come_back(void **state)
{
	(void)state;
	for (int round = 0; round < 500; round++) {
		struct posting in[POST_BLOCK], out[2 * POST_BLOCK];
		struct buf b = BUF_INIT(POST_BLOCK * POST_BYTES_MAX);
		uint32_t chunk = dice(1000), first;
		int64_t key = round % 2 ? POST_SHARED : 0;
		int n = (int)dice(POST_BLOCK) + 1;

		for (int i = 0; i < n; i++) {
			in[i] = (struct posting){
				{ chunk, (uint8_t)dice(16), (uint8_t)dice(16),
				  (uint8_t)dice(256) }, key < POST_SHARED ? dice(9) : 0,
			};
			chunk += 1 + dice(1U << dice(20));
		}
		first = in[0].at.chunk;
		post_write(&b, key, in, (size_t)n);
		assert_true(buf_ok(&b));
		assert_int_equal(post_read(buf_str(&b), key, first, out), n);
		for (int i = 0; i < n; i++) {
			assert_int_equal(out[i].at.chunk, in[i].at.chunk);
			assert_int_equal(out[i].at.body, in[i].at.body);
			assert_int_equal(out[i].at.head, in[i].at.head);
			assert_int_equal(out[i].at.length, in[i].at.length);
			assert_int_equal(out[i].tail, in[i].tail);
		}
		/* Cut anywhere it is fewer, or nothing, but never beyond. */
		for (size_t k = 0; k < b.n; k += 1 + b.n / 17) {
			char *copy = xmalloc(k + 1);

			memcpy(copy, b.p, k);
			assert_true(post_read((struct str){ copy, k }, key, first,
					      out) <= n);
			free(copy);
		}
		buf_release(&b);
	}
}

/* -- ranks ---------------------------------------------------------------------------------- */

enum { CHUNKS = 40000, LISTS = 4 };

/* As the formula reads, one chunk after the other. */
static double naive(const struct rank_list *lists, size_t n_lists,
		    const struct rank_stats *stats, uint32_t chunk)
{
	double score = 0, average = (double)stats->words / (double)stats->chunks;

	for (size_t i = 0; i < n_lists; i++)
		for (size_t k = 0; k < lists[i].n; k++) {
			const struct post *p = &lists[i].v[k];
			double df = (double)lists[i].seen;
			double f = p->body + 2.0 * p->head;

			if (p->chunk != chunk)
				continue;
			score += lists[i].times *
				log(1 + ((double)stats->chunks - df + 0.5) /
				    (df + 0.5)) * f * 2.2 /
				(f + 1.2 * (0.25 + 0.75 * post_words(p->length) /
					    average));
		}
	return score;
}

static void ranks_are_those_of_the_formula(void **state)
{
	struct rank_stats stats = { .chunks = CHUNKS, .words = CHUNKS * 100 };

	(void)state;
	for (int round = 0; round < 20; round++) {
		struct rank_list lists[LISTS];
		struct rank_hit *hits;
		size_t n;
		double last = INFINITY;

		for (int i = 0; i < LISTS; i++) {
			struct post *v = arena_zalloc(&a, 300, sizeof(*v));
			uint32_t chunk = 0;
			size_t k;

			for (k = 0; k < 300; k++) {
				chunk += 1 + dice(CHUNKS / 300);
				if (chunk >= CHUNKS)
					break;
				v[k] = (struct post){ chunk, (uint8_t)dice(16),
					(uint8_t)dice(3),
					(uint8_t)(1 + dice(90)) };
				v[k].body += v[k].head == 0 && v[k].body == 0;
			}
			lists[i] = (struct rank_list){
				.v = v, .n = k, .seen = k + dice(50),
				.times = 1 + (int)dice(2),
			};
		}
		hits = rank_best(lists, LISTS, &stats, 10, &a, &n);
		assert_int_equal(n, 10);
		for (size_t i = 0; i < n; i++) {
			double want = naive(lists, LISTS, &stats, hits[i].chunk);

			assert_true(fabs(want - (double)hits[i].score) < 1e-3);
			assert_true(want < last + 1e-3);
			last = want;
		}
		/* And none is better than the worst of them. */
		for (int i = 0; i < LISTS; i++)
			for (size_t k = 0; k < lists[i].n; k++) {
				uint32_t chunk = lists[i].v[k].chunk;
				bool among = false;

				for (size_t q = 0; q < n; q++)
					among |= hits[q].chunk == chunk;
				if (!among)
					assert_true(naive(lists, LISTS, &stats,
							  chunk) < last + 1e-3);
			}
		arena_reset(&a);
	}
	assert_non_null(rank_best(NULL, 0, &stats, 10, &a, &(size_t){ 0 }));
}

/* -- vectors -------------------------------------------------------------------------------- */

/* The marked characters, with blanks between them. */
static const char *marked(const struct snippet *s)
{
	struct buf b = BUF_INIT(4096);
	const char *text;

	for (size_t i = 0; i < s->n; i++) {
		struct str rest = s->text, head;

		head = utf8_head(rest, s->marks[i].start);
		rest = (struct str){ rest.p + head.n, rest.n - head.n };
		head = utf8_head(rest, s->marks[i].length);
		buf_addf(&b, "%s%.*s", i ? " " : "", STR_ARG(head));
	}
	text = arena_memdup(&a, b.n ? b.p : "", b.n);
	buf_release(&b);
	return text;
}

static void snippets_show_what_was_found(void **state)
{
	struct tokens *w = tokens_open(STR("none"), &e);
	struct buf text = BUF_INIT(65536);
	struct snippet s;

	(void)state;
	assert_non_null(w);
	snippet_make(w, STR("x"), STR("nothing\nof it"), 200, &a, &s);
	assert_string_equal(s.text.p, "nothing of it");
	assert_int_equal(s.n, 0);
	snippet_make(w, STR("x"), STR(""), 200, &a, &s);
	assert_int_equal(s.text.n, 0);
	snippet_make(w, STR("foo_bar CAFE"), STR("\xc3\xa9 foo_bar, Caf\xc3\xa9"),
		     200, &a, &s);
	assert_string_equal(marked(&s), "foo bar Caf\xc3\xa9");
	/* The place with both words, not the first one. */
	for (int i = 0; i < 200; i++)
		buf_adds(&text, i == 20 ? "one " : i == 150 ? "one two " :
			 "\xe2\x80\x94\xe2\x80\x94\xe2\x80\x94 ");
	snippet_make(w, STR("two one"), buf_str(&text), 100, &a, &s);
	assert_string_equal(marked(&s), "one two");
	assert_true(utf8_valid(s.text) && utf8_chars(s.text) <= 102);
	/* Any text and any query, also with a NUL. */
	for (int i = 0; i < 2000; i++) {
		char any[120];

		for (size_t k = 0; k < sizeof(any); k++)
			any[k] = "ab \n\0\"_-19"[((unsigned)i * 2654435761U +
					(unsigned)k * 40503U * 977U) >> 11 & 7];
		snippet_make(w, (struct str){ any, 20 },
			     (struct str){ any, sizeof(any) },
			     50 + (size_t)i % 100, &a, &s);
		assert_true(utf8_valid(s.text));
		for (size_t k = 0; k < s.n; k++)
			assert_true(s.marks[k].length > 0 && s.marks[k].start +
				    s.marks[k].length <= utf8_chars(s.text));
	}
	buf_release(&text);
	tokens_close(w);
}

static bool keep_even(const void *ctx, uint32_t chunk)
{
	(void)ctx;
	return chunk % 2 == 0;
}

static void vectors_are_compared(void **state)
{
	enum { D = 77, N = 300 };
	float v[D], x[D];
	size_t words = vector_bits_bytes(D) / 8, n = 0;
	uint64_t bits[2 * N], question[2];
	uint32_t chunks[N];
	struct rank_hit best[10];
	const struct vector_scan scan = {
		.question = question, .words = words, .best = best, .n_best = &n,
		.max = 10, .keep = keep_even,
	};

	(void)state;
	assert_int_equal(words, 2);
	for (int i = 0; i < D; i++)
		v[i] = (float)dice(2000) / 1000 - 1;
	assert_int_equal(vector_normalise(v, D, &e), 0);
	assert_true(fabs((double)vector_dot(v, v, D) - 1) < 1e-5);
	vector_signs(v, D, question);
	for (uint32_t k = 0; k < N; k++) {
		for (int i = 0; i < D; i++)
			x[i] = v[i] * (dice(N) < k ? -1.0F : 1.0F);
		chunks[k] = k;
		vector_signs(x, D, bits + k * words);
	}
	vector_scan(&scan, bits, chunks, N);
	rank_order(best, n);
	assert_int_equal(n, 10);
	assert_int_equal(best[0].chunk, 0);
	for (size_t i = 0; i < n; i++) {
		assert_true(best[i].chunk < N / 4);
		assert_int_equal(best[i].chunk % 2, 0);
	}
	memset(x, 0, sizeof(x));
	assert_int_equal(vector_normalise(x, D, &e), -1);
	err_clear(&e);
	x[0] = NAN;
	assert_int_equal(vector_normalise(x, D, &e), -1);
	err_clear(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(languages_have_stemmers),
		cmocka_unit_test(words_are_found_in_any_form),
		cmocka_unit_test(words_say_where_they_are),
		cmocka_unit_test(any_text_can_be_split),
		cmocka_unit_test(a_word_without_end_is_one_word),
		cmocka_unit_test(lengths_fit_in_a_byte),
		cmocka_unit_test(postings_come_back),
		cmocka_unit_test(ranks_are_those_of_the_formula),
		cmocka_unit_test(snippets_show_what_was_found),
		cmocka_unit_test(vectors_are_compared),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_release(&a);
	return failed;
}
