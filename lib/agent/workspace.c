/* SPDX-License-Identifier: MIT */
/*
 * Workspaces and their agents as resources: who sees and changes them, which
 * values are valid, what else their transactions do, and their records.
 */
#include <string.h>

#include "agent/retrieve.h"
#include "agent/stored.h"
#include "agent/stored_service.h"
#include "agent/target.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "llm/llm.h"
#include "resource/author.h"
#include "resource/call.h"
#include "store/conversation.h"
#include "store/known.h"

#include "base/banned.h"

enum { CLOCKS_APART_US = 60 * 1000 * 1000 };	/* clock difference between two
						   nodes */

static const struct resource *const workspaces = &resources[RESOURCE_WORKSPACE];
static const struct resource *const agents = &resources[RESOURCE_AGENT];

static struct db_val *value(const struct resource *r, struct resource_row *row,
			    const char *column)
{
	return resource_value(r, row, column);
}

static struct str text(const struct resource *r, const struct resource_row *row,
		       const char *column)
{
	return resource_text(r, row, column);
}

/* The field of a column, with its name for clients. */
static const struct resource_field *field(const struct resource *r,
					  const char *column)
{
	for (size_t i = 0; i < r->n_fields; i++)
		if (str_is(str_of(column), r->fields[i].column))
			return &r->fields[i];
	BUG("a column that the resource does not have");
}

static bool is_given(const struct resource *r, const struct resource_row *row,
		     const char *column)
{
	return row->given[field(r, column) - r->fields];
}

/* -- ids -------------------------------------------------------------------------- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/*
 * Makes an id of the name's letters and digits and six digits of the row's id:
 * unique, and the same if the request is repeated.
 */
static struct str slug_of(struct arena *a, const struct resource_row *row,
			  struct str name)
{
	struct str fold = resource_fold(a, name);
	char out[48], *q = out;

	for (size_t i = 0; i < fold.n && q < out + 40; i++)
		if (is_word(fold.p[i]))
			*q++ = fold.p[i];
		else if (q > out && q[-1] != '-')
			*q++ = '-';
	if (q > out && q[-1] != '-')
		*q++ = '-';
	return str_of(arena_printf(a, "%.*s%02x%02x%02x", (int)(q - out), out,
				   row->id.b[13], row->id.b[14], row->id.b[15]));
}

static int check_id(const struct caller *by, const struct resource *r,
		    struct resource_row *row, const char *column, struct err *e)
{
	struct db_val *id = value(r, row, column);

	if (id->null)
		*id = DB_S(slug_of(by->arena, row, text(r, row, "name")));
	if (slug_valid(id->s))
		return 0;
	return err_field(e, ERR_INVALID_FIELD, field(r, column)->key,
			 "%s may contain lower case letters, digits, - and _, "
			 "and must begin with a letter or digit.", field(r, column)->key);
}

/* -- lists and other values ---------------------------------------------------------- */

static bool is_line(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
			return false;
	return str_trim(s).n > 0;
}

/* Validates an array of at most `most` texts; an empty one becomes NULL. */
static int check_list(const struct resource *r, struct resource_row *row,
		      const char *column, size_t most, size_t chars,
		      struct err *e)
{
	struct db_val *v = value(r, row, column);
	const char *key = field(r, column)->key;
	json_auto_t *j = v->null ? NULL : jx_try(v->s);
	size_t n = json_array_size(j);

	if (v->null)
		return 0;
	if (!json_is_array(j) || n > most)
		return err_field(e, ERR_INVALID_FIELD, key, "%s must be a list "
				 "of at most %zu texts.", key, most);
	for (size_t i = 0; i < n; i++) {
		const json_t *s = json_array_get(j, i);
		struct str t = { json_string_value(s), json_string_length(s) };

		if (!json_is_string(s) || !is_line(t) || utf8_chars(t) > chars)
			return err_field(e, ERR_INVALID_FIELD, key, "%s[%zu] "
					 "must be a text of one line with 1 to "
					 "%zu characters.", key, i, chars);
	}
	v->null = !n;
	return 0;
}

static int check_score(struct resource_row *row, struct err *e)
{
	struct str s = text(agents, row, "rag_min_score");
	double v;

	if (!s.p || (str_real(s, &v) && v >= 0 && v <= 1))
		return 0;
	return err_field(e, ERR_INVALID_FIELD, "ragMinScore",
			 "ragMinScore must be a number from 0 to 1.");
}

/*
 * B14: the bases must be visible to whoever names them; users of the agent
 * search only those that they see themselves.
 */
static int check_knowledge(const struct caller *by, const struct resource_row *now,
			   struct resource_row *row, struct err *e)
{
	struct db_val *v = value(agents, row, "knowledge_base_ids");
	json_auto_t *set = NULL;
	struct str old = { NULL, 0 }, kept;
	bool listed = !v->null;	/* an empty list becomes null */

	if (check_list(agents, row, "knowledge_base_ids", LIM_KNOWLEDGE_SET,
		       LIM_NAME_BYTES, e))
		return -1;
	if (!listed || !is_given(agents, row, "knowledge_base_ids"))
		return 0;
	if (now)
		old = text(agents, now, "knowledge_base_ids");
	set = v->null ? json_array() : jx_try(v->s);
	if (retrieve_set_check(by, set, old, "knowledgeBaseIds", by->arena, &kept, e))
		return -1;
	*v = kept.p ? DB_S(kept) : (struct db_val){ .type = 's', .null = true };
	return 0;
}

/* -- agents ------------------------------------------------------------------------------ */

void agent_from_template(const struct agent_template *t, struct resource_row *row)
{
	const struct {
		const char *column, *text;
	} copied[] = {
		{ "name", t->name }, { "description", t->description },
		{ "system_prompt", t->system_prompt },
	};

	for (size_t i = 0; i < ARRAY_LEN(copied); i++)
		if (*copied[i].text)
			*value(agents, row, copied[i].column) =
				DB_S(str_of(copied[i].text));
	author_copy(agents, NULL, row);
}

/* Checks that no other agent visible to the caller has the id. */
static int check_free(const struct caller *by, const struct workspace *w,
		      const struct resource_row *row, struct err *e)
{
	struct str id = text(agents, row, "agent_id");
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
 * Completes a new agent: id, visibility and holder. The default visibility is the
 * workspace's for managers of a stored workspace, else private.
 */
static int prepare_agent(const struct caller *by, const struct resource *r,
			 struct resource_change *k, struct err *e)
{
	const struct workspace *w = k->above;
	struct resource_row *row = &k->row;
	struct db_val *seen = value(r, row, "visibility");
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
	*value(r, row, "workspace_id") = DB_S(str_of(w->id));
	if (check_id(by, r, row, "agent_id", e))
		return -1;
	return check_free(by, w, row, e);
}

/*
 * The workspace's limit applies to agents of callers who do not manage it. An
 * agent that exceeds a lowered limit can still be changed in other fields.
 */
static int check_rounds(const struct caller *by, const struct workspace *w,
			struct resource_row *row, struct err *e)
{
	const struct db_val *v = value(agents, row, "max_tool_iterations");

	if (v->null || v->i <= w->max_tool_iterations ||
	    !is_given(agents, row, "max_tool_iterations") ||
	    stored_manages(by, w))
		return 0;
	return err_field(e, ERR_INVALID_FIELD, "maxToolIterations",
			 "maxToolIterations may be at most %d, the limit of "
			 "the workspace.", w->max_tool_iterations);
}

/* Binding a service that ranks is part of asking for it (A29, B52). */
static int check_ranking(struct resource_row *row, struct err *e)
{
	const struct db_val *ranks = value(agents, row, "rerank_enabled");

	if (ranks->null || !ranks->i ||
	    !value(agents, row, "reranking_service_id")->null ||
	    (!is_given(agents, row, "rerank_enabled") &&
	     !is_given(agents, row, "reranking_service_id")))
		return 0;
	return err_field(e, ERR_INVALID_FIELD, "rerankEnabled",
			 "rerankEnabled needs a rerankingServiceId: an LLM service "
			 "with the capability rerank.");
}

static int check_agent(const struct caller *by, const struct resource *r,
		       struct resource_change *k, struct err *e)
{
	struct resource_row *row = &k->row;

	if (check_list(r, row, "tools", LIM_AGENT_TOOLS, LIM_NAME_BYTES, e) ||
	    check_knowledge(by, k->now, row, e) || check_score(row, e) ||
	    check_ranking(row, e) || check_rounds(by, k->above, row, e))
		return -1;
	return stored_bindings_check(by, k->above, r, row, e);
}

/* -- workspaces ---------------------------------------------------------------------------- */

static struct db_val json_list(const struct caller *by, struct str one)
{
	json_auto_t *j = json_array();

	json_array_append_new(j, jx_string(one));
	return DB_S(str_of(jx_text(by->arena, j)));
}

static int prepare_workspace(const struct caller *by, const struct resource *r,
			     struct resource_change *k, struct err *e)
{
	struct resource_row *row = &k->row;
	struct db_val *users = value(workspaces, row, "manager_users");
	struct db_val *dflt = value(workspaces, row, "default_agent_id");
	const struct catalog *c = catalog_of(by->conf);

	if (users->null && value(workspaces, row, "manager_groups")->null)
		*users = json_list(by, by->who->login);
	for (size_t i = 0; dflt->null && i < c->n_templates; i++)
		if (c->templates[i].on_new)
			*dflt = DB_S(str_of(c->templates[i].id));
	row->holder = by->owner.user_id;
	return check_id(by, r, row, "workspace_id", e);
}

static bool in_list(const struct conf_list *l, const char *s)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_is(str_of(s), l->v[i]))
			return true;
	return false;
}

/*
 * Only members may add a group; only those who manage all workspaces may add
 * "*".
 */
static int check_groups(const struct caller *by, const struct resource_row *now,
			struct resource_row *row, const char *column,
			struct err *e)
{
	const char *key = field(workspaces, column)->key;
	struct conf_list l = stored_list(by->arena, text(workspaces, row, column));
	struct conf_list old = { NULL, 0 };

	if (now)
		old = stored_list(by->arena, text(workspaces, now, column));
	for (size_t i = 0; i < l.n; i++) {
		const struct conf_list one = { &l.v[i], 1 };

		if (in_list(&old, l.v[i]) ||
		    policy_may(by->who, PERM_WORKSPACES_MANAGE))
			continue;
		if (str_is(str_of(l.v[i]), "*") ||
		    !policy_in_groups(by->who, &one))
			return err_field(e, ERR_INVALID_FIELD, key,
					 "%s[%zu] must be one of your groups.",
					 key, i);
	}
	return 0;
}

static int check_managers(struct resource_row *row, struct err *e)
{
	struct str groups = text(workspaces, row, "manager_groups");
	json_auto_t *j = groups.p ? jx_try(groups) : NULL;

	for (size_t i = 0; i < json_array_size(j); i++)
		if (str_is(str_of(json_string_value(json_array_get(j, i))), "*"))
			return err_field(e, ERR_INVALID_FIELD, "managerGroups",
					 "managerGroups cannot have \"*\": not "
					 "everyone can manage a workspace.");
	if (!groups.p && value(workspaces, row, "manager_users")->null)
		return err_field(e, ERR_INVALID_FIELD, "managerUsers",
				 "A workspace must have a manager: name one in "
				 "managerUsers or managerGroups.");
	return 0;
}

static int id_taken(struct err *e)
{
	return err_field(e, ERR_CONFLICT, "workspaceId",
			 "Another workspace has this workspaceId.");
}

/*
 * Conversations of a deleted workspace, especially one of a file, must not pass
 * to whoever takes its id. A repeated request finds its own row.
 */
static int check_unused(const struct caller *by, const struct resource_row *row,
			struct str id, struct err *e)
{
	const struct resource_at at = stored_workspaces_at(by);
	struct resource_row made;
	bool any = false;

	if (policy_may(by->who, PERM_WORKSPACES_MANAGE))
		return 0;
	if (conversation_any_in(by->db, by->owner.tenant_id, id, &any, e))
		return -1;
	if (!any || resource_get(by->db, workspaces, &at, &row->id, by->arena,
				 &made, e) == 0)
		return 0;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return id_taken(e);
}

static int check_workspace(const struct caller *by, const struct resource *r,
			   struct resource_change *k, struct err *e)
{
	static const struct {
		const char *column;
		size_t most, chars;
	} lists[] = {
		{ "tools", LIM_AGENT_TOOLS, LIM_NAME_BYTES },
		{ "suggestions", LIM_SUGGESTIONS, 500 },
		{ "manager_users", LIM_MANAGERS, LIM_USER_BYTES },
		{ "manager_groups", LIM_MANAGERS, LIM_GROUP_BYTES },
		{ "visible_to", LIM_MANAGERS, LIM_GROUP_BYTES },
	};
	struct resource_row *row = &k->row;
	struct str dflt = text(r, row, "default_agent_id");
	struct str id = text(r, row, "workspace_id");

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		if (check_list(r, row, lists[i].column, lists[i].most,
			       lists[i].chars, e))
			return -1;
	if (dflt.p && !slug_valid(dflt))
		return err_field(e, ERR_INVALID_FIELD, "defaultAgentId",
				 "defaultAgentId must be an agent's id.");
	if (check_managers(row, e) ||
	    check_groups(by, k->now, row, "manager_groups", e) ||
	    check_groups(by, k->now, row, "visible_to", e) ||
	    stored_bindings_check(by, stored_workspace_of(by, row), r, row, e))
		return -1;
	if (k->now)
		return 0;
	return str_is(id, "auto") || catalog_workspace(by->conf, id)
		? id_taken(e)
		: check_unused(by, row, id, e);
}

/* -- related changes in the transaction ------------------------------------------------ */

static int let_read(const struct caller *by, struct db *tx,
		    const struct resource_row *row, struct uuid reader,
		    struct err *e)
{
	return resource_let_read(tx, workspaces, &by->owner, &reader, row, e);
}

static int let_groups(const struct caller *by, struct db *tx,
		      const struct resource_row *row, const struct conf_list *l,
		      struct err *e)
{
	struct str tenant = by->owner.tenant_id;

	for (size_t i = 0; i < l->n; i++) {
		struct str group = str_of(l->v[i]);

		if (let_read(by, tx, row, str_is(group, "*")
			     ? resource_of_tenant(tenant)
			     : resource_of_group(tenant, group), e))
			return -1;
	}
	return 0;
}

static int write_readers(const struct caller *by, struct db *tx,
			 const struct workspace *w, struct err *e)
{
	struct resource_row row = *w->row;

	resource_sort(workspaces, by->arena, &row);
	if (db_exec(tx, RSTMT_WORKSPACE_READER_PURGE, DB_ARGS(DB_U(&row.id)),
		    NULL, e) ||
	    let_read(by, tx, &row, resource_of_admins(by->owner.tenant_id), e))
		return -1;
	for (size_t i = 0; i < w->manager_users.n; i++)
		if (let_read(by, tx, &row,
			     uuid_of_name(by->owner.tenant_id,
					  str_of(w->manager_users.v[i])), e))
			return -1;
	return let_groups(by, tx, &row, &w->manager_groups, e) ||
		let_groups(by, tx, &row, &w->visible_to, e) ? -1 : 0;
}

/* Ids are derived from names, so that the transaction can be repeated. */
static int add_agent(const struct caller *by, struct db *tx,
		     const struct workspace *w, const struct agent_template *t,
		     int64_t place, struct err *e)
{
	const struct resource_at at = stored_agents_at(by, w);
	struct resource_row row;
	char scope[UUID_TEXT_BYTES];

	resource_new(agents, &row);
	row.id = uuid_of_name(str_of(uuid_format(&w->row->id, scope)),
			      str_of(t->id));
	row.created_us = row.updated_us = w->row->created_us + place;
	row.holder = at.parent;
	agent_from_template(t, &row);
	*value(agents, &row, "workspace_id") = DB_S(str_of(w->id));
	*value(agents, &row, "agent_id") = DB_S(str_of(t->id));
	*value(agents, &row, "visibility") = DB_S(STR("workspace"));
	return resource_create(tx, agents, &at, &row, NULL, e);
}

static int store_agent(const struct caller *by, const struct resource *r,
		       struct resource_change *k, struct err *e)
{
	return stored_bindings_keep(by, by->db, r, &k->row, e);
}

/* Stores who sees it and, for a new one, its first agents (B3). */
static int store_workspace(const struct caller *by, const struct resource *r,
			   struct resource_change *k, struct err *e)
{
	const struct workspace *w = stored_workspace_of(by, &k->row);
	const struct catalog *c = catalog_of(by->conf);

	if (stored_bindings_keep(by, by->db, r, &k->row, e) ||
	    write_readers(by, by->db, w, e))
		return -1;
	for (size_t i = 0; !k->row.version && i < c->n_templates; i++)
		if (c->templates[i].on_new &&
		    add_agent(by, by->db, w, &c->templates[i], (int64_t)i, e))
			return -1;
	return 0;
}

/*
 * The time from which conversations belong to the row: older ones belong to an
 * earlier owner of its id.
 */
static int64_t since(const struct resource_row *row)
{
	return row->created_us - CLOCKS_APART_US;
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
	id = text(r, &found, "agent_id");
	if (!w->row && workspace_agent(w, id))
		return 0;
	shared = uuid_eq(&found.holder, &k->at.parent);
	return conversation_delete_ask(by->db, by->owner.tenant_id, &found.id,
		&(struct conversation_of){
			.workspace_id = str_of(w->id), .agent_id = id,
			.user = shared ? NULL : &found.holder,
			.parent = shared ? &k->at.parent : NULL,
			.since_us = since(&found), .before_us = clock_now_us(),
		}, e);
}

/* The same for a workspace. */
static int workspace_gone(const struct caller *by, const struct resource *r,
			  struct resource_change *k, struct err *e)
{
	k->job_due = true;
	return conversation_delete_ask(by->db, by->owner.tenant_id, &k->row.id,
		&(struct conversation_of){
			.workspace_id = text(r, &k->row, "workspace_id"),
			.agent_id = { NULL, 0 },
			.since_us = since(&k->row), .before_us = clock_now_us(),
		}, e);
}

/* -- finding ----------------------------------------------------------------------- */

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

	(void)by;
	if ((w->row && w->agents->row) || *at == w->n_agents)
		return NULL;
	*name = str_of(w->agents[*at].id);
	return &w->agents[(*at)++];
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

static int place_workspace(const struct caller *by, const struct resource *r,
			   struct str parent, struct resource_change *k,
			   struct err *e)
{
	(void)r;
	(void)parent;
	(void)e;
	k->at = stored_workspaces_at(by);
	return 0;
}

static int find_workspace(const struct caller *by, const struct resource *r,
			  struct str name, struct resource_change *k,
			  struct err *e)
{
	const struct workspace *w;
	const struct agent *a;

	(void)r;
	if (target_scope(by, name, (struct str){ NULL, 0 }, &w, &a, e))
		return -1;
	k->object = w;
	k->now = w->row;
	return 0;
}

static const void *workspace_of_file(const struct caller *by,
				     const struct resource_change *k, size_t *at,
				     struct str *name)
{
	const struct workspace *w = catalog_each(by, at);

	(void)k;
	if (w)
		*name = str_of(w->id);
	return w;
}

/* With its default agent. */
static const void *workspace_of_row(const struct caller *by,
				    const struct resource_row *row, struct err *e)
{
	const struct workspace *w;
	const struct agent *a;

	return stored_find(by, text(workspaces, row, "workspace_id"),
			   (struct str){ NULL, 0 }, &w, &a, e) ? NULL : w;
}

static bool may_change_workspace(const struct caller *by,
				 const struct resource_change *k)
{
	return stored_manages(by, stored_workspace_of(by, k->now));
}

/* -- records: agents ---------------------------------------------------------------- */

static void write_list(struct jw *w, const char *key, const struct conf_list *l)
{
	jw_key(w, key);
	jw_arr(w);
	for (size_t i = 0; i < l->n; i++)
		jw_str(w, str_of(l->v[i]));
	jw_end_arr(w);
}

static void write_time(struct jw *w, const char *key, const int64_t *us)
{
	jw_key(w, key);
	if (us)
		jw_time(w, *us);
	else
		jw_null(w);
}

/* Null where there is no row. */
static void write_times(struct jw *w, const struct resource_row *row)
{
	write_time(w, "createdAt", row ? &row->created_us : NULL);
	write_time(w, "updatedAt", row ? &row->updated_us : NULL);
}

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

static const struct db_val *value_of(const struct resource *r,
				     const struct resource_row *row,
				     const char *column)
{
	return resource_value(r, (struct resource_row *)(uintptr_t)row, column);
}

/* A column as stored; null for an agent of the configuration. */
static void write_column(struct jw *w, const char *key, const struct agent *a,
			 const char *column)
{
	const struct db_val *v = a->row ? value_of(agents, a->row, column) : NULL;

	jw_key(w, key);
	if (!v || v->null)
		jw_null(w);
	else if (v->type == 'i')
		jw_int(w, v->i);
	else if (field(agents, column)->type == TYPE_JSON)
		jw_raw(w, v->s);
	else
		jw_str(w, v->s);
}

static void write_flag(struct jw *w, const char *key, const struct agent *a,
		       const char *column)
{
	const struct db_val *v = a->row ? value_of(agents, a->row, column) : NULL;

	jw_kbool(w, key, v && !v->null && v->i);
}

/* Who wrote the prompt; of what is in a file, nobody in particular. */
static void write_author(struct jw *w, const struct caller *by,
			 const struct resource *r, const struct resource_row *row,
			 bool hashed)
{
	struct author who = { .trusted = true };

	if (row)
		author_of_row(by->conf, by->who, r, row, by->arena, &who);
	if (!hashed)
		who.hash[0] = '\0';
	author_write(w, &who);
}

/* The bases as the configuration names them: by name or id. */
static void write_file_rag(struct jw *w, const struct conf_rag *r)
{
	jw_kbool(w, "ragEnabled", r->enabled);
	write_list(w, "knowledgeBaseIds", &r->bases);
	jw_kbool(w, "knowledgeLimited", r->bases.n > 0);
	jw_kint_if(w, "ragMaxResults", r->max, r->max);
	jw_key(w, "ragMinScore");
	if (r->min_score > 0) {
		json_auto_t *score = json_real(r->min_score);

		jw_json(w, score);
	} else {
		jw_null(w);
	}
	jw_kbool(w, "rerankEnabled", r->ranks);
	jw_kstrz(w, "rerankingServiceId", *r->ranker ? r->ranker : NULL);
	jw_kint_if(w, "rerankMaxResults", r->max_ranked, r->max_ranked);
}

static void write_rag(struct jw *w, const struct caller *by, const struct agent *a)
{
	struct str set = { NULL, 0 }, *known = &set;
	struct err e = ERR_INIT;

	if (a->rag) {
		write_file_rag(w, a->rag);
		return;
	}
	if (a->row)
		set = text(agents, a->row, "knowledge_base_ids");
	if (store_known_bases(by->db, by->owner.tenant_id, &known, 1, by->arena,
			      &e))
		log_err("the knowledge bases of an agent", &e);
	write_flag(w, "ragEnabled", a, "rag_enabled");
	jw_key(w, "knowledgeBaseIds");
	jw_raw(w, set.p ? set : STR("[]"));
	jw_kbool(w, "knowledgeLimited", set.p != NULL);
	write_column(w, "ragMaxResults", a, "rag_max_results");
	write_column(w, "ragMinScore", a, "rag_min_score");
	write_flag(w, "rerankEnabled", a, "rerank_enabled");
	write_column(w, "rerankingServiceId", a, "reranking_service_id");
	write_column(w, "rerankMaxResults", a, "rerank_max_results");
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
	jw_kstrz(w, "name", a->name);
	jw_kstrz(w, "description", *a->description ? a->description : NULL);
	jw_kstrz(w, "source", domain_source_name(a->source));
	jw_kstrz(w, "visibility", is_private(k, a->row) ? "private" : "workspace");
	jw_kbool(w, "canEdit", can_edit_agent(by, k, a));
	jw_kbool(w, "isDefault", is_default(ws, a));
	write_list(w, "toolIds", &a->tools);
	jw_kstrz(w, "llmServiceId", a->set.llm_service
		 ? a->llm_service : NULL);
	jw_kstrz(w, "resolvedLlmServiceId", s ? s->id : NULL);
	jw_kstrz(w, "model", s ? s->model : NULL);
	jw_kstrz(w, "systemPrompt", a->set.system_prompt
		 ? a->system_prompt : NULL);
	write_author(w, by, agents, a->row, true);
	write_column(w, "userPrompt", a, "user_prompt");
	jw_kint_if(w, "maxToolIterations", a->set.max_tool_iterations,
		   a->max_tool_iterations);
	write_rag(w, by, a);
	write_times(w, a->row);
}

/* -- records: workspaces -------------------------------------------------------------- */

static void write_capabilities(struct jw *w, const struct llm_service *s)
{
	json_auto_t *caps = s ? llm_capabilities(s) : NULL;

	jw_key(w, "capabilities");
	jw_json(w, caps);
}

/* Whether a turn with this service would start (A29, B17 to B19). */
static bool usable(const struct workspace *ws, const struct llm_service *s)
{
	const struct target t = { .workspace = ws, .service = s };
	struct err e = ERR_INIT;

	return target_can_chat(&t, &e) == 0;
}

/* Those that the caller may use and that have no placeholders (A40). */
static void write_actions(struct jw *w, const struct caller *by,
			  const struct workspace *ws)
{
	jw_key(w, "suggestedActions");
	jw_arr(w);
	for (size_t i = 0; i < ws->n_actions; i++) {
		const struct conf_action *a = &ws->actions[i];

		if (!a->offered || strchr(a->url, '{') ||
		    !policy_in_groups(by->who, &a->groups))
			continue;
		jw_obj(w);
		jw_kstrz(w, "action", a->name);
		jw_kstrz(w, "type", a->type);
		jw_kstrz(w, "label", a->label);
		jw_kstrz(w, "url", a->url);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

/* A list as stored; null: not set, or not visible to the caller. */
static void write_stored(struct jw *w, const char *key,
			 const struct resource_row *row, const char *column)
{
	struct str s = row ? text(workspaces, row, column)
		: (struct str){ NULL, 0 };

	jw_key(w, key);
	if (s.p)
		jw_raw(w, s);
	else
		jw_null(w);
}

/* For users who may change it; null for others. */
static void write_settings(struct jw *w, const struct workspace *ws, bool shown)
{
	const struct resource_row *row = shown ? ws->row : NULL;

	jw_kbool(w, "canEdit", shown);
	jw_kstrz(w, "prompt", row && ws->set.prompt ? ws->prompt.text : NULL);
	jw_kstrz(w, "llmServiceId", row && ws->set.llm_service
		 ? ws->llm_service : NULL);
	write_stored(w, "toolIds", row, "tools");
	jw_key(w, "maxToolIterations");
	if (row && !value_of(workspaces, row, "max_tool_iterations")->null)
		jw_int(w, ws->max_tool_iterations);
	else
		jw_null(w);
	write_stored(w, "managerUsers", row, "manager_users");
	write_stored(w, "managerGroups", row, "manager_groups");
	write_stored(w, "visibleTo", row, "visible_to");
	write_times(w, ws->row);
}

/* With its default agent if that can be read; a change is already stored. */
static const struct workspace *workspace_item(const struct caller *by,
					      const struct resource_item *item)
{
	struct err e = ERR_INIT;
	const struct workspace *ws = item->object ? item->object
		: workspace_of_row(by, item->row, &e);

	return ws ? ws : stored_workspace_of(by, item->row);
}

static void write_workspace(struct jw *w, const struct caller *by,
			    const struct resource_change *k,
			    const struct resource_item *item)
{
	const struct workspace *ws = workspace_item(by, item);
	const struct agent *agent = workspace_default_agent(ws);
	const struct llm_service *s = target_service(by, ws, agent);
	const bool can_edit = ws->row &&
		policy_may(by->who, PERM_WORKSPACES_WRITE) &&
		stored_manages(by, ws);

	(void)k;
	jw_kstrz(w, "workspaceId", ws->id);
	jw_kstrz(w, "name", ws->name);
	jw_kstrz(w, "description", ws->description);
	jw_kstrz(w, "source", domain_source_name(ws->source));
	jw_kstrz(w, "model", s ? s->model : NULL);
	jw_kstrz(w, "provider", s ? s->provider : NULL);
	write_capabilities(w, s);
	jw_kstrz(w, "defaultAgentId", agent->id);
	write_list(w, "suggestions", &ws->suggestions);
	write_actions(w, by, ws);
	jw_kbool(w, "chatEnabled", usable(ws, s));
	/* The hash is for those who may read the prompt. */
	write_author(w, by, workspaces, ws->row, can_edit);
	write_settings(w, ws, can_edit);
}

/* -- the resources --------------------------------------------------------------------- */

const struct resource_hooks agent_hooks = {
	.place = place_agent, .find = find_agent, .file = agent_of_file,
	.may_change = may_change_agent, .record = write_agent,
	.prepare = prepare_agent, .check = check_agent, .store = store_agent,
	.gone = agent_gone,
};

const struct resource_hooks workspace_hooks = {
	.place = place_workspace, .find = find_workspace,
	.file = workspace_of_file, .object = workspace_of_row,
	.may_change = may_change_workspace, .record = write_workspace,
	.prepare = prepare_workspace, .check = check_workspace,
	.store = store_workspace, .gone = workspace_gone,
};
