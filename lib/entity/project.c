/* SPDX-License-Identifier: MIT */
/*
 * Projects as a resource, with the same tiers as prompts (sharing.h), and their members:
 * a reader row of the project for each, with their role.
 */
#include "domain/sharing.h"
#include "store/stmt.h"

#include "base/banned.h"

static int prepare_project(const struct caller *by, const struct resource *r,
			   struct resource_change *k, struct err *e)
{
	return sharing_prepare(by, r, k, (struct sharing_columns){
		COLUMN(PROJECT, tier), COLUMN(PROJECT, team),
	}, e);
}

const struct resource_hooks project_hooks = {
	.of_own = PERM_PROJECTS_WRITE, .of_group = PERM_PROJECTS_SHARE,
	.of_tenant = PERM_PROJECTS_MANAGE, .prepare = prepare_project,
};

/* -- members ------------------------------------------------------------------- */

static const struct resource *const project = &resources[RESOURCE_PROJECT];

static struct uuid reader_of(const struct caller *by, const struct resource_row *member)
{
	struct str login = resource_text(member, COLUMN(PROJECT_MEMBER, member_id));
	struct str group = resource_text(member, COLUMN(PROJECT_MEMBER, group_name));

	return group.p ? resource_of_group(by->owner.tenant_id, group)
		: uuid_of_name(by->owner.tenant_id, login);
}

static int set_reader(const struct caller *by, const struct resource *r,
		      struct resource_change *k, struct err *e)
{
	struct uuid *reader = arena_new(by->arena, struct uuid);

	(void)r;
	(void)e;
	*reader = reader_of(by, &k->row);
	k->row.v[COLUMN(PROJECT_MEMBER, reader_id)] = DB_U(reader);
	return 0;
}

/* Only owners say who works on a project; whom it belongs to is none of its members. */
static int check_owner(const struct caller *by, const struct resource_change *k,
		       struct resource_row *of, struct err *e)
{
	enum resource_role role;

	if (resource_visible(by, project, &k->at.holder, of, e) < 0)
		return -1;
	if (resource_may_hold(by, project, &k->at, &of->holder))
		return 0;
	if (resource_roles(by, project, &k->at, &of->id, 1, &role, e) < 0)
		return -1;
	return role == ROLE_OWNER ? 0 : err_public(
		e, ERR_FORBIDDEN, "Only an owner of the project says who works on it.");
}

static bool is_member(const struct caller *by, struct str group)
{
	for (size_t i = 0; i < by->who->n_groups; i++)
		if (str_eq(by->who->groups[i], group))
			return true;
	return false;
}

static int check_member(const struct caller *by, const struct resource *r,
			struct resource_change *k, struct err *e)
{
	struct str login = resource_text(&k->row, COLUMN(PROJECT_MEMBER, member_id));
	struct str group = resource_text(&k->row, COLUMN(PROJECT_MEMBER, group_name));
	const struct uuid reader = reader_of(by, &k->row);
	struct resource_row of;

	(void)r;
	if (!login.p == !group.p)
		return err_field(e, ERR_INVALID_FIELD, "user", "A member is a user or a "
				 "group: give one of them.");
	if (check_owner(by, k, &of, e) < 0)
		return -1;
	if (!k->now && group.p && !is_member(by, group))
		return err_field(e, ERR_INVALID_FIELD, "group", "group must be one of "
				 "your groups.");
	return uuid_eq(&reader, &of.holder)
		? err_field(e, ERR_INVALID_FIELD, group.p ? "group" : "user",
			    "The project belongs to them.") : 0;
}

/*
 * Writes the project: nodes of a cluster detect conflicts only between changes of the
 * same row, so a lock would not prevent another node from deleting it.
 */
static int hold_project(const struct caller *by, const struct uuid *id, struct err *e)
{
	struct db_result res;

	if (db_exec(by->db, STMT_PROJECT_SHARED,
		    DB_ARGS(DB_U(id), DB_S(by->owner.tenant_id)), &res, e))
		return -1;
	return res.affected ? 0 : err_set(e, ERR_NOT_FOUND, "no such project");
}

static enum resource_role role_of(const struct resource_row *member)
{
	struct str role = resource_text(member, COLUMN(PROJECT_MEMBER, role));

	return str_is(role, "owner") ? ROLE_OWNER
		: str_is(role, "editor") ? ROLE_EDITOR : ROLE_VIEWER;
}

static int let_in(const struct caller *by, const struct resource *r,
		  struct resource_change *k, struct err *e)
{
	const struct uuid reader = reader_of(by, &k->row);
	struct resource_row of;

	(void)r;
	if (hold_project(by, &k->row.holder, e) < 0 ||
	    resource_visible(by, project, &k->row.holder, &of, e) < 0)
		return -1;
	return resource_let_read(by->db, project, &by->owner, &reader,
				 role_of(&k->row), &of, e);
}

/* The statement that deletes the member asks for the caller's role after this. */
static int let_out(const struct caller *by, const struct resource *r,
		   struct resource_change *k, struct err *e)
{
	const struct uuid reader = reader_of(by, k->now);
	struct resource_row of;

	(void)r;
	if (uuid_eq(&reader, &by->owner.user_id))
		return err_public(e, ERR_CONFLICT, "Another owner of the project must "
				  "take you off it.");
	if (check_owner(by, k, &of, e) < 0 ||
	    hold_project(by, &k->now->holder, e) < 0)
		return -1;
	return resource_stop_reading(by->db, project, &by->owner, &reader,
				     &k->now->holder, e);
}

const struct resource_hooks project_member_hooks = {
	.prepare = set_reader, .check = check_member, .store = let_in, .gone = let_out,
};
