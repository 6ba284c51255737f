/* SPDX-License-Identifier: MIT */
/*
 * Every recorded body decodes to the events in NAME.events.jsonl beside it:
 * whole, byte by byte, cut in two at every byte (P-C7), in odd pieces, and
 * with and without the decoder's template.
 *
 * LAMPLIGHTER_GOLDEN=write writes the files anew; look at the difference before
 * you commit it.
 */
#include <dirent.h>
#include <ftw.h>

#include "llm_unit.h"

#define DIR_NAME "tests/fixtures/providers/"

enum framing { AS_IS, OPENAI, TYPED, GOOGLE };

/* A folder named after a provider of the OpenAI dialect needs no row. */
static const struct row {
	const char *prefix;	/* of the path below DIR_NAME */
	const char *provider;	/* NULL = no chat answer: not decoded */
	enum framing framing;	/* of .chunks.txt (SOURCES.md) */
} rows[] = {
	{ "alibaba/", "qwen", OPENAI },
	{ "anthropic/", "anthropic", TYPED },
	{ "embeddings/", NULL, AS_IS },
	{ "gemini-native/error", "gemini", AS_IS },
	{ "gemini-native/", "gemini_native", GOOGLE },
	{ "gemini-openai/", "gemini", OPENAI },
	{ "handmade/anthropic-", "anthropic", AS_IS },
	{ "handmade/azure-", "azure", AS_IS },
	{ "handmade/deepseek-", "deepseek", AS_IS },
	{ "handmade/gemini-", "gemini", AS_IS },
	{ "handmade/gpustack-", "gpustack", AS_IS },
	{ "handmade/groq-", "groq", AS_IS },
	{ "handmade/llamacpp-", "llamacpp", AS_IS },
	{ "handmade/lmstudio-", "lmstudio", AS_IS },
	{ "handmade/mistral-", "mistral", AS_IS },
	{ "handmade/ollama-v1-", "ollama_v1", AS_IS },
	{ "handmade/ollama-", "ollama", AS_IS },
	{ "handmade/openai-", "openai", AS_IS },
	{ "handmade/perplexity-", "perplexity", AS_IS },
	{ "handmade/snowflake-", "openai", AS_IS },
	{ "handmade/vllm-", "vllm", AS_IS },
	{ "llama-box/", "gpustack", OPENAI },
	{ "ollama/v1-", "ollama_v1", AS_IS },
	{ "ollama/", "ollama", AS_IS },
	{ "openai-responses/", "openai_responses", AS_IS },
	{ "rerank/", NULL, AS_IS },
};

/* The stream that a .chunks.txt was. */
static void reframe(struct buf *b, enum framing framing)
{
	struct buf out = BUF_INIT(16 << 20);
	struct str rest = buf_str(b);

	while (rest.p && rest.n) {
		struct str line = str_trim(str_cut(&rest, '\n'));
		struct err e = ERR_INIT;
		json_t *j;

		if (!line.n)
			continue;
		j = jx_load(line, &e);
		assert_non_null(j);
		if (framing == TYPED)
			buf_addf(&out, "event: %s\n", json_string_value(
				 json_object_get(j, "type")));
		json_decref(j);
		buf_adds(&out, "data: ");
		buf_addstr(&out, line);
		buf_adds(&out, framing == GOOGLE ? "\r\n\r\n" : "\n\n");
	}
	if (framing == OPENAI)
		buf_adds(&out, "data: [DONE]\n\n");
	buf_release(b);
	*b = out;
}

static void same(const char *path, const char *how, size_t at,
		 const struct buf *want, const struct buf *got)
{
	if (!str_eq(buf_str(want), buf_str(got)))
		fail_msg("%s, %s %zu: expected\n%s\ngot\n%s", path, how, at,
			 want->p, got->p);
}

/* All the ways in which the body may arrive. */
static void all_ways(const char *path, const char *provider, struct str body,
		     const struct buf *want)
{
	static const size_t pieces[] = { 1, 2, 3, 7, 64, 1000, 4096 };
	size_t stride = body.n > 6000 ? 131 : 1;
	struct buf got = BUF_INIT(16 << 20);

	for (int slow = 0; slow < 2; slow++) {
		buf_reset(&got);
		decode_into(&got, provider, body,
			    &(struct decode_how){ .slow = slow });
		same(path, slow ? "slow" : "fast", 0, want, &got);
		for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
			buf_reset(&got);
			decode_into(&got, provider, body, &(struct decode_how){
				.piece = pieces[i], .slow = slow });
			same(path, "pieces of", pieces[i], want, &got);
		}
	}
	for (size_t at = 1; at < body.n; at += stride) {
		buf_reset(&got);
		decode_into(&got, provider, body,
			    &(struct decode_how){ .split = at });
		same(path, "cut at", at, want, &got);
	}
	buf_release(&got);
}

static void golden(const char *path, const char *provider, struct str body)
{
	struct buf got = BUF_INIT(16 << 20), want;
	const char *write = getenv("LAMPLIGHTER_GOLDEN");
	char name[400], *dot;

	snprintf(name, sizeof(name), "%s", path);
	dot = strrchr(name, '.');
	if (dot - name > 7 && strncmp(dot - 7, ".chunks", 7) == 0)
		dot -= 7;
	snprintf(dot, sizeof(name) - (size_t)(dot - name), ".events.jsonl");
	decode_into(&got, provider, body, &(struct decode_how){ .slow = true });
	if (write && strcmp(write, "write") == 0) {
		char full[1024];
		FILE *f;

		snprintf(full, sizeof(full), "%s/%s",
			 getenv("LAMPLIGHTER_SRCDIR"), name);
		f = fopen(full, "w");
		assert_non_null(f);
		fwrite(got.p, 1, got.n, f);
		fclose(f);
	}
	want = slurp(name);
	if (!want.n)
		fail_msg("%s is missing or empty", name);
	same(path, "events of", 0, &want, &got);
	all_ways(path, provider, body, &want);
	buf_release(&want);
	buf_release(&got);
}

static bool ends(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && strcmp(s + n - k, end) == 0;
}

/* The row of a path below DIR_NAME; else its folder names it. */
static struct row row_of(const char *below, char name[64])
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strncmp(below, rows[i].prefix, strlen(rows[i].prefix)) == 0)
			return rows[i];
	snprintf(name, 64, "%.*s", (int)strcspn(below, "/"), below);
	if (!provider_find(name))
		fail_msg("%s: no row says which provider it is of", below);
	return (struct row){ .provider = name, .framing = OPENAI };
}

static int n_decoded;

static void one_file(const char *path)
{
	struct buf body;
	struct row row;
	char name[64];

	if (ends(path, ".meta.json") || ends(path, ".request.json") ||
	    ends(path, ".events.jsonl") || ends(path, ".md"))
		return;
	row = row_of(path + strlen(DIR_NAME), name);
	if (!row.provider)
		return;
	body = slurp(path);
	assert_true(body.n > 0);
	if (ends(path, ".chunks.txt"))
		reframe(&body, row.framing);
	golden(path, row.provider, buf_str(&body));
	buf_release(&body);
	n_decoded++;
}

static int visit(const char *full, const struct stat *st, int type,
		 struct FTW *ftw)
{
	const char *at = strstr(full, DIR_NAME);

	(void)st, (void)ftw;
	if (type == FTW_F && at)
		one_file(at);
	return 0;
}

static void every_recorded_body(void **state)
{
	const char *root = getenv("LAMPLIGHTER_SRCDIR");
	char dir[512];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/%s", root ? root : ".", DIR_NAME);
	assert_int_equal(nftw(dir, visit, 8, FTW_PHYS), 0);
	assert_true(n_decoded >= 55);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_recorded_body),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
