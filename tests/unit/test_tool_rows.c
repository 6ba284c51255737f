/* SPDX-License-Identifier: MIT */
/* The rows of the families of tools, and their schemas as files. */
#include <glob.h>
#include <strings.h>

#include "resource/form.h"
#include "schema/schema.h"
#include "tool/core/builtin.h"
#include "tool/core/family.h"

#include "unit.h"

enum { SCHEMA_BYTES = 2048, TOOLS_MAX = 128 };	/* sent with each request */

/* What providers take and schema_check keeps, and no more than that. */
static void check_schema(const char *what, const json_t *schema)
{
	const char *type = json_string_value(json_object_get(schema, "type"));
	struct err e = ERR_INIT;

	if (schema_supported(schema, &e) < 0)
		fail_msg("%s: %s", what, err_message(&e));
	if (!type || strcmp(type, "object") != 0 ||
	    !json_is_object(json_object_get(schema, "properties")))
		fail_msg("%s: not of an object", what);
	if (json_dumpb(schema, NULL, 0, JSON_COMPACT) > SCHEMA_BYTES)
		fail_msg("%s: more than %d bytes", what, SCHEMA_BYTES);
}

static const json_t *json_of(const char *text, struct arena *a)
{
	return jx_keep(a, json_loads(text, 0, NULL));
}

static void files_are_whole_schemas(void **state)
{
	char pattern[512];
	glob_t found;

	(void)state;
	snprintf(pattern, sizeof(pattern), "%s/lib/tool/*/*.schema.json",
		 getenv("LAMPLIGHTER_SRCDIR"));
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_true(found.gl_pathc >= 10);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		json_t *schema = json_load_file(found.gl_pathv[i],
						JSON_REJECT_DUPLICATES, NULL);

		if (!schema)
			fail_msg("%s: no JSON", found.gl_pathv[i]);
		check_schema(found.gl_pathv[i], schema);
		json_decref(schema);
	}
	globfree(&found);
}

static void rows_are_whole(void **state)
{
	const char *names[TOOLS_MAX];
	size_t n = 0;

	(void)state;
	for (; tool_builtin_at(n); n++) {
		const struct tool *t = tool_builtin_at(n);
		const json_t *schema = tool_schema(t->schema);

		check_schema(t->name, schema);
		assert_ptr_equal(tool_schema(t->schema), schema);
		assert_ptr_equal(tool_builtin(t->name), t);
		assert_true(t->description && *t->description);
		assert_true(strlen(t->description) <= 1024);	/* Azure */
		assert_true(t->run || t->visibility != TOOL_SERVER);
		assert_int_equal(t->timeout_ms > 0,
				 t->visibility == TOOL_SERVER);
		assert_true(n < TOOLS_MAX);
		names[n] = t->name;
		for (size_t i = 0; i < n; i++)
			assert_int_not_equal(strcasecmp(names[i], t->name), 0);
	}
	assert_true(n >= 8);
	assert_null(tool_builtin("no_such"));
}

/*
 * Rows TOOL of resource.def: an id and the one of its parent are all that names a row,
 * and nothing is secret.
 */
static void tools_of_resources_are_whole(void **state)
{
	static const struct {
		enum resource_id of;
		enum resource_verb verb;
		const char *name;
	} rows[] = {
#define TOOL(id, verb, name, group, text) { RESOURCE_##id, VERB_##verb, name },
#include "resource/resource.def"
	};
	struct arena a = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct resource *r = &resources[rows[i].of];

		check_schema(rows[i].name,
			     resource_arguments(NULL, r, rows[i].verb, &a));
		assert_false(r->named || r->upload);
		assert_false(r->record && rows[i].verb > VERB_GET);
		assert_true(r->owner == OWNER_BELOW || !strchr(r->path, '/'));
		assert_ptr_not_equal(r, &resources[RESOURCE_API_TOKEN]);
		for (size_t k = 0; k < r->n_fields; k++)
			assert_int_not_equal(r->fields[k].type, TYPE_SECRET);
	}
	arena_release(&a);
}

/* The constants count the fields as the rows do, as many as the largest has. */
static void columns_are_constants(void **state)
{
	static const char of_token[COLUMN(API_TOKEN, hash)];
	const struct resource *r = &resources[RESOURCE_PROMPT];
	size_t most = 0;

	(void)state;
	assert_int_equal(sizeof(of_token), 9);
	assert_string_equal(r->fields[COLUMN(PROMPT, body)].column, "body");
	assert_string_equal(r->fields[COLUMN(PROMPT, folded)].column, "folded");
	assert_int_equal(COLUMN(PROMPT, folded), r->n_fields - 1);
	for (size_t i = 0; i < RESOURCE__MAX; i++) {
		r = &resources[i];
		most = MAX(most, r->n_fields);
		if (r->named)
			assert_true(r->fields[r->name_at].flags & RESOURCE_UNIQUE);
	}
	assert_int_equal(most, RESOURCE_FIELDS_MAX);
}

/* An ENUM has choices in its INPUT row, and no other field has. */
static void choices_are_of_enums(void **state)
{
	(void)state;
	for (size_t i = 0; i < RESOURCE__MAX; i++)
		for (size_t k = 0; k < resources[i].n_fields; k++) {
			const struct resource *r = &resources[i];
			const struct resource_field *f = &r->fields[k];
			const char *list = resource_choice_list(NULL, r, f, NULL);

			if ((*list && !strchr("{@", *list)) !=
			    (f->type == TYPE_ENUM))
				fail_msg("%s.%s", r->table, f->column);
		}
}

/* Of fields of all types, and of those that a row cannot have. */
static void arguments_are_of_the_fields(void **state)
{
	const struct resource *r = &resources[RESOURCE_PROMPT];
	struct arena a = ARENA_INIT;
	const json_t *create = resource_arguments(NULL, r, VERB_CREATE, &a);
	const json_t *patch = resource_arguments(NULL, r, VERB_PATCH, &a);
	const json_t *list = resource_arguments(NULL, r, VERB_LIST, &a);
	const json_t *name = jx_pointer(create, "/properties/name");

	(void)state;
	assert_int_equal(jx_int(name, "minLength", 0), 1);
	assert_int_equal(jx_int(name, "maxLength", 0), 100);
	assert_true(json_equal(jx_pointer(create, "/required"),
			       json_of("[\"name\",\"body\"]", &a)));
	assert_true(json_equal(jx_pointer(create, "/properties/tier/enum"),
			       json_of("[\"private\",\"team\",\"tenant\"]", &a)));
	assert_null(jx_pointer(create, "/properties/copiedFrom"));
	assert_true(json_equal(jx_pointer(patch, "/required"),
			       json_of("[\"id\"]", &a)));
	assert_null(jx_pointer(patch, "/properties/tier"));
	assert_true(json_equal(jx_pointer(patch, "/properties/icon/type"),
			       json_of("[\"string\",\"null\"]", &a)));
	assert_int_equal(json_object_size(jx_obj(list, "properties")), 4);
	arena_release(&a);
}

static void kinds_are_whole(void **state)
{
	size_t n = 0;

	(void)state;
	for (; tool_kind_at(n); n++) {
		const struct tool_kind *k = tool_kind_at(n);

		assert_ptr_equal(tool_kind_of(k->name), k);
		assert_int_equal(!k->add, !k->makes);
		assert_true(k->row.run || k->row.visibility != TOOL_SERVER);
		if (k->row.schema)
			check_schema(k->name, tool_schema(k->row.schema));
	}
	assert_true(n >= 8);
	assert_null(tool_kind_of("no_such"));
}

static void a_tool_may_be_of_several_groups(void **state)
{
	const struct tool t = { .name = "t", .group = "data knowledge" };

	(void)state;
	assert_true(tool_in_group(&t, STR("data")));
	assert_true(tool_in_group(&t, STR("knowledge")));
	assert_false(tool_in_group(&t, STR("know")));
	assert_false(tool_in_group(&t, STR("data knowledge")));
	assert_false(tool_in_group(&t, STR("")));
}

/*
 * Group `knowledge` as decided (D32, A57, B21), with the two that came later; and
 * no other. summarize and translate, which are made: test_ready_tools.py.
 */
static void knowledge_has_its_members(void **state)
{
	static const char *const members[] = {
		"get_document_metadata", "list_knowledge_bases", "query_data",
		"read_document", "search", "search_conversations",
		"search_knowledge",
	};
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		const struct tool *t = tool_builtin(members[i]);

		if (!t || !tool_in_group(t, STR("knowledge")))
			fail_msg("%s", members[i]);
	}
	for (size_t i = 0; tool_builtin_at(i); i++)
		n += tool_in_group(tool_builtin_at(i), STR("knowledge"));
	assert_int_equal(n, ARRAY_LEN(members));
	assert_true(tool_in_group(tool_builtin("query_data"), STR("data")));
}

/* C24, with what a conversation has besides. */
static void pools_are_of_context_types(void **state)
{
	static const struct {
		enum tool_pool pool;
		const char *ours;	/* of the groups of Appendix A */
		bool talk;
	} cases[] = {
		{ TOOL_POOL_GLOBAL, "base global project_create project", true },
		{ TOOL_POOL_PROJECT, "base project", true },
		{ TOOL_POOL_PROJECT_CREATE, "base project_create", true },
		{ TOOL_POOL_PROJECT_AUDIT, "base project project_audit", true },
		{ TOOL_POOL_PROJECT_FORECAST, "base project project_forecast",
		  true },
		{ TOOL_POOL_CALENDAR, "base global", true },
		{ TOOL_POOL_BRAIN_DUMP, "base global", true },
		{ TOOL_POOL_DAILY_BRIEF_UPDATE, "base", false },
		{ TOOL_POOL_ONTOLOGY, "base project", true },
	};
	static const char *const groups[] = {
		"base", "global", "project", "project_create", "project_audit",
		"project_forecast",
	};
	static const char *const talk[] = {
		"", "data", "data knowledge", "dialog", "text", "vision", "own",
	};

	(void)state;
	assert_int_equal(ARRAY_LEN(cases), TOOL_POOLS);
	assert_int_equal(TOOL_POOL_GLOBAL, 0);	/* where nothing is said */
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (size_t k = 0; k < ARRAY_LEN(groups); k++) {
			const struct tool t = { .group = groups[k] };

			assert_int_equal(tool_pool_has(cases[i].pool, &t),
				tool_has_word(cases[i].ours,
					      str_of(groups[k])));
		}
		for (size_t k = 0; k < ARRAY_LEN(talk); k++) {
			const struct tool t = { .group = talk[k] };

			assert_int_equal(tool_pool_has(cases[i].pool, &t),
					 cases[i].talk);
		}
	}
}

/* Appendix A: most tools of the group global are of project too. */
static void a_pool_needs_one_group_of_a_tool(void **state)
{
	const struct tool t = { .group = "global project" };

	(void)state;
	assert_true(tool_pool_has(TOOL_POOL_CALENDAR, &t));
	assert_true(tool_pool_has(TOOL_POOL_ONTOLOGY, &t));
	assert_false(tool_pool_has(TOOL_POOL_PROJECT_CREATE, &t));
}

/* Its author did not know of pools, and an MCP server's group is its name. */
static void declared_tools_stay_so_in_any_group(void **state)
{
	const struct tool audit = { .group = "project_audit", .kind = "http" };
	const struct tool base = { .group = "base", .kind = "mcp" };

	(void)state;
	assert_true(tool_pool_has(TOOL_POOL_GLOBAL, &audit));
	assert_true(tool_pool_has(TOOL_POOL_CALENDAR, &audit));
	assert_false(tool_pool_has(TOOL_POOL_DAILY_BRIEF_UPDATE, &audit));
	assert_true(tool_pool_has(TOOL_POOL_DAILY_BRIEF_UPDATE, &base));
}

/* So that no built-in tool is lost to a group that no pool knows. */
static void the_default_pool_has_every_tool(void **state)
{
	(void)state;
	for (size_t i = 0; tool_builtin_at(i); i++)
		assert_true(tool_pool_has(TOOL_POOL_GLOBAL,
					  tool_builtin_at(i)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_whole_schemas),
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(tools_of_resources_are_whole),
		cmocka_unit_test(columns_are_constants),
		cmocka_unit_test(choices_are_of_enums),
		cmocka_unit_test(arguments_are_of_the_fields),
		cmocka_unit_test(kinds_are_whole),
		cmocka_unit_test(a_tool_may_be_of_several_groups),
		cmocka_unit_test(knowledge_has_its_members),
		cmocka_unit_test(pools_are_of_context_types),
		cmocka_unit_test(a_pool_needs_one_group_of_a_tool),
		cmocka_unit_test(declared_tools_stay_so_in_any_group),
		cmocka_unit_test(the_default_pool_has_every_tool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
