/* SPDX-License-Identifier: MIT */
/* The keywords, for schema.c and schema_relax.c; others use schema.h. */
#ifndef TOOL_SCHEMA_KEYWORD_H
#define TOOL_SCHEMA_KEYWORD_H

#include "schema/schema.h"

enum form {
	FORM_IGNORED, FORM_TYPE, FORM_SCHEMA, FORM_SCHEMA_MAP, FORM_SCHEMA_LIST,
	FORM_NAMES, FORM_COUNT, FORM_NUMBER, FORM_BOOL, FORM_ANY, FORM_LIST,
	FORM_PATTERN, FORM_REF,
};

struct check;			/* in schema.c */

/*
 * 0 if v fits rule, which has the form that the table demands, or is of a type to which
 * the keyword does not apply. Else -1 with ERR_TOOL_ARGS and a public text that names
 * the place, also where a limit is exceeded.
 */
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

/* "#", "#/$defs/NAME" or "#/definitions/NAME" within root; NULL otherwise. */
const json_t *schema_resolve(const json_t *root, const json_t *ref);

#endif
