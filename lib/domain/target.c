/* SPDX-License-Identifier: MIT */
#include "domain/target.h"

#include <string.h>

#include "auth/policy.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "conf/option.h"
#include "domain/auto.h"
#include "domain/catalog.h"
#include "domain/filled.h"
#include "domain/stored.h"
#include "domain/stored_service.h"
#include "llm/llm.h"
#include "secret/secret.h"
#include "setting/setting.h"
#include "store/conversation.h"
#include "store/turn.h"

#include "base/banned.h"

/*
 * The same for a turn: with its fallbacks (others), one more read for each
 * stored one.
 */
static int stored_service_turn(const struct caller *by, struct str within,
			       struct str id, struct arena *a,
			       const struct llm_service **out, struct err *e)
{
	const struct llm_service **others, *s;
	struct llm_service *own;

	if (service_find(by, within, id, a, &s, e) < 0)
		return -1;
	*out = s;
	if (!s || !s->fallbacks.n)
		return 0;
	own = arena_new(a, struct llm_service);
	others = arena_zalloc(a, s->fallbacks.n, sizeof(*others));
	for (size_t i = 0; i < s->fallbacks.n; i++) {
		struct str other = str_of(s->fallbacks.v[i]);

		if (service_find(by, (struct str){ NULL, 0 }, other, a,
				 &others[i], e) == 0)
			continue;
		if (e->code != ERR_SECRETS)
			return -1;
		err_clear(e);	/* skip it: its key cannot be opened */
	}
	*own = *s;
	own->others = others;
	*out = own;
	return 0;
}

static struct target resolve(const struct conf *c, const struct workspace *w,
			     const struct agent *a,
			     const struct setting_values *values,
			     enum setting_level *level)
{
	struct setting_value v = setting_get(SETTING_LLM_SERVICE,
		&(struct setting_scope){
			.conf = c, .workspace = w, .agent = a, .values = values });
	struct target t = { .workspace = w, .agent = a };

	t.automatic = v.text && !strcmp(v.text, AUTO_SERVICE);
	if (t.automatic)
		t.service = auto_default(c, w);
	else if (v.text)
		t.service = catalog_service(c, str_of(v.text));
	t.named = v.text;
	*level = v.level;
	return t;
}

struct target target_of(const struct conf *c, const struct workspace *w,
			const struct agent *a)
{
	enum setting_level ignored;

	return resolve(c, w, a, NULL, &ignored);
}

int target_select(struct target *t, const struct caller *by, struct arena *a,
		  struct err *e)
{
	struct err ignored = ERR_INIT;
	enum setting_level level;
	struct target again;

	if (!by->settings || t->own)
		return 0;
	again = resolve(by->conf, t->workspace, t->agent, by->settings, &level);
	if (level < LEVEL_USER || level > LEVEL_TENANT)
		return 0;
	if (!again.service && !again.automatic &&
	    stored_service_turn(by, (struct str){ NULL, 0 }, str_of(again.named),
				a, &again.service, e) < 0)
		return -1;
	if (target_can_chat(&again, &ignored) < 0)
		return 0;
	again.settled = t->settled;
	*t = again;
	return 0;
}

/* own: the caller's instances, which are read unless they are known. */
static int settle(const struct caller *by, struct own_instances *own,
		  struct target *t, struct arena *a, struct err *e)
{
	const struct llm_service *s;

	if (t->settled || !by->db)
		return 0;
	if (by->conf->byok.mode == BYOK_ALLOW_USER) {
		if ((!own->known && stored_instances(by, a, own, e) < 0) ||
		    stored_instance_of(by, own, str_of(t->workspace->id),
				       str_of(t->agent ? t->agent->id : ""),
				       a, &s, e) < 0)
			return -1;
		if (s) {
			t->service = s;
			t->automatic = false;
			t->own = true;
		}
	}
	if (!t->service && t->named &&
	    stored_service_turn(by, stored_service_within(t->workspace),
				str_of(t->named), a, &t->service, e) < 0)
		return -1;
	t->settled = true;
	return 0;
}

int target_settle(const struct caller *by, struct target *t, struct arena *a,
		  struct err *e)
{
	struct own_instances own = { .known = false };

	return settle(by, &own, t, a, e);
}

const struct llm_service *target_service(const struct caller *by,
					 const struct workspace *w,
					 const struct agent *a)
{
	struct target t = target_of(by->conf, w, a);
	struct own_instances own = { .known = false };
	struct err e = ERR_INIT;

	if (settle(by, by->own ? by->own : &own, &t, by->arena, &e) < 0) {
		log_err("a service for a record", &e);
		return NULL;
	}
	return t.service;
}

/* Whether the token has the agent (NULL: one of w); for it the others do not exist. */
static int may_ask(const struct caller *by, const struct workspace *w,
		   const struct agent *a, struct err *e)
{
	return policy_may_ask(by->who, str_of(w->id), str_of(a ? a->id : NULL))
		? 0 : err_set(e, ERR_NOT_FOUND, "not an agent of the token");
}

int target_find(const struct caller *by, struct str workspace,
		struct str agent, struct target *out, struct err *e)
{
	const struct workspace *w;
	const struct agent *a;

	if (target_scope(by, workspace, agent, &w, &a, e) || may_ask(by, w, a, e))
		return -1;
	*out = target_of(by->conf, w, a);
	return 0;
}

int target_agent(const struct caller *by, const struct workspace *w,
		 struct str id, const struct agent **a, struct err *e)
{
	*a = id.p ? workspace_agent(w, id) : workspace_default_agent(w);
	if (!*a && stored_agent_find(by, w, id, a, e))
		return -1;
	return may_ask(by, w, id.p ? *a : NULL, e);
}

int target_scope(const struct caller *by, struct str workspace,
		 struct str agent, const struct workspace **w,
		 const struct agent **a, struct err *e)
{
	*w = catalog_workspace(by->conf, workspace);
	if (!*w)
		return stored_find(by, workspace, agent, w, a, e) ? -1
			: may_ask(by, *w, agent.p ? *a : NULL, e);
	if (!catalog_sees(by, *w))
		return err_set(e, ERR_NOT_FOUND, "workspace %.*s",
			       STR_ARG(workspace));
	return target_agent(by, *w, agent, a, e);
}

int target_conversation(const struct caller *by, const struct conversation *c,
			struct err *e)
{
	return policy_may_ask(by->who, c->workspace_id, c->agent_id) ? 0
		: err_set(e, ERR_NOT_FOUND, "not an agent of the token");
}

int target_turn(const struct caller *by, const struct uuid *id, struct err *e)
{
	struct conversation c;
	struct turn t;

	if (store_turn_get(by->db, &by->owner, id, by->arena, &t, e) < 0 ||
	    conversation_get(by->db, &by->owner, &t.conversation_id, by->arena, &c,
			     e) < 0)
		return -1;
	return target_conversation(by, &c, e);
}

int target_can_chat(const struct target *t, struct err *e)
{
	if (!t->service)
		return err_set(e, ERR_CHAT_DISABLED,
			       "workspace %s: no LLM service named",
			       t->workspace->id);
	return llm_check_can(t->service, LLM_CAN_CHAT, e) < 0 ? -1
		: llm_check_service(t->service, e);
}
