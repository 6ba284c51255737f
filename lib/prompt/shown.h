/* SPDX-License-Identifier: MIT */
/*
 * What the user's client shows (the option pageContext, and context of AG-UI): texts that
 * the page has put together for this message, and so data of others.
 */
#ifndef PROMPT_SHOWN_H
#define PROMPT_SHOWN_H

#include "base/err.h"
#include "base/json.h"

/*
 * Checks a list of {description, value}, two texts, of at most LIM_SHOWN items and
 * LIM_SHOWN_BYTES in all; NULL is one. ERR_INVALID_FIELD, ERR_TOO_BIG, which name field.
 */
int shown_check(const json_t *list, const char *field, struct err *e) MUST_CHECK;

#endif
