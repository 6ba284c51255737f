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

struct target target_of(const struct conf *c, const struct workspace *w,
			const struct agent *a)
{
	return (struct target){
		.workspace = w, .agent = a, .service = target_service(c, w, a),
	};
}

int target_find(const struct caller *by, struct str workspace,
		struct str agent, struct target *out, struct err *e)
{
	const struct workspace *w = catalog_find(by, workspace);
	const struct agent *a;

	if (!w)
		return err_set(e, ERR_NOT_FOUND, "workspace %.*s",
			       STR_ARG(workspace));
	a = agent.p ? workspace_agent(w, agent) : workspace_default_agent(w);
	if (!a)
		return err_set(e, ERR_NOT_FOUND, "agent %.*s", STR_ARG(agent));
	*out = target_of(by->conf, w, a);
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
