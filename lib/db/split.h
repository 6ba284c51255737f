/* SPDX-License-Identifier: MIT */
/* Splits SQL text into statements, for migrations. Needs no server. */
#ifndef DB_SPLIT_H
#define DB_SPLIT_H

#include "base/arena.h"
#include "base/str.h"

/*
 * Splits text at semicolons outside quotes and comments. Comments, surrounding
 * blanks and empty statements are removed. Returns the statements in a; *n: their
 * number.
 */
struct str *db_split_sql(struct arena *a, struct str text, size_t *n);

#endif
