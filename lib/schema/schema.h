/* SPDX-License-Identifier: MIT */
/*
 * The JSON Schema subset for tool arguments and typed outputs. One table of
 * keywords (schema.c) serves schema_check and schema_supported, so exactly the
 * accepted keywords are checked:
 *
 *   type (one or a list) · enum · const · properties · required ·
 *   additionalProperties · minProperties · maxProperties · items · minItems ·
 *   maxItems · uniqueItems · minimum · maximum · exclusiveMinimum ·
 *   exclusiveMaximum · multipleOf · minLength · maxLength · pattern · anyOf ·
 *   oneOf · allOf · not · $ref to "#", "#/$defs/…", "#/definitions/…" · $defs
 *   · definitions
 *
 * Annotations (title, description, default, examples, format, …) are ignored.
 * Patterns are ECMAScript's, within limits (pattern.h); schema_supported refuses
 * others.
 */
#ifndef TOOL_SCHEMA_H
#define TOOL_SCHEMA_H

#include "base/err.h"
#include "base/json.h"

/*
 * Checks v against schema, which schema_supported has accepted. ERR_TOOL_ARGS with
 * a public text that names the place ("filters[0].op"), what was expected and, for
 * an unknown property, the known ones. It is also an error if the check would take
 * too much work (a $ref to itself, exponential alternatives, endless backtracking).
 * Any thread with 64 KiB of stack left.
 */
int schema_check(const json_t *schema, const json_t *v,
		 struct err *e) MUST_CHECK;

/*
 * Whether `type` of the schema, alone or in a list, names the type of v; false if
 * it has no type. A real number without a fraction is an integer, too. Any thread.
 */
bool schema_names_type(const json_t *schema, const json_t *v);

/*
 * Refuses keywords that schema_check does not know, and known ones with a value of
 * the wrong form. ERR_CONFIG, with a public text that has the place in the schema,
 * and the place of the keyword (cut at 63 bytes) as field. Any thread.
 */
int schema_supported(const json_t *schema, struct err *e) MUST_CHECK;

/*
 * A copy that schema_supported accepts and whose type is object. Unsupported parts
 * are left out, so it allows everything that schema allows and possibly more; this
 * is logged with the name of the tool. For tools of services that check the
 * arguments themselves. New. Any thread.
 */
json_t *schema_relaxed(const json_t *schema, const char *tool);

#endif
