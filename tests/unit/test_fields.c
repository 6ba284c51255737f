/* SPDX-License-Identifier: MIT */
/* lib/base/fields: bodies against their declarations. */
#include "base/fields.h"
#include "unit.h"

struct sample {
	struct str title, slug;
	struct uuid id;
	json_t *must;
	json_t *any, *object, *texts, *tags;
	bool has_title;
	int flag;
	int64_t stars, until_us;
	double score;
	struct str line, due;
};

static const struct field fields[] = {
	{ .key = "title", .type = FIELD_TEXT,
	  .flags = FIELD_NULLABLE | FIELD_FILLED, .max_chars = 3,
	  .offset = offsetof(struct sample, title),
	  .given_offset = offsetof(struct sample, has_title) },
	{ .key = "agentId", .type = FIELD_SLUG, .flags = FIELD_REQUIRED,
	  .offset = offsetof(struct sample, slug) },
	{ .key = "conversationId", .type = FIELD_UUID,
	  .offset = offsetof(struct sample, id) },
	{ .key = "any", .type = FIELD_JSON,
	  .offset = offsetof(struct sample, any) },
	{ .key = "schema", .type = FIELD_OBJECT,
	  .offset = offsetof(struct sample, object) },
	{ .key = "flag", .type = FIELD_BOOL, .flags = FIELD_NULLABLE,
	  .offset = offsetof(struct sample, flag) },
	{ .key = "stars", .type = FIELD_INT, .min = -1, .max = 5,
	  .offset = offsetof(struct sample, stars) },
	{ .key = "score", .type = FIELD_REAL, .flags = FIELD_NULLABLE,
	  .min = 0, .max = 2, .offset = offsetof(struct sample, score) },
	{ .key = "until", .type = FIELD_TIME, .flags = FIELD_NULLABLE,
	  .offset = offsetof(struct sample, until_us) },
	{ .key = "due", .type = FIELD_DATE, .flags = FIELD_NULLABLE,
	  .offset = offsetof(struct sample, due) },
	{ .key = "must", .type = FIELD_JSON, .flags = FIELD_FILLED,
	  .offset = offsetof(struct sample, must) },
	{ .key = "texts", .type = FIELD_TEXTS,
	  .offset = offsetof(struct sample, texts) },
	{ .key = "tags", .type = FIELD_TEXTS, .flags = FIELD_NULLABLE,
	  .max = 2, .max_chars = 3, .offset = offsetof(struct sample, tags) },
	{ .key = "line", .type = FIELD_TEXT, .flags = FIELD_LINE,
	  .offset = offsetof(struct sample, line) },
};

static int read_text(const char *text, struct sample *out, struct err *e,
		     json_t **keep)
{
	*keep = json_loads(text, JSON_DECODE_ANY, NULL);
	assert_non_null(*keep);
	return fields_read(fields, ARRAY_LEN(fields), *keep, out, sizeof(*out),
			   e);
}

static void good_values(void **state)
{
	struct err e = ERR_INIT;
	struct sample s;
	json_t *j;

	(void)state;
	assert_int_equal(read_text("{\"agentId\":\"a-1_b\",\"title\":\"\xc3\xa4"
				   "\xc3\xb6\xc3\xbc\",\"any\":null,"
				   "\"schema\":{},\"conversationId\":"
				   "\"0192f000-0000-7000-8000-000000000001\"}",
				   &s, &e, &j), 0);
	assert_str_is(s.slug, "a-1_b");
	assert_str_is(s.title, "\xc3\xa4\xc3\xb6\xc3\xbc");
	assert_true(s.has_title);
	assert_true(json_is_null(s.any));
	assert_true(json_is_object(s.object));
	assert_int_equal(s.id.b[15], 1);
	json_decref(j);
	assert_int_equal(read_text("{\"agentId\":\"a\",\"title\":null}", &s, &e,
				   &j), 0);
	assert_null(s.title.p);
	assert_true(s.has_title);
	assert_true(uuid_is_nil(&s.id));
	json_decref(j);
	assert_int_equal(read_text("{\"agentId\":\"a\"}", &s, &e, &j), 0);
	assert_false(s.has_title);
	json_decref(j);
	assert_int_equal(read_text("{\"agentId\":\"a\",\"tags\":[\"a\",\"\u00e4\u00f6\u00fc\"]"
				   ",\"texts\":[\"\",\"a\\nb\"]}", &s, &e,
				   &j), 0);
	assert_int_equal(json_array_size(s.tags), 2);
	assert_int_equal(json_array_size(s.texts), 2);
	json_decref(j);
	assert_int_equal(read_text("{\"agentId\":\"a\",\"score\":2}", &s, &e,
				   &j), 0);
	assert_true(s.score == 2);
	json_decref(j);
	assert_int_equal(read_text("{\"agentId\":\"a\",\"score\":0.7}", &s,
				   &e, &j), 0);
	assert_true(s.score == 0.7);
	json_decref(j);
	assert_int_equal(read_text("{\"agentId\":\"a\",\"stars\":-1,\"until\":"
				   "\"1970-01-01T00:00:01Z\",\"line\":\"a b\"}",
				   &s, &e, &j), 0);
	assert_int_equal(s.stars, -1);
	assert_int_equal(s.until_us, 1000000);
	assert_str_is(s.line, "a b");
	json_decref(j);
	assert_int_equal(read_text("{\"agentId\":\"a\",\"due\":\"2028-02-29\"}", &s,
				   &e, &j), 0);
	assert_str_is(s.due, "2028-02-29");
	json_decref(j);
	assert_int_equal(read_text("{\"agentId\":\"a\",\"due\":null}", &s, &e, &j),
			 0);
	assert_null(s.due.p);
	json_decref(j);
}

static void flags_have_three_values(void **state)
{
	static const struct {
		const char *text;
		int flag;
	} t[] = {
		{ "{\"agentId\":\"a\"}", 0 },
		{ "{\"agentId\":\"a\",\"flag\":null}", 0 },
		{ "{\"agentId\":\"a\",\"flag\":true}", 1 },
		{ "{\"agentId\":\"a\",\"flag\":false}", -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct err e = ERR_INIT;
		struct sample s;
		json_t *j;

		assert_int_equal(read_text(t[i].text, &s, &e, &j), 0);
		assert_int_equal(s.flag, t[i].flag);
		json_decref(j);
	}
}

/* Of bodies of others: what is not ours is passed over, absent ones stay. */
static void picking(void **state)
{
	json_t *j = json_loads("{\"agentId\":\"a\",\"theirs\":[],"
			       "\"flag\":true}", 0, NULL);
	struct err e = ERR_INIT;
	struct sample s = { .title = STR("kept") };

	(void)state;
	assert_int_equal(fields_pick(fields, ARRAY_LEN(fields), j, &s, &e), 0);
	assert_str_is(s.title, "kept");
	assert_str_is(s.slug, "a");
	assert_int_equal(s.flag, 1);
	json_object_set_new(j, "flag", json_integer(1));
	assert_int_equal(fields_pick(fields, ARRAY_LEN(fields), j, &s, &e), -1);
	assert_string_equal(e.field, "flag");
	json_decref(j);
}

static void bad_values(void **state)
{
	static const struct {
		const char *text;
		enum err_code code;
		const char *field, *says;
	} t[] = {
		{ "[]", ERR_INVALID_JSON, "", "object" },
		{ "null", ERR_INVALID_JSON, "", "object" },
		{ "{}", ERR_INVALID_FIELD, "agentId", "missing" },
		{ "{\"agentId\":null}", ERR_INVALID_FIELD, "agentId", "string" },
		{ "{\"agentId\":7}", ERR_INVALID_FIELD, "agentId", "string" },
		{ "{\"agentId\":\"A\"}", ERR_INVALID_FIELD, "agentId", "id" },
		{ "{\"agentId\":\"-a\"}", ERR_INVALID_FIELD, "agentId", "id" },
		{ "{\"agentId\":\"\"}", ERR_INVALID_FIELD, "agentId", "id" },
		{ "{\"agentId\":\"a\",\"title\":\"abcd\"}", ERR_INVALID_FIELD,
		  "title", "at most 3" },
		{ "{\"agentId\":\"a\",\"title\":\" \"}", ERR_INVALID_FIELD,
		  "title", "empty" },
		{ "{\"agentId\":\"a\",\"conversationId\":\"x\"}",
		  ERR_INVALID_FIELD, "conversationId", "UUID" },
		{ "{\"agentId\":\"a\",\"conversationId\":null}",
		  ERR_INVALID_FIELD, "conversationId", "UUID" },
		{ "{\"agentId\":\"a\",\"schema\":[]}", ERR_INVALID_FIELD,
		  "schema", "object" },
		{ "{\"agentId\":\"a\",\"texts\":[\"a\",1]}",
		  ERR_INVALID_FIELD, "texts", "list of strings" },
		{ "{\"agentId\":\"a\",\"texts\":\"a\"}",
		  ERR_INVALID_FIELD, "texts", "list of strings" },
		{ "{\"agentId\":\"a\",\"tags\":\"a\"}", ERR_INVALID_FIELD,
		  "tags", "list of at most 2 texts" },
		{ "{\"agentId\":\"a\",\"tags\":[\"a\",\"b\",\"c\"]}",
		  ERR_INVALID_FIELD, "tags", "list of at most 2 texts" },
		{ "{\"agentId\":\"a\",\"tags\":[\"a\",\"bcde\"]}",
		  ERR_INVALID_FIELD, "tags", "tags[1] must be a text of one line "
		  "with 1 to 3 characters" },
		{ "{\"agentId\":\"a\",\"tags\":[\" \"]}", ERR_INVALID_FIELD,
		  "tags", "tags[0]" },
		{ "{\"agentId\":\"a\",\"tags\":[\"a\\n\"]}",
		  ERR_INVALID_FIELD, "tags", "tags[0]" },
		{ "{\"agentId\":\"a\",\"tags\":[1]}", ERR_INVALID_FIELD,
		  "tags", "tags[0]" },
		{ "{\"agentId\":\"a\",\"flag\":1}", ERR_INVALID_FIELD,
		  "flag", "true or false" },
		{ "{\"agentId\":\"a\",\"stars\":6}", ERR_INVALID_FIELD,
		  "stars", "from -1 to 5" },
		{ "{\"agentId\":\"a\",\"stars\":\"1\"}", ERR_INVALID_FIELD,
		  "stars", "whole number" },
		{ "{\"agentId\":\"a\",\"stars\":1.0}", ERR_INVALID_FIELD,
		  "stars", "whole number" },
		{ "{\"agentId\":\"a\",\"score\":2.5}", ERR_INVALID_FIELD,
		  "score", "a number from 0 to 2" },
		{ "{\"agentId\":\"a\",\"score\":-1e-9}", ERR_INVALID_FIELD,
		  "score", "a number from 0 to 2" },
		{ "{\"agentId\":\"a\",\"score\":\"1\"}", ERR_INVALID_FIELD,
		  "score", "a number" },
		{ "{\"agentId\":\"a\",\"until\":5}", ERR_INVALID_FIELD,
		  "until", "a time" },
		{ "{\"agentId\":\"a\",\"due\":\"2027-02-29\"}", ERR_INVALID_FIELD,
		  "due", "a date like" },
		{ "{\"agentId\":\"a\",\"due\":\"2100-02-29\"}", ERR_INVALID_FIELD,
		  "due", "a date like" },
		{ "{\"agentId\":\"a\",\"due\":\"2027-13-01\"}", ERR_INVALID_FIELD,
		  "due", "a date like" },
		{ "{\"agentId\":\"a\",\"due\":\"2027-1-1\"}", ERR_INVALID_FIELD,
		  "due", "a date like" },
		{ "{\"agentId\":\"a\",\"due\":\"27-01-01\"}", ERR_INVALID_FIELD,
		  "due", "a date like" },
		{ "{\"agentId\":\"a\",\"due\":\"2027- 1-01\"}", ERR_INVALID_FIELD,
		  "due", "a date like" },
		{ "{\"agentId\":\"a\",\"due\":\"2027-01- 1\"}", ERR_INVALID_FIELD,
		  "due", "a date like" },
		{ "{\"agentId\":\"a\",\"due\":\"0999-01-01\"}", ERR_INVALID_FIELD,
		  "due", "a date like" },
		{ "{\"agentId\":\"a\",\"due\":\" 2027-01-01\"}", ERR_INVALID_FIELD,
		  "due", "a date like" },
		{ "{\"agentId\":\"a\",\"due\":\"2027-01-01T00:00\"}", ERR_INVALID_FIELD,
		  "due", "a date like" },
		{ "{\"agentId\":\"a\",\"due\":\"2027-01-01 \"}", ERR_INVALID_FIELD,
		  "due", "a date like" },
		{ "{\"agentId\":\"a\",\"due\":\"+999-01-01\"}", ERR_INVALID_FIELD,
		  "due", "a date like" },
		{ "{\"agentId\":\"a\",\"due\":20270101}", ERR_INVALID_FIELD,
		  "due", "a date like" },
		{ "{\"agentId\":\"a\",\"line\":\"a\\tb\"}", ERR_INVALID_FIELD,
		  "line", "one line" },
		{ "{\"agentId\":\"a\",\"must\":null}", ERR_INVALID_FIELD,
		  "must", "other than null" },
		{ "{\"agent\":\"a\"}", ERR_UNKNOWN_FIELD, "agent", "agentId" },
		{ "{\"tilte\":\"a\"}", ERR_UNKNOWN_FIELD, "tilte", "title" },
		{ "{\"zzzzzz\":1}", ERR_UNKNOWN_FIELD, "zzzzzz", "zzzzzz" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct err e = ERR_INIT;
		struct sample s;
		json_t *j;

		assert_int_equal(read_text(t[i].text, &s, &e, &j), -1);
		assert_int_equal(e.code, t[i].code);
		assert_string_equal(e.field, t[i].field);
		assert_non_null(strstr(err_message(&e), t[i].says));
		json_decref(j);
	}
}

static void slugs(void **state)
{
	char max[66];

	(void)state;
	memset(max, 'a', 65);
	max[65] = '\0';
	assert_true(slug_valid((struct str){ max, 64 }));
	assert_false(slug_valid((struct str){ max, 65 }));
	assert_true(slug_valid(STR("0")));
	assert_false(slug_valid(STR("_a")));
	assert_false(slug_valid(STR("a.b")));
}

/* The names that a refusal lists are whole, however many there are. */
static void names_are_whole(void **state)
{
	struct field many[40];
	char keys[40][16];
	json_t *out[40], *body = json_pack("{s:i}", "zzzzzzzzzz", 1);
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(many); i++) {
		snprintf(keys[i], sizeof(keys[i]), "number%zu", i);
		many[i] = (struct field){ .key = keys[i], .type = FIELD_JSON,
					  .offset = i * sizeof(*out) };
	}
	assert_int_equal(fields_read(many, ARRAY_LEN(many), body, out,
				     sizeof(out), &e), -1);
	assert_non_null(strstr(err_message(&e), "number15 number16 ...."));
	assert_null(strstr(err_message(&e), "number17"));
	json_decref(body);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_values),
		cmocka_unit_test(flags_have_three_values),
		cmocka_unit_test(picking),
		cmocka_unit_test(bad_values),
		cmocka_unit_test(names_are_whole),
		cmocka_unit_test(slugs),
	};

	return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
