/* SPDX-License-Identifier: MIT */
/*
 * Notices on the wire: the second table besides the events of turns. Only two
 * dialects have them: native, and forge with the only case of its union (E3) that
 * is not an event of a turn, AITaskStatusChanged.
 */
#ifndef DIALECT_NOTICE_H
#define DIALECT_NOTICE_H

#include "dialect/dialect.h"
#include "store/notice.h"

/* Whether notices can be told in d. */
bool dialect_notice_speaks(enum dialect_id d);

/* The name of the event, or NULL: n has no form in d (one that speaks). */
const char *dialect_notice_name(enum dialect_id d, const struct notice *n);

/* Its data, one line of JSON; n has a name in d. */
void dialect_notice_data(enum dialect_id d, struct jw *w, const struct notice *n);

#endif
