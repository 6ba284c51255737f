/* SPDX-License-Identifier: MIT */
/* Tools as providers take them: lib/llm/schema.c, toolname.c. */
#include "llm/build.h"
#include "llm/toolname.h"
#include "llm_unit.h"

static void check_schema(const char *in, int filter, const char *want)
{
	struct err e = ERR_INIT;
	json_t *j = jx_load(str_of(in), &e), *out = llm_schema_normal(j, filter);

	assert_string_equal(sorted(out), want);
	json_decref(j);
	json_decref(out);
}

static size_t values_in(const json_t *j)
{
	const char *key;
	size_t i, n = 1;
	json_t *sub;

	json_object_foreach((json_t *)j, key, sub)
		n += values_in(sub);
	json_array_foreach((json_t *)j, i, sub)
		n += values_in(sub);
	return n;
}

/* A page's tool of 2 KB that became gigabytes: each level has 20 of the next. */
static void references_are_not_a_bomb(void **state)
{
	json_t *defs = json_object(), *schema, *out;

	(void)state;
	for (int i = 0; i < 8; i++) {
		json_t *list = json_array();
		char name[16], ref[32];

		snprintf(name, sizeof(name), "d%d", i);
		snprintf(ref, sizeof(ref), "#/$defs/d%d", i + 1);
		for (int k = 0; k < 20; k++)
			json_array_append_new(list, json_pack("{s:s}", "$ref",
							      ref));
		json_object_set_new(defs, name, json_pack("{s:o}", "anyOf",
							  list));
	}
	json_object_set_new(defs, "d8", json_pack("{s:s}", "type", "string"));
	schema = json_pack("{s:s, s:{s:{s:s}, s:{s:s}}, s:o}", "type", "object",
			   "properties", "a", "$ref", "#/$defs/d8", "b", "$ref",
			   "#/$defs/d0", "$defs", defs);
	for (int filter = SCHEMA_PLAIN; filter <= SCHEMA_GEMINI; filter++) {
		out = llm_schema_normal(schema, filter);
		assert_in_range(values_in(out), 20, 30000);
		assert_string_equal(jx_str(jx_obj(jx_obj(out, "properties"),
						  "a"), "type").p, "string");
		json_decref(out);
	}
	json_decref(schema);
}

/* Rendered once; kept while somebody uses it, even when pushed out. */
static void schemas_are_rendered_once(void **state)
{
	struct arena mine = ARENA_INIT;
	struct err e = ERR_INIT;
	json_t *j[200];
	const struct schema_form *first, *gemini;

	(void)state;
	for (size_t i = 0; i < 200; i++)
		j[i] = jx_load(STR("{\"type\":\"object\",\"$id\":\"x\","
				   "\"properties\":{}}"), &e);
	first = llm_schema_form(j[0], SCHEMA_PLAIN, &mine);
	assert_ptr_equal(llm_schema_form(j[0], SCHEMA_PLAIN, &mine), first);
	gemini = llm_schema_form(j[0], SCHEMA_AS_IS, &mine);
	assert_ptr_not_equal(gemini, first);
	for (size_t i = 0; i < 200; i++) {
		const struct schema_form *f = llm_schema_form(j[i], SCHEMA_PLAIN,
							      &mine);

		assert_string_equal(f->text.p, "{\"type\":\"object\","
				    "\"properties\":{}}");
		json_decref(j[i]);
	}
	assert_string_equal(first->text.p, "{\"type\":\"object\","
			    "\"properties\":{}}");
	assert_non_null(strstr(gemini->text.p, "$id"));
	assert_int_equal(first->chars, first->text.n);
	arena_release(&mine);
}

/* Those of a turn with many do not push each other out; what is very long is not kept. */
static void schemas_of_a_turn_are_kept_together(void **state)
{
	const struct schema_form *f[60];
	struct arena mine = ARENA_INIT;
	struct err e = ERR_INIT;
	struct buf b = BUF_INIT(100000);
	size_t again = 0;
	json_t *j[60];

	(void)state;
	for (size_t i = 0; i < 60; i++) {
		j[i] = jx_load(STR("{\"type\":\"object\"}"), &e);
		f[i] = llm_schema_form(j[i], SCHEMA_AS_IS, &mine);
	}
	for (size_t i = 0; i < 60; i++)
		again += llm_schema_form(j[i], SCHEMA_AS_IS, &mine) != f[i];
	assert_in_range(again, 0, 6);
	for (size_t i = 0; i < 60; i++)
		json_decref(j[i]);
	buf_adds(&b, "{\"type\":\"object\",\"title\":\"");
	for (size_t i = 0; i < 20000; i++)
		buf_addc(&b, 'x');
	buf_adds(&b, "\"}");
	j[0] = jx_load(buf_str(&b), &e);
	assert_ptr_not_equal(llm_schema_form(j[0], SCHEMA_AS_IS, &mine),
			     llm_schema_form(j[0], SCHEMA_AS_IS, &mine));
	json_decref(j[0]);
	buf_release(&b);
	arena_release(&mine);
}

static void e10_e11_schemas(void **state)
{
	(void)state;
	check_schema("{}", SCHEMA_AS_IS,
		     "{\"properties\":{},\"type\":\"object\"}");
	check_schema("7", SCHEMA_AS_IS,
		     "{\"properties\":{},\"type\":\"object\"}");
	check_schema("{\"type\":\"string\",\"$schema\":\"x\"}", SCHEMA_AS_IS,
		     "{\"$schema\":\"x\",\"properties\":{},\"type\":\"object\"}");
	check_schema("{\"$schema\":\"x\",\"$defs\":{\"p\":{\"type\":\"string\"}}"
		     ",\"properties\":{\"a\":{\"$ref\":\"#/$defs/p\"},"
		     "\"$ref\":{\"type\":\"number\"},"
		     "\"b\":{\"$ref\":\"https://h/x.json\"}}}", SCHEMA_PLAIN,
		     "{\"properties\":{\"$ref\":{\"type\":\"number\"},"
		     "\"a\":{\"type\":\"string\"},\"b\":{}},"
		     "\"type\":\"object\"}");
	check_schema("{\"$defs\":{\"p\":{\"properties\":{\"next\":{\"$ref\":"
		     "\"#/$defs/p\"}}}},\"properties\":{}}", SCHEMA_PLAIN,
		     "{\"properties\":{},\"type\":\"object\"}");
	check_schema("{\"type\":\"object\",\"additionalProperties\":false,"
		     "\"properties\":{\"a\":{\"type\":[\"string\",\"null\"],"
		     "\"format\":\"uri\"},\"k\":{\"const\":\"x\"},\"o\":"
		     "{\"oneOf\":[{\"type\":\"integer\",\"default\":1}]}}}",
		     SCHEMA_GEMINI,
		     "{\"properties\":{\"a\":{\"nullable\":true,\"type\":"
		     "\"string\"},\"k\":{\"enum\":[\"x\"]},\"o\":{\"anyOf\":"
		     "[{\"type\":\"integer\"}]}},\"type\":\"object\"}");
}

static void b14_tool_names(void **state)
{
	static const char *const odd[] = {
		"a.b", "a_b!", "\xc3\xa4", "", "mcp.server/tool",
		"0123456789012345678901234567890123456789012345678901234567890123X",
		"0123456789012345678901234567890123456789012345678901234567890123Y",
	};
	struct llm_tool tools[ARRAY_LEN(odd) + 1];
	char out[TOOLNAME_BYTES], other[TOOLNAME_BYTES];

	(void)state;
	assert_str_is(toolname_wire(STR("query_data-2"), out), "query_data-2");
	tools[ARRAY_LEN(odd)] = (struct llm_tool){ .name = "a_b" };
	for (size_t i = 0; i < ARRAY_LEN(odd); i++)
		tools[i] = (struct llm_tool){ .name = odd[i] };
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		struct str w = toolname_wire(str_of(odd[i]), out);

		assert_true(w.n > 0 && w.n <= 64);
		assert_int_equal(strspn(out, "0123456789abcdefghijklmnopqrstuvw"
			"xyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"), w.n);
		for (size_t k = 0; k < i; k++)
			assert_false(str_eq(w, toolname_wire(str_of(odd[k]),
							     other)));
		assert_str_is(toolname_back(w, tools, ARRAY_LEN(tools)),
			      odd[i]);
	}
	assert_str_is(toolname_back(STR("invented"), tools, 1), "invented");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(e10_e11_schemas),
		cmocka_unit_test(references_are_not_a_bomb),
		cmocka_unit_test(schemas_are_rendered_once),
		cmocka_unit_test(schemas_of_a_turn_are_kept_together),
		cmocka_unit_test(b14_tool_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
