/* SPDX-License-Identifier: MIT */
#include "api/scope.h"

#include "domain/choice.h"
#include "setting/values.h"
#include "app.h"
#include "base/log.h"
#include "route.h"
#include "store/message.h"
#include "tool/core/tool.h"

#include "base/banned.h"

const struct workspace *scope_workspace(const struct request *rq,
					struct str id, struct err *e)
{
	const struct workspace *w;
	const struct agent *a;

	return target_scope(&rq->by, id, (struct str){ NULL, 0 }, &w, &a, e)
		? NULL : w;
}

const struct agent *scope_agent(const struct request *rq,
				const struct workspace *w, struct str id,
				struct err *e)
{
	const struct agent *a;

	return target_agent(&rq->by, w, id, &a, e) ? NULL : a;
}

int scope_path(const struct request *rq, const struct workspace **w,
	       const struct agent **a, struct err *e)
{
	*w = NULL;
	*a = NULL;
	if (!route_has_arg(rq, "workspace"))
		return 0;
	if (route_has_arg(rq, "agent"))
		return target_scope(&rq->by, route_arg(rq, "workspace"),
				    route_arg(rq, "agent"), w, a, e);
	*w = scope_workspace(rq, route_arg(rq, "workspace"), e);
	return *w ? 0 : -1;
}

int scope_default(struct request *rq, struct str agent,
		  const struct workspace **w, const struct agent **a,
		  struct err *e)
{
	if (setting_read_for(&rq->by, e) < 0 ||
	    choice_default(&rq->by, w, a, e) < 0)
		return -1;
	if (!*w)
		return err_set(e, ERR_NOT_FOUND, "no workspace for the caller");
	return agent.p ? target_agent(&rq->by, *w, agent, a, e) : 0;
}

int scope_message(const struct uuid *of, struct str id, const char *key, int64_t *seq,
		  struct err *e)
{
	struct uuid conversation;

	if (!message_id_parse(id, &conversation, seq))
		return err_field(e, ERR_INVALID_FIELD, key,
				 "%s must be a message's id.", key);
	if (!uuid_eq(&conversation, of))
		return err_set(e, ERR_NOT_FOUND, "another conversation's");
	return 0;
}
