/* Which schemas are supported. See schema.h. */
#include "schema/schema_keyword.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

size_t place_push(struct place *p, const char *key,
			 size_t index)
{
	size_t before = p->n;
	int n = key ? snprintf(p->text + p->n, sizeof(p->text) - p->n,
			       "%s%.*s", p->n ? "." : "",
			       (int)sizeof(p->text), key)
		    : snprintf(p->text + p->n, sizeof(p->text) - p->n,
			       "[%zu]", index);

	if (n > 0)
		p->n = MIN(p->n + (size_t)n, sizeof(p->text) - 1);
	return before;
}

void place_pop(struct place *p, size_t before)
{
	p->n = before;
	p->text[before] = '\0';
}

static const char *const type_names[] = {
	"object", "array", "string", "integer", "number", "boolean", "null",
};

static bool is_type(const json_t *t)
{
	for (size_t i = 0; json_is_string(t) && i < ARRAY_LEN(type_names); i++)
		if (strcmp(json_string_value(t), type_names[i]) == 0)
			return true;
	return false;
}

const json_t *schema_resolve(const json_t *root, const json_t *ref)
{
	const char *p = json_string_value(ref);

	if (!p || p[0] != '#')
		return NULL;
	if (!p[1])
		return root;
	if (strncmp(p, "#/$defs/", 8) == 0)
		return json_object_get(jx_obj(root, "$defs"), p + 8);
	if (strncmp(p, "#/definitions/", 14) == 0)
		return json_object_get(jx_obj(root, "definitions"), p + 14);
	return NULL;
}

static int refuse(const struct check *c, const char *key, const char *why,
		  struct err *e)
{
	char field[sizeof(e->field)];

	snprintf(field, sizeof(field), "%.40s%s%.20s", c->at.text,
		 c->at.n ? "." : "", key);
	return err_field(e, ERR_CONFIG, field, "JSON Schema%s%s: \"%.40s\" %s",
			 c->at.n ? " at " : "", c->at.text, key, why);
}

static const char *pattern_fault(const char *text)
{
	const char *fault;

	pattern_free(pattern_new(text, &fault));
	return fault;
}

static int supported(struct check *c, const json_t *schema, struct err *e);

static int supported_each(struct check *c, const char *key, const json_t *rule,
			  struct err *e)
{
	size_t before = place_push(&c->at, key, 0);
	const char *name;
	json_t *sub;
	size_t i;

	json_object_foreach((json_t *)rule, name, sub) {
		size_t b1 = place_push(&c->at, name, 0);

		if (supported(c, sub, e) < 0)
			return -1;
		place_pop(&c->at, b1);
	}
	json_array_foreach((json_t *)rule, i, sub) {
		size_t b1 = place_push(&c->at, NULL, i);

		if (supported(c, sub, e) < 0)
			return -1;
		place_pop(&c->at, b1);
	}
	place_pop(&c->at, before);
	return 0;
}

static bool all_strings(const json_t *list)
{
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)list, i, item)
		if (!json_is_string(item))
			return false;
	return json_is_array(list);
}

static bool all_types(const json_t *list)
{
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)list, i, item)
		if (!is_type(item))
			return false;
	return json_array_size(list) > 0;
}

/* Why the form of a rule is wrong, apart from schemas in it; or NULL. */
static const char *rule_fault(const struct check *c,
			      const struct keyword *k,
			      const json_t *rule)
{
	switch (k->form) {
	case FORM_TYPE:
		return is_type(rule) || all_types(rule)
			? NULL : "names no known type";
	case FORM_SCHEMA_MAP:
		return json_is_object(rule) ? NULL : "must be an object";
	case FORM_SCHEMA_LIST:
		return json_array_size(rule)
			? NULL : "must be a list of schemas";
	case FORM_NAMES:
		return all_strings(rule) ? NULL : "must be a list of names";
	case FORM_COUNT:
		return json_is_integer(rule) && json_integer_value(rule) >= 0
			? NULL : "must be a count";
	case FORM_NUMBER:
		return json_is_number(rule) &&
			(strcmp(k->name, "multipleOf") != 0 ||
			 json_number_value(rule) > 0)
			? NULL : "must be a number";
	case FORM_BOOL:
		return json_is_boolean(rule) ? NULL : "must be true or false";
	case FORM_LIST:
		return json_is_array(rule) ? NULL : "must be a list";
	case FORM_PATTERN:
		return json_is_string(rule)
			? pattern_fault(json_string_value(rule))
			: "must be a string";
	case FORM_REF:
		return schema_resolve(c->root, rule) ? NULL
			: "must name a local definition (#/$defs/…) that exists";
	case FORM_IGNORED:
	case FORM_ANY:
	case FORM_SCHEMA:
		break;
	}
	return NULL;
}

static int supported_keyword(struct check *c, const struct keyword *k,
			     const json_t *rule, struct err *e)
{
	const char *fault = rule_fault(c, k, rule);
	size_t before;
	int rc;

	if (fault)
		return refuse(c, k->name, fault, e);
	switch (k->form) {
	case FORM_SCHEMA:
		before = place_push(&c->at, k->name, 0);
		rc = supported(c, rule, e);
		if (rc == 0)
			place_pop(&c->at, before);
		return rc;
	case FORM_SCHEMA_MAP:
	case FORM_SCHEMA_LIST:
		return supported_each(c, k->name, rule, e);
	default:
		return 0;
	}
}

static int supported(struct check *c, const json_t *schema, struct err *e)
{
	const char *key;
	json_t *rule;

	if (json_is_boolean(schema))
		return 0;
	if (!json_is_object(schema))
		return refuse(c, "schema", "must be an object", e);
	if (++c->depth > SCHEMA_DEPTH)
		return refuse(c, "schema", "is nested too deep", e);
	json_object_foreach((json_t *)schema, key, rule) {
		const struct keyword *k = NULL;

		for (size_t i = 0; i < schema_n_keywords; i++)
			if (strcmp(schema_keywords[i].name, key) == 0)
				k = &schema_keywords[i];
		if (!k)
			return refuse(c, key, "is not supported", e);
		if (supported_keyword(c, k, rule, e) < 0)
			return -1;
	}
	c->depth--;
	return 0;
}

int schema_supported(const json_t *schema, struct err *e)
{
	struct check c = { .root = schema };

	return supported(&c, schema, e);
}
