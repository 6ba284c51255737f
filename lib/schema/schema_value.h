/*
 * Between schema.c, which applies schemas, and schema_value.c, the keywords that look
 * at a value by itself; others use schema.h.
 */
#ifndef TOOL_SCHEMA_VALUE_H
#define TOOL_SCHEMA_VALUE_H

#include "schema/schema_keyword.h"

/* The place in the value, for messages. Valid until the place changes. */
static inline const char *here(const struct check *c)
{
	return c->at.n ? c->at.text : "the arguments";
}

/* Ends the check: it would exceed a limit. */
static inline int beyond(struct check *c, struct err *e)
{
	c->beyond = true;
	return err_public(e, ERR_TOOL_ARGS, "%s is too complex to be checked.",
			  here(c));
}

/* Takes n steps from the budget. False if there are too few: return beyond(). */
static inline bool spend(struct check *c, size_t n)
{
	if (c->steps < 0 || n > (size_t)c->steps)
		c->steps = -1;
	else
		c->steps -= (int)n;
	return c->steps >= 0;
}

/* Takes the steps for n bytes that are only read: many bytes are one step. */
static inline bool look_at(struct check *c, size_t n)
{
	size_t all = c->looked + n;

	c->looked = all % SCHEMA_STEP_BYTES;
	return spend(c, all / SCHEMA_STEP_BYTES);
}

/*
 * The checks of these keywords, for the table in schema.c: 0 if v fits rule, which has
 * the form that the table demands, or is of a type to which the keyword does not
 * apply. Else -1 with ERR_TOOL_ARGS and a public text that names the place, also
 * where the budget of c is exceeded: c->beyond is set then. Any thread, one at a
 * time for each c.
 */
check_fn schema_type, schema_enum, schema_const, schema_unique;
check_fn schema_min_props, schema_max_props, schema_min_items, schema_max_items;
check_fn schema_min_length, schema_max_length, schema_pattern;
check_fn schema_minimum, schema_maximum, schema_above, schema_below, schema_multiple;

#endif
