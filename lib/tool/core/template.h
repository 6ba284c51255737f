/* SPDX-License-Identifier: MIT */
/*
 * Templates: text of the admin with {name} in place of the argument of that name.
 * A brace that is not followed by a name is literal. Pure; any thread.
 */
#ifndef TOOL_TEMPLATE_H
#define TOOL_TEMPLATE_H

#include "base/buf.h"
#include "base/json.h"

/*
 * Cuts the next piece off *rest: *literal is the text up to a {name} (or to
 * the end), *name its name, p == NULL when none follows. False at the end.
 */
bool template_next(struct str *rest, struct str *literal, struct str *name);

/* The name when text is exactly {name}; p == NULL otherwise. */
struct str template_only(struct str text);

/* Whether a string in j contains {name}, at any depth. */
bool template_uses(const json_t *j, struct str name);
bool template_text_uses(struct str text, struct str name);

/*
 * Appends a value as text: strings as they are, numbers and booleans as JSON
 * has them, null and absence as nothing, lists and objects as JSON.
 */
void template_value(struct buf *out, const json_t *v);

/* Appends text with its names filled in from args. */
void template_fill(struct buf *out, struct str text, const json_t *args);

/*
 * A copy of j with its strings filled in. A string that is only {name} becomes
 * the argument itself, with its type; without the argument, the member or item is
 * left out. New reference; NULL if all of j was left out.
 */
json_t *template_json(const json_t *j, const json_t *args);

/*
 * The first name in j (or text) that is no property of schema; p == NULL when
 * there is none.
 */
struct str template_unknown(const json_t *j, const json_t *schema);
struct str template_text_unknown(struct str text, const json_t *schema);

#endif
