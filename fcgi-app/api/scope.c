#include "api/scope.h"

#include "auth/policy.h"
#include "route.h"
#include "tool/core/tool.h"

#include "base/banned.h"

struct owner scope_owner(const struct request *rq)
{
	return owner_of(&rq->who);
}

bool scope_sees(const struct request *rq, const struct conf_workspace *w)
{
	return policy_sees(&rq->who, w);
}

const struct conf_workspace *scope_workspace(const struct request *rq,
					     struct str id, struct err *e)
{
	const struct conf_workspace *w = conf_workspace(rq->conf, id);

	if (w && scope_sees(rq, w))
		return w;
	err_set(e, ERR_NOT_FOUND, "workspace %.*s", STR_ARG(id));
	return NULL;
}

const struct conf_agent *scope_agent(const struct conf_workspace *w,
				     struct str id, struct err *e)
{
	const struct conf_agent *a = id.p ? conf_agent(w, id)
		: conf_default_agent(w);

	if (!a)
		err_set(e, ERR_NOT_FOUND, "agent %.*s", STR_ARG(id));
	return a;
}

int scope_path(const struct request *rq, const struct conf_workspace **w,
	       const struct conf_agent **a, struct err *e)
{
	*w = NULL;
	*a = NULL;
	if (!route_has_arg(rq, "workspace"))
		return 0;
	*w = scope_workspace(rq, route_arg(rq, "workspace"), e);
	if (!*w)
		return -1;
	if (!route_has_arg(rq, "agent"))
		return 0;
	*a = scope_agent(*w, route_arg(rq, "agent"), e);
	return *a ? 0 : -1;
}

const struct conf_llm *scope_service(const struct conf *c,
				     const struct conf_workspace *w,
				     const struct conf_agent *a)
{
	const char *id = a && *a->llm_service ? a->llm_service
		: *w->llm_service ? w->llm_service : c->chat_llm_service;

	return *id ? conf_llm(c, str_of(id)) : NULL;
}

bool scope_web(const struct request *rq, const struct conf_workspace *w,
	       const struct conf_agent *a)
{
	const struct conf_llm *s = scope_service(rq->conf, w, a);
	const struct tool_ctx ctx = {
		.conf = rq->conf, .workspace = w, .agent = a, .who = &rq->who,
		.arena = rq->arena,
	};

	return s && s->capabilities & LLM_CAN_TOOLS && tool_web_offered(&ctx);
}
