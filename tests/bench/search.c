/*
 * lib/search measured: how good its ranking is on the Cranfield collection (a
 * directory with cran.all.1400, cran.qry and cranqrel, named by
 * LAMPLIGHTER_CRANFIELD), and how fast it indexes and searches texts made of random
 * words, whose frequencies fall as those of a language do. Prints a line a figure.
 *
 *     tests/unit/with-mariadb build/tests/bench/search [chunks]
 */
#include <math.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/util.h"
#include "dbtest.h"
#include "search/find.h"
#include "search/vector.h"
#include "store/store.h"

enum {
	DOCUMENTS = 2000, QUESTIONS = 400, RELEVANT = 64, TOP = 10,
	ASKED = 200, WORDS = 8, VOCABULARY = 50000, CHUNK_WORDS = 180,
	AT_ONCE = 512, DIMENSION = 768,
};

static struct db *db;

static int make_base(struct db *tx, void *ctx, struct err *err)
{
	int64_t no;

	return search_base_make(tx, ctx, STR("t"), STR("en"), err) ||
	       search_audience(tx, ctx, STR("[]"), &no, err) ? -1 : 0;
}

static struct uuid new_base(void)
{
	struct uuid id = uuid_new();

	ok(db_tx(db, make_base, &id, &e));
	return id;
}

/* -- Cranfield -------------------------------------------------------------------- */

/* A record's fields, by their letter. */
struct record {
	struct buf title, text;
};

static size_t read_records(const char *dir, const char *name, struct record *v,
			   size_t max)
{
	char path[4096], line[4096];
	struct buf *to = NULL;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s", path);
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, ".I ", 3)) {
			assert_true(n < max);
			v[n].title = (struct buf)BUF_INIT(1 << 20);
			v[n++].text = (struct buf)BUF_INIT(1 << 20);
			to = NULL;
		} else if (line[0] == '.' && line[1] >= 'A' && line[1] <= 'Z' &&
			   strchr(" \r\n", line[2])) {
			to = line[1] == 'T' ? &v[n - 1].title
				: line[1] == 'W' ? &v[n - 1].text : NULL;
		} else if (to) {
			buf_adds(to, line);
		}
	}
	fclose(f);
	return n;
}

static int relevant[QUESTIONS][RELEVANT];
static size_t n_relevant[QUESTIONS];

static void read_judgements(const char *dir)
{
	char path[4096], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cranqrel", dir);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s", path);
	while (fgets(line, sizeof(line), f)) {
		char *end;
		long q = strtol(line, &end, 10), d = strtol(end, &end, 10);
		size_t *n;

		if (strtol(end, &end, 10) <= 0 || q < 1 || q >= QUESTIONS)
			continue;
		n = &n_relevant[q];
		for (size_t i = 0; i < *n; i++)
			if (relevant[q][i] == d)
				d = 0;
		if (d && *n < RELEVANT)
			relevant[q][(*n)++] = (int)d;
	}
	fclose(f);
}

static bool is_relevant(long q, int d)
{
	for (size_t i = 0; i < n_relevant[q]; i++)
		if (relevant[q][i] == d)
			return true;
	return false;
}

static void measure_cranfield(const char *dir)
{
	static struct record docs[DOCUMENTS], questions[QUESTIONS];
	struct search_put *puts = xcalloc(DOCUMENTS, sizeof(*puts));
	size_t n_docs = read_records(dir, "cran.all.1400", docs, DOCUMENTS);
	size_t n_questions = read_records(dir, "cran.qry", questions, QUESTIONS);
	const struct search_how how = { .dimension = 0 };
	struct uuid base = new_base();
	double sum = 0, asked = 0;

	read_judgements(dir);
	for (size_t i = 0; i < n_docs; i++) {
		struct chunk *c;

		puts[i].id = uuid_new();
		puts[i].title = buf_str(&docs[i].title);
		ok(chunk_split(buf_str(&docs[i].text), &a, &c, &puts[i].n, &e));
		if (!puts[i].n) {	/* one has no text */
			c = arena_new(&a, struct chunk);
			c->text = STR("-");
			puts[i].n = 1;
		}
		puts[i].chunks = c;
	}
	ok(search_write(db, &base, puts, n_docs, &how, &e));
	for (size_t q = 1; q <= n_questions; q++) {
		struct search_ask ask = {
			.text = buf_str(&questions[q - 1].text), .all = true,
			.max = LIM_FOUND,
		};
		struct search_found *f;
		size_t n, rank = 0;
		double gain = 0, best = 0;
		int seen[LIM_FOUND];

		if (!n_relevant[q])
			continue;
		ok(search_find(db, &base, &ask, &a, &f, &n, &e));
		for (size_t i = 0; i < n && rank < TOP; i++) {
			int d = 0;
			bool again = false;

			while (!uuid_eq(&puts[d].id, &f[i].document_id))
				d++;
			for (size_t k = 0; k < rank; k++)
				again |= seen[k] == d;
			if (again)	/* another chunk of it */
				continue;
			if (is_relevant((long)q, d + 1))
				gain += 1 / log2((double)rank + 2);
			seen[rank++] = d;
		}
		for (size_t i = 0; i < MIN(n_relevant[q], (size_t)TOP); i++)
			best += 1 / log2((double)i + 2);
		sum += gain / best;
		asked++;
	}
	printf("Cranfield, words: nDCG@10 %.4f of %.0f questions\n", sum / asked,
	       asked);
	arena_reset(&a);
}

/* -- speed --------------------------------------------------------------------------- */

static uint64_t seed = 1;

static double dice(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(seed >> 11) / 9007199254740992.0;
}

/* A word by Zipf's law; its letters are those of its number. */
static void add_word(struct buf *b)
{
	unsigned n = (unsigned)exp(dice() * log(VOCABULARY));

	for (n += 30; n; n /= 26)
		buf_addc(b, (char)('a' + n % 26));
	buf_addc(b, ' ');
}

static int by_size(const void *x, const void *y)
{
	double d = *(const double *)x - *(const double *)y;

	return d < 0 ? -1 : d > 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void measure_asking(const struct uuid *base, enum search_mode mode,
			   const char *what)
{
	double ms[ASKED];

	for (int i = 0; i < ASKED; i++) {
		struct buf b = BUF_INIT(1024);
		float v[DIMENSION];
		struct search_ask ask = {
			.mode = mode, .all = true, .max = TOP, .vector = v,
		};
		struct search_found *f;
		size_t n;

		for (int k = 0; k < WORDS; k++)
			add_word(&b);
		for (int k = 0; k < DIMENSION; k++)
			v[k] = (float)dice() - 0.5F;
		ok(vector_normalise(v, DIMENSION, &e));
		ask.text = buf_str(&b);
		ms[i] = now();
		ok(search_find(db, base, &ask, &a, &f, &n, &e));
		ms[i] = now() - ms[i];
		buf_release(&b);
		arena_reset(&a);
	}
	qsort(ms, ASKED, sizeof(*ms), by_size);
	printf("%s: median %.2f ms, 95 %% %.2f ms\n", what, ms[ASKED / 2],
	       ms[ASKED * 95 / 100]);
}

static void measure_speed(size_t chunks, bool vectors)
{
	const struct search_how how = {
		.model = vectors ? STR("m") : (struct str){ NULL, 0 },
		.dimension = DIMENSION,
	};
	struct uuid base = new_base();
	float *v = xcalloc((size_t)AT_ONCE * DIMENSION, sizeof(*v));
	double ms = 0;

	for (size_t done = 0; done < chunks; done += AT_ONCE) {
		struct search_put puts[AT_ONCE] = { 0 };
		size_t n = MIN(chunks - done, (size_t)AT_ONCE);
		double from;

		for (size_t i = 0; vectors && i < n * DIMENSION; i++)
			v[i] = (float)dice() - 0.5F;
		for (size_t i = 0; i < n; i++) {
			struct buf b = BUF_INIT(1 << 16);
			struct chunk *c = arena_new(&a, struct chunk);

			for (int k = 0; k < CHUNK_WORDS; k++)
				add_word(&b);
			c->text = arena_str(&a, buf_str(&b));
			puts[i].id = uuid_new();
			puts[i].chunks = c;
			puts[i].n = 1;
			if (vectors) {
				puts[i].vectors = v + i * DIMENSION;
				ok(vector_normalise(v + i * DIMENSION, DIMENSION,
						    &e));
			}
			buf_release(&b);
		}
		from = now();
		ok(search_write(db, &base, puts, n, &how, &e));
		ms += now() - from;
		arena_reset(&a);
	}
	printf("%zu chunks%s: %.0f chunks/s indexed\n", chunks,
	       vectors ? " with vectors" : "", (double)chunks * 1e3 / ms);
	if (vectors) {
		measure_asking(&base, SEARCH_VECTORS, "  vectors");
		measure_asking(&base, SEARCH_FUSED, "  fused");
		return;
	}
	measure_asking(&base, SEARCH_WORDS, "  8 words, before merging");
	dbtest_sql("UPDATE search_base SET parts = 1000000");
	ms = now();
	assert_int_equal(search_tidy(db, &base, INT64_MAX, &e), 1);
	printf("  merged in %.0f ms\n", now() - ms);
	measure_asking(&base, SEARCH_WORDS, "  8 words");
}

int main(int argc, char **argv)
{
	const char *dir = getenv("LAMPLIGHTER_CRANFIELD");
	size_t chunks = argc > 1 ? strtoul(argv[1], NULL, 10) : 30000;

	unit_need_database(argv);
	ok(dbtest_open(NULL));
	db = store_open(dbtest_schema("t_bench", 4), 0, &e);
	if (!db)
		fail_msg("%s", e.text);
	if (dir)
		measure_cranfield(dir);
	measure_speed(chunks, false);
	measure_speed(chunks, true);
	return 0;
}
