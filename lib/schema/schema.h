/*
 * The JSON Schema subset that tool arguments and typed outputs use. One table
 * of keywords (schema.c) serves both functions, so exactly the accepted keywords
 * are checked:
 *
 *   type (one or a list) · enum · const · properties · required ·
 *   additionalProperties · minProperties · maxProperties · items · minItems ·
 *   maxItems · uniqueItems · minimum · maximum · exclusiveMinimum ·
 *   exclusiveMaximum · multipleOf · minLength · maxLength · pattern · anyOf ·
 *   oneOf · allOf · not · $ref to "#", "#/$defs/…", "#/definitions/…" · $defs
 *   · definitions
 *
 * Annotations (title, description, default, examples, format, …) are ignored.
 * Patterns are ECMAScript's, within bounds (pattern.h); schema_supported refuses
 * patterns beyond them.
 */
#ifndef TOOL_SCHEMA_H
#define TOOL_SCHEMA_H

#include "base/err.h"
#include "base/json.h"

/*
 * Checks v against schema, which has passed schema_supported. ERR_TOOL_ARGS
 * with a public text that names the place ("filters[0].op"), what was expected
 * and, for an unknown property, the known ones. A check that would take too much
 * work (a $ref to itself, exploding alternatives, endless backtracking) is an
 * error as well. Any thread with 64 KiB of stack left.
 */
int schema_check(const json_t *schema, const json_t *v,
		 struct err *e) MUST_CHECK;

/*
 * Refuses keywords that schema_check does not know, and known ones with a
 * value of the wrong form. ERR_CONFIG, public text with the place in the
 * schema, and the place of the keyword (cut at 63 bytes) as field. Any thread.
 */
int schema_supported(const json_t *schema, struct err *e) MUST_CHECK;

/*
 * A copy that schema_supported accepts and whose type is object. Unsupported parts
 * are left out, so it allows everything that schema allows and possibly more; this
 * is logged with the name of the tool. For schemas of services that check the
 * arguments themselves. New. Any thread.
 */
json_t *schema_relaxed(const json_t *schema, const char *tool);

/*
 * Neutralises the texts of an untrusted schema (untrusted.h), in place:
 * descriptions and titles, each cut at max_bytes. Names and values cannot be
 * changed, because calls would no longer match; false if one of them would have to
 * be, and the schema must then not be used. The caller bounds the depth, as
 * jx_load does. Any thread.
 */
bool schema_clean(json_t *schema, size_t max_bytes) MUST_CHECK;

#endif
