/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of the resources that people create, from which clients draw lists
 * and forms.
 */
#include "api/api.h"
#include "resource/call.h"
#include "resource/form.h"

#include "base/banned.h"

/*
 * GET /forms: 200 {items: [{name, path, title, what, parent, order, search,
 * readOnly, most, idKey, labelKey, fields[], canWrite}]}. Only what the caller may read;
 * canWrite: may create, change and delete, as far as a row allows it.
 */
int api_form_list(struct request *rq, struct response *rs, struct err *e)
{
	struct jw w = resp_json(rs, 200);

	(void)e;
	jw_obj(&w);
	jw_key(&w, "items");
	jw_arr(&w);
	for (size_t i = 0; i < RESOURCE__MAX; i++) {
		const struct resource *r = &resources[i];

		if (!resource_may(&rq->by, r, VERB_LIST))
			continue;
		jw_obj(&w);
		resource_form(&w, &rq->by, r);
		jw_kbool(&w, "canWrite", resource_may_store(&rq->by, r));
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}
