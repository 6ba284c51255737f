/* SPDX-License-Identifier: MIT */
#include "api/shared.h"

#include "route.h"
#include "search/kb.h"
#include "store/prompt.h"

#include "base/banned.h"

static struct str text_of(const struct resource *r, struct resource_row *row,
			  const char *column)
{
	const struct db_val *v = resource_value(r, row, column);

	return v->null ? (struct str){ NULL, 0 } : v->s;
}

static int wrong(const char *field, struct err *e, const char *what)
{
	return err_field(e, ERR_INVALID_FIELD, field, "%s", what);
}

int api_shared_made(struct request *rq, const struct resource *r,
		    struct resource_row *row, struct err *e)
{
	struct db_val *tier = resource_value(r, row, "tier");
	struct str group = text_of(r, row, "team");
	struct resource_at at = api_resource_for(rq);
	struct owner owner = at.by;

	if (tier->null)
		*tier = DB_S(STR("private"));
	if (str_is(tier->s, "private"))
		row->holder = owner.user_id;
	else if (str_is(tier->s, "tenant"))
		row->holder = resource_of_tenant(owner.tenant_id);
	else if (!str_is(tier->s, "team"))
		return wrong("tier", e, "tier must be private, team or tenant.");
	else if (!group.p)
		return err_field(e, ERR_INVALID_FIELD, "group", "group is "
				 "missing: a %s of a team belongs to a group.",
				 r->what);
	else
		row->holder = resource_of_group(owner.tenant_id, group);
	if (group.p && !str_is(tier->s, "team"))
		return wrong("group", e, "group is only for the tier team.");
	if (!api_resource_may_hold(rq, &at, r, &row->holder))
		return err_public(e, ERR_FORBIDDEN, group.p
				  ? "You cannot make a %s for this group."
				  : "You cannot make a %s for everyone.", r->what);
	return 0;
}

/* -- shares -------------------------------------------------------------------- */

/*
 * Changes the shared row as well: nodes of a cluster detect conflicts only between
 * changes of the same row, so a lock would not prevent another node from deleting
 * it.
 */
static int move(const struct resource *share, struct db *tx,
		const struct resource_at *at, struct err *e)
{
	return share == &resources[RESOURCE_PROMPT_SHARE]
		? store_prompt_shared(tx, &at->by, &at->holder, e)
		: kb_shared(tx, at->by.tenant_id, &at->holder, e);
}

/* The row that a share belongs to; it is locked, or about to be. */
static int shared_row(struct request *rq, const struct resource *share,
		      struct db *tx, const struct resource_at *at,
		      struct resource_row *row, struct err *e)
{
	struct resource_at reads = api_resource_for(rq);

	return resource_get(tx, resource_of_root(share->of), &reads, &at->holder,
			    rq->arena, row, e);
}

static int check(struct request *rq, const struct resource *share,
		 struct resource_row *row, struct err *e)
{
	struct str group = text_of(share, row, "group_name");

	for (size_t i = 0; i < rq->by.who->n_groups; i++)
		if (str_eq(rq->by.who->groups[i], group))
			return 0;
	return wrong("group", e, "group must be one of your groups.");
}

static int let_see(struct request *rq, const struct resource *share,
		   struct db *tx, const struct resource_at *at,
		   const struct resource_row *row, struct err *e)
{
	const struct resource *r = resource_of_root(share->of);
	struct resource_row mine = *row, of;
	struct uuid reader = resource_of_group(
		at->by.tenant_id, text_of(share, &mine, "group_name"));

	if (row->version)
		return 0;	/* nothing in a share can be changed */
	if (move(share, tx, at, e) < 0 ||
	    shared_row(rq, share, tx, at, &of, e) < 0)
		return -1;
	if (uuid_eq(&reader, &of.holder))
		return err_field(e, ERR_INVALID_FIELD, "group",
				 "The %s belongs to this group.", r->what);
	return resource_let_read(tx, r, &at->by, &reader, &of, e);
}

static int take_back(struct request *rq, const struct resource *share,
		     struct db *tx, const struct resource_at *at,
		     const struct resource_row *row, struct err *e)
{
	struct resource_row found;
	struct uuid reader;

	if (resource_get(tx, share, at, &row->id, rq->arena, &found, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);	/* the statement that deletes it reports that */
		return 0;
	}
	if (move(share, tx, at, e) < 0)
		return -1;
	reader = resource_of_group(at->by.tenant_id,
				   text_of(share, &found, "group_name"));
	return resource_stop_reading(tx, resource_of_root(share->of), &at->by,
				     &reader, &at->holder, e);
}

/* The functions of one resource of shares. */
#define SHARE_ODD(name, id) \
static int name##_check(struct request *rq, struct resource_row *row, \
			struct err *e) \
{ \
	return check(rq, &resources[RESOURCE_##id], row, e); \
} \
static int name##_also(struct request *rq, struct db *tx, \
		       const struct resource_at *at, \
		       const struct resource_row *row, struct err *e) \
{ \
	return let_see(rq, &resources[RESOURCE_##id], tx, at, row, e); \
} \
static int name##_gone(struct request *rq, struct db *tx, \
		       const struct resource_at *at, \
		       const struct resource_row *row, struct err *e) \
{ \
	return take_back(rq, &resources[RESOURCE_##id], tx, at, row, e); \
} \
const struct resource_odd api_##name##_share_odd = { \
	.check = name##_check, .also = name##_also, .gone = name##_gone, \
};

SHARE_ODD(prompt, PROMPT_SHARE)
SHARE_ODD(knowledge, KNOWLEDGE_BASE_SHARE)
