#include "agent/target.h"

#include "agent/setting.h"
#include "llm/llm.h"

#include "base/banned.h"

const struct llm_service *target_service(const struct conf *conf,
					 const struct workspace *w,
					 const struct agent *a)
{
	struct setting_value v = setting_get(SETTING_LLM_SERVICE,
		&(struct setting_scope){
			.conf = conf, .workspace = w, .agent = a });

	return v.text ? catalog_service(conf, str_of(v.text)) : NULL;
}

int target_find(const struct caller *by, struct str workspace,
		struct str agent, struct target *out, struct err *e)
{
	*out = (struct target){ .workspace = catalog_find(by, workspace) };
	if (!out->workspace)
		return err_set(e, ERR_NOT_FOUND, "workspace %.*s",
			       STR_ARG(workspace));
	out->agent = agent.p ? workspace_agent(out->workspace, agent)
		: workspace_default_agent(out->workspace);
	if (!out->agent)
		return err_set(e, ERR_NOT_FOUND, "agent %.*s", STR_ARG(agent));
	out->service = target_service(by->conf, out->workspace, out->agent);
	return 0;
}

int target_can_chat(const struct target *t, struct err *e)
{
	if (!t->service)
		return err_set(e, ERR_CHAT_DISABLED,
			       "workspace %s: no LLM service named",
			       t->workspace->id);
	if (!(t->service->capabilities & LLM_CAN_CHAT))
		return err_set(e, ERR_CHAT_DISABLED, "LLM service %s cannot "
			       "chat", t->service->id);
	return llm_check_service(t->service, e);
}
