/*
 * See schema.h. Each keyword is one row: the form of its value, which schema_form.c
 * verifies, and the check, which schema_check calls for every member of a schema
 * that has one. All work is limited (schema_keyword.h): by depth and stack, because
 * a $ref may refer back to itself; by a number of steps, because anyOf below $ref
 * can grow exponentially (comparing and counting also take steps); and patterns by
 * their own budget. Exceeding a limit ends the whole check: a value that was not
 * checked never counts as valid, not even in `not` or `anyOf`.
 */
#include "schema/schema_value.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/banned.h"

static int check_value(struct check *c, const json_t *schema,
		       const json_t *v, struct err *e);

/* Checks v, a member (key) or an item (i) of the checked value. */
static int check_at(struct check *c, const json_t *rule, const json_t *v,
		    const char *key, size_t i, struct err *e)
{
	size_t before = place_push(&c->at, key, i);

	if (check_value(c, rule, v, e) < 0)
		return -1;
	place_pop(&c->at, before);
	return 0;
}

static int check_properties(struct check *c, const json_t *rule,
			    const json_t *schema, const json_t *v,
			    struct err *e)
{
	const char *key;
	json_t *sub;

	(void)schema;
	if (!json_is_object(v))
		return 0;
	if (!spend(c, json_object_size(rule)))
		return beyond(c, e);
	json_object_foreach((json_t *)rule, key, sub) {
		const json_t *member = json_object_get(v, key);

		if (member && check_at(c, sub, member, key, 0, e) < 0)
			return -1;
	}
	return 0;
}

static int check_required(struct check *c, const json_t *rule,
			  const json_t *schema, const json_t *v, struct err *e)
{
	const json_t *name;
	size_t i;

	(void)schema;
	if (!json_is_object(v))
		return 0;
	if (!spend(c, json_array_size(rule)))
		return beyond(c, e);
	json_array_foreach((json_t *)rule, i, name)
		if (!json_object_get(v, json_string_value(name)))
			return err_public(e, ERR_TOOL_ARGS,
					  "%s needs \"%.60s\".", here(c),
					  json_string_value(name));
	return 0;
}

/* Separate from check_additional, whose frame is on the stack many times. */
static __attribute__((noinline)) int
unknown_member(const struct check *c, const json_t *known, const char *key,
	       struct err *e)
{
	char names[120] = "";
	size_t n = 0;
	const char *k;
	json_t *unused;

	json_object_foreach((json_t *)known, k, unused) {
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s",
				      n ? ", " : "", k);
		n = MIN(n, sizeof(names) - 1);
	}
	return err_public(e, ERR_TOOL_ARGS, "%s has no \"%.40s\"; known: %s.",
			  here(c), key, names);
}

static int check_additional(struct check *c, const json_t *rule,
			    const json_t *schema, const json_t *v,
			    struct err *e)
{
	json_t *known = jx_obj(schema, "properties");
	const char *key;
	json_t *member;

	if (!spend(c, json_object_size(v)))
		return beyond(c, e);
	json_object_foreach((json_t *)v, key, member) {
		if (json_object_get(known, key))
			continue;
		if (json_is_false(rule))
			return unknown_member(c, known, key, e);
		if (check_at(c, rule, member, key, 0, e) < 0)
			return -1;
	}
	return 0;
}

static int check_items(struct check *c, const json_t *rule,
		       const json_t *schema, const json_t *v, struct err *e)
{
	const json_t *item;
	size_t i;

	(void)schema;
	json_array_foreach((json_t *)v, i, item)
		if (check_at(c, rule, item, NULL, i, e) < 0)
			return -1;
	return 0;
}

/*
 * The number of alternatives that match; *first is the error of the first that does
 * not, or of the one that exceeded a limit. Errors are large and anyOf nests, so
 * they are not on the stack.
 */
static size_t count_fitting(struct check *c, const json_t *rule,
			    const json_t *v, struct err *first)
{
	size_t i, before = c->at.n, n = 0;
	struct err *one = xcalloc(1, sizeof(*one));
	const json_t *sub;

	json_array_foreach((json_t *)rule, i, sub) {
		if (check_value(c, sub, v, one) == 0)
			n++;
		else if (first->code == ERR_NONE || c->beyond)
			*first = *one;
		place_pop(&c->at, before);
		if (c->beyond)
			break;
		err_clear(one);
	}
	free(one);
	return n;
}

static int pass_on(const struct err *from, struct err *e)
{
	if (e->code == ERR_NONE)
		*e = *from;
	return -1;
}

/* At least one of the alternatives matches, and at most so many. */
static int check_forms(struct check *c, const json_t *rule, const json_t *v,
		       size_t most, struct err *e)
{
	struct err *first = xcalloc(1, sizeof(*first));
	size_t n = count_fitting(c, rule, v, first);
	int rc = 0;

	if (c->beyond)
		rc = pass_on(first, e);
	else if (n == 0)
		rc = err_public(e, ERR_TOOL_ARGS, "%s fits none of the allowed "
				"forms (%.150s)", here(c), first->public);
	else if (n > most)
		rc = err_public(e, ERR_TOOL_ARGS, "%s fits more than one of "
				"the allowed forms.", here(c));
	free(first);
	return rc;
}

static int check_any_of(struct check *c, const json_t *rule,
			const json_t *schema, const json_t *v, struct err *e)
{
	(void)schema;
	return check_forms(c, rule, v, SIZE_MAX, e);
}

static int check_one_of(struct check *c, const json_t *rule,
			const json_t *schema, const json_t *v, struct err *e)
{
	(void)schema;
	return check_forms(c, rule, v, 1, e);
}

static int check_all_of(struct check *c, const json_t *rule,
			const json_t *schema, const json_t *v, struct err *e)
{
	const json_t *sub;
	size_t i;

	(void)schema;
	json_array_foreach((json_t *)rule, i, sub)
		if (check_value(c, sub, v, e) < 0)
			return -1;
	return 0;
}

static int check_not(struct check *c, const json_t *rule,
		     const json_t *schema, const json_t *v, struct err *e)
{
	struct err *one = xcalloc(1, sizeof(*one));
	size_t before = c->at.n;
	int rc = check_value(c, rule, v, one);

	(void)schema;
	if (c->beyond)
		rc = pass_on(one, e);
	else if (rc == 0)
		rc = err_public(e, ERR_TOOL_ARGS, "%s has a form that is "
				"excluded.", here(c));
	else
		rc = 0;
	if (rc == 0)
		place_pop(&c->at, before);
	free(one);
	return rc;
}

static int check_ref(struct check *c, const json_t *rule,
		     const json_t *schema, const json_t *v, struct err *e)
{
	const json_t *target = schema_resolve(c->root, rule);

	(void)schema;
	if (!target)
		return err_set(e, ERR_INTERNAL, "$ref was not checked");
	return check_value(c, target, v, e);
}

const struct keyword schema_keywords[] = {
	{ "type", FORM_TYPE, schema_type },
	{ "enum", FORM_LIST, schema_enum },
	{ "const", FORM_ANY, schema_const },
	{ "required", FORM_NAMES, check_required },
	{ "properties", FORM_SCHEMA_MAP, check_properties },
	{ "additionalProperties", FORM_SCHEMA, check_additional },
	{ "minProperties", FORM_COUNT, schema_min_props },
	{ "maxProperties", FORM_COUNT, schema_max_props },
	{ "minItems", FORM_COUNT, schema_min_items },
	{ "maxItems", FORM_COUNT, schema_max_items },
	{ "items", FORM_SCHEMA, check_items },
	{ "uniqueItems", FORM_BOOL, schema_unique },
	{ "minimum", FORM_NUMBER, schema_minimum },
	{ "maximum", FORM_NUMBER, schema_maximum },
	{ "exclusiveMinimum", FORM_NUMBER, schema_above },
	{ "exclusiveMaximum", FORM_NUMBER, schema_below },
	{ "multipleOf", FORM_NUMBER, schema_multiple },
	{ "minLength", FORM_COUNT, schema_min_length },
	{ "maxLength", FORM_COUNT, schema_max_length },
	{ "pattern", FORM_PATTERN, schema_pattern },
	{ "anyOf", FORM_SCHEMA_LIST, check_any_of },
	{ "oneOf", FORM_SCHEMA_LIST, check_one_of },
	{ "allOf", FORM_SCHEMA_LIST, check_all_of },
	{ "not", FORM_SCHEMA, check_not },
	{ "$ref", FORM_REF, check_ref },
	{ "$defs", FORM_SCHEMA_MAP, NULL },
	{ "definitions", FORM_SCHEMA_MAP, NULL },
	{ "$schema", FORM_IGNORED, NULL },
	{ "$id", FORM_IGNORED, NULL },
	{ "$comment", FORM_IGNORED, NULL },
	{ "title", FORM_IGNORED, NULL },
	{ "description", FORM_IGNORED, NULL },
	{ "default", FORM_IGNORED, NULL },
	{ "example", FORM_IGNORED, NULL },
	{ "examples", FORM_IGNORED, NULL },
	{ "deprecated", FORM_IGNORED, NULL },
	{ "readOnly", FORM_IGNORED, NULL },
	{ "writeOnly", FORM_IGNORED, NULL },
	{ "format", FORM_IGNORED, NULL },
};

const size_t schema_n_keywords = ARRAY_LEN(schema_keywords);

static size_t stack_used(const struct check *c)
{
	const char *here = __builtin_frame_address(0);

	return here > c->stack ? (size_t)(here - c->stack)
		: (size_t)(c->stack - here);
}

static int check_value(struct check *c, const json_t *schema,
		       const json_t *v, struct err *e)
{
	int rc = 0;

	if (!spend(c, 1))
		return beyond(c, e);
	if (json_is_true(schema))
		return 0;
	if (json_is_false(schema))
		return err_public(e, ERR_TOOL_ARGS, "%s may not be given.",
				  here(c));
	if (++c->depth > SCHEMA_DEPTH || stack_used(c) >
	    SCHEMA_STACK_BYTES)
		return beyond(c, e);
	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(schema_keywords); i++) {
		const struct keyword *k = &schema_keywords[i];
		const json_t *rule;

		if (!k->check)
			continue;
		rule = json_object_get(schema, k->name);
		if (rule)
			rc = k->check(c, rule, schema, v, e);
	}
	c->depth--;
	return rc;
}

int schema_check(const json_t *schema, const json_t *v, struct err *e)
{
	struct check c = {
		.root = schema, .steps = SCHEMA_STEPS,
		.work = SCHEMA_PATTERN_WORK,
		.stack = __builtin_frame_address(0),
	};
	int rc = check_value(&c, schema, v, e);

	for (size_t i = 0; i < SCHEMA_PATTERNS; i++)
		pattern_free(c.patterns[i].compiled);
	return rc;
}
