/*
 * After the response: a job is asked for that indexes what was said. Its mark stands
 * in the row of the conversation, so failing only makes it later.
 */
#include "turn/after.h"

#include "search/chats.h"
#include "turn/loop.h"

#include "base/banned.h"

bool index_due(const struct turn_run *t)
{
	return t->deps->db;
}

int index_run(struct turn_run *t, struct err *e)
{
	return chats_want(t->deps->db, &t->loop->owner, e);
}
