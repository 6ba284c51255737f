/* SPDX-License-Identifier: MIT */
/*
 * Converts an OpenAPI 3 document to declarations of kind http: pure functions on
 * JSON. Nothing is guessed: what cannot be expressed is refused, with the operation
 * and the place. Constraints beyond our JSON Schema subset are left out; the
 * service checks them.
 */
#ifndef TOOL_OPENAPI_H
#define TOOL_OPENAPI_H

#include "tool/core/tool.h"

/*
 * The operations that c picks, as a JSON array of
 * {"name","description","effect","parameters","url","method","query",
 *  "headers":[…],"body","form"}; name is that of the tool, url, query, headers
 * and body are templates. New reference, or NULL with ERR_CONFIG and a public
 * text. Any thread.
 */
json_t *openapi_import(const struct conf_tool *c, struct err *e) MUST_CHECK;

#endif
