/* SPDX-License-Identifier: MIT */
#include "agent/keep.h"

#include "agent/author.h"
#include "agent/retrieve.h"
#include "agent/stored_service.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "store/conversation.h"

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

/* [a-z0-9][a-z0-9_-]*, like ids in files. */
static bool is_slug(struct str s)
{
	if (!s.n || s.n > LIM_SLUG_BYTES || !is_word(s.p[0]))
		return false;
	for (size_t i = 1; i < s.n; i++)
		if (!is_word(s.p[i]) && s.p[i] != '_' && s.p[i] != '-')
			return false;
	return true;
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
	if (is_slug(id->s))
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

void keep_agent_from(const struct agent_template *t, struct resource_row *row)
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

int keep_agent_new(const struct caller *by, const struct workspace *w,
		   struct resource_row *row, struct err *e)
{
	const struct resource_at at = stored_agents_at(by, w);
	struct db_val *seen = value(agents, row, "visibility");
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
		row->holder = at.parent;
	*value(agents, row, "workspace_id") = DB_S(str_of(w->id));
	if (check_id(by, agents, row, "agent_id", e))
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

int keep_agent_check(const struct caller *by, const struct workspace *w,
		     const struct resource_row *now, struct resource_row *row,
		     struct err *e)
{
	if (check_list(agents, row, "tools", LIM_AGENT_TOOLS, LIM_NAME_BYTES, e) ||
	    check_knowledge(by, now, row, e) || check_score(row, e) ||
	    check_ranking(row, e) || check_rounds(by, w, row, e))
		return -1;
	return stored_bindings_check(by, w, agents, row, e);
}

/* -- workspaces ---------------------------------------------------------------------------- */

static struct db_val json_list(const struct caller *by, struct str one)
{
	json_auto_t *j = json_array();

	json_array_append_new(j, jx_string(one));
	return DB_S(str_of(jx_text(by->arena, j)));
}

int keep_workspace_new(const struct caller *by, struct resource_row *row,
		       struct err *e)
{
	struct db_val *users = value(workspaces, row, "manager_users");
	struct db_val *dflt = value(workspaces, row, "default_agent_id");
	const struct catalog *c = catalog_of(by->conf);

	if (users->null && value(workspaces, row, "manager_groups")->null)
		*users = json_list(by, by->who->login);
	for (size_t i = 0; dflt->null && i < c->n_templates; i++)
		if (c->templates[i].on_new)
			*dflt = DB_S(str_of(c->templates[i].id));
	row->holder = by->owner.user_id;
	return check_id(by, workspaces, row, "workspace_id", e);
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

int keep_workspace_check(const struct caller *by, const struct resource_row *now,
			 struct resource_row *row, struct err *e)
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
	struct str dflt = text(workspaces, row, "default_agent_id");
	struct str id = text(workspaces, row, "workspace_id");

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		if (check_list(workspaces, row, lists[i].column, lists[i].most,
			       lists[i].chars, e))
			return -1;
	if (dflt.p && !is_slug(dflt))
		return err_field(e, ERR_INVALID_FIELD, "defaultAgentId",
				 "defaultAgentId must be an agent's id.");
	if (check_managers(row, e) ||
	    check_groups(by, now, row, "manager_groups", e) ||
	    check_groups(by, now, row, "visible_to", e) ||
	    stored_bindings_check(by, stored_workspace_of(by, row), workspaces,
				  row, e))
		return -1;
	if (now)
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
	keep_agent_from(t, &row);
	*value(agents, &row, "workspace_id") = DB_S(str_of(w->id));
	*value(agents, &row, "agent_id") = DB_S(str_of(t->id));
	*value(agents, &row, "visibility") = DB_S(STR("workspace"));
	return resource_create(tx, agents, &at, &row, NULL, e);
}

int keep_agent_also(const struct caller *by, struct db *tx,
		    const struct resource_row *row, struct err *e)
{
	return stored_bindings_keep(by, tx, agents, row, e);
}

int keep_workspace_also(const struct caller *by, struct db *tx,
			const struct resource_row *row, struct err *e)
{
	const struct workspace *w = stored_workspace_of(by, row);
	const struct catalog *c = catalog_of(by->conf);

	if (stored_bindings_keep(by, tx, workspaces, row, e) ||
	    write_readers(by, tx, w, e))
		return -1;
	for (size_t i = 0; !row->version && i < c->n_templates; i++)
		if (c->templates[i].on_new &&
		    add_agent(by, tx, w, &c->templates[i], (int64_t)i, e))
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

int keep_agent_gone(const struct caller *by, struct db *tx,
		    const struct workspace *w, const struct agent *a,
		    struct err *e)
{
	const struct resource_at at = stored_agents_at(by, w);
	const bool shared = uuid_eq(&a->row->holder, &at.parent);

	if (!w->row && workspace_agent(w, str_of(a->id)))
		return 0;
	return conversation_delete_ask(tx, by->owner.tenant_id, &a->row->id,
		&(struct conversation_of){
			.workspace_id = str_of(w->id), .agent_id = str_of(a->id),
			.user = shared ? NULL : &a->row->holder,
			.parent = shared ? &at.parent : NULL,
			.since_us = since(a->row), .before_us = clock_now_us(),
		}, e);
}

int keep_workspace_gone(const struct caller *by, struct db *tx,
			const struct workspace *w, struct err *e)
{
	return conversation_delete_ask(tx, by->owner.tenant_id, &w->row->id,
		&(struct conversation_of){
			.workspace_id = str_of(w->id), .agent_id = { NULL, 0 },
			.since_us = since(w->row), .before_us = clock_now_us(),
		}, e);
}
