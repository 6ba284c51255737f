/* SPDX-License-Identifier: MIT */
/* Lists of models, as providers give them. */
#include "llm/models.h"

#include "base/limits.h"
#include "llm_unit.h"

static struct arena arena = ARENA_INIT;

static const struct llm_models *read_list(const char *body)
{
	struct llm_models *m = arena_new(&arena, struct llm_models);

	assert_true(llm_models_read(str_of(body), &arena, m));
	return m;
}

/* B21: OpenRouter says what each can do. */
static void openrouter(void **state)
{
	const struct llm_models *m = read_list(
		"{\"data\":[{\"id\":\"a/b\",\"name\":\"A: B\",\"context_length\":128000,"
		"\"architecture\":{\"input_modalities\":[\"text\",\"image\"]},"
		"\"supported_parameters\":[\"temperature\",\"tools\"]},"
		"{\"id\":\"a/c\",\"name\":\"A: C\",\"context_length\":null,"
		"\"architecture\":{\"input_modalities\":[\"text\"]},"
		"\"supported_parameters\":[\"temperature\"]}]}");

	(void)state;
	assert_int_equal(m->n, 2);
	assert_string_equal(m->rows[0].id, "a/b");
	assert_string_equal(m->rows[0].name, "A: B");
	assert_int_equal(m->rows[0].context_tokens, 128000);
	assert_int_equal(m->rows[0].tools, LLM_CAN_SURELY);
	assert_int_equal(m->rows[0].vision, LLM_CAN_SURELY);
	assert_int_equal(m->rows[1].context_tokens, 0);
	assert_int_equal(m->rows[1].tools, LLM_CAN_NOT);
	assert_int_equal(m->rows[1].vision, LLM_CAN_NOT);
}

static void mistral(void **state)
{
	const struct llm_models *m = read_list(
		"{\"object\":\"list\",\"data\":[{\"id\":\"m\",\"max_context_length\":32768,"
		"\"capabilities\":{\"function_calling\":true,\"vision\":false}}]}");

	(void)state;
	assert_int_equal(m->rows[0].tools, LLM_CAN_SURELY);
	assert_int_equal(m->rows[0].vision, LLM_CAN_NOT);
	assert_int_equal(m->rows[0].context_tokens, 32768);
	assert_string_equal(m->rows[0].name, "m");
}

static void others(void **state)
{
	const struct llm_models *m;

	(void)state;
	m = read_list("{\"models\":[{\"name\":\"qwen3:latest\",\"details\":{}}]}");
	assert_int_equal(m->rows[0].tools, LLM_CAN_UNKNOWN);
	assert_non_null(llm_models_find(m, "qwen3"));
	assert_non_null(llm_models_find(m, "qwen3:latest"));
	assert_null(llm_models_find(m, "qwen"));
	m = read_list("{\"data\":[{\"id\":\"models/gemini-x\","
		      "\"display_name\":\"Gemini X\"}]}");
	assert_string_equal(m->rows[0].id, "gemini-x");
	assert_string_equal(m->rows[0].name, "Gemini X");
}

static void nonsense(void **state)
{
	static const char *const bodies[] = {
		"", "null", "[]", "{}", "{\"data\":{}}", "{\"data\":\"x\"}", "<html>",
	};
	struct llm_models m;
	struct buf b = BUF_INIT(1 << 20);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		assert_false(llm_models_read(str_of(bodies[i]), &arena, &m));
		assert_int_equal(m.n, 0);
	}
	m = *read_list("{\"data\":[null,1,\"x\",{},{\"id\":\"\"},{\"id\":7},"
		       "{\"id\":\"good\",\"capabilities\":7,\"context_length\":-1}]}");
	assert_int_equal(m.n, 1);
	assert_string_equal(m.rows[0].id, "good");
	assert_int_equal(m.rows[0].context_tokens, 0);

	buf_adds(&b, "{\"data\":[");
	for (int i = 0; i < LIM_MODELS + 1; i++)
		buf_addf(&b, "%s{\"id\":\"m%d\"}", i ? "," : "", i);
	buf_adds(&b, "]}");
	assert_true(llm_models_read(buf_str(&b), &arena, &m));
	assert_int_equal(m.n, LIM_MODELS);
	assert_true(m.cut);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(openrouter),
		cmocka_unit_test(mistral),
		cmocka_unit_test(others),
		cmocka_unit_test(nonsense),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	arena_release(&arena);
	return rc;
}
