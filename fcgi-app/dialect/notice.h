/*
 * Notices on the wire: the second table beside the turns' events. Only two
 * vocabularies have words for them: native, and of forge's union (E3) the one
 * case that is not a turn's own event, AITaskStatusChanged.
 */
#ifndef DIALECT_NOTICE_H
#define DIALECT_NOTICE_H

#include "dialect/dialect.h"
#include "store/notice.h"

/* Whether notices can be told in d. */
bool notice_speaks(enum dialect_id d);

/* The name of the event, or NULL: n has no form in d (one that speaks). */
const char *notice_name(enum dialect_id d, const struct notice *n);

/* Its data, one line of JSON; n has a name in d. */
void notice_data(enum dialect_id d, struct jw *w, const struct notice *n);

#endif
