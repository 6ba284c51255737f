/* SPDX-License-Identifier: MIT */
/*
 * fill.h - an object that satisfies a JSON Schema, for callers that ask for
 * typed output: the types, the required members and the enumerations are right,
 * the texts are cut from the question.
 */
#ifndef DEMO_FILL_H
#define DEMO_FILL_H

#include <jansson.h>

/* A new value for the schema; text is the source for strings. Never NULL. */
json_t *fill_schema(const json_t *schema, const char *text);

#endif
