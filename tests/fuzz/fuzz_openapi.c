/* SPDX-License-Identifier: MIT */
/*
 * OpenAPI documents, as YAML or JSON: read as the configuration does, then all
 * operations imported. What comes out is what kind http takes; what is refused
 * has a public text.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "conf/load.h"
#include "tool/http/openapi.h"
#include "tool/http/option.h"
#include "schema/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool ok)
{
	if (!ok)
		abort();
}

static void import(const json_t *document)
{
	static const char *const all[] = { "*" };
	const struct conf_tool_openapi o = {
		.file = "fuzz.yaml", .document = document,
		.operations = { .v = (const char **)all, .n = 1 },
		.base_url = "https://service.example/v1",
	};
	const struct conf_tool c = { .name = "t", .openapi = &o };
	struct err e = ERR_INIT;
	json_t *ops = openapi_import(&c, &e), *op;
	size_t i;

	if (!ops)
		expect(e.code == ERR_CONFIG && e.public[0] &&
		       utf8_valid(str_of(e.public)));
	json_array_foreach(ops, i, op) {
		expect(jx_str(op, "name").n && jx_str(op, "url").n);
		expect(schema_supported(json_object_get(op, "parameters"),
					&e) == 0);
	}
	json_decref(ops);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	size_t budget = LIM_CONF_NODES;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct ynode *root = NULL;
	json_t *document = NULL;

	if (size && *data == '{')
		document = jx_load(text, &e);
	else if (ytree_parse(&a, "fuzz", text, &budget, &root, &e) == 0 &&
		 root && root->kind == YMAP)
		document = load_json(root);
	if (document)
		import(document);
	json_decref(document);
	arena_release(&a);
	return 0;
}
