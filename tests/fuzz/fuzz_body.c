/* SPDX-License-Identifier: MIT */
/*
 * Request bodies on arbitrary bytes, read by a field table with a field of each
 * type; the lenient reader, which takes whatever the strict one does; JSON
 * pointers. What was read can be written and read again.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/fields.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct body {
	struct str content, agent;
	struct uuid conversation;
	json_t *any, *schema;
	int flag;
	bool agent_given;
};

static const struct field fields[] = {
	{ .key = "content", .type = FIELD_TEXT,
	  .flags = FIELD_REQUIRED | FIELD_FILLED, .max_chars = 100,
	  .offset = offsetof(struct body, content) },
	{ .key = "agentId", .type = FIELD_SLUG, .flags = FIELD_NULLABLE,
	  .offset = offsetof(struct body, agent),
	  .given_offset = offsetof(struct body, agent_given) },
	{ .key = "conversationId", .type = FIELD_UUID,
	  .offset = offsetof(struct body, conversation) },
	{ .key = "any", .type = FIELD_JSON,
	  .offset = offsetof(struct body, any) },
	{ .key = "flag", .type = FIELD_BOOL,
	  .offset = offsetof(struct body, flag) },
	{ .key = "schema", .type = FIELD_OBJECT,
	  .offset = offsetof(struct body, schema) },
};

static void expect(bool ok)
{
	if (!ok)
		abort();
}

static void read_fields(const json_t *j)
{
	struct err e = ERR_INIT;
	struct body b;

	if (fields_read(fields, ARRAY_LEN(fields), j, &b, sizeof(b), &e) == 0) {
		expect(b.content.p && utf8_chars(b.content) <= 100);
		expect(!b.agent.p || slug_valid(b.agent));
		expect(!b.schema || json_is_object(b.schema));
	} else {
		expect(e.code == ERR_UNKNOWN_FIELD ||
		       e.code == ERR_INVALID_FIELD ||
		       e.code == ERR_INVALID_JSON);
		expect(utf8_valid(str_of(err_message(&e))) &&
		       utf8_valid(str_of(e.field)));
	}
}

/* The numbers of others, and pointers that are texts of the document. */
static void use(const json_t *j)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)j, key, v) {
		(void)jx_int(j, key, -1);
		if (json_is_string(v))
			(void)jx_pointer(j, json_string_value(v));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct err e = ERR_INIT, e2 = ERR_INIT;
	struct buf once = BUF_INIT(1 << 26), twice = BUF_INIT(1 << 26);
	json_t *j = jx_load(text, &e), *k = jx_load_lenient(text, &e2);

	if (j) {
		read_fields(j);
		expect(k != NULL && json_equal(j, k));
	} else {
		expect(e.code == ERR_INVALID_JSON ||
		       e.code == ERR_INVALID_UTF8);
		expect(utf8_valid(str_of(err_message(&e))));
	}
	if (k) {
		use(k);
		jx_dump(&once, k);
		expect(utf8_valid(buf_str(&once)));
		json_decref(k);
		k = jx_load_lenient(buf_str(&once), &e2);
		expect(k != NULL);
		jx_dump(&twice, k);
		expect(str_eq(buf_str(&once), buf_str(&twice)));
	}
	json_decref(j);
	json_decref(k);
	buf_release(&once);
	buf_release(&twice);
	return 0;
}
