/*
 * What a client controls, on arbitrary bytes. The first byte chooses:
 *   'u'  the request target: base, path, query, percent-decoding
 *   'j'  the JSON body, read by a field table, and by the schema checker with
 *        the body as schema
 * A result or an error of the expected kind, never a crash or a leak.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "fields.h"
#include "path.h"
#include "tool/tool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool ok)
{
	if (!ok)
		abort();
}

static void target(struct str uri)
{
	static const char *const bases[] = {
		"", "/chat", "/intranet/ai chat", "/intranet/ai%20chat/", NULL,
	};

	for (size_t i = 0; i < ARRAY_LEN(bases); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct target t;
		struct str q;

		if (path_split(uri, bases[i], &t, &e)) {
			expect(e.code == ERR_NOT_FOUND || e.code == ERR_TOO_BIG);
			continue;
		}
		expect(!memmem(t.path.p, t.path.n, "//", 2));
		expect(!memmem(t.path.p, t.path.n, "/../", 4));
		if (path_decode(&a, t.query, true, &q, &e) == 0)
			expect(utf8_valid(q) && !memchr(q.p, 0, q.n));
		else
			expect(e.code == ERR_BAD_REQUEST ||
			       e.code == ERR_INVALID_UTF8);
		arena_release(&a);
	}
}

struct body {
	struct str content, agent;
	struct uuid conversation;
	json_t *schema;
};

static void body(struct str text)
{
	static const struct field fields[] = {
		{ .key = "content", .type = FIELD_TEXT,
		  .flags = FIELD_REQUIRED | FIELD_FILLED, .max_chars = 100,
		  .offset = offsetof(struct body, content) },
		{ .key = "agentId", .type = FIELD_SLUG,
		  .offset = offsetof(struct body, agent) },
		{ .key = "conversationId", .type = FIELD_UUID,
		  .offset = offsetof(struct body, conversation) },
		{ .key = "schema", .type = FIELD_OBJECT,
		  .offset = offsetof(struct body, schema) },
	};
	struct err e = ERR_INIT;
	json_t *j = jx_load(text, &e);
	struct body b;

	if (!j) {
		expect(e.code == ERR_INVALID_JSON || e.code == ERR_INVALID_UTF8);
		return;
	}
	if (fields_read(fields, ARRAY_LEN(fields), j, &b, sizeof(b), &e) == 0) {
		expect(b.content.p && utf8_chars(b.content) <= 100);
		expect(!b.agent.p || slug_valid(b.agent));
	} else {
		expect(e.code == ERR_UNKNOWN_FIELD ||
		       e.code == ERR_INVALID_FIELD ||
		       e.code == ERR_INVALID_JSON);
	}
	err_clear(&e);
	if (schema_supported(j, &e) == 0) {
		err_clear(&e);
		if (schema_check(j, j, &e))
			expect(e.code == ERR_TOOL_ARGS && e.text[0]);
	} else {
		expect(e.text[0]);
	}
	json_decref(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest;

	if (!size)
		return 0;
	rest = (struct str){ (const char *)data + 1, size - 1 };
	if (data[0] == 'u')
		target(rest);
	else if (data[0] == 'j')
		body(rest);
	return 0;
}
