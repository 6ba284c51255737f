/* SPDX-License-Identifier: MIT */
/*
 * Converts untrusted schemas (of MCP servers) to ones that schema_supported
 * accepts, by leaving out what it does not know. The result allows everything that
 * the schema allows; the server checks the rest. See schema.h.
 */
#include "schema/schema_keyword.h"

#include <string.h>

#include "base/limits.h"
#include "base/log.h"

#include "base/banned.h"

/* lost: something below was left out, so `not` and similar keywords cannot stay. */
struct relax {
	json_t *root;
	const char *tool;	/* for the log */
	int depth;
	bool lost, logged;
};

static void relax(struct relax *r, json_t *schema);

static bool is_schema(const json_t *j)
{
	return json_is_object(j) || json_is_boolean(j);
}

static bool all_schemas(const json_t *rule)
{
	const char *key;
	json_t *sub;
	size_t i;

	json_object_foreach((json_t *)rule, key, sub)
		if (!is_schema(sub))
			return false;
	json_array_foreach((json_t *)rule, i, sub)
		if (!is_schema(sub))
			return false;
	return true;
}

static const struct keyword *known(const char *key)
{
	for (size_t i = 0; i < schema_n_keywords; i++)
		if (strcmp(schema_keywords[i].name, key) == 0)
			return &schema_keywords[i];
	return NULL;
}

/* Whether the keyword is supported, regardless of the schemas below it. */
static bool supported_alone(const struct relax *r, const struct keyword *k,
			    const json_t *rule)
{
	struct err ignored = ERR_INIT;
	json_t *one;
	bool ok;

	switch (k->form) {
	case FORM_REF:
		return schema_resolve(r->root, rule) != NULL;
	case FORM_SCHEMA:
		return is_schema(rule);
	case FORM_SCHEMA_MAP:
		return json_is_object(rule) && all_schemas(rule);
	case FORM_SCHEMA_LIST:
		return json_array_size(rule) && all_schemas(rule);
	default:
		one = json_object();
		json_object_set(one, k->name, (json_t *)rule);
		ok = schema_supported(one, &ignored) == 0;
		json_decref(one);
		return ok;
	}
}

/* Relaxes the schemas in a map or a list; true if something was left out. */
static bool relax_each(struct relax *r, json_t *rule)
{
	bool before = r->lost, lost;
	const char *key;
	json_t *sub;
	size_t i;

	r->lost = false;
	json_object_foreach(rule, key, sub)
		relax(r, sub);
	json_array_foreach(rule, i, sub)
		relax(r, sub);
	lost = r->lost;
	r->lost |= before;
	return lost;
}

static bool relax_one(struct relax *r, json_t *sub)
{
	bool before = r->lost, lost;

	r->lost = false;
	relax(r, sub);
	lost = r->lost;
	r->lost |= before;
	return lost;
}

/* Whether there is a $ref, whose target may have lost something. */
static bool refers(const json_t *j)
{
	const char *key;
	json_t *sub;
	size_t i;

	if (json_object_get(j, "$ref"))
		return true;
	json_object_foreach((json_t *)j, key, sub)
		if (refers(sub))
			return true;
	json_array_foreach((json_t *)j, i, sub)
		if (refers(sub))
			return true;
	return false;
}

static void drop(struct relax *r, json_t *schema, const char *key)
{
	if (!r->logged)
		log_info("tool schema: not checked", "tool", r->tool,
			 "keyword", key);
	r->logged = r->lost = true;	/* logged once per schema */
	json_object_del(schema, key);
}

/*
 * Relaxes a keyword that contains schemas. If something was left out, `not` would
 * refuse too much and `oneOf` might match twice, so `not` is removed, and `oneOf`
 * becomes `anyOf`.
 */
static void relax_nested(struct relax *r, json_t *schema, const char *key,
			 json_t *rule)
{
	bool is_map = strcmp(key, "properties") == 0 ||
		strcmp(key, "$defs") == 0 || strcmp(key, "definitions") == 0;

	if (is_map || json_is_array(rule)) {
		bool lost = relax_each(r, rule);

		if (strcmp(key, "oneOf") == 0 && (lost || refers(rule))) {
			json_t *any = json_incref(rule);

			json_object_del(schema, "oneOf");
			if (json_object_get(schema, "anyOf"))
				json_decref(any);
			else
				json_object_set_new(schema, "anyOf", any);
		}
	} else {
		bool lost = relax_one(r, rule);

		if (strcmp(key, "not") == 0 && (lost || refers(rule)))
			drop(r, schema, key);
	}
}

static bool holds_schemas(const struct keyword *k)
{
	return k->form == FORM_SCHEMA || k->form == FORM_SCHEMA_MAP ||
	       k->form == FORM_SCHEMA_LIST;
}

static void relax(struct relax *r, json_t *schema)
{
	/* These determine to which properties additionalProperties applies. */
	static const char *const others[] = {
		"patternProperties", "unevaluatedProperties",
	};
	json_auto_t *keys = NULL;
	const char *key;
	json_t *rule;
	bool open = false;

	if (!json_is_object(schema))
		return;
	if (++r->depth > LIM_JSON_DEPTH) {
		json_object_clear(schema);
		r->lost = true;
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		open |= json_object_get(schema, others[i]) != NULL;
	keys = json_copy(schema);	/* it changes during the iteration */
	json_object_foreach(keys, key, rule) {
		const struct keyword *k = known(key);

		if (!k || !supported_alone(r, k, rule))
			drop(r, schema, key);
		else if (holds_schemas(k) && !json_is_boolean(rule))
			relax_nested(r, schema, key, rule);
	}
	if (open && json_object_get(schema, "additionalProperties"))
		drop(r, schema, "additionalProperties");
	r->depth--;
}

json_t *schema_relaxed(const json_t *schema, const char *tool)
{
	json_t *copy = json_is_object(schema) ? json_deep_copy(schema)
		: json_object();
	struct relax r = { .root = copy, .tool = tool };
	struct err ignored = ERR_INIT;

	relax(&r, copy);
	json_object_set_new(copy, "type", json_string("object"));
	if (!json_object_get(copy, "properties"))
		json_object_set_new(copy, "properties", json_object());
	if (schema_supported(copy, &ignored) == 0)
		return copy;
	json_decref(copy);
	return json_pack("{s:s, s:{}}", "type", "object", "properties");
}
