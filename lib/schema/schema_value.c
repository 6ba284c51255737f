/*
 * See schema_value.h: type, enum, const, uniqueItems, counts, lengths, numbers and
 * pattern. What applies schemas to parts of a value is in schema.c.
 */
#include "schema/schema_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#include "base/banned.h"

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

int schema_type(struct check *c, const json_t *rule,
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

int schema_enum(struct check *c, const json_t *rule,
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

int schema_const(struct check *c, const json_t *rule,
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

int schema_unique(struct check *c, const json_t *rule,
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
	char number[32];

	if (fits)
		return 0;
	if (json_is_integer(rule))
		snprintf(number, sizeof(number), "%lld",
			 (long long)json_integer_value(rule));
	else
		snprintf(number, sizeof(number), "%g", json_real_value(rule));
	return err_public(e, ERR_TOOL_ARGS, "%s must %s %s%s.", here(c), what,
			  number, unit);
}

#define COUNTED(fn, applies, count, op, what, unit) \
int fn(struct check *c, const json_t *rule, const json_t *schema, \
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

COUNTED(schema_min_props, json_is_object(v), (double)json_object_size(v), >=,
	"have at least", " members")
COUNTED(schema_max_props, json_is_object(v), (double)json_object_size(v), <=,
	"have at most", " members")
COUNTED(schema_min_items, json_is_array(v), (double)json_array_size(v), >=,
	"have at least", " entries")
COUNTED(schema_max_items, json_is_array(v), (double)json_array_size(v), <=,
	"have at most", " entries")
COUNTED(schema_min_length, json_is_string(v), chars(v), >=,
	"have at least", " characters")
COUNTED(schema_max_length, json_is_string(v), chars(v), <=,
	"have at most", " characters")
COUNTED(schema_minimum, json_is_number(v), json_number_value(v), >=,
	"be at least", "")
COUNTED(schema_maximum, json_is_number(v), json_number_value(v), <=,
	"be at most", "")
COUNTED(schema_above, json_is_number(v), json_number_value(v), >,
	"be more than", "")
COUNTED(schema_below, json_is_number(v), json_number_value(v), <,
	"be less than", "")

int schema_multiple(struct check *c, const json_t *rule,
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

int schema_pattern(struct check *c, const json_t *rule,
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
