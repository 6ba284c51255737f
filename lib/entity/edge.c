/* SPDX-License-Identifier: MIT */
/* Links between what is in a project. */
#include "entity/entity.h"

#include "base/limits.h"
#include "store/stmt.h"

#include "base/banned.h"

static const struct uuid *id_at(const struct resource_row *row, size_t column)
{
	return (const struct uuid *)row->v[column].s.p;
}

/* Both ends must be in the project. */
static int check_ends(const struct caller *by, const struct resource *r,
		      struct resource_change *k, struct err *e)
{
	static const struct {
		size_t column;
		const char *key;
	} ends[] = {
		{ COLUMN(PROJECT_EDGE, from_id), "fromId" },
		{ COLUMN(PROJECT_EDGE, to_id), "toId" },
	};
	struct entity_brief *found;
	struct uuid ids[2];
	size_t n;

	(void)r;
	for (size_t i = 0; i < 2; i++)
		ids[i] = *id_at(&k->row, ends[i].column);
	if (uuid_eq(&ids[0], &ids[1]))
		return err_field(e, ERR_INVALID_FIELD, "toId", "toId must be another "
				 "one than fromId.");
	if (entity_of_ids(by, ids, 2, &found, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < 2; i++) {
		const struct entity_brief *b = entity_among(found, n, &ids[i]);

		if (!b || !uuid_eq(&b->project_id, &k->at.holder) ||
		    uuid_eq(&b->id, &b->project_id))
			return err_field(e, ERR_INVALID_FIELD, ends[i].key, "%s must be "
					 "the id of something in this project.",
					 ends[i].key);
	}
	return 0;
}

/* Changes both ends, so that the link and their deletion conflict on all nodes. */
static int hold_ends(const struct caller *by, const struct resource *r,
		     struct resource_change *k, struct err *e)
{
	struct db_result res;

	(void)r;
	if (db_exec(by->db, STMT_ENTITY_LINKED,
		    DB_ARGS(DB_U(&k->row.holder), DB_S(by->owner.tenant_id),
			    DB_U(id_at(&k->row, COLUMN(PROJECT_EDGE, from_id))),
			    DB_U(id_at(&k->row, COLUMN(PROJECT_EDGE, to_id)))),
		    &res, e))
		return -1;
	return res.affected == 2 ? 0
		: err_field(e, ERR_INVALID_FIELD, "toId", "One of the two was deleted.");
}

const struct resource_hooks project_edge_hooks = {
	.check = check_ends, .store = hold_ends,
};

/* -- reading ------------------------------------------------------------------------- */

static const struct db_field edge_fields[] = {
#define F(m, t, sql) FIELD_OF(struct entity_edge, m, t)
	ENTITY_EDGE_FIELDS(F, COMMA)
#undef F
};

static struct str readers_of(const struct caller *by)
{
	const struct resource_at at = resource_for(by);

	return resource_ids_json(at.readers, at.n_readers, by->arena);
}

static int edges_of(const struct caller *by, const struct uuid *id, size_t max,
		    struct entity_edge **out, size_t *n, struct err *e)
{
	return db_list(by->db, STMT_ENTITY_EDGES_OF,
		       DB_ARGS(DB_U(id), DB_S(by->owner.tenant_id), DB_U(id), DB_U(id),
			       DB_S(readers_of(by)), DB_I((int64_t)max)),
		       by->arena, edge_fields, sizeof(**out), 0, out, n, e);
}

int entity_linked(const struct caller *by, const struct uuid *id, size_t max,
		  struct entity_edge **out, size_t *n, struct entity_brief **briefs,
		  size_t *n_briefs, struct err *e)
{
	struct uuid *ids;

	if (edges_of(by, id, max, out, n, e) < 0)
		return -1;
	ids = arena_zalloc(by->arena, *n + 1, sizeof(*ids));
	for (size_t i = 0; i < *n; i++)
		ids[i] = uuid_eq(&(*out)[i].from_id, id) ? (*out)[i].to_id
			: (*out)[i].from_id;
	return entity_of_ids(by, ids, *n, briefs, n_briefs, e);
}

int entity_edges_in(const struct caller *by, const struct uuid *project, size_t max,
		    struct entity_edge **out, size_t *n, struct err *e)
{
	return db_list(by->db, STMT_ENTITY_EDGES_IN,
		       DB_ARGS(DB_S(by->owner.tenant_id), DB_U(project),
			       DB_S(readers_of(by)), DB_I((int64_t)max)),
		       by->arena, edge_fields, sizeof(**out), 0, out, n, e);
}

/* -- of what is deleted -------------------------------------------------------------- */

/* As the bodies that make them again, behind what else is noted. In by's arena. */
static struct str bodies_of(const struct caller *by, struct str noted,
			    const struct entity_edge *v, size_t n)
{
	struct buf b = BUF_INIT(512 * LIM_EDGES + noted.n);
	struct jw w = jw_on(&b);
	struct str s;

	jw_arr(&w);
	if (noted.n)
		jw_raw(&w, noted);
	for (size_t i = 0; i < n; i++) {
		jw_obj(&w);
		jw_kuuid(&w, "fromId", &v[i].from_id);
		jw_kuuid(&w, "toId", &v[i].to_id);
		jw_kstr(&w, "relation", v[i].relation);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	s = arena_str(by->arena, buf_str(&b));
	buf_release(&b);
	return s;
}

static int unlink_all(const struct caller *by, const struct resource *r,
		      struct resource_change *k, struct err *e)
{
	const struct uuid *id = k->now ? &k->now->id : &k->row.id;
	struct entity_edge *v;
	size_t n;

	(void)r;
	if (edges_of(by, id, LIM_EDGES, &v, &n, e) < 0)
		return -1;
	k->with = bodies_of(by, k->with, v, n);
	return db_exec(by->db, STMT_ENTITY_UNLINK, DB_ARGS(DB_U(id), DB_U(id)), NULL, e);
}

const struct resource_hooks entity_edges_hooks = { .gone = unlink_all };
