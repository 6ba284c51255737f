/* SPDX-License-Identifier: MIT */
/* A message as parameters of the statements that insert one (stmt.h). */
#ifndef STORE_MESSAGE_ROW_H
#define STORE_MESSAGE_ROW_H

#include "store/message.h"
#include "store/stmt.h"

static inline struct str content_of(const struct message *m)
{
	return m->content.p ? m->content : STR("");
}

/* From `kind` on, as MESSAGE_INSERT has them. */
#define COLUMN_ARGS(m) \
	DB_I((m)->kind), DB_S_IF((m)->finish_reason), DB_S_IF((m)->client_id), \
	DB_I_IF((m)->continues_seq, (m)->continues_seq), DB_I((m)->kept) \
	MESSAGE_OPTION_VALUES(&(m)->options)

enum { MESSAGE_PARAMS = sizeof(MESSAGE_ROW) - 1 };

/* The arguments of a row of MESSAGE_INSERT, from v on; returns where the next begin. */
struct db_val *message_args(struct db_val *v, const struct uuid *conversation_id,
			    const struct message *m);

#endif
