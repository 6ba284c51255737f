/* SPDX-License-Identifier: MIT */
/*
 * Rows that were stored before their resource was SEARCHED: the search does not find them
 * until their texts are folded, for `migrate`.
 */
#ifndef RESOURCE_FOLD_H
#define RESOURCE_FOLD_H

#include "db/db.h"

/*
 * Folds the texts of all rows that have none; *done: how many. May be interrupted and run
 * again, also concurrently with others and with a running server, whose changes win.
 * Blocks. Database errors.
 */
int resource_fold_rows(struct db *db, int64_t *done, struct err *e) MUST_CHECK;

#endif
