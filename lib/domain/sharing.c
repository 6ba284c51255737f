/* SPDX-License-Identifier: MIT */
#include "domain/sharing.h"

#include "base/banned.h"

/* The only field of all kinds of shares. */
enum { GROUP = COLUMN(PROMPT_SHARE, group_name) };
_Static_assert(GROUP == COLUMN(KNOWLEDGE_BASE_SHARE, group_name), "one field");

int sharing_prepare(const struct caller *by, const struct resource *r,
		    struct resource_change *k, struct sharing_columns at,
		    struct err *e)
{
	struct db_val *tier = &k->row.v[at.tier];
	struct str group = resource_text(&k->row, at.team);
	struct str tenant = by->owner.tenant_id;

	if (tier->null)
		*tier = DB_S(STR("private"));
	if (str_is(tier->s, "private"))
		k->row.holder = by->owner.user_id;
	else if (str_is(tier->s, "tenant"))
		k->row.holder = resource_of_tenant(tenant);
	else if (!group.p)
		return err_field(e, ERR_INVALID_FIELD, "group", "group is "
				 "missing: a %s of a team belongs to a group.",
				 r->what);
	else
		k->row.holder = resource_of_group(tenant, group);
	if (group.p && !str_is(tier->s, "team"))
		return err_field(e, ERR_INVALID_FIELD, "group", "group is only "
				 "for the tier team.");
	if (!resource_may_hold(by, r, &k->at, &k->row.holder))
		return err_public(e, ERR_FORBIDDEN, group.p
				  ? "You cannot make a %s for this group."
				  : "You cannot make a %s for everyone.", r->what);
	return 0;
}

int sharing_check(const struct caller *by, const struct resource *r,
		  struct resource_change *k, struct err *e)
{
	struct str group = resource_text(&k->row, GROUP);

	(void)r;
	for (size_t i = 0; i < by->who->n_groups; i++)
		if (str_eq(by->who->groups[i], group))
			return 0;
	return err_field(e, ERR_INVALID_FIELD, "group", "group must be one of "
			 "your groups.");
}

static struct uuid reader_of(const struct caller *by,
			     const struct resource_row *share)
{
	return resource_of_group(by->owner.tenant_id,
				 resource_text(share, GROUP));
}

int sharing_store(const struct caller *by, const struct resource *r,
		  struct resource_change *k, sharing_move *move, struct err *e)
{
	const struct resource *of = resource_of_root(r->of);
	const struct uuid reader = reader_of(by, &k->row);
	struct resource_row shared;

	if (k->row.version)
		return 0;	/* nothing in a share can be changed */
	if (move(by->db, &by->owner, &k->at.holder, e) < 0 ||
	    resource_visible(by, of, &k->at.holder, &shared, e) < 0)
		return -1;
	if (uuid_eq(&reader, &shared.holder))
		return err_field(e, ERR_INVALID_FIELD, "group",
				 "The %s belongs to this group.", of->what);
	return resource_let_read(by->db, of, &by->owner, &reader, ROLE_VIEWER,
				 &shared, e);
}

int sharing_gone(const struct caller *by, const struct resource *r,
		 struct resource_change *k, sharing_move *move, struct err *e)
{
	const struct resource *of = resource_of_root(r->of);
	struct resource_row found;
	struct uuid reader;

	if (resource_get(by->db, r, &k->at, &k->row.id, by->arena, &found, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);	/* the statement that deletes it reports that */
		return 0;
	}
	if (move(by->db, &by->owner, &k->at.holder, e) < 0)
		return -1;
	reader = reader_of(by, &found);
	return resource_stop_reading(by->db, of, &by->owner, &reader,
				     &k->at.holder, e);
}
