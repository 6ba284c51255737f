/* SPDX-License-Identifier: MIT */
/*
 * See schema.h. Each keyword is one row: the form of its value, which schema_supported
 * verifies, and the check, which schema_check calls for every member of a schema
 * that has one. All work is limited: by depth and stack, because
 * a $ref may refer back to itself; by a number of steps, because anyOf below $ref
 * can grow exponentially (comparing and counting also take steps); and patterns by
 * their own budget. Exceeding a limit ends the whole check: a value that was not
 * checked never counts as valid, not even in `not` or `anyOf`.
 */
#include "schema/schema_keyword.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "schema/pattern.h"

#include "base/banned.h"

/*
 * Limits of one check. Stack use is measured, because frames differ between builds:
 * the smallest stack of a worker (128 KiB) has room for this and for our callers.
 * pattern.h defines the work of patterns.
 */
enum {
	SCHEMA_DEPTH = 2 * LIM_JSON_DEPTH,
	SCHEMA_STACK_BYTES = 49152,
	SCHEMA_STEPS = 400000,
	SCHEMA_STEP_BYTES = 1024,	/* bytes compared or counted in one step */
	SCHEMA_VALUE_BYTES = 32,	/* the cost of comparing a value */
	SCHEMA_PATTERN_WORK = 10000000,
	SCHEMA_PATTERNS = 8,	/* number of patterns kept compiled during a check */
};

struct place {			/* the current position in the value or the schema */
	char text[160];
	size_t n;
};

struct check {
	const json_t *root;
	struct place at;
	int depth, steps;	/* depth: current level; steps: remaining budget */
	size_t looked;		/* bytes not yet counted as a step */
	int64_t work;		/* remaining budget for patterns */
	const char *stack;	/* its address when the check began */
	bool beyond;		/* a limit was exceeded: the result is invalid */
	struct {
		const json_t *rule;	/* NULL: free */
		struct pattern *compiled;
	} patterns[SCHEMA_PATTERNS];
	size_t n_patterns;	/* compiled so far; determines the next slot */
};

/* Appends ".key" or "[index]" (key == NULL) to the place; place_pop undoes it. */
static size_t place_push(struct place *p, const char *key, size_t index)
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

static void place_pop(struct place *p, size_t before)
{
	p->n = before;
	p->text[before] = '\0';
}

/* The place in the value, for messages. Valid until the place changes. */
static const char *here(const struct check *c)
{
	return c->at.n ? c->at.text : "the arguments";
}

/* Ends the check: it would exceed a limit. */
static int beyond(struct check *c, struct err *e)
{
	c->beyond = true;
	return err_public(e, ERR_TOOL_ARGS, "%s is too complex to be checked.",
			  here(c));
}

/* Takes n steps from the budget. False if there are too few: return beyond(). */
static bool spend(struct check *c, size_t n)
{
	if (c->steps < 0 || n > (size_t)c->steps)
		c->steps = -1;
	else
		c->steps -= (int)n;
	return c->steps >= 0;
}

/* Takes the steps for n bytes that are only read: many bytes are one step. */
static bool look_at(struct check *c, size_t n)
{
	size_t all = c->looked + n;

	c->looked = all % SCHEMA_STEP_BYTES;
	return spend(c, all / SCHEMA_STEP_BYTES);
}

/* -- keywords that look at a value by itself ------------------------------------- */

static const char *type_name(const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT: return "object";
	case JSON_ARRAY: return "array";
	case JSON_STRING: return "string";
	case JSON_INTEGER: return "integer";
	case JSON_REAL: return "number";
	case JSON_TRUE:
	case JSON_FALSE: return "boolean";
	case JSON_NULL: break;
	}
	return "null";
}

static bool type_fits(const json_t *type, const json_t *v)
{
	const char *want = json_string_value(type);

	if (!want)
		return false;
	if (strcmp(want, "number") == 0)
		return json_is_number(v);
	if (strcmp(want, "integer") == 0 && json_is_real(v))
		return floor(json_real_value(v)) == json_real_value(v);
	return strcmp(want, type_name(v)) == 0;
}

bool schema_names_type(const json_t *schema, const json_t *v)
{
	const json_t *type = json_object_get(schema, "type"), *t;
	size_t i;

	json_array_foreach((json_t *)type, i, t)
		if (type_fits(t, v))
			return true;
	return type_fits(type, v);
}

static bool same_number(const json_t *a, const json_t *b)
{
	if (json_typeof(a) == json_typeof(b))
		return json_equal(a, b);
	return !(json_number_value(a) < json_number_value(b) ||
		 json_number_value(a) > json_number_value(b));
}

static bool same(struct check *c, const json_t *a, const json_t *b);

static bool same_children(struct check *c, const json_t *a, const json_t *b)
{
	const char *key;
	json_t *v;
	size_t i;

	if (json_array_size(a) != json_array_size(b) ||
	    json_object_size(a) != json_object_size(b))
		return false;
	json_array_foreach((json_t *)a, i, v)
		if (!same(c, v, json_array_get(b, i)))
			return false;
	json_object_foreach((json_t *)a, key, v)
		if (!same(c, v, json_object_get(b, key)))
			return false;
	return true;
}

/*
 * Equality of JSON Schema: 1 and 1.0 are the same number. Also false if the
 * comparison would take too many steps; c->steps is then negative.
 */
static bool same(struct check *c, const json_t *a, const json_t *b)
{
	if (!look_at(c, SCHEMA_VALUE_BYTES) || !a || !b)
		return false;
	if (json_is_number(a) && json_is_number(b))
		return same_number(a, b);
	if (json_typeof(a) != json_typeof(b))
		return false;
	if (json_is_object(a) || json_is_array(a))
		return same_children(c, a, b);
	if (json_is_string(a) &&
	    json_string_length(a) == json_string_length(b) &&
	    !look_at(c, json_string_length(a)))
		return false;
	return json_equal(a, b);
}

static int check_type(struct check *c, const json_t *rule,
		      const json_t *schema, const json_t *v, struct err *e)
{
	char want[96] = "";
	size_t n = 0;
	const json_t *t;
	size_t i;

	(void)schema;
	if (json_is_string(rule)) {
		if (type_fits(rule, v))
			return 0;
		return err_public(e, ERR_TOOL_ARGS, "%s must be %s, not %s.",
				  here(c), json_string_value(rule),
				  type_name(v));
	}
	if (!spend(c, json_array_size(rule)))
		return beyond(c, e);
	json_array_foreach((json_t *)rule, i, t) {
		if (type_fits(t, v))
			return 0;
		n += (size_t)snprintf(want + n, sizeof(want) - n, "%s%s",
				      i ? " or " : "", json_string_value(t));
		n = MIN(n, sizeof(want) - 1);
	}
	return err_public(e, ERR_TOOL_ARGS, "%s must be %s, not %s.", here(c),
			  want, type_name(v));
}

/* A value of the schema, for messages, in which a large one is cut. */
static void add_value(struct buf *b, const json_t *j)
{
	if (json_is_object(j))
		buf_adds(b, "{…}");
	else if (json_is_array(j))
		buf_adds(b, "[…]");
	else if (json_string_length(j) > 200)
		buf_addf(b, "\"%.200s…\"", json_string_value(j));
	else
		jx_dump(b, j);
}

/* The first values of a list as text, for messages. */
static void list_values(const json_t *list, char *out, size_t size)
{
	struct buf b = BUF_INIT(4096);
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)list, i, item) {
		if (i)
			buf_adds(&b, ", ");
		if (b.n > size) {
			buf_adds(&b, "…");
			break;
		}
		if (json_is_string(item) && json_string_length(item) < 200)
			buf_adds(&b, json_string_value(item));
		else
			add_value(&b, item);
	}
	snprintf(out, size, "%.*s",
		 (int)utf8_complete((struct str){ b.p, MIN(b.n, size - 1) }),
		 b.p);
	buf_release(&b);
}

static int check_enum(struct check *c, const json_t *rule,
		      const json_t *schema, const json_t *v, struct err *e)
{
	char known[120];
	const json_t *item;
	size_t i;

	(void)schema;
	if (!spend(c, json_array_size(rule)))
		return beyond(c, e);
	json_array_foreach((json_t *)rule, i, item)
		if (same(c, item, v))
			return 0;
	if (c->steps < 0)
		return beyond(c, e);
	list_values(rule, known, sizeof(known));
	return err_public(e, ERR_TOOL_ARGS, "%s must be one of: %s.", here(c),
			  known);
}

static int check_const(struct check *c, const json_t *rule,
		       const json_t *schema, const json_t *v, struct err *e)
{
	struct buf b = BUF_INIT(4096);

	(void)schema;
	if (same(c, rule, v))
		return 0;
	if (c->steps < 0)
		return beyond(c, e);
	add_value(&b, rule);
	err_public(e, ERR_TOOL_ARGS, "%s must be %.80s.", here(c), b.p);
	buf_release(&b);
	return -1;
}

static int check_unique(struct check *c, const json_t *rule,
			const json_t *schema, const json_t *v, struct err *e)
{
	size_t n = json_array_size(v);

	(void)schema;
	for (size_t i = 1; json_is_true(rule) && i < n; i++)
		for (size_t k = 0; k < i; k++) {
			if (!spend(c, 1))
				return beyond(c, e);
			if (same(c, json_array_get(v, i), json_array_get(v, k)))
				return err_public(e, ERR_TOOL_ARGS,
						  "%s has an entry twice.",
						  here(c));
		}
	return c->steps < 0 ? beyond(c, e) : 0;
}

/* The counting keywords share one comparison; `what` says which one failed. */
static int bound(struct check *c, bool fits, const char *what, const char *unit,
		 const json_t *rule, struct err *e)
{
	char number[STR_REAL_BYTES];

	if (fits)
		return 0;
	if (json_is_integer(rule))
		snprintf(number, sizeof(number), "%lld",
			 (long long)json_integer_value(rule));
	else
		str_of_real(json_real_value(rule), number);
	return err_public(e, ERR_TOOL_ARGS, "%s must %s %s%s.", here(c), what,
			  number, unit);
}

#define COUNTED(fn, applies, count, op, what, unit) \
static int fn(struct check *c, const json_t *rule, const json_t *schema, \
	      const json_t *v, struct err *e) \
{ \
	(void)schema; \
	if (!(applies)) \
		return 0; \
	if (!look_at(c, json_string_length(v))) \
		return beyond(c, e); \
	return bound(c, (count) op json_number_value(rule), what, unit, rule, e); \
}

static double chars(const json_t *v)
{
	struct str s = { json_string_value(v), json_string_length(v) };

	return (double)utf8_chars(s);
}

static bool divides(const json_t *rule, const json_t *v)
{
	double d = json_number_value(v) / json_number_value(rule);

	return fabs(d - nearbyint(d)) <= 1e-9 * MAX(1, fabs(d));
}

COUNTED(check_min_props, json_is_object(v), (double)json_object_size(v), >=,
	"have at least", " members")
COUNTED(check_max_props, json_is_object(v), (double)json_object_size(v), <=,
	"have at most", " members")
COUNTED(check_min_items, json_is_array(v), (double)json_array_size(v), >=,
	"have at least", " entries")
COUNTED(check_max_items, json_is_array(v), (double)json_array_size(v), <=,
	"have at most", " entries")
COUNTED(check_min_length, json_is_string(v), chars(v), >=,
	"have at least", " characters")
COUNTED(check_max_length, json_is_string(v), chars(v), <=,
	"have at most", " characters")
COUNTED(check_minimum, json_is_number(v), json_number_value(v), >=,
	"be at least", "")
COUNTED(check_maximum, json_is_number(v), json_number_value(v), <=,
	"be at most", "")
COUNTED(check_above, json_is_number(v), json_number_value(v), >,
	"be more than", "")
COUNTED(check_below, json_is_number(v), json_number_value(v), <,
	"be less than", "")

static int check_multiple(struct check *c, const json_t *rule,
			  const json_t *schema, const json_t *v, struct err *e)
{
	(void)schema;
	return bound(c, !json_is_number(v) || divides(rule, v),
		     "be a multiple of", "", rule, e);
}

/* The rule's pattern, compiled at first use; NULL: too many or too large. */
static struct pattern *compiled(struct check *c, const json_t *rule)
{
	size_t i = c->n_patterns % SCHEMA_PATTERNS;
	const char *fault;

	for (size_t k = 0; k < SCHEMA_PATTERNS; k++)
		if (c->patterns[k].rule == rule)
			return c->patterns[k].compiled;
	c->work -= PATTERN_COMPILE_WORK;
	if (c->work < 0)
		return NULL;
	pattern_free(c->patterns[i].compiled);
	c->patterns[i].compiled = pattern_new(json_string_value(rule), &fault);
	c->patterns[i].rule = c->patterns[i].compiled ? rule : NULL;
	c->n_patterns++;
	return c->patterns[i].compiled;
}

static int check_pattern(struct check *c, const json_t *rule,
			 const json_t *schema, const json_t *v, struct err *e)
{
	struct pattern *p;

	(void)schema;
	if (!json_is_string(v))
		return 0;
	p = compiled(c, rule);
	if (!p)
		return beyond(c, e);
	switch (pattern_find(p, (struct str){ json_string_value(v),
					      json_string_length(v) },
			     &c->work)) {
	case PATTERN_YES:
		return 0;
	case PATTERN_NO:
		return err_public(e, ERR_TOOL_ARGS, "%s must match %.100s.",
				  here(c), json_string_value(rule));
	case PATTERN_BEYOND:
		break;
	}
	return beyond(c, e);
}

/* -- keywords that apply schemas to parts of a value ------------------------------ */

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

static int check_ref(struct check *c, const json_t *rule,
		     const json_t *schema, const json_t *v, struct err *e)
{
	const json_t *target = schema_resolve(c->root, rule);

	(void)schema;
	if (!target)
		return err_set(e, ERR_INTERNAL, "$ref was not checked");
	return check_value(c, target, v, e);
}

/* -- the table ------------------------------------------------------------------ */

const struct keyword schema_keywords[] = {
	{ "type", FORM_TYPE, check_type },
	{ "enum", FORM_LIST, check_enum },
	{ "const", FORM_ANY, check_const },
	{ "required", FORM_NAMES, check_required },
	{ "properties", FORM_SCHEMA_MAP, check_properties },
	{ "additionalProperties", FORM_SCHEMA, check_additional },
	{ "minProperties", FORM_COUNT, check_min_props },
	{ "maxProperties", FORM_COUNT, check_max_props },
	{ "minItems", FORM_COUNT, check_min_items },
	{ "maxItems", FORM_COUNT, check_max_items },
	{ "items", FORM_SCHEMA, check_items },
	{ "uniqueItems", FORM_BOOL, check_unique },
	{ "minimum", FORM_NUMBER, check_minimum },
	{ "maximum", FORM_NUMBER, check_maximum },
	{ "exclusiveMinimum", FORM_NUMBER, check_above },
	{ "exclusiveMaximum", FORM_NUMBER, check_below },
	{ "multipleOf", FORM_NUMBER, check_multiple },
	{ "minLength", FORM_COUNT, check_min_length },
	{ "maxLength", FORM_COUNT, check_max_length },
	{ "pattern", FORM_PATTERN, check_pattern },
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

/* -- checking ------------------------------------------------------------------- */

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

/* -- which schemas are supported --------------------------------------------------- */

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
