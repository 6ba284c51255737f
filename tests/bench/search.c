/* SPDX-License-Identifier: MIT */
/*
 * lib/search measured: how good its ranking is on the Cranfield collection (a
 * directory with cran.all.1400, cran.qry and cranqrel, named by
 * LAMPLIGHTER_CRANFIELD; with vectors of the service at LAMPLIGHTER_EMBEDDER, too, an
 * address such as tests/bench/model/serve.mjs prints), and how fast it indexes and
 * searches texts made of random words, whose frequencies fall as those of a language
 * do. Prints a line a figure. 0 chunks: only the ranking.
 *
 *     tests/unit/with-mariadb build/tests/bench/search [chunks]
 */
#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/util.h"
#include "dbtest.h"
#include "llm/retrieval.h"
#include "net/http.h"
#include "search/cache.h"
#include "search/find.h"
#include "search/vector.h"
#include "store/store.h"

enum {
	DOCUMENTS = 2000, QUESTIONS = 400, RELEVANT = 64, TOP = 10, TOP_5 = 5,
	ASKED = 200, WORDS = 8, VOCABULARY = 50000, CHUNK_WORDS = 180,
	AT_ONCE = 512, DIMENSION = 768,
};

static const double FLOOR = 0.3;
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

static int by_size(const void *x, const void *y)
{
	double d = *(const double *)x - *(const double *)y;

	return d < 0 ? -1 : d > 0;
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

/* The service named by LAMPLIGHTER_EMBEDDER, such as tests/bench/model/serve.mjs. */
static float *embed(const struct str *texts, size_t n, int *dimension)
{
	struct llm_service s = llm_service_bare("openai_compatible", "m", NULL);
	struct http_pool *http = http_pool_new(4);
	const struct llm_call io = { .http = http };
	struct llm_vectors v;

	s.url = getenv("LAMPLIGHTER_EMBEDDER");
	s.set.url = true;
	s.capabilities = LLM_CAN_EMBED;
	ok(llm_embed(&io, &s, texts, n, false, &a, &v, &e));
	http_pool_free(http);
	*dimension = v.dimension;
	for (size_t i = 0; i < n; i++)
		ok(vector_normalise(v.v + i * (size_t)v.dimension, v.dimension,
				    &e));
	return v.v;
}

static struct record docs[DOCUMENTS], questions[QUESTIONS];

/* Vectors of all passages, title first, into puts; of the questions, returned. */
static float *embed_all(struct search_put *puts, size_t n_docs,
			size_t n_questions, int *dimension)
{
	size_t room = n_docs * 4 + n_questions, n = 0;
	struct str *texts = xcalloc(room, sizeof(*texts));
	float *v;

	for (size_t i = 0; i < n_docs; i++)
		for (size_t c = 0; c < puts[i].n && n < room - n_questions; c++)
			texts[n++] = str_of(arena_printf(&a, "%.*s\n%.*s",
				STR_ARG(puts[i].title),
				STR_ARG(puts[i].chunks[c].text)));
	for (size_t i = 0; i < n_questions; i++)
		texts[n + i] = buf_str(&questions[i].text);
	v = embed(texts, n + n_questions, dimension);
	n = 0;
	for (size_t i = 0; i < n_docs; i++) {
		puts[i].vectors = v + n * (size_t)*dimension;
		n += puts[i].n;
	}
	free(texts);
	return v + n * (size_t)*dimension;
}

static double gain_of(const struct search_put *puts, size_t q,
		      const struct search_found *f, size_t n)
{
	double gain = 0, best = 0;
	int seen[LIM_FOUND];
	size_t rank = 0;

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
	return gain / best;
}

/* Messages that no collection answers. */
static const char *const small_talk[] = {
	"Hi!", "Good morning!", "Hello, how are you today?", "Thanks a lot!", "Thank you, that helped.",
	"You're welcome.", "Great, see you tomorrow.", "Have a nice weekend!", "What's up?",
	"Who are you?", "Are you a robot?", "Tell me a joke.", "That's funny.", "I'm bored.",
	"I am so tired today.", "It's raining again.", "What a lovely day!", "Happy birthday!",
	"Good luck!", "Congratulations!", "Sorry, my mistake.", "Never mind.", "OK", "Sure, go ahead.",
	"Yes, please.", "No, thanks.", "Maybe later.", "I don't know.", "Can you help me?",
	"Could you say that again?", "What do you mean?", "That makes sense.", "I love it!",
	"This is awful.", "You are wrong.", "Are you sure?", "Why not?", "How old are you?",
	"Where do you live?", "What's your name?", "Do you like music?", "My cat is asleep.",
	"I had pizza for lunch.", "The coffee is cold.", "Who won the match yesterday?",
	"Merry Christmas!", "I have to go now.", "Call me later.", "Nice to meet you.", "Goodbye!",
};

/* How many of the first TOP_5 passages are relevant and as sure as the floor. */
static double found_of(const struct search_put *puts, size_t q,
		       const struct search_found *f, size_t n, double floor)
{
	double found = 0;

	for (size_t i = 0; i < MIN(n, (size_t)TOP_5); i++) {
		int d = 0;

		while (!uuid_eq(&puts[d].id, &f[i].document_id))
			d++;
		found += f[i].sure >= floor && is_relevant((long)q, d + 1);
	}
	return found / (double)n_relevant[q];
}

/* What a floor for sources costs, and what it keeps away. */
static void measure_floor(const struct uuid *base, const struct search_put *puts,
			  size_t n_questions, enum search_mode mode, const float *vectors,
			  const float *chats, int dimension, const char *what)
{
	double all = 0, kept = 0, asked = 0;
	int sourced = 0;

	for (size_t q = 1; q <= n_questions + ARRAY_LEN(small_talk); q++) {
		const bool chat = q > n_questions;
		const size_t k = chat ? q - n_questions - 1 : q - 1;
		struct search_ask ask = {
			.mode = mode, .all = true, .max = TOP_5, .dimension = dimension,
			.text = chat ? str_of(small_talk[k]) : buf_str(&questions[k].text),
			.vector = vectors ? (chat ? chats : vectors) + k * (size_t)dimension
				: NULL, .model = STR("m"),
		};
		struct arena found = ARENA_INIT;
		struct search_found *f;
		bool any = false;
		size_t n;

		if (!chat && !n_relevant[q])
			continue;
		ok(search_find(db, base, &ask, &found, &f, &n, &e));
		if (!chat) {
			all += found_of(puts, q, f, n, 0);
			kept += found_of(puts, q, f, n, FLOOR);
			asked++;
		}
		for (size_t i = 0; chat && i < n; i++)
			any |= f[i].sure >= FLOOR;
		sourced += any;
		arena_release(&found);
	}
	printf("Cranfield, %s: recall@5 %.4f, above a floor of %.1f %.4f; %d of %zu messages of "
	       "small talk get sources\n", what, all / asked, FLOOR, kept / asked, sourced,
	       ARRAY_LEN(small_talk));
}

static void measure_mode(const struct uuid *base, const struct search_put *puts,
			 size_t n_questions, enum search_mode mode,
			 const float *vectors, int dimension, const char *what)
{
	double sum = 0, asked = 0;

	for (size_t q = 1; q <= n_questions; q++) {
		struct search_ask ask = {
			.mode = mode, .text = buf_str(&questions[q - 1].text),
			.all = true, .max = LIM_FOUND,
			.vector = vectors ? vectors + (q - 1) *
				(size_t)dimension : NULL,
			.dimension = dimension, .model = STR("m"),
		};
		struct arena found = ARENA_INIT;
		struct search_found *f;
		size_t n;

		if (!n_relevant[q])
			continue;
		ok(search_find(db, base, &ask, &found, &f, &n, &e));
		sum += gain_of(puts, q, f, n);
		asked++;
		arena_release(&found);
	}
	printf("Cranfield, %s: nDCG@10 %.4f of %.0f questions\n", what,
	       sum / asked, asked);
}

static void measure_cranfield(const char *dir)
{
	struct search_put *puts = xcalloc(DOCUMENTS, sizeof(*puts));
	size_t n_docs = read_records(dir, "cran.all.1400", docs, DOCUMENTS);
	size_t n_questions = read_records(dir, "cran.qry", questions, QUESTIONS);
	struct search_how how = { .dimension = 0 };
	struct uuid base = new_base();
	float *asked = NULL;

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
	if (getenv("LAMPLIGHTER_EMBEDDER")) {
		asked = embed_all(puts, n_docs, n_questions, &how.dimension);
		how.model = STR("m");
	}
	ok(search_write(db, &base, puts, n_docs, &how, &e));
	measure_mode(&base, puts, n_questions, SEARCH_WORDS, NULL, 0, "words");
	measure_floor(&base, puts, n_questions, SEARCH_WORDS, NULL, NULL, 0, "words");
	if (asked) {
		struct str talk[ARRAY_LEN(small_talk)];
		float *chats;

		for (size_t i = 0; i < ARRAY_LEN(small_talk); i++)
			talk[i] = str_of(small_talk[i]);
		chats = embed(talk, ARRAY_LEN(talk), &how.dimension);
		measure_floor(&base, puts, n_questions, SEARCH_VECTORS, asked, chats,
			      how.dimension, "vectors");
		measure_floor(&base, puts, n_questions, SEARCH_FUSED, asked, chats,
			      how.dimension, "fused");
		measure_mode(&base, puts, n_questions, SEARCH_VECTORS, asked,
			     how.dimension, "vectors");
		measure_mode(&base, puts, n_questions, SEARCH_FUSED, asked,
			     how.dimension, "fused");
	}
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

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/*
 * Processor time of this process and of the database, ms: what indexing costs on one
 * core, however many others use the machine.
 */
static double worked(void)
{
	const char *dir = getenv("LAMPLIGHTER_TEST_DB_DIR");
	long ticks = sysconf(_SC_CLK_TCK), user = 0, kernel = 0;
	struct timespec t;
	char path[4096];
	FILE *f;
	int pid = 0;

	snprintf(path, sizeof(path), "%s/db.pid", dir ? dir : "");
	f = fopen(path, "r");
	if (f && fscanf(f, "%d", &pid) != 1)
		pid = 0;
	if (f)
		fclose(f);
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u"
			" %ld %ld", &user, &kernel) != 2)
		user = kernel = 0;
	if (f)
		fclose(f);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6 +
		(double)(user + kernel) * 1e3 / (double)ticks;
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
			.dimension = DIMENSION, .model = STR("m"),
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
	double ms = 0, cpu = 0;

	for (size_t done = 0; done < chunks; done += AT_ONCE) {
		struct search_put puts[AT_ONCE] = { 0 };
		size_t n = MIN(chunks - done, (size_t)AT_ONCE);
		double from, cpu_from;

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
		cpu_from = worked();
		ok(search_write(db, &base, puts, n, &how, &e));
		cpu += worked() - cpu_from;
		ms += now() - from;
		arena_reset(&a);
	}
	printf("%zu chunks%s: %.0f chunks/s indexed, %.0f by processor time\n",
	       chunks, vectors ? " with vectors" : "", (double)chunks * 1e3 / ms,
	       (double)chunks * 1e3 / cpu);
	if (vectors) {
		measure_asking(&base, SEARCH_VECTORS, "  vectors");
		search_cache_limit((size_t)1 << 30);
		measure_asking(&base, SEARCH_VECTORS, "  vectors, cached bits");
		measure_asking(&base, SEARCH_FUSED, "  fused");
		return;
	}
	measure_asking(&base, SEARCH_WORDS, "  8 words, before merging");
	dbtest_sql("UPDATE search_base SET parts = 1000000");
	ms = now();
	cpu = worked();
	assert_int_equal(search_tidy(db, &base, false, INT64_MAX, &e), 1);
	printf("  merged in %.0f ms, %.0f of processor time\n", now() - ms,
	       worked() - cpu);
	measure_asking(&base, SEARCH_WORDS, "  8 words");
}

/* -- a scan of what is cached ------------------------------------------------------ */

static bool keep_all(const void *ctx, uint32_t chunk)
{
	(void)ctx;
	(void)chunk;
	return true;
}

static void measure_scan(size_t n)
{
	size_t words = DIMENSION / 64;
	uint64_t *bits = xcalloc(n * words, sizeof(*bits));
	uint32_t *chunks = xcalloc(n, sizeof(*chunks));
	uint64_t question[DIMENSION / 64];
	double ms[ASKED / 10];

	for (size_t i = 0; i < n * words; i++)
		bits[i] = (uint64_t)(dice() * 0x1p32) << 32 |
			(uint64_t)(dice() * 0x1p32);
	for (size_t i = 0; i < n; i++)
		chunks[i] = (uint32_t)i;
	for (size_t i = 0; i < ARRAY_LEN(ms); i++) {
		struct rank_hit best[200];
		size_t n_best = 0;
		const struct vector_scan s = {
			.question = question, .words = words, .best = best,
			.n_best = &n_best, .max = ARRAY_LEN(best),
			.keep = keep_all,
		};

		for (size_t k = 0; k < words; k++)
			question[k] = (uint64_t)(dice() * 0x1p32) << 32 |
				(uint64_t)(dice() * 0x1p32);
		ms[i] = now();
		vector_scan(&s, bits, chunks, n);
		ms[i] = now() - ms[i];
	}
	qsort(ms, ARRAY_LEN(ms), sizeof(*ms), by_size);
	printf("%zu cached signs of %d: median %.2f ms\n", n, DIMENSION,
	       ms[ARRAY_LEN(ms) / 2]);
	free(bits);
	free(chunks);
}

int main(int argc, char **argv)
{
	const char *dir = getenv("LAMPLIGHTER_CRANFIELD");
	size_t chunks = argc > 1 ? strtoul(argv[1], NULL, 10) : 30000;

	/* Each figure is printed when it is known, in a file or pipe, too. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	unit_need_database(argv);
	ok(dbtest_open(NULL));
	db = store_open(dbtest_schema("t_bench", 4), &e);
	if (!db)
		fail_msg("%s", e.text);
	ok(http_global_init(&e));
	if (dir)
		measure_cranfield(dir);
	if (!chunks)
		return 0;
	measure_speed(chunks, false);
	measure_speed(chunks, true);
	measure_scan(1000000);
	return 0;
}
