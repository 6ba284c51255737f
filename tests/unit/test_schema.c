/* SPDX-License-Identifier: MIT */
/* lib/schema/schema.c: what is accepted, what is refused and how it is said. */
#include "unit.h"

#include <pthread.h>
#include <stdio.h>

#include "schema/schema.h"

static json_t *parse(const char *text)
{
	json_error_t je;
	json_t *j = json_loads(text, JSON_DECODE_ANY, &je);

	if (!j)
		fail_msg("%s: %s", text, je.text);
	return j;
}

struct row {
	const char *schema, *value;
	const char *error;	/* part of the public text; NULL: fits */
};

static const struct row rows[] = {
	/* type */
	{ "{\"type\":\"string\"}", "\"x\"", NULL },
	{ "{\"type\":\"string\"}", "1", "must be string, not integer" },
	{ "{\"type\":[\"string\",\"null\"]}", "null", NULL },
	{ "{\"type\":[\"string\",\"null\"]}", "[]", "string or null, not array" },
	{ "{\"type\":\"integer\"}", "1.0", NULL },
	{ "{\"type\":\"integer\"}", "1.5", "must be integer" },
	{ "{\"type\":\"number\"}", "1", NULL },
	{ "{\"type\":\"boolean\"}", "true", NULL },
	{ "{\"type\":\"boolean\"}", "\"true\"", "must be boolean, not string" },
	{ "true", "1", NULL },
	{ "false", "1", "may not be given" },
	{ "{}", "{\"a\":[1]}", NULL },
	/* enum, const */
	{ "{\"enum\":[\"a\",\"b\"]}", "\"b\"", NULL },
	{ "{\"enum\":[\"a\",\"b\"]}", "\"c\"", "must be one of: a, b" },
	{ "{\"enum\":[1]}", "1.0", NULL },
	{ "{\"const\":{\"a\":1}}", "{\"a\":1}", NULL },
	{ "{\"const\":2}", "3", "must be 2" },
	{ "{\"const\":[{\"a\":1},\"x\"]}", "[{\"a\":1.0},\"x\"]", NULL },
	{ "{\"const\":{\"a\":1}}", "{\"b\":1}", "must be {…}" },
	{ "{\"const\":[1]}", "[1,1]", "must be […]" },
	/* objects */
	{ "{\"properties\":{\"a\":{\"type\":\"integer\"}}}", "{\"a\":1,\"b\":2}", NULL },
	{ "{\"properties\":{\"a\":{\"type\":\"integer\"}}}", "{\"a\":\"x\"}", "a must be integer" },
	{ "{\"required\":[\"a\"]}", "{\"b\":1}", "needs \"a\"" },
	{ "{\"properties\":{\"a\":{}},\"additionalProperties\":false}", "{\"b\":1}", "has no \"b\"; known: a" },
	{ "{\"additionalProperties\":{\"type\":\"integer\"}}", "{\"b\":\"x\"}", "b must be integer" },
	{ "{\"minProperties\":1}", "{}", "at least 1 members" },
	{ "{\"maxProperties\":1}", "{\"a\":1,\"b\":1}", "at most 1 members" },
	/* arrays */
	{ "{\"items\":{\"type\":\"integer\"}}", "[1,2,\"x\"]", "[2] must be integer" },
	{ "{\"minItems\":2}", "[1]", "at least 2 entries" },
	{ "{\"maxItems\":1}", "[1,2]", "at most 1 entries" },
	{ "{\"uniqueItems\":true}", "[1,2,1]", "an entry twice" },
	{ "{\"uniqueItems\":true}", "[1,2]", NULL },
	/* numbers */
	{ "{\"minimum\":1}", "1", NULL },
	{ "{\"minimum\":1}", "0", "at least 1" },
	{ "{\"maximum\":1.5}", "2", "at most 1.5" },
	{ "{\"exclusiveMinimum\":1}", "1", "more than 1" },
	{ "{\"exclusiveMaximum\":1}", "1", "less than 1" },
	{ "{\"multipleOf\":0.1}", "0.3", NULL },
	{ "{\"multipleOf\":2}", "3", "a multiple of 2" },
	/* strings: characters, not bytes */
	{ "{\"maxLength\":2}", "\"äö\"", NULL },
	{ "{\"maxLength\":2}", "\"äöü\"", "at most 2 characters" },
	{ "{\"minLength\":1}", "\"\"", "at least 1 characters" },
	{ "{\"pattern\":\"^[a-z]+$\"}", "\"abc\"", NULL },
	{ "{\"pattern\":\"^[a-z]+$\"}", "\"a1\"", "must match" },
	/* combination */
	{ "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}", "1", NULL },
	{ "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}", "true", "none of the allowed forms" },
	{ "{\"oneOf\":[{\"type\":\"number\"},{\"type\":\"integer\"}]}", "1", "more than one" },
	{ "{\"oneOf\":[{\"type\":\"number\"},{\"type\":\"integer\"}]}", "1.5", NULL },
	{ "{\"allOf\":[{\"minimum\":1},{\"maximum\":2}]}", "3", "at most 2" },
	{ "{\"not\":{\"type\":\"null\"}}", "null", "excluded" },
	/* references */
	{ "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"type\":\"integer\"}}}", "\"x\"", "must be integer" },
	{ "{\"properties\":{\"next\":{\"$ref\":\"#\"},\"v\":{\"type\":\"integer\"}}}",
	  "{\"next\":{\"next\":{\"v\":\"x\"}}}", "next.next.v must be integer" },
	/* annotations */
	{ "{\"title\":\"t\",\"default\":1,\"format\":\"email\"}", "\"x\"", NULL },
};

static void values_fit_or_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *schema = parse(rows[i].schema);
		json_t *value = parse(rows[i].value);
		struct err e = ERR_INIT;
		int rc;

		if (schema_supported(schema, &e) < 0)
			fail_msg("%s: %s", rows[i].schema, e.public);
		rc = schema_check(schema, value, &e);
		if (!rows[i].error != (rc == 0) ||
		    (rows[i].error && !strstr(e.public, rows[i].error)))
			fail_msg("%s with %s: %d \"%s\"", rows[i].schema,
				 rows[i].value, rc, e.public);
		if (rc < 0)
			assert_int_equal(e.code, ERR_TOOL_ARGS);
		json_decref(schema);
		json_decref(value);
	}
}

static void types_are_named(void **state)
{
	static const struct {
		const char *schema, *value;
		bool named;
	} v[] = {
		{ "{\"type\":\"integer\"}", "[2]", true }, { "{\"type\":\"integer\"}", "[2.0]", true },
		{ "{\"type\":\"integer\"}", "[2.5]", false }, { "{\"type\":\"number\"}", "[2]", true },
		{ "{\"type\":[\"string\",\"null\"]}", "[null]", true },
		{ "{\"type\":[\"string\",\"null\"]}", "[1]", false }, { "{}", "[1]", false },
		{ "{\"type\":1}", "[1]", false }, { "{\"type\":[1]}", "[1]", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		json_t *schema = parse(v[i].schema), *value = parse(v[i].value);

		if (schema_names_type(schema, json_array_get(value, 0)) != v[i].named)
			fail_msg("%s with %s", v[i].schema, v[i].value);
		json_decref(schema);
		json_decref(value);
	}
	assert_false(schema_names_type(NULL, NULL));
}

static const struct row refused[] = {
	{ "[]", NULL, "must be an object" },
	{ "{\"if\":{}}", NULL, "\"if\" is not supported" },
	{ "{\"items\":[{}]}", NULL, "must be an object" },
	{ "{\"type\":\"text\"}", NULL, "no known type" },
	{ "{\"type\":[]}", NULL, "no known type" },
	{ "{\"properties\":{\"a\":{\"patternProperties\":{}}}}", NULL, "at properties.a" },
	{ "{\"$ref\":\"http://x/y\"}", NULL, "local definition" },
	{ "{\"$ref\":\"#/$defs/none\"}", NULL, "local definition" },
	{ "{\"required\":[1]}", NULL, "list of names" },
	{ "{\"minLength\":-1}", NULL, "count" },
	{ "{\"multipleOf\":0}", NULL, "number" },
	{ "{\"anyOf\":[]}", NULL, "list of schemas" },
	{ "{\"pattern\":\"\\\\Ax\"}", NULL, "escape" },
	{ "{\"pattern\":\"(?R)\"}", NULL, "(?" },
	{ "{\"pattern\":\"((a{1,200}){1,200}){1,200}\"}", NULL, "too often" },
	/* overflowed the stack in regcomp */
	{ "{\"pattern\":\"(a?){10000}\"}", NULL, "too often" },
	{ "{\"pattern\":\"(\"}", NULL, "valid expression" },
};

static void schemas_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		json_t *schema = parse(refused[i].schema);
		struct err e = ERR_INIT;

		if (schema_supported(schema, &e) == 0 ||
		    !strstr(e.public, refused[i].error))
			fail_msg("%s: \"%s\"", refused[i].schema, e.public);
		assert_int_equal(e.code, ERR_CONFIG);
		json_decref(schema);
	}
}

/* A schema that never ends, and one whose alternatives explode. */
static void work_is_bounded(void **state)
{
	json_t *loop = parse("{\"$ref\":\"#\"}");
	json_t *bomb = json_object(), *defs = json_object();
	json_t *v = parse("1");
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(schema_supported(loop, &e), 0);
	assert_int_equal(schema_check(loop, v, &e), -1);
	assert_non_null(strstr(e.public, "too complex"));
	for (int i = 0; i < 40; i++) {
		char name[16], ref[24];
		json_t *list = json_array();

		snprintf(name, sizeof(name), "d%d", i);
		snprintf(ref, sizeof(ref), "#/$defs/d%d", i + 1);
		for (int k = 0; i < 39 && k < 2; k++) {
			json_t *o = json_object();

			json_object_set_new(o, "$ref", json_string(ref));
			json_array_append_new(list, o);
		}
		if (i == 39)
			json_array_append_new(list, json_false());
		json_object_set_new(defs, name, json_pack("{s:o}", "anyOf", list));
	}
	json_object_set_new(bomb, "$defs", defs);
	json_object_set_new(bomb, "$ref", json_string("#/$defs/d0"));
	e = (struct err)ERR_INIT;
	assert_int_equal(schema_supported(bomb, &e), 0);
	assert_int_equal(schema_check(bomb, v, &e), -1);
	json_decref(bomb);
	json_decref(loop);
	json_decref(v);
}

/* The smallest stack that a worker may have (threads.stack_kb). */
static void *on_a_small_stack(void *arg)
{
	json_t *schema = json_pack("{s:s}", "$ref", "#"), *v = json_integer(1);
	struct err e = ERR_INIT;

	(void)arg;
	for (int i = 0; i < 28; i++)
		schema = json_pack("{s:[o]}", "anyOf", schema);
	assert_int_equal(schema_supported(schema, &e), 0);
	assert_int_equal(schema_check(schema, v, &e), -1);
	assert_non_null(strstr(e.public, "too complex"));
	json_decref(schema);
	json_decref(v);

	/* What is nested as deep as JSON may be is not too much. */
	schema = json_pack("{s:{s:{s:s}}, s:b}", "properties", "a", "$ref", "#",
			   "additionalProperties", 0);
	v = json_object();
	for (int i = 0; i < 62; i++)
		v = json_pack("{s:o}", "a", v);
	e = (struct err)ERR_INIT;
	if (schema_check(schema, v, &e) < 0)
		return json_string(e.public);
	json_decref(schema);
	json_decref(v);
	return json_string("fine");
}

static void stacks_hold_it(void **state)
{
	pthread_attr_t attr;
	pthread_t thread;
	void *said;

	(void)state;
	pthread_attr_init(&attr);
	assert_int_equal(pthread_attr_setstacksize(&attr, 128 * 1024), 0);
	assert_int_equal(pthread_create(&thread, &attr, on_a_small_stack, NULL),
			 0);
	assert_int_equal(pthread_join(thread, &said), 0);
	assert_string_equal(json_string_value(said), "fine");
	json_decref(said);
	pthread_attr_destroy(&attr);
}

/* Too much work is no "fits", under whatever it hides. */
static void nothing_fits_unseen(void **state)
{
	static const char *const schemas[] = {
		"{\"not\":{\"$ref\":\"#/$defs/loop\"},",
		"{\"anyOf\":[{\"$ref\":\"#/$defs/loop\"},{}],",
		"{\"oneOf\":[{},{\"$ref\":\"#/$defs/loop\"}],",
		"{\"not\":{\"items\":{\"pattern\":\"(a|a)*(a|a)*(a|a)*[bc]\"}},",
	};
	char text[65], json[256];
	json_t *v;

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	v = json_pack("[s]", text);
	for (size_t i = 0; i < ARRAY_LEN(schemas); i++) {
		struct err e = ERR_INIT;
		json_t *schema;

		snprintf(json, sizeof(json), "%s\"$defs\":{\"loop\":{\"$ref\":"
			 "\"#/$defs/loop\"}}}", schemas[i]);
		schema = parse(json);
		assert_int_equal(schema_supported(schema, &e), 0);
		assert_int_equal(schema_check(schema, v, &e), -1);
		assert_int_equal(e.code, ERR_TOOL_ARGS);
		if (!strstr(e.public, "too complex"))
			fail_msg("%s: %s", json, e.public);
		json_decref(schema);
	}
	json_decref(v);
}

/*
 * Rules that are looked through for every value count for each of their
 * entries: 20000 names, or values, times 20000 items.
 */
static void long_rules_count(void **state)
{
	json_t *list = json_array(), *map = json_object(), *v = json_array();
	json_t *schemas[3];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "k%d", i);
		json_array_append_new(list, json_string(name));
		json_object_set_new(map, name, json_object());
		json_array_append_new(v, json_object());
	}
	schemas[0] = json_pack("{s:{s:{s:O}}}", "items", "not", "enum", list);
	schemas[1] = json_pack("{s:{s:O}}", "items", "properties", map);
	schemas[2] = json_pack("{s:{s:[{s:O},{}]}}", "items", "anyOf", "enum",
			       list);
	for (size_t i = 0; i < ARRAY_LEN(schemas); i++) {
		struct err e = ERR_INIT;

		assert_int_equal(schema_check(schemas[i], v, &e), -1);
		if (!strstr(e.public, "too complex"))
			fail_msg("%zu: %s", i, e.public);
		json_decref(schemas[i]);
	}
	json_decref(list);
	json_decref(map);
	json_decref(v);
}

/*
 * One rule, 2000 times over a value of 100000 entries or 500000 bytes: what a
 * step looks at counts.
 */
static void large_values_count(void **state)
{
	static const char *const rules[] = {
		"{\"items\":true}", "{\"minLength\":1}", "{\"maxLength\":1000000}",
		"{\"additionalProperties\":true}",
	};
	json_t *list = json_array(), *map = json_object(), *text;
	char *long_text = xcalloc(1, 500001);
	json_t *rule[ARRAY_LEN(rules) + 2], *values[ARRAY_LEN(rules) + 2];

	(void)state;
	memset(long_text, 'a', 500000);
	text = json_string(long_text);
	for (int i = 0; i < 100000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "k%d", i);
		json_array_append_new(list, json_integer(1));
		json_object_set_new(map, name, json_null());
	}
	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		rule[i] = parse(rules[i]);
	values[0] = list;
	values[1] = values[2] = values[5] = text;
	values[3] = map;
	values[4] = list;
	rule[4] = json_pack("{s:o}", "const", json_deep_copy(list));
	long_text[499999] = 'b';
	rule[5] = json_pack("{s:{s:[s]}}", "not", "enum", long_text);
	for (size_t i = 0; i < ARRAY_LEN(rule); i++) {
		json_t *all = json_array(), *schema;
		struct err e = ERR_INIT;

		for (int k = 0; k < 2000; k++)
			json_array_append(all, rule[i]);
		schema = json_pack("{s:o}", "allOf", all);
		if (schema_check(schema, values[i], &e) == 0 ||
		    !strstr(e.public, "too complex"))
			fail_msg("%zu: %s", i, e.public);
		json_decref(schema);
		e = (struct err)ERR_INIT;
		assert_int_equal(schema_check(rule[i], values[i], &e), 0);
		json_decref(rule[i]);
	}
	json_decref(list);
	json_decref(map);
	json_decref(text);
	free(long_text);
}

/* Foreign schemas: what is left, and that nothing allowed gets refused. */
static void foreign_schemas(void **state)
{
	static const struct {
		const char *schema, *fits, *fails;	/* fails: or NULL */
	} foreign[] = {
		{ "null", "{}", "1" },
		{ "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}",
		  "{\"a\":1}", "{\"a\":\"x\"}" },
		{ "{\"properties\":{\"a\":{\"pattern\":\"\\\\A\",\"maxLength\":2}}}",
		  "{\"a\":\"xx\"}", "{\"a\":\"xxx\"}" },
		{ "{\"patternProperties\":{\"^x\":{}},\"additionalProperties\":false}",
		  "{\"x1\":1}", NULL },
		{ "{\"not\":{\"if\":{}}}", "{}", NULL },
		{ "{\"not\":{\"required\":[\"z\"]}}", "{}", "{\"z\":1}" },
		{ "{\"oneOf\":[{\"contains\":{}},{\"required\":[\"a\"]}]}",
		  "{\"a\":1}", NULL },
		{ "{\"oneOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}]}",
		  "{\"a\":1}", "{\"a\":1,\"b\":1}" },
		{ "{\"properties\":{\"a\":{\"$ref\":\"http://x/y\"}}}",
		  "{\"a\":[1]}", NULL },
		{ "{\"$defs\":{\"t\":{\"type\":\"string\",\"contentEncoding\":\"q\"}},"
		  "\"properties\":{\"a\":{\"$ref\":\"#/$defs/t\"}}}",
		  "{\"a\":\"x\"}", "{\"a\":1}" },
		{ "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/none\"}}}",
		  "{\"a\":1}", NULL },
		{ "{\"properties\":{\"a\":{\"items\":[{},{}],\"type\":\"array\"}}}",
		  "{\"a\":[1]}", "{\"a\":1}" },
		{ "{\"type\":[\"object\",\"x\"],\"required\":7}", "{}", "1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(foreign); i++) {
		json_t *schema = parse(foreign[i].schema);
		json_t *relaxed = schema_relaxed(schema, "t");
		json_t *fits = parse(foreign[i].fits);
		json_t *fails = parse(foreign[i].fails ? foreign[i].fails : "1");
		struct err e = ERR_INIT;

		assert_int_equal(schema_supported(relaxed, &e), 0);
		if (schema_check(relaxed, fits, &e) < 0)
			fail_msg("%s: %s", foreign[i].schema, e.public);
		if (schema_check(relaxed, fails, &e) == 0)
			fail_msg("%s took %s", foreign[i].schema,
				 foreign[i].fails);
		json_decref(schema);
		json_decref(relaxed);
		json_decref(fits);
		json_decref(fails);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_fit_or_not),
		cmocka_unit_test(types_are_named),
		cmocka_unit_test(schemas_are_refused),
		cmocka_unit_test(work_is_bounded),
		cmocka_unit_test(stacks_hold_it),
		cmocka_unit_test(nothing_fits_unseen),
		cmocka_unit_test(long_rules_count),
		cmocka_unit_test(large_values_count),
		cmocka_unit_test(foreign_schemas),
	};

	jx_seed();
	return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
