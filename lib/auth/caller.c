/* SPDX-License-Identifier: MIT */
#include "auth/caller.h"

#include "base/banned.h"

struct caller caller_of(const struct conf *c, const struct identity *who,
			struct db *db, struct arena *a)
{
	struct caller by = { .conf = c, .who = who, .db = db, .arena = a };

	if (who)
		by.owner = (struct owner){ who->tenant, who->user_id };
	return by;
}
