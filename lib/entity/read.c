/* SPDX-License-Identifier: MIT */
/* What is in projects, by ids and by project, without reading all of it. */
#include "entity/entity.h"

#include <string.h>

#include "store/stmt.h"

#include "base/banned.h"

const struct entity_kind_row entity_kinds[ENTITY__MAX + 1] = {
#define ENTITY(id, name, several) { name, several, RESOURCE_PROJECT_##id },
#include "entity/kind.def"
	{ "project", "projects", RESOURCE_PROJECT },
};

int entity_kind_of(struct str name)
{
	for (int i = 0; i <= ENTITY__MAX; i++)
		if (str_is(name, entity_kinds[i].name))
			return i;
	return -1;
}

static const struct db_field brief_fields[] = {
#define F(m, t, sql) FIELD_OF(struct entity_brief, m, t)
	ENTITY_BRIEF_FIELDS(F, COMMA)
#undef F
};

int entity_of_ids(const struct caller *by, const struct uuid *ids, size_t n,
		  struct entity_brief **out, size_t *n_out, struct err *e)
{
	const struct resource_at at = resource_for(by);
	const struct db_val list = DB_S(resource_ids_json(ids, n, by->arena));
	const struct db_val readers =
		DB_S(resource_ids_json(at.readers, at.n_readers, by->arena));
	const struct db_val tenant = DB_S(by->owner.tenant_id);

	return db_list(by->db, STMT_ENTITY_OF_IDS,
		       DB_ARGS(list, tenant, readers, list, tenant, readers),
		       by->arena, brief_fields, sizeof(**out), 0, out, n_out, e);
}

const struct entity_brief *entity_among(const struct entity_brief *v, size_t n,
					const struct uuid *id)
{
	for (size_t i = 0; i < n; i++)
		if (uuid_eq(&v[i].id, id))
			return &v[i];
	return NULL;
}

/* The names of these kinds, for FIND_IN_SET. */
struct str entity_kind_names(unsigned kinds, struct arena *a)
{
	const char *names = "";

	for (size_t i = 0; i <= ENTITY__MAX; i++)
		if (kinds & (1u << i))
			names = arena_printf(a, "%s%s%s", names, *names ? "," : "",
					     entity_kinds[i].name);
	return str_of(names);
}

int entity_of_project(const struct caller *by, const struct uuid *project,
		      unsigned kinds, size_t size, struct entity_brief **out,
		      size_t *n, bool *more, struct err *e)
{
	const struct resource_at at = resource_for(by);
	struct str readers = resource_ids_json(at.readers, at.n_readers, by->arena);

	if (db_list(by->db, STMT_ENTITY_OF_PROJECT,
		    DB_ARGS(DB_S(by->owner.tenant_id), DB_U(project),
			    DB_S(entity_kind_names(kinds, by->arena)),
			    DB_S(readers), DB_I((int64_t)size + 1)),
		    by->arena, brief_fields, sizeof(**out), 0, out, n, e))
		return -1;
	*more = *n > size;
	*n = MIN(*n, size);
	return 0;
}

int entity_of_owner(const struct caller *by, const struct entity_due_ask *ask,
		    struct entity_brief **out, size_t *n, bool *more, struct err *e)
{
	const struct resource_at at = resource_for(by);
	const bool ranged = ask->from.n || ask->to.n, undated = ask->after && !ask->after_day.n;
	const struct str from = ask->from.n ? ask->from : STR("1000-01-01");
	/* The first one begins with this day, and has no id before it. */
	const struct str after = ask->after_day.n && memcmp(ask->after_day.p, from.p, from.n) > 0
		? ask->after_day : from;
	const struct uuid none = { { 0 } };
	const struct uuid *after_id = str_eq(after, ask->after_day) ? &ask->after_id : &none;
	const bool but = ask->states.n && *ask->states.p == '!';
	const struct str named = { ask->states.n ? ask->states.p + but : "",
				   ask->states.n - but };
	const struct db_val states = DB_S(named);
	const struct db_val tenant = DB_S(by->owner.tenant_id), owner = DB_U(&by->owner.user_id);
	const struct db_val kinds = DB_S(entity_kind_names(ask->kinds, by->arena));
	const struct db_val readers = DB_S(resource_ids_json(at.readers, at.n_readers,
							     by->arena));
	const struct db_val most = DB_I((int64_t)ask->size + 1);

	if (db_list(by->db, STMT_ENTITY_OF_OWNER, DB_ARGS(
		    DB_I(!undated), tenant, owner, DB_S(after),
		    DB_S(ask->to.n ? ask->to : STR("9999-12-31")), DB_S(after), DB_U(after_id),
		    kinds, states, states, DB_I(!but), readers, most,
		    DB_I(!ranged), tenant, owner, DB_U(undated ? &ask->after_id : &none),
		    kinds, states, states, DB_I(!but), readers, most, most),
		    by->arena, brief_fields, sizeof(**out), 0, out, n, e))
		return -1;
	*more = *n > ask->size;
	*n = MIN(*n, ask->size);
	return 0;
}
