/* SPDX-License-Identifier: MIT */
/* Agents as resources: the knowledge bases that they name. */
#include "knowledge/retrieve.h"
#include "resource/call.h"

#include "base/banned.h"

/*
 * B14: the bases must be visible to whoever names them; users of the agent
 * search only those that they see themselves.
 */
static int check_bases(const struct caller *by, const struct resource *r,
		       struct resource_change *k, struct err *e)
{
	struct resource_row *row = &k->row;
	struct db_val *v = &row->v[COLUMN(AGENT, knowledge_base_ids)];
	json_auto_t *set = NULL;
	struct str old = { NULL, 0 }, kept;

	(void)r;
	if (v->null || !row->given[COLUMN(AGENT, knowledge_base_ids)])
		return 0;
	if (k->now)
		old = resource_text(k->now, COLUMN(AGENT, knowledge_base_ids));
	set = jx_try(v->s);
	if (retrieve_set_check(by, set, old, by->arena, &kept, e))
		return -1;
	*v = kept.p ? DB_S(kept) : (struct db_val){ .type = 's', .null = true };
	return 0;
}

const struct resource_hooks knowledge_agent_hooks = { .check = check_bases };
