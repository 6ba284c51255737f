/* SPDX-License-Identifier: MIT */
/*
 * JSON Schemas of others, and arguments against them: the first line is the
 * schema, the rest the value. What is supported is checked to an end; what is
 * relaxed is supported, and accepts all that the schema itself accepts; what was
 * cleaned still is a schema.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "prompt/untrusted.h"
#include "schema/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool ok)
{
	if (!ok)
		abort();
}

static void refused(const struct err *e, enum err_code code)
{
	expect(e->code == code && e->text[0]);
	expect(utf8_valid(str_of(err_message(e))) &&
	       utf8_valid(str_of(e->field)));
}

static void check(const json_t *schema, const json_t *v)
{
	struct err e = ERR_INIT;
	json_t *relaxed;
	bool fits = false, known = schema_supported(schema, &e) == 0;

	if (known)
		fits = schema_check(schema, v, &e) == 0;
	else
		refused(&e, ERR_CONFIG);
	if (known && !fits)
		refused(&e, ERR_TOOL_ARGS);
	err_clear(&e);
	relaxed = schema_relaxed(schema, "fuzz");
	expect(schema_supported(relaxed, &e) == 0);
	/* It is for objects only: type is set. */
	if (schema_check(relaxed, v, &e) < 0)
		expect(!fits || !json_is_object(v));
	err_clear(&e);
	if (untrusted_clean_schema(relaxed, 200))
		expect(schema_supported(relaxed, &e) == 0);
	json_decref(relaxed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = { (const char *)data, size };
	struct str first = str_cut(&rest, '\n');
	struct err e = ERR_INIT;
	json_t *schema = jx_load(first, &e), *v;

	err_clear(&e);
	v = jx_load(rest, &e);
	if (schema)
		check(schema, v ? v : schema);
	json_decref(schema);
	json_decref(v);
	return 0;
}
