/* SPDX-License-Identifier: MIT */
/*
 * Agents as a resource: who sees and changes them, which values are valid, what
 * else their transactions do, and their records.
 */
#include "domain/filled.h"
#include "domain/row.h"
#include "domain/stored.h"
#include "domain/stored_service.h"
#include "domain/target.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "resource/author.h"
#include "store/conversation.h"
#include "store/known.h"

#include "base/banned.h"

static const struct resource *const agents = &resources[RESOURCE_AGENT];

/* -- new ones ------------------------------------------------------------------- */

void agent_from_template(const struct agent_template *t, struct arena *a,
			 struct resource_row *row)
{
	filled_to_row(agents, &t->agent, a, row);
	author_copy(agents, NULL, row);
}

/*
 * A new agent whose instructions are a template's says the installation's words, whoever
 * has sent them: forms are filled from templates before anything is stored.
 */
static void credit_template(const struct caller *by, struct resource_row *row)
{
	const struct catalog *c = catalog_of(by->conf);
	struct str text = resource_text(row, COLUMN(AGENT, system_prompt));

	for (size_t i = 0; text.p && i < c->n_templates; i++)
		if (author_same_words(text, str_of(c->templates[i].agent.system_prompt))) {
			author_copy(agents, NULL, row);
			return;
		}
}

/* Checks that no other agent visible to the caller has the id. */
static int check_free(const struct caller *by, const struct workspace *w,
		      const struct resource_row *row, struct err *e)
{
	struct str id = resource_text(row, COLUMN(AGENT, agent_id));
	const struct agent *other = NULL;

	if (!workspace_agent(w, id)) {
		if (stored_agent_find(by, w, id, &other, e)) {
			if (e->code != ERR_NOT_FOUND)
				return -1;
			err_clear(e);
			return 0;
		}
		if (uuid_eq(&other->row->id, &row->id))
			return 0;	/* a repetition of the same request */
	} else if (w->row && w->agents->row &&
		   uuid_eq(&w->agents->row->id, &row->id)) {
		return 0;
	}
	return err_field(e, ERR_CONFLICT, "agentId",
			 "Another agent of this workspace has this agentId.");
}

/*
 * Sets visibility, holder and workspace of a new agent. The default visibility is the
 * workspace's for managers of a stored workspace, else private.
 */
static int set_holder(const struct caller *by, struct resource_change *k, struct err *e)
{
	const struct workspace *w = k->above;
	struct resource_row *row = &k->row;
	struct db_val *seen = &row->v[COLUMN(AGENT, visibility)];
	bool manages = stored_manages(by, w);

	if (seen->null)
		*seen = manages && w->source == SOURCE_API
			? DB_S(STR("workspace")) : DB_S(STR("private"));
	if (str_is(seen->s, "private"))
		row->holder = by->owner.user_id;
	else if (!str_is(seen->s, "workspace"))
		return err_field(e, ERR_INVALID_FIELD, "visibility",
				 "visibility must be private or workspace.");
	else if (!manages)
		return err_public(e, ERR_FORBIDDEN, "You cannot make agents "
				  "for everyone in this workspace; a private one "
				  "has \"visibility\": \"private\".");
	else
		row->holder = k->at.parent;
	row->v[COLUMN(AGENT, workspace_id)] = DB_S(str_of(w->id));
	return 0;
}

/* Completes a new agent: also its id. */
static int prepare_agent(const struct caller *by, const struct resource *r,
			 struct resource_change *k, struct err *e)
{
	credit_template(by, &k->row);
	if (set_holder(by, k, e) < 0 ||
	    agent_row_check_id(by, r, &k->row, COLUMN(AGENT, agent_id),
			       COLUMN(AGENT, name), e))
		return -1;
	return check_free(by, k->above, &k->row, e);
}

/* -- values --------------------------------------------------------------------- */

/*
 * The workspace's limit applies to agents of callers who do not manage it. An
 * agent that exceeds a lowered limit can still be changed in other fields.
 */
static int check_rounds(const struct caller *by, const struct workspace *w,
			struct resource_row *row, struct err *e)
{
	const struct db_val *v = &row->v[COLUMN(AGENT, max_tool_iterations)];

	if (v->null || v->i <= w->max_tool_iterations ||
	    !row->given[COLUMN(AGENT, max_tool_iterations)] ||
	    stored_manages(by, w))
		return 0;
	return err_field(e, ERR_INVALID_FIELD, "maxToolIterations",
			 "maxToolIterations may be at most %d, the limit of "
			 "the workspace.", w->max_tool_iterations);
}

/* Binding a service that ranks is part of asking for it (A29, B52). */
static int check_ranking(struct resource_row *row, struct err *e)
{
	const struct db_val *ranks = &row->v[COLUMN(AGENT, rerank_enabled)];

	if (ranks->null || !ranks->i ||
	    !row->v[COLUMN(AGENT, reranking_service_id)].null ||
	    (!row->given[COLUMN(AGENT, rerank_enabled)] &&
	     !row->given[COLUMN(AGENT, reranking_service_id)]))
		return 0;
	return err_field(e, ERR_INVALID_FIELD, "rerankEnabled",
			 "rerankEnabled needs a rerankingServiceId: an LLM service "
			 "with the capability rerank.");
}

static int check_agent(const struct caller *by, const struct resource *r,
		       struct resource_change *k, struct err *e)
{
	struct resource_row *row = &k->row;

	if (check_ranking(row, e) || check_rounds(by, k->above, row, e))
		return -1;
	return stored_bindings_check(by, k->above, r, row, e);
}

/* -- drafts ----------------------------------------------------------------------- */

/*
 * Whose the text of a draft is. Of a stored agent it stays whose it is, unless it was
 * changed, as when the agent is saved. Else it came with this request, as the message
 * did: it is the caller's own also where several people share a login (is_own in
 * resource/author.c does not know that of a stored text).
 */
static int name_author(const struct caller *by, const struct workspace *w,
		       struct resource_row *row, struct err *e)
{
	const size_t prompt = COLUMN(AGENT, system_prompt);
	const struct agent *now = NULL;
	struct str id = resource_text(row, COLUMN(AGENT, agent_id));

	if (id.p && target_agent(by, w, id, &now, e)) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		now = NULL;
	}
	author_copy(agents, now && now->row &&
		    resource_same(&now->row->v[prompt], &row->v[prompt])
		    ? now->row : NULL, row);
	return 0;
}

int agent_draft(const struct caller *by, struct str workspace, const json_t *body,
		const struct workspace **w, const struct agent **out, struct err *e)
{
	const struct resource_call c = {
		.r = agents, .verb = VERB_CREATE, .body = body, .trial = true,
		.parent = workspace,
	};
	struct resource_answer *a = arena_new(by->arena, struct resource_answer);
	struct resource_row *row = &a->done.row;

	/* As the route would refuse them. */
	if (by->who && by->who->read_only)
		return err_public(e, ERR_FORBIDDEN, "This token only reads.");
	if (by->who && by->who->n_agents)
		return err_public(e, ERR_FORBIDDEN, "This token can only talk with its "
				  "agents.");
	if (resource_call(by, &c, a, e) < 0)
		return -1;
	*w = a->done.above;
	if (set_holder(by, &a->done, e) < 0 || name_author(by, *w, row, e) < 0)
		return -1;
	row->v[COLUMN(AGENT, agent_id)] = DB_S(STR(DRAFT_AGENT));
	*out = stored_agent_of(by, row);
	return 0;
}

/* -- related changes in the transaction ----------------------------------------- */

static int store_agent(const struct caller *by, const struct resource *r,
		       struct resource_change *k, struct err *e)
{
	return stored_bindings_keep(by, by->db, r, &k->row, e);
}

/*
 * Queues the job that deletes its conversations, of all users (B27, B48). If a file
 * declares an agent of the same id, the conversations are that agent's and stay.
 */
static int agent_gone(const struct caller *by, const struct resource *r,
		      struct resource_change *k, struct err *e)
{
	const struct workspace *w = k->above;
	struct resource_row found;
	bool shared;
	struct str id;

	/* If it was deleted meanwhile, the DELETE statement reports that. */
	if (resource_get(by->db, r, &k->at, &k->row.id, by->arena, &found, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return 0;
	}
	k->job_due = true;
	id = resource_text(&found, COLUMN(AGENT, agent_id));
	if (!w->row && workspace_agent(w, id))
		return 0;
	shared = uuid_eq(&found.holder, &k->at.parent);
	return conversation_delete_ask(by->db, &by->owner, &found.id,
		&(struct conversation_of){
			.workspace_id = str_of(w->id), .agent_id = id,
			.user = shared ? NULL : &found.holder,
			.parent = shared ? &k->at.parent : NULL,
			.since_us = agent_row_since_us(&found), .before_us = clock_now_us(),
		}, by->arena, &k->ask, e);
}

void agent_row_changed(const struct caller *by, const struct resource_change *k)
{
	conversation_delete_now(by->db, &by->owner, k->ask);
}

/* -- finding -------------------------------------------------------------------- */

static int place_agent(const struct caller *by, const struct resource *r,
		       struct str parent, struct resource_change *k, struct err *e)
{
	const struct workspace *w;
	const struct agent *a;

	(void)r;
	if (target_scope(by, parent, (struct str){ NULL, 0 }, &w, &a, e))
		return -1;
	k->above = w;
	k->at = stored_agents_at(by, w);
	return 0;
}

static int find_agent(const struct caller *by, const struct resource *r,
		      struct str name, struct resource_change *k, struct err *e)
{
	const struct agent *a;

	(void)r;
	if (target_agent(by, k->above, name, &a, e))
		return -1;
	k->object = a;
	k->now = a->row;
	return 0;
}

/* Those before the rows: of the configuration, or the built-in one. */
static const void *agent_of_file(const struct caller *by,
				 const struct resource_change *k, size_t *at,
				 struct str *name)
{
	const struct workspace *w = k->above;
	const struct agent *a;

	if (w->row && w->agents->row)
		return NULL;
	while (*at < w->n_agents) {
		a = &w->agents[(*at)++];
		*name = str_of(a->id);
		if (policy_may_ask(by->who, str_of(w->id), *name))
			return a;
	}
	return NULL;
}

static bool has_agent(const struct caller *by, const struct resource_change *k,
		      const struct resource_row *row)
{
	const struct workspace *w = k->above;

	return policy_may_ask(by->who, str_of(w->id),
			      resource_text(row, COLUMN(AGENT, agent_id)));
}

/* Whether only its owner can use it. */
static bool is_private(const struct resource_change *k,
		       const struct resource_row *row)
{
	return row && !uuid_eq(&row->holder, &k->at.parent);
}

static bool may_change_agent(const struct caller *by,
			     const struct resource_change *k)
{
	return is_private(k, k->now) || stored_manages(by, k->above);
}

/* Of an agent that the caller may change: "WORKSPACE/AGENT". */
static int place_version(const struct caller *by, const struct resource *r,
			 struct str parent, struct resource_change *k, struct err *e)
{
	struct str workspace = str_cut(&parent, '/');
	struct resource_change above = { .verb = VERB_GET };

	if (place_agent(by, agents, workspace, &above, e) < 0 ||
	    find_agent(by, agents, parent, &above, e) < 0)
		return -1;
	if (!above.now)
		return err_set(e, ERR_MANAGED_BY_CONFIG, "%s", r->path);
	if (!may_change_agent(by, &above))
		return resource_read_only(agents, e);
	k->at = resource_for(by);
	k->at.holder = above.now->id;
	k->at.above = above.now->holder;
	return 0;
}

const struct resource_hooks agent_version_hooks = { .place = place_version };

/* -- records -------------------------------------------------------------------- */

static bool is_default(const struct workspace *ws, const struct agent *a)
{
	const struct agent *d = workspace_default_agent(ws);

	return a == d || (a->row && d->row && uuid_eq(&a->row->id, &d->row->id));
}

static bool can_edit_agent(const struct caller *by,
			   const struct resource_change *k, const struct agent *a)
{
	return a->row && policy_may(by->who, PERM_AGENTS_WRITE) &&
		(is_private(k, a->row) || stored_manages(by, k->above));
}

/*
 * The bases that there are; of an agent of the configuration as it names them, by name or
 * id.
 */
static void write_bases(struct jw *w, const struct caller *by, const struct agent *a)
{
	struct str set = { NULL, 0 }, *known = &set;
	struct err e = ERR_INIT;

	jw_kbool(w, "knowledgeLimited", a->set.rag.bases);
	if (!a->row) {
		agent_row_write_list(w, "knowledgeBaseIds", &a->rag.bases);
		return;
	}
	set = resource_text(a->row, COLUMN(AGENT, knowledge_base_ids));
	if (store_known_bases(by->db, by->owner.tenant_id, &known, 1, by->arena,
			      &e))
		log_err("the knowledge bases of an agent", &e);
	jw_key(w, "knowledgeBaseIds");
	jw_raw(w, set.p ? set : STR("[]"));
}

/*
 * The record (B12): every member, null where it is not set. llmServiceId is the
 * agent's own, resolvedLlmServiceId the one that answers. The prompt is shown to
 * its users, because it is not secret. lib/tool adds webSearch.
 */
static void write_agent(struct jw *w, const struct caller *by,
			const struct resource_change *k,
			const struct resource_item *item)
{
	const struct workspace *ws = k->above;
	const struct agent *a = stored_agent_item(by, item);
	const struct llm_service *s = target_service(by, ws, a);

	jw_kstrz(w, "workspaceId", ws->id);
	jw_kstrz(w, "agentId", a->id);
	jw_kstrz(w, "source", domain_source_name(a->source));
	jw_kstrz(w, "visibility", is_private(k, a->row) ? "private" : "workspace");
	jw_kbool(w, "canEdit", can_edit_agent(by, k, a));
	jw_kbool(w, "isDefault", is_default(ws, a));
	agent_row_write_list(w, "toolIds", &a->tools);
	jw_kstrz(w, "resolvedLlmServiceId", s ? s->id : NULL);
	jw_kstrz(w, "model", s ? s->model : NULL);
	agent_row_write_author(w, by, agents, a->row, true);
	write_bases(w, by, a);
	filled_write(w, agents, a->row, a, by->arena,
		     "workspaceId agentId visibility toolIds knowledgeBaseIds");
	agent_row_write_times(w, a->row);
}

const struct resource_hooks agent_hooks = {
	.place = place_agent, .find = find_agent, .file = agent_of_file,
	.has = has_agent, .may_change = may_change_agent, .record = write_agent,
	.prepare = prepare_agent, .check = check_agent, .store = store_agent,
	.gone = agent_gone, .changed = agent_row_changed,
};
