/* SPDX-License-Identifier: MIT */
#include "entity/undo.h"

#include "base/limits.h"
#include "entity/entity.h"
#include "entity/tree.h"

#include "base/banned.h"

struct undoing {
	struct caller by;	/* its db is the transaction, its changes are mine */
	struct resource_changes mine;
	const struct uuid *project;
	const struct resource *r;	/* of what was changed */
	struct uuid id;
	struct str verb;
	int64_t number;
	json_t *before;		/* NULL: nothing is kept */
	const struct resource_was *was;	/* of what is made again; NULL: not known */
};

static const char *text_of(const struct uuid *id, struct arena *a)
{
	return uuid_format(id, arena_alloc(a, UUID_TEXT_BYTES));
}

/* The row must be as the change left it. */
static int expect(void *ctx, const struct resource_row *now, struct err *e)
{
	const struct undoing *u = ctx;

	return now->version + 1 == u->number ? 0
		: err_public(e, ERR_PRECONDITION, "It was changed again since then, so this "
			     "change cannot be taken back alone.");
}

static int call_verb(struct undoing *u, const struct resource *r, enum resource_verb verb,
		     const struct uuid *id, const json_t *body, struct err *e)
{
	struct resource_answer *out = arena_new(u->by.arena, struct resource_answer);
	struct resource_call c = {
		.r = r, .verb = verb, .body = body, .ctx = u, .stored = true,
		.was = verb == VERB_CREATE && uuid_eq(id, &u->id) ? u->was : NULL,
		.expect = verb != VERB_CREATE && resource_is_guarded(r) ? expect : NULL,
	};

	if (verb == VERB_CREATE)
		c.key = id;
	else
		c.id = str_of(text_of(id, u->by.arena));
	if (r->owner == OWNER_BELOW)
		c.parent = str_of(text_of(u->project, u->by.arena));
	return resource_call(&u->by, &c, out, e);
}

/* -- what was deleted ------------------------------------------------------------------ */

/* Whether both ends of a link are there. */
static int is_possible(struct undoing *u, const json_t *link, bool *possible, struct err *e)
{
	struct entity_brief *found;
	struct uuid ends[2];
	size_t n;

	*possible = false;
	if (!uuid_parse(jx_str(link, "fromId"), &ends[0]) ||
	    !uuid_parse(jx_str(link, "toId"), &ends[1]))
		return 0;
	if (entity_of_ids(&u->by, ends, 2, &found, &n, e) < 0)
		return -1;
	*possible = n == 2;
	return 0;
}

static int link_again(struct undoing *u, const json_t *links, struct err *e)
{
	const struct resource *r = &resources[RESOURCE_PROJECT_EDGE];
	const json_t *one;
	bool possible;
	size_t i;

	json_array_foreach(links, i, one) {
		const struct uuid id = uuid_new();

		if (!json_object_get(one, "relation"))
			continue;	/* of the tree */
		if (is_possible(u, one, &possible, e) < 0 ||
		    (possible && call_verb(u, r, VERB_CREATE, &id, one, e) < 0))
			return -1;
	}
	return 0;
}

/* A document whose one above is gone is at the top. */
static int lift(struct undoing *u, json_t *body, struct err *e)
{
	struct entity_brief *found;
	struct uuid above;
	size_t n;

	if (!uuid_parse(jx_str(body, "parentId"), &above))
		return 0;
	if (entity_of_ids(&u->by, &above, 1, &found, &n, e) < 0)
		return -1;
	if (!n)
		json_object_set_new(body, "parentId", json_null());
	return 0;
}

/* How old it was, and how often it had been changed: ETags are not used again. */
static const struct resource_was *was_of(const json_t *was, struct arena *a)
{
	struct resource_was *out = arena_new(a, struct resource_was);

	out->version = jx_int(was, "version", -1);
	out->created_us = jx_int(was, "createdUs", 0);
	return out->version >= 0 && out->created_us > 0 ? out : NULL;
}

static int make_again(struct undoing *u, struct err *e)
{
	json_t *body = jx_keep(u->by.arena, json_copy(u->before));
	const struct resource_again k = {
		.r = u->r, .top = u->project, .id = &u->id, .body = body,
		.with = json_object_get(u->before, RESOURCE_WITH),
	};
	struct entity_brief *found;
	bool done;
	size_t n;

	u->was = was_of(json_object_get(body, RESOURCE_WAS), u->by.arena);
	json_object_del(body, RESOURCE_WITH);
	json_object_del(body, RESOURCE_WAS);
	if (resource_make_again(&u->by, &k, &done, e) < 0)
		return -1;
	if (done)
		return 0;
	if (entity_of_ids(&u->by, &u->id, 1, &found, &n, e) < 0)
		return -1;
	if (n)
		return err_public(e, ERR_CONFLICT, "It is there again already.");
	return lift(u, body, e) < 0 || call_verb(u, u->r, VERB_CREATE, &u->id, body, e) < 0 ||
		resource_recreated(&u->by, &k, e) < 0
		? -1 : link_again(u, k.with, e);
}

/* -- each kind of change ---------------------------------------------------------------- */

static int take_back(struct undoing *u, struct err *e)
{
	if (str_is(u->verb, "create"))
		return call_verb(u, u->r, VERB_DELETE, &u->id, NULL, e);
	return str_is(u->verb, "delete") ? make_again(u, e)
		: call_verb(u, u->r, VERB_PATCH, &u->id, u->before, e);
}

static int in_tx(struct db *tx, void *ctx, struct err *e)
{
	struct undoing *u = ctx, now = *u;
	int rc;

	now.by.db = tx;
	now.by.changes = &now.mine;
	rc = take_back(&now, e);
	u->mine = now.mine;
	return rc;
}

/* A move is a transaction of its own. */
static int move_back(struct undoing *u, struct err *e)
{
	struct uuid under;
	int64_t version;
	bool below = uuid_parse(jx_str(u->before, "parentId"), &under);

	u->by.changes = &u->mine;
	return tree_move(&u->by, u->project, &u->id, below ? &under : NULL,
			 (size_t)jx_int(u->before, "position", LIM_ENTITIES), TREE_ANY,
			 &version, e);
}

/* Finds the change, which the caller sees. */
static int find_change(const struct caller *by, const struct uuid *change, struct undoing *u,
		       struct err *e)
{
	struct resource_answer *out = arena_new(by->arena, struct resource_answer);
	const struct resource_call c = {
		.r = &resources[RESOURCE_PROJECT_CHANGE], .verb = VERB_GET,
		.id = str_of(text_of(change, by->arena)),
		.parent = str_of(text_of(u->project, by->arena)),
	};
	const struct resource_row *row = &out->done.row;
	if (resource_call(by, &c, out, e) < 0)
		return -1;
	u->r = resource_of_kind(resource_text(row, COLUMN(PROJECT_CHANGE, kind)));
	if (!u->r)
		return err_set(e, ERR_NOT_FOUND, "a kind of another version");
	u->id = *(const struct uuid *)(const void *)
		row->v[COLUMN(PROJECT_CHANGE, row_id)].s.p;
	u->verb = resource_text(row, COLUMN(PROJECT_CHANGE, verb));
	u->number = row->v[COLUMN(PROJECT_CHANGE, number)].i;
	if (resource_change_before(by, u->r, change, &u->before, e) < 0)
		return -1;
	return u->before || str_is(u->verb, "create") ? 0
		: err_public(e, ERR_CONFLICT, "It is not known any more what it was before.");
}

int entity_undo(const struct caller *by, const struct uuid *project,
		const struct uuid *change, struct resource_changed *done, struct err *e)
{
	struct undoing u = { .by = *by, .project = project, .mine = { .undoes = *change } };
	int rc;

	if (find_change(by, change, &u, e) < 0)
		return -1;
	rc = str_is(u.verb, "move") ? move_back(&u, e) : db_tx(by->db, in_tx, &u, e);
	if (rc < 0)
		return -1;
	if (!u.mine.first)
		return err_public(e, ERR_CONFLICT, "There is nothing to take back.");
	*done = *u.mine.first;
	if (by->changes)
		resource_changes_copy(by->changes, &u.mine, by->arena);
	return 0;
}
