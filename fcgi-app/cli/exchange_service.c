/* SPDX-License-Identifier: MIT */
/*
 * services: those that were created over the API. No file contains their keys.
 */
#include "exchange.h"

#include "base/banned.h"

static int find_service(struct exchange_run *m, struct exchange_item *i, struct err *e)
{
	struct resource_row *row = arena_new(&m->s->arena, struct resource_row);
	struct str id;

	if (cli_exchange_take_text(m, i, "llmServiceId", &id, e))
		return -1;
	i->name = id.p;
	if (resource_get_by(m->by.db, cli_exchange_of(m), RSTMT_LLM_SERVICE_NAMED,
			    DB_ARGS(DB_S(m->by.owner.tenant_id), DB_S(id)),
			    &m->s->arena, row, e) == 0) {
		i->now = row;
		return 0;
	}
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}

static const char *name_of(struct exchange_run *m, const struct resource_row *row)
{
	return cli_exchange_text(m, row, COLUMN(LLM_SERVICE, service_id));
}

const struct exchange_kind cli_exchange_service = {
	.name = "services", .plural = "services", .id = RESOURCE_LLM_SERVICE,
	.options = "", .named_by = "", .second = COLUMN(LLM_SERVICE, name),
	.each = cli_exchange_each,
	.find = find_service, .name_of = name_of,
};
