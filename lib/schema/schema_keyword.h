/* Between schema.c, schema_value.c (values) and schema_form.c (schemas); others use schema.h. */
#ifndef TOOL_SCHEMA_KEYWORD_H
#define TOOL_SCHEMA_KEYWORD_H

#include "base/limits.h"
#include "schema/pattern.h"
#include "schema/schema.h"

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

enum form {
	FORM_IGNORED, FORM_TYPE, FORM_SCHEMA, FORM_SCHEMA_MAP, FORM_SCHEMA_LIST,
	FORM_NAMES, FORM_COUNT, FORM_NUMBER, FORM_BOOL, FORM_ANY, FORM_LIST,
	FORM_PATTERN, FORM_REF,
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

typedef int check_fn(struct check *c, const json_t *rule,
		     const json_t *schema, const json_t *v, struct err *e);

struct keyword {
	const char *name;
	enum form form;
	check_fn *check;	/* NULL: does not restrict values by itself */
};

/* All supported keywords. */
extern const struct keyword schema_keywords[];
extern const size_t schema_n_keywords;

/* Appends ".key" or "[index]" (key == NULL) to the place; place_pop undoes it. */
size_t place_push(struct place *p, const char *key, size_t index);
void place_pop(struct place *p, size_t before);

/* "#", "#/$defs/NAME" or "#/definitions/NAME" within root; NULL otherwise. */
const json_t *schema_resolve(const json_t *root, const json_t *ref);

#endif
