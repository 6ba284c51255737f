/* Between schema.c (values) and schema_form.c (schemas); others use schema.h. */
#ifndef TOOL_SCHEMA_KEYWORD_H
#define TOOL_SCHEMA_KEYWORD_H

#include "base/limits.h"
#include "tool/schema.h"

enum {
	SCHEMA_DEPTH = 2 * LIM_JSON_DEPTH,
	SCHEMA_STEPS = 200000,
};

enum form {
	FORM_IGNORED, FORM_TYPE, FORM_SCHEMA, FORM_SCHEMA_MAP, FORM_SCHEMA_LIST,
	FORM_NAMES, FORM_COUNT, FORM_NUMBER, FORM_BOOL, FORM_ANY, FORM_LIST,
	FORM_PATTERN, FORM_REF,
};

struct place {			/* where we are in the value or the schema */
	char text[160];
	size_t n;
};

struct check {
	const json_t *root;
	struct place at;
	int depth, steps;
};

typedef int check_fn(struct check *c, const json_t *rule,
		     const json_t *schema, const json_t *v, struct err *e);

struct keyword {
	const char *name;
	enum form form;
	check_fn *check;	/* NULL: says nothing about values by itself */
};

/* Every keyword there is. */
extern const struct keyword schema_keywords[];
extern const size_t schema_n_keywords;

/* Adds ".key" or "[index]" (key == NULL) to the place; undone by place_pop. */
size_t place_push(struct place *p, const char *key, size_t index);
void place_pop(struct place *p, size_t before);

/* Whether t is the name of a type, as JSON. */
bool schema_type_known(const json_t *t);

/* "#", "#/$defs/NAME" or "#/definitions/NAME" within root; NULL otherwise. */
const json_t *schema_resolve(const json_t *root, const json_t *ref);

#endif
