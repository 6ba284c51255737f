/* SPDX-License-Identifier: MIT */
#include "domain/offer.h"

#include "auth/policy.h"
#include "domain/stored_service.h"

#include "base/banned.h"

static const struct str any_workspace = { NULL, 0 };

int offer_each(const struct caller *by, size_t *at, const struct llm_service **out,
	       struct err *e)
{
	while (*at < by->conf->n_offers) {
		const struct conf_offer *o = &by->conf->offers[(*at)++];

		if (!policy_in_groups(by->who, &o->groups))
			continue;
		if (stored_service_look(by, any_workspace, str_of(o->id), out, e) < 0)
			return -1;
		if (*out)
			return 1;
	}
	return 0;
}

int offer_find(const struct caller *by, struct str id, const struct llm_service **out,
	       struct err *e)
{
	*out = NULL;
	for (size_t i = 0; i < by->conf->n_offers; i++) {
		const struct conf_offer *o = &by->conf->offers[i];

		if (str_is(id, o->id) && policy_in_groups(by->who, &o->groups))
			return service_find(by, any_workspace, id, by->arena, out, e);
	}
	return 0;
}

int offer_check_conf(const struct caller *by, struct err *e)
{
	for (size_t i = 0; i < by->conf->n_offers; i++)
		if (stored_service_named(by, "openai.services", by->conf->offers[i].id,
					 e) < 0)
			return -1;
	return 0;
}
