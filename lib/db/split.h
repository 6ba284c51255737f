/* SQL text to statements, for migrations. No server involved. */
#ifndef DB_SPLIT_H
#define DB_SPLIT_H

#include "base/arena.h"
#include "base/str.h"

/*
 * Cuts text at its semicolons, outside quotes and comments. Comments go,
 * blanks at the ends go, empty statements go. Returns the statements in a;
 * *n says how many.
 */
struct str *db_split_sql(struct arena *a, struct str text, size_t *n);

#endif
