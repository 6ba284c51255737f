/* SPDX-License-Identifier: MIT */
/* lib/llm/retrieval.c: what is sent for vectors and ranks, and what is read. */
#include "llm_unit.h"
#include "peer.h"

#include <math.h>

#include "llm/retrieval.h"

static struct http_pool *http;
static const char *reply;
static struct peer *peer;
static struct arena a = ARENA_INIT;

static int serve(struct peer *p, int fd, int n_req)
{
	char none;

	(void)p;
	(void)n_req;
	if (!reply)	/* none, until whoever asked leaves */
		return (int)recv(fd, &none, 1, 0) - 1;
	return peer_reply(fd, "200 OK", "", reply);
}

static struct llm_service service(const char *provider, const char *path,
				  json_t *quirks)
{
	struct llm_service s = llm_service_bare(provider, "tiny", quirks);

	s.url = arena_printf(&a, "http://127.0.0.1:%d%s", peer->port, path);
	s.set.url = true;
	s.capabilities = LLM_CAN_EMBED | LLM_CAN_RERANK;
	return s;
}

static int embed(const struct llm_service *s, unsigned how,
		 struct llm_vectors *out, struct err *e)
{
	const struct llm_call io = { .http = http };
	const struct str texts[] = { STR("one"), STR("two") };

	return llm_embed(&io, s, texts, 2, how, &a, out, e);
}

static void vectors_have_the_order_of_their_texts(void **state)
{
	struct llm_service s = service("openai_compatible", "/v1", NULL);
	struct err e = ERR_INIT;
	struct llm_vectors v;

	(void)state;
	reply = "{\"object\":\"list\",\"data\":[{\"object\":\"embedding\",\"index\":1,"
		"\"embedding\":[3,4]},{\"object\":\"embedding\",\"index\":0,"
		"\"embedding\":[1.5,-2]}],\"usage\":{\"prompt_tokens\":8,"
		"\"total_tokens\":8}}";
	assert_int_equal(embed(&s, LLM_PASSAGES, &v, &e), 0);
	assert_int_equal(v.dimension, 2);
	assert_true(v.v[0] == 1.5F && v.v[1] == -2 && v.v[2] == 3 && v.v[3] == 4);
	assert_int_equal(v.usage.input, 8);
	assert_non_null(strstr(peer_last(peer), "POST /v1/embeddings "));
	assert_non_null(strstr(peer_last(peer), "\"input\":[\"one\",\"two\"]"));
	s = service("ollama", "", NULL);
	reply = "{\"model\":\"m\",\"embeddings\":[[1,0,0],[0,1,0]],"
		"\"prompt_eval_count\":4}";
	assert_int_equal(embed(&s, LLM_PASSAGES, &v, &e), 0);
	assert_true(v.dimension == 3 && v.v[4] == 1 && v.usage.input == 4);
	assert_non_null(strstr(peer_last(peer), "POST /api/embed "));
}

static void questions_have_their_own_prefix(void **state)
{
	json_auto_t *quirks = json_pack("{s:s, s:s}", "embed_query_prefix", "query: ",
					"embed_document_prefix", "passage: ");
	struct llm_service s = service("vllm", "/v1", quirks);
	struct err e = ERR_INIT;
	struct llm_vectors v;

	(void)state;
	reply = "{\"data\":[{\"index\":0,\"embedding\":[1]},"
		"{\"index\":1,\"embedding\":[1]}]}";
	assert_int_equal(embed(&s, LLM_QUESTIONS, &v, &e), 0);
	assert_non_null(strstr(peer_last(peer), "[\"query: one\",\"query: two\"]"));
	assert_int_equal(embed(&s, LLM_PASSAGES, &v, &e), 0);
	assert_non_null(strstr(peer_last(peer), "[\"passage: one\",\"passage: two\"]"));
}

/* The compatible address: https://ai.google.dev/gemini-api/docs/openai */
static void gemini_makes_vectors_at_its_compatible_address(void **state)
{
	json_auto_t *quirks = json_pack("{s:i}", "embed_dimensions", 4);
	struct llm_service s = service("gemini", "/v1beta/openai", quirks);
	struct err e = ERR_INIT;
	struct buf answer;
	struct llm_vectors v;

	(void)state;
	s.api_key = "secret";
	s.set.api_key = true;
	answer = slurp("tests/fixtures/providers/embeddings/gemini-openai.json");
	reply = buf_str(&answer).p;
	assert_int_equal(embed(&s, LLM_PASSAGES, &v, &e), 0);
	assert_int_equal(v.dimension, 4);
	assert_true(v.v[0] == 0.25F && v.v[4] == -0.5F);
	assert_int_equal(v.usage.input, -1);
	assert_non_null(strstr(peer_last(peer), "POST /v1beta/openai/embeddings "));
	assert_non_null(strstr(peer_last(peer), "Authorization: Bearer secret"));
	assert_non_null(strstr(peer_last(peer), "\"dimensions\":4"));
	assert_true(str_is(llm_embed_name(&s, &a), "tiny/4"));
	buf_release(&answer);
}

static void vectors_are_asked_for_as_the_quirks_say(void **state)
{
	json_auto_t *quirks = json_pack(
		"{s:s, s:s, s:s, s:i, s:i, s:s}", "embed_type_field", "input_type",
		"embed_query_type", "query", "embed_document_type", "passage",
		"embed_texts", 1, "embed_chars", 100, "embed_truncate", "END");
	struct llm_service s = service("openai_compatible", "/v1", quirks);
	const struct llm_call io = { .http = http };
	struct str texts[] = { STR("one"), { NULL, 0 } };
	char want[160] = "\"input\":[\"";
	struct err e = ERR_INIT;
	struct llm_vectors v;
	char longer[200];
	int n;

	(void)state;
	memset(longer, 'x', sizeof(longer));
	texts[1] = (struct str){ longer, sizeof(longer) };
	memset(want + strlen(want), 'x', 100);
	memcpy(want + strlen(want), "\"]", 3);
	reply = "{\"data\":[{\"index\":0,\"embedding\":[1,2]}]}";
	n = atomic_load(&peer->n_reqs);
	assert_int_equal(llm_embed(&io, &s, texts, 2, LLM_PASSAGES, &a, &v, &e), 0);
	/* A request for each, and the second text was cut. */
	assert_int_equal(atomic_load(&peer->n_reqs), n + 2);
	assert_non_null(strstr(peer_last(peer), want));
	assert_non_null(strstr(peer_last(peer), "\"input_type\":\"passage\""));
	assert_non_null(strstr(peer_last(peer), "\"truncate\":\"END\""));
	assert_null(strstr(peer_last(peer), "dimensions"));
	assert_int_equal(llm_embed(&io, &s, texts, 1, LLM_QUESTIONS, &a, &v, &e), 0);
	assert_non_null(strstr(peer_last(peer), "\"input_type\":\"query\""));
	assert_true(str_is(llm_embed_name(&s, &a), "tiny"));
	json_object_set_new(quirks, "embed_truncate", json_false());
	assert_int_equal(llm_embed(&io, &s, texts, 1, LLM_QUESTIONS, &a, &v, &e), 0);
	assert_non_null(strstr(peer_last(peer), "\"truncate\":false"));
	json_object_set_new(quirks, "embed_texts", json_integer(65));
	assert_int_equal(llm_embed(&io, &s, texts, 1, LLM_QUESTIONS, &a, &v, &e), -1);
	assert_non_null(strstr(e.text, "embed_texts must be a number from 1 to 64"));
}

static void strange_vectors_are_refused(void **state)
{
	static const char *const bad[] = {
		"nonsense", "{}", "{\"data\":[]}",
		"{\"data\":[{\"index\":0,\"embedding\":[1]}]}",
		"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":0,\"embedding\":[1]}]}",
		"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":7,\"embedding\":[1]}]}",
		"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":-1,\"embedding\":[1]}]}",
		"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":1,\"embedding\":[1,2]}]}",
		"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":1,\"embedding\":[\"1\"]}]}",
		"{\"data\":[{\"index\":0,\"embedding\":[]},{\"index\":1,\"embedding\":[]}]}",
		"{\"embeddings\":[[1],7]}",
	};
	const struct llm_service s = service("openai_compatible", "/v1", NULL);
	struct llm_vectors v;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = ERR_INIT;

		reply = bad[i];
		assert_int_equal(embed(&s, LLM_PASSAGES, &v, &e), -1);
		assert_int_equal(e.code, ERR_UPSTREAM_PROTOCOL);
	}
}

static int rank(const struct llm_service *s, double *scores, struct err *e)
{
	const struct llm_call io = { .http = http };
	const struct str texts[] = { STR("one"), STR("two"), STR("three") };
	struct llm_ranks ranks;

	return llm_rerank(&io, s, STR("which?"), texts, 3, LLM_PASSAGES, scores, &a,
			  &ranks, e);
}

static void every_form_of_a_ranking_is_read(void **state)
{
	/* Cohere and vLLM; Jina; Voyage; TEI. */
	static const char *const forms[] = {
		("{\"id\":\"x\",\"results\":[{\"index\":2,\"relevance_score\":0.9},"
		 "{\"index\":0,\"relevance_score\":0.5}],\"meta\":{\"billed_units\":"
		 "{\"search_units\":1}}}"),
		("{\"model\":\"j\",\"results\":[{\"index\":2,\"relevance_score\":0.9,"
		 "\"document\":{\"text\":\"three\"}},{\"index\":0,"
		 "\"relevance_score\":0.5}],\"usage\":{\"total_tokens\":15}}"),
		("{\"object\":\"list\",\"data\":[{\"relevance_score\":0.5,\"index\":0},"
		 "{\"relevance_score\":0.9,\"index\":2}],\"usage\":{\"total_tokens\":9}}"),
		"[{\"index\":2,\"score\":0.9},{\"index\":0,\"score\":0.5,\"text\":\"one\"}]",
	};
	json_auto_t *quirks = json_pack("{s:s}", "rerank_format", "texts");
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		const struct llm_service s = service(
			"openai_compatible", i == 3 ? "" : "/v2",
			i == 3 ? quirks : NULL);
		double scores[3];

		reply = forms[i];
		assert_int_equal(rank(&s, scores, &e), 0);
		assert_true(scores[0] == 0.5 && scores[2] == 0.9);
		assert_true(isinf(scores[1]) && scores[1] < 0);
		assert_non_null(strstr(peer_last(peer), i == 3 ? "POST /rerank "
				       : "POST /v2/rerank "));
		assert_non_null(strstr(peer_last(peer), i == 3
			? "{\"query\":\"which?\",\"texts\":[\"one\",\"two\",\"three\"]}"
			: "{\"model\":\"tiny\",\"query\":\"which?\",\"documents\":"
			  "[\"one\",\"two\",\"three\"]}"));
	}
}

static void strange_rankings_are_refused(void **state)
{
	static const char *const bad[] = {
		"", "[]", "{\"results\":[{\"index\":3,\"relevance_score\":1}]}",
		("{\"results\":[{\"index\":0,\"relevance_score\":1},"
		 "{\"index\":0,\"relevance_score\":1}]}"),
		"{\"results\":[{\"index\":0}]}", "{\"results\":[0]}",
	};
	const struct llm_service s = service("openai_compatible", "/v1", NULL);
	struct llm_service mute = s, claude = service("anthropic_compatible", "", NULL);
	double scores[3];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = ERR_INIT;

		reply = bad[i];
		assert_int_equal(rank(&s, scores, &e), -1);
		assert_int_equal(e.code, ERR_UPSTREAM_PROTOCOL);
	}
	mute.capabilities = LLM_CAN_CHAT;
	for (int i = 0; i < 2; i++) {
		struct err e = ERR_INIT;

		assert_int_equal(rank(i ? &mute : &claude, scores, &e), -1);
		assert_int_equal(e.code, ERR_LLM_UNSUPPORTED);
	}
}

static int open_all(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	jx_seed();
	if (http_global_init(&e))
		return -1;
	http = http_pool_new(4);
	peer = peer_start(serve);
	return 0;
}

/* Nobody waits for an answer whose client has gone. */
static void a_call_ends_when_its_client_leaves(void **state)
{
	struct llm_service s = service("openai_compatible", "/v1", NULL);
	const struct str text = STR("one");
	struct llm_call io = { .http = http };
	struct err e = ERR_INIT;
	struct llm_vectors v;
	int pair[2];

	(void)state;
	reply = NULL;
	s.total_timeout_ms = 30000;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	io.peer_fd = pair[0];
	close(pair[1]);
	assert_int_equal(llm_embed(&io, &s, &text, 1, LLM_QUESTIONS, &a, &v, &e), -1);
	assert_int_equal(e.code, ERR_CANCELLED);
	close(pair[0]);
}

static int close_all(void **state)
{
	(void)state;
	http_pool_free(http);
	peer_stop(peer);
	arena_release(&a);
	http_global_cleanup();
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_have_the_order_of_their_texts),
		cmocka_unit_test(questions_have_their_own_prefix),
		cmocka_unit_test(gemini_makes_vectors_at_its_compatible_address),
		cmocka_unit_test(vectors_are_asked_for_as_the_quirks_say),
		cmocka_unit_test(strange_vectors_are_refused),
		cmocka_unit_test(every_form_of_a_ranking_is_read),
		cmocka_unit_test(strange_rankings_are_refused),
		cmocka_unit_test(a_call_ends_when_its_client_leaves),
	};

	return cmocka_run_group_tests_name("llm_retrieval", tests, open_all, close_all);
}
